/**
 * stream-node: one listpack of a stream, byte-identical to Redis' own, which files and payloads hold as it is.
 *
 *   master   | count | deleted | fields n | field 1 .. field n | 0 |
 *   entry    | flags | ms - master ms | seq - master seq | [fields n] | [field] value ... | elements of this entry |
 *
 * The master id is the node's id in the stream's index. A SAMEFIELDS entry has the master's fields and stores values only. The last element
 * of an entry (and the master's 0) leads a walk from the end to the entry's first one.
 *
 * (1) `count` are the live entries, `deleted` those marked DELETED, which stay where they are until the whole node goes.
 * (2) Positions are offsets from the block's first byte; `at` is an index into the segment's u8 view.
 * (3) An entry is encoded in a scratch first and appended with one allocation: on OutOfMemory the node is as before.
 *
 * Append O(entry); finding an entry walks the node.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import type { Frame } from '../util/argv.ts'
import { copyBytes, equalBytes } from '../util/bytes.ts'
import { lpAppendEncoded, lpBytes, lpReplaceInt, newListpack } from './listpack.ts'
import {
  bigIntegerAt,
  integerAt,
  isIntegerAt,
  LP_END,
  LP_HEADER,
  lpBack,
  lpSkip,
  matchesPrepared,
  prepare,
  prepareInt,
  writeElement,
} from './listpack-element.ts'
import { halfNumber } from './stream-id.ts'
import { NO_BYTES } from '../util/views.ts'

export const DELETED = 1
export const SAME_FIELDS = 2

/** Elements of an entry besides its fields and values: flags, two id halves and the count of elements. */
const ENTRY_ELEMENTS = 4
/** The most bytes an element takes beyond those of its string. */
const ELEMENT_MAX = 11
const TWO_32 = 2 ** 32
const SAFE_HIGH = 2 ** 21

/**
 * Changes whenever a node comes, goes, moves or has its entries shifted: while it is the same, a node's ref names the same node and a
 * position in it the same entry.
 */
export let layout = 0

export function layoutChanged(): void {
  layout++
}

const digits = new Uint8Array(24)
let scratch = new Uint8Array(4096)
let scratchData = new DataView(scratch.buffer)
/** Scratch larger than this is not kept. */
const SCRATCH_MAX = 1 << 20

/** Live entries of the node. */
export function nodeCount(mem: Arena, node: Ref): number {
  return integerAt(mem.u8[segmentOf(node)], byteOf(node) + LP_HEADER)
}

/** Entries of the node that are marked as deleted. */
export function nodeDeleted(mem: Arena, node: Ref): number {
  const u8 = mem.u8[segmentOf(node)]
  return integerAt(u8, lpSkip(u8, byteOf(node) + LP_HEADER))
}

function reserve(bytes: number): void {
  if (scratch.length < bytes) setScratch(bytes)
}

function dropLargeScratch(): void {
  if (scratch.length > SCRATCH_MAX) setScratch(4096)
}

function setScratch(bytes: number): void {
  scratch = new Uint8Array(bytes)
  scratchData = new DataView(scratch.buffer)
}

function putInt(off: number, value: number): number {
  if (value >= 0 && value <= 127) {
    scratch[off] = value
    scratch[off + 1] = 1
    return off + 2
  }
  prepareInt(value)
  return writeElement(scratch, off, NO_BYTES, 0, 0)
}

function putWord(off: number, argv: Frame, i: number): number {
  const from = argv.off(i)
  const len = argv.len(i)
  prepare(argv.bytes, from, len)
  return writeElement(scratch, off, argv.bytes, from, len)
}

