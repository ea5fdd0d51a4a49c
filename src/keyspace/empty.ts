/**
 * empty: no key holds an empty list, set, hash or sorted set. A command that ran out of memory between making its key and filling it
 * leaves one, and what pops from it would read beyond its end.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { typeOf } from '../structs/entry.ts'
import { hashLength } from '../types/hash.ts'
import { listLength } from '../types/list.ts'
import { HASH, LIST, SET, ZSET } from '../types/object.ts'
import { setSize } from '../types/set.ts'
import { zsetLength } from '../types/zset.ts'
import type { Frame } from '../util/argv.ts'
import type { Db } from './db.ts'

/** Deletes the keys among these arguments that hold nothing. */
export function dropEmpty(db: Db, argv: Frame): void {
  for (let i = 1; i < argv.count; i++) {
    const entry = db.peek(argv, i)
    if (entry !== NULL_REF && isEmpty(db.mem, entry)) db.remove(argv.bytes, argv.off(i), argv.len(i))
  }
}

function isEmpty(mem: Arena, entry: Ref): boolean {
  switch (typeOf(mem, entry)) {
    case LIST:
      return listLength(mem, entry) === 0
    case SET:
      return setSize(mem, entry) === 0
    case HASH:
      return hashLength(mem, entry) === 0
    case ZSET:
      return zsetLength(mem, entry) === 0
    default:
      return false
  }
}
