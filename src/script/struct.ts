/**
 * The `struct` library: binary records by a format.
 *
 *   > < big, little endian   ![n] alignment   x a zero byte   b B h H l L T 1, 2, 8, 8 bytes (small: signed)   i[n] I[n] n bytes
 *   c[n] n characters (c0: all of them, or as many as the number before)   s zero-terminated   f d float, double   ' ' nothing
 */
import { toInt64 } from './numbers.ts'
import { Output } from './output.ts'
import * as lay from './layout.ts'
import type { Library } from './redis-api.ts'
import type { LuaVm } from './vm.ts'

const INT_MAX = 2 ** 31 - 1
const INTEGER_BYTES_MAX = 32
const MAX_ALIGNMENT = 8
const OPTION_SIZES: Record<string, number> = { b: 1, B: 1, h: 2, H: 2, l: 8, L: 8, T: 8, f: 4, d: 8, x: 1 }

const out = new Output()
const cell = new DataView(new ArrayBuffer(8))

/** Walks over a format: one option at a time, its size, the padding before it. */
class Format {
  private readonly vm: LuaVm
  private readonly L: number
  private readonly text: string
  private at = 0
  little = true
  private alignment = 1
  option = ''
  size = 0

  constructor(vm: LuaVm, L: number) {
    this.vm = vm
    this.L = L
    const text = vm.checkText(L, 1)
    const zero = text.indexOf('\0')
    this.text = zero < 0 ? text : text.slice(0, zero)
  }

  next(): boolean {
    if (this.at >= this.text.length) return false
    this.option = this.text[this.at++]
    this.size = this.optionSize()
    return true
  }

  padding(position: number): number {
    if (this.size === 0 || this.option === 'c') return 0
    const size = Math.min(this.size, this.alignment)
    return (size - (position & (size - 1))) & (size - 1)
  }

  private optionSize(): number {
    const { option } = this
    if (option === 'c') return this.count(1)
    if (option !== 'i' && option !== 'I') return OPTION_SIZES[option] ?? 0
    const size = this.count(4)
    if (size > INTEGER_BYTES_MAX) this.vm.fail(this.L, `integral size ${size} is larger than limit of ${INTEGER_BYTES_MAX}`)
    return size
  }

  private count(otherwise: number): number {
    const from = this.at
    let n = 0
    for (let c = this.text.charCodeAt(this.at); c >= 0x30 && c <= 0x39; c = this.text.charCodeAt(++this.at)) {
      n = n * 10 + (c - 0x30)
      if (n > INT_MAX) this.vm.fail(this.L, 'integral size overflow')
    }
    return this.at === from ? otherwise : n
  }

  /** Options that change how the others are read; an error for unknown ones. */
  control(): void {
    switch (this.option) {
      case ' ':
        return
      case '>':
        this.little = false
        return
      case '<':
        this.little = true
        return
      case '!':
        this.alignment = this.count(MAX_ALIGNMENT)
        if (this.alignment <= 0 || (this.alignment & (this.alignment - 1)) !== 0) {
          this.vm.fail(this.L, `alignment ${this.alignment} is not a power of 2`)
        }
        return
      default:
        this.vm.badArgument(this.L, 1, `invalid format option '${this.option}'`)
    }
  }
}

const isInteger = (option: string): boolean => 'bBhHlLTiI'.includes(option)

function pack(vm: LuaVm, L: number): number {
  const format = new Format(vm, L)
  let arg = 2
  let total = 0
  vm.lua.lua_pushnil(L)
  out.reset()
  while (format.next()) {
    const { option } = format
    const padding = format.padding(total)
    for (let i = 0; i < padding; i++) out.byte(0)
    total += padding
    let { size } = format
    if (isInteger(option)) putInteger(vm.lua.luaL_checknumber(L, arg++), format.little, size)
    else if (option === 'x') out.byte(0)
    else if (option === 'f' || option === 'd') putFloat(vm.lua.luaL_checknumber(L, arg++), format.little, size)
    else if (option === 'c' || option === 's') size = putString(vm, L, arg++, option, size)
    else format.control()
    total += size
  }
  vm.pushBytes(L, out.bytes, 0, out.length)
  return 1
}

function putInteger(n: number, little: boolean, size: number): void {
  let value = n >= 2 ** 63 ? BigInt.asUintN(64, BigInt(Math.trunc(Math.min(n, 2 ** 64)))) : BigInt.asUintN(64, toInt64(n))
  out.reserve(size)
  const from = out.length
  for (let i = 0; i < size; i++, value >>= 8n) out.bytes[from + (little ? i : size - 1 - i)] = Number(value & 0xffn)
  out.length += size
}

