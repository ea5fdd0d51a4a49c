/**
 * One Lua state in a WebAssembly memory of its own, with what every library needs to talk to it.
 *
 * (1) Lua strings are bytes. Where JavaScript strings stand for them, each character is one byte (0-255).
 * (2) Any call that can allocate may move the views `u8`, `u32`, `f64`: read them from the object again afterwards.
 * (3) Inside a callback a Lua error is a JavaScript exception that must not be caught; outside of `resume` and `protect`
 *     there is nobody to catch it, so code there may only call what cannot fail, or must expect `broken`.
 * (4) After an exception that is not Lua's own (a trap, a stack overflow of the host) the state is `broken`: throw it away.
 */
import { copyBytes, latin1, writeLatin1 } from '../util/bytes.ts'
import * as lay from './layout.ts'
import { type CFunction, growMemory, instantiateLua, LONGJMP, type Loaded, type LuaExports, UNWIND } from './wasm.ts'

const SCRATCH_BYTES = 64 * 1024
const MAX_MEMORY_BYTES = 2 ** 31

/** A library function: `L` is the thread that calls it, the result is the number of values it leaves on top of the stack. */
export type Builtin = (vm: LuaVm, L: number) => number

/** The first byte of bytecode, which is refused as code that begins with a letter of no meaning is. */
export const BYTECODE = 0x1b
/** Code that is refused in its place, and its message as one about bytecode. */
export const NOT_BYTECODE = '\x1a'
export const ofBytecode = (message: string): string => message.replace('char(26)', 'char(27)')

export interface LuaVmOptions {
  /** Memory that running scripts may use in all; beyond it they get "not enough memory". */
  limitBytes: number
  /** Called every `hookCount` instructions of a running script, on the thread that runs, and for what else a thread's hook is set. */
  hook: (vm: LuaVm, L: number, event: number) => void
  hookCount: number
}

export class LuaVm {
  readonly lua: LuaExports
  readonly main: number
  u8!: Uint8Array
  u32!: Uint32Array
  f64!: Float64Array
  broken = false
  /** The thread that the host has resumed last: others are resumed by it, or by one another. */
  running = 0

  private readonly loaded: Loaded
  private readonly options: LuaVmOptions
  private readonly builtins: CFunction[] = []
  private readonly texts = new Map<string, number>()
  private firstBuiltin = -1
  private hookIndex = 0
  private limited = false
  private scratch = 0
  private scratchBytes = 0
  /** Eight bytes for out-parameters. */
  private readonly cell: number

  constructor(options: LuaVmOptions) {
    this.options = options
    this.loaded = instantiateLua((memory, bytes) => this.resize(memory, bytes))
    this.lua = this.loaded.lua
    this.view()
    this.main = this.lua.luaL_newstate()
    this.cell = this.lua.malloc(8)
    this.growScratch(SCRATCH_BYTES)
  }

  // -- memory -------------------------------------------------------------------------------------------------------

  get memoryBytes(): number {
    return this.u8.length
  }

  private view(): void {
    const buffer = this.lua.memory.buffer
    this.u8 = new Uint8Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.f64 = new Float64Array(buffer)
  }

  private resize(memory: WebAssembly.Memory, bytes: number): boolean {
    const limit = this.limited ? this.options.limitBytes : MAX_MEMORY_BYTES
    if (bytes > limit) return false
    const wanted = Math.min(limit, Math.max(bytes, Math.floor(memory.buffer.byteLength * 1.25)))
    if (!growMemory(memory, wanted) && !growMemory(memory, bytes)) return false
    this.view()
    return true
  }

  /** A buffer inside the Lua memory of at least `bytes`, valid until the next call of this function; 0 when there is no room. */
  buffer(bytes: number): number {
    return bytes <= this.scratchBytes || this.growScratch(bytes) ? this.scratch : 0
  }

  private growScratch(bytes: number): boolean {
    if (this.scratch !== 0) this.lua.free(this.scratch)
    this.scratchBytes = Math.max(bytes, SCRATCH_BYTES)
    this.scratch = this.lua.malloc(this.scratchBytes)
    if (this.scratch === 0) this.scratchBytes = 0
    return this.scratch !== 0
  }

  /** Gives a large scratch buffer back. */
  trim(): void {
    if (this.scratchBytes > 16 * SCRATCH_BYTES) this.growScratch(SCRATCH_BYTES)
  }

