/**
 * quicklist index: the order of a quicklist's nodes and where an element's index falls, in two levels of arrays.
 *
 *   root        | elements | nodes | fill i16, depth 15, front 1 | leaves | directory ref | directory capacity | first directory | first leaf |
 *   directory   | leaf ref, elements in it | ...
 *   leaf        | used | capacity | node ref, kind 8 - elements 24, bytes | ...          up to LEAF_NODES nodes
 *
 * A directory for one leaf and the first leaf, of FIRST_NODES nodes, lie inside the root, 24 and 32 bytes from its beginning, so that a
 * list that is not long has them in one place: each block more is another page for the processor to look up. They move out as they grow.
 * The bytes are those of a PACKED node, so that a push or pop finds its place without reading the node's header, which is in no cache.
 *
 * (1) The root moves only when its segment is evacuated (quicklist-move.ts), since the key's entry refers to it.
 * (2) No leaf is empty, except the only one of an empty list.
 * (3) The sums are exact: root = sum of the directory, directory = sum of the leaf. (4) On OutOfMemory nothing has changed.
 * (5) The bytes of a PACKED node are its listpack's, those of a FRONT what its listpack's would be; those of others mean nothing.
 *
 * Finding an element takes (leaves + LEAF_NODES) steps over two dense arrays: 100 for a million elements of 17 bytes, where a linked list
 * of nodes touches 1,250 blocks. Adding or removing a node moves at most 512 bytes of its leaf, and now and then the directory.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { byteOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { copyBytes } from '../util/bytes.ts'
import { lpBytes } from './listpack.ts'
import { FRONT, PACKED } from './quicklist-node.ts'
import { keepsViews, NO_WORDS } from '../util/views.ts'

const COUNT = 0
const NODES = 1
const OPTIONS = 2
export const LEAVES = 3
export const DIRECTORY = 4
export const CAPACITY = 5

const DEPTH_MAX = 0x7fff
const HAS_FRONT = 0x80000000

export const LEAF_NODES = 64
/** Nodes of the leaf inside the root: with them it fills two lines of the processor's caches. */
const FIRST_NODES = 7
/** Words of the root before the first directory, and before the first leaf; a granule has two. */
export const FIRST_DIRECTORY = 6
export const FIRST_LEAF = 8

const LEAF_CAPACITY_MIN = 2
/** Words of a leaf before its records, and of a record. */
const LEAF_HEADER = 2
const RECORD = 3
export const ROOT_BYTES = FIRST_LEAF * 4 + leafBytes(FIRST_NODES)
const KIND_SHIFT = 24
const COUNT_MASK = 0xffffff

export function leafBytes(capacity: number): number {
  return 4 * (LEAF_HEADER + RECORD * capacity)
}

/** An empty index. `depth` nodes at each end stay uncompressed; 0 compresses none. */
export function newIndex(mem: Arena, fill: number, depth: number): Ref {
  const root = mem.alloc(ROOT_BYTES)
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  u32[at + COUNT] = 0
  u32[at + NODES] = 0
  u32[at + OPTIONS] = (fill & 0xffff) | (Math.min(depth, DEPTH_MAX) << 16)
  u32[at + LEAVES] = 1
  u32[at + DIRECTORY] = inside(root, FIRST_DIRECTORY)
  u32[at + CAPACITY] = 1
  u32[at + FIRST_DIRECTORY] = inside(root, FIRST_LEAF)
  u32[at + FIRST_DIRECTORY + 1] = 0
  u32[at + FIRST_LEAF] = 0
  u32[at + FIRST_LEAF + 1] = FIRST_NODES
  return root
}

/** The ref of what begins at this even word of the root. */
export function inside(root: Ref, word: number): Ref {
  return (root + (word >>> 1)) as Ref
}

function newLeaf(mem: Arena, capacity: number): Ref {
  const leaf = mem.alloc(leafBytes(capacity))
  mem.u32[segmentOf(leaf)][wordOf(leaf)] = 0
  mem.u32[segmentOf(leaf)][wordOf(leaf) + 1] = capacity
  return leaf
}

/** Frees the root, the directory and the leaves, not the nodes. */
export function freeIndex(mem: Arena, root: Ref): void {
  auditIndex(mem, root, (ref, bytes) => mem.free(ref, bytes))
}

