import { describe, expect, it } from 'vitest'
import * as H from '../../src/structs/hyperloglog.ts'
import { bytesOf, dataOf, latin1 } from '../../src/util/bytes.ts'
import { runSeed, seeded } from '../support/random.ts'

const seed = runSeed()
const random = seeded(seed)
const MAX_BYTES = 3000

/** A sparse or dense value in a buffer of its own, grown and promoted the way a string value is. */
class Sketch {
  bytes: Uint8Array = new Uint8Array(H.HLL_EMPTY_BYTES)
  length = H.HLL_EMPTY_BYTES
  readonly maxBytes: number

  constructor(maxBytes = MAX_BYTES) {
    this.maxBytes = maxBytes
    H.writeEmpty(this.bytes, 0)
  }

  raise(register: number, rank: number): boolean {
    if (!H.isSparse(this.bytes, 0)) return H.denseRaise(this.bytes, 0, register, rank)
    const outcome = H.sparseRaise(this.bytes, 0, this.length, this.bytes.length, register, rank, this.maxBytes)
    this.length = H.sparseLength
    if (outcome === H.HLL_GROW) this.replace(new Uint8Array(this.length + H.HLL_GROWTH), true)
    else if (outcome === H.HLL_PROMOTE) {
      const dense = new Uint8Array(H.HLL_DENSE_BYTES)
      expect(H.sparseToDense(this.bytes, 0, this.length, dense, 0)).toBe(true)
      this.replace(dense, false)
      this.length = dense.length
    } else return outcome === H.HLL_RAISED
    return this.raise(register, rank)
  }

  private replace(bytes: Uint8Array, keep: boolean): void {
    if (keep) bytes.set(this.bytes.subarray(0, this.length))
    this.bytes = bytes
  }

  add(text: string): boolean {
    const element = bytesOf(text)
    H.hashElement(element, 0, element.length)
    return this.raise(H.elementRegister, H.elementRank)
  }

  get count(): number {
    return H.countOf(this.bytes, 0, this.length)
  }

  registers(): Uint8Array {
    const max = new Uint8Array(H.HLL_REGISTERS)
    expect(H.mergeInto(max, this.bytes, 0, this.length)).toBe(true)
    return max
  }
}

describe(`hyperloglog (seed ${seed})`, () => {
  it('keeps the registers a plain array keeps, sparse and dense', () => {
    for (const highest of [4, 32, 51]) {
      const model = new Uint8Array(H.HLL_REGISTERS)
      const sketch = new Sketch(random.pick([200, 3000, 16000]))
      const area = random.pick([300, H.HLL_REGISTERS])
      for (let i = 0; i < 4000; i++) {
        const register = random.below(area)
        const rank = 1 + random.below(random.chance(0.01) ? highest : 3)
        expect(sketch.raise(register, rank)).toBe(rank > model[register])
        if (rank > model[register]) model[register] = rank
      }
      expect(sketch.registers()).toEqual(model)
      expect(sketch.count).toBe(H.countRegisters(model))
      for (let i = 0; i < 100 && !H.isSparse(sketch.bytes, 0); i++) expect(H.denseRegister(sketch.bytes, 0, i)).toBe(model[i])
    }
  })

  it('estimates within 3% from ten to a hundred thousand elements', () => {
    const sketch = new Sketch()
    let next = 10
    for (let i = 1; i <= 100_000; i++) {
      sketch.add(`element ${i}`)
      if (i !== next) continue
      expect(Math.abs(sketch.count - i)).toBeLessThanOrEqual(i * 0.03)
      next *= 10
    }
  })

  it('gives the estimates of the reference server', () => {
    const sketch = new Sketch()
    const want = new Map([
      [10, 10],
      [300, 300],
      [600, 596],
      [1000, 991],
      [1500, 1491],
      [1800, 1789],
      [2500, 2487],
      [100_000, 99_329],
    ])
    for (let i = 0; i < 100_000; i++) {
      sketch.add(`element:${i * 7919}`)
      const count = want.get(i + 1)
      if (count !== undefined) expect(sketch.count).toBe(count)
    }
  })

  it('writes the runs of the reference: zeros split, equal neighbours merged, dense beyond the limit', () => {
    const sketch = new Sketch()
    for (const register of [100, 101, 103, 102, 104]) sketch.raise(register, 2)
    expect(H.describeSparse(sketch.bytes, 0, sketch.length)).toBe('Z:100 v:2,4 v:2,1 Z:16279')
    sketch.raise(102, 5)
    expect(H.describeSparse(sketch.bytes, 0, sketch.length)).toBe('Z:100 v:2,2 v:5,1 v:2,2 Z:16279')
    sketch.raise(16383, 33)
    expect(H.isSparse(sketch.bytes, 0)).toBe(false)
  })

  it('keeps the cached cardinality until a register changes', () => {
    const sketch = new Sketch()
    sketch.add('a')
    expect(H.isCacheValid(sketch.bytes, 0)).toBe(false)
    H.storeCache(sketch.bytes, 0, 2 ** 40 + 7)
    expect([H.isCacheValid(sketch.bytes, 0), H.cachedHi(dataOf(sketch.bytes), 0), H.cachedLo(dataOf(sketch.bytes), 0)]).toEqual([
      true,
      256,
      7,
    ])
    expect(sketch.add('a')).toBe(false)
    expect(H.isCacheValid(sketch.bytes, 0)).toBe(true)
    sketch.add('b')
    expect(H.isCacheValid(sketch.bytes, 0)).toBe(false)
  })

  it('notices damage, and never reads or writes outside the value', () => {
    const clean = new Sketch()
    for (let i = 0; i < 300; i++) clean.add(`e${i}`)
    for (let round = 0; round < 3000; round++) {
      const frame = new Uint8Array(clean.length + 40).fill(0xee)
      const off = 5
      const len = random.chance(0.5) ? clean.length : H.HLL_HEADER + random.below(clean.length - H.HLL_HEADER)
      frame.set(clean.bytes.subarray(0, len), off)
      for (let n = random.below(6); n > 0; n--) frame[off + H.HLL_HEADER + random.below(len - H.HLL_HEADER)] = random.below(256)
      const max = new Uint8Array(H.HLL_REGISTERS)
      const sound = H.mergeInto(max, frame, off, len)
      if (!Number.isNaN(H.countOf(frame, off, len))) expect(sound).toBe(true)
      expect(H.sparseToDense(frame, off, len, new Uint8Array(H.HLL_DENSE_BYTES), 0)).toBe(sound)
      H.describeSparse(frame, off, len)
      H.sparseRaise(frame, off, len, len + H.HLL_GROWTH, random.below(H.HLL_REGISTERS), 1 + random.below(34), MAX_BYTES)
      expect(H.sparseLength).toBeLessThanOrEqual(len + H.HLL_GROWTH)
      expect(frame.subarray(off + len + H.HLL_GROWTH).every((b) => b === 0xee)).toBe(true)
    }
    expect(H.isHll(dataOf(bytesOf('HYLX............')), 0, 16)).toBe(false)
    expect(H.isHll(dataOf(bytesOf('HYLL\x02...........')), 0, 16)).toBe(false)
    expect(H.isHll(dataOf(bytesOf('HYLL\x00...........')), 0, 16)).toBe(false)
    expect(latin1(clean.bytes, 0, 5)).toBe('HYLL\x01')
  })
})
