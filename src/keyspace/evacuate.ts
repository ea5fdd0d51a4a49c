/**
 * evacuate: emptying sparse segments by moving what lives in them, so that they can be given back to the system.
 *
 * Keys that come and go leave segments that are mostly holes, and a segment goes back only when it is empty. When too much is wasted, the
 * emptiest segments are closed (nothing is allocated from them any more) and the databases are walked once: whatever lies in a closed
 * segment is moved, in steps of a bucket or a page of buckets.
 *
 * (1) Refs are held only by dict slots and by owners that this walk knows: entries, string blocks, roots, tables. A collection is
 *     moved as a whole, by a copy; a larger one in steps, by its type. Only a block above 8 MiB stays, and its segment with it.
 * (2) It stands still while a snapshot is taken or values are being freed: those hold refs.
 * (3) A walk that is over opens its segments again: what became empty may be needed before it is given back.
 */
import { NULL_REF, type Ref, SEGMENT_BYTES, segmentOf } from '../memory/ref.ts'
import { dictFindEntry, dictReplaceFound, dictScan, visited } from '../structs/dict.ts'
import { dictMovePage, dictMoveRoot } from '../structs/dict-move.ts'
import {
  entrySize,
  hasFlag,
  isOutside,
  outsideCapacity,
  ROOT,
  SLOT,
  setOutside,
  setValueRef,
  typeOf,
  valueLength,
  valueRef,
} from '../structs/entry.ts'
import type { MovePlace } from '../types/object.ts'
import { TYPES } from '../types/registry.ts'
import type { Db } from './db.ts'
import type { Keyspace } from './keyspace.ts'

/**
 * Largest collection that is copied, in elements and in bytes: copying must fit into a slice of background work. How many elements do is
 * found out: the number doubles, up to the last one here, as long as the largest copies take less than COPY_US.
 */
const COPY_FIRST = 500
const COPY_MAX = 4000
const COPY_US = 1000
const COPY_MAX_BYTES = 2 ** 21

/** Segments looked at in one go, and those that are emptied by one walk. */
const SURVEY = 64
const CLOSED_MAX = 64

/** What is walked of a database, in this order. */
const STAGES = ['entries', 'keys', 'expires'] as const

export class Evacuation {
  /** Values and entries moved since the start, and those looked at that lay well. */
  hits = 0
  misses = 0
  /** Keys of which something was moved, and of which nothing was. */
  keyHits = 0
  keyMisses = 0
  private readonly space: Keyspace
  private closed: number[] = []
  private db = 0
  private stage = 0
  private cursor = 0
  /** Keys at this cursor that are done, when time ran out among them. */
  private done = 0
  private copyMax = COPY_FIRST
  /** Collections moved by a copy. */
  private copies = 0
  /** The large collection in whose middle the last step ended, and where. */
  private large: Ref = NULL_REF
  private readonly place: MovePlace = { at: 0, group: 0, consumer: 0 }
  /** Live bytes of the first segments, as far as they have been looked at for the next walk; -1 where there is nothing to close. */
  private readonly live: number[] = []
  /** Segments that the last walk has emptied. */
  emptied = 0

  constructor(space: Keyspace) {
    this.space = space
  }

  get running(): boolean {
    return this.closed.length > 0
  }

  /** Bytes that are resident beyond what is in use, and in segments that are not empty. */
  get waste(): number {
    const { mem } = this.space
    return mem.resident - mem.spareBytes - mem.used
  }

  /** Looks at more of the segments, for the next walk: one alone takes some tens of microseconds. True when it has seen them all. */
  survey(): boolean {
    const { mem } = this.space
    const end = Math.min(mem.u8.length, this.live.length + SURVEY)
    while (this.live.length < end) this.live.push(mem.liveBytes(this.live.length))
    return end === mem.u8.length
  }

  /** Closes the emptiest segments until `target` bytes of waste would be left; false when there are none worth it. */
  begin(target: number): boolean {
    const { mem } = this.space
    const all: { segment: number; live: number }[] = []
    let room = 0
    while (!this.survey());
    for (const [segment, live] of this.live.entries()) {
      if (live < 0) continue
      room += SEGMENT_BYTES - live
      // the first segment holds what must always be there
      if (segment > 0 && live > 0) all.push({ segment, live })
    }
    this.live.length = 0
    all.sort((a, b) => a.live - b.live)
    let saved = 0
    let moving = 0
    for (const { segment, live } of all) {
      room -= SEGMENT_BYTES - live
      moving += live
      // a segment more than three quarters full is not worth the work, and what moves must find room elsewhere
      if (this.waste - saved <= target || live > SEGMENT_BYTES * 0.75 || moving > room * 0.8 || this.closed.length === CLOSED_MAX) break
      if (mem.liveBytes(segment) <= 0) continue // it became empty since it was looked at
      saved += SEGMENT_BYTES - live
      mem.closeSegment(segment)
      this.closed.push(segment)
    }
    this.db = 0
    this.stage = 0
    this.cursor = 0
    this.done = 0
    this.large = NULL_REF
    return this.running
  }