/** Calls `report` with the blocks of the index, the root last. */
export function auditIndex(mem: Arena, root: Ref, report: Report): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  const directory = u32[at + DIRECTORY] as Ref
  const entries = mem.u32[segmentOf(directory)]
  for (let leaf = 0; leaf < u32[at + LEAVES]; leaf++) {
    const ref = entries[wordOf(directory) + 2 * leaf] as Ref
    if (ref !== inside(root, FIRST_LEAF)) report(ref, leafBytes(mem.u32[segmentOf(ref)][wordOf(ref) + 1]))
  }
  if (u32[at + CAPACITY] > 1) report(directory, 8 * u32[at + CAPACITY])
  report(root, ROOT_BYTES)
}

/** About how many bytes the blocks of the index take; leaves of a long list are taken for whole ones. */
export function indexBytes(mem: Arena, root: Ref): number {
  const leaves = leafCount(mem, root)
  const directory = mem.u32[segmentOf(root)][wordOf(root) + CAPACITY] > 1 ? 16 * leaves : 0
  return usableBytes(ROOT_BYTES) + directory + (leaves > 1 || nodeCount(mem, root) > FIRST_NODES ? leaves * leafBytes(LEAF_NODES) : 0)
}

export function elementCount(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + COUNT]
}

export function nodeCount(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + NODES]
}

/** The list-max-listpack-size the list was born with. */
export function fillOf(mem: Arena, root: Ref): number {
  return (mem.u32[segmentOf(root)][wordOf(root) + OPTIONS] << 16) >> 16
}

/** The list-compress-depth the list was born with. */
export function depthOf(mem: Arena, root: Ref): number {
  return (mem.u32[segmentOf(root)][wordOf(root) + OPTIONS] >>> 16) & DEPTH_MAX
}

/** Whether the first node is the front of the second: see quicklist-front.ts. */
export function hasFront(mem: Arena, root: Ref): boolean {
  return mem.u32[segmentOf(root)][wordOf(root) + OPTIONS] >= HAS_FRONT
}

export function setFront(mem: Arena, root: Ref, on: boolean): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root) + OPTIONS
  u32[at] = on ? u32[at] | HAS_FRONT : u32[at] & ~HAS_FRONT
}

/** What comes or goes as the first or the second node ends what was a front. */
function frontChanged(mem: Arena, root: Ref, leaf: number, slot: number): void {
  if (!hasFront(mem, root)) return
  if (leaf === 0 ? slot <= 1 : leaf === 1 && slot === 0 && leafUsed(mem, root, 0) === 1) setFront(mem, root, false)
}

export function leafCount(mem: Arena, root: Ref): number {
  return mem.u32[segmentOf(root)][wordOf(root) + LEAVES]
}

/** The leaf with this number. */
function leafAt(mem: Arena, root: Ref, leaf: number): Ref {
  const directory = mem.u32[segmentOf(root)][wordOf(root) + DIRECTORY] as Ref
  return mem.u32[segmentOf(directory)][wordOf(directory) + 2 * leaf] as Ref
}

/** Nodes in the leaf. */
export function leafUsed(mem: Arena, root: Ref, leaf: number): number {
  const ref = leafAt(mem, root, leaf)
  return mem.u32[segmentOf(ref)][wordOf(ref)]
}

/** Points `recordView` and `recordAt` at a node's record. */
let recordView = NO_WORDS
let recordAt = 0

function locate(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const ref = leafAt(mem, root, leaf)
  recordView = mem.u32[segmentOf(ref)]
  recordAt = wordOf(ref) + LEAF_HEADER + RECORD * slot
}

export function nodeAt(mem: Arena, root: Ref, leaf: number, slot: number): Ref {
  locate(mem, root, leaf, slot)
  return recordView[recordAt] as Ref
}

export function kindAt(mem: Arena, root: Ref, leaf: number, slot: number): number {
  locate(mem, root, leaf, slot)
  return recordView[recordAt + 1] >>> KIND_SHIFT
}

/** The kind of the node that `nodeAt` has just read. */
export function locatedKind(): number {
  return recordView[recordAt + 1] >>> KIND_SHIFT
}

export function countAt(mem: Arena, root: Ref, leaf: number, slot: number): number {
  locate(mem, root, leaf, slot)
  return recordView[recordAt + 1] & COUNT_MASK
}

/** Bytes of the node's listpack when it is PACKED or a FRONT. */
export function bytesAt(mem: Arena, root: Ref, leaf: number, slot: number): number {
  locate(mem, root, leaf, slot)
  return recordView[recordAt + 2]
}

