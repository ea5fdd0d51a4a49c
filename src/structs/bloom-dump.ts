/**
 * bloom-dump: a Bloom filter in chunks, in the format of RedisBloom's BF.SCANDUMP and BF.LOADCHUNK.
 *
 *   chunk at iterator 1, little endian, nothing aligned:
 *     | items u64 | filters u32 | options u32 | expansion u32 |, then per filter
 *     | bytes u64 | bits u64 | items u64 | error f64 | bits an item f64 | hashes u32 | capacity u64 | log2 u8 |
 *   chunks at iterators above: the bits of all filters, one after the other; a chunk never spans two filters
 *
 * The iterator that comes with a chunk is 1 + the position behind its last byte, counted over all filters.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import {
  type BloomLink,
  bloomBits,
  bloomExpansion,
  bloomFilters,
  bloomItems,
  bloomLink,
  bloomOptions,
  isSoundChain,
  loadBloom,
} from './bloom.ts'

/** Most bytes of bits in one chunk. */
export const CHUNK_MAX = 16 * 1024 * 1024
const HEAD_BYTES = 20
const LINK_BYTES = 53
const TWO_32 = 0x100000000

/** Where a chunk's bits are: the block, the offset in it, and how many bytes are left in that filter. */
export let chunkRef: Ref = NULL_REF
export let chunkOffset = 0
export let chunkLength = 0

/** The header chunk. */
export function dumpHeader(mem: Arena, root: Ref): Uint8Array {
  const filters = bloomFilters(mem, root)
  const bytes = new Uint8Array(HEAD_BYTES + filters * LINK_BYTES)
  const view = new DataView(bytes.buffer)
  writeU64(view, 0, bloomItems(mem, root))
  view.setUint32(8, filters, true)
  view.setUint32(12, bloomOptions(mem, root), true)
  view.setUint32(16, bloomExpansion(mem, root), true)
  for (let i = 0; i < filters; i++) writeLink(view, HEAD_BYTES + i * LINK_BYTES, bloomLink(mem, root, i))
  return bytes
}

function writeLink(view: DataView, at: number, link: BloomLink): void {
  writeU64(view, at, link.bytes)
  writeU64(view, at + 8, link.bits)
  writeU64(view, at + 16, link.items)
  view.setFloat64(at + 24, link.error, true)
  view.setFloat64(at + 32, link.perItem, true)
  view.setUint32(at + 40, link.hashes, true)
  writeU64(view, at + 44, link.capacity)
  view.setUint8(at + 52, link.log2)
}

/** A chain from its header chunk, the bits all zero; null when the header makes no sense. */
export function loadHeader(mem: Arena, bytes: Uint8Array, off: number, len: number): Ref {
  if (len < HEAD_BYTES) return NULL_REF
  const view = new DataView(bytes.buffer, bytes.byteOffset + off, len)
  const filters = view.getUint32(8, true)
  const options = view.getUint32(12, true)
  if (len !== HEAD_BYTES + filters * LINK_BYTES) return NULL_REF
  const links: BloomLink[] = []
  for (let i = 0; i < filters; i++) links.push(readLink(view, HEAD_BYTES + i * LINK_BYTES))
  return isSoundChain(options, links) ? loadBloom(mem, options, view.getUint32(16, true), readU64(view, 0), links) : NULL_REF
}

function readLink(view: DataView, at: number): BloomLink {
  return {
    bytes: readU64(view, at),
    bits: readU64(view, at + 8),
    items: readU64(view, at + 16),
    error: view.getFloat64(at + 24, true),
    perItem: view.getFloat64(at + 32, true),
    hashes: view.getUint32(at + 40, true),
    capacity: readU64(view, at + 44),
    log2: view.getUint8(at + 52),
  }
}

/** Points chunkRef, chunkOffset and chunkLength at the bits behind `position`; false when it lies behind the last filter. */
export function findChunk(mem: Arena, root: Ref, position: number): boolean {
  let left = position
  for (let i = 0; i < bloomFilters(mem, root); i++) {
    const bytes = bloomLink(mem, root, i).bytes
    if (left < bytes) {
      chunkRef = bloomBits(mem, root, i)
      chunkOffset = left
      chunkLength = bytes - left
      return true
    }
    left -= bytes
  }
  return false
}

/** Loads bits; the iterator is the one that BF.SCANDUMP gave out with them. Returns what is wrong, or an empty string. */
export function loadChunk(mem: Arena, root: Ref, iterator: number, bytes: Uint8Array, off: number, len: number): string {
  const position = iterator - len - 1
  if (position < 0 || !findChunk(mem, root, position)) return 'invalid offset - no link found'
  if (len > chunkLength) return 'invalid chunk - Too big for current filter'
  mem.u8[segmentOf(chunkRef)].set(bytes.subarray(off, off + len), byteOf(chunkRef) + chunkOffset)
  return ''
}

function writeU64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_32, true)
  view.setUint32(at + 4, Math.floor(value / TWO_32), true)
}

function readU64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * TWO_32
}
