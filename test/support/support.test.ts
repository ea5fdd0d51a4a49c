import { describe, expect, test } from 'vitest'
import { Generator, parseTemplates } from './grammar.ts'
import { isExact, matches, parsePattern, render, renderBoth } from './notation.ts'
import { seeded } from './random.ts'
import { encodeCommand, parseReply, plain, ReplySplitter } from './resp.ts'
import { parseStep, parseTranscript } from './transcript.ts'
import { quote, words } from './words.ts'

const WIRE = [
  '+OK\r\n',
  '-ERR no\r\n',
  ':-5\r\n',
  '$0\r\n\r\n',
  '$4\r\na\r\nb\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  '*2\r\n*1\r\n:1\r\n$1\r\nx\r\n',
  '_\r\n',
  ',1.5\r\n',
  '#t\r\n',
  '(12345678901234567890\r\n',
  '=7\r\ntxt:abc\r\n',
  '%2\r\n+a\r\n:1\r\n+b\r\n*0\r\n',
  '~1\r\n:1\r\n',
  '>2\r\n+message\r\n$1\r\nx\r\n',
  '|1\r\n+ttl\r\n:5\r\n$1\r\nx\r\n',
]

const reply = (wire: string) => parseReply(Buffer.from(wire, 'latin1'))

describe('the reply reader', () => {
  test('cuts a stream into the same replies, whatever the split', () => {
    const stream = Buffer.from(WIRE.join(''), 'latin1')
    for (const size of [1, 2, 3, 7, stream.length]) {
      const splitter = new ReplySplitter()
      const found: string[] = []
      for (let at = 0; at < stream.length; at += size) {
        splitter.feed(stream.subarray(at, at + size))
        for (let next = splitter.next(); next; next = splitter.next()) found.push(next.toString('latin1'))
      }
      expect(found).toEqual(WIRE)
      expect(splitter.rest.length).toBe(0)
    }
  })

  test('keeps the types apart', () => {
    expect(reply('$-1\r\n')).toEqual({ type: 'null bulk' })
    expect(reply('*-1\r\n')).toEqual({ type: 'null array' })
    expect(reply('_\r\n')).toEqual({ type: 'null' })
    expect(reply('%1\r\n+a\r\n#f\r\n')).toEqual({
      type: 'map',
      items: [
        { type: 'simple', text: 'a' },
        { type: 'boolean', text: 'f' },
      ],
    })
  })

  test('gives plain values', () => {
    expect(plain(reply('*3\r\n:1\r\n$2\r\n\xc3\xa9\r\n*-1\r\n'))).toEqual([1, 'é', null])
    expect(plain(reply('%1\r\n+a\r\n,inf\r\n'))).toEqual(new Map([['a', Infinity]]))
    expect(plain(reply(':9223372036854775807\r\n'))).toBe(9223372036854775807n)
  })

  test('refuses what is not a reply', () => {
    const splitter = new ReplySplitter()
    splitter.feed(Buffer.from('hello\r\n'))
    expect(() => splitter.next()).toThrow('not a reply')
  })

  test('encodes commands', () => {
    expect(encodeCommand(['SET', 'é', 1, Buffer.from([255])]).toString('latin1')).toBe(
      '*4\r\n$3\r\nSET\r\n$2\r\n\xc3\xa9\r\n$1\r\n1\r\n$1\r\n\xff\r\n',
    )
  })
})

