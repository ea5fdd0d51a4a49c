/** The `cmsgpack` library: MessagePack of the first specification plus str8, as scripts have used it since Redis 2.6. */
import * as lay from './layout.ts'
import { toInt32, toInt64 } from './numbers.ts'
import { Output } from './output.ts'
import type { Library } from './redis-api.ts'
import type { LuaVm } from './vm.ts'

/** Deeper tables are written as nil, so that cycles end. */
const NESTING_MAX = 16
const TWO_32 = 2 ** 32

const out = new Output()
const cell = new DataView(new ArrayBuffer(8))

// -- packing ----------------------------------------------------------------------------------------------------------

function pack(vm: LuaVm, L: number): number {
  const count = vm.top(L)
  if (count === 0) return vm.badArgument(L, 0, 'MessagePack pack needs input.')
  if (vm.lua.lua_checkstack(L, count) === 0) return vm.badArgument(L, 0, 'Too many arguments for MessagePack pack.')
  out.reset()
  for (let i = 1; i <= count; i++) {
    vm.lua.lua_pushvalue(L, i)
    packValue(vm, L, 0)
  }
  vm.pushBytes(L, out.bytes, 0, out.length)
  return 1
}

/** Packs the value on top of the stack and pops it. */
function packValue(vm: LuaVm, L: number, depth: number): void {
  const value = vm.last(L)
  switch (vm.tag(value)) {
    case lay.STRING:
      packString(vm, value)
      break
    case lay.BOOLEAN:
      out.byte(vm.pointer(value) === 0 ? 0xc2 : 0xc3)
      break
    case lay.NUMBER:
      packNumber(vm.number(value))
      break
    case lay.TABLE:
      if (depth === NESTING_MAX) out.byte(0xc0)
      else packTable(vm, L, depth)
      break
    default:
      out.byte(0xc0)
  }
  vm.lua.lua_settop(L, -2)
}

function packString(vm: LuaVm, value: number): void {
  const length = vm.stringLength(value)
  if (length < 32) out.byte(0xa0 | length)
  else if (length < 0x100) packUint(0xd9, length, 1)
  else if (length < 0x10000) packUint(0xda, length, 2)
  else packUint(0xdb, length, 4)
  out.copy(vm.u8, vm.stringBytes(value), length)
}

function packUint(type: number, n: number, size: number): void {
  out.byte(type)
  for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) out.byte((n >>> shift) & 0xff)
}

function packNumber(n: number): void {
  if (n >= -(2 ** 63) && n < 2 ** 63 && Math.trunc(n) === n) return packInteger(n)
  if (Math.fround(n) === n) {
    cell.setFloat32(0, n)
    return packCell(0xca, 4)
  }
  cell.setFloat64(0, n)
  packCell(0xcb, 8)
}

function packCell(type: number, size: number): void {
  out.byte(type)
  for (let i = 0; i < size; i++) out.byte(cell.getUint8(i))
}

function packInteger(n: number): void {
  if (n >= 0) {
    if (n < 0x80) return out.byte(n)
    if (n < 0x100) return packUint(0xcc, n, 1)
    if (n < 0x10000) return packUint(0xcd, n, 2)
    if (n < TWO_32) return packUint(0xce, n, 4)
    cell.setBigUint64(0, BigInt(n))
    return packCell(0xcf, 8)
  }
  if (n >= -32) return out.byte(n & 0xff)
  if (n >= -0x80) return packUint(0xd0, n, 1)
  if (n >= -0x8000) return packUint(0xd1, n, 2)
  if (n >= -0x80000000) return packUint(0xd2, n, 4)
  cell.setBigInt64(0, BigInt(n))
  packCell(0xd3, 8)
}

/** Whether the keys of the table on top of the stack are exactly 1..n; n, or -1. */
function sequenceLength(vm: LuaVm, L: number): number {
  const { lua } = vm
  let max = 0
  let count = 0
  lua.luaL_checkstack(L, 2, vm.text('in function table_is_an_array'))
  lua.lua_pushnil(L)
  while (lua.lua_next(L, -2) !== 0) {
    lua.lua_settop(L, -2)
    const key = vm.last(L)
    const n = vm.tag(key) === lay.NUMBER ? vm.number(key) : 0
    if (!(n > 0) || (n | 0) !== n) {
      lua.lua_settop(L, -2)
      return -1
    }
    if (n > max) max = n
    count++
  }
  return max === count ? count : -1
}

