/**
 * multi: the commands queued since MULTI, with their arguments one behind the other in one frame.
 *
 *   bytes    | argv of command 0 | argv of command 1 | ...
 *   offsets, lengths               bases[i] is where command i begins in them
 *
 * Queueing makes no object. Clients usually send a transaction in one go, so what a batch of the parser queues stays in the parser's frame
 * at first, and is copied only when the batch ends before EXEC: commands [0, kept) are in the frame here, those behind in the parser's.
 * A finished transaction is used again by the next MULTI of any client.
 */
import { Frame } from '../util/argv.ts'
import { copyBytes } from '../util/bytes.ts'
import type { Command } from './table.ts'

const START_BYTES = 1024
/** Offsets in a frame are integers of 32 bits. */
const BYTES_MAX = 2 ** 31 - 1
/** Finished transactions kept for the next MULTI, and the largest buffer one of them may have. */
const SPARE_MAX = 64
const SPARE_BYTES = 1 << 16

const spare: Transaction[] = []

export class Transaction {
  /** Commands queued. */
  length = 0
  /** The flags that any, and that all of the commands have. */
  anyFlags = 0
  allFlags = -1
  private frame = new Frame(64)
  /** Arguments and bytes in it. */
  private args = 0
  private size = 0
  private kept = 0
  /** The parser's frame, while commands are in it. */
  private lent: Frame | null = null
  private readonly commands: Command[] = []
  private readonly bases: number[] = []
  private readonly counts: number[] = []
  private readonly hashes: number[] = []
  private readonly hashedArgs: number[] = []

  private constructor() {
    this.frame.bytes = new Uint8Array(START_BYTES)
  }

  static begin(): Transaction {
    return spare.pop() ?? new Transaction()
  }

  /**
   * `flags` are the command's, or those of the script that it runs. With `lent` the arguments stay where they are until `keep`. False when
   * there is no room for them.
   */
  add(command: Command, flags: number, argv: Frame, lent: boolean): boolean {
    const i = this.length++
    this.commands[i] = command
    this.bases[i] = argv.base
    this.counts[i] = argv.count
    this.hashes[i] = argv.hash
    this.hashedArgs[i] = argv.hashedArg
    this.anyFlags |= flags
    this.allFlags &= flags
    this.lent = argv
    return lent || this.keep()
  }

  /**
   * Copies the arguments that are still in the parser's frame: it is about to be used for something else. False when they are too many: the
   * transaction then lacks these commands.
   */
  keep(): boolean {
    const { lent } = this
    if (lent === null) return true
    if (this.argBytes > BYTES_MAX) {
      this.length = this.kept
      this.lent = null
      return false
    }
    for (let i = this.kept; i < this.length; i++) {
      const from = this.bases[i]
      this.bases[i] = this.args
      for (let arg = from; arg < from + this.counts[i]; arg++) this.append(lent.bytes, lent.offsets[arg], lent.lengths[arg])
    }
    this.kept = this.length
    this.lent = null
    return true
  }

  private append(bytes: Uint8Array, off: number, len: number): void {
    const { frame } = this
    frame.reserve(this.args)
    this.reserve(len)
    copyBytes(frame.bytes, this.size, bytes, off, len)
    frame.offsets[this.args] = this.size
    frame.lengths[this.args++] = len
    this.size += len
  }

  /** What the commands' arguments take, in bytes. */
  get argBytes(): number {
    let sum = this.size
    const { lent } = this
    if (lent === null) return sum
    for (let i = this.kept; i < this.length; i++) {
      const from = this.bases[i]
      for (let arg = from; arg < from + this.counts[i]; arg++) sum += lent.lengths[arg]
    }
    return sum
  }

  private reserve(bytes: number): void {
    const { frame } = this
    const needed = this.size + bytes
    if (needed <= frame.bytes.length) return
    const larger = new Uint8Array(Math.max(needed, Math.min(frame.bytes.length * 2, BYTES_MAX)))
    larger.set(frame.bytes.subarray(0, this.size))
    frame.bytes = larger
  }

  command(i: number): Command {
    return this.commands[i]
  }

  /** The arguments of command i: one of two frames, set to that command. */
  argv(i: number): Frame {
    const frame = this.lent !== null && i >= this.kept ? this.lent : this.frame
    frame.base = this.bases[i]
    frame.count = this.counts[i]
    frame.hash = this.hashes[i]
    frame.hashedArg = this.hashedArgs[i]
    return frame
  }

  /** Bytes that the queue itself holds, used or not. */
  get heldBytes(): number {
    return this.frame.bytes.length + this.frame.offsets.length * 8
  }

  /** The transaction is over; nobody may use it any more. */
  end(): void {
    if (this.heldBytes > SPARE_BYTES || spare.length >= SPARE_MAX) return
    this.length = 0
    this.args = 0
    this.size = 0
    this.kept = 0
    this.lent = null
    this.anyFlags = 0
    this.allFlags = -1
    spare.push(this)
  }
}
