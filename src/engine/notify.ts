/**
 * notify: keyspace events as messages.
 *
 *   K   __keyspace@<db>__:<key>     says <event>
 *   E   __keyevent@<db>__:<event>   says <key>
 *
 * The keyspace calls only for classes that are switched on, and nothing is written while nobody listens to anything.
 */
import type { Db } from '../keyspace/db.ts'
import type { Keyspace } from '../keyspace/keyspace.ts'
import { copyBytes, writeLatin1 } from '../util/bytes.ts'
import type { PubSub } from './pubsub.ts'

/** The letters of the classes, by bit of keyspace/hooks.ts. */
const LETTERS = 'g$lshzxetmdn'
/** What `A` stands for: neither key misses nor new keys. */
const ALL = 'g$lshzxetd'
/** Longest prefix: `__keyspace@`, a database number, `__:`. */
const PREFIX_MAX = 32

/** The bits of the classes that a setting names. */
export function eventClassBits(classes: string): number {
  let bits = 0
  for (const letter of classes.replaceAll('A', ALL)) if (LETTERS.includes(letter)) bits |= 1 << LETTERS.indexOf(letter)
  return bits
}

export class Notifier {
  private readonly space: Keyspace
  private readonly pubsub: PubSub
  private byKey = false
  private byEvent = false
  private channel = new Uint8Array(256)
  private event = new Uint8Array(32)

  constructor(space: Keyspace, pubsub: PubSub) {
    this.space = space
    this.pubsub = pubsub
    space.hooks.event = (db, _class, name, bytes, off, len) => this.notify(db, name, bytes, off, len)
  }

  /** Takes a value of notify-keyspace-events. */
  choose(classes: string): void {
    this.byKey = classes.includes('K')
    this.byEvent = classes.includes('E')
    this.space.eventMask = this.byKey || this.byEvent ? eventClassBits(classes) : 0
  }

  private notify(db: Db, name: string, key: Uint8Array, off: number, len: number): void {
    if (this.pubsub.silent) return
    if (name.length > this.event.length) this.event = new Uint8Array(name.length)
    const { event } = this
    writeLatin1(event, 0, name)
    if (this.byKey) {
      const end = this.prefix('__keyspace@', db, len)
      copyBytes(this.channel, end, key, off, len)
      this.pubsub.publish(this.channel, 0, end + len, event, 0, name.length)
    }
    if (this.byEvent) {
      const end = this.prefix('__keyevent@', db, name.length)
      copyBytes(this.channel, end, event, 0, name.length)
      this.pubsub.publish(this.channel, 0, end + name.length, key, off, len)
    }
  }

  /** Begins a channel name that has room for `rest` bytes more; returns where they go. */
  private prefix(start: string, db: Db, rest: number): number {
    if (PREFIX_MAX + rest > this.channel.length) this.channel = new Uint8Array((PREFIX_MAX + rest) * 2)
    const at = writeLatin1(this.channel, 0, start)
    return writeLatin1(this.channel, writeLatin1(this.channel, at, String(db.id)), '__:')
  }
}
