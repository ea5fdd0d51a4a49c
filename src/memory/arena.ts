/**
 * arena: the memory that holds all keys and values, outside the JavaScript heap.
 *
 *   segment  64 MiB ArrayBuffer with u8, u32, f64 and data views; 4,096 pages of 16 KiB
 *   slab     1-16 pages cut into blocks of one size class; free blocks are chained through their first word
 *   run      whole pages, for a block above 64 KiB
 *   huge     a segment of its own, for a block above half a segment
 *
 * (1) Page 0 of segment 0 is never handed out, so ref 0 and slab 0 mean "none".
 * (2) A slab is active (the one its class allocates from), partial (has free blocks, listed), or full (not listed).
 * (3) `used` is the sum of usableBytes() of all live blocks, exactly.
 * (4) alloc throws OutOfMemory and changes nothing when the memory cannot be had; free never fails.
 * (5) Callers say the size again when they free: blocks carry no header.
 * (6) No view fetched before an allocating call may be used after it when its block could have moved.
 * (7) Segments that became empty are given back by `trim`, one a call: that is system time that belongs into the background.
 * (8) From a closed segment nothing is allocated; its slabs are of state CLOSED. See evacuation in keyspace/evacuate.ts.
 *
 * alloc and free are O(1); taking a new slab scans the page map of one segment.
 */
import { copyBytes, copyInto } from '../util/bytes.ts'
import { GRANULE_SHIFT, MAX_SEGMENTS, REF_GRANULE, REF_SEGMENT, SEGMENT_BYTES, type Ref } from './ref.ts'
import { detach, drop } from './release.ts'
import {
  CLASS_BLOCKS,
  CLASS_BYTES,
  CLASS_COUNT,
  CLASS_OF,
  CLASS_PAGES,
  MAX_CLASS_BYTES,
  PAGE_BYTES,
  PAGE_SHIFT,
  sameBlock,
} from './sizeclass.ts'

/** The arena cannot give the block: the system refused, or 32 GiB are in use. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Does work that takes memory. False when it cannot be had: then the work has left everything as it was. */
export function hasMemoryFor(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof OutOfMemory) return false
    throw error
  }
}

const SEGMENT_PAGES = SEGMENT_BYTES / PAGE_BYTES
const MAX_RUN_PAGES = SEGMENT_PAGES / 2
/** Blocks above this are never moved, and how many bytes a step of moving blocks takes about. */
const MOVE_MAX_BYTES = 2 ** 23
export const MOVE_STEP_BYTES = 2 ** 18
/** page << PAGE_REF is the ref of the page's first granule; ref >>> PAGE_REF its page. */
const PAGE_REF = PAGE_SHIFT - GRANULE_SHIFT

const PARTIAL = 1
const FULL = 2
const ACTIVE = 3
const CLOSED = 4

const EMPTY_BUFFER = new ArrayBuffer(0)

export class Arena {
  /** Views by segment. A slot whose segment was given back holds views of length 0. */
  readonly u8: Uint8Array[] = []
  readonly u32: Uint32Array[] = []
  readonly f64: Float64Array[] = []
  /** For words at any byte: copyShort takes four bytes a step through it. */
  readonly data: DataView[] = []
  /** Bytes in live blocks, rounded up to their classes. */
  used = 0
  /** Who wants to know before a part of a large collection changes; see structs/before-change.ts. */
  onChange: ((root: Ref, part: number) => void) | null = null
  /** Secret of this server for every keyed hash over arena data (util/hash). */
  readonly seed0: number
  readonly seed1: number

