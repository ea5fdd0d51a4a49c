/** The inputs of a combination: sorted sets and sets, walked and asked for members in the same way. */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { ZSET } from '../types/object.ts'
import { setHas, setSize } from '../types/set.ts'
import { memberFirst, memberNext, memberGet } from '../types/set-walk.ts'
import { zsetLength, zsetScore } from '../types/zset.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { copyBytes } from '../util/bytes.ts'
import { INT64_TEXT_MAX } from '../util/int64.ts'

/** A walk over members with their scores. Its bytes are valid until the next step. */
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
    this.size = entry === NULL_REF ? 0 : typeOf(mem, entry) === ZSET ? zsetLength(mem, entry) : setSize(mem, entry)
  }

  /** Sets out over all members. */
  walk(mem: Arena): MemberWalk {
    const { entry } = this
    if (entry === NULL_REF) return NOTHING
    if (typeOf(mem, entry) !== ZSET) return new SetWalk(mem, entry)
    const walk = new ZsetWalk()
    walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, true)
    return walk
  }
}

/** The score of the walk's member in a source, 1 in a set; NaN when it is not there. */
export function scoreIn(mem: Arena, source: Source, walk: MemberWalk): number {
  const { entry } = source
  if (entry === NULL_REF) return Number.NaN
  if (typeOf(mem, entry) === ZSET) return zsetScore(mem, entry, walk.bytes, walk.off, walk.len)
  return setHas(mem, entry, walk.bytes, walk.off, walk.len) ? 1 : Number.NaN
}

/** A walk over a set that does not change; one at a time, as there is one first source at a time. */
class SetWalk implements MemberWalk {
  bytes: Uint8Array = NOTHING.bytes
  off = 0
  len = 0
  readonly score = 1
  private readonly mem: Arena
  private readonly entry: Ref
  private begun = false
  private readonly digits = new Uint8Array(INT64_TEXT_MAX)

  constructor(mem: Arena, entry: Ref) {
    this.mem = mem
    this.entry = entry
  }

  next(): boolean {
    const { mem } = this
    const more = this.begun ? memberNext(mem) : memberFirst(mem, this.entry)
    this.begun = true
    if (!more) return false
    memberGet(mem)
    this.len = lpValue.len
    if (lpValue.len > INT64_TEXT_MAX) {
      this.bytes = lpValue.bytes
      this.off = lpValue.off
      return true
    }
    // The digits of an integer are in scratch that other reads overwrite.
    copyBytes(this.digits, 0, lpValue.bytes, lpValue.off, lpValue.len)
    this.bytes = this.digits
    this.off = 0
    return true
  }
}
