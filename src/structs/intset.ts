/**
 * intset: a sorted array of integers, all 2, 4 or 8 bytes wide, byte-identical to the one in Redis' files and payloads.
 *
 *   | width u32 | length u32 | length x width bytes, little endian, strictly ascending |
 *
 * (1) width is the smallest that holds every member that ever was in it; it never shrinks.
 * (2) The block's size is 8 + length x width.
 * (3) add and remove may move the block: callers keep the returned ref. On OutOfMemory nothing has changed.
 * (4) Members are looked for, added and removed as the integer that `intsetParse` or `intsetTake` found last ("wanted"). It is held as its
 *     two words and as their double; doubles order int64s rightly, except that neighbours beyond 2^53 may look equal.
 *
 * find is O(log n); add and remove move O(n) bytes; get is O(1).
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { copyBytes, moveBytes } from '../util/bytes.ts'
import { parseInt53, parseInt64, writeBigInt, writeInt } from '../util/int64.ts'

const HEADER = 8
const TWO_32 = 2 ** 32

/** The wanted integer. */
let wanted = 0
let wantedLow = 0
let wantedHigh = 0

/** The digits of the member that `intsetGet` read last. */
export const intsetValue: { bytes: Uint8Array; off: number; len: number } = { bytes: new Uint8Array(24), off: 0, len: 0 }

/** Makes the integer spelled by these bytes the wanted one; false when they are not the canonical text of an int64. */
export function intsetParse(bytes: Uint8Array, off: number, len: number): boolean {
  const value = parseInt53(bytes, off, len)
  if (value === value) {
    intsetTake(value)
    return true
  }
  const big = len > 15 ? parseInt64(bytes, off, len) : null
  if (big === null) return false
  wantedLow = Number(BigInt.asUintN(32, big))
  wantedHigh = Number(BigInt.asIntN(32, big >> 32n))
  wanted = wantedHigh * TWO_32 + wantedLow
  return true
}

/** Makes an integer of up to 2^53 - 1 the wanted one. */
export function intsetTake(value: number): void {
  wanted = value
  wantedLow = value >>> 0
  wantedHigh = Math.floor(value / TWO_32)
}

export function newIntset(mem: Arena): Ref {
  const set = mem.alloc(HEADER)
  mem.u32[segmentOf(set)][wordOf(set)] = 2
  mem.u32[segmentOf(set)][wordOf(set) + 1] = 0
  return set
}

/** An intset that is a copy of these bytes, which `intsetValidate` must have accepted. */
export function intsetFrom(mem: Arena, bytes: Uint8Array, off: number, len: number): Ref {
  const set = mem.alloc(len)
  copyBytes(mem.u8[segmentOf(set)], byteOf(set), bytes, off, len)
  return set
}

export function copyIntset(mem: Arena, set: Ref): Ref {
  const fresh = mem.alloc(intsetBytes(mem, set))
  copyBytes(mem.u8[segmentOf(fresh)], byteOf(fresh), mem.u8[segmentOf(set)], byteOf(set), intsetBytes(mem, set))
  return fresh
}

export function freeIntset(mem: Arena, set: Ref): void {
  mem.free(set, intsetBytes(mem, set))
}

function widthOf(mem: Arena, set: Ref): number {
  return mem.u32[segmentOf(set)][wordOf(set)]
}

export function intsetLength(mem: Arena, set: Ref): number {
  return mem.u32[segmentOf(set)][wordOf(set) + 1]
}

/** Bytes of the block: what `mem.free` and the audit want to know. */
export function intsetBytes(mem: Arena, set: Ref): number {
  return HEADER + intsetLength(mem, set) * widthOf(mem, set)
}

/** The member at an index as a double: exact up to 2^53. */
function valueAt(mem: Arena, set: Ref, width: number, index: number): number {
  const u32 = mem.u32[segmentOf(set)]
  const at = wordOf(set) + 2
  if (width === 2) return (u32[at + (index >>> 1)] << ((index & 1) === 0 ? 16 : 0)) >> 16
  if (width === 4) return u32[at + index] | 0
  return (u32[at + 2 * index + 1] | 0) * TWO_32 + u32[at + 2 * index]
}

/** Negative, zero or positive as the member at the index is less than, equal to or greater than the wanted integer. */
function compareAt(mem: Arena, set: Ref, width: number, index: number): number {
  const difference = valueAt(mem, set, width, index) - wanted
  if (difference !== 0 || width < 8) return difference
  const u32 = mem.u32[segmentOf(set)]
  const at = wordOf(set) + 2 + 2 * index
  const high = (u32[at + 1] | 0) - wantedHigh
  return high !== 0 ? high : u32[at] - wantedLow
}

/** Index of the first member that is not less than the wanted integer. */
function lowerBound(mem: Arena, set: Ref): number {
  const width = widthOf(mem, set)
  let from = 0
  let to = intsetLength(mem, set)
  if (to > 0 && compareAt(mem, set, width, to - 1) < 0) return to
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareAt(mem, set, width, middle) < 0) from = middle + 1
    else to = middle
  }
  return from
}

function holdsAt(mem: Arena, set: Ref, index: number): boolean {
  return index < intsetLength(mem, set) && compareAt(mem, set, widthOf(mem, set), index) === 0
}

