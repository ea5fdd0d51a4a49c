/**
 * args: reading arguments as numbers. Each function answers the error itself and then returns NaN (or null), so that a
 * handler is `const n = intArg(c, 2); if (Number.isNaN(n)) return`.
 */
import { NOT_A_FLOAT, NOT_AN_INTEGER } from '../resp/errors.ts'
import { parseDouble } from '../util/float.ts'
import { parseInt53, parseInt64 } from '../util/int64.ts'
import type { Client } from './client.ts'

/** An int64 as a number: exact to 2^53, beyond that the nearest double (for counts, offsets and times, which are compared). */
export function intArg(c: Client, i: number, error = NOT_AN_INTEGER): number {
  const { argv } = c
  const n = parseInt53(argv.bytes, argv.off(i), argv.len(i))
  if (!Number.isNaN(n)) return n
  const big = parseInt64(argv.bytes, argv.off(i), argv.len(i))
  if (big !== null) return Number(big)
  c.reply.error(error)
  return Number.NaN
}

/** An integer in [min, max]; outside of it the answer is `rangeError`, for what is no integer `error` if that is given. */
export function rangeArg(c: Client, i: number, min: number, max: number, rangeError: string, error = rangeError): number {
  const n = intArg(c, i, error)
  if (n >= min && n <= max) return n
  if (!Number.isNaN(n)) c.reply.error(rangeError)
  return Number.NaN
}

/** A database number: an int32, whether or not there is such a database. */
export function dbArg(c: Client, i: number): number {
  const error = 'ERR value is out of range, value must between -2147483648 and 2147483647'
  return rangeArg(c, i, -(2 ** 31), 2 ** 31 - 1, error, NOT_AN_INTEGER)
}

/** A count whose sign means something: any int64 but the least, which has no opposite. */
export function signedCountArg(c: Client, i: number): number {
  const n = intArg(c, i)
  if (n !== -(2 ** 63) || c.argv.text(i) !== '-9223372036854775808') return n
  c.reply.error('ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807')
  return Number.NaN
}

/** A double as Redis reads it: no NaN. */
export function floatArg(c: Client, i: number, error = NOT_A_FLOAT): number {
  const value = parseDouble(c.argv.bytes, c.argv.off(i), c.argv.len(i))
  if (Number.isNaN(value)) c.reply.error(error)
  return value
}

/** A timeout in seconds (fractions allowed) as milliseconds, rounded up; 0 means forever. */
export function timeoutArg(c: Client, i: number): number {
  const seconds = parseDouble(c.argv.bytes, c.argv.off(i), c.argv.len(i))
  if (Number.isNaN(seconds)) c.reply.error('ERR timeout is not a float or out of range')
  else if (seconds < 0) c.reply.error('ERR timeout is negative')
  else if (seconds * 1000 + c.engine.space.nowMs >= 2 ** 63) c.reply.error('ERR timeout is out of range')
  else return Math.ceil(seconds * 1000)
  return Number.NaN
}
