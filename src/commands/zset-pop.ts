/** Taking members off the ends of sorted sets: ZPOPMIN, ZPOPMAX, ZMPOP. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_ZSET } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { MUST_BE_POSITIVE, SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { SKIPLIST, ZSET } from '../types/object.ts'
import { zsetLength, zsetRemoveRanks } from '../types/zset.ts'
import { touchEnd } from '../types/zset-ahead.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { keepsViews } from '../util/views.ts'

/** How the popped members are answered. */
const FLAT = 0
const PAIRS = 1
export const KEY_AND_FLAT = 2
export const KEY_AND_PAIRS = 3

const walk = keepsViews(new ZsetWalk())

export function zpopmin(c: Client): void {
  popOne(c, false)
}

export function zpopmax(c: Client): void {
  popOne(c, true)
}

function popOne(c: Client, max: boolean): void {
  const { argv, db, mem, reply } = c
  if (argv.count > 3) return reply.error(SYNTAX_ERROR)
  let count = 1
  if (argv.count === 3) {
    count = intArg(c, 2, MUST_BE_POSITIVE)
    if (count !== count) return
    if (count < 0) return reply.error(MUST_BE_POSITIVE)
  }
  const entry = db.lookupWrite(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  if (entry === NULL_REF || count === 0) return reply.array(0)
  pop(c, entry, 1, max, count, argv.count === 3 && c.resp === 3 ? PAIRS : FLAT)
}

/** Pops up to `count` members of the sorted set at argument i, and answers them; returns how many there were. */
function pop(c: Client, entry: Ref, i: number, max: boolean, count: number, form: number): number {
  const { argv, db, mem } = c
  const size = zsetLength(mem, entry)
  const popped = Math.min(count, size)
  begin(c, i, popped, form)
  if (encodingOf(mem, entry) === SKIPLIST) touchEnd(mem, valueRef(mem, entry), max, size, popped)
  const pairs = form === PAIRS || form === KEY_AND_PAIRS
  walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, max)
  for (let left = popped; left > 0; left--) {
    walk.next()
    if (pairs) c.reply.array(2)
    c.reply.bulk(walk.bytes, walk.off, walk.len)
    c.reply.double(walk.score)
  }
  if (popped < size) zsetRemoveRanks(mem, entry, max ? size - popped : 0, popped)
  c.dirty(popped)
  db.event(EVENT_ZSET, max ? 'zpopmax' : 'zpopmin', argv.bytes, argv.off(i), argv.len(i))
  if (popped === size) db.removeEmptied(argv, i)
  db.touched(argv.bytes, argv.off(i), argv.len(i))
  return popped
}

/** Says the change as ZPOPMIN or ZPOPMAX of argument i, with a count unless that is 0. */
function propagatePop(c: Client, i: number, max: boolean, count: number): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate
    .instead(c)
    .word(max ? 'ZPOPMAX' : 'ZPOPMIN')
    .arg(c.argv, i)
  if (count > 0) propagate.int(count)
}

function begin(c: Client, i: number, popped: number, form: number): void {
  const { argv, reply } = c
  if (form === FLAT) return reply.array(popped * 2)
  if (form === PAIRS) return reply.array(popped)
  reply.array(form === KEY_AND_FLAT ? 1 + popped * 2 : 2)
  reply.bulk(argv.bytes, argv.off(i), argv.len(i))
  if (form === KEY_AND_PAIRS) reply.array(popped)
}

/**
 * Pops from the first sorted set among `keys` arguments from `first` on that has members; false when there is none. A key of another type
 * on the way is an error, which counts as an answer.
 */
export function popFirst(c: Client, first: number, keys: number, max: boolean, count: number, form: number): boolean {
  const { argv, db, mem } = c
  for (let i = first; i < first + keys; i++) {
    const entry = db.lookupWrite(argv, i)
    if (entry === NULL_REF) continue
    if (typeOf(mem, entry) === ZSET) {
      const popped = pop(c, entry, i, max, count, form)
      propagatePop(c, i, max, form === KEY_AND_PAIRS ? popped : 0)
    } else c.reply.error(WRONGTYPE)
    return true
  }
  return false
}

/** The end and the number that ZMPOP asks for. */
export const wanted = { max: false, count: 1, keys: 0 }

export function zmpop(c: Client): void {
  if (!readMpop(c, 1)) return
  if (!popFirst(c, 2, wanted.keys, wanted.max, wanted.count, KEY_AND_PAIRS)) c.reply.nilArray()
}

const NUMKEYS_ERROR = 'ERR numkeys should be greater than 0'
const COUNT_ERROR = 'ERR count should be greater than 0'

/** Reads the arguments from numkeys on into `wanted`; false when it has answered an error. */
export function readMpop(c: Client, numkeys: number): boolean {
  const { argv, reply } = c
  wanted.keys = positiveArg(c, numkeys, NUMKEYS_ERROR)
  if (wanted.keys !== wanted.keys) return false
  const where = numkeys + wanted.keys + 1
  const isMin = where < argv.count && argv.is(where, 'min')
  wanted.max = where < argv.count && argv.is(where, 'max')
  if (!isMin && !wanted.max) {
    reply.error(SYNTAX_ERROR)
    return false
  }
  wanted.count = 1
  if (argv.count === where + 1) return true
  if (!argv.is(where + 1, 'count') || argv.count === where + 2) {
    reply.error(SYNTAX_ERROR)
    return false
  }
  wanted.count = positiveArg(c, where + 2, COUNT_ERROR)
  if (wanted.count !== wanted.count) return false
  if (argv.count > where + 3) reply.error(SYNTAX_ERROR)
  return argv.count === where + 3
}

/** An integer above 0; NaN when it has answered the error. */
function positiveArg(c: Client, i: number, error: string): number {
  const n = intArg(c, i, error)
  if (n >= 1 || n !== n) return n
  c.reply.error(error)
  return Number.NaN
}
