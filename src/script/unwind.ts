/**
 * Suspends a thread where `lua_yield` refuses to: in a metamethod, in an iterator of `for`, or in a function that a C function has called.
 *
 * There the interpreter runs inside the interpreter, and only the native frame of the outer one knows what is to become of the result.
 * But Lua's own frames (CallInfo) are all in its memory. So a suspension throws the native frames away by an exception, as an error
 * does, and leaves the thread as one that yielded in its count hook. When it goes on, one interpreter runs all its frames. When such a
 * function returns, the return hook does what the native frame would have done, which the caller's instruction tells.
 *
 *   nresults of a frame that a native frame waited for:
 *     | 01 | negate 1 | single 1 | distance 18 | wanted + 1: 10 |
 *     wanted     how many results the caller takes; -1: all
 *     single     of these at most one, because the function called was tostring
 *     negate     a `<=` that is answered by `not (b < a)`
 *     distance   how many slots the function lies above its place, where the frame of a C function was left out; in a CONCAT, the
 *                first operand that it was called with
 *
 * (1) A marked frame is that of a Lua function above one of a Lua function, and the thread's return hook is on as long as there is one.
 * (2) A mark is part of its frame, and goes with it when an error drops it.
 * (3) Of the C functions in between only those can be left out that do nothing more once the inner function has returned.
 */
import * as lay from './layout.ts'
import { LT } from './patch.ts'
import type { LuaVm } from './vm.ts'
import { UNWIND } from './wasm.ts'

const MARK = 1 << 30
const NEGATE = 1 << 29
const SINGLE = 1 << 28
const DISTANCE_SHIFT = 10
const DISTANCE_MASK = 2 ** 18 - 1
const WANTED_MASK = 1023
const ALL = -1

const GETGLOBAL = 5
const SETGLOBAL = 7
const SETTABLE = 9
const SELF = 11
const UNM = 18
const LEN = 20
const CONCAT = 21
const EQ = 23
const LE = 25
const CALL = 28
const TAILCALL = 29
const TFORLOOP = 33

const opcode = (i: number): number => i & 63
const argA = (i: number): number => (i >>> 6) & 255
const argB = (i: number): number => i >>> 23
const jump = (i: number): number => (i >>> 14) - 131_071
const withC = (i: number, c: number): number => (i & ~(511 << 14)) | (c << 14)

const isMarked = (results: number): boolean => results >>> 30 === 1
const distanceOf = (mark: number): number => (mark >>> DISTANCE_SHIFT) & DISTANCE_MASK

/** Whether the instruction has called a function by itself: a metamethod, or an iterator. */
function calls(op: number): boolean {
  if (op >= SELF) return op <= CONCAT ? op <= UNM || op >= LEN : op <= LE ? op >= EQ : op === TFORLOOP
  return op >= GETGLOBAL && op <= SETTABLE && op !== SETGLOBAL + 1
}

/** Whether a C function that has called the function of this frame was left out. In a CONCAT that cannot be told. */
export function hasLeftOut({ u32 }: LuaVm, frame: number): boolean {
  const results = u32[(frame + lay.FRAME_RESULTS) >>> 2]
  const pc = u32[(frame - lay.FRAME_SIZE + lay.FRAME_PC) >>> 2]
  return isMarked(results) && distanceOf(results) !== 0 && opcode(u32[(pc - 4) >>> 2]) !== CONCAT
}

export class Unwinder {
  private readonly vm: LuaVm
  /** The C functions that can be left out, by their index: of those that are true one result counts. */
  private readonly passing = new Map<number, boolean>()
  /** A CONCAT that is to be run once with fewer operands: its address until it has been read, and what it was. */
  private patched = 0
  private patchedFrom = 0

  constructor(vm: LuaVm) {
    this.vm = vm
  }

  /** tostring returns the first result of a metamethod. */
  passToString(index: number): void {
    this.passing.set(index, true)
  }

  /** The C function of this index returns all results of the function that it has put in the first place of its stack. */
  pass(index: number): void {
    this.passing.set(index, false)
  }

  private passes(frame: number, inner: number): boolean {
    const single = this.passing.get(this.code(frame))
    return single === true || (single === false && this.field(inner + lay.FRAME_FUNC) === this.field(frame + lay.FRAME_BASE))
  }

  private field(address: number): number {
    return this.vm.u32[address >>> 2]
  }

  private setField(address: number, value: number): void {
    this.vm.u32[address >>> 2] = value
  }

  private closure(frame: number): number {
    return this.field(this.field(frame + lay.FRAME_FUNC))
  }

