/**
 * stream-cursor: walks the entries of a stream between two ids, in either direction, over nodes and inside them.
 *
 * (1) After `next` returned true, `id`, `pairs` and the values stand for the entry; `readField` and `readValue`, called in turn for each
 *     pair, point `lpValue` at the bytes. Reading all, some or none of them is fine.
 * (2) A cursor is valid until an entry is added to or deleted from the stream.
 * (3) A walk makes no object: a cursor is kept and started again.
 * (4) `park` notes where a walk stopped. The next walk that starts behind it in the same node goes on from there instead of from the
 *     node's beginning, as readers do who come back with the last id they saw.
 *
 * start O(log nodes) and a walk in the first node; next O(elements of the entry).
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { integerAt, LP_END, LP_HEADER, lpBack, lpDecode, lpSkip } from './listpack-element.ts'
import { compareIds, copyId, ID_WORDS, setMaxId, setMinId } from './stream-id.ts'
import { IndexCursor, indexFirst, indexNext, indexPrev, indexSeekDown } from './stream-index.ts'
import { addDelta, DELETED, entryStart, layout, masterEnd, SAME_FIELDS } from './stream-node.ts'
import { type KeepsViews, NO_BYTES } from '../util/views.ts'

/** The lowest and the highest id: bounds for a walk over everything. */
export const MIN_ID = new Uint32Array(ID_WORDS)
export const MAX_ID = new Uint32Array(ID_WORDS)
setMinId(MIN_ID, 0)
setMaxId(MAX_ID, 0)

/** Where walks stopped, by the low bits of the node's ref: ref | position | layout low word | id. */
const PARKED = 64
const PARKED_WORDS = 3 + ID_WORDS
const parked = new Uint32Array(PARKED * PARKED_WORDS)
/** The memory whose refs these are. */
let parkedIn: Arena | null = null

export class StreamCursor implements KeepsViews {
  /** The entry's id. */
  readonly id = new Uint32Array(ID_WORDS)
  /** Pairs of field and value. */
  pairs = 0
  flags = 0
  /** The node the entry is in, and the position of the entry's flags. */
  node: Ref = NULL_REF
  position = 0
  /** The node of the entry that was read last, also after the walk's end. */
  private parsed: Ref = NULL_REF

  private readonly low = new Uint32Array(ID_WORDS)
  private readonly high = new Uint32Array(ID_WORDS)
  private readonly place = new IndexCursor()
  private mem!: Arena
  private index: Ref = NULL_REF
  private reverse = false
  private tombstones = false
  private u8 = NO_BYTES
  private base = 0
  /** Fields of the node's master entry, and where they begin. */
  private masterFields = 0
  private masterAt = 0
  /** Where the entry's unread part begins, how many elements it has before the element count, and the next master field. */
  private at = 0
  private unread = 0
  private fieldAt = 0
  /** Walking backward: the last element of the entry to come. */
  private last = 0

  letGo(): void {
    this.u8 = NO_BYTES
    this.place.letGo()
  }

  /** Begins a walk over [low, high]; deleted entries are shown only when `tombstones`. */
  start(
    mem: Arena,
    index: Ref,
    low: Uint32Array,
    lowAt: number,
    high: Uint32Array,
    highAt: number,
    reverse: boolean,
    tombstones = false,
  ): void {
    this.mem = mem
    this.index = index
    this.reverse = reverse
    this.tombstones = tombstones
    copyId(this.low, 0, low, lowAt)
    copyId(this.high, 0, high, highAt)
    this.node = NULL_REF
    const found = indexSeekDown(mem, index, reverse ? high : low, reverse ? highAt : lowAt, this.place)
    if (found || (!reverse && indexFirst(mem, index, this.place))) this.enter()
    if (found && !reverse) this.skipBelowLow()
  }

  /** Begins a walk over all entries. */
  startAll(mem: Arena, index: Ref, reverse: boolean, tombstones = false): void {
    this.start(mem, index, MIN_ID, 0, MAX_ID, 0, reverse, tombstones)
  }

  /** Moves to the next entry of the walk; false at its end. */
  next(): boolean {
    if (this.node === NULL_REF) return false
    return this.reverse ? this.nextBackward() : this.nextForward()
  }

  /** Notes the entry as the place where a walk stopped. */
  park(): void {
    if (parkedIn !== this.mem) parked.fill(0)
    parkedIn = this.mem
    const slot = (this.parsed & (PARKED - 1)) * PARKED_WORDS
    parked[slot] = this.parsed
    parked[slot + 1] = this.position
    parked[slot + 2] = layout
    copyId(parked, slot + 3, this.id, 0)
  }

