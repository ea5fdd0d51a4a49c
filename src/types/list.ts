/**
 * list: a sequence of byte strings.
 *
 *   LISTPACK    one listpack, as long as it is within list-max-listpack-size
 *   QUICKLIST   a quicklist; back to LISTPACK when one node is left that is within half of that
 *
 * Reads and edits in the middle go through the cursor (structs/quicklist-cursor.ts): `listSeek` or `listFind`, then `cursorGet`,
 * `cursorNext`, `cursorPrev`, or one of the edits here, after which it is invalid. A list may be empty after a deletion: then the key
 * must go. On OutOfMemory the list has its old elements.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { encodingOf, setEncoding, setValueRef, valueRef } from '../structs/entry.ts'
import {
  copyListpack,
  freeListpack,
  lpAppend,
  lpBytes,
  lpDelete,
  lpDropEnd,
  lpFind,
  lpFirst,
  lpInsert,
  lpLength,
  lpPrepend,
  lpReplace,
  lpSeek,
  newListpack,
} from '../structs/listpack.ts'
import { lpDecode, lpSkip, lpValue } from '../structs/listpack-element.ts'
import {
  type ElementSink,
  auditQuicklist,
  copyQuicklist,
  estimateQuicklist,
  freeQuicklist,
  freeQuicklistStep,
  newQuicklist,
  quicklistCount,
  quicklistDropEnd,
  quicklistFrom,
  quicklistNodes,
  quicklistPop,
  quicklistPush,
  quicklistUnwrap,
} from '../structs/quicklist.ts'
import { cursor, openListpack, quicklistSeek, quicklistSeekEnd } from '../structs/quicklist-cursor.ts'
import {
  quicklistDelete,
  quicklistDeleteRange,
  quicklistFind,
  quicklistInsert,
  quicklistRemoveMatches,
  quicklistReplace,
  removedMatches,
  removeMatches,
  throwFailure,
} from '../structs/quicklist-edit.ts'
import { quicklistMoveRoot, quicklistMoveStep } from '../structs/quicklist-move.ts'
import { exceedsLimit, plainThreshold } from '../structs/quicklist-node.ts'
import type { Frame } from '../util/argv.ts'
import { LISTPACK, QUICKLIST, type TypeOps } from './object.ts'

/** list-max-listpack-size and list-compress-depth. */
export interface ListLimits {
  readonly size: number
  readonly depth: number
}

export const listOps: TypeOps = {
  name: 'list',
  free(mem, entry) {
    if (encodingOf(mem, entry) === QUICKLIST) freeQuicklist(mem, valueRef(mem, entry))
    else freeListpack(mem, valueRef(mem, entry))
  },
  freeStep(mem, entry, budget) {
    if (encodingOf(mem, entry) === QUICKLIST) return freeQuicklistStep(mem, valueRef(mem, entry), budget)
    freeListpack(mem, valueRef(mem, entry))
    return true
  },
  freeEffort: (mem, entry) => (encodingOf(mem, entry) === QUICKLIST ? quicklistNodes(mem, valueRef(mem, entry)) : 1),
  audit(mem, entry, report) {
    const root = valueRef(mem, entry)
    if (encodingOf(mem, entry) === QUICKLIST) auditQuicklist(mem, root, report)
    else report(root, lpBytes(mem, root))
  },
  estimate: (mem, entry, samples) => estimateQuicklist(mem, valueRef(mem, entry), samples),
  copyRoot(mem, entry) {
    const root = valueRef(mem, entry)
    return encodingOf(mem, entry) === QUICKLIST ? copyQuicklist(mem, root) : copyListpack(mem, root)
  },
  moveStep(mem, entry, place) {
    if (encodingOf(mem, entry) !== QUICKLIST) return false
    if (place.at === 0) setValueRef(mem, entry, quicklistMoveRoot(mem, valueRef(mem, entry)))
    place.at = quicklistMoveStep(mem, valueRef(mem, entry), place.at)
    return place.at !== 0
  },
}

/** An empty list's root, of the encoding LISTPACK. */
export function newList(mem: Arena): Ref {
  return newListpack(mem)
}

export function listLength(mem: Arena, entry: Ref): number {
  const root = valueRef(mem, entry)
  return encodingOf(mem, entry) === QUICKLIST ? quicklistCount(mem, root) : lpLength(mem, root)
}

/** Converts a listpack that would outgrow its limits with `count` more elements of `bytes` bytes together. */
export function listMakeRoom(mem: Arena, entry: Ref, count: number, bytes: number, limits: ListLimits): void {
  if (encodingOf(mem, entry) === QUICKLIST) return
  const lp = valueRef(mem, entry)
  if (bytes < plainThreshold.bytes && !exceedsLimit(limits.size, lpBytes(mem, lp) + bytes, lpLength(mem, lp) + count)) return
  toQuicklist(mem, entry, limits)
}

function toQuicklist(mem: Arena, entry: Ref, limits: ListLimits): void {
  const lp = valueRef(mem, entry)
  const empty = lpLength(mem, lp) === 0
  const root = empty ? newQuicklist(mem, limits.size, limits.depth) : quicklistFrom(mem, lp, limits.size, limits.depth)
  if (empty) freeListpack(mem, lp)
  setValueRef(mem, entry, root)
  setEncoding(mem, entry, QUICKLIST)
}

