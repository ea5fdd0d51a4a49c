/** The `cjson` library of scripts: settings, encode, and new instances. Decoding is in cjson-decode.ts. */
import { decode } from './cjson-decode.ts'
import * as lay from './layout.ts'
import { formatG } from './numbers.ts'
import { Output } from './output.ts'
import type { LuaVm } from './vm.ts'

const INT_MAX = 2 ** 31 - 1
const INT_MIN = -(2 ** 31)

export class JsonSettings {
  sparseConvert = false
  sparseRatio = 2
  sparseSafe = 10
  encodeMaxDepth = 1000
  decodeMaxDepth = 1000
  /** 0 an error, 1 as they print, 2 null. */
  encodeInvalidNumbers = 0
  decodeInvalidNumbers = true
  numberPrecision = 14
  keepBuffer = true
}

const out = new Output()

/** What JSON writes for each byte that it does not write as it is. */
const ESCAPES: (string | undefined)[] = Array.from({ length: 256 }, (_, c) =>
  c < 32 || c === 127 ? `\\u${c.toString(16).padStart(4, '0')}` : undefined,
)
for (const [c, text] of Object.entries({ 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 34: '\\"', 47: '\\/', 92: '\\\\' })) {
  ESCAPES[Number(c)] = text
}
const PLAIN = Uint8Array.from(ESCAPES, (text) => (text === undefined ? 1 : 0))

// -- encoding ---------------------------------------------------------------------------------------------------------

function encode(vm: LuaVm, L: number, settings: JsonSettings): number {
  if (vm.top(L) !== 1) return vm.badArgument(L, 1, 'expected 1 argument')
  out.reset()
  encodeValue(vm, L, settings, 0)
  vm.pushBytes(L, out.bytes, 0, out.length)
  return 1
}

/** Encodes the value on top of the stack and leaves it there. */
function encodeValue(vm: LuaVm, L: number, settings: JsonSettings, depth: number): void {
  const value = vm.last(L)
  switch (vm.tag(value)) {
    case lay.STRING:
      return encodeString(vm, value)
    case lay.NUMBER:
      return encodeNumber(vm, L, value, settings)
    case lay.BOOLEAN:
      return out.text(vm.pointer(value) === 0 ? 'false' : 'true')
    case lay.TABLE:
      return encodeTable(vm, L, settings, depth + 1)
    case lay.NIL:
      return out.text('null')
    case lay.LIGHTUSERDATA:
      if (vm.pointer(value) === 0) return out.text('null')
      break
  }
  cannot(vm, L, vm.tag(value), 'type not supported')
}

function cannot(vm: LuaVm, L: number, tag: number, reason: string): void {
  vm.fail(L, `Cannot serialise ${vm.readText(vm.lua.lua_typename(L, tag))}: ${reason}`)
}

function encodeString(vm: LuaVm, value: number): void {
  const { u8 } = vm
  const from = vm.stringBytes(value)
  const length = vm.stringLength(value)
  out.reserve(length * 6 + 2)
  const { bytes } = out
  let at = out.length
  bytes[at++] = 0x22
  for (let i = from; i < from + length; i++) {
    const c = u8[i]
    if (PLAIN[c] === 1) {
      bytes[at++] = c
    } else {
      const escape = ESCAPES[c] as string
      for (let j = 0; j < escape.length; j++) bytes[at++] = escape.charCodeAt(j)
    }
  }
  bytes[at++] = 0x22
  out.length = at
}

function encodeNumber(vm: LuaVm, L: number, value: number, settings: JsonSettings): void {
  const n = vm.number(value)
  if ((n | 0) === n && settings.numberPrecision >= 10 && !Object.is(n, -0)) return out.text(String(n))
  if (!Number.isFinite(n)) {
    if (settings.encodeInvalidNumbers === 0) cannot(vm, L, lay.NUMBER, 'must not be NaN or Inf')
    if (settings.encodeInvalidNumbers === 2) return out.text('null')
  }
  out.text(formatG(n, settings.numberPrecision))
}

