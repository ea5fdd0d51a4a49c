/**
 * backlog: bytes that a socket will be given when it has taken those before.
 *
 * Short replies share chunks of 16 KiB; longer ones are chunks of their own, without being copied unless they would hold a much larger buffer.
 */

const CHUNK = 16 * 1024
/** What is longer takes its buffer with it. */
const COPY_MAX = 32 * 1024
/** A reply that takes less than this part of a buffer larger than COPY_BUFFER is copied, lest a slow reader hold all of it. */
const COPY_PART = 1 / 8
const COPY_BUFFER = 1 << 20

/** Whether bytes[from, to) would hold a buffer that is much larger. */
export function isSmallPart(bytes: Uint8Array, from: number, to: number): boolean {
  return bytes.length > COPY_BUFFER && to - from < bytes.length * COPY_PART
}

export class Backlog {
  private readonly chunks: Uint8Array[] = []
  /** The chunk that short replies are copied into, and how far it is full. */
  private tail: Uint8Array | null = null
  private tailLength = 0
  bytes = 0

  get count(): number {
    return this.chunks.length + (this.tail === null ? 0 : 1)
  }

  /** Takes bytes[from, to). True: they were copied; false: the buffer belongs to the backlog until they are sent. */
  add(bytes: Uint8Array, from: number, to: number): boolean {
    const length = to - from
    this.bytes += length
    if (length > COPY_MAX) {
      this.endTail()
      const copies = isSmallPart(bytes, from, to)
      this.chunks.push(copies ? bytes.slice(from, to) : bytes.subarray(from, to))
      return copies
    }
    if (this.tail === null || this.tailLength + length > this.tail.length) {
      this.endTail()
      this.tail = new Uint8Array(Math.max(length, CHUNK))
    }
    this.tail.set(bytes.subarray(from, to), this.tailLength)
    this.tailLength += length
    return true
  }

  private endTail(): void {
    if (this.tail !== null) this.chunks.push(this.tail.subarray(0, this.tailLength))
    this.tail = null
    this.tailLength = 0
  }

  /** The next chunk, which leaves the backlog; null when there is none. */
  take(): Uint8Array | null {
    if (this.chunks.length === 0) this.endTail()
    const chunk = this.chunks.shift() ?? null
    if (chunk !== null) this.bytes -= chunk.length
    return chunk
  }

  /** Lets go of all. */
  clear(): void {
    this.chunks.length = 0
    this.tail = null
    this.tailLength = 0
    this.bytes = 0
  }
}
