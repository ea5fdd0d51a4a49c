/**
 * zset, small: a listpack of member and score in turn, in order of (score, member), as Redis keeps and dumps it.
 *
 * (1) A score is spelled as the shortest text that reads back as the same number; integers become integer elements, and -0 becomes 0.
 * (2) On OutOfMemory the listpack is as before.
 *
 * Everything walks: the caller keeps it short (zset-max-listpack-entries).
 */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import {
  lpDelete,
  lpEnd,
  lpFind,
  lpFirst,
  lpGet,
  lpGetInt,
  lpInsertPair,
  lpMove,
  lpNext,
  lpPrev,
  lpReplace,
  lpValue,
} from '../structs/listpack.ts'
import { compareBytes } from '../util/bytes.ts'
import { DOUBLE_TEXT_MAX, strtod, writeDouble } from '../util/float.ts'

const scoreText = new Uint8Array(DOUBLE_TEXT_MAX + 8)

/** Spells a score into `scoreText`; returns its length. */
function spell(score: number): number {
  return writeDouble(scoreText, 0, score === 0 ? 0 : score)
}

/** The score at the position of a score element. */
export function smallScore(mem: Arena, lp: Ref, position: number): number {
  const integer = lpGetInt(mem, lp, position)
  if (integer === integer) return integer
  lpGet(mem, lp, position)
  return strtod(lpValue.bytes, lpValue.off, lpValue.len)
}

/** Position of a member, 0 when it is not there. */
export function smallFind(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number): number {
  return lpFind(mem, lp, lpFirst(mem, lp), bytes, off, len, 1)
}

/** Position of the first member that is not before (score, member); the end when there is none. */
function placeFor(mem: Arena, lp: Ref, score: number, bytes: Uint8Array, off: number, len: number): number {
  let position = lpFirst(mem, lp)
  while (position !== 0) {
    const at = lpNext(mem, lp, position)
    const other = smallScore(mem, lp, at)
    if (other > score) return position
    if (other === score) {
      lpGet(mem, lp, position)
      if (compareBytes(lpValue.bytes, lpValue.off, lpValue.len, bytes, off, len) >= 0) return position
    }
    position = lpNext(mem, lp, at)
  }
  return lpEnd(mem, lp)
}

/** Adds a member that is not there; returns the listpack to keep. */
export function smallAdd(mem: Arena, lp: Ref, score: number, bytes: Uint8Array, off: number, len: number): Ref {
  const position = placeFor(mem, lp, score, bytes, off, len)
  return lpInsertPair(mem, lp, position, bytes, off, len, scoreText, 0, spell(score))
}

/** Appends a member that comes after all others; returns the listpack to keep. */
export function smallAppend(mem: Arena, lp: Ref, score: number, bytes: Uint8Array, off: number, len: number): Ref {
  return lpInsertPair(mem, lp, lpEnd(mem, lp), bytes, off, len, scoreText, 0, spell(score))
}

/** Gives the member at `position` another score; returns the listpack to keep. */
export function smallMove(mem: Arena, lp: Ref, position: number, score: number, bytes: Uint8Array, off: number, len: number): Ref {
  const fresh = lpReplace(mem, lp, lpNext(mem, lp, position), scoreText, 0, spell(score))
  lpMove(mem, fresh, position, 2, lpEnd(mem, fresh))
  // The member is behind all others now, so that the walk for its place meets them in order and ends at itself at the latest.
  const place = placeFor(mem, fresh, score, bytes, off, len)
  lpMove(mem, fresh, lpPrev(mem, fresh, lpPrev(mem, fresh, lpEnd(mem, fresh))), 2, place)
  return fresh
}

/** Takes out the member at `position`; returns the listpack to keep. */
export function smallRemove(mem: Arena, lp: Ref, position: number): Ref {
  return lpDelete(mem, lp, position, 2)
}

/** How many members come before the one at `position`. */
export function smallRank(mem: Arena, lp: Ref, position: number): number {
  let rank = 0
  for (let at = lpFirst(mem, lp); at !== position; at = lpNext(mem, lp, lpNext(mem, lp, at))) rank++
  return rank
}

/** How many members have a score below `score` (or up to it, with `through`). */
export function smallRankOfScore(mem: Arena, lp: Ref, score: number, through: boolean): number {
  let rank = 0
  let position = lpFirst(mem, lp)
  while (position !== 0) {
    const at = lpNext(mem, lp, position)
    const other = smallScore(mem, lp, at)
    if (!(other < score || (through && other === score))) break
    rank++
    position = lpNext(mem, lp, at)
  }
  return rank
}

/** How many members from the first on come before the bytes (or are up to them, with `through`), by bytes alone. */
export function smallRankOfKey(mem: Arena, lp: Ref, bytes: Uint8Array, off: number, len: number, through: boolean): number {
  let rank = 0
  let position = lpFirst(mem, lp)
  while (position !== 0) {
    lpGet(mem, lp, position)
    const order = compareBytes(lpValue.bytes, lpValue.off, lpValue.len, bytes, off, len)
    if (!(order < 0 || (through && order === 0))) break
    rank++
    position = lpNext(mem, lp, lpNext(mem, lp, position))
  }
  return rank
}
