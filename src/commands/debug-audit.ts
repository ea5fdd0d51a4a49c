/** DEBUG AUDIT: walks everything that holds memory of the arena and tells what does not fit together. An addition of ours. */
import type { Client } from '../engine/client.ts'
import { auditArena } from '../memory/audit.ts'

const MOST_SHOWN = 10

export function debugAudit(c: Client): void {
  const { engine, mem, reply } = c
  const faults = auditArena(mem, (report) => {
    engine.space.audit(report)
    engine.tracking.table.audit(report)
  })
  if (faults.length === 0) return reply.ok()
  reply.error(`ERR ${faults.length} faults: ${faults.slice(0, MOST_SHOWN).join('; ')}`)
}
