/**
 * Library functions that call one of the script's: the script can be suspended in it, because they are done in Lua (bootstrap.ts).
 *
 * Each stands in the place of the real function, checks its arguments, and leaves the real one what cannot run code of the script's. All
 * that the function in Lua returns is its result, so that its own frame can be left out when the script is suspended (unwind.ts).
 */
import type { Guards } from './guards.ts'
import * as lay from './layout.ts'
import { LEVELS_MAX, Levels, type Position } from './levels.ts'
import type { Builtin, LuaVm } from './vm.ts'

/** What the bootstrap returns: functions that do in Lua what those of these names do, and what coroutine.yield has to know. */
export const IN_LUA = [
  'pcall',
  'caught',
  'gsub',
  'sort',
  'foreach',
  'foreachi',
  'load',
  'xpcall',
  'create',
  'resume',
  'wrap',
  'users',
  'handed',
]
/** The real functions that the bootstrap needs. */
const REAL = ['pcall', 'gsub', 'sort', 'load', 'create', 'resume', 'status']
/** More calls than there can be. */
const NO_LEVEL = 2 ** 30
const NO_ARGUMENT = 'attempt to call a boolean value'

export class Callers {
  private readonly vm: LuaVm
  private readonly guards: Guards
  private readonly levels: Levels
  private readonly isInside: (L: number) => boolean
  /** The functions here as the module knows them, and tostring, which calls a `__tostring`. */
  private readonly indices = new Set<number>()
  private readonly declared: number[] = []
  /** References of what the bootstrap does in Lua. */
  private readonly inLua = new Map<string, number>()
  private readonly rethrow: number
  private readonly throw: number
  /** Functions for the bootstrap alone, by their names. */
  private readonly tools = new Map<string, number>()

  /** `isInside` tells whether a thread goes on in what C was to call, although there is no native frame. */
  constructor(vm: LuaVm, guards: Guards, isInside: (L: number) => boolean) {
    this.vm = vm
    this.isInside = isInside
    this.guards = guards
    this.levels = new Levels(vm, (thread) => this.isUsers(thread))
    this.rethrow = vm.declare((_, L) => {
      if (this.isText(L, 1)) this.prefix(L, this.levels.where(L, 2))
      return vm.lua.lua_error(L)
    })
    this.throw = vm.declare((_, L) => vm.lua.lua_error(L))
    const enclosed = vm.declare((_, L) => {
      vm.lua.lua_pushvalue(L, lay.upvalue(1))
      return this.call(L)
    })
    this.declared.push(enclosed)
    this.declareTool('enclose', (L) => vm.pushBuiltin(L, enclosed, 1))
    this.declareTool('getmetatable', (L) => {
      if (vm.lua.lua_getmetatable(L, 1) === 0) vm.lua.lua_pushnil(L)
    })
    this.declareTool('where', (L) => vm.pushText(L, this.levels.where(L, 2)))
    this.declareTool('current', (L) => this.pushCurrent(L))
    this.declareCallbacks()
    this.declareProtected()
    this.declareCoroutines()
    guards.guard('', 'error', (L, original) => this.error(L, original))
    for (const name of ['getfenv', 'setfenv']) {
      guards.guard('', name, (L, original) => {
        this.replaceLevel(L)
        return original(vm, L)
      })
    }
  }

  // -- kinds of arguments -------------------------------------------------------------------------------------------

  private isFunction(L: number, i: number): boolean {
    return this.vm.type(L, i) === lay.FUNCTION
  }

  private closure(L: number, i: number): number {
    return this.vm.pointer(this.vm.at(L, i))
  }

  private isLua(L: number, i: number): boolean {
    return this.isFunction(L, i) && this.vm.u8[this.closure(L, i) + lay.CLOSURE_IS_C] === 0
  }

  /** Whether value `i` is a function that is the script's or may call one of the script's. */
  private mayCall(L: number, i: number): boolean {
    const { vm } = this
    if (!this.isFunction(L, i)) return false
    const closure = this.closure(L, i)
    return vm.u8[closure + lay.CLOSURE_IS_C] === 0 || this.indices.has(vm.u32[(closure + lay.CLOSURE_CODE) >>> 2])
  }

  private hasMetatable(L: number, i: number): boolean {
    const { vm } = this
    return vm.type(L, i) === lay.TABLE && vm.u32[(vm.pointer(vm.at(L, i)) + lay.TABLE_METATABLE) >>> 2] !== 0
  }

