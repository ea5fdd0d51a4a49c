/**
 * stream-index: an ordered map from 128-bit ids to a few words, a B+tree in the arena. It finds a stream's listpack nodes
 * (one value word: the listpack) and holds pending entries (none for a consumer's list, five for a group's).
 *
 *   root (one block, words)  size | top node | first leaf | last leaf | height | value words
 *   node  | count u32 | bytes u32 | previous leaf | next leaf | count items, ascending |
 *           leaf item:  id, 4 words | value words
 *           inner item: id, 4 words | child          (ids in the child are >= the item's, but those of child 0 may be lower)
 *
 * (1) An only leaf begins small and doubles to NODE_BYTES; all other nodes have NODE_BYTES.
 * (2) Leaves are chained in order; inner nodes use neither link. All leaves are at the same depth, `height` nodes down.
 * (3) A full last leaf is not split by a higher id: appending fills every leaf completely.
 * (4) An empty node is freed at once; one below a quarter joins a neighbour under the same parent when both fit.
 * (5) A cursor is valid until the next insert or remove in the same index, or the next call that can free its leaf.
 * (6) Insert takes all memory it can need first: on OutOfMemory the index is as before.
 *
 * Append O(1) amortised; find, seek, insert and remove O(log n); next and previous O(1).
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { compareIds, copyId, ID_WORDS } from './stream-id.ts'
import { keepsViews } from '../util/views.ts'
import { IndexCursor } from './stream-index-cursor.ts'

export { IndexCursor } from './stream-index-cursor.ts'

const SIZE = 0
export const TOP = 1
export const FIRST = 2
export const LAST = 3
export const HEIGHT = 4
export const VALUES = 5
export const ROOT_BYTES = 24

export const COUNT = 0
export const BYTES = 1
export const PREV = 2
export const NEXT = 3
export const HEADER_WORDS = 4

export const INNER_WORDS = ID_WORDS + 1
export const CHILD = ID_WORDS
const FIRST_BYTES = 64
const NODE_BYTES = 1024
const INNER_CAPACITY = capacityOf(NODE_BYTES, INNER_WORDS)
const MAX_HEIGHT = 12

/** The way from the top to the leaf of the last descent: nodes, and the item taken in each. */
const pathNode = new Uint32Array(MAX_HEIGHT)
const pathSlot = new Uint32Array(MAX_HEIGHT)
/** Nodes taken from the arena before an insert changes anything. */
const spare = new Uint32Array(MAX_HEIGHT)
let spares = 0

export function newIndex(mem: Arena, valueWords: number): Ref {
  const index = mem.allocZeroed(ROOT_BYTES)
  mem.u32[segmentOf(index)][wordOf(index) + VALUES] = valueWords
  return index
}

export function indexSize(mem: Arena, index: Ref): number {
  return mem.u32[segmentOf(index)][wordOf(index) + SIZE]
}

function capacityOf(bytes: number, itemWords: number): number {
  return Math.floor(((bytes >>> 2) - HEADER_WORDS) / itemWords)
}

/** Slot of the last item whose id is at most the wanted one; -1 when all are above. */
function lastAtMost(view: Uint32Array, node: number, itemWords: number, id: Uint32Array, idAt: number): number {
  const items = node + HEADER_WORDS
  const word0 = id[idAt]
  const word1 = id[idAt + 1]
  const word2 = id[idAt + 2]
  const word3 = id[idAt + 3]
  let low = 0
  let high = view[node + COUNT]
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = items + middle * itemWords
    // Mostly the first differing word is the second (milliseconds) or the last (the sequence).
    const above =
      view[at] !== word0
        ? view[at] > word0
        : view[at + 1] !== word1
          ? view[at + 1] > word1
          : view[at + 2] !== word2
            ? view[at + 2] > word2
            : view[at + 3] > word3
    if (above) high = middle
    else low = middle + 1
  }
  return low - 1
}

