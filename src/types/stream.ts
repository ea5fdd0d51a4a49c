/**
 * stream: entries by ascending id in listpack nodes, and the counters that outlive deleted entries.
 *
 *   root (one block)
 *     0  length f64 | 8  index of nodes, ref | 12  groups, ref (stream-group.ts) | 16  last id | 32  first id
 *     48 highest deleted id | 64 entries added, 64 bits
 *
 * (1) Ids of new entries are above the last id, which never goes back (XSETID may move it forward).
 * (2) The first id is that of the first live entry, 0-0 when there is none.
 * (3) A node is announced to beforeChange, by its ref, before it changes or goes. Groups are not: they are small beside the entries.
 * (4) A node goes when its last live entry is deleted; trimming by id may leave one whose entries are all marked.
 *
 * Append O(1) amortised; delete O(log nodes) and a walk in one node; trim frees whole nodes from the front.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { beforeChange } from '../structs/before-change.ts'
import { lpBytes } from '../structs/listpack.ts'
import { LP_END, lpBack, lpSkip } from '../structs/listpack-element.ts'
import { MAX_ID, MIN_ID, StreamCursor } from '../structs/stream-cursor.ts'
import { compareIds, copyId, ID_WORDS, incrementId, setHalf, setMinId } from '../structs/stream-id.ts'
import { IndexCursor, indexFirst, indexInsert, indexLast, indexNext, indexRemove, indexSize, newIndex } from '../structs/stream-index.ts'
import {
  addDelta,
  argvBytes,
  DELETED,
  entryStart,
  layoutChanged,
  masterEnd,
  masterFields,
  newNode,
  nodeAppend,
  nodeCount,
  nodeDelete,
  nodeDeleted,
  nodeSetCounts,
  skipEntry,
} from '../structs/stream-node.ts'
import type { Frame } from '../util/argv.ts'
import { incrementInt64 } from '../util/words64.ts'
import { keepsViews } from '../util/views.ts'

/** Words of the root. */
export const INDEX = 2
export const GROUPS = 3
export const LAST_ID = 4
export const FIRST_ID = 8
export const MAX_DELETED_ID = 12
export const ENTRIES_ADDED = 16
export const STREAM_BYTES = 72

/** Bytes of one entry, and of a node whatever the configuration says. */
export const NODE_MAX_BYTES = 2 ** 30

/** stream-node-max-bytes and stream-node-max-entries; 0 is no limit. */
export interface NodeLimits {
  maxBytes: number
  maxEntries: number
}

const place = keepsViews(new IndexCursor())
const cursor = keepsViews(new StreamCursor())
const scratchId = new Uint32Array(ID_WORDS)

export function newStream(mem: Arena): Ref {
  const stream = mem.allocZeroed(STREAM_BYTES)
  try {
    const index = newIndex(mem, 1)
    mem.u32[segmentOf(stream)][wordOf(stream) + INDEX] = index
  } catch (error) {
    mem.free(stream, STREAM_BYTES)
    throw error
  }
  return stream
}

export function streamLength(mem: Arena, stream: Ref): number {
  return mem.f64[segmentOf(stream)][wordOf(stream) >>> 1]
}

export function setStreamLength(mem: Arena, stream: Ref, length: number): void {
  mem.f64[segmentOf(stream)][wordOf(stream) >>> 1] = length
}

/** The view in which the root's words lie, from `wordOf(stream)` on. */
export function rootView(mem: Arena, stream: Ref): Uint32Array {
  return mem.u32[segmentOf(stream)]
}

export function indexOf(mem: Arena, stream: Ref): Ref {
  return mem.u32[segmentOf(stream)][wordOf(stream) + INDEX] as Ref
}

/** Listpack nodes of the stream. */
export function streamNodes(mem: Arena, stream: Ref): number {
  return indexSize(mem, indexOf(mem, stream))
}

/**
 * How many nodes a radix tree of the nodes' ids (16 bytes, highest first) has, which XINFO shows although there is no such tree here: the
 * leaves, the branches, and the chains of bytes between them. O(listpack nodes).
 */
export function radixNodes(mem: Arena, stream: Ref): number {
  const index = indexOf(mem, stream)
  if (!indexFirst(mem, index, place)) return 1
  const branches: number[] = []
  let nodes = 0
  let before = -1
  for (let more = true; more; ) {
    copyId(scratchId, 0, place.view, place.at)
    more = indexNext(mem, index, place)
    const common = more ? commonBytes(scratchId, 0, place.view, place.at) : -1
    nodes += 1 + chain(Math.max(before, common), ID_WORDS * 4)
    for (let top = branches.at(-1) ?? -1; top > common; top = branches.at(-1) ?? -1) {
      branches.pop()
      nodes += chain(Math.max(common, branches.at(-1) ?? -1), top)
    }
    if (common >= 0 && branches.at(-1) !== common) {
      branches.push(common)
      nodes++
    }
    before = common
  }
  return nodes
}

