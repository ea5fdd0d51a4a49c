import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expireCycle, expireEffort } from '../../src/keyspace/expire.ts'
import type { Db } from '../../src/keyspace/db.ts'
import { NO_EXPIRY } from '../../src/keyspace/db.ts'
import { EVENT_EXPIRED } from '../../src/keyspace/hooks.ts'
import { Keyspace } from '../../src/keyspace/keyspace.ts'
import { growString, KEEP_EXPIRY, setString } from '../../src/keyspace/strings.ts'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref, SEGMENT_BYTES, segmentOf } from '../../src/memory/ref.ts'
import { dictRehash } from '../../src/structs/dict.ts'
import { hasFlag, keyLength, keyStart, SLOT } from '../../src/structs/entry.ts'
import { HASH, INTSET, LISTPACK, SET } from '../../src/types/object.ts'
import { newSetRoot, setAdd, setSize } from '../../src/types/set.ts'
import { newHash } from '../../src/types/hash.ts'
import { stringBytes } from '../../src/types/string.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { Random } from '../../src/util/random.ts'

class FailingArena extends Arena {
  countdown = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.countdown < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

const textOf = (bytes: Uint8Array): string => latin1(bytes, 0, bytes.length)
const START_MS = 1_700_000_000_000

/** A keyspace beside a map of what it should hold. */
class Twin {
  readonly mem = new FailingArena()
  readonly clock = new ManualClock(START_MS)
  readonly space = new Keyspace(this.mem, this.clock, new Random(1), 2)
  readonly db: Db = this.space.dbs[0]
  readonly map = new Map<string, { value: string; at: number }>()

  find(key: string): Ref {
    return this.db.lookupWriteKey(bytesOf(key), 0, key.length)
  }

  /** Runs a step that may run out of memory; true when it was done. */
  attempt(step: () => void): boolean {
    try {
      step()
      return true
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
      return false
    }
  }

  set(key: string, value: string, at: number): void {
    const old = this.find(key)
    const done = this.attempt(() => setString(this.db, old, bytesOf(key), 0, key.length, bytesOf(value), 0, value.length, at))
    if (!done) return
    const before = this.map.get(key)
    this.map.set(key, { value, at: at === KEEP_EXPIRY ? (before?.at ?? NO_EXPIRY) : at })
  }

  grow(key: string, length: number): void {
    const old = this.find(key)
    if (!this.attempt(() => growString(this.db, old, bytesOf(key), 0, key.length, length))) return
    const before = this.map.get(key) ?? { value: '', at: NO_EXPIRY }
    this.map.set(key, { value: before.value.padEnd(length, '\0'), at: before.at })
  }

  expireAt(key: string, at: number): void {
    const entry = this.find(key)
    const known = this.map.get(key)
    if (entry === NULL_REF || known === undefined) return
    if (this.attempt(() => this.db.setExpiry(entry, at))) known.at = at
  }

  remove(key: string, lazy: boolean): void {
    expect(this.db.remove(bytesOf(key), 0, key.length, lazy)).toBe(this.map.delete(key))
  }

  pass(ms: number): void {
    this.clock.advance(ms)
    this.space.readClock()
    for (const [key, { at }] of this.map) if (at !== NO_EXPIRY && at <= this.space.nowMs) this.map.delete(key)
  }

  check(): void {
    for (const [key, { value, at }] of this.map) {
      const entry = this.find(key)
      expect(textOf(stringBytes(this.mem, entry))).toBe(value)
      expect(this.db.expiryOf(entry)).toBe(at)
      expect(hasFlag(this.mem, entry, SLOT)).toBe(at !== NO_EXPIRY)
    }
    expect(auditArena(this.mem, (report) => this.space.audit(report))).toEqual([])
  }
}

const key = fc.nat(30).map((n) => `key:${n}`)
const value = fc.oneof(
  fc.nat(999).map(String),
  fc.integer({ min: 1000, max: 1100 }).map((n) => 'v'.repeat(n)),
  fc.string({ maxLength: 60 }).map((s) => s.replace(/[^ -~]/g, '.')),
)
const at = fc.oneof(
  fc.constant(NO_EXPIRY),
  fc.constant(KEEP_EXPIRY),
  fc.nat(5000).map((n) => START_MS + 2000 + n),
)
const op = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value, at }),
  fc.record({ kind: fc.constant('grow' as const), key, length: fc.oneof(fc.nat(100), fc.integer({ min: 1000, max: 3000 })) }),
  fc.record({ kind: fc.constant('expireAt' as const), key, at: at.filter((ms) => ms !== KEEP_EXPIRY) }),
  fc.record({ kind: fc.constant('remove' as const), key, lazy: fc.boolean() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(300) }),
  fc.record({ kind: fc.constant('fail' as const), after: fc.nat(6) }),
)

