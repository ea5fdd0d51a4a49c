/** A client that asks for keys in pipelines, sets what is missing and counts what was there. */
import net from 'node:net'
import RedisParser from 'redis-parser'
import { type Argument, encodePipeline } from '../test/support/resp.ts'
import { padded } from './load.ts'

const BATCH = 20
const VALUE = 'v'.repeat(100)

export class HitCounter {
  private readonly socket: net.Socket
  /** Seconds to live of a key, by its number; null: keys live for ever. */
  private readonly expiry: ((key: number) => number) | null
  private replies: unknown[] = []
  private settle: () => void = () => {}
  private failure: Error | null = null
  private wanted = 0

  private constructor(socket: net.Socket, expiry: ((key: number) => number) | null) {
    this.socket = socket
    this.expiry = expiry
    const parser = new RedisParser({
      returnReply: (reply) => this.receive(reply),
      returnError: (error) => this.fail(error),
      returnFatalError: (error) => this.fail(error),
    })
    socket.on('data', (chunk) => parser.execute(chunk))
    socket.on('error', (error) => this.fail(error))
  }

  static open(port: number, expiry: ((key: number) => number) | null): Promise<HitCounter> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new HitCounter(socket, expiry)))
    })
  }

  /** Limits the memory of an empty server to what `keys` keys take. */
  async limit(keys: number, policy: string): Promise<void> {
    for (let i = 0; i < keys; i += 500) await this.ask(Array.from({ length: Math.min(500, keys - i) }, (_, j) => this.write(i + j)))
    const [info] = await this.ask([['INFO', 'memory']])
    const used = /used_memory:(\d+)/.exec(String(info))?.[1] ?? ''
    await this.ask([['CONFIG', 'SET', 'maxmemory', used], ['CONFIG', 'SET', 'maxmemory-policy', policy], ['FLUSHALL']])
  }

  /** The share of these keys that was there when they were asked for. */
  async run(keys: Iterable<number>): Promise<number> {
    let hits = 0
    let asked = 0
    let batch: number[] = []
    const send = async (): Promise<void> => {
      const found = await this.ask(batch.map((key) => ['GET', name(key)]))
      const missing = batch.filter((_, i) => found[i] === null)
      hits += batch.length - missing.length
      asked += batch.length
      batch = []
      if (missing.length > 0) await this.ask(missing.map((key) => this.write(key)))
    }
    for (const key of keys) if (batch.push(key) === BATCH) await send()
    await send()
    return hits / asked
  }

  close(): void {
    this.socket.destroy()
  }

  private write(key: number): Argument[] {
    return this.expiry === null ? ['SET', name(key), VALUE] : ['SET', name(key), VALUE, 'EX', this.expiry(key)]
  }

  private async ask(commands: readonly (readonly Argument[])[]): Promise<unknown[]> {
    if (commands.length === 0) return []
    this.replies = []
    this.wanted = commands.length
    this.socket.write(encodePipeline(commands))
    await new Promise<void>((resolve) => {
      this.settle = resolve
    })
    if (this.failure !== null) throw this.failure
    return this.replies
  }

  private receive(reply: unknown): void {
    if (this.replies.push(reply) === this.wanted) this.settle()
  }

  private fail(error: Error): void {
    this.failure ??= error
    this.settle()
  }
}

const name = (key: number): string => `k:${padded(key)}`
