/**
 * bloom: a set that remembers only bits of its members' hashes; a chain of filters that grows.
 *
 *   root   | filters u32 | options u32 | expansion u32 | unused u32 | items f64 | one link per filter |
 *   link   | ref of the bits u32 | hashes u24, log2 u8 | bytes f64 | bits f64 | items f64 | capacity f64 | error f64 | bits an item f64 |
 *   bits   bit n is byte[n >>> 3] & (1 << (n & 7)), as many bytes as the link says
 *
 * Sizes, hashing and bit order are those of RedisBloom, so that a dump made by BF.SCANDUMP there can be loaded here and the
 * other way round: the i-th bit of an item is (a + i * b mod 2^64) mod bits, where a and b are MurmurHash64A of the item
 * with a fixed seed and with seed a. Double hashing costs two hashes however many bits an item sets, and asymptotically
 * nothing in accuracy (Kirsch and Mitzenmacher 2006).
 *
 * (1) An item is added to the last filter only, and only if no filter has it; then a full filter is never written again.
 * (2) Filter i is made for error / 2^(i + 1), so that the chain stays below the error asked for however long it grows;
 *     a chain that may not grow has one filter with the whole error.
 * (3) No false negatives: a bit once set stays set.
 * (4) Everything is allocated before anything changes.
 *
 * add and has are O(hashes x filters): 0.1-0.2 us for one filter in the cache.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { byteOf, doubleOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { hashHi, hashLo, murmur64 } from '../util/murmur64.ts'

/** Options of a chain; their values are part of the dump format. */
export const BLOOM_NO_ROUND = 1
export const BLOOM_HASH_64 = 4
export const BLOOM_FIXED = 8
const KNOWN_OPTIONS = BLOOM_NO_ROUND | BLOOM_HASH_64 | BLOOM_FIXED

/** What adding came to: 0 and 1 for an item that was there and one that is new. */
export const BLOOM_FULL = -2

const FILTERS = 0
const OPTIONS = 1
const EXPANSION = 2
/** In doubles from the root's start. */
const ITEMS = 2
const ROOT_BYTES = 24
const LINK_BYTES = 56
/** Words and doubles of a link, from its start. */
const LINK_REF = 0
const LINK_HASHES = 1
const LINK_SIZE = 1
const LINK_BITS = 2
const LINK_ITEMS = 3
const LINK_CAPACITY = 4
const LINK_ERROR = 5
const LINK_PER_ITEM = 6

const HASHES_MASK = 0xffffff
const TIGHTENING = 0.5
const LN2_SQUARED = 0.480453013918201
const SEED_HI = 0xc6a4a793 | 0
const SEED_LO = 0x5bd1e995 | 0
const TWO_32 = 0x100000000
/** Above this many bits a remainder takes the slow way. */
const FAST_BITS = 1 << 30
/** What the reference's structs take, for BF.INFO. */
const REFERENCE_ROOT = 32
const REFERENCE_LINK = 64

/** The two hashes of the item at hand. */
let aHi = 0
let aLo = 0
let bHi = 0
let bLo = 0

function hashItem(item: Uint8Array, off: number, len: number): void {
  murmur64(item, off, len, SEED_HI, SEED_LO)
  aHi = hashHi
  aLo = hashLo
  murmur64(item, off, len, aHi, aLo)
  bHi = hashHi
  bLo = hashLo
}

// ---- the root ----

function rootBytes(filters: number): number {
  return ROOT_BYTES + filters * LINK_BYTES
}

export function bloomFilters(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + FILTERS]
}

export function bloomOptions(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + OPTIONS]
}

export function bloomExpansion(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + EXPANSION]
}

/** Items that were new when they were added. */
export function bloomItems(mem: Arena, root: Ref): number {
  return mem.f64[segmentOf(root)][doubleOf(root) + ITEMS]
}

function linkWord(root: Ref, index: number): number {
  return wordOf(root) + (ROOT_BYTES + index * LINK_BYTES) / 4
}

