/**
 * cjson.decode: pushes the value of a JSON text, with the tokens and messages of the library that scripts know.
 *
 * The text is read from a copy, because the Lua memory may move while values are made. Outside of strings a zero byte is the end of
 * the text. Numbers are what strtod reads: hexadecimal, leading zeros, `+`, inf and nan too, unless decode_invalid_numbers is off.
 */
import { latin1 } from '../util/bytes.ts'
import type { JsonSettings } from './cjson.ts'
import { Output } from './output.ts'
import type { LuaVm } from './vm.ts'

const T_OBJ_BEGIN = 0
const T_OBJ_END = 1
const T_ARR_BEGIN = 2
const T_ARR_END = 3
const T_STRING = 4
const T_NUMBER = 5
const T_BOOLEAN = 6
const T_NULL = 7
const T_COLON = 8
const T_COMMA = 9
const T_END = 10
const T_ERROR = 11
const TOKEN_NAMES = 'T_OBJ_BEGIN T_OBJ_END T_ARR_BEGIN T_ARR_END T_STRING T_NUMBER T_BOOLEAN T_NULL T_COLON T_COMMA T_END'.split(' ')

const SINGLES: Record<number, number> = {
  0x7b: T_OBJ_BEGIN,
  0x7d: T_OBJ_END,
  0x5b: T_ARR_BEGIN,
  0x5d: T_ARR_END,
  0x3a: T_COLON,
  0x2c: T_COMMA,
}
const ESCAPED: Record<number, number> = { 0x22: 0x22, 0x5c: 0x5c, 0x2f: 0x2f, 0x62: 8, 0x74: 9, 0x6e: 10, 0x66: 12, 0x72: 13 }
const NUMBER =
  /(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)/iy
const NUMBER_WINDOW = 512

// The state of the one decoding that goes on at a time; nothing of it is needed after an error.
let json: Uint8Array = new Uint8Array(0)
let end = 0
let at = 0
let token = T_END
let tokenAt = 0
let problem = ''
let number = 0
let depth = 0
const scratch = new Output()

export function decode(vm: LuaVm, L: number, settings: JsonSettings): number {
  if (vm.top(L) !== 1) return vm.badArgument(L, 1, 'expected 1 argument')
  const text = vm.checkString(L, 1)
  if (text.length >= 2 && (text[0] === 0 || text[1] === 0)) return vm.fail(L, 'JSON parser does not support UTF-16 or UTF-32')
  json = text.slice()
  end = json.length
  at = 0
  depth = 0
  scratch.reset()
  next(settings)
  pushValue(vm, L, settings)
  next(settings)
  if (token !== T_END) unexpected(vm, L, 'the end')
  json = new Uint8Array(0)
  return 1
}

function unexpected(vm: LuaVm, L: number, wanted: string): void {
  const found = token === T_ERROR ? problem : TOKEN_NAMES[token]
  vm.fail(L, `Expected ${wanted} but found ${found} at character ${tokenAt + 1}`)
}

// -- values -----------------------------------------------------------------------------------------------------------

function pushValue(vm: LuaVm, L: number, settings: JsonSettings): void {
  const { lua } = vm
  switch (token) {
    case T_STRING:
      return vm.pushBytes(L, scratch.bytes, 0, scratch.length)
    case T_NUMBER:
      return lua.lua_pushnumber(L, number)
    case T_BOOLEAN:
      return lua.lua_pushboolean(L, number)
    case T_NULL:
      return lua.lua_pushlightuserdata(L, 0)
    case T_OBJ_BEGIN:
      return pushObject(vm, L, settings)
    case T_ARR_BEGIN:
      return pushArray(vm, L, settings)
    default:
      return unexpected(vm, L, 'value')
  }
}

function descend(vm: LuaVm, L: number, settings: JsonSettings, slots: number): void {
  depth++
  if (depth <= settings.decodeMaxDepth && vm.lua.lua_checkstack(L, slots) !== 0) return
  vm.fail(L, `Found too many nested data structures (${depth}) at character ${at}`)
}

