/**
 * db: one database: the dict of its keys, the dict of those that expire, and the choke points every change goes through.
 *
 * (1) `keys` owns the entries; `expires` refers to those with a SLOT (expiry in ms). An entry that moves is replaced in
 *     both by `swapEntry`, the only function that does so.
 * (2) A change is: lookupWrite (or add, remove, ...) before, `touched` (and `event`) after. Snapshots, WATCH, tracking,
 *     blocked clients and notifications depend on it.
 * (3) An expired key is gone for every lookup: it is deleted by the first that meets it. The moment of expiry counts as past.
 * (4) Refs are valid until the next call that can add, remove, resize or expire.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf } from '../memory/ref.ts'
import {
  auditDict,
  dictAdd,
  dictFind,
  dictFindEntry,
  dictForEach,
  dictHash,
  dictRandom,
  dictRemoveEntry,
  dictRemoveFound,
  dictReplaceFound,
  dictSize,
  freeDict,
  hashOf,
  newDict,
} from '../structs/dict.ts'
import {
  freeShell,
  hasFlag,
  keyLength,
  keyStart,
  MARK,
  newRootEntry,
  reshapeEntry,
  ROOT,
  SLOT,
  setLru,
  setSlotValue,
  slotValue,
  typeOf,
} from '../structs/entry.ts'
import { word0 } from '../types/object.ts'
import { TYPES } from '../types/registry.ts'
import { auditTable, freeTable } from '../types/table.ts'
import type { Frame } from '../util/argv.ts'
import { noteVolatileHash } from './field-expiry.ts'
import { EVENT_GENERIC, EVENT_KEYMISS, EVENT_NEW, type Removal } from './hooks.ts'
import type { Keyspace } from './keyspace.ts'
import { auditEntry, freeWithValue, LAZY_EFFORT } from './lazyfree.ts'

/** No expiry. */
export const NO_EXPIRY = -1

export class Db {
  readonly id: number
  readonly space: Keyspace
  readonly mem: Arena
  keys: Ref
  expires: Ref
  /** Names of hashes that may have volatile fields; null until there is one. See field-expiry.ts. */
  volatileHashes: Ref = NULL_REF
  volatileCursor = 0
  /** Who cares for touched keys of this database: bits of hooks.ts. */
  listeners = 0
  /** Where the expiry cycle goes on in `expires`. */
  expireCursor = 0
  /** Mean time to live of the volatile keys in ms, as sampled by the expiry cycle. */
  avgTtl = 0

  constructor(space: Keyspace, id: number) {
    this.space = space
    this.mem = space.mem
    this.id = id
    this.keys = newDict(this.mem)
    this.expires = newDict(this.mem)
  }

  get size(): number {
    return dictSize(this.mem, this.keys)
  }

  /** Keys with an expiry. */
  get volatileSize(): number {
    return dictSize(this.mem, this.expires)
  }

  // ---- lookups ----

  /** The entry of argument i for a command that reads: counts a hit or miss, notes the access. */
  lookupRead(argv: Frame, i: number): Ref {
    const bytes = argv.bytes
    const off = argv.offsets[argv.base + i]
    const len = argv.lengths[argv.base + i]
    const entry = this.find(bytes, off, len, i === argv.hashedArg ? argv.hash : dictHash(this.mem, bytes, off, len))
    if (entry === NULL_REF) {
      this.missed(bytes, off, len)
      return NULL_REF
    }
    this.space.hits++
    this.noteAccess(entry)
    return entry
  }

  /** The entry of argument i for a command that may change it; notes the access and tells a running snapshot. */
  lookupWrite(argv: Frame, i: number): Ref {
    const off = argv.offsets[argv.base + i]
    const len = argv.lengths[argv.base + i]
    return this.write(argv.bytes, off, len, i === argv.hashedArg ? argv.hash : dictHash(this.mem, argv.bytes, off, len))
  }

  lookupReadKey(bytes: Uint8Array, off: number, len: number): Ref {
    const entry = this.find(bytes, off, len, dictHash(this.mem, bytes, off, len))
    if (entry === NULL_REF) {
      this.missed(bytes, off, len)
      return NULL_REF
    }
    this.space.hits++
    this.noteAccess(entry)
    return entry
  }

  lookupWriteKey(bytes: Uint8Array, off: number, len: number): Ref {
    return this.write(bytes, off, len, dictHash(this.mem, bytes, off, len))
  }

  /** The entry for a command that only looks at the key itself (TTL, OBJECT, TYPE): no access, no hit or miss. */
  peek(argv: Frame, i: number): Ref {
    const off = argv.off(i)
    const len = argv.len(i)
    return this.find(argv.bytes, off, len, i === argv.hashedArg ? argv.hash : dictHash(this.mem, argv.bytes, off, len))
  }