function linkDouble(root: Ref, index: number): number {
  return doubleOf(root) + (ROOT_BYTES + index * LINK_BYTES) / 8
}

/** The properties of one filter. */
export interface BloomLink {
  hashes: number
  log2: number
  bytes: number
  bits: number
  items: number
  capacity: number
  error: number
  perItem: number
}

export function bloomLink(mem: Arena, root: Ref, index: number): BloomLink {
  const hashes = mem.u32[segmentOf(root)][linkWord(root, index) + LINK_HASHES]
  const f64 = mem.f64[segmentOf(root)]
  const at = linkDouble(root, index)
  return {
    hashes: hashes & HASHES_MASK,
    log2: hashes >>> 24,
    bytes: f64[at + LINK_SIZE],
    bits: f64[at + LINK_BITS],
    items: f64[at + LINK_ITEMS],
    capacity: f64[at + LINK_CAPACITY],
    error: f64[at + LINK_ERROR],
    perItem: f64[at + LINK_PER_ITEM],
  }
}

/** The block with the bits of one filter. */
export function bloomBits(mem: Arena, root: Ref, index: number): Ref {
  return mem.u32[segmentOf(root)][linkWord(root, index) + LINK_REF] as Ref
}

function writeLink(mem: Arena, root: Ref, index: number, link: BloomLink, bits: Ref): void {
  const u32 = mem.u32[segmentOf(root)]
  const word = linkWord(root, index)
  u32[word + LINK_REF] = bits
  u32[word + LINK_HASHES] = link.hashes | (link.log2 << 24)
  const f64 = mem.f64[segmentOf(root)]
  const at = linkDouble(root, index)
  f64[at + LINK_SIZE] = link.bytes
  f64[at + LINK_BITS] = link.bits
  f64[at + LINK_ITEMS] = link.items
  f64[at + LINK_CAPACITY] = link.capacity
  f64[at + LINK_ERROR] = link.error
  f64[at + LINK_PER_ITEM] = link.perItem
}

/** The filter for `capacity` items with this error: whole words of 64 bits. */
function sizeLink(capacity: number, error: number): BloomLink {
  const perItem = -Math.log(error) / LN2_SQUARED
  const words = Math.max(1, Math.ceil(Math.floor(capacity * perItem) / 64))
  const hashes = Math.max(1, Math.ceil(Math.LN2 * perItem))
  return { hashes, log2: 0, bytes: words * 8, bits: words * 64, items: 0, capacity, error, perItem }
}

// ---- life of a chain ----

/** A chain with one empty filter. expansion 0 or `fixed`: it never grows. 0 < error < 1, capacity > 0. */
export function newBloom(mem: Arena, capacity: number, error: number, expansion: number, fixed: boolean): Ref {
  const link = sizeLink(capacity, fixed ? error : error * TIGHTENING)
  const options = BLOOM_NO_ROUND | BLOOM_HASH_64 | (fixed ? BLOOM_FIXED : 0)
  return loadBloom(mem, options, expansion, 0, [link])
}

/** Whether a chain with these numbers, which come from outside, is one of ours and can be probed without leaving its bits. */
export function isSoundChain(options: number, links: readonly BloomLink[]): boolean {
  return links.length > 0 && (options & BLOOM_HASH_64) !== 0 && (options & ~KNOWN_OPTIONS) === 0 && links.every(isSound)
}

function isSound(link: BloomLink): boolean {
  return (
    link.bits > 0 &&
    link.bits <= link.bytes * 8 &&
    link.bytes < 2 ** 34 &&
    link.hashes > 0 &&
    link.hashes < 1 << 16 &&
    link.capacity > 0 &&
    Number.isSafeInteger(link.capacity) &&
    Number.isSafeInteger(link.items) &&
    link.error > 0 &&
    link.error < 1 &&
    link.log2 < 64
  )
}

