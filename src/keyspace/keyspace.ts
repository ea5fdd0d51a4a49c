/**
 * keyspace: the databases of one server and what they share: memory, clock, hooks, access clocks, counters.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { entrySize, newRootEntry, setType, setValueRef } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'
import type { Clock } from '../util/clock.ts'
import type { Random } from '../util/random.ts'
import { Db } from './db.ts'
import { Hooks } from './hooks.ts'
import { LazyFree } from './lazyfree.ts'

const NO_KEY = new Uint8Array(0)
/** The access clock counts seconds in 24 bits. */
const LRU_MASK = 0xffffff
/** Counter of a new key under an LFU policy. */
const LFU_NEW = 5

export class Keyspace {
  readonly mem: Arena
  readonly clock: Clock
  readonly random: Random
  readonly hooks = new Hooks()
  readonly lazy: LazyFree
  readonly dbs: Db[] = []
  /** An entry without a key, for a collection that has to be freed because there was no memory for an entry of its own. */
  private readonly spare: Ref
  /** Time of the current top-level command, in ms since 1970: frozen inside scripts and transactions. */
  nowMs: number
  /** Access clock in seconds, 24 bits. */
  lruClock = 0
  /** Event classes that are switched on. */
  eventMask = 0
  /** Whether the eviction policy is an LFU one: then the 24 bits of an entry are minutes 16 | counter 8. */
  lfu = false
  lfuLogFactor = 10
  lfuDecayTime = 1
  /** Set while a client with NO-TOUCH runs: reads leave access clocks alone. */
  noTouch = false
  /** Whether reading finds expired keys gone (always, except while a snapshot or append-only file is loaded). */
  expireOnAccess = true
  /** Set while writes are paused: expired keys are gone for readers, but stay. */
  frozen = false
  hits = 0
  misses = 0
  expiredKeys = 0
  evictedKeys = 0
  expiredFields = 0
  /** Changes since the last snapshot, as INFO's rdb_changes_since_last_save; and the engine's mark that a command wrote. */
  dirty = 0

  constructor(mem: Arena, clock: Clock, random: Random, databases: number) {
    this.mem = mem
    this.clock = clock
    this.random = random
    this.nowMs = clock.nowMs()
    this.lazy = new LazyFree(mem)
    this.spare = newRootEntry(mem, 0, 0, NO_KEY, 0, 0, NULL_REF)
    for (let id = 0; id < databases; id++) this.dbs.push(new Db(this, id))
    this.readClock()
  }

  resetStats(): void {
    this.hits = 0
    this.misses = 0
    this.expiredKeys = 0
    this.lazy.freed = 0
    this.evictedKeys = 0
    this.expiredFields = 0
  }

  /** Reads the time for the command (or cron step) that begins. */
  readClock(): void {
    this.nowMs = this.clock.nowMs()
    this.lruClock = Math.floor(this.nowMs / 1000) & LRU_MASK
  }

  /**
   * Whether a moment that a command names as an expiry is over, which deletes at once. Not while what another server did is repeated: there
   * the deletion comes as a command of its own.
   */
  isOver(atMs: number): boolean {
    return atMs <= this.nowMs && this.expireOnAccess
  }

  /** Microseconds since 1970, the same all through a script or transaction. */
  frozenUs(): number {
    if (Math.floor(this.lastUs / 1000) !== this.nowMs) {
      const us = this.clock.nowUs()
      this.lastUs = Math.floor(us / 1000) === this.nowMs ? us : this.nowMs * 1000 + 999
    }
    return this.lastUs
  }
  private lastUs = 0

  /** The access state of a new key. */
  freshLru(): number {
    return this.lfu ? ((this.lfuMinutes() << 8) | LFU_NEW) & LRU_MASK : this.lruClock
  }

  lfuMinutes(): number {
    return Math.floor(this.nowMs / 60000) & 0xffff
  }

  /** An LFU state after an access: decayed by the minutes that passed, then incremented with falling probability. */
  lfuAccessed(state: number): number {
    const counter = this.lfuDecayed(state)
    let next = counter
    if (counter < 255) {
      const base = Math.max(0, counter - LFU_NEW)
      if (this.random.nextDouble() < 1 / (base * this.lfuLogFactor + 1)) next++
    }
    return (this.lfuMinutes() << 8) | next
  }

  /** The counter of an LFU state, decayed to now. */
  lfuDecayed(state: number): number {
    const counter = state & 255
    if (this.lfuDecayTime === 0) return counter
    const minutes = (this.lfuMinutes() - (state >>> 8)) & 0xffff
    return Math.max(0, counter - Math.floor(minutes / this.lfuDecayTime))
  }

  /** Milliseconds since the last access, from an LRU state. */
  idleMs(state: number): number {
    return this.idleSeconds(state) * 1000
  }

  idleSeconds(state: number): number {
    return (this.lruClock - state) & LRU_MASK
  }

  /** Frees a collection that has no entry. */
  freeRoot(type: number, encoding: number, root: Ref): void {
    setType(this.mem, this.spare, type, encoding)
    setValueRef(this.mem, this.spare, root)
    TYPES[type].free(this.mem, this.spare)
  }

  /** Reports every block of every database, for the audit. */
  audit(report: Report): void {
    report(this.spare, entrySize(this.mem, this.spare))
    for (const db of this.dbs) db.audit(report)
    this.lazy.audit(report)
  }
}
