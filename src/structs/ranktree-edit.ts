/**
 * Changing a ranktree: insert, remove, move; its layout and invariants are in ranktree-node.ts.
 *
 * A full leaf first moves elements to a neighbour under the same parent that has room, which keeps leaves five sixths
 * full. Then a full node splits in halves, except at the right edge of the tree, where the new element begins a node of
 * its own, so that ascending scores fill nodes to the brim. A node that falls below a quarter joins a neighbour under the same
 * parent when both together fill at most three quarters; otherwise it stays small, and goes away when it is empty.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { keyLength, keyStart } from './entry.ts'
import {
  childAt,
  COUNT,
  descend,
  descendToRank,
  FIRST,
  HEIGHT,
  INNER_BYTES,
  INNER_CHILDREN,
  INNER_ENTRIES,
  INNER_MAX,
  INNER_SCORES,
  INNER_SIZES,
  indexInLeaf,
  LAST,
  LEAF_BYTES,
  LEAF_ENTRIES,
  LEAF_MAX,
  LEAF_SCORES,
  NEXT,
  PREVIOUS,
  pathIndex,
  pathNode,
  SIZE,
  sizeOf,
  TOP,
} from './ranktree-node.ts'

/** Nodes taken before a change that will need them, chained by their first word; empty outside rankInsert. */
let spareLeaf = 0
let spareInner = 0

/** Adds the entry at a score. May allocate; on OutOfMemory the tree is as before. */
export function rankInsert(mem: Arena, tree: Ref, score: number, entry: Ref): void {
  const key = keyStart(mem, entry)
  const length = keyLength(mem, entry)
  let index = descend(mem, tree, score, mem.u8[segmentOf(entry)], key, length)
  const root = wordOf(tree)
  const height = mem.u32[segmentOf(tree)][root + HEIGHT]
  if (mem.u32[pathNode[0] >>> REF_SEGMENT][(pathNode[0] & REF_GRANULE) << 1] === LEAF_MAX) {
    if (height > 1 && shareLeaf(mem)) index = descend(mem, tree, score, mem.u8[segmentOf(entry)], key, length)
    else reserve(mem, height)
  }
  let fresh = insertInLeaf(mem, tree, pathNode[0] as Ref, index, score, entry)
  for (let level = 1; level < height; level++) {
    const node = pathNode[level] as Ref
    const child = pathIndex[level]
    const u32 = mem.u32[segmentOf(node)]
    const size = wordOf(node) + INNER_SIZES + child
    if (fresh === NULL_REF) u32[size] = u32[size] + 1
    else {
      u32[size] = sizeOf(mem, pathNode[level - 1], level - 1)
      fresh = insertChild(mem, node, child + 1, fresh, level)
    }
  }
  if (fresh !== NULL_REF) growRoot(mem, tree, fresh, height)
  const u32 = mem.u32[segmentOf(tree)]
  u32[root + SIZE] = u32[root + SIZE] + 1
}

/** Elements that sharing must move at least, to be worth it. */
const SHARE_MIN = 4

/** Moves elements of the path's full leaf to a neighbour under the same parent; false when neither has room for some. */
function shareLeaf(mem: Arena): boolean {
  const parent = pathNode[1] as Ref
  const leaf = pathNode[0] as Ref
  const child = pathIndex[1]
  if (child + 1 < countOf(mem, parent)) {
    const right = childAt(mem, parent, child + 1)
    const moved = (LEAF_MAX - countOf(mem, right)) >> 1
    if (moved >= SHARE_MIN) {
      moveToFront(mem, leaf, moved, right)
      setBoundary(mem, parent, child)
      return true
    }
  }
  if (child === 0) return false
  const left = childAt(mem, parent, child - 1)
  const moved = (LEAF_MAX - countOf(mem, left)) >> 1
  if (moved < SHARE_MIN) return false
  moveElements(mem, leaf, 0, moved, left)
  closeElements(mem, leaf, 0, moved)
  setBoundary(mem, parent, child - 1)
  return true
}

