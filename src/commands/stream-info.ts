/** stream-info: XINFO. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { NO_SUCH_KEY } from '../resp/errors.ts'
import { nameAt, nameLength, namesSize } from '../structs/name-list.ts'
import { StreamCursor } from '../structs/stream-cursor.ts'
import { IndexCursor, indexFind, indexFirst, indexNext, indexSize } from '../structs/stream-index.ts'
import { ENTRIES_ADDED, FIRST_ID, indexOf, LAST_ID, MAX_DELETED_ID, radixNodes, streamLength, streamNodes } from '../types/stream.ts'
import {
  activeMs,
  consumerPending,
  consumerPendingSize,
  consumersOf,
  deliveries,
  deliveryMs,
  entriesReadOf,
  findGroup,
  GROUP_LAST_ID,
  groupName,
  groupsOf,
  NEVER_ACTIVE,
  pendingConsumer,
  pendingOf,
  seenMs,
  UNKNOWN_READ,
} from '../types/stream-group.ts'
import { groupLag } from '../types/stream-lag.ts'
import { int64At } from '../util/words64.ts'
import { replyHelp } from './help.ts'
import { replyInt64, streamToRead, subcommandSyntax, WRONG } from './stream-args.ts'
import { noSuchGroup, replyConsumer } from './stream-group.ts'
import { replyEntries, replyEntry, replyId } from './stream-reply.ts'
import { keepsViews } from '../util/views.ts'

/** Entries and pending entries that FULL lists when COUNT says nothing else. */
const FULL_COUNT = 10

const cursor = keepsViews(new StreamCursor())
const place = keepsViews(new IndexCursor())
const groupPlace = keepsViews(new IndexCursor())

/** The stream at key argument 2; null after an error. */
function streamOf(c: Client): Ref {
  const stream = streamToRead(c, 2)
  if (stream === WRONG) return NULL_REF
  if (stream === NULL_REF) c.reply.error(NO_SUCH_KEY)
  return stream as Ref
}

export function xinfoStream(c: Client): void {
  const { argv } = c
  const stream = streamOf(c)
  if (stream === NULL_REF) return
  if (argv.count === 3) return streamSummary(c, stream)
  if ((argv.count !== 4 && argv.count !== 6) || !argv.is(3, 'full')) return subcommandSyntax(c, 'XINFO')
  let count = FULL_COUNT
  if (argv.count === 6) {
    if (!argv.is(4, 'count')) return subcommandSyntax(c, 'XINFO')
    count = intArg(c, 5)
    if (Number.isNaN(count)) return
    if (count < 0) count = FULL_COUNT
  }
  streamInFull(c, stream, count)
}

function streamSummary(c: Client, stream: Ref): void {
  const { mem, reply } = c
  reply.map(10)
  streamCounters(c, stream)
  reply.text('groups')
  reply.int(namesSize(mem, groupsOf(mem, stream)))
  edgeEntry(c, 'first-entry', stream, false)
  edgeEntry(c, 'last-entry', stream, true)
}

/** The seven fields that summary and FULL begin with. */
function streamCounters(c: Client, stream: Ref): void {
  const { mem, reply } = c
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  reply.text('length')
  reply.int(streamLength(mem, stream))
  reply.text('radix-tree-keys')
  reply.int(streamNodes(mem, stream))
  reply.text('radix-tree-nodes')
  reply.int(radixNodes(mem, stream))
  reply.text('last-generated-id')
  replyId(c, root, at + LAST_ID)
  reply.text('max-deleted-entry-id')
  replyId(c, root, at + MAX_DELETED_ID)
  reply.text('entries-added')
  replyInt64(c, int64At(root, at + ENTRIES_ADDED))
  reply.text('recorded-first-entry-id')
  replyId(c, root, at + FIRST_ID)
}

function edgeEntry(c: Client, field: string, stream: Ref, last: boolean): void {
  c.reply.text(field)
  cursor.startAll(c.mem, indexOf(c.mem, stream), last)
  if (cursor.next()) replyEntry(c, cursor)
  else c.reply.nil()
}

function streamInFull(c: Client, stream: Ref, count: number): void {
  const { mem, reply } = c
  reply.map(9)
  streamCounters(c, stream)
  reply.text('entries')
  cursor.startAll(mem, indexOf(mem, stream), false)
  replyEntries(c, cursor, count)
  reply.text('groups')
  const groups = groupsOf(mem, stream)
  const size = namesSize(mem, groups)
  reply.array(size)
  for (let i = 0; i < size; i++) groupInFull(c, stream, nameAt(mem, groups, i), count)
}