/** Fills the path down to the leaf that holds the id or would. The index is not empty. */
function descend(mem: Arena, index: Ref, id: Uint32Array, idAt: number): void {
  const root = mem.u32[segmentOf(index)]
  const height = root[wordOf(index) + HEIGHT]
  let node = root[wordOf(index) + TOP] as Ref
  for (let level = 0; level < height - 1; level++) {
    const view = mem.u32[segmentOf(node)]
    const at = wordOf(node)
    const slot = Math.max(0, lastAtMost(view, at, INNER_WORDS, id, idAt))
    pathNode[level] = node
    pathSlot[level] = slot
    node = view[at + HEADER_WORDS + slot * INNER_WORDS + CHILD] as Ref
  }
  pathNode[height - 1] = node
}

/** Fills the path down to the last leaf. */
function descendLast(mem: Arena, index: Ref): void {
  const root = mem.u32[segmentOf(index)]
  const height = root[wordOf(index) + HEIGHT]
  let node = root[wordOf(index) + TOP] as Ref
  for (let level = 0; level < height - 1; level++) {
    const view = mem.u32[segmentOf(node)]
    const at = wordOf(node)
    const slot = view[at + COUNT] - 1
    pathNode[level] = node
    pathSlot[level] = slot
    node = view[at + HEADER_WORDS + slot * INNER_WORDS + CHILD] as Ref
  }
  pathNode[height - 1] = node
}

function place(mem: Arena, cursor: IndexCursor, leaf: Ref, slot: number, itemWords: number): void {
  cursor.leaf = leaf
  cursor.slot = slot
  cursor.view = mem.u32[segmentOf(leaf)]
  cursor.at = wordOf(leaf) + HEADER_WORDS + slot * itemWords
}

/** Moves the cursor to the item with this id; false when there is none. */
export function indexFind(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor): boolean {
  return indexSeekDown(mem, index, id, idAt, cursor) && compareIds(cursor.view, cursor.at, id, idAt) === 0
}

/** Moves the cursor to the last item at or below the id; false when there is none. */
export function indexSeekDown(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor): boolean {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const last = root[rootAt + LAST] as Ref
  if (last === NULL_REF) return false
  const itemWords = ID_WORDS + root[rootAt + VALUES]
  let leaf = last
  if (compareIds(mem.u32[segmentOf(last)], wordOf(last) + HEADER_WORDS, id, idAt) > 0) {
    descend(mem, index, id, idAt)
    leaf = pathNode[root[rootAt + HEIGHT] - 1] as Ref
  }
  const slot = lastAtMost(mem.u32[segmentOf(leaf)], wordOf(leaf), itemWords, id, idAt)
  if (slot >= 0) {
    place(mem, cursor, leaf, slot, itemWords)
    return true
  }
  // The separators above may be lower than the leaf's first id: then the wanted item ends the leaf before.
  const before = mem.u32[segmentOf(leaf)][wordOf(leaf) + PREV] as Ref
  if (before === NULL_REF) return false
  place(mem, cursor, before, mem.u32[segmentOf(before)][wordOf(before) + COUNT] - 1, itemWords)
  return true
}

/** Moves the cursor to the first item at or above the id; false when there is none. */
export function indexSeekUp(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor): boolean {
  if (!indexSeekDown(mem, index, id, idAt, cursor)) return indexFirst(mem, index, cursor)
  return compareIds(cursor.view, cursor.at, id, idAt) === 0 || indexNext(mem, index, cursor)
}

export function indexFirst(mem: Arena, index: Ref, cursor: IndexCursor): boolean {
  const root = mem.u32[segmentOf(index)]
  const first = root[wordOf(index) + FIRST] as Ref
  if (first === NULL_REF) return false
  place(mem, cursor, first, 0, ID_WORDS + root[wordOf(index) + VALUES])
  return true
}

export function indexLast(mem: Arena, index: Ref, cursor: IndexCursor): boolean {
  const root = mem.u32[segmentOf(index)]
  const last = root[wordOf(index) + LAST] as Ref
  if (last === NULL_REF) return false
  place(mem, cursor, last, mem.u32[segmentOf(last)][wordOf(last) + COUNT] - 1, ID_WORDS + root[wordOf(index) + VALUES])
  return true
}

