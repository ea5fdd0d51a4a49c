/**
 * Streams in RDB form: the nodes as they are, the counters, and the groups with what they have pending.
 *
 *   nodes: number, each | id 16 bytes as a string | listpack as a string |
 *   length | last id | [2: first id | highest deleted id | entries added]                      an id is two lengths, ms and sequence
 *   groups: number, each | name | last id | [2: entries read] | pending: number, each | id 16 bytes | delivered u64 | deliveries |
 *     consumers: number, each | name | seen u64 | [3: active u64] | pending: number, each | id 16 bytes |
 *
 * [2:] is missing in the first version of the form, [3:] in the first two.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { valueRef } from '../structs/entry.ts'
import { listpackFrom, lpBytes, lpValidate } from '../structs/listpack.ts'
import { nameAt, nameLength, namesSize } from '../structs/name-list.ts'
import { ID_WORDS } from '../structs/stream-id.ts'
import { IndexCursor, indexFind, indexFirst, indexNext, indexSize } from '../structs/stream-index.ts'
import { isNode, nodeCount } from '../structs/stream-node.ts'
import { int64At, numberAt, setInt64 } from '../util/words64.ts'
import { STREAM, STREAM_NODES } from './object.ts'
import { type Codec, RDB_STREAM_LISTPACKS, RDB_STREAM_LISTPACKS_2, RDB_STREAM_LISTPACKS_3, setLoaded } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import {
  addNode,
  ENTRIES_ADDED,
  FIRST_ID,
  indexOf,
  LAST_ID,
  MAX_DELETED_ID,
  newStream,
  refreshFirst,
  setStreamLength,
  streamLength,
} from './stream.ts'
import {
  activeMs,
  addPending,
  addToConsumer,
  consumerName,
  consumerPending,
  consumersOf,
  createConsumer,
  createGroup,
  DELIVERIES,
  ENTRIES_READ,
  GROUP_LAST_ID,
  groupName,
  groupsOf,
  pendingConsumer,
  pendingOf,
  seenMs,
  setActive,
  setEntriesRead,
  setPendingConsumer,
  TIME,
} from './stream-group.ts'
import { entriesUpTo } from './stream-lag.ts'
import { freeStream } from './stream-ops.ts'
import { keepsViews } from '../util/views.ts'

const ID_BYTES = 16

const place = keepsViews(new IndexCursor())
const words = new Uint32Array(2)
const id = new Uint32Array(ID_WORDS)
const idBytes = new Uint8Array(ID_BYTES)

export const streamCodec: Codec = {
  save(mem, entry, out) {
    out.byte(RDB_STREAM_LISTPACKS_3)
    saveStream(mem, valueRef(mem, entry), out)
  },
  loads: [
    [RDB_STREAM_LISTPACKS, (mem, input) => load(mem, input, 1)],
    [RDB_STREAM_LISTPACKS_2, (mem, input) => load(mem, input, 2)],
    [RDB_STREAM_LISTPACKS_3, (mem, input) => load(mem, input, 3)],
  ],
}

// ---- saving ----

function saveStream(mem: Arena, stream: Ref, out: RdbWriter): void {
  const index = indexOf(mem, stream)
  out.len(indexSize(mem, index))
  for (let more = indexFirst(mem, index, place); more; more = indexNext(mem, index, place)) {
    const node = place.view[place.at + ID_WORDS] as Ref
    idToBytes(place.view, place.at)
    out.string(idBytes, 0, ID_BYTES)
    out.string(mem.u8[segmentOf(node)], byteOf(node), lpBytes(mem, node))
  }
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  out.len(streamLength(mem, stream))
  saveId(root, at + LAST_ID, out)
  saveId(root, at + FIRST_ID, out)
  saveId(root, at + MAX_DELETED_ID, out)
  out.len64(root, at + ENTRIES_ADDED)
  const groups = groupsOf(mem, stream)
  out.len(namesSize(mem, groups))
  for (let i = 0; i < namesSize(mem, groups); i++) saveGroup(mem, nameAt(mem, groups, i), out)
}

function saveId(view: Uint32Array, at: number, out: RdbWriter): void {
  out.len64(view, at)
  out.len64(view, at + 2)
}

/** Fills idBytes with the id, highest byte first. */
function idToBytes(view: Uint32Array, at: number): void {
  for (let i = 0; i < ID_BYTES; i++) idBytes[i] = view[at + (i >> 2)] >>> (24 - 8 * (i & 3))
}

