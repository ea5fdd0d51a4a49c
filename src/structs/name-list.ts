/**
 * name-list: blocks that carry a name, sorted by it: a stream's groups and a group's consumers.
 *
 *   | count u32 | bytes u32 | ref ... |         a named block has its name's length in word 0 and the name at a fixed offset
 *
 * (1) Names are distinct and ordered as memcmp orders them, a prefix before its extensions.
 * (2) The list does not own the blocks. 0 is the empty list; insert and remove return the list to keep.
 *
 * Find O(log n); insert and remove move the refs behind the place.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { byteOf, NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { compareBytes } from '../util/bytes.ts'

const COUNT = 0
const BYTES = 1
const HEADER_WORDS = 2

export function namesSize(mem: Arena, list: Ref): number {
  return list === NULL_REF ? 0 : mem.u32[segmentOf(list)][wordOf(list) + COUNT]
}

export function nameAt(mem: Arena, list: Ref, i: number): Ref {
  return mem.u32[segmentOf(list)][wordOf(list) + HEADER_WORDS + i] as Ref
}

/** Lets the list refer to a block that has moved. */
export function setNameAt(mem: Arena, list: Ref, i: number, block: Ref): void {
  mem.u32[segmentOf(list)][wordOf(list) + HEADER_WORDS + i] = block
}

/** Moves the list, not the blocks, out of a segment that is being evacuated; returns where it is now. */
export function moveNames(mem: Arena, list: Ref): Ref {
  return list === NULL_REF ? list : mem.moveOut(list, mem.u32[segmentOf(list)][wordOf(list) + BYTES])
}

export function nameLength(mem: Arena, block: Ref): number {
  return mem.u32[segmentOf(block)][wordOf(block)]
}

/** The place of the block with this name, or -1 - the place where it would be inserted. */
export function namesFind(mem: Arena, list: Ref, nameOffset: number, bytes: Uint8Array, off: number, len: number): number {
  let low = 0
  let high = namesSize(mem, list)
  while (low < high) {
    const middle = (low + high) >>> 1
    const block = nameAt(mem, list, middle)
    const order = compareBytes(mem.u8[segmentOf(block)], byteOf(block) + nameOffset, nameLength(mem, block), bytes, off, len)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return -1 - low
}

/** Inserts a block at its place. */
export function namesInsert(mem: Arena, list: Ref, place: number, block: Ref): Ref {
  const count = namesSize(mem, list)
  const grown = makeRoom(mem, list, count + 1)
  const view = mem.u32[segmentOf(grown)]
  const at = wordOf(grown)
  const item = at + HEADER_WORDS + place
  view.copyWithin(item + 1, item, at + HEADER_WORDS + count)
  view[item] = block
  view[at + COUNT] = count + 1
  return grown
}

function makeRoom(mem: Arena, list: Ref, count: number): Ref {
  const wanted = (HEADER_WORDS + count) * 4
  const bytes = list === NULL_REF ? 0 : mem.u32[segmentOf(list)][wordOf(list) + BYTES]
  if (wanted <= bytes) return list
  const size = usableBytes(Math.max(wanted, bytes + (bytes >>> 1)))
  const grown = list === NULL_REF ? mem.alloc(size) : mem.realloc(list, bytes, size)
  mem.u32[segmentOf(grown)][wordOf(grown) + BYTES] = size
  if (list === NULL_REF) mem.u32[segmentOf(grown)][wordOf(grown) + COUNT] = 0
  return grown
}

/** Removes the block at a place. */
export function namesRemove(mem: Arena, list: Ref, place: number): Ref {
  const view = mem.u32[segmentOf(list)]
  const at = wordOf(list)
  const count = view[at + COUNT] - 1
  if (count === 0) {
    freeNames(mem, list)
    return NULL_REF
  }
  const item = at + HEADER_WORDS + place
  view.copyWithin(item, item + 1, at + HEADER_WORDS + count + 1)
  view[at + COUNT] = count
  return list
}

/** Frees the list, not the blocks. */
export function freeNames(mem: Arena, list: Ref): void {
  if (list !== NULL_REF) mem.free(list, mem.u32[segmentOf(list)][wordOf(list) + BYTES])
}

export function auditNames(mem: Arena, list: Ref, report: Report): void {
  if (list !== NULL_REF) report(list, mem.u32[segmentOf(list)][wordOf(list) + BYTES])
}
