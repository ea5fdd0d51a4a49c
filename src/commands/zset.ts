/** Sorted sets: the rows, and the commands about single members. Ranges, pops and combinations have files of their own. */
import { floatArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_SORTEDSET, BLOCKING, DENYOOM, FAST, READONLY, WRITE } from '../engine/flags.ts'
import { ACCESS, DELETE, key, keynum, keys, OW, RO, RW, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { EVENT_ZSET } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE, wrongArity } from '../resp/errors.ts'
import { typeOf } from '../structs/entry.ts'
import { ZSET } from '../types/object.ts'
import {
  ADDED,
  GT,
  given,
  INCREMENT,
  LT,
  newZsetRoot,
  NOT_A_NUMBER,
  NOT_DONE,
  NX,
  UPDATED,
  XX,
  zsetAdd,
  zsetEncodingFor,
  zsetExpect,
  zsetLength,
  zsetRank,
  zsetRemove,
  zsetScore,
} from '../types/zset.ts'
import { bzmpop, bzpopmax, bzpopmin } from './zset-block.ts'
import { zdiff, zdiffstore, zinter, zintercard, zinterstore, zunion, zunionstore } from './zset-combine.ts'
import { zmpop, zpopmax, zpopmin } from './zset-pop.ts'
import { zrandmember, zscan } from './zset-random.ts'
import {
  zcount,
  zlexcount,
  zrange,
  zrangebylex,
  zrangebyscore,
  zrangestore,
  zrevrange,
  zrevrangebylex,
  zrevrangebyscore,
} from './zset-range.ts'
import { zremrangebylex, zremrangebyrank, zremrangebyscore } from './zset-remove.ts'

