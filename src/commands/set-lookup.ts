/** Finding sets for the commands that work on them. */
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { WRONGTYPE } from '../resp/errors.ts'
import { typeOf } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { SET } from '../types/object.ts'
import { newSetEncoding, newSetRoot, setSize } from '../types/set.ts'

/** In place of an entry: the key holds something else, and the error has been answered. */
export const WRONG = 0xffffffff as Ref

/** The set of argument i for a command that reads: null when there is none, WRONG when it has answered an error. */
export function readSet(c: Client, i: number): Ref {
  const entry = c.db.lookupRead(c.argv, i)
  return entry === NULL_REF || typeOf(c.mem, entry) === SET ? entry : wrongType(c)
}

/** The set of argument i for a command that changes it. */
export function writeSet(c: Client, i: number): Ref {
  const entry = c.db.lookupWrite(c.argv, i)
  return entry === NULL_REF || typeOf(c.mem, entry) === SET ? entry : wrongType(c)
}

function wrongType(c: Client): Ref {
  c.reply.error(WRONGTYPE)
  return WRONG
}

/** A new, empty set under the name of argument i, fit for `members` members of which argument `first` is one. */
export function addSet(c: Client, i: number, first: number, members: number): Ref {
  const { argv, mem } = c
  const encoding = newSetEncoding(argv.bytes, argv.off(first), argv.len(first), members, c.engine.encodings.set)
  return c.db.addRoot(argv.bytes, argv.off(i), argv.len(i), SET, encoding, newSetRoot(mem, encoding))
}

/** Answers the member that a read has just found. */
export function replyMember(c: Client): void {
  c.reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
}

/** Deletes the set of argument i if its last member is gone. */
export function removeIfEmpty(c: Client, i: number, entry: Ref): void {
  if (setSize(c.mem, entry) === 0) c.db.removeEmptied(c.argv, i)
}
