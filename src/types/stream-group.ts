/**
 * stream-group: consumer groups, their consumers, and the entries delivered but not acknowledged.
 *
 *   group     0 name length | 4  pending, ref | 8  consumers, ref | 16 last delivered id | 32 entries read, 64 bits | 40 name
 *   consumer  0 name length | 4  pending, ref | 8  seen ms, f64   | 16 active ms, f64    | 24 name
 *   group's pending index      id -> delivery time ms, 64 bits | deliveries, 64 bits | consumer, ref
 *   consumer's pending index   id -> nothing
 *
 * (1) An id is pending for a consumer exactly when the group's index names that consumer for it. Only a payload from elsewhere may leave
 *     an id of the group without consumer (null).
 * (2) Entries read is -1 when unknown; active ms is -1 until the consumer got something.
 * (3) A consumer's index is made when its first entry is delivered; groups and consumers move only when their segment is evacuated (stream-move.ts).
 * (4) On OutOfMemory nothing has changed.
 *
 * Deliver, acknowledge and transfer are O(log pending).
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, doubleOf, NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { nameAt, nameLength, namesFind, namesInsert, namesRemove, namesSize } from '../structs/name-list.ts'
import { copyId, ID_WORDS } from '../structs/stream-id.ts'
import {
  freeIndex,
  IndexCursor,
  indexFind,
  indexFirst,
  indexInsert,
  indexNext,
  indexRemove,
  indexRemoveFound,
  indexSize,
  leafItems,
  newIndex,
} from '../structs/stream-index.ts'
import { copyBytes } from '../util/bytes.ts'
import { incrementInt64, type Int64, int64At, numberAt, setInt64 } from '../util/words64.ts'
import { GROUPS } from './stream.ts'
import { keepsViews } from '../util/views.ts'

const PENDING = 1
const CONSUMERS = 2
/** Words of a group from wordOf(group) on. */
export const GROUP_LAST_ID = 4
export const ENTRIES_READ = 8
const GROUP_NAME = 40

const SEEN = 1
const ACTIVE = 2
const CONSUMER_NAME = 24

/** Words of a pending entry behind its id. */
export const TIME = ID_WORDS
export const DELIVERIES = ID_WORDS + 2
const CONSUMER = ID_WORDS + 4
const PENDING_WORDS = 5

/** Entries read of a group that cannot tell. */
export const UNKNOWN_READ = -1
export const NEVER_ACTIVE = -1

const place = keepsViews(new IndexCursor())

// ---- groups ----

/** The stream's groups by name: a name list. */
export function groupsOf(mem: Arena, stream: Ref): Ref {
  return mem.u32[segmentOf(stream)][wordOf(stream) + GROUPS] as Ref
}

export function findGroup(mem: Arena, stream: Ref, bytes: Uint8Array, off: number, len: number): Ref {
  const groups = groupsOf(mem, stream)
  const found = namesFind(mem, groups, GROUP_NAME, bytes, off, len)
  return found < 0 ? NULL_REF : nameAt(mem, groups, found)
}

/** A new group that has delivered everything up to the id; null when the name is taken. */
export function createGroup(
  mem: Arena,
  stream: Ref,
  bytes: Uint8Array,
  off: number,
  len: number,
  id: Uint32Array,
  idAt: number,
  entriesRead: Int64,
): Ref {
  const groups = groupsOf(mem, stream)
  const found = namesFind(mem, groups, GROUP_NAME, bytes, off, len)
  if (found >= 0) return NULL_REF
  const pending = newIndex(mem, PENDING_WORDS)
  let group = NULL_REF
  try {
    group = newNamed(mem, GROUP_NAME, bytes, off, len)
    mem.u32[segmentOf(stream)][wordOf(stream) + GROUPS] = namesInsert(mem, groups, -1 - found, group)
  } catch (error) {
    if (group !== NULL_REF) mem.free(group, GROUP_NAME + len)
    freeIndex(mem, pending)
    throw error
  }
  const view = mem.u32[segmentOf(group)]
  const at = wordOf(group)
  view[at + PENDING] = pending
  copyId(view, at + GROUP_LAST_ID, id, idAt)
  setInt64(view, at + ENTRIES_READ, entriesRead)
  return group
}

