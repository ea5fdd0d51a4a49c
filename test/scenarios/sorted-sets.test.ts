/** What people build with sorted sets and places. */
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

describe('a leaderboard', () => {
  const players = Array.from({ length: 250 }, (_, i) => ({ name: `player${String(i).padStart(3, '0')}`, points: (i * 37) % 50 }))
  const best = players.toSorted((a, b) => b.points - a.points || (a.name < b.name ? 1 : -1))

  test('has pages, ties in a fixed order, and everybody finds their rank', async () => {
    for (const { name, points } of players) await redis.zadd('board', points, name)
    for (let page = 0; page < 25; page++) {
      const names = await redis.zrevrange('board', page * 10, page * 10 + 9)
      expect(names).toEqual(best.slice(page * 10, page * 10 + 10).map((player) => player.name))
    }
    for (const rank of [0, 17, 249]) expect(await redis.zrevrank('board', best[rank].name)).toBe(rank)
    const around = (await redis.zrevrank('board', 'player100')) as number
    expect(await redis.zrevrange('board', around - 2, around + 2)).toEqual(best.slice(around - 2, around + 3).map((player) => player.name))
  })

  test('keeps only the best score of each, and only the best hundred', async () => {
    for (const { name, points } of players) await redis.zadd('board', points, name)
    await redis.call('ZADD', 'board', 'GT', '1000', 'player007', '-5', 'player008')
    await redis.zremrangebyrank('board', 0, -101)
    expect(await redis.zcard('board')).toBe(100)
    expect(await redis.zscore('board', 'player007')).toBe('1000')
    expect(await redis.zrevrange('board', 0, 0)).toEqual(['player007'])
  })
})

test('a list of hot searches', async () => {
  const searches = ['redis', 'node', 'redis', 'cache', 'node', 'redis']
  for (const word of searches) await redis.zincrby('hot:today', 1, word)
  await redis.zadd('hot:yesterday', 10, 'queue', 4, 'node')
  await redis.zunionstore('hot', 2, 'hot:today', 'hot:yesterday', 'WEIGHTS', 1, 0.5)
  expect(await redis.zrevrange('hot', 0, 2, 'WITHSCORES')).toEqual(['queue', '5', 'node', '4', 'redis', '3'])
})

describe('a queue of delayed jobs', () => {
  test('hands out what is due, once', async () => {
    await redis.zadd('delayed', 1000, 'early', 2000, 'late', 3000, 'later')
    const due = async (now: number): Promise<string[]> => {
      const results = await redis
        .multi()
        .zrangebyscore('delayed', '-inf', String(now))
        .zremrangebyscore('delayed', '-inf', String(now))
        .exec()
      return results?.[0][1] as string[]
    }
    expect(await due(2500)).toEqual(['early', 'late'])
    expect(await due(2500)).toEqual([])
    expect(await redis.zrange('delayed', '0', '-1')).toEqual(['later'])
  })

  test('wakes waiting workers in order, most urgent job first', async () => {
    const workers = [new Redis(server.url), new Redis(server.url)]
    const waiting = workers.map((worker) => worker.call('BZPOPMIN', 'jobs', '0'))
    while (!(await redis.info('clients')).includes('blocked_clients:2')) await new Promise((done) => setImmediate(done))
    await redis.zadd('jobs', 9, 'report', 1, 'mail')
    expect(await Promise.all(waiting)).toEqual([
      ['jobs', 'mail', '1'],
      ['jobs', 'report', '9'],
    ])
    expect(await redis.exists('jobs')).toBe(0)
    for (const worker of workers) worker.disconnect()
  })
})

test('a sliding window of five requests in ten seconds', async () => {
  let request = 0
  async function allowed(nowMs: number): Promise<boolean> {
    const results = await redis
      .multi()
      .zremrangebyscore('window', '-inf', nowMs - 10_000)
      .zadd('window', nowMs, `${nowMs}:${request++}`)
      .zcard('window')
      .expire('window', 10)
      .exec()
    return (results?.[2][1] as number) <= 5
  }
  const answers: boolean[] = []
  for (const at of [0, 1000, 2000, 3000, 4000, 5000, 10_500, 11_500, 30_000]) answers.push(await allowed(at))
  expect(answers).toEqual([true, true, true, true, true, false, false, false, true])
  server.clock.advance(10_001)
  expect(await redis.exists('window')).toBe(0)
})

test('shops within five kilometres, nearest first', async () => {
  await redis.geoadd(
    'shops',
    13.377,
    52.516,
    'gate',
    13.4094,
    52.5208,
    'tower',
    13.3761,
    52.5186,
    'parliament',
    13.2396,
    52.5145,
    'stadium',
  )
  await redis.call('GEOADD', 'shops', '13.4', '52.47', 'south')
  const near = (await redis.call('GEOSEARCH', 'shops', 'FROMLONLAT', '13.377', '52.517', 'BYRADIUS', '5', 'km', 'ASC', 'WITHDIST')) as [
    string,
    string,
  ][]
  expect(near.map(([name]) => name)).toEqual(['gate', 'parliament', 'tower'])
  expect(Number(near[2][1])).toBeCloseTo(2.23, 1)
  expect(await redis.call('GEOSEARCHSTORE', 'near', 'shops', 'FROMMEMBER', 'gate', 'BYRADIUS', '5', 'km', 'STOREDIST')).toBe(3)
  expect(await redis.zrangebyscore('near', 1, '+inf')).toEqual(['tower'])
  await redis.zrem('shops', 'tower')
  expect(await redis.call('GEOSEARCH', 'shops', 'FROMMEMBER', 'gate', 'BYBOX', '20', '1', 'km', 'ASC')).toEqual([
    'gate',
    'parliament',
    'stadium',
  ])
})
