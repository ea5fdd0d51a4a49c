/**
 * Traces: the keys that a cache is asked for, one after the other, as numbers below twice the number of keys. All come from seeds, so every
 * server sees the same.
 *
 *   zipf    some keys are asked for much more often than others (exponent 0.9)
 *   shift   the same, but which ones these are changes now and then
 *   scan    zipf, and now and then somebody reads a quarter of the keys once
 *   loop    a loop over three fifths of what fits, with keys in between that never come again
 */
import { seeded } from '../test/support/random.ts'

export type Trace = { name: string; keys: (sizes: Sizes) => Iterable<number> }

/** How many keys there are, how many of them fit into the cache, and how many are asked for. */
export type Sizes = { space: number; fits: number; requests: number }

const EXPONENT = 0.9

export const TRACES: readonly Trace[] = [
  { name: 'zipf', keys: zipf },
  { name: 'shift', keys: shift },
  { name: 'scan', keys: scan },
  { name: 'loop with scan', keys: loop },
]

/** Draws key numbers by rank, and spreads the ranks over the numbers. */
function drawer({ space }: Sizes): () => number {
  const random = seeded(42)
  const sums = new Float64Array(space)
  let sum = 0
  for (let rank = 0; rank < space; rank++) sums[rank] = sum += (rank + 1) ** -EXPONENT
  const numbers = Int32Array.from({ length: space }, (_, i) => i)
  for (let i = space - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const number = numbers[i]
    numbers[i] = numbers[j]
    numbers[j] = number
  }
  return () => numbers[rankOf(sums, random.next() * sum)]
}

/** The first rank whose sum is above `point`. */
function rankOf(sums: Float64Array, point: number): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sums[middle] < point) low = middle + 1
    else high = middle
  }
  return low
}

function* zipf(sizes: Sizes): Iterable<number> {
  const draw = drawer(sizes)
  for (let i = 0; i < sizes.requests; i++) yield draw()
}

function* shift(sizes: Sizes): Iterable<number> {
  const draw = drawer(sizes)
  const period = Math.ceil(sizes.requests / 5)
  for (let i = 0; i < sizes.requests; i++) yield (draw() + Math.floor(i / period) * Math.floor(sizes.space / 6)) % sizes.space
}

function* scan(sizes: Sizes): Iterable<number> {
  const draw = drawer(sizes)
  const period = Math.ceil(sizes.requests / 6)
  let next = sizes.space
  for (let i = 1; i <= sizes.requests; i++) {
    if (i % period === 0) next = 0
    yield next < sizes.space / 4 && i % 2 === 0 ? next++ : draw()
  }
}

function* loop({ space, fits, requests }: Sizes): Iterable<number> {
  const length = Math.floor(fits * 0.6)
  let scanned = 0
  for (let i = 0, at = 0; i < requests; i++) {
    if (i % 3 === 2) yield space + (scanned++ % space)
    else yield at++ % length
  }
}

/** The share of hits of a cache that always drops the key that was not used for longest. */
export function exactLru(keys: Iterable<number>, fits: number): number {
  const cache = new Set<number>()
  let hits = 0
  let requests = 0
  for (const key of keys) {
    requests++
    if (cache.delete(key)) hits++
    else if (cache.size === fits) cache.delete(cache.values().next().value as number)
    cache.add(key)
  }
  return hits / requests
}
