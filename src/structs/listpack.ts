/**
 * listpack: a sequence of strings and integers in one block, byte-identical to the one in Redis' files and payloads.
 *
 *   | total bytes u32 | elements u16 | element ... | 0xff |          elements: listpack-element.ts
 *
 * (1) The block's size is its total-bytes word: nothing else is needed to free it.
 * (2) A position is an element's offset from the block's first byte, so it survives a move; 0 is none. Inserting before a position puts
 *     the new element there; deleting leaves the next element (or the end byte) there.
 * (3) 65,535 elements means "count them": a longer listpack does not keep its length.
 * (4) Every function that changes a listpack may move it and returns the ref to keep. The bytes passed in must lie outside of it.
 * (5) On OutOfMemory nothing has changed.
 *
 * Append is O(1) and a move of the block per size class; insert and delete move the bytes behind the position; find and seek walk.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { sameBlock } from '../memory/sizeclass.ts'
import { copyBytes, copyShort, moveBytes } from '../util/bytes.ts'
import {
  elementFits,
  findPrepared,
  integerAt,
  isIntegerAt,
  LP_END,
  LP_HEADER,
  lpBack,
  lpDecode,
  lpSkip,
  prepare,
  putElement,
  prepareInt,
  writeElement,
} from './listpack-element.ts'
import { NO_BYTES } from '../util/views.ts'

export { LP_END, LP_HEADER, lpValue } from './listpack-element.ts'

/** Bytes of a listpack without elements. */
export const EMPTY_BYTES = LP_HEADER + 1
const LENGTH_UNKNOWN = 0xffff
/** Runs shorter than this are copied by words. */
const SHORT_MAX = 128

/** An empty listpack. */
export function newListpack(mem: Arena): Ref {
  const lp = mem.alloc(EMPTY_BYTES)
  const base = byteOf(lp)
  const u8 = mem.u8[segmentOf(lp)]
  setTotal(mem, lp, EMPTY_BYTES)
  setLength(u8, base, 0)
  u8[base + LP_HEADER] = LP_END
  return lp
}

/** A listpack that is a copy of these bytes, which `lpValidate` must have accepted. */
export function listpackFrom(mem: Arena, bytes: Uint8Array, off: number, len: number): Ref {
  const lp = mem.alloc(len)
  copyBytes(mem.u8[segmentOf(lp)], byteOf(lp), bytes, off, len)
  return lp
}

export function copyListpack(mem: Arena, lp: Ref): Ref {
  const fresh = mem.alloc(lpBytes(mem, lp))
  copyBytes(mem.u8[segmentOf(fresh)], byteOf(fresh), mem.u8[segmentOf(lp)], byteOf(lp), lpBytes(mem, lp))
  return fresh
}

export function freeListpack(mem: Arena, lp: Ref): void {
  mem.free(lp, lpBytes(mem, lp))
}

/** Total bytes: what `mem.free` and the audit want to know, and what DUMP writes from `byteOf(lp)` on. */
export function lpBytes(mem: Arena, lp: Ref): number {
  return mem.u32[segmentOf(lp)][wordOf(lp)]
}

function setTotal(mem: Arena, lp: Ref, bytes: number): void {
  mem.u32[segmentOf(lp)][wordOf(lp)] = bytes
}

function setLength(u8: Uint8Array, base: number, length: number): void {
  u8[base + 4] = length
  u8[base + 5] = length >>> 8
}

/** Number of elements. */
export function lpLength(mem: Arena, lp: Ref): number {
  const u8 = mem.u8[segmentOf(lp)]
  const base = byteOf(lp)
  const stored = u8[base + 4] | (u8[base + 5] << 8)
  if (stored !== LENGTH_UNKNOWN) return stored
  const counted = countElements(u8, base + LP_HEADER)
  if (counted < LENGTH_UNKNOWN) setLength(u8, base, counted)
  return counted
}

function countElements(u8: Uint8Array, first: number): number {
  let count = 0
  for (let at = first; u8[at] !== LP_END; at = lpSkip(u8, at)) count++
  return count
}

function addLength(u8: Uint8Array, base: number, by: number): void {
  const stored = u8[base + 4] | (u8[base + 5] << 8)
  if (stored !== LENGTH_UNKNOWN) setLength(u8, base, Math.min(stored + by, LENGTH_UNKNOWN))
}