  /** By segment: free pages, or -1 for a huge or absent segment; the lowest page that may be free; pages ever touched. */
  private readonly freePages = new Int32Array(MAX_SEGMENTS).fill(-1)
  private readonly firstFree = new Int32Array(MAX_SEGMENTS)
  private readonly touchedPages = new Int32Array(MAX_SEGMENTS)
  /** By segment: 1 while it is being evacuated. */
  private readonly closed = new Uint8Array(MAX_SEGMENTS)
  /** By page, grown with the segments: 1 when handed out; and for slabs, the slab (its first page) each page belongs to. */
  private pageTaken = new Uint8Array(1)
  private pageSlab = new Uint32Array(1)
  /** By slab, that is by its first page. */
  private slabFree = new Uint32Array(1)
  private slabBump = new Uint32Array(1)
  private slabLive = new Uint32Array(1)
  private slabClass = new Uint8Array(1)
  private slabState = new Uint8Array(1)
  private slabNext = new Uint32Array(1)
  private slabPrev = new Uint32Array(1)
  /** By class. */
  private readonly active = new Uint32Array(CLASS_COUNT)
  private readonly partial = new Uint32Array(CLASS_COUNT)

  constructor(seed0 = 0x243f6a88, seed1 = 0x85a308d3) {
    this.seed0 = seed0 | 0
    this.seed1 = seed1 | 0
  }

  /** A block of at least `sizeBytes`, its contents undefined. */
  alloc(sizeBytes: number): Ref {
    if (sizeBytes > MAX_CLASS_BYTES) return this.allocPages(sizeBytes, false)
    const cls = CLASS_OF[(sizeBytes + 7) >>> 3]
    const slab = this.active[cls]
    const head = this.slabFree[slab]
    if (head !== 0) {
      this.slabFree[slab] = this.u32[head >>> REF_SEGMENT][(head & REF_GRANULE) << 1]
      this.slabLive[slab] = this.slabLive[slab] + 1
      this.used += CLASS_BYTES[cls]
      return head as Ref
    }
    return this.allocBump(cls, slab)
  }

  /** A block of at least `sizeBytes` zero bytes; memory that the system just gave is not filled again. */
  allocZeroed(sizeBytes: number): Ref {
    if (sizeBytes > MAX_CLASS_BYTES) return this.allocPages(sizeBytes, true)
    const ref = this.alloc(sizeBytes)
    const start = (ref & REF_GRANULE) << 3
    this.u8[ref >>> REF_SEGMENT].fill(0, start, start + sizeBytes)
    return ref
  }

  /** Gives a block back; `sizeBytes` is a size that rounds to the class it was taken with. */
  free(ref: Ref, sizeBytes: number): void {
    if (sizeBytes > MAX_CLASS_BYTES) return this.freePagesOf(ref, sizeBytes)
    const cls = CLASS_OF[(sizeBytes + 7) >>> 3]
    const slab = this.pageSlab[ref >>> PAGE_REF]
    this.u32[ref >>> REF_SEGMENT][(ref & REF_GRANULE) << 1] = this.slabFree[slab]
    this.slabFree[slab] = ref
    this.used -= CLASS_BYTES[cls]
    const live = this.slabLive[slab] - 1
    this.slabLive[slab] = live
    if (live === 0) this.emptySlab(slab, cls)
    else if (this.slabState[slab] === FULL) this.listPartial(slab)
  }

  /** A block of `newBytes` that begins with the old one's first min(old, new) bytes; the same ref while the class stays. */
  realloc(ref: Ref, oldBytes: number, newBytes: number): Ref {
    if (sameBlock(oldBytes, newBytes)) return ref
    const moved = this.alloc(newBytes)
    const source = this.u8[ref >>> REF_SEGMENT]
    copyBytes(this.u8[moved >>> REF_SEGMENT], (moved & REF_GRANULE) << 3, source, (ref & REF_GRANULE) << 3, Math.min(oldBytes, newBytes))
    this.free(ref, oldBytes)
    return moved
  }

  /** Copies bytes to a place in a segment. */
  put(segment: number, at: number, bytes: Uint8Array, off: number, len: number): void {
    copyInto(this.u8[segment], this.data[segment], at, bytes, off, len)
  }

