import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import type { Ref } from '../../src/memory/ref.ts'
import {
  auditIndex,
  freeIndex,
  IndexCursor,
  indexFind,
  indexFirst,
  indexInsert,
  indexLast,
  indexNext,
  indexPrev,
  indexRemove,
  indexSeekDown,
  indexSeekUp,
  indexSize,
  newIndex,
} from '../../src/structs/stream-index.ts'

/** An arena that fails at a chosen allocation. */
class BrittleArena extends Arena {
  left = Infinity
  override alloc(sizeBytes: number): Ref {
    if (this.left-- <= 0) throw new OutOfMemory('chosen')
    return super.alloc(sizeBytes)
  }
}

const id = new Uint32Array(4)
const cursor = new IndexCursor()

/** Model ids are small numbers, spread over all four words so that every comparison is exercised. */
function setId(n: number): Uint32Array {
  id[0] = n >> 12 === 0 ? 0 : 1
  id[1] = (n >> 8) & 15
  id[2] = ((n >> 4) & 15) === 15 ? 0xffffffff : (n >> 4) & 15
  id[3] = n & 15
  return id
}

function numberAt(view: Uint32Array, at: number): number {
  return (view[at] << 12) | (view[at + 1] << 8) | ((view[at + 2] & 15) << 4) | view[at + 3]
}

function forward(mem: Arena, index: Ref): number[] {
  const found: number[] = []
  for (let more = indexFirst(mem, index, cursor); more; more = indexNext(mem, index, cursor)) found.push(numberAt(cursor.view, cursor.at))
  return found
}

function backward(mem: Arena, index: Ref): number[] {
  const found: number[] = []
  for (let more = indexLast(mem, index, cursor); more; more = indexPrev(mem, index, cursor)) found.push(numberAt(cursor.view, cursor.at))
  return found
}

function checkAgainst(mem: Arena, index: Ref, model: Map<number, number>, values: number): void {
  const keys = [...model.keys()].sort((a, b) => a - b)
  expect(indexSize(mem, index)).toBe(keys.length)
  expect(forward(mem, index)).toEqual(keys)
  expect(backward(mem, index)).toEqual(keys.toReversed())
  for (const [key, value] of model) {
    expect(indexFind(mem, index, setId(key), 0, cursor)).toBe(true)
    for (let i = 0; i < values; i++) expect(cursor.view[cursor.at + 4 + i]).toBe(value + i)
  }
  expect(auditArena(mem, (report) => auditIndex(mem, index, report))).toEqual([])
}

function insert(mem: Arena, index: Ref, key: number, value: number, values: number): void {
  indexInsert(mem, index, setId(key), 0, cursor)
  for (let i = 0; i < values; i++) cursor.view[cursor.at + 4 + i] = value + i
}

const KEYS = 8192
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('add' as const),
      from: fc.nat(KEYS - 1),
      count: fc.nat(120),
      stride: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('remove' as const),
      from: fc.nat(KEYS - 1),
      count: fc.nat(300),
      stride: fc.integer({ min: 1, max: 7 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('append' as const), from: fc.nat(3), count: fc.nat(200), stride: fc.constant(1) }) },
)

describe('stream-index', () => {
  test.each([0, 1, 5])('agrees with a sorted map, %i value words', (values) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const mem = new Arena()
        const index = newIndex(mem, values)
        const model = new Map<number, number>()
        let stamp = 1
        for (const { op, from, count, stride } of steps) {
          const start = op === 'append' ? Math.max(0, ...model.keys()) + 1 + from : from
          for (let i = 0, key = start; i < count && key < KEYS; i++, key += stride) {
            if (op === 'remove') expect(indexRemove(mem, index, setId(key), 0)).toBe(model.delete(key))
            else if (!model.has(key)) {
              stamp += 7
              insert(mem, index, key, stamp, values)
              model.set(key, stamp)
            }
          }
        }
        checkAgainst(mem, index, model, values)
        freeIndex(mem, index)
        expect(mem.used).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  test('seeks to the neighbours of ids that are not there', () => {
    const mem = new Arena()
    const index = newIndex(mem, 1)
    const present = Array.from({ length: 1500 }, (_, i) => i * 5 + 3)
    for (const key of present) insert(mem, index, key, key, 1)
    for (let key = 400; key < 800; key++) if (indexRemove(mem, index, setId(key), 0)) present.splice(present.indexOf(key), 1)
    for (let key = 0; key < 7600; key += 3) {
      const below = present.findLast((p) => p <= key)
      const above = present.find((p) => p >= key)
      expect(indexSeekDown(mem, index, setId(key), 0, cursor)).toBe(below !== undefined)
      if (below !== undefined) expect(numberAt(cursor.view, cursor.at)).toBe(below)
      expect(indexSeekUp(mem, index, setId(key), 0, cursor)).toBe(above !== undefined)
      if (above !== undefined) expect(numberAt(cursor.view, cursor.at)).toBe(above)
    }
    freeIndex(mem, index)
  })

  test('appending fills the leaves: 20.5 bytes an item with one value word', () => {
    const mem = new Arena()
    const index = newIndex(mem, 1)
    for (let key = 0; key < KEYS; key++) insert(mem, index, key, key, 1)
    expect(mem.used / KEYS).toBeLessThan(21.5)
    freeIndex(mem, index)
    expect(mem.used).toBe(0)
  })

  test('removing everything in any order leaves an empty index that can be filled again', () => {
    for (const order of [1, -1, 4099]) {
      const mem = new Arena()
      const index = newIndex(mem, 0)
      for (let key = 0; key < KEYS; key++) insert(mem, index, (key * 4099) % KEYS, 0, 0)
      for (let i = 0, key = order < 0 ? KEYS - 1 : 0; i < KEYS; i++, key = (key + order + KEYS) % KEYS)
        expect(indexRemove(mem, index, setId(key), 0)).toBe(true)
      expect(indexFirst(mem, index, cursor)).toBe(false)
      insert(mem, index, 77, 0, 0)
      expect(forward(mem, index)).toEqual([77])
      freeIndex(mem, index)
      expect(mem.used).toBe(0)
    }
  })

  test('an insert that finds no memory changes nothing', () => {
    const mem = new BrittleArena()
    const index = newIndex(mem, 5)
    const model = new Map<number, number>()
    for (let i = 0; i < KEYS; i++) {
      const key = (i * 4099) % KEYS
      mem.left = i % 3
      try {
        insert(mem, index, key, key, 5)
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfMemory)
        mem.left = Infinity
        if (i % 97 === 0) checkAgainst(mem, index, model, 5)
        insert(mem, index, key, key, 5)
      }
      mem.left = Infinity
      model.set(key, key)
    }
    checkAgainst(mem, index, model, 5)
    freeIndex(mem, index)
    expect(mem.used).toBe(0)
  })
})
