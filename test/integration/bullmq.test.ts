/** BullMQ on respd: jobs are added, worked on, retried, delayed, limited and depend on one another. */
import { FlowProducer, type Job, Queue, QueueEvents, Worker } from 'bullmq'
import { afterEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const server = useServer()
const open: { close(): Promise<void> }[] = []

function closed<T extends { close(): Promise<void> }>(part: T): T {
  open.push(part)
  return part
}

const connection = (): { host: string; port: number; maxRetriesPerRequest: null } => ({
  host: '127.0.0.1',
  port: server.port,
  maxRetriesPerRequest: null,
})
const queue = (name: string): Queue => closed(new Queue(name, { connection: connection() }))
const events = (name: string): QueueEvents => closed(new QueueEvents(name, { connection: connection() }))
const worker = (name: string, work: (job: Job) => Promise<unknown>, options = {}): Worker =>
  closed(new Worker(name, work, { connection: connection(), drainDelay: 1, ...options }))

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close()
})

describe('BullMQ', () => {
  test('adds and processes', async () => {
    const jobs = queue('plain')
    const ended = events('plain')
    await ended.waitUntilReady()
    worker('plain', async (job) => job.data.n * 2)
    const added = await jobs.addBulk(Array.from({ length: 20 }, (_, n) => ({ name: 'double', data: { n } })))
    const results = await Promise.all(added.map((job) => job.waitUntilFinished(ended)))
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n * 2))
    expect(await jobs.getJobCounts('completed', 'failed', 'waiting')).toEqual({ completed: 20, failed: 0, waiting: 0 })
  })

  test('retries, then fails', async () => {
    const jobs = queue('retry')
    const ended = events('retry')
    await ended.waitUntilReady()
    let tries = 0
    worker('retry', async (job) => {
      tries++
      if (job.name === 'never' || tries < 3) throw new Error('not yet')
      return 'done'
    })
    const good = await jobs.add('third time', {}, { attempts: 3, backoff: { type: 'fixed', delay: 5 } })
    expect(await good.waitUntilFinished(ended)).toBe('done')
    expect((await jobs.getJob(good.id as string))?.attemptsMade).toBe(3)
    const bad = await jobs.add('never', {}, { attempts: 2 })
    await expect(bad.waitUntilFinished(ended)).rejects.toThrow('not yet')
    expect(await jobs.getFailedCount()).toBe(1)
    await jobs.retryJobs({ state: 'failed' })
  })

  test('delays and orders by priority', async () => {
    const jobs = queue('later')
    const ended = events('later')
    await ended.waitUntilReady()
    const order: string[] = []
    const delayed = await jobs.add('delayed', {}, { delay: 150 })
    expect(await delayed.getState()).toBe('delayed')
    const low = await jobs.add('low', {}, { priority: 10 })
    const high = await jobs.add('high', {}, { priority: 1 })
    const first = await jobs.add('first', {})
    worker('later', async (job) => {
      order.push(job.name)
    })
    await Promise.all([delayed, low, high, first].map((job) => job.waitUntilFinished(ended)))
    expect(order.filter((name) => name !== 'delayed')).toEqual(['first', 'high', 'low'])
    expect(order).toHaveLength(4)
  })

  test('keeps to a rate limit', async () => {
    const jobs = queue('limited')
    const ended = events('limited')
    await ended.waitUntilReady()
    const started = performance.now()
    worker('limited', async () => 'ok', { limiter: { max: 2, duration: 200 } })
    const added = await jobs.addBulk(Array.from({ length: 5 }, (_, n) => ({ name: 'job', data: { n } })))
    await Promise.all(added.map((job) => job.waitUntilFinished(ended)))
    expect(performance.now() - started).toBeGreaterThan(390)
  })

  test('waits for children in a flow', async () => {
    const flow = closed(new FlowProducer({ connection: connection() }))
    const ended = events('parent')
    await ended.waitUntilReady()
    worker('child', async (job) => job.data.n)
    worker('parent', async (job) => Object.values(await job.getChildrenValues<number>()).reduce((a, b) => a + b, 0))
    const tree = await flow.add({
      name: 'sum',
      queueName: 'parent',
      children: [1, 2, 3].map((n) => ({ name: 'part', queueName: 'child', data: { n } })),
    })
    expect(await tree.job.waitUntilFinished(ended)).toBe(6)
  })

  test('pauses, drains, cleans, obliterates', async () => {
    const jobs = queue('managed')
    await jobs.pause()
    expect(await jobs.isPaused()).toBe(true)
    await jobs.addBulk(Array.from({ length: 10 }, (_, n) => ({ name: 'job', data: { n } })))
    expect((await jobs.getJobs(['waiting'])).length).toBe(10)
    await jobs.resume()
    await jobs.drain()
    expect(await jobs.count()).toBe(0)
    await jobs.upsertJobScheduler('every', { every: 60_000 }, { name: 'tick' })
    expect(await jobs.getJobSchedulersCount()).toBe(1)
    await jobs.removeJobScheduler('every')
    await jobs.obliterate({ force: true })
  })
})
