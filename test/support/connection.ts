/** A client connection for tests: pipelines, raw bytes both ways, pushes, and the question whether the server stays quiet. */
import net from 'node:net'
import { type Argument, encodeCommand, encodePipeline, type Plain, parseReply, plain, type Reply, ReplySplitter, show } from './resp.ts'

export type Protocol = 2 | 3
export type Address = { port: number; host?: string } | { path: string }

const REPLY_TIMEOUT_MS = 10_000

export class Connection {
  /** Push messages that `call` met while it waited for its reply. */
  readonly pushes: Reply[] = []
  /** True once the server has closed the connection. */
  closed = false
  readonly socket: net.Socket
  readonly #splitter = new ReplySplitter()
  readonly #replies: Buffer[] = []
  #failure: Error | undefined
  #wake: (() => void) | undefined

  private constructor(socket: net.Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => {
      this.closed = true
      this.#wake?.()
    })
  }

  /** Connects, and says HELLO 3 when asked for RESP3. */
  static async open(address: Address, protocol: Protocol = 2): Promise<Connection> {
    const socket = net.connect('path' in address ? address : { host: '127.0.0.1', ...address })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    const connection = new Connection(socket)
    if (protocol === 3) {
      const hello = await connection.call('HELLO', 3)
      if (hello.type !== 'map') throw new Error(`HELLO 3 was answered with ${JSON.stringify(hello)}`)
    }
    return connection
  }

  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Sends one command without waiting for its reply. */
  send(...args: Argument[]): void {
    this.write(encodeCommand(args))
  }

  /** Sends one command and returns its reply; pushes that come first go to `pushes`. */
  async call(...args: Argument[]): Promise<Reply> {
    this.send(...args)
    for (;;) {
      const reply = await this.read()
      if (reply.type !== 'push') return reply
      this.pushes.push(reply)
    }
  }

  /** `call`, as plain JavaScript values; an error reply is thrown. */
  async get(...args: Argument[]): Promise<Plain> {
    const value = plain(await this.call(...args))
    if (value instanceof Error) throw value
    return value
  }

  /** Sends the commands in one write and returns the exact bytes of each reply. */
  async pipeline(commands: readonly (readonly Argument[])[]): Promise<Buffer[]> {
    this.write(encodePipeline(commands))
    const replies: Buffer[] = []
    for (let i = 0; i < commands.length; i++) replies.push(await this.readRaw())
    return replies
  }

  /** The next message from the server, be it reply or push. */
  async read(timeoutMs = REPLY_TIMEOUT_MS): Promise<Reply> {
    return parseReply(await this.readRaw(timeoutMs))
  }

  /** The next message's exact bytes. */
  async readRaw(timeoutMs = REPLY_TIMEOUT_MS): Promise<Buffer> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const reply = this.#replies.shift()
      if (reply) return reply
      if (this.#failure) throw this.#failure
      if (this.closed) throw new Error('the server closed the connection')
      if (!(await this.#sleep(deadline))) throw new Error(`no reply within ${timeoutMs} ms, only ${show(this.#splitter.rest)}`)
    }
  }

  /** True when nothing arrives for `ms` milliseconds. */
  async quiet(ms: number): Promise<boolean> {
    const deadline = Date.now() + ms
    while (this.#replies.length === 0 && !this.closed) if (!(await this.#sleep(deadline))) return true
    return false
  }

  /** True when the server closes the connection in time (unread replies stay readable). */
  async closes(timeoutMs = REPLY_TIMEOUT_MS): Promise<boolean> {
    const deadline = Date.now() + timeoutMs
    while (!this.closed) if (!(await this.#sleep(deadline))) return false
    return true
  }

  close(): void {
    this.socket.destroy()
  }

  #receive(chunk: Buffer): void {
    try {
      this.#splitter.feed(chunk)
      for (let reply = this.#splitter.next(); reply; reply = this.#splitter.next()) this.#replies.push(reply)
    } catch (error) {
      this.#failure = error as Error
    }
    this.#wake?.()
  }

  /** Waits for news; false when the deadline passed without any. */
  async #sleep(deadline: number): Promise<boolean> {
    const left = deadline - Date.now()
    if (left <= 0) return false
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(false), left)
      const done = (news: boolean) => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve(news)
      }
      this.#wake = () => done(true)
    })
  }
}
