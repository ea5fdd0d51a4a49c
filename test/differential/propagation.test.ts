/**
 * What is propagated, compared with what a redis-server appends to its file, for random streams of commands over all types; and what is
 * recorded here, loaded by a redis-server. Time stands still in respd; moments are compared to within 25 seconds.
 */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { TO_AOF } from '../../src/engine/propagate.ts'
import { standardPools } from '../support/differential.ts'
import { anyCommands } from '../support/any-command.ts'
import { Connection } from '../support/connection.ts'
import { Generator, parseTemplates } from '../support/grammar.ts'
import { commandsIn, InProcess, Recorder } from '../support/in-process.ts'
import { describeWithOracle, type Oracle, useOracle } from '../support/oracle.ts'
import { AOF_OPTIONS, AofReader, asBefore72, effectLine } from '../support/propagation.ts'
import { render } from '../support/notation.ts'
import { runSeed, seeded } from '../support/random.ts'
import type { Reply } from '../support/resp.ts'
import { shrink } from '../support/shrink.ts'
import { quote } from '../support/words.ts'

const STREAM_LENGTH = 200
const TOTAL = Number(process.env.RESPD_DIFF_N ?? 1200)

const POOLS = {
  ...standardPools,
  key: 's1 s2 s3 l1 l2 u1 u2 z1 z2 h1 h2 x1 x2 g1 p1',
  string: 's1 s1 s2 s2 s3 l1',
  list: 'l1 l1 l2 l2 l3 u1',
  set: 'u1 u1 u2 u2 u3 z1',
  zset: 'z1 z1 z2 z2 z3 h1',
  hash: 'h1 h1 h2 h2 x1',
  stream: 'x1 x1 x1 x2 x2 s1',
  geo: 'g1 g1 g2 z1',
  hll: 'p1 p1 p2 s1',
  value: 'a bb 10 -7 3.25 11',
  seconds: '100 200 1000 -1 0',
  ms: '100000 3000000',
  at: '99999999999 99999999998 1',
  atMs: '99999999999000 99999999998000 1',
  element: 'a b c 1 2',
  side: 'LEFT RIGHT left',
  count: '0 1 2 3 100',
  some: '1 2 3 100',
  db: '0 1 2',
  id: '1-1 1-2 2 3-1 4-5 5',
  newid: '1-1 1-2 2 3-* 4-* 5-5 5-* 6-* 7 8-1 9-* 10-1 11-* 12-* 13 14-*',
  group: 'g h',
  consumer: 'c d e',
  length: '0 1 2 3 5',
  idle: '0 0 500000',
  lon: '13.36 15.08 -3.7',
  lat: '38.1 37.5 40.4',
}

