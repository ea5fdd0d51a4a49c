/**
 * quicklist: a long list as a sequence of small listpacks.
 *
 *   index (quicklist-index.ts)  ->  node, node, node, ...  (quicklist-node.ts)
 *
 * This file has its life, its ends and its compression; quicklist-cursor.ts reads, quicklist-edit.ts changes it anywhere else.
 *
 * (1) The root moves only when its segment is evacuated; a list without elements may exist for a moment, its owner then deletes it.
 * (2) No node is empty. Nodes within `depth` of an end are not COMPRESSED, unless there was no memory to do so.
 * (3) On OutOfMemory the list has its old elements. Bytes passed in must not lie in the list itself.
 *
 * Push and pop at the ends are O(1); those at the head move a node's bytes once in a hundred times (quicklist-front.ts). For seek see
 * quicklist-index.ts, plus half a node; insert and delete at the cursor move at most a node's bytes; a range is deleted node by node.
 */
import { type Arena, hasMemoryFor } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { beforeChange } from './before-change.ts'
import { lpAppend, lpDropEnd, lpLength, lpPop, lpPush, lpTotal, lpValue, newListpack } from './listpack.ts'
import { lpBack, lpDecode, lpSkip } from './listpack-element.ts'
import { cursor, cursorGet, quicklistSeekEnd } from './quicklist-cursor.ts'
import { cutFront, frontTakes, joinedFits, joinFront, pushFront, restTakes } from './quicklist-front.ts'
import {
  auditIndex,
  bytesAt,
  countAt,
  depthOf,
  endBytes,
  endCount,
  endKind,
  endNode,
  endSlot,
  fillOf,
  found,
  freeIndex,
  indexBytes,
  hasFront,
  insertNode,
  kindAt,
  leafCount,
  leafUsed,
  newIndex,
  nodeAt,
  nodeCount,
  openEnd,
  removeNode,
  seekOrdinal,
  setEnd,
  setFront,
  setNode,
} from './quicklist-index.ts'
import {
  bytesLimit,
  COMPRESSED,
  compress,
  copyNode,
  countLimit,
  firstOffset,
  freeNode,
  FRONT,
  newPlain,
  nodeBytes,
  PACKED,
  PLAIN,
  plainThreshold,
  roomFor,
  thaw,
  thawFront,
} from './quicklist-node.ts'

export { quicklistNodes } from './quicklist-front.ts'
export { elementCount as quicklistCount } from './quicklist-index.ts'

/** An empty list. `depth` is list-compress-depth, `fill` list-max-listpack-size. */
export function newQuicklist(mem: Arena, fill: number, depth: number): Ref {
  return newIndex(mem, fill, depth)
}

/** A list whose only node is this listpack, which it takes over. */
export function quicklistFrom(mem: Arena, lp: Ref, fill: number, depth: number): Ref {
  const root = newIndex(mem, fill, depth)
  if (lpLength(mem, lp) > 0) insertNode(mem, root, 0, 0, lp, PACKED, lpLength(mem, lp))
  return root
}

/**
 * The listpack of a list whose only node it is, small enough (half of the limits when `half`) to do without the index, which is then freed.
 * Null when the list stays a quicklist, for lack of memory too: it is what deletions are followed by.
 */
export function quicklistUnwrap(mem: Arena, root: Ref, fill: number, half: boolean): Ref {
  const scale = half ? 2 : 1
  if (hasFront(mem, root) && nodeCount(mem, root) === 2 && joinedFits(mem, root, fill, scale) && !hasMemoryFor(() => joinFront(mem, root)))
    return NULL_REF
  if (nodeCount(mem, root) !== 1) return NULL_REF
  const kind = kindAt(mem, root, 0, 0)
  if (kind !== PACKED && kind !== FRONT) return NULL_REF
  if ((fill < 0 && bytesAt(mem, root, 0, 0) > bytesLimit(fill) / scale) || countAt(mem, root, 0, 0) > Math.floor(countLimit(fill) / scale))
    return NULL_REF
  if (kind === FRONT && !hasMemoryFor(() => thawed(mem, root, 0, 0))) return NULL_REF
  const lp = nodeAt(mem, root, 0, 0)
  freeIndex(mem, root)
  return lp
}

