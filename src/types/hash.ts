/**
 * hash: fields and their values.
 *
 *   LISTPACK      field, value, field, value, ...                      in one listpack, in order of arrival
 *   LISTPACK_EX   field, value, expiry, field, value, expiry, ...      in order of expiry (ms since 1970), fields that stay (0) last
 *   HASHTABLE     a dict of entries: key = field, value = value        (types/table.ts)
 *                 or, once a field got an expiry:
 *                 | fields dict | volatile dict | next expiry f64 |    the entries of volatile fields have a SLOT and are in both dicts
 *
 * (1) The key's entry has MARK exactly when its root is of one of the two kinds that know expiries.
 * (2) A hash goes from listpack to table when it outgrows the limits, and never back.
 * (3) Fields whose time has come are still here until hash-expiry.ts purges them: callers purge first.
 * (4) Bytes passed in must not lie in the hash itself. On OutOfMemory the hash has its old fields.
 *
 * Reading a field points `lpValue` at its value, until the next read or change. Costs: a listpack is walked, a table costs O(1).
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { doubleOf, NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import {
  auditDict,
  dictAdd,
  dictBytes,
  dictChanging,
  dictFind,
  dictFindEntry,
  dictHash,
  dictRemoveEntry,
  dictRemoveFound,
  dictReplaceFound,
  dictSize,
  freeDict,
  hashOf,
  newDict,
} from '../structs/dict.ts'
import { dictMoveRoot } from '../structs/dict-move.ts'
import {
  EMBEDDED_MAX,
  encodingOf,
  freeEntry,
  hasFlag,
  isOutside,
  keyLength,
  keyStart,
  MARK,
  newEntry,
  outsideCapacity,
  SLOT,
  setEncoding,
  setOutside,
  setSlotValue,
  setValueRef,
  slotValue,
  VALUE_LENGTH,
  valueLength,
  valueRef,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'
import {
  copyListpack,
  freeListpack,
  lpAppendInt,
  lpBytes,
  lpDelete,
  lpEnd,
  lpFind,
  lpFirst,
  lpGet,
  lpGetInt,
  lpInsertPair,
  lpLength,
  lpNext,
  lpReplace,
  lpValue,
  newListpack,
} from '../structs/listpack.ts'
import { copyBytes } from '../util/bytes.ts'
import { HASHTABLE, LISTPACK, LISTPACK_EX, type TypeOps } from './object.ts'
import { addOwned, auditTable, copyTable, estimateTable, freeTable, freeTableStep } from './table.ts'
import { moveTableStep } from './table-move.ts'

/** hash-max-listpack-entries and hash-max-listpack-value. */
export interface HashLimits {
  readonly entries: number
  readonly value: number
}

const EX_ROOT_BYTES = 16
/** No field expires. */
export const NEVER = Infinity

export const hashOps: TypeOps = {
  name: 'hash',
  free(mem, entry) {
    if (encodingOf(mem, entry) !== HASHTABLE) return freeListpack(mem, valueRef(mem, entry))
    freeTable(mem, fieldsOf(mem, entry))
    freeVolatile(mem, entry)
  },
  freeStep(mem, entry, budget) {
    if (encodingOf(mem, entry) !== HASHTABLE) freeListpack(mem, valueRef(mem, entry))
    else {
      if (!freeTableStep(mem, fieldsOf(mem, entry), budget)) return false
      freeVolatile(mem, entry)
    }
    return true
  },
  freeEffort: (mem, entry) => (encodingOf(mem, entry) === HASHTABLE ? hashLength(mem, entry) : 1),
  audit(mem, entry, report) {
    const root = valueRef(mem, entry)
    if (encodingOf(mem, entry) !== HASHTABLE) return report(root, lpBytes(mem, root))
    auditTable(mem, fieldsOf(mem, entry), report)
    if (hasFlag(mem, entry, MARK)) auditVolatile(mem, root, report)
  },
  estimate(mem, entry, samples) {
    const bytes = estimateTable(mem, fieldsOf(mem, entry), samples)
    return hasFlag(mem, entry, MARK) ? bytes + EX_ROOT_BYTES + dictBytes(mem, volatileOf(mem, entry)) : bytes
  },
  copyRoot(mem, entry) {
    const root = valueRef(mem, entry)
    if (encodingOf(mem, entry) !== HASHTABLE) return copyListpack(mem, root)
    return hasFlag(mem, entry, MARK) ? copyVolatile(mem, root) : copyTable(mem, root)
  },
  moveStep(mem, entry, place) {
    if (encodingOf(mem, entry) !== HASHTABLE) return false
    if (place.at === 0) moveRoots(mem, entry)
    const second = hasFlag(mem, entry, MARK) ? volatileOf(mem, entry) : NULL_REF
    place.at = moveTableStep(mem, fieldsOf(mem, entry), second, place.at, NULL_REF)
    return place.at !== 0
  },
}

