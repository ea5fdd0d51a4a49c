/**
 * What scripts see: the libraries of Lua that can do no harm and those of Redis, all of it read-only.
 *
 * Lua 5.1 has no read-only tables. A script gets an empty proxy in the place of each shared table, its metatable leads to the real one
 * and refuses new keys; the functions that reach around metatables (rawset, next, table.insert ...) know the proxies. The globals are
 * such a proxy too: the environment of every function there is, so that getfenv shows nothing else.
 *
 *   script -> proxy of _G --__index--> globals --__index--> "nonexistent global variable"
 *                                        string -> proxy --__index--> the real string table
 *
 * (1) No script can reach a table behind a proxy: library functions never return one.
 * (2) KEYS and ARGV are ordinary tables, new for every call.
 */
import { bytesOf } from '../util/bytes.ts'
import { bitLibrary } from './bit.ts'
import { BOOTSTRAP, BOOTSTRAP_NAME } from './bootstrap.ts'
import { Callers, IN_LUA } from './callers.ts'
import { declareJson } from './cjson.ts'
import { messagePackLibrary } from './cmsgpack.ts'
import { Guards, READONLY } from './guards.ts'
import type { ScriptHost } from './host.ts'
import * as lay from './layout.ts'
import type { Position } from './levels.ts'
import { Random48, randomLibrary } from './random.ts'
import * as api from './redis-api.ts'
import { structLibrary } from './struct.ts'
import { stripNames } from './strip.ts'
import { Unwinder } from './unwind.ts'
import { type Builtin, LuaVm } from './vm.ts'

const REMOVED = ['dofile', 'loadfile', 'print', 'newproxy', 'require', 'module', 'package']
const SHARED = ['string', 'table', 'math', 'coroutine', 'cjson', 'cmsgpack', 'struct', 'bit', 'redis']

export interface SandboxOptions {
  host: ScriptHost
  version: api.Version
  limitBytes: number
  hookCount: number
  /** `eval`: redis.breakpoint and the like. `functions`: redis.register_function while a library is loaded. */
  kind: 'eval' | 'functions'
  registerFunction?: Builtin
}

export class Sandbox {
  readonly vm: LuaVm
  private readonly options: SandboxOptions
  /** Address of a proxy -> reference of the table behind it. */
  private readonly behind = new Map<number, number>()
  private readonly declared: { table: string; name: string; index: number }[] = []
  private readonly globals: number
  private readonly state: number
  private readonly debug: number
  private readonly guards: Guards
  private readonly callers: Callers
  private readonly unwinder: Unwinder
  /** Where a script was that has been killed. */
  private killedAt: Position | undefined
  private globalsMeta = 0
  private readonly nullName: number
  private loadApi = 0

  constructor(options: SandboxOptions) {
    this.options = options
    const { host } = options
    this.vm = new LuaVm({
      limitBytes: options.limitBytes,
      hookCount: options.hookCount,
      hook: (_, L, event) => this.hook(L, event),
    })
    const { vm } = this
    this.unwinder = new Unwinder(vm)
    const bridge = new api.CommandBridge(vm, host)
    this.declare('redis', [...api.logLibrary(host), ...api.commandLibrary(bridge, host)])
    if (options.kind === 'eval') this.declare('redis', api.evalLibrary())
    this.declare('bit', bitLibrary)
    this.declare('cmsgpack', messagePackLibrary)
    this.declare('struct', structLibrary)
    this.declare('math', randomLibrary(new Random48()))
    const pushJson = declareJson(vm)
    this.guards = new Guards(vm, this.behind)
    this.callers = new Callers(vm, this.guards, (L) => this.unwinder.isInside(L))
    const readonly = vm.declare((_, L) => vm.fail(L, READONLY))
    const missing = vm.declare((_, L) => this.missingGlobal(L))
    this.nullName = vm.declare((_, L) => {
      vm.pushText(L, 'userdata: (nil)')
      return 1
    })
    const suspend = vm.declare((_, L) => this.suspend(L))
    const register = vm.declare(options.registerFunction ?? (() => 0))
    const log = vm.declare(api.logLibrary(host)[0][1])
    vm.install()

    this.debug = vm.lua.malloc(lay.DEBUG_BYTES)
    this.globals = this.openLibraries(pushJson)
    this.state = this.newState()
    this.guards.install(this.globals)
    this.runBootstrap(suspend)
    this.protect(readonly, missing)
    if (options.kind === 'functions') this.loadApi = this.buildLoadApi(register, log, readonly, missing)
  }

