/**
 * What a server propagates, run by another server later, leaves the same data set there: commands of every group, transactions, scripts,
 * functions, clients that wait, expiry of keys and fields, eviction.
 */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { anyCommands } from '../support/any-command.ts'
import { InProcess, Recorder } from '../support/in-process.ts'
import { type Random, runSeed, seeded } from '../support/random.ts'
import { dataSet } from '../support/state.ts'

const ROUNDS = 12
/** Commands between two comparisons. */
const COMMANDS = 200
const CLIENTS = 4
const KEYS = ['s', 'l', 'h', 'e', 'z', 'x', 'b', 'hll']
const FIELDS = ['a', 'b', 'c', 'm1', 'm2', 'm3', 'm4']
const GROUPS = ['a', 'b', 'c']
const LIBRARY = `#!lua name=lib
redis.register_function('bump', function(keys, args) redis.pcall('INCR', keys[1]) return redis.pcall('SADD', keys[2], args[1]) end)`

/** What the grammar does not bring about by itself. */
const PLANNED: readonly ((random: Random) => readonly (readonly string[])[])[] = [
  (r) => [['SET', r.pick(KEYS), 'v', 'PX', String(1 + r.below(200_000))]],
  (r) => [['PEXPIRE', r.pick(KEYS), String(1 + r.below(200_000))]],
  (r) => [['HPEXPIRE', 'h', String(1 + r.below(200_000)), 'FIELDS', '2', r.pick(FIELDS), r.pick(FIELDS)]],
  (r) => [['HSETEX', 'h', 'PX', String(1 + r.below(200_000)), 'FIELDS', '1', r.pick(FIELDS), '3']],
  (r) => [['HINCRBYFLOAT', 'h', r.pick(FIELDS), '1.5']],
  (r) => [['HGETEX', 'h', ...(r.chance(0.5) ? ['PERSIST'] : ['EXAT', '1']), 'FIELDS', '1', r.pick(FIELDS)]],
  (r) => [['HPEXPIREAT', 'h', '1', 'FIELDS', '2', r.pick(FIELDS), r.pick(FIELDS)]],
  () => [
    ['SPOP', 'e', '3'],
    ['SPOP', 'e'],
  ],
  (r) => [['XREADGROUP', 'GROUP', r.pick(GROUPS), r.pick(['p', 'q']), ...(r.chance(0.3) ? ['NOACK'] : []), 'STREAMS', 'x', '>']],
  (r) => [['XADD', 'x', 'MAXLEN', '~', String(r.below(300)), ...(r.chance(0.3) ? [r.pick(['ACKED', 'DELREF'])] : []), '*', 'f', 'v']],
  (r) => [['XAUTOCLAIM', 'x', r.pick(GROUPS), r.pick(['p', 'q']), '0', '0', 'COUNT', '20']],
  (r) => [['MULTI'], ['INCR', 's'], ['LPUSH', r.pick(KEYS), 'a', 'b'], ['SPOP', 'e', '2'], ['EXEC']],
  (r) => [
    [
      'EVAL',
      "redis.pcall('SPOP', KEYS[1], 2) redis.pcall('EXPIRE', KEYS[2], 50) return redis.pcall('LMOVE', 'l', 'l2', 'LEFT', 'RIGHT')",
      '2',
      'e',
      r.pick(KEYS),
    ],
  ],
  () => [['FUNCTION', 'LOAD', 'REPLACE', LIBRARY]],
  (r) => [['XCLAIM', 'x', r.pick(GROUPS), 'p', '0', '0-1', 'LASTID', String(1_700_000_000_000 + r.below(100_000))]],
  () => [['BLMOVE', 'l', 'l2', 'LEFT', 'RIGHT', '0']],
  () => [['BRPOPLPUSH', 'l2', 'l', '0']],
  (r) => [['BLMPOP', '0', '2', 'l2', 'l', r.pick(['LEFT', 'RIGHT']), 'COUNT', '3']],
  (r) => [['BZMPOP', '0', '2', 'e', 'z', r.pick(['MIN', 'MAX']), 'COUNT', '3']],
  () => [['BZPOPMIN', 'z', '0']],
  (r) => [['FCALL', 'bump', '2', 's', 'e', String(r.below(100))]],
  (r) => [['SELECT', r.pick(['0', '0', '1'])]],
]

const EVICTION = [
  ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
  ['CONFIG', 'SET', 'maxmemory', '1'],
  ['CONFIG', 'SET', 'maxmemory-policy', 'volatile-random'],
  ['PING'],
  ['CONFIG', 'SET', 'maxmemory', '0'],
]

