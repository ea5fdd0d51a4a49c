/**
 * hyperloglog: about how many distinct elements were added, in 12 KiB at most; the bytes are Redis' own.
 *
 *   | "HYLL" | encoding u8 | 3 unused | cardinality u64 LE | registers |        bit 63 of the cardinality: it is stale
 *
 *   dense (encoding 0): 16,384 registers of 6 bits, lowest bits first
 *     |11000000|22221111|33333322|55444444| ...
 *   sparse (encoding 1): runs of registers
 *     00llllll            ZERO   l + 1 registers of value 0                (1-64)
 *     01llllll llllllll   XZERO  l + 1 registers of value 0                (1-16384)
 *     1vvvvvll            VAL    l + 1 registers of value v + 1            (1-4 of 1-32)
 *
 * An element's hash names a register by its low 14 bits; its rank is the position of the lowest one among the other 50.
 * A register keeps the highest rank it met. The estimate is Ertl's (arXiv:1702.01284), the one of the reference server.
 *
 * (1) The runs of a sparse value sum up to 16,384 registers; a value from outside may not, and every reader notices.
 * (2) A sparse value is at most maxBytes long, and none of its registers is above 32; beyond that it becomes dense.
 * (3) Which runs stand for the same registers depends on the order of insertions, and is the same as in the reference.
 * (4) No function reads or writes outside the length it was given.
 *
 * Adding is O(1) dense and O(bytes) sparse. Counting is O(1) while the cached cardinality holds, else O(registers).
 */
import { moveBytes } from '../util/bytes.ts'
import { hashHi, hashLo, murmur64 } from '../util/murmur64.ts'

export const HLL_HEADER = 16
export const HLL_REGISTERS = 16384
export const HLL_DENSE_BYTES = HLL_HEADER + (HLL_REGISTERS * 6) / 8
/** Length of a value without elements: a header and one XZERO. */
export const HLL_EMPTY_BYTES = HLL_HEADER + 2

/** What raising a register of a sparse value came to. */
export const HLL_SAME = 0
export const HLL_RAISED = 1
export const HLL_DAMAGED = 2
/** Nothing was done: the value has to become dense first. */
export const HLL_PROMOTE = 3
/** Nothing was done: the value needs room for HLL_GROWTH bytes more. */
export const HLL_GROW = 4
export const HLL_GROWTH = 3

const DENSE = 0
const SPARSE = 1
/** HYLL */
const MAGIC = 0x48594c4c
const ENCODING = 4
const CARD = 8
const SEED = 0xadc83b19 | 0
const INDEX_MASK = HLL_REGISTERS - 1
const INDEX_BITS = 14
const RANK_BITS = 64 - INDEX_BITS

const XZERO_BIT = 0x40
const VAL_BIT = 0x80
const VAL_MAX = 32
const VAL_MAX_LEN = 4
const ZERO_MAX_LEN = 64
/** Runs looked at, from the one before the change on, for neighbours to merge. */
const MERGE_SCAN = 5
const ALPHA = 0.7213475204444817
const TWO_32 = 0x100000000
const TWO_63 = 2 ** 63

/** Register and rank of the element hashed last. */
export let elementRegister = 0
export let elementRank = 0
/** Length of the sparse value after the last sparseRaise. */
export let sparseLength = 0

/** How many registers have which value; four lanes, so that equal neighbours do not wait for each other. */
const histogram = new Int32Array(4 * 64)
/** The runs that replace one. */
const pieces = new Uint8Array(5)

/** Whether these bytes can be a HyperLogLog: magic, encoding, and the length if dense. */
export function isHll(data: DataView, off: number, len: number): boolean {
  if (len < HLL_HEADER || data.getUint32(off) !== MAGIC) return false
  const encoding = data.getUint8(off + ENCODING)
  return encoding === SPARSE || (encoding === DENSE && len === HLL_DENSE_BYTES)
}

export function isSparse(u8: Uint8Array, off: number): boolean {
  return u8[off + ENCODING] === SPARSE
}

/** Writes a value without elements, HLL_EMPTY_BYTES long. Its cached cardinality, 0, is valid. */
export function writeEmpty(u8: Uint8Array, off: number): void {
  u8.fill(0, off, off + HLL_HEADER)
  u8[off] = 0x48
  u8[off + 1] = 0x59
  u8[off + 2] = 0x4c
  u8[off + 3] = 0x4c
  u8[off + ENCODING] = SPARSE
  u8[off + HLL_HEADER] = XZERO_BIT | ((HLL_REGISTERS - 1) >>> 8)
  u8[off + HLL_HEADER + 1] = (HLL_REGISTERS - 1) & 0xff
}

