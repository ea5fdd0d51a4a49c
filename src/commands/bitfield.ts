/**
 * BITFIELD and BITFIELD_RO: a list of operations on integers inside one string.
 *
 * All arguments are read before anything is done, into the arrays below, one slot an operation; then the string grows once,
 * to the farthest bit written, and the operations run. A value to store or add that is no safe integer is in `bigValues`.
 */
import type { Client } from '../engine/client.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { growString } from '../keyspace/strings.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import {
  addField,
  addFieldBigInt,
  fieldBigInt,
  fieldNumber,
  OVERFLOW_FAIL,
  OVERFLOW_SAT,
  OVERFLOW_WRAP,
  overflowed,
  readField,
  writeField,
  writeFieldBigInt,
} from '../structs/bitfield.ts'
import { typeOf, valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import { STRING } from '../types/object.ts'
import { parseInt53, parseInt64 } from '../util/int64.ts'
import { bitOffsetArg } from './bit-offset.ts'

const BAD_TYPE = 'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.'
const SIGNED = 0x69
const UNSIGNED = 0x75

const GET = 0
const SET = 1
const INCRBY = 2

let capacity = 64
let kinds = new Uint8Array(capacity)
let rules = new Uint8Array(capacity)
/** Width in bits, negative for a signed field. */
let widths = new Int8Array(capacity)
let offsets = new Float64Array(capacity)
let values = new Float64Array(capacity)
const bigValues = new Map<number, bigint>()
let count = 0
/** One more than the farthest bit written; 0 when nothing is. */
let writtenEnd = 0

export function bitfield(c: Client): void {
  run(c, false)
}

export function bitfieldRo(c: Client): void {
  run(c, true)
}

function run(c: Client, readOnly: boolean): void {
  if (!readOperations(c)) return
  if (writtenEnd === 0) return runReads(c)
  if (readOnly) return c.reply.error('ERR BITFIELD_RO only supports the GET subcommand')
  runWrites(c)
}

// ---- arguments ----

function readOperations(c: Client): boolean {
  const { argv } = c
  count = 0
  writtenEnd = 0
  if (bigValues.size > 0) bigValues.clear()
  let rule = OVERFLOW_WRAP
  for (let i = 2; i < argv.count; ) {
    const left = argv.count - i - 1
    if (left >= 2 && argv.is(i, 'get')) {
      if (!readOperation(c, i, GET, rule)) return false
      i += 3
    } else if (left >= 3 && argv.is(i, 'set')) {
      if (!readOperation(c, i, SET, rule)) return false
      i += 4
    } else if (left >= 3 && argv.is(i, 'incrby')) {
      if (!readOperation(c, i, INCRBY, rule)) return false
      i += 4
    } else if (left >= 1 && argv.is(i, 'overflow')) {
      rule = readRule(c, i + 1)
      if (rule < 0) return false
      i += 2
    } else {
      c.reply.error(SYNTAX_ERROR)
      return false
    }
  }
  return true
}

function readRule(c: Client, i: number): number {
  if (c.argv.is(i, 'wrap')) return OVERFLOW_WRAP
  if (c.argv.is(i, 'sat')) return OVERFLOW_SAT
  if (c.argv.is(i, 'fail')) return OVERFLOW_FAIL
  c.reply.error('ERR Invalid OVERFLOW type specified')
  return -1
}

function readOperation(c: Client, i: number, kind: number, rule: number): boolean {
  const width = readWidth(c, i + 1)
  if (width === 0) return false
  const bits = Math.abs(width)
  const offset = bitOffsetArg(c, i + 2, bits)
  if (Number.isNaN(offset)) return false
  if (count === capacity) growArrays()
  if (kind !== GET) {
    if (!readValue(c, i + 3)) return false
    writtenEnd = Math.max(writtenEnd, offset + bits)
  }
  kinds[count] = kind
  rules[count] = rule
  widths[count] = width
  offsets[count] = offset
  count++
  return true
}

/** `u8` as 8, `i8` as -8; 0: it has answered an error. */
function readWidth(c: Client, i: number): number {
  const { argv } = c
  const off = argv.off(i)
  const len = argv.len(i)
  const kind = len === 0 ? 0 : argv.bytes[off]
  const bits = len === 0 ? Number.NaN : parseInt53(argv.bytes, off + 1, len - 1)
  if (kind === UNSIGNED && bits >= 1 && bits <= 63) return bits
  if (kind === SIGNED && bits >= 1 && bits <= 64) return -bits
  c.reply.error(BAD_TYPE)
  return 0
}

function readValue(c: Client, i: number): boolean {
  const { argv } = c
  const value = parseInt53(argv.bytes, argv.off(i), argv.len(i))
  values[count] = value
  if (!Number.isNaN(value)) return true
  const big = parseInt64(argv.bytes, argv.off(i), argv.len(i))
  if (big === null) {
    c.reply.error(NOT_AN_INTEGER)
    return false
  }
  bigValues.set(count, big)
  return true
}

function growArrays(): void {
  capacity *= 2
  const grow = <T extends Uint8Array | Int8Array | Float64Array>(old: T, fresh: T): T => {
    fresh.set(old)
    return fresh
  }
  kinds = grow(kinds, new Uint8Array(capacity))
  rules = grow(rules, new Uint8Array(capacity))
  widths = grow(widths, new Int8Array(capacity))
  offsets = grow(offsets, new Float64Array(capacity))
  values = grow(values, new Float64Array(capacity))
}

// ---- operations ----

const NOTHING = new Uint8Array(0)

function runReads(c: Client): void {
  const { mem } = c
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  c.reply.array(count)
  for (let n = 0; n < count; n++) {
    if (entry === NULL_REF) get(c, NOTHING, 0, 0, n)
    else get(c, mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry), n)
  }
}

