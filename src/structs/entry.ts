/**
 * entry: one element of a dict in one block: a key of the keyspace, a field of a hash, a member of a set or sorted set.
 *
 *   word 0   type 4 | encoding 4 | lru 24      (lru: access clock, or LFU minutes 16 | counter 8)
 *   word 1   key length
 *   word 2   value length 24 | flags 8
 *   [12      unused word, slot at 16: f64]      only with SLOT: expiry in ms since 1970, or a score
 *   12 | 24  key bytes, then the value:
 *              embedded: `value length` bytes right after the key
 *              OUTSIDE:  at the next multiple of 4: ref, length, capacity of a block of its own
 *              ROOT:     at the next multiple of 4: ref of the root of a collection
 *
 * (1) The size of the block follows from its header; nobody stores it elsewhere.
 * (2) Values above EMBEDDED_MAX bytes are OUTSIDE, so replacing a big value or renaming its key never copies both.
 * (3) An entry is referred to only by dict slots (and skiplist neighbours): whoever moves it must replace those.
 */
import type { Arena } from '../memory/arena.ts'
import {
  byteOf,
  doubleOf,
  GRANULE_SHIFT,
  NULL_REF,
  REF_GRANULE,
  REF_SEGMENT,
  type Ref,
  SEGMENT_BYTES,
  segmentOf,
  wordOf,
} from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { copyBytes, dataOf, equalData } from '../util/bytes.ts'
import { keepsViews, NO_BYTES, NO_DATA } from '../util/views.ts'

export const ENTRY_HEADER = 12
export const ENTRY_HEADER_SLOT = 24
/** Longest value, in bytes, that lives inside the entry. */
export const EMBEDDED_MAX = 1024

export const VALUE_LENGTH = 0xffffff
export const SLOT = 1 << 24
export const OUTSIDE = 1 << 25
export const ROOT = 1 << 26
/** Parity of the last snapshot that has written this entry. */
export const SAVED = 1 << 27
/** Free for the owner of the dict (for example: a hash field with a time to live). */
export const MARK = 1 << 28
const OUTSIDE_BYTES = 12
const ROOT_BYTES = 4

/** Offset of the key inside the block, from word 2. */
export function keyOffset(word2: number): number {
  return (word2 & SLOT) === 0 ? ENTRY_HEADER : ENTRY_HEADER_SLOT
}

function sizeFrom(word2: number, keyLength: number): number {
  const keyEnd = keyOffset(word2) + keyLength
  if ((word2 & OUTSIDE) !== 0) return ((keyEnd + 3) & ~3) + OUTSIDE_BYTES
  if ((word2 & ROOT) !== 0) return ((keyEnd + 3) & ~3) + ROOT_BYTES
  return keyEnd + (word2 & VALUE_LENGTH)
}

/** Bytes of the block, before rounding to its class. */
export function entrySize(mem: Arena, entry: Ref): number {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  return sizeFrom(u32[at + 2], u32[at + 1])
}

/** Bytes that free this entry and the value block it owns (not what a ROOT refers to). */
export function entryBytes(mem: Arena, entry: Ref): number {
  const own = usableBytes(entrySize(mem, entry))
  return isOutside(mem, entry) ? own + usableBytes(outsideCapacity(mem, entry)) : own
}

function flagsOf(mem: Arena, entry: Ref): number {
  return mem.u32[segmentOf(entry)][wordOf(entry) + 2]
}

export function typeOf(mem: Arena, entry: Ref): number {
  return mem.u32[segmentOf(entry)][wordOf(entry)] & 15
}

export function encodingOf(mem: Arena, entry: Ref): number {
  return (mem.u32[segmentOf(entry)][wordOf(entry)] >>> 4) & 15
}

export function setEncoding(mem: Arena, entry: Ref, encoding: number): void {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  u32[at] = (u32[at] & ~0xf0) | (encoding << 4)
}

export function setType(mem: Arena, entry: Ref, type: number, encoding: number): void {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  u32[at] = (u32[at] & ~0xff) | (encoding << 4) | type
}

/** The 24 bits of LRU clock or LFU state. */
export function lruOf(mem: Arena, entry: Ref): number {
  return mem.u32[segmentOf(entry)][wordOf(entry)] >>> 8
}

export function setLru(mem: Arena, entry: Ref, lru: number): void {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  u32[at] = (u32[at] & 0xff) | (lru << 8)
}

export function keyLength(mem: Arena, entry: Ref): number {
  return mem.u32[segmentOf(entry)][wordOf(entry) + 1]
}

/** Offset of the key's first byte in `mem.u8[segmentOf(entry)]`. */
export function keyStart(mem: Arena, entry: Ref): number {
  return byteOf(entry) + keyOffset(flagsOf(mem, entry))
}

export function hasFlag(mem: Arena, entry: Ref, flag: number): boolean {
  return (flagsOf(mem, entry) & flag) !== 0
}

export function setFlag(mem: Arena, entry: Ref, flag: number, on: boolean): void {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry) + 2
  u32[at] = on ? u32[at] | flag : u32[at] & ~flag
}

