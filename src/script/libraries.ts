/**
 * Function libraries: their code, and what it registered, in a Lua state that EVAL never touches.
 *
 * Loading runs the code once, with globals that offer redis.register_function and no commands, for half a second at most. What it
 * registers counts only when all of it succeeded. Should the state break, all libraries are loaded again from their code.
 */
import * as dump from './dump.ts'
import { pushError } from './from-resp.ts'
import * as lay from './layout.ts'
import { Runner } from './runner.ts'
import type { Sandbox } from './sandbox.ts'
import { FLAG_NAMES, readLibraryHeader } from './shebang.ts'

export const ENGINE_NAME = 'LUA'
const LOAD_LIMIT_US = 500_000
const BAD_NAME = 'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long'

export interface LibraryFunction {
  readonly name: string
  readonly description: string | null
  readonly flags: number
  readonly ref: number
}

export interface LoadedLibrary {
  readonly name: string
  readonly code: Uint8Array
  functions: Map<string, LibraryFunction>
}

interface Loading {
  functions: Map<string, LibraryFunction>
  readonly startUs: number
  readonly limited: boolean
}

export class Libraries {
  libraries = new Map<string, LoadedLibrary>()
  /** By name in lower case: calls do not mind the case, libraries do. */
  functions = new Map<string, LibraryFunction>()
  private readonly newSandbox: (register: (L: number, sandbox: Sandbox) => number) => Sandbox
  private readonly nowUs: () => number
  private held: Runner | null = null
  private loading: Loading | null = null

  constructor(newSandbox: (register: (L: number, sandbox: Sandbox) => number) => Sandbox, nowUs: () => number) {
    this.newSandbox = newSandbox
    this.nowUs = nowUs
  }

  /** What calls functions; its Lua state is built when first needed. */
  get runner(): Runner {
    this.held ??= new Runner(this.newSandbox((L, sandbox) => this.register(L, sandbox)))
    return this.held
  }

  find(name: string): LibraryFunction | undefined {
    return this.functions.get(name.toLowerCase())
  }

  get usedBytes(): number {
    return this.held?.sandbox.usedBytes ?? 0
  }

  /** Size of the code of all libraries. */
  get codeBytes(): number {
    let bytes = 0
    for (const { code } of this.libraries.values()) bytes += code.length
    return bytes
  }

  loadTimedOut(nowUs: number): boolean {
    return this.loading !== null && this.loading.limited && nowUs - this.loading.startUs > LOAD_LIMIT_US
  }

  // -- loading ------------------------------------------------------------------------------------------------------

  /** FUNCTION LOAD: the library, now among the others, or the text of the error. `limited`: it may take half a second. */
  load(code: Uint8Array, replace: boolean, limited = true): LoadedLibrary | string {
    const library = this.prepare(code, this.libraries, replace, limited)
    if (typeof library === 'string') return library
    const old = this.libraries.get(library.name)
    for (const name of library.functions.keys()) {
      const other = this.find(name)
      if (other !== undefined && old?.functions.get(other.name) !== other) {
        this.release(library)
        return `Function ${name} already exists`
      }
    }
    if (old !== undefined) this.unlink(old)
    this.link(library)
    return library
  }

  /** Compiles and runs the code of a library that is not linked yet. */
  private prepare(code: Uint8Array, among: Map<string, LoadedLibrary>, replace: boolean, limited: boolean): LoadedLibrary | string {
    const header = readLibraryHeader(code)
    if (typeof header === 'string') return header
    if (!isName(header.name)) return BAD_NAME
    if (header.engine.toUpperCase() !== ENGINE_NAME) return `Engine '${header.engine}' not found`
    if (among.has(header.name) && !replace) return `Library '${header.name}' already exists`
    const functions = this.execute(code, header.codeStart, limited)
    if (typeof functions === 'string') return functions
    return { name: header.name, code, functions }
  }

