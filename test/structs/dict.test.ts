import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref, segmentOf } from '../../src/memory/ref.ts'
import { usableBytes } from '../../src/memory/sizeclass.ts'
import {
  auditDict,
  dictAdd,
  dictBytes,
  dictDismantle,
  dictDraw,
  dictFind,
  dictFindEntry,
  dictForEach,
  dictHash,
  dictIsRehashing,
  dictPause,
  dictRandom,
  dictRehash,
  dictRemove,
  dictRemoveDrawn,
  dictReplaceFound,
  dictScan,
  dictSize,
  dictTrim,
  freeDict,
  newDict,
  visited,
} from '../../src/structs/dict.ts'
import { entrySize, freeEntry, keyLength, keyStart, newEntry } from '../../src/structs/entry.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { Random } from '../../src/util/random.ts'

class FailingArena extends Arena {
  countdown = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.countdown < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

const NOTHING = new Uint8Array(0)

/** A dict beside a map that it must agree with. */
class Twin {
  readonly mem = new FailingArena(1, 2)
  readonly dict = newDict(this.mem)
  readonly map = new Map<string, Ref>()

  hash(key: string): number {
    return dictHash(this.mem, bytesOf(key), 0, key.length)
  }

  add(key: string): void {
    if (this.map.has(key)) return
    let entry: Ref = NULL_REF
    try {
      entry = newEntry(this.mem, 0, 0, bytesOf(key), 0, key.length, NOTHING, 0, 0)
      dictAdd(this.mem, this.dict, entry, this.hash(key))
      this.map.set(key, entry)
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
      if (entry !== NULL_REF) freeEntry(this.mem, entry)
    }
  }

  remove(key: string): void {
    const entry = dictRemove(this.mem, this.dict, bytesOf(key), 0, key.length, this.hash(key))
    expect(entry).toBe(this.map.get(key) ?? NULL_REF)
    if (entry !== NULL_REF) freeEntry(this.mem, entry)
    this.map.delete(key)
  }

  move(key: string): void {
    const old = dictFind(this.mem, this.dict, bytesOf(key), 0, key.length, this.hash(key))
    if (old === NULL_REF) return
    const moved = newEntry(this.mem, 0, 0, bytesOf(key), 0, key.length, NOTHING, 0, 0)
    expect(dictFindEntry(this.mem, this.dict, old, this.hash(key))).toBe(true)
    dictReplaceFound(moved)
    freeEntry(this.mem, old)
    this.map.set(key, moved)
  }

  keyOf(entry: Ref): string {
    return latin1(this.mem.u8[segmentOf(entry)], keyStart(this.mem, entry), keyLength(this.mem, entry))
  }

  check(): void {
    expect(dictSize(this.mem, this.dict)).toBe(this.map.size)
    for (const [key, entry] of this.map) expect(dictFind(this.mem, this.dict, bytesOf(key), 0, key.length, this.hash(key))).toBe(entry)
    const seen: Ref[] = []
    dictForEach(this.mem, this.dict, (entry) => seen.push(entry))
    expect(seen.sort()).toEqual([...this.map.values()].sort())
    this.audit()
  }

  audit(): void {
    let bytes = 0
    const faults = auditArena(this.mem, (report) => {
      auditDict(this.mem, this.dict, (ref, size) => {
        bytes += usableBytes(size)
        report(ref, size)
      })
      for (const entry of this.map.values()) report(entry, entrySize(this.mem, entry))
    })
    expect(faults).toEqual([])
    expect(dictBytes(this.mem, this.dict)).toBe(bytes)
  }
}

type Op =
  | { kind: 'add' | 'remove' | 'move'; from: number; count: number }
  | { kind: 'rehash'; count: number }
  | { kind: 'fail'; count: number }
  | { kind: 'trim' }

const keys = fc.nat(600)
const op: fc.Arbitrary<Op> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('add' as const), from: keys, count: fc.nat(120) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('remove' as const), from: keys, count: fc.nat(200) }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('move' as const), from: keys, count: fc.nat(20) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('rehash' as const), count: fc.nat(20) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('fail' as const), count: fc.nat(30) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('trim' as const) }), weight: 1 },
)

