/** Members of sorted sets in no order: ZRANDMEMBER and ZSCAN. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { OUT_OF_RANGE, SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { dictScan, visited } from '../structs/dict.ts'
import { encodingOf, keyLength, keyStart, slotValue, typeOf, valueRef } from '../structs/entry.ts'
import { LISTPACK, ZSET } from '../types/object.ts'
import { zsetLength } from '../types/zset.ts'
import { largeDict } from '../types/zset-large.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { format17, formatDouble } from '../util/float.ts'
import { cursorArg, matches, type ScanOptions, scanOptions } from './scan-options.ts'
import { keepsViews } from '../util/views.ts'

/** Above a third of the set, one pass over it beats drawing ranks until enough are different. */
const PASS_SHARE = 3

/** The one count that has no opposite. */
const INT64_MIN_TEXT = '-9223372036854775808'

const walk = keepsViews(new ZsetWalk())

export function zrandmember(c: Client): void {
  const { argv, db, mem, reply } = c
  if (argv.count > 2) return randomMembers(c)
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.nil()
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  seek(c, entry, c.engine.random.below(zsetLength(mem, entry)))
  reply.bulk(walk.bytes, walk.off, walk.len)
}

function seek(c: Client, entry: Ref, rank: number): void {
  walk.start(c.mem, encodingOf(c.mem, entry), valueRef(c.mem, entry), rank, false)
  walk.next()
}

function randomMembers(c: Client): void {
  const { argv, db, mem, reply } = c
  const count = intArg(c, 2)
  if (count !== count) return
  if (argv.is(2, INT64_MIN_TEXT))
    return reply.error('ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807')
  if (argv.count > 4 || (argv.count === 4 && !argv.is(3, 'withscores'))) return reply.error(SYNTAX_ERROR)
  const withScores = argv.count === 4
  if (withScores && Math.abs(count) >= 2 ** 62) return reply.error(OUT_OF_RANGE)
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.array(0)
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  const size = zsetLength(mem, entry)
  if (count < 0) repeated(c, entry, -count, size, withScores)
  else if (count * PASS_SHARE > size) selected(c, entry, Math.min(count, size), size, withScores)
  else distinct(c, entry, count, size, withScores)
}

function arrayFor(c: Client, count: number, withScores: boolean): void {
  c.reply.array(withScores && c.resp === 2 ? count * 2 : count)
}

function replyMember(c: Client, withScores: boolean): void {
  if (withScores && c.resp === 3) c.reply.array(2)
  c.reply.bulk(walk.bytes, walk.off, walk.len)
  if (withScores) c.reply.double(walk.score)
}

/** Independent draws. */
function repeated(c: Client, entry: Ref, count: number, size: number, withScores: boolean): void {
  arrayFor(c, count, withScores)
  for (let left = count; left > 0 && !c.closing && !c.reply.overflowed; left--) {
    seek(c, entry, c.engine.random.below(size))
    replyMember(c, withScores)
  }
}

/** One pass that takes each member with the chance that makes all subsets equally likely. */
function selected(c: Client, entry: Ref, count: number, size: number, withScores: boolean): void {
  arrayFor(c, count, withScores)
  walk.start(c.mem, encodingOf(c.mem, entry), valueRef(c.mem, entry), 0, false)
  for (let left = size, wanted = count; wanted > 0; left--) {
    walk.next()
    if (c.engine.random.below(left) >= wanted) continue
    replyMember(c, withScores)
    wanted--
  }
}

/** Draws until enough different ranks have come. */
function distinct(c: Client, entry: Ref, count: number, size: number, withScores: boolean): void {
  arrayFor(c, count, withScores)
  const drawn = new Set<number>()
  while (drawn.size < count) {
    const rank = c.engine.random.below(size)
    if (drawn.has(rank)) continue
    drawn.add(rank)
    seek(c, entry, rank)
    replyMember(c, withScores)
  }
}

export function zscan(c: Client): void {
  const { argv, db, mem, reply } = c
  const cursor = cursorArg(c, 2)
  if (cursor !== cursor) return
  const entry = db.lookupRead(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  if (entry === NULL_REF) {
    reply.array(2)
    reply.text('0')
    return reply.array(0)
  }
  const options = scanOptions(c, 3, '')
  if (options === null) return
  if (encodingOf(mem, entry) === LISTPACK) scanSmall(c, entry, options)
  else scanLarge(c, entry, cursor, options)
}

function scanSmall(c: Client, entry: Ref, options: ScanOptions): void {
  const { reply } = c
  reply.array(2)
  reply.text('0')
  const start = reply.defer()
  let shown = 0
  walk.start(c.mem, LISTPACK, valueRef(c.mem, entry), 0, false)
  while (walk.next()) {
    if (!matches(c, options, walk.bytes, walk.off, walk.len)) continue
    reply.bulk(walk.bytes, walk.off, walk.len)
    reply.text(formatDouble(walk.score))
    shown += 2
  }
  reply.endArray(start, shown)
}

function scanLarge(c: Client, entry: Ref, from: number, options: ScanOptions): void {
  const { mem, reply } = c
  const dict = largeDict(mem, valueRef(mem, entry))
  const found: Ref[] = []
  let cursor = from
  let steps = options.count * 10
  do {
    cursor = dictScan(mem, dict, cursor)
    for (const member of visited) found.push(member)
  } while (cursor !== 0 && steps-- > 0 && found.length < options.count)
  reply.array(2)
  reply.text(String(cursor))
  const start = reply.defer()
  let shown = 0
  for (const member of found) {
    const bytes = mem.u8[segmentOf(member)]
    if (!matches(c, options, bytes, keyStart(mem, member), keyLength(mem, member))) continue
    reply.bulk(bytes, keyStart(mem, member), keyLength(mem, member))
    reply.text(format17(slotValue(mem, member)))
    shown += 2
  }
  reply.endArray(start, shown)
}
