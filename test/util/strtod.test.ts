import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import {
  bitLength,
  classifyFloat,
  DECIMAL,
  exactFloat,
  HEXADECIMAL,
  INFINITE,
  NOT_A_FLOAT,
  roundBinary,
  shiftRightEven,
} from '../../src/util/strtod.ts'

describe('spellings', () => {
  test('are told apart', () => {
    const kinds: [string, number][] = [
      ['-1.5e3', DECIMAL],
      ['.5', DECIMAL],
      ['0x1.8P-3', HEXADECIMAL],
      ['0x', NOT_A_FLOAT],
      ['-InFiNiTy', INFINITE],
      ['inf1', NOT_A_FLOAT],
      ['nan', NOT_A_FLOAT],
      ['', NOT_A_FLOAT],
    ]
    for (const [text, kind] of kinds) expect(classifyFloat(bytesOf(text), 0, text.length), text).toBe(kind)
  })

  test('are read exactly, short and long', () => {
    const exact = (text: string): unknown => exactFloat(bytesOf(text), 0, text.length, classifyFloat(bytesOf(text), 0, text.length))
    expect(exact('-12.50')).toEqual({ negative: true, digits: 1250n, exponent: -2 })
    expect(exact('+7.')).toEqual({ negative: false, digits: 7n, exponent: 0 })
    expect(exact('1.5e-3')).toEqual({ negative: false, digits: 15n, exponent: -4 })
    expect(exact('-123456789012345678.25')).toEqual({ negative: true, digits: 12345678901234567825n, exponent: -2 })
    expect(exact('0xA.8p1')).toEqual({ negative: false, digits: 0xa8n, exponent: -3 })
  })
})

describe('binary rounding', () => {
  test('bitLength counts bits, next to powers of two as well', () => {
    expect(bitLength(0n)).toBe(0)
    for (let bits = 1; bits <= 1100; bits++) {
      const power = 1n << BigInt(bits - 1)
      expect(bitLength(power)).toBe(bits)
      expect(bitLength(2n * power - 1n)).toBe(bits)
    }
  })

  test('rounds half to even', () => {
    const rounded = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n, 12n].map((n) => shiftRightEven(n, 2))
    expect(rounded).toEqual([0n, 0n, 0n, 1n, 1n, 1n, 2n, 2n, 2n, 2n, 2n, 3n, 3n])
  })

  test('rounds to 53 bits as a conversion to double does', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), (n) => {
        const { mantissa, exponent } = roundBinary(n, 0, 53, -1074)
        expect(Number(mantissa) * 2 ** exponent).toBe(Number(n))
      }),
    )
  })
})
