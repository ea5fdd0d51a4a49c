/**
 * server: the composition root. It builds the parts of one server, registers command rows, option hooks and INFO
 * sections, and wires them together. It owns nothing else.
 */
import { COMMAND_GROUPS } from './commands/index.ts'
import type { Config } from './engine/config.ts'
import { Engine } from './engine/engine.ts'
import { registerInfo } from './engine/info-sections.ts'
import { Log, type LogLevel } from './engine/log.ts'
import { Listener } from './net/listener.ts'
import { addScripting, type Scripting } from './script/scripting.ts'
import type { Clock } from './util/clock.ts'
import { Random } from './util/random.ts'

export class Server {
  readonly config: Config
  readonly engine: Engine
  readonly log = new Log()
  readonly listener: Listener
  readonly scripting: Scripting
  /** Called when a client asked for SHUTDOWN; the owner of the process decides what that ends. */
  onShutdown: () => void = () => {}

  constructor(config: Config, clock: Clock) {
    this.config = config
    this.engine = new Engine({ clock, random: new Random(), config, log: this.log, databases: config.num('databases') })
    this.listener = new Listener(this.engine)
    this.scripting = addScripting(this.engine)
    for (const [group, rows] of COMMAND_GROUPS) this.engine.table.add(group, rows)
    this.applyOptions()
    registerInfo(this.engine)
    this.engine.shutdown = () => this.onShutdown()
  }

  /** Every option that acts: run now with its first value, and again when CONFIG SET changes it. */
  private applyOptions(): void {
    const { engine, config, listener, log, scripting } = this
    const apply = (name: string, act: () => void): void => {
      act()
      config.onApply(name, () => {
        act()
        return null
      })
    }
    apply('loglevel', () => {
      log.level = config.str('loglevel') as LogLevel
    })
    apply('logfile', () => {
      log.file = config.path('logfile')
    })
    apply('requirepass', () => engine.users.setPassword(config.str('requirepass')))
    apply('maxmemory', () => {
      const limit = config.num('maxmemory')
      engine.makeRoom = limit === 0 ? null : () => engine.mem.used <= limit
    })
    apply('maxmemory-policy', () => {
      engine.space.lfu = config.str('maxmemory-policy').includes('lfu')
    })
    apply('hz', () => {
      engine.cron.hz = config.num('hz')
    })
    apply('active-expire-effort', () => {
      engine.cron.expireEffort = config.num('active-expire-effort')
    })
    apply('notify-keyspace-events', () => engine.notifier.choose(config.str('notify-keyspace-events')))
    apply('tracking-table-max-keys', () => {
      engine.tracking.maxKeys = config.num('tracking-table-max-keys')
    })
    apply('maxclients', () => {
      listener.maxClients = config.num('maxclients')
    })
    apply('tcp-keepalive', () => {
      listener.keepAliveSeconds = config.num('tcp-keepalive')
    })
    apply('timeout', () => {
      engine.cron.idleTimeoutMs = config.num('timeout') * 1000
    })
    apply('client-query-buffer-limit', () => {
      engine.limits.queryBuffer = config.num('client-query-buffer-limit')
    })
    apply('stream-node-max-bytes', () => {
      engine.streamLimits.maxBytes = config.num('stream-node-max-bytes')
    })
    apply('stream-node-max-entries', () => {
      engine.streamLimits.maxEntries = config.num('stream-node-max-entries')
    })
    apply('proto-max-bulk-len', () => {
      engine.parser.maxBulk = config.num('proto-max-bulk-len')
    })
    apply('busy-reply-threshold', () => {
      scripting.thresholdMs = config.num('busy-reply-threshold')
    })
    apply('lazyfree-lazy-user-del', () => {
      engine.lazyUserDel = config.flag('lazyfree-lazy-user-del')
    })
    apply('lazyfree-lazy-server-del', () => {
      engine.lazyServerDel = config.flag('lazyfree-lazy-server-del')
    })
    apply('lazyfree-lazy-expire', () => {
      engine.lazyExpire = config.flag('lazyfree-lazy-expire')
    })
    apply('lazyfree-lazy-user-flush', () => {
      engine.lazyUserFlush = config.flag('lazyfree-lazy-user-flush')
    })
  }

  /** Listens on the configured port and addresses; resolves when it does. */
  async start(): Promise<void> {
    const host = this.config.list('bind').find((address) => !address.startsWith('-') && !address.includes(':')) ?? '127.0.0.1'
    await this.listener.listen({
      port: this.config.num('port'),
      host: host === '*' ? '0.0.0.0' : host,
      backlog: this.config.num('tcp-backlog'),
    })
    this.engine.cron.start()
  }

  /** Closes connections and sockets and stops every timer. */
  async stop(): Promise<void> {
    this.engine.cron.stop()
    await this.listener.close()
  }
}