function packTable(vm: LuaVm, L: number, depth: number): void {
  const { lua } = vm
  const length = sequenceLength(vm, L)
  if (length < 0) return packMap(vm, L, depth)
  packHeader(0x90, 0xdc, length)
  lua.luaL_checkstack(L, 1, vm.text('in function mp_encode_lua_table_as_array'))
  for (let i = 1; i <= length; i++) {
    lua.lua_rawgeti(L, -1, i)
    packValue(vm, L, depth + 1)
  }
}

function packMap(vm: LuaVm, L: number, depth: number): void {
  const { lua } = vm
  let count = 0
  lua.luaL_checkstack(L, 3, vm.text('in function mp_encode_lua_table_as_map'))
  lua.lua_pushnil(L)
  for (; lua.lua_next(L, -2) !== 0; count++) lua.lua_settop(L, -2)
  packHeader(0x80, 0xde, count)
  lua.lua_pushnil(L)
  while (lua.lua_next(L, -2) !== 0) {
    lua.lua_pushvalue(L, -2)
    packValue(vm, L, depth + 1)
    packValue(vm, L, depth + 1)
  }
}

function packHeader(fixed: number, type16: number, count: number): void {
  if (count < 16) out.byte(fixed | count)
  else if (count < 0x10000) packUint(type16, count, 2)
  else packUint(type16 + 1, count, 4)
}

// -- unpacking --------------------------------------------------------------------------------------------------------

const FINE = 0
const TOO_SHORT = 1
const BAD_FORMAT = 2

// The unpacking that goes on; nothing of it is needed after an error. The data is a copy, as the Lua memory may move.
let data = new Uint8Array(0)
let view = cell
let at = 0
let left = 0
let state = FINE

/** Unpacks up to `limit` values from `offset` on; with neither, all of them, and no offset is returned. */
function unpackFrom(vm: LuaVm, L: number, limit: number, offset: number): number {
  const text = vm.checkString(L, 1)
  if (offset < 0 || limit < 0) {
    return vm.fail(L, `Invalid request to unpack with offset of ${toInt32(offset)} and limit of ${text.length}.`)
  }
  if (offset > text.length) return vm.fail(L, `Start offset ${toInt32(offset)} greater than input length ${text.length}.`)
  const all = limit === 0 && offset === 0
  data = text.slice()
  view = new DataView(data.buffer, data.byteOffset, data.length)
  at = offset
  left = data.length - offset
  state = FINE
  let count = 0
  const most = all ? Number.POSITIVE_INFINITY : limit
  for (; count < most && need(1); count++) {
    unpackValue(vm, L)
    if (state === TOO_SHORT) return vm.fail(L, 'Missing bytes in input.')
    if (state === BAD_FORMAT) return vm.fail(L, 'Bad data format in input.')
  }
  state = FINE
  const rest = left === 0 ? -1 : at
  data = new Uint8Array(0)
  if (all) return count
  vm.lua.luaL_checkstack(L, 1, vm.text('in function mp_unpack_full'))
  vm.lua.lua_pushnumber(L, rest)
  vm.lua.lua_insert(L, 2)
  return count + 1
}

function need(bytes: number): boolean {
  if (left >= bytes) return true
  state = TOO_SHORT
  return false
}

function consume(bytes: number): void {
  at += bytes
  left -= bytes
}

function unpackNumber(vm: LuaVm, L: number, size: number, n: number): void {
  vm.lua.lua_pushnumber(L, n)
  consume(size)
}

function unpackValue(vm: LuaVm, L: number): void {
  if (!need(1)) return
  vm.lua.luaL_checkstack(L, 1, vm.text('too many return values at once; use unpack_one or unpack_limit instead.'))
  const type = data[at]
  if (type < 0x80) return unpackNumber(vm, L, 1, type)
  if (type >= 0xe0) return unpackNumber(vm, L, 1, type - 0x100)
  if (type < 0x90) return unpackMap(vm, L, 1, type & 15)
  if (type < 0xa0) return unpackArray(vm, L, 1, type & 15)
  if (type < 0xc0) return unpackString(vm, L, 1, type & 31)
  const size = SIZES[type - 0xc0]
  if (size < 0) {
    state = BAD_FORMAT
    return
  }
  if (need(size)) unpackTyped(vm, L, type, size)
}

