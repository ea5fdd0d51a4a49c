/**
 * stream-ops: what the keyspace does with a stream as a whole: free it (at once or in slices), copy it, audit it.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { valueRef } from '../structs/entry.ts'
import { copyListpack, freeListpack, lpBytes } from '../structs/listpack.ts'
import { auditNames, nameAt, nameLength, namesRemove, namesSize } from '../structs/name-list.ts'
import { ID_WORDS } from '../structs/stream-id.ts'
import {
  auditIndex,
  freeFirstLeaf,
  freeIndexRoot,
  IndexCursor,
  indexBytes,
  indexFind,
  indexFirst,
  indexLast,
  indexNext,
  indexSize,
  leafItems,
} from '../structs/stream-index.ts'
import { layoutChanged } from '../structs/stream-node.ts'
import type { TypeOps } from './object.ts'
import { addNode, GROUPS, INDEX, indexOf, newStream, STREAM_BYTES } from './stream.ts'
import {
  activeMs,
  addPending,
  addToConsumer,
  consumerBytes,
  consumerName,
  consumerPending,
  consumersOf,
  createConsumer,
  createGroup,
  entriesReadOf,
  freeConsumerShell,
  freeGroupShell,
  GROUP_LAST_ID,
  groupBytes,
  groupName,
  groupsOf,
  pendingOf,
  seenMs,
  setActive,
  setConsumers,
  setPendingConsumer,
  TIME,
} from './stream-group.ts'
import { moveStreamStep } from './stream-move.ts'
import { keepsViews } from '../util/views.ts'

const place = keepsViews(new IndexCursor())
const copyPlace = keepsViews(new IndexCursor())

export const streamOps: TypeOps = {
  name: 'stream',
  free: (mem, entry) => void freeStep(mem, valueRef(mem, entry), Infinity),
  freeStep: (mem, entry, budget) => freeStep(mem, valueRef(mem, entry), budget),
  freeEffort: (mem, entry) => freeEffort(mem, valueRef(mem, entry)),
  audit: (mem, entry, report) => auditStream(mem, valueRef(mem, entry), report),
  estimate: (mem, entry, samples) => estimateStream(mem, valueRef(mem, entry), samples),
  copyRoot: (mem, entry) => copyStream(mem, valueRef(mem, entry)),
  moveStep: moveStreamStep,
}

export function freeStream(mem: Arena, stream: Ref): void {
  freeStep(mem, stream, Infinity)
}

/** Nodes, and pending entries as far as the first group tells. */
function freeEffort(mem: Arena, stream: Ref): number {
  const groups = groupsOf(mem, stream)
  const count = namesSize(mem, groups)
  const nodes = indexSize(mem, indexOf(mem, stream))
  return count === 0 ? nodes : nodes + count * (1 + indexSize(mem, pendingOf(mem, nameAt(mem, groups, 0))))
}

/** Blocks that the running freeStep may still free. */
let left = 0

function freeStep(mem: Arena, stream: Ref, budget: number): boolean {
  left = budget
  if (!freeNodes(mem, stream)) return false
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  while (root[at + GROUPS] !== 0) {
    const groups = root[at + GROUPS] as Ref
    const last = namesSize(mem, groups) - 1
    const group = nameAt(mem, groups, last)
    if (!freeGroup(mem, group)) return false
    root[at + GROUPS] = namesRemove(mem, groups, last)
    freeGroupShell(mem, group)
  }
  mem.free(stream, STREAM_BYTES)
  return true
}

function freeNodes(mem: Arena, stream: Ref): boolean {
  const root = mem.u32[segmentOf(stream)]
  const index = root[wordOf(stream) + INDEX] as Ref
  if (index === NULL_REF) return true
  while (indexFirst(mem, index, place)) {
    if (left <= 0) return false
    layoutChanged()
    const items = leafItems(place)
    for (let i = 0, at = place.at + ID_WORDS; i < items; i++, at += ID_WORDS + 1) freeListpack(mem, place.view[at] as Ref)
    freeFirstLeaf(mem, index)
    left -= items + 1
  }
  freeIndexRoot(mem, index)
  root[wordOf(stream) + INDEX] = 0
  return true
}

