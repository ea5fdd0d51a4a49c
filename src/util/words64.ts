/**
 * words64: 64-bit integers in two words of a Uint32Array, the high one first. A value is a number while it is exact as one
 * (up to 2^53 - 1 either way) and a BigInt beyond.
 */
export type Int64 = number | bigint

const TWO_32 = 2 ** 32

/** The signed integer at `at`. */
export function int64At(view: Uint32Array, at: number): Int64 {
  const value = (view[at] | 0) * TWO_32 + view[at + 1]
  if (Number.isSafeInteger(value)) return value
  return (BigInt(view[at] | 0) << 32n) + BigInt(view[at + 1])
}

/** The same as a number, rounded beyond 2^53. */
export function numberAt(view: Uint32Array, at: number): number {
  return (view[at] | 0) * TWO_32 + view[at + 1]
}

export function setInt64(view: Uint32Array, at: number, value: Int64): void {
  if (typeof value === 'number') {
    view[at] = Math.floor(value / TWO_32)
    view[at + 1] = value
  } else {
    view[at] = Number(BigInt.asUintN(32, value >> 32n))
    view[at + 1] = Number(BigInt.asUintN(32, value))
  }
}

/** Adds one, wrapping around. */
export function incrementInt64(view: Uint32Array, at: number): void {
  const low = view[at + 1]
  view[at + 1] = low + 1
  if (low === TWO_32 - 1) view[at] = view[at] + 1
}

/** a - b, wrapping around at 64 bits. */
export function subtractInt64(a: Int64, b: Int64): Int64 {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return narrow(BigInt.asIntN(64, BigInt(a) - BigInt(b)))
}

/** a + b, wrapping around at 64 bits. */
export function addInt64(a: Int64, b: Int64): Int64 {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return narrow(BigInt.asIntN(64, BigInt(a) + BigInt(b)))
}

/** A number when the value is exact as one. */
export function narrow(value: bigint): Int64 {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
