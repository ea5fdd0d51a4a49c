/** Times to live of fields: HEXPIRE and its kin, HTTL and its kin, HPERSIST. */
import { intArg, rangeArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { noteVolatileHash } from '../keyspace/field-expiry.ts'
import { EVENT_HASH } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { invalidExpire } from '../resp/errors.ts'
import { foundExpiry, hashDelete, hashFind } from '../types/hash.ts'
import { setFoundExpiry } from '../types/hash-expiry.ts'
import { readHash, removeIfEmpty, WRONG, writeHash } from './hash-lookup.ts'

/** Latest expiry of a field, in ms since 1970: 46 bits. */
export const FIELD_EXPIRY_MAX = 2 ** 46 - 1

/** What is answered for a field. */
const NO_FIELD = -2
const NO_EXPIRY = -1
const NOT_MET = 0
const DONE = 1
const DELETED = 2

const NO_FIELDS = 'ERR Mandatory argument FIELDS is missing or not at the right position'
const COUNT_MISMATCH = 'ERR The `numfields` parameter must match the number of arguments'
const COUNT_NOT_POSITIVE = 'ERR Number of fields must be a positive integer'
const EXPIRE_COUNT = 'ERR Parameter `numFields` should be greater than 0'

/** Reads `FIELDS numfields field ...` at argument `at`, to the end; returns the first field's index, 0 after an error. */
export function fieldsArg(c: Client, at: number, countError = COUNT_NOT_POSITIVE, perField = 1): number {
  const { argv } = c
  if (at >= argv.count || !argv.is(at, 'fields')) {
    c.reply.error(NO_FIELDS)
    return 0
  }
  if (at + 1 >= argv.count) {
    c.reply.error(COUNT_MISMATCH)
    return 0
  }
  const count = rangeArg(c, at + 1, 1, Infinity, countError)
  if (Number.isNaN(count)) return 0
  if (count * perField !== argv.count - at - 2) {
    c.reply.error(COUNT_MISMATCH)
    return 0
  }
  return at + 2
}

/** Whether the hash has the field of argument i. */
export function findField(c: Client, hash: Ref, i: number): boolean {
  const { argv } = c
  return hash !== NULL_REF && hashFind(c.mem, hash, argv.bytes, argv.off(i), argv.len(i))
}

/** Gives the field that `findField` found in argument i an expiry, or (0) takes it. */
export function setExpiry(c: Client, hash: Ref, i: number, atMs: number): void {
  const { argv } = c
  setFoundExpiry(c.mem, hash, argv.bytes, argv.off(i), argv.len(i), atMs)
  if (atMs !== 0) noteVolatileHash(c.db, argv.bytes, argv.off(1), argv.len(1))
}

export function hexpire(c: Client): void {
  expire(c, 1000, true)
}

export function hpexpire(c: Client): void {
  expire(c, 1, true)
}

export function hexpireat(c: Client): void {
  expire(c, 1000, false)
}

export function hpexpireat(c: Client): void {
  expire(c, 1, false)
}

/** The moment that argument 2 means, in ms since 1970; NaN after an error. */
function momentArg(c: Client, unitMs: number, relative: boolean): number {
  const value = intArg(c, 2)
  if (Number.isNaN(value)) return value
  if (value < 0) {
    c.reply.error('ERR invalid expire time, must be >= 0')
    return Number.NaN
  }
  const at = value * unitMs + (relative ? c.engine.space.nowMs : 0)
  if (at <= FIELD_EXPIRY_MAX) return at
  c.reply.error(invalidExpire(c.command?.name ?? ''))
  return Number.NaN
}

function expire(c: Client, unitMs: number, relative: boolean): void {
  const { argv, db } = c
  const at = momentArg(c, unitMs, relative)
  if (Number.isNaN(at)) return
  const condition = ['nx', 'xx', 'gt', 'lt'].find((name) => argv.is(3, name)) ?? ''
  const first = fieldsArg(c, condition === '' ? 3 : 4, EXPIRE_COUNT)
  if (first === 0) return
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  c.reply.array(argv.count - first)
  let updated = 0
  let deleted = 0
  changedFields.length = 0
  for (let i = first; i < argv.count; i++) {
    const result = expireField(c, hash, i, at, condition)
    if (result > NOT_MET) changedFields.push(i)
    if (result === DONE) updated++
    else if (result === DELETED) deleted++
    c.reply.int(result)
  }
  if (updated + deleted === 0) return
  c.dirty(updated + deleted)
  db.touched(argv.bytes, argv.off(1), argv.len(1))
  if (deleted > 0) db.event(EVENT_HASH, 'hdel', argv.bytes, argv.off(1), argv.len(1))
  if (updated > 0) db.event(EVENT_HASH, 'hexpire', argv.bytes, argv.off(1), argv.len(1))
  propagateFields(c, at, condition === '' ? 0 : 3)
  removeIfEmpty(c, 1, hash)
}

/** The arguments that name the fields which the running command has changed. */
export const changedFields: number[] = []

/**
 * Says what happened to `changedFields`: they expire at a moment, or never (0), or that moment is past and they are gone. `conditionAt`
 * is the argument with a condition, 0 without.
 */
export function propagateFields(c: Client, at: number, conditionAt = 0): void {
  const { propagate, space } = c.engine
  if (propagate.sinks === 0) return
  const { argv } = c
  const gone = at > 0 && space.isOver(at)
  propagate
    .instead(c)
    .word(gone ? 'HDEL' : at === 0 ? 'HPERSIST' : 'HPEXPIREAT')
    .arg(argv, 1)
  if (!gone && at > 0) propagate.int(at)
  if (!gone && conditionAt > 0) propagate.arg(argv, conditionAt)
  if (!gone) propagate.word('FIELDS').int(changedFields.length)
  for (const i of changedFields) propagate.arg(argv, i)
}

function expireField(c: Client, hash: Ref, i: number, at: number, condition: string): number {
  const { argv, mem } = c
  if (!findField(c, hash, i)) return NO_FIELD
  const old = foundExpiry(mem, hash)
  if (!conditionMet(condition, old, at)) return NOT_MET
  if (c.engine.space.isOver(at)) {
    hashDelete(mem, hash, argv.bytes, argv.off(i), argv.len(i))
    return DELETED
  }
  setExpiry(c, hash, i, at)
  return DONE
}

/** A field without expiry counts as one that expires after all others. */
function conditionMet(condition: string, old: number, at: number): boolean {
  switch (condition) {
    case 'nx':
      return old === 0
    case 'xx':
      return old !== 0
    case 'gt':
      return old !== 0 && at > old
    case 'lt':
      return old === 0 || at < old
    default:
      return true
  }
}

export function httl(c: Client): void {
  replyTimes(c, (at, now) => Math.floor((at - now + 999) / 1000))
}

export function hpttl(c: Client): void {
  replyTimes(c, (at, now) => at - now)
}

export function hexpiretime(c: Client): void {
  replyTimes(c, (at) => Math.floor((at + 999) / 1000))
}

export function hpexpiretime(c: Client): void {
  replyTimes(c, (at) => at)
}

function replyTimes(c: Client, show: (atMs: number, nowMs: number) => number): void {
  const first = fieldsArg(c, 2)
  if (first === 0) return
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  c.reply.array(c.argv.count - first)
  for (let i = first; i < c.argv.count; i++) {
    if (!findField(c, hash, i)) c.reply.int(NO_FIELD)
    else {
      const at = foundExpiry(c.mem, hash)
      c.reply.int(at === 0 ? NO_EXPIRY : show(at, c.engine.space.nowMs))
    }
  }
}

export function hpersist(c: Client): void {
  const { argv, mem } = c
  const first = fieldsArg(c, 2)
  if (first === 0) return
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  c.reply.array(argv.count - first)
  let changed = 0
  for (let i = first; i < argv.count; i++) {
    if (!findField(c, hash, i)) c.reply.int(NO_FIELD)
    else if (foundExpiry(mem, hash) === 0) c.reply.int(NO_EXPIRY)
    else {
      setExpiry(c, hash, i, 0)
      c.reply.int(DONE)
      changed++
    }
  }
  if (changed === 0) return
  c.db.changed(argv, 1, EVENT_HASH, 'hpersist')
  c.dirty(changed - 1)
}