  private execute(code: Uint8Array, codeStart: number, limited: boolean): Map<string, LibraryFunction> | string {
    const { runner } = this
    const { sandbox } = runner
    this.loading = { functions: new Map(), startUs: this.nowUs(), limited }
    sandbox.enterLoading()
    const ref = runner.compile(code, codeStart, '@user_function')
    const problem = typeof ref === 'string' ? `Error compiling function: ${ref}` : this.runChunk(runner, ref)
    const { functions } = this.loading
    this.loading = null
    if (runner.broken) {
      this.rebuild()
      return problem
    }
    sandbox.leaveLoading()
    if (problem === '' && functions.size > 0) return functions
    this.release({ functions })
    return problem === '' ? 'No functions registered' : problem
  }

  private runChunk(runner: Runner, ref: number): string {
    const error = runner.runChunk(ref)
    return error === null ? '' : `Error registering functions: ${error}`
  }

  private link(library: LoadedLibrary): void {
    this.libraries.set(library.name, library)
    for (const fn of library.functions.values()) this.functions.set(fn.name.toLowerCase(), fn)
  }

  private unlink(library: LoadedLibrary): void {
    this.libraries.delete(library.name)
    for (const name of library.functions.keys()) this.functions.delete(name.toLowerCase())
    this.release(library)
  }

  private release(library: { functions: Map<string, LibraryFunction> }): void {
    const vm = this.held?.sandbox.vm
    if (vm === undefined || vm.broken) return
    for (const fn of library.functions.values()) vm.lua.luaL_unref(vm.main, lay.REGISTRY, fn.ref)
  }

  delete(name: string): boolean {
    const library = this.libraries.get(name)
    if (library !== undefined) this.unlink(library)
    return library !== undefined
  }

  flush(): void {
    this.libraries = new Map()
    this.functions = new Map()
    this.held = null
  }

  /** Starts over with a new Lua state and the same libraries. */
  rebuild(): void {
    const old = [...this.libraries.values()]
    this.flush()
    for (const { code } of old) this.load(code, false, false)
  }

  // -- dump and restore ---------------------------------------------------------------------------------------------

  dump(): Uint8Array {
    return dump.encode([...this.libraries.values()].map(({ code }) => code))
  }

  /** FUNCTION RESTORE: all libraries of the payload or none of them; the text of the error, or null. */
  restore(payload: Uint8Array, policy: 'append' | 'replace' | 'flush'): string | null {
    const codes = dump.decode(payload)
    if (typeof codes === 'string') return codes
    const fresh = new Map<string, LoadedLibrary>()
    const names = new Map<string, string>()
    let problem: string | null = null
    for (const code of codes) {
      const library = this.prepare(code, fresh, false, false)
      if (typeof library === 'string') {
        problem = library
        break
      }
      fresh.set(library.name, library)
      problem ??= [...library.functions.keys()].find((name) => names.has(name.toLowerCase())) ?? null
      if (problem !== null) {
        problem = `Function ${problem} already exists`
        break
      }
      for (const name of library.functions.keys()) names.set(name.toLowerCase(), library.name)
    }
    problem ??= policy === 'flush' ? null : this.conflict(fresh, names, policy === 'replace')
    if (problem !== null) {
      for (const library of fresh.values()) this.release(library)
      return problem
    }
    for (const library of this.libraries.values()) if (policy === 'flush' || fresh.has(library.name)) this.unlink(library)
    for (const library of fresh.values()) this.link(library)
    return null
  }

  private conflict(fresh: Map<string, LoadedLibrary>, names: Map<string, string>, replace: boolean): string | null {
    for (const name of fresh.keys()) if (!replace && this.libraries.has(name)) return `Library ${name} already exists`
    for (const library of this.libraries.values()) {
      if (fresh.has(library.name)) continue
      for (const name of library.functions.keys()) if (names.has(name.toLowerCase())) return `Function ${name} already exists`
    }
    return null
  }

  // -- redis.register_function --------------------------------------------------------------------------------------

