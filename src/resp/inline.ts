/**
 * inline: requests typed by people (`SET key "a b"` and a line break): words, quoted as redis-cli quotes them.
 *
 * "..." knows \n \r \t \b \a \xHH and \<any>; '...' knows \' only. A closing quote must be followed by a space or the end.
 */
import type { Frame } from '../util/argv.ts'

export const QUOTE = 34
export const APOSTROPHE = 39
const BACKSLASH = 92
const ESCAPES: Record<number, number> = { 110: 10, 114: 13, 116: 9, 98: 8, 97: 7 }

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13)
}

/** What ends a word without quotes: a vertical tab or a form feed, though blank between words, does not. */
function endsWord(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10 || byte === 13
}

function hexValue(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/**
 * Splits bytes[from, to) into the frame's arrays from index `at` on, decoding quoted words in place (they only shrink).
 * Returns the number of words, or -1 when the quotes do not balance.
 */
export function splitInline(frame: Frame, at: number, bytes: Uint8Array, from: number, to: number): number {
  let words = 0
  let p = from
  for (;;) {
    while (p < to && isSpace(bytes[p])) p++
    if (p >= to) return words
    const start = p
    let write = p
    let quote = 0
    for (; p < to; p++) {
      const byte = bytes[p]
      if (quote === 0) {
        if (endsWord(byte)) break
        if (byte === QUOTE || byte === APOSTROPHE) quote = byte
        else bytes[write++] = byte
      } else if (byte === quote) {
        if (p + 1 < to && !isSpace(bytes[p + 1])) return -1
        quote = 0
      } else if (byte === BACKSLASH && p + 1 < to && (quote === QUOTE || bytes[p + 1] === APOSTROPHE)) {
        p = quote === QUOTE ? decodeEscape(bytes, p, to) : p + 1
        bytes[write++] = quote === QUOTE ? decoded : APOSTROPHE
      } else bytes[write++] = byte
    }
    if (quote !== 0) return -1
    frame.reserve(at + words)
    frame.offsets[at + words] = start
    frame.lengths[at + words] = write - start
    words++
  }
}

/** The byte that the last decodeEscape found. */
let decoded = 0

/** Decodes the escape at the backslash bytes[p]; returns the place of its last byte. */
function decodeEscape(bytes: Uint8Array, p: number, to: number): number {
  const next = bytes[p + 1]
  if (next === 120 && p + 3 < to && hexValue(bytes[p + 2]) >= 0 && hexValue(bytes[p + 3]) >= 0) {
    decoded = hexValue(bytes[p + 2]) * 16 + hexValue(bytes[p + 3])
    return p + 3
  }
  decoded = ESCAPES[next] ?? next
  return p + 1
}
