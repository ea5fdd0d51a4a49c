/**
 * What is measured. Each list is data: a new command group adds rows here and nothing elsewhere.
 */
import type { Argument } from '../test/support/resp.ts'
import { type Command, padded } from './load.ts'

/** One row of the throughput table: what redis-benchmark sends; `__rand_int__` is a number below `range` (the key count by default). */
export type Workload = {
  name: string
  pipelines: readonly number[]
  command: readonly string[]
  range?: number
  /** Requests relative to the usual number, for commands that are much slower than GET. */
  share?: number
  /** Data the commands need; once per server, before the row. */
  prepare?: (keys: number) => Iterable<Command>
}

const KEY = 'key:__rand_int__'
const VALUE = 'x'.repeat(64)

/** Every key that the string rows draw, so that all reads are hits. */
export function* everyKey(keys: number): Iterable<Command> {
  for (let i = 0; i < keys; i += 100) {
    yield ['MSET', ...Array.from({ length: Math.min(100, keys - i) }, (_, j) => [`key:${padded(i + j)}`, VALUE]).flat()]
  }
}

export const WORKLOADS: readonly Workload[] = [
  { name: 'SET', pipelines: [1, 16, 100], command: ['SET', KEY, VALUE], prepare: everyKey },
  { name: 'GET', pipelines: [1, 16, 100], command: ['GET', KEY] },
  { name: 'INCR', pipelines: [1, 16, 100], command: ['INCR', 'ctr:__rand_int__'], range: 100_000 },
  {
    name: 'MSET of 10',
    pipelines: [1, 16, 100],
    command: [
      'MSET',
      ...Array<string[]>(10)
        .fill([KEY, 'x'.repeat(16)])
        .flat(),
    ],
    share: 0.15,
  },
]

/** 1,000 lists with twice as many items together as there are keys: the rows that pop find enough. */
function* longLists(keys: number): Iterable<Command> {
  for (let i = 0; i < LISTS; i++) {
    for (let left = (keys * 2) / LISTS; left > 0; left -= 100)
      yield ['RPUSH', `list:${padded(i)}`, ...Array<string>(100).fill('item-0123456789')]
  }
}
const LISTS = 1000

/** `command key`, then elements by the ten, made from their number. */
function* byTens(count: number, head: readonly string[], element: (i: number) => readonly string[]): Iterable<Command> {
  for (let i = 0; i < count; i += 10) yield [...head, ...Array.from({ length: 10 }, (_, j) => element(i + j)).flat()]
}

/** 2,000 places around Sicily and Naples. */
function* places(): Iterable<Command> {
  yield* byTens(2000, ['GEOADD', 'geo'], (i) => [String(12 + (i % 50) / 10), String(35 + Math.floor(i / 50) / 10), `place ${i}`])
}

/** The other types, each with 16 commands in a pipeline. */
const AT_16: readonly Omit<Workload, 'pipelines'>[] = [
  { name: 'HSET', command: ['HSET', 'hash:__rand_int__', 'field:__rand_int__', 'value'], range: 100_000 },
  { name: 'HGETALL', command: ['HGETALL', 'hash:__rand_int__'], range: 100_000, share: 0.5 },
  { name: 'LPUSH', command: ['LPUSH', 'list:__rand_int__', 'item-0123456789'], range: LISTS, prepare: longLists },
  { name: 'LRANGE of 100', command: ['LRANGE', 'list:__rand_int__', '0', '99'], range: LISTS, share: 0.15 },
  { name: 'RPOP', command: ['RPOP', 'list:__rand_int__'], range: LISTS },
  { name: 'SADD', command: ['SADD', 'set', 'member:__rand_int__'] },
  { name: 'SPOP', command: ['SPOP', 'pool'], share: 0.5, prepare: (n) => byTens(n * 2, ['SADD', 'pool'], (i) => [`member:${i}`]) },
  { name: 'ZADD', command: ['ZADD', 'zset', '__rand_int__', 'member:__rand_int__'], share: 0.75 },
  { name: 'ZRANGE BYSCORE LIMIT 10', command: ['ZRANGE', 'zset', '__rand_int__', '+inf', 'BYSCORE', 'LIMIT', '0', '10'], share: 0.5 },
  { name: 'ZRANK', command: ['ZRANK', 'zset', 'member:__rand_int__'], share: 0.5 },
  {
    name: 'ZPOPMIN',
    command: ['ZPOPMIN', 'queue'],
    share: 0.5,
    prepare: (n) => byTens(n * 2, ['ZADD', 'queue'], (i) => [String((i * 7919) % n), `job:${i}`]),
  },
  {
    name: 'GEOSEARCH 200 km',
    command: 'GEOSEARCH geo FROMLONLAT 15 37 BYRADIUS 200 km ASC COUNT 10'.split(' '),
    share: 0.05,
    prepare: places,
  },
  { name: 'XADD', command: ['XADD', 'stream:__rand_int__', '*', 'field', 'value'], range: LISTS, share: 0.75 },
  { name: 'XREAD of 100', command: ['XREAD', 'COUNT', '100', 'STREAMS', 'stream:__rand_int__', '0'], range: LISTS, share: 0.1 },
  { name: 'PFADD', command: ['PFADD', 'visitors', 'visitor:__rand_int__'], share: 0.75 },
  { name: 'PFCOUNT', command: ['PFCOUNT', 'visitors'], share: 0.75 },
  { name: 'SETBIT', command: ['SETBIT', 'calendar:__rand_int__', '200', '1'], range: 100_000, share: 0.75 },
  { name: 'GETBIT', command: ['GETBIT', 'calendar:__rand_int__', '200'], range: 100_000, share: 0.75 },
  { name: 'EVAL of one GET', command: ['EVAL', "return redis.call('get', KEYS[1])", '1', 'ctr:__rand_int__'], range: 100_000, share: 0.25 },
]
export const COLLECTION_WORKLOADS: readonly Workload[] = AT_16.map((workload) => ({ pipelines: [16], ...workload }))

