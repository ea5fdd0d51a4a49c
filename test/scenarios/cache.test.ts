/**
 * A cache before a slow database, as services write it: misses that are filled, keys that are known not to exist, a hot key that one client
 * rebuilds while the others wait, and entries that are served stale while somebody renews them. What counts is how often the database is asked.
 *
 * The server's time stands still until a test moves it.
 */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const holder = useServer({ clock: 'manual' })
const CLIENTS = 20
let clients: Redis[]
let redis: Redis

beforeAll(() => {
  clients = Array.from({ length: CLIENTS }, () => new Redis({ port: holder.port, host: '127.0.0.1' }))
  redis = clients[0]
})
afterAll(() => {
  for (const client of clients) client.disconnect()
})
beforeEach(async () => {
  await redis.flushall()
})

const pass = (ms: number): void => holder.server.clock.advance(ms)
const now = (): number => holder.server.clock.nowMs()

/** The database: it counts what it is asked for, and answers some turns of the event loop later. */
class Database {
  asked = 0
  /** Most questions under way at a time. */
  most = 0
  private running = 0
  readonly rows = new Map<string, string>()

  async read(key: string): Promise<string | null> {
    this.asked++
    this.most = Math.max(this.most, ++this.running)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    this.running--
    return this.rows.get(key) ?? null
  }
}

const everyone = <T>(work: (client: Redis, i: number) => Promise<T>): Promise<T[]> => Promise.all(clients.map(work))

describe('cache-aside with random times to live', () => {
  const KEYS = 100
  const TTL_MS = 60_000
  const SPREAD_MS = 30_000

  async function cached(client: Redis, db: Database, key: string, spreadMs: number): Promise<string | null> {
    const hit = await client.get(key)
    if (hit !== null) return hit
    const row = await db.read(key)
    if (row !== null) await client.set(key, row, 'PX', TTL_MS + spreadMs)
    return row
  }

  function filled(): Database {
    const db = new Database()
    for (let i = 0; i < KEYS; i++) db.rows.set(`item:${i}`, `row ${i}`)
    return db
  }

  async function readAll(db: Database, spread: (i: number) => number): Promise<number> {
    const before = db.asked
    const keys = [...db.rows.keys()]
    const rows = await Promise.all(keys.map((key, i) => cached(clients[i % CLIENTS], db, key, spread(i))))
    expect(rows).toEqual([...db.rows.values()])
    return db.asked - before
  }

  test('each key is read once, however often it is asked for', async () => {
    const db = filled()
    expect(await readAll(db, () => 0)).toBe(KEYS)
    for (let round = 0; round < 5; round++) expect(await readAll(db, () => 0)).toBe(0)
    pass(TTL_MS - 1)
    expect(await readAll(db, () => 0)).toBe(0)
  })

  test('with one time to live for all, all are read again at once; with random ones a few at a time', async () => {
    const db = filled()
    await readAll(db, () => 0)
    pass(TTL_MS)
    expect(await readAll(db, () => 0)).toBe(KEYS)

    await redis.flushall()
    const spread = (i: number): number => (i * 7919) % SPREAD_MS
    await readAll(db, spread)
    pass(TTL_MS - 1)
    let again = 0
    for (let step = 0; step <= 10; step++) {
      const asked = await readAll(db, () => SPREAD_MS)
      expect(asked).toBeLessThan(KEYS / 4)
      again += asked
      pass(SPREAD_MS / 10)
    }
    expect(again).toBe(KEYS)
  })

  test('a write deletes the key, and the next reader sees the new row', async () => {
    const db = filled()
    await readAll(db, () => 0)
    db.rows.set('item:5', 'changed')
    await redis.del('item:5')
    expect(await cached(clients[3], db, 'item:5', 0)).toBe('changed')
    expect(db.asked).toBe(KEYS + 1)
  })

  test('keys that expired are gone from the cache without anybody asking', async () => {
    const expired = async (): Promise<number> => Number(/expired_keys:(\d+)/.exec(await redis.info('stats'))?.[1])
    const db = filled()
    await readAll(db, () => 0)
    expect(await redis.dbsize()).toBe(KEYS)
    const before = await expired()
    pass(TTL_MS + 1000)
    expect(await redis.dbsize()).toBe(0)
    expect((await expired()) - before).toBe(KEYS)
  })
})

