/** stream-trim: the options that XADD and XTRIM share, XTRIM itself, and what trimming does with references of groups. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_STREAM } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { ID_AUTO_SEQ, ID_INVALID, ID_WORDS } from '../structs/stream-id.ts'
import { firstKeptId, streamLength, streamTrim, type Trim } from '../types/stream.ts'
import { ACKED, DELREF, KEEPREF, trimChecked } from '../types/stream-refs.ts'
import { INVALID_ID, isChar, readId, streamToWrite, strictId, WRONG } from './stream-args.ts'

const BOTH = 'ERR syntax error, MAXLEN and MINID options at the same time are not compatible'
const NO_STRATEGY = 'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy'
const NOTHING_TO_TRIM = 'ERR syntax error, XTRIM must be called with a trimming strategy'
const LIMIT_EXACT = 'ERR syntax error, LIMIT cannot be used without the special ~ option'

const STAR = 0x2a
const TILDE = 0x7e
const EQUALS = 0x3d

/** Entries to trim at most, per entry of a node, when `~` comes without LIMIT. */
const LIMIT_NODES = 100
const LIMIT_UNLIMITED_NODES = 10_000
const LIMIT_MAX = 1_000_000

/** What the last readOptions found. */
export const options = {
  noMkstream: false,
  /** XADD: the argument with the id. */
  idAt: 0,
  /** XADD: `*`. */
  autoId: false,
  /** XADD: `<ms>-*`. */
  autoSequence: false,
  /** XADD: the id given, complete unless one of the above. */
  id: new Uint32Array(ID_WORDS),
  trimming: false,
  /** The arguments that name the strategy and its threshold. */
  strategyAt: 0,
  thresholdAt: 0,
  /** KEEPREF, DELREF or ACKED. */
  references: KEEPREF,
  trim: { maxLength: -1, minId: new Uint32Array(ID_WORDS), approximate: false, limit: 0 } satisfies Trim as Trim,
}

let limit = -1
let referencesGiven = false

/** Reads the options from argument 2 on into `options`, up to XADD's id; false after an error. */
export function readOptions(c: Client, xadd: boolean): boolean {
  const { argv } = c
  options.noMkstream = false
  options.trimming = false
  options.references = KEEPREF
  options.trim.maxLength = -1
  options.trim.approximate = false
  options.idAt = 0
  limit = -1
  referencesGiven = false
  for (let i = 2; i < argv.count && options.idAt === 0; i++) {
    const more = i + 1 < argv.count
    if (xadd && isChar(c, i, STAR)) {
      options.idAt = i
      options.autoId = true
    } else if (more && argv.is(i, 'maxlen')) i = readThreshold(c, i, true)
    else if (more && argv.is(i, 'minid')) i = readThreshold(c, i, false)
    else if (more && argv.is(i, 'limit')) i = readLimit(c, i)
    else if (xadd && argv.is(i, 'nomkstream')) options.noMkstream = true
    else if (readReferences(c, i)) continue
    else if (xadd) i = readEntryId(c, i)
    else i = fail(c, SYNTAX_ERROR)
    if (i < 0) return false
  }
  return checkLimit(c, xadd)
}

const FAILED = -1

function fail(c: Client, error: string): number {
  c.reply.error(error)
  return FAILED
}

/** MAXLEN or MINID with its operator and threshold; returns the last argument read. */
function readThreshold(c: Client, at: number, byLength: boolean): number {
  if (options.trimming) return fail(c, BOTH)
  let i = at + 1
  const tilde = isChar(c, i, TILDE)
  options.trim.approximate = false
  if ((tilde || isChar(c, i, EQUALS)) && i + 1 < c.argv.count) {
    options.trim.approximate = tilde
    i++
  }
  if (byLength) {
    const length = intArg(c, i)
    if (Number.isNaN(length)) return FAILED
    if (length < 0) return fail(c, 'ERR The MAXLEN argument must be >= 0.')
    options.trim.maxLength = length
  } else {
    if (!strictId(c, i, options.trim.minId, 0)) return FAILED
    options.trim.maxLength = -1
  }
  options.trimming = true
  options.strategyAt = at
  options.thresholdAt = i
  return i
}

