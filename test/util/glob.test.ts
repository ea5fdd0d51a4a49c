import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import { globMatch } from '../../src/util/glob.ts'

function matches(pattern: string, string: string, nocase = false): boolean {
  const p = bytesOf(`[${pattern}]`)
  const s = bytesOf(`*${string}*`)
  return globMatch(p, 1, pattern.length, s, 1, string.length, nocase)
}

/** [pattern, strings that match, strings that do not]; all found with KEYS on a Redis server. */
const CASES: [string, string[], string[]][] = [
  ['hello', ['hello'], ['hell', 'helloo', 'Hello', '']],
  ['', [''], ['a']],
  ['*', ['a', 'abc'], ['']],
  ['**', ['a'], ['']],
  ['a*', ['a', 'ab', 'a*'], ['', 'ba']],
  ['*a', ['a', 'aa', 'ba'], ['ab']],
  ['a*c', ['ac', 'abc', 'abcc', 'ac*c'], ['acb', 'a']],
  ['a**c', ['ac', 'abc'], ['ab']],
  ['*a*b*', ['ab', 'xaxbx', 'aab'], ['ba', 'a']],
  ['h?llo', ['hello', 'h?llo'], ['hllo', 'heello']],
  ['?', ['a'], ['', 'ab']],
  ['h[ae]llo', ['hello', 'hallo'], ['hillo', 'h[llo']],
  ['h[^e]llo', ['hallo', 'h^llo'], ['hello']],
  ['[a-c]x', ['ax', 'bx', 'cx'], ['dx', '-x', 'Ax']],
  ['[c-a]x', ['ax', 'bx', 'cx'], ['dx']],
  ['[a-]', ['_', 'a', ']', '^'], ['-', 'b']],
  ['[a-', ['a', '-'], ['b']],
  ['[', [], ['[', 'a', '']],
  ['[^', ['[', 'a'], ['', 'ab']],
  ['[]', [], [']', 'a']],
  ['[]a', [], [']a', 'a']],
  ['[^]', ['a', ']'], ['']],
  ['[^]a', ['xa'], ['a']],
  ['[abc', ['a', 'b', 'c'], ['d', '[', 'ab']],
  ['[a^b]', ['a', '^', 'b'], ['c']],
  ['[\\]]', [']'], ['\\', 'a']],
  ['[\\a-z]', ['a', '-', 'z'], ['b', '\\']],
  ['[\\', ['\\'], ['[', 'a']],
  ['[a\\', ['a', '\\'], ['b']],
  ['\\', ['\\'], ['', 'a']],
  ['\\\\', ['\\'], ['\\\\']],
  ['\\*', ['*'], ['\\*', 'a']],
  ['a\\?', ['a?'], ['ab']],
  ['\\a', ['a'], ['\\a']],
  ['a]', ['a]'], ['a']],
  ['[\x80-\xff]', ['\x80', '\xff', '\xc0'], ['\x7f', 'a']],
  ['[\x7e-\x82]', ['\x7e', '\x82', '\x00', 'a', '\xff'], ['\x7f', '\x81']],
  ['a[0-9]*[x-z]', ['a0x', 'a55z'], ['ax', 'a0', 'a0a']],
]

describe('globMatch', () => {
  test('matches as Redis does', () => {
    for (const [pattern, yes, no] of CASES) {
      for (const string of yes) expect(matches(pattern, string), `${pattern} matches ${string}`).toBe(true)
      for (const string of no) expect(matches(pattern, string), `${pattern} refuses ${string}`).toBe(false)
    }
  })

  test('folds case on request, but not after a backslash in a class', () => {
    expect(matches('HeL*', 'hello', true)).toBe(true)
    expect(matches('[A-C]', 'b', true)).toBe(true)
    expect(matches('[a-c]', 'B', true)).toBe(true)
    expect(matches('[AB]', 'b', true)).toBe(true)
    expect(matches('\\A', 'a', true)).toBe(true)
    expect(matches('[\\A]', 'a', true)).toBe(false)
    expect(matches('[Z-a]', 'm', true)).toBe(false)
  })

  test('agrees with a regular expression on plain patterns', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    const string = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(pattern, string, (p, s) => {
        const expected = new RegExp(`^${p.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(s)
        expect(matches(p, s)).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  test('answers hostile patterns in polynomial time', () => {
    expect(matches(`${'a*'.repeat(200)}b`, 'a'.repeat(2000))).toBe(false)
    expect(matches(`${'*a'.repeat(500)}*`, 'a'.repeat(499))).toBe(false)
    expect(matches(`${'*?'.repeat(500)}`, 'a'.repeat(500))).toBe(true)
  })

  test('gives up after a thousand stars', () => {
    expect(matches('*a'.repeat(1000), 'a'.repeat(1000))).toBe(true)
    expect(matches('*a'.repeat(1001), 'a'.repeat(1001))).toBe(false)
    expect(matches(`${'*a'.repeat(1000)}*`, 'a'.repeat(1000))).toBe(true)
  })
})
