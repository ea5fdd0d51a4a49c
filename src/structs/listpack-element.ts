/**
 * listpack elements: how one element of a listpack is spelled, over plain bytes.
 *
 *   | encoding and data | back length 1..5 |
 *
 *   0xxxxxxx                          integer 0..127
 *   10xxxxxx                          string of up to 63 bytes
 *   110xxxxx xxxxxxxx                 integer of 13 bits, high byte first, two's complement
 *   1110xxxx xxxxxxxx                 string of up to 4,095 bytes, length high byte first
 *   11110000 + 4 bytes                string, length little endian
 *   11110001 .. 11110100              integer of 2, 3, 4, 8 bytes, little endian
 *   11111111                          end of the listpack
 *
 * The back length counts the bytes of encoding and data in groups of seven bits, the highest group first; all groups but the first have
 * bit 7 set, so that it can be read from its end.
 *
 * (1) Bytes that are the canonical text of an int64 are stored as that integer, anything else as a string.
 * (2) `at` is always the index of an element's first byte (or of the end byte) in `u8`.
 * (3) `lpValue` and what `prepare` found are overwritten by the next call; both are dead when the caller returns.
 */
import { copyBytes, copyInto, equalBytes } from '../util/bytes.ts'
import { parseInt53, parseInt64, writeBigInt, writeInt } from '../util/int64.ts'
import { keepsViews, NO_BYTES } from '../util/views.ts'

export const LP_HEADER = 6
export const LP_END = 0xff

const TWO_32 = 2 ** 32
/** Texts longer than this are not integers. */
const INT_TEXT_MAX = 20

/** The bytes of the element that `lpDecode` read last: in the listpack itself, or an integer's digits. */
export const lpValue: { bytes: Uint8Array; off: number; len: number } = { bytes: NO_BYTES, off: 0, len: 0 }
keepsViews({ letGo: () => void (lpValue.bytes = NO_BYTES) })

const digits = new Uint8Array(24)

/** Bytes of the element's encoding and data, without its back length. */
export function elementLength(u8: Uint8Array, at: number): number {
  const tag = u8[at]
  if (tag < 0x80) return 1
  if (tag < 0xc0) return 1 + (tag & 0x3f)
  if (tag < 0xe0) return 2
  if (tag < 0xf0) return 2 + (((tag & 0x0f) << 8) | u8[at + 1])
  if (tag === 0xf0) return 5 + readLength32(u8, at)
  if (tag === 0xf4) return 9
  return tag - 0xf1 + 3
}

function readLength32(u8: Uint8Array, at: number): number {
  return (u8[at + 1] | (u8[at + 2] << 8) | (u8[at + 3] << 16) | (u8[at + 4] << 24)) >>> 0
}

/** Bytes of the back length of an element of this many bytes. */
export function backLengthSize(length: number): number {
  if (length <= 127) return 1
  if (length < 16383) return 2
  if (length < 2097151) return 3
  return length < 268435455 ? 4 : 5
}

/** Index behind the element: of the next one, or of the end byte. */
export function lpSkip(u8: Uint8Array, at: number): number {
  const tag = u8[at]
  if (tag < 0x80) return at + 2
  if (tag < 0xc0) return at + 2 + (tag & 0x3f)
  const length = elementLength(u8, at)
  return at + length + (length <= 127 ? 1 : backLengthSize(length))
}

/** Index of the element before the one (or the end byte) at `at`, which must not be the first. */
export function lpBack(u8: Uint8Array, at: number): number {
  let i = at - 1
  let byte = u8[i]
  if (byte < 0x80) return i - byte
  let length = byte & 0x7f
  for (let scale = 128; byte >= 0x80; scale *= 128) {
    byte = u8[--i]
    length += (byte & 0x7f) * scale
  }
  return i - length
}

/** Whether the element and a right back length lie in [at, end); reads nothing from `end` on. */
export function elementFits(u8: Uint8Array, at: number, end: number): boolean {
  const tag = u8[at]
  if (tag > 0xf4) return false
  const head = tag < 0xe0 || tag > 0xf0 ? 1 : tag < 0xf0 ? 2 : 5
  if (at + head > end) return false
  const length = elementLength(u8, at)
  const next = at + length + backLengthSize(length)
  if (next > end) return false
  let rest = length
  for (let i = next - 1; i > at + length; i--) {
    if (u8[i] !== ((rest & 0x7f) | 0x80)) return false
    rest = Math.floor(rest / 128)
  }
  return u8[at + length] === rest
}

/** Whether the element is stored as an integer. */
export function isIntegerAt(u8: Uint8Array, at: number): boolean {
  const tag = u8[at]
  return tag < 0x80 || (tag >= 0xc0 && (tag < 0xe0 || tag > 0xf0))
}

