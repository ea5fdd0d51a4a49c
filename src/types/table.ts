/**
 * table: a dict that owns its entries, as hashes and sets of many elements use it.
 *
 * Everything here walks the whole dict; single elements go through the dict itself.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { type Ref, segmentOf } from '../memory/ref.ts'
import {
  auditDict,
  dictAdd,
  dictBytes,
  dictDismantle,
  dictForEach,
  dictScan,
  dictSize,
  freeDict,
  hashOf,
  newDict,
  visited,
} from '../structs/dict.ts'
import {
  entryBytes,
  entrySize,
  freeEntry,
  hasFlag,
  isOutside,
  keyLength,
  keyStart,
  newEntry,
  outsideCapacity,
  SLOT,
  setSlotValue,
  slotValue,
  valueLength,
  valueRef,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'

export function freeTable(mem: Arena, dict: Ref): void {
  dictForEach(mem, dict, (entry) => freeEntry(mem, entry))
  freeDict(mem, dict)
}

/** Frees about `budget` entries; true when the whole table is gone. */
export function freeTableStep(mem: Arena, dict: Ref, budget: number): boolean {
  return dictDismantle(mem, dict, budget, (entry) => {
    freeEntry(mem, entry)
    return 1
  })
}

/** Reports an element's entry. */
export function auditElement(mem: Arena, entry: Ref, report: Report): void {
  report(entry, entrySize(mem, entry))
  if (isOutside(mem, entry)) report(valueRef(mem, entry), outsideCapacity(mem, entry))
}

export function auditTable(mem: Arena, dict: Ref, report: Report): void {
  dictForEach(mem, dict, (entry) => auditElement(mem, entry, report))
  auditDict(mem, dict, report)
}

/** About how many bytes the table takes, judging by `samples` of its elements. */
export function estimateTable(mem: Arena, dict: Ref, samples: number): number {
  let seen = 0
  let bytes = 0
  let cursor = 0
  do {
    cursor = dictScan(mem, dict, cursor)
    for (let i = 0; i < visited.length && seen < samples; i++, seen++) bytes += entryBytes(mem, visited[i])
  } while (cursor !== 0 && seen < samples)
  return Math.round((bytes / Math.max(1, seen)) * dictSize(mem, dict)) + dictBytes(mem, dict)
}

/** A copy of an element's entry, with its slot. */
export function copyElement(mem: Arena, entry: Ref): Ref {
  const slot = hasFlag(mem, entry, SLOT)
  const copy = newEntry(
    mem,
    0,
    slot ? SLOT : 0,
    mem.u8[segmentOf(entry)],
    keyStart(mem, entry),
    keyLength(mem, entry),
    mem.u8[valueSegment(mem, entry)],
    valueStart(mem, entry),
    valueLength(mem, entry),
  )
  if (slot) setSlotValue(mem, copy, slotValue(mem, entry))
  return copy
}

/** A copy of the table; `added` is called with each new entry. On OutOfMemory nothing is left behind. */
export function copyTable(mem: Arena, dict: Ref, added: (entry: Ref) => void = noop): Ref {
  const copy = newDict(mem)
  try {
    dictForEach(mem, dict, (entry) => {
      const fresh = copyElement(mem, entry)
      addOwned(mem, copy, fresh)
      added(fresh)
    })
  } catch (error) {
    freeTable(mem, copy)
    throw error
  }
  return copy
}

function noop(): void {}

/** Adds an entry that the dict then owns; frees it when there is no memory. */
export function addOwned(mem: Arena, dict: Ref, entry: Ref): void {
  try {
    dictAdd(mem, dict, entry, hashOf(mem, entry))
  } catch (error) {
    freeEntry(mem, entry)
    throw error
  }
}
