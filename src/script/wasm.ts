/**
 * Loads the Lua 5.1.5 build of the package `wasmoon-lua5.1`, with a few changes (patch.ts), and nothing else of that package.
 *
 * - The module is compiled once per process; each `instantiateLua` gives a fresh memory of 16 MiB (touched pages only).
 * - The build throws by calling `_emscripten_throw_longjmp` and catches in `invoke_vii`: a JavaScript exception carries the
 *   longjmp. It passes through our own callbacks, so they must be in a state fit for that whenever they call Lua.
 * - Files, clocks and processes are not there: every such import fails.
 * - `malloc` grows the memory through `resize`, so refusing to grow is the memory limit, at no cost per allocation.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { patched } from './patch.ts'

const SHA256 = 'cba969b97e8a319eba8996b5df488aed5cdd22a56f2de53b42598e474014e610'
const PAGE_BYTES = 65536
/** The first bytes of a module: \\0asm and the version of the format. */
const MAGIC = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/** What is thrown for longjmp: compared by identity, no stack trace to build. */
export const LONGJMP: unique symbol = Symbol('longjmp')
/** What is thrown to suspend a thread whatever native frames it has: its `lua_resume` returns the status that the thread has. */
export const UNWIND: unique symbol = Symbol('unwind')

type State = number
type Pointer = number

/** The C API of Lua as the module exports it; names and arguments are those of the Lua 5.1 manual. */
export interface LuaExports {
  memory: WebAssembly.Memory
  __indirect_function_table: WebAssembly.Table
  __wasm_call_ctors(): void
  emscripten_stack_init(): void
  stackSave(): number
  stackRestore(sp: number): void
  setThrew(threw: number, value: number): void
  malloc(bytes: number): Pointer
  free(p: Pointer): void
  luaL_newstate(): State
  lua_close(L: State): void
  lua_newthread(L: State): State
  lua_checkstack(L: State, n: number): number
  lua_gettop(L: State): number
  lua_settop(L: State, index: number): void
  lua_pushvalue(L: State, index: number): void
  lua_remove(L: State, index: number): void
  lua_insert(L: State, index: number): void
  lua_replace(L: State, index: number): void
  lua_xmove(from: State, to: State, n: number): void
  lua_type(L: State, index: number): number
  lua_typename(L: State, type: number): Pointer
  lua_isnumber(L: State, index: number): number
  lua_isstring(L: State, index: number): number
  lua_iscfunction(L: State, index: number): number
  lua_tonumber(L: State, index: number): number
  lua_toboolean(L: State, index: number): number
  lua_tolstring(L: State, index: number, length: Pointer): Pointer
  lua_touserdata(L: State, index: number): Pointer
  lua_topointer(L: State, index: number): Pointer
  lua_objlen(L: State, index: number): number
  lua_pushnil(L: State): void
  lua_pushnumber(L: State, n: number): void
  lua_pushboolean(L: State, b: number): void
  lua_pushlstring(L: State, p: Pointer, length: number): void
  lua_pushlightuserdata(L: State, p: Pointer): void
  lua_pushcclosure(L: State, fn: number, upvalues: number): void
  lua_pushthread(L: State): number
  lua_createtable(L: State, arraySize: number, nodes: number): void
  lua_gettable(L: State, index: number): void
  lua_settable(L: State, index: number): void
  lua_getfield(L: State, index: number, name: Pointer): void
  lua_setfield(L: State, index: number, name: Pointer): void
  lua_rawget(L: State, index: number): void
  lua_rawset(L: State, index: number): void
  lua_rawgeti(L: State, index: number, n: number): void
  lua_rawseti(L: State, index: number, n: number): void
  lua_getmetatable(L: State, index: number): number
  lua_setmetatable(L: State, index: number): number
  lua_setfenv(L: State, index: number): number
  lua_next(L: State, index: number): number
  lua_concat(L: State, n: number): void
  lua_call(L: State, args: number, results: number): void
  lua_pcall(L: State, args: number, results: number, handler: number): number
  lua_error(L: State): number
  lua_resume(L: State, args: number): number
  lua_yield(L: State, results: number): number
  lua_gc(L: State, what: number, data: number): number
  lua_sethook(L: State, hook: number, mask: number, count: number): number
  lua_getstack(L: State, level: number, debug: Pointer): number
  lua_getinfo(L: State, what: Pointer, debug: Pointer): number
  luaL_loadbuffer(L: State, p: Pointer, length: number, name: Pointer): number
  luaL_ref(L: State, table: number): number
  luaL_unref(L: State, table: number, ref: number): void
  luaL_where(L: State, level: number): void
  luaL_argerror(L: State, arg: number, message: Pointer): number
  luaL_typerror(L: State, arg: number, type: Pointer): number
  luaL_checknumber(L: State, arg: number): number
  luaL_checkinteger(L: State, arg: number): number
  luaL_optinteger(L: State, arg: number, otherwise: number): number
  luaL_checklstring(L: State, arg: number, length: Pointer): Pointer
  luaL_checkstack(L: State, n: number, message: Pointer): void
  luaL_checkoption(L: State, arg: number, otherwise: Pointer, list: Pointer): number
  lua_tocfunction(L: State, index: number): number
  luaopen_base: unknown
  luaopen_table: unknown
  luaopen_string: unknown
  luaopen_math: unknown
}