/** Whether the wanted integer is a member. */
export function intsetHas(mem: Arena, set: Ref): boolean {
  return holdsAt(mem, set, lowerBound(mem, set))
}

function widthOfWanted(): number {
  if (wanted >= -32768 && wanted <= 32767) return 2
  return wanted >= -2147483648 && wanted <= 2147483647 ? 4 : 8
}

function setAt(mem: Arena, set: Ref, width: number, index: number, low: number, high: number): void {
  const u32 = mem.u32[segmentOf(set)]
  const at = wordOf(set) + 2
  if (width === 2) {
    const u8 = mem.u8[segmentOf(set)]
    const byte = (at << 2) + 2 * index
    u8[byte] = low
    u8[byte + 1] = low >>> 8
  } else if (width === 4) u32[at + index] = low
  else {
    u32[at + 2 * index] = low
    u32[at + 2 * index + 1] = high
  }
}

function writeHeader(mem: Arena, set: Ref, width: number, length: number): void {
  mem.u32[segmentOf(set)][wordOf(set)] = width
  mem.u32[segmentOf(set)][wordOf(set) + 1] = length
}

/** Adds the wanted integer, which must not be a member yet. */
export function intsetAdd(mem: Arena, set: Ref): Ref {
  const width = widthOf(mem, set)
  if (widthOfWanted() > width) return widenAndAdd(mem, set, widthOfWanted())
  const length = intsetLength(mem, set)
  const index = lowerBound(mem, set)
  const fresh = mem.realloc(set, HEADER + length * width, HEADER + (length + 1) * width)
  const start = byteOf(fresh) + HEADER + index * width
  moveBytes(mem.u8[segmentOf(fresh)], start + width, start, (length - index) * width)
  setAt(mem, fresh, width, index, wantedLow, wantedHigh)
  writeHeader(mem, fresh, width, length + 1)
  return fresh
}

/** The wanted integer needs more width than the members have, so it goes to one of the two ends. */
function widenAndAdd(mem: Arena, set: Ref, width: number): Ref {
  const length = intsetLength(mem, set)
  const old = widthOf(mem, set)
  const fresh = mem.alloc(HEADER + (length + 1) * width)
  const shift = wanted < 0 ? 1 : 0
  for (let i = 0; i < length; i++) {
    const value = valueAt(mem, set, old, i)
    setAt(mem, fresh, width, i + shift, value >>> 0, value < 0 ? -1 : 0)
  }
  setAt(mem, fresh, width, wanted < 0 ? 0 : length, wantedLow, wantedHigh)
  writeHeader(mem, fresh, width, length + 1)
  mem.free(set, HEADER + length * old)
  return fresh
}

/** Removes the wanted integer; the same ref and length when it is not a member. */
export function intsetRemove(mem: Arena, set: Ref): Ref {
  const index = lowerBound(mem, set)
  return holdsAt(mem, set, index) ? intsetRemoveAt(mem, set, index) : set
}

/** Removes the member at the index. */
export function intsetRemoveAt(mem: Arena, set: Ref, index: number): Ref {
  const width = widthOf(mem, set)
  const length = intsetLength(mem, set)
  const before = HEADER + length * width
  const after = before - width
  const u8 = mem.u8[segmentOf(set)]
  const hole = byteOf(set) + HEADER + index * width
  const tail = (length - 1 - index) * width
  if (usableBytes(before) === usableBytes(after)) {
    moveBytes(u8, hole, hole + width, tail)
    writeHeader(mem, set, width, length - 1)
    return set
  }
  const fresh = mem.alloc(after)
  const target = mem.u8[segmentOf(fresh)]
  copyBytes(target, byteOf(fresh), u8, byteOf(set), HEADER + index * width)
  copyBytes(target, byteOf(fresh) + HEADER + index * width, u8, hole + width, tail)
  writeHeader(mem, fresh, width, length - 1)
  mem.free(set, before)
  return fresh
}

/** Points `intsetValue` at the digits of the member at the index, valid until the next call. */
export function intsetGet(mem: Arena, set: Ref, index: number): void {
  const width = widthOf(mem, set)
  const value = valueAt(mem, set, width, index)
  if (width < 8 || Number.isSafeInteger(value)) intsetValue.len = writeInt(intsetValue.bytes, 0, value)
  else {
    const at = wordOf(set) + 2 + 2 * index
    const u32 = mem.u32[segmentOf(set)]
    intsetValue.len = writeBigInt(intsetValue.bytes, 0, (BigInt(u32[at + 1] | 0) << 32n) + BigInt(u32[at]))
  }
}

/** Whether these bytes are an intset: width, length and, when `deep`, strictly ascending members. */
export function intsetValidate(bytes: Uint8Array, off: number, len: number, deep: boolean): boolean {
  if (len < HEADER) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset + off, len)
  const width = view.getUint32(0, true)
  const length = view.getUint32(4, true)
  if ((width !== 2 && width !== 4 && width !== 8) || length === 0 || len !== HEADER + length * width) return false
  if (!deep) return true
  const at = (i: number): bigint => {
    if (width === 8) return view.getBigInt64(HEADER + i * 8, true)
    return BigInt(width === 2 ? view.getInt16(HEADER + i * 2, true) : view.getInt32(HEADER + i * 4, true))
  }
  for (let i = 1; i < length; i++) if (at(i) <= at(i - 1)) return false
  return true
}