/** 1 when there are bytes between a branch at depth `above` (-1: the top) and one at `below`; the branch itself holds the first. */
function chain(above: number, below: number): number {
  return below > above + 1 ? 1 : 0
}

/** Leading bytes that two different ids have in common. */
function commonBytes(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  let word = 0
  while (a[aAt + word] === b[bAt + word]) word++
  return word * 4 + (Math.clz32(a[aAt + word] ^ b[bAt + word]) >>> 3)
}

/** The id that `*` stands for: now, or the one after the last id; false when there is none. */
export function nextId(mem: Arena, stream: Ref, nowMs: number, id: Uint32Array): boolean {
  setHalf(id, 0, nowMs)
  id[2] = 0
  id[3] = 0
  const root = mem.u32[segmentOf(stream)]
  const last = wordOf(stream) + LAST_ID
  if (id[0] > root[last] || (id[0] === root[last] && id[1] > root[last + 1])) return true
  copyId(id, 0, root, last)
  return incrementId(id, 0)
}

/** Completes `<ms>-*`, whose milliseconds are in `id`; false when that millisecond has no ids left. */
export function nextSequence(mem: Arena, stream: Ref, id: Uint32Array): boolean {
  const root = mem.u32[segmentOf(stream)]
  const last = wordOf(stream) + LAST_ID
  if (id[0] !== root[last] || id[1] !== root[last + 1]) return true
  if ((root[last + 2] & root[last + 3]) === -1) return false
  copyId(id, 0, root, last)
  return incrementId(id, 0)
}

/** Whether an entry with this id may be added. */
export function isAboveLast(mem: Arena, stream: Ref, id: Uint32Array): boolean {
  return compareIds(id, 0, mem.u32[segmentOf(stream)], wordOf(stream) + LAST_ID) > 0
}

/** Adds an entry whose id is above the last, with the pairs argv[first], argv[first + 1], ... */
export function streamAppend(
  mem: Arena,
  stream: Ref,
  id: Uint32Array,
  argv: Frame,
  first: number,
  pairs: number,
  limits: NodeLimits,
): void {
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  const index = root[at + INDEX] as Ref
  if (indexLast(mem, index, place) && hasRoom(mem, place.view[place.at + ID_WORDS] as Ref, argvBytes(argv, first, pairs), limits)) {
    const node = place.view[place.at + ID_WORDS] as Ref
    beforeChange(mem, stream, node)
    place.view[place.at + ID_WORDS] = nodeAppend(mem, node, place.view, place.at, id, 0, argv, first, pairs)
  } else addNode(mem, index, id, newNode(mem, argv, first, pairs))
  const length = streamLength(mem, stream) + 1
  setStreamLength(mem, stream, length)
  incrementInt64(root, at + ENTRIES_ADDED)
  copyId(root, at + LAST_ID, id, 0)
  if (length === 1) copyId(root, at + FIRST_ID, id, 0)
}

function hasRoom(mem: Arena, node: Ref, bytes: number, limits: NodeLimits): boolean {
  const maxBytes = limits.maxBytes === 0 || limits.maxBytes > NODE_MAX_BYTES ? NODE_MAX_BYTES : limits.maxBytes
  if (lpBytes(mem, node) + bytes >= maxBytes) return false
  return limits.maxEntries === 0 || nodeCount(mem, node) + nodeDeleted(mem, node) < limits.maxEntries
}

/** Enters a node into the index; frees it when there is no memory for that. */
export function addNode(mem: Arena, index: Ref, id: Uint32Array, node: Ref): void {
  try {
    indexInsert(mem, index, id, 0, place)
  } catch (error) {
    mem.free(node, lpBytes(mem, node))
    throw error
  }
  place.view[place.at + ID_WORDS] = node
  layoutChanged()
}

/** Whether the stream has a live entry with this id. */
export function hasEntry(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): boolean {
  cursor.start(mem, indexOf(mem, stream), id, idAt, id, idAt, false)
  return cursor.next()
}

/** The id of the last live entry; false, and 0-0, when there is none. */
export function lastLiveId(mem: Arena, stream: Ref, id: Uint32Array): boolean {
  cursor.startAll(mem, indexOf(mem, stream), true)
  const found = cursor.next()
  copyId(id, 0, found ? cursor.id : MIN_ID, 0)
  return found
}

/** The id of the first entry, marked ones included; the highest id when there is none. */
export function firstKeptId(mem: Arena, stream: Ref, id: Uint32Array): void {
  cursor.startAll(mem, indexOf(mem, stream), false, true)
  copyId(id, 0, cursor.next() ? cursor.id : MAX_ID, 0)
}

