/** stream-read: XRANGE, XREVRANGE, XREAD and XREADGROUP. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { MAX_ID, StreamCursor } from '../structs/stream-cursor.ts'
import { compareIds, copyId, decrementId, ID_WORDS, incrementId, isMaxId, setMaxId, setMinId } from '../structs/stream-id.ts'
import { IndexCursor, indexFind, indexNext, indexSeekUp } from '../structs/stream-index.ts'
import { indexOf, LAST_ID, lastLiveId } from '../types/stream.ts'
import {
  consumerPending,
  deliver,
  findConsumer,
  findGroup,
  GROUP_LAST_ID,
  pendingOf,
  redeliver,
  setActive,
  setSeen,
} from '../types/stream-group.ts'
import { advanceGroup } from '../types/stream-lag.ts'
import { isChar, noGroup, rangeEnd, rangeStart, streamToDeliver, streamToRead, strictId, WRONG } from './stream-args.ts'
import { blockArg, waitForEntries } from './stream-block.ts'
import { newConsumer } from './stream-group.ts'
import { type GroupArgs, propagateClaim, propagateConsumer, propagateLastId } from './stream-propagate.ts'
import { replyEntries, replyEntry, replyId } from './stream-reply.ts'
import { keepsViews } from '../util/views.ts'

const cursor = keepsViews(new StreamCursor())
const pendingPlace = keepsViews(new IndexCursor())
const groupPlace = keepsViews(new IndexCursor())
const low = new Uint32Array(ID_WORDS)
const high = new Uint32Array(ID_WORDS)

const DOLLAR = 0x24
const GREATER = 0x3e
const PLUS = 0x2b

export function xrange(c: Client): void {
  range(c, false)
}

export function xrevrange(c: Client): void {
  range(c, true)
}

function range(c: Client, reverse: boolean): void {
  const { argv } = c
  if (!rangeStart(c, reverse ? 3 : 2, low, 0) || !rangeEnd(c, reverse ? 2 : 3, high, 0)) return
  let count = -1
  for (let i = 4; i < argv.count; i += 2) {
    if (i + 1 >= argv.count || !argv.is(i, 'count')) return c.reply.error(SYNTAX_ERROR)
    count = intArg(c, i + 1)
    if (Number.isNaN(count)) return
    count = Math.max(0, count)
  }
  const stream = streamToRead(c, 1)
  if (stream === WRONG) return
  if (stream === NULL_REF) return c.reply.array(0)
  if (count === 0) return c.reply.nilArray()
  cursor.start(c.mem, indexOf(c.mem, stream as Ref), low, 0, high, 0, reverse)
  replyEntries(c, cursor, Math.max(0, count))
}

/** What readOptions found for XREAD and XREADGROUP. */
let count = 0
let timeoutMs = -1
let noack = false
let groupAt = 0
/** First key, and the number of keys; the ids follow the keys. */
let keysAt = 0
let streams = 0

/** Per stream: its root, its group, and the id after which to read. */
let roots = new Uint32Array(8)
let groups = new Uint32Array(8)
let after = new Uint32Array(8 * ID_WORDS)

export function xread(c: Client): void {
  if (!readOptions(c, false) || !readStreams(c, false)) return
  const start = c.reply.defer()
  let served = 0
  for (let i = 0; i < streams; i++) if (serveStream(c, i)) served++
  finish(c, start, served, false)
}

export function xreadgroup(c: Client): void {
  if (!readOptions(c, true) || !readStreams(c, true)) return
  const start = c.reply.defer()
  let served = 0
  for (let i = 0; i < streams; i++) if (serveGroup(c, i)) served++
  c.engine.propagate.silence()
  c.dirty(served)
  finish(c, start, served, true)
}

/** Ends the reply, or waits when nothing was served and BLOCK was given. */
function finish(c: Client, start: number, served: number, group: boolean): void {
  if (served > 0) {
    if (c.resp === 3) c.reply.endMap(start, served)
    else c.reply.endArray(start, served)
  } else if (timeoutMs >= 0 && c.engine.blocked.mayBlock(c)) waitForEntries(c, keysAt, streams, timeoutMs, after, group)
  else c.reply.nilArray()
}