/** Converts back to a listpack when deletions left little enough; `half` keeps lists at the limit from going to and fro. */
export function listShrink(mem: Arena, entry: Ref, limits: ListLimits, half = true): void {
  if (encodingOf(mem, entry) !== QUICKLIST) return
  const root = valueRef(mem, entry)
  if (quicklistNodes(mem, root) !== 1) return
  const lp = quicklistUnwrap(mem, root, limits.size, half)
  if (lp === NULL_REF) return
  setValueRef(mem, entry, lp)
  setEncoding(mem, entry, LISTPACK)
}

/** The length of a list after a deletion; converts it as `listShrink` does unless it is empty. */
export function listSettle(mem: Arena, entry: Ref, limits: ListLimits): number {
  const root = valueRef(mem, entry)
  return encodingOf(mem, entry) === QUICKLIST ? settle(mem, entry, root, limits) : lpLength(mem, root)
}

function settle(mem: Arena, entry: Ref, root: Ref, limits: ListLimits): number {
  const count = quicklistCount(mem, root)
  if (count > 0 && quicklistNodes(mem, root) === 1) listShrink(mem, entry, limits)
  return count
}

/** Hands the first or the last element of a list that is not empty to `out`, and deletes it; returns how many are left, as listSettle does. */
export function listPop(mem: Arena, entry: Ref, head: boolean, out: ElementSink, limits: ListLimits): number {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) {
    quicklistPop(mem, root, head, out)
    return settle(mem, entry, root, limits)
  }
  openListpack(mem, root, head ? 0 : -1)
  lpDecode(cursor.view, cursor.at)
  out.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  const lp = lpDropEnd(mem, root, head)
  setValueRef(mem, entry, lp)
  return lpLength(mem, lp)
}

/** Pushes the arguments from `first` on, one after the other; returns the length of the list. */
export function listPushArgs(mem: Arena, entry: Ref, head: boolean, argv: Frame, first: number): number {
  if (encodingOf(mem, entry) !== QUICKLIST) {
    for (let i = first; i < argv.count; i++) listPush(mem, entry, head, argv.bytes, argv.off(i), argv.len(i))
    return lpLength(mem, valueRef(mem, entry))
  }
  const root = valueRef(mem, entry)
  for (let i = first; i < argv.count; i++) quicklistPush(mem, root, head, argv.bytes, argv.off(i), argv.len(i))
  return quicklistCount(mem, root)
}

export function listPush(mem: Arena, entry: Ref, head: boolean, bytes: Uint8Array, off: number, len: number): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistPush(mem, root, head, bytes, off, len)
  else setValueRef(mem, entry, head ? lpPrepend(mem, root, bytes, off, len) : lpAppend(mem, root, bytes, off, len))
}

/** Puts the cursor on the first or the last element of a list that is not empty. */
export function listSeekEnd(mem: Arena, entry: Ref, head: boolean): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistSeekEnd(mem, root, head)
  else openListpack(mem, root, head ? 0 : -1)
}

/** Deletes the first or the last element, which the cursor was put on by `listSeekEnd` just before. */
export function listDropEnd(mem: Arena, entry: Ref, head: boolean): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistDropEnd(mem, root, head)
  else setValueRef(mem, entry, lpDropEnd(mem, root, head))
}

/** Puts the cursor on the element with this index (negative: from the end); false when there is none. */
export function listSeek(mem: Arena, entry: Ref, index: number): boolean {
  const root = valueRef(mem, entry)
  return encodingOf(mem, entry) === QUICKLIST ? quicklistSeek(mem, root, index) : openListpack(mem, root, index)
}

/** Puts the cursor on the first element with these bytes; false when there is none. */
export function listFind(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) return quicklistFind(mem, root, bytes, off, len)
  const position = lpFind(mem, root, lpFirst(mem, root), bytes, off, len, 0)
  if (position === 0) return false
  openListpack(mem, root, 0)
  cursor.at = cursor.base + position
  return true
}

/** Deletes the cursor's element. */
export function listDelete(mem: Arena, entry: Ref): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistDelete(mem, root)
  else setValueRef(mem, entry, lpDelete(mem, root, cursor.at - cursor.base, 1))
}

/** Puts other bytes in the place of the cursor's element. */
export function listReplace(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistReplace(mem, root, bytes, off, len)
  else setValueRef(mem, entry, lpReplace(mem, root, cursor.at - cursor.base, bytes, off, len))
}

/** Inserts an element before or after the cursor's. */
export function listInsert(mem: Arena, entry: Ref, after: boolean, bytes: Uint8Array, off: number, len: number): void {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) return quicklistInsert(mem, root, after, bytes, off, len)
  const at = after ? lpSkip(cursor.view, cursor.at) : cursor.at
  setValueRef(mem, entry, lpInsert(mem, root, at - cursor.base, bytes, off, len))
}

/** Deletes `count` elements from `index` on, which must exist. */
export function listDeleteRange(mem: Arena, entry: Ref, index: number, count: number): void {
  if (count === 0) return
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistDeleteRange(mem, root, index, count)
  else setValueRef(mem, entry, lpDelete(mem, root, lpSeek(mem, root, index), count))
}

/** Deletes up to `limit` elements with these bytes, from the first or (back) the last on; returns how many. */
export function listRemoveMatches(
  mem: Arena,
  entry: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  limit: number,
  back: boolean,
): number {
  const root = valueRef(mem, entry)
  if (encodingOf(mem, entry) === QUICKLIST) quicklistRemoveMatches(mem, root, bytes, off, len, limit, back)
  else {
    setValueRef(mem, entry, removeMatches(mem, root, bytes, off, len, limit, back))
    throwFailure()
  }
  return removedMatches
}
