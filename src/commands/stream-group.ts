/** stream-group: XGROUP, XACK and XPENDING. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_STREAM } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { nameAt, nameLength, namesSize } from '../structs/name-list.ts'
import { compareIds, copyId, ID_WORDS, setMinId } from '../structs/stream-id.ts'
import { IndexCursor, indexFind, indexFirst, indexLast, indexNext, indexSeekUp, indexSize } from '../structs/stream-index.ts'
import { LAST_ID } from '../types/stream.ts'
import {
  acknowledge,
  consumerName,
  consumerPending,
  consumerPendingSize,
  consumersOf,
  createConsumer,
  createGroup,
  deleteConsumer,
  deliveries,
  deliveryMs,
  destroyGroup,
  findConsumer,
  findGroup,
  pendingConsumer,
  pendingOf,
  setEntriesRead,
  setGroupLastId,
  UNKNOWN_READ,
} from '../types/stream-group.ts'
import type { Int64 } from '../util/words64.ts'
import { replyHelp } from './help.ts'
import {
  cText,
  idList,
  int64Arg,
  isChar,
  looseId,
  noGroup,
  rangeEnd,
  rangeStart,
  replyInt64,
  streamToDeliver,
  streamToRead,
  streamToWrite,
  strictId,
  subcommandSyntax,
  WRONG,
} from './stream-args.ts'
import { replyId } from './stream-reply.ts'
import { addStream } from './stream-write.ts'
import { keepsViews } from '../util/views.ts'

const NEEDS_KEY =
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.'
const GROUP_EXISTS = 'BUSYGROUP Consumer Group name already exists'

const DOLLAR = 0x24

const place = keepsViews(new IndexCursor())
const groupPlace = keepsViews(new IndexCursor())
const id = new Uint32Array(ID_WORDS)
const low = new Uint32Array(ID_WORDS)
const high = new Uint32Array(ID_WORDS)

/** Options of CREATE and SETID. */
let mkstream = false
let entriesRead: Int64 = UNKNOWN_READ

function readOptions(c: Client, create: boolean): boolean {
  const { argv } = c
  mkstream = false
  entriesRead = UNKNOWN_READ
  for (let i = 5; i < argv.count; i++) {
    if (create && argv.is(i, 'mkstream')) mkstream = true
    else if (argv.is(i, 'entriesread') && i + 1 < argv.count) {
      const value = int64Arg(c, ++i)
      if (value === null) return false
      if (value < 0 && value !== UNKNOWN_READ) {
        c.reply.error('ERR value for ENTRIESREAD must be positive or -1')
        return false
      }
      entriesRead = value
    } else {
      subcommandSyntax(c, 'XGROUP')
      return false
    }
  }
  return true
}

/** The stream at key argument 2, which must exist; WRONG after an error. */
function existing(c: Client): Ref | typeof WRONG {
  const stream = streamToWrite(c, 2)
  if (stream !== NULL_REF) return stream
  c.reply.error(NEEDS_KEY)
  return WRONG
}

function groupOf(c: Client, stream: Ref, at: number): Ref {
  return findGroup(c.mem, stream, c.argv.bytes, c.argv.off(at), c.argv.len(at))
}

/** The group named by argument 3; null after an error. */
function existingGroup(c: Client, stream: Ref): Ref {
  const group = groupOf(c, stream, 3)
  if (group === NULL_REF) noSuchGroup(c)
  return group
}

/** XGROUP's and XINFO's way to say that argument 3 is no group. */
export function noSuchGroup(c: Client): void {
  c.reply.error(`NOGROUP No such consumer group '${cText(c, 3)}' for key name '${cText(c, 2)}'`)
}

function tell(c: Client, event: string, keyAt: number): void {
  c.dirty(1)
  c.db.event(EVENT_STREAM, event, c.argv.bytes, c.argv.off(keyAt), c.argv.len(keyAt))
}

