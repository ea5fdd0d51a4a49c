/** stream-socket: a client's socket as Node's own stream, where its handle is not to be had. */
import type { Socket } from 'node:net'
import { peerName } from './addresses.ts'
import type { ClientSocket, SocketOwner } from './client-socket.ts'
import type { SocketHandle } from './stream-wrap.ts'

export class StreamSocket implements ClientSocket {
  private readonly socket: Socket
  readonly fd = -1
  wentAtOnce = true

  /** `closed` is called when nothing is left of the socket. */
  constructor(socket: Socket, closed: () => void) {
    this.socket = socket
    socket.on('error', () => {})
    socket.once('close', closed)
  }

  get peerName(): string {
    return peerName(this.socket.remoteAddress, this.socket.remotePort)
  }

  get localName(): string {
    return peerName(this.socket.localAddress, this.socket.localPort)
  }

  get queuedBytes(): number {
    return this.socket.writableLength
  }

  get queuedWrites(): number {
    return this.socket.writableLength === 0 ? 0 : 1
  }

  get takenBytes(): number {
    const { socket } = this
    const { _handle: handle } = socket as unknown as { _handle?: Partial<SocketHandle> | null }
    // what the stream knows of a long write is whether it has ended
    if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength
    return handle.bytesWritten - handle.writeQueueSize
  }

  keepAlive(seconds: number): void {
    this.socket.setKeepAlive(true, seconds * 1000)
  }

  start(owner: SocketOwner): void {
    const { socket } = this
    socket.on('data', (chunk: Buffer) => owner.receive(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length), chunk.length))
    socket.on('end', () => owner.peerEnded())
    socket.on('error', () => owner.destroy())
    socket.on('close', () => owner.destroy())
    socket.resume()
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    if (!this.socket.writableEnded) this.socket.resume()
  }

  write(bytes: Uint8Array, from: number, to: number): boolean {
    const { socket } = this
    if (socket.destroyed || socket.writableEnded || from === to) return true
    socket.write(bytes.slice(from, to))
    this.wentAtOnce = socket.writableLength === 0
    return true
  }

  end(): void {
    this.socket.pause()
    this.socket.end()
    this.socket.destroySoon()
  }

  destroy(): void {
    this.socket.destroy()
  }
}