/** Moves the last elements of a leaf to the front of the next one. */
function moveToFront(mem: Arena, leaf: Ref, count: number, right: Ref): void {
  const to = mem.u32[segmentOf(right)]
  const toScores = mem.f64[segmentOf(right)]
  const from = mem.u32[segmentOf(leaf)]
  const fromScores = mem.f64[segmentOf(leaf)]
  const entries = wordOf(right) + LEAF_ENTRIES
  const scores = (wordOf(right) >>> 1) + LEAF_SCORES
  const old = countOf(mem, right)
  to.copyWithin(entries + count, entries, entries + old)
  toScores.copyWithin(scores + count, scores, scores + old)
  const kept = from[wordOf(leaf)] - count
  for (let i = 0; i < count; i++) {
    to[entries + i] = from[wordOf(leaf) + LEAF_ENTRIES + kept + i]
    toScores[scores + i] = fromScores[(wordOf(leaf) >>> 1) + LEAF_SCORES + kept + i]
  }
  to[wordOf(right)] = old + count
  from[wordOf(leaf)] = kept
}

/** After elements moved between two leaves, sets what their parent knows of the boundary between `child` and the next. */
function setBoundary(mem: Arena, parent: Ref, child: number): void {
  const u32 = mem.u32[segmentOf(parent)]
  const at = wordOf(parent)
  const right = childAt(mem, parent, child + 1)
  u32[at + INNER_SIZES + child] = countOf(mem, childAt(mem, parent, child))
  u32[at + INNER_SIZES + child + 1] = countOf(mem, right)
  u32[at + INNER_ENTRIES + child + 1] = mem.u32[segmentOf(right)][wordOf(right) + LEAF_ENTRIES]
  mem.f64[segmentOf(parent)][(at >>> 1) + INNER_SCORES + child + 1] = mem.f64[segmentOf(right)][(wordOf(right) >>> 1) + LEAF_SCORES]
}

/** Takes the nodes that splitting the path's full nodes, from the leaf up, is going to need. */
function reserve(mem: Arena, height: number): void {
  spareLeaf = mem.alloc(LEAF_BYTES)
  let wanted = 0
  let level = 1
  while (level < height && mem.u32[segmentOf(pathNode[level])][wordOf(pathNode[level])] === INNER_MAX) {
    wanted++
    level++
  }
  if (level === height) wanted++
  try {
    for (; wanted > 0; wanted--) {
      const inner = mem.alloc(INNER_BYTES)
      mem.u32[segmentOf(inner)][wordOf(inner)] = spareInner
      spareInner = inner
    }
  } catch (error) {
    mem.free(spareLeaf as Ref, LEAF_BYTES)
    while (spareInner !== 0) mem.free(takeInner(mem), INNER_BYTES)
    throw error
  }
}

function takeInner(mem: Arena): Ref {
  const inner = spareInner as Ref
  spareInner = mem.u32[segmentOf(inner)][wordOf(inner)]
  return inner
}

/** Puts the element into the leaf; returns the leaf split off to its right, or null. */
function insertInLeaf(mem: Arena, tree: Ref, leaf: Ref, index: number, score: number, entry: Ref): Ref {
  const count = mem.u32[segmentOf(leaf)][wordOf(leaf)]
  if (count < LEAF_MAX) {
    putInLeaf(mem, leaf, index, count, score, entry)
    return NULL_REF
  }
  const right = spareLeaf as Ref
  const u32 = mem.u32[segmentOf(leaf)]
  const at = wordOf(leaf)
  let kept = LEAF_MAX >> 1
  if (index === count && u32[at + NEXT] === NULL_REF) kept = count
  else if (index === 0 && u32[at + PREVIOUS] === NULL_REF) kept = 0
  splitLeaf(mem, tree, leaf, right, kept)
  if (index < kept || (index === kept && kept < count)) putInLeaf(mem, leaf, index, kept, score, entry)
  else putInLeaf(mem, right, index - kept, count - kept, score, entry)
  return right
}

function putInLeaf(mem: Arena, leaf: Ref, index: number, count: number, score: number, entry: Ref): void {
  const u32 = mem.u32[segmentOf(leaf)]
  const f64 = mem.f64[segmentOf(leaf)]
  const at = wordOf(leaf)
  const entries = at + LEAF_ENTRIES
  const scores = (at >>> 1) + LEAF_SCORES
  for (let i = count; i > index; i--) {
    u32[entries + i] = u32[entries + i - 1]
    f64[scores + i] = f64[scores + i - 1]
  }
  u32[entries + index] = entry
  f64[scores + index] = score
  u32[at + COUNT] = count + 1
}

