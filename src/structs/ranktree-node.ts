/**
 * ranktree: the members of a large sorted set in order of (score, key bytes), with their ranks: a B+ tree that counts.
 *
 *   root    | size | height | top | first leaf | last leaf |                                            words
 *   leaf    | count u32 | previous u32 | next u32 | - | 41 scores f64 | 41 entry refs u32 |             512 bytes
 *   inner   | count u32 | - | 50 separator scores f64 | 50 separator entries | 50 children | 50 sizes | 1 KiB
 *
 * (1) Leaves are chained and never empty, except the only leaf of an empty tree.
 * (2) Separator i (i > 0) is the first element below child i, exactly: its score and its entry. Separator 0 means nothing.
 * (3) Size i is the number of elements below child i; `size` of the root is their sum.
 * (4) The score beside an entry in a leaf is the one that orders it. The entry's own slot holds the same number, except
 *     while `rankInsert` and `rankRemove` move it from one score to another.
 * (5) Keys differ, so no two elements are equal; -0 and 0 are the same score; NaN never gets here.
 *
 * Why not a skiplist: its search reads 25 to 30 nodes of a million at random places, this one four nodes, whose scores
 * lie side by side. Measured with a million members of 16 bytes at random scores (Node 20, us of CPU, skiplist with its
 * levels inside the entry | tree): first million inserts 3.7 | 2.1, further ones 6.5 | 3.4, rank 4.7 | 2.6, ten members
 * from a random score 6.8 | 6.6. A range of scores (GEOSEARCH, ZCOUNT) never touches the entries. The tree takes 6 bytes
 * a member more (59 | 65 with the share of the dict; redis-server takes 142).
 *
 * insert, remove, move, rank, seek by rank, score or key O(log n); a step O(1).
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { compareBytes } from '../util/bytes.ts'
import { keyOffset } from './entry.ts'

/** Words of the root. */
export const SIZE = 0
export const HEIGHT = 1
export const TOP = 2
export const FIRST = 3
export const LAST = 4
export const ROOT_BYTES = 20

/** Elements of a leaf; its words, and its scores as an index of doubles. */
export const LEAF_MAX = 41
export const LEAF_BYTES = 512
export const COUNT = 0
export const PREVIOUS = 1
export const NEXT = 2
export const LEAF_SCORES = 2
export const LEAF_ENTRIES = 4 + 2 * LEAF_MAX

/** Children of an inner node; its words, and its separator scores as an index of doubles. */
export const INNER_MAX = 50
export const INNER_BYTES = 1024
export const INNER_SCORES = 1
export const INNER_ENTRIES = 2 + 2 * INNER_MAX
export const INNER_CHILDREN = INNER_ENTRIES + INNER_MAX
export const INNER_SIZES = INNER_CHILDREN + INNER_MAX

/** Levels that the path of a descent can have: 2^32 elements with two children a node. */
const MAX_HEIGHT = 34

/** The nodes of the last descent, and the index taken in each; level 0 is the leaf. */
export const pathNode = new Uint32Array(MAX_HEIGHT)
export const pathIndex = new Uint32Array(MAX_HEIGHT)

/** A place in a tree: an element, or behind the last one of the last leaf. Valid until the tree changes. */
export interface Place {
  leaf: Ref
  index: number
}

/** Orders the key of an entry against bytes. */
export function compareKey(mem: Arena, entry: number, bytes: Uint8Array, off: number, len: number): number {
  const u32 = mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  return compareBytes(mem.u8[entry >>> REF_SEGMENT], (at << 2) + keyOffset(u32[at + 2]), u32[at + 1], bytes, off, len)
}