const COMMANDS = `
  4 SET {string} {value} [NX|XX] [GET] [EX {seconds}|PX {ms}|KEEPTTL|EXAT {at}]
  SET {string} {value} [NX|XX] PXAT {atMs}
  3 SET {key} {value} PXAT 1
  2 PEXPIREAT {key} 1
  SETEX {string} {seconds} {value}
  PSETEX {string} {ms} {value}
  SETNX {string} {value}
  GETSET {string} {value}
  GETDEL {string}
  2 GETEX {string} [EX {seconds}|PX {ms}|PERSIST|EXAT {at}|PXAT {atMs}]
  2 MSET ({string} {value})+
  MSETNX ({string} {value})+
  APPEND {string} {value}
  SETRANGE {string} {small} {value}
  2 INCR {string}
  DECRBY {string} {value}
  2 INCRBYFLOAT {string} {value}
  SETBIT {string} {small} (0|1)
  BITOP OR {string} {string} {string}
  2 PFADD {hll} ({element})*
  2 PFCOUNT {hll}
  PFMERGE {hll} {hll}
  4 RPUSH {list} ({element})+
  2 LPUSH {list} ({element})+
  LPUSHX {list} {element}
  LPOP {list} [{count}]
  RPOP {list} [{count}]
  LREM {list} {count} {element}
  LTRIM {list} {index} {index}
  LSET {list} {small} {element}
  LINSERT {list} BEFORE {element} {element}
  LMOVE {list} {list} {side} {side}
  RPOPLPUSH {list} {list}
  2 LMPOP 2 {list} {list} {side} [COUNT {some}]
  BLPOP {list} {list} 0.0001
  BRPOP {list} 0.0001
  BLMOVE {list} {list} {side} {side} 0.0001
  BRPOPLPUSH {list} {list} 0.0001
  BLMPOP 0.0001 2 {list} {list} {side} [COUNT {some}]
  SORT {list} ALPHA [STORE {list}]
  4 SADD {set} ({member})+
  2 SREM {set} ({member})+
  SMOVE {set} {set} {member}
  SPOP {set} 100
  SPOP {set} 0
  SINTERSTORE {set} {set} {set}
  SUNIONSTORE {set} {set} {set}
  SDIFFSTORE {set} {set} {set}
  4 ZADD {zset} [NX|XX] [CH] ({score} {member})+
  ZADD {zset} [GT|LT] INCR {score} {member}
  ZINCRBY {zset} {score} {member}
  ZREM {zset} ({member})+
  ZPOPMIN {zset} [{count}]
  ZPOPMAX {zset}
  2 ZMPOP 2 {zset} {zset} (MIN|MAX) [COUNT {some}]
  BZPOPMIN {zset} {zset} 0.0001
  BZPOPMAX {zset} 0.0001
  BZMPOP 0.0001 2 {zset} {zset} (MIN|MAX) [COUNT {some}]
  ZREMRANGEBYRANK {zset} {small} {small}
  ZRANGESTORE {zset} {zset} 0 {small}
  ZUNIONSTORE {zset} 2 {zset} {zset}
  2 GEOADD {geo} [NX|XX] [CH] ({lon} {lat} {member})+
  GEORADIUS {geo} {lon} {lat} 1000 km [STORE {geo}|STOREDIST {geo}]
  GEOSEARCHSTORE {geo} {geo} FROMLONLAT {lon} {lat} BYRADIUS 1000 km
  4 HSET {hash} ({field} {value})+
  HSETNX {hash} {field} {value}
  HDEL {hash} ({field})+
  HINCRBY {hash} {field} {small}
  2 HINCRBYFLOAT {hash} {field} {value}
  8 XADD {stream} {newid} f {value}
  2 XADD {stream} [NOMKSTREAM] (MAXLEN|MINID) [~|=] {length} {newid} f {value}
  XADD {stream} MAXLEN ~ {length} LIMIT {some} {newid} f {value}
  2 XTRIM {stream} (MAXLEN|MINID) [~|=] {length}
  2 XDEL {stream} ({id})+
  XSETID {stream} {id}
  4 XGROUP CREATE {stream} {group} ({id}|0|$) [MKSTREAM] [ENTRIESREAD {small}]
  XGROUP SETID {stream} {group} ({id}|0|$)
  XGROUP DESTROY {stream} {group}
  XGROUP CREATECONSUMER {stream} {group} {consumer}
  XGROUP DELCONSUMER {stream} {group} {consumer}
  8 XREADGROUP GROUP {group} {consumer} [COUNT {some}] STREAMS {stream} >
  2 XREADGROUP GROUP {group} {consumer} [COUNT {some}] STREAMS {stream} {stream} > >
  XREADGROUP GROUP {group} {consumer} STREAMS {stream} 0
  3 XACK {stream} {group} ({id})+
  4 XCLAIM {stream} {group} {consumer} {idle} ({id})+ [IDLE {idle}] [RETRYCOUNT {small}] [FORCE] [JUSTID] [LASTID {id}]
  3 XAUTOCLAIM {stream} {group} {consumer} {idle} 0 [COUNT {some}] [JUSTID]
  2 EXPIRE {key} {seconds} [NX|XX]
  PEXPIRE {key} {ms}
  EXPIREAT {key} {at} [NX|XX|GT|LT]
  2 PEXPIREAT {key} {atMs} [NX|XX|GT|LT]
  2 PERSIST {key}
  2 DEL ({key})+
  UNLINK ({key})+
  RENAME {key} {key}
  RENAMENX {key} {key}
  COPY {key} {key} [DB {db}] [REPLACE]
  MOVE {key} {db}
  SWAPDB {db} {db}
  SELECT {db}
  3 SELECT 0
  2 GET {string}
  MGET ({key})+
  EXISTS ({key})+
  TTL {key}
  TYPE {key}
  LLEN {list}
  4 MULTI
  16 EXEC
  DISCARD
  2 EVAL "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('INCR', KEYS[1])" 1 {key} {value}
  EVAL "return redis.call('RPUSH', KEYS[1], 'a')" 1 {key}
  EVAL "redis.set_repl(redis.REPL_NONE) redis.call('SET', KEYS[1], 1) redis.set_repl(redis.REPL_AOF) redis.call('EXPIRE', KEYS[1], 100)" 1 {key}
  EVAL "redis.pcall('GETEX', KEYS[1], 'EX', 200) redis.pcall('SPOP', KEYS[2], 100)" 2 {key} {key}
  PUBLISH a b
  FLUSHDB
`

