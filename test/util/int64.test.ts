import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  INT64_MAX,
  INT64_MIN,
  INT64_TEXT_MAX,
  intLength,
  isCanonicalInt64,
  parseInt53,
  parseInt64,
  writeBigInt,
  writeInt,
} from '../../src/util/int64.ts'

/** The text as bytes in the middle of a larger array, so that a read beyond its ends would be seen. */
function framed(text: string): [Uint8Array, number, number] {
  const bytes = new Uint8Array(text.length + 6).fill(0x37)
  for (let i = 0; i < text.length; i++) bytes[3 + i] = text.charCodeAt(i)
  return [bytes, 3, text.length]
}

const read53 = (text: string): number => parseInt53(...framed(text))
const read64 = (text: string): bigint | null => parseInt64(...framed(text))
const canonical = (text: string): boolean => isCanonicalInt64(...framed(text))

function written(write: (dst: Uint8Array, off: number) => number): string {
  const dst = new Uint8Array(64).fill(0x2e)
  const end = write(dst, 3)
  expect(dst.subarray(0, 3)).toEqual(new Uint8Array(3).fill(0x2e))
  expect(dst.subarray(end)).toEqual(new Uint8Array(64 - end).fill(0x2e))
  return String.fromCharCode(...dst.subarray(3, end))
}

const NOT_INTEGERS = [
  '',
  '-',
  '+1',
  '01',
  '-0',
  '-01',
  ' 1',
  '1 ',
  '1.0',
  '1e3',
  '0x10',
  '1-',
  '--1',
  '00',
  'a',
  '12a',
  '123456789a',
  '1/',
  '1:',
]
const OUT_OF_RANGE = ['9223372036854775808', '-9223372036854775809', '9999999999999999999', '99999999999999999999', '10000000000000000000']

describe('reading integers', () => {
  test('takes canonical integers', () => {
    for (const n of [
      0,
      1,
      -1,
      9,
      10,
      -10,
      123456789,
      1234567890,
      -999999999,
      4294967296,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
    ]) {
      expect(read53(String(n))).toBe(n)
      expect(read64(String(n))).toBe(BigInt(n))
    }
  })

  test('refuses every other spelling', () => {
    for (const text of NOT_INTEGERS) {
      expect(read53(text), text).toBeNaN()
      expect(read64(text), text).toBeNull()
      expect(canonical(text), text).toBe(false)
    }
  })

  test('hands what a double cannot hold to the slow path', () => {
    for (const n of [2n ** 53n, -(2n ** 53n), 2n ** 53n + 1n, 9999999999999999n, INT64_MAX, INT64_MIN]) {
      expect(read53(String(n))).toBeNaN()
      expect(read64(String(n))).toBe(n)
      expect(canonical(String(n))).toBe(true)
    }
  })

  test('refuses what an int64 cannot hold', () => {
    for (const text of OUT_OF_RANGE) {
      expect(read53(text)).toBeNaN()
      expect(read64(text), text).toBeNull()
      expect(canonical(text), text).toBe(false)
    }
    expect(String(INT64_MIN).length).toBe(INT64_TEXT_MAX)
  })

  test('agrees with BigInt on random digits', () => {
    const text = fc.oneof(
      fc.bigInt({ min: INT64_MIN * 4n, max: INT64_MAX * 4n }).map(String),
      fc.bigInt({ min: -(2n ** 55n), max: 2n ** 55n }).map(String),
      fc.integer().map(String),
      fc.string({ unit: fc.constantFrom(...'-0123456789a'), maxLength: 22 }),
    )
    fc.assert(
      fc.property(text, (s) => {
        const value = /^(0|-?[1-9][0-9]*)$/.test(s) ? BigInt(s) : null
        const inRange = value !== null && value >= INT64_MIN && value <= INT64_MAX
        const safe = inRange && value >= -(2n ** 53n) + 1n && value <= 2n ** 53n - 1n
        expect(canonical(s)).toBe(inRange)
        expect(read64(s)).toBe(inRange ? value : null)
        expect(read53(s)).toBe(safe ? Number(value) : NaN)
      }),
    )
  })
})

describe('writing integers', () => {
  test('writes and measures every length', () => {
    for (let digits = 1, power = 1; digits <= 16; digits++, power *= 10) {
      for (const n of [power, power - 1, -power, 1 - power, power + 7]) {
        if (!Number.isSafeInteger(n)) continue
        expect(written((dst, off) => writeInt(dst, off, n))).toBe(String(n))
        expect(intLength(n)).toBe(String(n).length)
      }
    }
    expect(written((dst, off) => writeInt(dst, off, -0))).toBe('0')
  })

  test('writes what reads back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -1000, max: 1000 })), (n) => {
        expect(written((dst, off) => writeInt(dst, off, n))).toBe(String(n))
        expect(intLength(n)).toBe(String(n).length)
      }),
    )
  })

  test('writes big integers', () => {
    for (const n of [INT64_MIN, INT64_MAX, 0n, -1n, 2n ** 64n - 1n]) {
      expect(written((dst, off) => writeBigInt(dst, off, n))).toBe(String(n))
    }
  })
})
