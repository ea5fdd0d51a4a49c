/** stream-block: how XREAD and XREADGROUP wait for entries. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'

/** BLOCK's milliseconds; NaN after an error. */
export function blockArg(c: Client, i: number): number {
  const timeoutMs = intArg(c, i, 'ERR timeout is not an integer or out of range')
  if (timeoutMs < 0) {
    c.reply.error('ERR timeout is negative')
    return Number.NaN
  }
  if (timeoutMs > 2 ** 63 - c.db.space.nowMs) {
    c.reply.error('ERR timeout is out of range')
    return Number.NaN
  }
  return timeoutMs
}
