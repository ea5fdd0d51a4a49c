/**
 * connection: one client's socket: bytes in, batches to the engine, replies out.
 *
 * Reads go into one buffer that all connections of a server share, and are parsed right there. Only what
 * belongs to an unfinished command is copied, to a buffer of the connection's own; a bulk of 32 KiB or more gets a buffer of
 * its size at once. Replies are gathered in the engine's writer and sent by the outbox, at the end of the turn or earlier.
 *
 * (1) `query` holds bytes only while a command is unfinished or the client must wait; positions in it start at 0.
 * (2) Between two reads the engine's writer holds only what the outbox has taken.
 */
import type { Client, Transport } from '../engine/client.ts'
import { runBatch } from '../engine/dispatch.ts'
import type { Engine } from '../engine/engine.ts'
import type { Outbox } from './outbox.ts'
import type { QueryBuffers } from './query-buffers.ts'
import type { ClientSocket, SocketOwner } from './client-socket.ts'
import { clientLine } from '../engine/client-line.ts'
import { UNCOUNTED_BYTES } from '../engine/output-limits.ts'
import { isLoopback } from './addresses.ts'
import type { Timer } from '../util/clock.ts'
import { BATCH_MAX, BIG_BULK, ParseState } from '../resp/parser.ts'

const EMPTY: Uint8Array = new Uint8Array(0)
const QUERY_START = 4096
/** How long the requests of one read may keep the others waiting, and how many bytes of them may be left for the next turn. */
const TURN_US = 1000
const LEFT_MAX = 64 * 1024
/** A connection that is ending is cut off when its peer has taken nothing for so long. */
const LINGER_MS = 60_000

/** What connections share, and who is told of them: the listener. */
export interface Host {
  readonly engine: Engine
  readonly outbox: Outbox
  readonly buffers: QueryBuffers
  /** Has the connection's `goOn` called in the next turn. */
  goOnLater(connection: Connection): void
  /** The connection is over. */
  forget(connection: Connection): void
}

export class Connection implements Transport, SocketOwner {
  readonly client: Client
  private readonly host: Host
  private readonly engine: Engine
  private readonly socket: ClientSocket
  private readonly outbox: Outbox
  private readonly buffers: QueryBuffers
  private readonly state = new ParseState()
  private query: Uint8Array = EMPTY
  private queryLength = 0
  private closed = false
  /** The path of the Unix socket it came through, '' for TCP. */
  private readonly unixPath: string
  private peer: string | null = null
  private local: string | null = null
  /** Bytes of the read that is being served. */
  readBytes = 0
  /** Since when its output is above the soft limit; 0 while it is not. */
  private softSinceMs = 0

  /** `unixPath` is the socket's path, '' for TCP. */
  constructor(host: Host, socket: ClientSocket, unixPath: string) {
    const { engine, outbox, buffers } = host
    this.host = host
    this.engine = engine
    this.outbox = outbox
    this.buffers = buffers
    this.socket = socket
    this.unixPath = unixPath
    this.client = engine.addClient()
    this.client.transport = this
  }

  get isUnix(): boolean {
    return this.unixPath !== ''
  }

  get address(): string {
    return this.isUnix ? `${this.unixPath}:0` : (this.peer ??= this.socket.peerName)
  }

  get localAddress(): string {
    return this.isUnix ? `${this.unixPath}:0` : (this.local ??= this.socket.localName)
  }

  get isLocal(): boolean {
    return this.isUnix || isLoopback(this.address)
  }

  get queuedBytes(): number {
    return this.socket.queuedBytes
  }

  get queuedWrites(): number {
    return this.socket.queuedWrites
  }

  get fd(): number {
    return this.socket.fd
  }

  /** Bytes of the connection's own query buffer that have not become arguments yet. */
  get queryBytes(): number {
    return this.queryLength - this.state.at
  }

  get queryCapacity(): number {
    return this.query.length
  }

  /** Whether it is in the middle of an argument so large that reading on is but copying. */
  private get isFilling(): boolean {
    return this.queryLength > 0 && this.state.bulk >= BIG_BULK
  }

  /** Has used up its time in this turn: what is left of its requests is for the next. */
  private yields = false

  /** Takes bytes[0, length), which the caller may overwrite afterwards. */
  receive(bytes: Uint8Array, length: number): void {
    const { client, engine } = this
    if (this.closed || client.closing) return
    this.readBytes = length + this.queryLength
    engine.stats.inputBytes += length
    engine.stats.readsProcessed++
    client.lastInteractionMs = engine.space.nowMs
    if (client.hasOwn) this.flush()
    if (this.closed) return
    try {
      if (this.queryLength === 0 && !client.stopped) this.process(bytes, 0, length)
      else {
        this.keep(bytes, 0, length)
        if (!client.stopped && !this.yields) this.processQuery()
      }
      this.finish()
    } catch (error) {
      this.failToServe(error)
    }
  }

