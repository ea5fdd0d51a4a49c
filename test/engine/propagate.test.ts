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
  return { server, run, aof: () => taken(aof), replicas: () => taken(replicas), recorders: [aof, replicas] as const }
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
