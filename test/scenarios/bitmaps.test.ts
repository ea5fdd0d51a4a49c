/** Marking and counting at scale: calendars, active users, unique visitors, filters in front of a cache. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seeded } from '../support/random.ts'
import { startServer } from '../support/server.ts'

let server: Awaited<ReturnType<typeof startServer>>
let redis: Redis
beforeAll(async () => {
  server = await startServer()
  redis = new Redis(server.url)
})
beforeEach(() => redis.flushall())
afterAll(async () => {
  redis.disconnect()
  await server.close()
})

describe('a calendar of sign-ins', () => {
  const days = 31

  /** The longest run of ones among the low `days` bits. */
  function longestStreak(bits: number): number {
    let streak = 0
    for (let rest = bits; rest !== 0; rest &= rest << 1) streak++
    return streak
  }

  test('tells days, total, today and the longest streak of a month from one read', async () => {
    const signedIn = [1, 2, 3, 4, 9, 10, 12, 20, 21, 22, 23, 24, 25, 31]
    for (const day of signedIn) expect(await redis.setbit('sign:7:2026-11', day - 1, 1)).toBe(0)
    expect(await redis.setbit('sign:7:2026-11', 0, 1)).toBe(1)
    expect(await redis.bitcount('sign:7:2026-11')).toBe(signedIn.length)
    expect(await redis.getbit('sign:7:2026-11', 11)).toBe(1)
    expect(await redis.bitpos('sign:7:2026-11', 0)).toBe(4)
    const [month] = (await redis.bitfield('sign:7:2026-11', 'GET', `u${days}`, 0)) as [number]
    expect(longestStreak(month)).toBe(6)
    const [ninth] = (await redis.bitfield('sign:7:2026-11', 'GET', 'u2', 8)) as [number]
    expect(ninth).toBe(3)
  })
})

describe('active users', () => {
  test('of all seven days, of any of them, and of the first only', async () => {
    const random = seeded(7)
    const days = Array.from({ length: 7 }, () => new Set<number>())
    const pipeline = redis.pipeline()
    for (let user = 0; user < 2000; user++) {
      const loyal = user % 40 === 0
      days.forEach((day, d) => {
        if (!loyal && random.chance(0.6)) return
        day.add(user)
        pipeline.setbit(`active:${d}`, user, 1)
      })
    }
    await pipeline.exec()
    const keys = days.map((_, d) => `active:${d}`)
    await redis.bitop('AND', 'active:all', ...keys)
    await redis.bitop('OR', 'active:any', ...keys)
    await redis.call('BITOP', 'DIFF', 'active:left', ...keys)
    const everybody = Array.from({ length: 2000 }, (_, user) => user)
    const count = (test: (user: number) => boolean) => everybody.filter(test).length
    expect(await redis.bitcount('active:all')).toBe(count((user) => days.every((day) => day.has(user))))
    expect(await redis.bitcount('active:any')).toBe(count((user) => days.some((day) => day.has(user))))
    expect(await redis.bitcount('active:left')).toBe(count((user) => days[0].has(user) && !days.slice(1).some((day) => day.has(user))))
  })
})

test('counters that stay within their range, sixteen bits each', async () => {
  const add = (n: number, by: number) => redis.bitfield('likes', 'OVERFLOW', 'SAT', 'INCRBY', 'u16', `#${n}`, by)
  expect(await add(3, 65_000)).toEqual([65_000])
  expect(await add(3, 65_000)).toEqual([65_535])
  expect(await add(4, -1)).toEqual([0])
  expect(await redis.call('BITFIELD', 'likes', 'GET', 'u16', '#3', 'GET', 'u16', '#2')).toEqual([65_535, 0])
})

describe('unique visitors', () => {
  test('per page, per day over all pages, within two percent', async () => {
    const pages = 5
    const visitors = 20_000
    for (let page = 0; page < pages; page++) {
      for (let from = 0; from < visitors; from += 1000) {
        // Every page shares half of its visitors with the next one.
        const names = Array.from({ length: 1000 }, (_, i) => `visitor ${page * (visitors / 2) + from + i}`)
        await redis.pfadd(`visits:${page}`, ...names)
      }
      expect(Math.abs((await redis.pfcount(`visits:${page}`)) - visitors)).toBeLessThan(visitors * 0.02)
    }
    const keys = Array.from({ length: pages }, (_, page) => `visits:${page}`)
    const union = visitors + (pages - 1) * (visitors / 2)
    await redis.pfmerge('visits:day', ...keys)
    expect(Math.abs((await redis.pfcount('visits:day')) - union)).toBeLessThan(union * 0.02)
    expect(await redis.pfcount(...keys)).toBe(await redis.pfcount('visits:day'))
    expect(await redis.strlen('visits:day')).toBe(12_304)
  })
})