/** Largest index of a table whose keys are all positive integers; -1 for others and for those that are too sparse. */
function arrayLength(vm: LuaVm, L: number, settings: JsonSettings): number {
  const { lua } = vm
  let max = 0
  let items = 0
  lua.lua_pushnil(L)
  while (lua.lua_next(L, -2) !== 0) {
    const key = vm.last(L) - lay.TVALUE_SIZE
    const k = vm.tag(key) === lay.NUMBER ? vm.number(key) : 0
    if (!(k >= 1) || Math.floor(k) !== k) {
      lua.lua_settop(L, -3)
      return -1
    }
    // As in the library that scripts know, the largest index is a C int, and one that does not fit becomes the least of them.
    if (k > max) max = k <= INT_MAX ? k : INT_MIN
    items++
    lua.lua_settop(L, -2)
  }
  if (settings.sparseRatio > 0 && max > items * settings.sparseRatio && max > settings.sparseSafe) {
    if (!settings.sparseConvert) cannot(vm, L, lay.TABLE, 'excessively sparse array')
    return -1
  }
  return max
}

function encodeTable(vm: LuaVm, L: number, settings: JsonSettings, depth: number): void {
  if (depth > settings.encodeMaxDepth || vm.lua.lua_checkstack(L, 3) === 0) {
    vm.fail(L, `Cannot serialise, excessive nesting (${depth})`)
  }
  const length = arrayLength(vm, L, settings)
  if (length > 0) encodeArray(vm, L, settings, depth, length)
  else encodeObject(vm, L, settings, depth)
}

function encodeArray(vm: LuaVm, L: number, settings: JsonSettings, depth: number, length: number): void {
  out.byte(0x5b)
  for (let i = 1; i <= length; i++) {
    if (i > 1) out.byte(0x2c)
    vm.lua.lua_rawgeti(L, -1, i)
    encodeValue(vm, L, settings, depth)
    vm.lua.lua_settop(L, -2)
  }
  out.byte(0x5d)
}

function encodeObject(vm: LuaVm, L: number, settings: JsonSettings, depth: number): void {
  const { lua } = vm
  out.byte(0x7b)
  lua.lua_pushnil(L)
  for (let first = true; lua.lua_next(L, -2) !== 0; first = false) {
    if (!first) out.byte(0x2c)
    const key = vm.last(L) - lay.TVALUE_SIZE
    if (vm.tag(key) === lay.STRING) {
      encodeString(vm, key)
    } else if (vm.tag(key) === lay.NUMBER) {
      out.byte(0x22)
      encodeNumber(vm, L, key, settings)
      out.byte(0x22)
    } else {
      cannot(vm, L, vm.tag(key), 'table key must be a number or string')
    }
    out.byte(0x3a)
    encodeValue(vm, L, settings, depth)
    lua.lua_settop(L, -2)
  }
  out.byte(0x7d)
}

// -- settings ---------------------------------------------------------------------------------------------------------

function argumentsAtMost(vm: LuaVm, L: number, most: number): void {
  if (vm.top(L) > most) vm.badArgument(L, most + 1, 'found too many arguments')
  vm.lua.lua_settop(L, most)
}

function integerSetting(vm: LuaVm, L: number, arg: number, now: number, min: number, max: number): number {
  let value = now
  if (vm.type(L, arg) !== lay.NIL) {
    value = vm.lua.luaL_checkinteger(L, arg)
    if (value < min || value > max) vm.badArgument(L, 1, `expected integer between ${min} and ${max}`)
  }
  vm.lua.lua_pushnumber(L, value)
  return value
}

/** Reads a setting that is a boolean or one of `options` and pushes what it is then; the state of `on` shows as a boolean. */
function choiceSetting(vm: LuaVm, L: number, arg: number, now: number, options: string[]): number {
  let value = now
  const type = vm.type(L, arg)
  if (type === lay.BOOLEAN) value = vm.lua.lua_toboolean(L, arg)
  else if (type !== lay.NIL) {
    const text = vm.checkText(L, arg)
    value = options.indexOf(text)
    if (value < 0) vm.badArgument(L, arg, `invalid option '${text}'`)
  }
  if (value < 2) vm.lua.lua_pushboolean(L, value)
  else vm.pushText(L, options[value])
  return value
}

