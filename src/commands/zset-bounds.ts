/** The bounds of ranges of scores (`1.5`, `(1.5`, `-inf`) and of names (`[a`, `(a`, `-`, `+`) in arguments. */
import type { Client } from '../engine/client.ts'
import type { Ref } from '../memory/ref.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import type { Frame } from '../util/argv.ts'
import { zsetLength, zsetRankOfKey, zsetRankOfScore } from '../types/zset.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { compareBytes } from '../util/bytes.ts'
import { strtod } from '../util/float.ts'
import { keepsViews } from '../util/views.ts'

const OPEN = 0x28
const CLOSED = 0x5b
const PLUS = 0x2b
const MINUS = 0x2d
const SPACE = 0x20

/** The ranks [from, to) of the last range that was resolved; empty when from >= to. */
export const ranks = { from: 0, to: 0 }

/**
 * A score as the C library reads it from a C string: blanks before it are skipped, the first zero byte ends it, and no text at all is 0.
 * NaN when it is not a number.
 */
function scoreBound(bytes: Uint8Array, off: number, len: number): number {
  const short = strtod(bytes, off, len)
  if (short === short) return short
  let end = bytes.indexOf(0, off)
  if (end < 0 || end > off + len) end = off + len
  let start = off
  while (start < end && (bytes[start] === SPACE || (bytes[start] >= 9 && bytes[start] <= 13))) start++
  return end === off ? 0 : strtod(bytes, start, end - start)
}

const scores = { min: 0, max: 0, minOpen: false, maxOpen: false }

/** Reads a range of scores; false (and an error answered) when one of them is not a float. */
export function scoreRangeArgs(c: Client, min: number, max: number): boolean {
  const { argv } = c
  scores.minOpen = isOpen(argv, min)
  scores.maxOpen = isOpen(argv, max)
  scores.min = scoreAfter(argv, min, scores.minOpen)
  scores.max = scoreAfter(argv, max, scores.maxOpen)
  if (scores.min === scores.min && scores.max === scores.max) return true
  c.reply.error('ERR min or max is not a float')
  return false
}

function isOpen(argv: Frame, i: number): boolean {
  return argv.len(i) > 0 && argv.bytes[argv.off(i)] === OPEN
}

function scoreAfter(argv: Frame, i: number, open: boolean): number {
  return open ? scoreBound(argv.bytes, argv.off(i) + 1, argv.len(i) - 1) : scoreBound(argv.bytes, argv.off(i), argv.len(i))
}

/** Sets `ranks` to the members in the range of scores that was read last. */
export function resolveScores(c: Client, entry: Ref): void {
  ranks.from = zsetRankOfScore(c.mem, entry, scores.min, scores.minOpen)
  ranks.to =
    scores.max === Infinity && !scores.maxOpen ? zsetLength(c.mem, entry) : zsetRankOfScore(c.mem, entry, scores.max, !scores.maxOpen)
}

/** Reads a range of names; false (and an error answered) when one of them is not a bound. */
export function lexRangeArgs(c: Client, min: number, max: number): boolean {
  if (isLexBound(c.argv, min) && isLexBound(c.argv, max)) return true
  c.reply.error('ERR min or max not valid string range item')
  return false
}

function isLexBound(argv: Frame, i: number): boolean {
  const len = argv.len(i)
  if (len === 0) return false
  const first = argv.bytes[argv.off(i)]
  if (first === OPEN || first === CLOSED) return true
  return (first === PLUS || first === MINUS) && (len === 1 || argv.bytes[argv.off(i) + 1] === 0)
}

/** Sets `ranks` to the members in the range of names at two arguments. */
export function resolveLex(c: Client, entry: Ref, min: number, max: number): void {
  ranks.from = lexRank(c, entry, min, OPEN)
  ranks.to = lexRank(c, entry, max, CLOSED)
  // Says nothing new where all scores are the same, for which alone such ranges are meant; elsewhere it is what Redis looks at first.
  if (ranks.from < ranks.to && !(isWithin(c, entry, min, true) && isWithin(c, entry, max, false))) ranks.to = ranks.from
}

const walk = keepsViews(new ZsetWalk())

/** Whether the last member is not below a bound, or (`last` false) the first not above it. */
function isWithin(c: Client, entry: Ref, i: number, last: boolean): boolean {
  const { argv, mem } = c
  const off = argv.off(i)
  const sign = argv.bytes[off]
  if (sign === MINUS || sign === PLUS) return true
  walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, last)
  walk.next()
  const order = compareBytes(walk.bytes, walk.off, walk.len, argv.bytes, off + 1, argv.len(i) - 1)
  return order === 0 ? sign === CLOSED : order > 0 === last
}

/** How many members are before a bound; those that are equal to it too, when its bracket is `through`. */
function lexRank(c: Client, entry: Ref, i: number, through: number): number {
  const { argv, mem } = c
  const off = argv.off(i)
  const first = argv.bytes[off]
  if (first === MINUS) return 0
  if (first === PLUS) return zsetLength(mem, entry)
  return zsetRankOfKey(mem, entry, argv.bytes, off + 1, argv.len(i) - 1, first === through)
}

/** Sets `ranks` from first and last rank, negative ones counted from the end; false when the range is empty. */
export function resolveRanks(c: Client, entry: Ref, start: number, stop: number): boolean {
  const size = zsetLength(c.mem, entry)
  ranks.from = Math.max(start < 0 ? start + size : start, 0)
  ranks.to = Math.min(stop < 0 ? stop + size : stop, size - 1) + 1
  return ranks.from < ranks.to
}