/** One row of the memory table: commands that add `n` elements to an empty server. */
export type Shape = { name: string; add: (n: number) => Iterable<Command> }

function* each(n: number, command: (i: number) => Argument[]): Iterable<Command> {
  for (let i = 0; i < n; i++) yield command(i)
}

export const SHAPES: readonly Shape[] = [
  { name: 'string of 32 bytes', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(32)]) },
  { name: 'string of 32 bytes with TTL', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(32), 'EX', 100_000]) },
  { name: 'integer', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, i * 7]) },
  { name: 'field of a hash of 10', add: (n) => each(n / 10, (i) => ['HSET', `hash:${padded(i)}`, ...tenFields(i)]) },
  { name: 'field of a large hash', add: (n) => byTens(n, ['HSET', 'hash'], (i) => [`field:${padded(i)}`, `value${i}`]) },
  { name: 'member of a large set', add: (n) => byTens(n, ['SADD', 'set'], (i) => [`member:${padded(i)}`]) },
  { name: 'member of a large sorted set', add: (n) => byTens(n, ['ZADD', 'zset'], (i) => [String((i * 7919) % n), `member:${padded(i)}`]) },
  { name: 'item of a long list', add: (n) => byTens(n, ['RPUSH', 'list'], (i) => [`item:${padded(i)}`]) },
  { name: 'entry of a stream', add: (n) => each(n, (i) => ['XADD', 'stream', '*', 'sensor', `s${i % 100}`, 'temp', String(i % 50)]) },
]

const tenFields = (i: number): string[] => Array.from({ length: 10 }, (_, j) => [`field${j}`, `value${i + j}`]).flat()

/** One row of the pause table: work during which a prober of its own measures round trips. */
export type PauseScenario = {
  name: string
  prepare?: (n: number) => Iterable<Command>
  work: (n: number) => Iterable<Command>
  /** Time to go on probing after the work. */
  restMs: (n: number) => number
}

/** Time from the start of a fill to the expiry of what was filled in: enough for the fill. */
const expireAfterMs = (n: number): number => 1000 + n * 0.011

const afterwards = (n: number): number => 500 + n * 0.0025

const keysOf16Bytes = (n: number): Iterable<Command> => each(n, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(16)])

/** The same work before, so that what is measured is compiled. */
function* warmedUp(n: number): Iterable<Command> {
  for (let round = 0; round < 3; round++) {
    yield* keysOf16Bytes(n)
    yield ['FLUSHALL']
  }
}

export const PAUSES: readonly PauseScenario[] = [
  { name: 'growing', prepare: warmedUp, work: (n) => keysOf16Bytes(n * 5), restMs: () => 0 },
  {
    name: 'half of the keys expire at once',
    prepare: (n) => {
      const at = Math.round(Date.now() + expireAfterMs(n))
      return each(n, (i) => (i % 2 === 0 ? ['SET', `key:${padded(i)}`, 'v', 'PXAT', at] : ['SET', `key:${padded(i)}`, 'v']))
    },
    work: () => [],
    restMs: (n) => expireAfterMs(n) * 1.5,
  },
  {
    name: 'FLUSHALL ASYNC',
    prepare: (n) => each(n * 2, (i) => ['SET', `key:${padded(i)}`, 'v']),
    work: () => [['FLUSHALL', 'ASYNC']],
    restMs: afterwards,
  },
]
