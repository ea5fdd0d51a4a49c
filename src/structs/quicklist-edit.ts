/**
 * quicklist edit: inserting, replacing and deleting anywhere in a quicklist. Nodes split and join here.
 *
 * A node that has no room splits at the place of the insert, and its halves join their neighbours when the two fit into one node. What an
 * edit touches is compressed again if it is an inner node.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf } from '../memory/ref.ts'
import { equalBytes } from '../util/bytes.ts'
import {
  LP_END,
  LP_HEADER,
  lpAppend,
  lpBytes,
  lpDelete,
  lpEnd,
  lpHead,
  lpInsert,
  lpInsertAll,
  lpLast,
  lpPrepend,
  lpPrev,
  lpReplace,
  lpSeek,
  lpTail,
} from './listpack.ts'
import { findPrepared, lpSkip, matchesPrepared, prepare } from './listpack-element.ts'
import { dropNode, insertElementNode, linkNode, settleEnds, settleNode, thawed } from './quicklist.ts'
import { cursor, cursorIndex, indexInNode, openNode, quicklistSeek } from './quicklist-cursor.ts'
import { countAt, depthOf, fillOf, found, kindAt, leafCount, leafUsed, nodeAt, seekNode, setNode } from './quicklist-index.ts'
import { exceedsLimit, freeNode, newPlain, PACKED, PLAIN, plainLength, plainStart, plainThreshold, roomFor } from './quicklist-node.ts'

/** Puts another element in the place of the cursor's. */
export function quicklistReplace(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): void {
  const { leaf, slot, kind } = cursor
  const fits = len < plainThreshold.bytes
  if (kind === PLAIN || !fits) return replaceNode(mem, root, bytes, off, len)
  const position = cursor.at - cursor.base
  const lp = thawed(mem, root, leaf, slot)
  setNode(mem, root, leaf, slot, lpReplace(mem, lp, position, bytes, off, len), PACKED, 0)
  settleNode(mem, root, leaf, slot)
}

/** Replaces where the old or the new element is PLAIN: the new one goes in behind the old one, which is then deleted. */
function replaceNode(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): void {
  const index = cursorIndex(mem, root)
  quicklistInsert(mem, root, true, bytes, off, len)
  quicklistSeek(mem, root, index)
  quicklistDelete(mem, root)
}

/** Deletes the cursor's element. The cursor is invalid afterwards. */
export function quicklistDelete(mem: Arena, root: Ref): void {
  const { leaf, slot } = cursor
  if (countAt(mem, root, leaf, slot) === 1) {
    dropNode(mem, root, leaf, slot)
    return settleEnds(mem, root)
  }
  const position = cursor.at - cursor.base
  const lp = thawed(mem, root, leaf, slot)
  setNode(mem, root, leaf, slot, lpDelete(mem, lp, position, 1), PACKED, -1)
  settleNode(mem, root, leaf, slot)
}

/**
 * Deletes `count` elements from `index` on, which must exist. The part of a last node goes first, whole nodes take no memory: a range at an
 * end of the list is deleted or, on OutOfMemory, all there.
 */
export function quicklistDeleteRange(mem: Arena, root: Ref, index: number, count: number): void {
  let left = count === 0 ? 0 : count - deleteLastPart(mem, root, index, count)
  while (left > 0) {
    seekNode(mem, root, index)
    const { leaf, slot, index: inside } = found
    const held = countAt(mem, root, leaf, slot)
    const gone = Math.min(left, held - inside)
    if (gone === held) dropNode(mem, root, leaf, slot)
    else deletePart(mem, root, inside, gone)
    left -= gone
  }
  settleEnds(mem, root)
}

/** Deletes what a range has in its last node, unless it ends with that; returns how many elements that is. */
function deleteLastPart(mem: Arena, root: Ref, index: number, count: number): number {
  seekNode(mem, root, index + count - 1)
  const end = found.index + 1
  if (end === countAt(mem, root, found.leaf, found.slot)) return 0
  const gone = Math.min(count, end)
  deletePart(mem, root, end - gone, gone)
  return gone
}

