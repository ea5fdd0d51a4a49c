/**
 * zset: a sorted set as the value of a key: small (a listpack) until it has too many members or one is too long, then large (a dict and a
 * ranktree), and never back, except for a result that is stored at once.
 *
 * `entry` is the key's entry everywhere; its encoding says which form hangs on it. Members are runs of bytes outside of the set. Scores are
 * never NaN, so NaN stands for "no such member".
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { encodingOf, keyLength, keyStart, setEncoding, setValueRef, slotValue, valueRef } from '../structs/entry.ts'
import {
  copyListpack,
  freeListpack,
  lpBytes,
  lpDelete,
  lpFirst,
  lpGet,
  lpLength,
  lpNext,
  lpSeek,
  lpValue,
  newListpack,
} from '../structs/listpack.ts'
import { entryAt, type Place, rankOfKey, rankOfScore, scoreAt, seekFirst, stepForward } from '../structs/ranktree.ts'
import { LISTPACK, SKIPLIST, type TypeOps } from './object.ts'
import {
  auditLarge,
  copyLarge,
  estimateLarge,
  freeLarge,
  freeLargeStep,
  largeAdd,
  largeFind,
  largeMove,
  largeRank,
  largeRemove,
  largeRemoveRanks,
  largeSize,
  largeTree,
  newLarge,
} from './zset-large.ts'
import { moveLargeStep } from './zset-move.ts'
import {
  smallAdd,
  smallAppend,
  smallFind,
  smallMove,
  smallRank,
  smallRankOfKey,
  smallRankOfScore,
  smallRemove,
  smallScore,
} from './zset-small.ts'

/** zset-max-listpack-entries, zset-max-listpack-value. */
export interface ZsetLimits {
  readonly entries: number
  readonly value: number
}

/** Conditions of zsetAdd; INCREMENT adds to the score that is there. */
export const NX = 1
export const XX = 2
export const GT = 4
export const LT = 8
export const INCREMENT = 16

/** What zsetAdd did. */
export const NOT_DONE = 0
export const UNCHANGED = 1
export const UPDATED = 2
export const ADDED = 3
export const NOT_A_NUMBER = 4

/** No listpack grows beyond this. */
const LISTPACK_MAX_BYTES = 1 << 30

/** The score that the last zsetAdd gave, or left. */
export const given = { score: 0 }

const place: Place = { leaf: NULL_REF, index: 0 }

function isSmall(mem: Arena, entry: Ref): boolean {
  return encodingOf(mem, entry) === LISTPACK
}

export const zsetOps: TypeOps = {
  name: 'zset',
  free(mem: Arena, entry: Ref): void {
    freeRoot(mem, encodingOf(mem, entry), valueRef(mem, entry))
  },
  freeStep(mem: Arena, entry: Ref, budget: number): boolean {
    if (!isSmall(mem, entry)) return freeLargeStep(mem, valueRef(mem, entry), budget)
    freeListpack(mem, valueRef(mem, entry))
    return true
  },
  freeEffort(mem: Arena, entry: Ref): number {
    return isSmall(mem, entry) ? 1 : largeSize(mem, valueRef(mem, entry))
  },
  audit(mem: Arena, entry: Ref, report: Report): void {
    const root = valueRef(mem, entry)
    if (isSmall(mem, entry)) report(root, lpBytes(mem, root))
    else auditLarge(mem, root, report)
  },
  estimate: (mem, entry, samples) => estimateLarge(mem, valueRef(mem, entry), samples),
  copyRoot(mem: Arena, entry: Ref): Ref {
    const root = valueRef(mem, entry)
    return isSmall(mem, entry) ? copyListpack(mem, root) : copyLarge(mem, root)
  },
  moveStep: (mem, entry, place) => !isSmall(mem, entry) && moveLargeStep(mem, entry, place),
}

