import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import { DOUBLE_TEXT_MAX, formatDouble, formatFixed, parseDouble, strtod, writeDouble } from '../../src/util/float.ts'

const read = (text: string): number => parseDouble(bytesOf(`9${text}9`), 1, text.length)
const readLoosely = (text: string): number => strtod(bytesOf(`9${text}9`), 1, text.length)

function written(d: number): string {
  const dst = new Uint8Array(64)
  return String.fromCharCode(...dst.subarray(3, writeDouble(dst, 3, d)))
}

/** [score as given to ZADD, as ZSCORE shows it]; all found with a Redis 7.2 server. */
const SHOWN: [string, string][] = [
  ['0', '0'],
  ['-0.5', '-0.5'],
  ['3', '3'],
  ['3.0', '3'],
  ['1e15', '1000000000000000'],
  ['9007199254740993', '9007199254740992'],
  ['1152921504606846976', '1152921504606846976'],
  ['4611686018427387904', '4611686018427387904'],
  ['-4611686018427387904', '-4611686018427387904'],
  ['4611686018427388928', '4611686018427389000'],
  ['1e18', '1000000000000000000'],
  ['1e19', '1e+19'],
  ['1.5e19', '1.5e+19'],
  ['12345678901234567000000', '12345678901234568000000'],
  ['123456789012345680000000', '123456789012345690000000'],
  ['1e21', '1e+21'],
  ['1e22', '1e+22'],
  ['1e300', '1e+300'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['0.1', '0.1'],
  ['-9.15', '-9.15'],
  ['3.14', '3.14'],
  ['1234.5678', '1234.5678'],
  ['9999.12345678', '9999.12345678'],
  ['12345.123456', '12345.123456'],
  ['12345.1234567', '1.23451234567e+4'],
  ['12345.12345678', '1.234512345678e+4'],
  ['123456789.123456', '123456789.123456'],
  ['1234567890.123456', '1234567890.123456'],
  ['1234567890.1234567', '1.2345678901234567e+9'],
  ['0.001', '0.001'],
  ['0.00123456789', '0.00123456789'],
  ['0.0001', '0.0001'],
  ['0.0001234567891', '1.234567891e-4'],
  ['0.000001', '0.000001'],
  ['0.0000012', '1.2e-6'],
  ['0.0000001', '1e-7'],
  ['1.2e-7', '1.2e-7'],
  ['5e-324', '5e-324'],
  ['2.2250738585072014e-308', '2.2250738585072014e-308'],
  ['inf', 'inf'],
  ['-inf', '-inf'],
  ['0.30000000000000004', '0.30000000000000004'],
]

describe('doubles as text', () => {
  test('print as Redis prints scores', () => {
    for (const [given, shown] of SHOWN) {
      expect(formatDouble(read(given)), given).toBe(shown)
      expect(written(read(given)), given).toBe(shown)
    }
    expect(formatDouble(-0)).toBe('-0')
    expect(written(-0)).toBe('-0')
    expect(formatDouble(NaN)).toBe('nan')
    expect(written(NaN)).toBe('nan')
  })

  test('read back as the same double', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.double({ noNaN: true }),
          fc.integer().map((i) => i / 1000),
          fc.maxSafeInteger(),
        ),
        (d) => {
          const text = formatDouble(d)
          expect(read(text)).toBe(d)
          expect(written(d)).toBe(text)
          expect(text.length).toBeLessThanOrEqual(DOUBLE_TEXT_MAX)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('fixed decimals round half to even', () => {
    expect(formatFixed(0, 4)).toBe('0.0000')
    expect(formatFixed(-0.00001, 4)).toBe('0.0000')
    expect(formatFixed(190.4424, 4)).toBe('190.4424')
    expect(formatFixed(-0.775, 4)).toBe('-0.7750')
    expect(formatFixed(0.5, 1)).toBe('0.5')
    expect(formatFixed(0.25, 1)).toBe('0.2')
    expect(formatFixed(0.75, 1)).toBe('0.8')
    expect(formatFixed(1234567890123.4, 4)).toBe('1234567890123.4000')
  })
})

describe('reading doubles', () => {
  test('takes every spelling of the C library', () => {
    const spelled: [string, number][] = [
      ['1.', 1],
      ['.5', 0.5],
      ['+.5', 0.5],
      ['007', 7],
      ['-00.50', -0.5],
      ['1E5', 1e5],
      ['1e+2', 100],
      ['-2.5e-3', -0.0025],
      ['0x10', 16],
      ['-0X1.8P3', -12],
      ['0x.8', 0.5],
      ['0x1p-1074', 5e-324],
      ['0x1.8p-1075', 5e-324],
      ['0x1.fffffffffffff7p1023', Number.MAX_VALUE],
      ['inf', Infinity],
      ['+INF', Infinity],
      ['-Infinity', -Infinity],
      ['123456789012345678', 123456789012345680],
      ['9007199254740993', 9007199254740992],
      ['0.1000000000000000055511151231257827021181583404541015625', 0.1],
      ['0e99999999999999999999', 0],
      ['2.5e-324', 5e-324],
    ]
    for (const [text, value] of spelled) expect(read(text), text).toBe(value)
    for (const text of ['-0', '-0.0', '-0e5', '-0x0']) expect(Object.is(read(text), -0), text).toBe(true)
  })

  test('refuses anything else', () => {
    const refused = [
      '',
      ' 1',
      '1 ',
      '-',
      '+',
      '.',
      'e5',
      '1e',
      '1e+',
      '0x',
      '0x.',
      '0xp1',
      '0x1p',
      '1..',
      '1.2.3',
      'nan',
      '-nan',
      'nan(1)',
      'infin',
      '1\0',
      '1_0',
      '0b1',
    ]
    for (const text of refused) {
      expect(read(text), text).toBeNaN()
      expect(readLoosely(text), text).toBeNaN()
    }
  })

  test('refuses what overflows or vanishes, unless read loosely', () => {
    const extremes: [string, number][] = [
      ['1e309', Infinity],
      ['-1.7976931348623159e308', -Infinity],
      ['0x1p1024', Infinity],
      ['0x1.fffffffffffff8p1023', Infinity],
      ['1e-400', 0],
      ['2.4e-324', 0],
      ['0x1p-1075', 0],
      ['1e-99999999999999999999', 0],
      ['1e99999999999999999999', Infinity],
    ]
    for (const [text, value] of extremes) {
      expect(read(text), text).toBeNaN()
      expect(readLoosely(text), text).toBe(value)
    }
    expect(readLoosely('-inf')).toBe(-Infinity)
  })

  test('survives very long texts', () => {
    expect(read(`0.${'0'.repeat(2_000_000)}1`)).toBeNaN()
    expect(read(`${'0'.repeat(2_000_000)}.5`)).toBe(0.5)
    expect(read(`0x${'f'.repeat(100_000)}`)).toBeNaN()
    expect(read(`0x${'f'.repeat(2_000_000)}`)).toBeNaN()
  })

  test('agrees with Number on decimals', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: -40, max: 40 }), (whole, fraction, exponent) => {
        expect(read(`${whole}.${fraction}`)).toBe(Number(`${whole}.${fraction}`))
        expect(read(`-${whole}.${fraction}e${exponent}`)).toBe(Number(`-${whole}.${fraction}e${exponent}`))
      }),
      { numRuns: 1000 },
    )
  })
})