  private declare(table: string, library: api.Library): void {
    for (const [name, fn] of library) this.declared.push({ table, name, index: this.vm.declare(fn) })
  }

  // -- building -----------------------------------------------------------------------------------------------------

  private openLibraries(pushJson: (L: number) => void): number {
    const { vm, options } = this
    const { lua, main } = vm
    vm.open(lua.luaopen_base, '')
    vm.open(lua.luaopen_table, 'table')
    vm.open(lua.luaopen_string, 'string')
    vm.open(lua.luaopen_math, 'math')
    lua.lua_pushvalue(main, lay.GLOBALS)
    const globals = lua.luaL_ref(main, lay.REGISTRY)
    this.pushRef(main, globals)
    for (const name of REMOVED) {
      lua.lua_pushnil(main)
      vm.setField(main, name)
    }
    for (const name of ['redis', 'bit', 'cmsgpack', 'struct']) {
      lua.lua_createtable(main, 0, 0)
      vm.setField(main, name)
    }
    pushJson(main)
    vm.setField(main, 'cjson')
    for (const { table, name, index } of this.declared) {
      lua.lua_getfield(main, -1, vm.text(table))
      vm.pushBuiltin(main, index)
      vm.setField(main, name)
      lua.lua_settop(main, -2)
    }
    lua.lua_getfield(main, -1, vm.text('redis'))
    this.setNumbers(main, [...api.LOG_LEVELS, ...api.REPLICATION_TARGETS, ['REDIS_VERSION_NUM', options.version.number]])
    vm.pushText(main, options.version.text)
    vm.setField(main, 'REDIS_VERSION')
    lua.lua_settop(main, -2)
    lua.lua_getfield(main, -1, vm.text('cmsgpack'))
    this.setTexts(main, { _NAME: 'cmsgpack', _VERSION: 'lua-cmsgpack 0.4.0', _DESCRIPTION: 'MessagePack implementation for Lua' })
    lua.lua_settop(main, 0)
    return globals
  }

  private setNumbers(L: number, values: [string, number][]): void {
    for (const [name, n] of values) {
      this.vm.lua.lua_pushnumber(L, n)
      this.vm.setField(L, name)
    }
  }

  private setTexts(L: number, values: Record<string, string>): void {
    for (const [name, text] of Object.entries(values)) {
      this.vm.pushText(L, text)
      this.vm.setField(L, name)
    }
  }

  private newState(): number {
    const { lua, main } = this.vm
    lua.lua_createtable(main, 2, 0)
    const state = lua.luaL_ref(main, lay.REGISTRY)
    this.resetState(state)
    return state
  }

  private resetState(state: number): void {
    const { lua, main } = this.vm
    this.pushRef(main, state)
    lua.lua_pushboolean(main, 0)
    lua.lua_rawseti(main, -2, 1)
    lua.lua_pushnumber(main, 0)
    lua.lua_rawseti(main, -2, 2)
    lua.lua_settop(main, -2)
  }

  private runBootstrap(suspend: number): void {
    const { vm } = this
    const { lua, main } = vm
    const code = bytesOf(BOOTSTRAP)
    if (vm.compile(main, code, 0, code.length, BOOTSTRAP_NAME) !== 0) throw new Error(vm.stringText(main, -1))
    stripNames(vm, vm.pointer(vm.last(main)))
    this.pushRef(main, this.state)
    vm.pushBuiltin(main, suspend)
    this.callers.pushArguments(main)
    if (vm.protect(5, IN_LUA.length) !== 0) throw new Error(vm.stringText(main, -1))
    this.pushRef(main, this.globals)
    lua.lua_getfield(main, -1, vm.text('tostring'))
    const tostring = lua.lua_tocfunction(main, -1)
    lua.lua_settop(main, -3)
    this.unwinder.passToString(tostring)
    for (const index of this.callers.takeInLua(tostring)) this.unwinder.pass(index)
    lua.lua_settop(main, 0)
  }