function saveRawId(view: Uint32Array, at: number, out: RdbWriter): void {
  idToBytes(view, at)
  out.raw(idBytes, 0, ID_BYTES)
}

/** A 64-bit integer of two words, little endian. */
function saveTime(view: Uint32Array, at: number, out: RdbWriter): void {
  for (let shift = 0; shift < 32; shift += 8) out.byte((view[at + 1] >>> shift) & 255)
  for (let shift = 0; shift < 32; shift += 8) out.byte((view[at] >>> shift) & 255)
}

function saveMs(ms: number, out: RdbWriter): void {
  setInt64(words, 0, ms)
  saveTime(words, 0, out)
}

function saveGroup(mem: Arena, group: Ref, out: RdbWriter): void {
  const view = mem.u32[segmentOf(group)]
  const at = wordOf(group)
  out.string(mem.u8[segmentOf(group)], groupName(group), nameLength(mem, group))
  saveId(view, at + GROUP_LAST_ID, out)
  out.len64(view, at + ENTRIES_READ)
  const pending = pendingOf(mem, group)
  out.len(indexSize(mem, pending))
  for (let more = indexFirst(mem, pending, place); more; more = indexNext(mem, pending, place)) {
    saveRawId(place.view, place.at, out)
    saveTime(place.view, place.at + TIME, out)
    out.len64(place.view, place.at + DELIVERIES)
  }
  const consumers = consumersOf(mem, group)
  out.len(namesSize(mem, consumers))
  for (let i = 0; i < namesSize(mem, consumers); i++) saveConsumer(mem, nameAt(mem, consumers, i), out)
}

function saveConsumer(mem: Arena, consumer: Ref, out: RdbWriter): void {
  out.string(mem.u8[segmentOf(consumer)], consumerName(consumer), nameLength(mem, consumer))
  saveMs(seenMs(mem, consumer), out)
  saveMs(activeMs(mem, consumer), out)
  const pending = consumerPending(mem, consumer)
  if (pending === NULL_REF) return out.len(0)
  out.len(indexSize(mem, pending))
  for (let more = indexFirst(mem, pending, place); more; more = indexNext(mem, pending, place)) saveRawId(place.view, place.at, out)
}

// ---- loading ----

function load(mem: Arena, input: RdbReader, version: number): boolean {
  const stream = newStream(mem)
  let whole = false
  try {
    whole = loadNodes(mem, stream, input) && loadCounters(mem, stream, input, version) && loadGroups(mem, stream, input, version)
  } finally {
    if (!whole || input.failed) freeStream(mem, stream)
  }
  return whole && !input.failed && setLoaded(STREAM, STREAM_NODES, stream)
}

/** Reads the nodes; the stream's length becomes the sum of their live entries. */
function loadNodes(mem: Arena, stream: Ref, input: RdbReader): boolean {
  const index = indexOf(mem, stream)
  let length = 0
  for (let left = input.count(); left > 0; left--) {
    input.string()
    if (input.length !== ID_BYTES) return false
    idFrom(input.data, input.off)
    input.string()
    const { data, off } = input
    if (input.failed || !lpValidate(data, off, input.length, true) || !isNode(data, off)) return false
    if (indexFind(mem, index, id, 0, place)) return false
    const node = listpackFrom(mem, data, off, input.length)
    addNode(mem, index, id, node)
    length += nodeCount(mem, node)
  }
  setStreamLength(mem, stream, length)
  return true
}