/** A zeroed block with a name. */
function newNamed(mem: Arena, nameOffset: number, bytes: Uint8Array, off: number, len: number): Ref {
  const block = mem.alloc(nameOffset + len)
  const u8 = mem.u8[segmentOf(block)]
  u8.fill(0, byteOf(block), byteOf(block) + nameOffset)
  copyBytes(u8, byteOf(block) + nameOffset, bytes, off, len)
  mem.u32[segmentOf(block)][wordOf(block)] = len
  return block
}

/** Removes a group with its consumers; false when there is none of that name. */
export function destroyGroup(mem: Arena, stream: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const groups = groupsOf(mem, stream)
  const found = namesFind(mem, groups, GROUP_NAME, bytes, off, len)
  if (found < 0) return false
  const group = nameAt(mem, groups, found)
  mem.u32[segmentOf(stream)][wordOf(stream) + GROUPS] = namesRemove(mem, groups, found)
  freeGroup(mem, group)
  return true
}

function freeGroup(mem: Arena, group: Ref): void {
  let consumers = consumersOf(mem, group)
  while (consumers !== NULL_REF) {
    const last = namesSize(mem, consumers) - 1
    const consumer = nameAt(mem, consumers, last)
    consumers = namesRemove(mem, consumers, last)
    freeConsumer(mem, consumer)
  }
  freeIndex(mem, pendingOf(mem, group))
  freeGroupShell(mem, group)
}

/** Frees the group's own block. */
export function freeGroupShell(mem: Arena, group: Ref): void {
  mem.free(group, groupBytes(mem, group))
}

export function groupBytes(mem: Arena, group: Ref): number {
  return GROUP_NAME + nameLength(mem, group)
}

/** Offset of the group's name in the group's u8 view. */
export function groupName(group: Ref): number {
  return byteOf(group) + GROUP_NAME
}

/** The group's pending entries: an index. */
export function pendingOf(mem: Arena, group: Ref): Ref {
  return mem.u32[segmentOf(group)][wordOf(group) + PENDING] as Ref
}

/** Lets a group or a consumer refer to its index of pending entries. */
export function setPending(mem: Arena, owner: Ref, pending: Ref): void {
  mem.u32[segmentOf(owner)][wordOf(owner) + PENDING] = pending
}

export function entriesReadOf(mem: Arena, group: Ref): Int64 {
  return int64At(mem.u32[segmentOf(group)], wordOf(group) + ENTRIES_READ)
}

export function setEntriesRead(mem: Arena, group: Ref, value: Int64): void {
  setInt64(mem.u32[segmentOf(group)], wordOf(group) + ENTRIES_READ, value)
}

export function setGroupLastId(mem: Arena, group: Ref, id: Uint32Array, idAt: number): void {
  copyId(mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID, id, idAt)
}

// ---- consumers ----

/** The group's consumers by name: a name list. */
export function consumersOf(mem: Arena, group: Ref): Ref {
  return mem.u32[segmentOf(group)][wordOf(group) + CONSUMERS] as Ref
}

export function setConsumers(mem: Arena, group: Ref, consumers: Ref): void {
  mem.u32[segmentOf(group)][wordOf(group) + CONSUMERS] = consumers
}

export function findConsumer(mem: Arena, group: Ref, bytes: Uint8Array, off: number, len: number): Ref {
  const consumers = consumersOf(mem, group)
  const found = namesFind(mem, consumers, CONSUMER_NAME, bytes, off, len)
  return found < 0 ? NULL_REF : nameAt(mem, consumers, found)
}