function putFloat(n: number, little: boolean, size: number): void {
  if (size === 4) cell.setFloat32(0, n, little)
  else cell.setFloat64(0, n, little)
  for (let i = 0; i < size; i++) out.byte(cell.getUint8(i))
}

function putString(vm: LuaVm, L: number, arg: number, option: string, wanted: number): number {
  const text = vm.checkString(L, arg)
  const size = wanted === 0 ? text.length : wanted
  if (text.length < size) vm.badArgument(L, arg + 1, 'string too short')
  out.copy(text, 0, size)
  if (option === 'c') return size
  out.byte(0)
  return size + 1
}

function unpack(vm: LuaVm, L: number): number {
  const format = new Format(vm, L)
  const data = vm.checkString(L, 2).slice()
  const start = vm.type(L, 3) <= lay.NIL ? 1 : Math.max(-1, Math.trunc(vm.lua.luaL_checknumber(L, 3)) || 0)
  if (start === 0) return vm.badArgument(L, 3, 'offset must be 1 or greater')
  if (start < 0) return vm.badArgument(L, 2, 'data string too short')
  let position = start - 1
  let results = 0
  while (format.next()) {
    const { option } = format
    let { size } = format
    position += format.padding(position)
    if (size > data.length || position > data.length - size) return vm.badArgument(L, 2, 'data string too short')
    vm.lua.luaL_checkstack(L, 2, vm.text('too many results'))
    if (isInteger(option)) {
      vm.lua.lua_pushnumber(L, getInteger(data, position, format.little, option === option.toLowerCase(), size))
      results++
    } else if (option === 'f' || option === 'd') {
      vm.lua.lua_pushnumber(L, getFloat(data, position, format.little, size))
      results++
    } else if (option === 'c') {
      if (size === 0) {
        if (results === 0 || vm.lua.lua_isnumber(L, -1) === 0) return vm.fail(L, "format 'c0' needs a previous size")
        size = vm.lua.lua_tonumber(L, -1)
        vm.lua.lua_settop(L, -2)
        results--
        if (!(size >= 0 && size <= data.length && position <= data.length - size)) {
          return vm.badArgument(L, 2, 'data string too short')
        }
        size = Math.trunc(size)
      }
      vm.pushBytes(L, data, position, position + size)
      results++
    } else if (option === 's') {
      const end = data.indexOf(0, position)
      if (end < 0) return vm.fail(L, 'unfinished string in data')
      vm.pushBytes(L, data, position, end)
      results++
      size = end - position + 1
    } else if (option !== 'x') {
      format.control()
    }
    position += size
  }
  vm.lua.lua_pushnumber(L, position + 1)
  return results + 1
}

function getInteger(data: Uint8Array, from: number, little: boolean, signed: boolean, size: number): number {
  let value = 0n
  for (let i = 0; i < size; i++) value = (value << 8n) | BigInt(data[from + (little ? size - 1 - i : i)])
  const word = BigInt.asUintN(64, value)
  if (!signed) return Number(word)
  // C shifts modulo 64, which shows in sizes beyond 8.
  const sign = BigInt.asUintN(64, -1n << BigInt((8 * size - 1) & 63))
  return Number(BigInt.asIntN(64, (word & sign) !== 0n ? word | sign : word))
}

function getFloat(data: Uint8Array, from: number, little: boolean, size: number): number {
  for (let i = 0; i < size; i++) cell.setUint8(i, data[from + i])
  return size === 4 ? cell.getFloat32(0, little) : cell.getFloat64(0, little)
}

function sizeOf(vm: LuaVm, L: number): number {
  const format = new Format(vm, L)
  let position = 0
  while (format.next()) {
    const { option } = format
    position += format.padding(position)
    if (option === 's') return vm.badArgument(L, 1, "option 's' has no fixed size")
    if (option === 'c' && format.size === 0) return vm.badArgument(L, 1, "option 'c0' has no fixed size")
    if (!/[A-Za-z0-9]/.test(option)) format.control()
    position += format.size
  }
  vm.lua.lua_pushnumber(L, position)
  return 1
}

export const structLibrary: Library = [
  ['pack', pack],
  ['unpack', unpack],
  ['size', sizeOf],
]