/** Deletes elements of the node at `found`, not all. */
function deletePart(mem: Arena, root: Ref, index: number, count: number): void {
  const { leaf, slot } = found
  const lp = thawed(mem, root, leaf, slot)
  setNode(mem, root, leaf, slot, lpDelete(mem, lp, lpSeek(mem, lp, index), count), PACKED, -count)
  settleNode(mem, root, leaf, slot)
}

// ---- insert ----

/** Inserts an element before or after the cursor's. The cursor is invalid afterwards. */
export function quicklistInsert(mem: Arena, root: Ref, after: boolean, bytes: Uint8Array, off: number, len: number): void {
  const { leaf, slot, kind } = cursor
  const count = countAt(mem, root, leaf, slot)
  const index = indexInNode() + (after ? 1 : 0)
  const position = kind === PLAIN ? 0 : (after ? lpSkip(cursor.view, cursor.at) : cursor.at) - cursor.base
  if (kind !== PLAIN) {
    const lp = thawed(mem, root, leaf, slot)
    if (roomFor(lpBytes(mem, lp), count, len, fillOf(mem, root))) {
      setNode(mem, root, leaf, slot, lpInsert(mem, lp, position, bytes, off, len), PACKED, 1)
      return settleNode(mem, root, leaf, slot)
    }
  }
  found.leaf = leaf
  found.slot = slot
  if (index > 0 && index < count) splitNode(mem, root, position, index, bytes, off, len)
  else if (!insertIntoNeighbour(mem, root, index === 0, bytes, off, len)) {
    insertElementNode(mem, root, leaf, index === 0 ? slot : slot + 1, bytes, off, len)
  }
  settleAround(mem, root)
}

/** Moves `found` to the node before (or after) it; false when there is none. */
function step(mem: Arena, root: Ref, back: boolean): boolean {
  if (back) {
    if (found.slot > 0) found.slot--
    else if (found.leaf === 0) return false
    else found.slot = leafUsed(mem, root, --found.leaf) - 1
  } else if (found.slot + 1 < leafUsed(mem, root, found.leaf)) found.slot++
  else if (found.leaf + 1 === leafCount(mem, root)) return false
  else {
    found.leaf++
    found.slot = 0
  }
  return true
}

/** Puts the element at the near end of the node before or after `found`, if that has room; moves `found` there. */
function insertIntoNeighbour(mem: Arena, root: Ref, before: boolean, bytes: Uint8Array, off: number, len: number): boolean {
  const { leaf, slot } = found
  if (!step(mem, root, before)) return false
  if (kindAt(mem, root, found.leaf, found.slot) !== PLAIN) {
    const lp = thawed(mem, root, found.leaf, found.slot)
    if (roomFor(lpBytes(mem, lp), countAt(mem, root, found.leaf, found.slot), len, fillOf(mem, root))) {
      const grown = before ? lpAppend(mem, lp, bytes, off, len) : lpPrepend(mem, lp, bytes, off, len)
      setNode(mem, root, found.leaf, found.slot, grown, PACKED, 1)
      return true
    }
    settleNode(mem, root, found.leaf, found.slot)
  }
  found.leaf = leaf
  found.slot = slot
  return false
}

