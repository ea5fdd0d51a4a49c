/**
 * lcs: the longest common subsequence of two byte strings, by the usual table of lengths, row by row.
 *
 * The table takes 4 bytes per pair of positions, outside the JavaScript heap.
 */
import type { Arena } from '../memory/arena.ts'
import { wordOf, segmentOf } from '../memory/ref.ts'

export interface Match {
  readonly a: number
  readonly b: number
  readonly length: number
}

export interface Lcs {
  readonly length: number
  readonly bytes: Uint8Array
  /** Runs of adjoining equal bytes, from the end of the strings to their beginning. */
  readonly matches: Match[]
}

/** Largest table, in bytes. */
const TABLE_MAX = 2 ** 31

/** Null when the table would be too large. Without `trace` only the length is found, in two rows. */
export function longestCommon(mem: Arena, a: Uint8Array, b: Uint8Array, trace: boolean): Lcs | null {
  if (!trace) return { length: lengthOnly(a, b), bytes: new Uint8Array(0), matches: [] }
  const width = b.length + 1
  const bytes = (a.length + 1) * width * 4
  if (bytes > TABLE_MAX) return null
  const table = mem.allocZeroed(bytes)
  try {
    const view = mem.u32[segmentOf(table)]
    const base = wordOf(table)
    for (let i = 1; i <= a.length; i++) fillRow(view, base + i * width, base + (i - 1) * width, a[i - 1], b)
    return walkBack(view, base, width, a, b)
  } finally {
    mem.free(table, bytes)
  }
}

function fillRow(view: Uint32Array, row: number, above: number, byte: number, b: Uint8Array): void {
  for (let j = 1; j <= b.length; j++) {
    view[row + j] = byte === b[j - 1] ? view[above + j - 1] + 1 : Math.max(view[above + j], view[row + j - 1])
  }
}

function lengthOnly(a: Uint8Array, b: Uint8Array): number {
  let above = new Uint32Array(b.length + 1)
  let row = new Uint32Array(b.length + 1)
  for (const byte of a) {
    fillTwoRows(row, above, byte, b)
    const spare = above
    above = row
    row = spare
  }
  return above[b.length]
}

function fillTwoRows(row: Uint32Array, above: Uint32Array, byte: number, b: Uint8Array): void {
  for (let j = 1; j <= b.length; j++) row[j] = byte === b[j - 1] ? above[j - 1] + 1 : Math.max(above[j], row[j - 1])
}

/** Follows the table from its end; where both ways are as long, the way up the second string is taken, as Redis does. */
function walkBack(view: Uint32Array, base: number, width: number, a: Uint8Array, b: Uint8Array): Lcs {
  const length = view[base + a.length * width + b.length]
  const bytes = new Uint8Array(length)
  const matches: Match[] = []
  let left = length
  let i = a.length
  let j = b.length
  let run = 0
  while (i > 0 && j > 0) {
    if (a[i - 1] === b[j - 1]) {
      bytes[--left] = a[i - 1]
      i--
      j--
      run++
      if (i > 0 && j > 0 && a[i - 1] === b[j - 1]) continue
      matches.push({ a: i, b: j, length: run })
      run = 0
    } else if (view[base + (i - 1) * width + j] > view[base + i * width + j - 1]) i--
    else j--
  }
  return { length, bytes, matches }
}