  /** Bytes of the segments held from the system. */
  get mapped(): number {
    let bytes = 0
    for (const view of this.u8) bytes += view.length
    return bytes
  }

  /** Bytes of free pages inside the segments. */
  get freeBytes(): number {
    let pages = 0
    for (let segment = 0; segment < this.u8.length; segment++) pages += Math.max(0, this.freePages[segment])
    return pages * PAGE_BYTES
  }

  /** Bytes of the segments that have been written to at some time: what they add to the resident size of the process. */
  get resident(): number {
    let bytes = 0
    for (let segment = 0; segment < this.u8.length; segment++) {
      bytes += this.freePages[segment] < 0 ? this.u8[segment].length : this.touchedPages[segment] * PAGE_BYTES
    }
    return bytes
  }

  /** Those of them in empty segments that `trim` will give back. */
  get spareBytes(): number {
    let pages = 0
    for (let segment = 1; segment < this.u8.length; segment++) {
      if (this.freePages[segment] === SEGMENT_PAGES) pages += this.touchedPages[segment]
    }
    return pages * PAGE_BYTES
  }

  /** Gives one empty segment back to the system; false when there is none to spare. One is kept for the next block. */
  trim(): boolean {
    let kept = false
    for (let segment = 1; segment < this.u8.length; segment++) {
      if (this.freePages[segment] !== SEGMENT_PAGES) continue
      if (kept || this.closed[segment] !== 0 || this.touchedPages[segment] > 0) {
        this.dropSegment(segment)
        return true
      }
      kept = true
    }
    return false
  }

  // ---- evacuation ----

  /** Bytes of live blocks in a segment of pages; -1 for a huge and an absent one. */
  liveBytes(segment: number): number {
    if (this.freePages[segment] < 0) return -1
    let bytes = 0
    const end = (segment + 1) * SEGMENT_PAGES
    for (let page = segment * SEGMENT_PAGES; page < end; page += this.pagesAt(page)) {
      if (this.pageTaken[page] === 0) continue
      const slab = this.pageSlab[page]
      bytes += slab === 0 ? PAGE_BYTES : this.slabLive[slab] * CLASS_BYTES[this.slabClass[slab]]
    }
    return bytes
  }

  /** Pages of the slab that begins at this page; 1 where none does. */
  private pagesAt(page: number): number {
    return this.pageTaken[page] !== 0 && this.pageSlab[page] !== 0 ? CLASS_PAGES[this.slabClass[page]] : 1
  }

  /** Takes nothing from this segment any more, so that it empties as its blocks are moved or freed. */
  closeSegment(segment: number): void {
    this.closed[segment] = 1
    for (let cls = 1; cls < CLASS_COUNT; cls++) if (Math.floor(this.active[cls] / SEGMENT_PAGES) === segment) this.active[cls] = 0
    for (const slab of this.slabsOf(segment)) {
      if (this.slabState[slab] === PARTIAL) this.unlistPartial(slab)
      this.slabState[slab] = CLOSED
    }
  }

  /** Takes blocks from the segment again. */
  reopenSegment(segment: number): void {
    if (this.closed[segment] === 0) return
    this.closed[segment] = 0
    for (const slab of this.slabsOf(segment)) {
      if (this.slabFree[slab] !== 0 || this.slabBump[slab] < CLASS_BLOCKS[this.slabClass[slab]]) this.listPartial(slab)
      else this.slabState[slab] = FULL
    }
  }

  /** Whether the block lies in a segment that is being evacuated. */
  isClosed(ref: Ref): boolean {
    return this.closed[ref >>> REF_SEGMENT] !== 0
  }

  /** Blocks that moveOut has moved. */
  moves = 0

