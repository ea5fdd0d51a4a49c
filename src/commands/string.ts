import { BRIEF, DENYOOM, FAST, READONLY, ACL_STRING, WRITE } from '../engine/flags.ts'
import { setKeys } from '../engine/keyfinders.ts'
import { ACCESS, DELETE, INSERT, key, keys, OW, RO, RW, UPDATE, VARIABLE_FLAGS } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { append, getrange, lcs, setrange, strlen, substr } from './string-range.ts'
import { decr, decrby, incr, incrby, incrbyfloat } from './string-number.ts'
import { expiryArg, NO_TIME, propagateDeletion, propagateExpiry } from './expiry.ts'
import { KEEP_EXPIRY, addString, setString } from '../keyspace/strings.ts'
import { EVENT_GENERIC, EVENT_STRING } from '../keyspace/hooks.ts'
import { touchKeys } from '../keyspace/ahead.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE, wrongArity } from '../resp/errors.ts'
import { dictHash } from '../structs/dict.ts'
import { typeOf } from '../structs/entry.ts'
import { STRING } from '../types/object.ts'
import { replyValue } from './values.ts'

// biome-ignore format: a table, one command after the other
export const stringRows: readonly CommandRow[] = [
  { name: 'GET', arity: 2, flags: READONLY | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'What a string key holds.', complexity: 'O(1)', run: get },
  { name: 'SET', arity: -3, flags: WRITE | DENYOOM | BRIEF, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE | VARIABLE_FLAGS)],
    findKeys: setKeys,
    args: `key:key value:string [condition(NX|XX)@2.6.12] [GET@6.2.0] [expiration(EX seconds:integer@2.6.12|PX
      milliseconds:integer@2.6.12|EXAT unix-time-seconds:unix-time@6.2.0|PXAT unix-time-milliseconds:unix-time@6.2.0|KEEPTTL@6.0.0)]`,
    summary: 'Sets a string, whatever the key held before.', complexity: 'O(1)',
    history: [
      ['2.6.12', 'Added the `EX`, `PX`, `NX` and `XX` options.'],
      ['6.0.0', 'Added the `KEEPTTL` option.'],
      ['6.2.0', 'Added the `GET`, `EXAT` and `PXAT` option.'],
      ['7.0.0', 'Allowed the `NX` and `GET` options to be used together.'],
    ], run: set },
  { name: 'SETNX', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, OW | INSERT)],
    args: 'key:key value:string', summary: 'Sets a string if the key is missing.', complexity: 'O(1)',
    deprecated: { since: '2.6.12', replacedBy: '`SET` with the `NX` argument' }, run: setnx },
  { name: 'SETEX', arity: 4, flags: WRITE | DENYOOM | BRIEF, acl: ACL_STRING, since: '2.0.0', keys: [key(1, OW | UPDATE)],
    args: 'key:key seconds:integer value:string', summary: 'Sets a string that expires after some seconds.', complexity: 'O(1)',
    deprecated: { since: '2.6.12', replacedBy: '`SET` with the `EX` argument' }, run: setex },
  { name: 'PSETEX', arity: 4, flags: WRITE | DENYOOM | BRIEF, acl: ACL_STRING, since: '2.6.0', keys: [key(1, OW | UPDATE)],
    args: 'key:key milliseconds:integer value:string', summary: 'Sets a string that expires after some milliseconds.', complexity: 'O(1)',
    deprecated: { since: '2.6.12', replacedBy: '`SET` with the `PX` argument' }, run: psetex },
  { name: 'GETSET', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key value:string', summary: 'Sets a string and returns the old one.', complexity: 'O(1)',
    deprecated: { since: '6.2.0', replacedBy: '`SET` with the `!GET` argument' }, run: getset },
  { name: 'GETDEL', arity: 2, flags: WRITE | FAST, acl: ACL_STRING, since: '6.2.0', keys: [key(1, RW | ACCESS | DELETE)], args: 'key:key',
    summary: 'The value of a string key, which is deleted.', complexity: 'O(1)', run: getdel },
  { name: 'GETEX', arity: -2, flags: WRITE | FAST, acl: ACL_STRING, since: '6.2.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: `key:key [expiration(EX seconds:integer|PX milliseconds:integer|EXAT unix-time-seconds:unix-time|PXAT
      unix-time-milliseconds:unix-time|PERSIST)]`, summary: 'The value of a string key, and a new time to live for it.', complexity: 'O(1)',
    run: getex },
  { name: 'MGET', arity: -2, flags: READONLY | FAST, acl: ACL_STRING, since: '1.0.0', keys: [keys(1, -1, 1, RO | ACCESS)], args: 'key:key...',
    summary: 'The values of several string keys.', complexity: 'O(N) by keys', tips: ['request_policy:multi_shard'], run: mget },
  { name: 'MSET', arity: -3, flags: WRITE | DENYOOM, acl: ACL_STRING, since: '1.0.1', keys: [keys(1, -1, 2, OW | UPDATE)],
    args: 'data(key:key value:string)...', summary: 'Sets several string keys at once.', complexity: 'O(N) by keys',
    tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'], run: mset },
  { name: 'MSETNX', arity: -3, flags: WRITE | DENYOOM, acl: ACL_STRING, since: '1.0.1', keys: [keys(1, -1, 2, OW | INSERT)],
    args: 'data(key:key value:string)...', summary: 'Sets several string keys, or none if one of them exists.', complexity: 'O(N) by keys',
    run: msetnx },
  { name: 'APPEND', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '2.0.0', keys: [key(1, RW | INSERT)],
    args: 'key:key value:string', summary: 'Adds to the end of a string, which is created if missing.', complexity: 'O(1) amortised',
    run: append },
  { name: 'STRLEN', arity: 2, flags: READONLY | FAST, acl: ACL_STRING, since: '2.2.0', keys: [key(1, RO)], args: 'key:key',
    summary: 'The number of bytes in a string.', complexity: 'O(1)', run: strlen },
  { name: 'GETRANGE', arity: 4, flags: READONLY, acl: ACL_STRING, since: '2.4.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key start:integer end:integer', summary: 'A part of a string, by first and last offset.',
    complexity: 'O(N) by returned bytes', run: getrange },
  { name: 'SUBSTR', arity: 4, flags: READONLY, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key start:integer end:integer', summary: 'A part of a string, by first and last offset.',
    complexity: 'O(N) by returned bytes', deprecated: { since: '2.0.0', replacedBy: '`GETRANGE`' }, run: substr },
  { name: 'SETRANGE', arity: 4, flags: WRITE | DENYOOM, acl: ACL_STRING, since: '2.2.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key offset:integer value:string', summary: 'Overwrites part of a string, padding with zero bytes.',
    complexity: 'O(M) by written bytes, plus the padding', run: setrange },
  { name: 'INCR', arity: 2, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key', summary: 'Counts an integer up by one.', complexity: 'O(1)', run: incr },
  { name: 'DECR', arity: 2, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key', summary: 'Counts an integer down by one.', complexity: 'O(1)', run: decr },
  { name: 'INCRBY', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key increment:integer', summary: 'Adds to an integer.', complexity: 'O(1)', run: incrby },
  { name: 'DECRBY', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key decrement:integer', summary: 'Subtracts from an integer.', complexity: 'O(1)', run: decrby },
  { name: 'INCRBYFLOAT', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_STRING, since: '2.6.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key increment:double', summary: 'Adds to a decimal number.', complexity: 'O(1)', run: incrbyfloat },
  { name: 'LCS', arity: -3, flags: READONLY, acl: ACL_STRING, since: '7.0.0', keys: [keys(1, 1, 1, RO | ACCESS)],
    args: 'key1:key key2:key#0 [LEN] [IDX] [MINMATCHLEN min-match-len:integer] [WITHMATCHLEN]',
    summary: 'The longest common subsequence of two strings.', complexity: 'O(N*M) by the two lengths', run: lcs },
]

function get(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.nil()
  if (typeOf(c.mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  replyValue(c, entry)
}

/** Options of SET and GETEX. */
const NX = 1
const XX = 2
const GET = 4
const KEEPTTL = 8
const PERSIST = 16
let options = 0
let timeUnit = ''
let timeAt = 0

/**
 * Reads the options from argument `from` on into `options`, `timeUnit` and `timeAt` (the argument of the time); `allowed`
 * says which there are. False: it has answered an error.
 */
function readOptions(c: Client, from: number, allowed: number): boolean {
  const { argv } = c
  options = 0
  timeUnit = ''
  for (let i = from; i < argv.count; i++) {
    if (argv.is(i, 'nx') && (allowed & NX) !== 0 && (options & XX) === 0) options |= NX
    else if (argv.is(i, 'xx') && (allowed & XX) !== 0 && (options & NX) === 0) options |= XX
    else if (argv.is(i, 'get') && (allowed & GET) !== 0) options |= GET
    else if (argv.is(i, 'keepttl') && (allowed & KEEPTTL) !== 0 && timeUnit === '' && (options & PERSIST) === 0) options |= KEEPTTL
    else if (argv.is(i, 'persist') && (allowed & PERSIST) !== 0 && timeUnit === '' && (options & KEEPTTL) === 0) options |= PERSIST
    else if ((options & (KEEPTTL | PERSIST)) === 0 && i + 1 < argv.count && isTimeUnit(c, i)) {
      timeUnit = argv.text(i).toLowerCase()
      timeAt = ++i
    } else {
      c.reply.error(SYNTAX_ERROR)
      return false
    }
  }
  return true
}

/** EX, PX, EXAT or PXAT; one may be repeated, two may not meet. */
function isTimeUnit(c: Client, i: number): boolean {
  if (timeUnit !== '') return c.argv.is(i, timeUnit)
  return c.argv.is(i, 'ex') || c.argv.is(i, 'px') || c.argv.is(i, 'exat') || c.argv.is(i, 'pxat')
}

/** The moment that the options name, NO_EXPIRY when they name none, NO_TIME when it has answered an error. */
function optionTime(c: Client): number {
  return timeUnit === '' ? NO_EXPIRY : expiryArg(c, timeAt, timeUnit)
}

function set(c: Client): void {
  if (c.argv.count > 3) return setWithOptions(c)
  store(c, c.db.lookupWrite(c.argv, 1), 2, NO_EXPIRY)
  c.reply.ok()
}

/** Sets key 1 to argument `valueAt`, and tells. */
function store(c: Client, old: Ref, valueAt: number, at: number): void {
  const { argv, db } = c
  const key = argv.off(1)
  const keyLen = argv.len(1)
  if (old === NULL_REF && at < 0) {
    const hash = argv.hashedArg === 1 ? argv.hash : dictHash(c.mem, argv.bytes, key, keyLen)
    addString(db, hash, argv.bytes, key, keyLen, argv.bytes, argv.off(valueAt), argv.len(valueAt))
  } else setString(db, old, argv.bytes, key, keyLen, argv.bytes, argv.off(valueAt), argv.len(valueAt), at)
  db.changed(argv, 1, EVENT_STRING, 'set')
  if (at >= 0) db.event(EVENT_GENERIC, 'expire', argv.bytes, key, keyLen)
}

function setWithOptions(c: Client): void {
  if (!readOptions(c, 3, NX | XX | GET | KEEPTTL)) return
  const wanted = options
  const at = (wanted & KEEPTTL) !== 0 ? KEEP_EXPIRY : optionTime(c)
  if (at === NO_TIME) return
  const old = (wanted & GET) !== 0 ? c.db.lookupRead(c.argv, 1) : c.db.lookupWrite(c.argv, 1)
  if ((wanted & GET) !== 0) {
    if (old === NULL_REF) c.reply.nil()
    else if (typeOf(c.mem, old) !== STRING) return c.reply.error(WRONGTYPE)
    else replyValue(c, old)
  }
  if ((wanted & (old === NULL_REF ? XX : NX)) !== 0) {
    if ((wanted & GET) === 0) c.reply.nil()
    return
  }
  const unit = timeUnit
  store(c, (wanted & GET) !== 0 ? c.db.lookupWrite(c.argv, 1) : old, 2, at)
  if (at >= 0 && unit !== 'pxat') propagateSet(c, 2, at)
  else if (at < 0 && (wanted & GET) !== 0) propagateWithoutGet(c)
  if ((wanted & GET) === 0) c.reply.ok()
}

/** Says the change as SET with a moment: `valueAt` is the argument with the value. */
function propagateSet(c: Client, valueAt: number, at: number): void {
  const { argv } = c
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate.instead(c).word('SET').arg(argv, 1).arg(argv, valueAt)
  if (at >= 0) propagate.word('PXAT').int(at)
}

/** The old value interests nobody elsewhere. */
function propagateWithoutGet(c: Client): void {
  const { argv } = c
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate.instead(c).argsOf(argv, 0, 3)
  for (let i = 3; i < argv.count; i++) if (!argv.is(i, 'get')) propagate.arg(argv, i)
}

function setnx(c: Client): void {
  const old = c.db.lookupWrite(c.argv, 1)
  if (old !== NULL_REF) return c.reply.int(0)
  store(c, old, 2, NO_EXPIRY)
  c.reply.int(1)
}

function setex(c: Client): void {
  setFor(c, 'ex')
}

function psetex(c: Client): void {
  setFor(c, 'px')
}

function setFor(c: Client, unit: string): void {
  const at = expiryArg(c, 2, unit)
  if (at === NO_TIME) return
  store(c, c.db.lookupWrite(c.argv, 1), 3, at)
  propagateSet(c, 3, at)
  c.reply.ok()
}

function getset(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) c.reply.nil()
  else if (typeOf(c.mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  else replyValue(c, entry)
  store(c, c.db.lookupWrite(c.argv, 1), 2, NO_EXPIRY)
  propagateSet(c, 2, NO_EXPIRY)
}

function getdel(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.nil()
  if (typeOf(c.mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  replyValue(c, entry)
  c.db.remove(c.argv.bytes, c.argv.off(1), c.argv.len(1))
  c.db.changed(c.argv, 1, EVENT_GENERIC, 'del')
  propagateDeletion(c, false)
}

function getex(c: Client): void {
  if (!readOptions(c, 2, PERSIST)) return
  const { argv, db } = c
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return c.reply.nil()
  if (typeOf(c.mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const expireAt = optionTime(c)
  if (expireAt === NO_TIME) return
  replyValue(c, entry)
  if (expireAt !== NO_EXPIRY) {
    const old = db.lookupWrite(argv, 1)
    if (c.engine.space.isOver(expireAt)) {
      db.removeEntry(old)
      db.changed(argv, 1, EVENT_GENERIC, 'del')
      propagateDeletion(c, c.engine.lazyExpire)
    } else {
      db.setExpiry(old, expireAt)
      db.changed(argv, 1, EVENT_GENERIC, 'expire')
      propagateExpiry(c, expireAt)
    }
  } else if ((options & PERSIST) !== 0 && db.expiryOf(entry) !== NO_EXPIRY) {
    db.setExpiry(db.lookupWrite(argv, 1), NO_EXPIRY)
    db.changed(argv, 1, EVENT_GENERIC, 'persist')
    propagateExpiry(c, NO_EXPIRY)
  }
}

function mget(c: Client): void {
  const { argv, db, reply } = c
  reply.array(argv.count - 1)
  for (let i = 1; i < argv.count; i++) {
    touchKeys(db, argv, i, 1)
    const entry = db.lookupRead(argv, i)
    if (entry === NULL_REF || typeOf(c.mem, entry) !== STRING) reply.nil()
    else replyValue(c, entry)
  }
}

/** Sets all pairs; the caller has checked that they are pairs. */
function storePairs(c: Client): void {
  const { argv, db } = c
  for (let i = 1; i < argv.count; i += 2) {
    touchKeys(db, argv, i, 2)
    const old = db.lookupWrite(argv, i)
    setString(db, old, argv.bytes, argv.off(i), argv.len(i), argv.bytes, argv.off(i + 1), argv.len(i + 1), NO_EXPIRY)
    db.changed(argv, i, EVENT_STRING, 'set')
  }
}

function mset(c: Client): void {
  if (c.argv.count % 2 === 0) return c.reply.error(wrongArity('mset'))
  storePairs(c)
  c.reply.ok()
}

function msetnx(c: Client): void {
  const { argv, db } = c
  if (argv.count % 2 === 0) return c.reply.error(wrongArity('msetnx'))
  for (let i = 1; i < argv.count; i += 2) if (db.lookupWrite(argv, i) !== NULL_REF) return c.reply.int(0)
  storePairs(c)
  c.reply.int(1)
}
