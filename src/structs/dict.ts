/**
 * dict: a hash table of entries, in tagged 64-byte buckets, resized a bucket at a time.
 *
 *   root (one block, words)
 *     count | mask 0 | mask 1 | table 0 | table 1 | rehash index | pauses | longest chain | overflow buckets | swept | deep | changes
 *   table of up to 1,024 buckets: one block; above: a directory block of refs to pages of 1,024 buckets (64 KiB),
 *     a page is taken when its first bucket is used and given back when its last one has been moved
 *   bucket: | 12 refs | 12 tags of a byte | ref of the overflow bucket |    the tag is the hash's high byte, or 1
 *
 * (1) Buckets are dense: used slots first, and only the last bucket of a chain has unused ones.
 * (2) While a resize runs, the bucket of a hash is in table 0 from the rehash index on, else in table 1: one place.
 * (3) A resize moves a bucket (with its chain) every few adds or removes, and more in `dictRehash`; a lookup never moves anything.
 * (4) No resize starts or goes on while `pauses` is not 0 (safe iterators, snapshots).
 * (5) The slot handle (`foundView`, `foundIndex`) is valid from a successful find to the next call of this module.
 * (6) The dict does not own its entries: it never frees one.
 * (7) A bucket is announced to beforeChange, by its position, before it changes. While positions are remembered, the dict must be paused.
 *
 * find, add, remove O(1); scan visits a bucket with its chain. 8 bytes a key at the usual load of 5 to 10 a bucket.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { dataOf } from '../util/bytes.ts'
import { hashData } from '../util/hash.ts'
import { beforeChange } from './before-change.ts'
import { drawnIndex, drawnView } from './dict-scan.ts'
import { MIN_BUCKETS, dictTrim, maybeGrow, stepRehash } from './dict-resize.ts'
import {
  BUCKET_BYTES,
  BUCKET_WORDS,
  CHAIN,
  COUNT,
  MASK0,
  NEXT,
  NOT_REHASHING,
  REHASH,
  ROOT_BYTES,
  SLOTS,
  TABLE0,
  TAGS,
  bucketAt,
  bucketOf,
  bucketView,
  hashOf,
  link,
  locateHash,
  overflowGone,
  positionOf,
  setTag,
  tagAt,
} from './dict-table.ts'
import { keyEquals, valuePlace } from './entry.ts'
import { keepsViews, NO_WORDS } from '../util/views.ts'

export { hashOf } from './dict-table.ts'
export { auditDict, dictBytes, dictDismantle, freeDict } from './dict-free.ts'
export { dictIsRehashing, dictPause, dictRehash, dictTrim } from './dict-resize.ts'
export { dictBucket, dictBuckets, dictDraw, dictForEach, dictRandom, dictSample, dictScan, visited } from './dict-scan.ts'

/** Where the last successful find was. */
let foundView = NO_WORDS
let foundIndex = 0
keepsViews({ letGo: () => void (foundView = NO_WORDS) })

export function newDict(mem: Arena): Ref {
  const dict = mem.allocZeroed(ROOT_BYTES)
  let table: Ref
  try {
    table = mem.allocZeroed(MIN_BUCKETS * BUCKET_BYTES)
  } catch (error) {
    mem.free(dict, ROOT_BYTES)
    throw error
  }
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  u32[root + MASK0] = MIN_BUCKETS - 1
  u32[root + TABLE0] = table
  u32[root + REHASH] = NOT_REHASHING
  u32[root + CHAIN] = 1
  return dict
}

export function dictSize(mem: Arena, dict: Ref): number {
  return mem.u32[segmentOf(dict)][wordOf(dict) + COUNT]
}

/** The hash all dicts of this server use for a key. */
export function dictHash(mem: Arena, bytes: Uint8Array, off: number, len: number): number {
  return hashData(mem.seed0, mem.seed1, dataOf(bytes), off, len)
}

