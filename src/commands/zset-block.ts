/** The pops that wait for a member: BZPOPMIN, BZPOPMAX, BZMPOP. */
import { timeoutArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ZSET } from '../types/object.ts'
import { KEY_AND_FLAT, KEY_AND_PAIRS, popFirst, readMpop, wanted } from './zset-pop.ts'

export function bzpopmin(c: Client): void {
  popOrWait(c, false)
}

export function bzpopmax(c: Client): void {
  popOrWait(c, true)
}

function popOrWait(c: Client, max: boolean): void {
  const last = c.argv.count - 1
  const timeoutMs = timeoutArg(c, last)
  if (timeoutMs !== timeoutMs) return
  if (!popFirst(c, 1, last - 1, max, 1, KEY_AND_FLAT)) wait(c, 1, last - 1, timeoutMs)
}

export function bzmpop(c: Client): void {
  if (!readMpop(c, 2)) return
  const timeoutMs = timeoutArg(c, 1)
  if (timeoutMs !== timeoutMs) return
  if (!popFirst(c, 3, wanted.keys, wanted.max, wanted.count, KEY_AND_PAIRS)) wait(c, 3, wanted.keys, timeoutMs)
}

/** Waits for one of the keys; where a client may not wait, its time is up at once. */
function wait(c: Client, first: number, keys: number, timeoutMs: number): void {
  const { blocked } = c.engine
  if (blocked.mayBlock(c)) blocked.blockOnKeys(c, first, keys, timeoutMs, ZSET)
  else c.reply.nilArray()
}
