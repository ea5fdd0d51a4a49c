/**
 * quicklist front: a small listpack before the first node of a quicklist, in which pushes and pops at the head take place.
 *
 *   | front, FRONT_BYTES at most | rest of the node | node | node | ...
 *
 * An element at the head of a listpack moves all others, and in a node of 8 KiB that is most of what LPUSH costs. So a node that has grown is
 * cut into a front and the rest; when the front is full, its older part goes over to the rest. A push moves the bytes of the front only, and
 * the rest moves once in fifty pushes. Pops at the head cut a front from a large node likewise.
 *
 * (1) The front and the second node are one node to everybody else: together they are within the limits of a node, and `quicklistNodes`,
 *     payloads and conversions take them for one. Only the index, the cursor and edits see two.
 * (2) There is none in a list that compresses its inner nodes: which these are depends on the number of nodes.
 * (3) On OutOfMemory the list has its old elements.
 */
import { type Arena, OutOfMemory } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf } from '../memory/ref.ts'
import { beforeChange } from './before-change.ts'
import { EMPTY_BYTES, lpBytes, lpDelete, lpHead, LP_HEADER, lpInsertAll, lpInsertFrom } from './listpack.ts'
import { lpSkip } from './listpack-element.ts'
import {
  bytesAt,
  countAt,
  depthOf,
  endBytes,
  endCount,
  endNode,
  fillOf,
  found,
  hasFront,
  insertNode,
  leafUsed,
  nodeAt,
  nodeCount,
  openEnd,
  removeNode,
  secondBytes,
  secondCount,
  setFront,
  setNode,
} from './quicklist-index.ts'
import { exceedsLimit, freeNode, PACKED, roomFor } from './quicklist-node.ts'

/** A front of so many bytes takes no more elements, and a node of so many is cut. */
const FRONT_BYTES = 2048
/** What a front has afterwards. It is not empty, lest its block grow through all sizes again. */
const KEPT_BYTES = FRONT_BYTES / 2

/** Nodes of the list as everybody else counts them. */
export function quicklistNodes(mem: Arena, root: Ref): number {
  return nodeCount(mem, root) - (hasFront(mem, root) ? 1 : 0)
}

/**
 * Makes the first node, which is PACKED and the end that has been opened, ready for an element of `len` bytes. False: it has no room, and the
 * element needs a node of its own before it.
 */
export function hasHeadRoom(mem: Arena, root: Ref, len: number): boolean {
  const fill = fillOf(mem, root)
  if (!hasFront(mem, root)) {
    if (!roomFor(endBytes(), endCount(), len, fill)) return false
    cutFront(mem, root)
    return true
  }
  const fits = roomFor(endBytes() + secondBytes(mem, root) - EMPTY_BYTES, endCount() + secondCount(mem, root), len, fill)
  if (!fits) joinFront(mem, root)
  else if (endBytes() >= FRONT_BYTES) passOn(mem, root)
  return fits
}

/** Sets `found` to the node behind the front. */
function findRest(mem: Arena, root: Ref): void {
  found.leaf = leafUsed(mem, root, 0) > 1 ? 0 : 1
  found.slot = 1 - found.leaf
}

/** Bytes of the one listpack that the front and the rest would be. */
function joinedBytes(mem: Arena, root: Ref): number {
  findRest(mem, root)
  return bytesAt(mem, root, 0, 0) + bytesAt(mem, root, found.leaf, found.slot) - EMPTY_BYTES
}

function joinedCount(mem: Arena, root: Ref): number {
  findRest(mem, root)
  return countAt(mem, root, 0, 0) + countAt(mem, root, found.leaf, found.slot)
}

/** Whether the front and the rest, or the parts of them that `scale` leaves, are within the limits of a node. */
export function joinedFits(mem: Arena, root: Ref, fill: number, scale: number): boolean {
  return !exceedsLimit(fill, joinedBytes(mem, root) * scale, joinedCount(mem, root) * scale)
}

/** The same as joinFront; false when there is no memory for it. */
export function tryJoinFront(mem: Arena, root: Ref): boolean {
  try {
    joinFront(mem, root)
    return true
  } catch (error) {
    if (error instanceof OutOfMemory) return false
    throw error
  }
}

