/**
 * slices: views of a part of the reply buffer, made once.
 *
 * To make a view costs as much as a short command, and replies of the same lengths lie in the same places turn after turn.
 */
import { keepsViews, NO_BYTES } from '../util/views.ts'

const COUNT = 128
const wholes: Uint8Array[] = new Array(COUNT).fill(NO_BYTES)
const slices: Uint8Array[] = new Array(COUNT).fill(NO_BYTES)
const starts = new Int32Array(COUNT)
const ends = new Int32Array(COUNT)
keepsViews({
  letGo() {
    wholes.fill(NO_BYTES)
    slices.fill(NO_BYTES)
  },
})

/** bytes[from, to) as a view. */
export function sliceOf(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const at = (Math.imul(from, 0x9e3779b1) + Math.imul(to, 0x85ebca6b)) >>> 25
  if (wholes[at] === bytes && starts[at] === from && ends[at] === to) return slices[at]
  const slice = bytes.subarray(from, to)
  wholes[at] = bytes
  slices[at] = slice
  starts[at] = from
  ends[at] = to
  return slice
}
