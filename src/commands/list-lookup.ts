/** Finding lists for the commands that work on them. */
import type { Client } from '../engine/client.ts'
import { EVENT_LIST } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { replyElements } from '../resp/reply-elements.ts'
import { typeOf } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { cursor, cursorGet } from '../structs/quicklist-cursor.ts'
import { PACKED } from '../structs/quicklist-node.ts'
import { listSettle, newList } from '../types/list.ts'
import { LIST, LISTPACK } from '../types/object.ts'

/** In place of an entry: the key holds something else, and the error has been answered. */
export const WRONG = 0xffffffff as Ref

/** The list of argument i for a command that reads: null when there is none, WRONG when it has answered an error. */
export function readList(c: Client, i: number): Ref {
  const entry = c.db.lookupRead(c.argv, i)
  return entry === NULL_REF || typeOf(c.mem, entry) === LIST ? entry : wrongType(c)
}

/** The list of argument i for a command that changes it. */
export function writeList(c: Client, i: number): Ref {
  const entry = c.db.lookupWrite(c.argv, i)
  return entry === NULL_REF || typeOf(c.mem, entry) === LIST ? entry : wrongType(c)
}

function wrongType(c: Client): Ref {
  c.reply.error(WRONGTYPE)
  return WRONG
}

/** A new, empty list under the name of argument i. */
export function addList(c: Client, i: number): Ref {
  const { argv } = c
  return c.db.addRoot(argv.bytes, argv.off(i), argv.len(i), LIST, LISTPACK, newList(c.mem))
}

/** Answers the cursor's element. */
export function replyElement(c: Client): void {
  if (cursor.kind === PACKED) {
    replyElements(c.reply, cursor.view, cursor.data, cursor.at, 1)
    return
  }
  cursorGet(c.mem)
  c.reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
}

/** After `count` elements left the list of argument i: the events, and the end of an empty list. */
export function elementsGone(c: Client, i: number, entry: Ref, event: string, count: number): void {
  const { argv, db } = c
  db.changed(argv, i, EVENT_LIST, event)
  c.dirty(count - 1)
  if (listSettle(c.mem, entry, c.engine.encodings.list) === 0) db.removeEmptied(argv, i)
}

/** Whether argument i says LEFT (the head) rather than RIGHT; null when it has answered an error. */
export function sideArg(c: Client, i: number): boolean | null {
  if (c.argv.is(i, 'left')) return true
  if (c.argv.is(i, 'right')) return false
  c.reply.error(SYNTAX_ERROR)
  return null
}
