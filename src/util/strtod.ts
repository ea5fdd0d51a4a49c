/**
 * strtod: the spellings of floating-point numbers that the C library reads, and exact binary rounding.
 *
 *   [+-] digits [. digits] [e [+-] digits]      digits may be missing on one side of the point
 *   [+-] 0x hexdigits [. hexdigits] [p [+-] digits]
 *   [+-] inf | infinity                          any case
 *
 * `nan` is a spelling too, but no command takes it, so here it is not one. The text has to be used up; blanks are refused.
 *
 * A value is a fraction of integers until it is rounded once, half to even, to the precision asked for: 53 bits for double.ts, 64 bits
 * for long-double.ts.
 */

import { asciiLowerEquals, latin1, lowerByte } from './bytes.ts'

export const NOT_A_FLOAT = 0
export const DECIMAL = 1
export const HEXADECIMAL = 2
export const INFINITE = 3

const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_E = 0x65
const LOWER_P = 0x70
const LOWER_X = 0x78

const scratch = new DataView(new ArrayBuffer(8))
/** The digits of a text this short are a safe integer. */
const PLAIN_MAX = 15

/** Which spelling of a number the whole run is: NOT_A_FLOAT, DECIMAL, HEXADECIMAL or INFINITE. */
export function classifyFloat(bytes: Uint8Array, off: number, len: number): number {
  const end = off + len
  let i = off
  if (i < end && (bytes[i] === PLUS || bytes[i] === MINUS)) i++
  if (asciiLowerEquals(bytes, i, end - i, 'inf') || asciiLowerEquals(bytes, i, end - i, 'infinity')) return INFINITE
  const hexadecimal = i + 1 < end && bytes[i] === ZERO && lowerByte(bytes[i + 1]) === LOWER_X
  if (hexadecimal) i += 2
  const wholeEnd = skipDigits(bytes, i, end, hexadecimal)
  let digits = wholeEnd - i
  i = wholeEnd
  if (i < end && bytes[i] === POINT) {
    const fractionEnd = skipDigits(bytes, i + 1, end, hexadecimal)
    digits += fractionEnd - i - 1
    i = fractionEnd
  }
  if (digits === 0) return NOT_A_FLOAT
  if (i < end) {
    if (lowerByte(bytes[i]) !== (hexadecimal ? LOWER_P : LOWER_E)) return NOT_A_FLOAT
    i++
    if (i < end && (bytes[i] === PLUS || bytes[i] === MINUS)) i++
    if (i === end || skipDigits(bytes, i, end, false) !== end) return NOT_A_FLOAT
  }
  return hexadecimal ? HEXADECIMAL : DECIMAL
}

function skipDigits(bytes: Uint8Array, i: number, end: number, hexadecimal: boolean): number {
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit >= 0 && digit <= 9) continue
    if (!hexadecimal) return i
    const letter = lowerByte(bytes[i])
    if (letter < 0x61 || letter > 0x66) return i
  }
  return i
}

/** A number before rounding: (-1)^negative x digits x base^exponent, base 10 or 2. */
export interface ExactFloat {
  negative: boolean
  digits: bigint
  exponent: number
}

/** The exact value of a run that classifyFloat called DECIMAL (base 10) or HEXADECIMAL (base 2). */
export function exactFloat(bytes: Uint8Array, off: number, len: number, kind: number): ExactFloat {
  if (kind === DECIMAL && len <= PLAIN_MAX) {
    const plain = plainDecimal(bytes, off, len)
    if (plain !== null) return plain
  }
  const text = latin1(bytes, off, len).toLowerCase()
  const negative = text[0] === '-'
  const start = negative || text[0] === '+' ? 1 : 0
  const mark = text.indexOf(kind === DECIMAL ? 'e' : 'p')
  const body = mark < 0 ? text.slice(start) : text.slice(start, mark)
  const point = body.indexOf('.')
  const places = point < 0 ? 0 : body.length - point - 1
  const digits = BigInt(body.replace('.', ''))
  const scale = kind === DECIMAL ? places : places * 4
  return { negative, digits, exponent: (mark < 0 ? 0 : Number(text.slice(mark + 1))) - scale }
}

/** The exact value of a short decimal without an exponent, or null. */
function plainDecimal(bytes: Uint8Array, off: number, len: number): ExactFloat | null {
  let digits = 0
  let places = 0
  let afterPoint = false
  for (let i = off; i < off + len; i++) {
    const byte = bytes[i]
    if (byte >= ZERO) {
      if (byte > NINE) return null
      digits = digits * 10 + byte - ZERO
      if (afterPoint) places++
    } else if (byte === POINT) {
      afterPoint = true
    }
  }
  return { negative: bytes[off] === MINUS, digits: BigInt(digits), exponent: 0 - places }
}

/** A binary number: mantissa x 2^exponent. */
export interface Binary {
  mantissa: bigint
  exponent: number
}

/**
 * Rounds mantissa x 2^exponent (mantissa >= 0) half to even, to `precision` bits and no bit below 2^lowest. A caller that dropped lower
 * bits leaves the lowest bit of its mantissa set, at least two places below the precision.
 */
export function roundBinary(mantissa: bigint, exponent: number, precision: number, lowest: number): Binary {
  const drop = Math.max(bitLength(mantissa) - precision, lowest - exponent)
  if (drop <= 0) return { mantissa, exponent }
  return { mantissa: shiftRightEven(mantissa, drop), exponent: exponent + drop }
}

/** mantissa / 2^drop, rounded half to even. */
export function shiftRightEven(mantissa: bigint, drop: number): bigint {
  const shift = BigInt(drop)
  const quotient = mantissa >> shift
  const twiceRest = (mantissa - (quotient << shift)) << 1n
  const unit = 1n << shift
  return twiceRest > unit || (twiceRest === unit && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}

/** How many bits an integer >= 0 has; 0 for 0. */
export function bitLength(n: bigint): number {
  const approximate = Number(n)
  if (approximate === 0) return 0
  scratch.setFloat64(0, approximate)
  const high = scratch.getUint32(0)
  // The double's exponent tells, unless rounding may have reached the next power of two.
  if (approximate < Infinity && ((high & 0xfffff) | scratch.getUint32(4)) !== 0) return (high >>> 20) - 1022
  const hex = n.toString(16)
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0], 16)) + 28
}
