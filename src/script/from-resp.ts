/**
 * RESP to Lua: pushes the value of one reply.
 *
 *   +OK        {ok = 'OK'}           $-1 *-1    false                 %..  {map = {k = v}}
 *   -ERR x     {err = 'ERR x'}       _          nil                   ~..  {set = {member = true}}
 *   :1         1                     #t         true                  ,1.5 {double = 1.5}
 *   $3 *3      string, array         (123       {big_number = '123'}  =..  {verbatim_string = {format, string}}
 *
 * An error also gets the field `ignore_error_stats_update`: the command that failed was counted already.
 */
import { latin1 } from '../util/bytes.ts'
import type { Reply } from '../resp/reply.ts'
import type { LuaVm } from './vm.ts'

const CR = 13
const MINUS = 0x2d
const ZERO = 0x30

let position = 0
/** The number after the type byte of the line read last; its text is lineStart..lineEnd. */
let lineStart = 0
let lineEnd = 0

export function pushReply(vm: LuaVm, L: number, reply: Reply): void {
  position = 0
  push(vm, L, reply.buf)
}

function readLine(bytes: Uint8Array): void {
  lineStart = position + 1
  let i = lineStart
  while (bytes[i] !== CR) i++
  lineEnd = i
  position = i + 2
}

function readInteger(bytes: Uint8Array): number {
  let i = position + 1
  const negative = bytes[i] === MINUS
  if (negative) i++
  let n = 0
  for (let c = bytes[i]; c !== CR; c = bytes[++i]) n = n * 10 + (c - ZERO)
  position = i + 2
  return negative ? -n : n
}

function push(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const { lua } = vm
  switch (bytes[position]) {
    case 0x24: // $
      return pushBulk(vm, L, bytes)
    case 0x3a: // :
      return lua.lua_pushnumber(L, readInteger(bytes))
    case 0x2b: // +
      return pushLineTable(vm, L, bytes, 'ok')
    case 0x2d: // -
      return pushErrorReply(vm, L, bytes)
    case 0x2a: // *
      return pushArray(vm, L, bytes)
    case 0x5f: // _
      position += 3
      return lua.lua_pushnil(L)
    case 0x23: // #
      lua.lua_pushboolean(L, bytes[position + 1] === 0x74 ? 1 : 0)
      position += 4
      return
    case 0x2c: // ,
      return pushDouble(vm, L, bytes)
    case 0x28: // (
      return pushLineTable(vm, L, bytes, 'big_number')
    case 0x3d: // =
      return pushVerbatim(vm, L, bytes)
    case 0x25: // %
      return pushMap(vm, L, bytes)
    case 0x7e: // ~
      return pushSet(vm, L, bytes)
    case 0x7c: // |
      return pushWithoutAttributes(vm, L, bytes)
    default:
      throw new Error(`unexpected reply type ${bytes[position]}`)
  }
}

function pushBulk(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const length = readInteger(bytes)
  if (length < 0) return vm.lua.lua_pushboolean(L, 0)
  const from = position
  position = from + length + 2
  vm.pushBytes(L, bytes, from, from + length)
}

function pushLineTable(vm: LuaVm, L: number, bytes: Uint8Array, field: string): void {
  readLine(bytes)
  vm.lua.lua_createtable(L, 0, 1)
  vm.pushBytes(L, bytes, lineStart, lineEnd)
  vm.setField(L, field)
}

function pushErrorReply(vm: LuaVm, L: number, bytes: Uint8Array): void {
  readLine(bytes)
  pushError(vm, L, latin1(bytes, lineStart, lineEnd - lineStart), true)
}

/** The error table of `redis.error_reply` and of failed commands; a message of one word gets the code ERR. */
export function pushError(vm: LuaVm, L: number, message: string, counted: boolean): void {
  const trimmed = message.replace(/[\r\n]+$/, '')
  vm.lua.lua_createtable(L, 0, 2)
  vm.pushText(L, message.includes(' ') ? trimmed : `ERR ${trimmed}`)
  vm.setField(L, 'err')
  if (!counted) return
  vm.lua.lua_pushboolean(L, 1)
  vm.setField(L, 'ignore_error_stats_update')
}

function pushArray(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const { lua } = vm
  const count = readInteger(bytes)
  if (count < 0) return lua.lua_pushboolean(L, 0)
  room(vm, L)
  lua.lua_createtable(L, count, 0)
  for (let i = 1; i <= count; i++) {
    push(vm, L, bytes)
    lua.lua_rawseti(L, -2, i)
  }
}

function pushMap(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const { lua } = vm
  const count = readInteger(bytes)
  room(vm, L)
  lua.lua_createtable(L, 0, 1)
  lua.lua_createtable(L, 0, count)
  for (let i = 0; i < count; i++) {
    push(vm, L, bytes)
    push(vm, L, bytes)
    lua.lua_rawset(L, -3)
  }
  vm.setField(L, 'map')
}

function pushSet(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const { lua } = vm
  const count = readInteger(bytes)
  room(vm, L)
  lua.lua_createtable(L, 0, 1)
  lua.lua_createtable(L, 0, count)
  for (let i = 0; i < count; i++) {
    push(vm, L, bytes)
    lua.lua_pushboolean(L, 1)
    lua.lua_rawset(L, -3)
  }
  vm.setField(L, 'set')
}

function pushDouble(vm: LuaVm, L: number, bytes: Uint8Array): void {
  readLine(bytes)
  const text = latin1(bytes, lineStart, lineEnd - lineStart)
  const n = text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text)
  vm.lua.lua_createtable(L, 0, 1)
  vm.lua.lua_pushnumber(L, n)
  vm.setField(L, 'double')
}

function pushVerbatim(vm: LuaVm, L: number, bytes: Uint8Array): void {
  const { lua } = vm
  const length = readInteger(bytes)
  const from = position
  position = from + length + 2
  room(vm, L)
  lua.lua_createtable(L, 0, 1)
  lua.lua_createtable(L, 0, 2)
  vm.pushBytes(L, bytes, from + 4, from + length)
  vm.setField(L, 'string')
  vm.pushBytes(L, bytes, from, from + 3)
  vm.setField(L, 'format')
  vm.setField(L, 'verbatim_string')
}

function pushWithoutAttributes(vm: LuaVm, L: number, bytes: Uint8Array): void {
  for (let left = 2 * readInteger(bytes); left > 0; left--) {
    push(vm, L, bytes)
    vm.lua.lua_settop(L, -2)
  }
  push(vm, L, bytes)
}

function room(vm: LuaVm, L: number): void {
  vm.lua.luaL_checkstack(L, 5, vm.text('reply nested too deeply'))
}
