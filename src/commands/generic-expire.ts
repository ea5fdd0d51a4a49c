/** Times to live: EXPIRE and its kin, TTL and its kin, PERSIST. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { EVENT_GENERIC } from '../keyspace/hooks.ts'
import { NULL_REF } from '../memory/ref.ts'
import { invalidExpire } from '../resp/errors.ts'
import { INT64_MAX } from '../util/int64.ts'
import { propagateDeletion, propagateExpiry } from './expiry.ts'

const INT64_LIMIT = 2 ** 63
/** The first number of seconds whose milliseconds are no int64. */
const SECONDS_LIMIT = 9_223_372_036_854_776
const NX = 1
const XX = 2
const GT = 4
const LT = 8

export function expire(c: Client): void {
  expireAt(c, 1000, c.engine.space.nowMs)
}

export function pexpire(c: Client): void {
  expireAt(c, 1, c.engine.space.nowMs)
}

export function expireat(c: Client): void {
  expireAt(c, 1000, 0)
}

export function pexpireat(c: Client): void {
  expireAt(c, 1, 0)
}

/** The conditions from argument 3 on; -1 when it has answered an error. */
export function expireConditions(c: Client): number {
  const { argv, reply } = c
  let found = 0
  for (let i = 3; i < argv.count; i++) {
    if (argv.is(i, 'nx')) found |= NX
    else if (argv.is(i, 'xx')) found |= XX
    else if (argv.is(i, 'gt')) found |= GT
    else if (argv.is(i, 'lt')) found |= LT
    else {
      reply.error(`ERR Unsupported option ${argv.text(i)}`)
      return -1
    }
  }
  if ((found & NX) !== 0 && (found & (XX | GT | LT)) !== 0) {
    reply.error('ERR NX and XX, GT or LT options at the same time are not compatible')
    return -1
  }
  if ((found & GT) !== 0 && (found & LT) !== 0) {
    reply.error('ERR GT and LT options at the same time are not compatible')
    return -1
  }
  return found
}

/** Whether an expiry may be set to `at` where it is `current` (NO_EXPIRY: none, which counts as infinitely late). */
export function meetsConditions(conditions: number, current: number, at: number): boolean {
  if ((conditions & NX) !== 0 && current !== NO_EXPIRY) return false
  if ((conditions & XX) !== 0 && current === NO_EXPIRY) return false
  if ((conditions & GT) !== 0 && (current === NO_EXPIRY || at <= current)) return false
  return (conditions & LT) === 0 || current === NO_EXPIRY || at < current
}

function expireAt(c: Client, unitMs: number, baseMs: number): void {
  const { argv, db, reply, engine } = c
  const conditions = expireConditions(c)
  if (conditions < 0) return
  const value = intArg(c, 2)
  if (Number.isNaN(value)) return
  const at = value * unitMs + baseMs
  const overflows = unitMs === 1000 && Math.abs(value) >= SECONDS_LIMIT
  if (overflows || at > INT64_LIMIT) return reply.error(invalidExpire(c.command?.name ?? ''))
  const entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF || !meetsConditions(conditions, db.expiryOf(entry), at)) return reply.int(0)
  if (engine.space.isOver(at)) {
    db.removeEntry(entry, engine.lazyExpire)
    db.changed(argv, 1, EVENT_GENERIC, 'del')
    propagateDeletion(c, engine.lazyExpire)
  } else {
    db.setExpiry(entry, at)
    db.changed(argv, 1, EVENT_GENERIC, 'expire')
    if (unitMs !== 1 || baseMs !== 0) propagateExpiry(c, at, 3)
  }
  reply.int(1)
}

export function ttl(c: Client): void {
  replyTime(c, c.engine.space.nowMs, 1000)
}

export function pttl(c: Client): void {
  replyTime(c, c.engine.space.nowMs, 1)
}

export function expiretime(c: Client): void {
  replyTime(c, 0, 1000)
}

export function pexpiretime(c: Client): void {
  replyTime(c, 0, 1)
}

/** The expiry, from `baseMs` on, in units of `unitMs` rounded to the nearest. */
function replyTime(c: Client, baseMs: number, unitMs: number): void {
  const entry = c.db.peek(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(-2)
  const at = c.db.expiryOf(entry)
  if (at === NO_EXPIRY) return c.reply.int(-1)
  const left = Math.max(0, at - baseMs)
  const units = unitMs === 1 ? left : Math.floor((left + unitMs / 2) / unitMs)
  if (units <= Number.MAX_SAFE_INTEGER) c.reply.int(units)
  else c.reply.bigInt(BigInt.asIntN(64, units >= INT64_LIMIT ? INT64_MAX : BigInt(units)))
}

export function persist(c: Client): void {
  const { argv, db, reply } = c
  const entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF || db.expiryOf(entry) === NO_EXPIRY) return reply.int(0)
  db.setExpiry(entry, NO_EXPIRY)
  db.changed(argv, 1, EVENT_GENERIC, 'persist')
  reply.int(1)
}