/** Moves the elements from `kept` on into `right`, and chains it behind the leaf. */
function splitLeaf(mem: Arena, tree: Ref, leaf: Ref, right: Ref, kept: number): void {
  const from = mem.u32[segmentOf(leaf)]
  const to = mem.u32[segmentOf(right)]
  const at = wordOf(leaf)
  const target = wordOf(right)
  const next = from[at + NEXT]
  to[target + COUNT] = 0
  to[target + PREVIOUS] = leaf
  to[target + NEXT] = next
  from[at + NEXT] = right
  if (next !== NULL_REF) mem.u32[segmentOf(next)][wordOf(next) + PREVIOUS] = right
  else mem.u32[segmentOf(tree)][wordOf(tree) + LAST] = right
  moveElements(mem, leaf, kept, from[at + COUNT] - kept, right)
  from[at + COUNT] = kept
}

/** Appends a run of a leaf's elements to another leaf. */
function moveElements(mem: Arena, leaf: Ref, index: number, count: number, target: Ref): void {
  const from = mem.u32[segmentOf(leaf)]
  const to = mem.u32[segmentOf(target)]
  const fromScores = mem.f64[segmentOf(leaf)]
  const toScores = mem.f64[segmentOf(target)]
  const at = wordOf(leaf)
  const end = wordOf(target)
  const old = to[end + COUNT]
  for (let i = 0; i < count; i++) {
    to[end + LEAF_ENTRIES + old + i] = from[at + LEAF_ENTRIES + index + i]
    toScores[(end >>> 1) + LEAF_SCORES + old + i] = fromScores[(at >>> 1) + LEAF_SCORES + index + i]
  }
  to[end + COUNT] = old + count
}

/** Puts a child (of level - 1) into an inner node; returns the node split off to its right, or null. */
function insertChild(mem: Arena, node: Ref, index: number, child: Ref, level: number): Ref {
  const count = mem.u32[segmentOf(node)][wordOf(node)]
  if (count < INNER_MAX) {
    putChild(mem, node, index, count, child, level)
    return NULL_REF
  }
  const right = takeInner(mem)
  const kept = index === count ? count : count >> 1
  mem.u32[segmentOf(right)][wordOf(right)] = 0
  moveChildren(mem, node, kept, count - kept, right)
  mem.u32[segmentOf(node)][wordOf(node)] = kept
  if (index <= kept && kept < count) putChild(mem, node, index, kept, child, level)
  else putChild(mem, right, index - kept, count - kept, child, level)
  return right
}

function putChild(mem: Arena, node: Ref, index: number, count: number, child: Ref, level: number): void {
  const u32 = mem.u32[segmentOf(node)]
  const f64 = mem.f64[segmentOf(node)]
  const at = wordOf(node)
  const scores = (at >>> 1) + INNER_SCORES
  for (let i = at + count; i > at + index; i--) {
    u32[i + INNER_ENTRIES] = u32[i + INNER_ENTRIES - 1]
    u32[i + INNER_CHILDREN] = u32[i + INNER_CHILDREN - 1]
    u32[i + INNER_SIZES] = u32[i + INNER_SIZES - 1]
    f64[scores + i - at] = f64[scores + i - at - 1]
  }
  const view = mem.u32[segmentOf(child)]
  const first = wordOf(child)
  u32[at + INNER_ENTRIES + index] = view[first + (level === 1 ? LEAF_ENTRIES : INNER_ENTRIES)]
  u32[at + INNER_CHILDREN + index] = child
  u32[at + INNER_SIZES + index] = sizeOf(mem, child, level - 1)
  f64[scores + index] = mem.f64[segmentOf(child)][(first >>> 1) + (level === 1 ? LEAF_SCORES : INNER_SCORES)]
  u32[at + COUNT] = count + 1
}