  private isLua(frame: number): boolean {
    return this.vm.u8[this.closure(frame) + lay.CLOSURE_IS_C] === 0
  }

  /** The C function of the frame, or the code of its Lua function. */
  private code(frame: number): number {
    return this.field(this.closure(frame) + lay.CLOSURE_CODE)
  }

  /** The instruction of a Lua function that has called the frame above it. */
  private instruction(frame: number): number {
    return this.field(this.field(frame + lay.FRAME_PC) - 4)
  }

  private firstFrame(L: number): number {
    return this.field(L + lay.STATE_BASE_CI) + lay.FRAME_SIZE
  }

  // -- suspending ---------------------------------------------------------------------------------------------------

  /** Whether `unwind` can suspend the thread where it is. */
  possible(L: number): boolean {
    const last = this.field(L + lay.STATE_CI)
    const first = this.firstFrame(L)
    for (let frame = first; frame < last; frame += lay.FRAME_SIZE) {
      if (!this.isLua(frame)) {
        if (frame === first || !this.passes(frame, frame + lay.FRAME_SIZE)) return false
        continue
      }
      const op = opcode(this.instruction(frame))
      if (op !== CALL && op !== TAILCALL && !calls(op)) return false
    }
    return true
  }

  /** Suspends the thread, in its count hook or in a C function without arguments, as `lua_yield(L, 0)` would. Does not return. */
  unwind(L: number): never {
    const { vm } = this
    const last = this.markFrames(L)
    this.setField(L + lay.STATE_CI, last)
    if (this.isLua(last)) {
      // It comes from the hook: the instruction that was about to run is read again, and what the hook keeps is put back.
      this.setField(L + lay.STATE_PC, this.field(L + lay.STATE_PC) - 4)
      const size = vm.u8[this.code(last) + lay.PROTO_STACK]
      this.setField(last + lay.FRAME_TOP, this.field(last + lay.FRAME_BASE) + size * lay.TVALUE_SIZE)
      vm.u8[L + lay.STATE_ALLOW_HOOK] = 1
    }
    this.setField(L + lay.STATE_BASE, this.field(L + lay.STATE_TOP))
    const calls = this.field(L + lay.STATE_C_CALLS)
    this.setField(L + lay.STATE_C_CALLS, (calls & 0xffff0000) | (calls >>> 16))
    vm.u8[L + lay.STATE_STATUS] = lay.YIELD
    vm.u8[L + lay.STATE_HOOK_MASK] |= lay.MASK_RETURN
    throw UNWIND
  }

  /** Marks the frames that native ones wait for and leaves those of C functions out; answers the last frame. */
  private markFrames(L: number): number {
    const { u32 } = this.vm
    const last = this.field(L + lay.STATE_CI)
    const first = this.firstFrame(L)
    let to = first - lay.FRAME_SIZE
    let mark = 0
    let place = 0
    for (let frame = first; frame <= last; frame += lay.FRAME_SIZE) {
      const results = this.field(frame + lay.FRAME_RESULTS)
      if (frame !== last && !this.isLua(frame)) {
        if (mark === 0) {
          place = this.field(frame + lay.FRAME_FUNC)
          mark = MARK | (results + 1)
        }
        if (this.passing.get(this.code(frame))) mark |= SINGLE
        continue
      }
      if (mark !== 0) mark |= ((this.field(frame + lay.FRAME_FUNC) - place) / lay.TVALUE_SIZE) << DISTANCE_SHIFT
      if (to >= first && !isMarked(results)) {
        if (mark === 0) place = this.field(frame + lay.FRAME_FUNC)
        mark = this.markCall(to, place, results, mark)
      }
      to += lay.FRAME_SIZE
      if (to !== frame) u32.copyWithin(to >>> 2, frame >>> 2, (frame + lay.FRAME_SIZE) >>> 2)
      if (mark !== 0) this.setField(to + lay.FRAME_RESULTS, mark)
      mark = 0
    }
    return to
  }

  /** The mark of a frame that `caller` called at `place`; `mark` is not 0 when a C function was between them. */
  private markCall(caller: number, place: number, results: number, mark: number): number {
    const op = opcode(this.instruction(caller))
    if (!calls(op)) return mark
    const marked = mark === 0 ? MARK | (results + 1) : mark
    if (op === CONCAT) return (marked & ~(DISTANCE_MASK << DISTANCE_SHIFT)) | (this.operand(caller, place) << DISTANCE_SHIFT)
    return op === LE && this.field(place + lay.TVALUE_PAD) === LT ? marked | NEGATE : marked
  }

