/**
 * maxmemory: the limits on memory, and what the server does to keep them.
 *
 * What counts is the arena's blocks in use, the buffers and queued commands of clients, and what other parts report (scripts). The arena
 * keeps its sum itself; a connection reports what it holds after each read and write, and the cron asks all of them again; the other
 * parts are asked by the cron.
 *
 * (1) `used` is O(1): it is read before every command.
 * (2) Keys are evicted before a command runs, for a few hundred microseconds at most; what is left to do goes on in the background.
 * (3) Clients are closed at the end of the turn, largest first, when all together hold more than maxmemory-clients.
 */
import { totalmem } from 'node:os'
import { Evacuation } from '../keyspace/evacuate.ts'
import { Eviction } from '../keyspace/evict.ts'
import { OutOfMemory } from '../memory/arena.ts'
import { SEGMENT_BYTES } from '../memory/ref.ts'
import type { Timer } from '../util/clock.ts'
import { clientBytes, clientLine } from './client-line.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'

/** Keys evicted between two looks at the clock, and blocks freed when values wait for it. */
const KEYS_PER_LOOK = 16
const FREE_BLOCKS = 512
/** Moving blocks takes at most this long at a time, this often; and after a walk there is a rest. */
const MOVE_SLICE_US = 1500
const MOVE_PERIOD_MS = 8
const REST_US = 2_000_000

