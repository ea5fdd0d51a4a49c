/**
 * histogram: how often a duration of so many microseconds was seen, with an error of at most 1.6 %.
 *
 *   0 ... 127        a counter for each
 *   128 ... 2^31     64 counters for each doubling
 *
 * (1) Recording is a shift, a mask and an increment. (2) A duration beyond the last counter counts there.
 */
const EXACT = 128
const STEPS = 64
const FIRST_EXPONENT = 7
const LAST_EXPONENT = 30
const COUNTERS = EXACT + (LAST_EXPONENT - FIRST_EXPONENT + 1) * STEPS

export class Histogram {
  readonly counts = new Float64Array(COUNTERS)
  total = 0

  /** Counts `times` durations of `usec`, an integer. */
  record(usec: number, times = 1): void {
    this.total += times
    this.counts[counterOf(usec)] += times
  }

  reset(): void {
    this.counts.fill(0)
    this.total = 0
  }

  /** The duration that `percent` of the records do not exceed. */
  percentile(percent: number): number {
    const wanted = Math.max(1, Math.ceil((percent / 100) * this.total))
    let seen = 0
    for (let i = 0; i < COUNTERS; i++) {
      seen += this.counts[i]
      if (seen >= wanted) return upperEdge(i)
    }
    return 0
  }

  /** Cumulative counts at 1, 2, 4, 8, 16, 33, 66 ... microseconds, those without new records left out. */
  doublings(): [bound: number, count: number][] {
    const result: [number, number][] = []
    let counter = 0
    let seen = 0
    for (let bound = 1024; seen < this.total; bound *= 2) {
      const before = seen
      while (counter < COUNTERS && upperEdge(counter) * 1000 <= bound) seen += this.counts[counter++]
      if (seen > before) result.push([shownBound(bound), seen])
      if (counter === COUNTERS) break
    }
    return result
  }
}

function counterOf(usec: number): number {
  if (usec < EXACT) return usec < 0 ? 0 : usec
  if (usec >= 2 ** (LAST_EXPONENT + 1)) return COUNTERS - 1
  const exponent = 31 - Math.clz32(usec)
  return EXACT + (exponent - FIRST_EXPONENT) * STEPS + ((usec >>> (exponent - 6)) & (STEPS - 1))
}

/** The longest duration that the counter counts. */
function upperEdge(counter: number): number {
  if (counter < EXACT) return counter
  const exponent = FIRST_EXPONENT + Math.floor((counter - EXACT) / STEPS)
  return 2 ** exponent + (((counter - EXACT) % STEPS) + 1) * 2 ** (exponent - 6) - 1
}

/** Microseconds of a bound in nanoseconds, as a histogram of two significant digits shows it: the end of its step. */
function shownBound(nanoseconds: number): number {
  return Math.floor((nanoseconds + 2 ** (Math.log2(nanoseconds) - 7) - 1) / 1000)
}