function pushObject(vm: LuaVm, L: number, settings: JsonSettings): void {
  descend(vm, L, settings, 3)
  vm.lua.lua_createtable(L, 0, 0)
  next(settings)
  if (token !== T_OBJ_END) {
    for (;;) {
      if (token !== T_STRING) unexpected(vm, L, 'object key string')
      vm.pushBytes(L, scratch.bytes, 0, scratch.length)
      next(settings)
      if (token !== T_COLON) unexpected(vm, L, 'colon')
      next(settings)
      pushValue(vm, L, settings)
      vm.lua.lua_rawset(L, -3)
      next(settings)
      if (token === T_OBJ_END) break
      if (token !== T_COMMA) unexpected(vm, L, 'comma or object end')
      next(settings)
    }
  }
  depth--
}

function pushArray(vm: LuaVm, L: number, settings: JsonSettings): void {
  descend(vm, L, settings, 2)
  vm.lua.lua_createtable(L, 0, 0)
  next(settings)
  if (token !== T_ARR_END) {
    for (let i = 1; ; i++) {
      pushValue(vm, L, settings)
      vm.lua.lua_rawseti(L, -2, i)
      next(settings)
      if (token === T_ARR_END) break
      if (token !== T_COMMA) unexpected(vm, L, 'comma or array end')
      next(settings)
    }
  }
  depth--
}

// -- tokens -----------------------------------------------------------------------------------------------------------

function peek(i: number): number {
  return i < end ? json[i] : 0
}

function bad(what: string): void {
  token = T_ERROR
  tokenAt = at
  problem = what
}

function next(settings: JsonSettings): void {
  let c = peek(at)
  while (c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d) c = peek(++at)
  tokenAt = at
  if (c === 0) {
    token = T_END
    return
  }
  const single = SINGLES[c]
  if (single !== undefined) {
    token = single
    at++
  } else if (c === 0x22) {
    readString()
  } else if (c === 0x2d || (c >= 0x30 && c <= 0x39)) {
    if (!settings.decodeInvalidNumbers && isInvalidNumber()) bad('invalid number')
    else readNumber()
  } else if (word('true')) {
    token = T_BOOLEAN
    number = 1
  } else if (word('false')) {
    token = T_BOOLEAN
    number = 0
  } else if (word('null')) {
    token = T_NULL
  } else if (settings.decodeInvalidNumbers && startsToken(c) && isInvalidNumber()) {
    readNumber()
  } else {
    bad('invalid token')
  }
}

function startsToken(c: number): boolean {
  return c === 0x2b || c === 0x69 || c === 0x49 || c === 0x6e || c === 0x4e
}

function word(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (peek(at + i) !== text.charCodeAt(i)) return false
  at += text.length
  return true
}

/** Whether what follows is a number to strtod, but not to JSON. */
function isInvalidNumber(): boolean {
  let i = at
  if (peek(i) === 0x2b) return true
  if (peek(i) === 0x2d) i++
  const c = peek(i)
  if (c === 0x30) {
    const second = peek(i + 1)
    return (second | 0x20) === 0x78 || (second >= 0x30 && second <= 0x39)
  }
  if (c <= 0x39) return false
  const start = latin1(json, i, Math.min(3, end - i)).toLowerCase()
  return start === 'inf' || start === 'nan'
}

function readNumber(): void {
  token = T_NUMBER
  let i = at
  // The usual short integer, without a string.
  let n = 0
  const negative = json[i] === 0x2d
  if (negative) i++
  const first = i
  let c = peek(i)
  while (c >= 0x30 && c <= 0x39) {
    n = n * 10 + (c - 0x30)
    c = peek(++i)
  }
  if (i > first && i - first < 16 && c !== 0x2e && (c | 0x20) !== 0x65 && (c | 0x20) !== 0x78) {
    number = negative ? -n : n
    at = i
    return
  }
  readAnyNumber()
}

