/**
 * dict-free: the blocks a dict's tables are made of: reporting them, freeing them at once, or a few buckets at a time.
 *
 * (1) A dict that is being taken apart is valid for dictForEach, auditDict and freeDict at any time: swept buckets are empty, and swept
 *     pages are gone. It must not be looked up in or changed otherwise.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import { dictBucket, dictBuckets, visited } from './dict-scan.ts'
import {
  BUCKET_BYTES,
  BUCKET_WORDS,
  bucketAt,
  bucketView,
  COUNT,
  freeOverflow,
  locate,
  MASK0,
  MASK1,
  NEXT,
  NOT_REHASHING,
  OVERFLOW,
  overflowGone,
  PAGE_BUCKETS,
  PAGE_BYTES,
  REHASH,
  ROOT_BYTES,
  SWEPT,
  TABLE0,
  TABLE1,
  tableBytes,
} from './dict-table.ts'

/** Frees the tables and the root. The entries are the caller's. */
export function freeDict(mem: Arena, dict: Ref): void {
  eachBlock(mem, dict, (ref, bytes) => mem.free(ref, bytes))
}

/** Bytes of all these blocks, from the counts that the dict keeps: a step for each page of buckets. */
export function dictBytes(mem: Arena, dict: Ref): number {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const own = usableBytes(ROOT_BYTES) + u32[root + OVERFLOW] * BUCKET_BYTES + pageBytes(mem, u32[root + TABLE0] as Ref, u32[root + MASK0])
  return u32[root + REHASH] === NOT_REHASHING ? own : own + pageBytes(mem, u32[root + TABLE1] as Ref, u32[root + MASK1])
}

function pageBytes(mem: Arena, table: Ref, mask: number): number {
  const bytes = usableBytes(tableBytes(mask))
  if (mask < PAGE_BUCKETS) return bytes
  const view = mem.u32[segmentOf(table)]
  let pages = 0
  for (let at = wordOf(table), end = at + ((mask + 1) >>> 10); at < end; at++) if (view[at] !== 0) pages++
  return bytes + pages * PAGE_BYTES
}

/** Reports the blocks of the table itself (not the entries). */
export function auditDict(mem: Arena, dict: Ref, report: Report): void {
  eachBlock(mem, dict, report)
}

/**
 * Takes a part of the dict away: buckets until `budget` is used up. `visit` takes over each entry and returns what it cost. True when
 * nothing is left, the dict itself included.
 */
export function dictDismantle(mem: Arena, dict: Ref, budget: number, visit: (entry: Ref) => number): boolean {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  const buckets = dictBuckets(mem, dict)
  let left = budget
  for (; left > 0 && u32[root + SWEPT] < buckets; left--) {
    const position = u32[root + SWEPT]
    const first = position <= u32[root + MASK0]
    const table = u32[root + (first ? TABLE0 : TABLE1)] as Ref
    const mask = u32[root + (first ? MASK0 : MASK1)]
    const bucket = first ? position : position - u32[root + MASK0] - 1
    if (!locate(mem, table, mask, bucket)) {
      u32[root + SWEPT] = position + PAGE_BUCKETS
      continue
    }
    emptyBucket(mem, dict, position)
    if (mask >= PAGE_BUCKETS && (bucket & (PAGE_BUCKETS - 1)) === PAGE_BUCKETS - 1) freePage(mem, table, bucket)
    u32[root + SWEPT] = position + 1
    for (const entry of visited.slice()) left -= visit(entry)
  }
  if (u32[root + SWEPT] < buckets) return false
  freeDict(mem, dict)
  return true
}

/** Empties the bucket at a position that `locate` has just found; its entries are in `visited`. */
function emptyBucket(mem: Arena, dict: Ref, position: number): void {
  const view = bucketView
  const at = bucketAt
  dictBucket(mem, dict, position)
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  u32[root + COUNT] = u32[root + COUNT] - visited.length
  const freed = freeOverflow(mem, view[at + NEXT])
  if (freed > 0) overflowGone(mem, dict, freed, freed)
  view.fill(0, at, at + BUCKET_WORDS)
}

function freePage(mem: Arena, directory: Ref, bucket: number): void {
  const view = mem.u32[segmentOf(directory)]
  const at = wordOf(directory) + (bucket >>> 10)
  mem.free(view[at] as Ref, PAGE_BYTES)
  view[at] = 0
}

/** Calls `block` with each block of the tables, then with the root; a block may be freed as it is visited. */
function eachBlock(mem: Arena, dict: Ref, block: Report): void {
  const u32 = mem.u32[segmentOf(dict)]
  const root = wordOf(dict)
  eachTableBlock(mem, u32[root + TABLE0] as Ref, u32[root + MASK0], block)
  if (u32[root + REHASH] !== NOT_REHASHING) eachTableBlock(mem, u32[root + TABLE1] as Ref, u32[root + MASK1], block)
  block(dict, ROOT_BYTES)
}

function eachTableBlock(mem: Arena, table: Ref, mask: number, block: Report): void {
  if (mask < PAGE_BUCKETS) eachPageBlock(mem, table, mask + 1, block)
  else {
    for (let page = 0; page <= mask >>> 10; page++) {
      const ref = mem.u32[segmentOf(table)][wordOf(table) + page] as Ref
      if (ref !== NULL_REF) eachPageBlock(mem, ref, PAGE_BUCKETS, block)
    }
    block(table, tableBytes(mask))
  }
}

function eachPageBlock(mem: Arena, page: Ref, buckets: number, block: Report): void {
  const view = mem.u32[segmentOf(page)]
  for (let bucket = 0; bucket < buckets; bucket++) {
    let next = view[wordOf(page) + bucket * BUCKET_WORDS + NEXT] as Ref
    while (next !== NULL_REF) {
      const ref = next
      next = mem.u32[segmentOf(ref)][wordOf(ref) + NEXT] as Ref
      block(ref, BUCKET_BYTES)
    }
  }
  block(page, buckets * BUCKET_BYTES)
}
