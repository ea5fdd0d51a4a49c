import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import { Random } from '../../src/util/random.ts'
import { sha1Hex } from '../../src/util/sha1.ts'

describe('Random', () => {
  test('repeats itself from a seed, and only then', () => {
    const draw = (random: Random): number[] => Array.from({ length: 8 }, () => random.nextUint32())
    expect(draw(new Random(42))).toEqual(draw(new Random(42)))
    expect(draw(new Random(42))).not.toEqual(draw(new Random(43)))
    expect(draw(new Random())).not.toEqual(draw(new Random()))
    expect(new Set(draw(new Random(0))).size).toBe(8)
  })

  test('draws every number below n equally often', () => {
    const random = new Random(7)
    for (const n of [1, 2, 3, 6, 10, 100]) {
      const counts = new Int32Array(n)
      for (let i = 0; i < 20_000; i++) counts[random.below(n)]++
      const mean = 20_000 / n
      for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean) + 1)
    }
  })

  test('has no bias where a plain remainder has', () => {
    // Of 3/4 x 2^32 numbers, a remainder would draw the lowest third twice as often.
    const random = new Random(8)
    const n = 3 * 2 ** 30
    let low = 0
    for (let i = 0; i < 30_000; i++) if (random.below(n) < n / 3) low++
    expect(Math.abs(low - 10_000)).toBeLessThan(400)
  })

  test('covers large ranges and doubles', () => {
    const random = new Random(9)
    let sum = 0
    let upper = 0
    for (let i = 0; i < 10_000; i++) {
      const d = random.nextDouble()
      expect(d >= 0 && d < 1).toBe(true)
      sum += d
      const big = random.below(2 ** 53)
      expect(Number.isSafeInteger(big)).toBe(true)
      if (big >= 2 ** 52) upper++
    }
    expect(Math.abs(sum - 5000)).toBeLessThan(150)
    expect(Math.abs(upper - 5000)).toBeLessThan(250)
  })
})

test('sha1Hex is lower-case SHA-1 of the run', () => {
  expect(sha1Hex(bytesOf('return 1'))).toBe('e0e1f9fabfc9d4800c877a703b823ac0578ff8db')
  expect(sha1Hex(bytesOf('xreturn 1x'), 1, 8)).toBe('e0e1f9fabfc9d4800c877a703b823ac0578ff8db')
})
