/** zset-ahead: reads memory that pops are about to need, so that the processor overlaps their cache misses. See engine/ahead.ts. */
import type { Arena } from '../memory/arena.ts'
import { REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { dictTouch, hashOf } from '../structs/dict.ts'
import { COUNT, FIRST, LAST, LEAF_ENTRIES } from '../structs/ranktree-node.ts'
import { largeDict, largeTree } from './zset-large.ts'

/** Members that are read ahead at a time. */
const AHEAD = 8

const hashes = new Int32Array(AHEAD)
const dicts = new Uint32Array(AHEAD)
/** Takes what is read, so that no compiler drops the reads. */
export let touchSink = 0

/** To be called before `popped` of the `size` members of a large sorted set are taken off an end; reads ahead once in AHEAD of them. */
export function touchEnd(mem: Arena, root: Ref, last: boolean, size: number, popped: number): void {
  if (size % AHEAD >= popped) return
  const tree = largeTree(mem, root)
  const leaf = mem.u32[tree >>> REF_SEGMENT][((tree & REF_GRANULE) << 1) + (last ? LAST : FIRST)]
  const u32 = mem.u32[leaf >>> REF_SEGMENT]
  const at = (leaf & REF_GRANULE) << 1
  const count = Math.min(u32[at + COUNT], AHEAD)
  const first = at + LEAF_ENTRIES + (last ? u32[at + COUNT] - count : 0)
  let sink = 0
  for (let i = 0; i < count; i++) {
    const entry = u32[first + i]
    sink ^= mem.u32[entry >>> REF_SEGMENT][(entry & REF_GRANULE) << 1]
  }
  for (let i = 0; i < count; i++) {
    dicts[i] = largeDict(mem, root)
    hashes[i] = hashOf(mem, u32[first + i] as Ref)
  }
  touchSink = sink ^ dictTouch(mem, dicts, hashes, count)
}
