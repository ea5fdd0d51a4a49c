/**
 * int64: decimal integers in bytes, read and written without a string.
 *
 * "Canonical" is the one spelling that Redis takes for an integer: an optional '-', then digits without a leading zero; "0" alone may
 * begin with one. No '+', no "-0", no blanks, at most 20 bytes. A canonical text is the text that writeInt would give back, which is why
 * a string value may be stored as a number.
 *
 * Numbers up to 2^53 - 1 travel as JavaScript numbers; NaN from parseInt53 sends the caller to parseInt64, which knows the rest of the
 * int64 range and may allocate.
 */

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

/** The longest canonical int64, "-9223372036854775808". */
export const INT64_TEXT_MAX = 20

const MINUS = 0x2d
const ZERO = 0x30
const TEN_9 = 1_000_000_000
const TEN_9_BIG = 1_000_000_000n
const INT64_DIGITS = 19
const INT64_MAX_TEXT = Uint8Array.from('9223372036854775807', (c) => c.charCodeAt(0))

/**
 * The integer spelled by bytes[off, off + len), or NaN when it is not canonical or lies outside +-(2^53 - 1).
 * Sums of digits round monotonically, so a value beyond 2^53 - 1 can never look like one below.
 */
export function parseInt53(bytes: Uint8Array, off: number, len: number): number {
  if (len === 0 || len > 17) return NaN
  let i = off
  const end = off + len
  const negative = bytes[i] === MINUS
  if (negative) i++
  let digit = i < end ? bytes[i] - ZERO : -1
  if (digit === 0) return len === 1 ? 0 : NaN
  if (digit < 0 || digit > 9) return NaN
  i++
  if (end - i <= 8) {
    // At most nine digits: the sum stays a small integer.
    let small = digit
    for (; i < end; i++) {
      digit = bytes[i] - ZERO
      if (digit < 0 || digit > 9) return NaN
      small = (Math.imul(small, 10) + digit) | 0
    }
    return negative ? -small : small
  }
  let sum = digit
  for (; i < end; i++) {
    digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return NaN
    sum = sum * 10 + digit
  }
  if (sum > Number.MAX_SAFE_INTEGER) return NaN
  return negative ? -sum : sum
}

/** The int64 spelled by bytes[off, off + len), or null when it is not canonical or out of range. The slow path behind parseInt53. */
export function parseInt64(bytes: Uint8Array, off: number, len: number): bigint | null {
  if (!isCanonicalInt64(bytes, off, len)) return null
  const negative = bytes[off] === MINUS
  let i = negative ? off + 1 : off
  const end = off + len
  let high = 0
  for (; i < end - 9; i++) high = high * 10 + (bytes[i] - ZERO)
  let low = 0
  for (; i < end; i++) low = low * 10 + (bytes[i] - ZERO)
  const magnitude = BigInt(high) * TEN_9_BIG + BigInt(low)
  return negative ? -magnitude : magnitude
}

/** Whether bytes[off, off + len) is a canonical integer of the int64 range: what Redis would store as `int`. */
export function isCanonicalInt64(bytes: Uint8Array, off: number, len: number): boolean {
  if (len === 0 || len > INT64_TEXT_MAX) return false
  const negative = bytes[off] === MINUS
  const first = negative ? off + 1 : off
  const digits = negative ? len - 1 : len
  if (digits === 0 || digits > INT64_DIGITS) return false
  if (bytes[first] === ZERO) return len === 1
  const end = first + digits
  for (let i = first; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return false
  }
  return digits < INT64_DIGITS || fitsInt64(bytes, first, negative)
}

/** Whether the 19 digits at `first` are at most 2^63 - 1, or 2^63 when negative. */
function fitsInt64(bytes: Uint8Array, first: number, negative: boolean): boolean {
  for (let i = 0; i < INT64_DIGITS; i++) {
    const difference = bytes[first + i] - INT64_MAX_TEXT[i]
    if (difference === 0) continue
    return difference < 0 || (negative && i === INT64_DIGITS - 1 && difference === 1)
  }
  return true
}

/** How many bytes writeInt(n) writes. |n| <= 2^53 - 1. */
export function intLength(n: number): number {
  if (n < 0) return 1 + digitCount(-n)
  return digitCount(n)
}

function digitCount(n: number): number {
  if (n < 10) return 1
  if (n < 100) return 2
  if (n < 1000) return 3
  if (n < 10_000) return 4
  if (n < TEN_9) return n < 1e6 ? (n < 1e5 ? 5 : 6) : n < 1e7 ? 7 : n < 1e8 ? 8 : 9
  if (n < 1e12) return n < 1e10 ? 10 : n < 1e11 ? 11 : 12
  return n < 1e14 ? (n < 1e13 ? 13 : 14) : n < 1e15 ? 15 : 16
}

/** Writes the integer n (|n| <= 2^53 - 1) at dst[off] and returns the offset behind it. */
export function writeInt(dst: Uint8Array, off: number, n: number): number {
  if (n < 0) {
    dst[off++] = MINUS
    n = -n
  }
  if (n < 10) {
    dst[off] = ZERO + n
    return off + 1
  }
  const end = off + digitCount(n)
  if (n < TEN_9) {
    writeDigits(dst, off, end, n | 0)
    return end
  }
  const high = Math.floor(n / TEN_9)
  writeDigits(dst, off, end - 9, high | 0)
  writeDigits(dst, end - 9, end, (n - high * TEN_9) | 0)
  return end
}

/** Fills dst[off, end) with the decimal digits of n < 2^31, zero-padded on the left: two a step, the last tens without a division. */
function writeDigits(dst: Uint8Array, off: number, end: number, n: number): void {
  let i = end - 1
  for (; i > off; i -= 2) {
    const rest = (n / 100) | 0
    const pair = n - rest * 100
    const tens = (pair * 103) >>> 10
    dst[i] = ZERO + pair - tens * 10
    dst[i - 1] = ZERO + tens
    n = rest
  }
  if (i === off) dst[i] = ZERO + (n % 10)
}

/** Writes any integer at dst[off] and returns the offset behind it. The slow path behind writeInt. */
export function writeBigInt(dst: Uint8Array, off: number, n: bigint): number {
  const text = n.toString()
  for (let i = 0; i < text.length; i++) dst[off + i] = text.charCodeAt(i)
  return off + text.length
}
