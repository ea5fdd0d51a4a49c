/**
 * stream-id: the 128-bit ids of stream entries, `<ms>-<seq>`, both halves unsigned 64-bit.
 *
 *   | ms high u32 | ms low u32 | seq high u32 | seq low u32 |      four words, so ids compare word by word
 *
 * An id is named by a view and the index of its first word: it lies in the arena or in a scratch array alike, and moving
 * or comparing one makes no object. Halves up to 2^53 - 1 print and parse as numbers, the rest through BigInt.
 */
import { intLength, writeBigInt, writeInt } from '../util/int64.ts'

export const ID_WORDS = 4
/** The longest text of an id: two numbers of 20 digits and the dash. */
export const ID_TEXT_MAX = 41
/** Longest text that is looked at; anything longer is no id. */
const ID_ARGUMENT_MAX = 127

const MAX_WORD = 0xffffffff
const TWO_32 = 2 ** 32
const SAFE_HIGH = 2 ** 21
const DASH = 0x2d
const PLUS = 0x2b
const STAR = 0x2a
const ZERO = 0x30
const SPACE = 0x20

/** Negative, zero or positive as id a is below, equal to or above id b. */
export function compareIds(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  let i = 0
  while (i < ID_WORDS - 1 && a[aAt + i] === b[bAt + i]) i++
  return a[aAt + i] - b[bAt + i]
}

export function copyId(to: Uint32Array, toAt: number, from: Uint32Array, fromAt: number): void {
  to[toAt] = from[fromAt]
  to[toAt + 1] = from[fromAt + 1]
  to[toAt + 2] = from[fromAt + 2]
  to[toAt + 3] = from[fromAt + 3]
}

export function isZeroId(id: Uint32Array, at: number): boolean {
  return (id[at] | id[at + 1] | id[at + 2] | id[at + 3]) === 0
}

export function isMaxId(id: Uint32Array, at: number): boolean {
  return (id[at] & id[at + 1] & id[at + 2] & id[at + 3]) === -1
}

/** The lowest id, 0-0. */
export function setMinId(id: Uint32Array, at: number): void {
  id.fill(0, at, at + ID_WORDS)
}

/** The highest id, both halves 2^64 - 1. */
export function setMaxId(id: Uint32Array, at: number): void {
  id.fill(MAX_WORD, at, at + ID_WORDS)
}

/** Moves to the next id; false, and 0-0, when there is none. */
export function incrementId(id: Uint32Array, at: number): boolean {
  for (let i = ID_WORDS - 1; i >= 0; i--) {
    const word = id[at + i]
    id[at + i] = word + 1
    if (word !== MAX_WORD) return true
  }
  return false
}

/** Moves to the id before; false, and the highest id, when there is none. */
export function decrementId(id: Uint32Array, at: number): boolean {
  for (let i = ID_WORDS - 1; i >= 0; i--) {
    const word = id[at + i]
    id[at + i] = word - 1
    if (word !== 0) return true
  }
  return false
}

/** Sets one half (ms at `at`, seq at `at + 2`) to a number up to 2^53 - 1. */
export function setHalf(id: Uint32Array, at: number, value: number): void {
  id[at] = value / TWO_32
  id[at + 1] = value
}

function setHalfBig(id: Uint32Array, at: number, value: bigint): void {
  id[at] = Number(value >> 32n)
  id[at + 1] = Number(value & 0xffffffffn)
}

/** One half as a number, exact up to 2^53 - 1. */
export function halfNumber(id: Uint32Array, at: number): number {
  return id[at] * TWO_32 + id[at + 1]
}

function halfBig(id: Uint32Array, at: number): bigint {
  return (BigInt(id[at]) << 32n) | BigInt(id[at + 1])
}

function writeHalf(dst: Uint8Array, off: number, id: Uint32Array, at: number): number {
  if (id[at] < SAFE_HIGH) return writeInt(dst, off, halfNumber(id, at))
  return writeBigInt(dst, off, halfBig(id, at))
}

/** The milliseconds written last and their text: ids come in runs of the same millisecond. */
const knownMs = new Uint32Array(2)
const msText = new Uint8Array(ID_TEXT_MAX)
let msLength = 0