describe('the notation', () => {
  test('reads what it writes', () => {
    for (const wire of WIRE.slice(0, -1)) {
      const pattern = parsePattern(render(reply(wire)))
      const protocol = /^[_,#(=%~>]/.test(wire) ? 3 : 2
      expect(matches(pattern, reply(wire), protocol, new Map()), `${render(reply(wire))}`).toBe(true)
      expect(isExact(pattern)).toBe(true)
    }
  })

  test.each([
    ['nil', '$-1\r\n', '_\r\n'],
    ['nil*', '*-1\r\n', '_\r\n'],
    [',1.5', '$3\r\n1.5\r\n', ',1.5\r\n'],
    ['#t', ':1\r\n', '#t\r\n'],
    ['{a :1}', '*2\r\n$1\r\na\r\n:1\r\n', '%1\r\n$1\r\na\r\n:1\r\n'],
    ['[a 1] | [[a ,1]]', '*2\r\n$1\r\na\r\n$1\r\n1\r\n', '*1\r\n*2\r\n$1\r\na\r\n,1\r\n'],
  ])('%s stands for both protocols', (notation, resp2, resp3) => {
    expect(matches(parsePattern(notation), reply(resp2), 2, new Map())).toBe(true)
    expect(matches(parsePattern(notation), reply(resp3), 3, new Map())).toBe(true)
    expect(renderBoth(reply(resp2), reply(resp3))).toBe(notation)
  })

  test.each([
    ['@[a b]', '*2\r\n$1\r\nb\r\n$1\r\na\r\n', true],
    ['@[a b]', '*2\r\n$1\r\nb\r\n$1\r\nb\r\n', false],
    ['@{k :1 l :2}', '*4\r\n$1\r\nl\r\n:2\r\n$1\r\nk\r\n:1\r\n', true],
    [':5..9', ':9\r\n', true],
    [':5..9', ':10\r\n', false],
    ['any:integer', ':10\r\n', true],
    ['any:bulk', ':10\r\n', false],
    ['oneof(a :1)', ':1\r\n', true],
    ['[a ...]', '*3\r\n$1\r\na\r\n:1\r\n:2\r\n', true],
    ['/^a.c$/', '$3\r\nabc\r\n', true],
    ['a', '+a\r\n', false],
    ['-ERR a "b" c', '-ERR a "b" c\r\n', true],
  ])('%s against %j is %s', (notation, wire, expected) => {
    expect(matches(parsePattern(notation), reply(wire), 2, new Map())).toBe(expected)
  })

  test('remembers names', () => {
    const names = new Map()
    expect(matches(parsePattern('?id'), reply('$3\r\n1-1\r\n'), 2, names)).toBe(true)
    expect(matches(parsePattern('[$id]'), reply('*1\r\n$3\r\n1-1\r\n'), 2, names)).toBe(true)
  })
})

describe('transcripts', () => {
  test('words are split as redis-cli splits them', () => {
    expect(words(`SET "a b\\x00\\n" 'c\\'d' é ""`).map((w) => w.text)).toEqual(['SET', 'a b\0\n', "c'd", '\xc3\xa9', ''])
    for (const text of ['', 'a b', '"', '\0\xff`', '${x}', 'plain']) expect(words(quote(text)).map((w) => w.text)).toEqual([text])
  })

  test('steps', () => {
    expect(parseStep('b> GET "=> k" => "x => y"')).toMatchObject({ client: 'b', action: 'command', words: ['GET', '=> k'] })
    expect(parseStep('b> => quiet')).toMatchObject({ action: 'read', expected: 'quiet' })
    expect(parseStep('.times 5 INCR n => :5')).toMatchObject({ times: 5, words: ['INCR', 'n'] })
    expect(parseStep('A => :5 !7.2 why not')).toMatchObject({ mark: { since: '7.2', reason: 'why not' }, expected: { text: '5' } })
  })

  test('titles', () => {
    expect(parseTranscript('## a [resp3] !7.2 new\n# comment\nGET k\n\n## b')).toMatchObject([
      { title: 'a', protocols: [3], mark: { since: '7.2' }, steps: [{ words: ['GET', 'k'] }] },
      { title: 'b', protocols: [2, 3], steps: [] },
    ])
    expect(() => parseTranscript('## a\n## a')).toThrow('title twice')
  })
})

test('the command grammar draws the same commands from the same seed', () => {
  const templates = parseTemplates('2 SET {key} "a b" [NX|XX] [EX {n}]\nMSET ({key} v)+')
  const draw = () => {
    const generator = new Generator(templates, { key: 'k1 k2', n: (random) => String(random.below(10)) }, seeded(7))
    return Array.from({ length: 50 }, () => generator.command().join(' '))
  }
  expect(draw()).toEqual(draw())
  for (const line of draw()) expect(line).toMatch(/^(SET k[12] a b( NX| XX)?( EX \d)?|MSET( k[12] v)+)$/)
})
