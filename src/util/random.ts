/**
 * random: fast random numbers that a seed reproduces.
 *
 * The generator is xoshiro128** (Blackman and Vigna; period 2^128 - 1). It is not for secrets: those come from node:crypto, as does the
 * state of a generator made without a seed.
 */

import { randomFillSync } from 'node:crypto'

const TWO_31 = 2 ** 31
const TWO_32 = 2 ** 32
const TWO_53 = 2 ** 53

export class Random {
  private a: number
  private b: number
  private c: number
  private d: number

  /** The same seed, any 32-bit integer, gives the same numbers; without one they are unpredictable. */
  constructor(seed?: number) {
    const state = seed === undefined ? randomFillSync(new Int32Array(4)) : spread(seed)
    this.a = state[0]
    this.b = state[1]
    this.c = state[2]
    // The state must not be all zero.
    this.d = state[3] | 1
  }

  /** A uniform integer in [0, 2^32). */
  nextUint32(): number {
    const { a, b, c, d } = this
    const five = Math.imul(b, 5)
    const result = Math.imul((five << 7) | (five >>> 25), 9)
    const turned = d ^ b
    this.b = b ^ c ^ a
    this.a = a ^ turned
    this.c = c ^ a ^ (b << 9)
    this.d = (turned << 11) | (turned >>> 21)
    return result >>> 0
  }

  /** A uniform integer in [0, n), without bias; n is an integer from 1 to 2^53. */
  below(n: number): number {
    // for a power of two the low bits are the remainder, and no division is made
    if (n <= TWO_31 && (n & (n - 1)) === 0) return this.nextUint32() & (n - 1)
    const range = n <= TWO_32 ? TWO_32 : TWO_53
    const limit = range - (range % n)
    for (;;) {
      const x = range === TWO_32 ? this.nextUint32() : this.nextUint53()
      if (x < limit) return x % n
    }
  }

  /** A uniform double in [0, 1), a multiple of 2^-53. */
  nextDouble(): number {
    return this.nextUint53() / TWO_53
  }

  private nextUint53(): number {
    return (this.nextUint32() >>> 5) * 2 ** 26 + (this.nextUint32() >>> 6)
  }
}

/** Four well-mixed words from one, so that seeds that differ by one bit give unrelated numbers. */
function spread(seed: number): Int32Array {
  const state = new Int32Array(4)
  for (let i = 0; i < 4; i++) {
    let x = (seed + Math.imul(i + 1, 0x9e3779b9)) | 0
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
    state[i] = x ^ (x >>> 16)
  }
  return state
}
