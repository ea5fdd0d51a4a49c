/**
 * zset walk: visits the members of a sorted set from a rank on, in either direction, whatever its form.
 *
 *   walk.start(mem, encoding, root, rank, reverse)
 *   while (walk.next()) use walk.bytes, walk.off, walk.len, walk.score
 *
 * The set must not change from `start` to the last `next`; the member's bytes are valid until then.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { keyOffset } from '../structs/entry.ts'
import { lpGet, lpIsInt, lpLength, lpNext, lpPrev, lpSeek, lpValue } from '../structs/listpack.ts'
import { entryAt, type Place, rankSize, scoreAt, seekRank, stepBack, stepForward } from '../structs/ranktree.ts'
import { copyBytes } from '../util/bytes.ts'
import { INT64_TEXT_MAX } from '../util/int64.ts'
import { LISTPACK } from './object.ts'
import { largeTree } from './zset-large.ts'
import { smallScore } from './zset-small.ts'
import { type KeepsViews, NO_BYTES } from '../util/views.ts'

export class ZsetWalk implements KeepsViews {
  bytes = NO_BYTES
  off = 0
  len = 0
  score = 0
  private mem: Arena | null = null
  private reverse = false
  private readonly place: Place = { leaf: NULL_REF, index: 0 }
  private lp: Ref = NULL_REF
  private position = 0
  private readonly digits = new Uint8Array(INT64_TEXT_MAX)

  letGo(): void {
    this.bytes = NO_BYTES
  }

  /** Sets out at `rank`, counted from the end that the walk comes from. */
  start(mem: Arena, encoding: number, root: Ref, rank: number, reverse: boolean): void {
    this.mem = mem
    this.reverse = reverse
    if (encoding === LISTPACK) {
      const size = lpLength(mem, root) >>> 1
      this.lp = root
      this.position = rank < size ? lpSeek(mem, root, 2 * (reverse ? size - 1 - rank : rank)) : 0
    } else {
      const tree = largeTree(mem, root)
      this.lp = NULL_REF
      seekRank(mem, tree, reverse ? rankSize(mem, tree) - 1 - rank : rank, this.place)
    }
  }

  /** Goes to the next member; false behind the last one. */
  next(): boolean {
    const mem = this.mem as Arena
    if (this.lp !== NULL_REF) return this.nextInListpack(mem)
    if (this.place.leaf === NULL_REF) return false
    const entry = entryAt(mem, this.place)
    const u32 = mem.u32[entry >>> REF_SEGMENT]
    const at = (entry & REF_GRANULE) << 1
    this.bytes = mem.u8[entry >>> REF_SEGMENT]
    this.off = (at << 2) + keyOffset(u32[at + 2])
    this.len = u32[at + 1]
    this.score = scoreAt(mem, this.place)
    if (this.reverse) stepBack(mem, this.place)
    else stepForward(mem, this.place)
    return true
  }

  private nextInListpack(mem: Arena): boolean {
    const { lp, position } = this
    if (position === 0) return false
    const at = lpNext(mem, lp, position)
    this.score = smallScore(mem, lp, at)
    if (!this.reverse) this.position = lpNext(mem, lp, at)
    else {
      const before = lpPrev(mem, lp, position)
      this.position = before === 0 ? 0 : lpPrev(mem, lp, before)
    }
    lpGet(mem, lp, position)
    this.len = lpValue.len
    if (!lpIsInt(mem, lp, position)) {
      this.bytes = lpValue.bytes
      this.off = lpValue.off
      return true
    }
    // Digits are in scratch that the next read of any listpack overwrites.
    copyBytes(this.digits, 0, lpValue.bytes, lpValue.off, lpValue.len)
    this.bytes = this.digits
    this.off = 0
    return true
  }
}
