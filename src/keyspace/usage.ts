/**
 * usage: how many bytes of the arena a key takes. Exact for what has few blocks, and for anything on demand, from the walk that the audit
 * uses; else tables and indexes are counted, and what they refer to is estimated from some elements, so that it does not take long.
 */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { entryBytes, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'

/** The entry with its key, its value, and all blocks of it; 0 samples: all are looked at. */
export function keyBytes(mem: Arena, entry: Ref, samples: number): number {
  let bytes = entryBytes(mem, entry)
  const ops = TYPES[typeOf(mem, entry)]
  if (samples > 0 && ops.estimate !== undefined && ops.freeEffort(mem, entry) > samples) return bytes + ops.estimate(mem, entry, samples)
  ops.audit(mem, entry, (_ref, size) => {
    bytes += usableBytes(size)
  })
  return bytes
}
