/**
 * zset, large: a dict of the members for lookups, and a ranktree of the same entries for order.
 *
 *   root   | dict | ranktree |      two refs
 *   entry  of a member: its key is the member, its slot the score (structs/entry.ts)
 *
 * (1) Dict and tree refer to the same entries, and this module owns them.
 * (2) On OutOfMemory the set is as before.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import {
  auditDict,
  dictAdd,
  dictEntryChanging,
  dictDismantle,
  dictFind,
  dictForEach,
  dictHash,
  hashOf,
  dictRemoveEntry,
  dictRemoveFound,
  dictSize,
  freeDict,
  newDict,
} from '../structs/dict.ts'
import { entrySize, freeEntry, keyLength, keyStart, newEntry, SLOT, setSlotValue, slotValue } from '../structs/entry.ts'
import {
  auditRankTree,
  entryAt,
  freeRankTree,
  newRankTree,
  type Place,
  rankOf,
  rankSize,
  rankTreeBytes,
  seekFirst,
  stepForward,
} from '../structs/ranktree.ts'
import { rankInsert, rankMove, rankRemove, rankRemoveRun } from '../structs/ranktree-edit.ts'
import { LEAF_MAX } from '../structs/ranktree-node.ts'
import { estimateTable } from './table.ts'
import { NO_BYTES } from '../util/views.ts'

export const LARGE_ROOT_BYTES = 8

/** The entries that the last removal by rank took out of the tree. */
const removed: Ref[] = []

export function newLarge(mem: Arena): Ref {
  const root = mem.alloc(LARGE_ROOT_BYTES)
  let dict: Ref = NULL_REF
  try {
    dict = newDict(mem)
    const tree = newRankTree(mem)
    const u32 = mem.u32[segmentOf(root)]
    u32[wordOf(root)] = dict
    u32[wordOf(root) + 1] = tree
    return root
  } catch (error) {
    if (dict !== NULL_REF) freeDict(mem, dict)
    mem.free(root, LARGE_ROOT_BYTES)
    throw error
  }
}

export function largeDict(mem: Arena, root: Ref): Ref {
  return mem.u32[segmentOf(root)][wordOf(root)] as Ref
}

export function largeTree(mem: Arena, root: Ref): Ref {
  return mem.u32[segmentOf(root)][wordOf(root) + 1] as Ref
}

export function largeSize(mem: Arena, root: Ref): number {
  return dictSize(mem, largeDict(mem, root))
}

export function freeLarge(mem: Arena, root: Ref): void {
  dictForEach(mem, largeDict(mem, root), (entry) => freeEntry(mem, entry))
  freeDict(mem, largeDict(mem, root))
  freeRankTree(mem, largeTree(mem, root))
  mem.free(root, LARGE_ROOT_BYTES)
}

/** Frees about `budget` members; true when all is gone. Nobody looks members up in the meantime. */
export function freeLargeStep(mem: Arena, root: Ref, budget: number): boolean {
  const tree = largeTree(mem, root)
  for (let left = budget; left > 0 && rankSize(mem, tree) > 0; left -= removed.length) {
    rankRemoveRun(mem, tree, 0, LEAF_MAX, removed)
    for (const entry of removed) freeEntry(mem, entry)
  }
  if (rankSize(mem, tree) > 0 || !dictDismantle(mem, largeDict(mem, root), budget, costsNothing)) return false
  freeRankTree(mem, tree)
  mem.free(root, LARGE_ROOT_BYTES)
  return true
}

function costsNothing(): number {
  return 0
}

/** Reports every block; while it is freed in steps, only the members that are left. */
export function auditLarge(mem: Arena, root: Ref, report: Report): void {
  auditDict(mem, largeDict(mem, root), report)
  auditRankTree(mem, largeTree(mem, root), report)
  eachMember(mem, root, (entry) => report(entry, entrySize(mem, entry)))
  report(root, LARGE_ROOT_BYTES)
}

/** About how many bytes the set takes, judging by `samples` of its members. */
export function estimateLarge(mem: Arena, root: Ref, samples: number): number {
  return LARGE_ROOT_BYTES + estimateTable(mem, largeDict(mem, root), samples) + rankTreeBytes(mem, largeTree(mem, root))
}

const walkPlace: Place = { leaf: NULL_REF, index: 0 }

