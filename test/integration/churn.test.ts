/**
 * Churn under maxmemory: keys of all sizes and types come, grow, shrink, are evicted and deleted. Whatever the order, the blocks of the
 * arena are held exactly once, and resident memory stays near what is in use: within 15%, over what the empty server takes and two segments.
 *
 * The number of commands is fixed, so a slow machine only takes longer. It is as much as half a minute of a busy cache.
 */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SEGMENT_BYTES } from '../../src/memory/ref.ts'
import { Connection } from '../support/connection.ts'
import { runSeed, seeded } from '../support/random.ts'
import { type Argument, encodePipeline } from '../support/resp.ts'
import { type Child, startChild } from '../support/server.ts'

const LIMIT = 256 * 2 ** 20
const BATCH = 50
const SETTLE_MS = 10_000
const seed = runSeed()
const random = seeded(seed)
const filler = Buffer.alloc(1 << 16, 'x')

let child: Child
let client: Connection
let emptyRss = 0

beforeAll(async () => {
  child = await startChild(['--maxmemory', String(LIMIT), '--maxmemory-policy', 'allkeys-lru', '--enable-debug-command', 'yes'])
  client = await Connection.open(child.address)
  emptyRss = await info('used_memory_rss')
  await client.get('CONFIG', 'SET', 'hash-max-listpack-value', '200')
})
afterEach(async () => {
  expect(await client.get('DEBUG', 'AUDIT'), `seed ${seed}`).toBe('OK')
})
afterAll(async () => {
  client.close()
  await child.stop()
})

async function info(field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(String(await client.get('INFO', 'everything')))?.[1])
}

/** Sends all commands without waiting for replies, then waits until they have run. */
async function run(count: number, command: (i: number) => Argument[]): Promise<void> {
  client.send('CLIENT', 'REPLY', 'OFF')
  for (let i = 0; i < count; ) {
    const batch: Argument[][] = []
    for (; batch.length < BATCH && i < count; i++) batch.push(command(i))
    if (!client.socket.write(encodePipeline(batch))) await once(client.socket, 'drain')
  }
  expect(await client.get('CLIENT', 'REPLY', 'ON')).toBe('OK')
}

const value = (bytes: number): Buffer => filler.subarray(0, bytes)
/** A size whose order of magnitude is uniform. */
const anySize = (least: number, most: number): number => Math.floor(least * (most / least) ** random.next())

/** Resident memory must come down to its bound by itself, in the background. */
async function settles(phase: string): Promise<void> {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const used = await info('used_memory')
    const rss = await info('used_memory_rss')
    const bound = used * 1.15 + emptyRss + 2 * SEGMENT_BYTES
    expect(used, phase).toBeLessThan(LIMIT * 1.02)
    if (rss <= bound) break
    if (Date.now() > deadline) expect(rss, `seed ${seed}, ${phase}: ${used} bytes are in use`).toBeLessThanOrEqual(bound)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const WRITES: ((key: string) => Argument[])[] = [
  (key) => ['SET', key, value(anySize(8, 20_000))],
  (key) => ['APPEND', key, value(anySize(8, 2000))],
  (key) => ['SET', key, value(anySize(8, 200)), 'EX', 1000 + random.below(1000)],
  (key) => ['HSET', `h${key}`, ...pairs(random.below(40))],
  (key) => ['RPUSH', `l${key}`, ...Array.from({ length: 1 + random.below(40) }, () => value(anySize(4, 500)))],
  (key) => ['SADD', `e${key}`, ...Array.from({ length: 1 + random.below(60) }, () => random.below(1000))],
  (key) => ['ZADD', `z${key}`, ...Array.from({ length: 1 + random.below(60) }, () => [random.below(1000), random.below(500)]).flat()],
  (key) => ['XADD', `x${key}`, '*', 'f', value(anySize(4, 500))],
  (key) => ['UNLINK', key, `h${key}`, `l${key}`, `e${key}`, `z${key}`, `x${key}`],
  (key) => ['DEL', key],
]

const sixty = (args: (j: number) => Argument[]): Argument[] => Array.from({ length: 60 }, (_, j) => args(j)).flat()
const pairs = (count: number): Argument[] => Array.from({ length: count + 1 }, () => [random.below(300), value(anySize(1, 150))]).flat()

describe('churn', () => {
  test('keys and values of all sizes', async () => {
    await run(6000, (i) => ['MSET', ...sixty((j) => [`small:${i * 60 + j}`, value(550 + (j % 50))])])
    await settles('small values')
    await run(1500, () => ['MSET', ...sixty(() => [`small:${random.below(540_000)}`, value(anySize(100, 8000))])])
    await settles('values of mixed sizes')
    await run(6000, (i) => ['SET', `large:${i % 5000}`, value(20_000 + random.below(45_000))])
    await settles('large values')
    expect(await info('evicted_keys')).toBeGreaterThan(100_000)
  })

  test('collections that grow and go', async () => {
    await run(40_000, () => random.pick(WRITES)(`k${random.below(20_000)}`))
    await settles('collections')
    await run(25_000, () => random.pick(WRITES)(`k${20_000 + random.below(5000)}`))
    await settles('other collections')
  })

  test('most keys are deleted, here and there', async () => {
    await client.get('FLUSHALL')
    await settles('nothing')
    await run(6000, (i) => ['MSET', ...sixty((j) => [`s:${i * 60 + j}`, value(550 + (j % 50))])])
    await settles('small values again')
    await run(6000, (i) => ['UNLINK', ...sixty((j) => (j % 10 === 0 ? [] : [`s:${i * 60 + j}`]))])
    await settles('one of ten')
    // it came down because keys were moved together
    expect(await info('active_defrag_key_hits')).toBeGreaterThan(10_000)
    expect(await info('active_defrag_hits')).toBeGreaterThan(10_000)
    expect(await info('total_active_defrag_time')).toBeGreaterThan(0)
    await run(10_000, (i) => ['SET', `t:${i}`, value(anySize(1000, 20_000))])
    await settles('values of mixed sizes again')
  })
})
