import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../../src/memory/ref.ts'
import { freeEntry, keyLength, keyStart, newEntry, SLOT } from '../../src/structs/entry.ts'
import {
  auditRankTree,
  entryAt,
  freeRankTree,
  newRankTree,
  type Place,
  rankHeight,
  rankOf,
  rankOfKey,
  rankOfScore,
  rankSize,
  scoreAt,
  seekRank,
  stepBack,
  stepForward,
} from '../../src/structs/ranktree.ts'
import { rankInsert, rankMove, rankRemove, rankRemoveRun } from '../../src/structs/ranktree-edit.ts'
import {
  HEIGHT,
  INNER_CHILDREN,
  INNER_ENTRIES,
  INNER_SCORES,
  INNER_SIZES,
  LEAF_ENTRIES,
  LEAF_SCORES,
  TOP,
} from '../../src/structs/ranktree-node.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

class FailingArena extends Arena {
  countdown = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.countdown < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

interface Item {
  key: string
  score: number
  entry: Ref
}

const order = (a: Item, b: Item): number => a.score - b.score || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

/** A tree beside an array that it must agree with. */
class Twin {
  readonly mem = new FailingArena()
  readonly tree = newRankTree(this.mem)
  items: Item[] = []

  insert(key: string, score: number): void {
    const entry = newEntry(this.mem, 3, SLOT, bytesOf(key), 0, key.length, new Uint8Array(0), 0, 0)
    rankInsert(this.mem, this.tree, score, entry)
    this.items.push({ key, score, entry })
  }

  sort(): void {
    this.items.sort(order)
  }

  /** Invariants (1) to (3) of the layout, the order, the chain and all the ranks. */
  check(): void {
    this.sort()
    const { mem, tree } = this
    const root = mem.u32[segmentOf(tree)]
    const at = wordOf(tree)
    expect(rankSize(mem, tree)).toBe(this.items.length)
    const seen: Ref[] = []
    this.checkNode(root[at + TOP] as Ref, root[at + HEIGHT] - 1, seen)
    expect(seen).toEqual(this.items.map((item) => item.entry))
    const place: Place = { leaf: NULL_REF, index: 0 }
    seekRank(mem, tree, 0, place)
    for (const item of this.items) {
      expect([entryAt(mem, place), scoreAt(mem, place)]).toEqual([item.entry, item.score])
      stepForward(mem, place)
    }
    expect(place.leaf).toBe(NULL_REF)
    seekRank(mem, tree, this.items.length - 1, place)
    for (const item of this.items.toReversed()) {
      expect(entryAt(mem, place)).toBe(item.entry)
      stepBack(mem, place)
    }
    expect(place.leaf).toBe(NULL_REF)
    const faults = auditArena(mem, (report) => {
      auditRankTree(mem, tree, report)
      for (const item of this.items) report(item.entry, 24 + item.key.length)
    })
    expect(faults).toEqual([])
  }

  private checkNode(node: Ref, level: number, seen: Ref[]): { size: number; entry: number; score: number } {
    const u32 = this.mem.u32[segmentOf(node)]
    const f64 = this.mem.f64[segmentOf(node)]
    const at = wordOf(node)
    const count = u32[at]
    if (level === 0) {
      for (let i = 0; i < count; i++) seen.push(u32[at + LEAF_ENTRIES + i] as Ref)
      return { size: count, entry: u32[at + LEAF_ENTRIES], score: f64[(at >>> 1) + LEAF_SCORES] }
    }
    expect(count).toBeGreaterThan(0)
    let size = 0
    let first = { size: 0, entry: 0, score: 0 }
    for (let i = 0; i < count; i++) {
      const child = this.checkNode(u32[at + INNER_CHILDREN + i] as Ref, level - 1, seen)
      expect(child.size).toBeGreaterThan(0)
      expect(u32[at + INNER_SIZES + i]).toBe(child.size)
      if (i === 0) first = child
      else expect([u32[at + INNER_ENTRIES + i], f64[(at >>> 1) + INNER_SCORES + i]]).toEqual([child.entry, child.score])
      size += child.size
    }
    return { ...first, size }
  }

  checkRanks(): void {
    this.sort()
    const { mem, tree } = this
    const place: Place = { leaf: NULL_REF, index: 0 }
    for (const [rank, item] of this.items.entries()) {
      const bytes = mem.u8[segmentOf(item.entry)]
      expect(rankOf(mem, tree, item.score, bytes, keyStart(mem, item.entry), keyLength(mem, item.entry))).toBe(rank)
      seekRank(mem, tree, rank, place)
      expect(entryAt(mem, place)).toBe(item.entry)
      for (const through of [false, true]) {
        const below = this.items.filter((other) => (through ? other.score <= item.score : other.score < item.score)).length
        expect(rankOfScore(mem, tree, item.score, through, place)).toBe(below)
        if (below < this.items.length) expect(entryAt(mem, place)).toBe(this.items[below].entry)
        else expect(place.leaf).toBe(NULL_REF)
      }
    }
  }

  remove(index: number): void {
    const [item] = this.items.splice(index, 1)
    rankRemove(this.mem, this.tree, item.score, item.entry)
    freeEntry(this.mem, item.entry)
  }