  private isText(L: number, i: number): boolean {
    const type = this.vm.type(L, i)
    return type === lay.STRING || type === lay.NUMBER
  }

  // -- calls --------------------------------------------------------------------------------------------------------

  private push(L: number, name: string): void {
    this.vm.lua.lua_rawgeti(L, lay.REGISTRY, this.inLua.get(name) as number)
  }

  /** Leaves the call to the function on top of the stack, with all that is below as its arguments. */
  private call(L: number): number {
    const { vm } = this
    vm.lua.lua_insert(L, 1)
    vm.lua.lua_call(L, vm.top(L) - 1, -1)
    return vm.top(L)
  }

  private callInLua(L: number, name: string): number {
    this.push(L, name)
    return this.call(L)
  }

  private guard(table: string, name: string, fn: (L: number, original: Builtin) => number): void {
    this.declared.push(this.guards.guard(table, name, fn))
  }

  private declareTool(name: string, push: (L: number) => void): void {
    const declared = this.vm.declare((_, L) => {
      push(L)
      return 1
    })
    this.tools.set(name, declared)
  }

  // -- declarations -------------------------------------------------------------------------------------------------

  private declareCallbacks(): void {
    const { vm, guards } = this
    this.guard('string', 'gsub', (L, original) => {
      // Functions in C get nothing but strings and numbers here, with which none calls the script.
      const calls = (this.isLua(L, 3) || this.isEnclosed(L, 3) || this.hasMetatable(L, 3)) && this.isText(L, 1) && this.isText(L, 2)
      return calls && (vm.type(L, 4) <= lay.NIL || vm.lua.lua_isnumber(L, 4) !== 0) ? this.callInLua(L, 'gsub') : original(vm, L)
    })
    this.guard('table', 'sort', (L, original) => {
      if (vm.type(L, 1) !== lay.TABLE) return original(vm, L)
      if (vm.type(L, 2) > lay.NIL) return this.mayCall(L, 2) ? this.callInLua(L, 'sort') : original(vm, L)
      vm.lua.lua_settop(L, 1)
      vm.lua.lua_rawgeti(L, 1, 1)
      const calls = this.hasMetatable(L, 2)
      vm.lua.lua_settop(L, 1)
      return calls ? this.callInLua(L, 'sort') : original(vm, L)
    })
    for (const name of ['foreach', 'foreachi']) {
      this.guard('table', name, (L, original) => {
        if (name === 'foreach' && guards.isProxy(L)) guards.substitute(L)
        return vm.type(L, 1) === lay.TABLE && this.mayCall(L, 2) ? this.callInLua(L, name) : original(vm, L)
      })
    }
    this.guard('', 'load', (L, original) => {
      if (!this.isFunction(L, 1)) return original(vm, L)
      vm.lua.lua_settop(L, 2)
      if (vm.type(L, 2) > lay.NIL) vm.checkString(L, 2)
      else {
        vm.pushText(L, '=(load)')
        vm.lua.lua_replace(L, 2)
      }
      vm.lua.lua_pushboolean(L, L === vm.running ? 1 : 0)
      return this.callInLua(L, 'load')
    })
  }

  private declareProtected(): void {
    const { vm } = this
    this.guard('', 'pcall', (L, original) => {
      if (vm.top(L) === 0) {
        vm.lua.lua_pushboolean(L, 0)
        vm.pushText(L, NO_ARGUMENT)
        return 2
      }
      if (!this.isFunction(L, 1) || this.mayCall(L, 1)) return this.callInLua(L, 'pcall')
      // What cannot call the script cannot be slow either.
      const results = original(vm, L)
      return vm.type(L, 2) === lay.TABLE && vm.pointer(vm.at(L, 1)) === 0 ? this.callInLua(L, 'caught') : results
    })
    this.guard('', 'xpcall', (L, original) => {
      if (vm.top(L) < 2) return original(vm, L)
      vm.lua.lua_settop(L, 2)
      return this.callInLua(L, 'xpcall')
    })
  }