/** A chain from its header, the bits all zero. */
export function loadBloom(mem: Arena, options: number, expansion: number, items: number, links: readonly BloomLink[]): Ref {
  const root = mem.alloc(rootBytes(links.length))
  const u32 = mem.u32[segmentOf(root)]
  u32[wordOf(root) + FILTERS] = 0
  u32[wordOf(root) + OPTIONS] = options
  u32[wordOf(root) + EXPANSION] = expansion
  mem.f64[segmentOf(root)][doubleOf(root) + ITEMS] = items
  for (let i = 0; i < links.length; i++) {
    let bits: Ref
    try {
      bits = mem.allocZeroed(links[i].bytes)
    } catch (failure) {
      freeBits(mem, root)
      mem.free(root, rootBytes(links.length))
      throw failure
    }
    writeLink(mem, root, i, links[i], bits)
    u32[wordOf(root) + FILTERS] = i + 1
  }
  return root
}

function freeBits(mem: Arena, root: Ref): void {
  const filters = bloomFilters(mem, root)
  for (let i = 0; i < filters; i++) mem.free(bloomBits(mem, root, i), bloomLink(mem, root, i).bytes)
}

export function freeBloom(mem: Arena, root: Ref): void {
  freeBits(mem, root)
  mem.free(root, rootBytes(bloomFilters(mem, root)))
}

/** Reports the blocks of the chain. */
export function auditBloom(mem: Arena, root: Ref, report: Report): void {
  const filters = bloomFilters(mem, root)
  report(root, rootBytes(filters))
  for (let i = 0; i < filters; i++) report(bloomBits(mem, root, i), bloomLink(mem, root, i).bytes)
}

/** Moves the root out of a segment that is being evacuated; returns where it is now. */
export function bloomMoveRoot(mem: Arena, root: Ref): Ref {
  return mem.moveOut(root, rootBytes(bloomFilters(mem, root)))
}

/** Moves the bits of one filter likewise. */
export function bloomMoveBits(mem: Arena, root: Ref, filter: number): void {
  const bits = mem.moveOut(bloomBits(mem, root, filter), bloomLink(mem, root, filter).bytes)
  mem.u32[segmentOf(root)][linkWord(root, filter) + LINK_REF] = bits
}

export function copyBloom(mem: Arena, root: Ref): Ref {
  const links: BloomLink[] = []
  for (let i = 0; i < bloomFilters(mem, root); i++) links.push(bloomLink(mem, root, i))
  const copy = loadBloom(mem, bloomOptions(mem, root), bloomExpansion(mem, root), bloomItems(mem, root), links)
  for (let i = 0; i < links.length; i++) {
    const from = bloomBits(mem, root, i)
    const to = bloomBits(mem, copy, i)
    const bytes = mem.u8[segmentOf(from)].subarray(byteOf(from), byteOf(from) + links[i].bytes)
    mem.u8[segmentOf(to)].set(bytes, byteOf(to))
  }
  return copy
}

/** Appends a filter; returns the root, which may have moved. */
function addLink(mem: Arena, root: Ref, link: BloomLink): Ref {
  const filters = bloomFilters(mem, root)
  const bits = mem.allocZeroed(link.bytes)
  let grown: Ref
  try {
    grown = mem.realloc(root, rootBytes(filters), rootBytes(filters + 1))
  } catch (failure) {
    mem.free(bits, link.bytes)
    throw failure
  }
  writeLink(mem, grown, filters, link, bits)
  mem.u32[segmentOf(grown)][wordOf(grown) + FILTERS] = filters + 1
  return grown
}

// ---- items ----

/** hi:lo modulo n < 2^30. The quotient, taken in doubles, is off by one at most. */
function remainder(hi: number, lo: number, n: number): number {
  const top = (hi >>> 0) % n
  const quotient = Math.floor((top * TWO_32 + (lo >>> 0)) / n)
  const rest = (lo - Math.imul(quotient, n)) | 0
  if (rest < 0) return rest + n
  return rest >= n ? rest - n : rest
}