/** The same of the node that `nodeAt` has just read. */
export function locatedBytes(): number {
  return recordView[recordAt + 2]
}

/** Puts a FRONT in a node's place, of so many bytes as a listpack and with `added` elements more (or fewer) than were in it before. */
export function setFrontNode(mem: Arena, root: Ref, leaf: number, slot: number, front: Ref, bytes: number, added: number): void {
  setNode(mem, root, leaf, slot, front, FRONT, added)
  recordView[recordAt + 2] = bytes
}

/** Puts another block in a node's place, with `added` elements more (or fewer) than before. */
export function setNode(mem: Arena, root: Ref, leaf: number, slot: number, node: Ref, kind: number, added: number): void {
  locate(mem, root, leaf, slot)
  recordView[recordAt] = node
  recordView[recordAt + 1] = (kind << KIND_SHIFT) | ((recordView[recordAt + 1] & COUNT_MASK) + added)
  if (kind === PACKED) recordView[recordAt + 2] = lpBytes(mem, node)
  if (added !== 0) addToSums(mem, root, leaf, added)
}

function addToSums(mem: Arena, root: Ref, leaf: number, added: number): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  u32[at + COUNT] = u32[at + COUNT] + added
  const directory = u32[at + DIRECTORY] as Ref
  const entry = wordOf(directory) + 2 * leaf + 1
  const entries = mem.u32[segmentOf(directory)]
  entries[entry] = entries[entry] + added
}

/** The record and the directory's sum of the node that `openEnd` found; nothing but the index itself moves them. */
let endView = NO_WORDS
let endAt = 0
/** Its slot in the first or the last leaf. */
export let endSlot = 0
let sumView = NO_WORDS
let sumAt = 0
keepsViews({ letGo: () => void (recordView = endView = sumView = NO_WORDS) })

/** Finds the first or the last node, for pushes and pops: all they need to know in one way down. False when the list is empty. */
export function openEnd(mem: Arena, root: Ref, head: boolean): boolean {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  const directory = u32[at + DIRECTORY] as Ref
  sumView = mem.u32[segmentOf(directory)]
  sumAt = wordOf(directory) + (head ? 1 : 2 * u32[at + LEAVES] - 1)
  const leaf = sumView[sumAt - 1] as Ref
  endView = mem.u32[segmentOf(leaf)]
  const first = wordOf(leaf)
  const used = endView[first]
  endSlot = head ? 0 : used - 1
  endAt = first + LEAF_HEADER + RECORD * endSlot
  return used !== 0
}

export function endNode(): Ref {
  return endView[endAt] as Ref
}

export function endKind(): number {
  return endView[endAt + 1] >>> KIND_SHIFT
}

export function endCount(): number {
  return endView[endAt + 1] & COUNT_MASK
}

/** Bytes of its listpack when it is PACKED or a FRONT. */
export function endBytes(): number {
  return endView[endAt + 2]
}

/** Bytes of the listpack behind the first node, when `openEnd` found that. */
export function secondBytes(mem: Arena, root: Ref): number {
  return endView[endAt - LEAF_HEADER] > 1 ? endView[endAt + RECORD + 2] : bytesAt(mem, root, 1, 0)
}

/** Its elements. */
export function secondCount(mem: Arena, root: Ref): number {
  return endView[endAt - LEAF_HEADER] > 1 ? endView[endAt + RECORD + 1] & COUNT_MASK : countAt(mem, root, 1, 0)
}

/** Puts another listpack, of `bytes`, in the place of the one that `openEnd` found, with `added` elements more. */
export function setEnd(mem: Arena, root: Ref, node: Ref, bytes: number, added: number): void {
  endView[endAt] = node
  endView[endAt + 2] = bytes
  endView[endAt + 1] = endView[endAt + 1] + added
  sumView[sumAt] = sumView[sumAt] + added
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  u32[at + COUNT] = u32[at + COUNT] + added
}

/** Where `seekNode` and `insertNode` came to: the node, and the element's index inside it. */
export const found = { leaf: 0, slot: 0, index: 0 }

