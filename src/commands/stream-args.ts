/** stream-args: ids, ranges and lookups as the stream commands read them. Functions that fail have answered the error. */
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NOT_AN_INTEGER, WRONGTYPE } from '../resp/errors.ts'
import { typeOf, valueRef } from '../structs/entry.ts'
import { decrementId, ID_FULL, ID_INVALID, ID_WORDS, incrementId, parseId, setMaxId, setMinId } from '../structs/stream-id.ts'
import { STREAM } from '../types/object.ts'
import { parseInt53, parseInt64 } from '../util/int64.ts'
import { type Int64, narrow } from '../util/words64.ts'

export const INVALID_ID = 'ERR Invalid stream ID specified as stream command argument'
const INVALID_START = 'ERR invalid start ID for the interval'
const INVALID_END = 'ERR invalid end ID for the interval'

const MINUS = 0x2d
const PLUS = 0x2b
const OPEN = 0x28

/** Whether argument i is this one character. */
export function isChar(c: Client, i: number, code: number): boolean {
  return c.argv.len(i) === 1 && c.argv.bytes[c.argv.off(i)] === code
}

/** Reads argument i as an id, one of the ID_ kinds of stream-id; `-` and `+` are none. Answers nothing. */
export function readId(c: Client, i: number, id: Uint32Array, at: number): number {
  return parseId(c.argv.bytes, c.argv.off(i), c.argv.len(i), id, at, false)
}

/** Reads argument i as a full id or one without sequence. */
export function strictId(c: Client, i: number, id: Uint32Array, at: number): boolean {
  const kind = readId(c, i, id, at)
  if (kind > ID_INVALID && kind <= ID_MAX_KIND) return true
  c.reply.error(INVALID_ID)
  return false
}
/** Full, or without sequence; `<ms>-*` is for XADD alone. */
const ID_MAX_KIND = ID_FULL + 1

/** The same, `-` and `+` being the lowest and the highest id. */
export function looseId(c: Client, i: number, id: Uint32Array, at: number): boolean {
  if (isChar(c, i, MINUS)) setMinId(id, at)
  else if (isChar(c, i, PLUS)) setMaxId(id, at)
  else return strictId(c, i, id, at)
  return true
}

/** Reads argument i as the lower end of a range: `(` in front excludes the id itself. */
export function rangeStart(c: Client, i: number, id: Uint32Array, at: number): boolean {
  const exclusive = intervalId(c, i, id, at, false)
  if (exclusive < 0) return false
  if (exclusive === 0 || incrementId(id, at)) return true
  c.reply.error(INVALID_START)
  return false
}

/** Reads argument i as the upper end of a range. */
export function rangeEnd(c: Client, i: number, id: Uint32Array, at: number): boolean {
  const exclusive = intervalId(c, i, id, at, true)
  if (exclusive < 0) return false
  if (exclusive === 0 || decrementId(id, at)) return true
  c.reply.error(INVALID_END)
  return false
}

/** 1 for an exclusive id, 0 for an inclusive one, -1 after an error. */
function intervalId(c: Client, i: number, id: Uint32Array, at: number, missingMax: boolean): number {
  const { bytes } = c.argv
  const off = c.argv.off(i)
  const len = c.argv.len(i)
  const exclusive = len > 1 && bytes[off] === OPEN ? 1 : 0
  if (exclusive === 0 && isChar(c, i, MINUS)) setMinId(id, at)
  else if (exclusive === 0 && isChar(c, i, PLUS)) setMaxId(id, at)
  else {
    const kind = parseId(bytes, off + exclusive, len - exclusive, id, at, missingMax)
    if (kind === ID_INVALID || kind > ID_MAX_KIND) {
      c.reply.error(INVALID_ID)
      return -1
    }
  }
  return exclusive
}

let ids = new Uint32Array(ID_WORDS * 8)

/** Reads arguments [from, to) as ids into an array that the next call overwrites; null after an error. */
export function idList(c: Client, from: number, to: number): Uint32Array | null {
  idRoom(to - from)
  for (let i = from; i < to; i++) if (!strictId(c, i, ids, (i - from) * ID_WORDS)) return null
  return ids
}

/** The array of idList with room for this many ids. */
export function idRoom(count: number): Uint32Array {
  if (ids.length < count * ID_WORDS || ids.length > 4096) ids = new Uint32Array(Math.max(8, count) * ID_WORDS)
  return ids
}

/** Argument i as an exact int64; null after an error. */
export function int64Arg(c: Client, i: number, error = NOT_AN_INTEGER): Int64 | null {
  const { bytes } = c.argv
  const n = parseInt53(bytes, c.argv.off(i), c.argv.len(i))
  if (n === n) return n
  const big = parseInt64(bytes, c.argv.off(i), c.argv.len(i))
  if (big === null) {
    c.reply.error(error)
    return null
  }
  return narrow(big)
}

export function replyInt64(c: Client, value: Int64): void {
  if (typeof value === 'number') c.reply.int(value)
  else c.reply.bigInt(value)
}

/** What a lookup says about a key that is there but no stream; it has been answered. */
export const WRONG = -1

/** The stream at key argument i for reading: its root, null when there is no key, WRONG after an error. */
export function streamToRead(c: Client, i: number): Ref | typeof WRONG {
  return rootOf(c, c.db.lookupRead(c.argv, i))
}

/** The same for a change. */
export function streamToWrite(c: Client, i: number): Ref | typeof WRONG {
  return rootOf(c, c.db.lookupWrite(c.argv, i))
}

/** For the commands that change what a group has pending: Redis counts them as reads, a running snapshot must know of them. */
export function streamToDeliver(c: Client, i: number): Ref | typeof WRONG {
  const entry = c.db.lookupRead(c.argv, i)
  if (entry !== NULL_REF && c.db.space.hooks.aboutToChange !== null) c.db.space.hooks.aboutToChange(c.db, entry)
  return rootOf(c, entry)
}

function rootOf(c: Client, entry: Ref): Ref | typeof WRONG {
  if (entry === NULL_REF) return NULL_REF
  if (typeOf(c.mem, entry) === STREAM) return valueRef(c.mem, entry)
  c.reply.error(WRONGTYPE)
  return WRONG
}

/** The NOGROUP error of most commands. */
export function noGroup(c: Client, keyAt: number, groupAt: number, suffix = ''): void {
  c.reply.error(`NOGROUP No such key '${cText(c, keyAt)}' or consumer group '${cText(c, groupAt)}'${suffix}`)
}

/** Argument i as Redis prints it into errors: up to a NUL byte. */
export function cText(c: Client, i: number): string {
  const text = c.argv.text(i)
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

export function subcommandSyntax(c: Client, container: string): void {
  c.reply.error(`ERR unknown subcommand or wrong number of arguments for '${cText(c, 1).slice(0, 128)}'. Try ${container} HELP.`)
}
