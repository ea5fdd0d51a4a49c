/**
 * lazyfree: values and whole dicts whose memory is given back in slices, after the key is gone.
 *
 * (1) What is queued belongs to nobody else any more. (2) A slice ends after `budget` blocks, give or take one bucket.
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { auditDict, dictDismantle, dictForEach, dictSize } from '../structs/dict.ts'
import { entrySize, freeEntry, hasFlag, isOutside, outsideCapacity, ROOT, typeOf, valueRef } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'

/** From how many blocks on a value is worth queueing. */
export const LAZY_EFFORT = 64

interface DictJob {
  readonly dict: Ref
  /** Whether the entries are freed with the dict. */
  readonly owns: boolean
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
  /** Keys and scripts whose memory was given back later because a command or an option asked for it: lazyfreed_objects. */
  freed = 0
  /** lazyfree-lazy-expire and lazyfree-lazy-server-del, as far as the keyspace has to know. */
  expired = false
  replaced = false
  private readonly mem: Arena
  private readonly entries: Ref[] = []
  /** Those among them that are freed in slices although nobody asked for it, since it would take long: they do not count. */
  private readonly unasked = new Set<Ref>()
  /** Among `entries`, the one that is being freed. */
  private current: Ref = NULL_REF
  private readonly dicts: DictJob[] = []

  constructor(mem: Arena) {
    this.mem = mem
  }

  /** Keys whose memory is still waiting. */
  get pending(): number {
    let keys = this.entries.length + (this.current === NULL_REF ? 0 : 1)
    for (const { dict, owns } of this.dicts) if (owns) keys += dictSize(this.mem, dict)
    return keys
  }

  addEntry(entry: Ref, asked: boolean): void {
    this.entries.push(entry)
    if (!asked) this.unasked.add(entry)
  }

  /** Counts things that were dropped at once when later was good enough. */
  countDropped(count: number): void {
    if (count > LAZY_EFFORT) this.freed += count
  }

  /** Takes over a keyspace dict, and its entries if it owns them. */
  addDict(dict: Ref, owns: boolean): void {
    this.dicts.push({ dict, owns })
  }

  /** Frees about `budget` blocks; true when there is more to do. */
  step(budget: number): boolean {
    if (this.current === NULL_REF) this.current = this.entries.pop() ?? NULL_REF
    if (this.current !== NULL_REF) this.stepEntry(budget)
    else if (this.dicts.length > 0) this.stepDict(this.dicts[0], budget)
    return this.current !== NULL_REF || this.entries.length > 0 || this.dicts.length > 0
  }

  private stepEntry(budget: number): void {
    const entry = this.current
    if (hasFlag(this.mem, entry, ROOT) && !TYPES[typeOf(this.mem, entry)].freeStep(this.mem, entry, budget)) return
    this.current = NULL_REF
    freeEntry(this.mem, entry)
    if (!this.unasked.delete(entry)) this.freed++
  }

  private stepDict(job: DictJob, budget: number): void {
    const done = dictDismantle(this.mem, job.dict, budget, job.owns ? this.freeOrQueue : leave)
    if (done) this.dicts.shift()
  }

  /** Frees a small value, queues a large one; returns the blocks it cost. */
  private readonly freeOrQueue = (entry: Ref): number => {
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
    if (this.current !== NULL_REF) auditEntry(this.mem, this.current, report)
    for (const entry of this.entries) auditEntry(this.mem, entry, report)
    for (const { dict, owns } of this.dicts) {
      auditDict(this.mem, dict, report)
      if (owns) dictForEach(this.mem, dict, (entry) => auditEntry(this.mem, entry, report))
    }
  }
}

function leave(): number {
  return 0
}