  removeRange(rank: number, count: number): void {
    this.sort()
    const removed: Ref[] = []
    const expected = this.items.splice(rank, count).map((item) => item.entry)
    const seen: Ref[] = []
    while (seen.length < expected.length) {
      expect(rankRemoveRun(this.mem, this.tree, rank, expected.length - seen.length, removed)).toBe(removed.length)
      seen.push(...removed)
    }
    expect(seen).toEqual(expected)
    for (const entry of seen) freeEntry(this.mem, entry)
  }

  move(index: number, score: number): void {
    const item = this.items[index]
    if (item.score === score) return
    rankMove(this.mem, this.tree, item.score, item.entry, score)
    item.score = score
  }
}

const operation = fc.record({ what: fc.nat(99), at: fc.nat(), score: fc.nat(40), count: fc.nat(120) })

describe('ranktree', () => {
  test('agrees with a sorted array under random operations', () => {
    const run = fc.property(fc.array(operation, { minLength: 1, maxLength: 120 }), (operations) => {
      const twin = new Twin()
      let next = 0
      for (const { what, at, score, count } of operations) {
        const size = twin.items.length
        if (what < 55 || size === 0)
          for (let i = 0; i < count; i++) twin.insert(`m${(next++ * 7919) % 100_003}`, what % 3 === 0 ? score : (score * i) % 97)
        else if (what < 70) for (let i = 0; i < count && twin.items.length > 0; i++) twin.remove((at + i * 31) % twin.items.length)
        else if (what < 80) twin.removeRange(at % size, Math.min(size - (at % size), count))
        else
          for (let i = 0; i < count; i++)
            twin.move((at + i * 17) % size, what < 90 ? twin.items[(at + i * 17) % size].score + 1 : score - i)
      }
      twin.check()
      twin.removeRange(0, twin.items.length)
      twin.check()
    })
    fc.assert(run, { numRuns: 60 })
  })

  test('ranks, seeks and counts by score at three levels and more, with ties', () => {
    const twin = new Twin()
    for (let i = 0; i < 3000; i++) twin.insert(`k${(i * 7919) % 3001}`, (i * 37) % 500)
    expect(rankHeight(twin.mem, twin.tree)).toBeGreaterThan(2)
    twin.check()
    twin.items = twin.items.slice()
    twin.checkRanks()
  })

  test('orders one score by key, prefixes first', () => {
    const twin = new Twin()
    for (let i = 0; i < 1500; i++) twin.insert('x'.repeat((i * 7) % 50) + String((i * 7919) % 1501), 0)
    twin.check()
    const keys = twin.items.map((item) => item.key)
    for (const [rank, key] of keys.entries()) {
      expect(rankOfKey(twin.mem, twin.tree, bytesOf(key), 0, key.length, false)).toBe(rank)
      expect(rankOfKey(twin.mem, twin.tree, bytesOf(key), 0, key.length, true)).toBe(rank + 1)
    }
    expect(keys[0]).toBe(latin1(twin.mem.u8[0], keyStart(twin.mem, twin.items[0].entry), keys[0].length))
  })

  test('fills its leaves when scores ascend, and stays valid when they descend', () => {
    for (const direction of [1, -1]) {
      const twin = new Twin()
      for (let i = 0; i < 4100; i++) twin.insert(`m${i}`, i * direction)
      const before = twin.mem.used
      twin.check()
      const nodes = before - twin.items.length * 32
      expect(nodes).toBeLessThan(4100 * 14)
    }
  })

  test('an allocation that fails leaves the tree as it was', () => {
    const twin = new Twin()
    let failures = 0
    for (let i = 0; i < 6000; i++) {
      const key = `m${(i * 7919) % 6007}`
      const entry = newEntry(twin.mem, 3, SLOT, bytesOf(key), 0, key.length, new Uint8Array(0), 0, 0)
      for (let allowed = 0; ; allowed++) {
        twin.mem.countdown = allowed
        try {
          rankInsert(twin.mem, twin.tree, i % 1000, entry)
          break
        } catch {
          failures++
          if (failures % 50 === 0) {
            twin.mem.countdown = Infinity
            freeEntry(twin.mem, entry)
            twin.check()
            const again = newEntry(twin.mem, 3, SLOT, bytesOf(key), 0, key.length, new Uint8Array(0), 0, 0)
            expect(again).toBe(entry)
          }
        }
      }
      twin.mem.countdown = Infinity
      twin.items.push({ key, score: i % 1000, entry })
    }
    expect(failures).toBeGreaterThan(100)
    twin.check()
  })

  test('gives all its memory back', () => {
    const mem = new Arena()
    const tree = newRankTree(mem)
    const entries: Ref[] = []
    for (let i = 0; i < 5000; i++) {
      const key = bytesOf(String(i))
      entries.push(newEntry(mem, 3, SLOT, key, 0, key.length, new Uint8Array(0), 0, 0))
      rankInsert(mem, tree, (i * 31) % 777, entries[i])
    }
    freeRankTree(mem, tree)
    for (const entry of entries) freeEntry(mem, entry)
    expect(mem.used).toBe(0)
  })
})