/** Frees what the group owns, but not its block. */
function freeGroup(mem: Arena, group: Ref): boolean {
  const view = mem.u32[segmentOf(group)]
  const at = wordOf(group)
  for (let consumers = consumersOf(mem, group); consumers !== NULL_REF; ) {
    const last = namesSize(mem, consumers) - 1
    const consumer = nameAt(mem, consumers, last)
    if (!freePending(mem, mem.u32[segmentOf(consumer)], wordOf(consumer) + 1)) return false
    consumers = namesRemove(mem, consumers, last)
    setConsumers(mem, group, consumers)
    freeConsumerShell(mem, consumer)
    left--
  }
  return freePending(mem, view, at + 1)
}

/** Frees the index of pending entries that the word refers to. */
function freePending(mem: Arena, view: Uint32Array, at: number): boolean {
  const index = view[at] as Ref
  if (index === NULL_REF) return true
  while (freeFirstLeaf(mem, index)) if (--left <= 0) return false
  freeIndexRoot(mem, index)
  view[at] = 0
  return true
}

export function auditStream(mem: Arena, stream: Ref, report: Report): void {
  report(stream, STREAM_BYTES)
  const index = indexOf(mem, stream)
  if (index !== NULL_REF) {
    auditIndex(mem, index, report)
    for (let more = indexFirst(mem, index, place); more; more = indexNext(mem, index, place)) {
      const node = place.view[place.at + ID_WORDS] as Ref
      report(node, lpBytes(mem, node))
    }
  }
  const groups = groupsOf(mem, stream)
  auditNames(mem, groups, report)
  for (let i = 0; i < namesSize(mem, groups); i++) auditGroup(mem, nameAt(mem, groups, i), report)
}

/** About how many bytes the stream takes, judging by its first `samples` nodes and its last; a step for each consumer. */
function estimateStream(mem: Arena, stream: Ref, samples: number): number {
  const index = indexOf(mem, stream)
  let seen = 0
  let bytes = 0
  for (let more = indexFirst(mem, index, place); more && seen < samples; more = indexNext(mem, index, place), seen++)
    bytes += listpackBytes(mem)
  const nodes = indexSize(mem, index)
  if (nodes > seen && indexLast(mem, index, place)) bytes = Math.round((bytes / seen) * (nodes - 1)) + listpackBytes(mem)
  bytes += usableBytes(STREAM_BYTES) + indexBytes(mem, index)
  const groups = groupsOf(mem, stream)
  const add: Report = (_ref, size) => void (bytes += usableBytes(size))
  auditNames(mem, groups, add)
  for (let i = 0; i < namesSize(mem, groups); i++) bytes += estimateGroup(mem, nameAt(mem, groups, i))
  return bytes
}

function listpackBytes(mem: Arena): number {
  return usableBytes(lpBytes(mem, place.view[place.at + ID_WORDS] as Ref))
}

function estimateGroup(mem: Arena, group: Ref): number {
  let bytes = usableBytes(groupBytes(mem, group)) + indexBytes(mem, pendingOf(mem, group))
  const consumers = consumersOf(mem, group)
  auditNames(mem, consumers, (_ref, size) => void (bytes += usableBytes(size)))
  for (let i = 0; i < namesSize(mem, consumers); i++) {
    const consumer = nameAt(mem, consumers, i)
    const pending = consumerPending(mem, consumer)
    bytes += usableBytes(consumerBytes(mem, consumer)) + (pending === NULL_REF ? 0 : indexBytes(mem, pending))
  }
  return bytes
}