/** Reads an id of 16 bytes into `id`. */
function idFrom(bytes: Uint8Array, off: number): void {
  for (let word = 0, at = off; word < ID_WORDS; word++, at += 4)
    id[word] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}

function loadId(input: RdbReader, view: Uint32Array, at: number): void {
  input.len64(view, at)
  input.len64(view, at + 2)
}

function loadCounters(mem: Arena, stream: Ref, input: RdbReader, version: number): boolean {
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  if (input.len() !== streamLength(mem, stream)) return false
  loadId(input, root, at + LAST_ID)
  if (version >= 2) {
    loadId(input, root, at + FIRST_ID)
    loadId(input, root, at + MAX_DELETED_ID)
    input.len64(root, at + ENTRIES_ADDED)
  } else {
    setInt64(root, at + ENTRIES_ADDED, streamLength(mem, stream))
    refreshFirst(mem, stream)
  }
  return !input.failed
}

function loadGroups(mem: Arena, stream: Ref, input: RdbReader, version: number): boolean {
  for (let left = input.count(); left > 0; left--) {
    input.string()
    const { data, off, length } = input
    loadId(input, id, 0)
    const read = new Uint32Array(2)
    if (version >= 2) input.len64(read, 0)
    if (input.failed) return false
    const group = createGroup(mem, stream, data, off, length, id, 0, int64At(read, 0))
    if (group === NULL_REF) return false
    if (version < 2) setEntriesRead(mem, group, entriesUpTo(mem, stream, id, 0))
    if (!loadPending(mem, group, input) || !loadConsumers(mem, group, input, version)) return false
  }
  return !input.failed
}

function loadRawId(input: RdbReader): void {
  if (!input.has(ID_BYTES)) return
  idFrom(input.bytes, input.at)
  input.at += ID_BYTES
}

/** Reads a little-endian 64-bit integer into two words. */
function loadTime(input: RdbReader, view: Uint32Array, at: number): void {
  view[at + 1] = loadWord(input)
  view[at] = loadWord(input)
}

function loadWord(input: RdbReader): number {
  let word = 0
  for (let shift = 0; shift < 32; shift += 8) word |= input.byte() << shift
  return word
}

function loadMs(input: RdbReader): number {
  loadTime(input, words, 0)
  return numberAt(words, 0)
}

function loadPending(mem: Arena, group: Ref, input: RdbReader): boolean {
  for (let left = input.count(); left > 0 && !input.failed; left--) {
    loadRawId(input)
    if (indexFind(mem, pendingOf(mem, group), id, 0, place)) return false
    addPending(mem, group, id, place)
    loadTime(input, place.view, place.at + TIME)
    input.len64(place.view, place.at + DELIVERIES)
  }
  return !input.failed
}

/** Reads the consumers, who together must own each pending entry of the group exactly once. */
function loadConsumers(mem: Arena, group: Ref, input: RdbReader, version: number): boolean {
  let owned = 0
  for (let left = input.count(); left > 0; left--) {
    input.string()
    const { data, off, length } = input
    const seen = loadMs(input)
    const active = version >= 3 ? loadMs(input) : seen
    if (input.failed) return false
    const consumer = createConsumer(mem, group, data, off, length, seen)
    if (consumer === NULL_REF) return false
    setActive(mem, consumer, active)
    for (let ids = input.count(); ids > 0; ids--, owned++) {
      loadRawId(input)
      if (input.failed || !indexFind(mem, pendingOf(mem, group), id, 0, place) || pendingConsumer(place) !== NULL_REF) return false
      addToConsumer(mem, consumer, id, 0)
      setPendingConsumer(place, consumer)
    }
  }
  return !input.failed && owned === indexSize(mem, pendingOf(mem, group))
}
