import { bitfield, bitfieldRo } from './bitfield.ts'
import { bitop } from './bitop.ts'
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_BITMAP, BRIEF, DENYOOM, FAST, READONLY, WRITE } from '../engine/flags.ts'
import { bitfieldKeys } from '../engine/keyfinders.ts'
import { ACCESS, key, keys, OW, RO, RW, UPDATE, VARIABLE_FLAGS } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { growString } from '../keyspace/strings.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { findBit, popcount, popcountBits } from '../structs/bits.ts'
import { encodingOf, openValue, typeOf, valueAt, valueBytes, valueLength, valueSegment, valueSize, valueStart } from '../structs/entry.ts'
import { RAW, STRING } from '../types/object.ts'
import { bitOffsetArg } from './bit-offset.ts'

// biome-ignore format: a table, one command after the other
export const bitmapRows: readonly CommandRow[] = [
  { name: 'BITCOUNT', arity: -2, flags: READONLY, acl: ACL_BITMAP, since: '2.6.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key [range(start:integer end:integer [unit(BYTE|BIT)@7.0.0])]', summary: 'How many bits of a string are one.',
    complexity: 'O(N) by bytes', history: [['7.0.0', 'Added the `BYTE|BIT` option.']], run: bitcount },
  { name: 'BITFIELD', arity: -2, flags: WRITE | DENYOOM, acl: ACL_BITMAP, since: '3.2.0',
    keys: [key(1, RW | ACCESS | UPDATE | VARIABLE_FLAGS)], findKeys: bitfieldKeys,
    args: `key:key [operation(GET get-block(encoding:string offset:integer)|write([OVERFLOW overflow-block(WRAP|SAT|FAIL)]
      write-operation(SET set-block(encoding:string offset:integer value:integer)|INCRBY incrby-block(encoding:string offset:integer
      increment:integer))))...]`, summary: 'Reads and changes integers of any width inside a string.', complexity: 'O(N) by operations',
    run: bitfield },
  { name: 'BITFIELD_RO', arity: -2, flags: READONLY | FAST, acl: ACL_BITMAP, since: '6.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key [(GET get-block(encoding:string offset:integer))...]', summary: 'Reads integers of any width inside a string.',
    complexity: 'O(N) by operations', run: bitfieldRo },
  { name: 'BITOP', arity: -4, flags: WRITE | DENYOOM, acl: ACL_BITMAP, since: '2.6.0',
    keys: [key(2, OW | UPDATE), keys(3, -1, 1, RO | ACCESS)],
    args: 'operation(AND|OR|XOR|NOT) destkey:key key:key...', summary: 'Combines strings bit by bit and stores the result.',
    complexity: 'O(N) by bytes', run: bitop },
  { name: 'BITPOS', arity: -3, flags: READONLY, acl: ACL_BITMAP, since: '2.8.7', keys: [key(1, RO | ACCESS)],
    args: 'key:key bit:integer [range(start:integer [end-unit-block(end:integer [unit(BYTE|BIT)@7.0.0])])]',
    summary: 'The position of the first zero or one bit.', complexity: 'O(N) by bytes',
    history: [['7.0.0', 'Added the `BYTE|BIT` option.']], run: bitpos },
  { name: 'GETBIT', arity: 3, flags: READONLY | FAST, acl: ACL_BITMAP, since: '2.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key offset:integer', summary: 'One bit of a string.', complexity: 'O(1)', run: getbit },
  { name: 'SETBIT', arity: 4, flags: WRITE | DENYOOM | BRIEF, acl: ACL_BITMAP, since: '2.2.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key offset:integer value:integer', summary: 'Sets one bit of a string and returns the old one.', complexity: 'O(1)',
    run: setbit },
]

const NOT_A_BIT = 'ERR bit is not an integer or out of range'

function getbit(c: Client): void {
  const offset = bitOffsetArg(c, 2)
  if (Number.isNaN(offset)) return
  const { mem } = c
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const byte = byteOfBit(offset)
  openValue(mem, entry)
  c.reply.int(byte >= valueSize ? 0 : (valueBytes[valueAt + byte] >>> (7 - (offset & 7))) & 1)
}

