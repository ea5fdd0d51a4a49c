/**
 * geo: the members of a sorted set whose scores are positions, found by shape.
 *
 * A search walks the score ranges of up to nine cells. It meets scores side by side in the leaves of the tree and looks at a member only
 * when it is among the results. When only the nearest (or farthest) `most` are wanted, they are kept in a heap with the worst on top, and
 * once it is full its distance narrows the sieve that rejects most positions before any trigonometry.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf } from '../memory/ref.ts'
import { keyLength, keyStart } from '../structs/entry.ts'
import { distanceWithin, narrowSieve, passesSieve, ranges, type Shape, searchRanges, setSieve } from '../structs/geoarea.ts'
import { lpFirst, lpGet, lpNext, lpValue } from '../structs/listpack.ts'
import { type Place, rankOfScore } from '../structs/ranktree.ts'
import { COUNT, LEAF_ENTRIES, LEAF_SCORES, NEXT } from '../structs/ranktree-node.ts'
import { LISTPACK } from './object.ts'
import { largeTree } from './zset-large.ts'
import { smallScore } from './zset-small.ts'
import { keepsViews, NO_BYTES } from '../util/views.ts'

export const UNSORTED = 0
export const NEAREST = 1
export const FARTHEST = -1

const START_CAPACITY = 64

/** What a search found, in columns; `order` has the row numbers in the order of the reply. */
export class GeoHits {
  count = 0
  meters = new Float64Array(START_CAPACITY)
  scores = new Float64Array(START_CAPACITY)
  order = new Uint32Array(START_CAPACITY)
  /** Entries of members, or their positions in the listpack. */
  private members = new Uint32Array(START_CAPACITY)
  /** Row numbers by arrival, which decide between equal distances. */
  private arrivals = new Uint32Array(START_CAPACITY)
  private arrived = 0
  private direction = UNSORTED
  private most = Infinity

  /** Empties it for a search that keeps the first `most` in a direction; with UNSORTED, the first that come. */
  reset(direction: number, most: number): void {
    this.count = 0
    this.arrived = 0
    this.direction = direction
    this.most = most
  }

  /** Whether no further position can change the result. */
  get isFull(): boolean {
    return this.direction === UNSORTED && this.count >= this.most
  }

  /** Positions beyond this distance are not wanted. */
  get reach(): number {
    return this.direction === NEAREST && this.count >= this.most ? this.meters[0] : Infinity
  }

  add(meters: number, score: number, member: number): void {
    const arrival = this.arrived++
    if (this.count < this.most) {
      if (this.count === this.meters.length) this.grow()
      this.put(this.count, meters, score, member, arrival)
      this.count++
      if (this.direction !== UNSORTED && this.most !== Infinity) this.siftUp(this.count - 1)
    } else if (this.direction * (meters - this.meters[0]) < 0) {
      this.put(0, meters, score, member, arrival)
      this.siftDown()
    }
  }

  /** Fills `order`: by distance in the direction of the search, else as they came. */
  arrange(direction: number): void {
    const { meters, arrivals } = this
    const order = this.order.subarray(0, this.count)
    for (let i = 0; i < this.count; i++) order[i] = i
    if (direction !== UNSORTED) order.sort((a, b) => direction * (meters[a] - meters[b]) || arrivals[a] - arrivals[b])
  }

  /** Points `found` at the bytes of the member in a row. */
  member(mem: Arena, encoding: number, root: Ref, row: number): void {
    if (encoding === LISTPACK) {
      lpGet(mem, root, this.members[row])
      found.bytes = lpValue.bytes
      found.off = lpValue.off
      found.len = lpValue.len
    } else {
      const entry = this.members[row] as Ref
      found.bytes = mem.u8[segmentOf(entry)]
      found.off = keyStart(mem, entry)
      found.len = keyLength(mem, entry)
    }
  }

  private put(row: number, meters: number, score: number, member: number, arrival: number): void {
    this.meters[row] = meters
    this.scores[row] = score
    this.members[row] = member
    this.arrivals[row] = arrival
  }

