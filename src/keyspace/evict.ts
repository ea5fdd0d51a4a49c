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
 *     The more keys a look has met, the more go, and among equals those that go are drawn from all of them. Else as many would go from
 *     sparse buckets as from full ones; bucket sizes would drift apart, and the table would take the room of one key in a hundred.
 *     A policy that judges by nothing needs no sample: its keys are drawn one by one, uniformly.
 * (4) Keys are looked at for about BATCH evictions in one go, and all their access states are read before the first is judged. Each such read
 *     misses the processor's caches, and it waits for many of them at once instead of one by one: that is most of an eviction's time.
 *
 * Scores: idle seconds, 255 - use counter, minus the time to die, or a random number. The largest goes first.
 */
import { REF_GRANULE, REF_SEGMENT, type Ref } from '../memory/ref.ts'
import { dictBuckets, dictDraw, dictFindEntry, dictRandom, dictSample, dictSize } from '../structs/dict.ts'
import { hasFlag, lruOf, ROOT, slotValue, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'
import type { Db } from './db.ts'
import { EVENT_EVICTED } from './hooks.ts'
import type { Keyspace } from './keyspace.ts'

const POOL = 16
/** Evictions that one look at the keys is for. */
const BATCH = 4
/** With fewer a look would take a bucket's keys nearly all away. */
const LEAST = 4
/** A prime: entries under consideration are judged in strides of so many. */
const STRIDE = 7
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
  /** How many entries that are no better than the worst of a full pool may still go in. */
  private equals = 0
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
      if ((this.left === 0 || this.size === 0) && !this.look()) return false
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

  /** Looks at keys of every database, and sets for how many evictions that is good; false when there are none. */
  private look(): boolean {
    const { dbs, mem } = this.space
    let shares = 0
    let databases = 0
    if (this.kind === 'random') this.size = 0
    for (let i = 0; i < dbs.length; i++) {
      const size = dictSize(mem, this.dictOf(dbs[i]))
      if (size === 0) continue
      databases++
      shares += this.kind === 'random' ? this.draw(dbs[i]) : this.sample(dbs[i], size, Math.min(BATCH * this.perEviction, size))
    }
    this.left = Math.max(1, Math.floor(shares / databases))
    return databases > 0
  }

  private get perEviction(): number {
    return Math.max(LEAST, this.samples)
  }

  /** Draws BATCH keys uniformly. */
  private draw(db: Db): number {
    this.judge(db, dictDraw(db.mem, this.dictOf(db), this.space.random, seen, BATCH), BATCH)
    return BATCH
  }

  /** Looks at about `wanted` of the `size` keys; returns for how many evictions these are good. */
  private sample(db: Db, size: number, wanted: number): number {
    const { mem, random } = this.space
    const dict = this.dictOf(db)
    const buckets = dictBuckets(mem, dict)
    const steps = Math.min(MAX_BUCKETS, Math.max(1, Math.floor((wanted * buckets) / size + random.nextDouble())))
    let position = this.kind === 'lru' ? this.cursors[db.id] % buckets : random.below(buckets)
    let count = 0
    for (let step = 0; step < steps && count < seen.length; step++) {
      count = dictSample(mem, dict, position, seen, count)
      if (++position === buckets) position = 0
    }
    this.cursors[db.id] = position
    if (count === 0) seen[count++] = dictRandom(mem, dict, random)
    const share = Math.floor(count / this.perEviction + random.nextDouble())
    this.judge(db, count, share)
    return share
  }

  /**
   * Puts what is under consideration into the pool as far as it is good enough; of those that are as good as the worst there, `share`.
   * It begins anywhere and goes on in strides, so that these come from all buckets.
   */
  private judge(db: Db, count: number, share: number): void {
    const views = db.mem.u32
    for (let i = 0; i < count; i++) words[i] = views[seen[i] >>> REF_SEGMENT][(seen[i] & REF_GRANULE) << 1]
    const stride = count % STRIDE === 0 ? 1 : STRIDE
    this.equals = share
    for (let i = 0, at = this.space.random.below(count); i < count; i++, at = (at + stride) % count)
      this.consider(db, seen[at] as Ref, words[at] >>> 8)
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
    if (this.size === POOL && (score < scores[0] || (score === scores[0] && this.equals-- <= 0))) return
    for (let i = 0; i < this.size; i++) if (this.entries[i] === entry && this.dbs[i] === db.id) return
    let at = this.size
    if (at < POOL) {
      this.size++
      for (; at > 0 && scores[at - 1] > score; at--) this.move(at - 1, at)
    } else {
      for (at = 0; at + 1 < POOL && scores[at + 1] <= score; at++) this.move(at + 1, at)
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
  db.vanish(entry, 'evicted', EVENT_EVICTED, 'evicted', inSlices, lazy, hash)
}