/** Sets `found` to the node of the element with this index, which must exist. Walks from the nearer end. */
export function seekNode(mem: Arena, root: Ref, index: number): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  const directory = u32[at + DIRECTORY] as Ref
  const entries = mem.u32[segmentOf(directory)]
  const base = wordOf(directory) + 1
  const total = u32[at + COUNT]
  let leaf = 0
  let rest = index
  if (index < total >>> 1) {
    while (rest >= entries[base + 2 * leaf]) rest -= entries[base + 2 * leaf++]
  } else {
    leaf = u32[at + LEAVES] - 1
    let before = total - entries[base + 2 * leaf]
    while (before > index) before -= entries[base + 2 * --leaf]
    rest = index - before
  }
  const ref = entries[base + 2 * leaf - 1] as Ref
  const records = mem.u32[segmentOf(ref)]
  let record = wordOf(ref) + LEAF_HEADER
  for (let count = records[record + 1] & COUNT_MASK; rest >= count; count = records[record + 1] & COUNT_MASK) {
    rest -= count
    record += RECORD
  }
  found.leaf = leaf
  found.slot = (record - wordOf(ref) - LEAF_HEADER) / RECORD
  found.index = rest
}

/** Sets `found` to the node with this number, counted over the whole list. */
export function seekOrdinal(mem: Arena, root: Ref, ordinal: number): void {
  let rest = ordinal
  let leaf = 0
  if (ordinal < nodeCount(mem, root) >>> 1) {
    for (let used = leafUsed(mem, root, 0); rest >= used; used = leafUsed(mem, root, leaf)) {
      rest -= used
      leaf++
    }
  } else {
    leaf = leafCount(mem, root) - 1
    let before = nodeCount(mem, root) - leafUsed(mem, root, leaf)
    while (before > ordinal) before -= leafUsed(mem, root, --leaf)
    rest = ordinal - before
  }
  found.leaf = leaf
  found.slot = rest
  found.index = 0
}

/**
 * Inserts a node of `count` elements before (leaf, slot); slot may be the leaf's number of nodes. Sets `found` to it: a full leaf splits,
 * so that places after it change.
 */
export function insertNode(mem: Arena, root: Ref, leaf: number, slot: number, node: Ref, kind: number, count: number): void {
  found.leaf = leaf
  found.slot = slot
  found.index = 0
  makeRoom(mem, root)
  const ref = leafAt(mem, root, found.leaf)
  const u32 = mem.u32[segmentOf(ref)]
  const at = wordOf(ref)
  const used = u32[at]
  const record = at + LEAF_HEADER + RECORD * found.slot
  u32.copyWithin(record + RECORD, record, at + LEAF_HEADER + RECORD * used)
  u32[record] = node
  u32[record + 1] = (kind << KIND_SHIFT) | count
  u32[record + 2] = kind === PACKED ? lpBytes(mem, node) : 0
  u32[at] = used + 1
  addToSums(mem, root, found.leaf, count)
  mem.u32[segmentOf(root)][wordOf(root) + NODES] = nodeCount(mem, root) + 1
  frontChanged(mem, root, found.leaf, found.slot)
}

/** Makes the leaf at `found` able to take one more node, moving `found` when it splits. */
function makeRoom(mem: Arena, root: Ref): void {
  const leaf = leafAt(mem, root, found.leaf)
  const u32 = mem.u32[segmentOf(leaf)]
  const used = u32[wordOf(leaf)]
  const capacity = u32[wordOf(leaf) + 1]
  if (used < capacity) return
  if (capacity < LEAF_NODES) return growLeaf(mem, root, found.leaf, capacity)
  if (found.slot === used && found.leaf === leafCount(mem, root) - 1) {
    insertLeaf(mem, root, found.leaf + 1, newLeaf(mem, LEAF_CAPACITY_MIN), 0)
    found.leaf++
    found.slot = 0
  } else if (found.slot === 0 && found.leaf === 0) {
    insertLeaf(mem, root, 0, newLeaf(mem, LEAF_CAPACITY_MIN), 0)
  } else splitLeaf(mem, root)
}

function growLeaf(mem: Arena, root: Ref, leaf: number, capacity: number): void {
  const old = leafAt(mem, root, leaf)
  const larger = Math.min(2 * capacity, LEAF_NODES)
  const bytes = leafBytes(larger)
  const ref =
    old === inside(root, FIRST_LEAF) ? copyOut(mem, old, leafBytes(capacity), bytes) : mem.realloc(old, leafBytes(capacity), bytes)
  mem.u32[segmentOf(ref)][wordOf(ref) + 1] = larger
  const directory = mem.u32[segmentOf(root)][wordOf(root) + DIRECTORY] as Ref
  mem.u32[segmentOf(directory)][wordOf(directory) + 2 * leaf] = ref
}

