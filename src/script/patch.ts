/**
 * The one change to the Lua build that `wasm.ts` loads: `a .. b .. c` leaves behind which operands it calls a `__concat` with.
 *
 * One instruction joins all operands, from the right, and keeps how far it is in a local variable of the module, where nobody else can
 * read it. Who suspends a script inside the metamethod has to know (unwind.ts). So before each such call the register of the right one
 * of the two operands is stored in the padding of the stack slot that the function is about to be put in. Values are copied without
 * their padding, and a stack that grows is copied as a whole, so it stays there for as long as the function runs.
 *
 * The places are those of the one file whose sha256 is checked.
 */
import { TVALUE_PAD } from './layout.ts'

/** Where the sizes of the section with the code and of the function that joins are kept, and how many bytes each takes. */
const SIZES: readonly (readonly [at: number, bytes: number])[] = [
  [4106, 3],
  [129_935, 2],
]
/** Before the call in that function whose arguments are already there: thread, operands, place of the result, event. */
const CALL_AT = 130_024

const STATE_TOP = 8
const LOCAL_GET = 0x20
const I32_LOAD = 0x28
const I32_STORE = 0x36
const ALIGN_4 = 2
/** top.padding = last; the parameters of the function are thread, total and last. */
const STORE = [LOCAL_GET, 0, I32_LOAD, ALIGN_4, STATE_TOP, LOCAL_GET, 2, I32_STORE, ALIGN_4, TVALUE_PAD]

/** The module with the change in it. */
export function patchConcat(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const patched = new Uint8Array(module.length + STORE.length)
  patched.set(module.subarray(0, CALL_AT))
  patched.set(STORE, CALL_AT)
  patched.set(module.subarray(CALL_AT), CALL_AT + STORE.length)
  for (const [at, bytes] of SIZES) addToSize(patched, at, bytes, STORE.length)
  return patched
}

/** Adds to a number in LEB128, which keeps its length. */
function addToSize(module: Uint8Array, at: number, bytes: number, more: number): void {
  let n = more
  for (let i = 0; i < bytes; i++) n += (module[at + i] & 127) * 128 ** i
  for (let i = 0; i < bytes; i++, n = Math.floor(n / 128)) module[at + i] = (n & 127) | (i < bytes - 1 ? 128 : 0)
}
