/** What leaves the server when the data set changes: the commands of test/data/propagation-7.2.6.txt, units, targets, and no cost without sinks. */
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { TO_AOF, TO_REPLICAS } from '../../src/engine/propagate.ts'
import { InProcess, Recorder } from '../support/in-process.ts'
import { effectLine, recordedParts } from '../support/propagation.ts'
import { quote, words } from '../support/words.ts'

describe('commands are propagated as redis-server appends them to its file', () => {
  for (const { title, steps } of recordedParts()) {
    test(title, () => {
      const server = new InProcess()
      const recorder = new Recorder(TO_AOF)
      server.engine.propagate.add(recorder)
      const clients = new Map<number, Client>()
      let dump = ''
      const lines: string[] = []
      for (const { client: number, command } of steps) {
        const client = clients.get(number) ?? server.client()
        clients.set(number, client)
        const reply = server.run(
          client,
          command.map((word) => (word === '$DUMP' ? dump : word)),
        )
        if (reply?.type === 'bulk' && /dump/i.test(command.join(' '))) dump = reply.text
        lines.push(command.map((word) => quote(word)).join(' '))
        for (const effect of recorder.commands()) lines.push(`  -> ${effectLine(effect, server.clock.nowMs(), dump)}`)
      }
      expect(server.defects).toEqual([])
      const expected = steps.flatMap(({ command, effects }) => [
        command.map((word) => quote(word)).join(' '),
        ...effects.map((effect) => `  -> ${effect}`),
      ])
      expect(lines.join('\n')).toBe(expected.join('\n'))
    })
  }
})

/** A server with one client and a recorder of both kinds of sink. */
function recorded(options: Record<string, string> = {}) {
  const server = new InProcess(options)
  const aof = new Recorder(TO_AOF)
  const replicas = new Recorder(TO_REPLICAS)
  server.engine.propagate.add(aof)
  server.engine.propagate.add(replicas)
  const client = server.client()
  const run = (line: string) =>
    server.run(
      client,
      words(line).map(({ text }) => text),
    )
  const taken = (recorder: Recorder): string[] => recorder.commands().map((command) => command.join(' '))
  return { server, client, run, aof: () => taken(aof), replicas: () => taken(replicas), recorders: [aof, replicas] as const }
}

test('messages go to replicas and not into the file; a script chooses for its commands', () => {
  const { run, aof, replicas } = recorded()
  run('PUBLISH news hello')
  expect([aof(), replicas()]).toEqual([[], ['SELECT 0', 'PUBLISH news hello']])
  run(`EVAL "redis.set_repl(redis.REPL_AOF) redis.call('SET', 'a', 1) redis.set_repl(redis.REPL_REPLICA) redis.call('SET', 'b', 1)" 0`)
  expect([aof(), replicas()]).toEqual([
    ['MULTI', 'SELECT 0', 'SET a 1', 'EXEC'],
    ['MULTI', 'SET b 1', 'EXEC'],
  ])
  run('SET c 1')
  expect([aof(), replicas()]).toEqual([['SET c 1'], ['SET c 1']])
})

test('keys that expire in the background, and keys that are evicted, are units of their own', () => {
  const { server, run, aof } = recorded()
  const evict = () => {
    for (const line of ['maxmemory-policy noeviction', 'maxmemory 1', 'maxmemory-policy allkeys-lru']) run(`CONFIG SET ${line}`)
    run('PING')
  }
  run('MSET a 1 b 2')
  run('PEXPIRE a 10')
  run('PEXPIRE b 10')
  aof()
  server.clock.advance(20)
  server.engine.cron.round()
  expect(aof().toSorted()).toEqual(['DEL a', 'DEL b'])
  run('MSET a 1 b 2')
  aof()
  evict()
  expect(aof().toSorted()).toEqual(['DEL a', 'DEL b'])
  run('CONFIG SET maxmemory 0 lazyfree-lazy-eviction yes')
  run('SET a 1')
  aof()
  evict()
  expect(aof()).toEqual(['UNLINK a'])
})

test('no key is evicted between the commands of a transaction', () => {
  const { server, run, aof } = recorded({ 'maxmemory-policy': 'allkeys-lru' })
  for (const line of ['MULTI', 'INCR x', 'CONFIG SET maxmemory 1', 'INCR x', 'EXEC']) run(line)
  expect(aof()).toEqual(['MULTI', 'SELECT 0', 'INCR x', 'INCR x', 'EXEC'])
  server.clock.advance(1)
  expect(aof()).toEqual(['DEL x'])
  server.engine.memory.setLimit(server.engine.memory.used + 100_000)
  for (const line of ['MULTI', `SET big ${'x'.repeat(200_000)}`, `EVAL "return redis.call('INCR', 'n')" 0`, 'EXEC']) run(line)
  expect(aof().map((line) => line.slice(0, 7))).toEqual(['MULTI', 'SET big', 'INCR n', 'EXEC'])
  expect(run('EXISTS big')).toEqual({ type: 'integer', text: '0' })
})