export interface Loaded {
  lua: LuaExports
  /** Puts JavaScript functions into the module's function table and returns the index of the first. */
  install(functions: CFunction[], hook: (L: State, debug: Pointer) => void): { first: number; hook: number }
  /** The table index of one of the module's own functions, to push it as a C function. */
  indexOf(fn: unknown): number
}
export type CFunction = (L: State) => number

let compiled: WebAssembly.Module | undefined

function compile(): WebAssembly.Module {
  if (compiled !== undefined) return compiled
  const path = createRequire(import.meta.url).resolve('wasmoon-lua5.1/dist/liblua5.1.wasm')
  const bytes = readFileSync(path)
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== SHA256) throw new Error(`Lua engine: unexpected content of ${path} (sha256 ${found})`)
  compiled = new WebAssembly.Module(patched(new Uint8Array(bytes)))
  return compiled
}

/**
 * A module that only passes imported functions on, to turn JavaScript functions into ones that a function table takes:
 * `count` of (i32) -> i32 and one of (i32, i32) -> ().
 */
function passThrough(count: number): WebAssembly.Module {
  const leb = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)])
  const section = (id: number, items: number[][]): number[] => {
    const body = [...leb(items.length), ...items.flat()]
    return [id, ...leb(body.length), ...body]
  }
  const name = (i: number): number[] => {
    const text = [...`f${i}`].map((c) => c.charCodeAt(0))
    return [text.length, ...text]
  }
  const I32 = 0x7f
  const types = [
    [0x60, 1, I32, 1, I32],
    [0x60, 2, I32, I32, 0],
  ]
  const all = Array.from({ length: count + 1 }, (_, i) => i)
  return new WebAssembly.Module(
    new Uint8Array([
      ...MAGIC,
      ...section(1, types),
      ...section(
        2,
        all.map((i) => [1, 0x6a, ...name(i), 0, i === count ? 1 : 0]),
      ),
      ...section(
        7,
        all.map((i) => [...name(i), 0, ...leb(i)]),
      ),
    ]),
  )
}

/** `resize` is asked to make the memory at least `bytes` big; it answers whether it did. */
export function instantiateLua(resize: (memory: WebAssembly.Memory, bytes: number) => boolean): Loaded {
  let lua: LuaExports
  const entries: ((a: number, b: number) => void)[] = []
  const absent = (): number => -1
  const env: Record<string, WebAssembly.ImportValue> = {
    _emscripten_throw_longjmp: () => {
      throw LONGJMP
    },
    invoke_vii: (index: number, a: number, b: number) => {
      const sp = lua.stackSave()
      const fn = (entries[index] ??= lua.__indirect_function_table.get(index) as (a: number, b: number) => void)
      try {
        fn(a, b)
      } catch (e) {
        lua.stackRestore(sp)
        if (e === UNWIND) return
        if (e !== LONGJMP) throw e
        lua.setThrew(1, 0)
      }
    },
    emscripten_resize_heap: (bytes: number) => (resize(lua.memory, bytes >>> 0) ? 1 : 0),
    emscripten_memcpy_js: (to: number, from: number, n: number) => {
      new Uint8Array(lua.memory.buffer).copyWithin(to, from, from + n)
    },
    exit: () => {
      throw new Error('Lua panic')
    },
    emscripten_date_now: () => 0,
    _emscripten_get_now_is_monotonic: () => 1,
  }
  const module = compile()
  const imports: WebAssembly.Imports = { env, wasi_snapshot_preview1: {} }
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] as WebAssembly.ModuleImports)[name] ??= absent
  lua = new WebAssembly.Instance(module, imports).exports as unknown as LuaExports
  lua.__wasm_call_ctors()
  lua.emscripten_stack_init()
  const table = lua.__indirect_function_table
  return {
    lua,
    install(functions, hook) {
      const j: Record<string, WebAssembly.ImportValue> = {}
      const all: ((...args: number[]) => unknown)[] = [...functions, hook as (...args: number[]) => void]
      all.forEach((fn, i) => {
        j[`f${i}`] = fn
      })
      const bridge = new WebAssembly.Instance(passThrough(functions.length), { j }).exports
      const first = table.grow(all.length)
      all.forEach((_, i) => {
        table.set(first + i, bridge[`f${i}`])
      })
      return { first, hook: first + functions.length }
    },
    indexOf(fn) {
      return table.grow(1, fn)
    },
  }
}

/** Grows the memory by whole pages, or answers false. */
export function growMemory(memory: WebAssembly.Memory, bytes: number): boolean {
  const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)
  if (missing <= 0) return true
  try {
    memory.grow(missing)
    return true
  } catch {
    return false
  }
}
