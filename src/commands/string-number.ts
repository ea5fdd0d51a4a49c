/** The counters: INCR, DECR, INCRBY, DECRBY, INCRBYFLOAT. int64 throughout, long double for fractions. */
import type { Client } from '../engine/client.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { KEEP_EXPIRY, setInteger, setString } from '../keyspace/strings.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NAN_OR_INFINITY, NOT_A_FLOAT, NOT_AN_INTEGER, OVERFLOW, WRONGTYPE } from '../resp/errors.ts'
import { openValue, setEncoding, typeOf, valueAt, valueBytes, valueLength, valueSegment, valueSize, valueStart } from '../structs/entry.ts'
import { EMBSTR, STRING } from '../types/object.ts'
import { bytesOf } from '../util/bytes.ts'
import { INT64_MAX, INT64_MIN, parseInt53, parseInt64, writeBigInt, writeInt } from '../util/int64.ts'
import { addLongDouble, formatLongDouble, isFiniteLongDouble, longDoubleFrom, parseLongDouble } from '../util/long-double.ts'

const text = new Uint8Array(32)

export function incr(c: Client): void {
  add(c, 1)
}

export function decr(c: Client): void {
  add(c, -1)
}

export function incrby(c: Client): void {
  const { argv } = c
  const by = parseInt53(argv.bytes, argv.off(2), argv.len(2))
  if (!Number.isNaN(by)) return add(c, by)
  const big = parseInt64(argv.bytes, argv.off(2), argv.len(2))
  if (big === null) c.reply.error(NOT_AN_INTEGER)
  else addBig(c, big)
}

export function decrby(c: Client): void {
  const { argv } = c
  const by = parseInt53(argv.bytes, argv.off(2), argv.len(2))
  if (!Number.isNaN(by)) return add(c, -by)
  const big = parseInt64(argv.bytes, argv.off(2), argv.len(2))
  if (big === null) c.reply.error(NOT_AN_INTEGER)
  else if (big === INT64_MIN) c.reply.error('ERR decrement would overflow')
  else addBig(c, -big)
}

/** Adds an exact number; sums beyond 2^53 take the slow path. */
function add(c: Client, by: number): void {
  const { argv, db, mem } = c
  const entry = db.lookupWrite(argv, 1)
  let value = 0
  if (entry !== NULL_REF) {
    if (typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
    openValue(mem, entry)
    value = parseInt53(valueBytes, valueAt, valueSize)
    if (Number.isNaN(value)) return addBig(c, BigInt(by))
  }
  const sum = value + by
  if (!Number.isSafeInteger(sum)) return addBig(c, BigInt(by))
  finish(c, entry, writeInt(text, 0, sum))
  c.reply.int(sum)
}

function addBig(c: Client, by: bigint): void {
  const { argv, db, mem } = c
  const entry = db.lookupWrite(argv, 1)
  let value: bigint | null = 0n
  if (entry !== NULL_REF) {
    if (typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
    value = parseInt64(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry))
  }
  if (value === null) return c.reply.error(NOT_AN_INTEGER)
  const sum = value + by
  if (sum < INT64_MIN || sum > INT64_MAX) return c.reply.error(OVERFLOW)
  finish(c, entry, writeBigInt(text, 0, sum))
  c.reply.bigInt(sum)
}

function finish(c: Client, entry: Ref, length: number): void {
  const { argv, db } = c
  setInteger(db, entry, argv.bytes, argv.off(1), argv.len(1), text, length)
  db.changed(argv, 1, EVENT_STRING, 'incrby')
}

export function incrbyfloat(c: Client): void {
  const { argv, db, mem } = c
  const entry = db.lookupWrite(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const value =
    entry === NULL_REF
      ? longDoubleFrom(0)
      : parseLongDouble(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry))
  const by = value === null ? null : parseLongDouble(argv.bytes, argv.off(2), argv.len(2))
  if (value === null || by === null) return c.reply.error(NOT_A_FLOAT)
  const sum = addLongDouble(value, by)
  if (!isFiniteLongDouble(sum)) return c.reply.error(NAN_OR_INFINITY)
  const digits = formatLongDouble(sum)
  const bytes = bytesOf(digits)
  const stored = setString(db, entry, argv.bytes, argv.off(1), argv.len(1), bytes, 0, bytes.length, KEEP_EXPIRY)
  setEncoding(mem, stored, EMBSTR)
  db.changed(argv, 1, EVENT_STRING, 'incrbyfloat')
  const { propagate } = c.engine
  if (propagate.sinks !== 0) propagate.instead(c).word('SET').arg(argv, 1).word(digits).word('KEEPTTL')
  c.reply.text(digits)
}