/** Position of the first element, 0 when there is none. */
export function lpFirst(mem: Arena, lp: Ref): number {
  return mem.u8[segmentOf(lp)][byteOf(lp) + LP_HEADER] === LP_END ? 0 : LP_HEADER
}

/** Position of the last element, 0 when there is none. */
export function lpLast(mem: Arena, lp: Ref): number {
  const total = lpBytes(mem, lp)
  return total === EMPTY_BYTES ? 0 : lpBack(mem.u8[segmentOf(lp)], byteOf(lp) + total - 1) - byteOf(lp)
}

/** Position of the end byte: inserting before it appends. */
export function lpEnd(mem: Arena, lp: Ref): number {
  return lpBytes(mem, lp) - 1
}

/** Position of the next element, 0 at the end. */
export function lpNext(mem: Arena, lp: Ref, position: number): number {
  const u8 = mem.u8[segmentOf(lp)]
  const next = lpSkip(u8, byteOf(lp) + position)
  return u8[next] === LP_END ? 0 : next - byteOf(lp)
}

/** Position of the element before (also before the end position), 0 at the beginning. */
export function lpPrev(mem: Arena, lp: Ref, position: number): number {
  return position <= LP_HEADER ? 0 : lpBack(mem.u8[segmentOf(lp)], byteOf(lp) + position) - byteOf(lp)
}

/** Position of the element with this index (negative: from the end); 0 when out of range. */
export function lpSeek(mem: Arena, lp: Ref, index: number): number {
  const u8 = mem.u8[segmentOf(lp)]
  const base = byteOf(lp)
  const stored = u8[base + 4] | (u8[base + 5] << 8)
  let forward = index
  if (stored !== LENGTH_UNKNOWN) {
    if (forward < 0) forward += stored
    if (forward < 0 || forward >= stored) return 0
    if (forward > stored >>> 1) return seekBack(u8, base, base + lpBytes(mem, lp) - 1, stored - forward)
  } else if (forward < 0) return seekBack(u8, base, base + lpBytes(mem, lp) - 1, -forward)
  let at = base + LP_HEADER
  for (; forward > 0 && u8[at] !== LP_END; forward--) at = lpSkip(u8, at)
  return u8[at] === LP_END ? 0 : at - base
}

/** Position of the element `steps` before the end byte at `end`. */
function seekBack(u8: Uint8Array, base: number, end: number, steps: number): number {
  let at = end
  for (let left = steps; left > 0; left--) {
    if (at <= base + LP_HEADER) return 0
    at = lpBack(u8, at)
  }
  return at - base
}

/** Points `lpValue` at the element's bytes (an integer's digits), valid until the next read or change. */
export function lpGet(mem: Arena, lp: Ref, position: number): void {
  lpDecode(mem.u8[segmentOf(lp)], byteOf(lp) + position)
}

/** The element as an integer; NaN for a string, and for an integer beyond 2^53 - 1. */
export function lpGetInt(mem: Arena, lp: Ref, position: number): number {
  return integerAt(mem.u8[segmentOf(lp)], byteOf(lp) + position)
}

export function lpIsInt(mem: Arena, lp: Ref, position: number): boolean {
  return isIntegerAt(mem.u8[segmentOf(lp)], byteOf(lp) + position)
}

/** Position of the first element from `from` on with these bytes, comparing it and then every (skip + 1)-th; 0 when there is none. */
export function lpFind(mem: Arena, lp: Ref, from: number, bytes: Uint8Array, off: number, len: number, skip: number): number {
  if (from === 0) return 0
  const base = byteOf(lp)
  prepare(bytes, off, len)
  const at = findPrepared(mem.u8[segmentOf(lp)], base + from, bytes, off, len, skip)
  return at < 0 ? 0 : at - base
}

/** Bytes that an element with these bytes takes in a listpack. */
export function lpElementBytes(bytes: Uint8Array, off: number, len: number): number {
  return prepare(bytes, off, len)
}

/** Replaces `removed` bytes at a position by room for `inserted` bytes. */
function splice(mem: Arena, lp: Ref, position: number, removed: number, inserted: number): Ref {
  const total = lpBytes(mem, lp)
  const after = total - removed + inserted
  const tail = total - position - removed
  let fresh = lp
  if (!sameBlock(total, after)) {
    if (tail > 1) return spliceMoving(mem, lp, position, removed, inserted)
    fresh = mem.realloc(lp, total, after)
  }
  const base = byteOf(fresh)
  const u8 = mem.u8[segmentOf(fresh)]
  if (tail === 1) u8[base + after - 1] = LP_END
  else if (removed !== inserted) moveBytes(u8, base + position + inserted, base + position + removed, tail)
  setTotal(mem, fresh, after)
  return fresh
}

