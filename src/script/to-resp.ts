/**
 * Lua to RESP: writes the value on top of the stack as the reply of a script, and pops it.
 *
 * Fields are looked at in Redis' order: err, ok, double, big_number, verbatim_string, map, set; a table without any of them is
 * an array up to its first nil. Tables that have no hash part, the usual reply, are read straight from memory.
 */
import { latin1 } from '../util/bytes.ts'
import type { Reply } from '../resp/reply.ts'
import * as lay from './layout.ts'
import { toInt64 } from './numbers.ts'
import type { LuaVm } from './vm.ts'

/** Free slots of the Lua stack that a value needs; it also sets how deep tables may nest, to the level as in Redis. */
const STACK_SLOTS = 5

/** Maps and sets inside one another, which take room on the native stack; more than any reply is made of. */
const PAIRS_NESTING_MAX = 1000

/** The arrays that are being written, outermost first: where their headers are and how many elements they have so far. */
const marks: number[] = []
const counts: number[] = []
let open = 0
/** Maps and sets that are being written. */
let pairsDepth = 0

/** `protocol` is the script's own (redis.setresp), which decides how booleans look; the sink knows that of the client. */
export function writeReply(vm: LuaVm, L: number, out: Reply, protocol: number): void {
  open = 0
  pairsDepth = 0
  write(vm, L, out, protocol)
}

/** Arrays nest without recursion, as deep as the Lua stack goes. */
function write(vm: LuaVm, L: number, out: Reply, protocol: number): void {
  const outer = open
  do {
    if (vm.lua.lua_checkstack(L, STACK_SLOTS) === 0 || pairsDepth > PAIRS_NESTING_MAX) {
      out.error('ERR reached lua stack limit')
    } else {
      const value = vm.last(L)
      if (vm.tag(value) !== lay.TABLE) {
        writeScalar(vm, value, out, protocol)
      } else if (!mayBeTyped(vm, vm.pointer(value)) || !writeTyped(vm, L, out, protocol)) {
        marks[open] = out.defer()
        counts[open++] = 0
        continue
      }
    }
    vm.lua.lua_settop(L, -2)
  } while (pushNextElement(vm, L, out, protocol, outer))
}

/** Pushes the next element that is not written already; closes the arrays that are complete, down to `outer` of them. */
function pushNextElement(vm: LuaVm, L: number, out: Reply, protocol: number, outer: number): boolean {
  const { lua } = vm
  for (let i = open - 1; i >= outer; i--) {
    const table = vm.pointer(vm.last(L))
    const size = vm.u32[(table + lay.TABLE_ARRAY_SIZE) >>> 2]
    let element = vm.u32[(table + lay.TABLE_ARRAY) >>> 2] + counts[i] * lay.TVALUE_SIZE
    for (; counts[i] < size; element += lay.TVALUE_SIZE) {
      const tag = vm.tag(element)
      if (tag === lay.NIL || tag === lay.TABLE) break
      writeScalar(vm, element, out, protocol)
      counts[i]++
    }
    lua.lua_rawgeti(L, -1, counts[i] + 1)
    if (vm.tag(vm.last(L)) !== lay.NIL) {
      counts[i]++
      return true
    }
    out.endArray(marks[i], counts[i])
    open = i
    lua.lua_settop(L, -3)
  }
  return false
}

function writeScalar(vm: LuaVm, value: number, out: Reply, protocol: number): void {
  switch (vm.tag(value)) {
    case lay.STRING:
      return out.bulk(vm.u8, vm.stringBytes(value), vm.stringLength(value))
    case lay.NUMBER:
      return writeNumber(vm.number(value), out)
    case lay.BOOLEAN: {
      const b = vm.pointer(value) !== 0
      if (protocol === 3) return out.bool(b)
      return b ? out.int(1) : out.nil()
    }
    default:
      return out.nil()
  }
}

function writeNumber(n: number, out: Reply): void {
  const whole = Math.trunc(n)
  if (Number.isSafeInteger(whole)) out.int(whole === 0 ? 0 : whole)
  else out.bigInt(toInt64(n))
}

/** Whether the table has a hash part, or the one node of an empty one holds a key. */
function mayBeTyped(vm: LuaVm, table: number): boolean {
  if (vm.u8[table + lay.TABLE_LOG2_NODES] !== 0) return true
  const node = vm.u32[(table + lay.TABLE_NODE) >>> 2]
  return vm.tag(node + lay.NODE_KEY) !== lay.NIL
}