  /** The entry under these bytes unless its time has come; that it is only looked at deletes nothing. */
  live(bytes: Uint8Array, off: number, len: number): Ref {
    const entry = this.storedKey(bytes, off, len)
    return entry !== NULL_REF && hasFlag(this.mem, entry, SLOT) && this.isExpired(entry) && this.space.expireOnAccess ? NULL_REF : entry
  }

  /** The entry of argument i even if its time has come, as long as nobody has met it. */
  stored(argv: Frame, i: number): Ref {
    return this.storedKey(argv.bytes, argv.off(i), argv.len(i))
  }

  storedKey(bytes: Uint8Array, off: number, len: number): Ref {
    return dictFind(this.mem, this.keys, bytes, off, len, dictHash(this.mem, bytes, off, len))
  }

  peekKey(bytes: Uint8Array, off: number, len: number): Ref {
    return this.find(bytes, off, len, dictHash(this.mem, bytes, off, len))
  }

  private write(bytes: Uint8Array, off: number, len: number, hash: number): Ref {
    const entry = this.find(bytes, off, len, hash)
    if (entry === NULL_REF) return NULL_REF
    this.noteAccess(entry)
    if (this.space.hooks.aboutToChange !== null) this.space.hooks.aboutToChange(this, entry)
    return entry
  }

  private find(bytes: Uint8Array, off: number, len: number, hash: number): Ref {
    const mem = this.mem
    const entry = dictFind(mem, this.keys, bytes, off, len, hash)
    if (entry === NULL_REF) return NULL_REF
    if (
      (mem.u32[entry >>> REF_SEGMENT][((entry & REF_GRANULE) << 1) + 2] & SLOT) !== 0 &&
      this.isExpired(entry) &&
      this.space.expireOnAccess
    ) {
      if (!this.space.frozen) this.expire(entry)
      return NULL_REF
    }
    return entry
  }

  private missed(bytes: Uint8Array, off: number, len: number): void {
    this.space.misses++
    if ((this.space.eventMask & EVENT_KEYMISS) !== 0) this.event(EVENT_KEYMISS, 'keymiss', bytes, off, len)
  }

  private noteAccess(entry: Ref): void {
    const space = this.space
    if (space.noTouch) return
    const view = this.mem.u32[entry >>> REF_SEGMENT]
    const at = (entry & REF_GRANULE) << 1
    if (space.lfu) view[at] = (view[at] & 0xff) | (space.lfuAccessed(view[at] >>> 8) << 8)
    else view[at] = (view[at] & 0xff) | (space.lruClock << 8)
  }

  // ---- news ----

  /** The key's value changed, appeared or vanished. */
  touched(bytes: Uint8Array, off: number, len: number): void {
    if (this.listeners === 0) return
    for (const { bit, listen } of this.space.hooks.touched) if ((this.listeners & bit) !== 0) listen(this, bytes, off, len)
  }

  /** Publishes a keyspace event when its class is switched on. */
  event(cls: number, name: string, bytes: Uint8Array, off: number, len: number): void {
    const space = this.space
    if ((space.eventMask & cls) !== 0 && space.hooks.event !== null) space.hooks.event(this, cls, name, bytes, off, len)
  }

  /** touched and event for argument i, and one change counted: the usual end of a write. */
  changed(argv: Frame, i: number, cls: number, name: string): void {
    this.space.dirty++
    const off = argv.off(i)
    const len = argv.len(i)
    this.touched(argv.bytes, off, len)
    this.event(cls, name, argv.bytes, off, len)
  }

  // ---- adding, replacing, moving ----

  /** Adds a key that does not exist; takes over the entry, or frees it with its value when there is no memory. */
  add(entry: Ref): void {
    const hash = this.hashEntry(entry)
    try {
      if (hasFlag(this.mem, entry, SLOT)) dictAdd(this.mem, this.expires, entry, hash)
      this.link(entry, hash)
    } catch (error) {
      freeWithValue(this.mem, entry)
      throw error
    }
    setLru(this.mem, entry, this.space.freshLru())
    if (hasFlag(this.mem, entry, MARK)) this.noteVolatile(entry)
    if ((this.space.eventMask & EVENT_NEW) !== 0) this.newKeyEvent(entry)
  }

  private link(entry: Ref, hash: number): void {
    try {
      dictAdd(this.mem, this.keys, entry, hash)
    } catch (error) {
      dictRemoveEntry(this.mem, this.expires, entry, hash)
      throw error
    }
  }

