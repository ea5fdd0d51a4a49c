/** ioredis against respd, as an application uses it, in the protocol it speaks by default and in RESP2. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

describe.each([undefined, 2, 3] as const)('ioredis, protocol %s', (protocol) => {
  const server = useServer()
  let redis: Redis

  beforeAll(() => {
    redis = new Redis({ port: server.port, host: '127.0.0.1', ...(protocol ? { protocol } : {}), lazyConnect: false })
  })
  afterAll(() => redis.disconnect())
  beforeEach(async () => {
    await redis.flushall()
  })

  test('becomes ready', async () => {
    expect(await redis.ping()).toBe('PONG')
    expect(redis.status).toBe('ready')
  })

  test('strings and numbers', async () => {
    expect(await redis.set('k', 'v')).toBe('OK')
    expect(await redis.get('k')).toBe('v')
    expect(await redis.get('nokey')).toBeNull()
    expect(await redis.set('k', 'w', 'EX', 100, 'NX')).toBeNull()
    expect(await redis.incrby('n', 5)).toBe(5)
    expect(await redis.incrbyfloat('f', 0.1)).toBe('0.1')
    expect(await redis.mget('k', 'nokey', 'n')).toEqual(['v', null, '5'])
    await expect(redis.incr('k')).rejects.toThrow('ERR value is not an integer or out of range')
  })

  test('binary values', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
    await redis.set(bytes, bytes)
    expect(await redis.getBuffer(bytes)).toEqual(bytes)
  })

  test('times to live', async () => {
    await redis.set('k', 'v', 'PX', 100_000)
    expect(await redis.ttl('k')).toBe(100)
    expect(await redis.persist('k')).toBe(1)
    expect(await redis.ttl('k')).toBe(-1)
    expect(await redis.ttl('nokey')).toBe(-2)
  })

  test('a pipeline', async () => {
    const results = await redis.pipeline().set('a', 1).incr('a').get('a').incr('nokey').exec()
    expect(results).toEqual([
      [null, 'OK'],
      [null, 2],
      [null, '2'],
      [null, 1],
    ])
  })

  test('a transaction', async () => {
    expect(await redis.multi().set('a', 1).incr('a').exec()).toEqual([
      [null, 'OK'],
      [null, 2],
    ])
  })

  test('a transaction given up because a watched key changed', async () => {
    const other = redis.duplicate()
    await redis.watch('a')
    await other.set('a', 'changed')
    expect(await redis.multi().set('a', 'mine').exec()).toBeNull()
    expect(await redis.get('a')).toBe('changed')
    other.disconnect()
  })

  test('scans every key', async () => {
    const keys = Array.from({ length: 500 }, (_, i) => `key:${i}`)
    await redis.mset(keys.flatMap((key) => [key, 'v']))
    const seen = new Set<string>()
    for await (const page of redis.scanStream({ match: 'key:*', count: 50 })) for (const key of page as string[]) seen.add(key)
    expect(seen.size).toBe(500)
  })

  test('several databases', async () => {
    const second = redis.duplicate({ db: 1 })
    await redis.set('k', 'zero')
    expect(await second.get('k')).toBeNull()
    second.disconnect()
  })

  test('large values', async () => {
    const value = 'x'.repeat(5_000_000)
    await redis.set('big', value)
    expect(await redis.get('big')).toBe(value)
  })
})