function refuseToBlock(c: Client): boolean {
  c.reply.error(`ERR ${c.argv.text(0)} command is not allowed with BLOCK option from scripts`)
  return false
}

function readOptions(c: Client, group: boolean): boolean {
  const { argv } = c
  count = 0
  timeoutMs = -1
  noack = false
  groupAt = 0
  keysAt = 0
  for (let i = 1; i < argv.count && keysAt === 0; i++) {
    const more = argv.count - i - 1
    if (more > 0 && argv.is(i, 'block')) {
      if (c.script) return refuseToBlock(c)
      timeoutMs = blockArg(c, ++i)
      if (Number.isNaN(timeoutMs)) return false
    } else if (more > 0 && argv.is(i, 'count')) {
      count = Math.max(0, intArg(c, ++i))
      if (Number.isNaN(count)) return false
    } else if (more > 0 && argv.is(i, 'streams')) {
      keysAt = i + 1
      if ((more & 1) !== 0) return fail(c, unbalanced(c, group))
      streams = more >>> 1
    } else if (more > 1 && argv.is(i, 'group')) {
      if (!group) return fail(c, onlyGroup('GROUP'))
      groupAt = i + 1
      i += 2
    } else if (argv.is(i, 'noack')) {
      if (!group) return fail(c, onlyGroup('NOACK'))
      noack = true
    } else return fail(c, SYNTAX_ERROR)
  }
  if (keysAt === 0) return fail(c, SYNTAX_ERROR)
  return !group || groupAt > 0 || fail(c, 'ERR Missing GROUP option for XREADGROUP')
}

function fail(c: Client, error: string): boolean {
  c.reply.error(error)
  return false
}

function unbalanced(c: Client, group: boolean): string {
  return `ERR Unbalanced '${c.command?.name}' list of streams: for each stream key an ID or '${group ? '>' : '$'}' must be specified.`
}

function onlyGroup(option: string): string {
  return `ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`
}

const DOLLAR_IN_GROUP =
  'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.'
const GREATER_IN_XREAD = 'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.'

/** Looks up every stream and group and reads every id, before anything is answered. */
function readStreams(c: Client, group: boolean): boolean {
  if (roots.length < streams) {
    roots = new Uint32Array(streams)
    groups = new Uint32Array(streams)
    after = new Uint32Array(streams * ID_WORDS)
  }
  const { argv, mem } = c
  for (let i = 0; i < streams; i++) {
    const found = group ? streamToDeliver(c, keysAt + i) : streamToRead(c, keysAt + i)
    if (found === WRONG) return false
    const stream = found as Ref
    roots[i] = stream
    if (group) {
      groups[i] = stream === NULL_REF ? NULL_REF : findGroup(mem, stream, argv.bytes, argv.off(groupAt), argv.len(groupAt))
      if (groups[i] === NULL_REF) {
        noGroup(c, keysAt + i, groupAt, ' in XREADGROUP with GROUP option')
        return false
      }
    }
    if (!readAfter(c, i, stream, group)) return false
  }
  return true
}

/** Reads the id of stream i into `after`: `$` is its last id, `>` the highest id there is. */
function readAfter(c: Client, i: number, stream: Ref, group: boolean): boolean {
  const arg = keysAt + streams + i
  const at = i * ID_WORDS
  if (isChar(c, arg, DOLLAR)) {
    if (group) return fail(c, DOLLAR_IN_GROUP)
    if (stream === NULL_REF) setMinId(after, at)
    else copyId(after, at, c.mem.u32[segmentOf(stream)], wordOf(stream) + LAST_ID)
  } else if (isChar(c, arg, GREATER)) {
    if (!group) return fail(c, GREATER_IN_XREAD)
    setMaxId(after, at)
  } else if (isChar(c, arg, PLUS) && !group) {
    setMinId(after, at)
    if (stream !== NULL_REF && lastLiveId(c.mem, stream, low)) {
      decrementId(low, 0)
      copyId(after, at, low, 0)
    }
  } else return strictId(c, arg, after, at)
  return true
}

