/**
 * clock: where the server takes its time and its timers from.
 *
 * SystemClock is the machine's. ManualClock stands still until a test moves it, and then fires the timers it passes, each at its own time.
 * Wall-clock time (nowMs, nowUs) dates keys and may jump; monotonicUs measures durations and never goes back.
 */

export interface Clock {
  /** Milliseconds since 1970, an integer. */
  nowMs(): number
  /** Microseconds since 1970, an integer; nowMs() is its thousandth. */
  nowUs(): number
  /** Microseconds since some fixed moment, an integer. */
  monotonicUs(): number
  /** Runs `fire` once, after at least delayMs (any size; below zero means zero). */
  setTimer(delayMs: number, fire: () => void): Timer
  /** Stops a timer; nothing happens when it has fired. */
  clearTimer(timer: Timer): void
}

export interface Timer {
  /** Lets the process end while this timer waits. */
  unref(): void
}

/** Taken once: as a global it is looked up at every call, which costs a fifth of a reading. */
const { performance } = globalThis

/** The longest delay that one Node timer can wait. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1

export class SystemClock implements Clock {
  /** Date.now() minus performance.now(), found when they were last compared. */
  private offsetMs = Date.now() - performance.now()

  nowMs(): number {
    return Date.now()
  }

  nowUs(): number {
    // Date.now() is the truth about milliseconds, the performance counter only adds digits to it.
    const ms = Date.now()
    const monotonicMs = performance.now()
    const fraction = monotonicMs + this.offsetMs - ms
    if (fraction >= 0 && fraction < 1) return ms * 1000 + Math.floor(fraction * 1000)
    if (fraction >= 1 && fraction < 2) return ms * 1000 + 999
    this.offsetMs = ms - monotonicMs
    return ms * 1000
  }

  monotonicUs(): number {
    return Math.floor(performance.now() * 1000)
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return new SystemTimer(delayMs, fire)
  }

  clearTimer(timer: Timer): void {
    if (timer instanceof SystemTimer) timer.stop()
  }
}

class SystemTimer implements Timer {
  private timeout: NodeJS.Timeout
  private leftMs: number
  private readonly fire: () => void
  private referenced = true

  constructor(delayMs: number, fire: () => void) {
    this.leftMs = delayMs
    this.fire = fire
    this.timeout = this.wait()
  }

  unref(): void {
    this.referenced = false
    this.timeout.unref()
  }

  stop(): void {
    clearTimeout(this.timeout)
  }

  /** A delay beyond what Node can wait is waited in parts. */
  private wait(): NodeJS.Timeout {
    const partMs = Math.min(this.leftMs, TIMEOUT_MAX_MS)
    this.leftMs -= partMs
    return setTimeout(() => {
      if (this.leftMs <= 0) return this.fire()
      this.timeout = this.wait()
      if (!this.referenced) this.timeout.unref()
    }, partMs)
  }
}

export class ManualClock implements Clock {
  private wallUs: number
  private elapsedUs = 0
  private readonly timers = new Set<ManualTimer>()

  /** Starts at a wall-clock time in milliseconds since 1970. */
  constructor(startMs = Date.UTC(2020, 0, 1)) {
    this.wallUs = startMs * 1000
  }

  nowMs(): number {
    return Math.floor(this.wallUs / 1000)
  }

  nowUs(): number {
    return this.wallUs
  }

  monotonicUs(): number {
    return this.elapsedUs
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const timer = new ManualTimer(this.elapsedUs + Math.max(0, Math.round(delayMs * 1000)), fire)
    this.timers.add(timer)
    return timer
  }

  clearTimer(timer: Timer): void {
    this.timers.delete(timer as ManualTimer)
  }

  /** How many timers wait. */
  get pending(): number {
    return this.timers.size
  }

  /**
   * Moves the time forward by ms (fractions to a thousandth) and fires the timers due by then: earliest first, then oldest first; each
   * sees the time it was set for. Timers set by them fire too when due.
   */
  advance(ms: number): void {
    const targetUs = this.elapsedUs + Math.round(ms * 1000)
    for (let timer = this.due(targetUs); timer !== null; timer = this.due(targetUs)) this.fire(timer)
    this.moveTo(targetUs)
  }

  /** As advance, but lets promises settle and pending I/O run before, between and after the timers. */
  async advanceAsync(ms: number): Promise<void> {
    const targetUs = this.elapsedUs + Math.round(ms * 1000)
    await eventLoopTurn()
    for (let timer = this.due(targetUs); timer !== null; timer = this.due(targetUs)) {
      this.fire(timer)
      await eventLoopTurn()
    }
    this.moveTo(targetUs)
    await eventLoopTurn()
  }

  /** Sets the wall clock alone, as an administrator would: no timer fires, monotonic time stands. */
  setWallMs(ms: number): void {
    this.wallUs = Math.round(ms * 1000)
  }

  private due(targetUs: number): ManualTimer | null {
    let first: ManualTimer | null = null
    for (const timer of this.timers) {
      if (timer.dueUs <= targetUs && (first === null || timer.dueUs < first.dueUs)) first = timer
    }
    return first
  }

  private fire(timer: ManualTimer): void {
    this.timers.delete(timer)
    this.moveTo(timer.dueUs)
    timer.fire()
  }

  private moveTo(elapsedUs: number): void {
    if (elapsedUs <= this.elapsedUs) return
    this.wallUs += elapsedUs - this.elapsedUs
    this.elapsedUs = elapsedUs
  }
}

class ManualTimer implements Timer {
  readonly dueUs: number
  readonly fire: () => void

  constructor(dueUs: number, fire: () => void) {
    this.dueUs = dueUs
    this.fire = fire
  }

  /** A manual timer keeps nothing alive. */
  unref(): void {}
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
