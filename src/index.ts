/**
 * respd inside another program: `const server = await createServer()`, above all in tests.
 *
 * Nothing is compiled or downloaded, several servers may live in one process, and each is gone when it is closed.
 */
import { Config } from './engine/config.ts'
import { Server } from './server.ts'
import { type Clock, ManualClock, SystemClock } from './util/clock.ts'

/** Options of redis.conf by name (`maxmemory: '100mb'`), and what only a program can say. */
export interface ServerOptions {
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number
  /** Addresses to listen on, separated by spaces. Default: 127.0.0.1. */
  readonly bind?: string
  /** `system`, the default, or `manual`: the server's time stands still until `server.clock.advance(ms)`. */
  readonly clock?: 'system' | 'manual'
  /** Number of databases. Default: 16. */
  readonly databases?: number
  readonly requirepass?: string
  /** Bytes, or a number with a unit: `100mb`. */
  readonly maxmemory?: number | string
  readonly 'maxmemory-policy'?: string
  readonly [option: string]: string | number | boolean | undefined
}

/** A clock that a test moves. Only with `clock: 'manual'`; a system clock refuses. */
export interface ServerClock {
  /** Milliseconds since 1970, as the server sees them. */
  nowMs(): number
  /** Moves the time forward by `ms`; keys expire and timeouts fire on the way. */
  advance(ms: number): void
}

export interface RespdServer {
  /** The port it listens on. */
  readonly port: number
  readonly address: string
  /** For any client: `redis://127.0.0.1:PORT`, with the password when there is one. */
  readonly url: string
  readonly clock: ServerClock
  /** Deletes every key of every database. */
  flush(): void
  /** Ends connections and timers; resolves when the port is free and no handle is left. May be called again. */
  close(): Promise<void>
}

/** Starts a server; resolves when it accepts connections, rejects when it cannot listen or an option is wrong. */
export async function createServer(options: ServerOptions = {}): Promise<RespdServer> {
  const config = new Config()
  const { clock: clockKind = 'system', ...settings } = options
  load(config, { port: 0, bind: '127.0.0.1', loglevel: 'nothing', ...settings })
  const clock = clockKind === 'manual' ? new ManualClock(Date.now()) : new SystemClock()
  const server = new Server(config, clock)
  server.anyPort = config.num('port') === 0
  await server.start()
  return new Embedded(server, clock)
}

function load(config: Config, settings: Record<string, string | number | boolean | undefined>): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
    const reason = config.loadOption(name, name === 'bind' || name === 'save' ? text.split(' ') : [text])
    if (reason === undefined) throw new TypeError(`respd has no option '${name}'`)
    if (reason !== null) throw new TypeError(`option '${name}': ${reason}`)
  }
}

class Embedded implements RespdServer {
  readonly port: number
  readonly address: string
  readonly url: string
  readonly clock: ServerClock
  private readonly server: Server
  private closing: Promise<void> | null = null

  constructor(server: Server, clock: Clock) {
    this.server = server
    const address = server.listener.address
    this.port = typeof address === 'object' && address !== null ? address.port : 0
    this.address = typeof address === 'object' && address !== null ? address.address : '127.0.0.1'
    const password = server.config.str('requirepass')
    const host = this.address.includes(':') ? `[${this.address}]` : this.address
    this.url = `redis://${password === '' ? '' : `:${encodeURIComponent(password)}@`}${host}:${this.port}`
    this.clock = {
      nowMs: () => clock.nowMs(),
      advance: (ms) => {
        if (!(clock instanceof ManualClock)) throw new TypeError("advance needs createServer({ clock: 'manual' })")
        clock.advance(ms)
      },
    }
    server.onShutdown = () => void this.close()
  }

  flush(): void {
    this.server.engine.flushAll()
  }

  close(): Promise<void> {
    this.closing ??= this.server.stop()
    return this.closing
  }
}
