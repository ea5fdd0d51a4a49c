/**
 * dict-table: the layout of a dict's root, tables and buckets, and where a hash lives in them. See dict.ts for the whole.
 */
import type { Arena } from '../memory/arena.ts'
import { REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { hashData } from '../util/hash.ts'
import { keyLength, keyStart } from './entry.ts'
import { keepsViews, NO_WORDS } from '../util/views.ts'

export const COUNT = 0
export const MASK0 = 1
export const MASK1 = 2
export const TABLE0 = 3
export const TABLE1 = 4
export const REHASH = 5
export const PAUSES = 6
export const CHAIN = 7
export const OVERFLOW = 8
/** While the dict is taken apart: the next bucket position; see dict-free.ts. */
export const SWEPT = 9
/** Overflow buckets behind another one: while there are none, no chain is longer than two. */
export const DEEP = 10
/** Changes since the dict was made, as far as a resize counts them. */
export const CHANGES = 11
export const ROOT_BYTES = 48

export const NOT_REHASHING = 0xffffffff
export const BUCKET_BYTES = 64
export const BUCKET_WORDS = 16
export const SLOTS = 12
export const TAGS = 12
export const NEXT = 15
export const PAGE_BUCKETS = 1024
export const PAGE_BYTES = PAGE_BUCKETS * BUCKET_BYTES

/** Bucket that `locate` found: its view and word index. */
export let bucketView = NO_WORDS
export let bucketAt = 0
keepsViews({ letGo: () => void (bucketView = NO_WORDS) })

/** The hash of the entry's key. */
export function hashOf(mem: Arena, entry: Ref): number {
  return hashData(mem.seed0, mem.seed1, mem.data[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
}

/** Points bucketView/bucketAt at the bucket of a table; false when its page was never used. */
export function locate(mem: Arena, table: number, mask: number, bucket: number): boolean {
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
export function locateHash(mem: Arena, dict: Ref, hash: number): boolean {
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

/** The first bucket of the hash's chain; 0 when its page was never used. Leaves what `locate` found. */
export function bucketOf(mem: Arena, dict: Ref, hash: number): number {
  const u32 = mem.u32[dict >>> REF_SEGMENT]
  const root = (dict & REF_GRANULE) << 1
  let mask = u32[root + MASK0]
  let table = u32[root + TABLE0]
  if ((hash & mask) >>> 0 < u32[root + REHASH] && u32[root + REHASH] !== NOT_REHASHING) {
    mask = u32[root + MASK1]
    table = u32[root + TABLE1]
  }
  const bucket = (hash & mask) >>> 0
  if (mask < PAGE_BUCKETS) return table + (bucket << 3)
  const page = mem.u32[table >>> REF_SEGMENT][((table & REF_GRANULE) << 1) + (bucket >>> 10)]
  return page === 0 ? 0 : page + ((bucket & (PAGE_BUCKETS - 1)) << 3)
}

/** The position (see dictBucket) of the bucket that holds this hash. */
export function positionOf(mem: Arena, dict: Ref, hash: number): number {
  const u32 = mem.u32[dict >>> REF_SEGMENT]
  const root = (dict & REF_GRANULE) << 1
  const mask = u32[root + MASK0]
  const bucket = (hash & mask) >>> 0
  if (bucket >= u32[root + REHASH] || u32[root + REHASH] === NOT_REHASHING) return bucket
  return mask + 1 + ((hash & u32[root + MASK1]) >>> 0)
}

/** Puts the entry into its bucket, without counting it. */
export function link(mem: Arena, dict: Ref, entry: Ref, hash: number): void {
  if (!locateHash(mem, dict, hash)) {
    usePage(mem, dict, hash)
    locateHash(mem, dict, hash)
  }
  linkLocated(mem, dict, entry, hash >>> 24 || 1)
}

/** Puts the entry behind those of the located chain. */
export function linkLocated(mem: Arena, dict: Ref, entry: Ref, tag: number): void {
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
  setTag(view, at, slot, tag)
}

/** Entries of one bucket, without those of its overflow buckets. */
export function bucketSize(view: Uint32Array, at: number): number {
  let size = 0
  while (size < SLOTS && view[at + size] !== 0) size++
  return size
}

export function setTag(view: Uint32Array, at: number, slot: number, tag: number): void {
  const word = at + TAGS + (slot >>> 2)
  const shift = (slot & 3) << 3
  view[word] = (view[word] & ~(0xff << shift)) | (tag << shift)
}

export function tagAt(view: Uint32Array, at: number, slot: number): number {
  return (view[at + TAGS + (slot >>> 2)] >>> ((slot & 3) << 3)) & 0xff
}

function newOverflow(mem: Arena, dict: Ref, chain: number): Ref {
  const bucket = spare === 0 ? mem.allocZeroed(BUCKET_BYTES) : takeSpare(mem)
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  u32[root + OVERFLOW] = u32[root + OVERFLOW] + 1
  if (chain > 2) u32[root + DEEP] = u32[root + DEEP] + 1
  if (chain > u32[root + CHAIN]) u32[root + CHAIN] = chain
  return bucket
}

/** Counts overflow buckets of a chain that have been freed: the last `count` of `all` that it had. */
export function overflowGone(mem: Arena, dict: Ref, all: number, count: number): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  u32[root + OVERFLOW] = u32[root + OVERFLOW] - count
  u32[root + DEEP] = u32[root + DEEP] - Math.min(count, Math.max(0, all - 1))
  if (u32[root + OVERFLOW] === 0) u32[root + CHAIN] = 1
  else if (u32[root + DEEP] === 0) u32[root + CHAIN] = 2
}

/** Overflow buckets taken beforehand, chained by NEXT, which `link` uses first; empty outside a move (dict-resize.ts). */
let spare = 0

function takeSpare(mem: Arena): Ref {
  const bucket = spare as Ref
  const view = mem.u32[segmentOf(bucket)]
  spare = view[wordOf(bucket) + NEXT]
  view[wordOf(bucket) + NEXT] = 0
  return bucket
}

/** Takes `count` spare overflow buckets, or none when there is no memory. */
export function reserveSpares(mem: Arena, count: number): void {
  try {
    for (let left = count; left > 0; left--) {
      const fresh = mem.allocZeroed(BUCKET_BYTES)
      mem.u32[segmentOf(fresh)][wordOf(fresh) + NEXT] = spare
      spare = fresh
    }
  } catch (error) {
    freeSpares(mem)
    throw error
  }
}

export function freeSpares(mem: Arena): void {
  freeOverflow(mem, spare)
  spare = 0
}

/** Frees a chain of overflow buckets; returns how many there were. */
export function freeOverflow(mem: Arena, first: number): number {
  let count = 0
  for (let next = first; next !== 0; count++) {
    const ref = next as Ref
    next = mem.u32[segmentOf(ref)][wordOf(ref) + NEXT]
    mem.free(ref, BUCKET_BYTES)
  }
  return count
}

/** Takes the bucket page that the hash falls into. */
function usePage(mem: Arena, dict: Ref, hash: number): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const bucket0 = (hash & u32[root + MASK0]) >>> 0
  const first = u32[root + REHASH] === NOT_REHASHING || bucket0 >= u32[root + REHASH]
  takePage(mem, u32[root + (first ? TABLE0 : TABLE1)] as Ref, first ? bucket0 : (hash & u32[root + MASK1]) >>> 0)
}

export function takePage(mem: Arena, directory: Ref, bucket: number): void {
  const page = mem.allocZeroed(PAGE_BYTES)
  mem.u32[segmentOf(directory)][wordOf(directory) + (bucket >>> 10)] = page
}

export function tableBytes(mask: number): number {
  return mask >= PAGE_BUCKETS ? ((mask + 1) / PAGE_BUCKETS) * 4 : (mask + 1) * BUCKET_BYTES
}