function auditGroup(mem: Arena, group: Ref, report: Report): void {
  report(group, groupBytes(mem, group))
  if (pendingOf(mem, group) !== NULL_REF) auditIndex(mem, pendingOf(mem, group), report)
  const consumers = consumersOf(mem, group)
  auditNames(mem, consumers, report)
  for (let i = 0; i < namesSize(mem, consumers); i++) {
    const consumer = nameAt(mem, consumers, i)
    report(consumer, consumerBytes(mem, consumer))
    if (consumerPending(mem, consumer) !== NULL_REF) auditIndex(mem, consumerPending(mem, consumer), report)
  }
}

/** A deep copy; nothing is left behind when there is no memory for it. */
export function copyStream(mem: Arena, stream: Ref): Ref {
  const copy = newStream(mem)
  try {
    copyNodes(mem, stream, copy)
    copyGroups(mem, stream, copy)
  } catch (error) {
    freeStream(mem, copy)
    throw error
  }
  const from = mem.u32[segmentOf(stream)]
  const to = mem.u32[segmentOf(copy)]
  mem.f64[segmentOf(copy)][wordOf(copy) >>> 1] = mem.f64[segmentOf(stream)][wordOf(stream) >>> 1]
  for (let word = GROUPS + 1; word < STREAM_BYTES / 4; word++) to[wordOf(copy) + word] = from[wordOf(stream) + word]
  return copy
}

function copyNodes(mem: Arena, stream: Ref, copy: Ref): void {
  const index = indexOf(mem, stream)
  const id = new Uint32Array(ID_WORDS)
  for (let more = indexFirst(mem, index, place); more; more = indexNext(mem, index, place)) {
    id.set(place.view.subarray(place.at, place.at + ID_WORDS))
    addNode(mem, indexOf(mem, copy), id, copyListpack(mem, place.view[place.at + ID_WORDS] as Ref))
  }
}

function copyGroups(mem: Arena, stream: Ref, copy: Ref): void {
  const groups = groupsOf(mem, stream)
  for (let i = 0; i < namesSize(mem, groups); i++) {
    const group = nameAt(mem, groups, i)
    const name = mem.u8[segmentOf(group)]
    const lastId = wordOf(group) + GROUP_LAST_ID
    const read = entriesReadOf(mem, group)
    const view = mem.u32[segmentOf(group)]
    const fresh = createGroup(mem, copy, name, groupName(group), nameLength(mem, group), view, lastId, read)
    copyPending(mem, group, fresh)
    copyConsumers(mem, group, fresh)
  }
}

function copyPending(mem: Arena, group: Ref, fresh: Ref): void {
  const pending = pendingOf(mem, group)
  for (let more = indexFirst(mem, pending, place); more; more = indexNext(mem, pending, place)) {
    addPending(mem, fresh, place.view.subarray(place.at, place.at + ID_WORDS), copyPlace)
    for (let word = TIME; word < TIME + 4; word++) copyPlace.view[copyPlace.at + word] = place.view[place.at + word]
  }
}

function copyConsumers(mem: Arena, group: Ref, fresh: Ref): void {
  const consumers = consumersOf(mem, group)
  for (let i = 0; i < namesSize(mem, consumers); i++) {
    const old = nameAt(mem, consumers, i)
    const u8 = mem.u8[segmentOf(old)]
    const consumer = createConsumer(mem, fresh, u8, consumerName(old), nameLength(mem, old), seenMs(mem, old))
    setActive(mem, consumer, activeMs(mem, old))
    const pending = consumerPending(mem, old)
    if (pending === NULL_REF) continue
    for (let more = indexFirst(mem, pending, place); more; more = indexNext(mem, pending, place)) {
      addToConsumer(mem, consumer, place.view, place.at)
      if (indexFind(mem, pendingOf(mem, fresh), place.view, place.at, copyPlace)) setPendingConsumer(copyPlace, consumer)
    }
  }
}