function readAnyNumber(): void {
  const sign = peek(at) === 0x2d ? -1 : 1
  const skip = peek(at) === 0x2d || peek(at) === 0x2b ? 1 : 0
  let window = NUMBER_WINDOW
  for (;;) {
    const text = latin1(json, at + skip, Math.min(window, end - at - skip))
    NUMBER.lastIndex = 0
    const match = NUMBER.exec(text)
    if (match === null) return bad('invalid number')
    if (match[0].length === text.length && at + skip + text.length < end) {
      window *= 4
      continue
    }
    number = sign * toNumber(match[0])
    at += skip + match[0].length
    return
  }
}

function toNumber(text: string): number {
  const lower = text.toLowerCase()
  if (lower.startsWith('inf')) return Infinity
  if (lower === 'nan') return NaN
  if (!lower.startsWith('0x')) return Number(lower)
  const [mantissa, power = '0'] = lower.slice(2).split('p')
  const [whole, fraction = ''] = mantissa.split('.')
  return Number(`0x${whole}${fraction}`) * 2 ** (Number(power) - 4 * fraction.length)
}

function readString(): void {
  scratch.length = 0
  scratch.reserve(end - at)
  const { bytes } = scratch
  let length = 0
  at++
  for (;;) {
    const c = peek(at)
    if (c === 0x22) break
    if (c === 0) return bad('unexpected end of string')
    if (c !== 0x5c) {
      bytes[length++] = c
      at++
      continue
    }
    const escape = peek(at + 1)
    if (escape === 0x75) {
      const code = readCodePoint()
      if (code < 0) return bad('invalid unicode escape code')
      length = writeUtf8(bytes, length, code)
      continue
    }
    const plain = ESCAPED[escape]
    if (plain === undefined) return bad('invalid escape code')
    bytes[length++] = plain
    at += 2
  }
  at++
  token = T_STRING
  scratch.length = length
}

function hex4(i: number): number {
  let n = 0
  for (let k = i; k < i + 4; k++) {
    const c = peek(k)
    const lower = c | 0x20
    if (c >= 0x30 && c <= 0x39) n = n * 16 + (c - 0x30)
    else if (lower >= 0x61 && lower <= 0x66) n = n * 16 + (lower - 0x57)
    else return -1
  }
  return n
}

/** The code point of the escape at `at`, or of the pair of escapes, and steps over it; -1 when it is none. */
function readCodePoint(): number {
  const high = hex4(at + 2)
  if (high < 0 || (high & 0xf800) !== 0xd800) {
    if (high >= 0) at += 6
    return high
  }
  if ((high & 0x400) !== 0 || peek(at + 6) !== 0x5c || peek(at + 7) !== 0x75) return -1
  const low = hex4(at + 8)
  if (low < 0 || (low & 0xfc00) !== 0xdc00) return -1
  at += 12
  return 0x10000 + (((high & 0x3ff) << 10) | (low & 0x3ff))
}

function writeUtf8(bytes: Uint8Array, to: number, code: number): number {
  if (code < 0x80) {
    bytes[to++] = code
  } else if (code < 0x800) {
    bytes[to++] = 0xc0 | (code >> 6)
    bytes[to++] = 0x80 | (code & 0x3f)
  } else if (code < 0x10000) {
    bytes[to++] = 0xe0 | (code >> 12)
    bytes[to++] = 0x80 | ((code >> 6) & 0x3f)
    bytes[to++] = 0x80 | (code & 0x3f)
  } else {
    bytes[to++] = 0xf0 | (code >> 18)
    bytes[to++] = 0x80 | ((code >> 12) & 0x3f)
    bytes[to++] = 0x80 | ((code >> 6) & 0x3f)
    bytes[to++] = 0x80 | (code & 0x3f)
  }
  return to
}
