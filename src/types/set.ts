/**
 * set: distinct members without order.
 *
 *   INTSET      integers only, sorted
 *   LISTPACK    members one after the other, in order of arrival
 *   HASHTABLE   a dict of entries without values (types/table.ts)
 *
 * (1) A set goes from INTSET to LISTPACK or HASHTABLE, and from LISTPACK to HASHTABLE, as members and limits demand, and never back.
 * (2) Reading a member points `lpValue` at its bytes, until the next read or change. A member read from one set may be added to another.
 * (3) On OutOfMemory the set has its old members.
 *
 * has, add and remove: O(log n) and a move of n integers, O(n), or O(1).
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { dictAdd, dictFind, dictHash, dictRandom, dictRemoveDrawn, dictRemoveFound, dictSize, newDict } from '../structs/dict.ts'
import { dictMoveRoot } from '../structs/dict-move.ts'
import { encodingOf, freeEntry, newEntry, setEncoding, setValueRef, valueRef } from '../structs/entry.ts'
import {
  copyIntset,
  freeIntset,
  intsetAdd,
  intsetBytes,
  intsetGet,
  intsetHas,
  intsetLength,
  intsetParse,
  intsetRemove,
  intsetRemoveAt,
  intsetValue,
  newIntset,
} from '../structs/intset.ts'
import {
  copyListpack,
  freeListpack,
  lpAppend,
  lpBytes,
  lpDelete,
  lpFind,
  lpFirst,
  lpGet,
  lpLength,
  lpNext,
  lpSeek,
  lpValue,
  newListpack,
} from '../structs/listpack.ts'
import { copyBytes } from '../util/bytes.ts'
import { pointAtKey } from './hash.ts'
import { HASHTABLE, INTSET, LISTPACK, type TypeOps } from './object.ts'
import { addOwned, auditTable, copyTable, estimateTable, freeTable, freeTableStep } from './table.ts'
import { moveTableStep } from './table-move.ts'
import { NO_BYTES } from '../util/views.ts'

/** set-max-intset-entries, set-max-listpack-entries, set-max-listpack-value. */
export interface SetLimits {
  readonly intset: number
  readonly entries: number
  readonly value: number
}

/** Most members of an intset, whatever the limit. */
const INTSET_MAX = 2 ** 30

export const setOps: TypeOps = {
  name: 'set',
  free: (mem, entry) => freeSetRoot(mem, encodingOf(mem, entry), valueRef(mem, entry)),
  freeStep(mem, entry, budget) {
    if (encodingOf(mem, entry) === HASHTABLE) return freeTableStep(mem, valueRef(mem, entry), budget)
    freeSetRoot(mem, encodingOf(mem, entry), valueRef(mem, entry))
    return true
  },
  freeEffort: (mem, entry) => (encodingOf(mem, entry) === HASHTABLE ? setSize(mem, entry) : 1),
  audit(mem, entry, report) {
    const root = valueRef(mem, entry)
    const encoding = encodingOf(mem, entry)
    if (encoding === HASHTABLE) auditTable(mem, root, report)
    else report(root, encoding === INTSET ? intsetBytes(mem, root) : lpBytes(mem, root))
  },
  estimate: (mem, entry, samples) => estimateTable(mem, valueRef(mem, entry), samples),
  copyRoot(mem, entry) {
    const root = valueRef(mem, entry)
    const encoding = encodingOf(mem, entry)
    if (encoding === HASHTABLE) return copyTable(mem, root)
    return encoding === INTSET ? copyIntset(mem, root) : copyListpack(mem, root)
  },
  moveStep(mem, entry, place) {
    if (encodingOf(mem, entry) !== HASHTABLE) return false
    if (place.at === 0) setValueRef(mem, entry, dictMoveRoot(mem, valueRef(mem, entry)))
    place.at = moveTableStep(mem, valueRef(mem, entry), NULL_REF, place.at, NULL_REF)
    return place.at !== 0
  },
}

function freeSetRoot(mem: Arena, encoding: number, root: Ref): void {
  if (encoding === HASHTABLE) freeTable(mem, root)
  else if (encoding === INTSET) freeIntset(mem, root)
  else freeListpack(mem, root)
}

