/** usage: how many bytes of the arena a key or a table takes, from the walk that the audit uses: exact, and as long as it takes. */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { auditDict } from '../structs/dict.ts'
import { entrySize, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'

/** The entry with its key, its value, and all blocks of it. */
export function keyBytes(mem: Arena, entry: Ref): number {
  let bytes = usableBytes(entrySize(mem, entry))
  TYPES[typeOf(mem, entry)].audit(mem, entry, (_ref, size) => {
    bytes += usableBytes(size)
  })
  return bytes
}

/** A table without its entries. */
export function tableBytes(mem: Arena, dict: Ref): number {
  let bytes = 0
  auditDict(mem, dict, (_ref, size) => {
    bytes += usableBytes(size)
  })
  return bytes
}