/** Items in the cursor's leaf. */
export function leafItems(cursor: IndexCursor): number {
  return cursor.view[wordOf(cursor.leaf) + COUNT]
}

/** Moves the cursor on; false, and unmoved, when it is at the last item. */
export function indexNext(mem: Arena, index: Ref, cursor: IndexCursor): boolean {
  const itemWords = ID_WORDS + mem.u32[segmentOf(index)][wordOf(index) + VALUES]
  const at = wordOf(cursor.leaf)
  if (cursor.slot + 1 < cursor.view[at + COUNT]) {
    cursor.slot++
    cursor.at += itemWords
    return true
  }
  const next = cursor.view[at + NEXT] as Ref
  if (next === NULL_REF) return false
  place(mem, cursor, next, 0, itemWords)
  return true
}

/** Moves the cursor back; false, and unmoved, when it is at the first item. */
export function indexPrev(mem: Arena, index: Ref, cursor: IndexCursor): boolean {
  const itemWords = ID_WORDS + mem.u32[segmentOf(index)][wordOf(index) + VALUES]
  if (cursor.slot > 0) {
    cursor.slot--
    cursor.at -= itemWords
    return true
  }
  const prev = cursor.view[wordOf(cursor.leaf) + PREV] as Ref
  if (prev === NULL_REF) return false
  place(mem, cursor, prev, mem.u32[segmentOf(prev)][wordOf(prev) + COUNT] - 1, itemWords)
  return true
}

/** Inserts an id that is not there, its value words zero, and moves the cursor to it. */
export function indexInsert(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor): void {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const itemWords = ID_WORDS + root[rootAt + VALUES]
  if (root[rootAt + TOP] === 0) startTree(mem, root, rootAt)
  const last = root[rootAt + LAST] as Ref
  const view = mem.u32[segmentOf(last)]
  const at = wordOf(last)
  const count = view[at + COUNT]
  if (count === 0 || compareIds(id, idAt, view, at + HEADER_WORDS + (count - 1) * itemWords) > 0) {
    if (count < capacityOf(view[at + BYTES], itemWords)) openItem(mem, cursor, last, count, itemWords)
    else append(mem, index, id, idAt, cursor, itemWords)
  } else insertInside(mem, index, id, idAt, cursor, itemWords)
  copyId(cursor.view, cursor.at, id, idAt)
  root[rootAt + SIZE] = root[rootAt + SIZE] + 1
}

function startTree(mem: Arena, root: Uint32Array, rootAt: number): void {
  const leaf = mem.alloc(FIRST_BYTES)
  initNode(mem, leaf, FIRST_BYTES)
  root[rootAt + TOP] = leaf
  root[rootAt + FIRST] = leaf
  root[rootAt + LAST] = leaf
  root[rootAt + HEIGHT] = 1
}

function initNode(mem: Arena, node: Ref, bytes: number): void {
  const view = mem.u32[segmentOf(node)]
  const at = wordOf(node)
  view.fill(0, at, at + HEADER_WORDS)
  view[at + BYTES] = bytes
}

/** Makes room for an item at the slot of a node that is not full, and zeroes it. */
function openSlot(view: Uint32Array, node: number, slot: number, itemWords: number): void {
  const at = node + HEADER_WORDS + slot * itemWords
  const count = view[node + COUNT]
  if (slot < count) view.copyWithin(at + itemWords, at, node + HEADER_WORDS + count * itemWords)
  for (let i = 0; i < itemWords; i++) view[at + i] = 0
  view[node + COUNT] = count + 1
}

function closeSlot(view: Uint32Array, node: number, slot: number, itemWords: number): void {
  const at = node + HEADER_WORDS + slot * itemWords
  const count = view[node + COUNT] - 1
  if (slot < count) view.copyWithin(at, at + itemWords, node + HEADER_WORDS + (count + 1) * itemWords)
  view[node + COUNT] = count
}

