import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, type Ref, segmentOf } from '../../src/memory/ref.ts'
import {
  copyIntset,
  freeIntset,
  intsetAdd,
  intsetBytes,
  intsetFrom,
  intsetGet,
  intsetHas,
  intsetLength,
  intsetParse,
  intsetRemove,
  intsetRemoveAt,
  intsetValidate,
  intsetValue,
  newIntset,
} from '../../src/structs/intset.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

class FailingArena extends Arena {
  failing = false
  override alloc(sizeBytes: number): Ref {
    if (this.failing) throw new OutOfMemory()
    return super.alloc(sizeBytes)
  }
}

function parse(value: bigint | number): void {
  const text = String(value)
  expect(intsetParse(bytesOf(text), 0, text.length)).toBe(true)
}

function add(mem: Arena, set: Ref, value: bigint | number): Ref {
  parse(value)
  return intsetAdd(mem, set)
}

function members(mem: Arena, set: Ref): bigint[] {
  return Array.from({ length: intsetLength(mem, set) }, (_, i) => {
    intsetGet(mem, set, i)
    return BigInt(latin1(intsetValue.bytes, intsetValue.off, intsetValue.len))
  })
}

function rawBytes(mem: Arena, set: Ref): Uint8Array {
  return mem.u8[segmentOf(set)].slice(byteOf(set), byteOf(set) + intsetBytes(mem, set))
}

describe('intset', () => {
  test('bytes', () => {
    const mem = new Arena()
    let set = add(mem, newIntset(mem), 5)
    set = add(mem, set, -2)
    expect([...rawBytes(mem, set)]).toEqual([2, 0, 0, 0, 2, 0, 0, 0, 0xfe, 0xff, 5, 0])
    set = add(mem, set, 65536)
    expect([...rawBytes(mem, set)]).toEqual([4, 0, 0, 0, 3, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 5, 0, 0, 0, 0, 0, 1, 0])
    set = add(mem, set, -(2n ** 63n))
    expect([...rawBytes(mem, set)].slice(0, 16)).toEqual([8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80])
  })

  test('only canonical texts are integers', () => {
    for (const text of ['', '01', '-0', '+1', ' 1', '1.0', '9223372036854775808', 'x']) {
      expect(intsetParse(bytesOf(text), 0, text.length)).toBe(false)
    }
  })

  test('does what a sorted set of integers does', () => {
    const near = [0n, 2n ** 15n, 2n ** 31n, 2n ** 53n, 2n ** 63n - 20n, -(2n ** 15n), -(2n ** 31n), -(2n ** 53n), -(2n ** 63n) + 20n]
    const value = fc.tuple(fc.constantFrom(...near), fc.integer({ min: -15, max: 15 })).map(([base, d]) => base + BigInt(d))
    const step = fc.tuple(fc.nat(5), value)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const mem = new Arena()
        let set = newIntset(mem)
        const model = new Set<bigint>()
        for (const [op, v] of steps) {
          parse(v)
          expect(intsetHas(mem, set)).toBe(model.has(v))
          if (op < 3) {
            if (!model.has(v)) set = intsetAdd(mem, set)
            model.add(v)
          } else if (op === 3) {
            set = intsetRemove(mem, set)
            model.delete(v)
          } else if (op === 4 && model.size > 0) {
            const sorted = [...model].toSorted((a, b) => (a < b ? -1 : 1))
            const index = Number(((v % BigInt(model.size)) + BigInt(model.size)) % BigInt(model.size))
            set = intsetRemoveAt(mem, set, index)
            model.delete(sorted[index])
          } else {
            const copy = copyIntset(mem, set)
            freeIntset(mem, set)
            set = copy
          }
          expect(members(mem, set)).toEqual([...model].toSorted((a, b) => (a < b ? -1 : 1)))
        }
        const raw = rawBytes(mem, set)
        expect(intsetValidate(raw, 0, raw.length, true)).toBe(model.size > 0)
        expect(auditArena(mem, (report) => report(set, intsetBytes(mem, set)))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  test('a failed allocation changes nothing', () => {
    const mem = new FailingArena()
    let set = newIntset(mem)
    for (let i = 0; i < 60; i++) set = add(mem, set, i)
    const before = members(mem, set)
    for (const value of [64, 1e6, 2 ** 40]) {
      mem.failing = true
      expect(() => add(mem, set, value)).toThrow(OutOfMemory)
      mem.failing = false
      expect(members(mem, set)).toEqual(before)
    }
    expect(auditArena(mem, (report) => report(set, intsetBytes(mem, set)))).toEqual([])
  })

  test('payloads are checked', () => {
    const mem = new Arena()
    let set = newIntset(mem)
    for (const v of [1, 2, 3]) set = add(mem, set, v)
    const raw = rawBytes(mem, set)
    expect(members(mem, intsetFrom(mem, raw, 0, raw.length))).toEqual([1n, 2n, 3n])
    const damaged = (at: number, byte: number) => {
      const copy = raw.slice()
      copy[at] = byte
      return copy
    }
    expect(intsetValidate(damaged(0, 3), 0, 14, true)).toBe(false)
    expect(intsetValidate(damaged(0, 4), 0, 14, true)).toBe(false)
    expect(intsetValidate(damaged(4, 4), 0, 14, true)).toBe(false)
    expect(intsetValidate(damaged(8, 2), 0, 14, true)).toBe(false)
    expect(intsetValidate(damaged(8, 2), 0, 14, false)).toBe(true)
    expect(intsetValidate(raw, 0, 13, true)).toBe(false)
  })
})
