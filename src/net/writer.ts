/**
 * writer: bytes to a socket, past Node's stream where nothing is queued.
 *
 * A reply that the kernel takes at once needs no stream: its bytes go straight to the socket's handle. That saves about
 * a third of the time a lone request costs in Node. Whenever something is queued, or the handle is not what we know,
 * the stream writes; libuv keeps the order of both. The handle's interface is not documented: it is looked for, not assumed.
 */
import type { Socket } from 'node:net'

/** A write request of libuv, as Node wraps it. One may be used again as long as its writes end at once. */
interface WriteRequest {
  oncomplete: ((status: number) => void) | null
  buffer: Uint8Array | null
}
interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest
  readonly streamBaseState: Int32Array
  readonly kLastWriteWasAsync: number
}
interface Handle {
  writeBuffer(request: WriteRequest, bytes: Uint8Array): number
}

const binding = findBinding()

function findBinding(): StreamBinding | null {
  try {
    const found = (process as unknown as { binding(name: string): StreamBinding }).binding('stream_wrap')
    return typeof found.WriteWrap === 'function' &&
      found.streamBaseState instanceof Int32Array &&
      Number.isInteger(found.kLastWriteWasAsync)
      ? found
      : null
  } catch {
    return null
  }
}

/** What has to be queued is copied up to this size; a longer reply takes the whole buffer with it. */
const COPY_MAX = 32 * 1024
/** A reply that takes less than this part of a buffer larger than COPY_BUFFER is copied, lest a slow reader hold all of it. */
const COPY_PART = 1 / 8
const COPY_BUFFER = 1 << 20

/** Shared by all writers while its writes end at once. */
let request: WriteRequest | null = null

export class SocketWriter {
  private readonly socket: Socket
  private readonly handle: Handle | null
  /** Bytes handed to the handle that the kernel has not taken yet. */
  private inFlight = 0

  constructor(socket: Socket) {
    this.socket = socket
    const handle = (socket as unknown as { _handle: Handle | null })._handle
    this.handle = binding !== null && typeof handle?.writeBuffer === 'function' ? handle : null
  }

  /** Whether the kernel took all of the last write at once. */
  wentAtOnce = true

  /** Bytes written that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.socket.writableLength + this.inFlight
  }

  /** Bytes that the kernel has taken so far, also of a write that has not ended. */
  get takenBytes(): number {
    const { _handle: handle } = this.socket as unknown as { _handle: { bytesWritten?: number; writeQueueSize?: number } | null }
    return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
  }

  /** Writes bytes[from, to). True: they are taken and the buffer is free; false: it belongs to the write until that ends. */
  write(bytes: Uint8Array, from: number, to: number): boolean {
    const { socket } = this
    if (socket.destroyed) return true
    if (bytes.length > COPY_BUFFER && to - from < bytes.length * COPY_PART) {
      this.write(bytes.slice(from, to), 0, to - from)
      return true
    }
    if (this.handle !== null && this.inFlight === 0 && socket.writableLength === 0) return this.writeDirectly(bytes.subarray(from, to))
    this.wentAtOnce = false
    if (to - from <= COPY_MAX) {
      socket.write(bytes.slice(from, to))
      return true
    }
    socket.write(bytes.subarray(from, to))
    return false
  }

  private writeDirectly(bytes: Uint8Array): boolean {
    const { WriteWrap, streamBaseState, kLastWriteWasAsync } = binding as StreamBinding
    request ??= new WriteWrap()
    const status = (this.handle as Handle).writeBuffer(request, bytes)
    if (status !== 0) {
      this.socket.destroy()
      return true
    }
    this.wentAtOnce = streamBaseState[kLastWriteWasAsync] === 0
    if (this.wentAtOnce) return true
    this.inFlight = bytes.length
    request.buffer = bytes
    request.oncomplete = (failed) => {
      this.inFlight = 0
      if (failed !== 0) this.socket.destroy()
    }
    request = null
    return false
  }
}
