/**
 * reply: the writer of RESP2 and RESP3 replies into one growing buffer.
 *
 * Handlers call the method for what they mean (a map, a double, a missing value) and never look at the protocol: the
 * writer turns it into the client's. The buffer is reused; `pos` is its end. The owner takes bytes [start, pos) for the client that is
 * being served, and [0, start) is what it has taken for others before and not sent yet.
 */
import { copyBytes, copyShort, writeLatin1 } from '../util/bytes.ts'
import { DOUBLE_TEXT_MAX, writeDouble } from '../util/float.ts'
import { intLength, writeBigInt, writeInt } from '../util/int64.ts'

const START_BYTES = 1 << 16
/** A buffer larger than so many times its first size is outsized: it is not kept. */
const OUTSIZED = 16
/** So many times its first size of replies should be sent before more are written: near the end of the largest buffer that is kept. */
const FULL = 14
/** From this size on the zeros of a new buffer cost more than the way around them. */
const UNZEROED_BYTES = 1 << 16
/** Byte strings of these lengths are copied by words. */
const COPY_MIN = 10
const COPY_MAX = 200
const CR = 13
const LF = 10

export class Reply {
  buf: Uint8Array
  /** The same bytes, for writing words. */
  data: DataView
  pos = 0
  /** Where the replies to the client being served begin: what lies before them is others' and waits to be sent. */
  start = 0
  /** Whether the reader speaks RESP3. */
  resp3 = false
  /** Error replies written since the owner last looked. */
  errors = 0
  /** First word of the last error reply, for INFO errorstats. */
  lastError = ''
  private readonly startBytes: number
  private readonly doubleBytes = new Uint8Array(DOUBLE_TEXT_MAX)

  constructor(startBytes = START_BYTES) {
    this.startBytes = startBytes
    this.fullAt = startBytes * FULL
    this.buf = new Uint8Array(startBytes)
    this.data = new DataView(this.buf.buffer)
  }

  private setBuffer(buf: Uint8Array<ArrayBuffer>): void {
    this.buf = buf
    this.data = new DataView(buf.buffer)
  }

  /** Makes room for `bytes` more. */
  reserve(bytes: number): void {
    if (this.pos + bytes > this.buf.length) this.grow(bytes)
  }

  /** Output beyond this is dropped, and `overflowed` set: its reader will be disconnected. Commands with endless replies look at it. */
  limit = Number.POSITIVE_INFINITY
  overflowed = false
  /** Beyond this end the owner should take what there is before more is written; negative when the limit was passed. */
  private fullAt: number

  get full(): boolean {
    return this.pos > this.fullAt
  }

  private grow(bytes: number): void {
    if (this.pos - this.start + bytes > this.limit) {
      this.overflowed = true
      this.fullAt = -1
      this.pos = this.start
      // what is dropped must not make the buffer grow
      if (this.pos + bytes <= this.buf.length) return
    }
    const larger = newBuffer(Math.max(this.buf.length * 2, this.pos + bytes + 64))
    larger.set(this.buf.subarray(0, this.pos))
    this.setBuffer(larger)
  }

  /**
   * Gives the buffer away (a write that goes on in the background holds it) and starts a new one, as large as the old one was needed:
   * to grow again costs more than all else.
   */
  replace(): void {
    const wasNeeded = this.pos * 2 > this.buf.length
    this.setBuffer(newBuffer(wasNeeded ? Math.min(this.buf.length, this.startBytes * OUTSIZED) : this.startBytes))
    this.restart()
  }

  /** Drops the replies to the client being served. */
  drop(): void {
    this.pos = this.start
    this.fullAt = this.startBytes * FULL
    this.overflowed = false
  }

  /** Empties the writer; an outsized buffer is dropped. */
  clear(): void {
    this.restart()
    if (this.buf.length > this.startBytes * OUTSIZED) this.setBuffer(newBuffer(this.startBytes))
  }

  private restart(): void {
    this.pos = 0
    this.start = 0
    this.fullAt = this.startBytes * FULL
    this.overflowed = false
  }

  /** A copy of what has been written from `from` on. */
  take(from = 0): Uint8Array {
    return this.buf.slice(from, this.pos)
  }

  /** Appends bytes that are RESP already. */
  raw(bytes: Uint8Array, off = 0, len = bytes.length): void {
    this.reserve(len)
    copyBytes(this.buf, this.pos, bytes, off, len)
    this.pos += len
  }

  ok(): void {
    this.reserve(5)
    const buf = this.buf
    let pos = this.pos
    buf[pos++] = 43
    buf[pos++] = 79
    buf[pos++] = 75
    buf[pos++] = CR
    buf[pos++] = LF
    this.pos = pos
  }

  /** A missing value. */
  nil(): void {
    this.reserve(5)
    const buf = this.buf
    let pos = this.pos
    if (this.resp3) buf[pos++] = 95
    else {
      buf[pos++] = 36
      buf[pos++] = 45
      buf[pos++] = 49
    }
    buf[pos++] = CR
    buf[pos++] = LF
    this.pos = pos
  }

  /** A missing array: EXEC of a dirty transaction, a blocking pop that timed out. */
  nilArray(): void {
    if (this.resp3) return this.nil()
    this.line(42, '-1')
  }

  /** An integer of at most 2^53. */
  int(n: number): void {
    this.header(58, n)
  }

  bigInt(n: bigint): void {
    this.reserve(32)
    this.buf[this.pos++] = 58
    this.pos = writeBigInt(this.buf, this.pos, n)
    this.crlf()
  }

  /** A status line; `text` has no line breaks. */
  simple(text: string): void {
    this.line(43, text)
  }

