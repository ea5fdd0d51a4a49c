/** A small seeded random source for tests (mulberry32): the same seed gives the same commands on every machine. */
export type Random = {
  /** A number in [0, 1). */
  next(): number
  /** An integer in [0, below). */
  below(n: number): number
  pick<T>(list: readonly T[]): T
  chance(probability: number): boolean
}

export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { next, below, pick: (list) => list[below(list.length)], chance: (p) => next() < p }
}

/** The seed of this run: from the environment to repeat a failure, otherwise new. */
export function runSeed(): number {
  const wish = process.env.RESPD_SEED
  return wish ? Number(wish) : Math.floor(Math.random() * 2 ** 31)
}