/** Splits the node at `found` before `position` and puts the element between; everything that can fail comes first. */
function splitNode(mem: Arena, root: Ref, position: number, index: number, bytes: Uint8Array, off: number, len: number): void {
  const { leaf, slot } = found
  const lp = nodeAt(mem, root, leaf, slot)
  const count = countAt(mem, root, leaf, slot)
  const left = lpHead(mem, lp, position, index)
  let plain = false
  try {
    let right = lpTail(mem, lp, position, count - index)
    if (len < plainThreshold.bytes) {
      try {
        right = lpPrepend(mem, right, bytes, off, len)
      } catch (error) {
        freeNode(mem, right, PACKED)
        throw error
      }
      linkNode(mem, root, leaf, slot + 1, right, PACKED, count - index + 1)
    } else {
      plain = true
      linkNode(mem, root, leaf, slot + 1, right, PACKED, count - index)
      linkPlain(mem, root, bytes, off, len)
    }
  } catch (error) {
    freeNode(mem, left, PACKED)
    throw error
  }
  step(mem, root, true)
  setNode(mem, root, found.leaf, found.slot, left, PACKED, index - count)
  freeNode(mem, lp, PACKED)
  if (!plain) mergeHalves(mem, root)
}

/** Puts a PLAIN node before the one at `found`, which goes when that fails. */
function linkPlain(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): void {
  const { leaf, slot } = found
  try {
    linkNode(mem, root, leaf, slot, newPlain(mem, bytes, off, len), PLAIN, 1)
  } catch (error) {
    dropNode(mem, root, leaf, slot)
    throw error
  }
}

/** Joins the two halves, `found` and the node after it, with the nodes around them where they fit. */
function mergeHalves(mem: Arena, root: Ref): void {
  const { leaf, slot } = found
  if (step(mem, root, false)) mergeWithNext(mem, root)
  found.leaf = leaf
  found.slot = slot
  if (step(mem, root, true) && !mergeWithNext(mem, root)) step(mem, root, false)
}

/** Moves the elements of the node after `found` into it, if both fit into one node. */
function mergeWithNext(mem: Arena, root: Ref): boolean {
  const { leaf, slot } = found
  if (!step(mem, root, false)) return false
  const next = { ...found }
  found.leaf = leaf
  found.slot = slot
  if (kindAt(mem, root, leaf, slot) === PLAIN || kindAt(mem, root, next.leaf, next.slot) === PLAIN) return false
  try {
    const lp = thawed(mem, root, leaf, slot)
    const other = thawed(mem, root, next.leaf, next.slot)
    const count = countAt(mem, root, next.leaf, next.slot)
    if (exceedsLimit(fillOf(mem, root), lpBytes(mem, lp) + lpBytes(mem, other) - 7, countAt(mem, root, leaf, slot) + count)) return false
    setNode(mem, root, leaf, slot, lpInsertAll(mem, lp, lpEnd(mem, lp), other), PACKED, count)
    dropNode(mem, root, next.leaf, next.slot)
    return true
  } catch {
    return false
  }
}

/** After an edit at `found`: compresses it and its neighbours if they are inner nodes, and sets the ends right. */
function settleAround(mem: Arena, root: Ref): void {
  if (depthOf(mem, root) === 0) return
  for (let back = 0; back < 2 && step(mem, root, true); back++);
  for (let i = 0; i < 5; i++) {
    settleNode(mem, root, found.leaf, found.slot)
    if (!step(mem, root, false)) break
  }
  settleEnds(mem, root)
}

// ---- by value ----

/** Puts the cursor on the first element with these bytes; false when there is none. */
export function quicklistFind(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  prepare(bytes, off, len)
  for (let leaf = 0; leaf < leafCount(mem, root); leaf++) {
    for (let slot = 0; slot < leafUsed(mem, root, leaf); slot++) {
      openNode(mem, root, leaf, slot)
      if (cursor.kind === PLAIN) {
        if (plainEquals(mem, nodeAt(mem, root, leaf, slot), bytes, off, len)) return true
        continue
      }
      const at = findPrepared(cursor.view, cursor.at, bytes, off, len, 0)
      if (at < 0) continue
      cursor.at = at
      return true
    }
  }
  return false
}

function plainEquals(mem: Arena, node: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  return plainLength(mem, node) === len && equalBytes(mem.u8[segmentOf(node)], plainStart(node), bytes, off, len)
}