/** Hashes an element into elementRegister and elementRank. */
export function hashElement(bytes: Uint8Array, off: number, len: number): void {
  murmur64(bytes, off, len, 0, SEED)
  elementRegister = hashLo & INDEX_MASK
  const low = hashLo >>> INDEX_BITS
  if (low !== 0) elementRank = 32 - Math.clz32(low & -low)
  else if (hashHi !== 0) elementRank = 32 - INDEX_BITS + 32 - Math.clz32(hashHi & -hashHi)
  else elementRank = RANK_BITS + 1
}

// ---- the cached cardinality ----

export function invalidateCache(u8: Uint8Array, off: number): void {
  u8[off + CARD + 7] |= 0x80
}

export function isCacheValid(u8: Uint8Array, off: number): boolean {
  return u8[off + CARD + 7] < 0x80
}

/** High and low word of the cardinality stored. */
export function cachedHi(data: DataView, off: number): number {
  return data.getUint32(off + CARD + 4, true)
}

export function cachedLo(data: DataView, off: number): number {
  return data.getUint32(off + CARD, true)
}

/** Stores a cardinality as countOf returns it. */
export function storeCache(u8: Uint8Array, off: number, cardinality: number): void {
  const hi = Math.floor(cardinality / TWO_32)
  const lo = cardinality - hi * TWO_32
  for (let i = 0; i < 4; i++) u8[off + CARD + i] = lo >>> (8 * i)
  for (let i = 0; i < 4; i++) u8[off + CARD + 4 + i] = (hi | 0) >>> (8 * i)
}

// ---- dense ----

export function denseRegister(u8: Uint8Array, off: number, index: number): number {
  const bit = index * 6
  const at = off + HLL_HEADER + (bit >>> 3)
  const shift = bit & 7
  // A register that ends with its byte has no second one.
  return shift <= 2 ? (u8[at] >>> shift) & 63 : ((u8[at] >>> shift) | (u8[at + 1] << (8 - shift))) & 63
}

export function setDenseRegister(u8: Uint8Array, off: number, index: number, value: number): void {
  const bit = index * 6
  const at = off + HLL_HEADER + (bit >>> 3)
  const shift = bit & 7
  u8[at] = (u8[at] & ~(63 << shift)) | (value << shift)
  if (shift > 2) u8[at + 1] = (u8[at + 1] & ~(63 >>> (8 - shift))) | (value >>> (8 - shift))
}

/** Raises a register of a dense value to the rank; false when it is as high already. */
export function denseRaise(u8: Uint8Array, off: number, index: number, rank: number): boolean {
  if (denseRegister(u8, off, index) >= rank) return false
  setDenseRegister(u8, off, index, rank)
  return true
}

// ---- sparse ----

/** Registers that the run at `at` stands for. An XZERO cut off by the end counts what is there. */
function runLength(u8: Uint8Array, at: number, end: number): number {
  const op = u8[at]
  if (op >= VAL_BIT) return (op & 3) + 1
  if (op < XZERO_BIT) return op + 1
  return (((op & 0x3f) << 8) | (at + 1 < end ? u8[at + 1] : 0)) + 1
}

function runBytes(op: number): number {
  return op >= XZERO_BIT && op < VAL_BIT ? 2 : 1
}

function valOf(op: number): number {
  return ((op >>> 2) & 31) + 1
}

function valRun(value: number, len: number): number {
  return VAL_BIT | ((value - 1) << 2) | (len - 1)
}

/**
 * Raises a register of a sparse value of `len` bytes that may grow in place to `capacity`; see HLL_SAME and its siblings.
 * The new length is in sparseLength.
 */
