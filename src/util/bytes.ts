/**
 * bytes: moving, comparing and spelling runs of bytes.
 *
 * Runs are (array, offset, length) so that nobody makes a subarray to name one. Between two arrays a loop beats the engine below LOOP_MAX
 * bytes, since the engine's call pays about 70 ns for its view object; within one array `copyWithin` needs no view and wins from WITHIN_MIN
 * bytes on (15 ns for 16 bytes, 40 for 1,024). Loops take four bytes a step, since most of a step is bookkeeping: copying 32 bytes takes
 * 20 ns instead of 34, comparing them 26 instead of 39 (Node 20). All arguments are Uint8Array, never Buffer, so that every caller shares
 * one compiled shape.
 *
 * Text here is latin1, one character per byte: it is how bytes become a JavaScript string and come back unchanged.
 */
import { keepsViews, NO_BYTES, NO_DATA } from './views.ts'

/** From this length on copying between two arrays, and within one, is left to the engine. */
const LOOP_MAX = 128
const WITHIN_MIN = 16
/** From this length on words are faster than bytes. */
const WORDS_MIN = 8

/** The longest string that the engine concatenates flat; above it += leaves a tree of ropes behind. */
const FLAT_MAX = 12

const utf8Encoder = new TextEncoder()
const utf8Decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Copies len bytes between runs that do not overlap (use moveBytes within one array). */
export function copyBytes(dst: Uint8Array, dstOff: number, src: Uint8Array, srcOff: number, len: number): void {
  if (len >= WITHIN_MIN) {
    // Within one array (two blocks of a segment) no view is needed.
    if (dst === src) {
      dst.copyWithin(dstOff, srcOff, srcOff + len)
      return
    }
    if (len >= LOOP_MAX) {
      dst.set(src.subarray(srcOff, srcOff + len), dstOff)
      return
    }
  }
  const end = srcOff + len
  const lastFour = end - 4
  while (srcOff <= lastFour) {
    dst[dstOff] = src[srcOff]
    dst[dstOff + 1] = src[srcOff + 1]
    dst[dstOff + 2] = src[srcOff + 2]
    dst[dstOff + 3] = src[srcOff + 3]
    srcOff += 4
    dstOff += 4
  }
  while (srcOff < end) dst[dstOff++] = src[srcOff++]
}

/** Copies a short run through data views, a word a step, the last one overlapping: 15 bytes in half the time of copyBytes. */
export function copyShort(dst: DataView, dstOff: number, src: DataView, srcOff: number, len: number): void {
  if (len < 4) {
    for (let i = 0; i < len; i++) dst.setUint8(dstOff + i, src.getUint8(srcOff + i))
    return
  }
  const last = srcOff + len - 4
  const lastTo = dstOff + len - 4
  for (; srcOff < last; srcOff += 4, dstOff += 4) dst.setUint32(dstOff, src.getUint32(srcOff, true), true)
  dst.setUint32(lastTo, src.getUint32(last, true), true)
}

/** Copies a run of any length into an array that `dst` shows too as `data`: by words when it is neither very short nor long. */
export function copyInto(dst: Uint8Array, data: DataView, dstOff: number, src: Uint8Array, srcOff: number, len: number): void {
  if (len >= WORDS_MIN && len < LOOP_MAX) copyShort(data, dstOff, dataOf(src), srcOff, len)
  else copyBytes(dst, dstOff, src, srcOff, len)
}

/** The arrays that dataOf was asked for last, and their views; the first is the latest. */
let first = NO_BYTES
let firstData = NO_DATA
let second = first
let secondData = firstData

/**
 * A data view of these bytes. It is made only when it is for another array than the last ones, which are nearly always the buffer that
 * requests arrive in and one more.
 */
export function dataOf(bytes: Uint8Array): DataView {
  return bytes === first ? firstData : otherData(bytes)
}

function otherData(bytes: Uint8Array): DataView {
  const data = bytes === second ? secondData : new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  second = first
  secondData = firstData
  first = bytes
  firstData = data
  return data
}