  private declareCoroutines(): void {
    const { vm } = this
    for (const name of ['create', 'wrap']) {
      this.guard('coroutine', name, (L) => (this.isLua(L, 1) ? this.callInLua(L, name) : vm.badArgument(L, 1, 'Lua function expected')))
    }
    this.guard('coroutine', 'resume', (L, original) => (vm.type(L, 1) === lay.THREAD ? this.callInLua(L, 'resume') : original(vm, L)))
    this.guards.guard('coroutine', 'running', (L) => {
      this.pushCurrent(L)
      return 1
    })
    this.guards.guard('coroutine', 'status', (L, original) => {
      if (vm.type(L, 1) !== lay.THREAD || vm.pointer(vm.at(L, 1)) !== this.levels.owner(L)) return original(vm, L)
      vm.pushText(L, 'running')
      return 1
    })
    this.guards.guard('coroutine', 'yield', (L, original) => {
      if (!this.isUsers(L) || this.isInside(L)) return vm.raise(L, 'attempt to yield across metamethod/C-call boundary')
      this.push(L, 'handed')
      vm.lua.lua_insert(L, 1)
      return original(vm, L)
    })
  }

  /** Pushes the coroutine of the script's that runs, or nil: those of pcall do not count. */
  private pushCurrent(L: number): void {
    const { lua } = this.vm
    const owner = this.levels.owner(L)
    if (owner === this.vm.running) return lua.lua_pushnil(L)
    lua.lua_pushthread(owner)
    if (owner !== L) lua.lua_xmove(owner, L, 1)
  }

  private isEnclosed(L: number, i: number): boolean {
    const { vm } = this
    return this.isFunction(L, i) && vm.u32[(this.closure(L, i) + lay.CLOSURE_CODE) >>> 2] === vm.indexOf(this.declared[0])
  }

  /** Whether the script has made this thread. */
  private isUsers(L: number): boolean {
    const { vm } = this
    this.push(L, 'users')
    vm.lua.lua_pushthread(L)
    vm.lua.lua_rawget(L, -2)
    const found = vm.tag(vm.last(L)) !== lay.NIL
    vm.lua.lua_settop(L, -3)
    return found
  }

  // -- errors -------------------------------------------------------------------------------------------------------

  private error(L: number, original: Builtin): number {
    const { vm } = this
    const level = this.isText(L, 1) && vm.lua.lua_isnumber(L, 2) !== 0 ? Math.trunc(vm.lua.lua_tonumber(L, 2)) : 1
    if (level > 1) {
      this.prefix(L, this.levels.where(L, level))
      vm.lua.lua_pushnumber(L, 0)
    }
    return original(vm, L)
  }

  /** Puts the function of a level in its place as argument 1; 0 stands for those in C. */
  private replaceLevel(L: number): void {
    const { vm } = this
    const level = this.isText(L, 1) ? Math.trunc(vm.lua.lua_tonumber(L, 1)) : 0
    if (!(level >= 2 && level <= LEVELS_MAX)) return
    const kind = this.levels.pushFunction(L, level)
    if (kind === 'tail call') vm.fail(L, `no function environment for tail call at level ${level}`)
    if (kind !== 'Lua') vm.lua.lua_pushnumber(L, kind === 'C' ? 0 : NO_LEVEL)
    vm.lua.lua_replace(L, 1)
  }

  /** Leaves `text` and argument 1 as the only value. */
  private prefix(L: number, text: string): void {
    const { vm } = this
    vm.lua.lua_settop(L, 1)
    vm.pushText(L, text)
    vm.lua.lua_insert(L, 1)
    vm.lua.lua_concat(L, 2)
  }

  /** Where the script was when the error arose that has ended the thread: the call that failed, or the caller of a C function. */
  errorPosition(L: number): Position | undefined {
    return this.levels.errorPosition(L)
  }

  // -- the bootstrap ------------------------------------------------------------------------------------------------

  /** Pushes what the bootstrap gets: how to raise an error, with the position of the caller or as it is, and a table of real functions. */
  pushArguments(L: number): void {
    const { vm } = this
    vm.pushBuiltin(L, this.rethrow)
    vm.pushBuiltin(L, this.throw)
    vm.lua.lua_createtable(L, 0, REAL.length + this.tools.size)
    for (const [name, declared] of this.tools) {
      vm.pushBuiltin(L, declared)
      vm.setField(L, name)
    }
    for (const name of REAL) {
      this.guards.pushReal(L, name)
      vm.setField(L, name)
    }
  }

  /** Pops the functions that the bootstrap has returned; answers the indices of those that call them. `tostring` is the index of that. */
  takeInLua(tostring: number): number[] {
    const { vm } = this
    for (const name of [...IN_LUA].reverse()) this.inLua.set(name, vm.lua.luaL_ref(vm.main, lay.REGISTRY))
    const indices = this.declared.map((index) => vm.indexOf(index))
    for (const index of [...indices, tostring]) this.indices.add(index)
    for (const index of [this.rethrow, this.throw]) this.levels.raise(vm.indexOf(index))
    return indices
  }
}
