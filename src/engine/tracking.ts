/**
 * tracking: the server's half of client-side caching. A client that tracks is told when a key it may have a copy of has changed.
 *
 * In the default mode the table remembers who read a key, until the first change tells them. In broadcasting mode nothing is remembered:
 * changed keys are gathered by prefix and told once a turn of the event loop.
 *
 * (1) While no client tracks, databases do not call: their TRACKED bit is off. So a server without tracking pays nothing.
 * (2) The table is bounded by `maxKeys`: beyond it, random keys are forgotten and their readers told as if they had changed.
 * (3) Keys of all databases share one table, since a client's cache does not know databases either.
 */
import type { Db } from '../keyspace/db.ts'
import { TRACKED } from '../keyspace/hooks.ts'
import { NULL_REF } from '../memory/ref.ts'
import { OutOfMemory } from '../memory/arena.ts'
import type { Reply } from '../resp/reply.ts'
import { dictHash } from '../structs/dict.ts'
import { compareBytes, equalBytes } from '../util/bytes.ts'
import { BytesMap } from '../util/bytes-map.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { ACL_SCRIPTING, PUBSUB, READONLY } from './flags.ts'
import { findKeys, KeyPositions } from './keyspec.ts'
import type { Command } from './table.ts'
import { TrackingTable } from './tracking-table.ts'

/** How one client tracks. */
export interface TrackingMode {
  readonly broadcast: boolean
  readonly optIn: boolean
  readonly optOut: boolean
  readonly noLoop: boolean
  /** Id of the client that gets the messages; 0 is the client itself. */
  readonly redirect: number
}

export class TrackingState {
  mode: TrackingMode
  /** CLIENT CACHING has been called for the command that follows. */
  cachingGiven = false
  /** The client that should get the messages was found gone. */
  redirectBroken = false
  readonly prefixes = new Set<Prefix>()

  constructor(mode: TrackingMode) {
    this.mode = mode
  }
}

/** Keys that begin alike, and who wants to know about them. */
export class Prefix {
  readonly bytes: Uint8Array
  readonly clients = new Set<Client>()
  /** What has changed in this turn, and who changed it last. */
  readonly changed: BytesMap<Client | null>

  constructor(bytes: Uint8Array, changed: BytesMap<Client | null>) {
    this.bytes = bytes
    this.changed = changed
  }
}

/** Keys forgotten by the first look at the limit. */
const EVICT_STEP = 100
const CHANNEL = '__redis__:invalidate'

export class Tracking {
  readonly table: TrackingTable
  /** Ascending. */
  readonly prefixes: Prefix[] = []
  /** Clients that track. */
  clients = 0
  maxKeys = 1_000_000
  private readonly engine: Engine
  private readonly found = new KeyPositions()
  private effort = EVICT_STEP

  constructor(engine: Engine) {
    this.engine = engine
    this.table = new TrackingTable(engine.mem)
    const { hooks } = engine.space
    hooks.touched.push({ bit: TRACKED, listen: (_db, bytes, off, len) => this.changed(bytes, off, len) })
    hooks.flushed.push((dbs) => this.flushed(dbs))
    engine.endOfTurn.push(() => this.broadcast())
    engine.cron.jobs.push(() => this.limit())
    engine.onRemove.push((c) => this.stop(c))
    engine.onReset.push((c) => this.stop(c))
  }

  start(c: Client, mode: TrackingMode, prefixes: readonly Uint8Array[]): void {
    if (c.tracking === null) {
      c.tracking = new TrackingState(mode)
      if (this.clients++ === 0) for (const db of this.engine.space.dbs) db.listeners |= TRACKED
    }
    c.tracking.mode = mode
    c.tracking.redirectBroken = false
    if (!mode.broadcast) return
    for (const bytes of prefixes.length === 0 ? [new Uint8Array(0)] : prefixes) {
      const prefix = this.prefix(bytes)
      prefix.clients.add(c)
      c.tracking.prefixes.add(prefix)
    }
  }

  stop(c: Client): void {
    if (c.tracking === null) return
    for (const prefix of c.tracking.prefixes) {
      prefix.clients.delete(c)
      if (prefix.clients.size === 0) this.prefixes.splice(this.prefixes.indexOf(prefix), 1)
    }
    c.tracking = null
    if (--this.clients > 0) return
    for (const db of this.engine.space.dbs) db.listeners &= ~TRACKED
    this.forgetAll()
  }

  private prefix(bytes: Uint8Array): Prefix {
    let at = 0
    for (; at < this.prefixes.length; at++) {
      const known = this.prefixes[at].bytes
      const order = compareBytes(known, 0, known.length, bytes, 0, bytes.length)
      if (order === 0) return this.prefixes[at]
      if (order > 0) break
    }
    const prefix = new Prefix(bytes, new BytesMap(this.engine.random))
    this.prefixes.splice(at, 0, prefix)
    return prefix
  }

  /** Remembers what `reader` has read by this command, which `c` (itself, or a script of its) has run. */
  remember(reader: Client, c: Client, command: Command): void {
    const state = reader.tracking
    if (state === null || state.mode.broadcast || !readsKeys(command)) return
    const { optIn, optOut } = state.mode
    if (optIn ? !state.cachingGiven : optOut && state.cachingGiven) return
    const { argv } = c
    const { row } = command
    findKeys(argv, row.keys ?? [], row.findKeys, this.found)
    for (let i = 0; i < this.found.count; i++) {
      const arg = this.found.positions[i]
      const off = argv.off(arg)
      const len = argv.len(arg)
      const hash = arg === argv.hashedArg ? argv.hash : dictHash(this.engine.mem, argv.bytes, off, len)
      this.addReader(reader, argv.bytes, off, len, hash)
    }
  }

