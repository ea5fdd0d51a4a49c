/**
 * The changes to the Lua build that `wasm.ts` loads, at places of the one file whose sha256 is checked.
 *
 * JOINED: `a .. b .. c` leaves behind which operands it calls a `__concat` with. One instruction joins all operands, from the right, and
 * keeps how far it is in a local variable of the module, where nobody else can read it. Who suspends a script inside the metamethod has
 * to know (unwind.ts). So before each such call the register of the right one of the two operands is stored in the padding of the stack
 * slot that the function is about to be put in. Values are copied without their padding, and a stack that grows is copied as a whole, so
 * it stays there for as long as the function runs.
 *
 * COMPARED: `<=` leaves behind, in the same place, whether it calls an `__le`, or an `__lt` whose answer it turns round.
 *
 * RESUMED: a coroutine begins with one C call less inside one another than there are. It is resumed by a function in Lua that one in C
 * has called (callers.ts), and Lua's limit of 200 counts the two as one this way.
 */
import { TVALUE_PAD } from './layout.ts'

const LOCAL_GET = 0x20
const I32_LOAD = 0x28
const I32_STORE = 0x36
const I32_CONST = 0x41
const I32_SUB = 0x6b
const ALIGN_4 = 2
const STATE_TOP = 8
/** Events of metamethods, as the module numbers them. */
export const LT = 13
const LE = 14

interface Insertion {
  /** Where the code is put. */
  readonly at: number
  /** Where the size of the function is kept, in two bytes. */
  readonly sizeAt: number
  readonly code: readonly number[]
}

/** Before the call whose arguments are there: top.padding = last; the parameters of the function are thread, total and last. */
const JOINED: Insertion = {
  at: 130_024,
  sizeAt: 129_935,
  code: [LOCAL_GET, 0, I32_LOAD, ALIGN_4, STATE_TOP, LOCAL_GET, 2, I32_STORE, ALIGN_4, TVALUE_PAD],
}
/** Before the calls with these events: top.padding = event. */
const COMPARED: readonly Insertion[] = [compared(133_912, LE), compared(133_930, LT)]
/** Between the load of the one thread's count and the store into the other's. */
const RESUMED: Insertion = { at: 28_172, sizeAt: 28_005, code: [I32_CONST, 1, I32_SUB] }

/** Where the size of the section with all code is kept, in three bytes. */
const SECTION_SIZE_AT = 4106

function compared(at: number, event: number): Insertion {
  return { at, sizeAt: 130_928, code: [LOCAL_GET, 0, I32_LOAD, ALIGN_4, STATE_TOP, I32_CONST, event, I32_STORE, ALIGN_4, TVALUE_PAD] }
}

/** The module with the changes in it. */
export function patched(module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  // From the end, so that the places before are where they were.
  const insertions = [JOINED, RESUMED, ...COMPARED].toSorted((a, b) => b.at - a.at)
  return insertions.reduce(insert, module)
}

function insert(module: Uint8Array, { at, sizeAt, code }: Insertion): Uint8Array<ArrayBuffer> {
  const changed = new Uint8Array(module.length + code.length)
  changed.set(module.subarray(0, at))
  changed.set(code, at)
  changed.set(module.subarray(at), at + code.length)
  addToSize(changed, SECTION_SIZE_AT, 3, code.length)
  addToSize(changed, sizeAt, 2, code.length)
  return changed
}

/** Adds to a number in LEB128, which keeps its length. */
function addToSize(module: Uint8Array, at: number, bytes: number, more: number): void {
  let n = more
  for (let i = 0; i < bytes; i++) n += (module[at + i] & 127) * 128 ** i
  for (let i = 0; i < bytes; i++, n = Math.floor(n / 128)) module[at + i] = (n & 127) | (i < bytes - 1 ? 128 : 0)
}
