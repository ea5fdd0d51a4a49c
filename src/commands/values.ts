/** values: small answers that many commands share. */
import type { Client } from '../engine/client.ts'
import type { Ref } from '../memory/ref.ts'
import { openValue, valueAt, valueBytes, valueData, valueSize } from '../structs/entry.ts'

/** Answers a string entry's value. */
export function replyValue(c: Client, entry: Ref): void {
  openValue(c.mem, entry)
  c.reply.bulkData(valueBytes, valueData, valueAt, valueSize)
}
