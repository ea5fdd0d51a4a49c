/** Making, reading and freeing a ranktree; its layout, its invariants and the reasons are in ranktree-node.ts. */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import {
  childAt,
  childOf,
  childOfKey,
  childOfScore,
  descendToRank,
  FIRST,
  HEIGHT,
  INNER_BYTES,
  indexInLeaf,
  indexOfKey,
  indexOfScore,
  LAST,
  LEAF_BYTES,
  LEAF_ENTRIES,
  LEAF_SCORES,
  NEXT,
  type Place,
  PREVIOUS,
  pathNode,
  ROOT_BYTES,
  SIZE,
  sizeBefore,
  TOP,
} from './ranktree-node.ts'

export type { Place } from './ranktree-node.ts'

export function newRankTree(mem: Arena): Ref {
  const tree = mem.allocZeroed(ROOT_BYTES)
  let leaf: Ref
  try {
    leaf = mem.allocZeroed(LEAF_BYTES)
  } catch (error) {
    mem.free(tree, ROOT_BYTES)
    throw error
  }
  const u32 = mem.u32[segmentOf(tree)]
  const root = wordOf(tree)
  u32[root + HEIGHT] = 1
  u32[root + TOP] = leaf
  u32[root + FIRST] = leaf
  u32[root + LAST] = leaf
  return tree
}

/** Elements of the tree. */
export function rankSize(mem: Arena, tree: Ref): number {
  return mem.u32[tree >>> REF_SEGMENT][((tree & REF_GRANULE) << 1) + SIZE]
}

/** Levels of the tree, the leaves included. */
export function rankHeight(mem: Arena, tree: Ref): number {
  return mem.u32[tree >>> REF_SEGMENT][((tree & REF_GRANULE) << 1) + HEIGHT]
}

/** Frees the nodes and the root. The entries are the caller's. */
export function freeRankTree(mem: Arena, tree: Ref): void {
  eachBlock(mem, tree, (ref, bytes) => mem.free(ref, bytes))
}

/** Reports the nodes and the root (not the entries). */
export function auditRankTree(mem: Arena, tree: Ref, report: Report): void {
  eachBlock(mem, tree, report)
}

function eachBlock(mem: Arena, tree: Ref, block: Report): void {
  const u32 = mem.u32[segmentOf(tree)]
  const root = wordOf(tree)
  eachNode(mem, u32[root + TOP] as Ref, u32[root + HEIGHT] - 1, block)
  block(tree, ROOT_BYTES)
}

function eachNode(mem: Arena, node: Ref, level: number, block: Report): void {
  if (level === 0) return block(node, LEAF_BYTES)
  const count = mem.u32[segmentOf(node)][wordOf(node)]
  for (let i = 0; i < count; i++) eachNode(mem, childAt(mem, node, i), level - 1, block)
  block(node, INNER_BYTES)
}

/** Bytes of the nodes and the root: a step for each inner node. */
export function rankTreeBytes(mem: Arena, tree: Ref): number {
  const u32 = mem.u32[segmentOf(tree)]
  const root = wordOf(tree)
  return usableBytes(ROOT_BYTES) + bytesBelow(mem, u32[root + TOP] as Ref, u32[root + HEIGHT] - 1)
}

function bytesBelow(mem: Arena, node: Ref, level: number): number {
  if (level === 0) return LEAF_BYTES
  const count = mem.u32[segmentOf(node)][wordOf(node)]
  if (level === 1) return INNER_BYTES + count * LEAF_BYTES
  let bytes = INNER_BYTES
  for (let i = 0; i < count; i++) bytes += bytesBelow(mem, childAt(mem, node, i), level - 1)
  return bytes
}

/** How many elements are before (score, key): the rank of that element when it is there. */
export function rankOf(mem: Arena, tree: Ref, score: number, bytes: Uint8Array, off: number, len: number): number {
  const u32 = mem.u32[tree >>> REF_SEGMENT]
  const root = (tree & REF_GRANULE) << 1
  let node = u32[root + TOP]
  let rank = 0
  for (let level = u32[root + HEIGHT] - 1; level > 0; level--) {
    const child = childOf(mem, node, score, bytes, off, len)
    rank += sizeBefore(mem, node, child)
    node = childAt(mem, node, child)
  }
  return rank + indexInLeaf(mem, node, score, bytes, off, len)
}

