/** DEBUG QUICKLIST-PACKED-THRESHOLD: from which size on an element gets a node of its own. It holds for every server of the process. */
import type { Client } from '../engine/client.ts'
import { parseMemory } from '../engine/config-types.ts'
import { PLAIN_BYTES, plainThreshold } from '../structs/quicklist-node.ts'

/** A length of four bytes must not overflow. */
const THRESHOLD_MAX = 2n ** 32n - 2n ** 20n

export function packedThreshold(c: Client): void {
  const bytes = parseMemory(c.argv.text(2))
  if (bytes === null || bytes < 0n || bytes > THRESHOLD_MAX) {
    return c.reply.error('ERR argument must be a memory value bigger than 1 and smaller than 4gb')
  }
  plainThreshold.bytes = bytes === 0n ? PLAIN_BYTES : Number(bytes)
  c.reply.ok()
}