/** Errors written since `forgetCounted` that the statistics know already. */
export let countedErrors = 0

export function forgetCounted(): void {
  countedErrors = 0
}

/** An error reply; one that is `counted` already shows in no statistics again. */
export function writeError(out: Reply, message: string, counted: boolean): void {
  const { errors, lastError } = out
  out.error(message)
  if (!counted) return
  countedErrors++
  out.errors = errors
  out.lastError = lastError
}

/** Pushes field `name` of the table on top of the stack; leaves it there when it has the wanted type. */
function field(vm: LuaVm, L: number, name: string, type: number): boolean {
  vm.pushText(L, name)
  vm.lua.lua_rawget(L, -2)
  if (vm.tag(vm.last(L)) === type) return true
  vm.lua.lua_settop(L, -2)
  return false
}

function writeTyped(vm: LuaVm, L: number, out: Reply, protocol: number): boolean {
  const { lua } = vm
  if (field(vm, L, 'err', lay.STRING)) {
    const message = lastText(vm, L)
    lua.lua_settop(L, -2)
    let counted = false
    if (field(vm, L, 'ignore_error_stats_update', lay.BOOLEAN)) {
      counted = vm.pointer(vm.last(L)) !== 0
      lua.lua_settop(L, -2)
    }
    writeError(out, untilZero(message), counted)
    return true
  }
  if (field(vm, L, 'ok', lay.STRING)) {
    const text = oneLine(lastText(vm, L))
    lua.lua_settop(L, -2)
    out.simple(untilZero(text))
    return true
  }
  if (field(vm, L, 'double', lay.NUMBER)) {
    out.double(vm.number(vm.last(L)))
    lua.lua_settop(L, -2)
    return true
  }
  if (field(vm, L, 'big_number', lay.STRING)) {
    out.bigNumber(oneLine(lastText(vm, L)))
    lua.lua_settop(L, -2)
    return true
  }
  if (field(vm, L, 'verbatim_string', lay.TABLE)) {
    const done = writeVerbatim(vm, L, out)
    lua.lua_settop(L, -2)
    if (done) return true
  }
  if (field(vm, L, 'map', lay.TABLE)) {
    writePairs(vm, L, out, protocol, out.defer(), true)
    return true
  }
  if (field(vm, L, 'set', lay.TABLE)) {
    writePairs(vm, L, out, protocol, out.defer(), false)
    return true
  }
  return false
}

function lastText(vm: LuaVm, L: number): string {
  const value = vm.last(L)
  return latin1(vm.u8, vm.stringBytes(value), vm.stringLength(value))
}

/** Texts of errors and statuses end at a zero byte, as C strings do. */
export function untilZero(text: string): string {
  const zero = text.indexOf('\0')
  return zero < 0 ? text : text.slice(0, zero)
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ')
}

function writeVerbatim(vm: LuaVm, L: number, out: Reply): boolean {
  if (!field(vm, L, 'format', lay.STRING)) return false
  const format = lastText(vm, L)
  vm.lua.lua_settop(L, -2)
  if (!field(vm, L, 'string', lay.STRING)) return false
  const value = vm.last(L)
  out.verbatim(format, vm.u8, vm.stringBytes(value), vm.stringLength(value))
  vm.lua.lua_settop(L, -2)
  return true
}

/** Writes the pairs, or the keys only, of the table on top of the stack and pops it. */
function writePairs(vm: LuaVm, L: number, out: Reply, protocol: number, mark: number, values: boolean): void {
  const { lua } = vm
  let count = 0
  pairsDepth++
  lua.lua_pushnil(L)
  while (lua.lua_next(L, -2) !== 0) {
    if (values) {
      lua.lua_pushvalue(L, -2)
      write(vm, L, out, protocol)
      write(vm, L, out, protocol)
    } else {
      lua.lua_settop(L, -2)
      lua.lua_pushvalue(L, -1)
      write(vm, L, out, protocol)
    }
    count++
  }
  pairsDepth--
  lua.lua_settop(L, -2)
  if (values) out.endMap(mark, count)
  else out.endSet(mark, count)
}
