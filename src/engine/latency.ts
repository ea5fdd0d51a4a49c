/**
 * latency: events that took as long as latency-monitor-threshold or longer, as LATENCY shows them.
 *
 * Per kind of event the last 160 samples are kept, one a second at most: a second's worst.
 */
import type { Clock } from '../util/clock.ts'

const MAX_SAMPLES = 160

export interface LatencySample {
  readonly timeSeconds: number
  ms: number
}

export class LatencyEvent {
  readonly samples: LatencySample[] = []
  maxMs = 0

  add(timeSeconds: number, ms: number): void {
    if (ms > this.maxMs) this.maxMs = ms
    const last = this.samples.at(-1)
    if (last !== undefined && last.timeSeconds === timeSeconds) {
      if (ms > last.ms) last.ms = ms
      return
    }
    this.samples.push({ timeSeconds, ms })
    if (this.samples.length > MAX_SAMPLES) this.samples.shift()
  }
}

export class LatencyMonitor {
  readonly events = new Map<string, LatencyEvent>()
  /** 0: nothing is recorded. */
  thresholdMs = 0
  private readonly clock: Clock

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Notes an event that took so long, if that is long enough. */
  add(name: string, usec: number): void {
    const ms = Math.floor(usec / 1000)
    if (this.thresholdMs === 0 || ms < this.thresholdMs) return
    let event = this.events.get(name)
    if (event === undefined) {
      event = new LatencyEvent()
      this.events.set(name, event)
    }
    event.add(Math.floor(this.clock.nowMs() / 1000), ms)
  }
}