/** Appends a run of an inner node's children to another inner node. */
function moveChildren(mem: Arena, node: Ref, index: number, count: number, target: Ref): void {
  const from = mem.u32[segmentOf(node)]
  const to = mem.u32[segmentOf(target)]
  const fromScores = mem.f64[segmentOf(node)]
  const toScores = mem.f64[segmentOf(target)]
  const at = wordOf(node) + index
  const old = to[wordOf(target)]
  const end = wordOf(target) + old
  for (let i = 0; i < count; i++) {
    to[end + INNER_ENTRIES + i] = from[at + INNER_ENTRIES + i]
    to[end + INNER_CHILDREN + i] = from[at + INNER_CHILDREN + i]
    to[end + INNER_SIZES + i] = from[at + INNER_SIZES + i]
    toScores[(wordOf(target) >>> 1) + INNER_SCORES + old + i] = fromScores[(wordOf(node) >>> 1) + INNER_SCORES + index + i]
  }
  to[wordOf(target)] = old + count
}

/** Puts a new top above the old one and the node split off from it. */
function growRoot(mem: Arena, tree: Ref, right: Ref, height: number): void {
  const top = takeInner(mem)
  const u32 = mem.u32[segmentOf(tree)]
  const root = wordOf(tree)
  mem.u32[segmentOf(top)][wordOf(top)] = 0
  putChild(mem, top, 0, 0, u32[root + TOP] as Ref, height)
  putChild(mem, top, 1, 1, right, height)
  u32[root + TOP] = top
  u32[root + HEIGHT] = height + 1
}

