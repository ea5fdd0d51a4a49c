/**
 * dict-move: moving the blocks of a dict's tables out of segments that are being evacuated.
 *
 * (1) Bucket positions stay as they are: cursors and the order of a scan do not notice.
 * (2) Each block is allocated before anything changes.
 */
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { dictBuckets } from './dict-scan.ts'
import {
  BUCKET_BYTES,
  BUCKET_WORDS,
  MASK0,
  MASK1,
  NEXT,
  PAGE_BUCKETS,
  PAGE_BYTES,
  ROOT_BYTES,
  TABLE0,
  TABLE1,
  tableBytes,
} from './dict-table.ts'

/** Moves the root; returns where it is now. */
export function dictMoveRoot(mem: Arena, dict: Ref): Ref {
  return mem.moveOut(dict, ROOT_BYTES)
}

/** Moves the blocks of one page of buckets from `position` on. Returns the next position, 0 after the last. */
export function dictMovePage(mem: Arena, dict: Ref, position: number): number {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  if (position >= dictBuckets(mem, dict)) return 0
  const first = position <= u32[root + MASK0]
  const tableWord = root + (first ? TABLE0 : TABLE1)
  const mask = u32[root + (first ? MASK0 : MASK1)]
  const bucket = first ? position : position - u32[root + MASK0] - 1
  if (bucket === 0) u32[tableWord] = mem.moveOut(u32[tableWord] as Ref, tableBytes(mask))
  const table = u32[tableWord] as Ref
  if (mask < PAGE_BUCKETS) {
    moveChains(mem, table, mask + 1)
    return next(mem, dict, position + mask + 1)
  }
  const directory = mem.u32[segmentOf(table)]
  const at = wordOf(table) + (bucket >>> 10)
  if (directory[at] !== NULL_REF) {
    directory[at] = mem.moveOut(directory[at] as Ref, PAGE_BYTES)
    moveChains(mem, directory[at] as Ref, PAGE_BUCKETS)
  }
  return next(mem, dict, position + PAGE_BUCKETS)
}

function next(mem: Arena, dict: Ref, position: number): number {
  return position < dictBuckets(mem, dict) ? position : 0
}

function moveChains(mem: Arena, page: Ref, buckets: number): void {
  for (let bucket = 0; bucket < buckets; bucket++) {
    let view = mem.u32[segmentOf(page)]
    let at = wordOf(page) + bucket * BUCKET_WORDS
    while (view[at + NEXT] !== 0) {
      const overflow = mem.moveOut(view[at + NEXT] as Ref, BUCKET_BYTES)
      view[at + NEXT] = overflow
      view = mem.u32[segmentOf(overflow)]
      at = wordOf(overflow)
    }
  }
}