function runWrites(c: Client): void {
  const { argv, db, mem } = c
  const old: Ref = db.lookupWrite(argv, 1)
  if (old !== NULL_REF && typeOf(mem, old) !== STRING) return c.reply.error(WRONGTYPE)
  const before = old === NULL_REF ? -1 : valueLength(mem, old)
  const length = Math.max(before, Math.ceil(writtenEnd / 8))
  const entry = growString(db, old, argv.bytes, argv.off(1), argv.len(1), length)
  const u8 = mem.u8[valueSegment(mem, entry)]
  const off = valueStart(mem, entry)
  let writes = 0
  let changes = 0
  c.reply.array(count)
  for (let n = 0; n < count; n++) {
    if (kinds[n] === GET) get(c, u8, off, length, n)
    else {
      const outcome = write(c, u8, off, length, n)
      if (outcome !== REFUSED) writes++
      if (outcome === CHANGED) changes++
    }
  }
  if (length !== before) changes = writes
  if (changes === 0) return
  db.changed(argv, 1, EVENT_STRING, 'setbit')
  c.dirty(changes - 1)
}

function get(c: Client, u8: Uint8Array, off: number, len: number, n: number): void {
  readField(u8, off, len, offsets[n], Math.abs(widths[n]), widths[n] < 0)
  const value = fieldNumber()
  if (Number.isNaN(value)) c.reply.bigInt(fieldBigInt())
  else c.reply.int(value)
}

/** What a SET or INCRBY did. */
const REFUSED = 0
const SAME = 1
const CHANGED = 2

function write(c: Client, u8: Uint8Array, off: number, len: number, n: number): number {
  const bits = Math.abs(widths[n])
  const signed = widths[n] < 0
  readField(u8, off, len, offsets[n], bits, signed)
  const old = fieldNumber()
  const isSet = kinds[n] === SET
  const fresh = isSet ? addField(values[n], 0, bits, signed, rules[n]) : addField(old, values[n], bits, signed, rules[n])
  if (Number.isNaN(old) || Number.isNaN(fresh)) return writeBig(c, u8, off, n, bits, signed)
  if (overflowed && rules[n] === OVERFLOW_FAIL) {
    c.reply.nil()
    return REFUSED
  }
  c.reply.int(isSet ? old : fresh)
  if (old === fresh) return SAME
  writeField(u8, off, offsets[n], bits, fresh)
  return CHANGED
}

/** `write` for numbers beyond 2^53, after the field has been read. */
function writeBig(c: Client, u8: Uint8Array, off: number, n: number, bits: number, signed: boolean): number {
  const old = fieldBigInt()
  const value = bigValues.get(n) ?? BigInt(values[n])
  const isSet = kinds[n] === SET
  const fresh = isSet ? addFieldBigInt(value, 0n, bits, signed, rules[n]) : addFieldBigInt(old, value, bits, signed, rules[n])
  if (overflowed && rules[n] === OVERFLOW_FAIL) {
    c.reply.nil()
    return REFUSED
  }
  c.reply.bigInt(isSet ? old : fresh)
  if (old === fresh) return SAME
  writeFieldBigInt(u8, off, offsets[n], bits, fresh)
  return CHANGED
}
