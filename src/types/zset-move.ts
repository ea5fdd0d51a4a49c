/**
 * zset-move: moving a large sorted set out of segments that are being evacuated, a bucket of members, a page of buckets or a leaf of the
 * tree a step.
 *
 *   place   those of its dict (table-move.ts) | TREE + rank: the nodes on the way to that rank
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { dictMoveRoot } from '../structs/dict-move.ts'
import { setValueRef, valueRef } from '../structs/entry.ts'
import { rankMoveNodes, rankMoveRoot } from '../structs/ranktree-move.ts'
import type { MovePlace } from './object.ts'
import { moveTableStep } from './table-move.ts'
import { LARGE_ROOT_BYTES, largeDict, largeTree } from './zset-large.ts'

const TREE = 2 ** 35

/** One step; false at the end. */
export function moveLargeStep(mem: Arena, entry: Ref, place: MovePlace): boolean {
  if (place.at === 0) moveRoots(mem, entry)
  const root = valueRef(mem, entry)
  if (place.at < TREE) {
    const next = moveTableStep(mem, largeDict(mem, root), NULL_REF, place.at, largeTree(mem, root))
    place.at = next === 0 ? TREE : next
    return true
  }
  const rank = rankMoveNodes(mem, largeTree(mem, root), place.at - TREE)
  place.at = rank === 0 ? 0 : TREE + rank
  return rank !== 0
}

function moveRoots(mem: Arena, entry: Ref): void {
  const root = mem.moveOut(valueRef(mem, entry), LARGE_ROOT_BYTES)
  setValueRef(mem, entry, root)
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  u32[at] = dictMoveRoot(mem, u32[at] as Ref)
  u32[at + 1] = rankMoveRoot(mem, u32[at + 1] as Ref)
}
