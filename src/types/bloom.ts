/** bloom: a Bloom filter as the value of a key; see structs/bloom. */
import { valueRef } from '../structs/entry.ts'
import { auditBloom, bloomFilters, copyBloom, freeBloom } from '../structs/bloom.ts'
import type { TypeOps } from './object.ts'

export const bloomOps: TypeOps = {
  name: 'MBbloom--',
  free: (mem, entry) => freeBloom(mem, valueRef(mem, entry)),
  // A chain is a block a filter, and there are never many filters.
  freeStep(mem, entry) {
    freeBloom(mem, valueRef(mem, entry))
    return true
  },
  freeEffort: (mem, entry) => bloomFilters(mem, valueRef(mem, entry)),
  audit: (mem, entry, report) => auditBloom(mem, valueRef(mem, entry), report),
  copyRoot: (mem, entry) => copyBloom(mem, valueRef(mem, entry)),
}