/** An empty set, small or large as `count` members, the first of them of this length, suggest; `encoding` of the result is SKIPLIST or LISTPACK. */
export function zsetEncodingFor(limits: ZsetLimits, count: number, memberBytes: number): number {
  return count <= limits.entries && memberBytes <= limits.value ? LISTPACK : SKIPLIST
}

export function newZsetRoot(mem: Arena, encoding: number): Ref {
  return encoding === LISTPACK ? newListpack(mem) : newLarge(mem)
}

export function freeRoot(mem: Arena, encoding: number, root: Ref): void {
  if (encoding === LISTPACK) freeListpack(mem, root)
  else freeLarge(mem, root)
}

export function zsetLength(mem: Arena, entry: Ref): number {
  const root = valueRef(mem, entry)
  return isSmall(mem, entry) ? lpLength(mem, root) >>> 1 : largeSize(mem, root)
}

/** The member's score, NaN when it is not there. */
export function zsetScore(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): number {
  const root = valueRef(mem, entry)
  if (!isSmall(mem, entry)) {
    const member = largeFind(mem, root, bytes, off, len)
    return member === NULL_REF ? NaN : slotValue(mem, member)
  }
  const position = smallFind(mem, root, bytes, off, len)
  return position === 0 ? NaN : smallScore(mem, root, lpNext(mem, root, position))
}

/** Adds a member or changes its score; `given.score` is the member's score afterwards. May turn the set into a large one. */
export function zsetAdd(
  mem: Arena,
  entry: Ref,
  limits: ZsetLimits,
  score: number,
  bytes: Uint8Array,
  off: number,
  len: number,
  conditions: number,
): number {
  const root = valueRef(mem, entry)
  if (!isSmall(mem, entry)) return addToLarge(mem, root, score, bytes, off, len, conditions)
  const position = smallFind(mem, root, bytes, off, len)
  if (position !== 0) {
    const outcome = decide(smallScore(mem, root, lpNext(mem, root, position)), score, conditions)
    if (outcome === UPDATED) setValueRef(mem, entry, smallMove(mem, root, position, given.score, bytes, off, len))
    return outcome
  }
  if ((conditions & XX) !== 0) return NOT_DONE
  if (lpLength(mem, root) >>> 1 >= limits.entries || len > limits.value || lpBytes(mem, root) + len > LISTPACK_MAX_BYTES) {
    enlarge(mem, entry)
    return addToLarge(mem, valueRef(mem, entry), score, bytes, off, len, conditions)
  }
  setValueRef(mem, entry, smallAdd(mem, root, score, bytes, off, len))
  given.score = score
  return ADDED
}

function addToLarge(mem: Arena, root: Ref, score: number, bytes: Uint8Array, off: number, len: number, conditions: number): number {
  const member = largeFind(mem, root, bytes, off, len)
  if (member !== NULL_REF) {
    const outcome = decide(slotValue(mem, member), score, conditions)
    if (outcome === UPDATED) largeMove(mem, root, member, given.score)
    return outcome
  }
  if ((conditions & XX) !== 0) return NOT_DONE
  largeAdd(mem, root, score, bytes, off, len)
  given.score = score
  return ADDED
}

/** What becomes of a member that is there; sets `given.score`. */
function decide(current: number, score: number, conditions: number): number {
  given.score = current
  if ((conditions & NX) !== 0) return NOT_DONE
  const wanted = (conditions & INCREMENT) === 0 ? score : current + score
  if (wanted !== wanted) return NOT_A_NUMBER
  if (((conditions & LT) !== 0 && wanted >= current) || ((conditions & GT) !== 0 && wanted <= current)) return NOT_DONE
  given.score = wanted
  return wanted === current ? UNCHANGED : UPDATED
}

/** Turns a small set into a large one ahead of `count` more members, when they are more than a small one may hold. */
export function zsetExpect(mem: Arena, entry: Ref, limits: ZsetLimits, count: number): void {
  if (count > limits.entries && isSmall(mem, entry)) enlarge(mem, entry)
}