/** A new consumer, seen now; null when the name is taken. */
export function createConsumer(mem: Arena, group: Ref, bytes: Uint8Array, off: number, len: number, nowMs: number): Ref {
  const consumers = consumersOf(mem, group)
  const found = namesFind(mem, consumers, CONSUMER_NAME, bytes, off, len)
  if (found >= 0) return NULL_REF
  const consumer = newNamed(mem, CONSUMER_NAME, bytes, off, len)
  try {
    setConsumers(mem, group, namesInsert(mem, consumers, -1 - found, consumer))
  } catch (error) {
    mem.free(consumer, CONSUMER_NAME + len)
    throw error
  }
  setSeen(mem, consumer, nowMs)
  setActive(mem, consumer, NEVER_ACTIVE)
  return consumer
}

/** Removes a consumer and forgets what was delivered to it; returns how many entries were pending, -1 when there is none of that name. */
export function deleteConsumer(mem: Arena, group: Ref, bytes: Uint8Array, off: number, len: number): number {
  const consumers = consumersOf(mem, group)
  const found = namesFind(mem, consumers, CONSUMER_NAME, bytes, off, len)
  if (found < 0) return -1
  const consumer = nameAt(mem, consumers, found)
  const pending = consumerPending(mem, consumer)
  const count = consumerPendingSize(mem, consumer)
  const groupPending = pendingOf(mem, group)
  if (pending !== NULL_REF)
    for (let more = indexFirst(mem, pending, place); more; more = indexNext(mem, pending, place))
      indexRemove(mem, groupPending, place.view, place.at)
  setConsumers(mem, group, namesRemove(mem, consumers, found))
  freeConsumer(mem, consumer)
  return count
}

function freeConsumer(mem: Arena, consumer: Ref): void {
  const pending = consumerPending(mem, consumer)
  if (pending !== NULL_REF) freeIndex(mem, pending)
  freeConsumerShell(mem, consumer)
}

/** Frees the consumer's own block. */
export function freeConsumerShell(mem: Arena, consumer: Ref): void {
  mem.free(consumer, consumerBytes(mem, consumer))
}

export function consumerBytes(mem: Arena, consumer: Ref): number {
  return CONSUMER_NAME + nameLength(mem, consumer)
}

/** Offset of the consumer's name in the consumer's u8 view. */
export function consumerName(consumer: Ref): number {
  return byteOf(consumer) + CONSUMER_NAME
}

/** The ids pending for the consumer: an index, or null when there never were any. */
export function consumerPending(mem: Arena, consumer: Ref): Ref {
  return mem.u32[segmentOf(consumer)][wordOf(consumer) + PENDING] as Ref
}

export function consumerPendingSize(mem: Arena, consumer: Ref): number {
  const pending = consumerPending(mem, consumer)
  return pending === NULL_REF ? 0 : indexSize(mem, pending)
}

export function seenMs(mem: Arena, consumer: Ref): number {
  return mem.f64[segmentOf(consumer)][doubleOf(consumer) + SEEN]
}

export function setSeen(mem: Arena, consumer: Ref, atMs: number): void {
  mem.f64[segmentOf(consumer)][doubleOf(consumer) + SEEN] = atMs
}

export function activeMs(mem: Arena, consumer: Ref): number {
  return mem.f64[segmentOf(consumer)][doubleOf(consumer) + ACTIVE]
}

export function setActive(mem: Arena, consumer: Ref, atMs: number): void {
  mem.f64[segmentOf(consumer)][doubleOf(consumer) + ACTIVE] = atMs
}

// ---- pending entries ----

/** Whom the pending entry at the cursor (of a group's index) was delivered to; null when unknown. */
export function pendingConsumer(at: IndexCursor): Ref {
  return at.view[at.at + CONSUMER] as Ref
}

export function setPendingConsumer(at: IndexCursor, consumer: Ref): void {
  at.view[at.at + CONSUMER] = consumer
}

