/**
 * float: doubles as text, the way scores and double replies show them.
 *
 * The digits are the shortest that read back as the same double. Where the point goes follows Redis 7.2:
 *
 *   inf  -inf  nan  0  -0
 *   integers up to 2^62                      all digits: 1152921504606846976
 *   integers of d digits with <= 7 zeros     the digits and the zeros
 *   up to six decimals, or 0.001 .. 9999.x   plain: 0.0001, 1234.00000000001
 *   everything else                          d.ddde+x: 1e+19, 1.2e-7, 1.234512345678e+4
 */

import { latin1, lowerByte, writeLatin1 } from './bytes.ts'
import { parseInt53, writeInt } from './int64.ts'
import { bitLength, classifyFloat, DECIMAL, exactFloat, INFINITE, NOT_A_FLOAT, roundBinary } from './strtod.ts'

/** The longest text of a double, "-12345678901234567" and seven zeros. */
export const DOUBLE_TEXT_MAX = 25

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const LOWER_E = 0x65
const LOWER_P = 0x70
const LOWER_X = 0x78

/** Integers up to here print all their digits: half of the largest int64, as a double. */
const ALL_DIGITS_MAX = 2 ** 62
const MILLION = 1_000_000
/** Below this, six decimals make at most 15 significant digits, and those name one double only. */
const SIX_DECIMALS_MAX = 1e9

/** Hexadecimal texts longer than this are no numbers; a BigInt has a limit too. */
const HEXADECIMAL_MAX = 1 << 20

const DOUBLE_PRECISION = 53
const DOUBLE_LOWEST_BIT = -1074
const DOUBLE_MAX_BITS = 1024
/** 10^k is exact in a double up to here, so that one division rounds once. */
const EXACT_POWERS = Float64Array.from({ length: 16 }, (_, k) => 10 ** k)

/** The text of a double. */
export function formatDouble(d: number): string {
  if (Number.isInteger(d)) {
    if (Object.is(d, -0)) return '-0'
    if (Number.isSafeInteger(d)) return String(d)
    if (d >= -ALL_DIGITS_MAX && d <= ALL_DIGITS_MAX) return BigInt(d).toString()
  } else {
    const magnitude = Math.abs(d)
    if (magnitude >= 1e-3 && magnitude < 1e4) return String(d)
    if (magnitude === Infinity) return d > 0 ? 'inf' : '-inf'
    if (d !== d) return 'nan'
  }
  return placePoint(d.toExponential())
}

/** Turns the shortest digits, spelled d.ddde+x, into the form that Redis chooses for them. */
function placePoint(shortest: string): string {
  const sign = shortest[0] === '-' ? '-' : ''
  const mark = shortest.indexOf('e')
  const digits = shortest.slice(sign.length, mark).replace('.', '')
  const count = digits.length
  const magnitude = Number(shortest.slice(mark + 1))
  /** The place of the last digit: the value is digits x 10^scale. */
  const scale = magnitude - count + 1
  if (scale >= 0 && scale < 8) return sign + digits + '0'.repeat(scale)
  if (scale < 0 && (scale > -7 || Math.abs(magnitude) < 4)) {
    const whole = count + scale
    if (whole <= 0) return `${sign}0.${'0'.repeat(-whole)}${digits}`
    return `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`
  }
  return shortest
}

/** Writes the text of a double at dst[off] and returns the offset behind it. Integers and short decimals take no string. */
export function writeDouble(dst: Uint8Array, off: number, d: number): number {
  if (Number.isSafeInteger(d) && (d !== 0 || 1 / d > 0)) return writeInt(dst, off, d)
  const magnitude = Math.abs(d)
  if (magnitude < SIX_DECIMALS_MAX && magnitude > 0) {
    const millionths = Math.round(magnitude * MILLION)
    if (millionths / MILLION === magnitude) {
      if (d < 0) dst[off++] = MINUS
      return writeMillionths(dst, off, millionths)
    }
  }
  return writeLatin1(dst, off, formatDouble(d))
}

function writeMillionths(dst: Uint8Array, off: number, millionths: number): number {
  const whole = Math.floor(millionths / MILLION)
  let rest = millionths - whole * MILLION
  off = writeInt(dst, off, whole)
  dst[off++] = POINT
  for (let unit = 100_000; rest > 0; unit /= 10) {
    const digit = Math.floor(rest / unit)
    dst[off++] = ZERO + digit
    rest -= digit * unit
  }
  return off
}

/**
 * The double that bytes[off, off + len) spells, or NaN when it is not one: the C library's spellings (hexadecimal and "inf" among them),
 * without blanks before or behind. Out of range, which includes rounding to zero, is refused; so is "nan".
 */
export function parseDouble(bytes: Uint8Array, off: number, len: number): number {
  const short = parseShortDecimal(bytes, off, len)
  if (short === short) return short
  const d = strtod(bytes, off, len)
  if (d === Infinity || d === -Infinity) return classifyFloat(bytes, off, len) === INFINITE ? d : NaN
  return d === 0 && hasNonzeroDigit(bytes, off, len) ? NaN : d
}