/** Turns a small set into a large one. */
export function enlarge(mem: Arena, entry: Ref): void {
  const lp = valueRef(mem, entry)
  const root = newLarge(mem)
  try {
    for (let position = lpFirst(mem, lp); position !== 0; ) {
      const at = lpNext(mem, lp, position)
      const score = smallScore(mem, lp, at)
      lpGet(mem, lp, position)
      largeAdd(mem, root, score, lpValue.bytes, lpValue.off, lpValue.len)
      position = lpNext(mem, lp, at)
    }
  } catch (error) {
    freeLarge(mem, root)
    throw error
  }
  setValueRef(mem, entry, root)
  setEncoding(mem, entry, SKIPLIST)
  freeListpack(mem, lp)
}

/** The listpack with the members of a large root that is small enough for one, and which is freed; null when it is not. */
export function shrunk(mem: Arena, root: Ref, limits: ZsetLimits): Ref {
  if (largeSize(mem, root) > limits.entries || longestMember(mem, root) > limits.value) return NULL_REF
  let lp = newListpack(mem)
  try {
    seekFirst(mem, largeTree(mem, root), place)
    for (; place.leaf !== NULL_REF; stepForward(mem, place)) {
      const member = entryAt(mem, place)
      lp = smallAppend(mem, lp, scoreAt(mem, place), mem.u8[segmentOf(member)], keyStart(mem, member), keyLength(mem, member))
    }
  } catch (error) {
    freeListpack(mem, lp)
    throw error
  }
  freeLarge(mem, root)
  return lp
}

function longestMember(mem: Arena, root: Ref): number {
  let longest = 0
  seekFirst(mem, largeTree(mem, root), place)
  for (; place.leaf !== NULL_REF; stepForward(mem, place)) longest = Math.max(longest, keyLength(mem, entryAt(mem, place)))
  return longest
}

/** Takes out a member; false when it is not there. */
export function zsetRemove(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): boolean {
  const root = valueRef(mem, entry)
  if (!isSmall(mem, entry)) return largeRemove(mem, root, bytes, off, len)
  const position = smallFind(mem, root, bytes, off, len)
  if (position === 0) return false
  setValueRef(mem, entry, smallRemove(mem, root, position))
  return true
}

/** Takes out the members of `count` ranks from `rank` on. */
export function zsetRemoveRanks(mem: Arena, entry: Ref, rank: number, count: number): void {
  if (count === 0) return
  const root = valueRef(mem, entry)
  if (isSmall(mem, entry)) setValueRef(mem, entry, lpDelete(mem, root, lpSeek(mem, root, rank * 2), count * 2))
  else largeRemoveRanks(mem, root, rank, count)
}

/** The rank of a member, lowest score first; -1 when it is not there. */
export function zsetRank(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number): number {
  const root = valueRef(mem, entry)
  if (!isSmall(mem, entry)) {
    const member = largeFind(mem, root, bytes, off, len)
    return member === NULL_REF ? -1 : largeRank(mem, root, member)
  }
  const position = smallFind(mem, root, bytes, off, len)
  return position === 0 ? -1 : smallRank(mem, root, position)
}

/** How many members have a score below `score` (or up to it, with `through`). */
export function zsetRankOfScore(mem: Arena, entry: Ref, score: number, through: boolean): number {
  const root = valueRef(mem, entry)
  if (isSmall(mem, entry)) return smallRankOfScore(mem, root, score, through)
  return rankOfScore(mem, largeTree(mem, root), score, through, place)
}

/** How many members are below the bytes (or up to them, with `through`), when all scores are the same. */
export function zsetRankOfKey(mem: Arena, entry: Ref, bytes: Uint8Array, off: number, len: number, through: boolean): number {
  const root = valueRef(mem, entry)
  if (isSmall(mem, entry)) return smallRankOfKey(mem, root, bytes, off, len, through)
  return rankOfKey(mem, largeTree(mem, root), bytes, off, len, through)
}
