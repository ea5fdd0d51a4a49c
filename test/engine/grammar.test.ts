import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Argument, parseGrammar } from '../../src/engine/grammar.ts'
import { type DocsArgument, printGrammar } from './grammar-printer.ts'
import { grammarLines } from './rows.ts'

const file = new URL('../data/commands-7.2.6.json', import.meta.url)
const recorded: Record<string, { docs: { arguments?: DocsArgument[] } }> = JSON.parse(readFileSync(file, 'utf8'))
const lines = await grammarLines()

function asDocs(arg: Argument): DocsArgument {
  const flags = []
  if (arg.optional) flags.push('optional')
  if (arg.multiple) flags.push('multiple')
  if (arg.multipleToken) flags.push('multiple_token')
  const docs: DocsArgument = { name: arg.name, type: arg.type }
  if (arg.displayText !== undefined) docs.display_text = arg.displayText
  if (arg.keySpecIndex !== undefined) docs.key_spec_index = arg.keySpecIndex
  if (arg.token !== undefined) docs.token = arg.token
  if (arg.since !== undefined) docs.since = arg.since
  if (arg.deprecatedSince !== undefined) docs.deprecated_since = arg.deprecatedSince
  if (flags.length > 0) docs.flags = flags
  if (arg.arguments.length > 0) docs.arguments = arg.arguments.map(asDocs)
  return docs
}

function unbroken(line: string): string {
  return line.replaceAll(/\s*\|\s*/g, '|').replaceAll(/\s+/g, ' ')
}

describe('the argument trees of Redis 7.2.6', () => {
  test.each(Object.entries(recorded))('%s', (name, { docs }) => {
    expect(parseGrammar(lines.get(name) ?? '').map(asDocs)).toStrictEqual(docs.arguments ?? [])
  })

  test('print back to the same lines', () => {
    for (const [name, { docs }] of Object.entries(recorded))
      expect(printGrammar(docs.arguments ?? [])).toBe(unbroken(lines.get(name) ?? ''))
  })
})

describe('a line', () => {
  const [first] = parseGrammar('NX')
  test('gives bare tokens their own name', () => expect(first).toMatchObject({ name: 'nx', type: 'pure-token', token: 'NX' }))

  test('lets a token take the value behind it', () => {
    expect(parseGrammar('EX seconds:integer')).toHaveLength(1)
    expect(parseGrammar('left=LEFT count:integer')).toHaveLength(2)
    expect(parseGrammar('NX [XX]')).toHaveLength(2)
    expect(parseGrammar('NO ONE')).toHaveLength(2)
  })

  test('may be broken at spaces and bars', () => {
    const oneLine = 'key:key [LIMIT limit(offset:integer count:integer)] [order(ASC|DESC)]'
    expect(parseGrammar(oneLine.replace(/[ |]/g, (separator) => `${separator}\n  `).replace('|', '\n|'))).toEqual(parseGrammar(oneLine))
  })

  test('numbers key specs from the key before', () => {
    const indexes = parseGrammar('a:key b:key#0 c:pattern#4 d(e:key)').map((arg) => arg.keySpecIndex ?? arg.arguments[0].keySpecIndex)
    expect(indexes).toEqual([0, 0, 4, 5])
  })

  test.each([
    ['key', 'expected ":" and one of string|integer|double|key|pattern|unix-time, or "(" at column 4 of "key"'],
    ['key:keyy', 'expected ":" and one of'],
    ['[NX', 'expected "]" at column 4'],
    ['[NX XX]', 'expected "]" at column 4'],
    ['NX|XX', 'expected a space or the end at column 3'],
    ['a(NX|XX YY)', 'expected ")" at column 8'],
    ['a(NX', 'expected ")" at column 5'],
    ['a:key ', 'expected an argument at column 7'],
    [' a:key', 'expected an argument at column 1'],
    ['(a:key)...', 'expected a token at column 2'],
    ['(GET a:key)', 'expected ")..."'],
    ['(GET a:key...)...', 'expected no second "..."'],
    ['"="', 'expected a name for this token'],
    ['a=b', 'expected a token at column 3'],
    ['Key:key', 'expected an argument at column 1'],
  ])('%j is refused', (line, message) => expect(() => parseGrammar(line)).toThrow(message))
})
