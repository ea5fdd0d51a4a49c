/**
 * defrag: when segments are emptied (keyspace/evacuate.ts does it), how fast, and what INFO says of it.
 *
 * (1) Resident memory must stay near what is in use, so sparse segments are emptied whether activedefrag is on or not, but only when
 *     more than the usual is wasted: a segment and a tenth of what is in use. With activedefrag its options can make it begin sooner.
 * (2) A slice is short, and slices take a share of the time: a sixth, or what the active-defrag-cycle options say.
 * (3) After a walk there is a rest: short when it emptied segments, else ever longer, since what lies
 *     in the way cannot be moved.
 */
import { Evacuation } from '../keyspace/evacuate.ts'
import { OutOfMemory } from '../memory/arena.ts'
import { SEGMENT_BYTES } from '../memory/ref.ts'
import type { Timer } from '../util/clock.ts'
import type { Engine } from './engine.ts'

const USUAL_SHARE = 0.1
const USUAL_PERCENT = 16
const SLICE_US = 1500
/** The rest after a walk that emptied segments, and after one that did not, which doubles. */
const SHORT_REST_US = 200_000
const REST_US = 2_000_000
const LONGEST_REST_US = 64_000_000

export class Defrag {
  /** The activedefrag options: bytes and percentages of waste, percentages of a processor. */
  readonly options = { on: false, ignoreBytes: 0, lowerPercent: 0, upperPercent: 0, cycleMin: 0, cycleMax: 0 }
  readonly evacuation: Evacuation
  private readonly engine: Engine
  private timer: Timer | null = null
  private restUs = REST_US
  private restUntilUs = 0
  /** The share of a processor that this walk takes, in percent; 0 between walks. */
  private percent = 0
  private beganUs = 0
  private totalUs = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.evacuation = new Evacuation(engine.space)
  }

  /** For INFO: the percentage of a processor it takes at the moment, and milliseconds in all and in this walk. */
  get figures(): { percent: number; totalMs: number; currentMs: number } {
    const currentUs = this.percent === 0 ? 0 : this.engine.clock.monotonicUs() - this.beganUs
    return { percent: this.percent, totalMs: Math.floor((this.totalUs + currentUs) / 1000), currentMs: Math.floor(currentUs / 1000) }
  }

  resetStats(): void {
    const { evacuation } = this
    evacuation.hits = 0
    evacuation.misses = 0
    evacuation.keyHits = 0
    evacuation.keyMisses = 0
    this.totalUs = 0
  }

  /** A round of the cron: begins when too much is wasted, goes on when it had to wait. */
  check(): void {
    const { engine, evacuation } = this
    if (evacuation.running) return this.soon()
    const nowUs = engine.clock.monotonicUs()
    const allowed = this.allowedWaste()
    if (nowUs < this.restUntilUs || evacuation.waste <= allowed) return
    if (!evacuation.survey()) return
    if (!evacuation.begin(allowed / 2)) return this.rest(0)
    this.beganUs = nowUs
    this.percent = this.effort()
    this.soon()
  }

  private allowedWaste(): number {
    const { on, ignoreBytes, lowerPercent } = this.options
    const { used } = this.engine.mem
    const usual = SEGMENT_BYTES + used * USUAL_SHARE
    return on ? Math.min(usual, Math.max(ignoreBytes, (used * lowerPercent) / 100)) : usual
  }

  /** The more is wasted, the more time it takes. */
  private effort(): number {
    const { on, lowerPercent, upperPercent, cycleMin, cycleMax } = this.options
    if (!on) return USUAL_PERCENT
    const wasted = (this.evacuation.waste * 100) / Math.max(1, this.engine.mem.used)
    const degree = Math.min(1, Math.max(0, (wasted - lowerPercent) / Math.max(1, upperPercent - lowerPercent)))
    return Math.round(cycleMin + (Math.max(cycleMin, cycleMax) - cycleMin) * degree)
  }

  private rest(emptied: number): void {
    this.restUntilUs = this.engine.clock.monotonicUs() + (emptied > 0 ? SHORT_REST_US : this.restUs)
    this.restUs = emptied > 0 ? REST_US : Math.min(LONGEST_REST_US, this.restUs * 2)
  }

  private soon(): void {
    if (this.timer !== null) return
    const { engine } = this
    this.timer = engine.clock.setTimer((SLICE_US / 1000) * (100 / this.percent - 1), () => {
      this.timer = null
      let more = false
      if (!engine.cron.paused) engine.cron.slice(() => (more = this.work()))
      if (more) this.soon()
    })
    this.timer.unref()
  }

  /** A slice of the walk; true when it goes on. */
  private work(): boolean {
    const { evacuation, engine } = this
    const endUs = engine.clock.monotonicUs() + SLICE_US
    const late = (): boolean => engine.clock.monotonicUs() > endUs
    try {
      while (evacuation.step(late)) if (late()) return true
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
    }
    if (!evacuation.running) this.end()
    return false
  }

  private end(): void {
    this.totalUs += this.engine.clock.monotonicUs() - this.beganUs
    this.percent = 0
    this.rest(this.evacuation.emptied)
  }
}
