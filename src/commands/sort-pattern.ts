/**
 * The BY and GET patterns of SORT: `#` is the element itself; `prefix*suffix` a string key, the star standing for the element;
 * `prefix*suffix->field` a field of a hash.
 */
import type { Client } from '../engine/client.ts'
import { NULL_REF } from '../memory/ref.ts'
import { typeOf, valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { foundExpiry, hashFind } from '../types/hash.ts'
import { HASH, STRING } from '../types/object.ts'

const HASH_SIGN = 35
const STAR = 42
const MINUS = 45
const GREATER = 62

export interface SortPattern {
  readonly key: Uint8Array
  /** Index of the star in `key`; -1 when there is none, and the pattern finds nothing. */
  readonly star: number
  readonly field: Uint8Array | null
}

/** The element itself. */
export const SELF: SortPattern = { key: Uint8Array.of(HASH_SIGN), star: -1, field: null }

export function sortPattern(bytes: Uint8Array): SortPattern {
  if (bytes.length === 1 && bytes[0] === HASH_SIGN) return SELF
  const star = bytes.indexOf(STAR)
  if (star < 0) return { key: bytes, star, field: null }
  let arrow = star + 1
  while (arrow + 1 < bytes.length && !(bytes[arrow] === MINUS && bytes[arrow + 1] === GREATER)) arrow++
  if (arrow + 2 >= bytes.length) return { key: bytes, star, field: null }
  return { key: bytes.subarray(0, arrow), star, field: bytes.subarray(arrow + 2) }
}

/** What the pattern finds for an element; null when there is nothing, or something of another type. */
export function valueByPattern(c: Client, pattern: SortPattern, element: Uint8Array): Uint8Array | null {
  if (pattern === SELF) return element
  const { key, star, field } = pattern
  if (star < 0) return null
  const name = new Uint8Array(key.length - 1 + element.length)
  name.set(key.subarray(0, star))
  name.set(element, star)
  name.set(key.subarray(star + 1), star + element.length)
  const { db, mem } = c
  const entry = db.lookupReadKey(name, 0, name.length)
  if (entry === NULL_REF) return null
  if (field === null) {
    if (typeOf(mem, entry) !== STRING) return null
    const start = valueStart(mem, entry)
    return mem.u8[valueSegment(mem, entry)].slice(start, start + valueLength(mem, entry))
  }
  if (typeOf(mem, entry) !== HASH || !hashFind(mem, entry, field, 0, field.length)) return null
  const expiry = foundExpiry(mem, entry)
  if (expiry !== 0 && expiry < c.engine.space.nowMs) return null
  return foundValue(c, field, entry)
}

/** The value of a field that is known to be there; looking its expiry up may have overwritten a number's digits. */
function foundValue(c: Client, field: Uint8Array, entry: ReturnType<Client['db']['lookupReadKey']>): Uint8Array {
  hashFind(c.mem, entry, field, 0, field.length)
  return lpValue.bytes.slice(lpValue.off, lpValue.off + lpValue.len)
}
