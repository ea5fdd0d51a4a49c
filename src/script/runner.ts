/**
 * Runs one function at a time in a sandbox: begin, then resume as long as the script is suspended, then write its reply.
 *
 * A script runs in a thread of Lua, because only a thread can be interrupted and continued. A thread that finished in order serves the
 * next script too; one that ended in an error is left to the garbage collector.
 */
import type { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import * as lay from './layout.ts'
import type { Sandbox } from './sandbox.ts'
import { countedErrors, forgetCounted, untilZero, writeError, writeReply } from './to-resp.ts'

const DONE = 0
export const SUSPENDED = 1
const FAILED = 2

const GC_PERIOD = 50

export class Runner {
  readonly sandbox: Sandbox
  private thread = 0
  private threadRef = 0
  private status = 0
  private runs = 0

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox
  }

  get broken(): boolean {
    return this.sandbox.vm.broken
  }

  /**
   * Starts the function with the keys argv[from, from + keys) and the arguments behind them. A script of EVAL finds them in globals,
   * a library function gets them as its two arguments.
   */
  begin(fn: number, argv: Frame, from: number, keys: number, inGlobals: boolean): number {
    const { sandbox } = this
    const { vm } = sandbox
    if (this.thread === 0) {
      const fresh = vm.newThread()
      this.thread = fresh.thread
      this.threadRef = fresh.ref
    }
    const L = this.thread
    try {
      sandbox.pushRef(L, fn)
      if (inGlobals) sandbox.pushGlobals(L)
      this.pushArray(L, argv, from, from + keys)
      if (inGlobals) vm.setField(L, 'KEYS')
      this.pushArray(L, argv, from + keys, argv.count)
      if (inGlobals) {
        vm.setField(L, 'ARGV')
        vm.lua.lua_settop(L, -2)
      }
    } catch {
      vm.broken = true
      return FAILED
    }
    return this.step(inGlobals ? 0 : 2)
  }

  resume(): number {
    return this.step(0)
  }

  private step(args: number): number {
    this.status = this.sandbox.vm.resume(this.thread, args)
    if (this.status === lay.YIELD) return SUSPENDED
    return this.status === 0 ? DONE : FAILED
  }

  private pushArray(L: number, argv: Frame, from: number, to: number): void {
    const { vm } = this.sandbox
    vm.lua.lua_createtable(L, to - from, 0)
    for (let i = from; i < to; i++) {
      const offset = argv.off(i)
      vm.pushBytes(L, argv.bytes, offset, offset + argv.len(i))
      vm.lua.lua_rawseti(L, -2, i - from + 1)
    }
  }

  /** Writes the reply of the script that is done or failed; `name` is what errors call it.
   * Answers how many errors it wrote that the statistics know already. */
  finish(name: string, out: Reply, protocol: number): number {
    forgetCounted()
    const { vm } = this.sandbox
    const L = this.thread
    if (this.status === 0) {
      try {
        vm.lua.lua_settop(L, 1)
        writeReply(vm, L, out, protocol)
        vm.lua.lua_settop(L, 0)
      } catch {
        vm.broken = true
      }
    } else {
      this.writeFailure(name, out)
    }
    if (vm.broken) return 0
    if (this.status !== 0) this.dropThread()
    vm.trim()
    if (++this.runs % GC_PERIOD === 0) vm.lua.lua_gc(vm.main, lay.GC_STEP, GC_PERIOD)
    return countedErrors
  }

  private dropThread(): void {
    this.sandbox.vm.lua.luaL_unref(this.sandbox.vm.main, lay.REGISTRY, this.threadRef)
    this.thread = 0
    this.sandbox.reset()
  }

  private writeFailure(name: string, out: Reply): void {
    const { vm } = this.sandbox
    const L = this.thread
    if (vm.broken) return out.error(`ERR Error running script ${name}, the Lua engine failed and was restarted`)
    if (this.status !== lay.ERR_RUN) {
      return out.error(`ERR Error running script ${name}, ${vm.stringText(L, -1) ?? 'execution failure'}`)
    }
    const at = this.sandbox.errorPosition(L)
    const { message, counted } = this.errorMessage(L)
    const where = at === undefined ? '' : ` script: ${name}, on ${at.source}:${at.line}.`
    writeError(out, untilZero(message).replace(/[\r\n]+$/, '') + where, counted)
  }

  private errorMessage(L: number): { message: string; counted: boolean } {
    const { vm } = this.sandbox
    const value = vm.last(L)
    switch (vm.tag(value)) {
      case lay.TABLE:
        return { message: this.textField(L, 'err') ?? 'ERR unknown error', counted: this.flagField(L, 'ignore_error_stats_update') }
      case lay.NIL:
        return { message: 'ERR nil', counted: false }
      case lay.BOOLEAN:
        return { message: vm.pointer(value) === 0 ? 'ERR false' : 'ERR true', counted: false }
      default: {
        const at = vm.pointer(value)
        const name = (): string => `${vm.readText(vm.lua.lua_typename(L, vm.tag(value)))}: ${at === 0 ? '(nil)' : `0x${at.toString(16)}`}`
        return { message: `ERR ${vm.stringText(L, -1) ?? name()}`, counted: false }
      }
    }
  }

  private textField(L: number, name: string): string | undefined {
    const { vm } = this.sandbox
    vm.pushText(L, name)
    vm.lua.lua_rawget(L, -2)
    const text = vm.stringText(L, -1)
    vm.lua.lua_settop(L, -2)
    return text
  }

  private flagField(L: number, name: string): boolean {
    const { vm } = this.sandbox
    vm.pushText(L, name)
    vm.lua.lua_rawget(L, -2)
    const value = vm.last(L)
    const flag = vm.tag(value) === lay.BOOLEAN && vm.pointer(value) !== 0
    vm.lua.lua_settop(L, -2)
    return flag
  }

  /** Runs a function of no arguments to its end; null, or its error as text. */
  runChunk(fn: number): string | null {
    const { sandbox } = this
    const { vm } = sandbox
    const { thread: L, ref } = vm.newThread()
    sandbox.pushRef(L, fn)
    this.status = vm.resume(L, 0)
    if (vm.broken) return 'ERR the Lua engine failed and was restarted'
    const error = this.status === 0 ? null : this.errorMessage(L).message
    vm.lua.luaL_unref(vm.main, lay.REGISTRY, ref)
    vm.lua.luaL_unref(vm.main, lay.REGISTRY, fn)
    if (error !== null) sandbox.reset()
    return error
  }

  /** Compiles a script; its reference, or the message of the compiler. */
  compile(code: Uint8Array, from: number, name: string): number | string {
    const { vm } = this.sandbox
    const L = vm.main
    if (vm.compile(L, code, from, code.length, name) !== 0) {
      const message = vm.stringText(L, -1) ?? ''
      vm.lua.lua_settop(L, 0)
      return message
    }
    return vm.lua.luaL_ref(L, lay.REGISTRY)
  }
}