  /** A reader that cannot be remembered is told at once that its copy is not good. */
  private addReader(reader: Client, bytes: Uint8Array, off: number, len: number, hash: number): void {
    try {
      this.table.add(bytes, off, len, hash, reader.id)
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
      this.tellKey(reader, bytes, off, len)
    }
  }

  /** CLIENT CACHING is for one command (or one transaction): called when a client that tracks has run a command. */
  ended(c: Client): void {
    const state = c.tracking
    if (state !== null && state.cachingGiven && c.multi === null && c.command?.parent?.ownName !== 'client') state.cachingGiven = false
  }

  private changed(bytes: Uint8Array, off: number, len: number): void {
    if (this.prefixes.length > 0) this.gather(bytes, off, len)
    this.invalidate(bytes, off, len)
  }

  /** Tells the readers of a key, and forgets them. */
  private invalidate(bytes: Uint8Array, off: number, len: number): void {
    if (this.table.take(bytes, off, len) === 0) return
    for (const id of this.table.taken) {
      const reader = this.engine.clients.get(id)
      const mode = reader?.tracking?.mode
      if (reader === undefined || mode === undefined || mode.broadcast) continue
      if (!mode.noLoop || reader !== this.engine.current) this.tellKey(reader, bytes, off, len)
    }
  }

  private gather(bytes: Uint8Array, off: number, len: number): void {
    for (const { bytes: start, changed } of this.prefixes) {
      if (start.length > len || !equalBytes(start, 0, bytes, off, start.length)) continue
      const known = changed.find(bytes, off, len)
      if (known === undefined) changed.add(bytes, off, len, this.engine.current)
      else known.value = this.engine.current
      this.engine.scheduleEndOfTurn()
    }
  }

  /** The end of a turn: tells every prefix's clients what has changed. */
  private broadcast(): void {
    for (const prefix of this.prefixes) {
      const { changed, clients } = prefix
      if (changed.size === 0) continue
      const all = [...changed].sort((a, b) => compareBytes(a.key, 0, a.key.length, b.key, 0, b.key.length))
      changed.clear()
      for (const c of clients) {
        const told = c.tracking?.mode.noLoop ? all.filter(({ value }) => value !== c) : all
        if (told.length > 0) this.tell(c, (out) => writeKeys(out, told))
      }
    }
  }

  /** All keys are gone: a null instead of keys says so. */
  private flushed(_dbs: readonly Db[]): void {
    if (this.clients === 0) return
    for (const c of this.engine.clients.values()) if (c.tracking !== null) this.tell(c, (out) => out.raw(c.resp === 3 ? NULL_3 : NULL_2))
    this.forgetAll()
  }

  private forgetAll(): void {
    const dict = this.table.detach()
    if (dict === NULL_REF) return
    this.engine.space.lazy.addDict(dict, true)
    this.engine.cron.freeSoon()
  }

  /** Forgets keys while there are too many: called before each command and by the cron, a hundred more each time that was not enough. */
  limit(): void {
    const { table, maxKeys } = this
    if (maxKeys === 0) return
    for (let left = this.effort; table.size > maxKeys && left > 0; left--) {
      const key = table.randomKey(this.engine.random)
      this.invalidate(key, 0, key.length)
    }
    this.effort = table.size > maxKeys ? this.effort + EVICT_STEP : EVICT_STEP
  }

  private tellKey(c: Client, bytes: Uint8Array, off: number, len: number): void {
    this.tell(c, (out) => {
      out.array(1)
      out.bulk(bytes, off, len)
    })
  }

  /** Sends an invalidation message to the client, or to the one that gets its messages; `write` writes what is invalid. */
  private tell(c: Client, write: (out: Reply) => void): void {
    const { engine } = this
    const redirect = c.tracking?.mode.redirect ?? 0
    const receiver = redirect === 0 ? c : engine.clients.get(redirect)
    if (receiver === undefined) return this.tellBroken(c, redirect)
    const out = receiver.messages
    if (receiver.resp === 3) {
      out.push(2)
      out.text('invalidate')
    } else if (redirect !== 0 && receiver.subscriptions > 0) {
      out.array(3)
      out.text('message')
      out.text(CHANNEL)
    } else return // RESP2 has no place for messages on a connection with replies
    write(out)
    engine.wake(receiver)
  }

  private tellBroken(c: Client, redirect: number): void {
    if (c.tracking !== null) c.tracking.redirectBroken = true
    if (c.resp !== 3) return
    const out = c.messages
    out.push(2)
    out.text('tracking-redir-broken')
    out.int(redirect)
    this.engine.wake(c)
  }
}

/** A null as the tracking client, not the one that gets its messages, understands it. */
const NULL_2 = Uint8Array.from('$-1\r\n', (char) => char.charCodeAt(0))
const NULL_3 = Uint8Array.from('_\r\n', (char) => char.charCodeAt(0))

function writeKeys(out: Reply, keys: readonly { readonly key: Uint8Array }[]): void {
  out.array(keys.length)
  for (const { key } of keys) out.bulk(key, 0, key.length)
}

/** Scripts read through the commands they call, and shard channels are no keys. */
function readsKeys(command: Command): boolean {
  return (command.flags & (READONLY | PUBSUB)) === READONLY && (command.acl & ACL_SCRIPTING) === 0
}