test('flush() of a program is a FLUSHALL', () => {
  const { server, run, aof } = recorded()
  run('SET a 1')
  server.engine.flushAll()
  expect(aof()).toEqual(['SELECT 0', 'SET a 1', 'FLUSHALL'])
})

test('a sink hears of what happens between add and remove', () => {
  const { server, run, recorders } = recorded()
  run('SET a 1')
  for (const recorder of recorders) server.engine.propagate.remove(recorder)
  run('SET b 1')
  run('PEXPIRE b 1')
  server.clock.advance(5)
  run('GET b')
  expect(recorders.map((recorder) => recorder.commands())).toEqual([
    [
      ['SELECT', '0'],
      ['SET', 'a', '1'],
    ],
    [
      ['SELECT', '0'],
      ['SET', 'a', '1'],
    ],
  ])
  expect(server.engine.space.hooks.removed).toEqual([])
})

test('keys that SCAN only met go without a transaction', () => {
  const { run, aof } = recorded()
  for (const key of ['a', 'b', 'c']) run(`SET ${key} 1 PXAT 1`)
  aof()
  run('SCAN 0')
  expect(aof().toSorted()).toEqual(['DEL a', 'DEL b', 'DEL c'])
})

test('a script that others could interrupt is one unit, at its end', async () => {
  const { server, run, client, aof } = recorded({ 'busy-reply-threshold': '1' })
  let us = 0
  server.clock.monotonicUs = () => (us += 500)
  run(`EVAL "redis.call('SET', 'a', 1) for i = 1, 1000000 do end redis.call('SET', 'b', 1) for i = 1, 1000000 do end" 0`)
  expect([client.blocked, aof()]).toEqual([true, []])
  const other = server.client()
  expect(server.run(other, ['SET', 'c', '1'])?.type).toBe('error')
  server.engine.attention = true // whatever another client's command leaves to do
  server.run(other, ['MULTI'])
  expect(aof()).toEqual([])
  while (client.blocked) await new Promise((resolve) => setImmediate(resolve))
  expect(aof()).toEqual(['MULTI', 'SELECT 0', 'SET a 1', 'SET b 1', 'EXEC'])
  for (const line of ['MULTI', 'INCR n', `EVAL "redis.call('SET', 'a', 1) for i = 1, 1000000 do end" 0`, 'INCR n', 'EXEC']) run(line)
  while (client.blocked) await new Promise((resolve) => setImmediate(resolve))
  expect(aof()).toEqual(['MULTI', 'INCR n', 'SET a 1', 'INCR n', 'EXEC'])
})

test('fields of a hash: moments in place of times to live, deletions as HDEL', () => {
  const { server, run, aof } = recorded()
  const now = server.clock.nowMs()
  const effects = (line: string): string[] => {
    run(line)
    return aof()
  }
  run('HSET h a 1 b 2 c 3 d 4')
  aof()
  expect(effects('HEXPIRE h 100 FIELDS 3 a b nofield')).toEqual([`HPEXPIREAT h ${now + 100_000} FIELDS 2 a b`])
  expect(effects('HPEXPIRE h 200000 GT FIELDS 2 a c')).toEqual([`HPEXPIREAT h ${now + 200_000} GT FIELDS 1 a`])
  expect(effects('HEXPIRE h 100 NX FIELDS 1 a')).toEqual([])
  expect(effects('HINCRBYFLOAT h a 0.5')).toEqual(['HSETEX h KEEPTTL FIELDS 1 a 1.5'])
  expect(effects('HINCRBYFLOAT h c 0.5')).toEqual(['HSET h c 3.5'])
  expect(effects('HGETEX h PERSIST FIELDS 2 b c')).toEqual(['HPERSIST h FIELDS 1 b'])
  expect(effects('HGETEX h EX 10 FIELDS 1 b')).toEqual([`HPEXPIREAT h ${now + 10_000} FIELDS 1 b`])
  expect(effects('HSETEX h FXX EX 20 FIELDS 1 c 1')).toEqual([`HSETEX h FXX PXAT ${now + 20_000} FIELDS 1 c 1`])
  expect(effects('HGETDEL h FIELDS 2 d nofield')).toEqual(['HDEL h d'])
  expect(effects('HEXPIREAT h 1 FIELDS 2 c nofield')).toEqual(['HDEL h c'])
  expect(effects('HSETEX h PXAT 1 FIELDS 1 e 1')).toEqual(['HDEL h e'])
  server.clock.advance(300_000)
  expect(effects('HGET h b')).toEqual(['HDEL h b a'])
  expect(effects('EXISTS h')).toEqual([])
})