  /** Libuv would go on with this socket alone, up to 2 MiB of requests. The others come first; this one goes on in the next turn. */
  filled(): void {
    if (!this.closed && !this.yields && !this.isFilling) this.rest()
  }

  private rest(): void {
    this.socket.pause()
    this.host.goOnLater(this)
  }

  /** In the turn after a rest: what is left of the requests, and then new ones. */
  goOn(): void {
    if (this.yields) this.resume()
    if (!this.yields && !this.closed) this.socket.resume()
  }

  /** An exception that no command answers for (call does for its handler): this connection ends, the data and the others stay. */
  private failToServe(error: unknown): void {
    this.lent = EMPTY
    this.engine.abandonBatch()
    this.fail(error, 'in serving')
  }

  resume(): void {
    this.yields = false
    if (this.closed || this.client.stopped) return
    if (this.client.hasOwn) this.flush()
    if (this.closed) return
    try {
      if (this.queryLength > 0) this.processQuery()
      this.finish()
    } catch (error) {
      this.failToServe(error)
    }
  }

  /** Parses and runs the kept bytes; what is left of them stays kept. */
  private processQuery(): void {
    const bytes = this.query
    const length = this.queryLength
    if (this.state.bulk >= 0 && length < this.state.needed()) return
    this.query = EMPTY
    this.queryLength = 0
    this.lent = bytes
    this.process(bytes, 0, length)
    this.lent = EMPTY
    if (this.query !== bytes) this.buffers.give(bytes)
  }
  /** The query buffer while it is being processed: it may become the query buffer again. */
  private lent: Uint8Array = EMPTY

  private process(bytes: Uint8Array, from: number, to: number): void {
    const { client, engine, state } = this
    const { parser, reply } = engine
    client.argv = parser.frame
    client.reply = reply
    reply.resp3 = client.resp === 3
    reply.limit = client.replyOff ? Number.POSITIVE_INFINITY : engine.limits.output.hardOf(client)
    let at = from
    let turnEndsUs = Number.POSITIVE_INFINITY
    while (at < to || state.argc >= 0) {
      const end = parser.parse(state, bytes, at, to, client.authenticated ? BATCH_MAX : 1, client.authenticated)
      const size = parser.size
      const fault = parser.fault
      if (size > 0) {
        const ran = runBatch(client)
        if (reply.full) {
          this.send()
          this.outbox.flush()
        }
        if (client.closing) return
        if (ran < size || client.stopped) {
          // The rest is parsed again: later when the client has to wait, else now.
          parser.restore()
          state.reset()
          if (ran > 0) at = parser.ends[ran - 1]
          if (client.stopped) return this.keep(bytes, at, to)
          continue
        }
      }
      if (fault !== '') return this.refuse(fault)
      at = end
      if (turnEndsUs === Number.POSITIVE_INFINITY) turnEndsUs = engine.tickUs + TURN_US
      else if (engine.tickUs > turnEndsUs && at < to && to - at <= LEFT_MAX) {
        // what is kept begins with a command of its own: no argument of the last one is awaited any more
        if (state.argc < 0) state.reset()
        this.yields = true
        this.rest()
        break
      }
      if (size === 0 || state.argc >= 0) break
    }
    if (at < to) this.keep(bytes, at, to)
  }

  /** A request that is no RESP: the error, and the end of the connection. */
  private refuse(fault: string): void {
    this.engine.log.verbose(`Protocol error (${fault}) from client ${this.client.id} ${this.address}`)
    if (!this.client.silent) this.engine.reply.error(`ERR Protocol error: ${fault}`)
    this.engine.stats.countErrors(1, 'ERR')
    this.client.closing = true
  }

  /** Appends bytes[from, to) to the query buffer, or takes `bytes` back as the query buffer when it was that. */
  private keep(bytes: Uint8Array, from: number, to: number): void {
    if (to <= from) return
    if (bytes === this.lent && this.queryLength === 0) {
      if (from > 0) bytes.copyWithin(0, from, to)
      this.query = bytes
      this.queryLength = to - from
      return
    }
    const length = this.queryLength + to - from
    const known = this.state.bulk >= BIG_BULK ? this.state.needed() : 0
    if (Math.max(length, known) > this.query.length) {
      const larger = this.buffers.take(known >= length ? known : Math.max(length, QUERY_START, this.query.length * 2))
      larger.set(this.query.subarray(0, this.queryLength))
      this.buffers.give(this.query)
      this.query = larger
    }
    this.query.set(bytes.subarray(from, to), this.queryLength)
    this.queryLength = length
    if (length > this.engine.limits.queryBuffer) this.tooLong()
  }

