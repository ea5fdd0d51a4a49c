/** bloom: a Bloom filter as the value of a key; see structs/bloom. */
import { setValueRef, valueRef } from '../structs/entry.ts'
import { auditBloom, bloomFilters, bloomMoveBits, bloomMoveRoot, copyBloom, freeBloom } from '../structs/bloom.ts'
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
  // A filter a step.
  moveStep(mem, entry, place) {
    if (place.at === 0) setValueRef(mem, entry, bloomMoveRoot(mem, valueRef(mem, entry)))
    const root = valueRef(mem, entry)
    if (place.at < bloomFilters(mem, root)) bloomMoveBits(mem, root, place.at)
    return ++place.at < bloomFilters(mem, root)
  },
}
