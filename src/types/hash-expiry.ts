/**
 * hash expiry: times to live of single fields.
 *
 * The first expiry a hash gets changes its root (see hash.ts); the root stays what it is when the last one goes. In a LISTPACK_EX the
 * field with the first expiry stands first, so that purging looks at nothing that stays; in a table the volatile dict is walked, and
 * `tableNextExpiry` says when that is worth it.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import {
  dictAdd,
  dictEntryChanging,
  dictBucket,
  dictBuckets,
  dictFind,
  hashOf,
  dictReplaceFound,
  dictSize,
  freeDict,
  newDict,
  visited,
} from '../structs/dict.ts'
import {
  encodingOf,
  freeShell,
  hasFlag,
  keyLength,
  keyStart,
  MARK,
  reshapeEntry,
  setEncoding,
  setFlag,
  setSlotValue,
  setValueRef,
  slotValue,
  valueRef,
} from '../structs/entry.ts'
import {
  freeListpack,
  LP_HEADER,
  lpAppend,
  lpDelete,
  lpEnd,
  lpFirst,
  lpGet,
  lpGetInt,
  lpInsertAll,
  lpNext,
  lpReplaceInt,
  lpValue,
  newListpack,
} from '../structs/listpack.ts'
import { lpSkip } from '../structs/listpack-element.ts'
import {
  fieldsOf,
  foundExpiry,
  hashDelete,
  hashFound,
  NEVER,
  newExRoot,
  replaceVolatile,
  setTableNextExpiry,
  tableNextExpiry,
  volatileOf,
} from './hash.ts'
import { HASHTABLE, LISTPACK, LISTPACK_EX } from './object.ts'

/** Whether fields of this hash may have expiries. */
export function hasExpiries(mem: Arena, entry: Ref): boolean {
  return hasFlag(mem, entry, MARK)
}

/** Not later than the first expiry of any field; NEVER when there is none. */
export function nextExpiry(mem: Arena, entry: Ref): number {
  if (!hasFlag(mem, entry, MARK)) return NEVER
  if (encodingOf(mem, entry) === HASHTABLE) return tableNextExpiry(mem, entry)
  const lp = valueRef(mem, entry)
  const first = lpFirst(mem, lp)
  return first === 0 ? NEVER : lpGetInt(mem, lp, lpNext(mem, lp, lpNext(mem, lp, first))) || NEVER
}

/** How many fields have an expiry. */
export function volatileCount(mem: Arena, entry: Ref): number {
  if (!hasFlag(mem, entry, MARK)) return 0
  if (encodingOf(mem, entry) === HASHTABLE) return dictSize(mem, volatileOf(mem, entry))
  const lp = valueRef(mem, entry)
  let count = 0
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at), count++) {
    at = lpNext(mem, lp, lpNext(mem, lp, at))
    if (lpGetInt(mem, lp, at) === 0) break
  }
  return count
}

/** Gives the hash the kind of root that knows expiries. */
function makeVolatile(mem: Arena, entry: Ref): void {
  if (hasFlag(mem, entry, MARK)) return
  if (encodingOf(mem, entry) === LISTPACK) addExpiries(mem, entry)
  else {
    const volatile = newDict(mem)
    try {
      setValueRef(mem, entry, newExRoot(mem, valueRef(mem, entry), volatile, NEVER))
    } catch (error) {
      freeDict(mem, volatile)
      throw error
    }
  }
  setFlag(mem, entry, MARK, true)
}

const ZERO = Uint8Array.of(0x30)

/** LISTPACK to LISTPACK_EX: every field gets the expiry 0. */
function addExpiries(mem: Arena, entry: Ref): void {
  const old = valueRef(mem, entry)
  let lp = newListpack(mem)
  try {
    for (let at = lpFirst(mem, old); at !== 0; at = lpNext(mem, old, at)) {
      lp = copyElements(mem, lp, old, at)
      at = lpNext(mem, old, at)
      lp = lpAppend(mem, lp, ZERO, 0, 1)
    }
  } catch (error) {
    freeListpack(mem, lp)
    throw error
  }
  setValueRef(mem, entry, lp)
  setEncoding(mem, entry, LISTPACK_EX)
  freeListpack(mem, old)
}

/** Appends the name and the value that stand at a position of another listpack. */
function copyElements(mem: Arena, lp: Ref, from: Ref, position: number): Ref {
  lpGet(mem, from, position)
  const withName = lpAppend(mem, lp, lpValue.bytes, lpValue.off, lpValue.len)
  lpGet(mem, from, lpNext(mem, from, position))
  return lpAppend(mem, withName, lpValue.bytes, lpValue.off, lpValue.len)
}

/** Sets the expiry of the field that `hashFind` found last, in ms since 1970; 0 takes it away. */
export function setFoundExpiry(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number, atMs: number): void {
  const old = foundExpiry(mem, entry)
  if (old === atMs) return
  if (!hasFlag(mem, entry, MARK)) {
    makeVolatile(mem, entry)
    if (encodingOf(mem, entry) === LISTPACK_EX) relocate(mem, entry, bytes, off, len)
  }
  if (encodingOf(mem, entry) === HASHTABLE) setTableExpiry(mem, entry, hashFound.field, old, atMs)
  else setSmallExpiry(mem, entry, atMs)
}

