/**
 * What clients that waited leave behind, in redis-server's order: several wait for the same keys while another pushes, in transactions and
 * scripts too. Whoever waits here must wait there.
 */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { TO_AOF } from '../../src/engine/propagate.ts'
import { Connection } from '../support/connection.ts'
import { Generator, parseTemplates } from '../support/grammar.ts'
import { commandsIn, InProcess, Recorder } from '../support/in-process.ts'
import { describeWithOracle, type Oracle, oracleVersion, useOracle, versionAtLeast } from '../support/oracle.ts'
import { AOF_OPTIONS, AofReader, effectLine } from '../support/propagation.ts'
import { runSeed, seeded } from '../support/random.ts'

const STEPS = 1000
const WAITING = 4

const POOLS = {
  list: 'l1 l1 l2 l3',
  zset: 'z1 z1 z2',
  stream: 'x1 x2',
  element: 'a b c',
  side: 'left right',
  some: '1 2 3',
  score: '1 2 3',
  consumer: 'c d',
}

const WAITS = parseTemplates(`
  2 BLPOP {list} {list} 0
  2 BRPOP {list} 0
  2 BLMOVE {list} {list} {side} {side} 0
  BRPOPLPUSH {list} {list} 0
  2 BLMPOP 0 2 {list} {list} {side} [COUNT {some}]
  BZPOPMIN {zset} {zset} 0
  BZPOPMAX {zset} 0
  BZMPOP 0 2 {zset} {zset} (MIN|MAX) [COUNT {some}]
  XREADGROUP GROUP g {consumer} [COUNT {some}] BLOCK 0 [NOACK] STREAMS {stream} >
  XREAD BLOCK 0 STREAMS {stream} $
`)

const PUSHES = parseTemplates(`
  6 RPUSH {list} ({element})+
  2 LPUSH {list} ({element})+
  4 ZADD {zset} ({score} {element})+
  4 XADD {stream} 1-* f {element}
  XGROUP CREATE {stream} g $ MKSTREAM
  XGROUP DESTROY {stream} g
  RENAME {list} {list}
  COPY {list} {list} REPLACE
  RPOPLPUSH {list} {list}
  LPOP {list}
  DEL {list} {zset}
  SET {list} text
  3 MULTI
  5 EXEC
  2 EVAL "redis.pcall('RPUSH', KEYS[1], 'a', 'b') redis.pcall('ZADD', KEYS[2], 1, 'm') return redis.pcall('RPUSH', KEYS[3], 'c')" 3 {list} {zset} {list}
  EVAL "redis.pcall('RPUSH', KEYS[1], 'a') return redis.pcall('DEL', KEYS[1])" 1 {list}
`)

class Waiting {
  readonly server = new InProcess()
  readonly recorder = new Recorder(TO_AOF)
  readonly log: string[] = []
  private readonly ours: Client[]
  private readonly theirs: Connection[]
  /** Clients that have waited, and whose answers have not been read yet. */
  private readonly owed = new Set<number>()

  constructor(theirs: Connection[]) {
    this.theirs = theirs
    this.server.clock.advance(Date.now() - this.server.clock.nowMs())
    this.server.engine.propagate.add(this.recorder)
    this.ours = theirs.map(() => this.server.client())
  }

  /** Runs a command of client i on both servers; in the end the same number of clients waits on both. */
  async run(i: number, command: readonly string[]): Promise<void> {
    if (this.ours[i].blocked) return
    if (this.owed.delete(i)) await this.theirs[i].read()
    this.log.push(`${i}> ${command.join(' ')}`)
    this.server.run(this.ours[i], command)
    this.theirs[i].send(...command)
    await this.theirWaiting(this.ours.filter((client) => client.blocked).length)
    if (this.ours[i].blocked) this.owed.add(i)
    else await this.theirs[i].read()
  }

  private async theirWaiting(count: number): Promise<void> {
    const admin = this.theirs[this.theirs.length - 1]
    let found = ''
    for (const deadline = Date.now() + 3000; Date.now() < deadline; ) {
      found = /blocked_clients:(\d+)/.exec(String(await admin.get('INFO', 'clients')))?.[1] ?? ''
      if (found === String(count)) return
    }
    expect.fail(`${found} clients wait on redis-server, ${count} here, after\n${this.log.slice(-20).join('\n')}`)
  }
}

async function compare(oracle: Oracle, seed: number): Promise<void> {
  const theirs = await Promise.all(Array.from({ length: WAITING + 2 }, () => Connection.open(oracle.address)))
  await theirs[0].get('FLUSHALL')
  const aof = new AofReader(oracle.dir)
  aof.take()
  const waiting = new Waiting(theirs)
  const random = seeded(seed)
  const waits = new Generator(WAITS, POOLS, random)
  const pushes = new Generator(PUSHES, POOLS, random)
  const nowMs = Date.now()
  for (let i = 0; i < STEPS; i++) {
    if (random.chance(0.5)) await waiting.run(1 + random.below(WAITING), waits.command())
    else await waiting.run(0, pushes.command())
  }
  const lines = (commands: string[][]): string[] =>
    commands.map((command) => effectLine(command, nowMs, '', 50)).filter((line) => line !== 'SELECT 0')
  const [mine, others] = [lines(waiting.recorder.commands()), lines(commandsIn(aof.take()))]
  for (const connection of theirs) connection.close()
  expect(waiting.server.defects).toEqual([])
  expect(others.length).toBeGreaterThan(STEPS / 4)
  expect(mine, `RESPD_SEED=${seed}`).toEqual(others)
}

describeWithOracle('propagation of clients that wait', () => {
  const oracle = useOracle(...AOF_OPTIONS)
  // before 7.2 clients were served by code of its own, in another order
  test.skipIf(!versionAtLeast(oracleVersion, '7.2.0'))(`${STEPS} steps`, { timeout: 60_000 }, async () => {
    if (oracle.current) await compare(oracle.current, runSeed())
  })
})