// ---- the roots of hashes with expiries ----

/** The dict of all fields of a HASHTABLE hash. */
export function fieldsOf(mem: Arena, entry: Ref): Ref {
  const root = valueRef(mem, entry)
  return hasFlag(mem, entry, MARK) ? (mem.u32[segmentOf(root)][wordOf(root)] as Ref) : root
}

/** The dict of the volatile fields of a HASHTABLE hash with MARK. */
export function volatileOf(mem: Arena, entry: Ref): Ref {
  const root = valueRef(mem, entry)
  return mem.u32[segmentOf(root)][wordOf(root) + 1] as Ref
}

/** Not later than the first expiry of a HASHTABLE hash with MARK. */
export function tableNextExpiry(mem: Arena, entry: Ref): number {
  const root = valueRef(mem, entry)
  return mem.f64[segmentOf(root)][doubleOf(root) + 1]
}

export function setTableNextExpiry(mem: Arena, entry: Ref, atMs: number): void {
  const root = valueRef(mem, entry)
  mem.f64[segmentOf(root)][doubleOf(root) + 1] = atMs
}

/** A root for a table with expiries; takes over both dicts. */
export function newExRoot(mem: Arena, fields: Ref, volatile: Ref, nextExpiry: number): Ref {
  const root = mem.alloc(EX_ROOT_BYTES)
  mem.u32[segmentOf(root)][wordOf(root)] = fields
  mem.u32[segmentOf(root)][wordOf(root) + 1] = volatile
  mem.f64[segmentOf(root)][doubleOf(root) + 1] = nextExpiry
  return root
}

/** Moves the roots of the dicts, and the block that refers to both, out of segments that are being evacuated. */
function moveRoots(mem: Arena, entry: Ref): void {
  const root = valueRef(mem, entry)
  if (!hasFlag(mem, entry, MARK)) return setValueRef(mem, entry, dictMoveRoot(mem, root))
  const moved = mem.moveOut(root, EX_ROOT_BYTES)
  setValueRef(mem, entry, moved)
  const u32 = mem.u32[segmentOf(moved)]
  const at = wordOf(moved)
  u32[at] = dictMoveRoot(mem, u32[at] as Ref)
  u32[at + 1] = dictMoveRoot(mem, u32[at + 1] as Ref)
}

function freeVolatile(mem: Arena, entry: Ref): void {
  if (!hasFlag(mem, entry, MARK)) return
  freeDict(mem, volatileOf(mem, entry))
  mem.free(valueRef(mem, entry), EX_ROOT_BYTES)
}

function auditVolatile(mem: Arena, root: Ref, report: Report): void {
  auditDict(mem, mem.u32[segmentOf(root)][wordOf(root) + 1] as Ref, report)
  report(root, EX_ROOT_BYTES)
}

