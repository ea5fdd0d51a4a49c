/** The `bit` library: 32-bit operations on numbers, results signed. */
import * as lay from './layout.ts'
import type { Library } from './redis-api.ts'
import type { LuaVm } from './vm.ts'

const BIAS = 2 ** 52 + 2 ** 51
const cell = new Float64Array(1)
const words = new Uint32Array(cell.buffer)

/** Argument as int32: rounded, modulo 2^32, by the trick that defines it for numbers out of range too. */
function bits(vm: LuaVm, L: number, arg: number): number {
  const value = vm.at(L, arg)
  if (vm.type(L, arg) === lay.NUMBER) {
    const n = vm.number(value)
    if ((n | 0) === n) return n
    cell[0] = n + BIAS
  } else {
    cell[0] = vm.lua.lua_tonumber(L, arg) + BIAS
    if (words[0] === 0 && vm.lua.lua_isnumber(L, arg) === 0) vm.lua.luaL_typerror(L, arg, vm.text('number'))
  }
  return words[0] | 0
}

function give(vm: LuaVm, L: number, n: number): number {
  vm.lua.lua_pushnumber(L, n | 0)
  return 1
}

function fold(op: (a: number, b: number) => number) {
  return (vm: LuaVm, L: number): number => {
    let n = bits(vm, L, 1)
    for (let i = vm.top(L); i > 1; i--) n = op(n, bits(vm, L, i))
    return give(vm, L, n)
  }
}

function shift(op: (n: number, by: number) => number) {
  return (vm: LuaVm, L: number): number => {
    const n = bits(vm, L, 1)
    return give(vm, L, op(n, bits(vm, L, 2) & 31))
  }
}

function swap(n: number): number {
  return (n >>> 24) | ((n >>> 8) & 0xff00) | ((n & 0xff00) << 8) | (n << 24)
}

function toHex(vm: LuaVm, L: number): number {
  const n = bits(vm, L, 1)
  const wanted = vm.type(L, 2) === lay.NONE ? 8 : bits(vm, L, 2)
  const text = (n >>> 0)
    .toString(16)
    .padStart(8, '0')
    .slice(8 - Math.min(8, Math.abs(wanted)))
  vm.pushText(L, wanted < 0 ? text.toUpperCase() : text)
  return 1
}

export const bitLibrary: Library = [
  ['tobit', (vm, L) => give(vm, L, bits(vm, L, 1))],
  ['bnot', (vm, L) => give(vm, L, ~bits(vm, L, 1))],
  ['band', fold((a, b) => a & b)],
  ['bor', fold((a, b) => a | b)],
  ['bxor', fold((a, b) => a ^ b)],
  ['lshift', shift((n, by) => n << by)],
  ['rshift', shift((n, by) => n >>> by)],
  ['arshift', shift((n, by) => n >> by)],
  ['rol', shift((n, by) => (n << by) | (n >>> (32 - by)))],
  ['ror', shift((n, by) => (n >>> by) | (n << (32 - by)))],
  ['bswap', (vm, L) => give(vm, L, swap(bits(vm, L, 1)))],
  ['tohex', toHex],
]
