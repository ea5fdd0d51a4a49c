/**
 * trig: sine, cosine and arcsine rounded to the nearest double.
 *
 * The engine's own functions are off by one in the last place for every tenth argument or so; the C library's practically never are. Where
 * a result is shown with all its digits and must be the same (a distance stored as a score), these are used: about 1 us each.
 *
 * Everything is done on pairs of doubles (high + low, about 106 bits) and rounded at the end.
 */

/** A number as the sum of two doubles that do not overlap. */
type Pair = readonly [high: number, low: number]

/** 2^27 + 1 splits a double into two halves whose products are exact. */
const SPLITTER = 134217729

/** Half of pi in three doubles. */
const HALF_PI_1 = 1.5707963267948966
const HALF_PI_2 = 6.123233995736766e-17
const HALF_PI_3 = -1.4973849048591833e-33

/** The last power that the series need for an argument of up to pi/4. */
const LAST_POWER = 27

function sum(a: number, b: number): Pair {
  const s = a + b
  const bb = s - a
  return [s, a - (s - bb) + (b - bb)]
}

function product(a: number, b: number): Pair {
  const p = a * b
  const at = SPLITTER * a
  const ah = at - (at - a)
  const al = a - ah
  const bt = SPLITTER * b
  const bh = bt - (bt - b)
  const bl = b - bh
  return [p, ah * bh - p + ah * bl + al * bh + al * bl]
}

function add(a: Pair, b: Pair): Pair {
  const [s, e] = sum(a[0], b[0])
  return sum(s, e + a[1] + b[1])
}

function multiply(a: Pair, b: Pair): Pair {
  const [p, e] = product(a[0], b[0])
  return sum(p, e + a[0] * b[1] + a[1] * b[0])
}

/** a / n for an integer n. */
function divide(a: Pair, n: number): Pair {
  const q = a[0] / n
  const [p, e] = product(q, n)
  return sum(q, (a[0] - p - e + a[1]) / n)
}

/** The series of sine (from the first power) or cosine (from the 0th) at a small argument. */
function series(x: Pair, isSine: boolean): Pair {
  const square = multiply(x, x)
  let term: Pair = isSine ? x : [1, 0]
  let total = term
  for (let power = isSine ? 3 : 2; power <= LAST_POWER; power += 2) {
    const next = divide(multiply(term, square), -(power - 1) * power)
    term = next
    total = add(total, term)
  }
  return total
}

/** Sine of x, or of x plus a quarter turn. |x| is at most a few turns. */
function sine(x: number, quarter: number): Pair {
  const turns = Math.round(x / HALF_PI_1)
  const near = add(sum(x, -turns * HALF_PI_1), product(-turns, HALF_PI_2))
  const rest = add(near, [-turns * HALF_PI_3, 0])
  const phase = (((turns + quarter) % 4) + 4) % 4
  const [high, low] = series(rest, phase % 2 === 0)
  return phase < 2 ? [high, low] : [-high, -low]
}

/** The sine of x. */
export function exactSin(x: number): number {
  return sine(x, 0)[0]
}

/** The cosine of x. */
export function exactCos(x: number): number {
  return sine(x, 1)[0]
}

/** The arcsine of x in [0, 1]: the engine's, and one step of Newton's method from there. */
export function exactAsin(x: number): number {
  const near = Math.asin(x)
  const slope = Math.sqrt((1 - x) * (1 + x))
  if (!(slope > 0)) return near
  const [high, low] = sine(near, 0)
  return near + (x - high - low) / slope
}
