import { expect, test } from 'vitest'
import { quoteWord, splitWords } from '../../src/engine/words.ts'

test('a word of any bytes and length is read back from its quotes', () => {
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
  for (const word of ['', bytes, bytes.repeat(1000)]) expect(splitWords(quoteWord(word))).toEqual([word])
  expect(quoteWord('a"b\\c\n\r\t\x07\b\x00\x7f\xff~')).toBe('"a\\"b\\\\c\\n\\r\\t\\a\\b\\x00\\x7f\\xff~"')
})