function copyVolatile(mem: Arena, root: Ref): Ref {
  const volatile = newDict(mem)
  let fields: Ref = NULL_REF
  try {
    fields = copyTable(mem, mem.u32[segmentOf(root)][wordOf(root)] as Ref, (fresh) => {
      if (hasFlag(mem, fresh, SLOT)) dictAdd(mem, volatile, fresh, hashOf(mem, fresh))
    })
    return newExRoot(mem, fields, volatile, mem.f64[segmentOf(root)][doubleOf(root) + 1])
  } catch (error) {
    if (fields !== NULL_REF) freeTable(mem, fields)
    freeDict(mem, volatile)
    throw error
  }
}

// ---- reading ----

/** An empty hash's root, of the encoding LISTPACK. */
export function newHash(mem: Arena): Ref {
  return newListpack(mem)
}

/** Elements that a field takes in the listpack. */
export function stepOf(encoding: number): number {
  return encoding === LISTPACK_EX ? 3 : 2
}

export function hashLength(mem: Arena, entry: Ref): number {
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) return dictSize(mem, fieldsOf(mem, entry))
  return lpLength(mem, valueRef(mem, entry)) / stepOf(encoding)
}

/** Where `hashFind` found the field: its position in the listpack, or its entry. */
export const hashFound = { position: 0, field: NULL_REF as Ref }

/** Finds a field and points `lpValue` at its value; false when there is none. */
export function hashFind(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) {
    const field = dictFind(mem, fieldsOf(mem, entry), bytes, off, len, dictHash(mem, bytes, off, len))
    if (field === NULL_REF) return false
    hashFound.field = field
    pointAtValue(mem, field)
    return true
  }
  const lp = valueRef(mem, entry)
  const position = lpFind(mem, lp, lpFirst(mem, lp), bytes, off, len, stepOf(encoding) - 1)
  if (position === 0) return false
  hashFound.position = position
  lpGet(mem, lp, lpNext(mem, lp, position))
  return true
}

/** Points `lpValue` at the value of an entry. */
export function pointAtValue(mem: Arena, entry: Ref): void {
  lpValue.bytes = mem.u8[valueSegment(mem, entry)]
  lpValue.off = valueStart(mem, entry)
  lpValue.len = valueLength(mem, entry)
}

/** Points `lpValue` at the key of an entry. */
export function pointAtKey(mem: Arena, entry: Ref): void {
  lpValue.bytes = mem.u8[segmentOf(entry)]
  lpValue.off = keyStart(mem, entry)
  lpValue.len = keyLength(mem, entry)
}

/** When the field that `hashFind` found last expires; 0 when it does not. */
export function foundExpiry(mem: Arena, entry: Ref): number {
  const encoding = encodingOf(mem, entry)
  if (encoding === LISTPACK) return 0
  if (encoding === HASHTABLE) return hasFlag(mem, hashFound.field, SLOT) ? slotValue(mem, hashFound.field) : 0
  const lp = valueRef(mem, entry)
  return lpGetInt(mem, lp, lpNext(mem, lp, lpNext(mem, lp, hashFound.position)))
}

// ---- changing ----

/** Converts a listpack to a table when a command brings too many fields at once or too long a text. */
export function hashMakeRoom(mem: Arena, entry: Ref, newFields: number, longest: number, limits: HashLimits): void {
  if (encodingOf(mem, entry) === HASHTABLE) return
  if (newFields > limits.entries || longest > limits.value) hashToTable(mem, entry)
}

/**
 * Sets a field; true when it is new. An old field loses its expiry unless `keepExpiry`. May convert to a table.
 */
export function hashSet(
  mem: Arena,
  entry: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
  keepExpiry: boolean,
  limits: HashLimits,
): boolean {
  if (encodingOf(mem, entry) !== HASHTABLE) {
    if (len <= limits.value && valueLen <= limits.value) {
      const added = smallSet(mem, entry, bytes, off, len, value, valueOff, valueLen, keepExpiry)
      if (added && hashLength(mem, entry) > limits.entries) hashToTable(mem, entry)
      return added
    }
    hashToTable(mem, entry)
  }
  return tableSet(mem, entry, bytes, off, len, value, valueOff, valueLen, keepExpiry)
}