describe('null caching: what does not exist is remembered too, for a short time', () => {
  const NOTHING = ''
  const NULL_TTL_S = 30

  async function cached(client: Redis, db: Database, key: string): Promise<string | null> {
    const hit = await client.get(key)
    if (hit !== null) return hit === NOTHING ? null : hit
    const row = await db.read(key)
    if (row === null) await client.set(key, NOTHING, 'EX', NULL_TTL_S)
    else await client.set(key, row, 'EX', 3600)
    return row
  }

  test('an attack with keys that do not exist reaches the database once per key and half minute', async () => {
    const db = new Database()
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 50; i++) expect(await cached(clients[(round + i) % CLIENTS], db, `user:${-i}`)).toBeNull()
    }
    expect(db.asked).toBe(50)
    pass(NULL_TTL_S * 1000)
    for (let i = 0; i < 50; i++) await cached(redis, db, `user:${-i}`)
    expect(db.asked).toBe(100)
  })

  test('a row that appears is seen when the null expires, or at once when its writer deletes it', async () => {
    const db = new Database()
    expect(await cached(redis, db, 'user:1')).toBeNull()
    db.rows.set('user:1', 'Ada')
    expect(await cached(clients[1], db, 'user:1')).toBeNull()
    pass(NULL_TTL_S * 1000)
    expect(await cached(clients[2], db, 'user:1')).toBe('Ada')
    expect(await redis.ttl('user:1')).toBe(3600)

    expect(await cached(redis, db, 'user:2')).toBeNull()
    db.rows.set('user:2', 'Grace')
    await redis.unlink('user:2')
    expect(await cached(clients[1], db, 'user:2')).toBe('Grace')
  })
})

