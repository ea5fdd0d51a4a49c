/**
 * The stack of calls as messages number it: with one level for a library function, however it is done here.
 *
 * What the bootstrap does in Lua is a few calls, and the C function in their place (callers.ts) is left out of the stack once the
 * script has been suspended there. What pcall calls has even a stack of its own, that of a coroutine, and the call of pcall is in the
 * stack of the thread that waits for it.
 */
import { BOOTSTRAP_NAME } from './bootstrap.ts'
import * as lay from './layout.ts'
import { hasLeftOut } from './unwind.ts'
import type { LuaVm } from './vm.ts'

/** Levels beyond this are left to Lua: finding one takes time by its depth. */
export const LEVELS_MAX = 64
const THREADS_MAX = 256
const TAIL_CALL = '=(tail call)'
const C_FUNCTION = '=[C]'

export interface Position {
  source: string
  line: number
}

export class Levels {
  private readonly vm: LuaVm
  /** Room for a lua_Debug. */
  private readonly debug: number
  /** Whether a thread is a coroutine of the script's own: nothing is beyond its first call. */
  private readonly isUsers: (thread: number) => boolean
  /** The C functions that raise an error for one done in Lua, by their index. */
  private readonly raising = new Set<number>()
  /** A call: its thread, and its level there. */
  private thread = 0
  private level = 0
  /** The call is one that is left out, between this one and its caller. */
  private leftOut = false

  constructor(vm: LuaVm, isUsers: (thread: number) => boolean) {
    this.vm = vm
    this.isUsers = isUsers
    this.debug = vm.lua.malloc(lay.DEBUG_BYTES)
  }

  /** The position of a call as luaL_where writes it: 1 is the one that called the C function that is running. */
  where(L: number, level: number): string {
    const { vm, debug } = this
    this.go(L, level)
    const line = this.source() === '' ? 0 : this.line()
    return line > 0 ? `${vm.readText(debug + lay.DEBUG_SHORT_SOURCE)}:${line}: ` : ''
  }

  /** Pushes the function of a call when it is one in Lua; answers what it is. */
  pushFunction(L: number, level: number): 'Lua' | 'C' | 'tail call' | 'none' {
    const { lua } = this.vm
    this.go(L, level)
    const source = this.source()
    if (source === BOOTSTRAP_NAME || source === C_FUNCTION || this.isBase()) return 'C'
    if (source === TAIL_CALL || source === '') return source === '' ? 'none' : 'tail call'
    lua.lua_getinfo(this.thread, this.vm.text('f'), this.debug)
    if (this.thread !== L) lua.lua_xmove(this.thread, L, 1)
    return 'Lua'
  }

  /** The C function of this index raises an error for one that is done in Lua. */
  raise(index: number): void {
    this.raising.add(index)
  }

  /** The call in which the error arose that has ended the thread, or that of a C function in which it did. */
  errorPosition(L: number): Position | undefined {
    this.enter(L, this.isRaising(L) ? 1 : 0)
    const source = this.source()
    if (source === C_FUNCTION || source === BOOTSTRAP_NAME) this.leave()
    const at = this.source()
    if (at === '') return undefined
    return at === BOOTSTRAP_NAME ? { source: C_FUNCTION, line: -1 } : { source: at, line: this.line() }
  }

  private isRaising(L: number): boolean {
    const { vm } = this
    const closure = vm.pointer(vm.u32[(vm.u32[(L + lay.STATE_CI) >>> 2] + lay.FRAME_FUNC) >>> 2])
    return vm.u8[closure + lay.CLOSURE_IS_C] !== 0 && this.raising.has(vm.u32[(closure + lay.CLOSURE_CODE) >>> 2])
  }

  private go(L: number, level: number): void {
    this.enter(L, 1)
    for (let left = Math.min(level, LEVELS_MAX); left > 1; left--) this.leave()
  }

  private enter(thread: number, level: number): void {
    this.thread = thread
    this.level = level
    this.leftOut = false
  }

