/**
 * Library functions that know about proxies (see sandbox.ts): those that reach around metatables, and the few that need watching.
 *
 * Each stands in the place of the real function and calls it in its own frame, so that arguments, results and the positions in error
 * messages are those of the real one.
 */
import { bytesOf } from '../util/bytes.ts'
import { BOOTSTRAP_NAME } from './bootstrap.ts'
import * as lay from './layout.ts'
import type { Builtin, LuaVm } from './vm.ts'
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
/** What the bootstrap returns: functions that do in Lua what those of these names do, and what coroutine.yield has to know. */
export const IN_LUA = ['gsub', 'sort', 'foreach', 'foreachi', 'load', 'xpcall', 'create', 'resume', 'wrap', 'users', 'handed']

/** Levels of error beyond this are those of Lua: finding one takes time by its depth. */
const LEVELS_MAX = 64

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
  /** References of what the bootstrap does in Lua, and of the real functions of these names. */
  private readonly inLua = new Map<string, number>()
  private readonly real = new Map<string, number>()

  private readonly rawMetatable: number
  /** Room for a lua_Debug. */
  private readonly debug: number

  constructor(vm: LuaVm, behind: ReadonlyMap<number, number>) {
    this.vm = vm
    this.behind = behind
    this.debug = vm.lua.malloc(lay.DEBUG_BYTES)
    this.rawMetatable = vm.declare((_, L) => vm.lua.lua_getmetatable(L, 1))
    this.declareAll()
  }

  private guard(table: string, name: string, fn: (L: number, original: Builtin) => number): number {
    const entry: Guard = { table, name, index: -1, original: () => 0 }
    entry.index = this.vm.declare((_, L) => fn(L, entry.original))
    this.guards.push(entry)
    return entry.index
  }

  private isProxy(L: number): boolean {
    const { vm } = this
    return vm.type(L, 1) === lay.TABLE && this.behind.has(vm.pointer(vm.at(L, 1)))
  }

  /** Whether value `i` is a function written in Lua. */
  private isScript(L: number, i: number): boolean {
    const { vm } = this
    return vm.type(L, i) === lay.FUNCTION && vm.u8[vm.pointer(vm.at(L, i)) + lay.CLOSURE_IS_C] === 0
  }

  private hasMetatable(L: number, i: number): boolean {
    const { vm } = this
    return vm.type(L, i) === lay.TABLE && vm.u32[(vm.pointer(vm.at(L, i)) + lay.TABLE_METATABLE) >>> 2] !== 0
  }

  private isText(L: number, i: number): boolean {
    const type = this.vm.type(L, i)
    return type === lay.STRING || type === lay.NUMBER
  }

  /** Leaves the call to the function of that name in Lua: all that it returns is the result. */
  private callInLua(L: number, name: string): number {
    const { vm } = this
    const count = vm.top(L)
    this.push(L, this.inLua.get(name) as number)
    vm.lua.lua_insert(L, 1)
    vm.lua.lua_call(L, count, -1)
    return vm.top(L)
  }

  /** Functions that call one of the script's, in which the script can be suspended: see bootstrap.ts. */
  private declareCallers(): void {
    const { vm } = this
    this.guard('string', 'gsub', (L, original) => {
      const calls = (this.isScript(L, 3) || this.hasMetatable(L, 3)) && this.isText(L, 1) && this.isText(L, 2)
      return calls && (vm.type(L, 4) <= lay.NIL || vm.lua.lua_isnumber(L, 4) !== 0) ? this.callInLua(L, 'gsub') : original(vm, L)
    })
    this.guard('table', 'sort', (L, original) => {
      if (vm.type(L, 1) !== lay.TABLE) return original(vm, L)
      if (vm.type(L, 2) > lay.NIL) return this.isScript(L, 2) ? this.callInLua(L, 'sort') : original(vm, L)
      vm.lua.lua_settop(L, 1)
      vm.lua.lua_rawgeti(L, 1, 1)
      const calls = this.hasMetatable(L, 2)
      vm.lua.lua_settop(L, 1)
      return calls ? this.callInLua(L, 'sort') : original(vm, L)
    })
    for (const name of ['foreach', 'foreachi']) {
      this.guard('table', name, (L, original) => {
        if (name === 'foreach' && this.isProxy(L)) this.substitute(L)
        return vm.type(L, 1) === lay.TABLE && this.isScript(L, 2) ? this.callInLua(L, name) : original(vm, L)
      })
    }
    this.guard('', 'load', (L) => {
      if (vm.type(L, 1) === lay.FUNCTION && vm.type(L, 2) > lay.NIL) vm.checkString(L, 2)
      return this.isScript(L, 1) ? this.callInLua(L, 'load') : this.load(L)
    })
    this.guard('', 'xpcall', (L, original) => {
      if (vm.top(L) < 2) return original(vm, L)
      vm.lua.lua_settop(L, 2)
      return this.callInLua(L, 'xpcall')
    })
    this.declareCoroutines()
  }

  private declareCoroutines(): void {
    const { vm } = this
    for (const name of ['create', 'wrap']) {
      this.guard('coroutine', name, (L) => (this.isScript(L, 1) ? this.callInLua(L, name) : vm.badArgument(L, 1, 'Lua function expected')))
    }
    this.guard('coroutine', 'resume', (L, original) => (vm.type(L, 1) === lay.THREAD ? this.callInLua(L, 'resume') : original(vm, L)))
    this.guard('coroutine', 'yield', (L, original) => {
      const { lua } = vm
      this.push(L, this.inLua.get('users') as number)
      lua.lua_pushthread(L)
      lua.lua_rawget(L, -2)
      if (vm.tag(vm.last(L)) === lay.NIL) return vm.raise(L, 'attempt to yield across metamethod/C-call boundary')
      lua.lua_settop(L, -3)
      this.push(L, this.inLua.get('handed') as number)
      lua.lua_insert(L, 1)
      return original(vm, L)
    })
  }

  /** Pushes a table of the real functions, for the bootstrap, and a getmetatable that no `__metatable` deceives. */
  pushReal(L: number): void {
    const { vm } = this
    vm.lua.lua_createtable(L, 0, 5)
    vm.pushBuiltin(L, this.rawMetatable)
    vm.setField(L, 'getmetatable')
    for (const name of ['gsub', 'sort', 'create', 'resume']) {
      this.push(L, this.real.get(name) as number)
      vm.setField(L, name)
    }
  }

  /** Pops the functions that the bootstrap has returned; answers the indices of those that call them. */
  takeInLua(): number[] {
    const { lua, main } = this.vm
    for (const name of [...IN_LUA].reverse()) this.inLua.set(name, lua.luaL_ref(main, lay.REGISTRY))
    return this.guards.filter((entry) => this.inLua.has(entry.name)).map((entry) => entry.index)
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
    this.guard('', 'error', (L, original) => {
      if (vm.type(L, 1) === lay.STRING && vm.type(L, 2) === lay.NUMBER) this.countLevels(L)
      return original(vm, L)
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
    this.guard('', 'loadstring', (L, original) => (this.refusedBytecode(L) ? 2 : original(vm, L)))
    this.declareCallers()
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

  private push(L: number, ref: number): void {
    this.vm.lua.lua_rawgeti(L, lay.REGISTRY, ref)
  }

  private substitute(L: number): void {
    this.push(L, this.behind.get(this.vm.pointer(this.vm.at(L, 1))) as number)
    this.vm.lua.lua_replace(L, 1)
  }

  /** Where a call lies in the stack: its source as the chunk is named, `=[C]` for a C function, nothing beyond the last call. */
  private source(L: number, level: number): string {
    const { vm, debug } = this
    if (vm.lua.lua_getstack(L, level, debug) === 0) return ''
    vm.lua.lua_getinfo(L, vm.text('S'), debug)
    return vm.readText(vm.u32[(debug + lay.DEBUG_SOURCE) >>> 2])
  }

  /** Replaces the level, argument 2, by the one that it is when calls in the bootstrap that follow each other count as one C function. */
  private countLevels(L: number): void {
    const { vm } = this
    let left = vm.number(vm.at(L, 2))
    if (!(left >= 2 && left <= LEVELS_MAX)) return
    let level = 1
    for (let source = this.source(L, level); left >= 2 && source !== ''; left--) {
      const isOurs = source === BOOTSTRAP_NAME
      source = this.source(L, ++level)
      if (!isOurs) continue
      while (source === BOOTSTRAP_NAME || source === '=(tail call)') source = this.source(L, ++level)
      // The C function that has called the bootstrap; it is left out once the script has been suspended there.
      if (source === '=[C]') source = this.source(L, ++level)
    }
    const lies = this.source(L, level) === BOOTSTRAP_NAME
    vm.lua.lua_pushnumber(L, lies ? 0 : level + Math.max(left - 1, 0))
    vm.lua.lua_replace(L, 2)
  }

  private getMetatable(L: number, original: Builtin): number {
    const { vm } = this
    const type = vm.type(L, 1)
    if (type === lay.STRING) {
      this.push(L, this.stringMeta)
      return 1
    }
    if (type !== lay.TABLE || !this.behind.has(vm.pointer(vm.at(L, 1)))) return original(vm, L)
    if (vm.pointer(vm.at(L, 1)) === this.globalsProxy) this.push(L, this.globalsMeta)
    else vm.lua.lua_pushnil(L)
    return 1
  }

  private refusedBytecode(L: number): boolean {
    const { vm } = this
    if (vm.type(L, 1) !== lay.STRING || vm.u8[vm.stringBytes(vm.at(L, 1))] !== 0x1b) return false
    vm.lua.lua_pushnil(L)
    vm.pushText(L, 'bad code')
    return true
  }

  /** load: collects the pieces first, so that bytecode can be refused. */
  private load(L: number): number {
    const { vm } = this
    const { lua } = vm
    if (vm.type(L, 1) !== lay.FUNCTION) return lua.luaL_typerror(L, 1, vm.text('function'))
    const name = vm.type(L, 2) === lay.STRING ? vm.checkText(L, 2) : '=(load)'
    let code = ''
    for (;;) {
      lua.lua_pushvalue(L, 1)
      lua.lua_call(L, 0, 1)
      const type = vm.tag(vm.last(L))
      if (type === lay.NIL) break
      if (type !== lay.STRING) return vm.fail(L, "'reader' function must return a string")
      const piece = vm.stringText(L, -1) as string
      lua.lua_settop(L, -2)
      if (piece === '') break
      code += piece
    }
    const bytes = bytesOf(code)
    if (bytes[0] === 0x1b || vm.compileNamed(L, bytes, name) !== 0) {
      if (bytes[0] === 0x1b) vm.pushText(L, 'bad code')
      lua.lua_pushnil(L)
      lua.lua_insert(L, -2)
      return 2
    }
    return 1
  }
}
