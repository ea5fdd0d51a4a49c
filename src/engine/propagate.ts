/**
 * propagate: the one way by which changes of the data set leave the server, as commands, to sinks: the append-only file, replicas.
 *
 * What belongs together is a unit: a top-level command with everything it brings about (a transaction and a script count as one), a
 * client served by a key that became ready, or a single key that the server itself deletes. The operations of a unit are queued, one
 * behind the other in one frame, and go to the sinks when it ends; several of them go between MULTI and EXEC.
 *
 *   bytes             arguments of operation 0 | of operation 1 | ...
 *   offsets, lengths  bases[i] is where operation i begins in them
 *
 * (1) A command that changed something (`dirty` grew) leaves as it came, last of its unit so far. Its handler can say otherwise: other
 *     words for the same change (`instead`), nothing (`silence`), or although nothing changed (`force`).
 * (2) `also` adds an operation beside the command's own: keys that expired on the way, and effects that take several commands.
 * (3) What a sink reads has the same effect at any time and in any place: moments are absolute, chance is decided, nothing waits.
 * (4) Without sinks nothing is queued, and a command pays one test of `sinks`. Nothing here makes an object per command.
 */
import type { Db } from '../keyspace/db.ts'
import type { Removal } from '../keyspace/hooks.ts'
import { writeId } from '../structs/stream-id.ts'
import { Frame, frameOf } from '../util/argv.ts'
import { bytesOf, copyBytes, writeLatin1 } from '../util/bytes.ts'
import { INT64_MAX, writeBigInt, writeInt } from '../util/int64.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { TOUCHES_ARBITRARY_KEYS } from './flags.ts'
import type { Command } from './table.ts'

/** Who a change is for; bits. */
export const TO_AOF = 1
export const TO_REPLICAS = 2
export const TO_ALL = TO_AOF | TO_REPLICAS
/** What a handler said about its own command; beside the bits of `force`. */
const SAID_OTHERWISE = 4

/** In place of a database: the operation (MULTI, EXEC) belongs to none. */
export const NO_DB = -1

/** Someone who takes every change. */
export interface PropagationSink {
  /** Which changes: bits of TO_ALL. */
  readonly takes: number
  /** One command for a database, or NO_DB. The frame is valid during the call only. */
  propagate(dbId: number, argv: Frame): void
}

const MULTI = frameOf([bytesOf('MULTI')])
const EXEC = frameOf([bytesOf('EXEC')])

const START_BYTES = 1024
/** A larger queue is given up when it is empty. */
const KEPT_BYTES = 1 << 20
/** The longest number or stream id, in bytes. */
const NUMBER_MAX = 48
const INT64_LIMIT = 2 ** 63