  private protect(readonly: number, missing: number): void {
    const { vm } = this
    const { lua, main } = vm
    // The metatable of strings shows as a proxy; method calls still find the real table.
    vm.pushText(main, '')
    lua.lua_getmetatable(main, -1)
    lua.lua_createtable(main, 0, 1)
    this.pushRef(main, this.globals)
    lua.lua_getfield(main, -1, vm.text('string'))
    lua.lua_remove(main, -2)
    this.pushProxy(main, readonly)
    const stringProxy = lua.luaL_ref(main, lay.REGISTRY)
    this.pushRef(main, stringProxy)
    vm.setField(main, '__index')
    this.pushProxy(main, readonly)
    this.guards.stringMeta = lua.luaL_ref(main, lay.REGISTRY)
    lua.lua_settop(main, 0)
    this.nameNull()

    this.pushRef(main, this.globals)
    for (const name of SHARED) {
      if (name === 'string') this.pushRef(main, stringProxy)
      else {
        lua.lua_getfield(main, -1, vm.text(name))
        this.pushProxy(main, readonly)
      }
      vm.setField(main, name)
    }
    this.setMissing(main, missing)
    lua.lua_getmetatable(main, -1)
    this.pushProxy(main, readonly)
    this.guards.globalsMeta = lua.luaL_ref(main, lay.REGISTRY)
    this.pushProxy(main, readonly)
    lua.lua_getmetatable(main, -1)
    this.globalsMeta = lua.luaL_ref(main, lay.REGISTRY)
    this.guards.globalsProxy = vm.pointer(vm.last(main))
    this.pushRef(main, this.globals)
    lua.lua_pushvalue(main, -2)
    vm.setField(main, '_G')
    lua.lua_settop(main, -2)
    // Stack: proxy of the globals.
    const proxy = lua.luaL_ref(main, lay.REGISTRY)
    this.forEachBehind(() => {
      this.pushRef(main, proxy)
      lua.lua_setfenv(main, -2)
    })
    this.pushRef(main, proxy)
    lua.lua_replace(main, lay.GLOBALS)
  }

  /** Lets tostring write cjson.null, a null pointer, as glibc does. */
  private nameNull(): void {
    const { vm } = this
    const { lua, main } = vm
    lua.lua_pushlightuserdata(main, 0)
    lua.lua_createtable(main, 0, 1)
    vm.pushBuiltin(main, this.nullName)
    vm.setField(main, '__tostring')
    lua.lua_setmetatable(main, -2)
    lua.lua_settop(main, 0)
  }

  /** Replaces the table on top of the stack by a proxy for it. */
  private pushProxy(L: number, readonly: number): void {
    const { vm } = this
    const { lua } = vm
    lua.lua_pushvalue(L, -1)
    const ref = lua.luaL_ref(L, lay.REGISTRY)
    lua.lua_createtable(L, 0, 0)
    this.behind.set(vm.pointer(vm.last(L)), ref)
    lua.lua_pushvalue(L, -1)
    lua.luaL_ref(L, lay.REGISTRY)
    lua.lua_createtable(L, 0, 2)
    lua.lua_pushvalue(L, -3)
    vm.setField(L, '__index')
    vm.pushBuiltin(L, readonly)
    vm.setField(L, '__newindex')
    lua.lua_setmetatable(L, -2)
    lua.lua_remove(L, -2)
  }

  /** Gives the table on top of the stack the metatable that complains about names it does not have. */
  private setMissing(L: number, missing: number): void {
    this.vm.lua.lua_createtable(L, 0, 1)
    this.vm.pushBuiltin(L, missing)
    this.vm.setField(L, '__index')
    this.vm.lua.lua_setmetatable(L, -2)
  }

  /** As forEachFunction, once the tables are behind proxies. */
  private forEachBehind(visit: () => void): void {
    const { lua, main } = this.vm
    const top = this.vm.top(main)
    for (const ref of this.behind.values()) {
      this.pushRef(main, ref)
      lua.lua_pushnil(main)
      while (lua.lua_next(main, -2) !== 0) {
        if (lua.lua_type(main, -1) === lay.FUNCTION) visit()
        lua.lua_settop(main, -2)
      }
      lua.lua_settop(main, top)
    }
  }

