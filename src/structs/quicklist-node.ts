/**
 * quicklist nodes: the blocks that hold the elements of a quicklist, and how large a node may get.
 *
 *   PACKED       a listpack
 *   COMPRESSED   | block bytes u32 | listpack bytes u32 | the listpack in LZF |
 *   PLAIN        | length u32 | bytes |        one element too large for a listpack
 *   FRONT        | unused | element ... | end byte |        the elements of a listpack at the end of a block of FRONT_BYTES
 *
 * (1) Every block says its own size; a FRONT is always as large. (2) Only inner nodes are ever COMPRESSED, and only when that saves at least
 * SAVING_MIN bytes. (3) Reading a COMPRESSED node decompresses it into a scratch outside the arena; changing it needs `thaw` first.
 * (4) A FRONT takes and gives elements at its head only, where nothing needs to move for that; any other change needs `thawFront` first. How
 * many bytes it would have as a listpack, at most FRONT_BYTES, and how many elements, the index knows: it has no header of its own.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { copyBytes } from '../util/bytes.ts'
import { lzfCompress, lzfDecompressInto } from '../util/lzf.ts'
import { freeListpack, LP_HEADER, lpBytes, lpOf } from './listpack.ts'

export const PACKED = 0
export const COMPRESSED = 1
export const PLAIN = 2
export const FRONT = 3

/** Size of the block of a FRONT. */
export const FRONT_BYTES = 2048

const PLAIN_HEADER = 4
const COMPRESSED_HEADER = 8
const COMPRESS_MIN = 48
const SAVING_MIN = 8
/** Most bytes of a node whose limit is a number of elements. */
const COUNTED_BYTES_MAX = 8192
/** Limits of the fills -1 to -5. */
const FILL_BYTES = [4096, 8192, 16384, 32768, 65536]
/** What an element is reckoned to add to a node besides its bytes. */
const ELEMENT_OVERHEAD = 8

/** Elements of this many bytes and more are PLAIN. */
export const PLAIN_BYTES = 2 ** 30
/** What PLAIN_BYTES is at the moment: DEBUG can lower it. */
export const plainThreshold = { bytes: PLAIN_BYTES }

/** Most bytes and elements of a node under this list-max-listpack-size. */
export function bytesLimit(fill: number): number {
  return fill >= 0 ? COUNTED_BYTES_MAX : FILL_BYTES[Math.min(-fill, FILL_BYTES.length) - 1]
}

export function countLimit(fill: number): number {
  return fill >= 0 ? Math.max(1, fill) : Infinity
}

/** Whether a listpack of this size is too large for a node, and so for a list of the encoding `listpack`. */
export function exceedsLimit(fill: number, bytes: number, count: number): boolean {
  return bytes > bytesLimit(fill) || count > countLimit(fill)
}

/** Whether a listpack of this size may take one more element of `len` bytes. */
export function roomFor(bytes: number, count: number, len: number, fill: number): boolean {
  return len < plainThreshold.bytes && !exceedsLimit(fill, bytes + len + ELEMENT_OVERHEAD, count + 1)
}

export function newPlain(mem: Arena, bytes: Uint8Array, off: number, len: number): Ref {
  const node = mem.alloc(PLAIN_HEADER + len)
  mem.u32[segmentOf(node)][wordOf(node)] = len
  copyBytes(mem.u8[segmentOf(node)], byteOf(node) + PLAIN_HEADER, bytes, off, len)
  return node
}

/** Length of a PLAIN node's element; its bytes begin at `plainStart`. */
export function plainLength(mem: Arena, node: Ref): number {
  return mem.u32[segmentOf(node)][wordOf(node)]
}

export function plainStart(node: Ref): number {
  return byteOf(node) + PLAIN_HEADER
}

/** Size of the node's block. */
export function nodeBytes(mem: Arena, node: Ref, kind: number): number {
  if (kind === FRONT) return FRONT_BYTES
  const word = mem.u32[segmentOf(node)][wordOf(node)]
  return kind === PLAIN ? PLAIN_HEADER + word : word
}

export function freeNode(mem: Arena, node: Ref, kind: number): void {
  if (kind === PACKED) freeListpack(mem, node)
  else mem.free(node, nodeBytes(mem, node, kind))
}

export function copyNode(mem: Arena, node: Ref, kind: number): Ref {
  const bytes = nodeBytes(mem, node, kind)
  const fresh = mem.alloc(bytes)
  copyBytes(mem.u8[segmentOf(fresh)], byteOf(fresh), mem.u8[segmentOf(node)], byteOf(node), bytes)
  return fresh
}

/** Offset of the first element in the block of a PACKED node or a FRONT whose listpack has, or would have, so many bytes. */
export function firstOffset(kind: number, bytes: number): number {
  return kind === FRONT ? FRONT_BYTES - bytes + LP_HEADER : LP_HEADER
}

/** A PACKED node with the elements of the FRONT, which stays. */
export function thawFront(mem: Arena, front: Ref, bytes: number, count: number): Ref {
  return lpOf(mem, front, firstOffset(FRONT, bytes), bytes - LP_HEADER, count)
}

let scratch = new Uint8Array(0)

function reserveScratch(bytes: number): Uint8Array {
  if (scratch.length < bytes) scratch = new Uint8Array(Math.max(bytes, 2 * scratch.length))
  return scratch
}

/** Bytes of the listpack inside a COMPRESSED node. */
export function rawBytes(mem: Arena, node: Ref): number {
  return mem.u32[segmentOf(node)][wordOf(node) + 1]
}

/** Decompresses the node into `target`, which must have room for `rawBytes`. */
export function inflateInto(mem: Arena, node: Ref, target: Uint8Array, off: number): void {
  const bytes = mem.u32[segmentOf(node)][wordOf(node)] - COMPRESSED_HEADER
  lzfDecompressInto(mem.u8[segmentOf(node)], byteOf(node) + COMPRESSED_HEADER, bytes, target, off, rawBytes(mem, node))
}

/** The listpack of a COMPRESSED node in a scratch that the next call overwrites. */
export function inflate(mem: Arena, node: Ref): Uint8Array {
  const target = reserveScratch(rawBytes(mem, node))
  inflateInto(mem, node, target, 0)
  return target
}

/** A PACKED node with the contents of the COMPRESSED one, which stays. */
export function thaw(mem: Arena, node: Ref): Ref {
  const lp = mem.alloc(rawBytes(mem, node))
  inflateInto(mem, node, mem.u8[segmentOf(lp)], byteOf(lp))
  return lp
}

/** A COMPRESSED node with the contents of the PACKED one, which stays; null when it is not worth it or there is no memory. */
export function compress(mem: Arena, lp: Ref): Ref {
  const raw = lpBytes(mem, lp)
  if (raw < COMPRESS_MIN) return NULL_REF
  const target = reserveScratch(raw)
  const bytes = lzfCompress(mem.u8[segmentOf(lp)], byteOf(lp), raw, target, 0, raw - SAVING_MIN - 1)
  if (bytes === 0) return NULL_REF
  let node: Ref
  try {
    node = mem.alloc(COMPRESSED_HEADER + bytes)
  } catch {
    return NULL_REF
  }
  const u32 = mem.u32[segmentOf(node)]
  u32[wordOf(node)] = COMPRESSED_HEADER + bytes
  u32[wordOf(node) + 1] = raw
  copyBytes(mem.u8[segmentOf(node)], byteOf(node) + COMPRESSED_HEADER, target, 0, bytes)
  return node
}