/** Finds the field again, after the listpack was rewritten. */
function relocate(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): void {
  const lp = valueRef(mem, entry)
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, lpNext(mem, lp, lpNext(mem, lp, at)))) {
    lpGet(mem, lp, at)
    if (lpValue.len !== len) continue
    let i = 0
    while (i < len && lpValue.bytes[lpValue.off + i] === bytes[off + i]) i++
    if (i === len) {
      hashFound.position = at
      return
    }
  }
}

/** Writes the expiry and moves the field to where it belongs in the order. */
function setSmallExpiry(mem: Arena, entry: Ref, atMs: number): void {
  const lp = valueRef(mem, entry)
  const position = hashFound.position
  let field = newListpack(mem)
  try {
    field = copyElements(mem, field, lp, position)
    field = lpAppend(mem, field, ZERO, 0, 1)
    field = lpReplaceInt(mem, field, lpEnd(mem, field) - 2, atMs)
    const target = placeFor(mem, lp, atMs)
    const grown = lpInsertAll(mem, lp, target, field)
    setValueRef(mem, entry, grown)
    const size = lpEnd(mem, field) - LP_HEADER
    setValueRef(mem, entry, lpDelete(mem, grown, target <= position ? position + size : position, 3))
  } finally {
    freeListpack(mem, field)
  }
}

/** Position of the first field that expires later than this, or stays. */
function placeFor(mem: Arena, lp: Ref, atMs: number): number {
  if (atMs === 0) return lpEnd(mem, lp)
  const u8 = mem.u8[segmentOf(lp)]
  const end = byteOf(lp) + lpEnd(mem, lp)
  let at = byteOf(lp) + LP_HEADER
  while (at < end) {
    const expiryAt = lpSkip(u8, lpSkip(u8, at))
    const expiry = lpGetInt(mem, lp, expiryAt - byteOf(lp))
    if (expiry === 0 || expiry > atMs) break
    at = lpSkip(u8, expiryAt)
  }
  return at - byteOf(lp)
}

function setTableExpiry(mem: Arena, entry: Ref, field: Ref, old: number, atMs: number): void {
  dictEntryChanging(mem, fieldsOf(mem, entry), field)
  if (atMs !== 0 && atMs < tableNextExpiry(mem, entry)) setTableNextExpiry(mem, entry, atMs)
  if (old !== 0 && atMs !== 0) return setSlotValue(mem, field, atMs)
  const u8 = mem.u8[segmentOf(field)]
  const hash = hashOf(mem, field)
  const fresh = reshapeEntry(mem, field, atMs !== 0, u8, keyStart(mem, field), keyLength(mem, field))
  if (atMs === 0) replaceVolatile(mem, volatileOf(mem, entry), field, NULL_REF, hash)
  else {
    setSlotValue(mem, fresh, atMs)
    try {
      dictAdd(mem, volatileOf(mem, entry), fresh, hash)
    } catch (error) {
      freeShell(mem, fresh)
      throw error
    }
  }
  dictFind(mem, fieldsOf(mem, entry), u8, keyStart(mem, field), keyLength(mem, field), hash)
  dictReplaceFound(fresh)
  hashFound.field = fresh
  freeShell(mem, field)
}

/**
 * Deletes up to `limit` fields that expire before `nowMs`, and returns how many. `gone` is called with each name before it goes.
 * The hash may be empty afterwards: then the key must go.
 */
export function purgeExpired(
  mem: Arena,
  entry: Ref,
  nowMs: number,
  limit: number,
  gone: (bytes: Uint8Array, off: number, len: number) => void,
): number {
  if (nextExpiry(mem, entry) >= nowMs) return 0
  return encodingOf(mem, entry) === HASHTABLE ? purgeTable(mem, entry, nowMs, limit, gone) : purgeSmall(mem, entry, nowMs, limit, gone)
}

function purgeSmall(
  mem: Arena,
  entry: Ref,
  nowMs: number,
  limit: number,
  gone: (bytes: Uint8Array, off: number, len: number) => void,
): number {
  const lp = valueRef(mem, entry)
  let count = 0
  for (let at = lpFirst(mem, lp); at !== 0 && count < limit; count++) {
    const expiryAt = lpNext(mem, lp, lpNext(mem, lp, at))
    const expiry = lpGetInt(mem, lp, expiryAt)
    if (expiry === 0 || expiry >= nowMs) break
    lpGet(mem, lp, at)
    gone(lpValue.bytes, lpValue.off, lpValue.len)
    at = lpNext(mem, lp, expiryAt)
  }
  setValueRef(mem, entry, lpDelete(mem, lp, LP_HEADER, 3 * count))
  return count
}

function purgeTable(
  mem: Arena,
  entry: Ref,
  nowMs: number,
  limit: number,
  gone: (bytes: Uint8Array, off: number, len: number) => void,
): number {
  const volatile = volatileOf(mem, entry)
  const expired: Ref[] = []
  let next = NEVER
  for (let position = 0; position < dictBuckets(mem, volatile); position++) {
    dictBucket(mem, volatile, position)
    for (const field of visited) {
      const expiry = slotValue(mem, field)
      if (expiry < nowMs && expired.length < limit) expired.push(field)
      else if (expiry < next) next = expiry
    }
  }
  for (const field of expired) {
    const u8 = mem.u8[segmentOf(field)]
    gone(u8, keyStart(mem, field), keyLength(mem, field))
    hashDelete(mem, entry, u8, keyStart(mem, field), keyLength(mem, field))
  }
  setTableNextExpiry(mem, entry, next)
  return expired.length
}
