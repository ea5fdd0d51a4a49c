/** Setting and deleting fields: HSET, HMSET, HSETNX, HDEL. */
import type { Client } from '../engine/client.ts'
import { EVENT_HASH } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { wrongArity } from '../resp/errors.ts'
import { hashDelete, hashFind, hashLength, hashMakeRoom, hashSet } from '../types/hash.ts'
import { addHash, removeIfEmpty, WRONG, writeHash } from './hash-lookup.ts'

export function hset(c: Client): void {
  const added = setFields(c, 'hset')
  if (added >= 0) c.reply.int(added)
}

export function hmset(c: Client): void {
  if (setFields(c, 'hmset') >= 0) c.reply.ok()
}

/** Sets the fields from argument 2 on; returns how many are new, -1 when it has answered an error. */
function setFields(c: Client, name: string): number {
  const { argv, mem } = c
  if (argv.count % 2 !== 0) {
    c.reply.error(wrongArity(name))
    return -1
  }
  let hash = writeHash(c, 1)
  if (hash === WRONG) return -1
  if (hash === NULL_REF) hash = addHash(c, 1)
  makeRoomFor(c, hash, 2, argv.count)
  const limits = c.engine.encodings.hash
  const bytes = argv.bytes
  let added = 0
  try {
    for (let i = 2; i < argv.count; i += 2) {
      if (hashSet(mem, hash, bytes, argv.off(i), argv.len(i), bytes, argv.off(i + 1), argv.len(i + 1), false, limits)) added++
    }
  } catch (error) {
    // No memory for the first field of a new hash: no key without fields stays behind.
    if (hashLength(mem, hash) === 0) c.db.remove(bytes, argv.off(1), argv.len(1))
    throw error
  }
  c.db.changed(argv, 1, EVENT_HASH, 'hset')
  c.dirty((argv.count - 2) / 2 - 1)
  return added
}

/** Converts the hash if fields and values in arguments [first, end) do not fit a listpack. */
export function makeRoomFor(c: Client, hash: Ref, first: number, end: number): void {
  const { argv } = c
  let longest = 0
  for (let i = first; i < end; i++) if (argv.len(i) > longest) longest = argv.len(i)
  hashMakeRoom(c.mem, hash, (end - first) >>> 1, longest, c.engine.encodings.hash)
}

export function hsetnx(c: Client): void {
  const { argv, mem } = c
  let hash = writeHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF) hash = addHash(c, 1)
  else if (hashFind(mem, hash, argv.bytes, argv.off(2), argv.len(2))) return c.reply.int(0)
  makeRoomFor(c, hash, 2, 4)
  hashSet(mem, hash, argv.bytes, argv.off(2), argv.len(2), argv.bytes, argv.off(3), argv.len(3), false, c.engine.encodings.hash)
  c.reply.int(1)
  c.db.changed(argv, 1, EVENT_HASH, 'hset')
}

export function hdel(c: Client): void {
  const { argv, mem } = c
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF) return c.reply.int(0)
  let deleted = 0
  for (let i = 2; i < argv.count; i++) if (hashDelete(mem, hash, argv.bytes, argv.off(i), argv.len(i))) deleted++
  c.reply.int(deleted)
  if (deleted === 0) return
  c.db.changed(argv, 1, EVENT_HASH, 'hdel')
  c.dirty(deleted - 1)
  removeIfEmpty(c, 1, hash)
}
