/**
 * What a command tells the world: its keyspace events, in order, and the keys that client-side caches must forget, compared with redis-server
 * for random commands of every type. The connection that runs the commands subscribes to all events itself and has read every key before
 * each command, so its messages follow the command's reply.
 */
import { expect, test } from 'vitest'
import { type Address, Connection } from '../support/connection.ts'
import { standardPools } from '../support/differential.ts'
import { Generator, parseTemplates } from '../support/grammar.ts'
import { render } from '../support/notation.ts'
import { describeWithOracle, oracleVersion, useOracle, versionAtLeast } from '../support/oracle.ts'
import { runSeed, seeded } from '../support/random.ts'
import type { Reply } from '../support/resp.ts'
import { useServer } from '../support/server.ts'
import { shrink } from '../support/shrink.ts'

const KEYS = ['k1', 'k2', 'k3', 'k4']
const STREAM = 60

const GROUPS: Record<string, string> = {
  strings: `
    4 SET {key} {value} [NX|XX] [GET] [EX {seconds}|KEEPTTL]
    SETNX {key} {value}
    SETEX {key} {seconds} {value}
    GETSET {key} {value}
    GETDEL {key}
    GETEX {key} [EX {seconds}|PERSIST]
    MSET ({key} {value})+
    MSETNX ({key} {value})+
    APPEND {key} {value}
    SETRANGE {key} {small} {value}
    INCR {key}
    DECRBY {key} {int}
    INCRBYFLOAT {key} {float}
    SETBIT {key} {small} (0|1)
    BITOP (AND|OR|XOR) {key} {key} {key}
    BITFIELD {key} (SET u8 0 5|GET u8 0|INCRBY u4 0 1)
    PFADD {key} ({member})*
    PFMERGE {key} {key}
    GET {key}
  `,
  keys: `
    3 SET {key} {value}
    2 RPUSH {key} {member}
    DEL ({key})+
    UNLINK ({key})+
    EXPIRE {key} {seconds} [NX|XX|GT|LT]
    PEXPIREAT {key} 1
    PERSIST {key}
    RENAME {key} {key}
    RENAMENX {key} {key}
    COPY {key} {key} [REPLACE]
    MOVE {key} 1
    SORT {key} ALPHA STORE {key}
    SWAPDB 0 1
    FLUSHDB
    TOUCH {key}
    MULTI
    EXEC
  `,
  lists: `
    4 RPUSH {key} ({member})+
    2 LPUSH {key} ({member})+
    LPUSHX {key} {member}
    RPUSHX {key} {member}
    LPOP {key} [{small}]
    RPOP {key} [{small}]
    LSET {key} {index} {member}
    LINSERT {key} BEFORE {member} {member}
    LREM {key} {index} {member}
    LTRIM {key} {index} {index}
    LMOVE {key} {key} (LEFT|RIGHT) (LEFT|RIGHT)
    RPOPLPUSH {key} {key}
    LMPOP 2 {key} {key} (LEFT|RIGHT) [COUNT 2]
    DEL {key}
    SET {key} {value}
  `,
  hashes: `
    4 HSET {key} ({field} {value})+
    HSETNX {key} {field} {value}
    HMSET {key} ({field} {value})+
    HDEL {key} ({field})+
    HINCRBY {key} {field} {int}
    HINCRBYFLOAT {key} {field} {float}
    DEL {key}
    HGETALL {key}
  `,
  sets: `
    4 SADD {key} ({member})+
    SREM {key} ({member})+
    SPOP {key} 9
    SMOVE {key} {key} {member}
    SINTERSTORE {key} {key} {key}
    SUNIONSTORE {key} {key} {key}
    SDIFFSTORE {key} {key} {key}
    DEL {key}
    SET {key} {value}
  `,
  'sorted sets': `
    4 ZADD {key} [NX|XX] [CH] ({score} {member})+
    ZADD {key} INCR {score} {member}
    ZINCRBY {key} {score} {member}
    ZREM {key} ({member})+
    ZPOPMIN {key} [{small}]
    ZPOPMAX {key} [{small}]
    ZMPOP 2 {key} {key} (MIN|MAX) [COUNT 2]
    ZREMRANGEBYRANK {key} {index} {index}
    ZREMRANGEBYSCORE {key} {score} {score}
    ZREMRANGEBYLEX {key} - +
    ZRANGESTORE {key} {key} {index} {index}
    ZUNIONSTORE {key} 2 {key} {key}
    ZINTERSTORE {key} 2 {key} {key}
    ZDIFFSTORE {key} 2 {key} {key}
    GEOADD {key} 1 2 a 3 4 b
    GEOSEARCHSTORE {key} {key} FROMLONLAT 1 2 BYRADIUS 10 km
    DEL {key}
    SADD {key} {member}
  `,
  streams: `
    4 XADD {key} [MAXLEN {small}] * f v
    XADD {key} NOMKSTREAM * f v
    XTRIM {key} MAXLEN {small}
    XDEL {key} 1-1
    XADD {key} 1-1 f v
    XSETID {key} 9999999999999-0
    XGROUP CREATE {key} {member} $ [MKSTREAM]
    XGROUP DESTROY {key} {member}
    XGROUP CREATECONSUMER {key} {member} c1
    XGROUP DELCONSUMER {key} {member} c1
    XGROUP SETID {key} {member} 0
    2 XREADGROUP GROUP {member} c2 STREAMS {key} >
    XACK {key} {member} 1-1
    XAUTOCLAIM {key} {member} c3 0 0
    DEL {key}
    SET {key} {value}
  `,
}

