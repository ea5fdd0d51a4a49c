/**
 * table-move: moving a table of many elements out of segments that are being evacuated, a bucket or a page of buckets a step.
 *
 *   place   0 .. 2^32 - 1: SCAN's cursor over the elements | PAGES + position: the pages of the table | then those of the second dict
 *
 * Between two steps the table may change in any way: what was added or moved meanwhile can be missed, which does no harm. It may even be
 * another table, of a new key where the old one's entry lay: then it need not have the second dict that the place is in.
 */
import { type Arena, MOVE_STEP_BYTES } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { dictFindEntry, dictReplaceFound, dictScan, hashOf, visited } from '../structs/dict.ts'
import { dictMovePage } from '../structs/dict-move.ts'
import { entrySize, hasFlag, isOutside, outsideCapacity, SLOT, setOutside, valueLength, valueRef } from '../structs/entry.ts'
import { rankMoveEntry } from '../structs/ranktree-move.ts'

/** The cursor 0 as it is not at the end: cursors have 32 bits. */
const ONCE_ROUND = 2 ** 32
const PAGES = 2 ** 33
const SECOND_PAGES = 2 ** 34

/**
 * One step; returns the next place, 0 at the end. `second` refers to the elements that have a SLOT, or is null; `tree` is a ranktree that
 * refers to all of them, or null.
 */
export function moveTableStep(mem: Arena, dict: Ref, second: Ref, place: number, tree: Ref): number {
  if (place >= SECOND_PAGES) return second === NULL_REF ? 0 : nextPage(mem, second, place - SECOND_PAGES, SECOND_PAGES, 0)
  if (place >= PAGES) return nextPage(mem, dict, place - PAGES, PAGES, second === NULL_REF ? 0 : SECOND_PAGES)
  const next = dictScan(mem, dict, place)
  let bytes = 0
  for (const entry of visited.slice()) {
    // what has been moved is passed over the next time
    if (bytes >= MOVE_STEP_BYTES) return place === 0 ? ONCE_ROUND : place
    bytes += moveElement(mem, dict, second, tree, entry)
  }
  return next === 0 ? PAGES : next
}

function nextPage(mem: Arena, dict: Ref, position: number, base: number, after: number): number {
  const next = dictMovePage(mem, dict, position)
  return next === 0 ? after : base + next
}

/** Returns the bytes it moved. */
function moveElement(mem: Arena, dict: Ref, second: Ref, tree: Ref, old: Ref): number {
  let bytes = 0
  if (isOutside(mem, old) && mem.isClosed(valueRef(mem, old))) {
    const capacity = outsideCapacity(mem, old)
    const block = mem.moveOut(valueRef(mem, old), capacity)
    if (block !== valueRef(mem, old)) bytes = capacity
    setOutside(mem, old, block, valueLength(mem, old), capacity)
  }
  if (!mem.isClosed(old)) return bytes
  const hash = hashOf(mem, old)
  const isVolatile = second !== NULL_REF && hasFlag(mem, old, SLOT)
  const entry = tree === NULL_REF ? mem.moveOut(old, entrySize(mem, old)) : rankMoveEntry(mem, tree, old)
  if (dictFindEntry(mem, dict, old, hash)) dictReplaceFound(entry)
  if (isVolatile && dictFindEntry(mem, second, old, hash)) dictReplaceFound(entry)
  return bytes + entrySize(mem, entry)
}