function openItem(mem: Arena, cursor: IndexCursor, leaf: Ref, slot: number, itemWords: number): void {
  openSlot(mem.u32[segmentOf(leaf)], wordOf(leaf), slot, itemWords)
  place(mem, cursor, leaf, slot, itemWords)
}

/** Doubles the only leaf. */
function growLeaf(mem: Arena, index: Ref): Ref {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const leaf = root[rootAt + TOP] as Ref
  const bytes = mem.u32[segmentOf(leaf)][wordOf(leaf) + BYTES]
  const grown = mem.realloc(leaf, bytes, bytes * 2)
  mem.u32[segmentOf(grown)][wordOf(grown) + BYTES] = bytes * 2
  root[rootAt + TOP] = grown
  root[rootAt + FIRST] = grown
  root[rootAt + LAST] = grown
  return grown
}

/** Inserts behind everything when the last leaf is full: it grows, or a new last leaf begins. */
function append(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor, itemWords: number): void {
  descendLast(mem, index)
  const level = mem.u32[segmentOf(index)][wordOf(index) + HEIGHT] - 1
  const last = pathNode[level] as Ref
  if (mem.u32[segmentOf(last)][wordOf(last) + BYTES] < NODE_BYTES) {
    const grown = growLeaf(mem, index)
    return openItem(mem, cursor, grown, mem.u32[segmentOf(grown)][wordOf(grown) + COUNT], itemWords)
  }
  reserve(mem, level)
  const leaf = takeSpare(mem)
  linkAfter(mem, index, last, leaf)
  openItem(mem, cursor, leaf, 0, itemWords)
  addSibling(mem, index, level, leaf, id, idAt)
}

/** Inserts before the end, splitting a full leaf in the middle. */
function insertInside(mem: Arena, index: Ref, id: Uint32Array, idAt: number, cursor: IndexCursor, itemWords: number): void {
  descend(mem, index, id, idAt)
  const level = mem.u32[segmentOf(index)][wordOf(index) + HEIGHT] - 1
  let leaf = pathNode[level] as Ref
  const view = mem.u32[segmentOf(leaf)]
  const at = wordOf(leaf)
  let slot = lastAtMost(view, at, itemWords, id, idAt) + 1
  if (view[at + COUNT] === capacityOf(view[at + BYTES], itemWords)) {
    if (view[at + BYTES] < NODE_BYTES) leaf = growLeaf(mem, index)
    else {
      reserve(mem, level)
      const right = takeSpare(mem)
      linkAfter(mem, index, leaf, right)
      const kept = view[at + COUNT] >>> 1
      moveTail(mem, leaf, kept, right, itemWords)
      addSibling(mem, index, level, right, mem.u32[segmentOf(right)], wordOf(right) + HEADER_WORDS)
      if (slot > kept) {
        leaf = right
        slot -= kept
      }
    }
  }
  openItem(mem, cursor, leaf, slot, itemWords)
}

/** Takes the nodes a split at this level can need: its own, one for each full ancestor, and a new top above full ones. */
function reserve(mem: Arena, level: number): void {
  let wanted = 1
  let above = level - 1
  for (; above >= 0; above--) {
    const node = pathNode[above]
    if (mem.u32[segmentOf(node)][wordOf(node) + COUNT] < INNER_CAPACITY) break
    wanted++
  }
  if (above < 0) wanted++
  try {
    while (spares < wanted) {
      spare[spares] = mem.alloc(NODE_BYTES)
      spares++
    }
  } catch (error) {
    while (spares > 0) mem.free(spare[--spares] as Ref, NODE_BYTES)
    throw error
  }
}

function takeSpare(mem: Arena): Ref {
  const node = spare[--spares] as Ref
  initNode(mem, node, NODE_BYTES)
  return node
}

