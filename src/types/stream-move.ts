/**
 * stream-move: moving a large stream out of segments that are being evacuated: some of its nodes a step, then its groups one by one, each
 * with its pending entries and consumers.
 *
 *   place   group 0: the nodes, at a place of their index | group n: consumer 0: its pending entries | consumer n: those of the consumer
 *
 * Each pending entry refers to its consumer, so it takes one step to move a consumer and let all of them follow. Either every entry of its
 * group is looked at, which takes a dozen instructions each, or the consumer's own are found; where there are too many for both, the
 * consumer stays where it is.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { setValueRef, valueRef } from '../structs/entry.ts'
import { lpBytes } from '../structs/listpack.ts'
import { moveNames, nameAt, namesSize, setNameAt } from '../structs/name-list.ts'
import { IndexCursor, indexFind, indexFirst, indexNext, indexSize } from '../structs/stream-index.ts'
import { indexMoveRoot, indexMoveStep, indexNextLeaf } from '../structs/stream-index-move.ts'
import { layoutChanged } from '../structs/stream-node.ts'
import type { MovePlace } from './object.ts'
import { GROUPS, INDEX, indexOf, STREAM_BYTES } from './stream.ts'
import {
  consumerBytes,
  consumerPending,
  consumerPendingSize,
  consumersOf,
  groupBytes,
  groupsOf,
  pendingOf,
  relinkLeaf,
  setConsumers,
  setPending,
  setPendingConsumer,
} from './stream-group.ts'
import { keepsViews } from '../util/views.ts'

/** Entries of a group that are looked at in one step, and those of a consumer that are found. */
const SCANNED_MAX = 20_000
const FOUND_MAX = 1000

const from = keepsViews(new IndexCursor())
const to = keepsViews(new IndexCursor())

/** One step; false at the end. */
export function moveStreamStep(mem: Arena, entry: Ref, place: MovePlace): boolean {
  if (place.group > 0) return moveGroupStep(mem, valueRef(mem, entry), place)
  if (place.at === 0) moveRoots(mem, entry)
  place.at = indexMoveStep(mem, indexOf(mem, valueRef(mem, entry)), place.at, moveNode)
  if (place.at === 0) place.group = 1
  return true
}

function moveRoots(mem: Arena, entry: Ref): void {
  const stream = mem.moveOut(valueRef(mem, entry), STREAM_BYTES)
  setValueRef(mem, entry, stream)
  const u32 = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  u32[at + INDEX] = indexMoveRoot(mem, u32[at + INDEX] as Ref)
  u32[at + GROUPS] = moveNames(mem, u32[at + GROUPS] as Ref)
}

function moveNode(mem: Arena, view: Uint32Array, word: number): number {
  const node = view[word] as Ref
  if (!mem.isClosed(node)) return 0
  const bytes = lpBytes(mem, node)
  view[word] = mem.moveOut(node, bytes)
  layoutChanged()
  return bytes
}

function moveGroupStep(mem: Arena, stream: Ref, place: MovePlace): boolean {
  const groups = groupsOf(mem, stream)
  if (place.group > namesSize(mem, groups)) return false
  if (place.consumer === 0 && place.at === 0) moveGroup(mem, groups, place.group - 1)
  const group = nameAt(mem, groups, place.group - 1)
  if (place.consumer === 0) place.at = indexMoveStep(mem, pendingOf(mem, group), place.at, null)
  else if (place.consumer <= namesSize(mem, consumersOf(mem, group))) moveConsumerStep(mem, group, place)
  else {
    place.group++
    place.consumer = 0
    place.at = 0
    return true
  }
  if (place.at === 0) place.consumer++
  return true
}

function moveGroup(mem: Arena, groups: Ref, i: number): void {
  const old = nameAt(mem, groups, i)
  const group = mem.moveOut(old, groupBytes(mem, old))
  setNameAt(mem, groups, i, group)
  setPending(mem, group, indexMoveRoot(mem, pendingOf(mem, group)))
  setConsumers(mem, group, moveNames(mem, consumersOf(mem, group)))
}

function moveConsumerStep(mem: Arena, group: Ref, place: MovePlace): void {
  const consumers = consumersOf(mem, group)
  if (place.at === 0) moveConsumer(mem, group, consumers, place.consumer - 1)
  const pending = consumerPending(mem, nameAt(mem, consumers, place.consumer - 1))
  place.at = pending === NULL_REF ? 0 : indexMoveStep(mem, pending, place.at, null)
}

function moveConsumer(mem: Arena, group: Ref, consumers: Ref, i: number): void {
  const old = nameAt(mem, consumers, i)
  const scan = indexSize(mem, pendingOf(mem, group)) <= SCANNED_MAX
  if (mem.isClosed(old) && (scan || consumerPendingSize(mem, old) <= FOUND_MAX)) {
    const consumer = mem.moveOut(old, consumerBytes(mem, old))
    setNameAt(mem, consumers, i, consumer)
    if (scan) relinkAll(mem, pendingOf(mem, group), old, consumer)
    else relink(mem, pendingOf(mem, group), consumer)
  }
  const consumer = nameAt(mem, consumers, i)
  const pending = consumerPending(mem, consumer)
  if (pending !== NULL_REF) setPending(mem, consumer, indexMoveRoot(mem, pending))
}

/** Lets the group's pending entries of a consumer refer to where it is now: all are looked at. */
function relinkAll(mem: Arena, groupPending: Ref, old: Ref, consumer: Ref): void {
  for (let more = indexFirst(mem, groupPending, to); more; more = indexNextLeaf(mem, to)) relinkLeaf(to, old, consumer)
}

/** The same: those of the consumer are found. */
function relink(mem: Arena, groupPending: Ref, consumer: Ref): void {
  const pending = consumerPending(mem, consumer)
  if (pending === NULL_REF) return
  for (let more = indexFirst(mem, pending, from); more; more = indexNext(mem, pending, from))
    if (indexFind(mem, groupPending, from.view, from.at, to)) setPendingConsumer(to, consumer)
}