export function xgroupCreate(c: Client): void {
  const { argv, mem } = c
  if (!readOptions(c, true)) return
  const found = mkstream ? streamToWrite(c, 2) : existing(c)
  if (found === WRONG) return
  if (argv.count > 8) return subcommandSyntax(c, 'XGROUP')
  if (!isChar(c, 4, DOLLAR)) {
    if (!strictId(c, 4, id, 0)) return
  } else if (found === NULL_REF) setMinId(id, 0)
  else copyId(id, 0, mem.u32[segmentOf(found as Ref)], wordOf(found as Ref) + LAST_ID)
  const stream = found === NULL_REF ? addStream(c, 2) : (found as Ref)
  if (found === NULL_REF) c.db.touched(argv.bytes, argv.off(2), argv.len(2))
  const group = createGroup(mem, stream, argv.bytes, argv.off(3), argv.len(3), id, 0, entriesRead)
  if (group === NULL_REF) return c.reply.error(GROUP_EXISTS)
  c.reply.ok()
  tell(c, 'xgroup-create', 2)
}

export function xgroupSetid(c: Client): void {
  if (!readOptions(c, false)) return
  const stream = existing(c)
  if (stream === WRONG) return
  const group = existingGroup(c, stream as Ref)
  if (group === NULL_REF) return
  if (c.argv.count !== 5 && c.argv.count !== 7) return subcommandSyntax(c, 'XGROUP')
  if (isChar(c, 4, DOLLAR)) copyId(id, 0, c.mem.u32[segmentOf(stream as Ref)], wordOf(stream as Ref) + LAST_ID)
  else if (!looseId(c, 4, id, 0)) return
  setGroupLastId(c.mem, group, id, 0)
  setEntriesRead(c.mem, group, entriesRead)
  c.reply.ok()
  tell(c, 'xgroup-setid', 2)
}

export function xgroupDestroy(c: Client): void {
  const { argv } = c
  const stream = existing(c)
  if (stream === WRONG) return
  const destroyed = destroyGroup(c.mem, stream as Ref, argv.bytes, argv.off(3), argv.len(3))
  c.reply.int(destroyed ? 1 : 0)
  if (!destroyed) return
  tell(c, 'xgroup-destroy', 2)
  c.engine.blocked.signal(c.db, argv.bytes, argv.off(2), argv.len(2))
}

/** Makes the consumer named by an argument, and tells. */
export function newConsumer(c: Client, keyAt: number, group: Ref, at: number): Ref {
  const { argv } = c
  const consumer = createConsumer(c.mem, group, argv.bytes, argv.off(at), argv.len(at), c.db.space.nowMs)
  if (consumer !== NULL_REF) tell(c, 'xgroup-createconsumer', keyAt)
  return consumer
}

export function xgroupCreateconsumer(c: Client): void {
  const stream = existing(c)
  if (stream === WRONG) return
  const group = existingGroup(c, stream as Ref)
  if (group !== NULL_REF) c.reply.int(newConsumer(c, 2, group, 4) === NULL_REF ? 0 : 1)
}

export function xgroupDelconsumer(c: Client): void {
  const { argv } = c
  const stream = existing(c)
  if (stream === WRONG) return
  const group = existingGroup(c, stream as Ref)
  if (group === NULL_REF) return
  const pending = deleteConsumer(c.mem, group, argv.bytes, argv.off(4), argv.len(4))
  if (pending >= 0) tell(c, 'xgroup-delconsumer', 2)
  c.reply.int(Math.max(0, pending))
}

export function xgroupHelp(c: Client): void {
  replyHelp(c, [
    'CREATE <key> <groupname> <id|$> [option]',
    '    Create a new consumer group. Options are:',
    '    * MKSTREAM',
    '      Create the empty stream if it does not exist.',
    '    * ENTRIESREAD entries_read',
    "      Set the group's entries_read counter (internal use).",
    'CREATECONSUMER <key> <groupname> <consumer>',
    '    Create a new consumer in the specified group.',
    'DELCONSUMER <key> <groupname> <consumer>',
    '    Remove the specified consumer.',
    'DESTROY <key> <groupname>',
    '    Remove the specified group.',
    'SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]',
    '    Set the current group ID and entries_read counter.',
  ])
}

export function xack(c: Client): void {
  const stream = streamToDeliver(c, 1)
  if (stream === WRONG) return
  const group = stream === NULL_REF ? NULL_REF : groupOf(c, stream as Ref, 2)
  if (group === NULL_REF) return c.reply.int(0)
  const count = c.argv.count - 3
  const ids = idList(c, 3, c.argv.count)
  if (ids === null) return
  let acknowledged = 0
  for (let i = 0; i < count; i++) if (acknowledge(c.mem, group, ids, i * ID_WORDS)) acknowledged++
  c.dirty(acknowledged)
  c.reply.int(acknowledged)
}

