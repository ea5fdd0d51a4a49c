/** Random bit, HyperLogLog and Bloom commands leave every block accounted for, also when memory runs out in the middle of one. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { Config } from '../../src/engine/config.ts'
import { runBatch } from '../../src/engine/dispatch.ts'
import { OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { ParseState } from '../../src/resp/parser.ts'
import { Server } from '../../src/server.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { Generator, parseTemplates } from '../support/grammar.ts'
import { runSeed, seeded } from '../support/random.ts'
import { encodeCommand } from '../support/resp.ts'

const COMMANDS = `
  4 SETBIT {key} {offset} {bit}
  2 BITOP (AND|OR|XOR|DIFF|ONE|NOT) {key} ({key})+
  2 BITFIELD {key} SET u16 {offset} 7 INCRBY i64 {offset} 5
  8 PFADD {hll} ({element})+
  2 PFADD {hll} {element} {element} {element} {element} {element} {element} {element} {element} {element} {element} {element}
  2 PFMERGE {hll} ({hll})+
  PFCOUNT {hll}
  PFDEBUG TODENSE {hll}
  6 BF.ADD {bloom} {element}
  2 BF.INSERT {bloom} CAPACITY 3 ITEMS ({element})+
  COPY {bloom} {bloom} REPLACE
  RENAME {bloom} {bloom}
  COPY {hll} {key} REPLACE
  EXPIRE {hll} 100
  PERSIST {hll}
  (DEL|UNLINK) {any}
`
const POOLS = {
  key: 'k1 k2 k3',
  hll: 'h1 h2 h3',
  bloom: 'b1 b2',
  any: 'k1 k2 h1 h2 b1 b2',
  bit: '0 1',
  offset: '0 7 100 1000 9000 70000 600000',
  element: (random: { below(n: number): number }) => `e${random.below(4000)}`,
}

/** Runs one command in the server and returns the first byte of its reply. */
function run(server: Server, client: Client, words: readonly string[]): string {
  const { engine } = server
  const bytes = new Uint8Array(encodeCommand(words))
  client.argv = engine.parser.frame
  engine.parser.parse(new ParseState(), bytes, 0, bytes.length, 1, true)
  const from = engine.reply.pos
  runBatch(client)
  const first = String.fromCharCode(engine.reply.buf[from])
  engine.reply.clear()
  return first
}

test.each([false, true])('every block is held by one key; with failing allocations: %s', (failing) => {
  const seed = runSeed()
  const random = seeded(seed)
  const server = new Server(new Config(), new ManualClock(1_700_000_000_000))
  const { engine } = server
  const { mem } = engine
  const client = engine.addClient()
  let left = Infinity
  for (const name of ['alloc', 'allocZeroed'] as const) {
    const original = mem[name].bind(mem)
    mem[name] = (bytes) => {
      if (--left < 0) throw new OutOfMemory('test')
      return original(bytes)
    }
  }
  const generator = new Generator(parseTemplates(COMMANDS), POOLS, random)
  for (let n = 0; n < 2500; n++) {
    const words = generator.command()
    left = failing && random.chance(0.3) ? random.below(4) : Infinity
    const reply = run(server, client, words)
    const ranOut = left < 0
    left = Infinity
    if (ranOut) expect(reply, words.join(' ')).toBe('-')
    if (n % 10 === 0 || ranOut)
      expect(
        auditArena(mem, (report) => engine.space.audit(report)),
        `seed ${seed}: ${words.join(' ')}`,
      ).toEqual([])
  }
})