/** Answers what stream i has behind its id; false, and no answer, when that is nothing. */
function serveStream(c: Client, i: number): boolean {
  const stream = roots[i] as Ref
  if (stream === NULL_REF) return false
  copyId(low, 0, after, i * ID_WORDS)
  if (!incrementId(low, 0)) return false
  cursor.start(c.mem, indexOf(c.mem, stream), low, 0, MAX_ID, 0, false)
  if (!cursor.next()) return false
  replyKey(c, i)
  const start = c.reply.defer()
  let entries = 0
  do {
    replyEntry(c, cursor)
    entries++
  } while (entries !== count && cursor.next())
  cursor.park()
  c.reply.endArray(start, entries)
  return true
}

/** The key before its entries: a pair in RESP2, a map key in RESP3. */
function replyKey(c: Client, i: number): void {
  if (c.resp === 2) c.reply.array(2)
  c.reply.bulk(c.argv.bytes, c.argv.off(keysAt + i), c.argv.len(keysAt + i))
}

/** Answers new entries of stream i to the consumer, or what it has pending when an id was given. */
function serveGroup(c: Client, i: number): boolean {
  const { argv, mem } = c
  const group = groups[i] as Ref
  const nameAt = groupAt + 1
  let consumer = findConsumer(mem, group, argv.bytes, argv.off(nameAt), argv.len(nameAt))
  if (consumer === NULL_REF) {
    consumer = newConsumer(c, keysAt + i, group, nameAt)
    if (noack) propagateConsumer(c, argsOf(i))
  }
  setSeen(mem, consumer, c.db.space.nowMs)
  if (isMaxId(after, i * ID_WORDS)) return serveNew(c, i, group, consumer)
  replyKey(c, i)
  serveHistory(c, i, group, consumer)
  return true
}

const groupArgs: GroupArgs = { keyAt: 0, groupAt: 0 }

function argsOf(i: number): GroupArgs {
  groupArgs.keyAt = keysAt + i
  groupArgs.groupAt = groupAt
  return groupArgs
}

function serveNew(c: Client, i: number, group: Ref, consumer: Ref): boolean {
  const { mem } = c
  const stream = roots[i] as Ref
  copyId(low, 0, mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID)
  if (!incrementId(low, 0)) return false
  const root = mem.u32[segmentOf(stream)]
  if (compareIds(low, 0, root, wordOf(stream) + LAST_ID) > 0) return false
  cursor.start(mem, indexOf(mem, stream), low, 0, MAX_ID, 0, false)
  if (!cursor.next()) return false
  const now = c.db.space.nowMs
  replyKey(c, i)
  const start = c.reply.defer()
  const propagates = c.engine.propagate.sinks !== 0
  let moved = false
  let entries = 0
  do {
    if (!noack) deliver(mem, group, consumer, cursor.id, now)
    if (advanceGroup(mem, stream, group, cursor.id)) moved = true
    if (!noack && propagates) propagateClaim(c, argsOf(i), group, consumer, 0, cursor.id, 0, now, 1)
    replyEntry(c, cursor)
    entries++
  } while (entries !== count && cursor.next())
  cursor.park()
  if (!noack) setActive(mem, consumer, now)
  else if (moved) propagateLastId(c, argsOf(i), group)
  c.reply.endArray(start, entries)
  return true
}

/** What the consumer has pending behind the id: entries that were deleted meanwhile show as nil. */
function serveHistory(c: Client, i: number, group: Ref, consumer: Ref): void {
  const { mem } = c
  const stream = roots[i] as Ref
  const pending = consumerPending(mem, consumer)
  copyId(low, 0, after, i * ID_WORDS)
  const start = c.reply.defer()
  let entries = 0
  let more = pending !== NULL_REF && incrementId(low, 0) && indexSeekUp(mem, pending, low, 0, pendingPlace)
  for (; more; more = entries !== count && indexNext(mem, pending, pendingPlace)) {
    const { view, at } = pendingPlace
    entries++
    cursor.start(mem, indexOf(mem, stream), view, at, view, at, false)
    if (cursor.next()) {
      replyEntry(c, cursor)
      if (indexFind(mem, pendingOf(mem, group), view, at, groupPlace)) redeliver(groupPlace, c.db.space.nowMs)
    } else {
      c.reply.array(2)
      replyId(c, view, at)
      c.reply.nilArray()
    }
  }
  c.reply.endArray(start, entries)
}
