/** Reading lists: LLEN, LINDEX, LRANGE, LPOS. */
import { intArg, rangeArg, signedCountArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { replyElements } from '../resp/reply-elements.ts'
import { lpValue } from '../structs/listpack.ts'
import { cursor, cursorGet, cursorNext, cursorNextNode, cursorPrev } from '../structs/quicklist-cursor.ts'
import { PACKED } from '../structs/quicklist-node.ts'
import { listLength, listSeek } from '../types/list.ts'
import { equalBytes } from '../util/bytes.ts'
import { readList, replyElement, WRONG } from './list-lookup.ts'

export function llen(c: Client): void {
  const list = readList(c, 1)
  if (list !== WRONG) c.reply.int(list === NULL_REF ? 0 : listLength(c.mem, list))
}

export function lindex(c: Client): void {
  const list = readList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return c.reply.nil()
  const index = intArg(c, 2)
  if (Number.isNaN(index)) return
  if (listSeek(c.mem, list, index)) replyElement(c)
  else c.reply.nil()
}

export function lrange(c: Client): void {
  const { mem, reply } = c
  const first = intArg(c, 2)
  if (Number.isNaN(first)) return
  const last = intArg(c, 3)
  if (Number.isNaN(last)) return
  const list = readList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return reply.array(0)
  const length = listLength(mem, list)
  const from = Math.max(0, first < 0 ? first + length : first)
  const to = Math.min(length - 1, last < 0 ? last + length : last)
  if (from > to) return reply.array(0)
  reply.array(to - from + 1)
  listSeek(mem, list, from)
  replyNodes(c, to - from + 1)
}

/** Answers `count` elements from the cursor's on, node by node. */
function replyNodes(c: Client, count: number): void {
  for (let left = count; ; ) {
    if (cursor.kind === PACKED) left -= replyElements(c.reply, cursor.view, cursor.data, cursor.at, left)
    else {
      replyElement(c)
      left--
    }
    if (left === 0 || !(cursor.kind === PACKED ? cursorNextNode(c.mem) : cursorNext(c.mem))) return
  }
}

const RANK_ZERO =
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list"

interface PositionOptions {
  rank: number
  /** -1: not given, answer one index; 0: all. */
  count: number
  maxLength: number
}

function positionOptions(c: Client): PositionOptions | null {
  const { argv } = c
  const options: PositionOptions = { rank: 1, count: -1, maxLength: 0 }
  for (let i = 3; i < argv.count; i += 2) {
    const more = i + 1 < argv.count
    if (more && argv.is(i, 'rank')) {
      options.rank = signedCountArg(c, i + 1)
      if (options.rank === 0) c.reply.error(RANK_ZERO)
      if (!options.rank) return null
    } else if (more && argv.is(i, 'count')) {
      options.count = rangeArg(c, i + 1, 0, Infinity, "ERR COUNT can't be negative")
      if (Number.isNaN(options.count)) return null
    } else if (more && argv.is(i, 'maxlen')) {
      options.maxLength = rangeArg(c, i + 1, 0, Infinity, "ERR MAXLEN can't be negative")
      if (Number.isNaN(options.maxLength)) return null
    } else {
      c.reply.error(SYNTAX_ERROR)
      return null
    }
  }
  return options
}

export function lpos(c: Client): void {
  const { reply } = c
  const options = positionOptions(c)
  if (options === null) return
  const list = readList(c, 1)
  if (list === WRONG) return
  if (options.count < 0) {
    const found = list === NULL_REF ? -1 : positions(c, list, options, 1)
    if (found < 0) reply.nil()
    else reply.int(found)
    return
  }
  const start = reply.defer()
  if (list === NULL_REF) return reply.endArray(start, 0)
  reply.endArray(start, positions(c, list, options, options.count || Infinity))
}

/** Answers up to `limit` indexes and returns how many; when only one is asked for, returns it (or -1) and answers nothing. */
function positions(c: Client, list: Ref, options: PositionOptions, limit: number): number {
  const { argv, mem } = c
  const back = options.rank < 0
  const length = listLength(mem, list)
  let skip = Math.abs(options.rank) - 1
  let found = 0
  let looked = options.maxLength || Infinity
  if (!listSeek(mem, list, back ? -1 : 0)) return options.count < 0 ? -1 : 0
  for (let i = 0; looked > 0 && found < limit; i++, looked--) {
    cursorGet(mem)
    if (lpValue.len === argv.len(2) && equalBytes(lpValue.bytes, lpValue.off, argv.bytes, argv.off(2), lpValue.len) && skip-- <= 0) {
      const index = back ? length - 1 - i : i
      if (options.count < 0) return index
      c.reply.int(index)
      found++
    }
    if (back ? !cursorPrev(mem) : !cursorNext(mem)) break
  }
  return options.count < 0 ? -1 : found
}
