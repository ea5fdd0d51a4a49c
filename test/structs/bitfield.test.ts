import { describe, expect, it } from 'vitest'
import * as F from '../../src/structs/bitfield.ts'
import { runSeed, seeded } from '../support/random.ts'

const seed = runSeed()
const random = seeded(seed)

/** Bits [at, at + bits) of the bytes as an integer; zeros behind the end. */
function model(bytes: Uint8Array, at: number, bits: number, signed: boolean): bigint {
  let value = 0n
  for (let n = at; n < at + bits; n++) value = (value << 1n) | BigInt(n < bytes.length * 8 ? (bytes[n >>> 3] >>> (7 - (n & 7))) & 1 : 0)
  return signed ? BigInt.asIntN(bits, value) : value
}

function someInt64(): bigint {
  const edges = [0n, 1n, -1n, 127n, -128n, 255n, 2n ** 31n, 2n ** 52n, 2n ** 53n - 1n, -(2n ** 53n) + 1n, 2n ** 63n - 1n, -(2n ** 63n)]
  if (random.chance(0.4)) return random.pick(edges)
  const wide = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32))
  return BigInt.asIntN(64, wide) >> BigInt(random.below(64))
}

/** The reference's rules in 64-bit integers: [result, left the range]. */
function expected(value: bigint, increment: bigint, bits: number, signed: boolean, mode: number): [bigint, boolean] {
  const width = BigInt(bits)
  const max = signed ? (1n << (width - 1n)) - 1n : (1n << width) - 1n
  const min = signed ? -max - 1n : 0n
  const start = signed ? value : BigInt.asUintN(64, value)
  const sum = start + increment
  const high = start > max || sum > max || (signed && bits < 64 && start < min && max - start >= 2n ** 63n)
  if (!high && sum >= min && start >= min) return [sum, false]
  if (mode === F.OVERFLOW_SAT) return [high ? max : min, true]
  return [signed ? BigInt.asIntN(bits, sum) : BigInt.asUintN(bits, sum), true]
}

describe(`bitfield (seed ${seed})`, () => {
  it('reads back what it writes, and changes no other bit', () => {
    for (let round = 0; round < 4000; round++) {
      const signed = random.chance(0.5)
      const bits = 1 + random.below(signed ? 64 : 63)
      const at = random.below(70)
      const off = random.below(3)
      const len = Math.ceil((at + bits) / 8) + random.below(3)
      const u8 = Uint8Array.from({ length: off + len + 2 }, () => random.below(256))
      const bytes = u8.subarray(off, off + len)
      F.readField(u8, off, len, at, bits, signed)
      expect(F.fieldBigInt()).toBe(model(bytes, at, bits, signed))
      const before = model(u8, 0, off * 8 + at, false)
      const behind = model(u8, off * 8 + at + bits, u8.length * 8 - off * 8 - at - bits, false)
      const value = someInt64()
      const number = Number(value)
      if (Number.isSafeInteger(number) && random.chance(0.8)) F.writeField(u8, off, at, bits, number)
      else F.writeFieldBigInt(u8, off, at, bits, value)
      expect(model(bytes, at, bits, signed)).toBe(signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value))
      expect(model(u8, 0, off * 8 + at, false)).toBe(before)
      expect(model(u8, off * 8 + at + bits, u8.length * 8 - off * 8 - at - bits, false)).toBe(behind)
    }
  })

  it('reads zeros behind the end of the string', () => {
    const u8 = Uint8Array.of(0xff, 0xff, 0xff)
    F.readField(u8, 0, 1, 4, 12, false)
    expect(F.fieldNumber()).toBe(0xf00)
    F.readField(u8, 0, 1, 800, 64, true)
    expect(F.fieldNumber()).toBe(0)
  })

  it('adds with every overflow rule as 64-bit integers do; numbers and BigInt agree', () => {
    for (let round = 0; round < 20000; round++) {
      const signed = random.chance(0.5)
      const bits = 1 + random.below(signed ? 64 : 63)
      const mode = random.below(3)
      const isSet = random.chance(0.4)
      const raw = someInt64()
      const value = isSet ? raw : signed ? BigInt.asIntN(bits, raw) : BigInt.asUintN(bits, raw)
      const increment = isSet ? 0n : someInt64()
      const [want, over] = expected(value, increment, bits, signed, mode)
      const what = `${signed ? 'i' : 'u'}${bits} ${value} + ${increment}, mode ${mode}`
      expect(F.addFieldBigInt(value, increment, bits, signed, mode), what).toBe(want)
      expect(F.overflowed, what).toBe(over)
      if (!Number.isSafeInteger(Number(value)) || !Number.isSafeInteger(Number(increment))) continue
      const quick = F.addField(Number(value), Number(increment), bits, signed, mode)
      if (Number.isNaN(quick)) continue
      expect(quick === 0 ? 0n : BigInt(quick), what).toBe(want)
      expect(F.overflowed, what).toBe(over)
    }
  })
})
