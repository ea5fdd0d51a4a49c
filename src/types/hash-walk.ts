/**
 * hash walk: going through the fields of a hash, and drawing some at random.
 *
 * There is one walk at a time; it is over when a hash or another dict is changed or visited. `walkField` and `walkValue` point `lpValue`
 * at the name and at the value of the current field; each overwrites what the other read.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { dictBucket, dictBuckets, dictRandom, dictScan, dictSize, visited } from '../structs/dict.ts'
import { encodingOf, hasFlag, SLOT, slotValue, valueRef } from '../structs/entry.ts'
import { LP_END, lpFirst, lpSeek } from '../structs/listpack.ts'
import { integerAt, lpDecode, lpSkip } from '../structs/listpack-element.ts'
import { fieldsOf, hashLength, pointAtKey, pointAtValue, stepOf } from './hash.ts'
import { HASHTABLE } from './object.ts'
import { keepsViews, NO_BYTES } from '../util/views.ts'

/** In a listpack: where the field stands, and how many elements it has. In a table: the bucket, and the field's entry. */
const walk = {
  view: NO_BYTES,
  at: 0,
  step: 0,
  dict: NULL_REF as Ref,
  position: 0,
  index: 0,
  field: NULL_REF as Ref,
}
keepsViews({ letGo: () => void (walk.view = NO_BYTES) })

/** Begins a walk over all fields; false when there are none. */
export function walkFirst(mem: Arena, entry: Ref): boolean {
  const encoding = encodingOf(mem, entry)
  if (encoding !== HASHTABLE) return walkListpack(mem, entry, lpFirst(mem, valueRef(mem, entry)), stepOf(encoding))
  walk.step = 0
  walk.dict = fieldsOf(mem, entry)
  walk.position = -1
  walk.index = 0
  visited.length = 0
  return walkNext(mem)
}

function walkListpack(mem: Arena, entry: Ref, position: number, step: number): boolean {
  const lp = valueRef(mem, entry)
  walk.step = step
  walk.view = mem.u8[segmentOf(lp)]
  walk.at = byteOf(lp) + position
  return position !== 0
}

/** Goes to the next field; false at the end. */
export function walkNext(mem: Arena): boolean {
  if (walk.step !== 0) {
    const view = walk.view
    let at = lpSkip(view, lpSkip(view, walk.at))
    if (walk.step === 3) at = lpSkip(view, at)
    walk.at = at
    return view[at] !== LP_END
  }
  while (walk.index === visited.length) {
    if (++walk.position >= dictBuckets(mem, walk.dict)) return false
    dictBucket(mem, walk.dict, walk.position)
    walk.index = 0
  }
  walk.field = visited[walk.index++]
  return true
}

/** Puts the walk on a uniformly random field of a hash that is not empty. */
export function walkRandom(mem: Arena, entry: Ref, random: { below(limit: number): number }): void {
  const encoding = encodingOf(mem, entry)
  if (encoding === HASHTABLE) {
    walk.step = 0
    walk.field = dictRandom(mem, fieldsOf(mem, entry), random)
  } else {
    const step = stepOf(encoding)
    walkListpack(mem, entry, lpSeek(mem, valueRef(mem, entry), step * random.below(hashLength(mem, entry))), step)
  }
}

/** Puts the walk on this field of a table, as `visited` or `walkKey` gave it. */
export function walkTo(field: Ref): void {
  walk.step = 0
  walk.field = field
}

/** What tells the current field from the others as long as the hash does not change. */
export function walkKey(): number {
  return walk.step === 0 ? walk.field : walk.at
}

/** Points `lpValue` at the current field's name. */
export function walkField(mem: Arena): void {
  if (walk.step === 0) pointAtKey(mem, walk.field)
  else lpDecode(walk.view, walk.at)
}

/** Points `lpValue` at the current field's value. */
export function walkValue(mem: Arena): void {
  if (walk.step === 0) pointAtValue(mem, walk.field)
  else lpDecode(walk.view, lpSkip(walk.view, walk.at))
}

/** When the current field expires; 0 when it does not. */
export function walkExpiry(mem: Arena): number {
  if (walk.step === 0) return hasFlag(mem, walk.field, SLOT) ? slotValue(mem, walk.field) : 0
  return walk.step === 3 ? integerAt(walk.view, lpSkip(walk.view, lpSkip(walk.view, walk.at))) : 0
}

/** One step of a scan over a table: its entries are in `visited`. */
export function hashScan(mem: Arena, entry: Ref, cursor: number): number {
  return dictScan(mem, fieldsOf(mem, entry), cursor)
}

/** Whether drawing single fields of this table is likely to be cheap: it is not nearly empty. */
export function isDense(mem: Arena, entry: Ref): boolean {
  const dict = fieldsOf(mem, entry)
  return dictSize(mem, dict) * 4 > dictBuckets(mem, dict)
}
