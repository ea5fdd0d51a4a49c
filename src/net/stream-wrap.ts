/**
 * stream-wrap: what Node has between its streams and libuv. It is not documented, so it is looked for, not assumed: where it is not
 * as we know it, Node's streams serve.
 */

/** A write request of libuv, as Node wraps it. One may be used again as long as its writes end at once. */
export interface WriteRequest {
  oncomplete: ((status: number) => void) | null
  buffer: Uint8Array | null
}

/** A socket of libuv. What returns a number returns 0, or a negative error number. */
export interface SocketHandle {
  readonly fd?: number
  readonly bytesWritten: number
  /** Bytes written that the kernel has not taken. */
  readonly writeQueueSize: number
  /** Called when a read has ended, with its outcome in `streamBaseState[kReadBytesOrError]`. */
  onread: () => void
  /** Has all reads go into this buffer. */
  useUserBuffer(buffer: Uint8Array): void
  readStart(): number
  readStop(): number
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number
  close(done: () => void): void
  // a Unix socket has none of these
  getpeername?: (name: SocketName) => number
  getsockname?: (name: SocketName) => number
  setNoDelay?: (on: boolean) => number
  setKeepAlive?: (on: boolean, seconds: number) => number
}

export interface SocketName {
  address?: string
  port?: number
}

/** A listening socket of libuv. */
export interface ListenHandle {
  onconnection?: (status: number, handle?: SocketHandle) => void
}

interface StreamWrap {
  readonly WriteWrap: new () => WriteRequest
  /** What the last call of a handle has to say, by the indices below. */
  readonly streamBaseState: Int32Array
  readonly kReadBytesOrError: number
  readonly kLastWriteWasAsync: number
}

/** The outcome of a read when the peer sends no more. */
export const END_OF_FILE = -4095

export const streamWrap = findStreamWrap()

function findStreamWrap(): StreamWrap | null {
  try {
    const found = (process as unknown as { binding(name: string): StreamWrap }).binding('stream_wrap')
    return typeof found.WriteWrap === 'function' &&
      found.streamBaseState instanceof Int32Array &&
      Number.isInteger(found.kReadBytesOrError) &&
      Number.isInteger(found.kLastWriteWasAsync)
      ? found
      : null
  } catch {
    return null
  }
}

const METHODS = ['useUserBuffer', 'readStart', 'readStop', 'writeBuffer', 'close'] as const

/** Whether a socket that was accepted can do all that HandleSocket asks of it. */
export function isUsable(handle: SocketHandle | undefined): handle is SocketHandle {
  return streamWrap !== null && handle !== undefined && METHODS.every((name) => typeof handle[name] === 'function')
}