  /** The address of a zero-terminated copy of `text` that lives as long as the state: for fixed texts only. */
  text(text: string): number {
    let p = this.texts.get(text)
    if (p === undefined) {
      p = this.lua.malloc(text.length + 1)
      writeLatin1(this.u8, p, text)
      this.u8[p + text.length] = 0
      this.texts.set(text, p)
    }
    return p
  }

  /** The bytes from `p` to the next zero, as text. */
  readText(p: number): string {
    let text = ''
    for (let c: number | undefined; (c = this.u8[p]) !== 0 && c !== undefined && text.length < 1024; p++) text += String.fromCharCode(c)
    return text
  }

  // -- functions ----------------------------------------------------------------------------------------------------

  /** Declares a library function; all must be declared before the first `pushBuiltin`. */
  declare(fn: Builtin): number {
    this.builtins.push((L) => {
      try {
        return fn(this, L)
      } catch (e) {
        if (e === LONGJMP || e === UNWIND || e instanceof WebAssembly.RuntimeError) throw e
        return this.raise(L, e instanceof RangeError ? 'stack overflow' : String(e))
      }
    })
    return this.builtins.length - 1
  }

  install(): void {
    const { hook } = this.options
    const { first, hook: hookIndex } = this.loaded.install(this.builtins, (L, debug) => hook(this, L, this.u32[debug >>> 2]))
    this.firstBuiltin = first
    this.hookIndex = hookIndex
  }

  pushBuiltin(L: number, declared: number, upvalues = 0): void {
    this.lua.lua_pushcclosure(L, this.firstBuiltin + declared, upvalues)
  }

  /** The index by which the module knows a declared function. */
  indexOf(declared: number): number {
    return this.firstBuiltin + declared
  }

  /** Runs one of the module's `luaopen_*`, as `require` would. */
  open(fn: unknown, name: string): void {
    const { lua, main } = this
    lua.lua_pushcclosure(main, this.loaded.indexOf(fn), 0)
    this.pushText(main, name)
    lua.lua_call(main, 1, 0)
  }

  /** The C function at `index` as something to call from a builtin in its place: it sees the same arguments and caller. */
  original(L: number, index: number): CFunction {
    const fn = this.lua.lua_tocfunction(L, index)
    if (fn === 0) throw new Error('not a C function')
    return this.lua.__indirect_function_table.get(fn) as CFunction
  }

  /** A new thread that calls the hook, kept alive by the reference that is returned with it. */
  newThread(): { thread: number; ref: number } {
    const { lua, main } = this
    const thread = lua.lua_newthread(main)
    const ref = lua.luaL_ref(main, lay.REGISTRY)
    lua.lua_sethook(thread, this.hookIndex, lay.MASK_COUNT, this.options.hookCount)
    return { thread, ref }
  }

  /** Sets how often the hook of `L` is called. */
  hookEvery(L: number, instructions: number): void {
    this.lua.lua_sethook(L, this.hookIndex, lay.MASK_COUNT, instructions)
  }

  // -- running ------------------------------------------------------------------------------------------------------

  /** Starts or continues a thread; 0 finished, YIELD, or an error status with the error on top of its stack. -1: the state broke. */
  resume(thread: number, args: number): number {
    this.limited = true
    this.running = thread
    try {
      return this.lua.lua_resume(thread, args)
    } catch {
      this.broken = true
      return -1
    } finally {
      this.limited = false
    }
  }

  /** Calls the function on the stack of the main thread; same results as `resume`. */
  protect(args: number, results: number): number {
    this.limited = true
    try {
      return this.lua.lua_pcall(this.main, args, results, 0)
    } catch {
      this.broken = true
      return -1
    } finally {
      this.limited = false
    }
  }

  /** Whether the thread may yield where it is: not in a function that was called from C, such as a metamethod. */
  yieldable(L: number): boolean {
    const word = this.u32[(L + lay.STATE_C_CALLS) >>> 2]
    return (word & 0xffff) <= word >>> 16
  }

  // -- errors -------------------------------------------------------------------------------------------------------

  /** Raises `message` with the position of the caller in front, as luaL_error does. Does not return. */
  fail(L: number, message: string): number {
    this.lua.luaL_where(L, 1)
    this.pushText(L, message)
    this.lua.lua_concat(L, 2)
    return this.lua.lua_error(L)
  }

  /** Raises `message` as it is. Does not return. */
  raise(L: number, message: string): number {
    this.pushText(L, message)
    return this.lua.lua_error(L)
  }

  badArgument(L: number, arg: number, message: string): number {
    return this.lua.luaL_argerror(L, arg, this.text(message))
  }