export function sparseRaise(
  u8: Uint8Array,
  off: number,
  len: number,
  capacity: number,
  index: number,
  rank: number,
  maxBytes: number,
): number {
  sparseLength = len
  if (rank > VAL_MAX) return HLL_PROMOTE
  const start = off + HLL_HEADER
  const end = off + len
  let at = start
  let previous = start
  let first = 0
  let run = 0
  while (at < end) {
    const op = u8[at]
    let size = 1
    if (op >= VAL_BIT) run = (op & 3) + 1
    else if (op < XZERO_BIT) run = op + 1
    else {
      run = (((op & 0x3f) << 8) | (at + 1 < end ? u8[at + 1] : 0)) + 1
      size = 2
    }
    if (index < first + run) break
    previous = at
    at += size
    first += run
  }
  if (at >= end) return HLL_DAMAGED
  const op = u8[at]
  if (op >= VAL_BIT && valOf(op) >= rank) return HLL_SAME
  const oldBytes = runBytes(op)
  if (at + oldBytes > end) return HLL_DAMAGED
  if (run === 1 && oldBytes === 1) u8[at] = valRun(rank, 1)
  else {
    const newBytes = splitRun(op, index - first, run, rank)
    const growth = newBytes - oldBytes
    if (growth > 0 && len + growth > maxBytes) return HLL_PROMOTE
    if (len + growth > capacity) return HLL_GROW
    if (growth !== 0) moveBytes(u8, at + newBytes, at + oldBytes, end - at - oldBytes)
    for (let i = 0; i < newBytes; i++) u8[at + i] = pieces[i]
    sparseLength = len + growth
  }
  sparseLength = mergeRuns(u8, previous, off + sparseLength) - off
  invalidateCache(u8, off)
  return HLL_RAISED
}

/** Writes to `pieces` what stays of a run of `run` registers left and right of register `index`, which gets the rank. */
function splitRun(op: number, index: number, run: number, rank: number): number {
  let n = 0
  if (index > 0) n = keepRun(op, index, n)
  pieces[n++] = valRun(rank, 1)
  if (index < run - 1) n = keepRun(op, run - 1 - index, n)
  return n
}

function keepRun(op: number, len: number, n: number): number {
  if (op >= VAL_BIT) pieces[n] = valRun(valOf(op), len)
  else if (len <= ZERO_MAX_LEN) pieces[n] = len - 1
  else {
    pieces[n] = XZERO_BIT | ((len - 1) >>> 8)
    pieces[n + 1] = (len - 1) & 0xff
    return n + 2
  }
  return n + 1
}

/** Merges equal VAL runs that are neighbours, from the run at `from` on; returns the new end. */
function mergeRuns(u8: Uint8Array, from: number, oldEnd: number): number {
  let at = from
  let end = oldEnd
  for (let left = MERGE_SCAN; at < end && left > 0; left--) {
    const op = u8[at]
    if (op < VAL_BIT) {
      at += runBytes(op)
      continue
    }
    const next = at + 1 < end ? u8[at + 1] : 0
    if (next >= VAL_BIT && valOf(op) === valOf(next)) {
      const len = (op & 3) + (next & 3) + 2
      if (len <= VAL_MAX_LEN) {
        u8[at + 1] = valRun(valOf(op), len)
        moveBytes(u8, at, at + 1, end - at - 1)
        end--
        continue
      }
    }
    at++
  }
  return end
}

/** Whether a run beyond the last register is overlooked: a VAL is, when the runs before it are complete; the reference stops there. */
function isHarmless(op: number, index: number): boolean {
  return op >= VAL_BIT && index === HLL_REGISTERS
}

/** Writes the dense form (HLL_DENSE_BYTES at dense[to]) of a sparse value; false when it is damaged. */
export function sparseToDense(u8: Uint8Array, off: number, len: number, dense: Uint8Array, to: number): boolean {
  dense.set(u8.subarray(off, off + HLL_HEADER), to)
  dense.fill(0, to + HLL_HEADER, to + HLL_DENSE_BYTES)
  dense[to + ENCODING] = DENSE
  const end = off + len
  let index = 0
  for (let at = off + HLL_HEADER; at < end; at += runBytes(u8[at])) {
    const run = runLength(u8, at, end)
    if (index + run > HLL_REGISTERS) return isHarmless(u8[at], index)
    if (u8[at] >= VAL_BIT) for (let i = 0; i < run; i++) setDenseRegister(dense, to, index + i, valOf(u8[at]))
    index += run
  }
  return index === HLL_REGISTERS
}

/** The runs of a sparse value as text: `z:` and `Z:` with their length, `v:` with value and length. */
export function describeSparse(u8: Uint8Array, off: number, len: number): string {
  const words: string[] = []
  const end = off + len
  for (let at = off + HLL_HEADER; at < end; at += runBytes(u8[at])) {
    const run = runLength(u8, at, end)
    const op = u8[at]
    words.push(op >= VAL_BIT ? `v:${valOf(op)},${run}` : `${op < XZERO_BIT ? 'z' : 'Z'}:${run}`)
  }
  return words.join(' ')
}

