/**
 * parser: requests out of bytes, as batches of argv frames, resumable at any byte.
 *
 * A batch holds up to BATCH_MAX commands of one buffer. What is left of an incomplete command is described by the
 * client's `ParseState`, so that bytes which have been looked at are not parsed again when the rest arrives.
 *
 * Limits are Redis': a header or inline line of 64 KiB, 2^31-1 arguments, `maxBulk` bytes an argument, and before
 * authentication 10 arguments of 16 KiB. A fault is reported in `fault` after the commands before it.
 */
import { Frame } from '../util/argv.ts'
import { APOSTROPHE, QUOTE, splitInline } from './inline.ts'

export const BATCH_MAX = 64
/** From this size on the buffer for a bulk is allocated once, to its exact size. */
export const BIG_BULK = 32 * 1024
const LINE_MAX = 64 * 1024
const ARGS_MAX = 0x7fffffff
const ARGS_MAX_UNAUTHENTICATED = 10
const BULK_MAX_UNAUTHENTICATED = 16384
const CR = 13
const LF = 10
const STAR = 42
const ZERO = 48
const NINE = 57
const DOLLAR = 36

/** What is known of a command whose end has not arrived. Positions are relative to the command's first byte. */
export class ParseState {
  /** Arguments announced; -1 while the header has not arrived. */
  argc = -1
  /** Arguments complete so far, their places in `offsets` and `lengths`. */
  done = 0
  /** Length of the bulk whose header has been read; -1 when none. */
  bulk = -1
  /** Next byte to look at. */
  at = 0
  offsets = EMPTY
  lengths = EMPTY

  /** Bytes, from the command's start, that the command is known to need at least; 0 when unknown. */
  needed(): number {
    return this.bulk >= 0 ? this.at + this.bulk + 2 : 0
  }

  reset(): void {
    this.argc = -1
    this.done = 0
    this.bulk = -1
    this.at = 0
    this.offsets = EMPTY
    this.lengths = EMPTY
  }
}
const EMPTY = new Int32Array(0)

export class RequestParser {
  /** Arguments of the whole batch; command i has [starts[i], starts[i] + counts[i]). */
  readonly frame = new Frame(4096)
  readonly starts = new Int32Array(BATCH_MAX)
  readonly counts = new Int32Array(BATCH_MAX)
  /** Byte after command i. */
  readonly ends = new Int32Array(BATCH_MAX)
  size = 0
  /** Text of the protocol error that ends this stream, or ''. */
  fault = ''
  /** Largest bulk: proto-max-bulk-len. */
  maxBulk = 512 * 1024 * 1024

  /** Inline lines with quotes as they came: their words are decoded in place. */
  private readonly quotedLines: { readonly at: number; readonly line: Uint8Array }[] = []
  private argsUsed = 0
  private argc = -1
  private done = 0
  private bulk = -1

  /**
   * Parses bytes[from, to) into a batch of at most `limit` commands. Returns the place of the first byte that belongs to
   * no whole command; when the batch is not full and there is no fault, `state` says how far that command has come.
   */
  parse(state: ParseState, bytes: Uint8Array, from: number, to: number, limit: number, authenticated: boolean): number {
    this.size = 0
    this.fault = ''
    this.argsUsed = 0
    if (this.quotedLines.length > 0) this.quotedLines.length = 0
    this.frame.bytes = bytes
    let start = from
    while (this.size < limit && (start < to || state.argc >= 0)) {
      this.resume(state)
      const first = this.argsUsed
      const end = this.parseOne(bytes, start, start + state.at, to, first, authenticated)
      if (end < 0) {
        this.suspend(state, start, first)
        return start
      }
      state.argc = -1
      state.at = 0
      if (this.fault !== '') return start
      if (this.argc > 0) {
        this.starts[this.size] = first
        this.counts[this.size] = this.argc
        this.ends[this.size++] = end
        this.argsUsed = first + this.argc
      }
      start = end
    }
    return start
  }

  /** Puts the batch's bytes back as they came, for commands that have to wait and are parsed again. */
  restore(): void {
    for (const { at, line } of this.quotedLines) this.frame.bytes.set(line, at)
  }

  /** Parses one command; returns its end, or -1 when bytes are missing. Sets `argc` (0: nothing to run) or `fault`. */
  private parseOne(bytes: Uint8Array, start: number, from: number, to: number, first: number, authenticated: boolean): number {
    let p = from
    if (this.argc < 0) {
      if (bytes[start] !== STAR) return this.parseInline(bytes, start, to, first)
      // The usual header: a digit above 0, CR.
      if (start + 3 < to && bytes[start + 2] === CR && bytes[start + 1] > ZERO && bytes[start + 1] <= NINE) {
        this.argc = bytes[start + 1] - ZERO
        this.done = 0
        this.bulk = -1
        p = start + 4
      } else {
        p = this.parseHeader(bytes, start, to, authenticated)
        if (p < 0 || this.fault !== '' || this.argc === 0) return p
      }
    }
    const frame = this.frame
    const offsets = frame.offsets
    const lengths = frame.lengths
    const capacity = offsets.length
    const argc = this.argc
    let done = this.done
    let bulk = this.bulk
    for (; done < argc; done++) {
      if (bulk < 0) {
        // The usual headers: $, a digit or two without a leading zero, CR.
        const digit = p + 4 < to && bytes[p] === DOLLAR ? bytes[p + 1] - ZERO : -1
        const second = bytes[p + 2]
        if (second === CR && digit >= 0 && digit <= 9) {
          bulk = digit
          p += 4
        } else if (digit > 0 && digit <= 9 && second >= ZERO && second <= NINE && bytes[p + 3] === CR) {
          bulk = digit * 10 + second - ZERO
          p += 5
        } else {
          this.done = done
          const after = this.parseBulkHeader(bytes, p, to, authenticated)
          if (after < 0 || this.fault !== '') return this.stop(start, p, done, after)
          bulk = this.bulk
          p = after
        }
      }
      if (to - p < bulk + 2) {
        this.bulk = bulk
        return this.stop(start, p, done, -1)
      }
      if (first + done < capacity) {
        offsets[first + done] = p
        lengths[first + done] = bulk
      } else this.store(first + done, p, bulk)
      p += bulk + 2
      bulk = -1
    }
    return p
  }