/** Writes the 64-bit difference of two id halves. */
function putDelta(off: number, id: Uint32Array, at: number, base: Uint32Array, baseAt: number): number {
  const small = (id[at + 1] - base[baseAt + 1]) | 0
  // In the same 2^32 and not far apart: no double is made.
  if (id[at] === base[baseAt] && small >= 0 && id[at + 1] >= base[baseAt + 1]) return putInt(off, small)
  if (id[at] < SAFE_HIGH && base[baseAt] < SAFE_HIGH) return putInt(off, halfNumber(id, at) - halfNumber(base, baseAt))
  const difference = BigInt.asIntN(64, ((BigInt(id[at]) - BigInt(base[baseAt])) << 32n) + BigInt(id[at + 1]) - BigInt(base[baseAt + 1]))
  const text = difference.toString()
  for (let i = 0; i < text.length; i++) digits[i] = text.charCodeAt(i)
  prepare(digits, 0, text.length)
  return writeElement(scratch, off, digits, 0, text.length)
}

/**
 * A new node whose first entry has the pairs argv[first], argv[first + 1], ...; the entry's id is the master id.
 */
export function newNode(mem: Arena, argv: Frame, first: number, pairs: number): Ref {
  reserve((pairs * 2 + ENTRY_ELEMENTS * 2) * ELEMENT_MAX + 2 * argvBytes(argv, first, pairs))
  let off = putInt(0, 1)
  off = putInt(off, 0)
  off = putInt(off, pairs)
  for (let i = 0; i < pairs; i++) off = putWord(off, argv, first + i * 2)
  off = putInt(off, 0)
  off = putInt(off, SAME_FIELDS)
  off = putInt(off, 0)
  off = putInt(off, 0)
  for (let i = 0; i < pairs; i++) off = putWord(off, argv, first + i * 2 + 1)
  off = putInt(off, pairs + ENTRY_ELEMENTS - 1)
  const empty = newListpack(mem)
  let node: Ref
  try {
    node = lpAppendEncoded(mem, empty, scratch, scratchData, off, pairs * 2 + ENTRY_ELEMENTS * 2)
  } catch (error) {
    mem.free(empty, lpBytes(mem, empty))
    throw error
  }
  dropLargeScratch()
  return node
}

/** Bytes of all fields and values together. */
export function argvBytes(argv: Frame, first: number, pairs: number): number {
  let sum = 0
  for (let i = first; i < first + pairs * 2; i++) sum += argv.len(i)
  return sum
}

/** Whether the pairs have the fields of the node's master entry, in its order. */
function sameFields(u8: Uint8Array, base: number, argv: Frame, first: number, pairs: number): boolean {
  let at = lpSkip(u8, lpSkip(u8, base + LP_HEADER))
  if (integerAt(u8, at) !== pairs) return false
  for (let i = 0; i < pairs; i++) {
    at = lpSkip(u8, at)
    const off = argv.off(first + i * 2)
    const len = argv.len(first + i * 2)
    // As a short string the element is its bytes; only what may be stored in another form is encoded to be compared.
    if (u8[at] === (len | 0x80) && len < 64 && equalBytes(u8, at + 1, argv.bytes, off, len)) continue
    prepare(argv.bytes, off, len)
    if (!matchesPrepared(u8, at, argv.bytes, off, len)) return false
  }
  return true
}

/** Appends an entry; `master` is the node's id. Returns the node's ref, which may have moved. */
export function nodeAppend(
  mem: Arena,
  node: Ref,
  master: Uint32Array,
  masterAt: number,
  id: Uint32Array,
  idAt: number,
  argv: Frame,
  first: number,
  pairs: number,
): Ref {
  const u8 = mem.u8[segmentOf(node)]
  const base = byteOf(node)
  const same = sameFields(u8, base, argv, first, pairs)
  reserve((pairs * 2 + ENTRY_ELEMENTS + 1) * ELEMENT_MAX + argvBytes(argv, first, pairs))
  let off = putInt(0, same ? SAME_FIELDS : 0)
  off = putDelta(off, id, idAt, master, masterAt)
  off = putDelta(off, id, idAt + 2, master, masterAt + 2)
  if (!same) off = putInt(off, pairs)
  for (let i = 0; i < pairs; i++) {
    if (!same) off = putWord(off, argv, first + i * 2)
    off = putWord(off, argv, first + i * 2 + 1)
  }
  const elements = same ? pairs + ENTRY_ELEMENTS : pairs * 2 + ENTRY_ELEMENTS + 1
  off = putInt(off, elements - 1)
  const count = integerAt(u8, base + LP_HEADER) + 1
  let moved: Ref
  if (count <= 127) {
    moved = lpAppendEncoded(mem, node, scratch, scratchData, off, elements)
    mem.u8[segmentOf(moved)][byteOf(moved) + LP_HEADER] = count
  } else moved = appendAndCount(mem, node, off, elements, count)
  if (moved !== node) layoutChanged()
  dropLargeScratch()
  return moved
}