/** Calls `visit` with each node's ref and what the index knows of it, from the first on. */
export function eachNode(mem: Arena, root: Ref, visit: (node: Ref, kind: number, count: number, bytes: number) => void): void {
  for (let leaf = 0; leaf < leafCount(mem, root); leaf++) {
    for (let slot = 0; slot < leafUsed(mem, root, leaf); slot++) {
      visit(nodeAt(mem, root, leaf, slot), kindAt(mem, root, leaf, slot), countAt(mem, root, leaf, slot), bytesAt(mem, root, leaf, slot))
    }
  }
}

export function freeQuicklist(mem: Arena, root: Ref): void {
  eachNode(mem, root, (node, kind) => freeNode(mem, node, kind))
  freeIndex(mem, root)
}

/** Frees about `budget` nodes from the end; true when the whole list is gone. */
export function freeQuicklistStep(mem: Arena, root: Ref, budget: number): boolean {
  for (let left = budget; left > 0 && nodeCount(mem, root) > 0; left--) {
    const leaf = leafCount(mem, root) - 1
    dropNode(mem, root, leaf, leafUsed(mem, root, leaf) - 1)
  }
  if (nodeCount(mem, root) > 0) return false
  freeIndex(mem, root)
  return true
}

export function auditQuicklist(mem: Arena, root: Ref, report: Report): void {
  eachNode(mem, root, (node, kind) => report(node, nodeBytes(mem, node, kind)))
  auditIndex(mem, root, report)
}

/** About how many bytes the list takes, judging by its ends, which may be small, and the first `samples` nodes between them. */
export function estimateQuicklist(mem: Arena, root: Ref, samples: number): number {
  const inner = nodeCount(mem, root) - 2
  const last = leafCount(mem, root) - 1
  const ends = blockBytes(mem, root, 0, 0) + (inner < 0 ? 0 : blockBytes(mem, root, last, leafUsed(mem, root, last) - 1))
  let seen = 0
  let bytes = 0
  for (let leaf = 0; seen < Math.min(samples, inner); leaf++) {
    for (let slot = leaf === 0 ? 1 : 0; slot < leafUsed(mem, root, leaf) && seen < Math.min(samples, inner); slot++, seen++)
      bytes += blockBytes(mem, root, leaf, slot)
  }
  return ends + Math.round((bytes / Math.max(1, seen)) * Math.max(0, inner)) + indexBytes(mem, root)
}

function blockBytes(mem: Arena, root: Ref, leaf: number, slot: number): number {
  return usableBytes(nodeBytes(mem, nodeAt(mem, root, leaf, slot), kindAt(mem, root, leaf, slot)))
}

export function copyQuicklist(mem: Arena, root: Ref): Ref {
  const fresh = newIndex(mem, fillOf(mem, root), depthOf(mem, root))
  try {
    eachNode(mem, root, (node, kind, count, bytes) => {
      if (kind === FRONT) appendNode(mem, fresh, thawFront(mem, node, bytes, count), PACKED, count)
      else appendNode(mem, fresh, copyNode(mem, node, kind), kind, count)
    })
    setFront(mem, fresh, hasFront(mem, root))
  } catch (error) {
    freeQuicklist(mem, fresh)
    throw error
  }
  return fresh
}

/** Appends a node that holds `count` elements; frees it when there is no memory. */
export function appendNode(mem: Arena, root: Ref, node: Ref, kind: number, count: number): void {
  const leaf = leafCount(mem, root) - 1
  linkNode(mem, root, leaf, leafUsed(mem, root, leaf), node, kind, count)
}

export function linkNode(mem: Arena, root: Ref, leaf: number, slot: number, node: Ref, kind: number, count: number): void {
  try {
    insertNode(mem, root, leaf, slot, node, kind, count)
  } catch (error) {
    freeNode(mem, node, kind)
    throw error
  }
}