const pools = {
  ...standardPools,
  key: KEYS,
  member: 'a b c',
  field: 'f1 f2',
  int: '1 2 -1',
  float: '1 0.5',
  seconds: '100 0',
  small: '0 1 2',
}

/** What each command told: its events, and the keys to forget in any order within a command. */
async function newsOf(address: Address, commands: readonly string[][]): Promise<string[]> {
  const connection = await Connection.open(address, 3)
  const ask = (words: readonly string[]): void => connection.send(...words.map((word) => Buffer.from(word, 'latin1')))
  try {
    await connection.call('FLUSHALL')
    await connection.call('CLIENT', 'TRACKING', 'on')
    ask(['PSUBSCRIBE', '__key*__:*'])
    await connection.read()
    for (const command of commands) for (const words of [['EXISTS', ...KEYS], command, ['PING', 'done']]) ask(words)
    const news: string[] = []
    for (const _ of commands) news.push(await newsOfOne(connection))
    return news
  } finally {
    connection.close()
  }
}

async function newsOfOne(connection: Connection): Promise<string> {
  const events: string[] = []
  const keys: string[] = []
  for (let pings = 0, replies = 0; pings === 0; ) {
    const reply = await connection.read()
    if (reply.type !== 'push') {
      replies++
      // Inside a transaction everything is QUEUED; otherwise the third reply is that of PING.
      if (replies === 3) pings++
    } else if (isInvalidation(reply)) keys.push(render(reply.items[1]))
    else
      events.push(
        reply.items
          .slice(2)
          .map((item) => render(item))
          .join(' '),
      )
  }
  return [...events, ...keys.toSorted()].join(', ')
}

function isInvalidation(reply: Reply & { items: Reply[] }): boolean {
  const [kind] = reply.items
  return 'text' in kind && kind.text === 'invalidate'
}

describeWithOracle('events and invalidations', () => {
  const options = ['--notify-keyspace-events', 'KEAmn']
  const oracle = useOracle(...options)
  const server = useServer({ 'notify-keyspace-events': 'KEAmn' })
  const total = Number(process.env.RESPD_DIFF_N ?? 360)

  for (const [group, text] of Object.entries(GROUPS)) {
    // Older servers put messages inside the reply of the command that caused them.
    test.skipIf(!versionAtLeast(oracleVersion, '7.2.0'))(group, { timeout: 60_000 + total * 20 }, async () => {
      const theirs = oracle.current
      if (!theirs) return
      for (let done = 0, seed = runSeed(); done < total; done += STREAM, seed++) {
        const generator = new Generator(parseTemplates(text), pools, seeded(seed))
        const commands = Array.from({ length: STREAM }, () => generator.command())
        const failure = await firstDifference(server.address, theirs.address, commands)
        if (failure !== undefined) expect.fail(`RESPD_SEED=${seed}\n${failure}`)
      }
    })
  }
})

/** SMOVE makes room in the target before it takes the member out of the source, so a new target is announced first. */
const anyOrder = (name: string): boolean => name === 'SMOVE'
const sorted = (news: string): string => news.split(', ').toSorted().join(', ')

async function firstDifference(ours: Address, theirs: Address, commands: readonly string[][]): Promise<string | undefined> {
  const compare = async (list: readonly string[][]): Promise<string | undefined> => {
    const [a, b] = await Promise.all([newsOf(ours, list), newsOf(theirs, list)])
    const at = list.findIndex(([name], i) => (anyOrder(name) ? sorted(a[i]) !== sorted(b[i]) : a[i] !== b[i]))
    if (at < 0) return undefined
    return `${list
      .slice(0, at + 1)
      .map((words) => words.join(' '))
      .join('\n')}\n  respd         ${a[at]}\n  redis-server  ${b[at]}`
  }
  if ((await compare(commands)) === undefined) return undefined
  return compare(await shrink(commands, async (candidate) => (await compare(candidate)) !== undefined))
}
