/**
 * query-buffers: buffers for large arguments, used again by whoever needs one next.
 *
 * A new buffer for each costs its zeroing, and its garbage makes the engine collect: SET of 1 MB took three times
 * redis-server's time. Kept are buffers of 32 KiB to 8 MiB, 16 MiB together at the most, until nobody has needed one for a second or memory
 * is short: they count against maxmemory, and no key may go for them.
 */

const SMALLEST = 32 * 1024
const LARGEST = 8 << 20
const KEPT_BYTES = 16 << 20
/** Rounds of the cron without use after which they go. */
const IDLE_ROUNDS = 10

export class QueryBuffers {
  private readonly spare: Uint8Array[] = []
  /** Bytes of the buffers that nobody uses. */
  bytes = 0
  private idleRounds = 0

  /** A buffer of at least `size` bytes, their contents undefined; at most twice as many when it was used before. */
  take(size: number): Uint8Array {
    const at = size < SMALLEST ? -1 : this.spare.findLastIndex(({ length }) => length >= size && length <= size * 2)
    if (size >= SMALLEST) this.idleRounds = 0
    if (at < 0) return new Uint8Array(size)
    const [buffer] = this.spare.splice(at, 1)
    this.bytes -= buffer.length
    return buffer
  }

  /** Takes a buffer that is not needed any more. */
  give(buffer: Uint8Array): void {
    if (buffer.length < SMALLEST || buffer.length > LARGEST) return
    while (this.bytes + buffer.length > KEPT_BYTES) this.bytes -= (this.spare.shift() as Uint8Array).length
    this.spare.push(buffer)
    this.bytes += buffer.length
  }

  /** Lets go of all that nobody uses. */
  release(): void {
    this.spare.length = 0
    this.bytes = 0
  }

  /** Once a round of the cron. */
  rest(): void {
    if (this.bytes > 0 && ++this.idleRounds >= IDLE_ROUNDS) this.release()
  }
}