class Run {
  readonly source = new InProcess()
  readonly recorder = new Recorder()
  private readonly clients: Client[]
  private readonly random: Random

  constructor(random: Random) {
    this.random = random
    this.source.engine.propagate.add(this.recorder)
    this.clients = Array.from({ length: CLIENTS }, () => this.source.client())
  }

  commands(count: number): void {
    const { random, source } = this
    // scripts and databases are planned; a set of every key would flush too often
    const next = anyCommands(random, /^(FLUSHALL|FLUSHDB|SELECT|MULTI|SUBSCRIBE|PSUBSCRIBE|SSUBSCRIBE|SWAPDB)$/)
    for (let i = 0; i < count; i++) {
      const client = this.free()
      const batch = random.chance(0.25) ? random.pick(PLANNED)(random) : [next()]
      for (const words of batch) if (!client.blocked) source.run(client, words)
      if (random.chance(0.02)) source.clock.advance(random.below(30_000))
      if (random.chance(0.01)) source.engine.cron.round()
      if (random.chance(0.002)) for (const words of EVICTION) source.run(this.free(), words)
      if (random.chance(0.005)) this.copy(client)
      if (random.chance(0.01)) this.dropReferences(this.free())
      if (random.chance(0.001)) source.run(this.free(), [random.pick(['FLUSHDB', 'FLUSHALL'])])
      if (random.chance(0.003)) source.run(this.free(), ['SWAPDB', '0', '1'])
    }
  }

  /** A client that does not wait; if all do, they have waited long enough. */
  private free(): Client {
    const { random, clients, source } = this
    if (clients.every((client) => client.blocked)) for (const client of clients) source.engine.blocked.unblock(client, false)
    return random.pick(clients.filter((client) => !client.blocked))
  }

  /** Deletes entries of the stream, with and without what groups know of them. */
  private dropReferences(client: Client): void {
    const { random, source } = this
    const found = source.run(client, ['XRANGE', 'x', '-', '+', 'COUNT', '5'])
    if (found === null || !('items' in found)) return
    for (const entry of found.items) {
      const id = 'items' in entry && 'text' in entry.items[0] ? entry.items[0].text : ''
      if (random.chance(0.5)) source.run(client, ['XDEL', 'x', id])
      if (random.chance(0.5)) source.run(client, ['XDELEX', 'x', random.pick(['DELREF', 'ACKED']), 'IDS', '1', id])
      if (random.chance(0.3)) source.run(client, ['XACKDEL', 'x', random.pick(GROUPS), 'DELREF', 'IDS', '1', id])
    }
    source.run(client, ['XAUTOCLAIM', 'x', random.pick(GROUPS), 'q', '0', '0'])
  }

  private copy(client: Client): void {
    const { random, source } = this
    const payload = client.blocked ? null : source.run(client, ['DUMP', random.pick(KEYS)])
    if (payload?.type === 'bulk') source.run(client, ['RESTORE', random.pick(KEYS), String(random.below(100_000)), payload.text, 'REPLACE'])
  }
}

/** A server that runs these commands as another's, a day later: it deletes nothing on its own. */
class Copy {
  readonly server = new InProcess()
  private readonly client: Client

  constructor() {
    this.server.clock.advance(86_400_000)
    this.server.engine.space.expireOnAccess = false
    this.client = this.server.client()
    this.client.internal = true
  }

  follow(commands: readonly string[][]): void {
    for (const command of commands) {
      const reply = this.server.run(this.client, command)
      if (reply?.type === 'error') expect.fail(`${command.join(' ').slice(0, 200)}: ${reply.text}`)
    }
    expect(this.server.defects).toEqual([])
  }
}

test('what is propagated leads to the same data set elsewhere', { timeout: 60_000 }, () => {
  const seed = runSeed()
  const run = new Run(seeded(seed))
  const copy = new Copy()
  let propagated = 0
  for (let round = 0; round < ROUNDS; round++) {
    run.commands(COMMANDS)
    expect(run.source.defects).toEqual([])
    const commands = run.recorder.commands()
    propagated += commands.length
    copy.follow(commands)
    expect(dataSet(copy.server), `RESPD_SEED=${seed}, round ${round}`).toEqual(dataSet(run.source))
  }
  expect(propagated).toBeGreaterThan((ROUNDS * COMMANDS) / 4)
})
