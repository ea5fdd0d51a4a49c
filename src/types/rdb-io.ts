/**
 * rdb io: the primitives of RDB files and DUMP payloads, written to and read from plain bytes.
 *
 *   length   00LLLLLL | 01LLLLLL LLLLLLLL | 10000000 u32 | 10000001 u64                       big endian
 *   string   length bytes...
 *            11000000 i8 | 11000001 i16 | 11000010 i32                  an integer's digits, little endian
 *            11000011 length(packed) length(plain) LZF...               only where that is shorter
 *
 * The reader never throws and never leaves its bytes: what is broken sets `failed`, and every further read gives zeros and empty strings, so
 * that loaders test once, at their end.
 */
import { copyBytes } from '../util/bytes.ts'
import { parseInt53, writeInt } from '../util/int64.ts'
import { lzfCompress, lzfDecompress } from '../util/lzf.ts'

const INT8 = 0xc0
const INT16 = 0xc1
const INT32 = 0xc2
const LZF = 0xc3
const U32 = 0x80
const U64 = 0x81
const TWO_32 = 2 ** 32
/** Longest text that is tried as an integer, and shortest that is tried to compress. */
const INT_TEXT_MAX = 11
const COMPRESS_MIN = 20

export class RdbWriter {
  bytes: Uint8Array
  length = 0
  /** rdbcompression: whether long strings are tried to compress. */
  readonly compress: boolean

  constructor(compress = true, capacity = 256) {
    this.compress = compress
    this.bytes = new Uint8Array(capacity)
  }

  /** A view of what has been written, valid until the next write. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + bytes))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array, off: number, len: number): void {
    this.reserve(len)
    copyBytes(this.bytes, this.length, bytes, off, len)
    this.length += len
  }

  /** A length or other unsigned integer up to 2^53. */
  len(value: number): void {
    this.reserve(9)
    if (value < 64) this.bytes[this.length++] = value
    else if (value < 16384) {
      this.bytes[this.length++] = 0x40 | (value >>> 8)
      this.bytes[this.length++] = value
    } else if (value < TWO_32) {
      this.bytes[this.length++] = U32
      this.bigEndian(value)
    } else {
      this.bytes[this.length++] = U64
      this.bigEndian(Math.floor(value / TWO_32))
      this.bigEndian(value % TWO_32)
    }
  }

  /** An unsigned integer of 64 bits, in two words, the high one first. */
  len64(view: Uint32Array, at: number): void {
    if (view[at] === 0) return this.len(view[at + 1])
    this.reserve(9)
    this.bytes[this.length++] = U64
    this.bigEndian(view[at])
    this.bigEndian(view[at + 1])
  }

  private bigEndian(word: number): void {
    for (let shift = 24; shift >= 0; shift -= 8) this.bytes[this.length++] = word >>> shift
  }

  /** An unsigned 64-bit integer up to 2^53, little endian. */
  u64(value: number): void {
    this.reserve(8)
    let low = value % TWO_32
    let high = Math.floor(value / TWO_32)
    for (let i = 0; i < 4; i++, low >>>= 8) this.bytes[this.length++] = low
    for (let i = 0; i < 4; i++, high >>>= 8) this.bytes[this.length++] = high
  }

  /** A double as its eight bytes, little endian. */
  double(value: number): void {
    this.reserve(8)
    new DataView(this.bytes.buffer).setFloat64(this.length, value, true)
    this.length += 8
  }

  string(bytes: Uint8Array, off: number, len: number): void {
    if (len <= INT_TEXT_MAX && this.integer(bytes, off, len)) return
    if (this.compress && len > COMPRESS_MIN && this.packed(bytes, off, len)) return
    this.len(len)
    this.raw(bytes, off, len)
  }

