/**
 * Library functions that know about proxies (see sandbox.ts): those that reach around metatables, and the few that need watching.
 *
 * Each stands in the place of the real function and calls it in its own frame, so that arguments, results and the positions in error
 * messages are those of the real one.
 */
import * as lay from './layout.ts'
import { BYTECODE, type Builtin, type LuaVm, NOT_BYTECODE, ofBytecode } from './vm.ts'
import { formatWide, INTEGERS, narrow, toNumberWide } from './wide.ts'

export const READONLY = 'Attempt to modify a readonly table'

/** Functions that read or write the table they get without asking its metatable. */
const READERS: [string, string][] = [
  ['', 'rawget'],
  ['', 'next'],
]
const WRITERS: [string, string][] = [
  ['', 'rawset'],
  ['', 'setmetatable'],
]
/** Stands in the place of the function `name` of a library ('': a global); answers its index as a declared one. */
export type Declare = (table: string, name: string, fn: (L: number, original: Builtin) => number) => number

interface Guard {
  readonly table: string
  readonly name: string
  index: number
  original: Builtin
}

export class Guards {
  private readonly vm: LuaVm
  /** Address of a proxy -> reference of the table behind it. */
  private readonly behind: ReadonlyMap<number, number>
  private readonly guards: Guard[] = []
  /** References of what getmetatable shows for strings and for the globals, and the address of the proxy of the globals. */
  stringMeta = 0
  globalsMeta = 0
  globalsProxy = 0
  /** References of the real functions, by their names. */
  private readonly real = new Map<string, number>()

  constructor(vm: LuaVm, behind: ReadonlyMap<number, number>) {
    this.vm = vm
    this.behind = behind
    this.declareAll()
  }

  /** See Declare. */
  guard(table: string, name: string, fn: (L: number, original: Builtin) => number): number {
    const entry: Guard = { table, name, index: -1, original: () => 0 }
    entry.index = this.vm.declare((_, L) => fn(L, entry.original))
    this.guards.push(entry)
    return entry.index
  }

  /** Whether argument 1 is the proxy of a table. */
  isProxy(L: number): boolean {
    const { vm } = this
    return vm.type(L, 1) === lay.TABLE && this.behind.has(vm.pointer(vm.at(L, 1)))
  }

  private declareAll(): void {
    const { vm } = this
    let nextIndex = -1
    for (const [table, name] of READERS) {
      const index = this.guard(table, name, (L, original) => {
        if (this.isProxy(L)) this.substitute(L)
        return original(vm, L)
      })
      if (name === 'next') nextIndex = index
    }
    for (const [table, name] of WRITERS) {
      this.guard(table, name, (L, original) => (this.isProxy(L) ? vm.raise(L, READONLY) : original(vm, L)))
    }
    this.guard('', 'pairs', (L, original) => {
      if (!this.isProxy(L)) return original(vm, L)
      vm.pushBuiltin(L, nextIndex)
      vm.lua.lua_pushvalue(L, 1)
      vm.lua.lua_pushnil(L)
      return 3
    })
    this.guard('', 'getmetatable', (L, original) => this.getMetatable(L, original))
    this.guard('', 'setfenv', (L, original) => {
      const level = vm.type(L, 1) === lay.NUMBER ? vm.number(vm.at(L, 1)) : 1
      if (level < 1 || vm.lua.lua_iscfunction(L, 1) !== 0) {
        return vm.fail(L, "'setfenv' cannot change environment of given object")
      }
      return original(vm, L)
    })
    this.guard('', 'collectgarbage', (L, original) => {
      const what = vm.type(L, 1) === lay.STRING ? vm.checkText(L, 1) : 'collect'
      if (what !== 'collect' && what !== 'count' && what !== 'step') {
        if (!['stop', 'restart', 'setpause', 'setstepmul'].includes(what)) return original(vm, L)
        vm.lua.lua_pushnumber(L, 0)
        return 1
      }
      return original(vm, L)
    })
    this.guard('string', 'format', (L, original) => formatWide(vm, L, original))
    this.guard('', 'tonumber', (L, original) => toNumberWide(vm, L, original))
    for (const [table, name, first, last, kind] of INTEGERS) {
      const isLong = kind === 'long'
      this.guard(table, name, (L, original) => {
        narrow(vm, L, first, last, isLong)
        return original(vm, L)
      })
    }
    this.guard('table', 'insert', (L, original) => {
      if (this.isProxy(L)) return vm.raise(L, READONLY)
      if (vm.top(L) === 3) narrow(vm, L, 2, 2, false)
      return original(vm, L)
    })
    this.guard('', 'loadstring', (L, original) => this.loadString(L, original))
  }

  /** Puts the guards in the place of what they guard; `globals` is the reference of the table of globals. */
  install(globals: number): void {
    const { vm } = this
    const { lua, main } = vm
    this.push(main, globals)
    lua.lua_getfield(main, -1, vm.text('next'))
    const rawNext = lua.luaL_ref(main, lay.REGISTRY)
    lua.lua_settop(main, 0)
    for (const entry of this.guards) {
      this.push(main, globals)
      if (entry.table !== '') lua.lua_getfield(main, -1, vm.text(entry.table))
      lua.lua_getfield(main, -1, vm.text(entry.name))
      const fn = vm.original(main, -1)
      this.real.set(entry.name, lua.luaL_ref(main, lay.REGISTRY))
      entry.original = (_, L) => fn(L)
      if (entry.name === 'pairs') {
        // It gives its upvalue away, which is the real `next`: harmless, as proxies have nothing in them.
        this.push(main, rawNext)
        vm.pushBuiltin(main, entry.index, 1)
      } else {
        vm.pushBuiltin(main, entry.index)
      }
      vm.setField(main, entry.name)
      lua.lua_settop(main, 0)
    }
  }

  /** Pushes the real function of that name. */
  pushReal(L: number, name: string): void {
    this.push(L, this.real.get(name) as number)
  }

  private push(L: number, ref: number): void {
    this.vm.lua.lua_rawgeti(L, lay.REGISTRY, ref)
  }

  /** Puts the table behind a proxy in its place as argument 1. */
  substitute(L: number): void {
    this.push(L, this.behind.get(this.vm.pointer(this.vm.at(L, 1))) as number)
    this.vm.lua.lua_replace(L, 1)
  }

  private getMetatable(L: number, original: Builtin): number {
    const { vm } = this
    const type = vm.type(L, 1)
    if (type === lay.STRING) {
      this.push(L, this.stringMeta)
      return 1
    }
    if (type === lay.LIGHTUSERDATA) {
      vm.lua.lua_pushnil(L)
      return 1
    }
    if (type !== lay.TABLE || !this.behind.has(vm.pointer(vm.at(L, 1)))) return original(vm, L)
    if (vm.pointer(vm.at(L, 1)) === this.globalsProxy) this.push(L, this.globalsMeta)
    else vm.lua.lua_pushnil(L)
    return 1
  }

  /** loadstring: bytecode is no code. */
  private loadString(L: number, original: Builtin): number {
    const { vm } = this
    if (vm.type(L, 1) !== lay.STRING || vm.u8[vm.stringBytes(vm.at(L, 1))] !== BYTECODE) return original(vm, L)
    if (vm.top(L) === 1) vm.lua.lua_pushvalue(L, 1)
    vm.pushText(L, NOT_BYTECODE)
    vm.lua.lua_replace(L, 1)
    original(vm, L)
    vm.pushText(L, ofBytecode(vm.stringText(L, -1) as string))
    vm.lua.lua_replace(L, -2)
    return 2
  }
}