  private noteVolatile(entry: Ref): void {
    noteVolatileHash(this, this.mem.u8[segmentOf(entry)], keyStart(this.mem, entry), keyLength(this.mem, entry))
  }

  private newKeyEvent(entry: Ref): void {
    const key = this.mem.u8[segmentOf(entry)].slice(keyStart(this.mem, entry), keyStart(this.mem, entry) + keyLength(this.mem, entry))
    this.event(EVENT_NEW, 'new', key, 0, key.length)
  }

  /** Adds a key that does not exist, whose collection hangs on `root`. Returns its entry; frees the root when there is no memory. */
  addRoot(bytes: Uint8Array, off: number, len: number, type: number, encoding: number, root: Ref): Ref {
    let entry: Ref
    try {
      entry = newRootEntry(this.mem, word0(type, encoding), 0, bytes, off, len, root)
    } catch (error) {
      this.space.freeRoot(type, encoding, root)
      throw error
    }
    this.add(entry)
    return entry
  }

  /** Replaces the entry of a key by another for the same key, in both dicts; the old one is the caller's afterwards. */
  swapEntry(old: Ref, entry: Ref): void {
    const mem = this.mem
    const hash = this.hashEntry(old)
    const had = hasFlag(mem, old, SLOT)
    const has = hasFlag(mem, entry, SLOT)
    if (has && !had) dictAdd(mem, this.expires, entry, hash)
    else if (had && dictFindEntry(mem, this.expires, old, hash)) {
      if (has) dictReplaceFound(entry)
      else dictRemoveFound(mem, this.expires, hash)
    }
    dictFindEntry(mem, this.keys, old, hash)
    dictReplaceFound(entry)
  }

  /** Replaces a key's entry by another, and frees the old one with its value. */
  replace(old: Ref, entry: Ref): void {
    try {
      this.swapEntry(old, entry)
    } catch (error) {
      freeWithValue(this.mem, entry)
      throw error
    }
    this.release(old, this.space.lazy.replaced)
    if (hasFlag(this.mem, entry, MARK)) this.noteVolatile(entry)
  }

  hashEntry(entry: Ref): number {
    return hashOf(this.mem, entry)
  }

  // ---- removing ----

  /** Deletes a key with its value; false when it does not exist. `lazy` hands a big value to the background. */
  remove(bytes: Uint8Array, off: number, len: number, lazy = false): boolean {
    const entry = this.find(bytes, off, len, dictHash(this.mem, bytes, off, len))
    if (entry === NULL_REF) return false
    if (this.space.hooks.aboutToChange !== null) this.space.hooks.aboutToChange(this, entry)
    this.removeEntry(entry, lazy)
    return true
  }

  /** What a command does that has nothing to store under argument i: deletes what is there, even if its time has come, and says `del`. */
  storeNothing(argv: Frame, i: number, lazy: boolean): void {
    const entry = this.stored(argv, i)
    if (entry === NULL_REF) return
    if (this.space.hooks.aboutToChange !== null) this.space.hooks.aboutToChange(this, entry)
    this.removeEntry(entry, lazy)
    this.changed(argv, i, EVENT_GENERIC, 'del')
  }

  /** Deletes this entry and its value; `asked` as `vanish` says. */
  removeEntry(entry: Ref, lazy = false, hash = this.hashEntry(entry), asked = lazy): void {
    this.unlink(entry, hash)
    this.release(entry, lazy, asked)
  }

  /** Takes the entry out of both dicts; it is the caller's. */
  unlink(entry: Ref, hash = this.hashEntry(entry)): void {
    if (hasFlag(this.mem, entry, SLOT)) dictRemoveEntry(this.mem, this.expires, entry, hash)
    dictRemoveEntry(this.mem, this.keys, entry, hash)
  }

  private release(entry: Ref, lazy: boolean, asked = lazy): void {
    const { mem, space } = this
    if (lazy && hasFlag(mem, entry, ROOT) && TYPES[typeOf(mem, entry)].freeEffort(mem, entry) > LAZY_EFFORT)
      space.lazy.addEntry(entry, asked)
    else freeWithValue(mem, entry)
  }

  // ---- expiry ----

  /** When the key expires, in ms since 1970; NO_EXPIRY when it does not. */
  expiryOf(entry: Ref): number {
    return hasFlag(this.mem, entry, SLOT) ? slotValue(this.mem, entry) : NO_EXPIRY
  }

  private isExpired(entry: Ref): boolean {
    return this.space.nowMs >= slotValue(this.mem, entry)
  }