describe('db', () => {
  test('strings, expiries and deletions agree with a map, with memory failing at any moment', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 10, maxLength: 120 }), (ops) => {
        const twin = new Twin()
        for (const step of ops) {
          if (step.kind === 'fail') {
            twin.mem.countdown = step.after
            continue
          }
          if (step.kind === 'set') twin.set(step.key, step.value, step.at)
          else if (step.kind === 'grow') twin.grow(step.key, Math.max(step.length, twin.map.get(step.key)?.value.length ?? 0))
          else if (step.kind === 'expireAt') twin.expireAt(step.key, step.at)
          else if (step.kind === 'remove') twin.remove(step.key, step.lazy)
          else twin.pass(step.ms)
          twin.mem.countdown = Infinity
        }
        twin.check()
      }),
      { numRuns: 80 },
    )
  })

  test('adding a collection that finds no memory frees its root', () => {
    for (let allowed = 0; ; allowed++) {
      const twin = new Twin()
      const root = newHash(twin.mem)
      twin.mem.countdown = allowed
      const done = twin.attempt(() => twin.db.addRoot(bytesOf('h'), 0, 1, HASH, LISTPACK, root))
      twin.mem.countdown = Infinity
      twin.check()
      if (done) break
    }
  })

  function fill(twin: Twin, keys: number, at: (i: number) => number): void {
    for (let i = 0; i < keys; i++) {
      const name = bytesOf(`k${i}`)
      setString(twin.db, NULL_REF, name, 0, name.length, name, 0, name.length, at(i))
    }
  }

  test('the expiry cycle deletes what is due, keeps what is not, and tells', () => {
    const twin = new Twin()
    fill(twin, 3000, (i) => (i % 3 === 0 ? NO_EXPIRY : START_MS + (i % 3) * 1000))
    const gone: string[] = []
    const events: string[] = []
    twin.space.hooks.removed.push((_, why, bytes, off, len) => gone.push(`${why} ${latin1(bytes, off, len)}`))
    twin.space.eventMask = EVENT_EXPIRED
    twin.space.hooks.event = (_, _cls, name) => events.push(name)
    twin.clock.advance(1500)
    for (let i = 0; i < 100; i++) expireCycle(twin.space, expireEffort(1, 100))
    expect(twin.db.size).toBe(2000)
    expect(twin.db.volatileSize).toBe(1000)
    expect(new Set(gone).size).toBe(1000)
    expect(gone[0]).toMatch(/^expired k/)
    expect(new Set(events)).toEqual(new Set(['expired']))
    expect(twin.space.expiredKeys).toBe(1000)
    expect(twin.db.avgTtl).toBeGreaterThan(400)
    expect(twin.db.avgTtl).toBeLessThanOrEqual(1500)
    twin.check()
  })

  test('a deleted big value and flushed databases are freed in steps, and the audit is clean after each', () => {
    const twin = new Twin()
    fill(twin, 5000, (i) => (i % 2 === 0 ? NO_EXPIRY : START_MS + 1e6))
    const limits = { intset: 4, entries: 4, value: 64 }
    let entry = twin.db.addRoot(bytesOf('big'), 0, 3, SET, INTSET, newSetRoot(twin.mem, INTSET))
    for (let i = 0; i < 3000; i++) {
      const member = bytesOf(`m${i}`)
      setAdd(twin.mem, entry, member, 0, member.length, limits)
    }
    expect(setSize(twin.mem, entry)).toBe(3000)
    const empty = new Twin().mem.used
    expect(twin.db.remove(bytesOf('big'), 0, 3, true)).toBe(true)
    entry = NULL_REF
    expect(twin.space.lazy.pending).toBe(1)
    expect(twin.db.flush(true)).toBe(5000)
    expect(twin.db.size).toBe(0)
    expect(twin.space.lazy.pending).toBe(5001)
    for (let step = 0; twin.space.lazy.step(512); step++) {
      if (step % 4 === 0) expect(auditArena(twin.mem, (report) => twin.space.audit(report))).toEqual([])
    }
    expect(twin.space.lazy.freed).toBe(5001)
    expect(twin.space.lazy.pending).toBe(0)
    expect(twin.mem.used).toBe(empty)
  })

  test('a random key is never an expired one, and all keys come up', () => {
    const twin = new Twin()
    fill(twin, 40, (i) => (i < 20 ? START_MS + 10 : NO_EXPIRY))
    twin.clock.advance(20)
    twin.space.readClock()
    const seen = new Set<string>()
    for (let i = 0; i < 400; i++) {
      const entry = twin.db.random()
      seen.add(latin1(twin.mem.u8[segmentOf(entry)], keyStart(twin.mem, entry), keyLength(twin.mem, entry)))
    }
    expect(seen).toEqual(new Set(Array.from({ length: 20 }, (_, i) => `k${i + 20}`)))
  })

  test('swapping databases takes the expiries along', () => {
    const twin = new Twin()
    fill(twin, 10, () => START_MS + 50)
    twin.db.swapWith(twin.space.dbs[1])
    expect([twin.db.size, twin.space.dbs[1].size, twin.space.dbs[1].volatileSize]).toEqual([0, 10, 10])
    twin.clock.advance(100)
    for (let i = 0; i < 10; i++) expireCycle(twin.space, expireEffort(10, 100))
    expect(twin.space.dbs[1].size).toBe(0)
  })

  test('memory comes back to where it was after thirty thousand keys came and went', () => {
    const twin = new Twin()
    const empty = twin.mem.used
    fill(twin, 30_000, () => NO_EXPIRY)
    for (let i = 0; i < 30_000; i++) {
      const name = bytesOf(`k${i}`)
      twin.db.remove(name, 0, name.length)
    }
    while (dictRehash(twin.mem, twin.db.keys, 10_000));
    while (twin.mem.trim());
    expect(twin.mem.used).toBe(empty)
    expect(twin.mem.mapped).toBeLessThanOrEqual(2 * SEGMENT_BYTES)
  })
})
