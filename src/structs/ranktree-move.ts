/**
 * ranktree-move: giving a tree's nodes and entries other addresses, when segments are evacuated; see ranktree-node.ts for who refers to whom.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { entrySize, keyLength, keyStart, slotValue } from './entry.ts'
import { fixSeparator } from './ranktree-edit.ts'
import {
  COUNT,
  descend,
  descendToRank,
  FIRST,
  HEIGHT,
  INNER_BYTES,
  INNER_CHILDREN,
  LAST,
  LEAF_BYTES,
  LEAF_ENTRIES,
  NEXT,
  pathIndex,
  pathNode,
  PREVIOUS,
  ROOT_BYTES,
  SIZE,
  TOP,
} from './ranktree-node.ts'

/** Moves the root; returns where it is now. */
export function rankMoveRoot(mem: Arena, tree: Ref): Ref {
  return mem.moveOut(tree, ROOT_BYTES)
}

/** Moves the entry of an element, so that its leaf and its separator follow; returns where it is now. Other tables are the caller's. */
export function rankMoveEntry(mem: Arena, tree: Ref, old: Ref): Ref {
  const index = descend(mem, tree, slotValue(mem, old), mem.u8[segmentOf(old)], keyStart(mem, old), keyLength(mem, old))
  const leaf = pathNode[0]
  const at = wordOf(leaf) + LEAF_ENTRIES + index
  if (mem.u32[segmentOf(leaf)][at] !== old) throw new Error(`entry ${old} is not in its place of the tree`)
  const entry = mem.moveOut(old, entrySize(mem, old))
  mem.u32[segmentOf(leaf)][at] = entry
  if (index === 0) fixSeparator(mem, tree)
  return entry
}

/** Moves the nodes on the way to the element of this rank; returns the first rank of the next leaf, 0 at the end. */
export function rankMoveNodes(mem: Arena, tree: Ref, rank: number): number {
  const root = mem.u32[segmentOf(tree)]
  const at = wordOf(tree)
  if (rank >= root[at + SIZE]) return 0
  const index = descendToRank(mem, tree, rank)
  for (let level = root[at + HEIGHT] - 1; level >= 0; level--) moveNode(mem, tree, level)
  const next = rank - index + mem.u32[segmentOf(pathNode[0])][wordOf(pathNode[0]) + COUNT]
  return next < root[at + SIZE] ? next : 0
}

/** Moves the path's node at this level; those above have been moved. */
function moveNode(mem: Arena, tree: Ref, level: number): void {
  const old = pathNode[level] as Ref
  const node = mem.moveOut(old, level === 0 ? LEAF_BYTES : INNER_BYTES)
  if (node === old) return
  pathNode[level] = node
  const root = mem.u32[segmentOf(tree)]
  const at = wordOf(tree)
  if (level === root[at + HEIGHT] - 1) root[at + TOP] = node
  else {
    const parent = pathNode[level + 1]
    mem.u32[segmentOf(parent)][wordOf(parent) + INNER_CHILDREN + pathIndex[level + 1]] = node
  }
  if (level === 0) relinkLeaf(mem, root, at, node)
}

function relinkLeaf(mem: Arena, root: Uint32Array, at: number, leaf: Ref): void {
  const view = mem.u32[segmentOf(leaf)]
  const previous = view[wordOf(leaf) + PREVIOUS]
  const next = view[wordOf(leaf) + NEXT]
  if (previous === NULL_REF) root[at + FIRST] = leaf
  else mem.u32[segmentOf(previous)][wordOf(previous) + NEXT] = leaf
  if (next === NULL_REF) root[at + LAST] = leaf
  else mem.u32[segmentOf(next)][wordOf(next) + PREVIOUS] = leaf
}
