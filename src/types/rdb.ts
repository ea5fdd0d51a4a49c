/**
 * rdb: values to and from the form they have in RDB files and DUMP payloads.
 *
 * A value is one type byte and what belongs to it; the numbers are the format's. Each type has a codec (NOUN-rdb.ts): how it is saved, and a
 * loader for every type byte that ever meant it. Loading sets `loaded`; the bytes come from outside, so a loader checks all it reads.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import type { HashLimits } from './hash.ts'
import type { ListLimits } from './list.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import type { SetLimits } from './set.ts'
import type { ZsetLimits } from './zset.ts'

export const RDB_STRING = 0
export const RDB_LIST = 1
export const RDB_SET = 2
export const RDB_ZSET = 3
export const RDB_HASH = 4
export const RDB_ZSET_2 = 5
export const RDB_MODULE_2 = 7
export const RDB_HASH_ZIPMAP = 9
export const RDB_LIST_ZIPLIST = 10
export const RDB_SET_INTSET = 11
export const RDB_ZSET_ZIPLIST = 12
export const RDB_HASH_ZIPLIST = 13
export const RDB_LIST_QUICKLIST = 14
export const RDB_STREAM_LISTPACKS = 15
export const RDB_HASH_LISTPACK = 16
export const RDB_ZSET_LISTPACK = 17
export const RDB_LIST_QUICKLIST_2 = 18
export const RDB_STREAM_LISTPACKS_2 = 19
export const RDB_SET_LISTPACK = 20
export const RDB_STREAM_LISTPACKS_3 = 21
export const RDB_HASH_METADATA = 24
export const RDB_HASH_LISTPACK_EX = 25

/** The version of the format that is written, and (hashes with field expiry) the one that first had types 22 and up. */
export const RDB_VERSION = 11
export const RDB_VERSION_MAX = 12

/** Sizes up to which loaded collections stay compact. */
export interface LoadLimits {
  readonly hash: HashLimits
  readonly list: ListLimits
  readonly set: SetLimits
  readonly zset: ZsetLimits
}

/** Writes the type byte and the value. */
export type Saver = (mem: Arena, entry: Ref, out: RdbWriter) => void
/** Reads what follows the type byte; false (and nothing allocated) when it is broken. */
export type Loader = (mem: Arena, input: RdbReader, rdbType: number, limits: LoadLimits) => boolean

/** What the last successful load made: a collection's root, or the bytes of a string in the reader's `data`. */
export const loaded = { type: 0, encoding: 0, root: NULL_REF as Ref, hasExpiries: false }

/** For a loader: notes what it made. */
export function setLoaded(type: number, encoding: number, root: Ref, hasExpiries = false): true {
  loaded.type = type
  loaded.encoding = encoding
  loaded.root = root
  loaded.hasExpiries = hasExpiries
  return true
}

/** What rdb-registry.ts needs of a type: how it is saved, and which loader understands which type byte. */
export interface Codec {
  readonly save: Saver
  readonly loads: readonly (readonly [rdbType: number, load: Loader])[]
}