export function xpending(c: Client): void {
  const { argv } = c
  if (argv.count === 3) {
    const group = pendingGroup(c)
    if (group !== NULL_REF) pendingSummary(c, group)
    return
  }
  if (argv.count < 6 || argv.count > 9) return c.reply.error(SYNTAX_ERROR)
  let first = 3
  let minIdleMs = 0
  if (argv.is(3, 'idle')) {
    minIdleMs = intArg(c, 4)
    if (Number.isNaN(minIdleMs)) return
    if (argv.count < 8) return c.reply.error(SYNTAX_ERROR)
    first = 5
  }
  const count = intArg(c, first + 2)
  if (Number.isNaN(count) || !rangeStart(c, first, low, 0) || !rangeEnd(c, first + 1, high, 0)) return
  const group = pendingGroup(c)
  if (group !== NULL_REF) pendingRange(c, group, Math.max(0, count), minIdleMs, first + 3 < argv.count ? first + 3 : 0)
}

/** The group of XPENDING; null after an error. */
function pendingGroup(c: Client): Ref {
  const stream = streamToRead(c, 1)
  if (stream === WRONG) return NULL_REF
  const group = stream === NULL_REF ? NULL_REF : groupOf(c, stream as Ref, 2)
  if (group === NULL_REF) noGroup(c, 1, 2)
  return group
}

function pendingSummary(c: Client, group: Ref): void {
  const { mem, reply } = c
  const pending = pendingOf(mem, group)
  reply.array(4)
  reply.int(indexSize(mem, pending))
  if (!indexFirst(mem, pending, place)) {
    reply.nil()
    reply.nil()
    reply.nilArray()
    return
  }
  replyId(c, place.view, place.at)
  indexLast(mem, pending, place)
  replyId(c, place.view, place.at)
  const consumers = consumersOf(mem, group)
  const start = reply.defer()
  let listed = 0
  for (let i = 0; i < namesSize(mem, consumers); i++) {
    const consumer = nameAt(mem, consumers, i)
    const size = consumerPendingSize(mem, consumer)
    if (size === 0) continue
    reply.array(2)
    replyConsumer(c, consumer)
    reply.bulkInt(size)
    listed++
  }
  reply.endArray(start, listed)
}

/** The consumer's name; an empty one for a pending entry of nobody's, which only a payload from elsewhere can have. */
export function replyConsumer(c: Client, consumer: Ref): void {
  if (consumer === NULL_REF) return c.reply.text('')
  c.reply.bulk(c.mem.u8[segmentOf(consumer)], consumerName(consumer), nameLength(c.mem, consumer))
}

/** Lists pending entries in [low, high] of the group, or of the consumer that argument `consumerAt` names. */
function pendingRange(c: Client, group: Ref, count: number, minIdleMs: number, consumerAt: number): void {
  const { argv, mem, reply } = c
  const pending = pendingOf(mem, group)
  let index = pending
  if (consumerAt > 0) {
    const consumer = findConsumer(mem, group, argv.bytes, argv.off(consumerAt), argv.len(consumerAt))
    index = consumer === NULL_REF ? NULL_REF : consumerPending(mem, consumer)
    if (index === NULL_REF) return reply.array(0)
  }
  const now = c.db.space.nowMs
  const start = reply.defer()
  let listed = 0
  let more = count > 0 && indexSeekUp(mem, index, low, 0, place)
  for (; more && compareIds(place.view, place.at, high, 0) <= 0; more = listed < count && indexNext(mem, index, place)) {
    const entry = index === pending ? place : groupPlace
    if (index !== pending) indexFind(mem, pending, place.view, place.at, groupPlace)
    const idleMs = now - deliveryMs(entry)
    if (idleMs < minIdleMs && minIdleMs !== 0) continue
    reply.array(4)
    replyId(c, place.view, place.at)
    replyConsumer(c, pendingConsumer(entry))
    reply.int(Math.max(0, idleMs))
    replyInt64(c, deliveries(entry))
    listed++
  }
  reply.endArray(start, listed)
}
