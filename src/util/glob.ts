/**
 * glob: the pattern language of KEYS, SCAN MATCH, PSUBSCRIBE, CONFIG GET and ACL.
 *
 *   *         any run of bytes        [abc]  [a-z]  one of these     \x   the byte x itself
 *   ?         any one byte            [^a-z]        none of these    other bytes stand for themselves
 *
 * What has to agree with Redis beyond that:
 * (1) An empty string matches only the empty pattern, not "*".
 * (2) A class that is never closed ends with the pattern; "[" alone matches nothing, "[^" any byte. A range may be written backwards, its
 *     end may be ']', and its bytes compare as signed numbers. A backslash inside a class takes the next byte literally, in its own case.
 * (3) A backslash at the end of the pattern is a backslash.
 * (4) More than 1000 runs of '*' before the last one match nothing.
 *
 * Only the latest '*' is ever retried: what an earlier one could gain by taking more bytes, the latest can as well. So a match costs at
 * most O(pattern x string), whatever the pattern.
 */

import { lowerByte } from './bytes.ts'

const STAR = 0x2a
const QUESTION = 0x3f
const OPEN = 0x5b
const BACKSLASH = 0x5c
const CLOSE = 0x5d
const CARET = 0x5e
const DASH = 0x2d

const MAX_STARS = 1000

/** Whether the pattern pattern[pOff, pOff + pLen) matches all of string[sOff, sOff + sLen); nocase folds ASCII letters. */
export function globMatch(
  pattern: Uint8Array,
  pOff: number,
  pLen: number,
  string: Uint8Array,
  sOff: number,
  sLen: number,
  nocase: boolean,
): boolean {
  if (sLen === 0) return pLen === 0
  const pEnd = pOff + pLen
  const sEnd = sOff + sLen
  let p = pOff
  let s = sOff
  let retryPattern = -1
  let retryString = 0
  let stars = 0
  while (s < sEnd) {
    if (p < pEnd && pattern[p] === STAR) {
      p = skipStars(pattern, p, pEnd)
      if (p === pEnd) return true
      if (++stars > MAX_STARS) return false
      retryPattern = p
      retryString = s
      continue
    }
    const next = p < pEnd ? matchOne(pattern, p, pEnd, string[s], nocase) : -1
    if (next >= 0) {
      p = next
      s++
    } else {
      if (retryPattern < 0) return false
      p = retryPattern
      s = ++retryString
    }
  }
  return skipStars(pattern, p, pEnd) === pEnd
}

function skipStars(pattern: Uint8Array, p: number, pEnd: number): number {
  while (p < pEnd && pattern[p] === STAR) p++
  return p
}

/** Matches one byte against the pattern element at p: where the next element begins, or -1. */
function matchOne(pattern: Uint8Array, p: number, pEnd: number, byte: number, nocase: boolean): number {
  const first = pattern[p]
  if (first === QUESTION) return p + 1
  if (first === OPEN) return matchClass(pattern, p + 1, pEnd, byte, nocase)
  if (first === BACKSLASH && p + 1 < pEnd) p++
  return sameByte(pattern[p], byte, nocase) ? p + 1 : -1
}

/** Matches one byte against the class whose inside begins at p: where the next element begins, or -1. */
function matchClass(pattern: Uint8Array, p: number, pEnd: number, byte: number, nocase: boolean): number {
  const negated = p < pEnd && pattern[p] === CARET
  if (negated) p++
  let found = false
  while (p < pEnd && pattern[p] !== CLOSE) {
    if (pattern[p] === BACKSLASH && p + 1 < pEnd) {
      if (pattern[p + 1] === byte) found = true
      p += 2
    } else if (p + 2 < pEnd && pattern[p + 1] === DASH) {
      if (inRange(pattern[p], pattern[p + 2], byte, nocase)) found = true
      p += 3
    } else {
      if (sameByte(pattern[p], byte, nocase)) found = true
      p++
    }
  }
  if (found === negated) return -1
  return p < pEnd ? p + 1 : pEnd
}

function sameByte(a: number, b: number, nocase: boolean): boolean {
  return a === b || (nocase && lowerByte(a) === lowerByte(b))
}

/** Whether byte lies between two bounds in either order; they are ordered before their case is folded. */
function inRange(from: number, to: number, byte: number, nocase: boolean): boolean {
  let low = signed(from)
  let high = signed(to)
  if (low > high) {
    const swap = low
    low = high
    high = swap
  }
  if (!nocase) return signed(byte) >= low && signed(byte) <= high
  const folded = signed(lowerByte(byte))
  return folded >= lowerByte(low) && folded <= lowerByte(high)
}

function signed(byte: number): number {
  return (byte << 24) >> 24
}
