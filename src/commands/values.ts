/** values: small answers that many commands share. */
import type { Client } from '../engine/client.ts'
import { REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { keyOffset, OUTSIDE, VALUE_LENGTH, valueLength, valueSegment, valueStart } from '../structs/entry.ts'

/** Answers a string entry's value. */
export function replyValue(c: Client, entry: Ref): void {
  const { mem } = c
  const view = mem.u32[entry >>> REF_SEGMENT]
  const at = (entry & REF_GRANULE) << 1
  const word2 = view[at + 2]
  if ((word2 & OUTSIDE) !== 0) c.reply.bulk(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry))
  else c.reply.bulk(mem.u8[entry >>> REF_SEGMENT], (at << 2) + keyOffset(word2) + view[at + 1], word2 & VALUE_LENGTH)
}
