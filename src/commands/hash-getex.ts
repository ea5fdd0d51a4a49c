/** Reading or setting fields together with their expiry: HGETEX, HSETEX, HGETDEL. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_HASH } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { invalidExpire } from '../resp/errors.ts'
import { foundExpiry, hashDelete, hashSet } from '../types/hash.ts'
import { changedFields, FIELD_EXPIRY_MAX, fieldsArg, findField, propagateFields, setExpiry } from './hash-expire.ts'
import { addHash, removeIfEmpty, replyFound, WRONG, writeHash } from './hash-lookup.ts'
import { makeRoomFor } from './hash-write.ts'

/** Expiry of no option: HGETEX leaves it as it is, HSETEX takes it away. */
const NOT_GIVEN = -1
const KEEP = -2
/** A moment that is past. */
const LONG_PAST = 1

interface Options {
  /** Index of the first field. */
  first: number
  /** Moment in ms, 0 for PERSIST, NOT_GIVEN, or KEEP. */
  at: number
  /** Argument that names the unit of the moment; 0 without one, or when it is PXAT. */
  unitAt: number
  /** HSETEX: '' | 'fnx' | 'fxx' */
  condition: string
}

/** Reads the options from argument 2 on, up to FIELDS and what follows; null after an error. */
function options(c: Client, perField: 1 | 2): Options | null {
  const { argv } = c
  const found: Options = { first: 0, at: NOT_GIVEN, unitAt: 0, condition: '' }
  const keyword = perField === 1 ? 'persist' : 'keepttl'
  const exclusive = `ERR Only one of EX, PX, EXAT, PXAT or ${keyword.toUpperCase()} arguments can be specified`
  let i = 2
  for (; i < argv.count && !argv.is(i, 'fields'); i++) {
    const unit = ['ex', 'px', 'exat', 'pxat'].find((name) => argv.is(i, name))
    if (unit !== undefined || argv.is(i, keyword)) {
      if (found.at !== NOT_GIVEN) return fail(c, exclusive)
      if (unit !== undefined && unit !== 'pxat') found.unitAt = i
      found.at = unit === undefined ? (perField === 1 ? 0 : KEEP) : momentArg(c, ++i, unit)
      if (Number.isNaN(found.at)) return null
    } else if (perField === 2 && (argv.is(i, 'fnx') || argv.is(i, 'fxx'))) {
      if (found.condition !== '') return fail(c, 'ERR Only one of FXX or FNX arguments can be specified')
      found.condition = argv.text(i).toLowerCase()
    } else return fail(c, `ERR unknown argument: ${argv.text(i)}`)
  }
  found.first = fieldsArg(c, i, undefined, perField)
  return found.first === 0 ? null : found
}

function fail(c: Client, error: string): null {
  c.reply.error(error)
  return null
}

function momentArg(c: Client, i: number, unit: string): number {
  if (i >= c.argv.count) {
    c.reply.error('ERR missing expire time')
    return Number.NaN
  }
  const value = intArg(c, i)
  if (Number.isNaN(value)) return value
  const ms = unit === 'ex' || unit === 'exat' ? value * 1000 : value
  const at = unit === 'ex' || unit === 'px' ? ms + c.engine.space.nowMs : ms
  if (value > 0 && at <= FIELD_EXPIRY_MAX) return at
  c.reply.error(invalidExpire(c.command?.name ?? ''))
  return Number.NaN
}

export function hgetex(c: Client): void {
  const { argv, db, mem } = c
  const opts = options(c, 1)
  if (opts === null) return
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  const { first, at } = opts
  const due = at > 0 && c.engine.space.isOver(at)
  let changed = 0
  changedFields.length = 0
  c.reply.array(argv.count - first)
  for (let i = first; i < argv.count; i++) {
    if (!findField(c, hash, i)) c.reply.nil()
    else {
      replyFound(c)
      if (at === NOT_GIVEN || at === foundExpiry(mem, hash)) continue
      if (due) hashDelete(mem, hash, argv.bytes, argv.off(i), argv.len(i))
      else setExpiry(c, hash, i, at)
      changedFields.push(i)
      changed++
    }
  }
  if (changed === 0) return
  propagateFields(c, at)
  db.changed(argv, 1, EVENT_HASH, due ? 'hdel' : at === 0 ? 'hpersist' : 'hexpire')
  c.dirty(changed - 1)
  removeIfEmpty(c, 1, hash)
}

export function hgetdel(c: Client): void {
  const { argv, mem } = c
  const first = fieldsArg(c, 2)
  if (first === 0) return
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  let deleted = 0
  changedFields.length = 0
  c.reply.array(argv.count - first)
  for (let i = first; i < argv.count; i++) {
    if (!findField(c, hash, i)) c.reply.nil()
    else {
      replyFound(c)
      hashDelete(mem, hash, argv.bytes, argv.off(i), argv.len(i))
      changedFields.push(i)
      deleted++
    }
  }
  if (deleted === 0) return
  propagateFields(c, LONG_PAST)
  c.db.changed(argv, 1, EVENT_HASH, 'hdel')
  c.dirty(deleted - 1)
  removeIfEmpty(c, 1, hash)
}

export function hsetex(c: Client): void {
  const opts = options(c, 2)
  if (opts === null) return
  const { argv } = c
  let hash = writeHash(c, 1)
  if (hash === WRONG) return
  for (let i = opts.first; opts.condition !== '' && i < argv.count; i += 2) {
    if (findField(c, hash, i) === (opts.condition === 'fnx')) return c.reply.int(0)
  }
  if (hash === NULL_REF) hash = addHash(c, 1)
  makeRoomFor(c, hash, opts.first, argv.count)
  setAll(c, hash, opts)
  propagateSet(c, opts)
  c.reply.int(1)
  removeIfEmpty(c, 1, hash)
}

/** Says the change with a moment in place of a time to live; fields that are due already have only been deleted. */
function propagateSet(c: Client, { first, at, unitAt }: Options): void {
  const { propagate, space } = c.engine
  const due = at > 0 && space.isOver(at)
  if (propagate.sinks === 0 || (unitAt === 0 && !due)) return
  const { argv } = c
  propagate.instead(c)
  if (due) {
    propagate.word('HDEL').arg(argv, 1)
    for (let i = first; i < argv.count; i += 2) propagate.arg(argv, i)
  } else
    propagate
      .argsOf(argv, 0, unitAt)
      .word('PXAT')
      .int(at)
      .argsOf(argv, unitAt + 2, argv.count)
}

function setAll(c: Client, hash: Ref, { first, at }: Options): void {
  const { argv, db, mem } = c
  const due = at > 0 && c.engine.space.isOver(at)
  const bytes = argv.bytes
  for (let i = first; i < argv.count; i += 2) {
    hashSet(mem, hash, bytes, argv.off(i), argv.len(i), bytes, argv.off(i + 1), argv.len(i + 1), at === KEEP, c.engine.encodings.hash)
    if (due) hashDelete(mem, hash, bytes, argv.off(i), argv.len(i))
    else if (at > 0 && findField(c, hash, i)) setExpiry(c, hash, i, at)
  }
  db.changed(argv, 1, EVENT_HASH, 'hset')
  c.dirty((argv.count - first) / 2 - 1)
  if (due) db.event(EVENT_HASH, 'hdel', bytes, argv.off(1), argv.len(1))
  else if (at > 0) db.event(EVENT_HASH, 'hexpire', bytes, argv.off(1), argv.len(1))
}