  /** Passes entries of the first node that are below the walk's lower end, as far as 32-bit differences to the master id tell. */
  private skipBelowLow(): void {
    const { low, u8, node } = this
    const { view, at: master } = this.place
    const slot = (node & (PARKED - 1)) * PARKED_WORDS
    if (parkedIn === this.mem && parked[slot] === node && parked[slot + 2] === layout >>> 0 && compareIds(parked, slot + 3, low, 0) <= 0) {
      // The parked entry itself is wanted when it is the lower end; its predecessor's last element is what `at` must be.
      this.at = lpBack(u8, this.base + parked[slot + 1])
    }
    if (low[0] !== view[master] || (low[2] | view[master + 2]) !== 0) return
    // Differences of halves of 2^63 and more are stored as negative numbers: such an id is not below.
    const ms = low[1] - view[master + 1]
    const seq = view[master + 3]
    let last = this.at
    for (;;) {
      const at = lpSkip(u8, last)
      if (u8[at] === LP_END) break
      const msAt = lpSkip(u8, at)
      const seqAt = lpSkip(u8, msAt)
      const msDelta = integerAt(u8, msAt)
      if (!(msDelta >= 0 && msDelta <= ms)) break
      const entrySeq = seq + integerAt(u8, seqAt)
      if (msDelta === ms && !(entrySeq >= 0 && entrySeq < low[3])) break
      last = this.lastElement(at)
    }
    this.at = last
  }

  /** Copies the id of the node the entry is in. */
  masterId(id: Uint32Array): void {
    copyId(id, 0, this.place.view, this.place.at)
  }

  /** Replaces the node the entry is in by another ref; the walk ends with that. */
  replaceNode(node: Ref): void {
    this.place.view[this.place.at + ID_WORDS] = node
    this.node = NULL_REF
  }

  private enter(): void {
    const node = this.place.view[this.place.at + ID_WORDS] as Ref
    const u8 = this.mem.u8[segmentOf(node)]
    const base = byteOf(node)
    this.node = node
    this.u8 = u8
    this.base = base
    const fieldsAt = lpSkip(u8, lpSkip(u8, base + LP_HEADER))
    this.masterFields = integerAt(u8, fieldsAt)
    this.masterAt = lpSkip(u8, fieldsAt)
    this.unread = 0
    if (this.reverse) this.last = lpBack(u8, base + this.mem.u32[segmentOf(node)][base >>> 2] - 1)
    else this.at = masterEnd(u8, base)
  }

  private nextForward(): boolean {
    for (;;) {
      // `at` is inside the entry before, or at the master's 0: pass what is left of it and the element count.
      let at = this.at
      const u8 = this.u8
      for (let left = this.unread; left >= 0; left--) at = lpSkip(u8, at)
      this.unread = 0
      if (u8[at] === LP_END) {
        if (!indexNext(this.mem, this.index, this.place)) return this.end()
        this.enter()
        continue
      }
      this.parse(at)
      if (compareIds(this.id, 0, this.low, 0) < 0 || (!this.tombstones && (this.flags & DELETED) !== 0)) continue
      return compareIds(this.id, 0, this.high, 0) <= 0 || this.end()
    }
  }

  private nextBackward(): boolean {
    for (;;) {
      const at = entryStart(this.u8, this.last)
      if (at < 0) {
        if (!indexPrev(this.mem, this.index, this.place)) return this.end()
        this.enter()
        continue
      }
      this.last = lpBack(this.u8, at)
      this.parse(at)
      if (compareIds(this.id, 0, this.high, 0) > 0 || (!this.tombstones && (this.flags & DELETED) !== 0)) continue
      return compareIds(this.id, 0, this.low, 0) >= 0 || this.end()
    }
  }

  /** Index of the last element of the entry at `at`. */
  private lastElement(at: number): number {
    const { u8 } = this
    const same = (integerAt(u8, at) & SAME_FIELDS) !== 0
    let p = lpSkip(u8, lpSkip(u8, lpSkip(u8, at)))
    let left = this.masterFields
    if (!same) {
      left = integerAt(u8, p) * 2
      p = lpSkip(u8, p)
    }
    for (; left > 0; left--) p = lpSkip(u8, p)
    return p
  }

  private end(): boolean {
    this.node = NULL_REF
    return false
  }

  /** Reads the entry whose flags are at `at`. */
  private parse(at: number): void {
    const u8 = this.u8
    this.position = at - this.base
    this.parsed = this.node
    const flags = integerAt(u8, at)
    this.flags = flags
    at = lpSkip(u8, at)
    addDelta(this.id, 0, this.place.view, this.place.at, u8, at)
    at = lpSkip(u8, at)
    addDelta(this.id, 2, this.place.view, this.place.at + 2, u8, at)
    at = lpSkip(u8, at)
    if ((flags & SAME_FIELDS) !== 0) {
      this.pairs = this.masterFields
      this.unread = this.masterFields
      this.fieldAt = this.masterAt
    } else {
      this.pairs = integerAt(u8, at)
      this.unread = this.pairs * 2
      at = lpSkip(u8, at)
    }
    this.at = at
  }

  /** Points `lpValue` at the field of the next pair. */
  readField(): void {
    if ((this.flags & SAME_FIELDS) !== 0) {
      lpDecode(this.u8, this.fieldAt)
      this.fieldAt = lpSkip(this.u8, this.fieldAt)
    } else this.readValue()
  }

  /** Points `lpValue` at the value of the pair whose field was read. */
  readValue(): void {
    lpDecode(this.u8, this.at)
    this.at = lpSkip(this.u8, this.at)
    this.unread--
  }
}
