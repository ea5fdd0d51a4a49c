/**
 * Integers of 64 bits. A `long` and a pointer of the WebAssembly build have 32, so string.format and tonumber would cut a time in
 * milliseconds, and `s:sub(1, 2^40)` would find nothing. Arguments of format that do not fit are written here, as texts for a `%s` in the
 * place of their option; what tonumber reads in another base and could be too long is read here; positions and counts are made such that
 * the real functions do with them what they do where a pointer has 64 bits. The rest stays the real ones'.
 */
import * as lay from './layout.ts'
import { toInt32 } from './numbers.ts'
import type { Builtin, LuaVm } from './vm.ts'

const OPTION = /%([-+ #0]{0,5})(\d{0,2})(?:\.(\d{0,2}))?([a-zA-Z%])/y
const INTEGER = /[diouxX]/

/** Stands in the place of string.format: rewrites format and arguments where needed, then calls the real one. */
export function formatWide(vm: LuaVm, L: number, original: Builtin): number {
  if (anyWide(vm, L) && vm.type(L, 1) === lay.STRING) rewrite(vm, L)
  return original(vm, L)
}

function anyWide(vm: LuaVm, L: number): boolean {
  for (let i = vm.top(L); i > 1; i--) if (isWide(vm, L, i)) return true
  return false
}

/** Whether argument i is a number that an int32 does not hold, whatever its sign says. */
function isWide(vm: LuaVm, L: number, i: number): boolean {
  const type = vm.type(L, i)
  if (type !== lay.NUMBER && !(type === lay.STRING && vm.lua.lua_isnumber(L, i) !== 0)) return false
  const n = type === lay.NUMBER ? vm.number(vm.at(L, i)) : vm.lua.lua_tonumber(L, i)
  return !(n >= 0 && n < 2 ** 31)
}

function rewrite(vm: LuaVm, L: number): void {
  const format = vm.stringText(L, 1) as string
  const count = vm.top(L)
  let text = ''
  let done = 0
  let arg = 1
  for (let at = format.indexOf('%'); at >= 0; at = format.indexOf('%', OPTION.lastIndex)) {
    OPTION.lastIndex = at
    const option = OPTION.exec(format)
    if (option === null) break // the real one says what is wrong
    const [whole, flags, width, precision, conversion] = option
    if (conversion === '%') continue
    if (++arg > count) break
    if (!INTEGER.test(conversion) || !isWide(vm, L, arg)) continue
    vm.pushText(L, integerText(vm.lua.lua_tonumber(L, arg), flags, Number(width), precision, conversion))
    vm.lua.lua_replace(L, arg)
    text += `${format.slice(done, at)}%s`
    done = at + whole.length
  }
  vm.pushText(L, text + format.slice(done))
  vm.lua.lua_replace(L, 1)
}

/** A number as C's printf writes it as a `long long` with this option. */
export function integerText(n: number, flags: string, width: number, precision: string | undefined, conversion: string): string {
  const signed = conversion === 'd' || conversion === 'i'
  const value = signed ? toSigned(n) : toUnsigned(n)
  const radix = conversion === 'o' ? 8 : conversion === 'x' || conversion === 'X' ? 16 : 10
  let digits = (value < 0n ? -value : value).toString(radix).padStart(Number(precision ?? 1), '0')
  if (value === 0n && precision !== undefined && Number(precision) === 0) digits = ''
  if (radix === 8 && flags.includes('#') && !digits.startsWith('0')) digits = `0${digits}`
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const sign = signed ? (value < 0n ? '-' : plus) : ''
  const prefix = sign + (radix === 16 && flags.includes('#') && value !== 0n ? '0x' : '')
  const zeros = flags.includes('0') && !flags.includes('-') && precision === undefined
  if (zeros) digits = digits.padStart(width - prefix.length, '0')
  const text = flags.includes('-') ? (prefix + digits).padEnd(width) : (prefix + digits).padStart(width)
  return conversion === 'X' ? text.toUpperCase() : text
}

const LEAST = -(2n ** 63n)

/** What a cast to a 64-bit integer makes of a double on x86: the least one for what does not fit. */
function toSigned(n: number): bigint {
  return n >= -(2 ** 63) && n < 2 ** 63 ? BigInt(Math.trunc(n)) : LEAST
}

function toUnsigned(n: number): bigint {
  if (n >= 2 ** 63) return n < 2 ** 64 ? BigInt(n) : 0n
  return BigInt.asUintN(64, toSigned(n))
}

/**
 * Arguments that are integers of C, by function. `long`: an index of 64 bits, for which a farther end of 32 bits does as well. `int`: the
 * lower 32 bits of it.
 */
export const INTEGERS: readonly [table: string, name: string, first: number, last: number, kind: 'long' | 'int'][] = [
  ['string', 'sub', 2, 3, 'long'],
  ['string', 'byte', 2, 3, 'long'],
  ['string', 'find', 3, 3, 'long'],
  ['string', 'match', 3, 3, 'long'],
  ['string', 'rep', 2, 2, 'int'],
  ['string', 'gsub', 4, 4, 'int'],
  ['string', 'char', 1, Number.POSITIVE_INFINITY, 'int'],
  ['table', 'concat', 3, 4, 'int'],
  ['table', 'remove', 2, 2, 'int'],
  ['', 'unpack', 2, 3, 'int'],
  ['', 'select', 1, 1, 'int'],
  ['math', 'ldexp', 2, 2, 'int'],
]

const INT_MAX = 2 ** 31 - 1

/** Replaces the integers among the arguments that 32 bits do not hold. */
export function narrow(vm: LuaVm, L: number, first: number, last: number, isLong: boolean): void {
  for (let i = Math.min(last, vm.top(L)); i >= first; i--) {
    if (!isWide(vm, L, i)) continue
    const n = vm.lua.lua_tonumber(L, i)
    if (n >= -INT_MAX && n < 0) continue
    vm.lua.lua_pushnumber(L, isLong ? clamped(n) : toInt32(n))
    vm.lua.lua_replace(L, i)
  }
}

/** What does not fit into 64 bits is the least integer, on x86. */
function clamped(n: number): number {
  return n > 0 && n < 2 ** 63 ? INT_MAX : -INT_MAX
}

const NUMERAL = /^[ \t-\r]*([+-]?)([0-9a-zA-Z]+)[ \t-\r]*$/
/** Digits that fit into 31 bits in any base. */
const FEW_DIGITS = 6
const MOST = 2n ** 64n - 1n

/** Stands in the place of tonumber: numerals of another base than ten may have 64 bits. */
export function toNumberWide(vm: LuaVm, L: number, original: Builtin): number {
  if (vm.top(L) < 2 || vm.type(L, 2) !== lay.NUMBER) return original(vm, L)
  const base = toInt32(vm.number(vm.at(L, 2)))
  vm.lua.lua_pushnumber(L, base)
  vm.lua.lua_replace(L, 2)
  if (base === 10 || !(base >= 2 && base <= 36)) return original(vm, L)
  const text = vm.stringText(L, 1)
  if (text === undefined || (text.length <= FEW_DIGITS && !text.includes('-'))) return original(vm, L)
  const n = numeralValue(text, base)
  if (n === null) vm.lua.lua_pushnil(L)
  else vm.lua.lua_pushnumber(L, n)
  return 1
}

/** What C's strtoull makes of a numeral, or null when it is none. */
export function numeralValue(text: string, base: number): number | null {
  const found = NUMERAL.exec(text)
  if (found === null) return null
  const digits = base === 16 ? found[2].replace(/^0x(?=.)/i, '') : found[2]
  let value = 0n
  for (const char of digits) {
    const digit = Number.parseInt(char, 36)
    if (digit >= base) return null
    value = value * BigInt(base) + BigInt(digit)
  }
  if (value > MOST) return Number(MOST)
  return Number(found[1] === '-' ? BigInt.asUintN(64, -value) : value)
}
