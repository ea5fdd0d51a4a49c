/** Distributed locks as applications take them: the scripts of Redisson, Redlock, and compare-and-delete. */
import { Redis } from 'ioredis'
import Redlock from 'redlock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, useServer } from '../support/server.ts'

const server = useServer()
const CLIENTS = 20
let clients: Redis[]
let redis: Redis

const connect = (): Redis => new Redis({ port: server.port, host: '127.0.0.1' })

beforeAll(() => {
  clients = Array.from({ length: CLIENTS }, connect)
  redis = clients[0]
})
afterAll(() => {
  for (const client of clients) client.disconnect()
})
beforeEach(async () => {
  await redis.flushall()
})

describe('a reentrant lock: a hash of holder and depth, with a message on release', () => {
  const ACQUIRE = `
    if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
      redis.call('hincrby', KEYS[1], ARGV[2], 1)
      redis.call('pexpire', KEYS[1], ARGV[1])
      return nil
    end
    return redis.call('pttl', KEYS[1])`
  const EXTEND = `
    if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
    redis.call('pexpire', KEYS[1], ARGV[1])
    return 1`
  const RELEASE = `
    if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
    local depth = redis.call('hincrby', KEYS[1], ARGV[2], -1)
    if depth > 0 then
      redis.call('pexpire', KEYS[1], ARGV[1])
      return 0
    end
    redis.call('del', KEYS[1])
    redis.call('publish', KEYS[2], 'released')
    return 1`
  const LEASE_MS = 30_000

  const acquire = (c: Redis, holder: string): Promise<unknown> => c.eval(ACQUIRE, 1, 'lock', LEASE_MS, holder)
  const release = (c: Redis, holder: string): Promise<unknown> => c.eval(RELEASE, 2, 'lock', 'lock:channel', LEASE_MS, holder)

  test('can be taken again by its holder, and by nobody else', async () => {
    expect(await acquire(redis, 'me')).toBeNull()
    expect(await acquire(redis, 'me')).toBeNull()
    expect(await redis.hgetall('lock')).toEqual({ me: '2' })
    expect(await acquire(redis, 'other')).toBeGreaterThan(LEASE_MS - 10_000)
    expect(await release(redis, 'other')).toBeNull()
    expect(await release(redis, 'me')).toBe(0)
    expect(await redis.exists('lock')).toBe(1)
    expect(await release(redis, 'me')).toBe(1)
    expect(await redis.exists('lock')).toBe(0)
    expect(await redis.eval(EXTEND, 1, 'lock', LEASE_MS, 'me')).toBe(0)
  })

  test('a watchdog keeps it', async () => {
    await redis.eval(ACQUIRE, 1, 'lock', 1000, 'me')
    expect(await redis.eval(EXTEND, 1, 'lock', LEASE_MS, 'me')).toBe(1)
    expect(await redis.pttl('lock')).toBeGreaterThan(LEASE_MS - 10_000)
  })

  test('20 clients at once: never two inside, nobody starves', async () => {
    const listener = connect()
    const waiting = new Set<() => void>()
    listener.on('message', () => {
      for (const wake of waiting) wake()
      waiting.clear()
    })
    await listener.subscribe('lock:channel')
    let inside = 0
    let most = 0
    let entered = 0

    const work = async (client: Redis, holder: string): Promise<void> => {
      for (let round = 0; round < 5; round++) {
        for (;;) {
          const released = new Promise<void>((wake) => waiting.add(wake))
          if ((await acquire(client, holder)) === null) break
          await Promise.race([released, new Promise((done) => setTimeout(done, 50))])
        }
        inside++
        most = Math.max(most, inside)
        entered++
        await acquire(client, holder)
        await client.ping()
        expect(await release(client, holder)).toBe(0)
        inside--
        expect(await release(client, holder)).toBe(1)
      }
    }
    await Promise.all(clients.map((client, i) => work(client, `holder-${i}`)))
    listener.disconnect()
    expect({ most, entered }).toEqual({ most: 1, entered: CLIENTS * 5 })
    expect(await redis.exists('lock')).toBe(0)
  })

  test('work longer than the lease under a watchdog that runs; the lock of who dies is free after the lease', async () => {
    const held = await startServer({ clock: 'manual' })
    const users = Array.from({ length: CLIENTS }, () => new Redis({ port: held.port, host: '127.0.0.1' }))
    const timers = new Set<{ atMs: number; everyMs: number; run: () => unknown }>()
    let nowMs = 0
    const every = (ms: number, run: () => unknown): (() => void) => {
      const timer = { atMs: nowMs + ms, everyMs: ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    }
    const pause = (ms: number): Promise<void> =>
      new Promise((done) => {
        const stop = every(ms, () => {
          stop()
          done()
        })
      })
    let inside = 0
    let most = 0
    let renewed = 0
    const order: string[] = []
    const work = async (user: Redis, holder: string, dies: boolean): Promise<void> => {
      while ((await acquire(user, holder)) !== null) await pause(LEASE_MS / 3)
      most = Math.max(most, ++inside)
      order.push(holder)
      const stop = every(LEASE_MS / 3, async () => {
        renewed += Number(await user.eval(EXTEND, 1, 'lock', LEASE_MS, holder))
      })
      await pause(LEASE_MS * 1.5)
      stop()
      inside--
      if (dies) return
      expect(await user.hgetall('lock')).toEqual({ [holder]: '1' })
      expect(await release(user, holder)).toBe(1)
    }
    const all = Promise.all(users.map((user, i) => work(user, `holder-${i}`, i % 5 === 0))).then(() => 'done')
    const notYet = Promise.resolve('not yet')
    for (let ticks = 0; (await Promise.race([all, notYet])) === 'not yet' && ticks < 1000; ticks++) {
      await Promise.all(users.map((user) => user.ping()))
      held.clock.advance(LEASE_MS / 6)
      nowMs += LEASE_MS / 6
      for (const timer of timers) {
        if (timer.atMs > nowMs) continue
        timer.atMs += timer.everyMs
        await timer.run()
      }
    }
    await all
    expect({ most, everybody: new Set(order).size }).toEqual({ most: 1, everybody: CLIENTS })
    expect(renewed).toBeGreaterThanOrEqual(CLIENTS * 3)
    for (const user of users) user.disconnect()
    await held.close()
  })
})

describe('SET NX and compare-and-delete', () => {
  const UNLOCK = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"

  test('only the holder unlocks', async () => {
    expect(await redis.set('lock', 'mine', 'PX', 10_000, 'NX')).toBe('OK')
    expect(await redis.set('lock', 'yours', 'PX', 10_000, 'NX')).toBeNull()
    expect(await redis.eval(UNLOCK, 1, 'lock', 'yours')).toBe(0)
    expect(await redis.eval(UNLOCK, 1, 'lock', 'mine')).toBe(1)
    expect(await redis.eval(UNLOCK, 1, 'lock', 'mine')).toBe(0)
  })

  test('one of 20 gets it', async () => {
    const replies = await Promise.all(clients.map((client, i) => client.set('lock', `holder-${i}`, 'PX', 10_000, 'NX')))
    expect(replies.filter((reply) => reply === 'OK')).toHaveLength(1)
  })
})

test('redlock: taken, refused, extended, released', async () => {
  const redlock = new Redlock([redis], { retryCount: 0 })
  const lock = await redlock.lock('resource', 10_000)
  await expect(redlock.lock('resource', 10_000)).rejects.toThrow()
  const extended = await lock.extend(20_000)
  expect(await redis.pttl('resource')).toBeGreaterThan(10_000)
  await extended.unlock()
  expect(await redis.exists('resource')).toBe(0)
  await (await redlock.lock('resource', 10_000)).unlock()
})
