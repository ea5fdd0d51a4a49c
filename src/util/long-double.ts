/**
 * long-double: the 80-bit arithmetic of INCRBYFLOAT and HINCRBYFLOAT.
 *
 * Redis adds in the x87 `long double` and prints with 17 decimals, zeros trimmed. That makes 0.1 + 0.2 exactly 0.3, which no sum of
 * doubles does, but it is not decimal arithmetic either: 1000.1 + 0.2 is 1000.29999999999999999. To give the same bytes, a value here is
 *
 *   mantissa x 2^exponent      mantissa: signed, at most 64 bits; exponent >= -16445, the last denormal bit
 *
 * rounded half to even after reading and after adding, as the processor does, and printed from its exact decimal expansion. Reading,
 * adding and printing take about 1.4 us together for everyday numbers; the largest, 10^4932, takes some 100 us.
 */

import {
  bitLength,
  classifyFloat,
  DECIMAL,
  type ExactFloat,
  exactFloat,
  INFINITE,
  NOT_A_FLOAT,
  roundBinary,
  shiftRightEven,
} from './strtod.ts'

/** mantissa x 2^exponent; an exponent of Infinity means what it says, with the sign of the mantissa. */
export interface LongDouble {
  readonly mantissa: bigint
  readonly exponent: number
}

const PRECISION = 64
const LOWEST_BIT = -16445
const MAX_BITS = 16384
/** Texts of this length are refused unread. */
const TEXT_LIMIT = 5 * 1024
/** Decimal exponents beyond which a value overflows, or vanishes, whatever its digits. */
const MAX_DECIMAL_EXPONENT = 4940
const MIN_DECIMAL_EXPONENT = -4960 - TEXT_LIMIT
/** Any exponent up to here is finite: no mantissa has more bits than the largest double. */
const FINITE_EXPONENT = MAX_BITS - 1024
const DECIMALS = 17
const DECIMALS_SCALE = 10n ** 17n

const SMALL_POWERS = Array.from({ length: 20 }, (_, k) => 10n ** BigInt(k))

const LONG_DOUBLE_ZERO: LongDouble = { mantissa: 0n, exponent: 0 }

/** The value of a text, or null when it is not a number or out of range ("inf" is a number; "nan" is not). */
export function parseLongDouble(bytes: Uint8Array, off: number, len: number): LongDouble | null {
  if (len >= TEXT_LIMIT) return null
  const kind = classifyFloat(bytes, off, len)
  if (kind === NOT_A_FLOAT) return null
  if (kind === INFINITE) return { mantissa: bytes[off] === 0x2d ? -1n : 1n, exponent: Infinity }
  const exact = exactFloat(bytes, off, len, kind)
  if (exact.digits === 0n) return LONG_DOUBLE_ZERO
  const magnitude = kind === DECIMAL ? roundDecimal(exact) : roundHexadecimal(exact)
  if (magnitude.mantissa === 0n || !isFiniteLongDouble(magnitude)) return null
  return exact.negative ? { mantissa: -magnitude.mantissa, exponent: magnitude.exponent } : magnitude
}

/** The long double that an integer of the int64 range or a finite double becomes; both fit exactly. */
export function longDoubleFrom(value: bigint | number): LongDouble {
  if (typeof value === 'bigint') return { mantissa: value, exponent: 0 }
  if (Number.isInteger(value)) return { mantissa: BigInt(value), exponent: 0 }
  let scaled = value
  let exponent = 0
  while (!Number.isSafeInteger(scaled)) {
    // A power of two scales exactly; 52 places turn any normal fraction below 1 into an integer after a few rounds.
    const step = Math.max(1, 52 - Math.max(0, Math.ceil(Math.log2(Math.abs(scaled)))))
    scaled *= 2 ** step
    exponent -= step
  }
  return { mantissa: BigInt(scaled), exponent }
}

/** The sum, rounded to 64 bits. Not finite when it overflows or when a part is not finite. */
export function addLongDouble(a: LongDouble, b: LongDouble): LongDouble {
  if (a.exponent === Infinity) return a
  if (b.exponent === Infinity) return b
  const exponent = Math.min(a.exponent, b.exponent)
  const sum = (a.mantissa << BigInt(a.exponent - exponent)) + (b.mantissa << BigInt(b.exponent - exponent))
  const rounded = roundBinary(sum < 0n ? -sum : sum, exponent, PRECISION, LOWEST_BIT)
  const result = sum < 0n ? { mantissa: -rounded.mantissa, exponent: rounded.exponent } : rounded
  return isFiniteLongDouble(result) ? result : { mantissa: result.mantissa, exponent: Infinity }
}

/** Whether x is neither an infinity nor beyond the largest long double. */
export function isFiniteLongDouble(x: LongDouble): boolean {
  return x.exponent <= FINITE_EXPONENT || bitLength(x.mantissa < 0n ? -x.mantissa : x.mantissa) + x.exponent <= MAX_BITS
}

/** A finite value with at most 17 decimals and no trailing zero; values that round to zero print as "0". */
export function formatLongDouble(x: LongDouble): string {
  const negative = x.mantissa < 0n
  const magnitude = negative ? -x.mantissa : x.mantissa
  if (x.exponent >= 0) return (negative ? '-' : '') + (magnitude << BigInt(x.exponent)).toString()
  const scaled = shiftRightEven(magnitude * DECIMALS_SCALE, -x.exponent)
  if (scaled === 0n) return '0'
  const digits = scaled.toString().padStart(DECIMALS + 1, '0')
  let end = digits.length
  const point = end - DECIMALS
  while (end > point && digits.charCodeAt(end - 1) === 0x30) end--
  const text = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`
  return negative ? `-${text}` : text
}

function roundHexadecimal(exact: ExactFloat): LongDouble {
  const bits = bitLength(exact.digits) + exact.exponent
  if (bits > MAX_BITS) return { mantissa: 1n, exponent: Infinity }
  if (bits < LOWEST_BIT - 1) return LONG_DOUBLE_ZERO
  return roundBinary(exact.digits, exact.exponent, PRECISION, LOWEST_BIT)
}

function roundDecimal({ digits, exponent }: ExactFloat): LongDouble {
  if (exponent > MAX_DECIMAL_EXPONENT) return { mantissa: 1n, exponent: Infinity }
  if (exponent < MIN_DECIMAL_EXPONENT) return LONG_DOUBLE_ZERO
  if (exponent >= 0) return roundBinary(digits * powerOfTen(exponent), 0, PRECISION, LOWEST_BIT)
  // Divide to two bits more than needed; what is left of the division only counts as "more than nothing".
  const divisor = powerOfTen(-exponent)
  const shift = Math.max(0, PRECISION + 2 + bitLength(divisor) - bitLength(digits))
  const dividend = digits << BigInt(shift)
  const quotient = dividend / divisor
  const rest = quotient * divisor === dividend ? 0n : 1n
  return roundBinary((quotient << 1n) | rest, -shift - 1, PRECISION, LOWEST_BIT)
}

function powerOfTen(exponent: number): bigint {
  return exponent < SMALL_POWERS.length ? SMALL_POWERS[exponent] : 10n ** BigInt(exponent)
}
