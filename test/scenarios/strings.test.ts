/** What people build with strings and expiry alone. */
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

let server: Awaited<ReturnType<typeof startServer>>
let redis: Redis
beforeEach(async () => {
  server = await startServer({ clock: 'manual' })
  redis = new Redis(server.url)
})
afterEach(async () => {
  redis.disconnect()
  await server.close()
})

describe('a lock', () => {
  const acquire = (owner: string) => redis.set('lock', owner, 'PX', 5000, 'NX')

  test('has one owner until it is given up or runs out', async () => {
    expect(await acquire('a')).toBe('OK')
    expect(await acquire('b')).toBeNull()
    await redis.del('lock')
    expect(await acquire('b')).toBe('OK')
    server.clock.advance(5001)
    expect(await acquire('c')).toBe('OK')
  })
})

describe('a rate limit of three in ten seconds', () => {
  async function allowed(): Promise<boolean> {
    const results = await redis.multi().incr('rate').expire('rate', 10, 'NX').exec()
    return (results?.[0][1] as number) <= 3
  }

  test('refuses the fourth and opens again', async () => {
    expect([await allowed(), await allowed(), await allowed(), await allowed()]).toEqual([true, true, true, false])
    server.clock.advance(10_000)
    expect(await allowed()).toBe(true)
  })
})

test('a session that lives as long as it is used', async () => {
  await redis.set('session', 'user 7', 'EX', 60)
  server.clock.advance(50_000)
  expect(await redis.getex('session', 'EX', 60)).toBe('user 7')
  server.clock.advance(50_000)
  expect(await redis.get('session')).toBe('user 7')
  server.clock.advance(10_000)
  expect(await redis.get('session')).toBeNull()
})

test('a token that works once', async () => {
  await redis.set('token', 'user 7', 'EX', 60)
  const uses = await Promise.all([redis.getdel('token'), redis.getdel('token')])
  expect(uses).toEqual(['user 7', null])
})

test('a cache filled once by many readers', async () => {
  let computed = 0
  async function read(): Promise<string> {
    const cached = await redis.get('page')
    if (cached !== null) return cached
    if ((await redis.set('page:lock', '1', 'EX', 5, 'NX')) !== 'OK') return 'busy'
    computed++
    await redis.set('page', '<html>', 'EX', 60)
    return '<html>'
  }
  await Promise.all(Array.from({ length: 20 }, read))
  expect(await read()).toBe('<html>')
  expect(computed).toBe(1)
})

test('a balance changed by check and set', async () => {
  await redis.set('balance', 100)
  async function withdraw(amount: number): Promise<boolean> {
    const client = redis.duplicate()
    try {
      for (;;) {
        await client.watch('balance')
        const balance = Number(await client.get('balance'))
        if (balance < amount) return false
        if (
          await client
            .multi()
            .set('balance', balance - amount)
            .exec()
        )
          return true
      }
    } finally {
      client.disconnect()
    }
  }
  const done = await Promise.all([30, 30, 30, 30].map(withdraw))
  expect(done.filter(Boolean).length).toBe(3)
  expect(await redis.get('balance')).toBe('10')
})
