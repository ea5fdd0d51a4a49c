/** A client that asks for keys in a pipeline, sets what is missing and counts what was there. */
import net from 'node:net'
import RedisParser from 'redis-parser'
import { type Argument, encodePipeline } from '../test/support/resp.ts'
import { padded } from './load.ts'

const VALUE = 'v'.repeat(100)

export class HitCounter {
  private readonly socket: net.Socket
  /** What keys have to live; 0: for ever. */
  private readonly seconds: number
  private replies: unknown[] = []
  private settle: () => void = () => {}
  private failure: Error | null = null
  private wanted = 0
  hits = 0

  private constructor(socket: net.Socket, seconds: number) {
    this.socket = socket
    this.seconds = seconds
    const parser = new RedisParser({
      returnReply: (reply) => this.receive(reply),
      returnError: (error) => this.fail(error),
      returnFatalError: (error) => this.fail(error),
    })
    socket.on('data', (chunk) => parser.execute(chunk))
    socket.on('error', (error) => this.fail(error))
  }

  static open(port: number, seconds: number): Promise<HitCounter> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new HitCounter(socket, seconds)))
    })
  }

  async set(keys: readonly number[]): Promise<void> {
    await this.ask(keys.map((key) => this.write(key)))
  }

  /** Bytes that the server uses now. */
  async used(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(String((await this.ask([['INFO', 'memory']]))[0]))?.[1])
  }

  /** Sets maxmemory and its policy, and empties the server. */
  async limit(bytes: number, policy: string): Promise<void> {
    await this.ask([['CONFIG', 'SET', 'maxmemory', bytes], ['CONFIG', 'SET', 'maxmemory-policy', policy], ['FLUSHALL']])
  }

  async size(): Promise<number> {
    return Number((await this.ask([['DBSIZE']]))[0])
  }

  /** Asks for these keys, counts those that are there and sets the others. */
  async get(keys: readonly number[]): Promise<void> {
    const found = await this.ask(keys.map((key) => ['GET', name(key)]))
    const missing = keys.filter((_, i) => found[i] === null)
    this.hits += keys.length - missing.length
    await this.set(missing)
  }

  close(): void {
    this.socket.destroy()
  }

  private write(key: number): Argument[] {
    return this.seconds === 0 ? ['SET', name(key), VALUE] : ['SET', name(key), VALUE, 'EX', this.seconds]
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
