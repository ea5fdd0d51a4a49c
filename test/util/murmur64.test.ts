import { describe, expect, it } from 'vitest'
import { hashHi, hashLo, murmur64 } from '../../src/util/murmur64.ts'
import { seeded } from '../support/random.ts'

const M = 0xc6a4a7935bd1e995n
const u64 = (n: bigint): bigint => BigInt.asUintN(64, n)

/** The definition, in 64-bit integers. */
function reference(bytes: Uint8Array, seed: bigint): bigint {
  let h = seed ^ u64(BigInt(bytes.length) * M)
  const words = bytes.length >>> 3
  for (let w = 0; w < words; w++) {
    let k = 0n
    for (let i = 7; i >= 0; i--) k = (k << 8n) | BigInt(bytes[w * 8 + i])
    k = u64(k * M)
    k = u64((k ^ (k >> 47n)) * M)
    h = u64((h ^ k) * M)
  }
  const tail = bytes.subarray(words * 8)
  if (tail.length > 0) {
    for (let i = 0; i < tail.length; i++) h ^= BigInt(tail[i]) << BigInt(8 * i)
    h = u64(h * M)
  }
  h = u64((h ^ (h >> 47n)) * M)
  return h ^ (h >> 47n)
}

describe('murmur64', () => {
  it('equals the 64-bit definition for every length and any seed', () => {
    const random = seeded(64)
    for (let round = 0; round < 2000; round++) {
      const len = round % 67
      const off = round % 5
      const bytes = Uint8Array.from({ length: off + len + 3 }, () => random.below(256))
      const seedHi = random.below(0x100000000)
      const seedLo = random.below(0x100000000)
      murmur64(bytes, off, len, seedHi | 0, seedLo | 0)
      const seed = (BigInt(seedHi) << 32n) | BigInt(seedLo)
      const got = (BigInt(hashHi >>> 0) << 32n) | BigInt(hashLo >>> 0)
      expect(got).toBe(reference(bytes.subarray(off, off + len), seed))
    }
  })
})