/** Elements that the last `removeMatches` or `quicklistRemoveMatches` deleted. */
export let removedMatches = 0
/** Why `removePrepared` stopped early. A listpack may already have moved by then, so it returns the ref first. */
let failure: unknown = null

/** Throws what stopped the last `removeMatches`; to be called when its ref has been stored. */
export function throwFailure(): void {
  const error = failure
  failure = null
  if (error !== null) throw error
}

/** Deletes up to `limit` elements with these bytes from a listpack, from the first or (back) the last on; returns its ref. */
export function removeMatches(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number, limit: number, back: boolean): Ref {
  prepare(bytes, off, len)
  removedMatches = 0
  return removePrepared(mem, lp, bytes, off, len, limit, back)
}

/** The same for the bytes prepared last; adds to `removedMatches`. */
function removePrepared(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number, limit: number, back: boolean): Ref {
  let fresh = lp
  let position = back ? lpLast(mem, fresh) : nextMatch(mem, fresh, LP_HEADER, bytes, off, len)
  try {
    while (position !== 0 && removedMatches < limit) {
      const before = back ? lpPrev(mem, fresh, position) : position
      if (!back || matchesPrepared(mem.u8[segmentOf(fresh)], byteOf(fresh) + position, bytes, off, len)) {
        fresh = lpDelete(mem, fresh, position, 1)
        removedMatches++
      }
      position = back ? before : nextMatch(mem, fresh, before, bytes, off, len)
    }
  } catch (error) {
    failure = error
  }
  return fresh
}

/** Position of the first prepared element from `position` on, 0 when there is none. */
function nextMatch(mem: Arena, lp: Ref, position: number, bytes: Uint8Array, off: number, len: number): number {
  const at = findPrepared(mem.u8[segmentOf(lp)], byteOf(lp) + position, bytes, off, len, 0)
  return at < 0 ? 0 : at - byteOf(lp)
}

/** Deletes up to `limit` elements with these bytes, from the first or (back) the last on. */
export function quicklistRemoveMatches(
  mem: Arena,
  root: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  limit: number,
  back: boolean,
): void {
  prepare(bytes, off, len)
  removedMatches = 0
  let leaf = back ? leafCount(mem, root) - 1 : 0
  let slot = back ? leafUsed(mem, root, leaf) - 1 : 0
  while (removedMatches < limit && leaf >= 0 && leaf < leafCount(mem, root)) {
    if (slot < 0) {
      if (--leaf >= 0) slot = leafUsed(mem, root, leaf) - 1
    } else if (slot >= leafUsed(mem, root, leaf)) {
      leaf++
      slot = 0
    } else {
      const stays = removeInNode(mem, root, leaf, slot, bytes, off, len, limit, back)
      if (back) slot--
      else if (stays) slot++
    }
  }
  settleEnds(mem, root)
}

/** Deletes matches in one node; false when the node went with them. */
function removeInNode(
  mem: Arena,
  root: Ref,
  leaf: number,
  slot: number,
  bytes: Uint8Array,
  off: number,
  len: number,
  limit: number,
  back: boolean,
): boolean {
  openNode(mem, root, leaf, slot)
  if (cursor.kind === PLAIN) {
    if (!plainEquals(mem, nodeAt(mem, root, leaf, slot), bytes, off, len)) return true
    removedMatches++
    dropNode(mem, root, leaf, slot)
    return false
  }
  if (findPrepared(cursor.view, cursor.at, bytes, off, len, 0) < 0) return true
  const lp = thawed(mem, root, leaf, slot)
  const before = removedMatches
  const fresh = removePrepared(mem, lp, bytes, off, len, limit, back)
  setNode(mem, root, leaf, slot, fresh, PACKED, before - removedMatches)
  throwFailure()
  if (mem.u8[segmentOf(fresh)][byteOf(fresh) + LP_HEADER] === LP_END) {
    dropNode(mem, root, leaf, slot)
    return false
  }
  settleNode(mem, root, leaf, slot)
  return true
}
