/**
 * bitfield: integers of 1 to 64 bits at any bit of a byte string, most significant bit first.
 *
 *   u5 of value 23 at bit 7:   |00000001|01110000|
 *
 * A value travels as two 32-bit halves, signed like all bitwise results (a larger number in a module's variable would be an
 * object each time). Up to 2^53 in magnitude they make a number, and everything below works on numbers. Only what lies
 * beyond takes the BigInt road.
 *
 * (1) A read beyond the end of the string finds zeros; a write is inside it (callers grow the string first).
 * (2) A read sets fieldHi and fieldLo; they are dead at the next call.
 *
 * Get and set cost a few ns, whatever the width.
 */

export const OVERFLOW_WRAP = 0
export const OVERFLOW_SAT = 1
export const OVERFLOW_FAIL = 2

const TWO_32 = 0x100000000
/** Widest field whose arithmetic is exact in doubles, increments up to 2^53 - 1 included. */
const NUMBER_BITS = 52

/** Halves of the field read last. */
export let fieldHi = 0
export let fieldLo = 0
/** Whether the last add or fit left the field's range (and was wrapped or clipped, or has to fail). */
export let overflowed = false

/** Reads the field of `bits` bits at bit `at` of the `len` bytes at `off`. */
export function readField(u8: Uint8Array, off: number, len: number, at: number, bits: number, signed: boolean): void {
  let byte = Math.floor(at / 8)
  let hi = 0
  let lo = 0
  let have = 8 - (at & 7)
  let chunk = byte < len ? u8[off + byte] & (0xff >>> (at & 7)) : 0
  let left = bits
  while (left > have) {
    hi = (hi << have) | (lo >>> (32 - have))
    lo = (lo << have) | chunk
    left -= have
    byte++
    chunk = byte < len ? u8[off + byte] : 0
    have = 8
  }
  hi = (hi << left) | (lo >>> (32 - left))
  lo = (lo << left) | (chunk >>> (have - left))
  if (bits < 32) {
    if (signed) lo = (lo << (32 - bits)) >> (32 - bits)
    hi = signed ? lo >> 31 : 0
  } else if (bits === 32) {
    hi = signed ? lo >> 31 : 0
  } else if (bits < 64) {
    if (signed) hi = (hi << (64 - bits)) >> (64 - bits)
  }
  fieldHi = hi
  fieldLo = lo
}

/** The field read last as a number; NaN when it is beyond 2^53 - 1. */
export function fieldNumber(): number {
  const value = fieldHi * TWO_32 + (fieldLo >>> 0)
  return Number.isSafeInteger(value) ? value : NaN
}

export function fieldBigInt(): bigint {
  return BigInt(fieldHi) * BigInt(TWO_32) + BigInt(fieldLo >>> 0)
}

/** Writes the low `bits` bits of hi:lo at bit `at` of the string at `off`. */
function writeHalves(u8: Uint8Array, off: number, at: number, bits: number, hi: number, lo: number): void {
  let byte = off + Math.floor((at + bits - 1) / 8)
  let shift = 7 - ((at + bits - 1) & 7)
  let left = bits
  while (left > 0) {
    const take = Math.min(8 - shift, left)
    const mask = (0xff >>> (8 - take)) << shift
    u8[byte] = (u8[byte] & ~mask) | ((lo << shift) & mask)
    lo = (lo >>> take) | (hi << (32 - take))
    hi >>>= take
    left -= take
    shift = 0
    byte--
  }
}

/** Writes a number of at most 2^53 - 1 in magnitude, in two's complement. */
export function writeField(u8: Uint8Array, off: number, at: number, bits: number, value: number): void {
  const hi = Math.floor(value / TWO_32)
  writeHalves(u8, off, at, bits, hi | 0, (value - hi * TWO_32) | 0)
}

export function writeFieldBigInt(u8: Uint8Array, off: number, at: number, bits: number, value: bigint): void {
  const word = BigInt.asUintN(64, value)
  writeHalves(u8, off, at, bits, Number(word >> 32n) | 0, Number(word & 0xffffffffn) | 0)
}

/**
 * What a field of this kind holds after `increment` is added to `value` (both safe integers; `value` fits the field, or is
 * a value to store and `increment` 0). Sets `overflowed`. NaN when it takes BigInt to know.
 */
export function addField(value: number, increment: number, bits: number, signed: boolean, overflow: number): number {
  if (bits > NUMBER_BITS) {
    const sum = value + increment
    const limit = signed ? 2 ** (bits - 1) : 2 ** bits
    overflowed = false
    return Number.isSafeInteger(sum) && sum < limit && sum >= (signed ? -limit : 0) ? sum : NaN
  }
  const span = 2 ** bits
  const max = signed ? span / 2 - 1 : span - 1
  const min = signed ? -span / 2 : 0
  if (value > max || (value < 0 && !signed) || increment > max - value) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return max
  } else if (value < min || increment < min - value) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return min
  } else {
    overflowed = false
    return value + increment
  }
  const sum = (modulo(value, span) + modulo(increment, span)) % span
  return signed && sum > max ? sum - span : sum
}

function modulo(value: number, span: number): number {
  const rest = value % span
  return rest < 0 ? rest + span : rest
}

/**
 * The same for any int64 operands, without limits. An unsigned field takes a negative value to store for the 2^64 - value
 * above it. The reference compares in 64 bits; for signed fields and values to store just above -2^63 its difference wraps
 * and counts as an overflow to the top, so here it does too.
 */
export function addFieldBigInt(value: bigint, increment: bigint, bits: number, signed: boolean, overflow: number): bigint {
  return signed ? addSigned(value, increment, bits, overflow) : addUnsigned(value, increment, bits, overflow)
}

function addUnsigned(value: bigint, increment: bigint, bits: number, overflow: number): bigint {
  const stored = BigInt.asUintN(64, value)
  const max = (1n << BigInt(bits)) - 1n
  if (stored > max || increment > max - stored) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return max
  } else if (increment < -stored) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return 0n
  } else {
    overflowed = false
    return stored + increment
  }
  return BigInt.asUintN(bits, stored + increment)
}

function addSigned(value: bigint, increment: bigint, bits: number, overflow: number): bigint {
  const max = (1n << BigInt(bits - 1)) - 1n
  const min = -max - 1n
  const room = bits === 64 ? max - value : BigInt.asIntN(64, max - value)
  if (value > max || increment > room) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return max
  } else if (value < min || increment < min - value) {
    overflowed = true
    if (overflow === OVERFLOW_SAT) return min
  } else {
    overflowed = false
    return value + increment
  }
  return BigInt.asIntN(bits, value + increment)
}
