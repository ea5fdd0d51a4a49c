/**
 * cron: the work between requests, `hz` times a second: expiry, resizes of dicts, freeing in the background, rates.
 *
 * Each kind of work is bounded in time, and the longest slice that any of it took is in INFO. The timer does not keep
 * the process alive by itself.
 */
import { expireCycle, expireEffort } from '../keyspace/expire.ts'
import { fieldExpiryStep } from '../keyspace/field-expiry.ts'
import { collect, isReleasing } from '../memory/release.ts'
import { letGoOfViews } from '../util/views.ts'
import { dictRehash, dictTrim } from '../structs/dict.ts'
import type { Timer } from '../util/clock.ts'
import type { Engine } from './engine.ts'

/** Time a round gives to dict resizes and to freeing, in microseconds. */
const REHASH_BUDGET_US = 1000
/** How long a resize rests between two slices of its own: adding and removing keys drive it on as well. */
const REHASH_REST_MS = 10
const FREE_BUDGET_US = 1000
const FIELD_BUDGET_US = 1000
/** With fewer commands in a round the server is quiet; otherwise it gives a segment back as often as this. */
const QUIET_COMMANDS = 10
const GIVE_BACK_US = 5_000_000
/** Steps between two looks at the clock. */
const REHASH_STEPS = 64
const FREE_BLOCKS = 64

export class Cron {
  hz = 10
  /** active-expire-effort, 1 to 10. */
  expireEffort = 1
  /** Switched off by DEBUG SET-ACTIVE-EXPIRE 0. */
  activeExpire = true
  /** Connections idle for longer are closed; 0: never. */
  idleTimeoutMs = 0
  /** Stopped by DEBUG PAUSE-CRON. */
  paused = false
  /** Further work of other parts, once a round. */
  readonly jobs: (() => void)[] = []
  private readonly engine: Engine
  private timer: Timer | null = null
  private soon: Timer | null = null
  private later: Timer | null = null
  private lastSampleUs = 0
  private commandsBefore = 0
  private gaveBackUs = 0

  constructor(engine: Engine) {
    this.engine = engine
  }

  start(): void {
    this.timer = this.engine.clock.setTimer(1000 / this.hz, () => {
      this.start()
      this.round()
    })
    this.timer.unref()
  }

  stop(): void {
    if (this.timer !== null) this.engine.clock.clearTimer(this.timer)
    if (this.soon !== null) this.engine.clock.clearTimer(this.soon)
    if (this.later !== null) this.engine.clock.clearTimer(this.later)
    this.timer = null
    this.soon = null
    this.later = null
    letGoOfViews()
  }

  /** One round of everything. */
  round(): void {
    const { engine } = this
    if (this.paused) return
    engine.space.readClock()
    if (this.activeExpire && !engine.space.frozen) this.slice(() => this.expire(), 'expire-cycle')
    this.slice(() => this.rehash())
    this.slice(() => this.free())
    letGoOfViews()
    this.slice(() => this.giveBack())
    for (const job of this.jobs) this.slice(job)
    if (this.idleTimeoutMs > 0) this.slice(() => this.closeIdle())
    this.sample()
    engine.flushWoken()
  }

  /** Runs one piece of background work and keeps the longest time one took; LATENCY hears of it as `event`. */
  slice(work: () => void, event?: string): void {
    const start = this.engine.clock.monotonicUs()
    work()
    const took = this.engine.clock.monotonicUs() - start
    if (took > this.engine.stats.longestSliceUs) this.engine.stats.longestSliceUs = took
    if (event !== undefined) this.engine.latency.add(event, took)
  }

  private expire(): void {
    expireCycle(this.engine.space, expireEffort(this.expireEffort, 1000 / this.hz))
    this.expireFields()
    this.finishCommand()
  }

  /** Hash fields: once around the names of each database, as far as the time goes. */
  private expireFields(): void {
    const { space, clock } = this.engine
    const end = clock.monotonicUs() + FIELD_BUDGET_US
    for (const db of space.dbs) {
      const start = db.volatileCursor
      while (fieldExpiryStep(db) && db.volatileCursor !== 0 && db.volatileCursor !== start) if (clock.monotonicUs() > end) return
    }
  }

  /** Blocked clients and watchers of keys that went meanwhile. */
  private finishCommand(): void {
    if (!this.engine.attention) return
    this.engine.attention = false
    for (const serve of this.engine.afterCommand) serve()
  }

  private rehash(): void {
    const { mem, space, clock } = this.engine
    const end = clock.monotonicUs() + REHASH_BUDGET_US
    for (const db of space.dbs) {
      for (const dict of [db.keys, db.expires]) {
        dictTrim(mem, dict)
        while (dictRehash(mem, dict, REHASH_STEPS)) if (clock.monotonicUs() > end) return this.rehashLater()
      }
    }
  }

  private free(): void {
    const { space, clock } = this.engine
    const end = clock.monotonicUs() + FREE_BUDGET_US
    while (space.lazy.step(FREE_BLOCKS)) if (clock.monotonicUs() > end) return this.freeSoon()
  }

  /**
   * Empty segments go back to the system one at a time. Freeing one stops the process for 5 to 15 ms (measured: it is 64 MiB of pages, in
   * one piece), so a busy server does it seldom: it uses such segments again before it takes others.
   */
  private giveBack(): void {
    const { mem, stats, clock } = this.engine
    const nowUs = clock.monotonicUs()
    const isQuiet = stats.commands - this.commandsBefore < QUIET_COMMANDS
    this.commandsBefore = stats.commands
    if ((isQuiet || nowUs - this.gaveBackUs > GIVE_BACK_US) && !isReleasing() && mem.trim()) this.gaveBackUs = nowUs
    collect()
  }

  private rehashLater(): void {
    if (this.later !== null) return
    this.later = this.engine.clock.setTimer(REHASH_REST_MS, () => {
      this.later = null
      this.slice(() => this.rehash())
    })
    this.later.unref()
  }

  /** There is more to free: as soon as requests have had their turn. */
  freeSoon(): void {
    if (this.soon !== null) return
    this.soon = this.engine.clock.setTimer(1, () => {
      this.soon = null
      this.slice(() => this.free())
    })
    this.soon.unref()
  }

  private closeIdle(): void {
    const oldest = this.engine.space.nowMs - this.idleTimeoutMs
    for (const c of this.engine.clients.values()) {
      if (c.lastInteractionMs < oldest && !c.blocked && !c.monitor && c.subscriptions === 0) c.transport?.destroy()
    }
  }

  private sample(): void {
    const { stats, clock } = this.engine
    const now = clock.monotonicUs()
    if (now - this.lastSampleUs >= 100_000) {
      this.lastSampleUs = now
      stats.sample(now)
    }
  }
}
