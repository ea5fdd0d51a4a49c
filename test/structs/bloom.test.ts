import { describe, expect, it } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../../src/memory/ref.ts'
import * as B from '../../src/structs/bloom.ts'
import * as D from '../../src/structs/bloom-dump.ts'
import { bytesOf } from '../../src/util/bytes.ts'

const audit = (mem: Arena, ...roots: Ref[]): string[] =>
  auditArena(mem, (report) => roots.forEach((root) => B.auditBloom(mem, root, report)))

function add(mem: Arena, root: Ref, text: string): number {
  const item = bytesOf(text)
  return B.bloomAdd(mem, root, item, 0, item.length)
}

function has(mem: Arena, root: Ref, text: string): boolean {
  const item = bytesOf(text)
  return B.bloomHas(mem, root, item, 0, item.length)
}

/** Share of strangers that the filter takes for members. */
function falsePositives(mem: Arena, root: Ref, tries: number): number {
  let hits = 0
  for (let i = 0; i < tries; i++) if (has(mem, root, `stranger ${i}`)) hits++
  return hits / tries
}

describe('bloom', () => {
  it('has the sizes of RedisBloom', () => {
    const mem = new Arena()
    const root = B.newBloom(mem, 100, 0.01, 2, false)
    expect([B.bloomCapacity(mem, root), B.bloomSize(mem, root), B.bloomLink(mem, root, 0).hashes]).toEqual([100, 240, 8])
  })

  it('never forgets an item and stays within the promised error, at capacity and grown', () => {
    for (const [error, capacity, added, fixed] of [
      [0.01, 20_000, 20_000, true],
      [0.01, 20_000, 20_000, false],
      [0.001, 20_000, 20_000, true],
      [0.01, 1_000, 40_000, false],
      [0.1, 300, 5_000, false],
    ] as const) {
      const mem = new Arena()
      let root = B.newBloom(mem, capacity, error, 2, fixed)
      let fresh = 0
      for (let i = 0; i < added; i++) {
        fresh += add(mem, root, `member ${i}`) === 1 ? 1 : 0
        root = B.bloomRoot
      }
      for (let i = 0; i < added; i++) if (!has(mem, root, `member ${i}`)) throw new Error(`member ${i} is lost`)
      expect(B.bloomItems(mem, root)).toBe(fresh)
      // Three standard deviations of the measurement itself are allowed on top.
      const tries = 40_000
      expect(falsePositives(mem, root, tries)).toBeLessThanOrEqual(error + 3 * Math.sqrt((error * (1 - error)) / tries))
      expect(audit(mem, root)).toEqual([])
      B.freeBloom(mem, root)
      expect(mem.used).toBe(0)
    }
  })

  it('answers "full" when it may not grow, and takes known items still', () => {
    const mem = new Arena()
    const root = B.newBloom(mem, 10, 0.001, 0, true)
    let full = 0
    for (let i = 0; i < 20; i++) if (add(mem, root, `item ${i}`) === B.BLOOM_FULL) full++
    expect([full, B.bloomItems(mem, root), add(mem, root, 'item 0')]).toEqual([10, 10, 0])
  })

  it('is the same after copying and after dumping and loading', () => {
    const mem = new Arena()
    let root = B.newBloom(mem, 50, 0.01, 4, false)
    for (let i = 0; i < 3000; i++) {
      add(mem, root, `item ${i}`)
      root = B.bloomRoot
    }
    const header = D.dumpHeader(mem, root)
    const loaded = D.loadHeader(mem, header, 0, header.length)
    for (let iterator = 1; D.findChunk(mem, root, iterator - 1); ) {
      const len = Math.min(D.chunkLength, 1000)
      const at = byteOf(D.chunkRef) + D.chunkOffset
      const bytes = mem.u8[segmentOf(D.chunkRef)].slice(at, at + len)
      iterator += len
      expect(D.loadChunk(mem, loaded, iterator, bytes, 0, len)).toBe('')
    }
    for (const other of [loaded, B.copyBloom(mem, root)]) {
      expect(D.dumpHeader(mem, other)).toEqual(header)
      for (let i = 0; i < 6000; i++) expect(has(mem, other, `item ${i}`)).toBe(has(mem, root, `item ${i}`))
      B.freeBloom(mem, other)
    }
    expect(audit(mem, root)).toEqual([])
  })

  it('refuses damaged headers and chunks that do not fit', () => {
    const mem = new Arena()
    const root = B.newBloom(mem, 100, 0.01, 2, false)
    const header = D.dumpHeader(mem, root)
    expect(D.loadHeader(mem, header, 0, header.length - 1)).toBe(NULL_REF)
    for (let at = 8; at < header.length; at++) {
      const damaged = header.slice()
      damaged[at] ^= 0x7f
      const loaded = D.loadHeader(mem, damaged, 0, damaged.length)
      if (loaded === NULL_REF) continue
      has(mem, loaded, 'x')
      B.freeBloom(mem, loaded)
    }
    const chunk = new Uint8Array(200)
    expect(D.loadChunk(mem, root, 201, chunk, 0, 200)).toBe('invalid chunk - Too big for current filter')
    expect(D.loadChunk(mem, root, 0, chunk, 0, 200)).toBe('invalid offset - no link found')
    expect(D.loadChunk(mem, root, 1000, chunk, 0, 10)).toBe('invalid offset - no link found')
    expect(audit(mem, root)).toEqual([])
  })

  it('stays valid when an allocation fails', () => {
    class Failing extends Arena {
      left = Infinity
      override alloc(bytes: number): Ref {
        if (--this.left < 0) throw new OutOfMemory('test')
        return super.alloc(bytes)
      }
      override allocZeroed(bytes: number): Ref {
        if (--this.left < 0) throw new OutOfMemory('test')
        return super.allocZeroed(bytes)
      }
    }
    const mem = new Failing()
    let root = B.newBloom(mem, 4, 0.01, 2, false)
    for (let i = 0; i < 200; i++) {
      for (let left = 0; ; left++) {
        mem.left = left
        try {
          add(mem, root, `item ${i}`)
          break
        } catch (error) {
          expect(error).toBeInstanceOf(OutOfMemory)
          mem.left = Infinity
          expect(audit(mem, root)).toEqual([])
        }
      }
      mem.left = Infinity
      root = B.bloomRoot
    }
    expect(B.bloomFilters(mem, root)).toBeGreaterThan(3)
    expect(audit(mem, root)).toEqual([])
  })
})
