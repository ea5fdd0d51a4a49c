/** stream-write: XADD, XDEL, XLEN, XSETID, and the deletions of 8.2 that look at groups: XDELEX, XACKDEL. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_STREAM } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { NO_SUCH_KEY, SYNTAX_ERROR, wrongArity } from '../resp/errors.ts'
import { valueRef } from '../structs/entry.ts'
import { compareIds, copyId, ID_WORDS, isMaxId, isZeroId } from '../structs/stream-id.ts'
import { argvBytes } from '../structs/stream-node.ts'
import { STREAM, STREAM_NODES } from '../types/object.ts'
import {
  ENTRIES_ADDED,
  isAboveLast,
  LAST_ID,
  lastLiveId,
  MAX_DELETED_ID,
  newStream,
  nextId,
  nextSequence,
  NODE_MAX_BYTES,
  streamAppend,
  streamDelete,
  streamLength,
} from '../types/stream.ts'
import { findGroup } from '../types/stream-group.ts'
import { ackAndDelete, deleteChecked, droppedReferences, KEEPREF, NOT_FOUND } from '../types/stream-refs.ts'
import { type Int64, setInt64 } from '../util/words64.ts'
import { idList, int64Arg, streamToRead, streamToWrite, strictId, WRONG } from './stream-args.ts'
import { replyId } from './stream-reply.ts'
import { options, propagateOptions, readOptions, referencesArg, trimByOptions } from './stream-trim.ts'

const ZERO_ID = 'ERR The ID specified in XADD must be greater than 0-0'
const EXHAUSTED = 'ERR The stream has exhausted the last possible ID, unable to add more items'
const NOT_ABOVE = 'ERR The ID specified in XADD is equal or smaller than the target stream top item'
const TOO_LARGE = 'ERR Elements are too large to be stored'

const scratchId = new Uint32Array(ID_WORDS)

export function xadd(c: Client): void {
  const { argv, mem } = c
  if (!readOptions(c, true)) return
  const first = options.idAt + 1
  const values = argv.count - first
  if (options.idAt === 0 || values < 2 || (values & 1) === 1) return c.reply.error(wrongArity('xadd'))
  if (!options.autoId && !options.autoSequence && isZeroId(options.id, 0)) return c.reply.error(ZERO_ID)
  const found = streamToWrite(c, 1)
  if (found === WRONG) return
  if (found === NULL_REF && options.noMkstream) return c.reply.nil()
  const stream = found === NULL_REF ? addStream(c, 1) : (found as Ref)
  if (!chooseId(c, stream)) return
  if (argvBytes(argv, first, values >> 1) > NODE_MAX_BYTES) return c.reply.error(TOO_LARGE)
  streamAppend(mem, stream, options.id, argv, first, values >> 1, c.engine.streamLimits)
  replyId(c, options.id, 0)
  c.db.changed(argv, 1, EVENT_STREAM, 'xadd')
  if (options.trimming && trimByOptions(c, stream) > 0) c.db.event(EVENT_STREAM, 'xtrim', argv.bytes, argv.off(1), argv.len(1))
  propagateOptions(c, stream)
}

/** An empty stream at key argument i. */
export function addStream(c: Client, i: number): Ref {
  const entry = c.db.addRoot(c.argv.bytes, c.argv.off(i), c.argv.len(i), STREAM, STREAM_NODES, newStream(c.mem))
  return valueRef(c.mem, entry)
}

/** Completes `options.id`, which must be above the last one; false after an error. */
function chooseId(c: Client, stream: Ref): boolean {
  const { mem } = c
  if (isMaxId(mem.u32[segmentOf(stream)], wordOf(stream) + LAST_ID)) {
    c.reply.error(EXHAUSTED)
    return false
  }
  const { id } = options
  if (options.autoId) nextId(mem, stream, c.db.space.nowMs, id)
  else if ((options.autoSequence && !nextSequence(mem, stream, id)) || !isAboveLast(mem, stream, id)) {
    c.reply.error(NOT_ABOVE)
    return false
  }
  return true
}

export function xlen(c: Client): void {
  const stream = streamToRead(c, 1)
  if (stream === WRONG) return
  c.reply.int(stream === NULL_REF ? 0 : streamLength(c.mem, stream as Ref))
}

export function xdel(c: Client): void {
  const found = streamToWrite(c, 1)
  if (found === WRONG) return
  if (found === NULL_REF) return c.reply.int(0)
  const count = c.argv.count - 2
  const ids = idList(c, 2, c.argv.count)
  if (ids === null) return
  let deleted = 0
  for (let i = 0; i < count; i++) if (streamDelete(c.mem, found as Ref, ids, i * ID_WORDS)) deleted++
  tellDeleted(c, deleted)
  c.reply.int(deleted)
}

function tellDeleted(c: Client, deleted: number): void {
  if (deleted === 0) return
  c.db.changed(c.argv, 1, EVENT_STREAM, 'xdel')
  c.dirty(deleted - 1)
}

const SETID_BELOW_GIVEN = 'ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id'
const SETID_BELOW_DELETED = 'ERR The ID specified in XSETID is smaller than current max_deleted_entry_id'
const SETID_BELOW_TOP = 'ERR The ID specified in XSETID is smaller than the target stream top item'
const ADDED_BELOW_LENGTH = 'ERR The entries_added specified in XSETID is smaller than the target stream length'

const lastId = new Uint32Array(ID_WORDS)
const maxDeleted = new Uint32Array(ID_WORDS)
let entriesAdded: Int64 = -1