const LOADED = 2500
/** What redis-server 7 does not know, or would do to the connection. */
const NOT_IN_72 =
  /^(HP?EXPIRE(AT)?|HPERSIST|HGETEX|HSETEX|HGETDEL|XDELEX|XACKDEL|BF\..*|BITOP|FLUSHALL|FLUSHDB|MULTI|P?SUBSCRIBE|SSUBSCRIBE|HOTKEYS.*)$/
/** Chance and approximations, which leave as what became of them. */
const DECIDED = [
  'SPOP e 3',
  'SPOP e',
  'XREADGROUP GROUP a p STREAMS x >',
  'XAUTOCLAIM x a q 0 0',
  'XADD x MAXLEN ~ 100 * f v',
  'INCRBYFLOAT s 0.1',
  'HINCRBYFLOAT h m1 0.1',
  'EXPIRE l 100000',
  // scores that 17 digits and the fewest digits write differently
  'ZADD scores 9223372036854775807 a 1e300 b 0.1 c',
]
const DATABASES = 16

type Call = (...words: string[]) => Promise<Reply> | Reply | null

/** Every key whose time has not come by nowMs, with its moment of expiry and a digest of its value, a line for each. */
async function contents(call: Call, nowMs: number, scoresAsNumbers: boolean): Promise<string[]> {
  const text = async (...words: string[]) => render((await call(...words)) as Reply)
  const items = async (...words: string[]) => texts((await call(...words)) as Reply)
  const lines: string[] = []
  for (let db = 0; db < DATABASES; db++) {
    await call('SELECT', `${db}`)
    for (const key of (await items('KEYS', '*')).toSorted()) {
      const expiry = await text('PEXPIRETIME', key)
      if (expiry.startsWith(':') && Number(expiry.slice(1)) >= 0 && Number(expiry.slice(1)) <= nowMs) continue
      const type = await text('TYPE', key)
      const value =
        scoresAsNumbers && type.includes('zset')
          ? (await items('ZRANGE', key, '0', '-1', 'WITHSCORES')).map((word, i) => (i % 2 === 1 ? shortNumber(word) : word)).join(' ')
          : await text('DEBUG', 'DIGEST-VALUE', key)
      lines.push(`${db} ${key} ${type} ${expiry} ${value}`)
    }
  }
  return lines
}

function texts(reply: Reply): string[] {
  return 'items' in reply ? reply.items.map((item) => ('text' in item ? item.text : '')) : []
}

/** A score in its fewest digits; infinite ones as they are. */
function shortNumber(word: string): string {
  return Number.isFinite(Number(word)) ? String(Number(word)) : word
}

class Pair {
  private readonly oracle: Oracle
  private readonly aof: AofReader

  constructor(oracle: Oracle) {
    this.oracle = oracle
    this.aof = new AofReader(oracle.dir)
  }

  /** What each server propagates for these commands, as lines. */
  async run(commands: readonly string[][]): Promise<{ ours: string[]; theirs: string[] }> {
    const connection = await Connection.open(this.oracle.address)
    for (const line of ['DEBUG SET-ACTIVE-EXPIRE 0', 'FLUSHALL', 'SELECT 15', 'SET begin 1', 'SELECT 0'])
      await connection.call(...line.split(' '))
    this.aof.take()
    const nowMs = Date.now()
    await connection.pipeline(commands.map((words) => words.map((word) => Buffer.from(word, 'latin1'))))
    connection.close()
    const theirs = commandsIn(this.aof.take())
    return { ours: this.lines(this.ours(commands, nowMs), nowMs), theirs: this.lines(theirs, nowMs) }
  }