/** The same into a block of another size: what lies before and behind is copied to where it belongs at once. */
function spliceMoving(mem: Arena, lp: Ref, position: number, removed: number, inserted: number): Ref {
  const total = lpBytes(mem, lp)
  const after = total - removed + inserted
  const fresh = mem.alloc(after)
  const base = byteOf(lp)
  const u8 = mem.u8[segmentOf(lp)]
  const target = mem.u8[segmentOf(fresh)]
  copyBytes(target, byteOf(fresh), u8, base, position)
  copyBytes(target, byteOf(fresh) + position + inserted, u8, base + position + removed, total - position - removed)
  mem.free(lp, total)
  setTotal(mem, fresh, after)
  return fresh
}

function insertPrepared(mem: Arena, lp: Ref, position: number, size: number, bytes: Uint8Array, off: number, len: number): Ref {
  const fresh = splice(mem, lp, position, 0, size)
  const segment = segmentOf(fresh)
  putElement(mem.u8[segment], mem.data[segment], byteOf(fresh) + position, bytes, off, len)
  addLength(mem.u8[segment], byteOf(fresh), 1)
  return fresh
}

/** Inserts an element before the one at `position` (or at the end position). */
export function lpInsert(mem: Arena, lp: Ref, position: number, bytes: Uint8Array, off: number, len: number): Ref {
  return insertPrepared(mem, lp, position, prepare(bytes, off, len), bytes, off, len)
}

export function lpInsertInt(mem: Arena, lp: Ref, position: number, value: number): Ref {
  return insertPrepared(mem, lp, position, prepareInt(value), NO_BYTES, 0, 0)
}

/** Inserts two elements, one behind the other, before the one at `position`: both or, without memory, neither. */
export function lpInsertPair(
  mem: Arena,
  lp: Ref,
  position: number,
  first: Uint8Array,
  firstOff: number,
  firstLen: number,
  second: Uint8Array,
  secondOff: number,
  secondLen: number,
): Ref {
  const secondSize = prepare(second, secondOff, secondLen)
  const fresh = splice(mem, lp, position, 0, secondSize + prepare(first, firstOff, firstLen))
  const segment = segmentOf(fresh)
  const u8 = mem.u8[segment]
  const at = putElement(u8, mem.data[segment], byteOf(fresh) + position, first, firstOff, firstLen)
  prepare(second, secondOff, secondLen)
  putElement(u8, mem.data[segment], at, second, secondOff, secondLen)
  addLength(u8, byteOf(fresh), 2)
  return fresh
}

/** Moves `count` elements from `position` on to just before the element (or the end) at `target`. Never allocates in the arena. */
export function lpMove(mem: Arena, lp: Ref, position: number, count: number, target: number): void {
  const u8 = mem.u8[segmentOf(lp)]
  const base = byteOf(lp)
  let end = base + position
  for (let i = 0; i < count; i++) end = lpSkip(u8, end)
  const run = u8.slice(base + position, end)
  if (base + target > end) {
    u8.copyWithin(base + position, end, base + target)
    u8.set(run, base + target - run.length)
  } else if (target < position) {
    u8.copyWithin(base + target + run.length, base + target, base + position)
    u8.set(run, base + target)
  }
}

export function lpAppend(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number): Ref {
  return insertPrepared(mem, lp, lpBytes(mem, lp) - 1, prepare(bytes, off, len), bytes, off, len)
}

export function lpAppendInt(mem: Arena, lp: Ref, value: number): Ref {
  return insertPrepared(mem, lp, lpBytes(mem, lp) - 1, prepareInt(value), NO_BYTES, 0, 0)
}