keepsViews({
  letGo() {
    first = second = NO_BYTES
    firstData = secondData = NO_DATA
  },
})

/** Moves len bytes inside one array; the runs may overlap. */
export function moveBytes(bytes: Uint8Array, dstOff: number, srcOff: number, len: number): void {
  if (len >= WITHIN_MIN) {
    bytes.copyWithin(dstOff, srcOff, srcOff + len)
  } else if (dstOff < srcOff) {
    for (let i = 0; i < len; i++) bytes[dstOff + i] = bytes[srcOff + i]
  } else {
    for (let i = len - 1; i >= 0; i--) bytes[dstOff + i] = bytes[srcOff + i]
  }
}

/** Whether two runs of the same length hold the same bytes. */
export function equalBytes(a: Uint8Array, aOff: number, b: Uint8Array, bOff: number, len: number): boolean {
  const end = aOff + len
  const lastFour = end - 4
  while (aOff <= lastFour) {
    const first = (a[aOff] ^ b[bOff]) | (a[aOff + 1] ^ b[bOff + 1])
    const second = (a[aOff + 2] ^ b[bOff + 2]) | (a[aOff + 3] ^ b[bOff + 3])
    if ((first | second) !== 0) return false
    aOff += 4
    bOff += 4
  }
  while (aOff < end) {
    if (a[aOff++] !== b[bOff++]) return false
  }
  return true
}

/** The same for two data views, a word a step, the last one overlapping: half the time of equalBytes for 16 bytes. */
export function equalData(a: DataView, aOff: number, b: DataView, bOff: number, len: number): boolean {
  if (len < 4) {
    for (let i = 0; i < len; i++) if (a.getUint8(aOff + i) !== b.getUint8(bOff + i)) return false
    return true
  }
  const last = aOff + len - 4
  if (a.getInt32(last, true) !== b.getInt32(bOff + len - 4, true)) return false
  for (; aOff < last; aOff += 4, bOff += 4) if (a.getInt32(aOff, true) !== b.getInt32(bOff, true)) return false
  return true
}

/** Orders two runs as memcmp does, a prefix before its extensions: negative, zero or positive. */
export function compareBytes(a: Uint8Array, aOff: number, aLen: number, b: Uint8Array, bOff: number, bLen: number): number {
  const len = aLen < bLen ? aLen : bLen
  for (let i = 0; i < len; i++) {
    const difference = a[aOff + i] - b[bOff + i]
    if (difference !== 0) return difference
  }
  return aLen - bLen
}

/** The run as a string of one character per byte. */
export function latin1(bytes: Uint8Array, off: number, len: number): string {
  if (len <= FLAT_MAX) {
    let text = ''
    for (let i = 0; i < len; i++) text += String.fromCharCode(bytes[off + i])
    return text
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset + off, len).toString('latin1')
}

/** Writes the low byte of every character at dst[off] and returns the offset behind them. */
export function writeLatin1(dst: Uint8Array, off: number, text: string): number {
  const len = text.length
  for (let i = 0; i < len; i++) dst[off + i] = text.charCodeAt(i)
  return off + len
}

/** New bytes with the low byte of every character. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  writeLatin1(bytes, 0, text)
  return bytes
}

/** New bytes with the UTF-8 form of a string. */
export function utf8(text: string): Uint8Array {
  return utf8Encoder.encode(text)
}

/** The run read as UTF-8; malformed sequences become U+FFFD. */
export function utf8Text(bytes: Uint8Array, off: number, len: number): string {
  return utf8Decoder.decode(bytes.subarray(off, off + len))
}

/** Whether the run spells lowerName (ASCII, lower case) in any mix of cases. */
export function asciiLowerEquals(bytes: Uint8Array, off: number, len: number, lowerName: string): boolean {
  if (len !== lowerName.length) return false
  for (let i = 0; i < len; i++) {
    if (lowerByte(bytes[off + i]) !== lowerName.charCodeAt(i)) return false
  }
  return true
}

/** The ASCII lower case of one byte. */
export function lowerByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}