export class Propagation {
  /** How many sinks there are. */
  sinks = 0
  private list: readonly PropagationSink[] = []
  /** The bits that any sink takes. */
  private wanted = 0
  private readonly engine: Engine
  private readonly frame = new Frame(64)
  private ops = 0
  private args = 0
  private size = 0
  private readonly bases: number[] = []
  private readonly dbIds: number[] = []
  private readonly targets: number[] = []
  /** Whether arguments go into the queue: the operation that was begun is wanted by somebody. */
  private open = false
  /** What the handler of the running command has said of it. */
  private said = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.frame.bytes = new Uint8Array(START_BYTES)
    engine.afterCommand.push(() => this.flush())
  }

  add(sink: PropagationSink): void {
    this.setSinks([...this.list, sink])
  }

  remove(sink: PropagationSink): void {
    this.setSinks(this.list.filter((other) => other !== sink))
  }

  private setSinks(list: readonly PropagationSink[]): void {
    const { removed, fieldsExpired } = this.engine.space.hooks
    if (this.sinks === 0 && list.length > 0) {
      removed.push(this.keyRemoved)
      fieldsExpired.push(this.fieldsExpired)
    } else if (this.sinks > 0 && list.length === 0) {
      removed.splice(removed.indexOf(this.keyRemoved), 1)
      fieldsExpired.splice(fieldsExpired.indexOf(this.fieldsExpired), 1)
    }
    this.list = list
    this.sinks = list.length
    this.wanted = list.reduce((bits, { takes }) => bits | takes, 0)
  }

  // ---- what the running command leaves behind ----

  /** The running command itself is not passed on: what it did has been said with `also`, or concerns nobody. */
  silence(): void {
    if (this.sinks !== 0) this.said |= SAID_OTHERWISE
  }

  /** The running command is passed on even if it changed nothing. */
  force(targets: number): void {
    if (this.sinks !== 0) this.said |= targets
  }

  /** Begins an operation that is passed on instead of the running command; its arguments follow, the name first. */
  instead(c: Client): this {
    this.silence()
    return this.begin(c.db.id, c.propagates)
  }

  /** Begins an operation beside the running command's own. A script has no say in who gets it. */
  also(db: Db): this {
    return this.begin(db.id, TO_ALL)
  }

  private begin(dbId: number, targets: number): this {
    this.open = (targets & this.wanted) !== 0
    if (!this.open) return this
    this.bases[this.ops] = this.args
    this.dbIds[this.ops] = dbId
    this.targets[this.ops++] = targets
    this.engine.attention = true
    return this
  }

  /** The next argument: a word of ours. */
  word(text: string): this {
    if (this.open) this.close(writeLatin1(this.room(text.length), this.size, text))
    return this
  }

  /** The next argument: argument i of a command. */
  arg(argv: Frame, i: number): this {
    return this.bytes(argv.bytes, argv.off(i), argv.len(i))
  }

  /** The next arguments: [from, to) of a command. */
  argsOf(argv: Frame, from: number, to: number): this {
    for (let i = from; i < to; i++) this.arg(argv, i)
    return this
  }

  bytes(bytes: Uint8Array, off: number, len: number): this {
    if (!this.open) return this
    copyBytes(this.room(len), this.size, bytes, off, len)
    this.close(this.size + len)
    return this
  }

  /** The next argument: an integer of 64 bits. What a double has rounded up to 2^63 is the largest. */
  int(n: number | bigint): this {
    if (!this.open) return this
    const room = this.room(NUMBER_MAX)
    if (typeof n === 'number' && Number.isSafeInteger(n)) this.close(writeInt(room, this.size, n))
    else this.close(writeBigInt(room, this.size, n >= INT64_LIMIT ? INT64_MAX : BigInt(n)))
    return this
  }

  /** The next argument: a stream id. */
  id(id: Uint32Array, at: number): this {
    if (this.open) this.close(writeId(this.room(NUMBER_MAX), this.size, id, at))
    return this
  }

  /** The queue's bytes, with room for so many more. */
  private room(bytes: number): Uint8Array {
    const { frame } = this
    const needed = this.size + bytes
    if (needed > frame.bytes.length) {
      const larger = new Uint8Array(Math.max(needed, frame.bytes.length * 2))
      larger.set(frame.bytes.subarray(0, this.size))
      frame.bytes = larger
    }
    return frame.bytes
  }

  /** Ends an argument before `end`. */
  private close(end: number): void {
    const { frame } = this
    frame.reserve(this.args)
    frame.offsets[this.args] = this.size
    frame.lengths[this.args++] = end - this.size
    this.size = end
  }

  /** A command has run; `dirty` is what the keyspace had counted before it. Call it only when there are sinks. */
  ran(c: Client, command: Command, dirty: number): void {
    const { said, engine } = this
    this.said = 0
    if ((said & SAID_OTHERWISE) !== 0 || c.blocked || command.runsCommands) return
    const targets = (engine.space.dirty > dirty ? TO_ALL : said) & c.propagates
    if ((targets & this.wanted) === 0) return
    if (engine.depth === 0 && this.ops === 0) this.send(c.db.id, c.argv, targets)
    else this.begin(c.db.id, targets).argsOf(c.argv, 0, c.argv.count)
  }

  // ---- what the server itself does ----

  private readonly keyRemoved = (db: Db, why: Removal, bytes: Uint8Array, off: number, len: number): void => {
    const lazy = why === 'evicted' ? this.engine.memory.lazy : this.engine.lazyExpire
    this.also(db)
      .word(lazy ? 'UNLINK' : 'DEL')
      .bytes(bytes, off, len)
    this.endOwn()
  }

  /** One HDEL names all the fields that went together. */
  private readonly fieldsExpired = (db: Db, key: Uint8Array, fields: readonly Uint8Array[]): void => {
    this.also(db).word('HDEL').bytes(key, 0, key.length)
    for (const field of fields) this.bytes(field, 0, field.length)
    this.endOwn()
  }

  /** Outside of commands each deletion is a unit. */
  private endOwn(): void {
    if (this.engine.depth === 0) this.flush()
  }

  // ---- to the sinks ----

  /** The unit is over: hands its operations out. */
  flush(): void {
    const { ops, frame } = this
    // while a script is suspended, its unit goes on
    if (ops === 0 || this.engine.guarded) return
    const bracketed = ops > 1 && !this.metByChance()
    if (bracketed) this.send(NO_DB, MULTI, TO_ALL)
    for (let i = 0; i < ops; i++) {
      frame.base = this.bases[i]
      frame.count = (i + 1 < ops ? this.bases[i + 1] : this.args) - frame.base
      this.send(this.dbIds[i], frame, this.targets[i])
    }
    if (bracketed) this.send(NO_DB, EXEC, TO_ALL)
    this.ops = 0
    this.args = 0
    this.size = 0
    if (frame.bytes.length > KEPT_BYTES) frame.bytes = new Uint8Array(START_BYTES)
  }

  /** Keys that a command such as SCAN only happened to meet have nothing to do with each other: their deletions need no transaction. */
  private metByChance(): boolean {
    const command = this.engine.current?.command ?? null
    return command !== null && (command.flags & TOUCHES_ARBITRARY_KEYS) !== 0
  }

  private send(dbId: number, argv: Frame, targets: number): void {
    for (const sink of this.list) if ((sink.takes & targets) !== 0) sink.propagate(dbId, argv)
  }
}
