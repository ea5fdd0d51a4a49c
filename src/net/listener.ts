/**
 * listener: the server's listening socket and its connections.
 *
 * Accepted sockets are wrapped again around the same handle, so that Node reads into one buffer of ours instead of
 * allocating one per read: `pauseOnConnect`, then `new net.Socket({ handle, onread })`. That is not documented; where it
 * is missing the `data` event serves. The wrapper takes the connection out of Node's own count, so the first socket is
 * told when the second one closes, and `close` waits for both.
 */
import { createServer, type AddressInfo, type ListenOptions, type Server, Socket } from 'node:net'
import type { Engine } from '../engine/engine.ts'
import { Connection } from './connection.ts'

const READ_BYTES = 64 * 1024

interface Handle {
  readStop?: () => void
}
interface WithHandle {
  _handle: Handle | null
}

export class Listener {
  private readonly engine: Engine
  private readonly server: Server
  private readonly readBuffer = new Uint8Array(READ_BYTES)
  readonly connections = new Set<Connection>()
  maxClients = 10000
  keepAliveSeconds = 300

  constructor(engine: Engine) {
    this.engine = engine
    this.server = createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => this.accept(accepted))
  }

  /** Resolves when the socket listens. */
  listen(options: ListenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(options, () => {
        this.server.off('error', reject)
        this.server.on('error', (error) => this.engine.log.warning(`Accepting a connection failed: ${error.message}`))
        resolve()
      })
    })
  }

  get address(): AddressInfo | string | null {
    return this.server.address()
  }

  /** Stops listening and drops every connection; resolves when no handle is left. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve())
      for (const connection of [...this.connections]) connection.destroy()
    })
  }

  private accept(accepted: Socket): void {
    const { engine } = this
    if (this.connections.size >= this.maxClients) {
      engine.stats.rejectedConnections++
      accepted.on('error', () => {})
      accepted.end('-ERR max number of clients reached\r\n')
      accepted.resume()
      return
    }
    engine.stats.connections++
    const handle = (accepted as unknown as WithHandle)._handle
    if (handle === null || typeof handle.readStop !== 'function') this.serveByEvents(accepted)
    else this.serveByBuffer(accepted, handle)
  }

  private serveByBuffer(accepted: Socket, handle: Handle): void {
    let connection: Connection
    const options = {
      handle,
      onread: {
        buffer: this.readBuffer,
        callback: (length: number, bytes: Uint8Array): boolean => {
          connection.receive(bytes, length)
          return true
        },
      },
    }
    const socket = new Socket(options as ConstructorParameters<typeof Socket>[0])
    socket.once('close', () => accepted.destroy())
    connection = this.track(socket)
    socket.resume()
  }

  private serveByEvents(socket: Socket): void {
    const connection = this.track(socket)
    socket.on('data', (chunk: Buffer) => connection.receive(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length), chunk.length))
    socket.resume()
  }

  private track(socket: Socket): Connection {
    socket.setNoDelay(true)
    if (this.keepAliveSeconds > 0) socket.setKeepAlive(true, this.keepAliveSeconds * 1000)
    const connection = new Connection(this.engine, socket)
    this.connections.add(connection)
    socket.once('close', () => this.connections.delete(connection))
    return connection
  }
}
