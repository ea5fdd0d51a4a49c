/**
 * lzf: the light compression of RDB strings and inner list nodes.
 *
 * A stream is a sequence of two kinds of pieces:
 *
 *   | 000LLLLL | L + 1 bytes ...                               literals, 1 to 32
 *   | LLLOOOOO | OOOOOOOO |                 L = 1 .. 6         repeat L + 2 bytes that began O + 1 bytes ago, O < 8192
 *   | 111OOOOO | LLLLLLLL | OOOOOOOO |                         repeat L + 9 bytes; they may overlap what they make
 *
 * Compressing is greedy: a table by hash of three bytes remembers where they last stood. In bytes that do not repeat, the steps grow, so
 * that hopeless input is given up quickly. It depends on nothing but the input.
 */

import { copyBytes } from './bytes.ts'

const MAX_LITERALS = 32
const MAX_OFFSET = 8192
const MIN_MATCH = 3
const MAX_MATCH = 264
const SHORT_MATCH_MAX = 8
const TABLE_BITS = 14
/** Three bytes of a stream make at most MAX_MATCH bytes. */
const MAX_RATIO = MAX_MATCH / 3

/** Position + 1 where a triple last stood, relative to the input; scratch of one call. */
const lastSeen = new Int32Array(1 << TABLE_BITS)

/**
 * Compresses src[srcOff, srcOff + srcLen) to dst[dstOff, dstOff + dstLen) and returns how many bytes that took, or 0 when it does not fit.
 */
export function lzfCompress(src: Uint8Array, srcOff: number, srcLen: number, dst: Uint8Array, dstOff: number, dstLen: number): number {
  const bits = Math.min(TABLE_BITS, Math.max(4, 32 - Math.clz32(srcLen)))
  const shift = 32 - bits
  lastSeen.fill(0, 0, 1 << bits)
  const end = srcOff + srcLen
  const dstEnd = dstOff + dstLen
  let literals = srcOff
  let d = dstOff
  let i = srcOff
  while (i + MIN_MATCH <= end) {
    const slot = Math.imul(src[i] | (src[i + 1] << 8) | (src[i + 2] << 16), 0x9e3779b1) >>> shift
    const seen = lastSeen[slot]
    lastSeen[slot] = i - srcOff + 1
    const match = srcOff + seen - 1
    if (seen === 0 || i - match > MAX_OFFSET || src[match] !== src[i] || src[match + 1] !== src[i + 1] || src[match + 2] !== src[i + 2]) {
      i += 1 + ((i - literals) >> 7)
      continue
    }
    d = writeLiterals(dst, d, dstEnd, src, literals, i)
    const length = matchLength(src, match, i, end)
    if (d < 0 || d + 3 > dstEnd) return 0
    d = writeMatch(dst, d, i - match - 1, length)
    i += length
    literals = i
  }
  d = writeLiterals(dst, d, dstEnd, src, literals, end)
  return d < 0 ? 0 : d - dstOff
}

/** How many bytes from i on repeat those from match on; the first MIN_MATCH are known to. */
function matchLength(src: Uint8Array, match: number, i: number, end: number): number {
  const max = Math.min(MAX_MATCH, end - i)
  let length = MIN_MATCH
  while (length < max && src[match + length] === src[i + length]) length++
  return length
}

function writeMatch(dst: Uint8Array, d: number, offset: number, length: number): number {
  if (length <= SHORT_MATCH_MAX) {
    dst[d++] = ((length - 2) << 5) | (offset >> 8)
  } else {
    dst[d++] = (7 << 5) | (offset >> 8)
    dst[d++] = length - 9
  }
  dst[d++] = offset & 0xff
  return d
}

/** Writes src[from, to) as pieces of literals; -1 when they do not fit before dstEnd. */
function writeLiterals(dst: Uint8Array, d: number, dstEnd: number, src: Uint8Array, from: number, to: number): number {
  while (from < to) {
    const count = Math.min(MAX_LITERALS, to - from)
    if (d + 1 + count > dstEnd) return -1
    dst[d] = count - 1
    copyBytes(dst, d + 1, src, from, count)
    d += 1 + count
    from += count
  }
  return d
}

/**
 * Decompresses src[srcOff, srcOff + srcLen) to dst[dstOff, dstOff + dstLen). False when the stream is broken or does not make exactly
 * dstLen bytes; it never reads or writes outside the runs.
 */
export function lzfDecompressInto(
  src: Uint8Array,
  srcOff: number,
  srcLen: number,
  dst: Uint8Array,
  dstOff: number,
  dstLen: number,
): boolean {
  const srcEnd = srcOff + srcLen
  const dstEnd = dstOff + dstLen
  let s = srcOff
  let d = dstOff
  while (s < srcEnd) {
    const control = src[s++]
    if (control < MAX_LITERALS) {
      const count = control + 1
      if (s + count > srcEnd || d + count > dstEnd) return false
      copyBytes(dst, d, src, s, count)
      s += count
      d += count
      continue
    }
    let length = (control >> 5) + 2
    if (length === 9) {
      if (s === srcEnd) return false
      length += src[s++]
    }
    if (s === srcEnd) return false
    const from = d - (((control & 0x1f) << 8) | src[s++]) - 1
    if (from < dstOff || d + length > dstEnd) return false
    for (let i = 0; i < length; i++) dst[d + i] = dst[from + i]
    d += length
  }
  return d === dstEnd
}

/** The `size` bytes that src[srcOff, srcOff + srcLen) decompresses to, or null when it does not make exactly that many. */
export function lzfDecompress(src: Uint8Array, srcOff: number, srcLen: number, size: number): Uint8Array | null {
  if (size > srcLen * MAX_RATIO) return null
  const dst = new Uint8Array(size)
  return lzfDecompressInto(src, srcOff, srcLen, dst, 0, size) ? dst : null
}
