import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, NULL_REF, type Ref, SEGMENT_BYTES, segmentOf } from '../../src/memory/ref.ts'
import { usableBytes } from '../../src/memory/sizeclass.ts'
import {
  EMBEDDED_MAX,
  embeddedRoom,
  encodingOf,
  entryBytes,
  entrySize,
  freeEntry,
  freeShell,
  hasFlag,
  isOutside,
  keyEquals,
  keyLength,
  keyStart,
  lruOf,
  MARK,
  newEntry,
  newRootEntry,
  outsideCapacity,
  reshapeEntry,
  ROOT,
  SLOT,
  setEncoding,
  setFlag,
  setLru,
  setSlotValue,
  setValueRef,
  slotValue,
  typeOf,
  valueLength,
  valuePlace,
  valueRef,
  valueSegment,
  valueStart,
} from '../../src/structs/entry.ts'

class FailingArena extends Arena {
  countdown = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.countdown < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

const key = fc.uint8Array({ maxLength: 300 })
const value = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.integer({ min: EMBEDDED_MAX - 20, max: EMBEDDED_MAX + 20 }).map((n) => new Uint8Array(n).fill(n)),
)

function audit(mem: Arena, entry: Ref): void {
  const faults = auditArena(mem, (report) => {
    report(entry, entrySize(mem, entry))
    if (isOutside(mem, entry)) report(valueRef(mem, entry), outsideCapacity(mem, entry))
  })
  expect(faults).toEqual([])
  expect(entryBytes(mem, entry)).toBe(mem.used)
}

function bytesAt(mem: Arena, segment: number, start: number, length: number): Uint8Array {
  return mem.u8[segment].slice(start, start + length)
}

function expectEntry(mem: Arena, entry: Ref, name: Uint8Array, content: Uint8Array): void {
  expect(bytesAt(mem, segmentOf(entry), keyStart(mem, entry), keyLength(mem, entry))).toEqual(name)
  expect(keyEquals(mem, entry, name, 0, name.length)).toBe(true)
  expect(bytesAt(mem, valueSegment(mem, entry), valueStart(mem, entry), valueLength(mem, entry))).toEqual(content)
}

test('an entry holds its key, value, labels and slot, and survives being reshaped', () => {
  fc.assert(
    fc.property(
      key,
      key,
      value,
      fc.boolean(),
      fc.nat(15),
      fc.nat(15),
      fc.nat(0xffffff),
      (name, other, content, slot, type, encoding, lru) => {
        const mem = new Arena()
        const entry = newEntry(mem, type, slot ? SLOT : 0, name, 0, name.length, content, 0, content.length)
        setEncoding(mem, entry, encoding)
        setLru(mem, entry, lru)
        if (slot) setSlotValue(mem, entry, -1.5)
        expectEntry(mem, entry, name, content)
        expect([typeOf(mem, entry), encodingOf(mem, entry), lruOf(mem, entry)]).toEqual([type, encoding, lru])
        expect(isOutside(mem, entry)).toBe(content.length > EMBEDDED_MAX)
        if (!isOutside(mem, entry)) expect(embeddedRoom(mem, entry)).toBeGreaterThanOrEqual(content.length)
        audit(mem, entry)
        const moved = reshapeEntry(mem, entry, !slot, other, 0, other.length)
        freeShell(mem, entry)
        expectEntry(mem, moved, other, content)
        expect(hasFlag(mem, moved, SLOT)).toBe(!slot)
        audit(mem, moved)
        const back = reshapeEntry(mem, moved, true, name, 0, name.length)
        freeShell(mem, moved)
        setSlotValue(mem, back, 42)
        const kept = reshapeEntry(mem, back, true, other, 0, other.length)
        freeShell(mem, back)
        expect(slotValue(mem, kept)).toBe(42)
        expectEntry(mem, kept, other, content)
        freeEntry(mem, kept)
        expect(mem.used).toBe(0)
      },
    ),
  )
})

test('a root entry holds one ref, and flags are switched one by one', () => {
  const mem = new Arena()
  const name = new Uint8Array([1, 2, 3])
  const entry = newRootEntry(mem, 4, 0, name, 0, 3, NULL_REF)
  setValueRef(mem, entry, 12345 as Ref)
  setFlag(mem, entry, MARK, true)
  expect([valueRef(mem, entry), hasFlag(mem, entry, MARK), hasFlag(mem, entry, ROOT)]).toEqual([12345, true, true])
  const moved = reshapeEntry(mem, entry, true, name, 0, 3)
  freeShell(mem, entry)
  expect([valueRef(mem, moved), hasFlag(mem, moved, MARK), hasFlag(mem, moved, SLOT)]).toEqual([12345, true, true])
  setFlag(mem, moved, MARK, false)
  expect(hasFlag(mem, moved, MARK)).toBe(false)
  freeShell(mem, moved)
  expect(mem.used).toBe(0)
})

test('an entry that finds no memory leaves nothing behind', () => {
  const name = new Uint8Array(10)
  for (const length of [10, EMBEDDED_MAX + 1]) {
    for (let allowed = 0; ; allowed++) {
      const mem = new FailingArena()
      mem.countdown = allowed
      try {
        newEntry(mem, 0, 0, name, 0, 10, new Uint8Array(length), 0, length)
        break
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfMemory)
        expect(mem.used).toBe(0)
      }
    }
  }
})

/** The value is met inside the entry's own block, where its last byte is, unless the entry is empty. */
function expectPlaceInside(mem: Arena, entry: Ref): void {
  const place = valuePlace(mem, entry)
  const end = keyStart(mem, entry) + keyLength(mem, entry) + valueLength(mem, entry)
  expect(segmentOf(place)).toBe(segmentOf(entry))
  expect(byteOf(place) + 8).toBeLessThanOrEqual(byteOf(entry) + usableBytes(entrySize(mem, entry)))
  expect([byteOf(place) < end, end <= byteOf(place) + 8]).toEqual([true, true])
}

test.each([0, 1, 3, 4, 5, 8, 300])('an embedded value is met at its last byte, behind a key of %i bytes', (length) => {
  const mem = new Arena(1, 2)
  const bytes = new Uint8Array(1024)
  for (const flags of [0, SLOT]) {
    for (const size of [0, 1, 2, 3, 4, 5, 7, 8, 9, 100, EMBEDDED_MAX]) {
      expectPlaceInside(mem, newEntry(mem, 1, flags, bytes, 0, length, bytes, 0, size))
    }
  }
})

test.each([0, 1, 4, 9])('what an entry refers to is met there, behind a key of %i bytes', (length) => {
  const mem = new Arena(1, 2)
  const bytes = new Uint8Array(EMBEDDED_MAX + 1)
  for (const flags of [0, SLOT]) {
    const outside = newEntry(mem, 1, flags, bytes, 0, length, bytes, 0, EMBEDDED_MAX + 1)
    expect([isOutside(mem, outside), valuePlace(mem, outside)]).toEqual([true, valueRef(mem, outside)])
    const root = newRootEntry(mem, 1, flags, bytes, 0, length, outside)
    expect(valuePlace(mem, root)).toBe(outside)
  }
})

test('no value is looked for behind a key so long that no ref reaches that far', () => {
  const mem = new Arena(1, 2)
  const bytes = new Uint8Array(SEGMENT_BYTES + 8)
  const long = newEntry(mem, 1, 0, bytes, 0, bytes.length, bytes, 0, 1)
  expect(valuePlace(mem, long)).toBe(long)
  expectPlaceInside(mem, newEntry(mem, 1, 0, bytes, 0, SEGMENT_BYTES / 2 + 8, bytes, 0, 1))
})