function readLimit(c: Client, at: number): number {
  limit = intArg(c, at + 1)
  if (Number.isNaN(limit)) return FAILED
  return limit < 0 ? fail(c, 'ERR The LIMIT argument must be >= 0.') : at + 1
}

function readReferences(c: Client, i: number): boolean {
  const given = referencesArg(c, i)
  if (given < 0 || referencesGiven) return false
  referencesGiven = true
  options.references = given
  return true
}

/** KEEPREF, DELREF or ACKED when argument i says so, else -1. */
export function referencesArg(c: Client, i: number): number {
  if (c.argv.is(i, 'keepref')) return KEEPREF
  if (c.argv.is(i, 'delref')) return DELREF
  return c.argv.is(i, 'acked') ? ACKED : -1
}

function readEntryId(c: Client, i: number): number {
  const kind = readId(c, i, options.id, 0)
  if (kind === ID_INVALID) return fail(c, INVALID_ID)
  options.idAt = i
  options.autoId = false
  options.autoSequence = kind === ID_AUTO_SEQ
  return i
}

/** Whether LIMIT fits the rest; without it, `~` gets one. */
function checkLimit(c: Client, xadd: boolean): boolean {
  const { trim } = options
  if (limit > 0 && !options.trimming) return fail(c, NO_STRATEGY) > 0
  if (!xadd && !options.trimming) return fail(c, NOTHING_TO_TRIM) > 0
  trim.limit = 0
  if (c.internal) return true
  if (limit >= 0 && !trim.approximate) return fail(c, LIMIT_EXACT) > 0
  if (limit >= 0) trim.limit = limit
  else if (trim.approximate) trim.limit = defaultLimit(c)
  return true
}

function defaultLimit(c: Client): number {
  const entries = c.engine.streamLimits.maxEntries
  return entries === 0 ? LIMIT_UNLIMITED_NODES : Math.min(LIMIT_NODES * entries, LIMIT_MAX)
}

/** Trims as `options` say; returns how many entries went. */
export function trimByOptions(c: Client, stream: Ref): number {
  const { trim, references } = options
  return references === KEEPREF ? streamTrim(c.mem, stream, trim) : trimChecked(c.mem, stream, trim, references)
}

/**
 * Says what `options` have done to the stream with what they left open decided: the id of a new entry, and where an approximate trimming
 * has ended. ACKED may pass over entries, so that it is the length which tells that.
 */
export function propagateOptions(c: Client, stream: Ref): void {
  const { propagate } = c.engine
  const { trim, strategyAt, thresholdAt } = options
  const approximate = options.trimming && trim.approximate
  const newId = options.idAt > 0 && (options.autoId || options.autoSequence)
  if (propagate.sinks === 0 || !(approximate || newId)) return
  const byLength = trim.maxLength >= 0 || options.references === ACKED
  propagate.instead(c)
  for (let i = 0; i < c.argv.count; i++) {
    if (newId && i === options.idAt) propagate.id(options.id, 0)
    else if (!approximate || i < strategyAt || i > thresholdAt) propagate.arg(c.argv, i)
    else if (i === thresholdAt - 1) propagate.word('=')
    else if (i === thresholdAt && byLength) propagate.int(streamLength(c.mem, stream))
    else if (i === thresholdAt) {
      firstKeptId(c.mem, stream, firstId)
      propagate.id(firstId, 0)
    } else if (byLength === trim.maxLength >= 0) propagate.arg(c.argv, i)
    else propagate.word('MAXLEN')
  }
}

const firstId = new Uint32Array(ID_WORDS)

export function xtrim(c: Client): void {
  if (!readOptions(c, false)) return
  const stream = streamToWrite(c, 1)
  if (stream === WRONG) return
  if (stream === NULL_REF) return c.reply.int(0)
  const deleted = trimByOptions(c, stream as Ref)
  if (deleted > 0) {
    c.db.changed(c.argv, 1, EVENT_STREAM, 'xtrim')
    c.dirty(deleted - 1)
    propagateOptions(c, stream as Ref)
  }
  c.reply.int(deleted)
}
