/** Storing a computed sorted set under a key, in place of whatever was there. */
import type { Client } from '../engine/client.ts'
import { EVENT_ZSET } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { newRootEntry } from '../structs/entry.ts'
import { LISTPACK, SKIPLIST, word0, ZSET } from '../types/object.ts'
import { freeRoot, shrunk } from '../types/zset.ts'
import { freeLarge, largeSize } from '../types/zset-large.ts'

/** Stores the members of a large root, small when they fit, under argument i and answers their number. The root is taken over. */
export function storeLarge(c: Client, i: number, root: Ref, event: string, changes: number): void {
  const { argv, db, mem, reply } = c
  const size = largeSize(mem, root)
  if (size === 0) {
    freeLarge(mem, root)
    return storeNothing(c, i)
  }
  put(c, i, root)
  reply.int(size)
  c.dirty(changes)
  db.touched(argv.bytes, argv.off(i), argv.len(i))
  db.event(EVENT_ZSET, event, argv.bytes, argv.off(i), argv.len(i))
}

function put(c: Client, i: number, large: Ref): void {
  const { argv, db, mem } = c
  let root = large
  let encoding = SKIPLIST
  try {
    const small = shrunk(mem, large, c.engine.encodings.zset)
    if (small !== NULL_REF) {
      root = small
      encoding = LISTPACK
    }
    const entry = newRootEntry(mem, word0(ZSET, encoding), 0, argv.bytes, argv.off(i), argv.len(i), root)
    root = NULL_REF
    const old = db.lookupWrite(argv, i)
    if (old === NULL_REF) db.add(entry)
    else db.replace(old, entry)
  } catch (error) {
    if (root !== NULL_REF) freeRoot(mem, encoding, root)
    throw error
  }
}

/** An empty result: the key goes away, and the answer is 0. */
export function storeNothing(c: Client, i: number): void {
  c.reply.int(0)
  c.db.storeNothing(c.argv, i, c.engine.lazyServerDel)
}
