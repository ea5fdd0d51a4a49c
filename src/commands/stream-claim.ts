/** stream-claim: XCLAIM and XAUTOCLAIM, which take pending entries over from other consumers. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { StreamCursor } from '../structs/stream-cursor.ts'
import { compareIds, copyId, ID_INVALID, ID_NO_SEQ, ID_WORDS, setMinId } from '../structs/stream-id.ts'
import { IndexCursor, indexFind, indexNext, indexSeekUp, indexSize } from '../structs/stream-index.ts'
import { hasEntry, indexOf } from '../types/stream.ts'
import {
  acknowledge,
  addClaimed,
  deliveries,
  deliveryMs,
  findConsumer,
  findGroup,
  GROUP_LAST_ID,
  pendingConsumer,
  pendingOf,
  setActive,
  setDelivery,
  setGroupLastId,
  setSeen,
  transfer,
} from '../types/stream-group.ts'
import { addInt64, type Int64 } from '../util/words64.ts'
import { cText, idRoom, int64Arg, noGroup, rangeStart, readId, streamToDeliver, strictId, WRONG } from './stream-args.ts'
import { newConsumer } from './stream-group.ts'
import { type GroupArgs, propagateClaim, propagateLastId } from './stream-propagate.ts'
import { replyEntry, replyId } from './stream-reply.ts'
import { keepsViews } from '../util/views.ts'

const BAD_COUNT = 'ERR COUNT must be > 0'
/** COUNT's limit: it and the attempts it stands for must not overflow Redis' counters. */
const COUNT_MAX = 2 ** 59 - 1
/** Pending entries XAUTOCLAIM looks at, per entry it may return. */
const ATTEMPTS = 10

const cursor = keepsViews(new StreamCursor())
const place = keepsViews(new IndexCursor())
const from = new Uint32Array(ID_WORDS)
const lastId = new Uint32Array(ID_WORDS)
const entryId = new Uint32Array(ID_WORDS)

/** Options of XCLAIM. */
let force = false
let justid = false
let deliveredMs = 0
let retryCount: Int64 = -1

/** Where both commands name their group. */
const GROUP_ARGS: GroupArgs = { keyAt: 1, groupAt: 2 }

/** The group of both commands; null after an error. */
function groupOf(c: Client, stream: Ref | typeof WRONG): Ref {
  if (stream === WRONG) return NULL_REF
  const { argv } = c
  const group = stream === NULL_REF ? NULL_REF : findGroup(c.mem, stream as Ref, argv.bytes, argv.off(2), argv.len(2))
  if (group === NULL_REF) noGroup(c, 1, 2)
  return group
}

/** The consumer named by argument 3, made when it is new, and seen now. */
function consumerOf(c: Client, group: Ref): Ref {
  const { argv, mem } = c
  let consumer = findConsumer(mem, group, argv.bytes, argv.off(3), argv.len(3))
  if (consumer === NULL_REF) consumer = newConsumer(c, 1, group, 3)
  setSeen(mem, consumer, c.db.space.nowMs)
  return consumer
}

export function xclaim(c: Client): void {
  const { argv, mem } = c
  const stream = streamToDeliver(c, 1)
  const group = groupOf(c, stream)
  if (group === NULL_REF) return
  const minIdleMs = intArg(c, 4, 'ERR Invalid min-idle-time argument for XCLAIM')
  if (Number.isNaN(minIdleMs)) return
  const ids = idRoom(argv.count - 5)
  let count = 0
  for (let i = 5; i < argv.count; i++, count++) {
    const kind = readId(c, i, ids, count * ID_WORDS)
    if (kind === ID_INVALID || kind > ID_NO_SEQ) break
  }
  if (!readClaimOptions(c, 5 + count)) return
  c.engine.propagate.silence()
  movedAlone = false
  if (compareIds(lastId, 0, mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID) > 0) {
    setGroupLastId(mem, group, lastId, 0)
    c.dirty(1)
    movedAlone = true
  }
  const consumer = consumerOf(c, group)
  const start = c.reply.defer()
  let claimed = 0
  for (let i = 0; i < count; i++) {
    copyId(entryId, 0, ids, i * ID_WORDS)
    if (!claim(c, stream as Ref, group, consumer, Math.max(0, minIdleMs), 5 + i)) continue
    replyClaimed(c, stream as Ref, entryId, 0)
    claimed++
  }
  c.reply.endArray(start, claimed)
  if (movedAlone) propagateLastId(c, GROUP_ARGS, group)
}

/** LASTID has moved the group, and no entry's XCLAIM has told so. */
let movedAlone = false

/** Says that the pending entry `place` is at is `consumer`'s; argument `idArg` names it, or (0) `id` is it. */
function tellClaim(c: Client, group: Ref, consumer: Ref, idArg: number, id: Uint32Array): void {
  movedAlone = false
  if (c.engine.propagate.sinks === 0) return
  propagateClaim(c, GROUP_ARGS, group, consumer, idArg, id, 0, deliveryMs(place), deliveries(place))
}

/** Forgets a pending entry that was deleted from the stream. Elsewhere claiming it has the same effect. */
function forgetDeleted(c: Client, group: Ref, idArg: number, id: Uint32Array): boolean {
  if (!indexFind(c.mem, pendingOf(c.mem, group), id, 0, place)) return false
  tellClaim(c, group, pendingConsumer(place), idArg, id)
  return acknowledge(c.mem, group, id, 0)
}