  private grow(): void {
    const wider = <T extends Float64Array | Uint32Array>(old: T, fresh: T): T => {
      fresh.set(old)
      return fresh
    }
    const size = this.meters.length * 2
    this.meters = wider(this.meters, new Float64Array(size))
    this.scores = wider(this.scores, new Float64Array(size))
    this.members = wider(this.members, new Uint32Array(size))
    this.arrivals = wider(this.arrivals, new Uint32Array(size))
    this.order = new Uint32Array(size)
  }

  /** Whether row a is worse than row b, which brings it nearer to the top of the heap. */
  private worse(a: number, b: number): boolean {
    const difference = this.direction * (this.meters[a] - this.meters[b])
    return difference > 0 || (difference === 0 && this.arrivals[a] > this.arrivals[b])
  }

  private swap(a: number, b: number): void {
    const { meters, scores, members, arrivals } = this
    const meters0 = meters[a]
    const score0 = scores[a]
    const member0 = members[a]
    const arrival0 = arrivals[a]
    this.put(a, meters[b], scores[b], members[b], arrivals[b])
    this.put(b, meters0, score0, member0, arrival0)
  }

  private siftUp(from: number): void {
    for (let row = from; row > 0; ) {
      const parent = (row - 1) >>> 1
      if (!this.worse(row, parent)) return
      this.swap(row, parent)
      row = parent
    }
  }

  private siftDown(): void {
    for (let row = 0; ; ) {
      let child = 2 * row + 1
      if (child >= this.count) return
      if (child + 1 < this.count && this.worse(child + 1, child)) child++
      if (!this.worse(child, row)) return
      this.swap(row, child)
      row = child
    }
  }
}

/** The member that GeoHits.member read last. */
export const found: { bytes: Uint8Array; off: number; len: number } = { bytes: NO_BYTES, off: 0, len: 0 }
keepsViews({ letGo: () => void (found.bytes = NO_BYTES) })

const place: Place = { leaf: NULL_REF, index: 0 }

/** Adds the members inside the shape to `hits`, cell by cell in Redis' order. */
export function searchGeo(mem: Arena, encoding: number, root: Ref, shape: Shape, hits: GeoHits): void {
  const count = searchRanges(shape)
  setSieve(shape)
  for (let i = 0; i < count && !hits.isFull; i++) {
    const min = ranges[2 * i]
    const max = ranges[2 * i + 1]
    if (encoding === LISTPACK) searchListpack(mem, root, min, max, shape, hits)
    else searchTree(mem, largeTree(mem, root), min, max, shape, hits)
  }
}

function searchTree(mem: Arena, tree: Ref, min: number, max: number, shape: Shape, hits: GeoHits): void {
  rankOfScore(mem, tree, min, false, place)
  let from = place.index
  for (let leaf: Ref = place.leaf; leaf !== NULL_REF; from = 0) {
    const u32 = mem.u32[leaf >>> REF_SEGMENT]
    const f64 = mem.f64[leaf >>> REF_SEGMENT]
    const at = (leaf & REF_GRANULE) << 1
    const scores = (at >>> 1) + LEAF_SCORES
    const count = u32[at + COUNT]
    for (let i = from; i < count; i++) {
      const score = f64[scores + i]
      if (score >= max) return
      if (!passesSieve(score)) continue
      measure(shape, score, u32[at + LEAF_ENTRIES + i], hits)
      if (hits.isFull) return
    }
    leaf = u32[at + NEXT] as Ref
  }
}

/** Adds a member whose score passed the sieve, if it lies inside; a nearer worst result narrows the sieve. */
function measure(shape: Shape, score: number, member: number, hits: GeoHits): void {
  const meters = distanceWithin(shape, score)
  if (meters < 0) return
  hits.add(meters, score, member)
  narrowSieve(shape, hits.reach)
}

function searchListpack(mem: Arena, lp: Ref, min: number, max: number, shape: Shape, hits: GeoHits): void {
  for (let position = lpFirst(mem, lp); position !== 0 && !hits.isFull; ) {
    const at = lpNext(mem, lp, position)
    const score = smallScore(mem, lp, at)
    if (score >= max) return
    if (score >= min && passesSieve(score)) measure(shape, score, position, hits)
    position = lpNext(mem, lp, at)
  }
}
