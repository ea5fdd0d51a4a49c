/**
 * watch: the keys that clients wait to see unchanged until their EXEC.
 *
 * A key is known by its bytes, never by a ref. The first watcher of a key in a database switches on the WATCHED bit, so
 * databases without watchers pay nothing, and the others a hash per write.
 */
import type { Db } from '../keyspace/db.ts'
import { WATCHED } from '../keyspace/hooks.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import { NULL_REF } from '../memory/ref.ts'
import { type BytesEntry, BytesMap } from '../util/bytes-map.ts'
import type { Client } from './client.ts'

/** One key in one database that a client watches, and who else does. */
export interface WatchedKey {
  readonly db: Db
  readonly entry: BytesEntry<Set<Client>>
  /** It was expired already and nobody had met it: its going is no change. */
  expired: boolean
}

export class WatchedKeys {
  private readonly byDb: BytesMap<Set<Client>>[]

  constructor(space: Keyspace) {
    this.byDb = space.dbs.map(() => new BytesMap(space.random))
    space.hooks.touched.push({ bit: WATCHED, listen: (db, bytes, off, len) => this.touch(db, bytes, off, len) })
    space.hooks.flushed.push((dbs) => this.flushed(dbs))
  }

  /** Watches a key in the client's database. */
  add(c: Client, bytes: Uint8Array, off: number, len: number): void {
    const keys = this.byDb[c.db.id]
    const entry = keys.find(bytes, off, len) ?? keys.add(bytes, off, len, new Set())
    if (entry.value.has(c)) return
    entry.value.add(c)
    c.db.listeners |= WATCHED
    c.watched.push({ db: c.db, entry, expired: isExpired(c.db, bytes, off, len) })
  }

  unwatchAll(c: Client): void {
    c.watchBroken = false
    if (c.watched.length === 0) return
    for (const { db, entry } of c.watched) {
      entry.value.delete(c)
      if (entry.value.size > 0) continue
      const keys = this.byDb[db.id]
      keys.remove(entry)
      if (keys.size === 0) db.listeners &= ~WATCHED
    }
    c.watched = []
  }

  /** Whether EXEC must fail: also when a watched key has expired and nobody has met it yet. */
  anyChanged(c: Client): boolean {
    for (const { db, entry, expired } of c.watched) {
      if (!expired && isExpired(db, entry.key, 0, entry.key.length)) c.watchBroken = true
    }
    return c.watchBroken
  }

  private touch(db: Db, bytes: Uint8Array, off: number, len: number): void {
    const entry = this.byDb[db.id].find(bytes, off, len)
    if (entry === undefined) return
    const gone = db.storedKey(bytes, off, len) === NULL_REF
    for (const c of entry.value) if (!gone || !wentAsExpected(c, entry)) c.watchBroken = true
  }

  /** All keys of these databases are about to go: those that exist change. */
  private flushed(dbs: readonly Db[]): void {
    for (const db of dbs) this.replaced(db, null)
  }

  /** Two databases are exchanged: a watched key changes when it exists in either. */
  swapped(a: Db, b: Db): void {
    this.replaced(a, b)
    this.replaced(b, a)
  }

  /** The database is about to hold what another holds, or (null) nothing. */
  private replaced(db: Db, by: Db | null): void {
    for (const entry of this.byDb[db.id]) {
      const { key, value: clients } = entry
      const here = db.storedKey(key, 0, key.length) !== NULL_REF
      const there = by !== null && by.storedKey(key, 0, key.length) !== NULL_REF
      if (!here && !there) continue
      const comesExpired = there && isExpired(by, key, 0, key.length)
      for (const c of clients) if (!replacedUnchanged(c, entry, here, there, comesExpired)) c.watchBroken = true
    }
  }
}

/** Whether a watched key that is replaced is for the client what it was: not there, or expired. */
function replacedUnchanged(c: Client, entry: WatchedKey['entry'], here: boolean, there: boolean, comesExpired: boolean): boolean {
  const watched = c.watched.find((other) => other.entry === entry)
  if (watched === undefined) return false
  if (watched.expired) {
    watched.expired = there
    return !there || comesExpired
  }
  watched.expired = !here && comesExpired
  return watched.expired
}

/** Whether the key is there, but its time has come. */
function isExpired(db: Db, bytes: Uint8Array, off: number, len: number): boolean {
  return db.storedKey(bytes, off, len) !== NULL_REF && db.live(bytes, off, len) === NULL_REF
}

/** Whether the key that has just gone was expired when the client began to watch it; what comes under its name is a change again. */
function wentAsExpected(c: Client, entry: BytesEntry<Set<Client>>): boolean {
  const watched = c.watched.find((other) => other.entry === entry)
  if (watched === undefined || !watched.expired) return false
  watched.expired = false
  return true
}
