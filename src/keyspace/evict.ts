/**
 * evict: choosing which key gives way when memory is short.
 *
 * The keys of a few buckets are compared, and the best of them are kept in a pool of 16 from one eviction to the next. So the pool
 * approaches the best keys of the whole database, as if the sample had been much larger (the idea is Redis').
 *
 *   pool, worst first     score | database | entry | hash | access state
 *
 * (1) The pool holds refs, but trusts none: a candidate counts only if its database still has this very entry under this hash, and with
 *     the access state that was seen. An entry that was used since, or another one at the same place, is dropped.
 * (2) Nothing is made: an eviction costs the reading of `samples` keys and the deletion.
 * (3) Neighbouring buckets are a random sample, since the hash spreads the keys. For lru each look goes on where the last one ended: it
 *     comes to every key once a round, so no old one is missed for long, and the choice is nearly exact. For the others it begins
 *     anywhere, since exactness does harm there: equals would go in turn, and a client that reads in a loop would find few of them.
 * (4) Keys are looked at for BATCH evictions in one go, and all their access states are read before the first is judged. Each such read
 *     misses the processor's caches, and it waits for many of them at once instead of one by one: that is most of an eviction's time.
 *
 * Scores: idle seconds, 255 - use counter, minus the time to die, or a random number. The largest goes first.
 */
import { REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { dictBuckets, dictFindEntry, dictRandom, dictSample, dictSize } from '../structs/dict.ts'
import { hasFlag, lruOf, ROOT, slotValue, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'
import type { Db } from './db.ts'
import { EVENT_EVICTED } from './hooks.ts'
import type { Keyspace } from './keyspace.ts'

const POOL = 16
/** Evictions that one look at the keys is for. */
const BATCH = 4
/** Buckets looked at before giving up on a sparse dict. */
const MAX_BUCKETS = 1000

/** Values of more blocks are freed in slices even without lazyfree-lazy-eviction. */
const FREE_AT_ONCE = 1000

/** The entries under consideration and their first words. More are never looked at in one go. */
const seen = new Uint32Array(1024)
const words = new Uint32Array(1024)

export type EvictionKind = 'lru' | 'lfu' | 'ttl' | 'random'

export class Eviction {
  /** What keys are judged by; null: none is evicted. */
  kind: EvictionKind | null = null
  /** Only keys with a time to live go. */
  volatileOnly = false
  /** Keys looked at in each database for each key that is evicted. */
  samples = 5
  private readonly space: Keyspace
  private size = 0
  /** Evictions that the last look is still good for. */
  private left = 0
  private readonly scores = new Float64Array(POOL)
  private readonly dbs = new Uint32Array(POOL)
  private readonly entries = new Uint32Array(POOL)
  private readonly hashes = new Int32Array(POOL)
  private readonly states = new Uint32Array(POOL)
  /** By database: the bucket that a walk looks at next. */
  private readonly cursors: Uint32Array

  constructor(space: Keyspace) {
    this.space = space
    this.cursors = Uint32Array.from(space.dbs, () => space.random.nextUint32())
  }

  /** Takes a maxmemory-policy. */
  choose(policy: string): void {
    const [scope, kind] = policy.split('-')
    this.volatileOnly = scope === 'volatile'
    this.kind = kind === undefined ? null : (kind as EvictionKind)
    this.size = 0
    this.left = 0
  }

  private dictOf(db: Db): Ref {
    return this.volatileOnly ? db.expires : db.keys
  }

  /** Deletes one key; false when there is none that may go. `lazy` leaves what is not small to the background. */
  evictOne(lazy: boolean): boolean {
    if (this.kind === null) return false
    for (;;) {
      if (this.left === 0 || this.size === 0) {
        if (!this.look()) return false
        this.left = BATCH
      }
      while (this.size > 0) {
        const at = --this.size
        const db = this.space.dbs[this.dbs[at]]
        if (!this.isLive(db, at)) continue
        this.left--
        evict(db, this.entries[at] as Ref, this.hashes[at], lazy)
        return true
      }
    }
  }

  private isLive(db: Db, at: number): boolean {
    const entry = this.entries[at] as Ref
    if (!dictFindEntry(db.mem, this.dictOf(db), entry, this.hashes[at])) return false
    if (this.kind === 'ttl') return slotValue(db.mem, entry) === -this.scores[at]
    return this.kind === 'random' || lruOf(db.mem, entry) === this.states[at]
  }

  /** Looks at keys of every database; false when there are none. */
  private look(): boolean {
    const { dbs, mem } = this.space
    // two keys are enough to draw one from
    const wanted = BATCH * (this.kind === 'random' ? 2 : this.samples)
    let keys = 0
    if (this.kind === 'random') this.size = 0
    for (let i = 0; i < dbs.length; i++) {
      const size = dictSize(mem, this.dictOf(dbs[i]))
      if (size > 0) this.sample(dbs[i], Math.min(wanted, size, seen.length))
      keys += size
    }
    return keys > 0
  }

  /** Looks at `wanted` keys or some more. */
  private sample(db: Db, wanted: number): void {
    const { mem, random } = this.space
    const dict = this.dictOf(db)
    const buckets = dictBuckets(mem, dict)
    let position = this.kind === 'lru' ? this.cursors[db.id] % buckets : random.below(buckets)
    let count = 0
    for (let steps = 0; count < wanted && steps < MAX_BUCKETS; steps++) {
      count = dictSample(mem, dict, position, seen, count)
      if (++position === buckets) position = 0
    }
    this.cursors[db.id] = position
    if (count === 0) seen[count++] = dictRandom(mem, dict, random)
    if (this.kind === 'random') count = this.draw(count)
    const views = mem.u32
    for (let i = 0; i < count; i++) words[i] = views[seen[i] >>> REF_SEGMENT][(seen[i] & REF_GRANULE) << 1]
    for (let i = 0; i < count; i++) this.consider(db, seen[i] as Ref, words[i] >>> 8)
  }

  /** Moves BATCH of the entries under consideration to the front, by chance. */
  private draw(count: number): number {
    const wanted = Math.min(BATCH, count)
    for (let i = 0; i < wanted; i++) {
      const j = i + this.space.random.below(count - i)
      const entry = seen[i]
      seen[i] = seen[j]
      seen[j] = entry
    }
    return wanted
  }

  private scoreOf(db: Db, entry: Ref, state: number): number {
    const { space, kind } = this
    if (kind === 'lru') return space.idleSeconds(state)
    if (kind === 'lfu') return 255 - space.lfuDecayed(state)
    return kind === 'ttl' ? -slotValue(db.mem, entry) : space.random.nextUint32()
  }

  /** Puts an entry into the pool if it is better than the worst there, or there is room. */
  private consider(db: Db, entry: Ref, state: number): void {
    const score = this.scoreOf(db, entry, state)
    const { scores } = this
    if (this.size === POOL && score <= scores[0]) return
    for (let i = 0; i < this.size; i++) if (this.entries[i] === entry && this.dbs[i] === db.id) return
    let at = this.size
    if (at < POOL) {
      this.size++
      for (; at > 0 && scores[at - 1] > score; at--) this.move(at - 1, at)
    } else {
      for (at = 0; at + 1 < POOL && scores[at + 1] < score; at++) this.move(at + 1, at)
    }
    scores[at] = score
    this.dbs[at] = db.id
    this.entries[at] = entry
    this.hashes[at] = db.hashEntry(entry)
    this.states[at] = state
  }

  private move(from: number, to: number): void {
    this.scores[to] = this.scores[from]
    this.dbs[to] = this.dbs[from]
    this.entries[to] = this.entries[from]
    this.hashes[to] = this.hashes[from]
    this.states[to] = this.states[from]
  }
}

function evict(db: Db, entry: Ref, hash: number, lazy: boolean): void {
  const { mem } = db
  db.space.evictedKeys++
  const inSlices = lazy || (hasFlag(mem, entry, ROOT) && TYPES[typeOf(mem, entry)].freeEffort(mem, entry) > FREE_AT_ONCE)
  db.vanish(entry, 'evicted', EVENT_EVICTED, 'evicted', inSlices, hash)
}