/** The encoding a set is born with when a command brings `members` members, the first of them these bytes. */
export function newSetEncoding(bytes: Uint8Array, off: number, len: number, members: number, limits: SetLimits): number {
  if (members <= limits.intset && intsetParse(bytes, off, len)) return INTSET
  return members <= limits.entries ? LISTPACK : HASHTABLE
}

/** An empty root of the encoding. */
export function newSetRoot(mem: Arena, encoding: number): Ref {
  if (encoding === INTSET) return newIntset(mem)
  return encoding === LISTPACK ? newListpack(mem) : newDict(mem)
}

export function setSize(mem: Arena, entry: Ref): number {
  const root = valueRef(mem, entry)
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) return dictSize(mem, root)
  return encoding === INTSET ? intsetLength(mem, root) : lpLength(mem, root)
}

/** Whether these bytes are a member. Leaves `lpValue` alone. */
export function setHas(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const root = valueRef(mem, entry)
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) return dictFind(mem, root, bytes, off, len, dictHash(mem, bytes, off, len)) !== NULL_REF
  if (encoding === INTSET) return intsetParse(bytes, off, len) && intsetHas(mem, root)
  return lpFind(mem, root, lpFirst(mem, root), bytes, off, len, 0) !== 0
}

/** Adds a member; false when it is one already. May convert. */
export function setAdd(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number, limits: SetLimits): boolean {
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) return tableAdd(mem, valueRef(mem, entry), bytes, off, len)
  if (encoding === INTSET) return intsetSetAdd(mem, entry, bytes, off, len, limits)
  const lp = valueRef(mem, entry)
  if (lpFind(mem, lp, lpFirst(mem, lp), bytes, off, len, 0) !== 0) return false
  if (len <= limits.value && lpLength(mem, lp) < limits.entries) {
    setValueRef(mem, entry, lpAppend(mem, lp, bytes, off, len))
    return true
  }
  const kept = keep(bytes, off, len)
  setToTable(mem, entry)
  return tableAdd(mem, valueRef(mem, entry), kept, kept === bytes ? off : 0, len)
}

const kept = new Uint8Array(24)

/** Converting reads members, which overwrites the scratch that short digits may lie in: they are kept elsewhere. */
function keep(bytes: Uint8Array, off: number, len: number): Uint8Array {
  if (len > kept.length) return bytes
  copyBytes(kept, 0, bytes, off, len)
  return kept
}

function tableAdd(mem: Arena, dict: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const hash = dictHash(mem, bytes, off, len)
  if (dictFind(mem, dict, bytes, off, len, hash) !== NULL_REF) return false
  const fresh = newEntry(mem, 0, 0, bytes, off, len, NO_BYTES, 0, 0)
  try {
    dictAdd(mem, dict, fresh, hash)
  } catch (error) {
    freeEntry(mem, fresh)
    throw error
  }
  return true
}

function intsetSetAdd(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number, limits: SetLimits): boolean {
  const set = valueRef(mem, entry)
  if (intsetParse(bytes, off, len)) {
    if (intsetHas(mem, set)) return false
    setValueRef(mem, entry, intsetAdd(mem, set))
    if (intsetLength(mem, valueRef(mem, entry)) > Math.min(limits.intset, INTSET_MAX)) setToTable(mem, entry)
    return true
  }
  if (intsetLength(mem, set) < limits.entries && len <= limits.value && longestMember(mem, set) <= limits.value) {
    intsetToListpack(mem, entry)
    setValueRef(mem, entry, lpAppend(mem, valueRef(mem, entry), bytes, off, len))
    return true
  }
  setToTable(mem, entry)
  return tableAdd(mem, valueRef(mem, entry), bytes, off, len)
}

/** Digits of the longest member of an intset: one of its ends. */
function longestMember(mem: Arena, set: Ref): number {
  const length = intsetLength(mem, set)
  if (length === 0) return 0
  intsetGet(mem, set, 0)
  const first = intsetValue.len
  intsetGet(mem, set, length - 1)
  return Math.max(first, intsetValue.len)
}

function intsetToListpack(mem: Arena, entry: Ref): void {
  const set = valueRef(mem, entry)
  let lp = newListpack(mem)
  try {
    for (let i = 0; i < intsetLength(mem, set); i++) {
      intsetGet(mem, set, i)
      lp = lpAppend(mem, lp, intsetValue.bytes, 0, intsetValue.len)
    }
  } catch (error) {
    freeListpack(mem, lp)
    throw error
  }
  freeIntset(mem, set)
  setValueRef(mem, entry, lp)
  setEncoding(mem, entry, LISTPACK)
}

