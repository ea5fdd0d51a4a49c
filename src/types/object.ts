/**
 * object: the types a key can hold, their encodings, and what the keyspace needs to do with any of them.
 *
 * An entry's word 0 has the type and the encoding; the numbers are Redis', so that DUMP and OBJECT agree.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import type { Ref } from '../memory/ref.ts'

export const STRING = 0
export const LIST = 1
export const SET = 2
export const ZSET = 3
export const HASH = 4
export const BLOOM = 5
export const STREAM = 6

export const RAW = 0
export const INT = 1
export const HASHTABLE = 2
export const INTSET = 6
export const SKIPLIST = 7
export const EMBSTR = 8
export const QUICKLIST = 9
export const STREAM_NODES = 10
export const LISTPACK = 11
/** A hash listpack whose fields carry an expiry time. */
export const LISTPACK_EX = 12
export const BLOOM_CHAIN = 13

/** What OBJECT ENCODING says. */
export const ENCODING_NAMES: readonly string[] = [
  'raw',
  'int',
  'hashtable',
  '',
  '',
  '',
  'intset',
  'skiplist',
  'embstr',
  'quicklist',
  'stream',
  'listpack',
  'listpackex',
  'raw',
]

/** Word 0 of a new entry, before its access clock is set. */
export function word0(type: number, encoding: number): number {
  return (encoding << 4) | type
}

/** What the keyspace does with a value without knowing its type. `entry` is the key's entry. */
export interface TypeOps {
  /** What TYPE says. */
  readonly name: string
  /** Frees what the entry's root refers to (not the entry). */
  free(mem: Arena, entry: Ref): void
  /**
   * Frees a part of it, about `budget` blocks; true when nothing is left. The value is not used any more, and is given
   * back to this function until it is done.
   */
  freeStep(mem: Arena, entry: Ref, budget: number): boolean
  /** About how many blocks `free` gives back. */
  freeEffort(mem: Arena, entry: Ref): number
  /** Reports every block the root refers to. */
  audit(mem: Arena, entry: Ref, report: Report): void
  /** About how many bytes `audit` would report, from so many elements or nodes. A type without it has few blocks. */
  estimate?(mem: Arena, entry: Ref, samples: number): number
  /** A deep copy of the root. On OutOfMemory nothing is left behind. */
  copyRoot(mem: Arena, entry: Ref): Ref
  /**
   * Moves what lies at this place of a large collection out of segments that are being evacuated: a few dozen blocks, or about
   * MOVE_STEP_BYTES. Leads the place on; false at the end. The collection may change in any way between two steps: what is missed then
   * stays where it is. A type without it is only moved as a whole, by a copy. On OutOfMemory the collection is as it was.
   */
  moveStep?(mem: Arena, entry: Ref, place: MovePlace): boolean
}

/** Where the walk through a collection that is moved goes on. What the numbers mean is the type's; all are 0 at the beginning. */
export interface MovePlace {
  at: number
  group: number
  consumer: number
}
