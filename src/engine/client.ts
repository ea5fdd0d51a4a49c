/**
 * client: one user of the server, a connection or a stand-in (a script, a replayed file), as the commands see it.
 */
import type { Db } from '../keyspace/db.ts'
import type { Arena } from '../memory/arena.ts'
import { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import type { Engine } from './engine.ts'
import type { MessageLog } from './message-log.ts'
import type { Transaction } from './multi.ts'
import { UNCOUNTED_BYTES } from './output-limits.ts'
import { TO_ALL } from './propagate.ts'
import type { Subscriptions } from './pubsub.ts'
import type { Command } from './table.ts'
import type { TrackingState } from './tracking.ts'
import type { WatchedKey } from './watch.ts'

/** What a client needs of its connection. Stand-ins have none. */
export interface Transport {
  /** Bytes written and not yet taken by the peer. */
  readonly queuedBytes: number
  /** Writes the peer has not taken. */
  readonly queuedWrites: number
  /** Bytes of unfinished commands, and the size of the buffer they are in. */
  readonly queryBytes: number
  readonly queryCapacity: number
  /** Bytes of the read whose commands run. */
  readonly readBytes: number
  /** The system's number of the socket; -1 when it is not known. */
  readonly fd: number
  /** Whether it came through a Unix socket. */
  readonly isUnix: boolean
  /** `ip:port` or the path of a unix socket, for CLIENT LIST. */
  readonly address: string
  readonly localAddress: string
  /** Whether the peer is this machine. */
  readonly isLocal: boolean
  /** Sends the client's own writer (`own`) and closes when the client asked for it. */
  flush(): void
  /** Goes on with the requests that were kept while the client was blocked or paused. */
  resume(): void
  /** Ends the connection at once; what is queued is lost. */
  destroy(): void
}

export class Client {
  readonly id: number
  readonly engine: Engine
  readonly mem: Arena
  transport: Transport | null = null
  db: Db
  /** The arguments of the command that runs. */
  argv: Frame
  /** Where the running command writes its reply. */
  reply: Reply
  /** Protocol version, 2 or 3. */
  resp: 2 | 3 = 2
  /** The command that runs, or ran last. */
  command: Command | null = null
  name = ''
  libName = ''
  libVersion = ''
  user = 'default'
  authenticated: boolean
  readonly createdMs: number
  lastInteractionMs: number
  commandsRun = 0
  /** Bytes it takes, when last measured; see maxmemory.ts. */
  accountedBytes = 0
  /** Arguments that are secrets, of the command with this number. */
  private redactedAt = -1
  private readonly redactedArgs: number[] = []

  /** Nothing more is read from it; the connection closes once its replies are out. */
  closing = false
  /** Waits for a key, a timeout or a wake-up; its further requests wait too. */
  blocked = false
  /** Its requests wait until CLIENT UNPAUSE. */
  paused = false
  noTouch = false
  noEvict = false
  /** CLIENT REPLY: replies are dropped for good, or for the next command. */
  replyOff = false
  skipReply = 0
  /** Its command has heeded CLIENT REPLY itself. */
  repliesSettled = false
  monitor = false
  /** A stand-in of the server's own (a loader, a primary): not limited, not counted. */
  internal = false
  /** A stand-in that runs the commands of scripts: limited as any other, but nothing blocks it. */
  script = false

  /** Who hears of its changes: bits of propagate.ts. Scripts may narrow it. */
  propagates = TO_ALL

  /** The commands queued since MULTI; null outside a transaction. */
  multi: Transaction | null = null
  /** Runs the commands of its transaction: nothing blocks. */
  inExec = false
  /** The rest of a transaction that waits for the end of a slow script in it. */
  unfinished: (() => void) | null = null
  /** A queueing error: EXEC must fail. */
  multiBroken = false
  /** A watched key changed: EXEC answers nil. */
  watchBroken = false
  /** Watched keys, see watch.ts. */
  watched: WatchedKey[] = []
  /** Channels, patterns and shard channels it is subscribed to. */
  subscriptions = 0
  /** Which they are; null when it never had any. */
  pubsub: Subscriptions | null = null
  /** How its reads are tracked for client-side caching; null when they are not. */
  tracking: TrackingState | null = null

  /** Stands in the engine's list of clients with something to send. */
  woken = false

  /** Its messages of this turn, while they are a run of a log that others share; see message-log.ts. */
  shared: MessageLog | null = null
  sharedFrom = 0
  sharedTo = 0

  /** Messages and late replies: what reaches the client outside its own running command. */
  private ownReply: Reply | null = null
  /** Messages that its own running command brought about. */
  private lateReply: Reply | null = null

  constructor(engine: Engine, id: number) {
    this.id = id
    this.engine = engine
    this.mem = engine.mem
    this.db = engine.space.dbs[0]
    this.argv = engine.parser.frame
    this.reply = engine.reply
    this.authenticated = !engine.authRequired
    this.createdMs = engine.clock.nowMs()
    this.lastInteractionMs = this.createdMs
  }

  /** Whether its requests must wait, or are not wanted any more. */
  get stopped(): boolean {
    return this.blocked || this.closing || this.paused
  }

  /** Whether CLIENT REPLY takes the reply away that is being written. */
  get silent(): boolean {
    return this.replyOff || this.skipReply === 1
  }

  /** The writer for what is not a reply to the running command; the caller then calls engine.wake(client). */
  get own(): Reply {
    if (this.ownReply === null) this.ownReply = new Reply(512)
    this.ownReply.resp3 = this.resp === 3
    this.ownReply.limit = this.engine.limits.output.hardOf(this) + UNCOUNTED_BYTES
    if (this.shared !== null) this.unshare(this.ownReply)
    return this.ownReply
  }

  private unshare(own: Reply): void {
    if (this.shared !== null) own.raw(this.shared.buf, this.sharedFrom, this.sharedTo - this.sharedFrom)
    this.shared = null
  }

  get ownLength(): number {
    const pos = this.ownReply === null ? 0 : this.ownReply.pos
    return this.shared === null ? pos : this.sharedTo - this.sharedFrom
  }

  get ownCapacity(): number {
    return this.ownReply?.buf.length ?? 0
  }

  get hasOwn(): boolean {
    return this.shared !== null || (this.ownReply !== null && this.ownReply.pos > 0)
  }

  /**
   * The writer for messages (pub/sub, invalidations): like `own`, but what comes up while the client's own command runs follows its
   * reply (before and after it runs, nothing is in the way). The caller then calls engine.wake(client).
   */
  get messages(): Reply {
    if (this.engine.current !== this) return this.own
    if (this.engine.depth === 0) return this.reply
    if (this.lateReply === null) this.lateReply = new Reply(512)
    this.lateReply.resp3 = this.resp === 3
    return this.lateReply
  }

  /** Puts the messages that came up meanwhile behind the reply of the command that has ended. */
  settleMessages(): void {
    const late = this.lateReply
    if (late === null || late.pos === 0) return
    this.reply.raw(late.buf, 0, late.pos)
    late.clear()
  }

  /** Keeps an argument of the running command out of logs, SLOWLOG and MONITOR: it is a secret. */
  redact(arg: number): void {
    if (this.redactedAt !== this.commandsRun) this.redactedArgs.length = 0
    this.redactedAt = this.commandsRun
    this.redactedArgs.push(arg)
  }

  /** Whether the command that just ran called an argument of it a secret. */
  isRedacted(arg: number): boolean {
    return this.redactedAt === this.commandsRun - 1 && this.redactedArgs.includes(arg)
  }

  /** Counts changes to the data set. */
  dirty(count: number): void {
    this.engine.space.dirty += count
  }
}
