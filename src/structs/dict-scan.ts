/**
 * dict-scan: walking a dict: SCAN's cursor, buckets by position, a fair random entry.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import type { Random } from '../util/random.ts'
import {
  CHAIN,
  COUNT,
  MASK0,
  MASK1,
  NEXT,
  NOT_REHASHING,
  REHASH,
  SLOTS,
  TABLE0,
  TABLE1,
  bucketAt,
  bucketView,
  locate,
} from './dict-table.ts'

/** The entries of the bucket visited last by dictScan or dictBucket. */
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

/** Writes the entries of the bucket at `position` to out[count] and on, as far as there is room; returns the new count. */
export function dictSample(mem: Arena, dict: Ref, position: number, out: Uint32Array, count: number): number {
  if (!locatePosition(mem, dict, position)) return count
  let view = bucketView
  let at = bucketAt
  for (let n = count; ; ) {
    for (let slot = 0; slot < SLOTS && view[at + slot] !== 0 && n < out.length; slot++) out[n++] = view[at + slot]
    const next = view[at + NEXT]
    if (next === 0) return n
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
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
export function dictRandom(mem: Arena, dict: Ref, random: Pick<Random, 'below'>): Ref {
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
