/**
 * stream-refs: deletions that look at the references groups hold to an entry.
 *
 *   KEEPREF  delete; references stay
 *   DELREF   delete, and forget the entry in every group
 *   ACKED    delete only what every group has been given and none has pending
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { nameAt, namesSize } from '../structs/name-list.ts'
import { StreamCursor } from '../structs/stream-cursor.ts'
import { compareIds, copyId, ID_WORDS } from '../structs/stream-id.ts'
import { IndexCursor, indexFind } from '../structs/stream-index.ts'
import { nodeCount } from '../structs/stream-node.ts'
import { hasEntry, indexOf, streamDelete, streamLength, streamTrim, type Trim } from './stream.ts'
import { acknowledge, GROUP_LAST_ID, groupsOf, pendingOf } from './stream-group.ts'
import { keepsViews } from '../util/views.ts'

export const KEEPREF = 0
export const DELREF = 1
export const ACKED = 2

/** Answers of XDELEX and XACKDEL for one id. */
export const NOT_FOUND = -1
export const DONE = 1
export const STILL_REFERENCED = 2

const place = keepsViews(new IndexCursor())
const cursor = keepsViews(new StreamCursor())

/** References that were dropped, of entries that may not exist any more; a counter to compare with an earlier value. */
export let droppedReferences = 0

/** Forgets the entry in every group. */
function dropReferences(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): void {
  const groups = groupsOf(mem, stream)
  for (let i = 0; i < namesSize(mem, groups); i++) if (acknowledge(mem, nameAt(mem, groups, i), id, idAt)) droppedReferences++
}

/** Whether some group has the entry pending or has not been given it yet. */
function isReferenced(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): boolean {
  const groups = groupsOf(mem, stream)
  for (let i = 0; i < namesSize(mem, groups); i++) {
    const group = nameAt(mem, groups, i)
    if (compareIds(id, idAt, mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID) > 0) return true
    if (indexFind(mem, pendingOf(mem, group), id, idAt, place)) return true
  }
  return false
}

/** XDELEX for one id. With ACKED a stream without groups keeps its entries: nobody has acknowledged them. */
export function deleteChecked(mem: Arena, stream: Ref, id: Uint32Array, idAt: number, references: number): number {
  if (references === DELREF) dropReferences(mem, stream, id, idAt)
  if (references === ACKED) {
    if (!hasEntry(mem, stream, id, idAt)) return NOT_FOUND
    if (namesSize(mem, groupsOf(mem, stream)) === 0 || isReferenced(mem, stream, id, idAt)) return STILL_REFERENCED
  }
  return streamDelete(mem, stream, id, idAt) ? DONE : NOT_FOUND
}

/** XACKDEL for one id: what is not pending for the group is not found. */
export function ackAndDelete(mem: Arena, stream: Ref, group: Ref, id: Uint32Array, idAt: number, references: number): number {
  const pending = acknowledge(mem, group, id, idAt)
  if (references === DELREF) dropReferences(mem, stream, id, idAt)
  if (!pending) return NOT_FOUND
  if (references === ACKED && isReferenced(mem, stream, id, idAt)) return STILL_REFERENCED
  streamDelete(mem, stream, id, idAt)
  return DONE
}

/** Ids chosen for deletion. */
let chosen = new Uint32Array(64 * ID_WORDS)

/**
 * streamTrim with DELREF or ACKED: entry by entry. With ACKED, referenced entries are passed over, and trimming goes on behind them
 * until the stream is short enough or the bound is reached. Without groups it is plain trimming.
 */
export function trimChecked(mem: Arena, stream: Ref, trim: Trim, references: number): number {
  if (namesSize(mem, groupsOf(mem, stream)) === 0) return streamTrim(mem, stream, trim)
  const count = choose(mem, stream, trim, references === ACKED)
  for (let i = 0; i < count; i++) {
    if (references === DELREF) dropReferences(mem, stream, chosen, i * ID_WORDS)
    streamDelete(mem, stream, chosen, i * ID_WORDS)
  }
  if (chosen.length > 4096 * ID_WORDS) chosen = new Uint32Array(64 * ID_WORDS)
  return count
}

/** Fills `chosen` with the ids that trimming would delete; returns how many. */
function choose(mem: Arena, stream: Ref, trim: Trim, acked: boolean): number {
  const surplus = trim.maxLength < 0 ? Infinity : streamLength(mem, stream) - trim.maxLength
  let count = 0
  let seen = 0
  let node = NULL_REF
  let nodeStart = 0
  cursor.startAll(mem, indexOf(mem, stream), false)
  while (count < surplus && cursor.next()) {
    if (cursor.node !== node) {
      node = cursor.node
      nodeStart = count
      const entries = nodeCount(mem, node)
      seen += entries
      if (trim.approximate && (entries > surplus - count || (trim.limit > 0 && seen > trim.limit))) break
    }
    if (trim.maxLength < 0 && compareIds(cursor.id, 0, trim.minId, 0) >= 0) {
      if (trim.approximate) count = nodeStart
      break
    }
    if (acked && isReferenced(mem, stream, cursor.id, 0)) continue
    if (chosen.length === count * ID_WORDS) grow()
    copyId(chosen, count * ID_WORDS, cursor.id, 0)
    count++
  }
  return count
}

function grow(): void {
  const larger = new Uint32Array(chosen.length * 2)
  larger.set(chosen)
  chosen = larger
}