  private register(L: number, sandbox: Sandbox): number {
    const { vm } = sandbox
    const refuse = (message: string): number => {
      pushError(vm, L, `ERR ${message}`, false)
      return vm.lua.lua_error(L)
    }
    const { loading } = this
    if (loading === null) return refuse('redis.register_function can only be called on FUNCTION LOAD command')
    const count = vm.top(L)
    if (count < 1 || count > 2) return refuse('wrong number of arguments to redis.register_function')
    const read = count === 1 ? readNamed(sandbox, L) : readPositional(sandbox, L)
    if (typeof read === 'string') return refuse(read)
    if (!isName(read.name)) return refuse(BAD_NAME)
    if (loading.functions.has(read.name)) return refuse('Function already exists in the library')
    vm.lua.lua_pushvalue(L, read.callback)
    const ref = vm.lua.luaL_ref(L, lay.REGISTRY)
    loading.functions.set(read.name, { name: read.name, description: read.description, flags: read.flags, ref })
    return 0
  }
}

interface Registration {
  name: string
  description: string | null
  flags: number
  /** Stack index of the function. */
  callback: number
}

function readPositional({ vm }: Sandbox, L: number): Registration | string {
  const name = vm.stringText(L, 1)
  if (name === undefined) return 'first argument to redis.register_function must be a string'
  if (vm.type(L, 2) !== lay.FUNCTION) return 'second argument to redis.register_function must be a function'
  return { name, description: null, flags: 0, callback: 2 }
}

/** The table of named arguments at index 1; the callback is left at index 2. */
function readNamed({ vm }: Sandbox, L: number): Registration | string {
  const { lua } = vm
  if (vm.type(L, 1) !== lay.TABLE) {
    return 'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).'
  }
  let name: string | undefined
  let description: string | undefined
  let flags: number | undefined = 0
  let hasCallback = false
  lua.lua_pushnil(L)
  lua.lua_pushnil(L)
  while (lua.lua_next(L, 1) !== 0) {
    // Stack: table, callback, key, value.
    if (vm.type(L, 3) !== lay.STRING && vm.type(L, 3) !== lay.NUMBER) {
      return 'named argument key given to redis.register_function is not a string'
    }
    const key = vm.type(L, 3) === lay.STRING ? (vm.stringText(L, 3) as string).toLowerCase() : ''
    if (key === 'function_name') {
      name = vm.stringText(L, 4)
      if (name === undefined) return 'function_name argument given to redis.register_function must be a string'
    } else if (key === 'description') {
      description = vm.stringText(L, 4)
      if (description === undefined) return 'description argument given to redis.register_function must be a string'
    } else if (key === 'callback') {
      if (vm.type(L, 4) !== lay.FUNCTION) return 'callback argument given to redis.register_function must be a function'
      lua.lua_pushvalue(L, 4)
      lua.lua_replace(L, 2)
      hasCallback = true
    } else if (key === 'flags') {
      if (vm.type(L, 4) !== lay.TABLE) return 'flags argument to redis.register_function must be a table representing function flags'
      flags = readFlags(vm, L)
      if (flags === undefined) return 'unknown flag given'
    } else {
      return 'unknown argument given to redis.register_function'
    }
    lua.lua_settop(L, 3)
  }
  if (name === undefined) return 'redis.register_function must get a function name argument'
  if (!hasCallback) return 'redis.register_function must get a callback argument'
  return { name, description: description ?? null, flags, callback: 2 }
}

function readFlags(vm: Sandbox['vm'], L: number): number | undefined {
  let flags = 0
  for (let i = 1; ; i++) {
    vm.lua.lua_rawgeti(L, 4, i)
    if (vm.type(L, 5) === lay.NIL) return flags
    const word = vm.stringText(L, 5)?.toLowerCase()
    const flag = FLAG_NAMES.find(([name]) => name === word)
    if (flag === undefined) return undefined
    flags |= flag[1]
    vm.lua.lua_settop(L, 4)
  }
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name)
}
