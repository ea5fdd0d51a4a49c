/** Rate limits: rate-limiter-flexible, and the scripts people write themselves. */
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const server = useServer()
let redis: Redis

beforeAll(() => {
  redis = new Redis({ port: server.port, host: '127.0.0.1' })
})
afterAll(() => redis.disconnect())
beforeEach(async () => {
  await redis.flushall()
})

describe('rate-limiter-flexible', () => {
  test('gives points and then refuses', async () => {
    const limiter = new RateLimiterRedis({ storeClient: redis, points: 3, duration: 60, keyPrefix: 'rl' })
    const first = await limiter.consume('user')
    expect(first).toMatchObject({ consumedPoints: 1, remainingPoints: 2, isFirstInDuration: true })
    expect(first.msBeforeNext).toBeGreaterThan(50_000)
    await limiter.consume('user', 2)
    await expect(limiter.consume('user')).rejects.toMatchObject({ consumedPoints: 4, remainingPoints: 0 })
    expect(await limiter.get('user')).toMatchObject({ consumedPoints: 4 })
    expect(await limiter.get('stranger')).toBeNull()
    await limiter.reward('user', 2)
    expect((await limiter.get('user'))?.consumedPoints).toBe(2)
    expect(await limiter.delete('user')).toBe(true)
    expect((await limiter.consume('user')).remainingPoints).toBe(2)
  })

  test('blocks, penalises and sets', async () => {
    const limiter = new RateLimiterRedis({ storeClient: redis, points: 2, duration: 60, blockDuration: 600 })
    await limiter.penalty('user', 1)
    await limiter.consume('user')
    await expect(limiter.consume('user')).rejects.toBeDefined()
    expect((await limiter.get('user'))?.msBeforeNext).toBeGreaterThan(500_000)
    await limiter.block('other', 100)
    await expect(limiter.consume('other')).rejects.toBeDefined()
    await limiter.set('third', 1, 100)
    expect((await limiter.consume('third')).consumedPoints).toBe(2)
  })

  test('counts exactly under 100 requests at once', async () => {
    const limiter = new RateLimiterRedis({ storeClient: redis, points: 40, duration: 60 })
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => limiter.consume('user')))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(40)
  })
})

describe('scripts', () => {
  test('a fixed window', async () => {
    const script = `local n = redis.call('INCR', KEYS[1])
      if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      if n > tonumber(ARGV[1]) then return {0, redis.call('PTTL', KEYS[1])} end
      return {1, tonumber(ARGV[1]) - n}`
    expect(await redis.eval(script, 1, 'w', 2, 60_000)).toEqual([1, 1])
    expect(await redis.eval(script, 1, 'w', 2, 60_000)).toEqual([1, 0])
    const [allowed, wait] = (await redis.eval(script, 1, 'w', 2, 60_000)) as [number, number]
    expect(allowed).toBe(0)
    expect(wait).toBeGreaterThan(50_000)
  })

  test('a sliding log in a sorted set', async () => {
    const script = `local now = tonumber(ARGV[1])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - tonumber(ARGV[2]))
      if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
        return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) + tonumber(ARGV[2]) - now
      end
      redis.call('ZADD', KEYS[1], now, ARGV[1] .. ':' .. redis.call('ZCARD', KEYS[1]))
      redis.call('PEXPIRE', KEYS[1], ARGV[2])
      return 0`
    const at = (now: number): Promise<unknown> => redis.eval(script, 1, 'log', now, 1000, 2)
    expect([await at(1000), await at(1200), await at(1500), await at(2001), await at(2002)]).toEqual([0, 0, 500, 0, 198])
  })

  test('a token bucket in a hash', async () => {
    const script = `local rate, burst, now, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
      local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
      local tokens = math.min(burst, (tonumber(bucket[1]) or burst) + math.max(0, now - (tonumber(bucket[2]) or now)) * rate)
      local ok = tokens >= wanted
      if ok then tokens = tokens - wanted end
      redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
      redis.call('EXPIRE', KEYS[1], math.ceil(burst / rate) * 2)
      return {ok and 1 or 0, tostring(tokens)}`
    const take = (now: number, n: number): Promise<unknown> => redis.eval(script, 1, 'bucket', 0.5, 10, now, n)
    expect(await take(100, 8)).toEqual([1, '2'])
    expect(await take(101, 3)).toEqual([0, '2.5'])
    expect(await take(102, 3)).toEqual([1, '0'])
    expect(await redis.hget('bucket', 'tokens')).toBe('0')
  })
})
