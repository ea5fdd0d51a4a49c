import { describe, expect, it } from 'vitest'
import * as B from '../../src/structs/bits.ts'
import { runSeed, seeded } from '../support/random.ts'

const seed = runSeed()
const random = seeded(seed)

/** A string in the middle of other bytes that are all ones or random, so that reading past its ends shows. */
function place(len: number, off: number, fill: () => number): B.BitSource {
  const buffer = new ArrayBuffer((off + len + 11) & ~3)
  const u8 = new Uint8Array(buffer)
  for (let i = 0; i < u8.length; i++) u8[i] = random.below(256)
  for (let i = 0; i < len; i++) u8[off + i] = fill()
  return { u8, u32: new Uint32Array(buffer), off, len }
}

const FILLS = [() => 0, () => 255, () => random.below(256), () => (random.chance(0.02) ? 1 << random.below(8) : 0)]
const bitAt = (s: B.BitSource, n: number): number => (s.u8[s.off + (n >>> 3)] >>> (7 - (n & 7))) & 1

describe(`bits (seed ${seed})`, () => {
  it('counts what a loop over the bits counts', () => {
    for (let round = 0; round < 400; round++) {
      const s = place(1 + random.below(200), random.below(9), random.pick(FILLS))
      let all = 0
      for (let n = 0; n < s.len * 8; n++) all += bitAt(s, n)
      expect(B.popcount(s.u8, s.u32, s.off, s.len)).toBe(all)
      const first = random.below(s.len * 8)
      const last = first + random.below(s.len * 8 - first)
      let part = 0
      for (let n = first; n <= last; n++) part += bitAt(s, n)
      expect(B.popcountBits(s.u8, s.u32, s.off, first, last)).toBe(part)
    }
  })

  it('finds the bit that a loop finds', () => {
    for (let round = 0; round < 2000; round++) {
      const s = place(1 + random.below(60), random.below(9), random.pick(FILLS))
      const bit = random.below(2)
      const first = random.below(s.len * 8)
      const last = first + random.below(s.len * 8 - first)
      let want = -1
      for (let n = first; n <= last && want < 0; n++) if (bitAt(s, n) === bit) want = n
      expect(B.findBit(s.u8, s.u32, s.off, first, last, bit)).toBe(want)
    }
  })

  it('combines strings of any lengths and alignments as a loop does', () => {
    for (let round = 0; round < 300; round++) {
      const large = round % 30 === 0
      const op = round % 8
      const count = op === B.BITOP_NOT ? 1 : 1 + random.below(5)
      const sources = Array.from({ length: count }, () => place(random.below(large ? 80000 : 90), random.below(9), () => random.below(256)))
      const len = Math.max(...sources.map((s) => s.len))
      const dst = place(len, 4 * random.below(3), () => 0xaa)
      const around = [dst.off > 0 ? dst.u8[dst.off - 1] : 0, dst.u8[dst.off + len]]
      B.combineBits(op, dst.u8, dst.u32, dst.off, len, sources, count)
      for (let i = 0; i < len; i++) {
        const bytes = sources.map((s) => (i < s.len ? s.u8[s.off + i] : 0))
        if (dst.u8[dst.off + i] !== modelOf(op, bytes)) throw new Error(`op ${op}, byte ${i} of ${len}, ${count} sources`)
      }
      expect([dst.off > 0 ? dst.u8[dst.off - 1] : 0, dst.u8[dst.off + len]]).toEqual(around)
    }
  })
})

function modelOf(op: number, bytes: number[]): number {
  const [first, ...others] = bytes
  const union = others.reduce((a, b) => a | b, 0)
  if (op === B.BITOP_AND) return bytes.reduce((a, b) => a & b)
  if (op === B.BITOP_OR) return first | union
  if (op === B.BITOP_XOR) return bytes.reduce((a, b) => a ^ b)
  if (op === B.BITOP_NOT) return ~first & 255
  if (op === B.BITOP_DIFF) return first & ~union
  if (op === B.BITOP_DIFF1) return ~first & union
  if (op === B.BITOP_ANDOR) return first & union
  let one = 0
  for (let mask = 1; mask < 256; mask <<= 1) if (bytes.filter((b) => (b & mask) !== 0).length === 1) one |= mask
  return one
}
