/** expiry: reading expiry times from arguments, for every command that takes one. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { invalidExpire } from '../resp/errors.ts'

/** No time: an error has been answered. */
export const NO_TIME = Number.NEGATIVE_INFINITY

const INT64_MAX = 2 ** 63

/**
 * The moment, in ms since 1970, that argument i means in a unit of SET's options: `ex`, `px`, `exat` or `pxat`. Zero, negative
 * and overflowing times are refused in the command's name.
 */
export function expiryArg(c: Client, i: number, unit: string): number {
  const value = intArg(c, i)
  if (Number.isNaN(value)) return NO_TIME
  const seconds = unit === 'ex' || unit === 'exat'
  const ms = seconds ? value * 1000 : value
  const at = unit === 'ex' || unit === 'px' ? ms + c.engine.space.nowMs : ms
  const fits = seconds || unit === 'px' ? ms < INT64_MAX && at < INT64_MAX : true
  if (value > 0 && fits) return at
  c.reply.error(invalidExpire(c.command?.name ?? ''))
  return NO_TIME
}

/** Says the change as a deletion of the key in argument 1. */
export function propagateDeletion(c: Client, lazy: boolean): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate
    .instead(c)
    .word(lazy ? 'UNLINK' : 'DEL')
    .arg(c.argv, 1)
}

/** Says the change as PEXPIREAT of the key in argument 1, with the arguments from `optionsAt` on, or (NO_EXPIRY) as PERSIST. */
export function propagateExpiry(c: Client, at: number, optionsAt = c.argv.count): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  if (at === NO_EXPIRY) propagate.instead(c).word('PERSIST').arg(c.argv, 1)
  else propagate.instead(c).word('PEXPIREAT').arg(c.argv, 1).int(at).argsOf(c.argv, optionsAt, c.argv.count)
}
