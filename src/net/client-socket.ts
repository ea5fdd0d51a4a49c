/** client-socket: what a connection needs of its socket, whatever carries the bytes: see handle-socket.ts and stream-socket.ts. */

/** Who is told what happens to a socket. */
export interface SocketOwner {
  /** Takes bytes[0, length), which are overwritten afterwards. */
  receive(bytes: Uint8Array, length: number): void
  /** The last read filled the buffer: there is more. */
  filled(): void
  /** The peer sends no more; it may still read. */
  peerEnded(): void
  /** The socket has failed, or all is sent after `end`. */
  destroy(): void
}

export interface ClientSocket {
  /** `ip:port` of the peer and of this side; '' of a Unix socket. */
  readonly peerName: string
  readonly localName: string
  /** The system's number of the socket; -1 when it is not known. */
  readonly fd: number
  /** Bytes written that the kernel has not taken yet, and the pieces they are in. */
  readonly queuedBytes: number
  readonly queuedWrites: number
  /** Bytes that the kernel has taken so far. */
  readonly takenBytes: number
  /** Whether the kernel took all of the last write at once. */
  readonly wentAtOnce: boolean
  /** Has the system ask a silent peer whether it is there, first after so many seconds. */
  keepAlive(seconds: number): void
  /** Begins to read. */
  start(owner: SocketOwner): void
  /** Reads no more until `resume`. */
  pause(): void
  resume(): void
  /** Writes bytes[from, to); nothing after `end`. True: the buffer is free; false: it belongs to the write until that ends. */
  write(bytes: Uint8Array, from: number, to: number): boolean
  /** Reads no more, and closes when all that is queued has been sent. */
  end(): void
  /** Closes at once; what is queued is lost. */
  destroy(): void
}
