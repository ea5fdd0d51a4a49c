/**
 * lazyfree: values and whole dicts whose memory is given back in slices, after the key is gone.
 *
 * (1) What is queued belongs to nobody else any more. (2) A slice ends after `budget` blocks, give or take one bucket.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import type { Ref } from '../memory/ref.ts'
import { auditDict, dictBucket, dictBuckets, dictForEach, dictSize, freeDict, visited } from '../structs/dict.ts'
import { entrySize, freeEntry, hasFlag, isOutside, outsideCapacity, ROOT, typeOf, valueRef } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'

/** From how many blocks on a value is worth queueing. */
export const LAZY_EFFORT = 64

interface DictJob {
  readonly dict: Ref
  position: number
  /** Keys not freed yet. */
  left: number
}

/** Frees an entry with everything it refers to. */
export function freeWithValue(mem: Arena, entry: Ref): void {
  if (hasFlag(mem, entry, ROOT)) TYPES[typeOf(mem, entry)].free(mem, entry)
  freeEntry(mem, entry)
}

/** Reports an entry with everything it refers to. */
export function auditEntry(mem: Arena, entry: Ref, report: Report): void {
  report(entry, entrySize(mem, entry))
  if (isOutside(mem, entry)) report(valueRef(mem, entry), outsideCapacity(mem, entry))
  if (hasFlag(mem, entry, ROOT)) TYPES[typeOf(mem, entry)].audit(mem, entry, report)
}

export class LazyFree {
  /** Keys freed in the background since the start. */
  freed = 0
  private readonly mem: Arena
  private readonly entries: Ref[] = []
  private readonly dicts: DictJob[] = []

  constructor(mem: Arena) {
    this.mem = mem
  }

  /** Keys whose memory is still waiting. */
  get pending(): number {
    return this.entries.length + this.dicts.reduce((sum, job) => sum + job.left, 0)
  }

  addEntry(entry: Ref): void {
    this.entries.push(entry)
  }

  /** Takes over a keyspace dict with its entries. */
  addDict(dict: Ref): void {
    this.dicts.push({ dict, position: 0, left: dictSize(this.mem, dict) })
  }

  /** Frees about `budget` blocks; true when there is more to do. */
  step(budget: number): boolean {
    const job = this.dicts[0]
    if (this.entries.length > 0) this.stepEntry(budget)
    else if (job !== undefined) this.stepDict(job, budget)
    return this.entries.length > 0 || this.dicts.length > 0
  }

  private stepEntry(budget: number): void {
    const entry = this.entries[this.entries.length - 1]
    if (hasFlag(this.mem, entry, ROOT) && !TYPES[typeOf(this.mem, entry)].freeStep(this.mem, entry, budget)) return
    this.entries.pop()
    freeEntry(this.mem, entry)
    this.freed++
  }

  private stepDict(job: DictJob, budget: number): void {
    const buckets = dictBuckets(this.mem, job.dict)
    let left = budget
    for (; left > 0 && job.position < buckets; job.position++) {
      dictBucket(this.mem, job.dict, job.position)
      job.left -= visited.length
      for (const entry of visited.slice()) left -= this.freeOrQueue(entry)
      left--
    }
    if (job.position < buckets) return
    this.dicts.shift()
    freeDict(this.mem, job.dict)
  }

  /** Frees a small value, queues a large one; returns the blocks it cost. */
  private freeOrQueue(entry: Ref): number {
    const effort = hasFlag(this.mem, entry, ROOT) ? TYPES[typeOf(this.mem, entry)].freeEffort(this.mem, entry) : 1
    if (effort > LAZY_EFFORT) {
      this.entries.push(entry)
      return 1
    }
    freeWithValue(this.mem, entry)
    this.freed++
    return effort
  }

  audit(report: Report): void {
    for (const entry of this.entries) auditEntry(this.mem, entry, report)
    for (const { dict, position } of this.dicts) {
      auditDict(this.mem, dict, report)
      if (position === 0) dictForEach(this.mem, dict, (entry) => auditEntry(this.mem, entry, report))
      else this.auditRest(dict, position, report)
    }
  }

  private auditRest(dict: Ref, from: number, report: Report): void {
    for (let position = from; position < dictBuckets(this.mem, dict); position++) {
      dictBucket(this.mem, dict, position)
      for (const entry of visited.slice()) auditEntry(this.mem, entry, report)
    }
  }
}