  /** Of the operands of the CONCAT in `caller`, the index of the first one that the function at `place` was called with. */
  private operand(caller: number, place: number): number {
    return this.field(place + lay.TVALUE_PAD) - 1 - argB(this.instruction(caller))
  }

  private copySlot(to: number, from: number): void {
    this.vm.u32.copyWithin(to >>> 2, from >>> 2, (from + lay.TVALUE_SIZE) >>> 2)
  }

  // -- going on -----------------------------------------------------------------------------------------------------

  /** The return hook: the results of a marked frame go where they belong. */
  returned(L: number): void {
    const frame = this.field(L + lay.STATE_CI)
    const mark = this.field(frame + lay.FRAME_RESULTS)
    if (!isMarked(mark)) return
    const caller = frame - lay.FRAME_SIZE
    const func = this.field(frame + lay.FRAME_FUNC)
    const first = this.field(frame + lay.FRAME_BASE) + argA(this.field(this.field(L + lay.STATE_PC) - 4)) * lay.TVALUE_SIZE
    const wanted = (mark & WANTED_MASK) - 1
    const isConcat = opcode(this.instruction(caller)) === CONCAT
    let place = isConcat ? func : func - distanceOf(mark) * lay.TVALUE_SIZE
    if ((mark & SINGLE) !== 0 && wanted === ALL) this.clearSlots(first + lay.TVALUE_SIZE, this.field(L + lay.STATE_TOP))
    if (calls(opcode(this.instruction(caller)))) place = this.complete(L, caller, place, first, mark)
    if (place !== func) {
      this.copySlot(place, func)
      this.setField(frame + lay.FRAME_FUNC, place)
    }
    this.setField(frame + lay.FRAME_RESULTS, wanted)
    if (!this.anyMarked(L, caller)) this.vm.u8[L + lay.STATE_HOOK_MASK] &= ~lay.MASK_RETURN
  }

  /** Whether the thread goes on in a function that a native frame waited for when it was suspended. */
  isInside(L: number): boolean {
    return this.anyMarked(L, this.field(L + lay.STATE_CI))
  }

  private anyMarked(L: number, last: number): boolean {
    for (let frame = this.firstFrame(L); frame <= last; frame += lay.FRAME_SIZE) {
      if (isMarked(this.field(frame + lay.FRAME_RESULTS))) return true
    }
    return false
  }

  private clearSlots(from: number, to: number): void {
    for (let slot = from; slot < to; slot += lay.TVALUE_SIZE) this.setField(slot + lay.TVALUE_TAG, lay.NIL)
  }

  /** Completes the instruction that called a function, with its results from `first`; answers where they are to be put. */
  private complete(L: number, caller: number, place: number, first: number, mark: number): number {
    const pc = this.field(caller + lay.FRAME_PC)
    const i = this.field(pc - 4)
    const op = opcode(i)
    const slot = (register: number): number => this.field(caller + lay.FRAME_BASE) + register * lay.TVALUE_SIZE
    const hasResult = first < this.field(L + lay.STATE_TOP) && this.vm.tag(first) !== lay.NIL
    if (op === SETGLOBAL || op === SETTABLE) return place
    if (op === TFORLOOP) {
      if (hasResult) this.copySlot(slot(argA(i) + 2), first)
      this.branch(caller, pc, hasResult)
      return slot(argA(i) + 3)
    }
    if (op >= EQ) {
      const truth = hasResult && (this.vm.tag(first) !== lay.BOOLEAN || this.vm.pointer(first) !== 0)
      this.branch(caller, pc, (truth !== ((mark & NEGATE) !== 0)) === (argA(i) !== 0))
      return place
    }
    const operand = op === CONCAT ? distanceOf(mark) : 0
    if (operand === 0) return slot(argA(i))
    // What the operands up to this one and the result give is found by the instruction itself, once and with fewer operands.
    this.patched = pc - 4
    this.patchedFrom = i
    this.setField(pc - 4, withC(i, argB(i) + operand))
    this.setField(caller + lay.FRAME_PC, pc - 4)
    this.setField(L + lay.STATE_HOOK_COUNT, 1)
    return slot(argB(i) + operand)
  }

  /** The jump at `pc` is taken or skipped. */
  private branch(caller: number, pc: number, taken: boolean): void {
    this.setField(caller + lay.FRAME_PC, taken ? pc + (jump(this.field(pc)) + 1) * 4 : pc + 4)
  }

  /** The count hook, which comes after an instruction is read: puts one back that was to be read once. Answers whether there was one. */
  restored(): boolean {
    if (this.patched === 0) return false
    this.setField(this.patched, this.patchedFrom)
    this.patched = 0
    return true
  }
}