function run(twin: Twin, step: Op): void {
  twin.mem.countdown = step.kind === 'fail' ? step.count : Infinity
  if (step.kind === 'rehash') dictRehash(twin.mem, twin.dict, step.count)
  else if (step.kind === 'trim') dictTrim(twin.mem, twin.dict)
  else if (step.kind === 'fail') for (let i = 0; i < 60; i++) twin.add(`f${i}`)
  else for (let i = 0; i < step.count; i++) twin[step.kind](String(step.from + i))
  twin.mem.countdown = Infinity
}

describe('dict', () => {
  test('any sequence of operations agrees with a map, with memory failing at any moment', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 5, maxLength: 40 }), (ops) => {
        const twin = new Twin()
        for (const step of ops) run(twin, step)
        twin.check()
      }),
      { numRuns: 60 },
    )
  })

  test('grows over many bucket pages and shrinks to the smallest table', () => {
    const twin = new Twin()
    for (let i = 0; i < 30_000; i++) twin.add(`key:${i}`)
    twin.check()
    for (let i = 0; i < 30_000; i += 2) twin.remove(`key:${i}`)
    twin.check()
    for (let i = 1; i < 30_000; i += 2) twin.remove(`key:${i}`)
    while (dictRehash(twin.mem, twin.dict, 1000));
    dictTrim(twin.mem, twin.dict)
    while (dictRehash(twin.mem, twin.dict, 1000));
    twin.check()
    expect(twin.mem.used).toBeLessThan(1024)
  })

  test('a table whose growth finds no memory goes on, and grows when there is some', () => {
    const twin = new Twin()
    for (let i = 0; i < 30; i++) twin.add(String(i))
    for (let i = 30; i < 300; i++) {
      twin.mem.countdown = 1 + (i % 3)
      twin.add(String(i))
      if (i % 7 === 0) dictRehash(twin.mem, twin.dict, 3)
    }
    twin.mem.countdown = Infinity
    twin.check()
    for (let i = 300; i < 400; i++) twin.add(String(i))
    twin.check()
  })

  test('a scan sees every entry that was there all the time, whatever is added, removed or resized', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 10, maxLength: 40 }), fc.nat(5), (ops, perStep) => {
        const twin = new Twin()
        const stay = Array.from({ length: 40 }, (_, i) => `stay${i}`)
        for (const key of stay) twin.add(key)
        const seen = new Set<string>()
        let cursor = 0
        let next = 0
        do {
          cursor = dictScan(twin.mem, twin.dict, cursor)
          for (const entry of visited.slice()) seen.add(twin.keyOf(entry))
          for (let i = 0; i < perStep && next < ops.length; i++) run(twin, ops[next++])
        } while (cursor !== 0)
        for (const key of stay) expect(seen.has(key)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test('nothing moves while the dict is paused', () => {
    const twin = new Twin()
    for (let i = 0; i < 40; i++) twin.add(String(i))
    twin.add('one more')
    expect(dictIsRehashing(twin.mem, twin.dict)).toBe(true)
    dictPause(twin.mem, twin.dict, 1)
    for (let i = 100; i < 200; i++) twin.add(String(i))
    expect(dictRehash(twin.mem, twin.dict, 100)).toBe(false)
    expect(dictIsRehashing(twin.mem, twin.dict)).toBe(true)
    dictPause(twin.mem, twin.dict, -1)
    dictRehash(twin.mem, twin.dict, 1000)
    twin.check()
  })

  /** Draws from a dict of `count` entries; the chi-square of the counts over their expected spread, which should be about 0. */
  function spread(count: number, prepare: (twin: Twin) => void, several = false): number {
    const twin = new Twin()
    for (let i = 0; i < count; i++) twin.add(`key:${i}`)
    prepare(twin)
    const random = new Random(42)
    const drawn = new Map<Ref, number>()
    const draws = twin.map.size * 40
    const out = new Uint32Array(4)
    for (let i = 0; i < draws; i++) {
      if (several && i % 4 === 0) expect(dictDraw(twin.mem, twin.dict, random, out, 4)).toBe(4)
      const entry = several ? (out[i % 4] as Ref) : dictRandom(twin.mem, twin.dict, random)
      drawn.set(entry, (drawn.get(entry) ?? 0) + 1)
    }
    let chi = 0
    for (const entry of twin.map.values()) chi += ((drawn.get(entry) ?? 0) - 40) ** 2 / 40
    const freedom = twin.map.size - 1
    return (chi - freedom) / Math.sqrt(2 * freedom)
  }

  test('random entries are drawn evenly: settled, in the middle of a resize, with chains', () => {
    expect(Math.abs(spread(500, (twin) => void dictRehash(twin.mem, twin.dict, 1e6)))).toBeLessThan(4)
    expect(Math.abs(spread(660, () => {}))).toBeLessThan(4)
    const chained = (twin: Twin): void => {
      dictPause(twin.mem, twin.dict, 1)
      for (let i = 0; i < 400; i++) twin.add(`more:${i}`)
    }
    expect(Math.abs(spread(300, chained))).toBeLessThan(4)
    for (const several of [500, 660]) expect(Math.abs(spread(several, () => {}, true))).toBeLessThan(4)
    expect(Math.abs(spread(300, chained, true))).toBeLessThan(4)
  })

  test('random entries are drawn evenly in the middle of shrinking, when buckets have joined', () => {
    const shrinking = (twin: Twin): void => {
      dictRehash(twin.mem, twin.dict, 1e6)
      for (let i = 0; !dictIsRehashing(twin.mem, twin.dict); i++) twin.remove(`key:${i}`)
      dictRehash(twin.mem, twin.dict, 40)
      twin.audit()
    }
    expect(Math.abs(spread(2000, shrinking))).toBeLessThan(4)
  })

  test('popping random entries to the last one takes few draws each, and leaves nothing', () => {
    const twin = new Twin()
    for (let i = 0; i < 30_000; i++) twin.add(String(i))
    const random = new Random(7)
    let draws = 0
    const counted = { below: (n: number): number => (draws++, random.below(n)) }
    while (twin.map.size > 0) {
      const entry = dictRandom(twin.mem, twin.dict, counted)
      expect(twin.map.delete(twin.keyOf(entry))).toBe(true)
      dictRemoveDrawn(twin.mem, twin.dict, entry)
      freeEntry(twin.mem, entry)
      if (twin.map.size % 5000 === 0) twin.audit()
    }
    expect(draws).toBeLessThan(30_000 * 30)
    freeDict(twin.mem, twin.dict)
    expect(twin.mem.used).toBe(0)
  })

  test('a random entry of a sparse table is still found', () => {
    const twin = new Twin()
    dictPause(twin.mem, twin.dict, 1)
    dictPause(twin.mem, twin.dict, -1)
    for (let i = 0; i < 20_000; i++) twin.add(String(i))
    dictPause(twin.mem, twin.dict, 1)
    for (let i = 1; i < 20_000; i++) twin.remove(String(i))
    expect(dictRandom(twin.mem, twin.dict, new Random(1))).toBe(twin.map.get('0'))
    const out = new Uint32Array(2)
    expect(dictDraw(twin.mem, twin.dict, new Random(1), out, 2)).toBe(2)
    expect([...out]).toEqual([twin.map.get('0'), twin.map.get('0')])
    expect(dictDraw(twin.mem, newDict(twin.mem), new Random(1), out, 2)).toBe(0)
    expect(dictRandom(twin.mem, newDict(twin.mem), new Random(1))).toBe(NULL_REF)
  })

  test.each([0, 3, 30, 700, 30_000])('%i entries are taken apart in steps, and the rest is right after each', (count) => {
    const twin = new Twin()
    for (let i = 0; i < count; i++) twin.add(String(i))
    let done = false
    for (let step = 0; !done; step++) {
      done = dictDismantle(twin.mem, twin.dict, count / 20 + 1, (entry) => {
        twin.map.delete(twin.keyOf(entry))
        freeEntry(twin.mem, entry)
        return 1
      })
      if (done) break
      if (step < 40) twin.audit()
      expect(dictSize(twin.mem, twin.dict)).toBe(twin.map.size)
    }
    expect(twin.mem.used).toBe(0)
  })

  test('freeing gives everything back', () => {
    const twin = new Twin()
    for (let i = 0; i < 30_000; i++) twin.add(String(i))
    for (const entry of twin.map.values()) freeEntry(twin.mem, entry)
    freeDict(twin.mem, twin.dict)
    expect(twin.mem.used).toBe(0)
  })
})
