/** stats: the counters behind INFO. Plain numbers; whoever knows counts. */
import type { Clock } from '../util/clock.ts'

/** Samples of a rate kept for its mean: the last 16, one every 100 ms. */
const SAMPLES = 16

export class Rate {
  private readonly samples = new Float64Array(SAMPLES)
  private index = 0
  private lastTotal = 0
  private lastUs: number

  constructor(nowUs: number) {
    this.lastUs = nowUs
  }

  /** Takes a sample of a counter's total. */
  sample(total: number, nowUs: number): void {
    const seconds = (nowUs - this.lastUs) / 1e6
    this.samples[this.index++ % SAMPLES] = seconds > 0 ? (total - this.lastTotal) / seconds : 0
    this.lastTotal = total
    this.lastUs = nowUs
  }

  /** Mean rate per second. */
  get perSecond(): number {
    return this.samples.reduce((sum, sample) => sum + sample, 0) / SAMPLES
  }
}

export class Stats {
  readonly startMs: number
  connections = 0
  rejectedConnections = 0
  commands = 0
  inputBytes = 0
  outputBytes = 0
  readsProcessed = 0
  writesProcessed = 0
  errorReplies = 0
  /** By first word of the error. */
  readonly errors = new Map<string, number>()
  evictedClients = 0
  queryBufferDisconnections = 0
  outputBufferDisconnections = 0
  /** Longest slice of background work, in microseconds on the server's clock. */
  longestSliceUs = 0
  peakMemory = 0
  /** Memory in use when the server had started. */
  startMemory = 0
  readonly commandRate: Rate
  readonly inputRate: Rate
  readonly outputRate: Rate

  constructor(clock: Clock) {
    this.startMs = clock.nowMs()
    const now = clock.monotonicUs()
    this.commandRate = new Rate(now)
    this.inputRate = new Rate(now)
    this.outputRate = new Rate(now)
  }

  sample(nowUs: number): void {
    this.commandRate.sample(this.commands, nowUs)
    this.inputRate.sample(this.inputBytes, nowUs)
    this.outputRate.sample(this.outputBytes, nowUs)
  }

  /** Counts the error replies of one command. */
  countErrors(count: number, word: string): void {
    this.errorReplies += count
    this.errors.set(word, (this.errors.get(word) ?? 0) + count)
  }

  reset(): void {
    this.connections = 0
    this.rejectedConnections = 0
    this.commands = 0
    this.inputBytes = 0
    this.outputBytes = 0
    this.readsProcessed = 0
    this.writesProcessed = 0
    this.errorReplies = 0
    this.errors.clear()
    this.evictedClients = 0
    this.queryBufferDisconnections = 0
    this.outputBufferDisconnections = 0
    this.longestSliceUs = 0
  }
}
