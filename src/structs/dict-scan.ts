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
  PAGE_BUCKETS,
  REHASH,
  SLOTS,
  TABLE0,
  TABLE1,
  bucketAt,
  bucketView,
  locate,
} from './dict-table.ts'
import { keepsViews, NO_WORDS } from '../util/views.ts'

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

/** Rounds of draws until dictRandom takes what is nearest, the draws of a round, and those of one that is for several entries. */
const ROUNDS = 256
const ROUND = 4
const LONG_ROUND = 16

/** The places a round has drawn: segment, first word of the bucket, place in its chain. */
const drawnSegments = new Int32Array(LONG_ROUND)
const drawnBuckets = new Int32Array(LONG_ROUND)
const drawnPlaces = new Int32Array(LONG_ROUND)
/** Takes what a round reads beforehand, so that no compiler drops the reads. */
export let drawSink = 0

/** Where dictRandom found its entry; `drawnView` is empty when it did not look at places. */
export let drawnView = NO_WORDS
export let drawnIndex = 0
keepsViews({ letGo: () => void (drawnView = NO_WORDS) })

/**
 * A uniformly random entry, null when the dict is empty: draws a bucket and a place up to the longest chain, and
 * rejects empty places; in a table so sparse that ROUNDS rounds failed it takes the next entry after a random bucket.
 *
 * Nearly all the cost is waiting for buckets that are not in the processor's caches. So the draws of a round are read all at once before
 * they are judged in turn.
 */
export function dictRandom(mem: Arena, dict: Ref, random: Pick<Random, 'below'>): Ref {
  if (mem.u32[segmentOf(dict)][wordOf(dict) + COUNT] === 0) return NULL_REF
  for (let round = 0; round < ROUNDS; round++) {
    const count = drawPlaces(mem, dict, random, ROUND)
    for (let i = 0; i < count; i++) {
      const entry = entryAt(mem, mem.u32[drawnSegments[i]], drawnBuckets[i], drawnPlaces[i])
      if (entry !== NULL_REF) return entry
    }
  }
  drawnView = NO_WORDS
  const buckets = dictBuckets(mem, dict)
  for (let position = random.below(buckets); ; position = (position + 1) % buckets) {
    dictBucket(mem, dict, position)
    if (visited.length > 0) return visited[random.below(visited.length)]
  }
}

/** Writes `wanted` uniformly random entries to `out`, the same one perhaps more than once; returns how many: none of an empty dict. */
export function dictDraw(mem: Arena, dict: Ref, random: Pick<Random, 'below'>, out: Uint32Array, wanted: number): number {
  let n = 0
  if (mem.u32[segmentOf(dict)][wordOf(dict) + COUNT] === 0) return n
  for (let round = 0; round < ROUNDS; round++) {
    const count = drawPlaces(mem, dict, random, LONG_ROUND)
    for (let i = 0; i < count; i++) {
      const entry = entryAt(mem, mem.u32[drawnSegments[i]], drawnBuckets[i], drawnPlaces[i])
      if (entry !== NULL_REF) out[n++] = entry
      if (n === wanted) return n
    }
  }
  while (n < wanted) out[n++] = dictRandom(mem, dict, random)
  return n
}

/**
 * Draws the places of a round and reads them; returns how many there are. Buckets and places are drawn from the next power of two, which costs no
 * division, and what is beyond is rejected. During a resize the buckets that have moved, or into which none has moved, are rejected too.
 */
function drawPlaces(mem: Arena, dict: Ref, random: Pick<Random, 'below'>, wanted: number): number {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const mask0 = u32[root + MASK0]
  const mask1 = u32[root + MASK1]
  const rehash = u32[root + REHASH]
  const resizing = rehash !== NOT_REHASHING
  const buckets = mask0 + 1 + (resizing ? mask1 + 1 : 0)
  const places = SLOTS * u32[root + CHAIN]
  const cells = powerOfTwo(places)
  const all = cells * powerOfTwo(buckets)
  let count = 0
  for (let draw = 0; draw < 2 * wanted && count < wanted; draw++) {
    const cell = random.below(all)
    const place = cell & (cells - 1)
    const position = Math.floor(cell / cells)
    if (place >= places || position >= buckets) continue
    const first = position <= mask0
    const bucket = first ? position : position - mask0 - 1
    if (resizing && (first ? bucket < rehash : (bucket & mask0) >>> 0 >= rehash)) continue
    const table = u32[root + (first ? TABLE0 : TABLE1)]
    const mask = first ? mask0 : mask1
    let page = table
    let index = bucket
    if (mask >= PAGE_BUCKETS) {
      page = mem.u32[table >>> REF_SEGMENT][((table & REF_GRANULE) << 1) + (bucket >>> 10)]
      if (page === 0) continue
      index = bucket & (PAGE_BUCKETS - 1)
    }
    drawnSegments[count] = page >>> REF_SEGMENT
    drawnBuckets[count] = ((page & REF_GRANULE) << 1) + (index << 4)
    drawnPlaces[count++] = place
  }
  for (let i = 0; i < count; i++) {
    const place = drawnPlaces[i] < SLOTS ? drawnPlaces[i] : NEXT
    drawSink ^= mem.u32[drawnSegments[i]][drawnBuckets[i] + place]
  }
  return count
}

/** The least power of two that is not below n. */
function powerOfTwo(n: number): number {
  return n <= 1 ? 1 : 1 << (32 - Math.clz32(n - 1))
}

/** The entry at a place of the chain that begins with this bucket, null past its end. */
function entryAt(mem: Arena, first: Uint32Array, bucket: number, place: number): Ref {
  let view = first
  let at = bucket
  let slot = place
  for (; slot >= SLOTS; slot -= SLOTS) {
    const next = view[at + NEXT]
    if (next === 0) return NULL_REF
    view = mem.u32[next >>> REF_SEGMENT]
    at = (next & REF_GRANULE) << 1
  }
  drawnView = view
  drawnIndex = at + slot
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