export function xsetid(c: Client): void {
  const { mem } = c
  if (!strictId(c, 2, lastId, 0) || !readSetidOptions(c)) return
  const found = streamToWrite(c, 1)
  if (found === WRONG) return
  if (found === NULL_REF) return c.reply.error(NO_SUCH_KEY)
  const stream = found as Ref
  const root = mem.u32[segmentOf(stream)]
  const at = wordOf(stream)
  if (compareIds(lastId, 0, root, at + MAX_DELETED_ID) < 0) return c.reply.error(SETID_BELOW_DELETED)
  if (lastLiveId(mem, stream, scratchId)) {
    if (compareIds(lastId, 0, scratchId, 0) < 0) return c.reply.error(SETID_BELOW_TOP)
    if (entriesAdded !== -1 && entriesAdded < streamLength(mem, stream)) return c.reply.error(ADDED_BELOW_LENGTH)
  }
  copyId(root, at + LAST_ID, lastId, 0)
  if (entriesAdded !== -1) setInt64(root, at + ENTRIES_ADDED, entriesAdded)
  if (!isZeroId(maxDeleted, 0)) copyId(root, at + MAX_DELETED_ID, maxDeleted, 0)
  c.reply.ok()
  c.dirty(1)
  c.db.event(EVENT_STREAM, 'xsetid', c.argv.bytes, c.argv.off(1), c.argv.len(1))
}

function readSetidOptions(c: Client): boolean {
  const { argv } = c
  entriesAdded = -1
  maxDeleted.fill(0)
  for (let i = 3; i < argv.count; i += 2) {
    if (i + 1 < argv.count && argv.is(i, 'entriesadded')) {
      const value = int64Arg(c, i + 1)
      if (value === null) return false
      if (value < 0) {
        c.reply.error('ERR entries_added must be positive')
        return false
      }
      entriesAdded = value
    } else if (i + 1 < argv.count && argv.is(i, 'maxdeletedid')) {
      if (!strictId(c, i + 1, maxDeleted, 0)) return false
      if (compareIds(lastId, 0, maxDeleted, 0) < 0) {
        c.reply.error(SETID_BELOW_GIVEN)
        return false
      }
    } else {
      c.reply.error(SYNTAX_ERROR)
      return false
    }
  }
  return true
}

/** The IDS block of XDELEX and XACKDEL: references, and the ids' first argument and number. */
let references = KEEPREF
let idsAt = 0
let idsCount = 0

/** Reads `[KEEPREF|DELREF|ACKED] IDS numids id ...`, in either order; null after an error. */
function readIdsBlock(c: Client, from: number): Uint32Array | null {
  const { argv } = c
  references = KEEPREF
  idsAt = 0
  let given = false
  for (let i = from; i < argv.count; i++) {
    const said = referencesArg(c, i)
    if (said >= 0 && !given) {
      references = said
      given = true
    } else if (argv.is(i, 'ids') && idsAt === 0 && i + 1 < argv.count) {
      idsCount = intArg(c, i + 1, NUMIDS_POSITIVE)
      if (Number.isNaN(idsCount)) return null
      if (idsCount < 1) {
        c.reply.error(NUMIDS_POSITIVE)
        return null
      }
      idsAt = i + 2
      if (idsAt + idsCount > argv.count) {
        c.reply.error('ERR The `numids` parameter must match the number of arguments')
        return null
      }
      i = idsAt + idsCount - 1
    } else idsAt = argv.count + 1
    if (idsAt > argv.count) break
  }
  if (idsAt !== 0 && idsAt <= argv.count) return idList(c, idsAt, idsAt + idsCount)
  c.reply.error(SYNTAX_ERROR)
  return null
}
const NUMIDS_POSITIVE = 'ERR Number of IDs must be a positive integer'

export function xdelex(c: Client): void {
  const ids = readIdsBlock(c, 2)
  if (ids === null) return
  const stream = streamToWrite(c, 1)
  if (stream === WRONG) return
  c.reply.array(idsCount)
  const dropped = droppedReferences
  let deleted = 0
  for (let i = 0; i < idsCount; i++) {
    const before = stream === NULL_REF ? 0 : streamLength(c.mem, stream as Ref)
    c.reply.int(stream === NULL_REF ? NOT_FOUND : deleteChecked(c.mem, stream as Ref, ids, i * ID_WORDS, references))
    if (stream !== NULL_REF && streamLength(c.mem, stream as Ref) < before) deleted++
  }
  c.dirty(droppedReferences - dropped)
  tellDeleted(c, deleted)
}

export function xackdel(c: Client): void {
  const ids = readIdsBlock(c, 3)
  if (ids === null) return
  const stream = streamToWrite(c, 1)
  if (stream === WRONG) return
  const { mem, argv } = c
  const group = stream === NULL_REF ? NULL_REF : findGroup(mem, stream as Ref, argv.bytes, argv.off(2), argv.len(2))
  c.reply.array(idsCount)
  const dropped = droppedReferences
  let deleted = 0
  let acknowledged = 0
  for (let i = 0; i < idsCount; i++) {
    if (group === NULL_REF) {
      c.reply.int(NOT_FOUND)
      continue
    }
    const before = streamLength(mem, stream as Ref)
    const result = ackAndDelete(mem, stream as Ref, group, ids, i * ID_WORDS, references)
    if (streamLength(mem, stream as Ref) < before) deleted++
    else if (result !== NOT_FOUND) acknowledged++
    c.reply.int(result)
  }
  c.dirty(acknowledged + droppedReferences - dropped)
  tellDeleted(c, deleted)
}
