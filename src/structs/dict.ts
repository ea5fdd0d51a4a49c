/**
 * dict: a hash table of entries, in tagged 64-byte buckets, resized a bucket at a time.
 *
 *   root (one block, words)
 *     count | mask 0 | mask 1 | table 0 | table 1 | rehash index | pauses | longest chain | overflow buckets
 *   table of up to 1,024 buckets: one block; above: a directory block of refs to pages of 1,024 buckets (64 KiB),
 *     a page is taken when its first bucket is used and given back when its last one has been moved
 *   bucket: | 12 refs | 12 tags of a byte | ref of the overflow bucket |    the tag is the hash's high byte, or 1
 *
 * (1) Buckets are dense: used slots first, and only the last bucket of a chain has unused ones.
 * (2) While a resize runs, the bucket of a hash is in table 0 from the rehash index on, else in table 1: one place.
 * (3) A resize moves a bucket (with its chain) per add or remove, and more in `rehashFor`; a lookup never moves anything.
 * (4) No resize starts or goes on while `pauses` is not 0 (safe iterators, snapshots).
 * (5) The slot handle (`foundView`, `foundIndex`) is valid from a successful find to the next call of this module.
 * (6) The dict does not own its entries: it never frees one.
 *
 * find, add, remove O(1); scan visits a bucket with its chain. 8 bytes a key at the usual load of 5 to 10 a bucket.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { hashBytes } from '../util/hash.ts'
import { keyEquals, keyLength, keyStart } from './entry.ts'

const COUNT = 0
const MASK0 = 1
const MASK1 = 2
const TABLE0 = 3
const TABLE1 = 4
const REHASH = 5
const PAUSES = 6
const CHAIN = 7
const OVERFLOW = 8
const ROOT_BYTES = 36

const NOT_REHASHING = 0xffffffff
const BUCKET_BYTES = 64
const BUCKET_WORDS = 16
const SLOTS = 12
const TAGS = 12
const NEXT = 15
const PAGE_BUCKETS = 1024
const PAGE_BYTES = PAGE_BUCKETS * BUCKET_BYTES
/** Mean entries a bucket at which the table doubles, and below which (an eighth of the slots) it shrinks. */
const GROW_LOAD = 10
const SHRINK_LOAD = 1.5
const MIN_BUCKETS = 4

/** Where the last find, or the last replaceable slot, was. */
let foundView: Uint32Array = new Uint32Array(0)
let foundIndex = 0
/** Bucket located by `locate`: its view and word index. */
let bucketView: Uint32Array = foundView
let bucketAt = 0

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

/** Frees the tables and the root. The entries are the caller's. */
export function freeDict(mem: Arena, dict: Ref): void {
  eachBlock(mem, dict, (ref, bytes) => mem.free(ref, bytes))
}

/** Reports the blocks of the table itself (not the entries). */
export function auditDict(mem: Arena, dict: Ref, report: Report): void {
  eachBlock(mem, dict, report)
}

export function dictSize(mem: Arena, dict: Ref): number {
  return mem.u32[segmentOf(dict)][wordOf(dict) + COUNT]
}

/** The hash all dicts of this server use for a key. */
export function dictHash(mem: Arena, bytes: Uint8Array, off: number, len: number): number {
  return hashBytes(mem.seed0, mem.seed1, bytes, off, len)
}

