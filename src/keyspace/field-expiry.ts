/**
 * field expiry: hash fields that die before their hash.
 *
 * A database keeps the names of the hashes that may have volatile fields in a dict of their own (`Db.volatileHashes`), for the periodic
 * cycle. A name is added when a hash gets its first expiry and when a key with such a hash appears, and taken out when the cycle finds that
 * the key is gone or is something else: nobody has to keep the two in step.
 *
 * Whoever reads or changes a hash calls `purgeFields` first, so that no command sees a field whose time has come.
 */
import { NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { dictAdd, dictFind, dictHash, dictRemove, dictScan, dictSize, newDict, visited } from '../structs/dict.ts'
import { freeEntry, hasFlag, keyLength, keyStart, MARK, newEntry, typeOf } from '../structs/entry.ts'
import { hashLength } from '../types/hash.ts'
import { nextExpiry, purgeExpired } from '../types/hash-expiry.ts'
import { HASH } from '../types/object.ts'
import type { Db } from './db.ts'
import { EVENT_GENERIC, EVENT_HASH } from './hooks.ts'
import { NO_BYTES } from '../util/views.ts'

/** Fields that the cycle deletes from one hash before it looks at the next. */
const CYCLE_FIELDS = 300

/** Notes that the hash under this name may have volatile fields. */
export function noteVolatileHash(db: Db, bytes: Uint8Array, off: number, len: number): void {
  const { mem } = db
  if (db.volatileHashes === NULL_REF) db.volatileHashes = newDict(mem)
  const hash = dictHash(mem, bytes, off, len)
  if (dictFind(mem, db.volatileHashes, bytes, off, len, hash) !== NULL_REF) return
  const name = newEntry(mem, 0, 0, bytes, off, len, NO_BYTES, 0, 0)
  try {
    dictAdd(mem, db.volatileHashes, name, hash)
  } catch (error) {
    freeEntry(mem, name)
    throw error
  }
}

/** Whether fields of this hash are due. Costs one test for hashes without expiries. */
export function fieldsAreDue(db: Db, entry: Ref): boolean {
  return hasFlag(db.mem, entry, MARK) && nextExpiry(db.mem, entry) < db.space.nowMs && db.space.expireOnAccess
}

/**
 * Deletes up to `limit` fields whose time has come, and the key with the last field; false when the key went. Call it where `fieldsAreDue`.
 */
export function purgeFields(db: Db, entry: Ref, limit = Infinity): boolean {
  const { mem, space } = db
  const start = keyStart(mem, entry)
  const key = mem.u8[segmentOf(entry)].slice(start, start + keyLength(mem, entry))
  if (space.hooks.aboutToChange !== null) space.hooks.aboutToChange(db, entry)
  const fields: Uint8Array[] = []
  const gone = purgeExpired(mem, entry, space.nowMs, limit, (bytes, off, len) => fields.push(bytes.slice(off, off + len)))
  if (gone === 0) return true
  space.expiredFields += gone
  const empty = hashLength(mem, entry) === 0
  if (empty) db.removeEntry(entry)
  for (const expired of space.hooks.fieldsExpired) expired(db, key, fields)
  db.event(EVENT_HASH, 'hexpired', key, 0, key.length)
  if (empty) db.event(EVENT_GENERIC, 'del', key, 0, key.length)
  db.touched(key, 0, key.length)
  return !empty
}

/** One step of the periodic cycle: looks at a bucket of names. False when the database has none. */
export function fieldExpiryStep(db: Db): boolean {
  const { mem } = db
  if (db.volatileHashes === NULL_REF || dictSize(mem, db.volatileHashes) === 0) return false
  db.volatileCursor = dictScan(mem, db.volatileHashes, db.volatileCursor)
  for (const name of visited.slice()) {
    const u8 = mem.u8[segmentOf(name)]
    const off = keyStart(mem, name)
    const len = keyLength(mem, name)
    const entry = db.peekKey(u8, off, len)
    const stays = entry !== NULL_REF && typeOf(mem, entry) === HASH && hasFlag(mem, entry, MARK) && nextExpiry(mem, entry) !== Infinity
    if (stays && (!fieldsAreDue(db, entry) || purgeFields(db, entry, CYCLE_FIELDS))) continue
    dictRemove(mem, db.volatileHashes, u8, off, len, dictHash(mem, u8, off, len))
    freeEntry(mem, name)
  }
  return true
}