/** Appends the scratch and writes a count of more than one byte: in one new block when the count gets wider. */
function appendAndCount(mem: Arena, node: Ref, bytes: number, elements: number, count: number): Ref {
  const size = prepareInt(count)
  const total = lpBytes(mem, node)
  const u8 = mem.u8[segmentOf(node)]
  const rest = lpSkip(u8, byteOf(node) + LP_HEADER) - byteOf(node)
  if (LP_HEADER + size === rest)
    return lpReplaceInt(mem, lpAppendEncoded(mem, node, scratch, scratchData, bytes, elements), LP_HEADER, count)
  const after = total + LP_HEADER + size - rest + bytes
  const fresh = mem.alloc(after)
  const target = mem.u8[segmentOf(fresh)]
  const start = byteOf(fresh)
  copyBytes(target, start, u8, byteOf(node), LP_HEADER)
  mem.u32[segmentOf(fresh)][wordOf(fresh)] = after
  const length = Math.min(0xffff, (target[start + 4] | (target[start + 5] << 8)) + elements)
  target[start + 4] = length
  target[start + 5] = length >>> 8
  prepareInt(count)
  const at = writeElement(target, start + LP_HEADER, NO_BYTES, 0, 0)
  copyBytes(target, at, u8, byteOf(node) + rest, total - 1 - rest)
  copyBytes(target, start + after - 1 - bytes, scratch, 0, bytes)
  target[start + after - 1] = LP_END
  mem.free(node, total)
  return fresh
}

/**
 * Marks the entry whose flags are at `position` as deleted and counts it so. Returns the node's ref: it moves only when a
 * count changes its width.
 */
export function nodeDelete(mem: Arena, node: Ref, position: number): Ref {
  const u8 = mem.u8[segmentOf(node)]
  const base = byteOf(node)
  u8[base + position] |= DELETED
  const count = integerAt(u8, base + LP_HEADER) - 1
  const deletedAt = lpSkip(u8, base + LP_HEADER)
  const deleted = integerAt(u8, deletedAt) + 1
  if (count < 127 && deleted <= 127) {
    u8[base + LP_HEADER] = count
    u8[deletedAt] = deleted
    return node
  }
  return nodeSetCounts(mem, node, count, deleted)
}

/** Writes both counts of the master entry, whatever their width. */
export function nodeSetCounts(mem: Arena, node: Ref, count: number, deleted: number): Ref {
  const at = lpSkip(mem.u8[segmentOf(node)], byteOf(node) + LP_HEADER) - byteOf(node)
  layoutChanged()
  return lpReplaceInt(mem, lpReplaceInt(mem, node, at, deleted), LP_HEADER, count)
}

/** Adds the element's 64-bit number to a half of a base id. */
export function addDelta(id: Uint32Array, at: number, base: Uint32Array, baseAt: number, u8: Uint8Array, element: number): void {
  const delta = integerAt(u8, element)
  if (delta === delta) {
    const high = Math.floor(delta / TWO_32)
    const low = base[baseAt + 1] + (delta - high * TWO_32)
    id[at + 1] = low
    id[at] = base[baseAt] + high + (low >= TWO_32 ? 1 : 0)
    return
  }
  const sum = (BigInt(base[baseAt]) << 32n) + BigInt(base[baseAt + 1]) + bigIntegerAt(u8, element)
  id[at] = Number(BigInt.asUintN(32, sum >> 32n))
  id[at + 1] = Number(BigInt.asUintN(32, sum))
}

