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

/** One key in one database, and who watches it. */
export interface WatchedKey {
  readonly db: Db
  readonly entry: BytesEntry<Set<Client>>
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
    // Finding it deletes it when its time has come, so that its going does not count as a change later.
    c.db.peekKey(bytes, off, len)
    const entry = keys.find(bytes, off, len) ?? keys.add(bytes, off, len, new Set())
    if (entry.value.has(c)) return
    entry.value.add(c)
    c.db.listeners |= WATCHED
    c.watched.push({ db: c.db, entry })
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
    for (const { db, entry } of c.watched) {
      if (c.watchBroken) break
      db.peekKey(entry.key, 0, entry.key.length)
    }
    return c.watchBroken
  }

  private touch(db: Db, bytes: Uint8Array, off: number, len: number): void {
    const clients = this.byDb[db.id].get(bytes, off, len)
    if (clients !== undefined) for (const c of clients) c.watchBroken = true
  }

  /** All keys of these databases are about to go: those that exist change. */
  private flushed(dbs: readonly Db[]): void {
    for (const db of dbs) this.touchWhere(db, (key) => exists(db, key))
  }

  /** Two databases are exchanged: a watched key changes when it exists in either. */
  swapped(a: Db, b: Db): void {
    const inEither = (key: Uint8Array): boolean => exists(a, key) || exists(b, key)
    this.touchWhere(a, inEither)
    this.touchWhere(b, inEither)
  }

  private touchWhere(db: Db, changes: (key: Uint8Array) => boolean): void {
    for (const { key, value: clients } of this.byDb[db.id]) {
      if (changes(key)) for (const c of clients) c.watchBroken = true
    }
  }
}

function exists(db: Db, key: Uint8Array): boolean {
  return db.peekKey(key, 0, key.length) !== NULL_REF
}
