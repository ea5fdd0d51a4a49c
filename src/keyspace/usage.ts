/**
 * usage: how many bytes of the arena a key or a table takes. Exact; for a collection it comes from the walk that the audit uses, and takes
 * as long as that does.
 */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { entryBytes, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'

/** The entry with its key, its value, and all blocks of it. */
export function keyBytes(mem: Arena, entry: Ref): number {
  let bytes = entryBytes(mem, entry)
  TYPES[typeOf(mem, entry)].audit(mem, entry, (_ref, size) => {
    bytes += usableBytes(size)
  })
  return bytes
}