  /**
   * Moves a block out of a closed segment, unless it is so large that this would take too long; returns where it is now. May allocate; on
   * OutOfMemory nothing has changed.
   */
  moveOut(ref: Ref, sizeBytes: number): Ref {
    if (!this.isClosed(ref) || sizeBytes > MOVE_MAX_BYTES) return ref
    const moved = this.alloc(sizeBytes)
    copyBytes(this.u8[moved >>> REF_SEGMENT], (moved & REF_GRANULE) << 3, this.u8[ref >>> REF_SEGMENT], (ref & REF_GRANULE) << 3, sizeBytes)
    this.free(ref, sizeBytes)
    this.moves++
    return moved
  }

  private slabsOf(segment: number): number[] {
    const slabs: number[] = []
    if (this.freePages[segment] < 0) return slabs
    const end = (segment + 1) * SEGMENT_PAGES
    for (let page = segment * SEGMENT_PAGES; page < end; page += this.pagesAt(page)) {
      if (this.pageTaken[page] !== 0 && this.pageSlab[page] !== 0) slabs.push(page)
    }
    return slabs
  }

  // ---- for the audit ----

  /** What the audit needs to know about the block at `ref`; null when no slab or run begins there. */
  blockAt(ref: Ref): { slab: number; bytes: number; index: number } | null {
    const page = ref >>> PAGE_REF
    const segment = ref >>> REF_SEGMENT
    if (segment < this.u8.length && this.freePages[segment] < 0) {
      return (ref & REF_GRANULE) === 0 ? { slab: 0, bytes: this.u8[segment].length, index: 0 } : null
    }
    if (page >= this.pageTaken.length || this.pageTaken[page] === 0) return null
    const slab = this.pageSlab[page]
    if (slab === 0) return { slab: 0, bytes: -1, index: 0 }
    const bytes = CLASS_BYTES[this.slabClass[slab]]
    const index = ((ref - slab * (1 << PAGE_REF)) * 8) / bytes
    return Number.isInteger(index) && index < this.slabBump[slab] ? { slab, bytes, index } : null
  }

  /** Live blocks of every slab in use, for the audit. */
  *slabs(): Generator<{ slab: number; live: number; free: Ref[] }> {
    for (let page = 1; page < this.pageSlab.length; page++) {
      if (this.pageTaken[page] === 0 || this.pageSlab[page] !== page) continue
      const free: Ref[] = []
      for (let at = this.slabFree[page]; at !== 0; at = this.u32[at >>> REF_SEGMENT][(at & REF_GRANULE) << 1]) {
        free.push(at as Ref)
        if (free.length > this.slabBump[page]) throw new Error(`slab ${page}: its free list is a loop`)
      }
      yield { slab: page, live: this.slabLive[page], free }
    }
  }

  private allocBump(cls: number, active: number): Ref {
    let slab = active
    if (slab === 0 || (this.slabFree[slab] === 0 && this.slabBump[slab] === CLASS_BLOCKS[cls])) slab = this.nextSlab(cls)
    const bytes = CLASS_BYTES[cls]
    let ref = this.slabFree[slab]
    if (ref !== 0) this.slabFree[slab] = this.u32[ref >>> REF_SEGMENT][(ref & REF_GRANULE) << 1]
    else {
      const index = this.slabBump[slab]
      this.slabBump[slab] = index + 1
      ref = ((slab << PAGE_REF) >>> 0) + ((index * bytes) >>> GRANULE_SHIFT)
    }
    this.slabLive[slab] = this.slabLive[slab] + 1
    this.used += bytes
    return ref as Ref
  }

  /** Makes another slab the active one of its class: a partial one, else a new one. */
  private nextSlab(cls: number): number {
    let slab = this.partial[cls]
    if (slab !== 0) this.unlistPartial(slab)
    else slab = this.newSlab(cls)
    const old = this.active[cls]
    if (old !== 0) this.slabState[old] = FULL
    this.slabState[slab] = ACTIVE
    this.active[cls] = slab
    return slab
  }

