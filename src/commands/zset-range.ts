/** Members of sorted sets by rank, score or name: ZRANGE and its older forms, ZRANGESTORE, ZCOUNT, ZLEXCOUNT. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { ZSET } from '../types/object.ts'
import { zsetLength } from '../types/zset.ts'
import { freeLarge, largeAdd, newLarge } from '../types/zset-large.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { lexRangeArgs, ranks, resolveLex, resolveRanks, resolveScores, scoreRangeArgs } from './zset-bounds.ts'
import { storeLarge, storeNothing } from './zset-store.ts'
import { keepsViews } from '../util/views.ts'

const ANY = 0
const BY_RANK = 1
const BY_SCORE = 2
const BY_LEX = 3

const walk = keepsViews(new ZsetWalk())

/** What the arguments of the running command ask for. */
const asked = { by: BY_RANK, reverse: false, withScores: false, offset: 0, limit: -1, start: 0, stop: 0 }

export function zrange(c: Client): void {
  rangeReply(c, ANY, false)
}

export function zrevrange(c: Client): void {
  rangeReply(c, BY_RANK, true)
}

export function zrangebyscore(c: Client): void {
  rangeReply(c, BY_SCORE, false)
}

export function zrevrangebyscore(c: Client): void {
  rangeReply(c, BY_SCORE, true)
}

export function zrangebylex(c: Client): void {
  rangeReply(c, BY_LEX, false)
}

export function zrevrangebylex(c: Client): void {
  rangeReply(c, BY_LEX, true)
}

function rangeReply(c: Client, by: number, reverse: boolean): void {
  const { argv, db, mem, reply } = c
  if (!readOptions(c, 4, by, reverse, false) || !readBounds(c, 2)) return
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.array(0)
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  const count = resolve(c, entry, 2)
  const { withScores } = asked
  const nested = withScores && c.resp === 3
  reply.array(withScores && !nested ? count * 2 : count)
  for (let left = count; left > 0; left--) {
    walk.next()
    if (nested) reply.array(2)
    reply.bulk(walk.bytes, walk.off, walk.len)
    if (withScores) reply.double(walk.score)
  }
}

export function zrangestore(c: Client): void {
  const { argv, db, mem, reply } = c
  if (!readOptions(c, 5, ANY, false, true) || !readBounds(c, 3)) return
  const entry = db.lookupRead(argv, 2)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  const count = entry === NULL_REF ? 0 : resolve(c, entry, 3)
  if (count === 0) return storeNothing(c, 1)
  const root = newLarge(mem)
  try {
    for (let left = count; left > 0; left--) {
      walk.next()
      largeAdd(mem, root, walk.score, walk.bytes, walk.off, walk.len)
    }
  } catch (error) {
    freeLarge(mem, root)
    throw error
  }
  storeLarge(c, 1, root, 'zrangestore', 1)
}

/** Reads the options from argument `from` on into `asked`; false when it has answered an error. */
function readOptions(c: Client, from: number, by: number, reverse: boolean, store: boolean): boolean {
  const { argv, reply } = c
  asked.by = by
  asked.reverse = reverse
  asked.withScores = false
  asked.offset = 0
  asked.limit = -1
  for (let i = from; i < argv.count; i++) {
    if (!store && argv.is(i, 'withscores')) asked.withScores = true
    else if (argv.is(i, 'limit') && i + 2 < argv.count) {
      asked.offset = intArg(c, i + 1)
      if (asked.offset !== asked.offset) return false
      asked.limit = intArg(c, i + 2)
      if (asked.limit !== asked.limit) return false
      i += 2
    } else if (by === ANY && !asked.reverse && argv.is(i, 'rev')) asked.reverse = true
    else if (asked.by === ANY && argv.is(i, 'bylex')) asked.by = BY_LEX
    else if (asked.by === ANY && argv.is(i, 'byscore')) asked.by = BY_SCORE
    else {
      reply.error(SYNTAX_ERROR)
      return false
    }
  }
  if (asked.by === ANY) asked.by = BY_RANK
  return optionsAgree(c)
}

function optionsAgree(c: Client): boolean {
  if (asked.limit !== -1 && asked.by === BY_RANK) {
    c.reply.error('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX')
    return false
  }
  if (asked.withScores && asked.by === BY_LEX) {
    c.reply.error('ERR syntax error, WITHSCORES not supported in combination with BYLEX')
    return false
  }
  return true
}

/** Reads the two bounds at argument `first`, the higher one first in a reverse range; false when it has answered an error. */
function readBounds(c: Client, first: number): boolean {
  const low = asked.reverse ? first + 1 : first
  const high = asked.reverse ? first : first + 1
  if (asked.by === BY_SCORE) return scoreRangeArgs(c, low, high)
  if (asked.by === BY_LEX) return lexRangeArgs(c, low, high)
  asked.start = intArg(c, first)
  if (asked.start !== asked.start) return false
  asked.stop = intArg(c, first + 1)
  return asked.stop === asked.stop
}

/** Sets out to walk the members asked for; returns how many there are. */
function resolve(c: Client, entry: Ref, first: number): number {
  let skip = ranks.from
  if (asked.by === BY_RANK) {
    // Ranks of a reverse range already count from the end.
    if (!resolveRanks(c, entry, asked.start, asked.stop)) return 0
    skip = ranks.from
  } else {
    if (asked.by === BY_SCORE) resolveScores(c, entry)
    else if (asked.reverse) resolveLex(c, entry, first + 1, first)
    else resolveLex(c, entry, first, first + 1)
    if (asked.offset < 0) return 0
    skip = (asked.reverse ? zsetLength(c.mem, entry) - ranks.to : ranks.from) + asked.offset
  }
  const found = ranks.to - ranks.from - (asked.by === BY_RANK ? 0 : asked.offset)
  const count = Math.max(0, asked.limit < 0 ? found : Math.min(found, asked.limit))
  if (count > 0) walk.start(c.mem, encodingOf(c.mem, entry), valueRef(c.mem, entry), skip, asked.reverse)
  return count
}

export function zcount(c: Client): void {
  if (!scoreRangeArgs(c, 2, 3)) return
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (typeOf(c.mem, entry) !== ZSET) return c.reply.error(WRONGTYPE)
  resolveScores(c, entry)
  c.reply.int(Math.max(0, ranks.to - ranks.from))
}

export function zlexcount(c: Client): void {
  if (!lexRangeArgs(c, 2, 3)) return
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (typeOf(c.mem, entry) !== ZSET) return c.reply.error(WRONGTYPE)
  resolveLex(c, entry, 2, 3)
  c.reply.int(Math.max(0, ranks.to - ranks.from))
}