/** Makes the front and the rest one node; two, when edits have made them too large for one. */
export function joinFront(mem: Arena, root: Ref): void {
  if (!joinedFits(mem, root, fillOf(mem, root), 1)) return setFront(mem, root, false)
  const front = nodeAt(mem, root, 0, 0)
  const count = countAt(mem, root, 0, 0)
  findRest(mem, root)
  const { leaf, slot } = found
  const rest = nodeAt(mem, root, leaf, slot)
  beforeChange(mem, root, front)
  beforeChange(mem, root, rest)
  setNode(mem, root, leaf, slot, lpInsertAll(mem, rest, LP_HEADER, front), PACKED, count)
  removeNode(mem, root, 0, 0)
  freeNode(mem, front, PACKED)
}

/** The first elements of the first node that a front keeps: their number, and `keptEnd`, the position behind them. */
function keptCount(mem: Arena, node: Ref): number {
  const u8 = mem.u8[segmentOf(node)]
  const end = byteOf(node) + KEPT_BYTES
  let at = byteOf(node) + LP_HEADER
  let count = 0
  for (; at < end && count < endCount() - 1; at = lpSkip(u8, at)) count++
  keptEnd = at - byteOf(node)
  return count
}
let keptEnd = 0

/**
 * Cuts a front from the first node, which is PACKED and the end that has been opened; false when it has one, is too small or may have none.
 * The end is opened again. Without memory the node stays whole, but its place in the index may be another.
 */
export function cutFront(mem: Arena, root: Ref): boolean {
  if (endBytes() < FRONT_BYTES || endCount() < 2 || hasFront(mem, root) || depthOf(mem, root) !== 0) return false
  const node = endNode()
  const count = keptCount(mem, node)
  beforeChange(mem, root, node)
  let cut = true
  try {
    splitFront(mem, root, node, keptEnd, count)
  } catch (error) {
    if (!(error instanceof OutOfMemory)) throw error
    cut = false
  }
  openEnd(mem, root, true)
  return cut
}

function splitFront(mem: Arena, root: Ref, node: Ref, position: number, count: number): void {
  const front = lpHead(mem, node, position, count)
  try {
    insertNode(mem, root, 0, 0, front, PACKED, count)
  } catch (error) {
    freeNode(mem, front, PACKED)
    throw error
  }
  findRest(mem, root)
  const { leaf, slot } = found
  try {
    setNode(mem, root, leaf, slot, lpDelete(mem, node, LP_HEADER, count), PACKED, -count)
  } catch (error) {
    removeNode(mem, root, 0, 0)
    freeNode(mem, front, PACKED)
    throw error
  }
  setFront(mem, root, true)
}

/** Moves the older part of a full front to the rest; of one large element, all of it. */
function passOn(mem: Arena, root: Ref): void {
  if (endCount() < 2) {
    joinFront(mem, root)
    openEnd(mem, root, true)
    return
  }
  const front = endNode()
  const count = keptCount(mem, front)
  const moved = endCount() - count
  findRest(mem, root)
  const { leaf, slot } = found
  const rest = nodeAt(mem, root, leaf, slot)
  beforeChange(mem, root, front)
  beforeChange(mem, root, rest)
  const kept = lpHead(mem, front, keptEnd, count)
  let joined: Ref
  try {
    joined = lpInsertFrom(mem, rest, LP_HEADER, front, keptEnd, moved)
  } catch (error) {
    freeNode(mem, kept, PACKED)
    throw error
  }
  setNode(mem, root, leaf, slot, joined, PACKED, moved)
  setNode(mem, root, 0, 0, kept, PACKED, -moved)
  freeNode(mem, front, PACKED)
}

/** The one listpack that the front and the rest would be, outside the arena. */
export function joinedListpack(mem: Arena, root: Ref): Uint8Array {
  const bytes = new Uint8Array(joinedBytes(mem, root))
  const count = Math.min(joinedCount(mem, root), 0xffff)
  const front = nodeAt(mem, root, 0, 0)
  const rest = nodeAt(mem, root, found.leaf, found.slot)
  const length = lpBytes(mem, front) - 1
  bytes.set(mem.u8[segmentOf(front)].subarray(byteOf(front), byteOf(front) + length))
  bytes.set(mem.u8[segmentOf(rest)].subarray(byteOf(rest) + LP_HEADER, byteOf(rest) + lpBytes(mem, rest)), length)
  new DataView(bytes.buffer).setUint32(0, bytes.length, true)
  new DataView(bytes.buffer).setUint16(4, count, true)
  return bytes
}
