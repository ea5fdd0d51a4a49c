/** Finding hashes for the commands that work on them. Fields whose time has come are gone before a command sees the hash. */
import type { Client } from '../engine/client.ts'
import { fieldsAreDue, purgeFields } from '../keyspace/field-expiry.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { WRONGTYPE } from '../resp/errors.ts'
import { typeOf } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { hashLength, newHash } from '../types/hash.ts'
import { HASH, LISTPACK } from '../types/object.ts'

/** In place of an entry: the key holds something else, and the error has been answered. */
export const WRONG = 0xffffffff as Ref

/** The hash of argument i for a command that reads: null when there is none, WRONG when it has answered an error. */
export function readHash(c: Client, i: number): Ref {
  return checked(c, c.db.lookupRead(c.argv, i))
}

/** The hash of argument i for a command that changes it. */
export function writeHash(c: Client, i: number): Ref {
  return checked(c, c.db.lookupWrite(c.argv, i))
}

function checked(c: Client, entry: Ref): Ref {
  if (entry === NULL_REF) return NULL_REF
  if (typeOf(c.mem, entry) !== HASH) {
    c.reply.error(WRONGTYPE)
    return WRONG
  }
  return fieldsAreDue(c.db, entry) && !purgeFields(c.db, entry) ? NULL_REF : entry
}

/** A new, empty hash under the name of argument i. */
export function addHash(c: Client, i: number): Ref {
  const { argv } = c
  return c.db.addRoot(argv.bytes, argv.off(i), argv.len(i), HASH, LISTPACK, newHash(c.mem))
}

/** Answers the bytes that a read has just found. */
export function replyFound(c: Client): void {
  c.reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
}

/** Deletes the hash of argument i if its last field is gone. */
export function removeIfEmpty(c: Client, i: number, entry: Ref): void {
  if (hashLength(c.mem, entry) === 0) c.db.removeEmptied(c.argv, i)
}