/** Appends `count` elements that are encoded already, in the first `len` bytes of `bytes`, which `data` shows too. */
export function lpAppendEncoded(mem: Arena, lp: Ref, bytes: Uint8Array, data: DataView, len: number, count: number): Ref {
  const position = lpBytes(mem, lp) - 1
  const fresh = splice(mem, lp, position, 0, len)
  const segment = segmentOf(fresh)
  const u8 = mem.u8[segment]
  if (len < SHORT_MAX) copyShort(mem.data[segment], byteOf(fresh) + position, data, 0, len)
  else copyBytes(u8, byteOf(fresh) + position, bytes, 0, len)
  addLength(u8, byteOf(fresh), count)
  return fresh
}

export function lpPrepend(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number): Ref {
  return insertPrepared(mem, lp, LP_HEADER, prepare(bytes, off, len), bytes, off, len)
}

/** Bytes of the element with its back length. */
function elementSize(mem: Arena, lp: Ref, position: number): number {
  const at = byteOf(lp) + position
  return lpSkip(mem.u8[segmentOf(lp)], at) - at
}

/** Puts another element in the place of the one at `position`. */
export function lpReplace(mem: Arena, lp: Ref, position: number, bytes: Uint8Array, off: number, len: number): Ref {
  const size = prepare(bytes, off, len)
  const fresh = splice(mem, lp, position, elementSize(mem, lp, position), size)
  writeElement(mem.u8[segmentOf(fresh)], byteOf(fresh) + position, bytes, off, len)
  return fresh
}

export function lpReplaceInt(mem: Arena, lp: Ref, position: number, value: number): Ref {
  const size = prepareInt(value)
  const fresh = splice(mem, lp, position, elementSize(mem, lp, position), size)
  writeElement(mem.u8[segmentOf(fresh)], byteOf(fresh) + position, NO_BYTES, 0, 0)
  return fresh
}

/** Deletes `count` elements from `position` on (fewer when the listpack ends before). */
export function lpDelete(mem: Arena, lp: Ref, position: number, count: number): Ref {
  const u8 = mem.u8[segmentOf(lp)]
  const start = byteOf(lp) + position
  let end = start
  let gone = 0
  for (; gone < count && u8[end] !== LP_END; gone++) end = lpSkip(u8, end)
  if (gone === 0) return lp
  const fresh = splice(mem, lp, position, end - start, 0)
  addLength(mem.u8[segmentOf(fresh)], byteOf(fresh), -gone)
  return fresh
}

/** Deletes the first or the last element, which must exist. */
export function lpDropEnd(mem: Arena, lp: Ref, head: boolean): Ref {
  const u8 = mem.u8[segmentOf(lp)]
  const base = byteOf(lp)
  const end = base + lpBytes(mem, lp) - 1
  const at = head ? base + LP_HEADER : lpBack(u8, end)
  const fresh = splice(mem, lp, at - base, (head ? lpSkip(u8, at) : end) - at, 0)
  addLength(mem.u8[segmentOf(fresh)], byteOf(fresh), -1)
  return fresh
}

// ---- the ends, for owners who keep a listpack's bytes and count: its header, which may be in no cache, is only written ----

/** Bytes of the listpack after the last lpPush or lpPop. */
export let lpTotal = 0

/** Adds an element at the head or the tail of a listpack of `total` bytes and `count` elements. */
export function lpPush(mem: Arena, lp: Ref, head: boolean, total: number, count: number, bytes: Uint8Array, off: number, len: number): Ref {
  const size = prepare(bytes, off, len)
  const after = total + size
  let fresh = lp
  if (!sameBlock(total, after)) fresh = head ? spliceMoving(mem, lp, LP_HEADER, 0, size) : mem.realloc(lp, total, after)
  const base = byteOf(fresh)
  const segment = segmentOf(fresh)
  const u8 = mem.u8[segment]
  if (!head) u8[base + after - 1] = LP_END
  else if (fresh === lp) moveBytes(u8, base + LP_HEADER + size, base + LP_HEADER, total - LP_HEADER)
  putElement(u8, mem.data[segment], head ? base + LP_HEADER : base + total - 1, bytes, off, len)
  setHeader(mem, fresh, after, count + 1)
  return fresh
}

/** Takes the element of `size` bytes from the head or the tail of a listpack of `total` bytes and `count` elements. */
export function lpPop(mem: Arena, lp: Ref, head: boolean, total: number, count: number, size: number): Ref {
  const after = total - size
  let fresh = lp
  if (!sameBlock(total, after)) fresh = head ? spliceMoving(mem, lp, LP_HEADER, size, 0) : mem.realloc(lp, total, after)
  const base = byteOf(fresh)
  const u8 = mem.u8[segmentOf(fresh)]
  if (!head) u8[base + after - 1] = LP_END
  else if (fresh === lp) moveBytes(u8, base + LP_HEADER, base + LP_HEADER + size, after - LP_HEADER)
  setHeader(mem, fresh, after, count - 1)
  return fresh
}

