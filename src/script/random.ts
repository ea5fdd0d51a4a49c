/**
 * math.random and math.randomseed: the same numbers for the same seed on every machine, from the 48-bit congruential generator of
 * drand48, x = (0x5DEECE66D x + 11) mod 2^48, of which the upper 31 bits are used.
 */
import type { Library } from './redis-api.ts'
import { toInt32 } from './numbers.ts'
import type { LuaVm } from './vm.ts'

const MULTIPLIER_HIGH = 0x5de
const MULTIPLIER_LOW = 0xece66d
const HALF = 2 ** 24
const RANGE = 2 ** 31 - 1

export class Random48 {
  /** The state in two halves of 24 bits. */
  private high = 0x1234ab
  private low = 0xcd330e

  seed(n: number): void {
    const x = (BigInt(n >>> 0) << 16n) | 0x330en
    this.high = Number(x >> 24n)
    this.low = Number(x & 0xffffffn)
  }

  /** 0 .. 2^31 - 1 */
  next(): number {
    const low = this.low * MULTIPLIER_LOW + 11
    const high = this.high * MULTIPLIER_LOW + this.low * MULTIPLIER_HIGH + Math.floor(low / HALF)
    this.low = low % HALF
    this.high = high % HALF
    return this.high * 128 + Math.floor(this.low / 2 ** 17)
  }
}

function random(vm: LuaVm, L: number, source: Random48): number {
  const r = (source.next() % RANGE) / RANGE
  const { lua } = vm
  switch (vm.top(L)) {
    case 0:
      lua.lua_pushnumber(L, r)
      return 1
    case 1: {
      const upper = toInt32(lua.luaL_checknumber(L, 1))
      if (upper < 1) return vm.badArgument(L, 1, 'interval is empty')
      lua.lua_pushnumber(L, Math.floor(r * upper) + 1)
      return 1
    }
    case 2: {
      const lower = toInt32(lua.luaL_checknumber(L, 1))
      const upper = toInt32(lua.luaL_checknumber(L, 2))
      if (lower > upper) return vm.badArgument(L, 2, 'interval is empty')
      lua.lua_pushnumber(L, Math.floor(r * ((upper - lower + 1) | 0)) + lower)
      return 1
    }
    default:
      return vm.fail(L, 'wrong number of arguments')
  }
}

export function randomLibrary(source: Random48): Library {
  return [
    ['random', (vm, L) => random(vm, L, source)],
    [
      'randomseed',
      (vm, L) => {
        source.seed(toInt32(vm.lua.luaL_checknumber(L, 1)))
        return 0
      },
    ],
  ]
}