function hashOf(mem: Arena, entry: Ref): number {
  return hashBytes(mem.seed0, mem.seed1, mem.u8[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
}

/** Points bucketView/bucketAt at the bucket of a table; false when its page was never used. */
function locate(mem: Arena, table: number, mask: number, bucket: number): boolean {
  let base = table
  let index = bucket
  if (mask >= PAGE_BUCKETS) {
    base = mem.u32[table >>> REF_SEGMENT][((table & REF_GRANULE) << 1) + (bucket >>> 10)]
    if (base === 0) return false
    index = bucket & (PAGE_BUCKETS - 1)
  }
  bucketView = mem.u32[base >>> REF_SEGMENT]
  bucketAt = ((base & REF_GRANULE) << 1) + (index << 4)
  return true
}

/** Points bucketView/bucketAt at the first bucket of the hash's chain. */
function locateHash(mem: Arena, dict: Ref, hash: number): boolean {
  const u32 = mem.u32[dict >>> REF_SEGMENT]
  const root = (dict & REF_GRANULE) << 1
  const mask = u32[root + MASK0]
  const bucket = (hash & mask) >>> 0
  if (bucket < u32[root + REHASH] && u32[root + REHASH] !== NOT_REHASHING) {
    const mask1 = u32[root + MASK1]
    return locate(mem, u32[root + TABLE1], mask1, (hash & mask1) >>> 0)
  }
  return locate(mem, u32[root + TABLE0], mask, bucket)
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

/**
 * Reads what a lookup of this hash will read: the bucket and the first block whose tag matches. Returns a number that
 * means nothing; a batch of these lets the processor overlap the cache misses (the caller must consume it).
 */
export function dictTouch(mem: Arena, dict: Ref, hash: number): number {
  if (!locateHash(mem, dict, hash)) return 0
  const pattern = Math.imul(hash >>> 24 || 1, 0x01010101)
  for (let group = 0; group < 3; group++) {
    const diff = bucketView[bucketAt + TAGS + group] ^ pattern
    const hits = (diff - 0x01010101) & ~diff & 0x80808080
    if (hits === 0) continue
    const entry = bucketView[bucketAt + (group << 2) + ((31 - Math.clz32(hits & -hits)) >>> 3)]
    return mem.u32[entry >>> REF_SEGMENT][(entry & REF_GRANULE) << 1]
  }
  return 0
}

/** Reads the bucket of the hash only: pass one of a batch, before dictTouch. */
export function dictTouchBucket(mem: Arena, dict: Ref, hash: number): number {
  return locateHash(mem, dict, hash) ? bucketView[bucketAt + TAGS] : 0
}

/** Puts another entry with the same key into the slot of the last find. */
export function dictReplaceFound(entry: Ref): void {
  foundView[foundIndex] = entry
}

/** Adds an entry whose key is not present. May allocate; on OutOfMemory the dict is as before. */
export function dictAdd(mem: Arena, dict: Ref, entry: Ref, hash: number): void {
  stepRehash(mem, dict)
  const view = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const count = view[root + COUNT]
  if (count >= (view[root + MASK0] + 1) * GROW_LOAD) startResize(mem, dict, (view[root + MASK0] + 1) * 2)
  link(mem, dict, entry, hash)
  view[root + COUNT] = count + 1
}

/** Puts the entry into its bucket, without counting it. */
function link(mem: Arena, dict: Ref, entry: Ref, hash: number): void {
  if (!locateHash(mem, dict, hash)) {
    usePage(mem, dict, hash)
    locateHash(mem, dict, hash)
  }
  let view = bucketView
  let at = bucketAt
  let chain = 1
  for (;;) {
    if (view[at + SLOTS - 1] === 0) break
    const next = view[at + NEXT]
    chain++
    if (next === 0) {
      const fresh = newOverflow(mem, dict, chain)
      view[at + NEXT] = fresh
      view = mem.u32[segmentOf(fresh)]
      at = wordOf(fresh)
      break
    }
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
  let slot = 0
  while (view[at + slot] !== 0) slot++
  view[at + slot] = entry
  setTag(view, at, slot, hash >>> 24 || 1)
}

function setTag(view: Uint32Array, at: number, slot: number, tag: number): void {
  const word = at + TAGS + (slot >>> 2)
  const shift = (slot & 3) << 3
  view[word] = (view[word] & ~(0xff << shift)) | (tag << shift)
}

function tagAt(view: Uint32Array, at: number, slot: number): number {
  return (view[at + TAGS + (slot >>> 2)] >>> ((slot & 3) << 3)) & 0xff
}

function newOverflow(mem: Arena, dict: Ref, chain: number): Ref {
  const bucket = spare === 0 ? mem.allocZeroed(BUCKET_BYTES) : takeSpare(mem)
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  u32[root + OVERFLOW] = u32[root + OVERFLOW] + 1
  if (chain > u32[root + CHAIN]) u32[root + CHAIN] = chain
  return bucket
}

function takeSpare(mem: Arena): Ref {
  const bucket = spare as Ref
  const view = mem.u32[segmentOf(bucket)]
  spare = view[wordOf(bucket) + NEXT]
  view[wordOf(bucket) + NEXT] = 0
  return bucket
}

/** Takes the bucket page that the hash falls into. */
function usePage(mem: Arena, dict: Ref, hash: number): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const bucket0 = (hash & u32[root + MASK0]) >>> 0
  const first = u32[root + REHASH] === NOT_REHASHING || bucket0 >= u32[root + REHASH]
  takePage(mem, u32[root + (first ? TABLE0 : TABLE1)] as Ref, first ? bucket0 : (hash & u32[root + MASK1]) >>> 0)
}

function takePage(mem: Arena, directory: Ref, bucket: number): void {
  const page = mem.allocZeroed(PAGE_BYTES)
  mem.u32[segmentOf(directory)][wordOf(directory) + (bucket >>> 10)] = page
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

/** Empties the slot of the last find: the chain's last entry fills the hole, an emptied overflow bucket is freed. */
export function dictRemoveFound(mem: Arena, dict: Ref, hash: number): void {
  const holeView = foundView
  const hole = foundIndex
  locateHash(mem, dict, hash)
  let view = bucketView
  let at = bucketAt
  let before = view
  let beforeAt = -1
  for (let next = view[at + NEXT]; next !== 0; next = view[at + NEXT]) {
    before = view
    beforeAt = at
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
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
    u32[root + OVERFLOW] = u32[root + OVERFLOW] - 1
  }
  u32[root + COUNT] = u32[root + COUNT] - 1
  stepRehash(mem, dict)
  maybeShrink(mem, dict)
}

function maybeShrink(mem: Arena, dict: Ref): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const buckets = u32[root + MASK0] + 1
  if (buckets <= MIN_BUCKETS || u32[root + COUNT] > buckets * SHRINK_LOAD) return
  let target = MIN_BUCKETS
  while (target * (GROW_LOAD / 2) < u32[root + COUNT]) target *= 2
  if (target < buckets) startResize(mem, dict, target)
}

/** Begins to move the entries into a table of this many buckets. Without memory for it the dict stays as it is. */
function startResize(mem: Arena, dict: Ref, buckets: number): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (u32[root + REHASH] !== NOT_REHASHING || u32[root + PAUSES] !== 0 || buckets > 2 ** 31) return
  let table: Ref
  try {
    table = mem.allocZeroed(tableBytes(buckets - 1))
  } catch {
    return
  }
  u32[root + TABLE1] = table
  u32[root + MASK1] = buckets - 1
  u32[root + REHASH] = 0
}

function tableBytes(mask: number): number {
  return mask >= PAGE_BUCKETS ? ((mask + 1) / PAGE_BUCKETS) * 4 : (mask + 1) * BUCKET_BYTES
}

/** Whether a resize is under way. */
export function dictIsRehashing(mem: Arena, dict: Ref): boolean {
  return mem.u32[segmentOf(dict)][wordOf(dict) + REHASH] !== NOT_REHASHING
}

/** Moves one bucket with its chain, when a resize is under way. */
function stepRehash(mem: Arena, dict: Ref): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (u32[root + REHASH] === NOT_REHASHING || u32[root + PAUSES] !== 0) return
  try {
    moveBucket(mem, dict, u32, root)
  } catch {
    // No memory for a page or an overflow bucket: what has been moved is in place, the rest waits for a later step.
  }
}

/**
 * Moves `steps` buckets of a running resize; false when there is nothing (more) to do. For the cron, in time slices.
 */
export function dictRehash(mem: Arena, dict: Ref, steps: number): boolean {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  for (let i = 0; i < steps && u32[root + REHASH] !== NOT_REHASHING && u32[root + PAUSES] === 0; i++) moveBucket(mem, dict, u32, root)
  return u32[root + REHASH] !== NOT_REHASHING && u32[root + PAUSES] === 0
}

/** Begins to shrink a sparse table, as the cron does for dicts that nobody removes from. */
export function dictTrim(mem: Arena, dict: Ref): void {
  maybeShrink(mem, dict)
}

function moveBucket(mem: Arena, dict: Ref, u32: Uint32Array, root: number): void {
  const bucket = u32[root + REHASH]
  const mask = u32[root + MASK0]
  if (locate(mem, u32[root + TABLE0], mask, bucket)) moveChain(mem, dict, u32, root, bucket)
  if (mask >= PAGE_BUCKETS && (bucket & (PAGE_BUCKETS - 1)) === PAGE_BUCKETS - 1) dropPage(mem, u32[root + TABLE0] as Ref, bucket)
  u32[root + REHASH] = bucket + 1
  if (bucket === mask) finishRehash(mem, u32, root)
}

/** Moves the entries of the located chain into the other table. All memory it can need is taken first. */
function moveChain(mem: Arena, dict: Ref, u32: Uint32Array, root: number, bucket: number): void {
  const firstView = bucketView
  const firstAt = bucketAt
  reserveTargets(mem, u32, root, bucket, firstView, firstAt)
  u32[root + REHASH] = bucket + 1
  let view = firstView
  let at = firstAt
  for (;;) {
    for (let slot = 0; slot < SLOTS && view[at + slot] !== 0; slot++) {
      const entry = view[at + slot] as Ref
      link(mem, dict, entry, hashOf(mem, entry))
    }
    const next = view[at + NEXT]
    if (next === 0) break
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
  u32[root + OVERFLOW] -= freeOverflow(mem, firstView[firstAt + NEXT])
  firstView.fill(0, firstAt, firstAt + BUCKET_WORDS)
  freeOverflow(mem, spare)
  spare = 0
}

/** Overflow buckets taken beforehand, chained by NEXT; empty outside moveChain. */
let spare = 0

/**
 * Takes the pages of the buckets that this chain will move to, and spare overflow buckets: as many as the chain has,
 * which is enough when a bucket splits into two empty ones, and one more when it joins another.
 */
function reserveTargets(mem: Arena, u32: Uint32Array, root: number, bucket: number, view: Uint32Array, at: number): void {
  const mask0 = u32[root + MASK0]
  const mask1 = u32[root + MASK1]
  const table = u32[root + TABLE1] as Ref
  for (let target = (bucket & mask1) >>> 0; target <= mask1; target += mask0 + 1) {
    if (!locate(mem, table, mask1, target)) takePage(mem, table, target)
  }
  let wanted = mask1 > mask0 ? 0 : 1
  for (let next = view[at + NEXT]; next !== 0; next = mem.u32[next >>> REF_SEGMENT][((next & REF_GRANULE) << 1) + NEXT]) wanted++
  try {
    for (; wanted > 0; wanted--) {
      const fresh = mem.allocZeroed(BUCKET_BYTES)
      mem.u32[segmentOf(fresh)][wordOf(fresh) + NEXT] = spare
      spare = fresh
    }
  } catch (error) {
    freeOverflow(mem, spare)
    spare = 0
    throw error
  }
}

/** Frees a chain of overflow buckets; returns how many there were. */
function freeOverflow(mem: Arena, first: number): number {
  let count = 0
  for (let next = first; next !== 0; count++) {
    const ref = next as Ref
    next = mem.u32[segmentOf(ref)][wordOf(ref) + NEXT]
    mem.free(ref, BUCKET_BYTES)
  }
  return count
}

function dropPage(mem: Arena, directory: Ref, bucket: number): void {
  const view = mem.u32[segmentOf(directory)]
  const at = wordOf(directory) + (bucket >>> 10)
  if (view[at] !== 0) mem.free(view[at] as Ref, PAGE_BYTES)
  view[at] = 0
}

function finishRehash(mem: Arena, u32: Uint32Array, root: number): void {
  mem.free(u32[root + TABLE0] as Ref, tableBytes(u32[root + MASK0]))
  u32[root + TABLE0] = u32[root + TABLE1]
  u32[root + MASK0] = u32[root + MASK1]
  u32[root + TABLE1] = 0
  u32[root + MASK1] = 0
  u32[root + REHASH] = NOT_REHASHING
  if (u32[root + OVERFLOW] === 0) u32[root + CHAIN] = 1
}

/** Stops (+1) or allows again (-1) the movement of entries between the tables. */
export function dictPause(mem: Arena, dict: Ref, by: 1 | -1): void {
  mem.u32[segmentOf(dict)][wordOf(dict) + PAUSES] += by
}

/** The entries of the bucket visited last by dictScan, dictBucket or dictSample. */
export const visited: Ref[] = []

/** Appends the entries of the located chain to `visited`. */
function visitChain(mem: Arena): void {
  let view = bucketView
  let at = bucketAt
  for (;;) {
    for (let slot = 0; slot < SLOTS && view[at + slot] !== 0; slot++) visited.push(view[at + slot] as Ref)
    const next = view[at + NEXT]
    if (next === 0) return
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
}

/** The cursor after `cursor` in reverse binary order under a mask: its high bits count first. */
function nextCursor(cursor: number, mask: number): number {
  return reverseBits((reverseBits(cursor | ~mask) + 1) | 0)
}

function reverseBits(value: number): number {
  let v = value
  v = ((v >>> 1) & 0x55555555) | ((v & 0x55555555) << 1)
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2)
  v = ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4)
  v = ((v >>> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8)
  return ((v >>> 16) | (v << 16)) >>> 0
}

/**
 * Puts the entries at this cursor into `visited` and returns the next cursor; 0 begins and ends. Entries present from
 * the first call to the last are seen at least once, whatever is added, removed or resized in between: during a resize
 * a step covers the smaller table's bucket and all its images in the larger one.
 */
export function dictScan(mem: Arena, dict: Ref, cursor: number): number {
  visited.length = 0
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const mask0 = u32[root + MASK0]
  if (u32[root + REHASH] === NOT_REHASHING) {
    if (locate(mem, u32[root + TABLE0], mask0, (cursor & mask0) >>> 0)) visitChain(mem)
    return nextCursor(cursor, mask0)
  }
  const mask1 = u32[root + MASK1]
  const [small, smallMask, large, largeMask] =
    mask0 <= mask1 ? [u32[root + TABLE0], mask0, u32[root + TABLE1], mask1] : [u32[root + TABLE1], mask1, u32[root + TABLE0], mask0]
  if (locate(mem, small, smallMask, (cursor & smallMask) >>> 0)) visitChain(mem)
  let at = cursor
  do {
    if (locate(mem, large, largeMask, (at & largeMask) >>> 0)) visitChain(mem)
    at = nextCursor(at, largeMask)
  } while ((at & (smallMask ^ largeMask)) >>> 0 !== 0)
  return at
}

/** Buckets over both tables, as positions for dictBucket. */
export function dictBuckets(mem: Arena, dict: Ref): number {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  return u32[root + MASK0] + 1 + (u32[root + REHASH] === NOT_REHASHING ? 0 : u32[root + MASK1] + 1)
}

/**
 * Puts the entries of the bucket at `position` (0 to dictBuckets - 1) into `visited`. To walk a dict: pause it, visit
 * each position, unpause it; entries may be removed in between, and added ones may be missed.
 */
export function dictBucket(mem: Arena, dict: Ref, position: number): void {
  visited.length = 0
  if (locatePosition(mem, dict, position)) visitChain(mem)
}

function locatePosition(mem: Arena, dict: Ref, position: number): boolean {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const buckets0 = u32[root + MASK0] + 1
  if (position < buckets0) return locate(mem, u32[root + TABLE0], u32[root + MASK0], position)
  return locate(mem, u32[root + TABLE1], u32[root + MASK1], position - buckets0)
}

/**
 * A uniformly random entry, null when the dict is empty: draws a bucket and a place up to the longest chain, and
 * rejects empty places; in a table so sparse that 100 draws failed it takes the next entry after a random bucket.
 */
export function dictRandom(mem: Arena, dict: Ref, random: { below(limit: number): number }): Ref {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (u32[root + COUNT] === 0) return NULL_REF
  const buckets = dictBuckets(mem, dict)
  const places = SLOTS * u32[root + CHAIN]
  for (let draw = 0; draw < 100; draw++) {
    if (!locatePosition(mem, dict, random.below(buckets))) continue
    const entry = entryAt(mem, random.below(places))
    if (entry !== NULL_REF) return entry
  }
  for (let position = random.below(buckets); ; position = (position + 1) % buckets) {
    dictBucket(mem, dict, position)
    if (visited.length > 0) return visited[random.below(visited.length)]
  }
}

/** The entry at a place of the located chain, null past its end. */
function entryAt(mem: Arena, place: number): Ref {
  let view = bucketView
  let at = bucketAt
  let slot = place
  for (; slot >= SLOTS; slot -= SLOTS) {
    const next = view[at + NEXT]
    if (next === 0) return NULL_REF
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
  return view[at + slot] as Ref
}

/** Calls `visit` with each entry. The dict must not change meanwhile, except that `visit` may free the entry. */
export function dictForEach(mem: Arena, dict: Ref, visit: (entry: Ref) => void): void {
  const buckets = dictBuckets(mem, dict)
  for (let position = 0; position < buckets; position++) {
    dictBucket(mem, dict, position)
    for (const entry of visited.slice()) visit(entry)
  }
}

/** Calls `block` with each block of the tables, then with the root; a block may be freed as it is visited. */
function eachBlock(mem: Arena, dict: Ref, block: Report): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  eachTableBlock(mem, u32[root + TABLE0] as Ref, u32[root + MASK0], block)
  if (u32[root + REHASH] !== NOT_REHASHING) eachTableBlock(mem, u32[root + TABLE1] as Ref, u32[root + MASK1], block)
  block(dict, ROOT_BYTES)
}

function eachTableBlock(mem: Arena, table: Ref, mask: number, block: Report): void {
  if (mask < PAGE_BUCKETS) eachPageBlock(mem, table, mask + 1, block)
  else {
    for (let page = 0; page <= mask >>> 10; page++) {
      const ref = mem.u32[segmentOf(table)][wordOf(table) + page] as Ref
      if (ref !== NULL_REF) eachPageBlock(mem, ref, PAGE_BUCKETS, block)
    }
    block(table, tableBytes(mask))
  }
}

function eachPageBlock(mem: Arena, page: Ref, buckets: number, block: Report): void {
  const view = mem.u32[segmentOf(page)]
  for (let bucket = 0; bucket < buckets; bucket++) {
    let next = view[wordOf(page) + bucket * BUCKET_WORDS + NEXT] as Ref
    while (next !== NULL_REF) {
      const ref = next
      next = mem.u32[segmentOf(ref)][wordOf(ref) + NEXT] as Ref
      block(ref, BUCKET_BYTES)
    }
  }
  block(page, buckets * BUCKET_BYTES)
}