function smallSet(
  mem: Arena,
  entry: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
  keepExpiry: boolean,
): boolean {
  const ex = encodingOf(mem, entry) === LISTPACK_EX
  let lp = valueRef(mem, entry)
  const position = lpFind(mem, lp, lpFirst(mem, lp), bytes, off, len, ex ? 2 : 1)
  if (position !== 0 && (!ex || keepExpiry || lpGetInt(mem, lp, lpNext(mem, lp, lpNext(mem, lp, position))) === 0)) {
    setValueRef(mem, entry, lpReplace(mem, lp, lpNext(mem, lp, position), value, valueOff, valueLen))
    return false
  }
  if (position !== 0) {
    lp = lpDelete(mem, lp, position, 3)
    setValueRef(mem, entry, lp)
  }
  appendField(mem, entry, bytes, off, len, value, valueOff, valueLen, ex)
  return position === 0
}

/** Appends a field without expiry. Should memory run out between its parts, the first ones go again. */
function appendField(
  mem: Arena,
  entry: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
  ex: boolean,
): void {
  const lp = valueRef(mem, entry)
  const position = lpEnd(mem, lp)
  setValueRef(mem, entry, lpInsertPair(mem, lp, position, bytes, off, len, value, valueOff, valueLen))
  if (!ex) return
  try {
    setValueRef(mem, entry, lpAppendInt(mem, valueRef(mem, entry), 0))
  } catch (error) {
    setValueRef(mem, entry, lpDelete(mem, valueRef(mem, entry), position, 2))
    throw error
  }
}

function tableSet(
  mem: Arena,
  entry: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
  keepExpiry: boolean,
): boolean {
  const fields = fieldsOf(mem, entry)
  const hash = dictHash(mem, bytes, off, len)
  const old = dictFind(mem, fields, bytes, off, len, hash)
  if (old === NULL_REF) {
    const fresh = newEntry(mem, 0, 0, bytes, off, len, value, valueOff, valueLen)
    try {
      dictAdd(mem, fields, fresh, hash)
    } catch (error) {
      freeEntry(mem, fresh)
      throw error
    }
    return true
  }
  dictChanging(mem, fields, hash)
  const volatile = hasFlag(mem, old, SLOT)
  if ((!volatile || keepExpiry) && overwrite(mem, old, value, valueOff, valueLen)) return false
  const fresh = newEntry(mem, 0, volatile && keepExpiry ? SLOT : 0, bytes, off, len, value, valueOff, valueLen)
  if (volatile && keepExpiry) setSlotValue(mem, fresh, slotValue(mem, old))
  dictReplaceFound(fresh)
  if (volatile) replaceVolatile(mem, volatileOf(mem, entry), old, keepExpiry ? fresh : NULL_REF, hash)
  freeEntry(mem, old)
  return false
}

/** Puts `fresh` into the place of `old` among the volatile fields, or (null) takes it out. */
export function replaceVolatile(mem: Arena, volatile: Ref, old: Ref, fresh: Ref, hash: number): void {
  if (!dictFindEntry(mem, volatile, old, hash)) return
  if (fresh !== NULL_REF) dictReplaceFound(fresh)
  else dictRemoveFound(mem, volatile, hash)
}