function writeMs(dst: Uint8Array, off: number, id: Uint32Array, at: number): number {
  if (id[at + 1] !== knownMs[1] || id[at] !== knownMs[0] || msLength === 0) {
    knownMs[0] = id[at]
    knownMs[1] = id[at + 1]
    msLength = writeHalf(msText, 0, id, at)
  }
  for (let i = 0; i < msLength; i++) dst[off + i] = msText[i]
  return off + msLength
}

/** Writes the id's text at dst[off] and returns the offset behind it. */
export function writeId(dst: Uint8Array, off: number, id: Uint32Array, at: number): number {
  off = writeMs(dst, off, id, at)
  dst[off] = DASH
  return writeHalf(dst, off + 1, id, at + 2)
}

/** How many bytes writeId writes. */
export function idLength(id: Uint32Array, at: number): number {
  return halfLength(id, at) + 1 + halfLength(id, at + 2)
}

function halfLength(id: Uint32Array, at: number): number {
  return id[at] < SAFE_HIGH ? intLength(halfNumber(id, at)) : halfBig(id, at).toString().length
}

/** The id as a string, for tests and errors. */
export function idText(id: Uint32Array, at: number): string {
  return `${halfBig(id, at)}-${halfBig(id, at + 2)}`
}

/** What parseId found. */
export const ID_INVALID = 0
export const ID_FULL = 1
/** Only the milliseconds were spelled; the sequence is the one the caller asked for. */
export const ID_NO_SEQ = 2
/** `<ms>-*`: the sequence, set to 0 here, is to be generated. */
export const ID_AUTO_SEQ = 3

/**
 * Reads `<ms>`, `<ms>-<seq>` or `<ms>-*` into the id. A missing sequence becomes 0, or 2^64 - 1 when `missingMax`.
 * As in Redis the text ends at a NUL byte, and each number may begin with blanks, a sign and zeros.
 */
export function parseId(bytes: Uint8Array, off: number, len: number, id: Uint32Array, at: number, missingMax: boolean): number {
  if (len > ID_ARGUMENT_MAX) return ID_INVALID
  let end = off
  let dash = -1
  for (const limit = off + len; end < limit && bytes[end] !== 0; end++) if (dash < 0 && bytes[end] === DASH) dash = end
  if (!parseHalf(bytes, off, dash < 0 ? end : dash, id, at)) return ID_INVALID
  if (dash < 0) {
    id.fill(missingMax ? MAX_WORD : 0, at + 2, at + 4)
    return ID_NO_SEQ
  }
  if (end - dash === 2 && bytes[dash + 1] === STAR) {
    id.fill(0, at + 2, at + 4)
    return ID_AUTO_SEQ
  }
  return parseHalf(bytes, dash + 1, end, id, at + 2) ? ID_FULL : ID_INVALID
}

/** Reads one unsigned number of 64 bits: up to 15 plain digits at once, whatever else strtoull takes on the slow path. */
function parseHalf(bytes: Uint8Array, from: number, end: number, id: Uint32Array, at: number): boolean {
  if (end - from > 15 || end === from) return parseHalfSlowly(bytes, from, end, id, at)
  let value = 0
  for (let i = from; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return parseHalfSlowly(bytes, from, end, id, at)
    value = value * 10 + digit
  }
  setHalf(id, at, value)
  return true
}

function parseHalfSlowly(bytes: Uint8Array, from: number, end: number, id: Uint32Array, at: number): boolean {
  let i = from
  while (i < end && (bytes[i] === SPACE || (bytes[i] >= 9 && bytes[i] <= 13))) i++
  const negative = bytes[i] === DASH && i < end
  if (i < end && (negative || bytes[i] === PLUS)) i++
  const first = i
  let value = 0n
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return false
    value = value * 10n + BigInt(digit)
  }
  if (i === first || value >= 2n ** 64n) return false
  // A plain negative integer is refused; one that only strtoull reads wraps around.
  if (negative && first - from === 1 && value > 0n && bytes[first] !== ZERO && value <= 2n ** 63n) return false
  setHalfBig(id, at, negative ? BigInt.asUintN(64, -value) : value)
  return true
}
