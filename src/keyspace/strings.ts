/**
 * strings: storing a string value under a key, the hottest write of all.
 *
 * A value that fits the block of the old one, with the same kind of expiry, is written in place. Otherwise a new entry
 * takes the place of the old one in the dicts.
 */
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref, segmentOf } from '../memory/ref.ts'
import { CLASS_OF } from '../memory/sizeclass.ts'
import { dictAdd } from '../structs/dict.ts'
import {
  adoptBlock,
  EMBEDDED_MAX,
  hasFlag,
  isOutside,
  keyLength,
  keyOffset,
  keyStart,
  newEntry,
  OUTSIDE,
  ROOT,
  SLOT,
  setLru,
  setSlotValue,
  slotValue,
  VALUE_LENGTH,
  valueLength,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'
import { INT, RAW, STRING, word0 } from '../types/object.ts'
import { grownCapacity, resizeOutside, stringEncoding } from '../types/string.ts'
import { copyBytes } from '../util/bytes.ts'
import { type Db, NO_EXPIRY } from './db.ts'
import { EVENT_NEW } from './hooks.ts'
import { freeWithValue } from './lazyfree.ts'

/** For setString: leave the expiry as it is. */
export const KEEP_EXPIRY = -2

/**
 * Sets a key to a string, whatever it held. `old` is its entry as a lookup just found it (null: it does not exist);
 * `expireAt` in ms, NO_EXPIRY, or KEEP_EXPIRY. Returns the key's entry.
 */
export function setString(
  db: Db,
  old: Ref,
  key: Uint8Array,
  keyOff: number,
  keyLen: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
  expireAt: number,
): Ref {
  const mem = db.mem
  if (old !== NULL_REF && expireAt < 0 && overwrite(db, old, keyLen, value, valueOff, valueLen, expireAt === KEEP_EXPIRY)) return old
  const at = expireAt === KEEP_EXPIRY ? (old === NULL_REF ? NO_EXPIRY : db.expiryOf(old)) : expireAt
  const word = word0(STRING, stringEncoding(value, valueOff, valueLen))
  const entry = newEntry(mem, word, at === NO_EXPIRY ? 0 : SLOT, key, keyOff, keyLen, value, valueOff, valueLen)
  if (at !== NO_EXPIRY) setSlotValue(mem, entry, at)
  if (old === NULL_REF) db.add(entry)
  else {
    db.replace(old, entry)
    setLru(mem, entry, db.space.freshLru())
  }
  return entry
}

/** Writes a short value over an embedded one whose block has the same class; false when it does not fit. */
function overwrite(db: Db, old: Ref, keyLen: number, value: Uint8Array, valueOff: number, valueLen: number, keepExpiry: boolean): boolean {
  if (valueLen > EMBEDDED_MAX) return false
  const mem = db.mem
  const view = mem.u32[old >>> REF_SEGMENT]
  const at = (old & REF_GRANULE) << 1
  const word2 = view[at + 2]
  if ((word2 & (OUTSIDE | ROOT)) !== 0 || ((word2 & SLOT) !== 0 && !keepExpiry)) return false
  const keyEnd = keyOffset(word2) + keyLen
  const oldBytes = keyEnd + (word2 & VALUE_LENGTH)
  const newBytes = keyEnd + valueLen
  if (CLASS_OF[(oldBytes + 7) >>> 3] !== CLASS_OF[(newBytes + 7) >>> 3]) return false
  view[at] = (view[at] & 0xffffff00) | (stringEncoding(value, valueOff, valueLen) << 4) | STRING
  view[at + 2] = (word2 & ~VALUE_LENGTH) | valueLen
  mem.put(old >>> REF_SEGMENT, (at << 2) + keyEnd, value, valueOff, valueLen)
  return true
}

/** Sets a key that a lookup did not find to a string without expiry, with its hash at hand: the short way of SET and INCR. */
export function addString(
  db: Db,
  hash: number,
  key: Uint8Array,
  keyOff: number,
  keyLen: number,
  value: Uint8Array,
  valueOff: number,
  valueLen: number,
): void {
  const mem = db.mem
  if ((db.space.eventMask & EVENT_NEW) !== 0) {
    setString(db, NULL_REF, key, keyOff, keyLen, value, valueOff, valueLen, NO_EXPIRY)
    return
  }
  const word = word0(STRING, stringEncoding(value, valueOff, valueLen)) | (db.space.freshLru() << 8)
  const entry = newEntry(mem, word, 0, key, keyOff, keyLen, value, valueOff, valueLen)
  try {
    dictAdd(mem, db.keys, entry, hash)
  } catch (error) {
    freeWithValue(mem, entry)
    throw error
  }
}

/**
 * Makes a string value `length` bytes long for a command that writes into it (APPEND, SETRANGE, SETBIT): new bytes are
 * zero, the label becomes raw. `entry` null creates the key. Returns the key's entry; write at valueStart(entry).
 */
export function growString(db: Db, entry: Ref, key: Uint8Array, keyOff: number, keyLen: number, length: number): Ref {
  const mem = db.mem
  if (entry === NULL_REF) return newZeroString(db, key, keyOff, keyLen, length)
  if (!isOutside(mem, entry)) return growEmbedded(db, entry, Math.max(length, valueLength(mem, entry)))
  if (length > valueLength(mem, entry)) resizeOutside(mem, entry, length)
  return markRaw(db, entry)
}

function markRaw(db: Db, entry: Ref): Ref {
  const view = db.mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  view[at] = (view[at] & 0xffffff00) | (RAW << 4) | STRING
  return entry
}

function newZeroString(db: Db, key: Uint8Array, keyOff: number, keyLen: number, length: number): Ref {
  const mem = db.mem
  let entry: Ref
  if (length <= EMBEDDED_MAX) entry = newEntry(mem, word0(STRING, RAW), 0, key, keyOff, keyLen, ZEROS, 0, length)
  else entry = adoptBlock(mem, word0(STRING, RAW), 0, key, keyOff, keyLen, mem.allocZeroed(length), length, length)
  db.add(entry)
  return entry
}
const ZEROS = new Uint8Array(EMBEDDED_MAX)

function growEmbedded(db: Db, entry: Ref, length: number): Ref {
  const mem = db.mem
  const old = valueLength(mem, entry)
  const view = mem.u32[segmentOf(entry)]
  const at = (entry & REF_GRANULE) << 1
  const keyEnd = keyStart(mem, entry) + keyLength(mem, entry) - (at << 2)
  if (length <= EMBEDDED_MAX && CLASS_OF[(keyEnd + old + 7) >>> 3] === CLASS_OF[(keyEnd + length + 7) >>> 3]) {
    mem.u8[segmentOf(entry)].fill(0, (at << 2) + keyEnd + old, (at << 2) + keyEnd + length)
    view[at + 2] = (view[at + 2] & ~VALUE_LENGTH) | length
    return markRaw(db, entry)
  }
  const flags = hasFlag(mem, entry, SLOT) ? SLOT : 0
  const key = mem.u8[segmentOf(entry)]
  const keyOff = keyStart(mem, entry)
  const keyLen = keyLength(mem, entry)
  const word = (view[at] & 0xffffff00) | word0(STRING, RAW)
  let grown: Ref
  if (length <= EMBEDDED_MAX) {
    grown = newEntry(mem, word, flags, key, keyOff, keyLen, ZEROS, 0, length)
  } else {
    const capacity = Math.max(grownCapacity(old), length)
    const block = mem.allocZeroed(capacity)
    grown = adoptBlock(mem, word, flags, key, keyOff, keyLen, block, length, capacity)
  }
  copyBytes(mem.u8[valueSegment(mem, grown)], valueStart(mem, grown), mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), old)
  if (flags !== 0) setSlotValue(mem, grown, slotValue(mem, entry))
  db.replace(entry, grown)
  return grown
}

/** setString for a value of more than EMBEDDED_MAX bytes that is in a block of its own already, which the key takes over. */
export function adoptString(db: Db, old: Ref, key: Uint8Array, keyOff: number, keyLen: number, block: Ref, length: number): Ref {
  const entry = adoptBlock(db.mem, word0(STRING, RAW), 0, key, keyOff, keyLen, block, length, length)
  if (old === NULL_REF) db.add(entry)
  else {
    db.replace(old, entry)
    setLru(db.mem, entry, db.space.freshLru())
  }
  return entry
}

/** Replaces the digits of an integer value by `len` bytes at text[off]; keeps the expiry. */
export function setInteger(db: Db, old: Ref, key: Uint8Array, keyOff: number, keyLen: number, text: Uint8Array, len: number): void {
  const entry = setString(db, old, key, keyOff, keyLen, text, 0, len, KEEP_EXPIRY)
  const view = db.mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  view[at] = (view[at] & 0xffffff0f) | (INT << 4)
}
