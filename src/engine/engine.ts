/**
 * engine: the parts that run commands, for one server. It holds them together and decides nothing itself; see
 * dispatch.ts for the way of a command.
 */
import { randomBytes } from 'node:crypto'
import { Keyspace } from '../keyspace/keyspace.ts'
import { Arena } from '../memory/arena.ts'
import { RequestParser } from '../resp/parser.ts'
import { Reply } from '../resp/reply.ts'
import type { Clock } from '../util/clock.ts'
import type { Random } from '../util/random.ts'
import { BlockedClients } from './block.ts'
import { Client } from './client.ts'
import type { Config } from './config.ts'
import { Cron } from './cron.ts'
import { Encodings } from './encodings.ts'
import { FAST, SKIP_SLOWLOG } from './flags.ts'
import { HotKeys } from './hotkeys.ts'
import { InfoSections } from './info.ts'
import { LatencyMonitor } from './latency.ts'
import type { Log } from './log.ts'
import { Notifier } from './notify.ts'
import { Propagation } from './propagate.ts'
import { PubSub } from './pubsub.ts'
import { MemoryLimit } from './maxmemory.ts'
import { Monitors } from './monitors.ts'
import { OutputLimits } from './output-limits.ts'
import { Pause } from './pause.ts'
import { SlowLog } from './slowlog.ts'
import { Stats } from './stats.ts'
import { type Command, CommandTable } from './table.ts'
import { Tracking } from './tracking.ts'
import { Users } from './users.ts'
import { WatchedKeys } from './watch.ts'

/** Most commands of a run. */
const RUN_MAX = 8
/** Runs are for servers that notice nothing shorter than this. */
const RUN_NOTICE_US = 1000

export interface EngineOptions {
  readonly clock: Clock
  readonly random: Random
  readonly config: Config
  readonly log: Log
  readonly databases: number
}

export class Engine {
  readonly mem: Arena
  readonly clock: Clock
  readonly random: Random
  readonly config: Config
  /** Sizes up to which collections stay compact. */
  readonly encodings = new Encodings()
  readonly log: Log
  readonly space: Keyspace
  readonly table = new CommandTable()
  readonly parser = new RequestParser()
  /** The writer of the client whose requests are being served. */
  readonly reply = new Reply()
  readonly stats: Stats
  readonly info = new InfoSections()
  readonly watch: WatchedKeys
  /** The way of changes to whoever keeps or copies the data set. */
  readonly propagate: Propagation
  /** Clients that wait for keys. */
  readonly blocked: BlockedClients
  readonly pubsub: PubSub
  readonly notifier: Notifier
  readonly tracking: Tracking
  readonly cron: Cron
  readonly users = new Users()
  /** Names this run of the server: 40 hexadecimal digits. */
  readonly runId: string
  /** The configuration file the server was started with; '' when there was none. */
  configFile = ''
  /** Names the history of this data set, for replicas. */
  replId: string
  readonly clients = new Map<number, Client>()
  /** The client whose command runs; null between commands. */
  current: Client | null = null
  /** The client whose batch of requests is run. */
  batchOf: Client | null = null
  /** When the monotonic clock was last read, in microseconds: the start of the command or run that is being timed. */
  tickUs = 0
  /** Commands that ended since then, all of the one that runs; see dispatch.ts, "runs". */
  untimed = 0
  /** Whether the command that runs may end without a reading of the clock, because its like follows. */
  inRun = false
  /** When the wall clock was last read for a command, on the same clock. */
  clockUs = 0
  /** Depth of nested calls: 0 top level, more inside EXEC and scripts. */
  depth = 0
  /** Something waits for the end of the running command: ready keys, pushes. */
  attention = false
  /** What to do then, in order; each clears what it served. */
  readonly afterCommand: (() => void)[] = []
  /**
   * Frees memory down to maxmemory before a command runs; false when it cannot and the command must be refused if it
   * needs memory. Null while there is no limit.
   */
  makeRoom: (() => boolean) | null = null
  /** Why nobody may write; null while everybody may. */
  writesRefused: string | null = null
  /** The flags of a command that runs a script, by what that script says of itself. */
  scriptFlags: ((c: Client, command: Command) => number) | null = null
  /**
   * Further conditions a command must meet, in order: the error that refuses it, '' when the gate has dealt with it, null
   * to pass. `flags` are the command's; those of EXEC include WRITE, DENYOOM and MAY_REPLICATE when its queue has them.
   */
  readonly gates: ((c: Client, command: Command, flags: number) => string | null)[] = []
  /** Whether the gates are to be asked about everybody's commands, not only about those of clients with subscriptions. */
  guarded = false
  /** Sees every command that ran, with its duration in microseconds and the bytes of its reply: slow log, monitors, latency. */
  readonly observers: ((c: Client, usec: number, replyBytes: number) => void)[] = []
  /** The lazyfree-lazy-* options: whether big values are freed in the background. */
  lazyUserDel = false
  lazyServerDel = false
  lazyExpire = false
  lazyUserFlush = false
  /** stream-node-max-bytes and stream-node-max-entries; 0 is no limit. */
  readonly streamLimits = { maxBytes: 4096, maxEntries: 100 }
  /** Commands that took so many microseconds or more are noticed: by the slow log, by the latency monitor. */
  noticeUs = Number.POSITIVE_INFINITY
  slowUs = Number.POSITIVE_INFINITY
  /** Whether the time of every command is counted. */
  latencyTracking = true
  readonly slowlog: SlowLog
  readonly latency: LatencyMonitor
  readonly monitors: Monitors
  readonly pause: Pause
  /** What memory is used, and the limits on it. */
  readonly memory: MemoryLimit
  readonly hotkeys: HotKeys
  /** Limits of one client, in bytes. */
  readonly limits = { queryBuffer: 1 << 30, output: new OutputLimits() }
  /** DEBUG SET-SKIP-CHECKSUM-VALIDATION: serialised values are taken whatever their checksum says. */
  skipChecksums = false
  /** Ends the server; set by the composition root. */
  shutdown: (() => void) | null = null