/** How many elements have a score below `score` (or up to it, with `through`); `place` is set behind them. */
export function rankOfScore(mem: Arena, tree: Ref, score: number, through: boolean, place: Place): number {
  const u32 = mem.u32[tree >>> REF_SEGMENT]
  const root = (tree & REF_GRANULE) << 1
  let node = u32[root + TOP]
  let rank = 0
  for (let level = u32[root + HEIGHT] - 1; level > 0; level--) {
    const child = childOfScore(mem, node, score, through)
    rank += sizeBefore(mem, node, child)
    node = childAt(mem, node, child)
  }
  const index = indexOfScore(mem, node, score, through)
  setPlace(mem, place, node, index)
  return rank + index
}

/** How many elements have a key below the bytes (or up to them, with `through`), when all scores are the same. */
export function rankOfKey(mem: Arena, tree: Ref, bytes: Uint8Array, off: number, len: number, through: boolean): number {
  const u32 = mem.u32[tree >>> REF_SEGMENT]
  const root = (tree & REF_GRANULE) << 1
  let node = u32[root + TOP]
  let rank = 0
  for (let level = u32[root + HEIGHT] - 1; level > 0; level--) {
    const child = childOfKey(mem, node, bytes, off, len, through)
    rank += sizeBefore(mem, node, child)
    node = childAt(mem, node, child)
  }
  return rank + indexOfKey(mem, node, bytes, off, len, through)
}

/** Sets the place to an index of a leaf; behind its last element that is the first one of the next leaf, if any. */
function setPlace(mem: Arena, place: Place, leaf: number, index: number): void {
  const u32 = mem.u32[leaf >>> REF_SEGMENT]
  const at = (leaf & REF_GRANULE) << 1
  if (index < u32[at]) {
    place.leaf = leaf as Ref
    place.index = index
  } else {
    place.leaf = u32[at + NEXT] as Ref
    place.index = 0
  }
}

/** Sets the place to the element of this rank; nowhere when there is none. */
export function seekRank(mem: Arena, tree: Ref, rank: number, place: Place): void {
  if (rank < 0 || rank >= rankSize(mem, tree)) {
    place.leaf = NULL_REF
    return
  }
  place.index = descendToRank(mem, tree, rank)
  place.leaf = pathNode[0] as Ref
}

/** Sets the place to the first element. */
export function seekFirst(mem: Arena, tree: Ref, place: Place): void {
  seekRank(mem, tree, 0, place)
}

/** Moves to the next element; nowhere after the last one. */
export function stepForward(mem: Arena, place: Place): void {
  const u32 = mem.u32[place.leaf >>> REF_SEGMENT]
  const at = (place.leaf & REF_GRANULE) << 1
  if (place.index + 1 < u32[at]) {
    place.index++
    return
  }
  place.leaf = u32[at + NEXT] as Ref
  place.index = 0
}

/** Moves to the element before; nowhere before the first one. */
export function stepBack(mem: Arena, place: Place): void {
  if (place.index > 0) {
    place.index--
    return
  }
  const before = mem.u32[place.leaf >>> REF_SEGMENT][((place.leaf & REF_GRANULE) << 1) + PREVIOUS]
  place.leaf = before as Ref
  place.index = before === NULL_REF ? 0 : mem.u32[before >>> REF_SEGMENT][(before & REF_GRANULE) << 1] - 1
}

/** The score at a place that holds an element. */
export function scoreAt(mem: Arena, place: Place): number {
  return mem.f64[place.leaf >>> REF_SEGMENT][(place.leaf & REF_GRANULE) + LEAF_SCORES + place.index]
}

/** The entry at a place that holds an element. */
export function entryAt(mem: Arena, place: Place): Ref {
  return mem.u32[place.leaf >>> REF_SEGMENT][((place.leaf & REF_GRANULE) << 1) + LEAF_ENTRIES + place.index] as Ref
}