  /** An error, `text` with its code in front: `ERR syntax error`. Line breaks become spaces. */
  error(text: string): void {
    this.errors++
    const space = text.indexOf(' ')
    this.lastError = space < 0 ? text : text.slice(0, space)
    this.line(45, /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, ' ') : text)
  }

  /** A byte string. */
  bulk(bytes: Uint8Array, off: number, len: number): void {
    this.reserve(len + 16)
    const buf = this.buf
    let pos = this.pos
    buf[pos++] = 36
    if (len < 10) buf[pos++] = 48 + len
    else pos = writeInt(buf, pos, len)
    buf[pos++] = CR
    buf[pos++] = LF
    copyBytes(buf, pos, bytes, off, len)
    pos += len
    buf[pos++] = CR
    buf[pos++] = LF
    this.pos = pos
  }

  /** The same where the bytes have a data view at hand. */
  bulkData(bytes: Uint8Array, data: DataView, off: number, len: number): void {
    if (len < COPY_MIN || len >= COPY_MAX) return this.bulk(bytes, off, len)
    this.reserve(len + 16)
    const buf = this.buf
    let pos = this.pos
    buf[pos++] = 36
    pos = writeInt(buf, pos, len)
    buf[pos++] = CR
    buf[pos++] = LF
    copyShort(this.data, pos, data, off, len)
    pos += len
    buf[pos++] = CR
    buf[pos++] = LF
    this.pos = pos
  }

  /** A byte string given as a string of a character per byte. */
  text(text: string): void {
    this.reserve(text.length + 24)
    this.buf[this.pos++] = 36
    this.pos = writeInt(this.buf, this.pos, text.length)
    this.crlf()
    this.pos = writeLatin1(this.buf, this.pos, text)
    this.crlf()
  }

  /** An integer as a byte string. */
  bulkInt(n: number): void {
    this.header(36, intLength(n))
    this.reserve(24)
    this.pos = writeInt(this.buf, this.pos, n)
    this.crlf()
  }

  array(count: number): void {
    this.header(42, count)
  }

  /** A map of `count` pairs: the keys and values follow in turn. RESP2 readers get a flat array. */
  map(count: number): void {
    if (this.resp3) this.header(37, count)
    else this.header(42, count * 2)
  }

  set(count: number): void {
    this.header(this.resp3 ? 126 : 42, count)
  }

  /** A message outside the order of replies. */
  push(count: number): void {
    this.header(this.resp3 ? 62 : 42, count)
  }

  /** Attributes of the value that follows; RESP3 readers only. */
  attribute(count: number): void {
    this.header(124, count)
  }

  double(value: number): void {
    const length = writeDouble(this.doubleBytes, 0, value)
    if (!this.resp3) return this.bulk(this.doubleBytes, 0, length)
    this.reserve(length + 3)
    this.buf[this.pos++] = 44
    copyBytes(this.buf, this.pos, this.doubleBytes, 0, length)
    this.pos += length
    this.crlf()
  }

  /** A double whose text somebody has spelled already. */
  doubleText(text: string): void {
    if (this.resp3) this.line(44, text)
    else this.text(text)
  }

  bool(value: boolean): void {
    if (this.resp3) this.line(35, value ? 't' : 'f')
    else this.int(value ? 1 : 0)
  }

  /** An integer of any size, in decimal. */
  bigNumber(text: string): void {
    if (this.resp3) this.line(40, text)
    else this.text(text)
  }

  /** Text with a three-letter format, `txt` or `mkd`. */
  verbatim(format: string, bytes: Uint8Array, off: number, len: number): void {
    if (!this.resp3) return this.bulk(bytes, off, len)
    this.header(61, len + 4)
    this.reserve(len + 8)
    this.pos = writeLatin1(this.buf, this.pos, `${format}:`)
    copyBytes(this.buf, this.pos, bytes, off, len)
    this.pos += len
    this.crlf()
  }

  /** Where an array, map, set or push begins whose length is known only later; end it with endArray and its like. */
  defer(): number {
    return this.pos
  }

  endArray(start: number, count: number): void {
    this.insertHeader(start, 42, count)
  }

  endMap(start: number, count: number): void {
    if (this.resp3) this.insertHeader(start, 37, count)
    else this.insertHeader(start, 42, count * 2)
  }

  endSet(start: number, count: number): void {
    this.insertHeader(start, this.resp3 ? 126 : 42, count)
  }

  /** Puts the header before what has been written since `start`. */
  private insertHeader(start: number, type: number, count: number): void {
    const bytes = intLength(count) + 3
    this.reserve(bytes)
    this.buf.copyWithin(start + bytes, start, this.pos)
    const end = this.pos + bytes
    this.pos = start
    this.header(type, count)
    this.pos = end
  }

  private header(type: number, n: number): void {
    this.reserve(24)
    const buf = this.buf
    let pos = this.pos
    buf[pos++] = type
    if (n >= 0 && n < 10) buf[pos++] = 48 + n
    else pos = writeInt(buf, pos, n)
    buf[pos++] = CR
    buf[pos++] = LF
    this.pos = pos
  }

  private line(type: number, text: string): void {
    this.reserve(text.length + 3)
    this.buf[this.pos++] = type
    this.pos = writeLatin1(this.buf, this.pos, text)
    this.crlf()
  }

  private crlf(): void {
    this.buf[this.pos++] = CR
    this.buf[this.pos++] = LF
  }
}

function newBuffer(bytes: number): Uint8Array<ArrayBuffer> {
  return bytes < UNZEROED_BYTES ? new Uint8Array(bytes) : new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer as ArrayBuffer)
}
