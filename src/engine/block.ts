/**
 * block: clients that wait for a key.
 *
 * A handler that finds nothing to pop calls `blockOnKeys` and returns without a reply. When one of the keys has changed, and holds the type
 * the client waits for, the very same handler runs again with the client's own copy of the arguments: it either replies, which ends the
 * waiting, or calls `blockOnKeys` again, which leaves everything as it was. So there is one piece of code for popping at once and later.
 *
 * (1) Clients are served in order of arrival, after the command (transaction, script) that made the key ready, and before the next one.
 * (2) Serving a client may make another key ready (BLMOVE): that is served in the same go.
 * (3) Keys are known by their bytes. A database without waiting clients pays nothing: its BLOCKED_ON bit is off.
 * (4) A client waits once at most; its further requests wait in its query buffer.
 */
import type { Db } from '../keyspace/db.ts'
import { BLOCKED_ON } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import type { Reply } from '../resp/reply.ts'
import { typeOf } from '../structs/entry.ts'
import type { Frame } from '../util/argv.ts'
import { bytesOf, latin1 } from '../util/bytes.ts'
import type { Timer } from '../util/clock.ts'
import type { Client } from './client.ts'
import { call, dropReply } from './dispatch.ts'
import type { Engine } from './engine.ts'
import type { Command } from './table.ts'

interface Waiting {
  readonly client: Client
  readonly command: Command
  readonly argv: Frame
  readonly db: Db
  readonly keys: readonly string[]
  /** The type number its keys must have. */
  readonly type: number
  /** It also wants to know that a key vanished or became something else. */
  readonly onGone: boolean
  timer: Timer | null
  /** The reply when the time is over. */
  readonly expire: (reply: Reply) => void
}

/** Whether one of them waits for what the key holds now, or for its going: keys are ready in the order in which they became so. */
function concerns(clients: Iterable<Waiting>, db: Db, entry: Ref): boolean {
  const type = entry === NULL_REF ? NOTHING : typeOf(db.mem, entry)
  for (const waiting of clients) if (waiting.type === type || waiting.onGone) return true
  return false
}

/** In place of the type of a key that is not there. */
const NOTHING = -2

function nobodyCame(reply: Reply): void {
  reply.nilArray()
}

export class BlockedClients {
  private readonly engine: Engine
  private readonly waiting = new Map<Client, Waiting>()
  /** By database: key -> those who wait for it, in order of arrival. */
  private readonly byKey: Map<string, Set<Waiting>>[]
  /** By database: keys that changed and that somebody waits for. */
  private readonly ready: Set<string>[]
  private anyReady = false
  private serving = false
  /** Whose command runs again. */
  private retried: Waiting | null = null
  private resuming: Client[] = []

  constructor(engine: Engine) {
    this.engine = engine
    this.byKey = engine.space.dbs.map(() => new Map())
    this.ready = engine.space.dbs.map(() => new Set())
    engine.space.hooks.touched.push({ bit: BLOCKED_ON, listen: (db, bytes, off, len) => this.touched(db, bytes, off, len) })
    engine.space.hooks.swapped.push((a, b) => this.swapped(a, b))
    engine.space.hooks.flushed.push((dbs) => {
      for (const db of dbs) this.allTouched(db)
    })
    engine.afterCommand.push(() => this.serveReady())
    engine.onRemove.push((c) => this.forget(c))
  }

  /** How many of them will not wait for ever. */
  get timedCount(): number {
    let count = 0
    for (const { timer } of this.waiting.values()) if (timer !== null) count++
    return count
  }

  /** How many keys are waited for. */
  get keyCount(): number {
    return this.byKey.reduce((sum, keys) => sum + keys.size, 0)
  }

  /** How many of them somebody also watches for their going. */
  get goneKeyCount(): number {
    let count = 0
    for (const byKey of this.byKey) for (const clients of byKey.values()) if (this.anyOnGone(clients)) count++
    return count
  }

  /** Whether the command that runs is one that waited. */
  get retrying(): boolean {
    return this.retried !== null
  }

  /** How many clients wait for keys. */
  get count(): number {
    return this.waiting.size
  }

  /** Whether the client may wait: not inside EXEC or a script, where a blocking command answers as if its time were up. */
  mayBlock(c: Client): boolean {
    return !c.inExec && !c.script && !c.internal && c.transport !== null
  }

  /**
   * Lets the client wait for arguments [first, first + count) to hold `type`. `timeoutMs` 0 is for ever. With `onGone` it is also run again
   * when a key goes or changes its type.
   */
  blockOnKeys(c: Client, first: number, count: number, timeoutMs: number, type: number, onGone = false): void {
    if (this.retried?.client === c) {
      c.blocked = true
      return
    }
    const keys = new Set<string>()
    for (let i = first; i < first + count; i++) keys.add(c.argv.text(i))
    this.wait(c, keys, timeoutMs, type, onGone, nobodyCame)
  }

  /** Lets the client wait for nothing but the time (0 is for ever), and then answers what `expire` writes. */
  blockFor(c: Client, timeoutMs: number, expire: (reply: Reply) => void): void {
    this.wait(c, new Set(), timeoutMs, -1, false, expire)
  }

  private wait(c: Client, keys: Set<string>, timeoutMs: number, type: number, onGone: boolean, expire: (reply: Reply) => void): void {
    c.blocked = true
    const waiting: Waiting = {
      client: c,
      command: c.command as Command,
      argv: c.argv.copy(),
      db: c.db,
      keys: [...keys],
      type,
      onGone,
      timer: null,
      expire,
    }
    if (timeoutMs > 0) {
      waiting.timer = this.engine.clock.setTimer(timeoutMs, () => this.timedOut(waiting))
      waiting.timer.unref()
    }
    const byKey = this.byKey[c.db.id]
    for (const key of keys) {
      const others = byKey.get(key)
      if (others === undefined) byKey.set(key, new Set([waiting]))
      else others.add(waiting)
    }
    if (keys.size > 0) c.db.listeners |= BLOCKED_ON
    this.waiting.set(c, waiting)
  }