/** Lets the entries of a leaf that were delivered to a consumer refer to where it has moved. The cursor is at the leaf's first item. */
export function relinkLeaf(at: IndexCursor, old: Ref, consumer: Ref): void {
  const { view } = at
  const items = leafItems(at)
  for (let i = 0, word = at.at + CONSUMER; i < items; i++, word += ID_WORDS + PENDING_WORDS) if (view[word] === old) view[word] = consumer
}

/** When it was delivered last, in ms. */
export function deliveryMs(at: IndexCursor): number {
  return numberAt(at.view, at.at + TIME)
}

/** How often it was delivered. */
export function deliveries(at: IndexCursor): Int64 {
  return int64At(at.view, at.at + DELIVERIES)
}

/** Enters the id into a consumer's index. */
export function addToConsumer(mem: Arena, consumer: Ref, id: Uint32Array, idAt: number): void {
  let pending = consumerPending(mem, consumer)
  if (pending === NULL_REF) {
    pending = newIndex(mem, 0)
    setPending(mem, consumer, pending)
  }
  indexInsert(mem, pending, id, idAt, consumerPlace)
}

const consumerPlace = keepsViews(new IndexCursor())

/** Hands the entry to the consumer, now and for the first time, whoever had it before. */
export function deliver(mem: Arena, group: Ref, consumer: Ref, id: Uint32Array, nowMs: number): void {
  if (indexFind(mem, pendingOf(mem, group), id, 0, place)) transfer(mem, place, consumer, id)
  else addClaimed(mem, group, consumer, id, nowMs, place)
  setDelivery(place, nowMs, 1)
}

/** Makes an id pending for the consumer that was not pending, as delivered once; the cursor is moved to it. */
export function addClaimed(mem: Arena, group: Ref, consumer: Ref, id: Uint32Array, nowMs: number, at: IndexCursor): void {
  const pending = pendingOf(mem, group)
  indexInsert(mem, pending, id, 0, at)
  try {
    addToConsumer(mem, consumer, id, 0)
  } catch (error) {
    indexRemove(mem, pending, id, 0)
    throw error
  }
  setPendingConsumer(at, consumer)
  setDelivery(at, nowMs, 1)
}

/** Notes another delivery, to the same consumer. */
export function redeliver(at: IndexCursor, nowMs: number): void {
  setInt64(at.view, at.at + TIME, nowMs)
  incrementInt64(at.view, at.at + DELIVERIES)
}

export function setDelivery(at: IndexCursor, atMs: number, count: Int64): void {
  setInt64(at.view, at.at + TIME, atMs)
  setInt64(at.view, at.at + DELIVERIES, count)
}

/** Gives the pending entry at the cursor, whose id is also in `id`, to another consumer. */
export function transfer(mem: Arena, at: IndexCursor, consumer: Ref, id: Uint32Array): void {
  const before = pendingConsumer(at)
  if (before === consumer) return
  addToConsumer(mem, consumer, id, 0)
  if (before !== NULL_REF) indexRemove(mem, consumerPending(mem, before), id, 0)
  setPendingConsumer(at, consumer)
}

/** Enters an id that is not pending into the group's index, for no consumer yet; the cursor is moved to it. */
export function addPending(mem: Arena, group: Ref, id: Uint32Array, at: IndexCursor): void {
  indexInsert(mem, pendingOf(mem, group), id, 0, at)
}

/** Forgets a pending entry; false when it is not pending. */
export function acknowledge(mem: Arena, group: Ref, id: Uint32Array, idAt: number): boolean {
  const pending = pendingOf(mem, group)
  if (!indexFind(mem, pending, id, idAt, place)) return false
  const consumer = pendingConsumer(place)
  indexRemoveFound(mem, pending, place)
  if (consumer !== NULL_REF) indexRemove(mem, consumerPending(mem, consumer), id, idAt)
  return true
}