/** Takes out the entry, which is there at this score. */
export function rankRemove(mem: Arena, tree: Ref, score: number, entry: Ref): void {
  const index = descend(mem, tree, score, mem.u8[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
  removeRun(mem, tree, index, 1)
}

/**
 * Takes out elements from this rank on: at most `count`, at most those of one leaf. Their entries are copied to
 * `removed`; returns how many there were.
 */
export function rankRemoveRun(mem: Arena, tree: Ref, rank: number, count: number, removed: Ref[]): number {
  const index = descendToRank(mem, tree, rank)
  const leaf = pathNode[0]
  const u32 = mem.u32[segmentOf(leaf)]
  const at = wordOf(leaf)
  const run = Math.min(count, u32[at + COUNT] - index)
  removed.length = 0
  for (let i = 0; i < run; i++) removed.push(u32[at + LEAF_ENTRIES + index + i] as Ref)
  removeRun(mem, tree, index, run)
  return run
}

/**
 * Moves the entry from its score to another. Inside its leaf that is all it takes; otherwise it is inserted anew, which
 * may allocate (on OutOfMemory nothing has changed), and then removed from its old place.
 */
export function rankMove(mem: Arena, tree: Ref, score: number, entry: Ref, target: number): void {
  const key = keyStart(mem, entry)
  const length = keyLength(mem, entry)
  const bytes = mem.u8[segmentOf(entry)]
  const from = descend(mem, tree, score, bytes, key, length)
  const leaf = pathNode[0] as Ref
  const count = mem.u32[segmentOf(leaf)][wordOf(leaf)]
  const to = indexInLeaf(mem, leaf, target, bytes, key, length)
  if (to > 0 && to < count) {
    moveInLeaf(mem, leaf, from, to > from ? to - 1 : to, target, entry)
    if (from === 0) fixSeparator(mem, tree)
    return
  }
  rankInsert(mem, tree, target, entry)
  rankRemove(mem, tree, score, entry)
}

function moveInLeaf(mem: Arena, leaf: Ref, from: number, to: number, score: number, entry: Ref): void {
  const entries = wordOf(leaf) + LEAF_ENTRIES
  const scores = (wordOf(leaf) >>> 1) + LEAF_SCORES
  const u32 = mem.u32[segmentOf(leaf)]
  const f64 = mem.f64[segmentOf(leaf)]
  const step = from < to ? 1 : -1
  for (let i = from; i !== to; i += step) {
    u32[entries + i] = u32[entries + i + step]
    f64[scores + i] = f64[scores + i + step]
  }
  u32[entries + to] = entry
  f64[scores + to] = score
}

/** The path's leaf begins with another element: so does the separator that stands for it. */
export function fixSeparator(mem: Arena, tree: Ref): void {
  const leaf = pathNode[0]
  const score = mem.f64[segmentOf(leaf)][(wordOf(leaf) >>> 1) + LEAF_SCORES]
  setSeparator(mem, tree, 1, score, mem.u32[segmentOf(leaf)][wordOf(leaf) + LEAF_ENTRIES])
}

/** Sets the separator of the path's lowest node from `level` on that is not a first child. */
function setSeparator(mem: Arena, tree: Ref, from: number, score: number, entry: number): void {
  const height = mem.u32[segmentOf(tree)][wordOf(tree) + HEIGHT]
  let level = from
  while (level < height && pathIndex[level] === 0) level++
  if (level === height) return
  const node = pathNode[level]
  mem.u32[segmentOf(node)][wordOf(node) + INNER_ENTRIES + pathIndex[level]] = entry
  mem.f64[segmentOf(node)][(wordOf(node) >>> 1) + INNER_SCORES + pathIndex[level]] = score
}

/** Takes `run` elements out of a leaf; returns how many are left. */
function closeElements(mem: Arena, leaf: Ref, index: number, run: number): number {
  const u32 = mem.u32[segmentOf(leaf)]
  const f64 = mem.f64[segmentOf(leaf)]
  const entries = wordOf(leaf) + LEAF_ENTRIES
  const scores = (wordOf(leaf) >>> 1) + LEAF_SCORES
  const count = u32[wordOf(leaf)] - run
  for (let i = index; i < count; i++) {
    u32[entries + i] = u32[entries + i + run]
    f64[scores + i] = f64[scores + i + run]
  }
  u32[wordOf(leaf)] = count
  return count
}

/** Takes `run` elements out of the path's leaf. */
function removeRun(mem: Arena, tree: Ref, index: number, run: number): void {
  const leaf = pathNode[0] as Ref
  const count = closeElements(mem, leaf, index, run)
  const height = subtract(mem, tree, run)
  if (height === 1) return
  if (count === 0) {
    unchain(mem, tree, leaf)
    removeChild(mem, tree, 1, height)
    return
  }
  if (index === 0) fixSeparator(mem, tree)
  if (count < LEAF_MAX >> 2) joinLeaf(mem, tree, count, height)
}

/** Subtracts removed elements from the sizes along the path; returns the height. */
function subtract(mem: Arena, tree: Ref, run: number): number {
  const root = mem.u32[segmentOf(tree)]
  const height = root[wordOf(tree) + HEIGHT]
  root[wordOf(tree) + SIZE] = root[wordOf(tree) + SIZE] - run
  for (let level = 1; level < height; level++) {
    const node = pathNode[level]
    const size = wordOf(node) + INNER_SIZES + pathIndex[level]
    mem.u32[segmentOf(node)][size] = mem.u32[segmentOf(node)][size] - run
  }
  return height
}

/** Takes a leaf out of the chain and frees it. */
function unchain(mem: Arena, tree: Ref, leaf: Ref): void {
  const u32 = mem.u32[segmentOf(leaf)]
  const previous = u32[wordOf(leaf) + PREVIOUS]
  const next = u32[wordOf(leaf) + NEXT]
  const root = mem.u32[segmentOf(tree)]
  if (previous !== NULL_REF) mem.u32[segmentOf(previous)][wordOf(previous) + NEXT] = next
  else root[wordOf(tree) + FIRST] = next
  if (next !== NULL_REF) mem.u32[segmentOf(next)][wordOf(next) + PREVIOUS] = previous
  else root[wordOf(tree) + LAST] = previous
  mem.free(leaf, LEAF_BYTES)
}

/** Joins the path's small leaf with a neighbour under the same parent, if they are small enough together. */
function joinLeaf(mem: Arena, tree: Ref, count: number, height: number): void {
  const parent = pathNode[1] as Ref
  const left = neighbour(mem, parent, pathIndex[1], count, (LEAF_MAX * 3) >> 2)
  if (left < 0) return
  const target = childAt(mem, parent, left)
  const leaf = childAt(mem, parent, left + 1)
  moveElements(mem, leaf, 0, mem.u32[segmentOf(leaf)][wordOf(leaf)], target)
  mem.u32[segmentOf(parent)][wordOf(parent) + INNER_SIZES + left] = mem.u32[segmentOf(target)][wordOf(target)]
  unchain(mem, tree, leaf)
  pathIndex[1] = left + 1
  removeChild(mem, tree, 1, height)
}

/** The left one of two children to join, one of them `child` with `count` items: not more than `limit` together; or -1. */
function neighbour(mem: Arena, parent: Ref, child: number, count: number, limit: number): number {
  const children = mem.u32[segmentOf(parent)][wordOf(parent)]
  if (child > 0 && countOf(mem, childAt(mem, parent, child - 1)) + count <= limit) return child - 1
  if (child + 1 < children && countOf(mem, childAt(mem, parent, child + 1)) + count <= limit) return child
  return -1
}

function countOf(mem: Arena, node: Ref): number {
  return mem.u32[segmentOf(node)][wordOf(node)]
}

/** Takes the path's child, which is gone, out of its inner node; frees the node when it is empty, joins it when it is small. */
function removeChild(mem: Arena, tree: Ref, level: number, height: number): void {
  const node = pathNode[level] as Ref
  const index = pathIndex[level]
  const count = closeGap(mem, node, index) - 1
  if (count === 0) {
    mem.free(node, INNER_BYTES)
    removeChild(mem, tree, level + 1, height)
    return
  }
  if (index === 0) {
    const at = wordOf(node)
    const score = mem.f64[segmentOf(node)][(at >>> 1) + INNER_SCORES]
    setSeparator(mem, tree, level + 1, score, mem.u32[segmentOf(node)][at + INNER_ENTRIES])
  }
  if (level + 1 === height) shrinkRoot(mem, tree)
  else if (count < INNER_MAX >> 2) joinInner(mem, tree, count, level, height)
}

/** Closes the gap at `index` of an inner node; returns the count it had. */
function closeGap(mem: Arena, node: Ref, index: number): number {
  const u32 = mem.u32[segmentOf(node)]
  const f64 = mem.f64[segmentOf(node)]
  const at = wordOf(node)
  const scores = (at >>> 1) + INNER_SCORES
  const count = u32[at]
  for (let i = index; i < count - 1; i++) {
    u32[at + INNER_ENTRIES + i] = u32[at + INNER_ENTRIES + i + 1]
    u32[at + INNER_CHILDREN + i] = u32[at + INNER_CHILDREN + i + 1]
    u32[at + INNER_SIZES + i] = u32[at + INNER_SIZES + i + 1]
    f64[scores + i] = f64[scores + i + 1]
  }
  u32[at] = count - 1
  return count
}

/** Joins the path's small inner node with a neighbour; the parent's separator becomes that of the right one's first child. */
function joinInner(mem: Arena, tree: Ref, count: number, level: number, height: number): void {
  const parent = pathNode[level + 1] as Ref
  const left = neighbour(mem, parent, pathIndex[level + 1], count, (INNER_MAX * 3) >> 2)
  if (left < 0) return
  const target = childAt(mem, parent, left)
  const node = childAt(mem, parent, left + 1)
  const u32 = mem.u32[segmentOf(parent)]
  const at = wordOf(parent)
  mem.u32[segmentOf(node)][wordOf(node) + INNER_ENTRIES] = u32[at + INNER_ENTRIES + left + 1]
  mem.f64[segmentOf(node)][(wordOf(node) >>> 1) + INNER_SCORES] = mem.f64[segmentOf(parent)][(at >>> 1) + INNER_SCORES + left + 1]
  moveChildren(mem, node, 0, countOf(mem, node), target)
  u32[at + INNER_SIZES + left] = u32[at + INNER_SIZES + left] + u32[at + INNER_SIZES + left + 1]
  mem.free(node, INNER_BYTES)
  pathIndex[level + 1] = left + 1
  removeChild(mem, tree, level + 1, height)
}

/** A top with one child gives way to it. */
function shrinkRoot(mem: Arena, tree: Ref): void {
  const u32 = mem.u32[segmentOf(tree)]
  const root = wordOf(tree)
  while (u32[root + HEIGHT] > 1 && countOf(mem, u32[root + TOP] as Ref) === 1) {
    const top = u32[root + TOP] as Ref
    u32[root + TOP] = childAt(mem, top, 0)
    u32[root + HEIGHT] = u32[root + HEIGHT] - 1
    mem.free(top, INNER_BYTES)
  }
}