// biome-ignore format: a table, one command after the other
export const zsetRows: readonly CommandRow[] = [
  { name: 'ZADD', arity: -4, flags: WRITE | DENYOOM | FAST, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RW | UPDATE)],
    args: `key:key [condition(NX|XX)@3.0.2] [comparison(GT|LT)@6.2.0] [change=CH@3.0.2] [increment=INCR@3.0.2] data(score:double
      member:string)...`, summary: 'Adds members or changes their scores.', complexity: 'O(log(N)) by members, for each one added',
    history: [
      ['2.4.0', 'Accepts multiple elements.'],
      ['3.0.2', 'Added the `XX`, `NX`, `CH` and `INCR` options.'],
      ['6.2.0', 'Added the `GT` and `LT` options.'],
    ], run: zadd },
  { name: 'ZINCRBY', arity: 4, flags: WRITE | DENYOOM | FAST, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key increment:integer member:string', summary: 'Adds to the score of a member.', complexity: 'O(log(N)) by members',
    run: zincrby },
  { name: 'ZREM', arity: -3, flags: WRITE | FAST, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RW | DELETE)],
    args: 'key:key member:string...', summary: 'Removes members.', complexity: 'O(M*log(N)) by removed members and members',
    history: [['2.4.0', 'Accepts multiple elements.']], run: zrem },
  { name: 'ZSCORE', arity: 3, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key member:string', summary: 'The score of a member.', complexity: 'O(1)', run: zscore },
  { name: 'ZMSCORE', arity: -3, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '6.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key member:string...', summary: 'The scores of several members.', complexity: 'O(N) by members asked for', run: zmscore },
  { name: 'ZCARD', arity: 2, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RO)], args: 'key:key',
    summary: 'The number of members.', complexity: 'O(1)', run: zcard },
  { name: 'ZCOUNT', arity: 4, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '2.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key min:double max:double', summary: 'How many members have a score in a range.', complexity: 'O(log(N)) by members',
    run: zcount },
  { name: 'ZLEXCOUNT', arity: 4, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '2.8.9', keys: [key(1, RO | ACCESS)],
    args: 'key:key min:string max:string', summary: 'How many members lie in a range of names.', complexity: 'O(log(N)) by members',
    run: zlexcount },
  { name: 'ZRANK', arity: -3, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '2.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key member:string [WITHSCORE]', summary: 'The rank of a member, lowest score first.', complexity: 'O(log(N)) by members',
    history: [['7.2.0', 'Added the optional `WITHSCORE` argument.']], run: zrank },
  { name: 'ZREVRANK', arity: -3, flags: READONLY | FAST, acl: ACL_SORTEDSET, since: '2.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key member:string [WITHSCORE]', summary: 'The rank of a member, highest score first.', complexity: 'O(log(N)) by members',
    history: [['7.2.0', 'Added the optional `WITHSCORE` argument.']], run: zrevrank },
  { name: 'ZRANGE', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RO | ACCESS)],
    args: `key:key start:string stop:string [sortby(BYSCORE|BYLEX)@6.2.0] [REV@6.2.0] [LIMIT limit(offset:integer count:integer)@6.2.0]
      [WITHSCORES]`, summary: 'Members in a range of ranks, scores or names.', complexity: 'O(log(N)+M) by members and by returned members',
    history: [['6.2.0', 'Added the `REV`, `BYSCORE`, `BYLEX` and `LIMIT` options.']], run: zrange },
  { name: 'ZRANGESTORE', arity: -5, flags: WRITE | DENYOOM, acl: ACL_SORTEDSET, since: '6.2.0',
    keys: [key(1, OW | UPDATE), key(2, RO | ACCESS)],
    args: 'dst:key src:key min:string max:string [sortby(BYSCORE|BYLEX)] [REV] [LIMIT limit(offset:integer count:integer)]',
    summary: 'ZRANGE whose result is stored.', complexity: 'O(log(N)+M) by members and by stored members', run: zrangestore },
  { name: 'ZRANGEBYSCORE', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '1.0.5', keys: [key(1, RO | ACCESS)],
    args: 'key:key min:double max:double [WITHSCORES@2.0.0] [LIMIT limit(offset:integer count:integer)]',
    summary: 'Members in a range of scores.', complexity: 'O(log(N)+M) by members and by returned members',
    history: [['2.0.0', 'Added the `WITHSCORES` modifier.']],
    deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with the `BYSCORE` argument' }, run: zrangebyscore },
  { name: 'ZRANGEBYLEX', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '2.8.9', keys: [key(1, RO | ACCESS)],
    args: 'key:key min:string max:string [LIMIT limit(offset:integer count:integer)]', summary: 'Members in a range of names.',
    complexity: 'O(log(N)+M) by members and by returned members',
    deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with the `BYLEX` argument' }, run: zrangebylex },
  { name: 'ZREVRANGE', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key start:integer stop:integer [WITHSCORES]', summary: 'Members in a range of ranks, highest score first.',
    complexity: 'O(log(N)+M) by members and by returned members',
    deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with the `REV` argument' }, run: zrevrange },
  { name: 'ZREVRANGEBYSCORE', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '2.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key max:double min:double [WITHSCORES] [LIMIT limit(offset:integer count:integer)]',
    summary: 'Members in a range of scores, highest first.', complexity: 'O(log(N)+M) by members and by returned members',
    history: [['2.1.6', '`min` and `max` can be exclusive.']],
    deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with the `REV` and `BYSCORE` arguments' }, run: zrevrangebyscore },
  { name: 'ZREVRANGEBYLEX', arity: -4, flags: READONLY, acl: ACL_SORTEDSET, since: '2.8.9', keys: [key(1, RO | ACCESS)],
    args: 'key:key max:string min:string [LIMIT limit(offset:integer count:integer)]',
    summary: 'Members in a range of names, last name first.', complexity: 'O(log(N)+M) by members and by returned members',
    deprecated: { since: '6.2.0', replacedBy: '`ZRANGE` with the `REV` and `BYLEX` arguments' }, run: zrevrangebylex },
  { name: 'ZREMRANGEBYRANK', arity: 4, flags: WRITE, acl: ACL_SORTEDSET, since: '2.0.0', keys: [key(1, RW | DELETE)],
    args: 'key:key start:integer stop:integer', summary: 'Removes the members in a range of ranks.',
    complexity: 'O(log(N)+M) by members and by removed members', run: zremrangebyrank },
  { name: 'ZREMRANGEBYSCORE', arity: 4, flags: WRITE, acl: ACL_SORTEDSET, since: '1.2.0', keys: [key(1, RW | DELETE)],
    args: 'key:key min:double max:double', summary: 'Removes the members in a range of scores.',
    complexity: 'O(log(N)+M) by members and by removed members', run: zremrangebyscore },
  { name: 'ZREMRANGEBYLEX', arity: 4, flags: WRITE, acl: ACL_SORTEDSET, since: '2.8.9', keys: [key(1, RW | DELETE)],
    args: 'key:key min:string max:string', summary: 'Removes the members in a range of names.',
    complexity: 'O(log(N)+M) by members and by removed members', run: zremrangebylex },
  { name: 'ZPOPMIN', arity: -2, flags: WRITE | FAST, acl: ACL_SORTEDSET, since: '5.0.0', keys: [key(1, RW | ACCESS | DELETE)],
    args: 'key:key [count:integer]', summary: 'Takes off the members with the lowest scores.',
    complexity: 'O(M*log(N)) by popped members and members', run: zpopmin },
  { name: 'ZPOPMAX', arity: -2, flags: WRITE | FAST, acl: ACL_SORTEDSET, since: '5.0.0', keys: [key(1, RW | ACCESS | DELETE)],
    args: 'key:key [count:integer]', summary: 'Takes off the members with the highest scores.',
    complexity: 'O(M*log(N)) by popped members and members', run: zpopmax },
  { name: 'ZMPOP', arity: -4, flags: WRITE, acl: ACL_SORTEDSET, since: '7.0.0', keys: [keynum(1, RW | ACCESS | DELETE)],
    args: 'numkeys:integer key:key... where(MIN|MAX) [COUNT count:integer]',
    summary: 'Takes members off the first sorted set that has some.', complexity: 'O(K)+O(M*log(N)) by keys, popped members and members',
    run: zmpop },
  { name: 'BZPOPMIN', arity: -3, flags: WRITE | BLOCKING | FAST, acl: ACL_SORTEDSET, since: '5.0.0',
    keys: [keys(1, -2, 1, RW | ACCESS | DELETE)], args: 'key:key... timeout:double',
    summary: 'ZPOPMIN of the first set that has members; waits for one.', complexity: 'O(log(N)) by members',
    history: [['6.0.0', '`timeout` is interpreted as a double instead of an integer.']], run: bzpopmin },
  { name: 'BZPOPMAX', arity: -3, flags: WRITE | BLOCKING | FAST, acl: ACL_SORTEDSET, since: '5.0.0',
    keys: [keys(1, -2, 1, RW | ACCESS | DELETE)], args: 'key:key... timeout:double',
    summary: 'ZPOPMAX of the first set that has members; waits for one.', complexity: 'O(log(N)) by members',
    history: [['6.0.0', '`timeout` is interpreted as a double instead of an integer.']], run: bzpopmax },
  { name: 'BZMPOP', arity: -5, flags: WRITE | BLOCKING, acl: ACL_SORTEDSET, since: '7.0.0', keys: [keynum(2, RW | ACCESS | DELETE)],
    args: 'timeout:double numkeys:integer key:key... where(MIN|MAX) [COUNT count:integer]', summary: 'ZMPOP that waits for a member.',
    complexity: 'O(K)+O(M*log(N)) by keys, popped members and members', run: bzmpop },
  { name: 'ZRANDMEMBER', arity: -2, flags: READONLY, acl: ACL_SORTEDSET, since: '6.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key [options(count:integer [WITHSCORES])]', summary: 'Members drawn at random.', complexity: 'O(N) by returned members',
    tips: ['nondeterministic_output'], run: zrandmember },
  { name: 'ZSCAN', arity: -3, flags: READONLY, acl: ACL_SORTEDSET, since: '2.8.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]', summary: 'Walks over members and scores, some per call.',
    complexity: 'O(1) per call, O(N) for a full walk', tips: ['nondeterministic_output'], run: zscan },
  { name: 'ZUNION', arity: -3, flags: READONLY, acl: ACL_SORTEDSET, since: '6.2.0', keys: [keynum(1, RO | ACCESS)],
    args: 'numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate(SUM|MIN|MAX)] [WITHSCORES]',
    summary: 'The members that any of the sets has.', complexity: 'O(N)+O(M*log(M)) by members of all sets and of the result',
    run: zunion },
  { name: 'ZUNIONSTORE', arity: -4, flags: WRITE | DENYOOM, acl: ACL_SORTEDSET, since: '2.0.0',
    keys: [key(1, OW | UPDATE), keynum(2, RO | ACCESS)],
    args: 'destination:key numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate(SUM|MIN|MAX)]',
    summary: 'ZUNION whose result is stored.', complexity: 'O(N)+O(M*log(M)) by members of all sets and of the result', run: zunionstore },
  { name: 'ZINTER', arity: -3, flags: READONLY, acl: ACL_SORTEDSET, since: '6.2.0', keys: [keynum(1, RO | ACCESS)],
    args: 'numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate(SUM|MIN|MAX)] [WITHSCORES]',
    summary: 'The members that all sets have.', complexity: 'O(N*K)+O(M*log(M)) by smallest set, sets and result', run: zinter },
  { name: 'ZINTERSTORE', arity: -4, flags: WRITE | DENYOOM, acl: ACL_SORTEDSET, since: '2.0.0',
    keys: [key(1, OW | UPDATE), keynum(2, RO | ACCESS)],
    args: 'destination:key numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE aggregate(SUM|MIN|MAX)]',
    summary: 'ZINTER whose result is stored.', complexity: 'O(N*K)+O(M*log(M)) by smallest set, sets and result', run: zinterstore },
  { name: 'ZINTERCARD', arity: -3, flags: READONLY, acl: ACL_SORTEDSET, since: '7.0.0', keys: [keynum(1, RO | ACCESS)],
    args: 'numkeys:integer key:key... [LIMIT limit:integer]', summary: 'How many members all sets have in common.',
    complexity: 'O(N*K) by smallest set and sets', run: zintercard },
  { name: 'ZDIFF', arity: -3, flags: READONLY, acl: ACL_SORTEDSET, since: '6.2.0', keys: [keynum(1, RO | ACCESS)],
    args: 'numkeys:integer key:key... [WITHSCORES]', summary: 'The members of the first set that no other set has.',
    complexity: 'O(L+(N-K)log(N)) by members of all sets, of the first, of the result', run: zdiff },
  { name: 'ZDIFFSTORE', arity: -4, flags: WRITE | DENYOOM, acl: ACL_SORTEDSET, since: '6.2.0',
    keys: [key(1, OW | UPDATE), keynum(2, RO | ACCESS)], args: 'destination:key numkeys:integer key:key...',
    summary: 'ZDIFF whose result is stored.', complexity: 'O(L+(N-K)log(N)) by members of all sets, of the first, of the result',
    run: zdiffstore },
]

/** The scores of the members of the running command. */
let scores = new Float64Array(16)

export function scoresFor(count: number): Float64Array {
  if (count > scores.length) scores = new Float64Array(count * 2)
  return scores
}

function zadd(c: Client): void {
  addMembers(c, 0)
}

function zincrby(c: Client): void {
  addMembers(c, INCREMENT)
}

/** ZADD and ZINCRBY, whose score may be preceded by the options of ZADD as well. */
function addMembers(c: Client, start: number): void {
  const { argv } = c
  let conditions = start
  let countChanged = false
  let first = 2
  for (; first < argv.count; first++) {
    const option = optionAt(c, first)
    if (option === 0) break
    if (option === CH) countChanged = true
    else conditions |= option
  }
  const members = (argv.count - first) / 2
  if (members < 1 || !Number.isInteger(members)) return c.reply.error(SYNTAX_ERROR)
  const conflict = conflictOf(conditions, members)
  if (conflict !== '') return c.reply.error(conflict)
  const wanted = scoresFor(members)
  for (let i = 0; i < members; i++) {
    const score = floatArg(c, first + 2 * i)
    if (score !== score) return
    wanted[i] = score
  }
  storeMembers(c, wanted, members, first + 1, 2, conditions, countChanged)
}

const CH = 32

function optionAt(c: Client, i: number): number {
  const { argv } = c
  const len = argv.len(i)
  if (len === 2) {
    if (argv.is(i, 'nx')) return NX
    if (argv.is(i, 'xx')) return XX
    if (argv.is(i, 'gt')) return GT
    if (argv.is(i, 'lt')) return LT
    if (argv.is(i, 'ch')) return CH
  }
  return len === 4 && argv.is(i, 'incr') ? INCREMENT : 0
}

function conflictOf(conditions: number, members: number): string {
  if ((conditions & NX) !== 0 && (conditions & XX) !== 0) return 'ERR XX and NX options at the same time are not compatible'
  const comparisons = conditions & (GT | LT)
  if (comparisons === (GT | LT) || ((conditions & NX) !== 0 && comparisons !== 0)) {
    return 'ERR GT, LT, and/or NX options at the same time are not compatible'
  }
  return (conditions & INCREMENT) !== 0 && members > 1 ? 'ERR INCR option supports a single increment-element pair' : ''
}

/** Adds the members that begin at argument `first` and come every `step` arguments, and answers for ZADD and its like. */
export function storeMembers(
  c: Client,
  wanted: Float64Array,
  members: number,
  first: number,
  step: number,
  conditions: number,
  countChanged: boolean,
): void {
  const { argv, db, mem, reply } = c
  const limits = c.engine.encodings.zset
  let entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF) {
    if ((conditions & XX) !== 0) return (conditions & INCREMENT) !== 0 ? reply.nil() : reply.int(0)
    entry = addZset(c, 1, zsetEncodingFor(limits, members, argv.len(first)))
  } else {
    if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
    zsetExpect(mem, entry, limits, members)
  }
  let added = 0
  let updated = 0
  let outcome = NOT_DONE
  for (let i = 0, at = first; i < members && outcome !== NOT_A_NUMBER; i++, at += step) {
    outcome = zsetAdd(mem, entry, limits, wanted[i], argv.bytes, argv.off(at), argv.len(at), conditions)
    if (outcome === ADDED) added++
    else if (outcome === UPDATED) updated++
  }
  if (outcome === NOT_A_NUMBER) reply.error('ERR resulting score is not a number (NaN)')
  else if ((conditions & INCREMENT) === 0) reply.int(countChanged ? added + updated : added)
  else if (outcome === NOT_DONE) reply.nil()
  else reply.double(given.score)
  if (added + updated === 0) return
  c.dirty(added + updated)
  db.touched(argv.bytes, argv.off(1), argv.len(1))
  db.event(EVENT_ZSET, (conditions & INCREMENT) !== 0 ? 'zincr' : 'zadd', argv.bytes, argv.off(1), argv.len(1))
}

/** Adds an empty sorted set under argument i. */
function addZset(c: Client, i: number, encoding: number): Ref {
  const { argv, db, mem } = c
  return db.addRoot(argv.bytes, argv.off(i), argv.len(i), ZSET, encoding, newZsetRoot(mem, encoding))
}

function zrem(c: Client): void {
  const { argv, db, mem, reply } = c
  const entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF) return reply.int(0)
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  let removed = 0
  let left = zsetLength(mem, entry)
  for (let i = 2; i < argv.count && left > 0; i++) {
    if (!zsetRemove(mem, entry, argv.bytes, argv.off(i), argv.len(i))) continue
    removed++
    left--
  }
  reply.int(removed)
  if (removed === 0) return
  c.dirty(removed)
  db.event(EVENT_ZSET, 'zrem', argv.bytes, argv.off(1), argv.len(1))
  if (left === 0) db.removeEmptied(argv, 1)
  db.touched(argv.bytes, argv.off(1), argv.len(1))
}

function zscore(c: Client): void {
  const { argv, db, mem, reply } = c
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.nil()
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  replyScore(c, zsetScore(mem, entry, argv.bytes, argv.off(2), argv.len(2)))
}

function replyScore(c: Client, score: number): void {
  if (score === score) c.reply.double(score)
  else c.reply.nil()
}

function zmscore(c: Client): void {
  const { argv, db, mem, reply } = c
  const entry = db.lookupRead(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  reply.array(argv.count - 2)
  for (let i = 2; i < argv.count; i++) {
    replyScore(c, entry === NULL_REF ? NaN : zsetScore(mem, entry, argv.bytes, argv.off(i), argv.len(i)))
  }
}

function zcard(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (typeOf(c.mem, entry) !== ZSET) return c.reply.error(WRONGTYPE)
  c.reply.int(zsetLength(c.mem, entry))
}

function zrank(c: Client): void {
  replyRank(c, false)
}

function zrevrank(c: Client): void {
  replyRank(c, true)
}

function replyRank(c: Client, reverse: boolean): void {
  const { argv, db, mem, reply } = c
  if (argv.count > 4) return reply.error(wrongArity(reverse ? 'zrevrank' : 'zrank'))
  const withScore = argv.count === 4
  if (withScore && !argv.is(3, 'withscore')) return reply.error(SYNTAX_ERROR)
  const entry = db.lookupRead(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  const rank = entry === NULL_REF ? -1 : zsetRank(mem, entry, argv.bytes, argv.off(2), argv.len(2))
  if (rank < 0) return withScore ? reply.nilArray() : reply.nil()
  if (withScore) reply.array(2)
  reply.int(reverse ? zsetLength(mem, entry) - 1 - rank : rank)
  if (withScore) reply.double(zsetScore(mem, entry, argv.bytes, argv.off(2), argv.len(2)))
}
