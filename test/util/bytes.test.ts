import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  asciiLowerEquals,
  bytesOf,
  compareBytes,
  copyBytes,
  equalBytes,
  latin1,
  lowerByte,
  moveBytes,
  utf8,
  utf8Text,
  writeLatin1,
} from '../../src/util/bytes.ts'

const ramp = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 7 + 1)

describe('copying', () => {
  test('copies runs on both sides of the loop limit', () => {
    for (const len of [0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 127, 128, 129, 300]) {
      const dst = new Uint8Array(310)
      copyBytes(dst, 4, ramp(400), 9, len)
      expect(dst.subarray(4, 4 + len)).toEqual(ramp(400).subarray(9, 9 + len))
      expect(dst.subarray(4 + len)).toEqual(new Uint8Array(306 - len))
      expect(dst.subarray(0, 4)).toEqual(new Uint8Array(4))
    }
  })

  test('moves overlapping runs either way', () => {
    for (const len of [1, 10, 127, 128, 200]) {
      for (const [to, from] of [
        [3, 0],
        [0, 3],
        [5, 5],
      ]) {
        const bytes = ramp(256)
        moveBytes(bytes, to, from, len)
        const expected = ramp(256)
        expected.copyWithin(to, from, from + len)
        expect(bytes).toEqual(expected)
      }
    }
  })
})

describe('comparing', () => {
  test('orders like memcmp, then by length', () => {
    const bytes = fc.uint8Array({ maxLength: 5, max: 2 })
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const order = compareBytes(Uint8Array.of(9, ...a), 1, a.length, b, 0, b.length)
        expect(Math.sign(order)).toBe(Math.sign(Buffer.compare(a, b)))
        if (a.length === b.length) expect(equalBytes(a, 0, b, 0, a.length)).toBe(order === 0)
      }),
    )
    expect(compareBytes(Uint8Array.of(0xff), 0, 1, Uint8Array.of(0x01), 0, 1)).toBeGreaterThan(0)
  })

  test('sees a difference at every place', () => {
    for (let len = 0; len < 12; len++) {
      const a = ramp(20)
      expect(equalBytes(a, 3, ramp(20), 3, len)).toBe(true)
      for (let at = 0; at < 20; at++) {
        const b = ramp(20)
        b[at] ^= 0x10
        expect(equalBytes(a, 3, b, 3, len)).toBe(at < 3 || at >= 3 + len)
      }
    }
  })

  test('compares names without their case', () => {
    const bytes = bytesOf('xGeT@[y')
    expect(asciiLowerEquals(bytes, 1, 3, 'get')).toBe(true)
    expect(asciiLowerEquals(bytes, 1, 2, 'get')).toBe(false)
    expect(asciiLowerEquals(bytes, 1, 3, 'set')).toBe(false)
    expect(asciiLowerEquals(bytes, 4, 2, '`{')).toBe(false)
    expect(lowerByte(0x5a)).toBe(0x7a)
    expect(lowerByte(0xc0)).toBe(0xc0)
  })
})

describe('text', () => {
  test('latin1 comes back unchanged', () => {
    for (const length of [0, 1, 12, 13, 1000]) {
      const bytes = ramp(length)
      expect(bytesOf(latin1(bytes, 0, length))).toEqual(bytes)
    }
    expect(latin1(bytesOf('hello'), 1, 3)).toBe('ell')
    const dst = new Uint8Array(5)
    expect(writeLatin1(dst, 1, 'a\u00e9')).toBe(3)
    expect(dst).toEqual(Uint8Array.of(0, 0x61, 0xe9, 0, 0))
  })

  test('utf8 both ways', () => {
    const bytes = utf8('aé€')
    expect(bytes).toEqual(Uint8Array.of(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac))
    expect(utf8Text(bytes, 1, 5)).toBe('é€')
    expect(utf8Text(utf8('\ufeffa'), 0, 4)).toBe('\ufeffa')
    expect(utf8Text(Uint8Array.of(0xff), 0, 1)).toBe('\ufffd')
  })
})