const COMPARE_AND_DELETE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end`
const LOCK_MS = 3000

const lock = async (client: Redis, key: string, token: string): Promise<boolean> =>
  (await client.set(`lock:${key}`, token, 'PX', LOCK_MS, 'NX')) === 'OK'
const unlock = (client: Redis, key: string, token: string): Promise<unknown> => client.eval(COMPARE_AND_DELETE, 1, `lock:${key}`, token)

describe('a hot key that expires is rebuilt by one client', () => {
  async function cached(client: Redis, db: Database, key: string, token: string): Promise<string | null> {
    for (;;) {
      const hit = await client.get(key)
      if (hit !== null) return hit
      if (!(await lock(client, key, token))) continue // somebody is at it: look again
      try {
        // it may have come between the look and the lock
        const late = await client.get(key)
        if (late !== null) return late
        const row = await db.read(key)
        if (row !== null) await client.set(key, row, 'PX', 10_000)
        return row
      } finally {
        await unlock(client, key, token)
      }
    }
  }

  test('20 clients at once ask the database once, and again once when it has expired', async () => {
    const db = new Database()
    db.rows.set('hot', 'front page')
    for (let round = 1; round <= 5; round++) {
      const rows = await everyone((client, i) => cached(client, db, 'hot', `${round}:${i}`))
      expect(new Set(rows)).toEqual(new Set(['front page']))
      expect(db.asked).toBe(round)
      expect(await redis.exists('lock:hot')).toBe(0)
      pass(10_000)
    }
    expect(db.most).toBe(1)
  })

  test('without the lock all of them ask', async () => {
    const db = new Database()
    db.rows.set('hot', 'front page')
    await everyone(async (client) => {
      if ((await client.get('hot')) === null) await client.set('hot', (await db.read('hot')) as string)
    })
    expect(db.asked).toBeGreaterThan(CLIENTS / 2)
  })

  test('a client that dies with the lock holds the others up only until the lock expires', async () => {
    const db = new Database()
    db.rows.set('hot', 'front page')
    expect(await lock(redis, 'hot', 'dead')).toBe(true)
    let done = false
    const others = everyone((client, i) => cached(client, db, 'hot', `t${i}`)).then((rows) => {
      done = true
      return rows
    })
    for (let i = 0; i < 20; i++) await redis.ping()
    expect(done).toBe(false)
    expect(db.asked).toBe(0)
    pass(LOCK_MS)
    expect(new Set(await others)).toEqual(new Set(['front page']))
    expect(db.asked).toBe(1)
  })

  test('a client that was too slow does not release the lock of the next', async () => {
    expect(await lock(clients[0], 'hot', 'slow')).toBe(true)
    pass(LOCK_MS)
    expect(await lock(clients[1], 'hot', 'next')).toBe(true)
    expect(await unlock(clients[0], 'hot', 'slow')).toBe(0)
    expect(await redis.get('lock:hot')).toBe('next')
    expect(await unlock(clients[1], 'hot', 'next')).toBe(1)
  })
})

describe('logical expiry: entries never expire, the time is in the value, and one client renews it while the others serve the old one', () => {
  const FRESH_MS = 5000
  type Entry = { value: string; until: number }

  const write = (client: Redis, key: string, value: string): Promise<unknown> =>
    client.set(key, JSON.stringify({ value, until: now() + FRESH_MS } satisfies Entry))

  /** Never waits for the database: a stale entry is served, and renewed by whoever gets the lock. */
  async function cached(client: Redis, db: Database, key: string, token: string, renewals: Promise<unknown>[]): Promise<string | null> {
    const text = await client.get(key)
    if (text === null) return null
    const entry = JSON.parse(text) as Entry
    if (entry.until <= now() && (await lock(client, key, token))) renewals.push(renew(client, db, key, token))
    return entry.value
  }

  async function renew(client: Redis, db: Database, key: string, token: string): Promise<void> {
    const entry = JSON.parse((await client.get(key)) as string) as Entry
    if (entry.until <= now()) await write(client, key, (await db.read(key)) as string)
    await unlock(client, key, token)
  }

  test('readers are never held up, and each staleness costs one question', async () => {
    const db = new Database()
    await write(redis, 'prices', 'v0')
    for (let round = 1; round <= 5; round++) {
      db.rows.set('prices', `v${round}`)
      const renewals: Promise<unknown>[] = []
      const fresh = await everyone((client, i) => cached(client, db, 'prices', `f${i}`, renewals))
      expect(new Set(fresh)).toEqual(new Set([`v${round - 1}`]))
      expect(db.asked).toBe(round - 1)

      pass(FRESH_MS)
      const stale = await everyone((client, i) => cached(client, db, 'prices', `${round}:${i}`, renewals))
      for (const value of stale) expect([`v${round - 1}`, `v${round}`]).toContain(value)
      expect(stale).toContain(`v${round - 1}`)
      await Promise.all(renewals)
      expect(db.asked).toBe(round)
      expect(await cached(redis, db, 'prices', 'x', renewals)).toBe(`v${round}`)
    }
    expect(await redis.ttl('prices')).toBe(-1)
  })

  test('when the renewer dies, the next one takes over after the lock', async () => {
    const db = new Database()
    db.rows.set('prices', 'new')
    await write(redis, 'prices', 'old')
    pass(FRESH_MS)
    await lock(clients[5], 'prices', 'dead')
    const renewals: Promise<unknown>[] = []
    expect(new Set(await everyone((c, i) => cached(c, db, 'prices', `a${i}`, renewals)))).toEqual(new Set(['old']))
    expect(renewals).toEqual([])
    pass(LOCK_MS)
    await everyone((c, i) => cached(c, db, 'prices', `b${i}`, renewals))
    await Promise.all(renewals)
    expect(db.asked).toBe(1)
    expect(await cached(redis, db, 'prices', 'c', renewals)).toBe('new')
  })
})