  /** What to do when the reads of a turn of the event loop have been served, before the messages of that turn are sent. */
  readonly endOfTurn: (() => void)[] = []

  /** Clients with something in their own writer, to be sent at the end of the turn. */
  private woken: Client[] = []
  private turnEnds = false
  private readonly endTurn = (): void => {
    this.turnEnds = false
    this.flushWoken()
  }
  private nextClientId = 1

  constructor(options: EngineOptions) {
    this.clock = options.clock
    this.random = options.random
    this.config = options.config
    this.log = options.log
    this.runId = randomBytes(20).toString('hex')
    this.replId = randomBytes(20).toString('hex')
    this.mem = new Arena(this.random.nextUint32(), this.random.nextUint32())
    this.space = new Keyspace(this.mem, this.clock, this.random, options.databases)
    this.stats = new Stats(this.clock)
    this.watch = new WatchedKeys(this.space)
    // First after a command: changes leave before clients that waited for them make others.
    this.propagate = new Propagation(this)
    this.blocked = new BlockedClients(this)
    this.pubsub = new PubSub(this)
    this.notifier = new Notifier(this.space, this.pubsub)
    this.cron = new Cron(this)
    this.tracking = new Tracking(this)
    this.slowlog = new SlowLog(options.config)
    this.latency = new LatencyMonitor(this.clock)
    this.monitors = new Monitors(this)
    this.pause = new Pause(this)
    this.memory = new MemoryLimit(this)
    this.hotkeys = new HotKeys(this)
  }

  /** Whether new clients must authenticate first. */
  get authRequired(): boolean {
    return this.users.passwordRequired
  }

  /** Whether another command may join the run; see dispatch.ts. */
  get mayRun(): boolean {
    return this.untimed < RUN_MAX - 1 && this.noticeUs >= RUN_NOTICE_US && this.observers.length === 0
  }

  /** Hexadecimal digits that nobody can guess. */
  secret(digits: number): string {
    return randomBytes(Math.ceil(digits / 2))
      .toString('hex')
      .slice(0, digits)
  }

  changeReplId(): void {
    this.replId = this.secret(40)
  }