/** The child of an inner node that (score, key) is in, or would be. */
export function childOf(mem: Arena, node: number, score: number, bytes: Uint8Array, off: number, len: number): number {
  const f64 = mem.f64[node >>> REF_SEGMENT]
  const u32 = mem.u32[node >>> REF_SEGMENT]
  const scores = (node & REF_GRANULE) + INNER_SCORES
  const at = (node & REF_GRANULE) << 1
  let low = 1
  let high = u32[at]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = f64[scores + middle]
    if (other < score || (other === score && compareKey(mem, u32[at + INNER_ENTRIES + middle], bytes, off, len) <= 0)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Index of the first element of a leaf that is not before (score, key). */
export function indexInLeaf(mem: Arena, leaf: number, score: number, bytes: Uint8Array, off: number, len: number): number {
  const f64 = mem.f64[leaf >>> REF_SEGMENT]
  const u32 = mem.u32[leaf >>> REF_SEGMENT]
  const scores = (leaf & REF_GRANULE) + LEAF_SCORES
  const at = (leaf & REF_GRANULE) << 1
  let low = 0
  let high = u32[at]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = f64[scores + middle]
    if (other < score || (other === score && compareKey(mem, u32[at + LEAF_ENTRIES + middle], bytes, off, len) < 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** The child of an inner node that holds the end of the elements below a score (or up to it, with `through`). */
export function childOfScore(mem: Arena, node: number, score: number, through: boolean): number {
  const f64 = mem.f64[node >>> REF_SEGMENT]
  const scores = (node & REF_GRANULE) + INNER_SCORES
  let low = 1
  let high = mem.u32[node >>> REF_SEGMENT][(node & REF_GRANULE) << 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = f64[scores + middle]
    if (other < score || (through && other === score)) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** How many elements of a leaf are below a score (or up to it, with `through`). */
export function indexOfScore(mem: Arena, leaf: number, score: number, through: boolean): number {
  const f64 = mem.f64[leaf >>> REF_SEGMENT]
  const scores = (leaf & REF_GRANULE) + LEAF_SCORES
  let low = 0
  let high = mem.u32[leaf >>> REF_SEGMENT][(leaf & REF_GRANULE) << 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = f64[scores + middle]
    if (other < score || (through && other === score)) low = middle + 1
    else high = middle
  }
  return low
}

/** As childOfScore, by key alone: for sets whose scores are all the same. */
export function childOfKey(mem: Arena, node: number, bytes: Uint8Array, off: number, len: number, through: boolean): number {
  const u32 = mem.u32[node >>> REF_SEGMENT]
  const at = (node & REF_GRANULE) << 1
  return firstNotBefore(mem, u32, at + INNER_ENTRIES, 1, u32[at], bytes, off, len, through) - 1
}

/** As indexOfScore, by key alone. */
export function indexOfKey(mem: Arena, leaf: number, bytes: Uint8Array, off: number, len: number, through: boolean): number {
  const u32 = mem.u32[leaf >>> REF_SEGMENT]
  const at = (leaf & REF_GRANULE) << 1
  return firstNotBefore(mem, u32, at + LEAF_ENTRIES, 0, u32[at], bytes, off, len, through)
}

function firstNotBefore(
  mem: Arena,
  u32: Uint32Array,
  entries: number,
  from: number,
  to: number,
  bytes: Uint8Array,
  off: number,
  len: number,
  through: boolean,
): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compareKey(mem, u32[entries + middle], bytes, off, len)
    if (order < 0 || (through && order === 0)) low = middle + 1
    else high = middle
  }
  return low
}

/** Elements below the children of an inner node before the given one. */
export function sizeBefore(mem: Arena, node: number, child: number): number {
  const u32 = mem.u32[node >>> REF_SEGMENT]
  const sizes = ((node & REF_GRANULE) << 1) + INNER_SIZES
  let sum = 0
  for (let i = 0; i < child; i++) sum += u32[sizes + i]
  return sum
}

/** A child of an inner node. */
export function childAt(mem: Arena, node: number, child: number): Ref {
  return mem.u32[node >>> REF_SEGMENT][((node & REF_GRANULE) << 1) + INNER_CHILDREN + child] as Ref
}

/** Leads the path to where (score, key) is, or would be; returns the index in the leaf. */
export function descend(mem: Arena, tree: Ref, score: number, bytes: Uint8Array, off: number, len: number): number {
  const u32 = mem.u32[tree >>> REF_SEGMENT]
  const root = (tree & REF_GRANULE) << 1
  let node = u32[root + TOP]
  for (let level = u32[root + HEIGHT] - 1; level > 0; level--) {
    const child = childOf(mem, node, score, bytes, off, len)
    pathNode[level] = node
    pathIndex[level] = child
    node = childAt(mem, node, child)
  }
  const index = indexInLeaf(mem, node, score, bytes, off, len)
  pathNode[0] = node
  pathIndex[0] = index
  return index
}

/** Leads the path to the element of this rank, which exists; returns the index in the leaf. */
export function descendToRank(mem: Arena, tree: Ref, rank: number): number {
  const u32 = mem.u32[tree >>> REF_SEGMENT]
  const root = (tree & REF_GRANULE) << 1
  let node = u32[root + TOP]
  let left = rank
  for (let level = u32[root + HEIGHT] - 1; level > 0; level--) {
    const view = mem.u32[node >>> REF_SEGMENT]
    const sizes = ((node & REF_GRANULE) << 1) + INNER_SIZES
    let child = 0
    for (let size = view[sizes]; left >= size; size = view[sizes + child]) {
      left -= size
      child++
    }
    pathNode[level] = node
    pathIndex[level] = child
    node = childAt(mem, node, child)
  }
  pathNode[0] = node
  pathIndex[0] = left
  return left
}

/** Elements below a node of a level. */
export function sizeOf(mem: Arena, node: number, level: number): number {
  const count = mem.u32[node >>> REF_SEGMENT][(node & REF_GRANULE) << 1]
  return level === 0 ? count : sizeBefore(mem, node, count)
}

/** Whether there is no element at the place. */
export function isNowhere(place: Place): boolean {
  return place.leaf === NULL_REF
}