/** Makes the set a table. */
export function setToTable(mem: Arena, entry: Ref): void {
  const encoding = encodingOf(mem, entry)
  const root = valueRef(mem, entry)
  const dict = newDict(mem)
  try {
    eachSmall(mem, encoding, root, (bytes, off, len) => addOwned(mem, dict, newEntry(mem, 0, 0, bytes, off, len, NO_BYTES, 0, 0)))
  } catch (error) {
    freeTable(mem, dict)
    throw error
  }
  freeSetRoot(mem, encoding, root)
  setValueRef(mem, entry, dict)
  setEncoding(mem, entry, HASHTABLE)
}

function eachSmall(mem: Arena, encoding: number, root: Ref, visit: (bytes: Uint8Array, off: number, len: number) => void): void {
  if (encoding === INTSET) {
    for (let i = 0; i < intsetLength(mem, root); i++) {
      intsetGet(mem, root, i)
      visit(intsetValue.bytes, 0, intsetValue.len)
    }
    return
  }
  for (let at = lpFirst(mem, root); at !== 0; at = lpNext(mem, root, at)) {
    lpGet(mem, root, at)
    visit(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

/** Converts to a table when a command brings too many members at once. */
export function setMakeRoom(mem: Arena, entry: Ref, newMembers: number, limits: SetLimits): void {
  const encoding = encodingOf(mem, entry)
  if ((encoding === LISTPACK && newMembers > limits.entries) || (encoding === INTSET && newMembers > limits.intset)) setToTable(mem, entry)
}

/** Removes a member; false when it is none. The set may be empty afterwards: then the key must go. */
export function setRemove(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const root = valueRef(mem, entry)
  const encoding = encodingOf(mem, entry)
  if (encoding === INTSET) {
    if (!intsetParse(bytes, off, len) || !intsetHas(mem, root)) return false
    setValueRef(mem, entry, intsetRemove(mem, root))
    return true
  }
  if (encoding === LISTPACK) {
    const position = lpFind(mem, root, lpFirst(mem, root), bytes, off, len, 0)
    if (position === 0) return false
    setValueRef(mem, entry, lpDelete(mem, root, position, 1))
    return true
  }
  const hash = dictHash(mem, bytes, off, len)
  const member = dictFind(mem, root, bytes, off, len, hash)
  if (member === NULL_REF) return false
  dictRemoveFound(mem, root, hash)
  freeEntry(mem, member)
  return true
}

/** Where `setRandom` found its member: index, position, or entry. */
const drawn = { index: 0, entry: NULL_REF as Ref }

/** Draws a uniformly random member of a set that is not empty, and points `lpValue` at it. Returns what tells it from the others. */
export function setRandom(mem: Arena, entry: Ref, random: { below(limit: number): number }): number {
  const root = valueRef(mem, entry)
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) {
    drawn.entry = dictRandom(mem, root, random)
    pointAtKey(mem, drawn.entry)
    return drawn.entry
  }
  const index = random.below(setSize(mem, entry))
  drawn.index = encoding === INTSET ? index : lpSeek(mem, root, index)
  if (encoding === INTSET) pointAtInteger(mem, root, index)
  else lpGet(mem, root, drawn.index)
  return index
}

/** Points `lpValue` at the digits of an intset's member. */
export function pointAtInteger(mem: Arena, set: Ref, index: number): void {
  intsetGet(mem, set, index)
  lpValue.bytes = intsetValue.bytes
  lpValue.off = 0
  lpValue.len = intsetValue.len
}

/** Removes the member that `setRandom` drew last, before anything else changed. */
export function setRemoveDrawn(mem: Arena, entry: Ref): void {
  const root = valueRef(mem, entry)
  const encoding = encodingOf(mem, entry)
  if (encoding === INTSET) setValueRef(mem, entry, intsetRemoveAt(mem, root, drawn.index))
  else if (encoding === LISTPACK) setValueRef(mem, entry, lpDelete(mem, root, drawn.index, 1))
  else {
    dictRemoveDrawn(mem, root, drawn.entry)
    freeEntry(mem, drawn.entry)
  }
}