describe('a Bloom filter in front of a cache', () => {
  test('keeps made-up ids away from the database', async () => {
    const rows = new Map(Array.from({ length: 2000 }, (_, i) => [`id:${i}`, `row ${i}`]))
    let queries = 0
    async function read(id: string): Promise<string | null> {
      if ((await redis.call('BF.EXISTS', 'known', id)) === 0) return null
      const cached = await redis.get(id)
      if (cached !== null) return cached
      queries++
      const row = rows.get(id) ?? null
      if (row !== null) await redis.set(id, row, 'EX', 60)
      return row
    }
    await redis.call('BF.RESERVE', 'known', '0.01', '2000')
    await redis.call('BF.MADD', 'known', ...rows.keys())
    for (let i = 0; i < 200; i++) expect(await read(`id:${i}`)).toBe(`row ${i}`)
    for (let i = 0; i < 200; i++) await read(`id:${i}`)
    expect(queries).toBe(200)
    for (let i = 0; i < 1000; i++) expect(await read(`made up ${i}`)).toBeNull()
    expect(queries).toBeLessThan(200 + 30)
  })

  test('survives a copy in chunks', async () => {
    await redis.call('BF.INSERT', 'from', 'CAPACITY', '50', 'ITEMS', ...Array.from({ length: 300 }, (_, i) => `item ${i}`))
    for (let iterator = 0; ; ) {
      const [next, chunk] = (await redis.callBuffer('BF.SCANDUMP', 'from', String(iterator))) as [number, Buffer]
      if (next === 0) break
      await redis.call('BF.LOADCHUNK', 'to', String(next), chunk)
      iterator = next
    }
    expect(await redis.call('BF.INFO', 'to')).toEqual(await redis.call('BF.INFO', 'from'))
    for (let i = 0; i < 300; i++) expect(await redis.call('BF.EXISTS', 'to', `item ${i}`)).toBe(1)
  })
})

describe('a Bloom filter as a library builds it: a bitmap, and a hash with its settings', () => {
  const size = 95_851
  const hashes = 7
  const settings = { size, hashIterations: hashes, expectedInsertions: 10_000, falseProbability: 0.01 }
  const guarded = `
    local size = redis.call('hget', KEYS[1], 'size')
    local iterations = redis.call('hget', KEYS[1], 'hashIterations')
    assert(size == ARGV[1] and iterations == ARGV[2], 'Bloom filter config has been changed')
    local found = 1
    for i = 4, #ARGV do
      if ARGV[3] == 'add' then
        if redis.call('setbit', KEYS[2], ARGV[i], 1) == 0 then found = 0 end
      elseif redis.call('getbit', KEYS[2], ARGV[i]) == 0 then found = 0 end
    end
    return found`

  function positions(item: string): number[] {
    const random = seeded([...item].reduce((sum, c) => Math.imul(sum, 31) + c.charCodeAt(0), 7))
    return Array.from({ length: hashes }, () => random.below(size))
  }

  test('adds and finds through a script that checks the settings', async () => {
    await redis.hset('{f}:config', settings)
    const run = (what: 'add' | 'has', item: string, bits = size) =>
      redis.eval(guarded, 2, '{f}:config', '{f}', bits, hashes, what, ...positions(item)) as Promise<number>
    for (let i = 0; i < 300; i++) await run('add', `item ${i}`)
    for (let i = 0; i < 300; i++) expect(await run('has', `item ${i}`)).toBe(1)
    expect(await run('has', 'a stranger')).toBe(0)
    expect(await redis.bitcount('{f}')).toBeGreaterThan(300 * (hashes - 1))
    await expect(run('has', 'item 1', size + 1)).rejects.toThrow('Bloom filter config has been changed')
  })
})