/** Name, last id, entries read and lag: what groups show in both forms, with what comes between in `middle`. */
function groupState(c: Client, stream: Ref, group: Ref): void {
  const { mem, reply } = c
  reply.text('last-delivered-id')
  replyId(c, mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID)
  reply.text('entries-read')
  const read = entriesReadOf(mem, group)
  if (read === UNKNOWN_READ) reply.nil()
  else replyInt64(c, read)
  reply.text('lag')
  const lag = groupLag(mem, stream, group)
  if (lag === null) reply.nil()
  else replyInt64(c, lag)
}

function replyGroupName(c: Client, group: Ref): void {
  c.reply.text('name')
  c.reply.bulk(c.mem.u8[segmentOf(group)], groupName(group), nameLength(c.mem, group))
}

function groupInFull(c: Client, stream: Ref, group: Ref, count: number): void {
  const { mem, reply } = c
  const pending = pendingOf(mem, group)
  reply.map(7)
  replyGroupName(c, group)
  groupState(c, stream, group)
  reply.text('pel-count')
  reply.int(indexSize(mem, pending))
  reply.text('pending')
  const size = indexSize(mem, pending)
  const listed = count === 0 ? size : Math.min(count, size)
  reply.array(listed)
  indexFirst(mem, pending, place)
  for (let i = 0; i < listed; i++, indexNext(mem, pending, place)) {
    reply.array(4)
    replyId(c, place.view, place.at)
    replyConsumer(c, pendingConsumer(place))
    reply.int(deliveryMs(place))
    replyInt64(c, deliveries(place))
  }
  reply.text('consumers')
  const consumers = consumersOf(mem, group)
  reply.array(namesSize(mem, consumers))
  for (let i = 0; i < namesSize(mem, consumers); i++) consumerInFull(c, pending, nameAt(mem, consumers, i), count)
}

function consumerInFull(c: Client, groupPending: Ref, consumer: Ref, count: number): void {
  const { mem, reply } = c
  const size = consumerPendingSize(mem, consumer)
  reply.map(5)
  reply.text('name')
  replyConsumer(c, consumer)
  reply.text('seen-time')
  reply.int(seenMs(mem, consumer))
  reply.text('active-time')
  reply.int(activeMs(mem, consumer))
  reply.text('pel-count')
  reply.int(size)
  reply.text('pending')
  const listed = count === 0 ? size : Math.min(count, size)
  reply.array(listed)
  if (listed === 0) return
  const own = consumerPending(mem, consumer)
  indexFirst(mem, own, place)
  for (let i = 0; i < listed; i++, indexNext(mem, own, place)) {
    indexFind(mem, groupPending, place.view, place.at, groupPlace)
    reply.array(3)
    replyId(c, place.view, place.at)
    reply.int(deliveryMs(groupPlace))
    replyInt64(c, deliveries(groupPlace))
  }
}

export function xinfoGroups(c: Client): void {
  const { mem, reply } = c
  const stream = streamOf(c)
  if (stream === NULL_REF) return
  const groups = groupsOf(mem, stream)
  reply.array(namesSize(mem, groups))
  for (let i = 0; i < namesSize(mem, groups); i++) {
    const group = nameAt(mem, groups, i)
    reply.map(6)
    replyGroupName(c, group)
    reply.text('consumers')
    reply.int(namesSize(mem, consumersOf(mem, group)))
    reply.text('pending')
    reply.int(indexSize(mem, pendingOf(mem, group)))
    groupState(c, stream, group)
  }
}

export function xinfoConsumers(c: Client): void {
  const { argv, mem, reply } = c
  const stream = streamOf(c)
  if (stream === NULL_REF) return
  const group = findGroup(mem, stream, argv.bytes, argv.off(3), argv.len(3))
  if (group === NULL_REF) return noSuchGroup(c)
  const consumers = consumersOf(mem, group)
  const now = c.db.space.nowMs
  reply.array(namesSize(mem, consumers))
  for (let i = 0; i < namesSize(mem, consumers); i++) {
    const consumer = nameAt(mem, consumers, i)
    const active = activeMs(mem, consumer)
    reply.map(4)
    reply.text('name')
    replyConsumer(c, consumer)
    reply.text('pending')
    reply.int(consumerPendingSize(mem, consumer))
    reply.text('idle')
    reply.int(Math.max(0, now - seenMs(mem, consumer)))
    reply.text('inactive')
    reply.int(active === NEVER_ACTIVE ? active : now - active)
  }
}

export function xinfoHelp(c: Client): void {
  replyHelp(c, [
    'CONSUMERS <key> <groupname>',
    '    Show consumers of <groupname>.',
    'GROUPS <key>',
    '    Show the stream consumer groups.',
    'STREAM <key> [FULL [COUNT <count>]',
    '    Show information about the stream.',
  ])
}
