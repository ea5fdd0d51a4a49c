/** Parts of strings: APPEND, STRLEN, GETRANGE, SUBSTR, SETRANGE, and LCS. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { growString, setString } from '../keyspace/strings.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { NULL_REF } from '../memory/ref.ts'
import { OFFSET_OUT_OF_RANGE, STRING_TOO_LONG, SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { typeOf, valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import { STRING } from '../types/object.ts'
import { stringBytes } from '../types/string.ts'
import { copyBytes } from '../util/bytes.ts'
import { longestCommon } from './lcs.ts'

const EMPTY = new Uint8Array(0)

export function strlen(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (typeOf(c.mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  c.reply.int(valueLength(c.mem, entry))
}

export function append(c: Client): void {
  const { argv, db, mem } = c
  const entry = db.lookupWrite(argv, 1)
  const added = argv.len(2)
  if (entry === NULL_REF) {
    setString(db, entry, argv.bytes, argv.off(1), argv.len(1), argv.bytes, argv.off(2), added, NO_EXPIRY)
    db.changed(argv, 1, EVENT_STRING, 'append')
    return c.reply.int(added)
  }
  if (typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const length = valueLength(mem, entry)
  if (length + added > c.engine.parser.maxBulk) return c.reply.error(STRING_TOO_LONG)
  const grown = growString(db, entry, argv.bytes, argv.off(1), argv.len(1), length + added)
  copyBytes(mem.u8[valueSegment(mem, grown)], valueStart(mem, grown) + length, argv.bytes, argv.off(2), added)
  db.changed(argv, 1, EVENT_STRING, 'append')
  c.reply.int(length + added)
}

export function setrange(c: Client): void {
  const { argv, db, mem } = c
  const offset = intArg(c, 2)
  if (Number.isNaN(offset)) return
  if (offset < 0) return c.reply.error(OFFSET_OUT_OF_RANGE)
  const entry = db.lookupWrite(argv, 1)
  if (entry !== NULL_REF && typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const length = entry === NULL_REF ? 0 : valueLength(mem, entry)
  const written = argv.len(3)
  if (written === 0) return c.reply.int(length)
  if (offset + written > c.engine.parser.maxBulk) return c.reply.error(STRING_TOO_LONG)
  const grown = growString(db, entry, argv.bytes, argv.off(1), argv.len(1), Math.max(length, offset + written))
  copyBytes(mem.u8[valueSegment(mem, grown)], valueStart(mem, grown) + offset, argv.bytes, argv.off(3), written)
  db.changed(argv, 1, EVENT_STRING, 'setrange')
  c.reply.int(valueLength(mem, grown))
}

export function getrange(c: Client): void {
  const { argv, mem } = c
  let start = intArg(c, 2)
  if (Number.isNaN(start)) return
  let end = intArg(c, 3)
  if (Number.isNaN(end)) return
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return c.reply.bulk(EMPTY, 0, 0)
  if (typeOf(mem, entry) !== STRING) return c.reply.error(WRONGTYPE)
  const length = valueLength(mem, entry)
  if (start < 0 && end < 0 && start > end) return c.reply.bulk(EMPTY, 0, 0)
  if (start < 0) start = Math.max(0, start + length)
  if (end < 0) end = Math.max(0, end + length)
  end = Math.min(end, length - 1)
  if (start > end || length === 0) return c.reply.bulk(EMPTY, 0, 0)
  c.reply.bulk(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry) + start, end - start + 1)
}

export function substr(c: Client): void {
  getrange(c)
}

interface LcsOptions {
  length: boolean
  index: boolean
  matchLengths: boolean
  minMatch: number
}

function lcsOptions(c: Client): LcsOptions | null {
  const { argv } = c
  const options = { length: false, index: false, matchLengths: false, minMatch: 0 }
  for (let i = 3; i < argv.count; i++) {
    if (argv.is(i, 'len')) options.length = true
    else if (argv.is(i, 'idx')) options.index = true
    else if (argv.is(i, 'withmatchlen')) options.matchLengths = true
    else if (argv.is(i, 'minmatchlen') && i + 1 < argv.count) {
      const min = intArg(c, ++i)
      if (Number.isNaN(min)) return null
      options.minMatch = Math.max(0, min)
    } else {
      c.reply.error(SYNTAX_ERROR)
      return null
    }
  }
  if (options.length && options.index) {
    c.reply.error('ERR If you want both the length and indexes, please just use IDX.')
    return null
  }
  return options
}

export function lcs(c: Client): void {
  const { argv, db, mem, reply } = c
  const a = db.lookupRead(argv, 1)
  const b = db.lookupRead(argv, 2)
  if ((a !== NULL_REF && typeOf(mem, a) !== STRING) || (b !== NULL_REF && typeOf(mem, b) !== STRING)) {
    return reply.error('ERR The specified keys must contain string values')
  }
  const options = lcsOptions(c)
  if (options === null) return
  const first = a === NULL_REF ? EMPTY : stringBytes(mem, a)
  const second = b === NULL_REF ? EMPTY : stringBytes(mem, b)
  const found = longestCommon(mem, first, second, options.index || !options.length)
  if (found === null) return reply.error('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len')
  if (options.length) return reply.int(found.length)
  if (!options.index) return reply.bulk(found.bytes, 0, found.bytes.length)
  const matches = found.matches.filter((match) => match.length >= options.minMatch)
  reply.map(2)
  reply.text('matches')
  reply.array(matches.length)
  for (const match of matches) {
    reply.array(options.matchLengths ? 3 : 2)
    reply.array(2)
    reply.int(match.a)
    reply.int(match.a + match.length - 1)
    reply.array(2)
    reply.int(match.b)
    reply.int(match.b + match.length - 1)
    if (options.matchLengths) reply.int(match.length)
  }
  reply.text('len')
  reply.int(found.length)
}
