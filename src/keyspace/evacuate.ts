/**
 * evacuate: emptying sparse segments by moving what lives in them, so that they can be given back to the system.
 *
 * Keys that come and go leave segments that are mostly holes, and a segment goes back only when it is empty. When too much is wasted, the
 * emptiest segments are closed (nothing is allocated from them any more) and the databases are walked once: whatever lies in a closed
 * segment is moved, in steps of a bucket or a page of buckets.
 *
 * (1) Refs are held only by dict slots and by owners that this walk knows: entries, string blocks, roots, tables. A collection is
 *     moved as a whole, by a copy; one of more than COPY_MAX elements stays, and its segments with it, until it changes.
 * (2) It stands still while a snapshot is taken or values are being freed: those hold refs.
 * (3) A walk that is over opens again what did not become empty.
 */
import { type Ref, SEGMENT_BYTES, segmentOf } from '../memory/ref.ts'
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
import { TYPES } from '../types/registry.ts'
import type { Db } from './db.ts'
import type { Keyspace } from './keyspace.ts'

/** Largest collection that is moved, in elements: copying it must fit into a slice of background work. */
const COPY_MAX = 4000

/** What is walked of a database, in this order. */
const STAGES = ['entries', 'keys', 'expires'] as const

export class Evacuation {
  /** Blocks and collections moved since the start. */
  moved = 0
  /** Keys looked at that needed no moving. */
  missed = 0
  private readonly space: Keyspace
  private closed: number[] = []
  private db = 0
  private stage = 0
  private cursor = 0

  constructor(space: Keyspace) {
    this.space = space
  }

  get running(): boolean {
    return this.closed.length > 0
  }

  /** Bytes that are resident beyond what is in use. */
  get waste(): number {
    return this.space.mem.resident - this.space.mem.used
  }

  /** Closes the emptiest segments until `target` bytes of waste would be left; false when there are none worth it. */
  begin(target: number): boolean {
    const { mem } = this.space
    const all: { segment: number; live: number }[] = []
    let room = 0
    for (let segment = 0; segment < mem.u8.length; segment++) {
      const live = mem.liveBytes(segment)
      if (live < 0) continue
      room += SEGMENT_BYTES - live
      // the first segment holds what must always be there
      if (segment > 0) all.push({ segment, live })
    }
    all.sort((a, b) => a.live - b.live)
    let saved = 0
    let moving = 0
    for (const { segment, live } of all) {
      room -= SEGMENT_BYTES - live
      moving += live
      // a segment more than three quarters full is not worth the work, and what moves must find room elsewhere
      if (this.waste - saved <= target || live > SEGMENT_BYTES * 0.75 || moving > room * 0.8) break
      saved += SEGMENT_BYTES - live
      mem.closeSegment(segment)
      this.closed.push(segment)
    }
    this.db = 0
    this.stage = 0
    this.cursor = 0
    return this.running
  }

  /** One step of the walk; false when it is over, or has to wait. On OutOfMemory the walk ends where it is. */
  step(): boolean {
    const { space } = this
    if (!this.running || space.lazy.pending > 0 || space.hooks.aboutToChange !== null || space.mem.onChange !== null) return false
    const db = space.dbs[this.db]
    if (db === undefined) {
      this.end()
      return false
    }
    try {
      this.walk(db)
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

  private walk(db: Db): void {
    const { mem } = db
    if (STAGES[this.stage] === 'entries') {
      this.cursor = dictScan(mem, db.keys, this.cursor)
      for (const entry of visited.slice()) this.moveKey(db, entry)
      return
    }
    const table = STAGES[this.stage] as 'keys' | 'expires'
    if (this.cursor === 0) db[table] = dictMoveRoot(mem, db[table])
    this.cursor = dictMovePage(mem, db[table], this.cursor)
  }

  /** Opens the segments again that something is left in; the empty ones are given back by and by. */
  private end(): void {
    const { mem } = this.space
    for (const segment of this.closed) if (mem.liveBytes(segment) > 0) mem.reopenSegment(segment)
    this.closed = []
  }

  private moveKey(db: Db, entry: Ref): void {
    const before = this.moved
    if (isOutside(db.mem, entry)) this.moveString(db, entry)
    else if (hasFlag(db.mem, entry, ROOT)) this.moveCollection(db, entry)
    if (db.mem.isClosed(entry)) this.moveEntry(db, entry)
    if (this.moved === before) this.missed++
  }

  private moveString({ mem }: Db, entry: Ref): void {
    const old = valueRef(mem, entry)
    if (!mem.isClosed(old)) return
    const capacity = outsideCapacity(mem, entry)
    setOutside(mem, entry, mem.moveOut(old, capacity), valueLength(mem, entry), capacity)
    this.moved++
  }

  private moveCollection({ mem }: Db, entry: Ref): void {
    const ops = TYPES[typeOf(mem, entry)]
    if (ops.freeEffort(mem, entry) > COPY_MAX) return
    let inside = false
    ops.audit(mem, entry, (ref) => {
      inside ||= mem.isClosed(ref)
    })
    if (!inside) return
    const copy = ops.copyRoot(mem, entry)
    ops.free(mem, entry)
    setValueRef(mem, entry, copy)
    this.moved++
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
    this.moved++
  }
}
