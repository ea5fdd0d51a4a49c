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
import { Eviction } from '../keyspace/evict.ts'
import type { Timer } from '../util/clock.ts'
import { clientBytes, clientLine } from './client-line.ts'
import type { Client } from './client.ts'
import { Defrag } from './defrag.ts'
import type { Engine } from './engine.ts'

/** Keys evicted, or portions of this many blocks freed, between two looks at the clock. */
const KEYS_PER_LOOK = 16
const FREE_BLOCKS = 64
/** No moment of the clock. */
const NOT_NOW = -1

export class MemoryLimit {
  readonly eviction: Eviction
  /** maxmemory in bytes; 0 is no limit. */
  limit = 0
  /** maxmemory-clients in bytes; 0 is no limit. */
  clientLimit = 0
  /** maxmemory-eviction-tenacity, 0 to 100. */
  tenacity = 10
  /** lazyfree-lazy-eviction: whether values that are not small are freed in slices. Very large ones always are. */
  lazy = false
  /** Bytes held by all clients. */
  clientBytes = 0
  /** Memory of other parts, in bytes; asked once a round of the cron. */
  readonly others: (() => number)[] = []
  /** Lets other parts drop what they keep only to use it again; called before keys are evicted. */
  readonly spares: (() => void)[] = []
  private otherBytes = 0
  private sparesCounted = false
  /** Since when memory has been above the limit, and for how long before that; in microseconds. */
  private exceededSinceUs = NOT_NOW
  private exceededUs = 0
  private readonly engine: Engine
  private timer: Timer | null = null
  readonly defrag: Defrag

  constructor(engine: Engine) {
    this.engine = engine
    this.eviction = new Eviction(engine.space)
    this.defrag = new Defrag(engine)
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
    // Inside a transaction nothing may go between two of its commands.
    if (this.limit > 0) this.goOn()
  }

  /** Sets maxmemory-clients: bytes, or a negative percentage of maxmemory. */
  setClientLimit(value: number): void {
    this.clientLimit = value >= 0 ? value : Math.floor((this.limit * -value) / 100)
    if (this.clientLimit > 0) this.engine.scheduleEndOfTurn()
  }

  /** Brings memory below the limit as far as the time goes; false when nothing can be evicted any more. */
  readonly makeRoom = (): boolean => {
    if (this.engine.mem.used + this.clientBytes + this.otherBytes <= this.limit) {
      if (this.exceededSinceUs !== NOT_NOW) this.endExcess()
      return true
    }
    return this.evict()
  }

  private evict(): boolean {
    const { engine, eviction } = this
    if (engine.pause.mode !== null) return true
    const { clock, space } = engine
    if (this.sparesCounted) this.dropSpares()
    let endUs = 0
    for (let steps = 1; this.used > this.limit; steps++) {
      if (space.lazy.pending > 0) space.lazy.step(FREE_BLOCKS)
      else if (!eviction.evictOne(this.lazy)) return this.exceed(false)
      // one key for one command is the rule: it costs no look at the clock
      if (steps % KEYS_PER_LOOK !== 0) continue
      const nowUs = clock.monotonicUs()
      if (endUs === 0) endUs = nowUs + budgetUs(this.tenacity)
      else if (nowUs > endUs) {
        this.goOn()
        return this.exceed(true)
      }
    }
    if (this.exceededSinceUs !== NOT_NOW) this.endExcess()
    return true
  }

  /** Notes since when memory is above the limit. */
  private exceed(goesOn: boolean): boolean {
    if (this.exceededSinceUs === NOT_NOW) this.exceededSinceUs = this.engine.clock.monotonicUs()
    return goesOn
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
    this.exceededSinceUs = NOT_NOW
  }

  /** For INFO: milliseconds above the limit, in all and at the moment. */
  get exceededMs(): { total: number; current: number } {
    const current = this.exceededSinceUs === NOT_NOW ? 0 : this.engine.clock.monotonicUs() - this.exceededSinceUs
    return { total: Math.floor((this.exceededUs + current) / 1000), current: Math.floor(current / 1000) }
  }

  resetStats(): void {
    this.exceededUs = 0
    this.exceededSinceUs = NOT_NOW
    this.defrag.resetStats()
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

  private measureOthers(): void {
    this.otherBytes = this.others.reduce((sum, bytes) => sum + bytes(), 0)
  }

  /** What has been counted since the last time. */
  private dropSpares(): void {
    this.sparesCounted = false
    for (const drop of this.spares) drop()
    this.measureOthers()
  }

  private measure(): void {
    for (const c of this.engine.clients.values()) this.account(c)
    this.measureOthers()
    this.sparesCounted = true
    const { stats } = this.engine
    if (this.used > stats.peakMemory) stats.peakMemory = this.used
    this.defrag.check()
  }

  /** Closes clients, largest first, while all together hold more than they may. */
  closeLargest(): void {
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
