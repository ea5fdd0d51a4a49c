/** Removing ranges of sorted sets: ZREMRANGEBYRANK, ZREMRANGEBYSCORE, ZREMRANGEBYLEX. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_ZSET } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { WRONGTYPE } from '../resp/errors.ts'
import { typeOf } from '../structs/entry.ts'
import { ZSET } from '../types/object.ts'
import { zsetLength, zsetRemoveRanks } from '../types/zset.ts'
import { lexRangeArgs, ranks, resolveLex, resolveRanks, resolveScores, scoreRangeArgs } from './zset-bounds.ts'

export function zremrangebyrank(c: Client): void {
  const start = intArg(c, 2)
  if (start !== start) return
  const stop = intArg(c, 3)
  if (stop !== stop) return
  const entry = zsetToChange(c)
  if (entry === NULL_REF) return
  if (resolveRanks(c, entry, start, stop)) removeRange(c, entry, 'zremrangebyrank')
  else c.reply.int(0)
}

export function zremrangebyscore(c: Client): void {
  if (!scoreRangeArgs(c, 2, 3)) return
  const entry = zsetToChange(c)
  if (entry === NULL_REF) return
  resolveScores(c, entry)
  removeRange(c, entry, 'zremrangebyscore')
}

export function zremrangebylex(c: Client): void {
  if (!lexRangeArgs(c, 2, 3)) return
  const entry = zsetToChange(c)
  if (entry === NULL_REF) return
  resolveLex(c, entry, 2, 3)
  removeRange(c, entry, 'zremrangebylex')
}

/** The sorted set of argument 1; null when it has answered. */
function zsetToChange(c: Client): Ref {
  const entry = c.db.lookupWrite(c.argv, 1)
  if (entry === NULL_REF) c.reply.int(0)
  else if (typeOf(c.mem, entry) !== ZSET) c.reply.error(WRONGTYPE)
  else return entry
  return NULL_REF
}

/** Removes the members of `ranks`. */
function removeRange(c: Client, entry: Ref, event: string): void {
  const { argv, db, mem, reply } = c
  const count = ranks.to - ranks.from
  if (count <= 0) return reply.int(0)
  const all = count === zsetLength(mem, entry)
  if (!all) zsetRemoveRanks(mem, entry, ranks.from, count)
  reply.int(count)
  c.dirty(count)
  db.event(EVENT_ZSET, event, argv.bytes, argv.off(1), argv.len(1))
  if (all) db.removeEmptied(argv, 1)
  db.touched(argv.bytes, argv.off(1), argv.len(1))
}