  /** Sets or (NO_EXPIRY) clears the expiry; returns the key's entry, which may be another block now. */
  setExpiry(entry: Ref, atMs: number): Ref {
    const mem = this.mem
    const has = hasFlag(mem, entry, SLOT)
    if (atMs !== NO_EXPIRY && has) {
      setSlotValue(mem, entry, atMs)
      return entry
    }
    if (atMs === NO_EXPIRY && !has) return entry
    const moved = reshapeEntry(mem, entry, !has, mem.u8[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
    if (!has) setSlotValue(mem, moved, atMs)
    try {
      this.swapEntry(entry, moved)
    } catch (error) {
      freeShell(mem, moved)
      throw error
    }
    freeShell(mem, entry)
    return moved
  }

  /** Deletes a key whose time has come, and tells everybody. */
  expire(entry: Ref): void {
    this.space.expiredKeys++
    this.vanish(entry, 'expired', 64, 'expired', true, this.space.lazy.expired)
  }

  /**
   * Deletes a key for a reason of the server's own. `lazy`: what is not small is freed in slices; `asked`: because an option says so.
   */
  vanish(entry: Ref, why: Removal, cls: number, name: string, lazy: boolean, asked: boolean, hash = this.hashEntry(entry)): void {
    const { mem, space } = this
    if (space.hooks.aboutToChange !== null) space.hooks.aboutToChange(this, entry)
    if (space.hooks.removed.length === 0 && (space.eventMask & cls) === 0 && this.listeners === 0)
      return this.removeEntry(entry, lazy, hash, asked)
    const start = keyStart(mem, entry)
    const key = mem.u8[segmentOf(entry)].slice(start, start + keyLength(mem, entry))
    this.removeEntry(entry, lazy, hash, asked)
    for (const removed of this.space.hooks.removed) removed(this, why, key, 0, key.length)
    this.event(cls, name, key, 0, key.length)
    this.touched(key, 0, key.length)
  }

  // ---- the whole database ----

  /** A uniformly random key that is not expired; null when there is none. */
  random(): Ref {
    for (let tries = 0; ; tries++) {
      const entry = dictRandom(this.mem, this.keys, this.space.random)
      if (entry === NULL_REF || !hasFlag(this.mem, entry, SLOT) || !this.isExpired(entry) || !this.space.expireOnAccess) return entry
      if (tries > 100 && dictSize(this.mem, this.expires) === this.size) return entry
      this.expire(entry)
    }
  }

  /** Deletes all keys, at once or (lazy) in slices in the background; returns how many there were. */
  flush(lazy: boolean): number {
    const count = this.size
    if (count === 0) return 0
    const keys = newDict(this.mem)
    let expires: Ref
    try {
      expires = newDict(this.mem)
    } catch (error) {
      freeDict(this.mem, keys)
      throw error
    }
    const old = { keys: this.keys, expires: this.expires }
    if (this.volatileHashes !== NULL_REF) freeTable(this.mem, this.volatileHashes)
    this.volatileHashes = NULL_REF
    this.keys = keys
    this.expires = expires
    this.expireCursor = 0
    this.avgTtl = 0
    if (lazy) {
      this.space.lazy.addDict(old.expires, false)
      this.space.lazy.addDict(old.keys, true)
    } else {
      freeDict(this.mem, old.expires)
      dictForEach(this.mem, old.keys, (entry) => freeWithValue(this.mem, entry))
      freeDict(this.mem, old.keys)
    }
    return count
  }

  /** Exchanges all keys with another database. */
  swapWith(other: Db): void {
    const { keys, expires, avgTtl, expireCursor, volatileHashes } = this
    this.keys = other.keys
    this.expires = other.expires
    this.volatileHashes = other.volatileHashes
    this.avgTtl = other.avgTtl
    this.expireCursor = other.expireCursor
    other.keys = keys
    other.expires = expires
    other.volatileHashes = volatileHashes
    other.avgTtl = avgTtl
    other.expireCursor = expireCursor
  }

  audit(report: Report): void {
    auditDict(this.mem, this.keys, report)
    auditDict(this.mem, this.expires, report)
    if (this.volatileHashes !== NULL_REF) auditTable(this.mem, this.volatileHashes, report)
    dictForEach(this.mem, this.keys, (entry) => auditEntry(this.mem, entry, report))
  }

  /** The usual end of a command that emptied a collection: deletes the key and says `del`. */
  removeEmptied(argv: Frame, i: number): void {
    this.remove(argv.bytes, argv.off(i), argv.len(i))
    this.event(EVENT_GENERIC, 'del', argv.bytes, argv.off(i), argv.len(i))
  }
}
