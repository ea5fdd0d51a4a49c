import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref } from '../../src/memory/ref.ts'
import { encodingOf, entrySize, freeEntry, newRootEntry, valueRef } from '../../src/structs/entry.ts'
import { LISTPACK, SKIPLIST, word0, ZSET } from '../../src/types/object.ts'
import {
  ADDED,
  given,
  INCREMENT,
  newZsetRoot,
  shrunk,
  zsetAdd,
  type ZsetLimits,
  zsetLength,
  zsetOps,
  zsetRank,
  zsetRankOfKey,
  zsetRankOfScore,
  zsetRemove,
  zsetRemoveRanks,
  zsetScore,
} from '../../src/types/zset.ts'
import { ZsetWalk } from '../../src/types/zset-walk.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

class FailingArena extends Arena {
  countdown = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.countdown < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

const LIMITS: ZsetLimits = { entries: 20, value: 24 }
const byOrder = (a: [string, number], b: [string, number]): number => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)

/** A sorted set beside a Map that it must agree with. */
class Twin {
  readonly mem = new FailingArena()
  entry: Ref
  readonly model = new Map<string, number>()

  constructor(encoding = LISTPACK) {
    this.entry = newRootEntry(this.mem, word0(ZSET, encoding), 0, bytesOf('key'), 0, 3, newZsetRoot(this.mem, encoding))
  }

  add(member: string, score: number): void {
    zsetAdd(this.mem, this.entry, LIMITS, score, bytesOf(member), 0, member.length, 0)
    this.model.set(member, score)
  }

  get sorted(): [string, number][] {
    return [...this.model].sort(byOrder)
  }

  walk(reverse: boolean, rank = 0): [string, number][] {
    const walk = new ZsetWalk()
    const found: [string, number][] = []
    walk.start(this.mem, encodingOf(this.mem, this.entry), valueRef(this.mem, this.entry), rank, reverse)
    while (walk.next()) found.push([latin1(walk.bytes, walk.off, walk.len), walk.score])
    return found
  }

  check(): void {
    const { mem, entry, sorted } = this
    expect(zsetLength(mem, entry)).toBe(sorted.length)
    expect(this.walk(false)).toEqual(sorted)
    expect(this.walk(true)).toEqual(sorted.toReversed())
    expect(this.walk(false, 3)).toEqual(sorted.slice(3))
    expect(this.walk(true, 3)).toEqual(sorted.toReversed().slice(3))
    for (const [rank, [member, score]] of sorted.entries()) {
      expect(zsetScore(mem, entry, bytesOf(member), 0, member.length)).toBe(score)
      expect(zsetRank(mem, entry, bytesOf(member), 0, member.length)).toBe(rank)
      expect(zsetRankOfScore(mem, entry, score, false)).toBe(sorted.filter((other) => other[1] < score).length)
      expect(zsetRankOfScore(mem, entry, score, true)).toBe(sorted.filter((other) => other[1] <= score).length)
    }
    this.audit()
  }

  audit(): void {
    const faults = auditArena(this.mem, (report) => {
      report(this.entry, entrySize(this.mem, this.entry))
      zsetOps.audit(this.mem, this.entry, report)
    })
    expect(faults).toEqual([])
  }
}

const member = fc.oneof(
  fc.nat(60).map(String),
  fc.string({ maxLength: 8 }).map((s) => latin1(bytesOf(s), 0, s.length)),
)
const score = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true }).map((d) => (d === 0 ? 0 : d)),
  fc.constantFrom(1e300, Infinity, -Infinity, 2 ** 61, 1e19, 0.1),
)
const operation = fc.record({ what: fc.nat(99), member, score, at: fc.nat(), count: fc.nat(12) })

