/** stream-block: how XREAD and XREADGROUP wait for entries. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { idText } from '../structs/stream-id.ts'
import { STREAM } from '../types/object.ts'
import { frameOf } from '../util/argv.ts'
import { bytesOf } from '../util/bytes.ts'
import { isChar } from './stream-args.ts'

const DOLLAR = 0x24

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

/**
 * Lets the client wait until one of `streams` keys from argument `keysAt` on has something for it. `$` means the last id of now, so the
 * arguments it keeps name that id; `after` has it, four words for each stream. A group's reader is also woken when the key goes.
 */
export function waitForEntries(c: Client, keysAt: number, streams: number, timeoutMs: number, after: Uint32Array, group: boolean): void {
  const given = c.argv
  const idsAt = keysAt + streams
  let dollars = false
  for (let i = 0; i < streams; i++) if (isChar(c, idsAt + i, DOLLAR)) dollars = true
  if (dollars) {
    const args = Array.from({ length: given.count }, (_, i) => given.slice(i))
    for (let i = 0; i < streams; i++) if (isChar(c, idsAt + i, DOLLAR)) args[idsAt + i] = bytesOf(idText(after, i * 4))
    c.argv = frameOf(args)
  }
  c.engine.blocked.blockOnKeys(c, keysAt, streams, timeoutMs, STREAM, group)
  c.argv = given
}
