/**
 * quicklist front: a small node before the first one of a quicklist, in which pushes and pops at the head take place.
 *
 *   | front, FRONT_BYTES at most | rest of the node | node | node | ...
 *
 * An element at the head of a listpack moves all others, and in a node of 8 KiB that is most of what LPUSH costs. A FRONT
 * (quicklist-node.ts) moves nothing. When it is full, its older part goes over to the rest, which moves once in a hundred pushes; when the two
 * have become as large as a node may be, all of it goes, and the FRONT is the next node. Pops at the head cut one from a large node.
 *
 * (1) The front and the second node are one node to everybody else: together they are within the limits of a node, and `quicklistNodes`,
 *     payloads and conversions take them for one. Only the index, the cursor and edits see two. The second node is PACKED.
 * (2) A front is PACKED after edits and in a copy, and a FRONT may be a node of its own, wherever edits leave it.
 * (3) There is neither in a list that compresses its inner nodes: which these are depends on the number of nodes.
 * (4) On OutOfMemory the list has its old elements.
 */
import { type Arena, hasMemoryFor } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf } from '../memory/ref.ts'
import { copyBytes, moveBytes } from '../util/bytes.ts'
import { beforeChange } from './before-change.ts'
import { EMPTY_BYTES, LP_END, LP_HEADER, lpBytes, lpDelete, lpInsertRun } from './listpack.ts'
import { lpSkip, prepare, putElement } from './listpack-element.ts'
import {
  bytesAt,
  countAt,
  depthOf,
  endBytes,
  endCount,
  endKind,
  endNode,
  fillOf,
  found,
  hasFront,
  insertNode,
  kindAt,
  leafUsed,
  nodeAt,
  nodeCount,
  openEnd,
  removeNode,
  secondBytes,
  secondCount,
  setEnd,
  setFront,
  setFrontNode,
  setNode,
} from './quicklist-index.ts'
import { exceedsLimit, firstOffset, FRONT, FRONT_BYTES, freeNode, PACKED, plainThreshold, roomFor, thawFront } from './quicklist-node.ts'

/** What a full front keeps, for pops. */
const KEPT_BYTES = FRONT_BYTES / 4
/** What a front has that is cut from a node, so that there is room for pushes; a smaller node becomes a front as a whole. */
const CUT_BYTES = FRONT_BYTES - KEPT_BYTES
/** In a node of fewer bytes pops move what is behind them. */
const CUT_MIN = FRONT_BYTES / 2
/** Most bytes that an element in a FRONT has besides its own. */
const ELEMENT_EXTRA = 4
/** Longer elements are in no FRONT. */
const LENGTH_MAX = FRONT_BYTES - EMPTY_BYTES - ELEMENT_EXTRA

/** Nodes of the list as everybody else counts them. */
export function quicklistNodes(mem: Arena, root: Ref): number {
  return nodeCount(mem, root) - (hasFront(mem, root) ? 1 : 0)
}

/**
 * Whether the first node, which is the end that has been opened, is a FRONT with room for an element of `len` bytes; makes it one, and opens
 * it, where that is worth it. Otherwise the first node, opened again, has no front.
 */
export function frontTakes(mem: Arena, root: Ref, len: number): boolean {
  const fits = len <= LENGTH_MAX && endBytes() + len + ELEMENT_EXTRA <= FRONT_BYTES
  return (endKind() === FRONT && fits && headHasRoom(mem, root, len)) || makeRoom(mem, root, len)
}

/** Whether the first node, its front with the rest, may have another element. */
function headHasRoom(mem: Arena, root: Ref, len: number): boolean {
  const fill = fillOf(mem, root)
  if (!hasFront(mem, root)) return roomFor(endBytes(), endCount(), len, fill)
  return roomFor(endBytes() + secondBytes(mem, root) - EMPTY_BYTES, endCount() + secondCount(mem, root), len, fill)
}

/** Puts an element before the first one, in the FRONT that has been opened, which has room. */
export function pushFront(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): void {
  const front = endNode()
  beforeChange(mem, root, front)
  const total = endBytes() + prepare(bytes, off, len)
  const segment = segmentOf(front)
  putElement(mem.u8[segment], mem.data[segment], byteOf(front) + firstOffset(FRONT, total), bytes, off, len)
  setEnd(mem, root, front, total, 1)
}