  private integer(bytes: Uint8Array, off: number, len: number): boolean {
    const value = parseInt53(bytes, off, len)
    if (!(value >= -2147483648 && value <= 2147483647)) return false
    const size = value >= -128 && value <= 127 ? 1 : value >= -32768 && value <= 32767 ? 2 : 4
    this.byte(size === 1 ? INT8 : size === 2 ? INT16 : INT32)
    this.reserve(size)
    for (let i = 0; i < size; i++) this.bytes[this.length++] = value >> (8 * i)
    return true
  }

  private packed(bytes: Uint8Array, off: number, len: number): boolean {
    const start = this.length
    const room = len - 4
    const target = new Uint8Array(room)
    const size = lzfCompress(bytes, off, len, target, 0, room)
    if (size === 0) return false
    this.byte(LZF)
    this.len(size)
    this.len(len)
    this.raw(target, 0, size)
    return this.length > start
  }
}

const EMPTY = new Uint8Array(0)

export class RdbReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number
  failed = false
  /** The string that `string` read last: a view into the bytes, or a fresh array. */
  data: Uint8Array = EMPTY
  off = 0
  length = 0

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  /** Marks the input as broken. */
  fail(): void {
    this.failed = true
    this.at = this.end
  }

  /** Whether `count` more bytes are there. */
  has(count: number): boolean {
    if (!this.failed && this.at + count <= this.end) return true
    this.fail()
    return false
  }

  byte(): number {
    return this.has(1) ? this.bytes[this.at++] : 0
  }

  /** A length. An encoded string in its place is a fault. */
  len(): number {
    const first = this.byte()
    if (first < 0x40) return first
    if (first < 0x80) return ((first & 0x3f) << 8) | this.byte()
    if (first === U32) return this.bigEndian()
    if (first === U64) {
      const value = this.bigEndian() * TWO_32 + this.bigEndian()
      if (Number.isSafeInteger(value)) return value
    }
    this.fail()
    return 0
  }

  /** An unsigned integer of 64 bits, into two words, the high one first. */
  len64(view: Uint32Array, at: number): void {
    view[at] = 0
    if (this.at < this.end && this.bytes[this.at] === U64) {
      this.at++
      view[at] = this.bigEndian()
      view[at + 1] = this.bigEndian()
    } else view[at + 1] = this.len()
  }

  /** A length that counts elements of at least one byte each, so that it cannot exceed what is left. */
  count(): number {
    const count = this.len()
    if (count <= this.end - this.at) return count
    this.fail()
    return 0
  }

  private bigEndian(): number {
    if (!this.has(4)) return 0
    const { bytes, at } = this
    this.at += 4
    return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
  }

  private littleEndian(size: number): number {
    if (!this.has(size)) return 0
    let value = 0
    for (let i = 0; i < size; i++) value |= this.bytes[this.at++] << (8 * i)
    return (value << (32 - 8 * size)) >> (32 - 8 * size)
  }

  /** An unsigned 64-bit integer, little endian. */
  u64(): number {
    const low = this.littleEndian(4) >>> 0
    return (this.littleEndian(4) >>> 0) * TWO_32 + low
  }

  double(): number {
    if (!this.has(8)) return 0
    const value = new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at, true)
    this.at += 8
    return value
  }

  /** Reads a string into `data`, `off` and `length`. */
  string(): void {
    const first = this.has(1) ? this.bytes[this.at] : 0
    if (first < INT8) return this.plain()
    this.at++
    if (first === LZF) return this.packed()
    if (first > LZF) return this.fail()
    const value = this.littleEndian(first === INT8 ? 1 : first === INT16 ? 2 : 4)
    this.data = new Uint8Array(12)
    this.off = 0
    this.length = writeInt(this.data, 0, value)
  }

  private plain(): void {
    const length = this.len()
    const there = this.has(length)
    this.data = this.bytes
    this.off = this.at
    this.length = there ? length : 0
    this.at += this.length
  }

  private packed(): void {
    const size = this.len()
    const length = this.len()
    const plain = this.has(size) ? lzfDecompress(this.bytes, this.at, size, length) : null
    if (plain === null) this.fail()
    else this.at += size
    this.data = plain ?? EMPTY
    this.off = 0
    this.length = this.data.length
  }
}