/** hi:lo modulo n < 2^37, in steps of 16 bits. */
function bigRemainder(hi: number, lo: number, n: number): number {
  const top = (hi >>> 0) % n
  const middle = (top * 65536 + (lo >>> 16)) % n
  return (middle * 65536 + (lo & 0xffff)) % n
}

/** Whether all bits of the item at hand are set in filter `index`; with `set`, sets them. */
function probe(mem: Arena, root: Ref, index: number, set: boolean): boolean {
  const u32 = mem.u32[segmentOf(root)]
  const word = linkWord(root, index)
  const block = u32[word + LINK_REF]
  const hashes = u32[word + LINK_HASHES] & HASHES_MASK
  const bits = mem.f64[segmentOf(root)][linkDouble(root, index) + LINK_BITS]
  const u8 = mem.u8[segmentOf(block)]
  const base = byteOf(block)
  const fast = bits < FAST_BITS
  let hi = aHi
  let lo = aLo
  let found = true
  for (let i = 0; i < hashes; i++) {
    const bit = fast ? remainder(hi, lo, bits | 0) : bigRemainder(hi, lo, bits)
    const at = base + Math.floor(bit / 8)
    const mask = 1 << (bit & 7)
    if ((u8[at] & mask) === 0) {
      if (!set) return false
      u8[at] |= mask
      found = false
    }
    const sum = (lo >>> 0) + (bLo >>> 0)
    hi = (hi + bHi + (sum >= TWO_32 ? 1 : 0)) | 0
    lo = sum | 0
  }
  return found
}

function hasHashed(mem: Arena, root: Ref): boolean {
  for (let i = bloomFilters(mem, root) - 1; i >= 0; i--) if (probe(mem, root, i, false)) return true
  return false
}

/** Whether the item was added, or looks as if. */
export function bloomHas(mem: Arena, root: Ref, item: Uint8Array, off: number, len: number): boolean {
  hashItem(item, off, len)
  return hasHashed(mem, root)
}

/** Root after the last bloomAdd; it moves when the chain grows. */
export let bloomRoot = 0 as Ref

/** Adds an item: 1 when it is new, 0 when it was (or looks) added, BLOOM_FULL when there is no room. The new root is in bloomRoot. */
export function bloomAdd(mem: Arena, root: Ref, item: Uint8Array, off: number, len: number): number {
  bloomRoot = root
  hashItem(item, off, len)
  if (hasHashed(mem, root)) return 0
  let last = bloomFilters(mem, root) - 1
  let at = linkDouble(root, last)
  let f64 = mem.f64[segmentOf(root)]
  if (f64[at + LINK_ITEMS] >= f64[at + LINK_CAPACITY]) {
    if ((bloomOptions(mem, root) & BLOOM_FIXED) !== 0) return BLOOM_FULL
    const expansion = Math.max(1, bloomExpansion(mem, root))
    bloomRoot = addLink(mem, root, sizeLink(f64[at + LINK_CAPACITY] * expansion, f64[at + LINK_ERROR] * TIGHTENING))
    last++
    at = linkDouble(bloomRoot, last)
    f64 = mem.f64[segmentOf(bloomRoot)]
  }
  probe(mem, bloomRoot, last, true)
  f64[at + LINK_ITEMS]++
  f64[doubleOf(bloomRoot) + ITEMS]++
  return 1
}

// ---- facts ----

/** Items the chain holds before it grows again. */
export function bloomCapacity(mem: Arena, root: Ref): number {
  let sum = 0
  for (let i = 0; i < bloomFilters(mem, root); i++) sum += bloomLink(mem, root, i).capacity
  return sum
}

/** Bytes of bits in all filters. */
export function bloomBytes(mem: Arena, root: Ref): number {
  let sum = 0
  for (let i = 0; i < bloomFilters(mem, root); i++) sum += bloomLink(mem, root, i).bytes
  return sum
}

/** What the reference says the chain takes: its structs and the bits. */
export function bloomSize(mem: Arena, root: Ref): number {
  return REFERENCE_ROOT + bloomFilters(mem, root) * REFERENCE_LINK + bloomBytes(mem, root)
}