export function dropNode(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const node = nodeAt(mem, root, leaf, slot)
  const kind = kindAt(mem, root, leaf, slot)
  beforeChange(mem, root, node)
  removeNode(mem, root, leaf, slot)
  freeNode(mem, node, kind)
}

// ---- the ends ----

export function quicklistPush(mem: Arena, root: Ref, head: boolean, bytes: Uint8Array, off: number, len: number): void {
  if (openEnd(mem, root, head)) {
    if (head && frontTakes(mem, root, len)) return pushFront(mem, root, bytes, off, len)
    if (endKind() === FRONT) thawEnd(mem, root, head)
    if (endKind() === PACKED && roomFor(endBytes(), endCount(), len, fillOf(mem, root)) && (head || restTakes(mem, root, len))) {
      const lp = endNode()
      beforeChange(mem, root, lp)
      const fresh = lpPush(mem, lp, head, endBytes(), endCount(), bytes, off, len)
      return setEnd(mem, root, fresh, lpTotal, 1)
    }
  }
  const leaf = head ? 0 : leafCount(mem, root) - 1
  insertElementNode(mem, root, leaf, head ? 0 : leafUsed(mem, root, leaf), bytes, off, len)
  settleEnds(mem, root)
}

function thawEnd(mem: Arena, root: Ref, head: boolean): void {
  const leaf = head ? 0 : leafCount(mem, root) - 1
  thawed(mem, root, leaf, endSlot)
  openEnd(mem, root, head)
}

/** What takes an element: a reply. */
export interface ElementSink {
  bulk(bytes: Uint8Array, off: number, len: number): void
  bulkData(bytes: Uint8Array, data: DataView, off: number, len: number): void
}

/** Hands the first or the last element, which must exist, to `out`, and deletes it. */
export function quicklistPop(mem: Arena, root: Ref, head: boolean, out: ElementSink): void {
  openEnd(mem, root, head)
  if (head && endKind() === PACKED) cutFront(mem, root)
  if (!givesAtEnd(head)) return popByCursor(mem, root, head, out)
  const lp = endNode()
  const total = endBytes()
  const u8 = mem.u8[segmentOf(lp)]
  const at = head ? byteOf(lp) + firstOffset(endKind(), total) : lpBack(u8, byteOf(lp) + total - 1)
  const size = (head ? lpSkip(u8, at) : byteOf(lp) + total - 1) - at
  const tag = u8[at]
  if (tag >= 0x80 && tag < 0xc0) out.bulkData(u8, mem.data[segmentOf(lp)], at + 1, tag & 0x3f)
  else {
    lpDecode(u8, at)
    out.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  }
  shrinkEnd(mem, root, head, size)
}

/** Whether the end that has been opened has its outer element to give, and others besides. */
function givesAtEnd(head: boolean): boolean {
  const kind = endKind()
  return endCount() > 1 && (kind === PACKED || (kind === FRONT && head))
}

/** Deletes the outer element of the end that has been opened; it is `size` bytes. */
function shrinkEnd(mem: Arena, root: Ref, head: boolean, size: number): void {
  const lp = endNode()
  const total = endBytes()
  beforeChange(mem, root, lp)
  if (endKind() === FRONT) setEnd(mem, root, lp, total - size, -1)
  else setEnd(mem, root, lpPop(mem, lp, head, total, endCount(), size), lpTotal, -1)
}

function popByCursor(mem: Arena, root: Ref, head: boolean, out: ElementSink): void {
  quicklistSeekEnd(mem, root, head)
  cursorGet(mem)
  out.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  quicklistDropEnd(mem, root, head)
}

