/** The inputs of a combination: sorted sets and sets, walked and asked for members in the same way. */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { zsetLength, zsetScore } from '../types/zset.ts'
import { ZsetWalk } from '../types/zset-walk.ts'

/** A walk over members with their scores. */
export interface MemberWalk {
  readonly bytes: Uint8Array
  readonly off: number
  readonly len: number
  readonly score: number
  next(): boolean
}

const NOTHING: MemberWalk = { bytes: new Uint8Array(0), off: 0, len: 0, score: 0, next: () => false }

export class Source {
  /** The key's entry; null when there is no such key. */
  readonly entry: Ref
  readonly size: number
  weight = 1

  constructor(mem: Arena, entry: Ref) {
    this.entry = entry
    this.size = entry === NULL_REF ? 0 : zsetLength(mem, entry)
  }

  /** Sets out over all members. */
  walk(mem: Arena): MemberWalk {
    const { entry } = this
    if (entry === NULL_REF) return NOTHING
    const walk = new ZsetWalk()
    walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, true)
    return walk
  }
}

/** The score of the walk's member in a source, 1 in a set; NaN when it is not there. */
export function scoreIn(mem: Arena, source: Source, walk: MemberWalk): number {
  const { entry } = source
  if (entry === NULL_REF) return Number.NaN
  return zsetScore(mem, entry, walk.bytes, walk.off, walk.len)
}