function setHeader(mem: Arena, lp: Ref, total: number, count: number): void {
  lpTotal = total
  setTotal(mem, lp, total)
  setLength(mem.u8[segmentOf(lp)], byteOf(lp), count < LENGTH_UNKNOWN ? count : LENGTH_UNKNOWN)
}

/** Deletes everything from `position` to the end; `left` is the number of elements that stay. */
export function lpCut(mem: Arena, lp: Ref, position: number, left: number): Ref {
  const fresh = splice(mem, lp, position, lpBytes(mem, lp) - 1 - position, 0)
  setLength(mem.u8[segmentOf(fresh)], byteOf(fresh), Math.min(left, LENGTH_UNKNOWN))
  return fresh
}

/** A new listpack with the first `count` elements of `source`, those before `position`. */
export function lpHead(mem: Arena, source: Ref, position: number, count: number): Ref {
  const fresh = mem.alloc(position + 1)
  const u8 = mem.u8[segmentOf(fresh)]
  copyBytes(u8, byteOf(fresh), mem.u8[segmentOf(source)], byteOf(source), position)
  u8[byteOf(fresh) + position] = LP_END
  setTotal(mem, fresh, position + 1)
  setLength(u8, byteOf(fresh), Math.min(count, LENGTH_UNKNOWN))
  return fresh
}

/** A new listpack with the elements of `source` from `position` on, `count` of them. */
export function lpTail(mem: Arena, source: Ref, position: number, count: number): Ref {
  return lpOf(mem, source, position, lpBytes(mem, source) - position, count)
}

/** A new listpack with the `count` elements that lie, with an end byte behind them, in `length` bytes of a block from `position` on. */
export function lpOf(mem: Arena, source: Ref, position: number, length: number, count: number): Ref {
  const fresh = mem.alloc(LP_HEADER + length)
  const u8 = mem.u8[segmentOf(fresh)]
  setTotal(mem, fresh, LP_HEADER + length)
  setLength(u8, byteOf(fresh), Math.min(count, LENGTH_UNKNOWN))
  copyBytes(u8, byteOf(fresh) + LP_HEADER, mem.u8[segmentOf(source)], byteOf(source) + position, length)
  return fresh
}

/** Appends (or, at the first position, prepends) the elements of `other`, which stays. */
export function lpInsertAll(mem: Arena, lp: Ref, position: number, other: Ref): Ref {
  return lpInsertRun(mem, lp, position, other, LP_HEADER, lpBytes(mem, other) - EMPTY_BYTES, lpLength(mem, other))
}

/** Inserts the `count` elements that are `size` bytes of another block from `from` on, which stays. */
export function lpInsertRun(mem: Arena, lp: Ref, position: number, other: Ref, from: number, size: number, count: number): Ref {
  const fresh = splice(mem, lp, position, 0, size)
  const u8 = mem.u8[segmentOf(fresh)]
  copyBytes(u8, byteOf(fresh) + position, mem.u8[segmentOf(other)], byteOf(other) + from, size)
  addLength(u8, byteOf(fresh), count)
  return fresh
}

/**
 * Whether these bytes are a listpack: the total, the end byte and, when `deep`, every element inside the bounds and the count. A payload
 * from outside must be checked deep before anything here reads it.
 */
export function lpValidate(bytes: Uint8Array, off: number, len: number, deep: boolean): boolean {
  if (len < EMPTY_BYTES) return false
  const total = (bytes[off] | (bytes[off + 1] << 8) | (bytes[off + 2] << 16) | (bytes[off + 3] << 24)) >>> 0
  const end = off + len - 1
  if (total !== len || bytes[end] !== LP_END) return false
  if (!deep) return true
  let count = 0
  let at = off + LP_HEADER
  for (; at < end; at = lpSkip(bytes, at), count++) {
    if (bytes[at] === LP_END || !elementFits(bytes, at, end)) return false
  }
  const stored = bytes[off + 4] | (bytes[off + 5] << 8)
  return at === end && (stored === LENGTH_UNKNOWN || stored === count)
}