const SWITCH = ['off', 'on']

type JsonFunction = (vm: LuaVm, L: number, settings: JsonSettings) => number

function sparseArray(vm: LuaVm, L: number, s: JsonSettings): number {
  argumentsAtMost(vm, L, 3)
  s.sparseConvert = choiceSetting(vm, L, 1, s.sparseConvert ? 1 : 0, SWITCH) === 1
  s.sparseRatio = integerSetting(vm, L, 2, s.sparseRatio, 0, INT_MAX)
  s.sparseSafe = integerSetting(vm, L, 3, s.sparseSafe, 0, INT_MAX)
  return 3
}

const encodeMaxDepth: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.encodeMaxDepth = integerSetting(vm, L, 1, s.encodeMaxDepth, 1, INT_MAX)
  return 1
}

const decodeMaxDepth: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.decodeMaxDepth = integerSetting(vm, L, 1, s.decodeMaxDepth, 1, INT_MAX)
  return 1
}

const numberPrecision: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.numberPrecision = integerSetting(vm, L, 1, s.numberPrecision, 1, 14)
  return 1
}

const keepBuffer: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.keepBuffer = choiceSetting(vm, L, 1, s.keepBuffer ? 1 : 0, SWITCH) === 1
  return 1
}

const encodeInvalidNumbers: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.encodeInvalidNumbers = choiceSetting(vm, L, 1, s.encodeInvalidNumbers, ['off', 'on', 'null'])
  return 1
}

const decodeInvalidNumbers: JsonFunction = (vm, L, s) => {
  argumentsAtMost(vm, L, 1)
  s.decodeInvalidNumbers = choiceSetting(vm, L, 1, s.decodeInvalidNumbers ? 1 : 0, SWITCH) === 1
  return 1
}

const FUNCTIONS: [string, JsonFunction][] = [
  ['encode', encode],
  ['decode', decode],
  ['encode_sparse_array', sparseArray],
  ['encode_max_depth', encodeMaxDepth],
  ['decode_max_depth', decodeMaxDepth],
  ['encode_number_precision', numberPrecision],
  ['encode_keep_buffer', keepBuffer],
  ['encode_invalid_numbers', encodeInvalidNumbers],
  ['decode_invalid_numbers', decodeInvalidNumbers],
]

const INSTANCES_MAX = 100_000

/** Declares the functions; the result pushes a new `cjson` table whose functions share settings of their own. */
export function declareJson(vm: LuaVm): (L: number) => void {
  const instances: JsonSettings[] = []
  const settingsOf = (L: number): JsonSettings => instances[vm.lua.lua_tonumber(L, lay.upvalue(1))]
  const declared = FUNCTIONS.map(([name, fn]) => [name, vm.declare((_, L) => fn(vm, L, settingsOf(L)))] as const)
  const renew = vm.declare((_, L) => {
    if (instances.length >= INSTANCES_MAX) return vm.fail(L, 'too many instances of cjson')
    pushInstance(L)
    return 1
  })
  function pushInstance(L: number): void {
    const id = instances.push(new JsonSettings()) - 1
    vm.lua.lua_createtable(L, 0, 16)
    for (const [name, index] of [...declared, ['new', renew] as const]) {
      vm.lua.lua_pushnumber(L, id)
      vm.pushBuiltin(L, index, 1)
      vm.setField(L, name)
    }
    vm.lua.lua_pushlightuserdata(L, 0)
    vm.setField(L, 'null')
    vm.pushText(L, 'cjson')
    vm.setField(L, '_NAME')
    vm.pushText(L, '2.1.0')
    vm.setField(L, '_VERSION')
  }
  return pushInstance
}
