/** stream-reply: ids and entries on the wire. */
import type { Client } from '../engine/client.ts'
import { lpValue } from '../structs/listpack.ts'
import type { StreamCursor } from '../structs/stream-cursor.ts'
import { ID_TEXT_MAX, writeId } from '../structs/stream-id.ts'

const CR = 13
const LF = 10
/** Room for an id as a bulk string; for `*2`, the id and the length of the list. */
const ID_BYTES = ID_TEXT_MAX + 8
const HEAD_MAX = ID_TEXT_MAX + 40

export function replyId(c: Client, id: Uint32Array, at: number): void {
  const { reply } = c
  reply.reserve(ID_BYTES)
  reply.pos = writeIdBulk(reply.buf, reply.pos, id, at)
}

/** Answers the entry at the cursor: its id and the flat list of its fields and values. */
export function replyEntry(c: Client, cursor: StreamCursor): void {
  const { reply } = c
  reply.reserve(HEAD_MAX)
  reply.pos = writeHead(reply.buf, reply.pos, cursor.id)
  const pairs = cursor.pairs
  reply.array(pairs * 2)
  for (let i = 0; i < pairs; i++) {
    cursor.readField()
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
    cursor.readValue()
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

/** Writes an array of two and the id as its first element; returns where the second begins. */
function writeHead(buf: Uint8Array, pos: number, id: Uint32Array): number {
  buf[pos] = 0x2a
  buf[pos + 1] = 0x32
  buf[pos + 2] = CR
  buf[pos + 3] = LF
  return writeIdBulk(buf, pos + 4, id, 0)
}

/** Writes an id as a bulk string; returns where it ends. */
function writeIdBulk(buf: Uint8Array, pos: number, id: Uint32Array, idAt: number): number {
  buf[pos] = 0x24
  // Nearly all ids have 10 to 41 characters; a shorter one is written again, a byte earlier.
  const start = pos + 5
  let end = writeId(buf, start, id, idAt)
  const length = end - start
  let at = pos + 1
  if (length >= 10) buf[at++] = 0x30 + ((length / 10) | 0)
  else end = writeId(buf, start - 1, id, idAt)
  buf[at] = 0x30 + (length % 10)
  buf[at + 1] = CR
  buf[at + 2] = LF
  buf[end] = CR
  buf[end + 1] = LF
  return end + 2
}

/** Answers an array of the entries that the cursor, already started, still has; at most `count` when that is not 0. */
export function replyEntries(c: Client, cursor: StreamCursor, count: number): void {
  const start = c.reply.defer()
  const most = count === 0 ? Infinity : count
  let entries = 0
  for (; entries < most && cursor.next(); entries++) replyEntry(c, cursor)
  c.reply.endArray(start, entries)
}
