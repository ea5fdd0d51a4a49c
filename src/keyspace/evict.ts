/**
 * evict: choosing which key gives way when memory is short.
 *
 * The keys of a few random buckets are compared, and the best of them are kept in a pool of 16 from one eviction to the next. So the pool
 * approaches the best keys of the whole database, as if the sample had been much larger (the idea is Redis').
 *
 *   pool, worst first     score | database | entry | hash | access state
 *
 * (1) The pool holds refs, but trusts none: a candidate counts only if its database still has this very entry under this hash, and with
 *     the access state that was seen. An entry that was used since, or another one at the same place, is dropped.
 * (2) Nothing is copied and nothing is made: an eviction costs one bucket of random reads and the deletion.
 *
 * Scores: idle seconds, 255 - use counter, or minus the time to die. The largest goes first.
 */
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { dictBucket, dictBuckets, dictFindEntry, dictRandom, dictSize, visited } from '../structs/dict.ts'
import { lruOf, slotValue } from '../structs/entry.ts'
import type { Db } from './db.ts'
import { EVENT_EVICTED } from './hooks.ts'
import type { Keyspace } from './keyspace.ts'

const POOL = 16

export type EvictionKind = 'lru' | 'lfu' | 'ttl' | 'random'

export class Eviction {
  /** What keys are judged by; null: none is evicted. */
  kind: EvictionKind | null = null
  /** Only keys with a time to live go. */
  volatileOnly = false
  /** Keys looked at for each database before one is chosen, at least. */
  samples = 5
  private readonly space: Keyspace
  private size = 0
  private readonly scores = new Float64Array(POOL)
  private readonly dbs = new Uint32Array(POOL)
  private readonly entries = new Uint32Array(POOL)
  private readonly hashes = new Int32Array(POOL)
  private readonly states = new Uint32Array(POOL)
  private nextDb = 0

  constructor(space: Keyspace) {
    this.space = space
  }

  /** Takes a maxmemory-policy. */
  choose(policy: string): void {
    const [scope, kind] = policy.split('-')
    this.volatileOnly = scope === 'volatile'
    this.kind = kind === undefined ? null : (kind as EvictionKind)
    this.size = 0
  }

  private dictOf(db: Db): Ref {
    return this.volatileOnly ? db.expires : db.keys
  }

  /** Deletes one key; false when there is none that may go. */
  evictOne(lazy: boolean): boolean {
    if (this.kind === null) return false
    return this.kind === 'random' ? this.evictRandom(lazy) : this.evictBest(lazy)
  }

  private evictRandom(lazy: boolean): boolean {
    const { space } = this
    for (let tries = 0; tries < space.dbs.length; tries++) {
      const db = space.dbs[this.nextDb++ % space.dbs.length]
      const entry = dictRandom(space.mem, this.dictOf(db), space.random)
      if (entry === NULL_REF) continue
      evict(db, entry, lazy)
      return true
    }
    return false
  }

  private evictBest(lazy: boolean): boolean {
    const { space } = this
    for (;;) {
      let keys = 0
      for (const db of space.dbs) {
        const size = dictSize(space.mem, this.dictOf(db))
        if (size > 0) this.sample(db)
        keys += size
      }
      if (keys === 0) return false
      while (this.size > 0) {
        const at = --this.size
        const db = space.dbs[this.dbs[at]]
        const entry = this.entries[at] as Ref
        if (!this.isLive(db, entry, this.hashes[at], this.states[at])) continue
        evict(db, entry, lazy)
        return true
      }
    }
  }

  private isLive(db: Db, entry: Ref, hash: number, state: number): boolean {
    return dictFindEntry(db.mem, this.dictOf(db), entry, hash) && (this.kind === 'ttl' || lruOf(db.mem, entry) === state)
  }

  /** Looks at random buckets until `samples` keys were seen. */
  private sample(db: Db): void {
    const { mem, random } = this.space
    const dict = this.dictOf(db)
    const buckets = dictBuckets(mem, dict)
    let left = Math.min(this.samples, dictSize(mem, dict))
    for (let draws = 0; left > 0 && draws < 1000; draws++) {
      dictBucket(mem, dict, random.below(buckets))
      left -= visited.length
      for (let i = 0; i < visited.length; i++) this.consider(db, visited[i])
    }
    if (left > 0 && this.size === 0) this.consider(db, dictRandom(mem, dict, random))
  }

  private scoreOf(db: Db, entry: Ref): number {
    const { space } = this
    if (this.kind === 'ttl') return -slotValue(db.mem, entry)
    const state = lruOf(db.mem, entry)
    return this.kind === 'lfu' ? 255 - space.lfuDecayed(state) : space.idleSeconds(state)
  }

  /** Puts an entry into the pool if it is better than the worst there, or there is room. */
  private consider(db: Db, entry: Ref): void {
    const score = this.scoreOf(db, entry)
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
    this.states[at] = lruOf(db.mem, entry)
  }

  private move(from: number, to: number): void {
    this.scores[to] = this.scores[from]
    this.dbs[to] = this.dbs[from]
    this.entries[to] = this.entries[from]
    this.hashes[to] = this.hashes[from]
    this.states[to] = this.states[from]
  }
}

function evict(db: Db, entry: Ref, lazy: boolean): void {
  db.space.evictedKeys++
  db.vanish(entry, 'evicted', EVENT_EVICTED, 'evicted', lazy)
}