  /**
   * One step of the walk; false when it is over, or has to wait. `late` is asked after each key, and ends the step when it says so. On
   * OutOfMemory the walk ends where it is.
   */
  step(late: () => boolean = never): boolean {
    const { space } = this
    if (!this.running || space.lazy.pending > 0 || space.hooks.aboutToChange !== null || space.mem.onChange !== null) return false
    const db = space.dbs[this.db]
    if (db === undefined) {
      this.end()
      return false
    }
    try {
      if (!this.walk(db, late)) return true
    } catch (error) {
      this.end()
      throw error
    }
    if (this.cursor === 0 && ++this.stage === STAGES.length) {
      this.stage = 0
      this.db++
    }
    return true
  }

  /** False when time ran out before this place of the database was done. */
  private walk(db: Db, late: () => boolean): boolean {
    const { mem } = db
    if (STAGES[this.stage] === 'entries') {
      const next = dictScan(mem, db.keys, this.cursor)
      const entries = visited.slice()
      while (this.done < entries.length) {
        if (!this.moveKey(db, entries[this.done], late)) return false
        if (++this.done < entries.length && late()) return false
      }
      this.done = 0
      this.cursor = next
      return true
    }
    const table = STAGES[this.stage] as 'keys' | 'expires'
    if (this.cursor === 0) db[table] = dictMoveRoot(mem, db[table])
    this.cursor = dictMovePage(mem, db[table], this.cursor)
    return true
  }

  /** Opens the segments again. The empty ones are given back by and by, unless they are needed before. */
  private end(): void {
    const { mem } = this.space
    this.emptied = 0
    for (const segment of this.closed) {
      if (mem.liveBytes(segment) <= 0) this.emptied++
      mem.reopenSegment(segment)
    }
    this.closed = []
  }

  /** False when time ran out in the middle of a large collection. */
  private moveKey(db: Db, entry: Ref, late: () => boolean): boolean {
    const { mem } = db
    const before = mem.moves + this.copies
    let finished = true
    if (isOutside(mem, entry)) this.moveString(db, entry)
    else if (hasFlag(mem, entry, ROOT)) finished = this.moveCollection(db, entry, late)
    if (finished && mem.isClosed(entry)) this.moveEntry(db, entry)
    const moved = mem.moves + this.copies - before
    this.hits += moved
    if (moved === 0) this.misses++
    if (finished && moved > 0) this.keyHits++
    else if (finished) this.keyMisses++
    return finished
  }

  private moveString({ mem }: Db, entry: Ref): void {
    const old = valueRef(mem, entry)
    const capacity = outsideCapacity(mem, entry)
    if (!mem.isClosed(old)) return
    setOutside(mem, entry, mem.moveOut(old, capacity), valueLength(mem, entry), capacity)
  }

  private moveCollection(db: Db, entry: Ref, late: () => boolean): boolean {
    const ops = TYPES[typeOf(db.mem, entry)]
    const elements = ops.freeEffort(db.mem, entry)
    if (elements > this.copyMax || this.large === entry) return this.moveLarge(db, entry, late)
    let inside = false
    let size = 0
    ops.audit(db.mem, entry, (ref, bytes) => {
      inside ||= db.mem.isClosed(ref)
      size += bytes
    })
    if (!inside) return true
    if (size > COPY_MAX_BYTES) return this.moveLarge(db, entry, late)
    this.copy(db, entry, elements)
    return true
  }

  private copy({ mem }: Db, entry: Ref, elements: number): void {
    const { clock } = this.space
    const ops = TYPES[typeOf(mem, entry)]
    const startUs = clock.monotonicUs()
    const copy = ops.copyRoot(mem, entry)
    ops.free(mem, entry)
    setValueRef(mem, entry, copy)
    this.copies++
    if (elements > this.copyMax / 2 && this.copyMax < COPY_MAX && clock.monotonicUs() - startUs < COPY_US) this.copyMax *= 2
  }

  /** Goes on with a large collection from where time ran out; false when it does so again. */
  private moveLarge({ mem }: Db, entry: Ref, late: () => boolean): boolean {
    const ops = TYPES[typeOf(mem, entry)]
    if (ops.moveStep === undefined) return true
    const { place } = this
    if (this.large !== entry) place.at = place.group = place.consumer = 0
    this.large = entry
    do {
      if (!ops.moveStep(mem, entry, place)) {
        this.large = NULL_REF
        return true
      }
    } while (!late())
    return false
  }

  /** The one place where a key's entry gets another address without a change of the key. */
  private moveEntry(db: Db, old: Ref): void {
    const { mem } = db
    const hash = db.hashEntry(old)
    const bytes = entrySize(mem, old)
    const volatile = hasFlag(mem, old, SLOT)
    const entry = mem.moveOut(old, bytes)
    if (volatile && dictFindEntry(mem, db.expires, old, hash)) dictReplaceFound(entry)
    if (!dictFindEntry(mem, db.keys, old, hash)) throw new Error(`key entry ${old} in segment ${segmentOf(old)} is in no bucket`)
    dictReplaceFound(entry)
  }
}

function never(): boolean {
  return false
}