  private ours(commands: readonly string[][], nowMs: number): string[][] {
    const server = new InProcess()
    server.clock.advance(nowMs - server.clock.nowMs())
    const recorder = new Recorder(TO_AOF)
    server.engine.propagate.add(recorder)
    const client = server.client()
    server.run(client, ['SELECT', '15'])
    server.run(client, ['SET', 'begin', '1'])
    server.run(client, ['SELECT', '0'])
    recorder.commands()
    for (const command of commands) this.step(server, client, command)
    expect(server.defects).toEqual([])
    return recorder.commands()
  }

  /** A client that waits has waited long enough at once. */
  private step(server: InProcess, client: Client, command: readonly string[]): void {
    server.run(client, command)
    if (client.blocked) server.engine.blocked.unblock(client, false)
  }

  private lines(commands: string[][], nowMs: number): string[] {
    const lines = commands.map((command) => effectLine(command, nowMs, '', 50))
    return this.oracle.atLeast('7.2.0') ? lines : asBefore72(lines)
  }
}

describeWithOracle('propagation', () => {
  const oracle = useOracle(...AOF_OPTIONS)

  test(`${TOTAL} random commands`, { timeout: 60_000 + TOTAL * 20 }, async () => {
    if (!oracle.current) return
    const pair = new Pair(oracle.current)
    const since72 = oracle.current.atLeast('7.2.0')
    // before 7.2 XREADGROUP made a consumer only when it had something for it
    const templates = parseTemplates(COMMANDS).filter(({ source }) => since72 || !source.includes('CONSUMER'))
    const seed = runSeed()
    let effects = 0
    for (let done = 0, stream = seed; done < TOTAL; done += STREAM_LENGTH, stream++) {
      const generator = new Generator(templates, POOLS, seeded(stream))
      const commands = Array.from({ length: STREAM_LENGTH }, () => generator.command())
      const { ours, theirs } = await pair.run(commands)
      effects += theirs.length
      if (ours.join('\n') === theirs.join('\n')) continue
      const shortest = await shrink(commands, async (candidate) => {
        const result = await pair.run(candidate)
        return result.ours.join('\n') !== result.theirs.join('\n')
      })
      const result = await pair.run(shortest)
      const lines = shortest.map((words) => words.map((word) => quote(word)).join(' '))
      expect(result.ours, `RESPD_SEED=${stream}:\n${lines.join('\n')}\n`).toEqual(result.theirs)
      expect(ours, `RESPD_SEED=${stream}: a difference that did not show again`).toEqual(theirs)
    }
    expect(effects, 'commands in the file').toBeGreaterThan(TOTAL / 4)
  })

  test('redis-server loads it as its own file and has the same data', { timeout: 60_000 }, async () => {
    if (!oracle.current) return
    const seed = runSeed()
    const server = new InProcess()
    // redis-server must not find anything expired while it loads
    server.clock.advance(Date.now() + 3_600_000 - server.clock.nowMs())
    const recorder = new Recorder(TO_AOF)
    server.engine.propagate.add(recorder)
    const client = server.client()
    const random = seeded(seed)
    const next = anyCommands(random, NOT_IN_72)
    for (let i = 0; i < LOADED; i++) {
      const words = next()
      if (words.some((word) => /^(BF\.ADD|KEEPREF|DELREF|ACKED)$/.test(word))) continue
      server.run(client, words)
      if (client.blocked) server.engine.blocked.unblock(client, false)
      if (random.chance(0.01)) server.clock.advance(random.below(60_000))
      if (random.chance(0.02)) for (const command of DECIDED) server.run(client, command.split(' '))
    }
    // before 7.2 a digest of a sorted set was made of its scores in 17 digits, since then of the fewest that make the number
    const scoresAsNumbers = !oracle.current.atLeast('7.2.0')
    const reader = server.client()
    const ours = await contents((...words) => server.run(reader, words), server.clock.nowMs(), scoresAsNumbers)
    new AofReader(oracle.current.dir).replace(recorder.take())
    const connection = await Connection.open(oracle.current.address)
    for (const line of ['DEBUG SET-ACTIVE-EXPIRE 0', 'DEBUG LOADAOF']) await connection.get(...line.split(' '))
    const theirs = await contents((...words) => connection.call(...words), server.clock.nowMs(), scoresAsNumbers)
    connection.close()
    expect(theirs.length, 'keys').toBeGreaterThan(2)
    expect(ours, `RESPD_SEED=${seed}`).toEqual(theirs)
  })
})
