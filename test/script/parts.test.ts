import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ScriptCache } from '../../src/script/cache.ts'
import * as dump from '../../src/script/dump.ts'
import { formatArgument, formatG, toInt32, toInt64 } from '../../src/script/numbers.ts'
import { Random48 } from '../../src/script/random.ts'
import { ALLOW_OOM, COMPATIBLE, NO_WRITES, readLibraryHeader, readScriptHeader } from '../../src/script/shebang.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { newState } from './state.ts'

describe('shebang', () => {
  test.each([
    ['return 1', { flags: COMPATIBLE, codeStart: 0 }],
    ['#!lua\nreturn 1', { flags: 0, codeStart: 5 }],
    ['#!lua flags=no-writes,allow-oom\nx', { flags: NO_WRITES | ALLOW_OOM, codeStart: 31 }],
    ['#!lua', 'Invalid script shebang'],
    ['#!lua flags=nope\n', 'Unexpected flag in script shebang: nope'],
    ['#!lua name=x\n', 'Unknown lua shebang option: name=x'],
    ['#!not-lua\n', 'Unexpected engine in script shebang: #!not-lua'],
    ['#!lua "\n', 'Invalid engine in script shebang'],
  ])('%j', (text, expected) => {
    expect(readScriptHeader(bytesOf(text))).toEqual(expected)
  })

  test.each([
    ['#!lua name=x\n', { engine: 'lua', name: 'x', codeStart: 12 }],
    ['return 1', 'Missing library metadata'],
    ['#!lua name=x', 'Invalid library metadata'],
    ['#!lua name=x name=y\n', 'Invalid metadata value, name argument was given multiple times'],
    ['#!lua foo=x\n', 'Invalid metadata value given: foo=x'],
    ['#!lua\n', 'Library name was not given'],
  ])('%j', (text, expected) => {
    expect(readLibraryHeader(bytesOf(text))).toEqual(expected)
  })
})

test('numbers print as in C', () => {
  expect([0.1, 1e15, 2 ** 53, 1e-5, 123456789012345, -0.5, 100, 1e14].map((n) => formatG(n, 14))).toEqual([
    '0.1',
    '1e+15',
    '9.007199254741e+15',
    '1e-05',
    '1.2345678901234e+14',
    '-0.5',
    '100',
    '1e+14',
  ])
  expect([0.1, 3, 1e20, -0, 2 ** 62].map(formatArgument)).toEqual(['0.1', '3', '1e+20', '0', '4611686018427387904'])
  expect([toInt64(Number.NaN), toInt64(2 ** 63), toInt64(-1.9)]).toEqual([-(2n ** 63n), -(2n ** 63n), -1n])
  expect([toInt32(2 ** 32 + 5), toInt32(-1)]).toEqual([5, -1])
})

test('the random numbers of drand48', () => {
  const random = new Random48()
  random.seed(0)
  expect([random.next(), random.next(), random.next()]).toEqual([366850414, 1610402240, 206956554])
})

test('scripts are found by digest in any case and by text', () => {
  const cache = new ScriptCache()
  const body = bytesOf('return 1')
  const script = cache.add(body, 0, 0, 1, 1)
  expect(script.sha).toBe('e0e1f9fabfc9d4800c877a703b823ac0578ff8db')
  const upper = bytesOf(`EVALSHA ${script.sha.toUpperCase()}`)
  expect(cache.findByDigest(upper, 8, 40)).toBe(script)
  expect(cache.findByDigest(upper, 7, 40)).toBe(null)
  expect(cache.findByDigest(bytesOf('z'.repeat(40)), 0, 40)).toBe(null)
  expect(cache.findByText(bytesOf('return 1'), 0, 8)).toBe(script)
  expect(cache.findByText(bytesOf('return 2'), 0, 8)).toBe(null)
  cache.clear()
  expect(cache.findByText(body, 0, 8)).toBe(null)
})

test('a dump of libraries comes back, and damage is noticed', () => {
  const codes = [bytesOf('#!lua name=a\nx'), bytesOf(`#!lua name=b\n${'local x = 1\n'.repeat(5000)}`)]
  const payload = dump.encode(codes)
  expect(dump.decode(payload)).toEqual(codes)
  expect(dump.decode(payload.subarray(1))).toBe('DUMP payload version or checksum are wrong')
  fc.assert(
    fc.property(fc.nat(payload.length - 1), fc.integer({ min: 1, max: 255 }), (i, flip) => {
      const damaged = payload.slice()
      damaged[i] ^= flip
      expect(typeof dump.decode(damaged)).toBe('string')
    }),
    { numRuns: 50 },
  )
})

describe('any bytes through the libraries', () => {
  const state = newState()
  const text = (bytes: Uint8Array): string => latin1(bytes, 0, bytes.length)

  test('cjson and cmsgpack take any string without harm', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const reply = state.evaluate(
          'pcall(cjson.decode, ARGV[1]) pcall(cmsgpack.unpack, ARGV[1]) pcall(struct.unpack, ARGV[1], ARGV[1]) return 1',
          [text(bytes)],
        )
        expect(reply).toBe(':1\r\n')
      }),
      { numRuns: 300 },
    )
  })

  test('what is packed comes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.double({ noNaN: true }), fc.maxSafeInteger(), (bytes, double, integer) => {
        const script = `local t = {ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])}
          local u = cmsgpack.unpack(cmsgpack.pack(t))
          local j = cjson.decode(cjson.encode({ARGV[1]}))
          return {u[1] == t[1], u[2] == t[2], u[3] == t[3], j[1] == t[1]}`
        const number = double === Infinity ? '1e999' : double === -Infinity ? '-1e999' : String(double)
        expect(state.evaluate(script, [text(bytes), number, String(integer)])).toBe('*4\r\n:1\r\n:1\r\n:1\r\n:1\r\n')
      }),
      { numRuns: 200 },
    )
  })

  test('any program text compiles or does not', () => {
    const words = [
      'return',
      'local',
      'x',
      '=',
      '1',
      '(',
      ')',
      '{',
      '}',
      'function',
      'end',
      'if',
      'then',
      '"s"',
      '..',
      ',',
      'redis.call',
      'nil',
      'do',
      'while',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), (program) => {
        let ticks = 0
        state.tick = () => (ticks++ > 3 ? 'ended' : false)
        state.evaluate(program.join(' '))
        expect(state.runner.broken).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})