// ---- counting and merging ----

/** Raises max[i] to register i of the value; false when the value is damaged. */
export function mergeInto(max: Uint8Array, u8: Uint8Array, off: number, len: number): boolean {
  return isSparse(u8, off) ? mergeSparse(max, u8, off, len) : mergeDense(max, u8, off)
}

function mergeDense(max: Uint8Array, u8: Uint8Array, off: number): boolean {
  for (let i = 0, at = off + HLL_HEADER; i < HLL_REGISTERS; i += 4, at += 3) {
    const four = u8[at] | (u8[at + 1] << 8) | (u8[at + 2] << 16)
    const a = four & 63
    const b = (four >>> 6) & 63
    const c = (four >>> 12) & 63
    const d = four >>> 18
    if (a > max[i]) max[i] = a
    if (b > max[i + 1]) max[i + 1] = b
    if (c > max[i + 2]) max[i + 2] = c
    if (d > max[i + 3]) max[i + 3] = d
  }
  return true
}

function mergeSparse(max: Uint8Array, u8: Uint8Array, off: number, len: number): boolean {
  const end = off + len
  let index = 0
  for (let at = off + HLL_HEADER; at < end; at += runBytes(u8[at])) {
    const op = u8[at]
    const run = runLength(u8, at, end)
    if (index + run > HLL_REGISTERS) return isHarmless(op, index)
    if (op >= VAL_BIT) {
      const value = valOf(op)
      for (let i = index; i < index + run; i++) if (value > max[i]) max[i] = value
    }
    index += run
  }
  return index === HLL_REGISTERS
}

/** The cardinality of a value: a whole number, -(2^63) when it overflows as in the reference, NaN when it is damaged. */
export function countOf(u8: Uint8Array, off: number, len: number): number {
  histogram.fill(0)
  if (!isSparse(u8, off)) {
    for (let at = off + HLL_HEADER, end = off + HLL_DENSE_BYTES; at < end; at += 3) {
      const four = u8[at] | (u8[at + 1] << 8) | (u8[at + 2] << 16)
      histogram[four & 63]++
      histogram[64 + ((four >>> 6) & 63)]++
      histogram[128 + ((four >>> 12) & 63)]++
      histogram[192 + (four >>> 18)]++
    }
  } else if (!countSparse(u8, off, len)) return NaN
  return estimate()
}

function countSparse(u8: Uint8Array, off: number, len: number): boolean {
  const end = off + len
  let index = 0
  for (let at = off + HLL_HEADER; at < end; at += runBytes(u8[at])) {
    const op = u8[at]
    const run = runLength(u8, at, end)
    histogram[op >= VAL_BIT ? valOf(op) : 0] += run
    index += run
  }
  return index === HLL_REGISTERS
}

/** The cardinality of registers kept one a byte, as mergeInto fills them. */
export function countRegisters(max: Uint8Array): number {
  histogram.fill(0)
  for (let i = 0; i < HLL_REGISTERS; i += 4) {
    histogram[max[i]]++
    histogram[64 + max[i + 1]]++
    histogram[128 + max[i + 2]]++
    histogram[192 + max[i + 3]]++
  }
  return estimate()
}

function registersOf(value: number): number {
  return histogram[value] + histogram[64 + value] + histogram[128 + value] + histogram[192 + value]
}

function estimate(): number {
  const m = HLL_REGISTERS
  let z = m * tau((m - registersOf(RANK_BITS + 1)) / m)
  for (let value = RANK_BITS; value >= 1; value--) z = (z + registersOf(value)) * 0.5
  z += m * sigma(registersOf(0) / m)
  const cardinality = Math.round((ALPHA * m * m) / z)
  return cardinality < TWO_63 ? cardinality : -TWO_63
}

/** Ertl's sigma: what registers that are still zero add. */
function sigma(fraction: number): number {
  if (fraction === 1) return Infinity
  let x = fraction
  let y = 1
  let z = x
  for (;;) {
    x *= x
    const before = z
    z += x * y
    y += y
    if (z === before) return z
  }
}

/** Ertl's tau: what saturated registers take away. */
function tau(fraction: number): number {
  if (fraction === 0 || fraction === 1) return 0
  let x = fraction
  let y = 1
  let z = 1 - x
  for (;;) {
    x = Math.sqrt(x)
    const before = z
    y *= 0.5
    z -= (1 - x) * (1 - x) * y
    if (z === before) return z / 3
  }
}