  // -- values -------------------------------------------------------------------------------------------------------

  top(L: number): number {
    const { u32 } = this
    return (u32[(L + lay.STATE_TOP) >>> 2] - u32[(L + lay.STATE_BASE) >>> 2]) >>> 4
  }

  /** Address of the value at a positive stack index. */
  at(L: number, index: number): number {
    return this.u32[(L + lay.STATE_BASE) >>> 2] + (index - 1) * lay.TVALUE_SIZE
  }

  /** Address of the value on top of the stack. */
  last(L: number): number {
    return this.u32[(L + lay.STATE_TOP) >>> 2] - lay.TVALUE_SIZE
  }

  tag(value: number): number {
    return this.u32[(value + lay.TVALUE_TAG) >>> 2]
  }

  /** Type of the value at a positive stack index, NONE beyond the top. */
  type(L: number, index: number): number {
    const value = this.at(L, index)
    return value < this.u32[(L + lay.STATE_TOP) >>> 2] ? this.tag(value) : lay.NONE
  }

  number(value: number): number {
    return this.f64[value >>> 3]
  }

  pointer(value: number): number {
    return this.u32[value >>> 2]
  }

  stringLength(value: number): number {
    return this.u32[(this.u32[value >>> 2] + lay.STRING_LENGTH) >>> 2]
  }

  /** Address of the bytes of a string value. They stay where they are as long as Lua can reach the string. */
  stringBytes(value: number): number {
    return this.u32[value >>> 2] + lay.STRING_BYTES
  }

  /** The string or number argument `arg` as a view of its bytes, valid until the next allocation; an error otherwise. */
  checkString(L: number, arg: number): Uint8Array {
    const p = this.lua.luaL_checklstring(L, arg, this.cell)
    return this.u8.subarray(p, p + this.u32[this.cell >>> 2])
  }

  /** The same as text, one character a byte. */
  checkText(L: number, arg: number): string {
    const bytes = this.checkString(L, arg)
    return latin1(bytes, 0, bytes.length)
  }

  /** A copy of the string (or number, which becomes a string) at `index`; undefined for other types. */
  copyString(L: number, index: number): Uint8Array | undefined {
    const p = this.lua.lua_tolstring(L, index, this.cell)
    return p === 0 ? undefined : this.u8.slice(p, p + this.u32[this.cell >>> 2])
  }

  /** The same as text, one character a byte. */
  stringText(L: number, index: number): string | undefined {
    const p = this.lua.lua_tolstring(L, index, this.cell)
    return p === 0 ? undefined : latin1(this.u8, p, this.u32[this.cell >>> 2])
  }

  pushText(L: number, text: string): void {
    const p = this.buffer(text.length)
    if (p === 0) return this.pushBytes(L, NOTHING, 0, 0)
    writeLatin1(this.u8, p, text)
    this.lua.lua_pushlstring(L, p, text.length)
  }

  /** Pushes bytes of the host. Without room for them it raises an error, or breaks the state outside of a call. */
  pushBytes(L: number, bytes: Uint8Array, from: number, to: number): void {
    const n = to - from
    const p = this.buffer(n)
    if (p === 0) {
      this.growScratch(SCRATCH_BYTES)
      this.raise(L, 'not enough memory')
    }
    copyBytes(this.u8, p, bytes, from, n)
    this.lua.lua_pushlstring(L, p, n)
  }

  /** table[name] = value, both from the top of the stack: pops the value, the table is under it. */
  setField(L: number, name: string): void {
    this.lua.lua_setfield(L, -2, this.text(name))
  }

  /** Compiles `bytes[from, to)`; 0 leaves the function on the stack, otherwise the message. */
  compile(L: number, bytes: Uint8Array, from: number, to: number, name: string): number {
    const n = to - from
    const p = this.lua.malloc(n + 1)
    if (p === 0) {
      this.pushText(L, 'not enough memory')
      return lay.ERR_MEMORY
    }
    this.u8.set(bytes.subarray(from, to), p)
    const isBytecode = this.u8[p] === BYTECODE
    if (isBytecode) this.u8[p] = NOT_BYTECODE.charCodeAt(0)
    const status = this.lua.luaL_loadbuffer(L, p, n, this.text(name))
    this.lua.free(p)
    if (isBytecode && status !== 0) this.pushText(L, ofBytecode(this.stringText(L, -1) as string))
    return status
  }
}

const NOTHING = new Uint8Array(0)