/** The element's integer; NaN for a string and for an integer beyond 2^53 - 1. */
export function integerAt(u8: Uint8Array, at: number): number {
  const tag = u8[at]
  if (tag < 0x80) return tag
  if (tag < 0xc0) return NaN
  if (tag < 0xe0) return ((((tag & 0x1f) << 8) | u8[at + 1]) << 19) >> 19
  switch (tag) {
    case 0xf1:
      return ((u8[at + 1] | (u8[at + 2] << 8)) << 16) >> 16
    case 0xf2:
      return ((u8[at + 1] | (u8[at + 2] << 8) | (u8[at + 3] << 16)) << 8) >> 8
    case 0xf3:
      return readLength32(u8, at) | 0
    case 0xf4: {
      const value = (readLength32(u8, at + 4) | 0) * TWO_32 + readLength32(u8, at)
      return Number.isSafeInteger(value) ? value : NaN
    }
    default:
      return NaN
  }
}

/** The element's integer, of the whole int64 range; only where `isIntegerAt`. */
export function bigIntegerAt(u8: Uint8Array, at: number): bigint {
  const value = integerAt(u8, at)
  if (value === value) return BigInt(value)
  return (BigInt(readLength32(u8, at + 4) | 0) << 32n) + BigInt(readLength32(u8, at))
}

/** Points `lpValue` at the element's bytes; an integer's digits are written to a scratch. */
export function lpDecode(u8: Uint8Array, at: number): void {
  const tag = u8[at]
  if (tag >= 0x80 && tag < 0xc0) setString(u8, at + 1, tag & 0x3f)
  else if (tag >= 0xe0 && tag < 0xf0) setString(u8, at + 2, ((tag & 0x0f) << 8) | u8[at + 1])
  else if (tag === 0xf0) setString(u8, at + 5, readLength32(u8, at))
  else {
    const value = integerAt(u8, at)
    const end = value === value ? writeInt(digits, 0, value) : writeBigInt(digits, 0, bigIntegerAt(u8, at))
    setString(digits, 0, end)
  }
}

function setString(bytes: Uint8Array, off: number, len: number): void {
  lpValue.bytes = bytes
  lpValue.off = off
  lpValue.len = len
}

/** What `prepare` found: the tag of the encoding to write, and an integer's two halves. */
let tag = 0
let low = 0
let high = 0

/** Chooses the encoding of these bytes for `writeElement`; returns the bytes of the whole element with its back length. */
export function prepare(bytes: Uint8Array, off: number, len: number): number {
  if (len <= INT_TEXT_MAX && len > 0) {
    const first = bytes[off]
    if (first <= 0x39 && (first >= 0x30 || first === 0x2d)) {
      const value = parseInt53(bytes, off, len)
      if (value === value) return prepareInt(value)
      const big = len > 15 ? parseInt64(bytes, off, len) : null
      if (big !== null) return prepareWords(Number(BigInt.asUintN(32, big)), Number(BigInt.asIntN(32, big >> 32n)))
    }
  }
  return prepareString(len)
}

function prepareString(len: number): number {
  if (len < 64) {
    tag = 0x80
    return len + 2
  }
  tag = len < 4096 ? 0xe0 : 0xf0
  const length = len + (tag === 0xe0 ? 2 : 5)
  return length + backLengthSize(length)
}

function prepareWords(lowWord: number, highWord: number): number {
  low = lowWord
  high = highWord
  tag = 0xf4
  return 10
}

/** The same for an integer of up to 2^53 - 1. */
export function prepareInt(value: number): number {
  low = value
  if (value >= 0 && value <= 127) {
    tag = 0
    return 2
  }
  if (value >= -4096 && value <= 4095) {
    tag = 0xc0
    return 3
  }
  if (value >= -32768 && value <= 32767) {
    tag = 0xf1
    return 4
  }
  if (value >= -8388608 && value <= 8388607) {
    tag = 0xf2
    return 5
  }
  if (value >= -2147483648 && value <= 2147483647) {
    tag = 0xf3
    return 6
  }
  return prepareWords(value >>> 0, Math.floor(value / TWO_32))
}

/** Writes the element that was prepared last; `bytes` are its bytes when it is a string. Returns the index behind it. */
export function writeElement(u8: Uint8Array, at: number, bytes: Uint8Array, off: number, len: number): number {
  if (tag === 0x80) {
    u8[at] = 0x80 | len
    copyBytes(u8, at + 1, bytes, off, len)
    u8[at + len + 1] = len + 1
    return at + len + 2
  }
  let length: number
  if (tag === 0xe0) {
    u8[at] = 0xe0 | (len >>> 8)
    u8[at + 1] = len
    copyBytes(u8, at + 2, bytes, off, len)
    length = len + 2
  } else if (tag === 0xf0) {
    u8[at] = 0xf0
    writeWord(u8, at + 1, len)
    copyBytes(u8, at + 5, bytes, off, len)
    length = len + 5
  } else length = writeInteger(u8, at)
  return writeBackLength(u8, at + length, length)
}