/** The f64 slot: expiry or score. Only with SLOT. */
export function slotValue(mem: Arena, entry: Ref): number {
  return mem.f64[segmentOf(entry)][doubleOf(entry) + 2]
}

export function setSlotValue(mem: Arena, entry: Ref, value: number): void {
  mem.f64[segmentOf(entry)][doubleOf(entry) + 2] = value
}

/** Word index, in the entry's segment, of the value words of an OUTSIDE or ROOT entry. */
function valueWord(mem: Arena, entry: Ref): number {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  return at + ((keyOffset(u32[at + 2]) + u32[at + 1] + 3) >>> 2)
}

export function isOutside(mem: Arena, entry: Ref): boolean {
  return (flagsOf(mem, entry) & OUTSIDE) !== 0
}

/** The block of an OUTSIDE value, or the root of a collection. */
export function valueRef(mem: Arena, entry: Ref): Ref {
  const u32 = mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  return u32[at + ((keyOffset(u32[at + 2]) + u32[at + 1] + 3) >>> 2)] as Ref
}

/**
 * Where the value can be met: the block an entry refers to, or the eight bytes in which its embedded value ends; the entry itself
 * where those are farther than a ref reaches: see ref.ts.
 */
export function valuePlace(mem: Arena, entry: Ref): Ref {
  const u32 = mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  const word2 = u32[at + 2]
  const keyEnd = keyOffset(word2) + u32[at + 1]
  if ((word2 & (OUTSIDE | ROOT)) === 0) {
    const last = keyEnd + (word2 & VALUE_LENGTH) - 1
    return last < SEGMENT_BYTES ? ((entry + (last >>> GRANULE_SHIFT)) as Ref) : entry
  }
  return u32[at + ((keyEnd + 3) >>> 2)] as Ref
}

export function setValueRef(mem: Arena, entry: Ref, ref: Ref): void {
  mem.u32[segmentOf(entry)][valueWord(mem, entry)] = ref
}

export function outsideCapacity(mem: Arena, entry: Ref): number {
  return mem.u32[segmentOf(entry)][valueWord(mem, entry) + 2]
}

/** Points an OUTSIDE entry at another block, or the same one with another length. */
export function setOutside(mem: Arena, entry: Ref, ref: Ref, length: number, capacity: number): void {
  const u32 = mem.u32[segmentOf(entry)]
  const at = valueWord(mem, entry)
  u32[at] = ref
  u32[at + 1] = length
  u32[at + 2] = capacity
}

/** Length of a byte-string value. */
export function valueLength(mem: Arena, entry: Ref): number {
  const word2 = flagsOf(mem, entry)
  if ((word2 & OUTSIDE) === 0) return word2 & VALUE_LENGTH
  return mem.u32[segmentOf(entry)][valueWord(mem, entry) + 1]
}

/** Segment whose u8 view holds the bytes of a byte-string value. */
export function valueSegment(mem: Arena, entry: Ref): number {
  return isOutside(mem, entry) ? segmentOf(valueRef(mem, entry)) : segmentOf(entry)
}

/** Offset of a byte-string value's first byte in `mem.u8[valueSegment(entry)]`. */
export function valueStart(mem: Arena, entry: Ref): number {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  const word2 = u32[at + 2]
  if ((word2 & OUTSIDE) !== 0) return byteOf(valueRef(mem, entry))
  return byteOf(entry) + keyOffset(word2) + u32[at + 1]
}

/** What the last openValue found: a byte-string value is valueBytes[valueAt, valueAt + valueSize). Dead at the next allocating call. */
export let valueBytes = NO_BYTES
/** The same bytes. */
export let valueData = NO_DATA
export let valueAt = 0
export let valueSize = 0
keepsViews({
  letGo() {
    valueBytes = NO_BYTES
    valueData = NO_DATA
  },
})

/** Finds a byte-string value in one step, for hot paths: valueSegment, valueStart and valueLength each read the header again. */
export function openValue(mem: Arena, entry: Ref): void {
  const u32 = mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  const word2 = u32[at + 2]
  const keyEnd = keyOffset(word2) + u32[at + 1]
  if ((word2 & OUTSIDE) === 0) {
    valueBytes = mem.u8[entry >>> REF_SEGMENT]
    valueData = mem.data[entry >>> REF_SEGMENT]
    valueAt = (at << 2) + keyEnd
    valueSize = word2 & VALUE_LENGTH
    return
  }
  const word = at + ((keyEnd + 3) >>> 2)
  const block = u32[word]
  valueBytes = mem.u8[block >>> REF_SEGMENT]
  valueData = mem.data[block >>> REF_SEGMENT]
  valueAt = (block & REF_GRANULE) << 3
  valueSize = u32[word + 1]
}

/** Bytes an embedded value may grow to in place. */
export function embeddedRoom(mem: Arena, entry: Ref): number {
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  const word2 = u32[at + 2]
  const keyEnd = keyOffset(word2) + u32[at + 1]
  return Math.min(EMBEDDED_MAX, usableBytes(keyEnd + (word2 & VALUE_LENGTH)) - keyEnd)
}