function eachMember(mem: Arena, root: Ref, visit: (entry: Ref) => void): void {
  const tree = largeTree(mem, root)
  seekFirst(mem, tree, walkPlace)
  while (walkPlace.leaf !== NULL_REF) {
    visit(entryAt(mem, walkPlace))
    stepForward(mem, walkPlace)
  }
}

/** The member's entry, null when it is not there. */
export function largeFind(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): Ref {
  return dictFind(mem, largeDict(mem, root), bytes, off, len, dictHash(mem, bytes, off, len))
}

/** Adds a member that is not there. */
export function largeAdd(mem: Arena, root: Ref, score: number, bytes: Uint8Array, off: number, len: number): void {
  const entry = newMember(mem, score, bytes, off, len)
  const tree = largeTree(mem, root)
  try {
    rankInsert(mem, tree, score, entry)
  } catch (error) {
    freeEntry(mem, entry)
    throw error
  }
  try {
    dictAdd(mem, largeDict(mem, root), entry, dictHash(mem, bytes, off, len))
  } catch (error) {
    rankRemove(mem, tree, score, entry)
    freeEntry(mem, entry)
    throw error
  }
}

function newMember(mem: Arena, score: number, bytes: Uint8Array, off: number, len: number): Ref {
  const entry = newEntry(mem, 0, SLOT, bytes, off, len, NO_BYTES, 0, 0)
  setSlotValue(mem, entry, score)
  return entry
}

/** Gives a member another score. */
export function largeMove(mem: Arena, root: Ref, entry: Ref, score: number): void {
  dictEntryChanging(mem, largeDict(mem, root), entry)
  rankMove(mem, largeTree(mem, root), slotValue(mem, entry), entry, score)
  setSlotValue(mem, entry, score)
}

/** Takes out a member; false when it is not there. */
export function largeRemove(mem: Arena, root: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const dict = largeDict(mem, root)
  const hash = dictHash(mem, bytes, off, len)
  const entry = dictFind(mem, dict, bytes, off, len, hash)
  if (entry === NULL_REF) return false
  dictRemoveFound(mem, dict, hash)
  rankRemove(mem, largeTree(mem, root), slotValue(mem, entry), entry)
  freeEntry(mem, entry)
  return true
}

/** Takes out `count` members from a rank on. */
export function largeRemoveRanks(mem: Arena, root: Ref, rank: number, count: number): void {
  const dict = largeDict(mem, root)
  const tree = largeTree(mem, root)
  for (let left = count; left > 0; left -= removed.length) {
    rankRemoveRun(mem, tree, rank, left, removed)
    for (const entry of removed) {
      dictRemoveEntry(mem, dict, entry, hashOf(mem, entry))
      freeEntry(mem, entry)
    }
  }
}

/** The rank of a member. */
export function largeRank(mem: Arena, root: Ref, entry: Ref): number {
  const bytes = mem.u8[segmentOf(entry)]
  return rankOf(mem, largeTree(mem, root), slotValue(mem, entry), bytes, keyStart(mem, entry), keyLength(mem, entry))
}

/** A deep copy. */
export function copyLarge(mem: Arena, root: Ref): Ref {
  const copy = newLarge(mem)
  try {
    eachMember(mem, root, (entry) => {
      largeAdd(mem, copy, slotValue(mem, entry), mem.u8[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
    })
  } catch (error) {
    freeLarge(mem, copy)
    throw error
  }
  return copy
}

/**
 * Collects scores of members that come in any order and more than once: `gather` adds a member or says which entry it has, `settle` puts
 * all of them in order. In between, only the dict knows them.
 */
export function gather(mem: Arena, root: Ref, score: number, bytes: Uint8Array, off: number, len: number): Ref {
  const dict = largeDict(mem, root)
  const hash = dictHash(mem, bytes, off, len)
  const found = dictFind(mem, dict, bytes, off, len, hash)
  if (found !== NULL_REF) return found
  const entry = newMember(mem, score, bytes, off, len)
  try {
    dictAdd(mem, dict, entry, hash)
  } catch (error) {
    freeEntry(mem, entry)
    throw error
  }
  return NULL_REF
}

/** Puts the gathered members in order. */
export function settle(mem: Arena, root: Ref): void {
  const tree = largeTree(mem, root)
  dictForEach(mem, largeDict(mem, root), (entry) => rankInsert(mem, tree, slotValue(mem, entry), entry))
}
