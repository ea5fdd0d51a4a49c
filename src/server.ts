/**
 * server: the composition root. It builds the parts of one server, registers command rows, option hooks and INFO
 * sections, and wires them together. It owns nothing else.
 */
import { COMMAND_GROUPS } from './commands/index.ts'
import type { Config } from './engine/config.ts'
import { Engine } from './engine/engine.ts'
import { registerInfo } from './engine/info-sections.ts'
import { Log } from './engine/log.ts'
import { Listener } from './net/listener.ts'
import { applyOptions, placeOf } from './server-options.ts'
import { addScripting, type Scripting } from './script/scripting.ts'
import type { Clock } from './util/clock.ts'
import { Random } from './util/random.ts'

export class Server {
  readonly config: Config
  readonly engine: Engine
  readonly log = new Log()
  readonly listener: Listener
  readonly scripting: Scripting
  /** Whether port 0 means a free port (embedded) instead of none. */
  anyPort = false
  /** Called when a client asked for SHUTDOWN; the owner of the process decides what that ends. */
  onShutdown: () => void = () => {}

  constructor(config: Config, clock: Clock) {
    this.config = config
    this.engine = new Engine({ clock, random: new Random(), config, log: this.log, databases: config.num('databases') })
    this.listener = new Listener(this.engine)
    // First: the order of INFO's sections is the one in which they are registered.
    registerInfo(this.engine)
    this.scripting = addScripting(this.engine)
    for (const [group, rows] of COMMAND_GROUPS) this.engine.table.add(group, rows)
    applyOptions(this)
    this.engine.shutdown = () => this.onShutdown()
  }

  /** Listens on the configured port and addresses; resolves when it does. */
  async start(): Promise<void> {
    await this.listener.listen(placeOf(this.config, this.anyPort))
    this.engine.stats.startMemory = this.engine.mem.used
    this.engine.cron.jobs.push(() => this.listener.checkOutputs())
    this.engine.cron.start()
  }

  /** Closes connections and sockets and stops every timer. */
  async stop(): Promise<void> {
    this.scripting.slow.abandon()
    this.engine.cron.stop()
    await this.listener.close()
  }
}