/** Chains a new leaf behind another. */
function linkAfter(mem: Arena, index: Ref, leaf: Ref, fresh: Ref): void {
  const view = mem.u32[segmentOf(leaf)]
  const at = wordOf(leaf)
  const next = view[at + NEXT] as Ref
  const freshView = mem.u32[segmentOf(fresh)]
  freshView[wordOf(fresh) + PREV] = leaf
  freshView[wordOf(fresh) + NEXT] = next
  view[at + NEXT] = fresh
  if (next === NULL_REF) mem.u32[segmentOf(index)][wordOf(index) + LAST] = fresh
  else mem.u32[segmentOf(next)][wordOf(next) + PREV] = fresh
}

/** Moves the items from `kept` on to an empty node. */
function moveTail(mem: Arena, from: Ref, kept: number, to: Ref, itemWords: number): void {
  const view = mem.u32[segmentOf(from)]
  const items = wordOf(from) + HEADER_WORDS
  const count = view[wordOf(from) + COUNT]
  const toView = mem.u32[segmentOf(to)]
  toView.set(view.subarray(items + kept * itemWords, items + count * itemWords), wordOf(to) + HEADER_WORDS)
  toView[wordOf(to) + COUNT] = count - kept
  view[wordOf(from) + COUNT] = kept
}

/** Enters a new node, right of the path's node at this level and holding ids from the given one, into the level above. */
function addSibling(mem: Arena, index: Ref, level: number, node: Ref, id: Uint32Array, idAt: number): void {
  if (level === 0) return addTop(mem, index, node, id, idAt)
  let parent = pathNode[level - 1] as Ref
  let slot = pathSlot[level - 1] + 1
  const count = mem.u32[segmentOf(parent)][wordOf(parent) + COUNT]
  if (count === INNER_CAPACITY) {
    const right = takeSpare(mem)
    const kept = slot === count ? count : count >>> 1
    moveTail(mem, parent, kept, right, INNER_WORDS)
    const rightItem = wordOf(right) + HEADER_WORDS
    if (kept === count) addSibling(mem, index, level - 1, right, id, idAt)
    else addSibling(mem, index, level - 1, right, mem.u32[segmentOf(right)], rightItem)
    if (slot > kept || kept === count) {
      parent = right
      slot -= kept
    }
  }
  const view = mem.u32[segmentOf(parent)]
  openSlot(view, wordOf(parent), slot, INNER_WORDS)
  const item = wordOf(parent) + HEADER_WORDS + slot * INNER_WORDS
  copyId(view, item, id, idAt)
  view[item + CHILD] = node
}

/** Puts a new top above the old one and the node split from it. */
function addTop(mem: Arena, index: Ref, node: Ref, id: Uint32Array, idAt: number): void {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const top = takeSpare(mem)
  const view = mem.u32[segmentOf(top)]
  const at = wordOf(top)
  view[at + COUNT] = 2
  const items = at + HEADER_WORDS
  view.fill(0, items, items + ID_WORDS)
  view[items + CHILD] = root[rootAt + TOP]
  copyId(view, items + INNER_WORDS, id, idAt)
  view[items + INNER_WORDS + CHILD] = node
  root[rootAt + TOP] = top
  root[rootAt + HEIGHT] = root[rootAt + HEIGHT] + 1
}

/** Removes the id; false when it is not there. */
export function indexRemove(mem: Arena, index: Ref, id: Uint32Array, idAt: number): boolean {
  if (!indexFind(mem, index, id, idAt, removing)) return false
  indexRemoveFound(mem, index, removing)
  return true
}

const removing = keepsViews(new IndexCursor())
const removedId = new Uint32Array(ID_WORDS)

/** Removes the item that indexFind has just found. The way down to its leaf is only needed when the leaf gets sparse. */
export function indexRemoveFound(mem: Arena, index: Ref, cursor: IndexCursor): void {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const itemWords = ID_WORDS + root[rootAt + VALUES]
  const left = cursor.view[wordOf(cursor.leaf) + COUNT] - 1
  if (root[rootAt + HEIGHT] === 1 ? left > 0 : left >= capacityOf(NODE_BYTES, itemWords) >>> 2) {
    closeSlot(cursor.view, wordOf(cursor.leaf), cursor.slot, itemWords)
    root[rootAt + SIZE] = root[rootAt + SIZE] - 1
    return
  }
  copyId(removedId, 0, cursor.view, cursor.at)
  removeOnPath(mem, index, removedId, 0)
}

