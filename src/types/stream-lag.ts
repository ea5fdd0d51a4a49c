/**
 * stream-lag: how many entries a group has read and has still to read. Exact while nothing was deleted in the part of the stream that the
 * answer depends on; otherwise "unknown" (null), unless the group stands at an end of the stream. The rules are Redis'.
 */
import type { Arena } from '../memory/arena.ts'
import { type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { compareIds, copyId, isZeroId } from '../structs/stream-id.ts'
import { addInt64, type Int64, int64At, subtractInt64 } from '../util/words64.ts'
import { ENTRIES_ADDED, FIRST_ID, LAST_ID, MAX_DELETED_ID, streamLength } from './stream.ts'
import { entriesReadOf, GROUP_LAST_ID, setEntriesRead, UNKNOWN_READ } from './stream-group.ts'

/** Whether an entry at or above the id may have been deleted from the middle of the stream. */
function mayLackAbove(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): boolean {
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  if (streamLength(mem, stream) === 0 || isZeroId(root, at + MAX_DELETED_ID)) return false
  if (compareIds(root, at + FIRST_ID, root, at + MAX_DELETED_ID) > 0) return false
  return compareIds(id, idAt, root, at + MAX_DELETED_ID) <= 0
}

/** How many entries were ever added up to this id; UNKNOWN_READ when deletions hide it. */
export function entriesUpTo(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): Int64 {
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  const added = int64At(root, at + ENTRIES_ADDED)
  if (added === 0) return 0
  const length = streamLength(mem, stream)
  const toLast = compareIds(id, idAt, root, at + LAST_ID)
  if (toLast === 0 || (length === 0 && toLast < 0)) return added
  if (toLast > 0) return UNKNOWN_READ
  if (!isZeroId(root, at + MAX_DELETED_ID) && compareIds(root, at + MAX_DELETED_ID, root, at + FIRST_ID) >= 0) return UNKNOWN_READ
  const toFirst = compareIds(id, idAt, root, at + FIRST_ID)
  if (toFirst < 0) return subtractInt64(added, length)
  if (toFirst === 0) return subtractInt64(added, length - 1)
  return UNKNOWN_READ
}

/** Entries the group has not been given yet; null when unknown. */
export function groupLag(mem: Arena, stream: Ref, group: Ref): Int64 | null {
  const added = int64At(mem.u32[segmentOf(stream)], wordOf(stream) + ENTRIES_ADDED)
  if (added === 0) return 0
  const view = mem.u32[segmentOf(group)]
  const lastAt = wordOf(group) + GROUP_LAST_ID
  let read = entriesReadOf(mem, group)
  if (read === UNKNOWN_READ || mayLackAbove(mem, stream, view, lastAt)) read = entriesUpTo(mem, stream, view, lastAt)
  return read === UNKNOWN_READ ? null : subtractInt64(added, read)
}

/** Moves the group on to an entry it is given, when that is above the last one; false when it is not. */
export function advanceGroup(mem: Arena, stream: Ref, group: Ref, id: Uint32Array): boolean {
  const view = mem.u32[segmentOf(group)]
  const at = wordOf(group) + GROUP_LAST_ID
  if (compareIds(id, 0, view, at) <= 0) return false
  const read = entriesReadOf(mem, group)
  if (read !== UNKNOWN_READ && !mayLackAbove(mem, stream, id, 0)) setEntriesRead(mem, group, addInt64(read, 1))
  else if (int64At(mem.u32[segmentOf(stream)], wordOf(stream) + ENTRIES_ADDED) !== 0)
    setEntriesRead(mem, group, entriesUpTo(mem, stream, id, 0))
  copyId(view, at, id, 0)
  return true
}