  /** Notes a command that took long. */
  notice(c: Client, command: Command, usec: number): void {
    if (usec >= this.slowUs && (command.flags & SKIP_SLOWLOG) === 0) this.slowlog.add(c, usec)
    this.latency.add((command.flags & FAST) === 0 ? 'command' : 'fast-command', usec)
  }

  /** Sets when a command is noticed: from so many microseconds on for the slow log (negative: never), milliseconds for LATENCY (0: never). */
  setNotice(slowUs: number, latencyMs: number): void {
    this.slowUs = slowUs < 0 ? Number.POSITIVE_INFINITY : slowUs
    this.latency.thresholdMs = latencyMs
    this.noticeUs = Math.min(this.slowUs, latencyMs === 0 ? Number.POSITIVE_INFINITY : latencyMs * 1000)
  }

  addClient(): Client {
    const client = new Client(this, this.nextClientId++)
    this.clients.set(client.id, client)
    return client
  }

  /** Forgets a client that is gone. */
  removeClient(c: Client): void {
    this.clients.delete(c.id)
    this.watch.unwatchAll(c)
    for (const leave of this.onRemove) leave(c)
  }
  /** Called by RESET. */
  readonly onReset: ((c: Client) => void)[] = []
  /** Called when a client is gone: subscriptions, blocking, tracking. */
  readonly onRemove: ((c: Client) => void)[] = []

  /** Whether an option whose values are no, local and yes allows something to the client that runs a command. */
  allows(option: string): boolean {
    const rule = this.config.str(option)
    if (rule === 'local') return this.current?.transport?.isLocal ?? true
    return rule === 'yes'
  }

  /** Whether DEBUG or MODULE may run. */
  allowProtected(name: string): boolean {
    return this.allows(name.startsWith('debug') ? 'enable-debug-command' : 'enable-module-command')
  }

  protectedError(name: string): string {
    const word = name.startsWith('debug') ? 'DEBUG' : 'MODULE'
    return `ERR ${word} command not allowed. If the enable-${word.toLowerCase()}-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.`
  }

  /** Notes that the client has something in its own writer: it is sent at the end of this turn of the event loop. */
  wake(c: Client): void {
    if (c === this.current) this.attention = true
    if (!c.woken) {
      c.woken = true
      this.woken.push(c)
    }
    this.scheduleEndOfTurn()
  }

  /** One write per client and turn, however many requests caused it: so what is for others waits for the end of the turn. */
  scheduleEndOfTurn(): void {
    if (this.turnEnds) return
    this.turnEnds = true
    setImmediate(this.endTurn)
  }

  /** Deletes every key of every database at once. */
  flushAll(): void {
    const { dbs, hooks } = this.space
    for (const flushed of hooks.flushed) flushed(dbs)
    for (const db of dbs) this.space.dirty += db.flush(false)
    this.propagate.also(dbs[0]).word('FLUSHALL')
    this.propagate.flush()
  }

  /** Sends what has been written for clients other than the one being served. A bug in one thing that is due must not stop the others. */
  flushWoken(): void {
    for (const end of this.endOfTurn) {
      try {
        end()
      } catch (error) {
        this.logBug(error)
      }
    }
    const woken = this.woken
    if (woken.length === 0) return
    this.woken = []
    for (const c of woken) {
      c.woken = false
      try {
        c.transport?.flush()
      } catch (error) {
        this.logBug(error)
        c.transport?.destroy()
      }
      // its bytes are about to be written over
      if (c.transport === null) c.shared = null
    }
    if (this.woken.length === 0) this.pubsub.endTurn()
    // what was just queued for them can be too much, and must not wait for the next turn's requests
    this.memory.closeLargest()
  }

  /** An exception is a bug of ours: the log gets it in full. */
  logBug(error: unknown, where = 'at the end of a turn'): void {
    this.log.warning(`A bug ${where}: ${error instanceof Error ? error.stack : String(error)}`)
  }

  /** Puts an end to the batch in which an exception was thrown. */
  abandonBatch(): void {
    this.current = null
    this.batchOf = null
    this.depth = 0
    this.inRun = false
    this.untimed = 0
    this.reply.drop()
  }
}