/** Removes the id, which is there, noting the way to it, and makes the tree balanced again. */
function removeOnPath(mem: Arena, index: Ref, id: Uint32Array, idAt: number): void {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const itemWords = ID_WORDS + root[rootAt + VALUES]
  descend(mem, index, id, idAt)
  const leaf = pathNode[root[rootAt + HEIGHT] - 1] as Ref
  const view = mem.u32[segmentOf(leaf)]
  closeSlot(view, wordOf(leaf), lastAtMost(view, wordOf(leaf), itemWords, id, idAt), itemWords)
  root[rootAt + SIZE] = root[rootAt + SIZE] - 1
  rebalance(mem, index, itemWords)
}

/** After a removal: frees emptied nodes of the path, joins sparse ones with a neighbour, and drops tops with one child. */
function rebalance(mem: Arena, index: Ref, itemWords: number): void {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const leafLevel = root[rootAt + HEIGHT] - 1
  for (let level = leafLevel; level > 0; level--) {
    const node = pathNode[level] as Ref
    const width = level === leafLevel ? itemWords : INNER_WORDS
    const count = mem.u32[segmentOf(node)][wordOf(node) + COUNT]
    const parent = pathNode[level - 1] as Ref
    if (count === 0) dropChild(mem, index, parent, pathSlot[level - 1], level === leafLevel)
    else if (count >= capacityOf(NODE_BYTES, width) >>> 2 || !join(mem, index, level, width, level === leafLevel)) break
  }
  let top = root[rootAt + TOP] as Ref
  while (root[rootAt + HEIGHT] > 1 && mem.u32[segmentOf(top)][wordOf(top) + COUNT] === 1) {
    root[rootAt + TOP] = mem.u32[segmentOf(top)][wordOf(top) + HEADER_WORDS + CHILD]
    root[rootAt + HEIGHT] = root[rootAt + HEIGHT] - 1
    mem.free(top, NODE_BYTES)
    top = root[rootAt + TOP] as Ref
  }
  const view = mem.u32[segmentOf(top)]
  if (view[wordOf(top) + COUNT] !== 0) return
  mem.free(top, view[wordOf(top) + BYTES])
  root.fill(0, rootAt + TOP, rootAt + HEIGHT + 1)
}

/** Frees the child in the parent's slot, whose items are gone or moved. */
function dropChild(mem: Arena, index: Ref, parent: Ref, slot: number, leaf: boolean): void {
  const view = mem.u32[segmentOf(parent)]
  const child = view[wordOf(parent) + HEADER_WORDS + slot * INNER_WORDS + CHILD] as Ref
  if (leaf) unlinkLeaf(mem, index, child)
  mem.free(child, NODE_BYTES)
  closeSlot(view, wordOf(parent), slot, INNER_WORDS)
}

function unlinkLeaf(mem: Arena, index: Ref, leaf: Ref): void {
  const view = mem.u32[segmentOf(leaf)]
  const prev = view[wordOf(leaf) + PREV] as Ref
  const next = view[wordOf(leaf) + NEXT] as Ref
  const root = mem.u32[segmentOf(index)]
  if (prev === NULL_REF) root[wordOf(index) + FIRST] = next
  else mem.u32[segmentOf(prev)][wordOf(prev) + NEXT] = next
  if (next === NULL_REF) root[wordOf(index) + LAST] = prev
  else mem.u32[segmentOf(next)][wordOf(next) + PREV] = prev
}