function allocEntry(mem: Arena, word0: number, word2: number, key: Uint8Array, keyOff: number, keyLen: number): Ref {
  const entry = mem.alloc(sizeFrom(word2, keyLen))
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  u32[at] = word0
  u32[at + 1] = keyLen
  u32[at + 2] = word2
  mem.put(segmentOf(entry), byteOf(entry) + keyOffset(word2), key, keyOff, keyLen)
  return entry
}

/** A new entry whose byte-string value is copied from `value`: embedded when short, else in a block of its own. */
export function newEntry(
  mem: Arena,
  word0: number,
  flags: number,
  key: Uint8Array,
  keyOff: number,
  keyLen: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
): Ref {
  if (valueLen > EMBEDDED_MAX) return newOutsideEntry(mem, word0, flags, key, keyOff, keyLen, value, valueOff, valueLen)
  const entry = allocEntry(mem, word0, flags | valueLen, key, keyOff, keyLen)
  mem.put(segmentOf(entry), byteOf(entry) + keyOffset(flags) + keyLen, value, valueOff, valueLen)
  return entry
}

function newOutsideEntry(
  mem: Arena,
  word0: number,
  flags: number,
  key: Uint8Array,
  keyOff: number,
  keyLen: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
): Ref {
  const block = mem.alloc(valueLen)
  copyBytes(mem.u8[segmentOf(block)], byteOf(block), value, valueOff, valueLen)
  return adoptBlock(mem, word0, flags, key, keyOff, keyLen, block, valueLen, valueLen)
}

/** A new entry that takes over `block` (of `capacity` bytes) as its byte-string value; frees it when there is no memory. */
export function adoptBlock(
  mem: Arena,
  word0: number,
  flags: number,
  key: Uint8Array,
  keyOff: number,
  keyLen: number,
  block: Ref,
  length: number,
  capacity: number,
): Ref {
  let entry: Ref
  try {
    entry = allocEntry(mem, word0, flags | OUTSIDE, key, keyOff, keyLen)
  } catch (error) {
    mem.free(block, capacity)
    throw error
  }
  setOutside(mem, entry, block, length, capacity)
  return entry
}

/** A new entry for a collection whose root is `root`. */
export function newRootEntry(mem: Arena, word0: number, flags: number, key: Uint8Array, keyOff: number, keyLen: number, root: Ref): Ref {
  const entry = allocEntry(mem, word0, flags | ROOT, key, keyOff, keyLen)
  setValueRef(mem, entry, root)
  return entry
}

/** The same with a root that `make` makes; without memory for both there is neither. */
export function newEntryAround(mem: Arena, word0: number, key: Uint8Array, off: number, len: number, make: (mem: Arena) => Ref): Ref {
  const entry = newRootEntry(mem, word0, 0, key, off, len, NULL_REF)
  try {
    setValueRef(mem, entry, make(mem))
  } catch (error) {
    freeShell(mem, entry)
    throw error
  }
  return entry
}

/**
 * A copy of the entry under another key and with other flags (SLOT on or off). It takes over the value block or root of
 * the old entry, whose own block the caller then frees with `freeShell`, once nothing refers to it any more.
 */
export function reshapeEntry(mem: Arena, old: Ref, slot: boolean, key: Uint8Array, keyOff: number, keyLen: number): Ref {
  const word0 = mem.u32[segmentOf(old)][wordOf(old)]
  const word2 = flagsOf(mem, old)
  const entry = allocEntry(mem, word0, slot ? word2 | SLOT : word2 & ~SLOT, key, keyOff, keyLen)
  if ((word2 & OUTSIDE) !== 0) setOutside(mem, entry, valueRef(mem, old), valueLength(mem, old), outsideCapacity(mem, old))
  else if ((word2 & ROOT) !== 0) setValueRef(mem, entry, valueRef(mem, old))
  else copyBytes(mem.u8[segmentOf(entry)], valueStart(mem, entry), mem.u8[segmentOf(old)], valueStart(mem, old), word2 & VALUE_LENGTH)
  if (slot && (word2 & SLOT) !== 0) setSlotValue(mem, entry, slotValue(mem, old))
  return entry
}

/** Frees the entry's own block, not what it refers to. */
export function freeShell(mem: Arena, entry: Ref): void {
  mem.free(entry, entrySize(mem, entry))
}

/** Frees the entry and its byte-string value; a ROOT must have been freed by its type before. */
export function freeEntry(mem: Arena, entry: Ref): void {
  if (isOutside(mem, entry)) mem.free(valueRef(mem, entry), outsideCapacity(mem, entry))
  freeShell(mem, entry)
}

/** Whether the entry's key is these bytes. */
export function keyEquals(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  if (entry === NULL_REF) return false
  const u32 = mem.u32[segmentOf(entry)]
  const at = wordOf(entry)
  if (u32[at + 1] !== len) return false
  return equalData(mem.data[segmentOf(entry)], (at << 2) + keyOffset(u32[at + 2]), dataOf(bytes), off, len)
}