/** Deletes the entry with this id; false when there is none. */
export function streamDelete(mem: Arena, stream: Ref, id: Uint32Array, idAt: number): boolean {
  const index = indexOf(mem, stream)
  cursor.start(mem, index, id, idAt, id, idAt, false)
  if (!cursor.next()) return false
  const node = cursor.node
  beforeChange(mem, stream, node)
  if (nodeCount(mem, node) === 1) {
    cursor.masterId(scratchId)
    dropNode(mem, index, scratchId, node)
  } else cursor.replaceNode(nodeDelete(mem, node, cursor.position))
  setStreamLength(mem, stream, streamLength(mem, stream) - 1)
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  if (compareIds(id, idAt, root, at + MAX_DELETED_ID) > 0) copyId(root, at + MAX_DELETED_ID, id, idAt)
  if (compareIds(id, idAt, root, at + FIRST_ID) === 0) refreshFirst(mem, stream)
  return true
}

function dropNode(mem: Arena, index: Ref, id: Uint32Array, node: Ref): void {
  indexRemove(mem, index, id, 0)
  mem.free(node, lpBytes(mem, node))
  layoutChanged()
}

/** Finds the first id again after entries went. */
export function refreshFirst(mem: Arena, stream: Ref): void {
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream) + FIRST_ID
  if (streamLength(mem, stream) === 0) return setMinId(root, at)
  cursor.startAll(mem, indexOf(mem, stream), false)
  copyId(root, at, cursor.next() ? cursor.id : MAX_ID, 0)
}

/** What to trim: down to `maxLength` entries, or (maxLength -1) everything below `minId`. */
export interface Trim {
  maxLength: number
  minId: Uint32Array
  /** Only whole nodes. */
  approximate: boolean
  /** The most entries to delete; 0 is no limit. */
  limit: number
}

/** Deletes entries from the front; returns how many went. */
export function streamTrim(mem: Arena, stream: Ref, trim: Trim): number {
  const index = indexOf(mem, stream)
  let deleted = 0
  while (indexFirst(mem, index, place)) {
    const length = streamLength(mem, stream)
    if (trim.maxLength >= 0 && length <= trim.maxLength) break
    const node = place.view[place.at + ID_WORDS] as Ref
    const entries = nodeCount(mem, node)
    if (trim.limit > 0 && deleted + entries > trim.limit) break
    if (wholeNodeGoes(mem, node, entries, length, trim)) {
      beforeChange(mem, stream, node)
      copyId(scratchId, 0, place.view, place.at)
      dropNode(mem, index, scratchId, node)
      setStreamLength(mem, stream, length - entries)
      deleted += entries
      continue
    }
    if (!trim.approximate) deleted += trimNode(mem, stream, node, entries, trim)
    break
  }
  if (deleted > 0) refreshFirst(mem, stream)
  return deleted
}

function wholeNodeGoes(mem: Arena, node: Ref, entries: number, length: number, trim: Trim): boolean {
  if (trim.maxLength >= 0) return length - entries >= trim.maxLength
  const u8 = mem.u8[segmentOf(node)]
  const at = entryStart(u8, lpBack(u8, byteOf(node) + lpBytes(mem, node) - 1))
  if (at < 0) return true
  entryId(u8, at)
  return compareIds(scratchId, 0, trim.minId, 0) < 0
}

/** Reads the id of the entry at `at`, of the node that `place` is at, into scratchId. */
function entryId(u8: Uint8Array, at: number): void {
  const ms = lpSkip(u8, at)
  addDelta(scratchId, 0, place.view, place.at, u8, ms)
  addDelta(scratchId, 2, place.view, place.at + 2, u8, lpSkip(u8, ms))
}

/** Marks entries at the front of the node that `place` is at; returns how many. */
function trimNode(mem: Arena, stream: Ref, node: Ref, entries: number, trim: Trim): number {
  beforeChange(mem, stream, node)
  const u8 = mem.u8[segmentOf(node)]
  const surplus = trim.maxLength >= 0 ? streamLength(mem, stream) - trim.maxLength : entries
  const fields = masterFields(u8, byteOf(node))
  let marked = 0
  for (let at = lpSkip(u8, masterEnd(u8, byteOf(node))); u8[at] !== LP_END && marked < surplus; at = skipEntry(u8, at, fields)) {
    if (trim.maxLength < 0) {
      entryId(u8, at)
      if (compareIds(scratchId, 0, trim.minId, 0) >= 0) break
    }
    if ((u8[at] & DELETED) !== 0) continue
    u8[at] |= DELETED
    marked++
  }
  place.view[place.at + ID_WORDS] = nodeSetCounts(mem, node, entries - marked, nodeDeleted(mem, node) + marked)
  setStreamLength(mem, stream, streamLength(mem, stream) - marked)
  return marked
}
