/** Changing lists, except by popping: LPUSH and its kin, LSET, LINSERT, LREM, LTRIM. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_LIST } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { INDEX_OUT_OF_RANGE, NO_SUCH_KEY, SYNTAX_ERROR } from '../resp/errors.ts'
import { encodingOf } from '../structs/entry.ts'
import {
  listDeleteRange,
  listFind,
  listInsert,
  listLength,
  listMakeRoom,
  listPushArgs,
  listRemoveMatches,
  listReplace,
  listSeek,
  listShrink,
} from '../types/list.ts'
import { LISTPACK } from '../types/object.ts'
import { addList, elementsGone, WRONG, writeList } from './list-lookup.ts'

export function lpush(c: Client): void {
  push(c, true, false)
}

export function rpush(c: Client): void {
  push(c, false, false)
}

export function lpushx(c: Client): void {
  push(c, true, true)
}

export function rpushx(c: Client): void {
  push(c, false, true)
}

function push(c: Client, head: boolean, mustExist: boolean): void {
  const { argv, mem } = c
  let list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) {
    if (mustExist) return c.reply.int(0)
    list = addList(c, 1)
  }
  const count = argv.count - 2
  let length: number
  try {
    if (encodingOf(mem, list) === LISTPACK) makeRoomFor(c, list, 2, count)
    length = listPushArgs(mem, list, head, argv, 2)
  } catch (error) {
    // No memory for the first element of a new list: no key without elements stays behind.
    if (listLength(mem, list) === 0) c.db.remove(argv.bytes, argv.off(1), argv.len(1))
    throw error
  }
  c.reply.int(length)
  c.db.changed(argv, 1, EVENT_LIST, head ? 'lpush' : 'rpush')
  c.dirty(count - 1)
}

/** Converts the list if arguments [first, first + count) do not fit a listpack. */
function makeRoomFor(c: Client, list: Ref, first: number, count: number): void {
  const { argv } = c
  let bytes = 0
  for (let i = first; i < first + count; i++) bytes += argv.len(i)
  listMakeRoom(c.mem, list, count, bytes, c.engine.encodings.list)
}

export function lset(c: Client): void {
  const { argv, mem } = c
  const list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return c.reply.error(NO_SUCH_KEY)
  const index = intArg(c, 2)
  if (Number.isNaN(index)) return
  makeRoomFor(c, list, 3, 1)
  if (!listSeek(mem, list, index)) return c.reply.error(INDEX_OUT_OF_RANGE)
  listReplace(mem, list, argv.bytes, argv.off(3), argv.len(3))
  listShrink(mem, list, c.engine.encodings.list)
  c.reply.ok()
  c.db.changed(argv, 1, EVENT_LIST, 'lset')
}

export function linsert(c: Client): void {
  const { argv, mem } = c
  const after = argv.is(2, 'after')
  if (!after && !argv.is(2, 'before')) return c.reply.error(SYNTAX_ERROR)
  const list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return c.reply.int(0)
  makeRoomFor(c, list, 4, 1)
  if (!listFind(mem, list, argv.bytes, argv.off(3), argv.len(3))) return c.reply.int(-1)
  listInsert(mem, list, after, argv.bytes, argv.off(4), argv.len(4))
  c.reply.int(listLength(mem, list))
  c.db.changed(argv, 1, EVENT_LIST, 'linsert')
}

export function lrem(c: Client): void {
  const { argv } = c
  const count = intArg(c, 2)
  if (Number.isNaN(count)) return
  const list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return c.reply.int(0)
  const limit = count === 0 ? Infinity : Math.abs(count)
  const removed = listRemoveMatches(c.mem, list, argv.bytes, argv.off(3), argv.len(3), limit, count < 0)
  c.reply.int(removed)
  if (removed > 0) elementsGone(c, 1, list, 'lrem', removed)
}

export function ltrim(c: Client): void {
  const { mem } = c
  const first = intArg(c, 2)
  if (Number.isNaN(first)) return
  const last = intArg(c, 3)
  if (Number.isNaN(last)) return
  const list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return c.reply.ok()
  const length = listLength(mem, list)
  const from = Math.max(0, first < 0 ? first + length : first)
  const to = Math.min(length - 1, last < 0 ? last + length : last)
  const kept = Math.max(0, to - from + 1)
  if (kept === 0) listDeleteRange(mem, list, 0, length)
  else {
    listDeleteRange(mem, list, to + 1, length - 1 - to)
    listDeleteRange(mem, list, 0, from)
  }
  c.reply.ok()
  elementsGone(c, 1, list, 'ltrim', length - kept)
}
