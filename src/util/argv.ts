/**
 * argv frame: the arguments of a command as (offset, length) pairs into one run of bytes. No object per argument.
 *
 * A batch of commands shares one frame: `base` is where the current command's arguments begin in the two arrays, and
 * argument 0 is the command's name. Whoever keeps arguments past the call (MULTI, blocked clients) calls `copy`.
 */
import { asciiLowerEquals, latin1 } from './bytes.ts'

export class Frame {
  bytes: Uint8Array = new Uint8Array(0)
  offsets: Int32Array
  lengths: Int32Array
  base = 0
  /** Number of arguments, the command's name included. */
  count = 0
  /** The dict hash of argument `hashedArg`, when the batch has computed it; else `hashedArg` is 0. */
  hash = 0
  hashedArg = 0

  constructor(capacity = 16) {
    this.offsets = new Int32Array(capacity)
    this.lengths = new Int32Array(capacity)
  }

  off(i: number): number {
    return this.offsets[this.base + i]
  }

  len(i: number): number {
    return this.lengths[this.base + i]
  }

  /** Whether argument i is this word, in any letter case. `lower` is in lower case. */
  is(i: number, lower: string): boolean {
    return asciiLowerEquals(this.bytes, this.offsets[this.base + i], this.lengths[this.base + i], lower)
  }

  /**
   * Argument i, or its first `max` bytes, as a string, a character per byte. Not for hot paths. Without `max` it throws for the last few
   * of the sizes that arguments may have: there are no such long strings.
   */
  text(i: number, max = Number.POSITIVE_INFINITY): string {
    return latin1(this.bytes, this.offsets[this.base + i], Math.min(this.lengths[this.base + i], max))
  }

  /** A copy of argument i. */
  slice(i: number): Uint8Array {
    const off = this.offsets[this.base + i]
    return this.bytes.slice(off, off + this.lengths[this.base + i])
  }

  /** Makes room for one more argument at index `at` of the arrays. */
  reserve(at: number): void {
    if (at < this.offsets.length) return
    const size = Math.max(at + 1, this.offsets.length * 2)
    const offsets = new Int32Array(size)
    const lengths = new Int32Array(size)
    offsets.set(this.offsets)
    lengths.set(this.lengths)
    this.offsets = offsets
    this.lengths = lengths
  }

  /** Bytes that the arguments themselves take. */
  argBytes(): number {
    let sum = 0
    for (let i = 0; i < this.count; i++) sum += this.lengths[this.base + i]
    return sum
  }

  /** A frame of its own bytes with the arguments from `first` on. */
  copy(first = 0): Frame {
    const frame = new Frame(Math.max(1, this.count - first))
    let size = 0
    for (let i = first; i < this.count; i++) size += this.lengths[this.base + i]
    frame.bytes = new Uint8Array(size)
    let at = 0
    for (let i = first; i < this.count; i++) {
      const off = this.offsets[this.base + i]
      const len = this.lengths[this.base + i]
      frame.bytes.set(this.bytes.subarray(off, off + len), at)
      frame.offsets[i - first] = at
      frame.lengths[i - first] = len
      at += len
    }
    frame.count = this.count - first
    return frame
  }
}

/** A frame made of these byte strings. */
export function frameOf(args: readonly Uint8Array[]): Frame {
  const frame = new Frame(Math.max(1, args.length))
  frame.bytes = new Uint8Array(args.reduce((sum, arg) => sum + arg.length, 0))
  let at = 0
  args.forEach((arg, i) => {
    frame.bytes.set(arg, at)
    frame.offsets[i] = at
    frame.lengths[i] = arg.length
    at += arg.length
  })
  frame.count = args.length
  return frame
}
