/**
 * string: a byte string as the value of an entry: embedded up to EMBEDDED_MAX bytes, else in a block with slack.
 *
 * The bytes are always the text itself; the encoding (int, embstr, raw) is only the label that Redis would show, since a
 * number's digits take no more room than the number and are what GET sends.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { SEGMENT_BYTES } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { isOutside, outsideCapacity, setOutside, valueLength, valueRef, valueSegment, valueStart } from '../structs/entry.ts'
import { copyBytes } from '../util/bytes.ts'
import { isCanonicalInt64 } from '../util/int64.ts'
import { EMBSTR, INT, RAW, type TypeOps } from './object.ts'

/** Longest string that Redis embeds in its object: the label `embstr`. */
const EMBSTR_MAX = 44
const DOUBLING_MAX = 1 << 20

export const stringOps: TypeOps = {
  name: 'string',
  free() {},
  freeStep: () => true,
  freeEffort: () => 1,
  audit() {},
  copyRoot: () => NULL_REF,
}

/** The encoding a string value is born with. */
export function stringEncoding(bytes: Uint8Array, off: number, len: number): number {
  if (len <= 20 && len > 0) {
    const first = bytes[off]
    if ((first === 45 || (first >= 48 && first <= 57)) && isCanonicalInt64(bytes, off, len)) return INT
  }
  return len <= EMBSTR_MAX ? EMBSTR : RAW
}

/**
 * Bytes to reserve for a growing string: double up to 1 MiB, then 1 MiB more, and double again beyond a segment (where
 * growing means copying to a new buffer).
 */
export function grownCapacity(length: number): number {
  if (length < DOUBLING_MAX || length > SEGMENT_BYTES / 2) return usableBytes(length * 2)
  return usableBytes(length + DOUBLING_MAX)
}

/**
 * Makes an OUTSIDE value `length` bytes long, in a larger block when it must; new bytes are zero. May allocate.
 */
export function resizeOutside(mem: Arena, entry: Ref, length: number): void {
  const old = valueLength(mem, entry)
  const capacity = outsideCapacity(mem, entry)
  const block = valueRef(mem, entry)
  if (length <= capacity) {
    if (length > old) mem.u8[segmentOf(block)].fill(0, byteOf(block) + old, byteOf(block) + length)
    setOutside(mem, entry, block, length, capacity)
    return
  }
  const wanted = Math.max(grownCapacity(old), usableBytes(length))
  const larger = mem.allocZeroed(wanted)
  copyBytes(mem.u8[segmentOf(larger)], byteOf(larger), mem.u8[segmentOf(block)], byteOf(block), old)
  setOutside(mem, entry, larger, length, wanted)
  mem.free(block, capacity)
}

/** Copies the value's bytes out. Not for hot paths. */
export function stringBytes(mem: Arena, entry: Ref): Uint8Array {
  const start = valueStart(mem, entry)
  return mem.u8[valueSegment(mem, entry)].slice(start, start + valueLength(mem, entry))
}

/** Bytes of the value that are allocated but not used, for DEBUG OBJECT and MEMORY. */
export function stringSlack(mem: Arena, entry: Ref): number {
  return isOutside(mem, entry) ? usableBytes(outsideCapacity(mem, entry)) - valueLength(mem, entry) : 0
}
