/**
 * expire: the periodic cycle that deletes volatile keys whose time has come, although nobody asks for them.
 *
 * Each database's `expires` dict is walked bucket by bucket. A cycle goes on while more than `acceptable` percent of the
 * keys it met were expired, and never longer than its budget, so expired keys that are still there stay under about
 * 10% without holding the event loop.
 */
import { dictScan, dictSize, visited } from '../structs/dict.ts'
import { slotValue } from '../structs/entry.ts'
import type { Db } from './db.ts'
import type { Keyspace } from './keyspace.ts'

/** Keys and empty buckets met between two looks at the clock. */
const STEPS_PER_LOOK = 64

export interface ExpireEffort {
  /** Share of expired keys, in percent, that is left alone. */
  readonly acceptable: number
  readonly budgetUs: number
}

/** The cycle's limits from active-expire-effort (1 to 10) and the time between two cycles. */
export function expireEffort(effort: number, periodMs: number): ExpireEffort {
  const share = 25 + 2 * (effort - 1)
  return { acceptable: 11 - effort, budgetUs: Math.min(5000, (periodMs * 1000 * share) / 100) }
}

/** One cycle over all databases. Returns whether it ended because its time was up. */
export function expireCycle(space: Keyspace, effort: ExpireEffort): boolean {
  const end = space.clock.monotonicUs() + effort.budgetUs
  space.readClock()
  for (const db of space.dbs) {
    if (dictSize(space.mem, db.expires) > 0 && expireDb(db, effort.acceptable, end)) return true
  }
  return false
}

/** Walks one database's volatile keys; true when the time was up. */
function expireDb(db: Db, acceptable: number, endUs: number): boolean {
  const { space, mem } = db
  let met = 0
  let steps = 0
  let expired = 0
  let ttlSum = 0
  let volatile = 0
  const first = db.expireCursor
  do {
    db.expireCursor = dictScan(mem, db.expires, db.expireCursor)
    const bucket = visited.slice()
    for (const entry of bucket) {
      const left = slotValue(mem, entry) - space.nowMs
      if (left <= 0) {
        db.expire(entry)
        expired++
      } else {
        ttlSum += left
        volatile++
      }
    }
    met += bucket.length
    steps += 1 + bucket.length
    if (steps < STEPS_PER_LOOK) continue
    if (space.clock.monotonicUs() > endUs) return true
    if (met > 0 && expired * 100 <= met * acceptable) break
    steps = 0
    met = 0
    expired = 0
  } while (db.expireCursor !== first && dictSize(mem, db.expires) > 0)
  if (volatile > 0) db.avgTtl = db.avgTtl === 0 ? ttlSum / volatile : db.avgTtl * 0.98 + (ttlSum / volatile) * 0.02
  return false
}