/** Number of fields of the master entry. */
export function masterFields(u8: Uint8Array, base: number): number {
  return integerAt(u8, lpSkip(u8, lpSkip(u8, base + LP_HEADER)))
}

/** Index behind the entry at `at`. */
export function skipEntry(u8: Uint8Array, at: number, fields: number): number {
  const same = (integerAt(u8, at) & SAME_FIELDS) !== 0
  for (let i = 0; i < 3; i++) at = lpSkip(u8, at)
  let left = fields + 1
  if (!same) {
    left = integerAt(u8, at) * 2 + 1
    at = lpSkip(u8, at)
  }
  for (; left > 0; left--) at = lpSkip(u8, at)
  return at
}

/** Index of the master's closing 0 in the node that begins at `base`. */
export function masterEnd(u8: Uint8Array, base: number): number {
  let at = lpSkip(u8, lpSkip(u8, base + LP_HEADER))
  for (let fields = integerAt(u8, at); fields >= 0; fields--) at = lpSkip(u8, at)
  return at
}

/** Index of the flags of the entry whose last element (the element count) is at `last`; -1 when that is the master's 0. */
export function entryStart(u8: Uint8Array, last: number): number {
  let left = integerAt(u8, last)
  if (left === 0) return -1
  let at = last
  for (; left > 0; left--) at = lpBack(u8, at)
  return at
}

/**
 * Whether a listpack that lpValidate has accepted is a node: counts that add up, integers where they belong, and element
 * counts that lead back. Payloads from outside must pass it before anything here reads them.
 */
export function isNode(bytes: Uint8Array, off: number): boolean {
  let at = off + LP_HEADER
  const header: number[] = []
  for (let i = 0; i < 3; i++) {
    if (!isIntegerAt(bytes, at)) return false
    header.push(integerAt(bytes, at))
    at = lpSkip(bytes, at)
  }
  const [count, deleted, fields] = header
  if (!(count >= 0 && deleted >= 0 && fields >= 0)) return false
  at = skipChecked(bytes, at, fields)
  if (at < 0 || !isIntegerAt(bytes, at) || integerAt(bytes, at) !== 0) return false
  at = lpSkip(bytes, at)
  for (let left = count + deleted; left > 0; left--) {
    at = checkedEntry(bytes, at, fields)
    if (at < 0) return false
  }
  return bytes[at] === LP_END
}

/** Index `count` elements on; -1 when the listpack ends before. The element reached exists. */
function skipChecked(bytes: Uint8Array, at: number, count: number): number {
  for (let left = count; left > 0; left--) {
    if (bytes[at] === LP_END) return -1
    at = lpSkip(bytes, at)
  }
  return bytes[at] === LP_END ? -1 : at
}

/** Index behind the entry at `at`; -1 when it is none. */
function checkedEntry(bytes: Uint8Array, at: number, masterFields: number): number {
  for (let i = 0, p = at; i < 3; i++, p = lpSkip(bytes, p)) if (bytes[p] === LP_END || !isIntegerAt(bytes, p)) return -1
  const flags = integerAt(bytes, at)
  if (flags < 0 || flags > (DELETED | SAME_FIELDS)) return -1
  at = skipChecked(bytes, at, 3)
  if (at < 0) return -1
  let elements = masterFields
  if ((flags & SAME_FIELDS) === 0) {
    if (!isIntegerAt(bytes, at)) return -1
    elements = integerAt(bytes, at) * 2
    if (!(elements >= 0)) return -1
    at = lpSkip(bytes, at)
  }
  at = skipChecked(bytes, at, elements)
  if (at < 0 || !isIntegerAt(bytes, at)) return -1
  const wanted = elements + ((flags & SAME_FIELDS) === 0 ? ENTRY_ELEMENTS : ENTRY_ELEMENTS - 1)
  return integerAt(bytes, at) === wanted ? lpSkip(bytes, at) : -1
}
