/** members: the dict of a collection, whatever its type. */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { fieldsOf } from './hash.ts'
import { HASH, HASHTABLE, SKIPLIST } from './object.ts'
import { largeDict } from './zset-large.ts'

/** The dict of the collection under this entry; NULL_REF where there is none: a compact collection, or something else. */
export function dictOf(mem: Arena, entry: Ref): Ref {
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) return typeOf(mem, entry) === HASH ? fieldsOf(mem, entry) : valueRef(mem, entry)
  return encoding === SKIPLIST ? largeDict(mem, valueRef(mem, entry)) : NULL_REF
}