/** writeElement to bytes that `data` shows too: a short string, the usual element, goes by words. */
export function putElement(u8: Uint8Array, data: DataView, at: number, bytes: Uint8Array, off: number, len: number): number {
  if (tag !== 0x80) return writeElement(u8, at, bytes, off, len)
  u8[at] = 0x80 | len
  copyInto(u8, data, at + 1, bytes, off, len)
  u8[at + len + 1] = len + 1
  return at + len + 2
}

/** Writes the prepared integer without its back length; returns its bytes. */
function writeInteger(u8: Uint8Array, at: number): number {
  if (tag === 0) {
    u8[at] = low
    return 1
  }
  if (tag === 0xc0) {
    u8[at] = 0xc0 | ((low >>> 8) & 0x1f)
    u8[at + 1] = low
    return 2
  }
  u8[at] = tag
  u8[at + 1] = low
  u8[at + 2] = low >>> 8
  if (tag === 0xf1) return 3
  u8[at + 3] = low >>> 16
  if (tag === 0xf2) return 4
  u8[at + 4] = low >>> 24
  if (tag === 0xf3) return 5
  writeWord(u8, at + 5, high)
  return 9
}

function writeWord(u8: Uint8Array, at: number, word: number): void {
  u8[at] = word
  u8[at + 1] = word >>> 8
  u8[at + 2] = word >>> 16
  u8[at + 3] = word >>> 24
}

function writeBackLength(u8: Uint8Array, at: number, length: number): number {
  const size = backLengthSize(length)
  let rest = length
  for (let i = at + size - 1; i > at; i--) {
    u8[i] = (rest & 0x7f) | 0x80
    rest = Math.floor(rest / 128)
  }
  u8[at] = rest
  return at + size
}

/** Index of the first element from `at` on whose bytes are the prepared ones, looking at every (skip + 1)-th; -1 at the end. */
export function findPrepared(u8: Uint8Array, start: number, bytes: Uint8Array, off: number, len: number, skip: number): number {
  if (tag === 0x80) return findShort(u8, start, bytes, off, len, skip)
  const isString = tag === 0xe0 || tag === 0xf0
  let at = start
  while (u8[at] !== LP_END) {
    if (isString ? stringMatches(u8, at, bytes, off, len) : integerMatches(u8, at)) return at
    at = lpSkip(u8, at)
    for (let i = 0; i < skip; i++) {
      if (u8[at] === LP_END) return -1
      at = lpSkip(u8, at)
    }
  }
  return -1
}

/** The same for a string of up to 63 bytes, whose encoding has one form only except in a listpack from elsewhere. */
function findShort(u8: Uint8Array, start: number, bytes: Uint8Array, off: number, len: number, skip: number): number {
  const head = 0x80 | len
  // Names that are alike differ at the end rather than at the beginning; of the empty string this is the head itself.
  const last = len === 0 ? head : bytes[off + len - 1]
  let at = start
  for (let found = u8[at]; found !== LP_END; found = u8[at]) {
    if (found === head) {
      if (u8[at + len] === last && equalBytes(u8, at + 1, bytes, off, len)) return at
    } else if (found >= 0xe0 && stringMatches(u8, at, bytes, off, len)) return at
    at = lpSkip(u8, at)
    for (let i = 0; i < skip; i++) {
      if (u8[at] === LP_END) return -1
      at = lpSkip(u8, at)
    }
  }
  return -1
}

/** Whether the element is the prepared string. */
function stringMatches(u8: Uint8Array, at: number, bytes: Uint8Array, off: number, len: number): boolean {
  const head = u8[at]
  let from: number
  if (head >= 0x80 && head < 0xc0) {
    if ((head & 0x3f) !== len) return false
    from = at + 1
  } else if (head >= 0xe0 && head < 0xf0) {
    if ((((head & 0x0f) << 8) | u8[at + 1]) !== len) return false
    from = at + 2
  } else if (head === 0xf0) {
    if (readLength32(u8, at) !== len) return false
    from = at + 5
  } else return false
  return equalBytes(u8, from, bytes, off, len)
}

/** Whether the element is the prepared integer; a listpack from elsewhere may hold it in a wider encoding. */
function integerMatches(u8: Uint8Array, at: number): boolean {
  if (u8[at] === 0xf4) {
    const wanted = tag === 0xf4 ? high : low < 0 ? -1 : 0
    return readLength32(u8, at) === low >>> 0 && (readLength32(u8, at + 4) | 0) === (wanted | 0)
  }
  return tag !== 0xf4 && integerAt(u8, at) === low
}

/** Whether the element at `at` is the prepared one. */
export function matchesPrepared(u8: Uint8Array, at: number, bytes: Uint8Array, off: number, len: number): boolean {
  return tag === 0x80 || tag === 0xe0 || tag === 0xf0 ? stringMatches(u8, at, bytes, off, len) : integerMatches(u8, at)
}
