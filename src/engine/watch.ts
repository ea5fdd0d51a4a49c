/**
 * watch: the keys that clients wait to see unchanged until their EXEC.
 *
 * A key is known by its bytes, never by a ref. The first watcher of a key in a database switches on the WATCHED bit, so
 * databases without watchers pay nothing.
 */
import type { Db } from '../keyspace/db.ts'
import { WATCHED } from '../keyspace/hooks.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import { NULL_REF } from '../memory/ref.ts'
import { latin1 } from '../util/bytes.ts'
import type { Client } from './client.ts'

export class WatchedKeys {
  private readonly watchers: Map<string, Set<Client>>[]

  constructor(space: Keyspace) {
    this.watchers = space.dbs.map(() => new Map())
    space.hooks.touched.push({ bit: WATCHED, listen: (db, bytes, off, len) => this.touch(db, latin1(bytes, off, len)) })
    space.hooks.flushed.push((db) => this.touchAll(db))
  }

  /** Watches argument i of the client's command in its database. */
  add(c: Client, bytes: Uint8Array, off: number, len: number): void {
    const key = latin1(bytes, off, len)
    if (c.watched.some((watched) => watched.db === c.db && watched.key === key)) return
    const byKey = this.watchers[c.db.id]
    let clients = byKey.get(key)
    if (clients === undefined) {
      clients = new Set()
      byKey.set(key, clients)
    }
    clients.add(c)
    c.db.listeners |= WATCHED
    // Finding it deletes it when its time has come, so that its going does not count as a change later.
    c.db.peekKey(bytes, off, len)
    c.watched.push({ db: c.db, key, wasExpired: false })
  }

  unwatchAll(c: Client): void {
    for (const { db, key } of c.watched) {
      const byKey = this.watchers[db.id]
      const clients = byKey.get(key)
      clients?.delete(c)
      if (clients?.size === 0) byKey.delete(key)
      if (byKey.size === 0) db.listeners &= ~WATCHED
    }
    c.watched = []
    c.watchBroken = false
  }

  /** Whether a watched key has expired since, although nobody has met it yet. */
  anyExpired(c: Client): boolean {
    for (const { db, key } of c.watched) {
      const bytes = Uint8Array.from(key, (char) => char.charCodeAt(0))
      db.peekKey(bytes, 0, bytes.length)
    }
    return c.watchBroken
  }

  private touch(db: Db, key: string): void {
    const clients = this.watchers[db.id].get(key)
    if (clients !== undefined) for (const c of clients) c.watchBroken = true
  }

  /** All keys of the database are about to go: those that exist change. */
  private touchAll(db: Db): void {
    this.touchWhere(db, (key) => this.exists(db, key))
  }

  /** Two databases are exchanged: a watched key changes when it exists in either. */
  swapped(a: Db, b: Db): void {
    const inEither = (key: string): boolean => this.exists(a, key) || this.exists(b, key)
    this.touchWhere(a, inEither)
    this.touchWhere(b, inEither)
  }

  private touchWhere(db: Db, changes: (key: string) => boolean): void {
    for (const [key, clients] of this.watchers[db.id]) {
      if (changes(key)) for (const c of clients) c.watchBroken = true
    }
  }

  private exists(db: Db, key: string): boolean {
    const bytes = Uint8Array.from(key, (char) => char.charCodeAt(0))
    return db.peekKey(bytes, 0, bytes.length) !== NULL_REF
  }
}
