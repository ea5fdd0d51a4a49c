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

/** One row of the memory table: commands that add `n` elements to an empty server. */
export type Shape = { name: string; add: (n: number) => Iterable<Command> }

function* each(n: number, command: (i: number) => Argument[]): Iterable<Command> {
  for (let i = 0; i < n; i++) yield command(i)
}

export const SHAPES: readonly Shape[] = [
  { name: 'string of 32 bytes', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(32)]) },
  { name: 'string of 32 bytes with TTL', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(32), 'EX', 100_000]) },
  { name: 'integer', add: (n) => each(n, (i) => ['SET', `key:${padded(i)}`, i * 7]) },
]

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

export const PAUSES: readonly PauseScenario[] = [
  { name: 'growing', work: (n) => each(n * 5, (i) => ['SET', `key:${padded(i)}`, 'v'.repeat(16)]), restMs: () => 0 },
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