/** Writes a value over the old one when it fits the same block; false when it does not. */
function overwrite(mem: Arena, field: Ref, value: Uint8Array, valueOff: number, valueLen: number): boolean {
  if (isOutside(mem, field)) {
    const capacity = outsideCapacity(mem, field)
    if (valueLen <= EMBEDDED_MAX || usableBytes(valueLen) !== usableBytes(capacity)) return false
    const block = valueRef(mem, field)
    setOutside(mem, field, block, valueLen, capacity)
  } else {
    const keyEnd = valueStart(mem, field) - (wordOf(field) << 2)
    if (valueLen > EMBEDDED_MAX || usableBytes(keyEnd + valueLength(mem, field)) !== usableBytes(keyEnd + valueLen)) return false
    const u32 = mem.u32[segmentOf(field)]
    const at = wordOf(field) + 2
    u32[at] = (u32[at] & ~VALUE_LENGTH) | valueLen
  }
  copyBytes(mem.u8[valueSegment(mem, field)], valueStart(mem, field), value, valueOff, valueLen)
  return true
}

/** Deletes a field; false when there is none. The hash may be empty afterwards: then the key must go. */
export function hashDelete(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const encoding = encodingOf(mem, entry)
  if (encoding !== HASHTABLE) {
    const lp = valueRef(mem, entry)
    const position = lpFind(mem, lp, lpFirst(mem, lp), bytes, off, len, stepOf(encoding) - 1)
    if (position === 0) return false
    setValueRef(mem, entry, lpDelete(mem, lp, position, stepOf(encoding)))
    return true
  }
  const fields = fieldsOf(mem, entry)
  const hash = dictHash(mem, bytes, off, len)
  const field = dictFind(mem, fields, bytes, off, len, hash)
  if (field === NULL_REF) return false
  dictRemoveFound(mem, fields, hash)
  if (hasFlag(mem, field, SLOT)) dictRemoveEntry(mem, volatileOf(mem, entry), field, hash)
  freeEntry(mem, field)
  return true
}

/** Makes a listpack hash a table. */
export function hashToTable(mem: Arena, entry: Ref): void {
  const lp = valueRef(mem, entry)
  const ex = encodingOf(mem, entry) === LISTPACK_EX
  const fields = newDict(mem)
  let root = fields
  try {
    if (ex) root = newExRoot(mem, fields, newDict(mem), NEVER)
    for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at)) at = moveField(mem, lp, at, fields, ex ? root : NULL_REF)
  } catch (error) {
    freeTable(mem, fields)
    if (root !== fields) {
      freeDict(mem, mem.u32[segmentOf(root)][wordOf(root) + 1] as Ref)
      mem.free(root, EX_ROOT_BYTES)
    }
    throw error
  }
  freeListpack(mem, lp)
  setValueRef(mem, entry, root)
  setEncoding(mem, entry, HASHTABLE)
}

const nameDigits = new Uint8Array(24)

/** Copies the field at a position into the table; returns the position of its last element. */
function moveField(mem: Arena, lp: Ref, position: number, fields: Ref, exRoot: Ref): number {
  lpGet(mem, lp, position)
  let { bytes, off } = lpValue
  const len = lpValue.len
  if (bytes !== mem.u8[segmentOf(lp)]) {
    // An integer's digits, which reading the value would overwrite.
    copyBytes(nameDigits, 0, bytes, off, len)
    bytes = nameDigits
    off = 0
  }
  const valueAt = lpNext(mem, lp, position)
  const expiryAt = exRoot === NULL_REF ? 0 : lpNext(mem, lp, valueAt)
  const expiry = expiryAt === 0 ? 0 : lpGetInt(mem, lp, expiryAt)
  lpGet(mem, lp, valueAt)
  const field = newEntry(mem, 0, expiry > 0 ? SLOT : 0, bytes, off, len, lpValue.bytes, lpValue.off, lpValue.len)
  if (expiry > 0) setSlotValue(mem, field, expiry)
  addOwned(mem, fields, field)
  if (expiry > 0) {
    dictAdd(mem, mem.u32[segmentOf(exRoot)][wordOf(exRoot) + 1] as Ref, field, hashOf(mem, field))
    const next = doubleOf(exRoot) + 1
    mem.f64[segmentOf(exRoot)][next] = Math.min(mem.f64[segmentOf(exRoot)][next], expiry)
  }
  return expiryAt === 0 ? valueAt : expiryAt
}