  private newSlab(cls: number): number {
    const pages = CLASS_PAGES[cls]
    const slab = this.takePages(pages)
    for (let page = slab; page < slab + pages; page++) this.pageSlab[page] = slab
    this.slabClass[slab] = cls
    this.slabFree[slab] = 0
    this.slabBump[slab] = 0
    this.slabLive[slab] = 0
    return slab
  }

  private listPartial(slab: number): void {
    const cls = this.slabClass[slab]
    const head = this.partial[cls]
    this.slabState[slab] = PARTIAL
    this.slabPrev[slab] = 0
    this.slabNext[slab] = head
    if (head !== 0) this.slabPrev[head] = slab
    this.partial[cls] = slab
  }

  private unlistPartial(slab: number): void {
    const next = this.slabNext[slab]
    const prev = this.slabPrev[slab]
    if (next !== 0) this.slabPrev[next] = prev
    if (prev !== 0) this.slabNext[prev] = next
    else this.partial[this.slabClass[slab]] = next
  }

  /** An empty slab gives its pages back; the active one does so only outside segment 0, which always stays. */
  private emptySlab(slab: number, cls: number): void {
    if (this.slabState[slab] !== ACTIVE) return this.dropSlab(slab)
    if (slab < SEGMENT_PAGES) return
    this.active[cls] = 0
    this.dropSlab(slab)
  }

  private dropSlab(slab: number): void {
    if (this.slabState[slab] === PARTIAL) this.unlistPartial(slab)
    this.slabState[slab] = 0
    this.slabFree[slab] = 0
    this.givePages(slab, CLASS_PAGES[this.slabClass[slab]])
  }

  private allocPages(sizeBytes: number, zeroed: boolean): Ref {
    const pages = Math.ceil(sizeBytes / PAGE_BYTES)
    const bytes = pages * PAGE_BYTES
    if (pages > MAX_RUN_PAGES) {
      if (this.u8.length === 0) this.addPagedSegment()
      const segment = this.addSegment(bytes)
      this.freePages[segment] = -1
      this.used += bytes
      return ((segment << REF_SEGMENT) >>> 0) as Ref
    }
    const page = this.takePages(pages, zeroed)
    this.used += bytes
    return ((page << PAGE_REF) >>> 0) as Ref
  }

  private freePagesOf(ref: Ref, sizeBytes: number): void {
    const pages = Math.ceil(sizeBytes / PAGE_BYTES)
    this.used -= pages * PAGE_BYTES
    if (pages > MAX_RUN_PAGES) this.dropSegment(ref >>> REF_SEGMENT)
    else this.givePages(ref >>> PAGE_REF, pages)
  }

  /** A run of pages from the fullest segment that has one; returns its first page. */
  private takePages(pages: number, zeroed = false): number {
    for (const segment of this.fullestFirst(pages)) {
      const first = this.findRun(segment, pages)
      if (first >= 0) return this.markTaken(segment, first, pages, zeroed)
    }
    const segment = this.addPagedSegment()
    return this.markTaken(segment, this.findRun(segment, pages), pages, zeroed)
  }

  private fullestFirst(pages: number): number[] {
    const found: number[] = []
    for (let segment = 0; segment < this.u8.length; segment++)
      if (this.freePages[segment] >= pages && this.closed[segment] === 0) found.push(segment)
    return found.length < 2 ? found : found.sort((a, b) => this.freePages[a] - this.freePages[b])
  }

  /** First page of the lowest run of free pages in the segment, relative to it; -1 when there is none. */
  private findRun(segment: number, pages: number): number {
    const base = segment * SEGMENT_PAGES
    let run = 0
    let lowest = true
    for (let page = this.firstFree[segment]; page < SEGMENT_PAGES; page++) {
      if (this.pageTaken[base + page] !== 0) run = 0
      else {
        if (lowest) this.firstFree[segment] = page
        lowest = false
        if (++run === pages) return page - pages + 1
      }
    }
    return -1
  }

