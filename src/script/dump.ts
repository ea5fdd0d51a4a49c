/**
 * The payload of FUNCTION DUMP: libraries as a snapshot file holds them, with the version and checksum of DUMP behind them.
 *
 *   | 0xf5 | code, a string of the snapshot format | ... | version u16 | crc64 of all before |
 *
 * A string is its length and bytes, or 0xc3, two lengths and an LZF stream; lengths are of 6, 14, 32 or 64 bits.
 */
import { Crc64 } from '../util/crc64.ts'
import { lzfCompress, lzfDecompress } from '../util/lzf.ts'
import { Output } from './output.ts'

const VERSION = 11
const FUNCTION2 = 0xf5
const FUNCTION_PRE_GA = 0xf6
const TRAILER_BYTES = 10
const COMPRESS_FROM = 21
const LZF = 0xc3

export function encode(codes: Uint8Array[]): Uint8Array {
  const out = new Output()
  for (const code of codes) {
    out.byte(FUNCTION2)
    putString(out, code)
  }
  out.byte(VERSION)
  out.byte(0)
  const crc = new Crc64()
  crc.update(out.bytes, 0, out.length)
  out.reserve(8)
  out.length = crc.write(out.bytes, out.length)
  return out.bytes.slice(0, out.length)
}

function putString(out: Output, code: Uint8Array): void {
  if (code.length >= COMPRESS_FROM) {
    const packed = new Uint8Array(code.length - 4)
    const length = lzfCompress(code, 0, code.length, packed, 0, packed.length)
    if (length > 0) {
      out.byte(LZF)
      putLength(out, length)
      putLength(out, code.length)
      out.copy(packed, 0, length)
      return
    }
  }
  putLength(out, code.length)
  out.copy(code, 0, code.length)
}

function putLength(out: Output, n: number): void {
  if (n < 64) return out.byte(n)
  if (n < 16384) {
    out.byte(0x40 | (n >> 8))
    return out.byte(n & 0xff)
  }
  out.byte(0x80)
  for (let shift = 24; shift >= 0; shift -= 8) out.byte((n >>> shift) & 0xff)
}

/** The codes in a payload, or what is wrong with it. */
export function decode(payload: Uint8Array): Uint8Array[] | string {
  const end = payload.length - TRAILER_BYTES
  const crc = new Crc64()
  crc.update(payload, 0, Math.max(0, payload.length - 8))
  if (end < 0 || payload[end] + 256 * payload[end + 1] > VERSION || !crc.matches(payload, payload.length - 8)) {
    return 'DUMP payload version or checksum are wrong'
  }
  const codes: Uint8Array[] = []
  const reader = new Reader(payload, end)
  while (reader.at < end) {
    const type = payload[reader.at++]
    if (type === FUNCTION_PRE_GA) return 'Pre-GA function format not supported'
    if (type !== FUNCTION2) return 'given type is not a function'
    const code = reader.string()
    if (code === null) return 'Failed loading library code'
    codes.push(code)
  }
  return codes
}

class Reader {
  private readonly bytes: Uint8Array
  private readonly end: number
  at = 0

  constructor(bytes: Uint8Array, end: number) {
    this.bytes = bytes
    this.end = end
  }

  string(): Uint8Array | null {
    if (this.bytes[this.at] === LZF && this.at < this.end) {
      this.at++
      const packed = this.length()
      const size = this.length()
      if (packed < 0 || size < 0 || this.at + packed > this.end) return null
      const code = lzfDecompress(this.bytes, this.at, packed, size)
      this.at += packed
      return code
    }
    const length = this.length()
    if (length < 0 || this.at + length > this.end) return null
    this.at += length
    return this.bytes.slice(this.at - length, this.at)
  }

  /** A length; -1 when there is none. */
  private length(): number {
    const { bytes } = this
    const first = bytes[this.at++]
    if (this.at > this.end) return -1
    if (first < 0x40) return first
    if (first < 0x80) return ((first & 0x3f) << 8) | bytes[this.at++]
    if (first !== 0x80 && first !== 0x81) return -1
    let n = 0
    for (let left = first === 0x80 ? 4 : 8; left > 0; left--) n = n * 256 + bytes[this.at++]
    return n <= bytes.length * 300 ? n : -1
  }
}
