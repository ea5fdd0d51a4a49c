import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import { hashBytes } from '../../src/util/hash.ts'

/** A small generator, so that the statistics below are the same in every run. */
function generator(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) | 0
  }
}

const hash = (seed0: number, seed1: number, bytes: Uint8Array): number => hashBytes(seed0, seed1, bytes, 0, bytes.length)

describe('hashBytes', () => {
  test('reads exactly its run', () => {
    for (let len = 0; len < 40; len++) {
      const alone = Uint8Array.from({ length: len }, (_, i) => i * 31 + 5)
      const framed = new Uint8Array(len + 16).fill(0xaa)
      framed.set(alone, 3)
      expect(hashBytes(1, 2, framed, 3, len)).toBe(hash(1, 2, alone))
    }
  })

  test('tells zeros of different length apart, whatever the seed', () => {
    for (const [seed0, seed1] of [
      [0, 0],
      [7, 9],
      [-1, -1],
    ]) {
      const seen = new Set<number>()
      for (let len = 0; len < 64; len++) seen.add(hash(seed0, seed1, new Uint8Array(len)))
      expect(seen.size).toBe(64)
    }
  })

  test('flips every output bit half the time when an input bit flips', () => {
    const random = generator(1)
    const rounds = 1500
    for (const len of [1, 3, 4, 7, 8, 12, 16, 20]) {
      for (let bit = 0; bit < len * 8; bit++) {
        const flips = new Int32Array(32)
        for (let round = 0; round < rounds; round++) {
          const seed0 = random()
          const seed1 = random()
          const bytes = Uint8Array.from({ length: len }, random)
          const before = hash(seed0, seed1, bytes)
          bytes[bit >> 3] ^= 1 << (bit & 7)
          const difference = before ^ hash(seed0, seed1, bytes)
          for (let k = 0; k < 32; k++) flips[k] += (difference >>> k) & 1
        }
        // Five and a half standard deviations of a fair coin.
        for (const count of flips) expect(Math.abs(count / rounds - 0.5)).toBeLessThan(0.071)
      }
    }
  })

  test('spreads usual key names evenly over buckets and tags', () => {
    const names: ((i: number) => string)[] = [
      (i) => `${i}`,
      (i) => `key:${i}`,
      (i) => `user:${String(i).padStart(12, '0')}`,
      (i) => `session:${i * 1024}:token`,
    ]
    const random = generator(2)
    for (const name of names) {
      const keys = 1 << 16
      const buckets = new Int32Array(4096)
      const tags = new Int32Array(256)
      const seed0 = random()
      const seed1 = random()
      for (let i = 0; i < keys; i++) {
        const h = hash(seed0, seed1, bytesOf(name(i)))
        buckets[h & 4095]++
        tags[h >>> 24]++
      }
      expect(chiSquare(buckets, keys)).toBeLessThan(1.15)
      expect(chiSquare(tags, keys)).toBeLessThan(1.6)
    }
  })

  test('has no collision that holds under every seed', () => {
    // Top bits of neighbouring words: the change that cancels in a hash with fixed multipliers.
    const random = generator(3)
    const places = [0, 3, 4, 7, 8, 11, 12, 15]
    let collisions = 0
    for (let round = 0; round < 200; round++) {
      const bytes = Uint8Array.from({ length: 16 }, random)
      const seed0 = random()
      const seed1 = random()
      const before = hash(seed0, seed1, bytes)
      for (let mask = 1; mask < 256; mask++) {
        const other = bytes.slice()
        for (let k = 0; k < 8; k++) if ((mask >> k) & 1) other[places[k]] ^= 0x80
        if (hash(seed0, seed1, other) === before) collisions++
      }
    }
    expect(collisions).toBeLessThan(2)
  })

  test('collides elsewhere under another seed', () => {
    // Pairs that share 16 low bits under one seed share them under another only by chance.
    const bySlot = new Map<number, string>()
    let pairs = 0
    let still = 0
    for (let i = 0; i < 20_000; i++) {
      const name = `member:${i}`
      const slot = hash(11, 12, bytesOf(name)) & 0xffff
      const other = bySlot.get(slot)
      bySlot.set(slot, name)
      if (other === undefined) continue
      pairs++
      for (const [seed0, seed1] of [
        [11, 13],
        [10, 12],
      ]) {
        if (((hash(seed0, seed1, bytesOf(name)) ^ hash(seed0, seed1, bytesOf(other))) & 0xffff) === 0) still++
      }
    }
    expect(pairs).toBeGreaterThan(1000)
    expect(still).toBeLessThan(5)
  })
})

/** Chi square over degrees of freedom: about 1 for random numbers. */
function chiSquare(counts: Int32Array, total: number): number {
  const mean = total / counts.length
  let sum = 0
  for (const count of counts) sum += (count - mean) ** 2 / mean
  return sum / counts.length
}
