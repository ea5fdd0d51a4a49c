import { expect, test } from 'vitest'
import { TrackingTable } from '../../src/engine/tracking-table.ts'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { dictForEach, dictHash, freeDict } from '../../src/structs/dict.ts'
import { freeEntry } from '../../src/structs/entry.ts'
import { bytesOf } from '../../src/util/bytes.ts'
import { Random } from '../../src/util/random.ts'
import { runSeed, seeded } from '../support/random.ts'

/** An arena whose memory ends after so many allocations. */
class FailingArena extends Arena {
  left = Number.POSITIVE_INFINITY

  override alloc(bytes: number): ReturnType<Arena['alloc']> {
    if (--this.left < 0) throw new OutOfMemory('no memory in this test')
    return super.alloc(bytes)
  }
}

function add(mem: Arena, table: TrackingTable, key: string, id: number): void {
  const bytes = bytesOf(key)
  table.add(bytes, 0, bytes.length, dictHash(mem, bytes, 0, bytes.length), id)
}

function take(table: TrackingTable, key: string): number[] {
  const bytes = bytesOf(key)
  return table.take(bytes, 0, bytes.length) === 0 ? [] : [...table.taken]
}

function check(mem: Arena, table: TrackingTable, model: Map<string, Set<number>>): void {
  expect(table.size).toBe(model.size)
  expect(table.items).toBe([...model.values()].reduce((sum, ids) => sum + ids.size, 0))
  expect(auditArena(mem, (report) => table.audit(report))).toEqual([])
}

test('agrees with a map of sets, whatever fails', () => {
  const random = seeded(runSeed())
  const mem = new FailingArena(1, 2)
  const table = new TrackingTable(mem)
  const model = new Map<string, Set<number>>()
  for (let i = 0; i < 4000; i++) {
    const key = `key:${random.below(40)}`
    if (random.chance(0.02)) {
      expect(take(table, key)).toEqual([...(model.get(key) ?? [])].toSorted((a, b) => a - b))
      model.delete(key)
      continue
    }
    const id = random.chance(0.1) ? 2 ** 40 + random.below(50) : random.below(600)
    mem.left = random.chance(0.05) ? random.below(2) : Number.POSITIVE_INFINITY
    try {
      add(mem, table, key, id)
      model.set(key, (model.get(key) ?? new Set()).add(id))
    } catch (error) {
      expect(error).toBeInstanceOf(OutOfMemory)
    }
    mem.left = Number.POSITIVE_INFINITY
    if (i % 200 === 0) check(mem, table, model)
  }
  check(mem, table, model)
})

test('a key of many clients grows in a block of its own', () => {
  const mem = new Arena(1, 2)
  const table = new TrackingTable(mem)
  const ids = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3000)
  for (const id of ids) add(mem, table, 'hot', id)
  for (const id of ids) add(mem, table, 'hot', id)
  expect(table.items).toBe(3000)
  expect(auditArena(mem, (report) => table.audit(report))).toEqual([])
  expect(take(table, 'hot')).toEqual(Array.from({ length: 3000 }, (_, i) => i))
  expect(table.size).toBe(0)
})

test('gives random keys, and its whole dict away', () => {
  const mem = new Arena(1, 2)
  const table = new TrackingTable(mem)
  for (let i = 0; i < 100; i++) add(mem, table, `key:${i}`, i)
  expect(table.randomKey(new Random(1)).length).toBeGreaterThan(4)
  const dict = table.detach()
  expect([table.size, table.items]).toEqual([0, 0])
  dictForEach(mem, dict, (entry) => freeEntry(mem, entry))
  freeDict(mem, dict)
  expect(mem.used).toBe(0)
})