/** The entry with this key, or null. On success the slot handle points at it. */
export function dictFind(mem: Arena, dict: Ref, bytes: Uint8Array, off: number, len: number, hash: number): Ref {
  if (!locateHash(mem, dict, hash)) return NULL_REF
  let view = bucketView
  let at = bucketAt
  const pattern = Math.imul(hash >>> 24 || 1, 0x01010101)
  for (;;) {
    for (let group = 0; group < 3; group++) {
      const diff = view[at + TAGS + group] ^ pattern
      let hits = (diff - 0x01010101) & ~diff & 0x80808080
      while (hits !== 0) {
        const index = at + (group << 2) + ((31 - Math.clz32(hits & -hits)) >>> 3)
        const entry = view[index] as Ref
        if (entry !== 0 && keyEquals(mem, entry, bytes, off, len)) {
          foundView = view
          foundIndex = index
          return entry
        }
        hits &= hits - 1
      }
    }
    const next = view[at + NEXT]
    if (next === 0) return NULL_REF
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
}

/** Finds the slot that holds this very entry; false when there is none. */
export function dictFindEntry(mem: Arena, dict: Ref, entry: Ref, hash: number): boolean {
  if (!locateHash(mem, dict, hash)) return false
  let view = bucketView
  let at = bucketAt
  for (;;) {
    for (let slot = 0; slot < SLOTS; slot++) {
      if (view[at + slot] !== entry) continue
      foundView = view
      foundIndex = at + slot
      return true
    }
    const next = view[at + NEXT]
    if (next === 0) return false
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
}

/** Most hashes that dictTouch takes. */
export const TOUCH_MAX = 64
/** What dictTouch reads next. */
const places = new Uint32Array(TOUCH_MAX)

/**
 * Reads what commands on these hashes, each of its dict, will read: all buckets, then the first entry of each whose tag matches, then what those hold.
 * Each time the places are found first and then read in a loop so short that the processor overlaps the cache misses of a dozen
 * of them. Returns a number that means nothing but must be consumed.
 */
export function dictTouch(mem: Arena, dicts: Uint32Array, hashes: Int32Array, count: number): number {
  for (let i = 0; i < count; i++) places[i] = bucketOf(mem, dicts[i] as Ref, hashes[i])
  let sink = readPlaces(mem, count)
  let found = 0
  for (let i = 0; i < count; i++) {
    const entry = firstTagged(mem, places[i], hashes[i])
    if (entry !== 0) places[found++] = entry
  }
  sink ^= readPlaces(mem, found)
  for (let i = 0; i < found; i++) places[i] = valuePlace(mem, places[i] as Ref)
  return sink ^ readPlaces(mem, found)
}

function readPlaces(mem: Arena, count: number): number {
  const { u32 } = mem
  let sink = 0
  for (let i = 0; i < count; i++) {
    const place = places[i]
    sink ^= u32[place >>> REF_SEGMENT][(place & REF_GRANULE) << 1]
  }
  return sink
}

/** The entry that is probably the one with this hash: its tag is right. NULL_REF when there is none in the first bucket of its chain. */
export function dictGuess(mem: Arena, dict: Ref, hash: number): Ref {
  return firstTagged(mem, bucketOf(mem, dict, hash), hash) as Ref
}

/** The first entry of the bucket with the tag of this hash; 0 when there is none. */
function firstTagged(mem: Arena, bucket: number, hash: number): number {
  if (bucket === 0) return 0
  const pattern = Math.imul(hash >>> 24 || 1, 0x01010101)
  const view = mem.u32[bucket >>> REF_SEGMENT]
  const at = (bucket & REF_GRANULE) << 1
  for (let group = 0; group < 3; group++) {
    const diff = view[at + TAGS + group] ^ pattern
    const hits = (diff - 0x01010101) & ~diff & 0x80808080
    if (hits !== 0) return view[at + (group << 2) + ((31 - Math.clz32(hits & -hits)) >>> 3)]
  }
  return 0
}

/**
 * Announces that the bucket of this hash is about to change. Adding and removing do so themselves; who changes an entry in
 * place, or replaces it, calls it before.
 */
export function dictChanging(mem: Arena, dict: Ref, hash: number): void {
  if (mem.onChange !== null) beforeChange(mem, dict, positionOf(mem, dict, hash))
}

/** As dictChanging, for an entry of the dict. */
export function dictEntryChanging(mem: Arena, dict: Ref, entry: Ref): void {
  if (mem.onChange !== null) beforeChange(mem, dict, positionOf(mem, dict, hashOf(mem, entry)))
}

/** Puts another entry with the same key into the slot of the last find. */
export function dictReplaceFound(entry: Ref): void {
  foundView[foundIndex] = entry
}

/** Adds an entry whose key is not present. May allocate; on OutOfMemory the dict is as before. */
export function dictAdd(mem: Arena, dict: Ref, entry: Ref, hash: number): void {
  dictChanging(mem, dict, hash)
  stepRehash(mem, dict)
  maybeGrow(mem, dict)
  link(mem, dict, entry, hash)
  mem.u32[segmentOf(dict)][wordOf(dict) + COUNT]++
}

/** Unlinks and returns the entry with this key; null when there is none. */
export function dictRemove(mem: Arena, dict: Ref, bytes: Uint8Array, off: number, len: number, hash: number): Ref {
  const entry = dictFind(mem, dict, bytes, off, len, hash)
  if (entry !== NULL_REF) dictRemoveFound(mem, dict, hash)
  return entry
}

/** Unlinks this very entry; false when the dict does not hold it. */
export function dictRemoveEntry(mem: Arena, dict: Ref, entry: Ref, hash: number): boolean {
  if (!dictFindEntry(mem, dict, entry, hash)) return false
  dictRemoveFound(mem, dict, hash)
  return true
}

/** Unlinks the entry that dictRandom has just drawn. */
export function dictRemoveDrawn(mem: Arena, dict: Ref, entry: Ref): void {
  const hash = hashOf(mem, entry)
  if (drawnView[drawnIndex] !== entry) {
    dictRemoveEntry(mem, dict, entry, hash)
    return
  }
  foundView = drawnView
  foundIndex = drawnIndex
  dictRemoveFound(mem, dict, hash)
}

/** Empties the slot of the last find: the chain's last entry fills the hole, an emptied overflow bucket is freed. */
export function dictRemoveFound(mem: Arena, dict: Ref, hash: number): void {
  const holeView = foundView
  const hole = foundIndex
  dictChanging(mem, dict, hash)
  locateHash(mem, dict, hash)
  let view = bucketView
  let at = bucketAt
  let before = view
  let beforeAt = -1
  let overflow = 0
  for (let next = view[at + NEXT]; next !== 0; next = view[at + NEXT]) {
    before = view
    beforeAt = at
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
    overflow++
  }
  let last = SLOTS - 1
  while (view[at + last] === 0) last--
  holeView[hole] = view[at + last]
  setTag(holeView, hole & ~(BUCKET_WORDS - 1), hole & (BUCKET_WORDS - 1), tagAt(view, at, last))
  view[at + last] = 0
  setTag(view, at, last, 0)
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (last === 0 && beforeAt >= 0) {
    mem.free(before[beforeAt + NEXT] as Ref, BUCKET_BYTES)
    before[beforeAt + NEXT] = 0
    overflowGone(mem, dict, overflow, 1)
  }
  u32[root + COUNT] = u32[root + COUNT] - 1
  stepRehash(mem, dict)
  dictTrim(mem, dict)
}
