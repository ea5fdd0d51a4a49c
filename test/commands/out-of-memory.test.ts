/** Commands whose n-th allocation fails: no key without elements, no block without owner, and no element lost. */
import { expect, test } from 'vitest'
import { OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { InProcess } from '../support/in-process.ts'

const LONG = 'x'.repeat(5000)

test.each([
  [['HINCRBY', 'new', 'f', '1']],
  [['HINCRBYFLOAT', 'new', 'f', '1.5']],
  [['HSET', 'new', 'f', LONG]],
  [['SADD', 'new', LONG]],
  [['ZADD', 'new', '1', LONG]],
  [['RPUSH', 'new', LONG]],
  [['LMOVE', 'one', 'new', 'LEFT', 'RIGHT']],
  [['LMOVE', 'one', 'one', 'LEFT', 'RIGHT']],
  [['LMOVE', 'one', 'one', 'LEFT', 'LEFT']],
  [['SUNIONSTORE', 'new', 'set']],
  [['SORT', 'one', 'ALPHA', 'STORE', 'new']],
])('%j', (words) => {
  const server = new InProcess()
  const { mem, space } = server.engine
  const client = server.engine.addClient()
  let left = Number.POSITIVE_INFINITY
  for (const name of ['alloc', 'allocZeroed'] as const) {
    const original = mem[name].bind(mem)
    mem[name] = (bytes) => {
      if (--left < 0) throw new OutOfMemory('test')
      return original(bytes)
    }
  }
  const ask = (...command: string[]): unknown => server.run(client, command)
  for (let allowed = 0; ; allowed++) {
    ask('FLUSHALL')
    ask('RPUSH', 'one', LONG)
    ask('SADD', 'set', '1', '2')
    left = allowed
    const reply = ask(...words)
    const failed = left < 0
    left = Number.POSITIVE_INFINITY
    expect(auditArena(mem, (report) => space.audit(report))).toEqual([])
    if (!failed) return expect(allowed).toBeGreaterThan(0)
    expect(reply).toMatchObject({ type: 'error' })
    // a moved element may stay where it was as well, but not be lost
    const moves = words[0] === 'LMOVE'
    if (!moves) expect(ask('EXISTS', 'new')).toMatchObject({ text: '0' })
    expect(ask('LINDEX', 'one', '0')).toMatchObject({ text: LONG })
    expect(ask('LLEN', 'one')).toMatchObject({ text: moves ? expect.stringMatching(/[12]/) : '1' })
  }
})
