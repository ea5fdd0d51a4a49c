import { describe, expect, test } from 'vitest'
import { Eviction } from '../../src/keyspace/evict.ts'
import { NO_EXPIRY } from '../../src/keyspace/db.ts'
import { EVENT_EVICTED } from '../../src/keyspace/hooks.ts'
import { Keyspace } from '../../src/keyspace/keyspace.ts'
import { setString } from '../../src/keyspace/strings.ts'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF } from '../../src/memory/ref.ts'
import { dictBytes } from '../../src/structs/dict.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { Random } from '../../src/util/random.ts'

const START_MS = 1_700_000_000_000
const KEYS = 1000

class World {
  readonly mem = new Arena()
  readonly clock = new ManualClock(START_MS)
  readonly space = new Keyspace(this.mem, this.clock, new Random(7), 4)
  readonly eviction = new Eviction(this.space)
  readonly gone: number[] = []

  constructor(policy: string) {
    this.space.lfu = policy.endsWith('lfu')
    this.eviction.choose(policy)
    this.space.hooks.removed.push((_db, why, bytes, off, len) => {
      expect(why).toBe('evicted')
      this.gone.push(Number(latin1(bytes, off, len)))
    })
  }

  set(i: number, expiry = NO_EXPIRY, db = 0): void {
    const name = bytesOf(String(i))
    setString(this.space.dbs[db], NULL_REF, name, 0, name.length, name, 0, name.length, expiry)
  }

  read(i: number): void {
    const name = bytesOf(String(i))
    this.space.dbs[0].lookupReadKey(name, 0, name.length)
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    this.space.readClock()
  }

  /** Evicts so many keys and returns the mean of their numbers. */
  evict(count: number): number {
    this.gone.length = 0
    for (let i = 0; i < count; i++) expect(this.eviction.evictOne(false)).toBe(true)
    expect(auditArena(this.mem, (report) => this.space.audit(report))).toEqual([])
    return this.gone.reduce((sum, i) => sum + i, 0) / count
  }
}

describe('eviction', () => {
  test('lru: the keys that were not used for long go, close to exactly', () => {
    const world = new World('allkeys-lru')
    for (let i = 0; i < KEYS; i++) {
      world.set(i)
      world.pass(1000)
    }
    expect(world.evict(200)).toBeLessThan(150)
    for (let i = 200; i < 600; i++) world.read(i)
    expect(world.gone.length).toBe(200)
    world.pass(1000)
    const mean = world.evict(100)
    expect(mean).toBeGreaterThan(400)
    expect(world.gone.filter((i) => i >= 200 && i < 600)).toEqual([])
  })

  test('lfu: the keys that were used often stay', () => {
    const world = new World('allkeys-lfu')
    for (let i = 0; i < KEYS; i++) world.set(i)
    for (let round = 0; round < 100; round++) for (let i = 0; i < KEYS / 2; i++) world.read(i)
    world.evict(KEYS / 4)
    expect(world.gone.filter((i) => i < KEYS / 2)).toEqual([])
    // the choice is by samples: it errs when few are left of those that should go
    world.evict(KEYS / 4)
    expect(world.gone.filter((i) => i < KEYS / 2).length).toBeLessThan(KEYS / 8)
  })

  test('ttl: the keys that die first go first', () => {
    const world = new World('volatile-ttl')
    for (let i = 0; i < KEYS; i++) world.set(i, START_MS + 100_000 + i * 1000)
    // 100 would be exact, 500 blind
    expect(world.evict(200)).toBeLessThan(180)
  })

  test('ttl: what goes is nearly always among the nearest of all', () => {
    const world = new World('volatile-ttl')
    let next = 0
    for (; next < 1500; next++) world.set(next, START_MS + 100_000 + next)
    for (let i = 0; i < 3000; i++) {
      world.eviction.evictOne(false)
      world.set(next, START_MS + 100_000 + next)
      next++
    }
    world.evict(300)
    expect(world.gone.filter((i) => i < next - 750).length).toBeGreaterThan(295)
  })

  test.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-ttl'])(
    '%s: sparse buckets give no more than their share, so the table does not take more room as keys come and go',
    (policy) => {
      const world = new World(policy)
      const [db] = world.space.dbs
      let next = 0
      for (; next < 5000; next++) world.set(next, START_MS + 1e8)
      const fresh = dictBytes(world.mem, db.keys)
      for (let i = 0; i < 50_000; i++) {
        world.eviction.evictOne(false)
        world.set(next++, START_MS + 1e8)
        if (i % 20_000 === 0) world.pass(1000)
      }
      expect(db.size).toBe(5000)
      expect(dictBytes(world.mem, db.keys)).toBeLessThan(fresh * 1.05)
    },
  )

  test.each(['volatile-lru', 'volatile-lfu', 'volatile-ttl', 'volatile-random'])('%s: keys without a time to live stay', (policy) => {
    const world = new World(policy)
    for (let i = 0; i < 100; i++) world.set(i)
    for (let i = 100; i < 200; i++) world.set(i, START_MS + 1e6, i % 4)
    world.evict(100)
    expect(Math.min(...world.gone)).toBe(100)
    expect(world.eviction.evictOne(false)).toBe(false)
    expect(world.space.dbs[0].size).toBe(100)
  })

  test.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random'])('%s: every database gives, to the last key', (policy) => {
    const world = new World(policy)
    for (let i = 0; i < 200; i++) world.set(i, i % 3 === 0 ? START_MS + 1e6 : NO_EXPIRY, i % 4)
    world.evict(200)
    expect(new Set(world.gone).size).toBe(200)
    expect(world.eviction.evictOne(false)).toBe(false)
    expect(world.space.evictedKeys).toBe(200)
  })

  test('noeviction evicts nothing', () => {
    const world = new World('noeviction')
    world.set(1)
    expect(world.eviction.evictOne(false)).toBe(false)
  })

  test('what is in the pool is looked at again: keys that were deleted, replaced or used meanwhile are not evicted by mistake', () => {
    const world = new World('allkeys-lru')
    world.eviction.samples = 100
    for (let i = 0; i < 60; i++) {
      world.set(i)
      world.pass(1000)
    }
    world.evict(1)
    for (let i = 0; i < 55; i++) {
      const name = bytesOf(String(i))
      if (i % 2 === 0) world.space.dbs[0].remove(name, 0, name.length)
      else world.read(i)
    }
    for (let i = 100; i < 130; i++) world.set(i)
    world.pass(5000)
    world.evict(5)
    expect(world.gone.sort()).toEqual([55, 56, 57, 58, 59])
  })

  test('the event is told', () => {
    const world = new World('allkeys-random')
    world.set(5)
    const events: string[] = []
    world.space.eventMask = EVENT_EVICTED
    world.space.hooks.event = (db, _cls, name, bytes, off, len) => events.push(`${db.id} ${name} ${latin1(bytes, off, len)}`)
    world.evict(1)
    expect(events).toEqual(['0 evicted 5'])
  })
})
