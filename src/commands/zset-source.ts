/** The inputs of a combination: sorted sets and sets, walked and asked for members in the same way. */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { dictBucket, dictBuckets, visited } from '../structs/dict.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { intsetLength } from '../structs/intset.ts'
import { lpFirst, lpGet, lpNext, lpValue } from '../structs/listpack.ts'
import { pointAtKey } from '../types/hash.ts'
import { HASHTABLE, INTSET, ZSET } from '../types/object.ts'
import { pointAtInteger, setHas, setSize } from '../types/set.ts'
import { zsetLength, zsetScore } from '../types/zset.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { copyBytes } from '../util/bytes.ts'

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

/** A walk over a set that does not change. */
class SetWalk implements MemberWalk {
  bytes: Uint8Array = NOTHING.bytes
  off = 0
  len = 0
  readonly score = 1
  private readonly mem: Arena
  private readonly encoding: number
  private readonly root: Ref
  /** Index of the next integer, position of the next element, or the next bucket. */
  private at = 0
  private bucket: Ref[] = []
  private readonly digits = new Uint8Array(24)

  constructor(mem: Arena, entry: Ref) {
    this.mem = mem
    this.encoding = encodingOf(mem, entry)
    this.root = valueRef(mem, entry)
    if (this.encoding !== INTSET && this.encoding !== HASHTABLE) this.at = lpFirst(mem, this.root)
  }

  next(): boolean {
    const { mem, root } = this
    if (this.encoding === HASHTABLE) return this.nextInTable()
    if (this.encoding === INTSET) {
      if (this.at === intsetLength(mem, root)) return false
      pointAtInteger(mem, root, this.at++)
    } else {
      if (this.at === 0) return false
      lpGet(mem, root, this.at)
      this.at = lpNext(mem, root, this.at)
    }
    this.take()
    return true
  }

  private nextInTable(): boolean {
    const { mem, root } = this
    while (this.bucket.length === 0) {
      if (this.at === dictBuckets(mem, root)) return false
      dictBucket(mem, root, this.at++)
      this.bucket = visited.slice()
    }
    pointAtKey(mem, this.bucket.pop() as Ref)
    this.take()
    return true
  }

  /** Takes over the member that was read; digits of an integer are in scratch that other reads overwrite. */
  private take(): void {
    this.len = lpValue.len
    if (lpValue.len > this.digits.length) {
      this.bytes = lpValue.bytes
      this.off = lpValue.off
      return
    }
    copyBytes(this.digits, 0, lpValue.bytes, lpValue.off, lpValue.len)
    this.bytes = this.digits
    this.off = 0
  }
}