  /** The line of the call that `source` has asked for; -1 in a C function. */
  private line(): number {
    const { vm, debug } = this
    if (this.leftOut) return -1
    vm.lua.lua_getinfo(this.thread, vm.text('l'), debug)
    return vm.u32[(debug + lay.DEBUG_LINE) >>> 2] | 0
  }

  /** Where the call lies: its source as the chunk is named, `=[C]` for a C function, nothing beyond the last one. */
  private source(): string {
    const { vm, debug, thread } = this
    if (this.leftOut) return C_FUNCTION
    if (vm.lua.lua_getstack(thread, this.level, debug) === 0) return ''
    vm.lua.lua_getinfo(thread, vm.text('S'), debug)
    return vm.readText(vm.u32[(debug + lay.DEBUG_SOURCE) >>> 2])
  }

  /** Goes on to the caller. */
  private leave(): void {
    if (this.source() === BOOTSTRAP_NAME || this.isBase()) return this.leaveOurs()
    this.leftOut = !this.leftOut && this.isLeftOut()
    if (!this.leftOut) this.level++
  }

  /** Goes on to the caller of a function that is done in Lua. */
  private leaveOurs(): void {
    for (let source = this.source(); source === BOOTSTRAP_NAME || source === TAIL_CALL || source === ''; source = this.source()) {
      if (source === '') {
        if (!this.enterWaiting()) return
      } else {
        const isLast = source === BOOTSTRAP_NAME && this.isLeftOut()
        this.level++
        if (isLast) return this.passTailCalls()
      }
    }
    // The function that has called the bootstrap.
    if (this.source() === C_FUNCTION) this.level++
  }

  private passTailCalls(): void {
    while (this.source() === TAIL_CALL) this.level++
  }

  /** Whether the C function that has called this one is left out of the stack. */
  private isLeftOut(): boolean {
    const { vm, debug, thread } = this
    if (vm.lua.lua_getstack(thread, this.level, debug) === 0) return false
    const index = vm.u32[(debug + lay.DEBUG_FRAME) >>> 2]
    return index > 1 && hasLeftOut(vm, vm.u32[(thread + lay.STATE_BASE_CI) >>> 2] + index * lay.FRAME_SIZE)
  }

  /** Whether this is where the coroutine of a pcall begins: what it was to call has replaced the first function there. */
  private isBase(): boolean {
    const { level } = this
    const source = this.source()
    if (source !== '' && source !== TAIL_CALL) return false
    if (source === TAIL_CALL) this.level++
    const isBase = this.source() === '' && this.waiting() !== 0
    this.level = level
    return isBase
  }

  /** Beyond the first call of a coroutine of pcall, goes on in the thread that waits for it; answers whether there is one. */
  private enterWaiting(): boolean {
    const waiting = this.waiting()
    if (waiting === 0) return false
    this.thread = waiting
    // Its last call is that of coroutine.resume.
    this.level = 1
    return true
  }

  /** The thread that waits for this one to end, when it is that of a pcall; otherwise 0. */
  private waiting(): number {
    const { vm, thread } = this
    let waiting = vm.running
    for (let left = THREADS_MAX; left > 0 && waiting !== thread; left--) {
      const next = this.resumed(waiting)
      if (next === thread) return this.isUsers(thread) ? 0 : waiting
      if (next === 0) return 0
      waiting = next
    }
    return 0
  }

  /** The thread of the script's own, or its first one, that a thread of pcall belongs to. */
  owner(L: number): number {
    this.thread = L
    for (let waiting = this.waiting(); waiting !== 0; waiting = this.waiting()) this.thread = waiting
    return this.thread
  }

  /** The thread that `thread` has resumed: the first argument of its last call. */
  private resumed(thread: number): number {
    const { vm } = this
    const first = vm.at(thread, 1)
    return vm.tag(first) === lay.THREAD ? vm.pointer(first) : 0
  }
}