/** Bytes of the type and its number or length, for 0xc0 and up; -1: not known. */
const SIZES = [1, -1, 1, 1, -1, -1, -1, -1, -1, -1, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, -1, -1, -1, -1, -1, 2, 3, 5, 3, 5, 3, 5]

function unpackTyped(vm: LuaVm, L: number, type: number, size: number): void {
  const { lua } = vm
  switch (type) {
    case 0xc0:
      lua.lua_pushnil(L)
      return consume(1)
    case 0xc2:
    case 0xc3:
      lua.lua_pushboolean(L, type & 1)
      return consume(1)
    case 0xca:
      return unpackNumber(vm, L, size, view.getFloat32(at + 1))
    case 0xcb:
      return unpackNumber(vm, L, size, view.getFloat64(at + 1))
    case 0xcc:
      return unpackNumber(vm, L, size, data[at + 1])
    case 0xcd:
      return unpackNumber(vm, L, size, view.getUint16(at + 1))
    case 0xce:
      return unpackNumber(vm, L, size, view.getUint32(at + 1))
    case 0xcf:
    case 0xd3:
      return unpackNumber(vm, L, size, Number(view.getBigInt64(at + 1)))
    case 0xd0:
      return unpackNumber(vm, L, size, view.getInt8(at + 1))
    case 0xd1:
      return unpackNumber(vm, L, size, view.getInt16(at + 1))
    case 0xd2:
      return unpackNumber(vm, L, size, view.getInt32(at + 1))
    case 0xd9:
      return unpackString(vm, L, size, data[at + 1])
    case 0xda:
      return unpackString(vm, L, size, view.getUint16(at + 1))
    case 0xdb:
      return unpackString(vm, L, size, view.getUint32(at + 1))
    case 0xdc:
      return unpackArray(vm, L, size, view.getUint16(at + 1))
    case 0xdd:
      return unpackArray(vm, L, size, view.getUint32(at + 1))
    case 0xde:
      return unpackMap(vm, L, size, view.getUint16(at + 1))
    default:
      return unpackMap(vm, L, size, view.getUint32(at + 1))
  }
}

function unpackString(vm: LuaVm, L: number, header: number, length: number): void {
  if (!need(header + length)) return
  vm.pushBytes(L, data, at + header, at + header + length)
  consume(header + length)
}

function unpackArray(vm: LuaVm, L: number, header: number, length: number): void {
  const { lua } = vm
  consume(header)
  lua.luaL_checkstack(L, 2, vm.text('in function mp_decode_to_lua_array'))
  lua.lua_createtable(L, 0, 0)
  for (let i = 1; i <= length; i++) {
    unpackValue(vm, L)
    if (state !== FINE) return
    lua.lua_rawseti(L, -2, i)
  }
}

function unpackMap(vm: LuaVm, L: number, header: number, length: number): void {
  const { lua } = vm
  consume(header)
  lua.luaL_checkstack(L, 3, vm.text('in function mp_decode_to_lua_hash'))
  lua.lua_createtable(L, 0, 0)
  for (let i = 0; i < length; i++) {
    unpackValue(vm, L)
    if (state !== FINE) return
    unpackValue(vm, L)
    if (state !== FINE) return
    lua.lua_settable(L, -3)
  }
}

/** An optional integer argument, as C's long long in an int64. */
function integer(vm: LuaVm, L: number, arg: number, otherwise?: number): number {
  if (otherwise !== undefined && vm.type(L, arg) <= lay.NIL) return otherwise
  return Number(toInt64(vm.lua.luaL_checknumber(L, arg)))
}

export const messagePackLibrary: Library = [
  ['pack', pack],
  ['unpack', (vm, L) => unpackFrom(vm, L, 0, 0)],
  [
    'unpack_one',
    (vm, L) => {
      const offset = integer(vm, L, 2, 0)
      vm.lua.lua_settop(L, 1)
      return unpackFrom(vm, L, 1, offset)
    },
  ],
  [
    'unpack_limit',
    (vm, L) => {
      const limit = integer(vm, L, 2)
      const offset = integer(vm, L, 3, 0)
      vm.lua.lua_settop(L, 1)
      return unpackFrom(vm, L, limit, offset)
    },
  ],
]