  private store(index: number, off: number, len: number): void {
    this.frame.reserve(index)
    this.frame.offsets[index] = off
    this.frame.lengths[index] = len
  }

  /** Notes where an unfinished command stands; passes `result` on. */
  private stop(start: number, p: number, done: number, result: number): number {
    this.done = done
    this.at = p - start
    return result
  }
  private at = 0

  private resume(state: ParseState): void {
    this.argc = state.argc
    this.done = state.done
    this.bulk = state.bulk
    this.at = state.at
    if (state.argc < 0 || state.done === 0) {
      if (state.argc < 0) {
        this.done = 0
        this.bulk = -1
      }
      return
    }
    // The places were relative to the command's first byte, which is now the first of the buffer.
    const start = this.argsUsed
    this.frame.reserve(start + state.done)
    for (let i = 0; i < state.done; i++) {
      this.frame.offsets[start + i] = state.offsets[i]
      this.frame.lengths[start + i] = state.lengths[i]
    }
  }

  private suspend(state: ParseState, start: number, first: number): void {
    state.argc = this.argc
    state.done = this.done
    state.bulk = this.bulk
    state.at = this.argc < 0 ? 0 : this.at
    if (this.done > state.offsets.length) {
      const size = Math.min(this.argc, Math.max(16, this.done * 2))
      state.offsets = new Int32Array(size)
      state.lengths = new Int32Array(size)
    }
    for (let i = 0; i < this.done; i++) {
      state.offsets[i] = this.frame.offsets[first + i] - start
      state.lengths[i] = this.frame.lengths[first + i]
    }
  }

  private parseHeader(bytes: Uint8Array, start: number, to: number, authenticated: boolean): number {
    const cr = lineEnd(bytes, start, to)
    if (cr < 0) {
      if (to - start > LINE_MAX) this.fault = 'too big mbulk count string'
      return this.fault === '' ? -1 : start
    }
    if (cr + 1 >= to) return -1
    const argc = parseLength(bytes, start + 1, cr)
    if (Number.isNaN(argc) || argc > ARGS_MAX) this.fault = 'invalid multibulk length'
    else if (argc > ARGS_MAX_UNAUTHENTICATED && !authenticated) this.fault = 'unauthenticated multibulk length'
    this.argc = Math.max(0, argc)
    this.done = 0
    this.bulk = -1
    this.at = cr + 2 - start
    return cr + 2
  }

  private parseBulkHeader(bytes: Uint8Array, p: number, to: number, authenticated: boolean): number {
    this.bulk = -1
    const cr = lineEnd(bytes, p, to)
    if (cr < 0) {
      if (to - p > LINE_MAX) this.fault = 'too big bulk count string'
      return this.fault === '' ? -1 : p
    }
    if (cr + 1 >= to) return -1
    if (bytes[p] !== DOLLAR) {
      this.fault = `expected '$', got '${String.fromCharCode(bytes[p])}'`
      return p
    }
    const length = parseLength(bytes, p + 1, cr)
    if (Number.isNaN(length) || length < 0 || length > this.maxBulk) this.fault = 'invalid bulk length'
    else if (length > BULK_MAX_UNAUTHENTICATED && !authenticated) this.fault = 'unauthenticated bulk length'
    this.bulk = length
    return cr + 2
  }

  private parseInline(bytes: Uint8Array, start: number, to: number, first: number): number {
    const lf = bytes.subarray(start, to).indexOf(LF)
    if (lf < 0) {
      if (to - start <= LINE_MAX) return -1
      this.fault = 'too big inline request'
      return start
    }
    const end = start + lf
    const line = bytes.subarray(start, end)
    if (line.includes(QUOTE) || line.includes(APOSTROPHE)) this.quotedLines.push({ at: start, line: line.slice() })
    const words = splitInline(this.frame, first, bytes, start, end > start && bytes[end - 1] === CR ? end - 1 : end)
    if (words < 0) this.fault = 'unbalanced quotes in request'
    this.argc = Math.max(0, words)
    return end + 1
  }
}

/** Place of the next CR, -1 when it has not arrived. */
function lineEnd(bytes: Uint8Array, from: number, to: number): number {
  const near = Math.min(to, from + 24)
  for (let p = from; p < near; p++) if (bytes[p] === CR) return p
  const found = near < to ? bytes.subarray(near, to).indexOf(CR) : -1
  return found < 0 ? -1 : near + found
}

/** A decimal integer as Redis reads lengths: optional minus, no leading zero, no sign of plus; NaN when it is none. */
function parseLength(bytes: Uint8Array, from: number, to: number): number {
  const negative = from < to && bytes[from] === 45
  const first = negative ? from + 1 : from
  if (first >= to || to - first > 15) return Number.NaN
  if (bytes[first] === 48 && (to - first > 1 || negative)) return Number.NaN
  let n = 0
  for (let p = first; p < to; p++) {
    const digit = bytes[p] - 48
    if (digit < 0 || digit > 9) return Number.NaN
    n = n * 10 + digit
  }
  return negative ? -n : n
}
