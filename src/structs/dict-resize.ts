/**
 * dict-resize: growing and shrinking a dict, a bucket (with its chain) at a time.
 *
 * (1) A bucket moves whole or not at all: all memory its move can need is taken before.
 * (2) Old pages are given back as their last bucket has moved, so that no step is long.
 * (3) A table that shrinks is sparse, and its buckets join whole: no entry is read. So a step moves several, and the table has shrunk long
 *     before it is empty.
 */
import { type Arena, OutOfMemory } from '../memory/arena.ts'
import { REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import {
  BUCKET_WORDS,
  CHANGES,
  COUNT,
  MASK0,
  MASK1,
  NEXT,
  NOT_REHASHING,
  PAGE_BUCKETS,
  PAGE_BYTES,
  PAUSES,
  REHASH,
  SLOTS,
  TABLE0,
  TABLE1,
  bucketAt,
  bucketSize,
  bucketView,
  freeOverflow,
  freeSpares,
  hashOf,
  link,
  linkLocated,
  locate,
  overflowGone,
  reserveSpares,
  tableBytes,
  tagAt,
  takePage,
} from './dict-table.ts'

/**
 * Mean entries a bucket at which the table doubles (to half of that), and below which it shrinks: a quarter of the slots, since drawing
 * a random entry from a sparser table rejects most draws. What has shrunk must be far from doubling again.
 */
const GROW_LOAD = 10
const SHRINK_LOAD = 3
const SHRUNK_LOAD = 6
export const MIN_BUCKETS = 4
/** Buckets that a step moves while the table shrinks. */
const SHRINK_STEP = 8
/**
 * Changes (a power of two) for each bucket moved while the table grows. A resize that moved one at each change would be over after a tenth
 * of them, but each would cost four times as much meanwhile; it may take until the table is full once more, ten a bucket.
 */
const GROW_EVERY = 4

/** Begins to double a full table. */
export function maybeGrow(mem: Arena, dict: Ref): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const buckets = u32[root + MASK0] + 1
  if (u32[root + COUNT] >= buckets * GROW_LOAD) startResize(mem, dict, buckets * 2)
}

/** Begins to shrink a sparse table; the cron does so for dicts that nobody removes from. */
export function dictTrim(mem: Arena, dict: Ref): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const buckets = u32[root + MASK0] + 1
  if (buckets <= MIN_BUCKETS || u32[root + COUNT] > buckets * SHRINK_LOAD) return
  let target = MIN_BUCKETS
  while (target * SHRUNK_LOAD < u32[root + COUNT]) target *= 2
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
  } catch (error) {
    if (error instanceof OutOfMemory) return
    throw error
  }
  u32[root + TABLE1] = table
  u32[root + MASK1] = buckets - 1
  u32[root + REHASH] = 0
}

/** Whether a resize is under way. */
export function dictIsRehashing(mem: Arena, dict: Ref): boolean {
  return mem.u32[segmentOf(dict)][wordOf(dict) + REHASH] !== NOT_REHASHING
}

/** Called at each change: moves a bucket with its chain now and then (some, of a table that shrinks), when a resize is under way. */
export function stepRehash(mem: Arena, dict: Ref): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (u32[root + REHASH] === NOT_REHASHING || u32[root + PAUSES] !== 0) return
  if (u32[root + MASK1] < u32[root + MASK0]) dictRehash(mem, dict, SHRINK_STEP)
  else if ((u32[root + CHANGES]++ & (GROW_EVERY - 1)) === 0) tryMove(mem, dict, u32, root)
}

/** Without memory for a page or an overflow bucket the bucket stays where it is, and waits for a later step: false. */
function tryMove(mem: Arena, dict: Ref, u32: Uint32Array, root: number): boolean {
  try {
    moveBucket(mem, dict, u32, root)
    return true
  } catch (error) {
    if (error instanceof OutOfMemory) return false
    throw error
  }
}

/**
 * Moves `steps` buckets of a running resize; false when there is nothing (more) to do. For the cron, in time slices.
 */
export function dictRehash(mem: Arena, dict: Ref, steps: number): boolean {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  for (let i = 0; i < steps && u32[root + REHASH] !== NOT_REHASHING && u32[root + PAUSES] === 0; i++) {
    if (!tryMove(mem, dict, u32, root)) return false
  }
  return u32[root + REHASH] !== NOT_REHASHING && u32[root + PAUSES] === 0
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
  const table = u32[root + TABLE1]
  const mask1 = u32[root + MASK1]
  const joins = mask1 < u32[root + MASK0]
  if (!joins) touchEntries(mem, firstView, firstAt)
  let view = firstView
  let at = firstAt
  for (;;) {
    for (let slot = 0; slot < SLOTS && view[at + slot] !== 0; slot++) {
      const entry = view[at + slot] as Ref
      if (joins) {
        locate(mem, table, mask1, (bucket & mask1) >>> 0)
        linkLocated(mem, dict, entry, tagAt(view, at, slot))
      } else link(mem, dict, entry, hashOf(mem, entry))
    }
    const next = view[at + NEXT]
    if (next === 0) break
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
  const freed = freeOverflow(mem, firstView[firstAt + NEXT])
  if (freed > 0) overflowGone(mem, dict, freed, freed)
  firstView.fill(0, firstAt, firstAt + BUCKET_WORDS)
  freeSpares(mem)
}

/** Takes what touchEntries reads, so that no compiler drops the reads. */
export let touchSink = 0

/** Reads a word of every entry's key in the bucket: each will be hashed, and so the processor waits for all of them at once. */
function touchEntries(mem: Arena, view: Uint32Array, at: number): void {
  for (let slot = 0; slot < SLOTS && view[at + slot] !== 0; slot++) {
    const entry = view[at + slot]
    touchSink ^= mem.u32[entry >>> REF_SEGMENT][((entry & REF_GRANULE) << 1) + 3]
  }
}

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
  // Two buckets that fit into one need none.
  const alone = view[at + NEXT] === 0 && mask1 < mask0 && locate(mem, table, mask1, (bucket & mask1) >>> 0)
  if (alone && bucketView[bucketAt + NEXT] === 0 && bucketSize(view, at) + bucketSize(bucketView, bucketAt) <= SLOTS) return
  let wanted = mask1 > mask0 ? 0 : 1
  for (let next = view[at + NEXT]; next !== 0; next = mem.u32[next >>> REF_SEGMENT][((next & REF_GRANULE) << 1) + NEXT]) wanted++
  reserveSpares(mem, wanted)
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
}

/** Stops (+1) or allows again (-1) the movement of entries between the tables. */
export function dictPause(mem: Arena, dict: Ref, by: 1 | -1): void {
  mem.u32[segmentOf(dict)][wordOf(dict) + PAUSES] += by
}
