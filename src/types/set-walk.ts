/**
 * set walk: going through the members of a set.
 *
 * There is one walk at a time; it is over when its set changes or another dict is visited. Looking members up in other sets, and adding
 * them to others, does not disturb it.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { dictBucket, dictBuckets, dictScan, visited } from '../structs/dict.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { intsetLength } from '../structs/intset.ts'
import { LP_END, lpFirst } from '../structs/listpack.ts'
import { lpDecode, lpSkip } from '../structs/listpack-element.ts'
import { pointAtKey } from './hash.ts'
import { HASHTABLE, INTSET, LISTPACK } from './object.ts'
import { pointAtInteger } from './set.ts'
import { keepsViews, NO_BYTES } from '../util/views.ts'

/** The current member: its index in an intset, its byte in a listpack's view, or its entry of a table's bucket. */
const walk = {
  encoding: INTSET,
  root: NULL_REF as Ref,
  view: NO_BYTES,
  at: 0,
  position: 0,
  member: NULL_REF as Ref,
}
keepsViews({ letGo: () => void (walk.view = NO_BYTES) })

/** Begins a walk over all members; false when there are none. */
export function memberFirst(mem: Arena, entry: Ref): boolean {
  const root = valueRef(mem, entry)
  walk.encoding = encodingOf(mem, entry)
  walk.root = root
  walk.at = 0
  if (walk.encoding === INTSET) return intsetLength(mem, root) > 0
  if (walk.encoding === LISTPACK) {
    walk.view = mem.u8[segmentOf(root)]
    walk.at = byteOf(root) + lpFirst(mem, root)
    return lpFirst(mem, root) !== 0
  }
  walk.position = -1
  visited.length = 0
  return memberNext(mem)
}

/** Goes to the next member; false at the end. */
export function memberNext(mem: Arena): boolean {
  if (walk.encoding === LISTPACK) {
    walk.at = lpSkip(walk.view, walk.at)
    return walk.view[walk.at] !== LP_END
  }
  if (walk.encoding === INTSET) return ++walk.at < intsetLength(mem, walk.root)
  while (walk.at === visited.length) {
    if (++walk.position >= dictBuckets(mem, walk.root)) return false
    dictBucket(mem, walk.root, walk.position)
    walk.at = 0
  }
  walk.member = visited[walk.at++]
  return true
}

/** Points `lpValue` at the current member's bytes. */
export function memberGet(mem: Arena): void {
  if (walk.encoding === HASHTABLE) pointAtKey(mem, walk.member)
  else if (walk.encoding === LISTPACK) lpDecode(walk.view, walk.at)
  else pointAtInteger(mem, walk.root, walk.at)
}

/** One step of a scan over a table: its entries are in `visited`. */
export function setScan(mem: Arena, entry: Ref, cursor: number): number {
  return dictScan(mem, valueRef(mem, entry), cursor)
}
