/** What people build with streams: job queues that lose nothing, event logs, fan-out, tailing. */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

let server: Awaited<ReturnType<typeof startServer>>
let redis: Redis
const extra: Redis[] = []

beforeEach(async () => {
  server = await startServer()
  redis = new Redis(server.url)
})
afterEach(async () => {
  for (const client of [redis, ...extra.splice(0)]) client.disconnect()
  await server.close()
})

function client(): Redis {
  const fresh = new Redis(server.url, { retryStrategy: null, lazyConnect: false })
  fresh.on('error', () => {}) // a killed worker's connection ends in the middle of a command
  extra.push(fresh)
  return fresh
}

type Entry = [id: string, fields: string[] | null]
type Batch = [key: string, entries: Entry[]][] | null

describe('a queue of jobs for five workers', () => {
  const JOBS = 100_000
  const BATCH = 500

  test('loses none of 100,000 when two of them die', { timeout: 120_000 }, async () => {
    await redis.xgroup('CREATE', 'jobs', 'workers', '0', 'MKSTREAM')
    for (let i = 0; i < JOBS; i += 1000) {
      const pipeline = redis.pipeline()
      for (let j = i; j < i + 1000; j++) pipeline.xadd('jobs', '*', 'job', String(j))
      await pipeline.exec()
    }
    const done = new Set<string>()
    const note = (entries: Entry[]): string[] => {
      for (const [, fields] of entries) if (fields) done.add(fields[1])
      return entries.map(([id]) => id)
    }
    const isDone = async (): Promise<boolean> => done.size === JOBS && (await redis.xpending('jobs', 'workers'))[0] === 0

    /** Reads, works, acknowledges; takes over what others left. Dies, batch in hand, after so many batches. */
    async function work(name: string, diesAfter: number): Promise<void> {
      const own = client()
      for (let batches = 0; ; batches++) {
        const batch = (await own.xreadgroup('GROUP', 'workers', name, 'COUNT', BATCH, 'BLOCK', 20, 'STREAMS', 'jobs', '>')) as Batch
        if (batches === diesAfter) return own.disconnect()
        if (batch) await own.xack('jobs', 'workers', ...note(batch[0][1]))
        else {
          const [, claimed] = (await own.xautoclaim('jobs', 'workers', name, 0, '0', 'COUNT', BATCH)) as [string, Entry[]]
          if (claimed.length > 0) await own.xack('jobs', 'workers', ...note(claimed))
          else if (await isDone()) return
        }
      }
    }
    await Promise.all([work('w1', Infinity), work('w2', Infinity), work('w3', Infinity), work('w4', 7), work('w5', 23)])
    expect(done.size).toBe(JOBS)
    expect((await redis.xpending('jobs', 'workers'))[0]).toBe(0)
    const groups = (await redis.xinfo('GROUPS', 'jobs')) as unknown[][]
    expect(groups[0]).toContain(JOBS) // entries-read
    expect(groups[0].at(-1)).toBe(0) // lag
  })

  test('gives a dead worker its entries back when it returns', async () => {
    await redis.xgroup('CREATE', 'jobs', 'workers', '$', 'MKSTREAM')
    const ids = [await redis.xadd('jobs', '*', 'n', '1'), await redis.xadd('jobs', '*', 'n', '2')]
    const first = client()
    await first.xreadgroup('GROUP', 'workers', 'w', 'STREAMS', 'jobs', '>')
    first.disconnect()
    const again = client()
    const history = (await again.xreadgroup('GROUP', 'workers', 'w', 'STREAMS', 'jobs', '0')) as Batch
    expect(history?.[0][1].map(([id]) => id)).toEqual(ids)
    await again.xack('jobs', 'workers', ids[0] as string)
    const rest = (await again.xreadgroup('GROUP', 'workers', 'w', 'STREAMS', 'jobs', '0')) as Batch
    expect(rest?.[0][1]).toEqual([[ids[1], ['n', '2']]])
  })

  test('sets a job aside that failed three times', async () => {
    await redis.xgroup('CREATE', 'jobs', 'workers', '0', 'MKSTREAM')
    const id = (await redis.xadd('jobs', '*', 'n', 'poison')) as string
    await redis.xreadgroup('GROUP', 'workers', 'w1', 'STREAMS', 'jobs', '>')
    for (const worker of ['w2', 'w3']) await redis.xautoclaim('jobs', 'workers', worker, 0, '0')
    const pending = (await redis.xpending('jobs', 'workers', '-', '+', 10)) as [string, string, number, number][]
    const failed = pending.filter(([, , , deliveries]) => deliveries >= 3).map(([jobId]) => jobId)
    expect(failed).toEqual([id])
    await redis.multi().xadd('dead', '*', 'job', id).xack('jobs', 'workers', id).exec()
    expect((await redis.xpending('jobs', 'workers'))[0]).toBe(0)
    expect(await redis.xlen('dead')).toBe(1)
  })
})

test('an event log that keeps about the last thousand', async () => {
  for (let i = 0; i < 5; i++) {
    const pipeline = redis.pipeline()
    for (let j = 0; j < 1000; j++) pipeline.xadd('log', 'MAXLEN', '~', 1000, '*', 'event', String(i * 1000 + j))
    await pipeline.exec()
  }
  const length = await redis.xlen('log')
  expect(length).toBeGreaterThanOrEqual(1000)
  expect(length).toBeLessThan(1100)
  const [[, last]] = await redis.xrevrange('log', '+', '-', 'COUNT', 1)
  expect(last).toEqual(['event', '4999'])
  expect(await redis.xtrim('log', 'MAXLEN', 10)).toBe(length - 10)
})

test('three groups that each get everything', async () => {
  const groups = ['mail', 'search', 'audit']
  for (const group of groups) await redis.xgroup('CREATE', 'orders', group, '$', 'MKSTREAM')
  const readers = groups.map(async (group) => {
    const own = client()
    const seen: string[] = []
    while (seen.length < 50) {
      const batch = (await own.xreadgroup('GROUP', group, 'c', 'COUNT', 7, 'BLOCK', 0, 'STREAMS', 'orders', '>')) as Batch
      for (const [id, fields] of batch?.[0][1] ?? []) {
        seen.push(fields?.[1] ?? '')
        await own.xack('orders', group, id)
      }
    }
    return seen
  })
  const expected = Array.from({ length: 50 }, (_, i) => `order ${i}`)
  for (const order of expected) await redis.xadd('orders', '*', 'order', order)
  expect(await Promise.all(readers)).toEqual([expected, expected, expected])
})

test('tailing from now on, and no gap between two reads', async () => {
  await redis.xadd('ticks', '*', 'n', 'old')
  const own = client()
  const first = own.xread('BLOCK', 0, 'STREAMS', 'ticks', '$') as Promise<Batch>
  while (!/blocked_clients:1/.test(await redis.info('clients')));
  for (let n = 0; n < 3; n++) await redis.xadd('ticks', '*', 'n', String(n))
  const seen: string[] = []
  let last = '$'
  const take = (batch: Batch): void => {
    for (const [id, fields] of batch?.[0][1] ?? []) {
      seen.push(fields?.[1] ?? '')
      last = id
    }
  }
  take(await first)
  await redis.xadd('ticks', '*', 'n', '3') // between the reads: the last id seen, not $, closes the gap
  while (seen.length < 4) take((await own.xread('BLOCK', 0, 'STREAMS', 'ticks', last)) as Batch)
  expect(seen).toEqual(['0', '1', '2', '3'])
})