/** Deletes the first or the last element, which the cursor was put on by `quicklistSeekEnd` just before. */
export function quicklistDropEnd(mem: Arena, root: Ref, head: boolean): void {
  if (head && endKind() === PACKED && cutFront(mem, root)) quicklistSeekEnd(mem, root, head)
  if (givesAtEnd(head)) return shrinkEnd(mem, root, head, (head ? lpSkip(cursor.view, cursor.at) : cursor.end) - cursor.at)
  if (endKind() === FRONT && head && hasFront(mem, root)) return dropFront(mem, root)
  const leaf = head ? 0 : leafCount(mem, root) - 1
  const slot = head ? 0 : leafUsed(mem, root, leaf) - 1
  if (countAt(mem, root, leaf, slot) > 1) setNode(mem, root, leaf, slot, lpDropEnd(mem, thawed(mem, root, leaf, slot), head), PACKED, -1)
  else dropNode(mem, root, leaf, slot)
  settleEnds(mem, root)
}

/** Drops a front with its last element, and cuts the next: a list that is pushed to and popped from in turns has one all the time. */
function dropFront(mem: Arena, root: Ref): void {
  dropNode(mem, root, 0, 0)
  openEnd(mem, root, true)
  cutFront(mem, root)
}

/** Inserts a node with this one element before (leaf, slot). */
export function insertElementNode(mem: Arena, root: Ref, leaf: number, slot: number, bytes: Uint8Array, off: number, len: number): void {
  if (len >= plainThreshold.bytes) return linkNode(mem, root, leaf, slot, newPlain(mem, bytes, off, len), PLAIN, 1)
  const empty = newListpack(mem)
  let lp: Ref
  try {
    lp = lpAppend(mem, empty, bytes, off, len)
  } catch (error) {
    freeNode(mem, empty, PACKED)
    throw error
  }
  linkNode(mem, root, leaf, slot, lp, PACKED, 1)
}

// ---- compression ----

/** Announces that a node is about to change, and makes it PACKED if it is COMPRESSED or a FRONT; returns its listpack. May allocate. */
export function thawed(mem: Arena, root: Ref, leaf: number, slot: number): Ref {
  const node = nodeAt(mem, root, leaf, slot)
  beforeChange(mem, root, node)
  const kind = kindAt(mem, root, leaf, slot)
  if (kind !== COMPRESSED && kind !== FRONT) return node
  const lp = kind === FRONT ? thawFront(mem, node, bytesAt(mem, root, leaf, slot), countAt(mem, root, leaf, slot)) : thaw(mem, node)
  setNode(mem, root, leaf, slot, lp, PACKED, 0)
  freeNode(mem, node, kind)
  return lp
}

/** Compresses the node at a place if it is an inner one. */
export function settleNode(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const depth = depthOf(mem, root)
  if (depth === 0 || kindAt(mem, root, leaf, slot) !== PACKED) return
  let ordinal = slot
  for (let before = 0; before < leaf; before++) ordinal += leafUsed(mem, root, before)
  if (ordinal < depth || ordinal >= nodeCount(mem, root) - depth) return
  const lp = nodeAt(mem, root, leaf, slot)
  const node = compress(mem, lp)
  if (node === NULL_REF) return
  setNode(mem, root, leaf, slot, node, COMPRESSED, 0)
  freeNode(mem, lp, PACKED)
}

/** After a node came or went: the outer nodes are thawed, the first inner one at each side compressed. */
export function settleEnds(mem: Arena, root: Ref): void {
  const depth = depthOf(mem, root)
  if (depth === 0) return
  const nodes = nodeCount(mem, root)
  for (let i = 0; i < depth && i < nodes; i++) {
    thawOrdinal(mem, root, i)
    thawOrdinal(mem, root, nodes - 1 - i)
  }
  if (nodes <= 2 * depth) return
  for (const ordinal of [depth, nodes - 1 - depth]) {
    seekOrdinal(mem, root, ordinal)
    settleNode(mem, root, found.leaf, found.slot)
  }
}

function thawOrdinal(mem: Arena, root: Ref, ordinal: number): void {
  seekOrdinal(mem, root, ordinal)
  // Without memory it stays compressed, which every reader understands.
  hasMemoryFor(() => thawed(mem, root, found.leaf, found.slot))
}
