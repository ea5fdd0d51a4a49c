/** MONITOR: every command as the server receives it. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'

// biome-ignore format: a table, one command after the other
export const monitorRows: readonly CommandRow<Client>[] = [
  { name: 'MONITOR', arity: 1, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '1.0.0',
    summary: 'Shows every command as the server receives it.', complexity: 'O(1), then O(N) by commands received', run: monitor },
]

function monitor(c: Client): void {
  if (c.internal || c.inExec) return c.reply.error("ERR MONITOR isn't allowed for DENY BLOCKING client")
  if (!c.monitor) c.engine.monitors.add(c)
  c.reply.ok()
}
