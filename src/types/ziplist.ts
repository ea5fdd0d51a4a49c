/**
 * ziplist: the compact list of RDB files before version 10, read only.
 *
 *   | total bytes u32 | offset of the last element u32 | elements u16 | element ... | 0xff |
 *   element: | length of the one before, 1 byte or 0xfe and 4 | encoding | data |
 *   encoding 00LLLLLL | 01LLLLLL L | 10...... u32 (big endian)   string
 *            11000000 i16 | 11010000 i32 | 11100000 i64 | 11110000 i24 | 11111110 i8 | 1111xxxx, x - 1 = 0 to 12     (little endian)
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { freeListpack, lpAppend, newListpack } from '../structs/listpack.ts'
import { writeBigInt } from '../util/int64.ts'

const HEADER = 10
const END = 0xff
const digits = new Uint8Array(24)

/** A listpack with the elements of these bytes; null when they are no ziplist. */
export function listpackOfZiplist(mem: Arena, bytes: Uint8Array, off: number, len: number): Ref {
  const view = new DataView(bytes.buffer, bytes.byteOffset + off, len)
  if (len <= HEADER || view.getUint32(0, true) !== len || bytes[off + len - 1] !== END) return NULL_REF
  let lp = newListpack(mem)
  let count = 0
  let at = HEADER
  while (at < len - 1) {
    at += bytes[off + at] === 0xfe ? 5 : 1
    const size = at < len - 1 ? elementSize(view, at) : -1
    if (size < 0 || at + size > len - 1) return refused(mem, lp)
    const head = stringHead(bytes[off + at])
    if (head > 0) lp = lpAppend(mem, lp, bytes, off + at + head, size - head)
    else lp = lpAppend(mem, lp, digits, 0, writeBigInt(digits, 0, integerAt(view, at)))
    at += size
    count++
  }
  const stored = view.getUint16(8, true)
  return stored === 0xffff || stored === count ? lp : refused(mem, lp)
}

function refused(mem: Arena, lp: Ref): Ref {
  freeListpack(mem, lp)
  return NULL_REF
}

/** Bytes of a string's encoding; 0 for an integer. */
function stringHead(encoding: number): number {
  const kind = encoding >>> 6
  return kind === 3 ? 0 : kind === 0 ? 1 : kind === 1 ? 2 : 5
}

/** Bytes of encoding and data; -1 when the encoding is unknown or cut off. */
function elementSize(view: DataView, at: number): number {
  const encoding = view.getUint8(at)
  const head = stringHead(encoding)
  if (head > 0) {
    if (at + head > view.byteLength) return -1
    if (head === 1) return 1 + (encoding & 0x3f)
    if (head === 2) return 2 + (((encoding & 0x3f) << 8) | view.getUint8(at + 1))
    return 5 + view.getUint32(at + 1, false)
  }
  const data = { 0xc0: 2, 0xd0: 4, 0xe0: 8, 0xf0: 3, 0xfe: 1 }[encoding]
  if (data !== undefined) return 1 + data
  return encoding >= 0xf1 && encoding <= 0xfd ? 1 : -1
}

function integerAt(view: DataView, at: number): bigint {
  const encoding = view.getUint8(at)
  switch (encoding) {
    case 0xc0:
      return BigInt(view.getInt16(at + 1, true))
    case 0xd0:
      return BigInt(view.getInt32(at + 1, true))
    case 0xe0:
      return view.getBigInt64(at + 1, true)
    case 0xf0:
      return BigInt(view.getUint16(at + 1, true) | (view.getInt8(at + 3) << 16) | 0)
    case 0xfe:
      return BigInt(view.getInt8(at + 1))
    default:
      return BigInt((encoding & 0x0f) - 1)
  }
}