/** frontTakes where there is no FRONT or it has no room. */
function makeRoom(mem: Arena, root: Ref, len: number): boolean {
  const short = len <= LENGTH_MAX && len < plainThreshold.bytes
  if (hasFront(mem, root)) {
    if (endKind() !== FRONT || !short) {
      joinFront(mem, root)
      openEnd(mem, root, true)
    } else if (!joinedFits(mem, root, fillOf(mem, root), 1)) {
      setFront(mem, root, false)
      return frontTakes(mem, root, len)
    }
  }
  if (!short) return false
  const room = headHasRoom(mem, root, len)
  if (endKind() === FRONT) passOn(mem, root, room ? Math.min(KEPT_BYTES, LENGTH_MAX - len) : 0)
  else if (endKind() !== PACKED || endBytes() < FRONT_BYTES || depthOf(mem, root) !== 0) return false
  else insertFront(mem, root, newFront(mem))
  setFront(mem, root, room)
  openEnd(mem, root, true)
  return true
}

function newFront(mem: Arena): Ref {
  const front = mem.alloc(FRONT_BYTES)
  mem.u8[segmentOf(front)][byteOf(front) + FRONT_BYTES - 1] = LP_END
  return front
}

/** Puts a FRONT without elements before the first node; frees it when there is no memory. */
function insertFront(mem: Arena, root: Ref, front: Ref): void {
  try {
    insertNode(mem, root, 0, 0, front, FRONT, 0)
  } catch (error) {
    freeNode(mem, front, FRONT)
    throw error
  }
  setFrontNode(mem, root, 0, 0, front, EMPTY_BYTES, 0)
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

/** Whether the front lets the last node take an element of `len` bytes: if that is the rest, the front counts. */
export function restTakes(mem: Arena, root: Ref, len: number): boolean {
  if (!hasFront(mem, root) || nodeCount(mem, root) !== 2) return true
  return roomFor(joinedBytes(mem, root), joinedCount(mem, root), len, fillOf(mem, root))
}

/** Makes the front and the rest one node; two, when edits have made them too large for one. */
export function joinFront(mem: Arena, root: Ref): void {
  if (!joinedFits(mem, root, fillOf(mem, root), 1)) return setFront(mem, root, false)
  const front = nodeAt(mem, root, 0, 0)
  const kind = kindAt(mem, root, 0, 0)
  const bytes = bytesAt(mem, root, 0, 0)
  beforeChange(mem, root, front)
  prependToRest(mem, root, front, firstOffset(kind, bytes), bytes - EMPTY_BYTES, countAt(mem, root, 0, 0))
  removeNode(mem, root, 0, 0)
  freeNode(mem, front, kind)
}

/** Puts the `count` elements that are `size` bytes of the front's block from `from` on before those of the rest, too. */
function prependToRest(mem: Arena, root: Ref, front: Ref, from: number, size: number, count: number): void {
  findRest(mem, root)
  const { leaf, slot } = found
  const rest = nodeAt(mem, root, leaf, slot)
  beforeChange(mem, root, rest)
  setNode(mem, root, leaf, slot, lpInsertRun(mem, rest, LP_HEADER, front, from, size, count), PACKED, count)
}

/**
 * Moves the elements of the FRONT that has been opened to the rest, which it makes if there is none, but for the first ones: those that are
 * not more than `kept` bytes, which are not all.
 */
function passOn(mem: Arena, root: Ref, kept: number): void {
  const front = endNode()
  const total = endBytes()
  const first = firstOffset(FRONT, total)
  const count = endCount()
  const stay = countUpTo(mem.u8[segmentOf(front)], byteOf(front) + first, kept, count)
  const size = sizeUpTo
  beforeChange(mem, root, front)
  if (hasFront(mem, root)) prependToRest(mem, root, front, first + size, total - EMPTY_BYTES - size, count - stay)
  else makeRest(mem, root, front, total - size, count - stay)
  moveBytes(mem.u8[segmentOf(front)], byteOf(front) + FRONT_BYTES - 1 - size, byteOf(front) + first, size)
  setFrontNode(mem, root, 0, 0, front, EMPTY_BYTES + size, stay - countAt(mem, root, 0, 0))
}

/** Gives the place of the FRONT to a listpack with its last `count` elements, and puts the FRONT, now without elements, before it. */
function makeRest(mem: Arena, root: Ref, front: Ref, bytes: number, count: number): void {
  const rest = thawFront(mem, front, bytes, count)
  try {
    insertNode(mem, root, 0, 0, front, FRONT, 0)
  } catch (error) {
    freeNode(mem, rest, PACKED)
    throw error
  }
  findRest(mem, root)
  setNode(mem, root, found.leaf, found.slot, rest, PACKED, count - countAt(mem, root, found.leaf, found.slot))
}

/** How many of the `count` elements from `start` on are in `limit` bytes together; `sizeUpTo` is what they take. */
function countUpTo(u8: Uint8Array, start: number, limit: number, count: number): number {
  let at = start
  let seen = 0
  for (; seen < count; seen++) {
    const next = lpSkip(u8, at)
    if (next - start > limit) break
    at = next
  }
  sizeUpTo = at - start
  return seen
}
let sizeUpTo = 0

/**
 * Cuts a FRONT from the first node, the end that has been opened, if it is PACKED; false when it has a front, is too small or may have none.
 * The end is opened again. Without memory the node stays whole, but its place in the index may be another.
 */
export function cutFront(mem: Arena, root: Ref): boolean {
  if (endKind() !== PACKED || endBytes() < CUT_MIN || endCount() < 2 || hasFront(mem, root) || depthOf(mem, root) !== 0) return false
  const node = endNode()
  const whole = endBytes() <= FRONT_BYTES
  const limit = whole ? FRONT_BYTES : CUT_BYTES
  const count = countUpTo(mem.u8[segmentOf(node)], byteOf(node) + LP_HEADER, limit, endCount() - (whole ? 0 : 1))
  if (count === 0) return false
  beforeChange(mem, root, node)
  const size = sizeUpTo
  const cut = hasMemoryFor(() => {
    const front = frontOf(mem, node, size)
    if (whole) replaceByFront(mem, root, node, front)
    else splitFront(mem, root, node, front, size, count)
  })
  openEnd(mem, root, true)
  return cut
}

/** A FRONT with the first elements of a listpack, which are `size` bytes. */
function frontOf(mem: Arena, node: Ref, size: number): Ref {
  const front = newFront(mem)
  const to = byteOf(front) + firstOffset(FRONT, size + EMPTY_BYTES)
  copyBytes(mem.u8[segmentOf(front)], to, mem.u8[segmentOf(node)], byteOf(node) + LP_HEADER, size)
  return front
}

function replaceByFront(mem: Arena, root: Ref, node: Ref, front: Ref): void {
  setFrontNode(mem, root, 0, 0, front, lpBytes(mem, node), 0)
  freeNode(mem, node, PACKED)
}

/** Puts a FRONT with the first `count` elements of the first node before it, and takes them out there. */
function splitFront(mem: Arena, root: Ref, node: Ref, front: Ref, size: number, count: number): void {
  insertFront(mem, root, front)
  findRest(mem, root)
  try {
    setNode(mem, root, found.leaf, found.slot, lpDelete(mem, node, LP_HEADER, count), PACKED, -count)
  } catch (error) {
    removeNode(mem, root, 0, 0)
    freeNode(mem, front, FRONT)
    throw error
  }
  setFrontNode(mem, root, 0, 0, front, size + EMPTY_BYTES, count)
  setFront(mem, root, true)
}

/** The one listpack that the front and the rest would be, outside the arena. */
export function joinedListpack(mem: Arena, root: Ref): Uint8Array {
  const bytes = new Uint8Array(joinedBytes(mem, root))
  const count = joinedCount(mem, root)
  const rest = nodeAt(mem, root, found.leaf, found.slot)
  const total = bytesAt(mem, root, 0, 0)
  const size = total - EMPTY_BYTES
  const front = nodeAt(mem, root, 0, 0)
  putRun(bytes, LP_HEADER, mem, front, firstOffset(kindAt(mem, root, 0, 0), total), size)
  putRun(bytes, LP_HEADER + size, mem, rest, LP_HEADER, bytes.length - LP_HEADER - size)
  return withHeader(bytes, count)
}

/** The listpack that a FRONT would be, outside the arena. */
export function frontListpack(mem: Arena, front: Ref, bytes: number, count: number): Uint8Array {
  const out = new Uint8Array(bytes)
  putRun(out, LP_HEADER, mem, front, firstOffset(FRONT, bytes), bytes - LP_HEADER)
  return withHeader(out, count)
}

function putRun(out: Uint8Array, to: number, mem: Arena, block: Ref, from: number, size: number): void {
  copyBytes(out, to, mem.u8[segmentOf(block)], byteOf(block) + from, size)
}

function withHeader(bytes: Uint8Array, count: number): Uint8Array {
  const view = new DataView(bytes.buffer)
  view.setUint32(0, bytes.length, true)
  view.setUint16(4, Math.min(count, 0xffff), true)
  return bytes
}