/** Moves the items of the path's node and a neighbour into the left one of the two, when they leave it room to grow. */
function join(mem: Arena, index: Ref, level: number, itemWords: number, leaf: boolean): boolean {
  const parent = pathNode[level - 1] as Ref
  const view = mem.u32[segmentOf(parent)]
  const items = wordOf(parent) + HEADER_WORDS
  const slot = pathSlot[level - 1]
  const leftSlot = slot + 1 < view[wordOf(parent) + COUNT] ? slot : slot - 1
  if (leftSlot < 0) return false
  const rightItem = items + (leftSlot + 1) * INNER_WORDS
  const left = view[items + leftSlot * INNER_WORDS + CHILD] as Ref
  const right = view[rightItem + CHILD] as Ref
  const leftView = mem.u32[segmentOf(left)]
  const rightView = mem.u32[segmentOf(right)]
  const leftCount = leftView[wordOf(left) + COUNT]
  const rightCount = rightView[wordOf(right) + COUNT]
  if ((leftCount + rightCount) * 4 > capacityOf(NODE_BYTES, itemWords) * 3) return false
  const from = wordOf(right) + HEADER_WORDS
  if (!leaf) copyId(rightView, from, view, rightItem)
  leftView.set(rightView.subarray(from, from + rightCount * itemWords), wordOf(left) + HEADER_WORDS + leftCount * itemWords)
  leftView[wordOf(left) + COUNT] = leftCount + rightCount
  dropChild(mem, index, parent, leftSlot + 1, leaf)
  return true
}

/** Frees all nodes and the root; what value words refer to is the caller's. */
export function freeIndex(mem: Arena, index: Ref): void {
  while (freeFirstLeaf(mem, index));
  freeIndexRoot(mem, index)
}

/**
 * Frees the first leaf, for deletion in slices; false when none is left. From the first call on only the first leaf can be
 * reached (indexFirst), and freeIndexRoot has to follow in the end.
 */
export function freeFirstLeaf(mem: Arena, index: Ref): boolean {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const leaf = root[rootAt + FIRST] as Ref
  if (leaf === NULL_REF) return false
  const view = mem.u32[segmentOf(leaf)]
  root[rootAt + FIRST] = view[wordOf(leaf) + NEXT]
  mem.free(leaf, view[wordOf(leaf) + BYTES])
  return root[rootAt + FIRST] !== 0
}

/** Frees the inner nodes and the root of an index whose leaves are gone. */
export function freeIndexRoot(mem: Arena, index: Ref): void {
  eachInner(mem, index, (node) => mem.free(node, NODE_BYTES))
  mem.free(index, ROOT_BYTES)
}

/** Reports the blocks of the index, also of one that is being freed in slices. */
export function auditIndex(mem: Arena, index: Ref, report: Report): void {
  report(index, ROOT_BYTES)
  eachInner(mem, index, (node) => report(node, NODE_BYTES))
  let leaf = mem.u32[segmentOf(index)][wordOf(index) + FIRST] as Ref
  while (leaf !== NULL_REF) {
    report(leaf, mem.u32[segmentOf(leaf)][wordOf(leaf) + BYTES])
    leaf = mem.u32[segmentOf(leaf)][wordOf(leaf) + NEXT] as Ref
  }
}

/** Bytes of the blocks of the index: a step for each inner node. */
export function indexBytes(mem: Arena, index: Ref): number {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const top = root[rootAt + TOP] as Ref
  const height = root[rootAt + HEIGHT]
  if (height < 2) return ROOT_BYTES + (height === 0 ? 0 : mem.u32[segmentOf(top)][wordOf(top) + BYTES])
  let children = 1
  eachInner(mem, index, (node) => (children += mem.u32[segmentOf(node)][wordOf(node) + COUNT]))
  return ROOT_BYTES + children * NODE_BYTES
}

/** Visits the inner nodes, children first. */
function eachInner(mem: Arena, index: Ref, visit: (node: Ref) => void): void {
  const root = mem.u32[segmentOf(index)]
  const walk = (node: Ref, height: number): void => {
    if (height < 2) return
    const view = mem.u32[segmentOf(node)]
    const items = wordOf(node) + HEADER_WORDS
    const count = view[wordOf(node) + COUNT]
    if (height > 2) for (let slot = 0; slot < count; slot++) walk(view[items + slot * INNER_WORDS + CHILD] as Ref, height - 1)
    visit(node)
  }
  walk(root[wordOf(index) + TOP] as Ref, root[wordOf(index) + HEIGHT])
}
