/**
 * Sorted sets in RDB form: a listpack's bytes, or a number of members, then member and score (eight bytes) of each, the highest first. The
 * older kind has scores as text: a length byte and digits, or 253 nan, 254 inf, 255 -inf.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { freeListpack, listpackFrom, lpBytes, lpFirst, lpGet, lpLength, lpNext, lpValidate, lpValue } from '../structs/listpack.ts'
import { latin1 } from '../util/bytes.ts'
import { strtod } from '../util/float.ts'
import { LISTPACK, ZSET } from './object.ts'
import { type Codec, type LoadLimits, RDB_ZSET, RDB_ZSET_2, RDB_ZSET_LISTPACK, RDB_ZSET_ZIPLIST, setLoaded } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import { dropShell, freeWith, shellFor } from './rdb-shell.ts'
import { listpackOfZiplist } from './ziplist.ts'
import { ADDED, enlarge, newZsetRoot, zsetAdd, zsetEncodingFor, zsetLength, zsetOps } from './zset.ts'
import { ZsetWalk } from './zset-walk.ts'
import { keepsViews } from '../util/views.ts'

/** Scores of the older kind that have no digits. */
const NOT_A_NUMBER = 253
const INFINITE = 254
const MINUS_INFINITE = 255

const walk = keepsViews(new ZsetWalk())

export const zsetCodec: Codec = {
  save(mem, entry, out) {
    const root = valueRef(mem, entry)
    if (encodingOf(mem, entry) !== LISTPACK) return saveMembers(mem, entry, out)
    out.byte(RDB_ZSET_LISTPACK)
    out.string(mem.u8[segmentOf(root)], byteOf(root), lpBytes(mem, root))
  },
  loads: [
    [RDB_ZSET, (mem, input, _type, limits) => loadMembers(mem, input, limits, textScore)],
    [RDB_ZSET_2, (mem, input, _type, limits) => loadMembers(mem, input, limits, (from) => from.double())],
    [RDB_ZSET_LISTPACK, (mem, input, _type, limits) => loadListpack(mem, input, limits)],
    [RDB_ZSET_ZIPLIST, (mem, input, _type, limits) => loadZiplist(mem, input, limits)],
  ],
}

function saveMembers(mem: Arena, entry: Ref, out: RdbWriter): void {
  out.byte(RDB_ZSET_2)
  out.len(zsetLength(mem, entry))
  walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, true)
  while (walk.next()) {
    out.string(walk.bytes, walk.off, walk.len)
    out.double(walk.score)
  }
}

function textScore(input: RdbReader): number {
  const length = input.byte()
  if (length === NOT_A_NUMBER) return Number.NaN
  if (length >= INFINITE) return length === MINUS_INFINITE ? -Infinity : Infinity
  if (!input.has(length)) return Number.NaN
  input.at += length
  return strtod(input.bytes, input.at - length, length)
}

function loadMembers(mem: Arena, input: RdbReader, limits: LoadLimits, score: (input: RdbReader) => number): boolean {
  const count = input.count()
  if (input.failed || count === 0) return false
  const encoding = zsetEncodingFor(limits.zset, count, 0)
  const zset = shellFor(mem, ZSET, encoding, newZsetRoot(mem, encoding))
  for (let i = 0; i < count; i++) {
    input.string()
    const { data, off, length } = input
    const value = score(input)
    const sound = !input.failed && !Number.isNaN(value)
    if (sound && zsetAdd(mem, zset, limits.zset, value, data, off, length, 0) === ADDED) continue
    freeWith(mem, zset, zsetOps)
    return false
  }
  return finish(mem, zset)
}

/** Takes the root out of the stand-in. */
function finish(mem: Arena, zset: Ref): boolean {
  const root = valueRef(mem, zset)
  const encoding = encodingOf(mem, zset)
  dropShell(mem, zset)
  return setLoaded(ZSET, encoding, root)
}

function loadListpack(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const { data, off, length } = input
  return !input.failed && lpValidate(data, off, length, true) && adopt(mem, listpackFrom(mem, data, off, length), limits)
}

function loadZiplist(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const lp = input.failed ? NULL_REF : listpackOfZiplist(mem, input.data, input.off, input.length)
  return lp !== NULL_REF && adopt(mem, lp, limits)
}

/** Takes over a listpack of members and scores, if it is one: no member twice, every score a number, none before a lower one. */
function adopt(mem: Arena, lp: Ref, limits: LoadLimits): boolean {
  const count = lpLength(mem, lp)
  if (count === 0 || count % 2 !== 0 || !isSound(mem, lp)) {
    freeListpack(mem, lp)
    return false
  }
  const zset = shellFor(mem, ZSET, LISTPACK, lp)
  if (count / 2 > limits.zset.entries) enlarge(mem, zset)
  return finish(mem, zset)
}

function isSound(mem: Arena, lp: Ref): boolean {
  const names = new Set<string>()
  let members = 0
  let before = -Infinity
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at), members++) {
    lpGet(mem, lp, at)
    names.add(latin1(lpValue.bytes, lpValue.off, lpValue.len))
    at = lpNext(mem, lp, at)
    lpGet(mem, lp, at)
    const score = strtod(lpValue.bytes, lpValue.off, lpValue.len)
    if (!(score >= before)) return false
    before = score
  }
  return names.size === members
}