  private markTaken(segment: number, first: number, pages: number, zeroed: boolean): number {
    const start = segment * SEGMENT_PAGES + first
    this.pageTaken.fill(1, start, start + pages)
    this.pageSlab.fill(0, start, start + pages)
    this.freePages[segment] = this.freePages[segment] - pages
    if (this.firstFree[segment] === first) this.firstFree[segment] = first + pages
    const touched = this.touchedPages[segment]
    if (zeroed && first < touched) {
      this.u8[segment].fill(0, first * PAGE_BYTES, Math.min(touched, first + pages) * PAGE_BYTES)
    }
    this.touchedPages[segment] = Math.max(touched, first + pages)
    return start
  }

  private givePages(page: number, pages: number): void {
    const segment = Math.floor(page / SEGMENT_PAGES)
    const first = page - segment * SEGMENT_PAGES
    this.pageTaken.fill(0, page, page + pages)
    this.firstFree[segment] = Math.min(this.firstFree[segment], first)
    this.freePages[segment] = this.freePages[segment] + pages
  }

  private addPagedSegment(): number {
    const segment = this.addSegment(SEGMENT_BYTES)
    const pages = this.u8.length * SEGMENT_PAGES
    if (this.pageTaken.length < pages) this.growPageMaps(pages)
    const base = segment * SEGMENT_PAGES
    this.pageTaken.fill(0, base, base + SEGMENT_PAGES)
    this.freePages[segment] = SEGMENT_PAGES
    this.firstFree[segment] = 0
    this.touchedPages[segment] = 0
    if (segment === 0) this.markTaken(0, 0, 1, false)
    return segment
  }

  private growPageMaps(pages: number): void {
    const size = Math.max(pages, this.pageTaken.length * 2)
    const grow = <T extends Uint8Array | Uint32Array>(old: T, fresh: T): T => {
      fresh.set(old)
      return fresh
    }
    this.pageTaken = grow(this.pageTaken, new Uint8Array(size))
    this.pageSlab = grow(this.pageSlab, new Uint32Array(size))
    this.slabFree = grow(this.slabFree, new Uint32Array(size))
    this.slabBump = grow(this.slabBump, new Uint32Array(size))
    this.slabLive = grow(this.slabLive, new Uint32Array(size))
    this.slabClass = grow(this.slabClass, new Uint8Array(size))
    this.slabState = grow(this.slabState, new Uint8Array(size))
    this.slabNext = grow(this.slabNext, new Uint32Array(size))
    this.slabPrev = grow(this.slabPrev, new Uint32Array(size))
  }

  /** Maps a buffer into the lowest unused segment number; number 0 always holds pages, so that ref 0 stays null. */
  private addSegment(bytes: number): number {
    let segment = 0
    while (segment < this.u8.length && this.u8[segment].length > 0) segment++
    if (segment === MAX_SEGMENTS) throw new OutOfMemory('the arena is full: 32 GiB are in use')
    let buffer: ArrayBuffer
    try {
      buffer = new ArrayBuffer(bytes)
    } catch {
      throw new OutOfMemory(`the system gave no ${bytes} bytes`)
    }
    this.setViews(segment, buffer)
    return segment
  }

  private dropSegment(segment: number): void {
    const buffer = this.u8[segment].buffer as ArrayBuffer
    const isHuge = this.freePages[segment] < 0
    this.setViews(segment, EMPTY_BUFFER)
    this.freePages[segment] = -1
    this.closed[segment] = 0
    if (isHuge) detach(buffer)
    else drop(buffer)
  }

  private setViews(segment: number, buffer: ArrayBuffer): void {
    this.u8[segment] = new Uint8Array(buffer)
    this.u32[segment] = new Uint32Array(buffer)
    this.f64[segment] = new Float64Array(buffer)
    this.data[segment] = new DataView(buffer)
  }
}