  /** CLIENT UNBLOCK: ends the waiting as its timeout or an error would; false when the client does not wait for a key. */
  unblock(c: Client, withError: boolean): boolean {
    const waiting = this.waiting.get(c)
    if (waiting === undefined) return false
    if (withError) this.fail(waiting, 'UNBLOCKED client unblocked via CLIENT UNBLOCK')
    else this.giveUp(waiting)
    return true
  }

  /** Ends the waiting of all clients with an error and closes them: the server became a replica. */
  disconnectAll(error: string): void {
    for (const waiting of [...this.waiting.values()]) {
      this.fail(waiting, error)
      waiting.client.closing = true
    }
  }

  /** Two databases were exchanged: what clients wait for may be there now, or be gone. */
  private swapped(a: Db, b: Db): void {
    this.allTouched(a)
    this.allTouched(b)
  }

  /** The key changed in a way that matters to waiting clients alone (a group was destroyed). */
  signal(db: Db, bytes: Uint8Array, off: number, len: number): void {
    if ((db.listeners & BLOCKED_ON) !== 0) this.touched(db, bytes, off, len)
  }

  private touched(db: Db, bytes: Uint8Array, off: number, len: number): void {
    const key = latin1(bytes, off, len)
    const clients = this.byKey[db.id].get(key)
    if (clients !== undefined && concerns(clients, db, db.live(bytes, off, len))) this.noteReady(db, key)
  }

  private allTouched(db: Db): void {
    for (const key of this.byKey[db.id].keys()) this.noteReady(db, key)
  }

  private noteReady(db: Db, key: string): void {
    this.ready[db.id].add(key)
    this.anyReady = true
    this.engine.attention = true
  }

  /** Serves clients until no key is ready any more. */
  private serveReady(): void {
    if (this.serving || !this.anyReady) return
    this.serving = true
    // The command that made them ready may have taken longer than they live.
    this.engine.space.readClock()
    try {
      while (this.anyReady) {
        this.anyReady = false
        for (const db of this.engine.space.dbs) {
          for (const key of this.ready[db.id]) {
            this.ready[db.id].delete(key)
            this.serveKey(db, key)
          }
        }
      }
    } finally {
      this.serving = false
      this.retried = null
    }
  }

  private serveKey(db: Db, key: string): void {
    const clients = this.byKey[db.id].get(key)
    if (clients === undefined) return
    const bytes = bytesOf(key)
    // Who is served leaves the set meanwhile; nobody joins it.
    for (const waiting of clients) {
      const entry = db.live(bytes, 0, bytes.length)
      const fits = entry !== NULL_REF && typeOf(db.mem, entry) === waiting.type
      if (fits || waiting.onGone) this.retry(waiting)
      else if (entry === NULL_REF && !this.anyOnGone(clients)) return
    }
  }

  private anyOnGone(clients: Set<Waiting>): boolean {
    for (const waiting of clients) if (waiting.onGone) return true
    return false
  }

  /** Runs the client's command again. */
  private retry(waiting: Waiting): void {
    const { engine } = this
    const { client } = waiting
    if (this.waiting.get(client) !== waiting) return
    const current = engine.current
    engine.current = client
    client.argv = waiting.argv
    client.reply = client.own
    const before = client.reply.pos
    client.blocked = false
    this.retried = waiting
    call(client, waiting.command)
    engine.propagate.flush()
    this.retried = null
    if (!client.blocked) this.finish(waiting, before)
    client.settleMessages()
    engine.current = current
  }

  private timedOut(waiting: Waiting): void {
    this.giveUp(waiting)
    this.engine.flushWoken()
  }

  private giveUp(waiting: Waiting): void {
    const reply = waiting.client.own
    const before = reply.pos
    waiting.expire(reply)
    waiting.command.calls++
    this.finish(waiting, before)
  }

  private fail(waiting: Waiting, error: string): void {
    const reply = waiting.client.own
    const before = reply.pos
    reply.error(error)
    waiting.command.calls++
    waiting.command.failed++
    this.engine.stats.countErrors(1, error.slice(0, error.indexOf(' ')))
    this.finish(waiting, before)
  }

  /** The client has its reply, from `before` on in its own writer: it is sent, and what the client sent meanwhile is run soon. */
  private finish(waiting: Waiting, before: number): void {
    const { client } = waiting
    this.forget(client)
    client.blocked = false
    client.reply = client.own
    dropReply(client, before)
    this.engine.wake(client)
    if (this.resuming.push(client) === 1) setImmediate(() => this.resumeAll())
  }

  private resumeAll(): void {
    const clients = this.resuming
    this.resuming = []
    this.engine.flushWoken()
    for (const client of clients) client.transport?.resume()
  }

  /** Takes the client off all lists. */
  private forget(c: Client): void {
    const waiting = this.waiting.get(c)
    if (waiting === undefined) return
    this.waiting.delete(c)
    if (waiting.timer !== null) this.engine.clock.clearTimer(waiting.timer)
    const byKey = this.byKey[waiting.db.id]
    for (const key of waiting.keys) {
      const others = byKey.get(key)
      others?.delete(waiting)
      if (others?.size === 0) byKey.delete(key)
    }
    if (byKey.size === 0) waiting.db.listeners &= ~BLOCKED_ON
  }
}