function readClaimOptions(c: Client, first: number): boolean {
  const { argv } = c
  const now = c.db.space.nowMs
  force = false
  justid = false
  deliveredMs = now
  retryCount = -1
  setMinId(lastId, 0)
  for (let i = first; i < argv.count; i++) {
    const more = i + 1 < argv.count
    if (argv.is(i, 'force')) force = true
    else if (argv.is(i, 'justid')) justid = true
    else if (more && argv.is(i, 'idle')) deliveredMs = now - intArg(c, ++i, 'ERR Invalid IDLE option argument for XCLAIM')
    else if (more && argv.is(i, 'time')) deliveredMs = intArg(c, ++i, 'ERR Invalid TIME option argument for XCLAIM')
    else if (more && argv.is(i, 'retrycount')) {
      const given = int64Arg(c, ++i, 'ERR Invalid RETRYCOUNT option argument for XCLAIM')
      if (given === null) return false
      retryCount = given
    } else if (more && argv.is(i, 'lastid')) {
      if (!strictId(c, ++i, lastId, 0)) return false
    } else {
      c.reply.error(`ERR Unrecognized XCLAIM option '${cText(c, i)}'`)
      return false
    }
    if (Number.isNaN(deliveredMs)) return false
  }
  if (deliveredMs < 0 || deliveredMs > now) deliveredMs = now
  return true
}

/** Claims `entryId` when it is pending long enough (or FORCE is given); an entry that was deleted stops being pending. */
function claim(c: Client, stream: Ref, group: Ref, consumer: Ref, minIdleMs: number, idArg: number): boolean {
  const { mem } = c
  const pending = pendingOf(mem, group)
  if (!hasEntry(mem, stream, entryId, 0)) {
    if (forgetDeleted(c, group, idArg, entryId)) c.dirty(1)
    return false
  }
  const now = c.db.space.nowMs
  if (indexFind(mem, pending, entryId, 0, place)) {
    if (minIdleMs > 0 && now - deliveryMs(place) < minIdleMs) return false
    transfer(mem, place, consumer, entryId)
  } else if (force) addClaimed(mem, group, consumer, entryId, now, place)
  else return false
  let count = deliveries(place)
  if (retryCount >= 0) count = retryCount
  else if (!justid) count = addInt64(count, 1)
  setDelivery(place, deliveredMs, count)
  tellClaim(c, group, consumer, idArg, entryId)
  setActive(mem, consumer, now)
  c.dirty(1)
  return true
}

function replyClaimed(c: Client, stream: Ref, id: Uint32Array, at: number): void {
  if (justid) return replyId(c, id, at)
  cursor.start(c.mem, indexOf(c.mem, stream), id, at, id, at, false)
  if (cursor.next()) replyEntry(c, cursor)
}

export function xautoclaim(c: Client): void {
  const minIdleMs = intArg(c, 4, 'ERR Invalid min-idle-time argument for XAUTOCLAIM')
  if (Number.isNaN(minIdleMs) || !rangeStart(c, 5, from, 0)) return
  const count = readAutoclaimOptions(c)
  if (count === 0) return
  const stream = streamToDeliver(c, 1)
  const group = groupOf(c, stream)
  if (group === NULL_REF) return
  const consumer = consumerOf(c, group)
  autoclaim(c, stream as Ref, group, consumer, Math.max(0, minIdleMs), Math.min(count, indexSize(c.mem, pendingOf(c.mem, group))), count)
}

/** The COUNT of XAUTOCLAIM; 0 after an error. */
function readAutoclaimOptions(c: Client): number {
  const { argv } = c
  let count = 100
  justid = false
  for (let i = 6; i < argv.count; i++) {
    if (argv.is(i, 'justid')) justid = true
    else if (argv.is(i, 'count') && i + 1 < argv.count) {
      count = intArg(c, ++i, BAD_COUNT)
      if (Number.isNaN(count)) return 0
      if (count < 1 || count > COUNT_MAX) {
        c.reply.error(BAD_COUNT)
        return 0
      }
    } else {
      c.reply.error(SYNTAX_ERROR)
      return 0
    }
  }
  return count
}

/**
 * Scans the group's pending entries from `from` on. The claimed and the deleted ids are collected first (at most `most` together), because
 * the answer begins with where the next scan should go on.
 */
function autoclaim(c: Client, stream: Ref, group: Ref, consumer: Ref, minIdleMs: number, most: number, count: number): void {
  const { mem, reply } = c
  const pending = pendingOf(mem, group)
  const now = c.db.space.nowMs
  const ids = idRoom(most)
  let claimed = 0
  let deleted = 0
  let attempts = count * ATTEMPTS
  let more = indexSeekUp(mem, pending, from, 0, place)
  while (more && attempts-- > 0 && claimed + deleted < count) {
    copyId(entryId, 0, place.view, place.at)
    if (!hasEntry(mem, stream, entryId, 0)) {
      forgetDeleted(c, group, 0, entryId)
      deleted++
      copyId(ids, (most - deleted) * ID_WORDS, entryId, 0)
      more = indexSeekUp(mem, pending, entryId, 0, place)
      continue
    }
    if (minIdleMs === 0 || now - deliveryMs(place) >= minIdleMs) {
      transfer(mem, place, consumer, entryId)
      setDelivery(place, now, justid ? deliveries(place) : addInt64(deliveries(place), 1))
      tellClaim(c, group, consumer, 0, entryId)
      copyId(ids, claimed * ID_WORDS, entryId, 0)
      claimed++
    }
    more = indexNext(mem, pending, place)
  }
  if (claimed > 0) setActive(mem, consumer, now)
  c.dirty(claimed + deleted)
  c.engine.propagate.silence()
  reply.array(3)
  if (more) copyId(from, 0, place.view, place.at)
  else setMinId(from, 0)
  replyId(c, from, 0)
  reply.array(claimed)
  for (let i = 0; i < claimed; i++) replyClaimed(c, stream, ids, i * ID_WORDS)
  reply.array(deleted)
  for (let i = 1; i <= deleted; i++) replyId(c, ids, (most - i) * ID_WORDS)
}