/** A block of `bytes` that begins with the `length` bytes inside a root. */
function copyOut(mem: Arena, from: Ref, length: number, bytes: number): Ref {
  const ref = mem.alloc(bytes)
  copyBytes(mem.u8[segmentOf(ref)], byteOf(ref), mem.u8[segmentOf(from)], byteOf(from), length)
  return ref
}

/** Moves the upper half of the full leaf at `found` into a new one behind it. */
function splitLeaf(mem: Arena, root: Ref): void {
  const half = LEAF_NODES / 2
  const right = newLeaf(mem, LEAF_NODES)
  const left = leafAt(mem, root, found.leaf)
  const from = mem.u32[segmentOf(left)]
  const to = mem.u32[segmentOf(right)]
  let moved = 0
  for (let i = 0; i < half; i++) {
    const source = wordOf(left) + LEAF_HEADER + RECORD * (half + i)
    const target = wordOf(right) + LEAF_HEADER + RECORD * i
    for (let word = 0; word < RECORD; word++) to[target + word] = from[source + word]
    moved += from[source + 1] & COUNT_MASK
  }
  to[wordOf(right)] = half
  insertLeaf(mem, root, found.leaf + 1, right, moved)
  from[wordOf(left)] = half
  const directory = mem.u32[segmentOf(root)][wordOf(root) + DIRECTORY] as Ref
  const entry = wordOf(directory) + 2 * found.leaf + 1
  mem.u32[segmentOf(directory)][entry] = mem.u32[segmentOf(directory)][entry] - moved
  if (found.slot < half) return
  found.leaf++
  found.slot -= half
}

/** Puts a leaf into the directory; frees the leaf when there is no memory. */
function insertLeaf(mem: Arena, root: Ref, index: number, leaf: Ref, count: number): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  const leaves = u32[at + LEAVES]
  if (leaves === u32[at + CAPACITY]) {
    try {
      const directory = u32[at + DIRECTORY] as Ref
      u32[at + DIRECTORY] = leaves === 1 ? copyOut(mem, directory, 8, 16) : mem.realloc(directory, 8 * leaves, 16 * leaves)
    } catch (error) {
      mem.free(leaf, leafBytes(mem.u32[segmentOf(leaf)][wordOf(leaf) + 1]))
      throw error
    }
    u32[at + CAPACITY] = 2 * leaves
  }
  const directory = u32[at + DIRECTORY] as Ref
  const entries = mem.u32[segmentOf(directory)]
  const entry = wordOf(directory) + 2 * index
  entries.copyWithin(entry + 2, entry, wordOf(directory) + 2 * leaves)
  entries[entry] = leaf
  entries[entry + 1] = count
  u32[at + LEAVES] = leaves + 1
}

/** Takes a node out of the index; the block is the caller's. Frees the leaf when it was its last and not the list's only one. */
export function removeNode(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const ref = leafAt(mem, root, leaf)
  const u32 = mem.u32[segmentOf(ref)]
  const at = wordOf(ref)
  const used = u32[at]
  const record = at + LEAF_HEADER + RECORD * slot
  frontChanged(mem, root, leaf, slot)
  addToSums(mem, root, leaf, -(u32[record + 1] & COUNT_MASK))
  u32.copyWithin(record, record + RECORD, at + LEAF_HEADER + RECORD * used)
  u32[at] = used - 1
  const words = mem.u32[segmentOf(root)]
  const base = wordOf(root)
  words[base + NODES] = words[base + NODES] - 1
  if (used > 1 || words[base + LEAVES] === 1) return
  const directory = words[base + DIRECTORY] as Ref
  const entry = wordOf(directory) + 2 * leaf
  mem.u32[segmentOf(directory)].copyWithin(entry, entry + 2, wordOf(directory) + 2 * words[base + LEAVES])
  words[base + LEAVES] = words[base + LEAVES] - 1
  if (ref !== inside(root, FIRST_LEAF)) mem.free(ref, leafBytes(u32[at + 1]))
}

/** An index with one listpack as its only node, which it takes over; frees nothing when it fails. */
export function indexOf(mem: Arena, lp: Ref, count: number, fill: number, depth: number): Ref {
  const root = newIndex(mem, fill, depth)
  insertNode(mem, root, 0, 0, lp, PACKED, count)
  return root
}