describe('zset', () => {
  test.each([
    ['small', LISTPACK],
    ['large', SKIPLIST],
  ])('agrees with a map under random operations, from %s on', (_, encoding) => {
    const run = fc.property(fc.array(operation, { minLength: 1, maxLength: 80 }), (operations) => {
      const twin = new Twin(encoding)
      for (const { what, member: name, score: value, at, count } of operations) {
        const size = twin.model.size
        if (what < 60) twin.add(name, value)
        else if (what < 70) {
          const old = twin.model.get(name)
          const outcome = zsetAdd(twin.mem, twin.entry, LIMITS, value, bytesOf(name), 0, name.length, INCREMENT)
          const sum = (old ?? 0) + value
          if (!Number.isNaN(sum)) {
            twin.model.set(name, old === undefined ? value : sum)
            expect(given.score).toBe(twin.model.get(name))
            if (old === undefined) expect(outcome).toBe(ADDED)
          }
        } else if (what < 90) expect(zsetRemove(twin.mem, twin.entry, bytesOf(name), 0, name.length)).toBe(twin.model.delete(name))
        else if (size > 0) {
          const rank = at % size
          const gone = Math.min(count, size - rank)
          for (const [key] of twin.sorted.slice(rank, rank + gone)) twin.model.delete(key)
          zsetRemoveRanks(twin.mem, twin.entry, rank, gone)
        }
      }
      twin.check()
    })
    fc.assert(run, { numRuns: 50 })
  })

  test('turns large with the 21st member, or with a long one', () => {
    const twin = new Twin()
    for (let i = 0; i < 20; i++) twin.add(`m${i}`, i)
    expect(encodingOf(twin.mem, twin.entry)).toBe(LISTPACK)
    twin.add('m20', 1)
    expect(encodingOf(twin.mem, twin.entry)).toBe(SKIPLIST)
    twin.check()
    const long = new Twin()
    long.add('x'.repeat(24), 1)
    expect(encodingOf(long.mem, long.entry)).toBe(LISTPACK)
    long.add('x'.repeat(25), 1)
    expect(encodingOf(long.mem, long.entry)).toBe(SKIPLIST)
    long.check()
  })

  test('orders members of one score by bytes in both forms', () => {
    for (const encoding of [LISTPACK, SKIPLIST]) {
      const twin = new Twin(encoding)
      for (const name of ['b', '', 'a', 'ab', '10', '9', '\xff', '\x00']) twin.add(name, 0)
      const names = twin.sorted.map(([name]) => name)
      expect(names).toEqual(['', '\x00', '10', '9', 'a', 'ab', 'b', '\xff'])
      for (const [rank, name] of names.entries()) {
        expect(zsetRankOfKey(twin.mem, twin.entry, bytesOf(name), 0, name.length, false)).toBe(rank)
        expect(zsetRankOfKey(twin.mem, twin.entry, bytesOf(name), 0, name.length, true)).toBe(rank + 1)
      }
      twin.check()
    }
  })

  test('copies, shrinks and gives all memory back', () => {
    const twin = new Twin(SKIPLIST)
    for (let i = 0; i < 15; i++) twin.add(`member ${i}`, i % 4)
    const copy = newRootEntry(twin.mem, word0(ZSET, SKIPLIST), 0, bytesOf('copy'), 0, 4, zsetOps.copyRoot(twin.mem, twin.entry))
    const lp = shrunk(twin.mem, valueRef(twin.mem, copy), LIMITS)
    freeEntry(twin.mem, copy)
    expect(lp).not.toBe(NULL_REF)
    const small = newRootEntry(twin.mem, word0(ZSET, LISTPACK), 0, bytesOf('small'), 0, 5, lp)
    zsetOps.free(twin.mem, twin.entry)
    freeEntry(twin.mem, twin.entry)
    twin.entry = small
    twin.check()
    zsetOps.free(twin.mem, small)
    freeEntry(twin.mem, small)
    expect(twin.mem.used).toBe(0)
  })

  test('frees a large set in steps', () => {
    const twin = new Twin(SKIPLIST)
    for (let i = 0; i < 3000; i++) twin.add(`member ${i}`, i % 400)
    let steps = 0
    while (!zsetOps.freeStep(twin.mem, twin.entry, 500)) {
      steps++
      if (steps < 6) expect(twin.mem.used).toBeGreaterThan(0)
    }
    expect(steps).toBeGreaterThan(3)
    freeEntry(twin.mem, twin.entry)
    expect(twin.mem.used).toBe(0)
  })

  test('an allocation that fails leaves the set as it was', () => {
    for (let seed = 0; seed < 4; seed++) {
      const twin = new Twin(seed % 2 === 0 ? LISTPACK : SKIPLIST)
      let failures = 0
      for (let i = 0; i < 400; i++) {
        const name = `m${(i * 37 + seed) % 150}`
        const value = (i * 7) % 23
        for (let allowed = 0; ; allowed++) {
          twin.mem.countdown = allowed
          try {
            zsetAdd(twin.mem, twin.entry, LIMITS, value, bytesOf(name), 0, name.length, 0)
            break
          } catch (error) {
            expect(error).toBeInstanceOf(OutOfMemory)
            if (failures++ % 7 === 0) twin.check()
          }
        }
        twin.mem.countdown = Infinity
        twin.model.set(name, value)
      }
      expect(failures).toBeGreaterThan(10)
      twin.check()
    }
  })
})