  private tooLong(): void {
    this.engine.stats.queryBufferDisconnections++
    this.engine.log.warning(`Closing client that reached max query buffer length: ${clientLine(this.client)}`)
    this.destroy()
  }

  /** The end of a read: sends the replies. */
  private finish(): void {
    this.send()
    if (!this.closed) this.engine.memory.account(this.client)
    if (this.client.closing) this.close()
  }

  /** Hands what the engine's writer has gathered to the outbox. */
  private send(): void {
    const { reply } = this.engine
    const length = reply.pos - reply.start
    if (length === 0 || this.closed) return reply.drop()
    if (reply.overflowed || (length > UNCOUNTED_BYTES && length + this.queuedBytes > reply.limit)) {
      reply.drop()
      return this.overflow()
    }
    this.outbox.add(this)
  }

  /** Sends bytes[from, to). False: the buffer belongs to the write until that ends. */
  write(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.closed) return true
    this.engine.stats.outputBytes += to - from
    this.engine.stats.writesProcessed++
    try {
      const done = this.socket.write(bytes, from, to)
      if (!this.socket.wentAtOnce) {
        this.checkOutput()
        if (!this.closed) this.engine.memory.account(this.client)
      }
      return done
    } catch (error) {
      // it must not stop the replies of the other connections
      this.fail(error, 'in sending to')
      return false
    }
  }

  private fail(error: unknown, where: string): void {
    this.engine.logBug(error, `${where} client ${this.client.id}`)
    this.destroy()
  }

  /** Ends a connection that does not read its replies, by client-output-buffer-limit. */
  checkOutput(): void {
    const { engine, client } = this
    const queued = this.queuedBytes
    const { hard, soft, softSeconds } = engine.limits.output.of(client)
    const nowMs = engine.space.nowMs
    if (soft === 0 || queued <= soft) this.softSinceMs = 0
    else if (this.softSinceMs === 0) this.softSinceMs = nowMs
    const softOver = this.softSinceMs !== 0 && nowMs - this.softSinceMs > softSeconds * 1000
    if (!this.closed && (softOver || (hard !== 0 && queued > hard))) this.overflow()
  }

  private overflow(): void {
    const { engine, client } = this
    engine.stats.outputBufferDisconnections++
    engine.log.warning(`Client ${clientLine(client)} scheduled to be closed ASAP for overcoming of output buffer limits.`)
    this.destroy()
  }

  flush(): void {
    const { client } = this
    if (client.hasOwn) {
      this.outbox.flush()
      this.writeOwn()
      if (!this.closed) this.engine.memory.account(client)
    }
    if (client.closing) this.close()
  }

  private writeOwn(): void {
    const { client } = this
    const { shared } = client
    if (client.ownLength > this.engine.limits.output.hardOf(client) + UNCOUNTED_BYTES) return this.overflow()
    if (shared !== null) {
      client.shared = null
      if (!this.write(shared.buf, client.sharedFrom, client.sharedTo)) shared.lent = true
      return
    }
    const { own } = client
    if (own.overflowed) this.overflow()
    else if (this.write(own.buf, 0, own.pos)) own.clear()
    else own.replace()
  }

  /** Reads no more, sends what is queued, ends. */
  private close(): void {
    if (this.closed) return
    this.outbox.flush()
    this.client.closing = true
    this.socket.end()
    this.linger()
  }

  /** The peer sends no more: it is no client any longer, but may still read what it has been answered. */
  peerEnded(): void {
    if (this.closed) return
    if (this.client.hasOwn) this.flush()
    this.outbox.flush()
    if (this.closed) return
    this.client.closing = true
    if (this.queuedBytes > 0) this.engine.removeClient(this.client)
    this.socket.end()
    this.linger()
  }

  /** Waits for the peer as long as it takes something now and then. */
  private linger(): void {
    if (this.closed || this.lingering !== null) return
    const taken = this.socket.takenBytes
    this.lingering = this.engine.clock.setTimer(LINGER_MS, () => {
      this.lingering = null
      if (this.socket.takenBytes > taken) this.linger()
      else this.destroy()
    })
    this.lingering.unref()
  }
  private lingering: Timer | null = null

  destroy(): void {
    if (this.closed) return
    this.closed = true
    if (this.lingering !== null) this.engine.clock.clearTimer(this.lingering)
    this.client.closing = true
    this.buffers.give(this.query)
    this.query = EMPTY
    this.queryLength = 0
    this.socket.destroy()
    this.host.forget(this)
    this.client.transport = null
    this.engine.removeClient(this.client)
  }
}
