import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import {
  addLongDouble,
  formatLongDouble,
  isFiniteLongDouble,
  type LongDouble,
  longDoubleFrom,
  parseLongDouble,
} from '../../src/util/long-double.ts'

const read = (text: string): LongDouble | null => parseLongDouble(bytesOf(`9${text}9`), 1, text.length)

function add(a: string, b: string): string {
  const sum = addLongDouble(read(a)!, read(b)!)
  return isFiniteLongDouble(sum) ? formatLongDouble(sum) : 'not finite'
}

/** [value, increment, INCRBYFLOAT's answer]; all found with a Redis server on x86-64. */
const SUMS: [string, string, string][] = [
  ['0.1', '0.2', '0.3'],
  ['3.0e3', '1', '3001'],
  ['10.5', '0.1', '10.6'],
  ['5.0e3', '2.0e2', '5200'],
  ['1000.1', '0.2', '1000.29999999999999999'],
  ['100.1', '0.1', '100.2'],
  ['0', '-1.5', '-1.5'],
  ['-0', '0', '0'],
  ['-1e-30', '0', '0'],
  ['1.5', '-1.5', '0'],
  ['1e-17', '0', '0.00000000000000001'],
  ['5e-18', '0', '0'],
  ['4.9e-18', '0', '0'],
  ['1.5e-17', '0', '0.00000000000000002'],
  ['2.5e-17', '0', '0.00000000000000002'],
  ['0.000000000000000005', '1', '1'],
  ['9223372036854775807', '1', '9223372036854775808'],
  ['-9223372036854775808', '-1', '-9223372036854775809'],
  ['18446744073709551615', '0', '18446744073709551615'],
  ['18446744073709551617', '0', '18446744073709551616'],
  ['36893488147419103235', '0', '36893488147419103236'],
  ['36893488147419103233', '0.5', '36893488147419103232'],
  ['123456.789', '-3.25', '123453.53900000000000148'],
  ['3.14159265358979323846', '0', '3.14159265358979324'],
  ['2.718281828459045235360287', '1e-5', '2.71829182845904524'],
  ['0x1.8p3', '0x.8', '12.5'],
  ['0XAp-2', '+.5', '3'],
  ['1.', '.5', '1.5'],
  ['007', '1', '8'],
  ['1E5', '1e+2', '100100'],
  ['99999999999999999999999999', '1', '100000000000000000000000000'],
  ['1e21', '1', '1000000000000000000000'],
  ['1e25', '0.1', '10000000000000000000000000'],
  ['-1234567890.123456789', '0.000000001', '-1234567890.12345678790006787'],
  ['17179869184.1', '0.1', '17179869184.19999999925494194'],
  ['0.3', '-0.1', '0.2'],
  ['1e30', '-1e30', '0'],
  ['33554432.01', '0.01', '33554432.01999999999679858'],
  ['1e-4950', '1', '1'],
  ['0x1p-16445', '0', '0'],
  ['4.35', '0', '4.35'],
  ['1.005', '1000', '1001.005'],
  ['-0.5', '0.25', '-0.25'],
  ['123456789012345678.9', '0.1', '123456789012345679'],
]

describe('long double', () => {
  test('adds and prints as INCRBYFLOAT does', () => {
    for (const [a, b, sum] of SUMS) expect(add(a, b), `${a} + ${b}`).toBe(sum)
  })

  test('prints the largest values in full', () => {
    expect(add('1e400', '1')).toMatch(/^100000000000000000002818806839475865145864534336290520386259\d{341}$/)
    expect(add('1.18973149535723176502e4932', '0')).toMatch(/^118973149535723176502126385303097020516906332229462420044032\d{4873}$/)
    expect(add('1.18973149535723176502e4932', '1.18973149535723176502e4932')).toBe('not finite')
  })

  test('reads infinities, whose sums are not finite', () => {
    for (const text of ['inf', '-inf', '+Infinity']) {
      expect(isFiniteLongDouble(read(text)!)).toBe(false)
      expect(add(text, '1')).toBe('not finite')
      expect(add('1', text)).toBe('not finite')
    }
    expect(add('inf', '-inf')).toBe('not finite')
  })

  test('refuses what is not a number or out of range', () => {
    for (const text of ['', ' 1', '1 ', 'nan', '-nan', 'abc', '1e', '1e+', '0x', '.', '+', '1.5.2', '1,5', '1\0'])
      expect(read(text), text).toBeNull()
    for (const text of ['1e4933', '-1.19e4932', '1e-4951', '1e-99999999999999999999', '1e99999999999999999999', '0x1p16384', '0x1p-16447'])
      expect(read(text), text).toBeNull()
    expect(read('1'.repeat(5120))).toBeNull()
    expect(read('0e99999999999999999999')).toEqual({ mantissa: 0n, exponent: 0 })
  })

  test('takes integers and doubles exactly', () => {
    expect(formatLongDouble(longDoubleFrom(-(2n ** 63n)))).toBe('-9223372036854775808')
    expect(formatLongDouble(longDoubleFrom(0.1))).toBe('0.10000000000000001')
    expect(formatLongDouble(longDoubleFrom(-116.407394981))).toBe('-116.40739498099999594')
    expect(formatLongDouble(longDoubleFrom(1 / 2 ** 18))).toBe('0.00000381469726562')
    expect(formatLongDouble(longDoubleFrom(Number.MIN_VALUE))).toBe('0')
    expect(formatLongDouble(longDoubleFrom(-0))).toBe('0')
    expect(formatLongDouble(longDoubleFrom(2 ** 70))).toBe(String(2n ** 70n))
  })
})