export class MemoryLimit {
  readonly eviction: Eviction
  /** maxmemory in bytes; 0 is no limit. */
  limit = 0
  /** maxmemory-clients in bytes; 0 is no limit. */
  clientLimit = 0
  /** maxmemory-eviction-tenacity, 0 to 100. */
  tenacity = 10
  /** lazyfree-lazy-eviction. */
  lazy = false
  /** Bytes held by all clients. */
  clientBytes = 0
  /** Memory of other parts, in bytes; asked once a round of the cron. */
  readonly others: (() => number)[] = []
  private otherBytes = 0
  /** Since when memory has been above the limit, and for how long before that; in microseconds. */
  private exceededSinceUs = 0
  private exceededUs = 0
  private readonly engine: Engine
  private timer: Timer | null = null
  readonly evacuation: Evacuation
  /** The activedefrag options: below how much waste nothing is moved. Without it, memory is moved when the usual waste is exceeded. */
  readonly defrag = { on: false, ignoreBytes: 0, lowerPercent: 0 }
  private moveTimer: Timer | null = null
  private restUntilUs = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.eviction = new Eviction(engine.space)
    this.evacuation = new Evacuation(engine.space)
    engine.onRemove.push((c) => this.forget(c))
    engine.endOfTurn.push(() => this.closeLargest())
    engine.cron.jobs.push(() => this.measure())
  }

  get used(): number {
    return this.engine.mem.used + this.clientBytes + this.otherBytes
  }

  /** Sets maxmemory: bytes, or a negative percentage of the memory that the container or the machine has. */
  setLimit(value: number): void {
    this.limit = value >= 0 ? value : Math.floor((availableMemory() * -value) / 100)
    this.engine.makeRoom = this.limit === 0 ? null : this.makeRoom
    if (this.limit > 0) this.makeRoom()
  }

  /** Sets maxmemory-clients: bytes, or a negative percentage of maxmemory. */
  setClientLimit(value: number): void {
    this.clientLimit = value >= 0 ? value : Math.floor((this.limit * -value) / 100)
    if (this.clientLimit > 0) this.engine.scheduleEndOfTurn()
  }

  /** Brings memory below the limit as far as the time goes; false when nothing can be evicted any more. */
  readonly makeRoom = (): boolean => {
    if (this.engine.mem.used + this.clientBytes + this.otherBytes <= this.limit) {
      if (this.exceededSinceUs !== 0) this.endExcess()
      return true
    }
    return this.evict()
  }

  private evict(): boolean {
    const { engine, eviction } = this
    const { clock, space } = engine
    const startUs = clock.monotonicUs()
    if (this.exceededSinceUs === 0) this.exceededSinceUs = startUs
    if (engine.pause.mode !== null) return true
    const endUs = startUs + budgetUs(this.tenacity)
    for (let steps = 1; this.used > this.limit; steps++) {
      if (space.lazy.pending > 0) space.lazy.step(FREE_BLOCKS)
      else if (!eviction.evictOne(this.lazy)) return false
      if (steps % KEYS_PER_LOOK === 0 && clock.monotonicUs() > endUs) {
        this.goOn()
        return true
      }
    }
    this.endExcess()
    return true
  }

  /** Evicts more when requests have had their turn. */
  private goOn(): void {
    if (this.timer !== null) return
    const { engine } = this
    this.timer = engine.clock.setTimer(0, () => {
      this.timer = null
      engine.cron.slice(() => void this.makeRoom())
    })
    this.timer.unref()
  }

  private endExcess(): void {
    this.exceededUs += this.engine.clock.monotonicUs() - this.exceededSinceUs
    this.exceededSinceUs = 0
  }

  /** For INFO: milliseconds above the limit, in all and at the moment. */
  get exceededMs(): { total: number; current: number } {
    const current = this.exceededSinceUs === 0 ? 0 : this.engine.clock.monotonicUs() - this.exceededSinceUs
    return { total: Math.floor((this.exceededUs + current) / 1000), current: Math.floor(current / 1000) }
  }

  /** Takes a new measure of a client whose buffers have changed. */
  account(c: Client): void {
    const bytes = clientBytes(c)
    this.clientBytes += bytes - c.accountedBytes
    c.accountedBytes = bytes
    if (this.clientLimit !== 0 && this.clientBytes > this.clientLimit) this.engine.scheduleEndOfTurn()
  }

  private forget(c: Client): void {
    this.clientBytes -= c.accountedBytes
    c.accountedBytes = 0
  }

  private measure(): void {
    for (const c of this.engine.clients.values()) this.account(c)
    this.otherBytes = this.others.reduce((sum, bytes) => sum + bytes(), 0)
    const { stats } = this.engine
    if (this.used > stats.peakMemory) stats.peakMemory = this.used
    if (this.evacuation.running) this.evacuateSoon()
    else this.considerEvacuation()
  }

  // ---- giving memory back ----

  /** Begins to empty sparse segments when too much memory is resident for what is in use. */
  private considerEvacuation(): void {
    const { engine, evacuation } = this
    const { used } = engine.mem
    const nowUs = engine.clock.monotonicUs()
    const least = this.defrag.on ? this.defrag.ignoreBytes : SEGMENT_BYTES
    const share = this.defrag.on ? this.defrag.lowerPercent / 100 : 0.1
    if (nowUs < this.restUntilUs || evacuation.waste <= Math.max(least, SEGMENT_BYTES + used * share)) return
    this.restUntilUs = nowUs + REST_US
    if (evacuation.begin((SEGMENT_BYTES + used * share) / 2)) this.evacuateSoon()
  }

  private evacuateSoon(): void {
    if (this.moveTimer !== null) return
    const { engine } = this
    this.moveTimer = engine.clock.setTimer(MOVE_PERIOD_MS, () => {
      this.moveTimer = null
      let more = false
      if (!engine.cron.paused) engine.cron.slice(() => (more = this.evacuate()))
      if (more) this.evacuateSoon()
    })
    this.moveTimer.unref()
  }

  /** A slice of the walk; true when it goes on. */
  private evacuate(): boolean {
    const { evacuation, engine } = this
    const endUs = engine.clock.monotonicUs() + MOVE_SLICE_US
    try {
      while (evacuation.step()) if (engine.clock.monotonicUs() > endUs) return true
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
    }
    return false
  }

  private closeLargest(): void {
    if (this.clientLimit === 0 || this.clientBytes <= this.clientLimit) return
    const { engine } = this
    const largest = [...engine.clients.values()]
      .filter((c) => !c.noEvict && !c.internal && c.transport !== null)
      .sort((a, b) => b.accountedBytes - a.accountedBytes)
    for (const c of largest) {
      if (this.clientBytes <= this.clientLimit) return
      engine.log.notice(`Evicting client: ${clientLine(c)}`)
      engine.stats.evictedClients++
      c.transport?.destroy()
    }
  }
}

/** How long one command may evict: half a millisecond by default, without end at 100. */
function budgetUs(tenacity: number): number {
  if (tenacity <= 10) return 50 * tenacity
  return tenacity >= 100 ? Number.POSITIVE_INFINITY : 500 * 1.15 ** (tenacity - 10)
}

/** What the container allows, or what the machine has. */
function availableMemory(): number {
  const total = totalmem()
  const allowed = process.constrainedMemory()
  return allowed > 0 && allowed < total ? allowed : total
}
