/**
 * multi: the commands queued since MULTI, with their arguments one behind the other in one frame.
 *
 *   bytes    | argv of command 0 | argv of command 1 | ...
 *   offsets, lengths               base[i] is where command i begins in them
 *
 * Queueing copies bytes and makes no object. A finished transaction is used again by the next MULTI of any client.
 */
import { Frame } from '../util/argv.ts'
import { copyBytes } from '../util/bytes.ts'
import type { Command } from './table.ts'

const START_BYTES = 1024
/** Finished transactions kept for the next MULTI, and the largest buffer one of them may have. */
const SPARE_MAX = 64
const SPARE_BYTES = 1 << 16

const spare: Transaction[] = []

export class Transaction {
  /** Commands queued. */
  length = 0
  /** What the commands' arguments take, in bytes. */
  argBytes = 0
  /** The flags that any, and that all of the commands have. */
  anyFlags = 0
  allFlags = -1
  private frame = new Frame(64)
  private args = 0
  private readonly commands: Command[] = []
  private readonly bases: number[] = []
  private readonly hashes: number[] = []
  private readonly hashedArgs: number[] = []

  private constructor() {
    this.frame.bytes = new Uint8Array(START_BYTES)
  }

  static begin(): Transaction {
    return spare.pop() ?? new Transaction()
  }

  /** `flags` are the command's, or those of the script that it runs. */
  add(command: Command, flags: number, argv: Frame): void {
    const { frame } = this
    const i = this.length++
    this.commands[i] = command
    this.bases[i] = this.args
    this.hashes[i] = argv.hash
    this.hashedArgs[i] = argv.hashedArg
    this.anyFlags |= flags
    this.allFlags &= flags
    frame.reserve(this.args + argv.count)
    let at = this.argBytes
    this.reserve(argv.argBytes())
    for (let arg = 0; arg < argv.count; arg++) {
      const len = argv.len(arg)
      copyBytes(frame.bytes, at, argv.bytes, argv.off(arg), len)
      frame.offsets[this.args] = at
      frame.lengths[this.args++] = len
      at += len
    }
    this.argBytes = at
  }

  private reserve(bytes: number): void {
    const { frame } = this
    const needed = this.argBytes + bytes
    if (needed <= frame.bytes.length) return
    const larger = new Uint8Array(Math.max(needed, frame.bytes.length * 2))
    larger.set(frame.bytes.subarray(0, this.argBytes))
    frame.bytes = larger
  }

  command(i: number): Command {
    return this.commands[i]
  }

  /** The arguments of command i: the same frame every time, set to that command. */
  argv(i: number): Frame {
    const { frame } = this
    frame.base = this.bases[i]
    frame.count = (i + 1 < this.length ? this.bases[i + 1] : this.args) - frame.base
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
    this.argBytes = 0
    this.args = 0
    this.anyFlags = 0
    this.allFlags = -1
    spare.push(this)
  }
}