function setbit(c: Client): void {
  const { argv, db, mem } = c
  const offset = bitOffsetArg(c, 2)
  if (Number.isNaN(offset)) return
  const on = bitArg(c, 3)
  if (on < 0) return c.reply.error(NOT_A_BIT)
  const entry = db.lookupWrite(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const byte = byteOfBit(offset)
  if (entry !== NULL_REF) openValue(mem, entry)
  const length = entry === NULL_REF ? -1 : valueSize
  if (byte >= length || encodingOf(mem, entry) !== RAW) {
    openValue(mem, growString(db, entry, argv.bytes, argv.off(1), argv.len(1), Math.max(length, byte + 1)))
  }
  const at = valueAt + byte
  const mask = 0x80 >>> (offset & 7)
  const before = (valueBytes[at] & mask) === 0 ? 0 : 1
  if (before !== on || byte >= length) {
    valueBytes[at] = on === 1 ? valueBytes[at] | mask : valueBytes[at] & ~mask
    db.changed(argv, 1, EVENT_STRING, 'setbit')
  }
  c.reply.int(before)
}

/** The byte of a string that a bit is in. */
function byteOfBit(offset: number): number {
  return offset < 2 ** 32 ? offset >>> 3 : Math.floor(offset / 8)
}

/** An argument that is 0 or 1; -1: it is neither. */
function bitArg(c: Client, i: number): number {
  const { argv } = c
  const digit = argv.len(i) === 1 ? argv.bytes[argv.off(i)] - 0x30 : -1
  return digit === 0 || digit === 1 ? digit : -1
}

/** The range of BITCOUNT and BITPOS, in bytes or bits, as indexes into the string. */
let start = 0
let end = 0
let inBits = false

/** Reads the unit of a range; false: it has answered an error. */
function readUnit(c: Client, i: number): boolean {
  inBits = c.argv.is(i, 'bit')
  if (inBits || c.argv.is(i, 'byte')) return true
  c.reply.error(SYNTAX_ERROR)
  return false
}

/** Counts negative indexes from the end and cuts off what lies outside the string. */
function clampRange(length: number): void {
  const total = inBits ? length * 8 : length
  start = Math.max(0, start < 0 ? start + total : start)
  end = Math.max(0, end < 0 ? end + total : end)
  end = Math.min(end, total - 1)
}

function bitcount(c: Client): void {
  const { argv, mem, reply } = c
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.int(0)
  if (typeOf(mem, entry) !== STRING) return reply.error(WRONGTYPE)
  if (argv.count === 3 || argv.count > 5) return reply.error(SYNTAX_ERROR)
  const length = valueLength(mem, entry)
  start = 0
  end = -1
  inBits = false
  if (argv.count > 3) {
    start = intArg(c, 2)
    if (Number.isNaN(start)) return
    end = intArg(c, 3)
    if (Number.isNaN(end)) return
    if (start < 0 && end < 0 && start > end) return reply.int(0)
    if (argv.count === 5 && !readUnit(c, 4)) return
  }
  clampRange(length)
  if (start > end) return reply.int(0)
  const segment = valueSegment(mem, entry)
  const at = valueStart(mem, entry)
  if (inBits) reply.int(popcountBits(mem.u8[segment], mem.u32[segment], at, start, end))
  else reply.int(popcount(mem.u8[segment], mem.u32[segment], at + start, end - start + 1))
}

function bitpos(c: Client): void {
  const { argv, mem, reply } = c
  const bit = intArg(c, 2)
  if (Number.isNaN(bit)) return
  if (bit !== 0 && bit !== 1) return reply.error('ERR The bit argument must be 1 or 0.')
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.int(bit === 1 ? -1 : 0)
  if (typeOf(mem, entry) !== STRING) return reply.error(WRONGTYPE)
  if (argv.count > 6) return reply.error(SYNTAX_ERROR)
  if (!readPositionRange(c)) return
  clampRange(valueLength(mem, entry))
  reply.int(start > end ? -1 : positionIn(c, entry, bit))
}

/** BITPOS reads start, unit and end in this order; false: it has answered an error. */
function readPositionRange(c: Client): boolean {
  const { argv } = c
  start = 0
  end = -1
  inBits = false
  if (argv.count > 3) start = intArg(c, 3)
  if (Number.isNaN(start)) return false
  if (argv.count > 5 && !readUnit(c, 5)) return false
  if (argv.count > 4) end = intArg(c, 4)
  return !Number.isNaN(end)
}

/** First `bit` in the range. Behind a string searched to its end for a zero, with no end given, a zero follows. */
function positionIn(c: Client, entry: Ref, bit: number): number {
  const { mem } = c
  const segment = valueSegment(mem, entry)
  const first = inBits ? start : start * 8
  const last = inBits ? end : end * 8 + 7
  const position = findBit(mem.u8[segment], mem.u32[segment], valueStart(mem, entry), first, last, bit)
  return position < 0 && bit === 0 && c.argv.count < 5 ? last + 1 : position
}