/**
 * As parseDouble, but a number out of range becomes an infinity or zero, as the C library reads it. Range limits of sorted sets are read
 * this way.
 */
export function strtod(bytes: Uint8Array, off: number, len: number): number {
  const kind = classifyFloat(bytes, off, len)
  if (kind === NOT_A_FLOAT) return NaN
  if (kind === INFINITE) return bytes[off] === MINUS ? -Infinity : Infinity
  if (kind === DECIMAL) return Number(latin1(bytes, off, len))
  return len > HEXADECIMAL_MAX ? NaN : hexadecimalValue(bytes, off, len)
}

/** Integers and up to 15 digits with a point: both parts are exact doubles, so their quotient is rounded once. Otherwise NaN. */
function parseShortDecimal(bytes: Uint8Array, off: number, len: number): number {
  const integer = parseInt53(bytes, off, len)
  if (integer === integer || len > 16) return integer
  let i = off
  const end = off + len
  const negative = bytes[i] === MINUS
  if (negative) i++
  let value = 0
  let digits = 0
  let places = -1
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digits++
      if (places >= 0) places++
    } else if (bytes[i] === POINT && places < 0) {
      places = 0
    } else {
      return NaN
    }
  }
  if (digits === 0 || digits > 15) return NaN
  if (places > 0) value /= EXACT_POWERS[places]
  return negative ? -value : value
}

/** Whether a digit before the exponent is not zero: then a value of zero is a number that vanished in rounding. */
function hasNonzeroDigit(bytes: Uint8Array, off: number, len: number): boolean {
  const exponentMark = classifyFloat(bytes, off, len) === DECIMAL ? LOWER_E : LOWER_P
  for (let i = off; i < off + len; i++) {
    const byte = lowerByte(bytes[i])
    if (byte === exponentMark) return false
    if (byte > ZERO && byte !== LOWER_X) return true
  }
  return false
}

function hexadecimalValue(bytes: Uint8Array, off: number, len: number): number {
  const { negative, digits, exponent } = exactFloat(bytes, off, len, classifyFloat(bytes, off, len))
  const sign = negative ? -1 : 1
  const bits = bitLength(digits) + exponent
  if (digits === 0n || bits < DOUBLE_LOWEST_BIT) return negative ? -0 : 0
  if (bits > DOUBLE_MAX_BITS) return sign * Infinity
  const rounded = roundBinary(digits, exponent, DOUBLE_PRECISION, DOUBLE_LOWEST_BIT)
  // Rounded so, the mantissa fits a double; half of the scale at a time keeps 2^exponent in range.
  const half = Math.trunc(rounded.exponent / 2)
  return sign * Number(rounded.mantissa) * 2 ** half * 2 ** (rounded.exponent - half)
}

/** A double with exactly `places` decimals (1 to 17), rounded half to even after scaling, as distances are shown. |d x 10^places| < 2^63. */
export function formatFixed(d: number, places: number): string {
  const scaled = d * 10 ** places
  const rounded = BigInt(roundHalfEven(scaled))
  const digits = (rounded < 0n ? -rounded : rounded).toString().padStart(places + 1, '0')
  const point = digits.length - places
  return `${rounded < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x)
  const rest = x - floor
  if (rest < 0.5) return floor
  if (rest > 0.5) return floor + 1
  return floor % 2 === 0 ? floor : floor + 1
}

/** A double with 17 significant digits, as C's `%.17Lg` prints it: what ZSCAN shows. */
export function format17(d: number): string {
  if (!Number.isFinite(d)) return d > 0 ? 'inf' : '-inf'
  const sign = d < 0 || Object.is(d, -0) ? '-' : ''
  if (d === 0) return `${sign}0`
  const text = significant17(Math.abs(d))
  const digits = text[0] + text.slice(2, 18)
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  if (exponent < -4 || exponent > 16) {
    const size = Math.abs(exponent)
    return `${sign}${withoutZeros(text.slice(0, 18))}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`
  }
  if (exponent < 0) return withoutZeros(`${sign}0.${'0'.repeat(-exponent - 1)}${digits}`)
  return withoutZeros(`${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`)
}

/** d.dddde+x with 17 digits, where a tie goes to the even digit; toExponential takes it upwards. */
function significant17(d: number): string {
  // oxlint-disable-next-line oxc/number-arg-out-of-range -- the language goes up to 100
  const long = d.toExponential(40)
  const mark = long.indexOf('e')
  const isTie = /^50*$/.test(long.slice(18, mark))
  return isTie && Number(long[17]) % 2 === 0 ? long.slice(0, 18) + long.slice(mark) : d.toExponential(16)
}

/** A double with up to 17 decimals, as C's `%.17Lf` prints it, without zeros at the end: what coordinates look like. */
export function formatHuman(d: number): string {
  return withoutZeros(d.toFixed(17))
}

/** Decimal text without zeros behind the point, and without a point that has nothing behind it. */
function withoutZeros(text: string): string {
  if (!text.includes('.')) return text
  let end = text.length
  while (text[end - 1] === '0') end--
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}
