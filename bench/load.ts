/** Fills a server: commands in large pipelines, two of them under way at a time. An error reply ends it. */
import net from 'node:net'
import RedisParser from 'redis-parser'
import { type Argument, encodePipeline } from '../test/support/resp.ts'

export type Command = readonly Argument[]

const BATCH = 500

/** A connection that only counts replies. */
export class Loader {
  private readonly socket: net.Socket
  private waiting = 0
  private failure: Error | null = null
  private wanted = 0
  private settle: (() => void) | null = null

  private constructor(socket: net.Socket) {
    this.socket = socket
    const parser = new RedisParser({
      returnReply: () => this.replied(),
      returnError: (error) => this.fail(error),
      returnFatalError: (error) => this.fail(error),
      returnBuffers: true,
    })
    socket.on('data', (chunk) => parser.execute(chunk))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail(new Error('the server closed the connection')))
  }

  static open(port: number): Promise<Loader> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new Loader(socket)))
    })
  }

  /** Sends all commands and waits for all replies. */
  async load(commands: Iterable<Command>): Promise<void> {
    let batch: Command[] = []
    const send = async () => {
      this.socket.write(encodePipeline(batch))
      this.waiting += batch.length
      batch = []
      await this.atMost(BATCH)
    }
    for (const command of commands) if (batch.push(command) === BATCH) await send()
    await send()
    await this.atMost(0)
  }

  close(): void {
    this.settle = null
    this.socket.destroy()
  }

  /** Resolves when no more than this many replies are out. */
  private async atMost(replies: number): Promise<void> {
    if (this.waiting > replies && this.failure === null) {
      this.wanted = replies
      await new Promise<void>((resolve) => {
        this.settle = resolve
      })
    }
    if (this.failure !== null) throw this.failure
  }

  private replied(): void {
    if (--this.waiting > this.wanted || this.settle === null) return
    const settle = this.settle
    this.settle = null
    settle()
  }

  private fail(error: Error): void {
    this.failure ??= error
    this.settle?.()
  }
}

/** A number as redis-benchmark writes __rand_int__. */
export const padded = (n: number): string => String(n).padStart(12, '0')
