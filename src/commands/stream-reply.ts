/** stream-reply: ids and entries on the wire. */
import type { Client } from '../engine/client.ts'
import { lpValue } from '../structs/listpack.ts'
import type { StreamCursor } from '../structs/stream-cursor.ts'
import { ID_TEXT_MAX, writeId } from '../structs/stream-id.ts'

const text = new Uint8Array(ID_TEXT_MAX)

export function replyId(c: Client, id: Uint32Array, at: number): void {
  c.reply.bulk(text, 0, writeId(text, 0, id, at))
}

/** Answers the entry at the cursor: its id and the flat list of its fields and values. */
export function replyEntry(c: Client, cursor: StreamCursor): void {
  const { reply } = c
  reply.array(2)
  replyId(c, cursor.id, 0)
  const pairs = cursor.pairs
  reply.array(pairs * 2)
  for (let i = 0; i < pairs; i++) {
    cursor.readField()
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
    cursor.readValue()
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

/** Answers an array of the entries that the cursor, already started, still has; at most `count` when that is not 0. */
export function replyEntries(c: Client, cursor: StreamCursor, count: number): void {
  const start = c.reply.defer()
  const most = count === 0 ? Infinity : count
  let entries = 0
  for (; entries < most && cursor.next(); entries++) replyEntry(c, cursor)
  c.reply.endArray(start, entries)
}