  private buildLoadApi(register: number, log: number, readonly: number, missing: number): number {
    const { vm, options } = this
    const { lua, main } = vm
    lua.lua_createtable(main, 0, 1)
    lua.lua_createtable(main, 0, 8)
    vm.pushBuiltin(main, register)
    vm.setField(main, 'register_function')
    vm.pushBuiltin(main, log)
    vm.setField(main, 'log')
    this.setNumbers(main, [...api.LOG_LEVELS, ['REDIS_VERSION_NUM', options.version.number]])
    vm.pushText(main, options.version.text)
    vm.setField(main, 'REDIS_VERSION')
    this.setMissing(main, missing)
    this.pushProxy(main, readonly)
    vm.setField(main, 'redis')
    this.setMissing(main, missing)
    return lua.luaL_ref(main, lay.REGISTRY)
  }

  // -- functions of scripts ----------------------------------------------------------------------------------------

  private missingGlobal(L: number): number {
    const { vm } = this
    const type = vm.type(L, 2)
    if (type !== lay.STRING && type !== lay.NUMBER) {
      return vm.fail(L, 'Second argument to luaProtectedTableError must be a string or number')
    }
    return vm.fail(L, `Script attempted to access nonexistent global variable '${vm.checkText(L, 2)}'`)
  }

  /** What Lua itself has allocated. */
  get usedBytes(): number {
    const { lua, main } = this.vm
    return lua.lua_gc(main, lay.GC_COUNT, 0) * 1024
  }

  // -- use ----------------------------------------------------------------------------------------------------------

  pushRef(L: number, ref: number): void {
    this.vm.lua.lua_rawgeti(L, lay.REGISTRY, ref)
  }

  /** Pushes the table of the globals themselves, to set KEYS and ARGV. */
  pushGlobals(L: number): void {
    this.pushRef(L, this.globals)
  }

  /** Between these two the globals are those of FUNCTION LOAD: the table `redis` with register_function and little else. */
  enterLoading(): void {
    this.pointGlobalsAt(this.loadApi)
  }

  leaveLoading(): void {
    this.pointGlobalsAt(this.globals)
  }

  private pointGlobalsAt(ref: number): void {
    const { lua, main } = this.vm
    this.pushRef(main, this.globalsMeta)
    this.pushRef(main, ref)
    this.vm.setField(main, '__index')
    lua.lua_settop(main, -2)
  }

  private hook(L: number, event: number): void {
    const { vm, unwinder } = this
    if (event === lay.EVENT_RETURN) return unwinder.returned(L)
    if (event !== lay.EVENT_COUNT || unwinder.restored()) return
    const answer = this.options.host.tick(vm.yieldable(L) || unwinder.possible(L))
    if (answer === true) this.suspend(L)
    else if (answer !== false) this.kill(L, answer)
  }

  /** Suspends the thread where it is, if that can be. */
  private suspend(L: number): number {
    const { vm, unwinder } = this
    if (vm.yieldable(L)) return vm.lua.lua_yield(L, 0)
    return unwinder.possible(L) ? unwinder.unwind(L) : 0
  }

  /** Ends the script that runs on `L` with an error that it cannot catch. Does not return. */
  kill(L: number, message: string): void {
    const { vm } = this
    this.killedAt = this.position(L)
    this.pushRef(L, this.state)
    vm.lua.lua_pushboolean(L, 1)
    vm.lua.lua_rawseti(L, -2, 1)
    vm.raise(L, message)
  }

  /** Forgets a kill and the coroutines of a script that ended within them. */
  reset(): void {
    this.killedAt = undefined
    this.resetState(this.state)
  }

  /** Where the script was when the error arose that ended it. */
  errorPosition(L: number): Position | undefined {
    return this.killedAt ?? this.callers.errorPosition(L)
  }

  /** The innermost call that is the script's. */
  private position(L: number): Position | undefined {
    const { vm, debug } = this
    for (let level = 0; level < 64 && vm.lua.lua_getstack(L, level, debug) !== 0; level++) {
      vm.lua.lua_getinfo(L, vm.text('Sl'), debug)
      const source = vm.readText(vm.u32[(debug + lay.DEBUG_SOURCE) >>> 2])
      const what = vm.u8[vm.u32[(debug + lay.DEBUG_WHAT) >>> 2]]
      if (what !== 0x43 && source !== BOOTSTRAP_NAME && source !== '=(tail call)') {
        return { source, line: vm.u32[(debug + lay.DEBUG_LINE) >>> 2] }
      }
    }
    return undefined
  }
}
