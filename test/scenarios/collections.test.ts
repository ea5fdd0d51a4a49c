/** What people build with hashes, lists and sets. */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

let server: Awaited<ReturnType<typeof startServer>>
let redis: Redis
const others: Redis[] = []
beforeEach(async () => {
  server = await startServer({ clock: 'manual' })
  redis = new Redis(server.url)
})
afterEach(async () => {
  for (const client of [redis, ...others.splice(0)]) client.disconnect()
  await server.close()
})

/** Another connection, closed with the test. */
function connect(): Redis {
  const client = new Redis(server.url)
  others.push(client)
  return client
}

test('a shopping cart in a hash', async () => {
  await redis.hset('cart:7', 'apple', 2, 'pear', 1)
  await redis.hincrby('cart:7', 'apple', 3)
  await redis.hdel('cart:7', 'pear')
  await redis.hsetnx('cart:7', 'plum', 1)
  expect(await redis.hgetall('cart:7')).toEqual({ apple: '5', plum: '1' })
  expect(await redis.hlen('cart:7')).toBe(2)
})

test('fields of a hash that forget themselves', async () => {
  await redis.hset('codes', 'a', '1', 'b', '2', 'c', '3')
  expect(await redis.call('HEXPIRE', 'codes', 10, 'FIELDS', 2, 'a', 'nope')).toEqual([1, -2])
  expect(await redis.call('HPEXPIRE', 'codes', 20_000, 'FIELDS', 1, 'b')).toEqual([1])
  expect(await redis.object('ENCODING', 'codes')).toBe('listpackex')
  server.clock.advance(10_001)
  expect(await redis.hgetall('codes')).toEqual({ b: '2', c: '3' })
  expect(await redis.call('HTTL', 'codes', 'FIELDS', 3, 'a', 'b', 'c')).toEqual([-2, 10, -1])
  await redis.hset('codes', 'b', 'kept')
  server.clock.advance(60_000)
  expect(await redis.hlen('codes')).toBe(2)
  await redis.call('HPEXPIRE', 'codes', 5, 'FIELDS', 2, 'b', 'c')
  server.clock.advance(6)
  expect(await redis.exists('codes')).toBe(1)
  expect(await redis.hget('codes', 'b')).toBeNull()
  expect(await redis.exists('codes')).toBe(0)
})

test('an article feed with pages', async () => {
  for (let i = 1; i <= 25; i++) await redis.lpush('feed', `article ${i}`)
  await redis.ltrim('feed', 0, 19)
  const page = (n: number) => redis.lrange('feed', n * 5, n * 5 + 4)
  expect(await page(0)).toEqual(['article 25', 'article 24', 'article 23', 'article 22', 'article 21'])
  expect(await page(3)).toEqual(['article 10', 'article 9', 'article 8', 'article 7', 'article 6'])
  expect(await page(4)).toEqual([])
})

test('a lottery: everybody wins once at most', async () => {
  const people = Array.from({ length: 50 }, (_, i) => `p${i}`)
  await redis.sadd('lottery', ...people)
  const teased = await redis.srandmember('lottery', 5)
  expect(new Set(teased).size).toBe(5)
  const winners = [...(await redis.spop('lottery', 3)), await redis.spop('lottery')]
  expect(new Set(winners).size).toBe(4)
  expect(await redis.scard('lottery')).toBe(46)
  expect(await redis.smismember('lottery', ...(winners as string[]))).toEqual([0, 0, 0, 0])
})

test('likes', async () => {
  expect(await redis.sadd('likes:1', 'ann')).toBe(1)
  expect(await redis.sadd('likes:1', 'ann')).toBe(0)
  await redis.sadd('likes:1', 'bob')
  await redis.srem('likes:1', 'ann')
  expect(await redis.sismember('likes:1', 'ann')).toBe(0)
  expect(await redis.scard('likes:1')).toBe(1)
})

test('common friends and people you may know', async () => {
  await redis.sadd('follows:ann', 'bob', 'cid', 'dan')
  await redis.sadd('follows:bob', 'cid', 'dan', 'eve', 'ann')
  expect((await redis.sinter('follows:ann', 'follows:bob')).toSorted()).toEqual(['cid', 'dan'])
  expect((await redis.sdiff('follows:bob', 'follows:ann')).toSorted()).toEqual(['ann', 'eve'])
  expect(await redis.sintercard(2, 'follows:ann', 'follows:bob')).toBe(2)
})

describe('a reliable queue', () => {
  test('a job that its worker never finished is found and done again', async () => {
    await redis.lpush('jobs', 'one', 'two', 'three')
    const first = await redis.lmove('jobs', 'working', 'RIGHT', 'LEFT')
    expect(first).toBe('one')
    await redis.lrem('working', 1, first as string)
    await redis.lmove('jobs', 'working', 'RIGHT', 'LEFT')
    // The worker dies here; a sweeper puts back what it held.
    while (await redis.lmove('working', 'jobs', 'RIGHT', 'RIGHT'));
    expect(await redis.lrange('jobs', 0, -1)).toEqual(['three', 'two'])
    expect(await redis.exists('working')).toBe(0)
  })

  test('a pool of workers on BLMOVE loses nothing when workers die', async () => {
    const done: string[] = []
    async function work(name: string, jobs: number): Promise<void> {
      const client = connect()
      for (let i = 0; i < jobs; i++) {
        const job = await client.blmove('jobs', `working:${name}`, 'RIGHT', 'LEFT', 0)
        if (i === jobs - 1 && name === 'dies') return client.disconnect()
        done.push(job as string)
        await client.lrem(`working:${name}`, 1, job as string)
      }
    }
    const pool = [work('a', 4), work('b', 4), work('dies', 3)]
    for (let i = 0; i < 11; i++) await redis.lpush('jobs', `job ${i}`)
    await Promise.all(pool)
    const left = await redis.lrange('working:dies', 0, -1)
    expect(left).toHaveLength(1)
    expect([...done, ...left].toSorted()).toEqual(Array.from({ length: 11 }, (_, i) => `job ${i}`).toSorted())
  })
})

test('many clients that wait for one list are each served once, in order', async () => {
  const waiting = 200
  const served: number[] = []
  const clients = Array.from({ length: waiting }, () => connect())
  const pops: Promise<void>[] = []
  for (const [i, client] of clients.entries()) {
    const id = await client.client('ID')
    pops.push(client.blpop('jobs', 0).then(() => void served.push(i)))
    while (!String(await redis.client('LIST', 'ID', id)).includes('cmd=blpop'));
  }
  await redis.rpush('jobs', ...clients.map((_, i) => `job ${i}`))
  await Promise.all(pops)
  expect(served).toHaveLength(waiting)
  expect(await redis.exists('jobs')).toBe(0)
}, 20_000)
