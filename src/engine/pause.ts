/**
 * pause: CLIENT PAUSE. Commands of clients wait until the time is over or somebody says UNPAUSE: all of them, or those that write.
 *
 * A paused client's command is not run and not lost: its bytes stay with the connection, which parses them again afterwards. While
 * writes wait nothing expires either, so that the data set stands still.
 */
import type { Timer } from '../util/clock.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { MAY_REPLICATE, WRITE } from './flags.ts'

export type PauseMode = 'write' | 'all'

export class Pause {
  private readonly engine: Engine
  private readonly waiting = new Set<Client>()
  private timer: Timer | null = null
  private endMs = 0
  mode: PauseMode | null = null

  constructor(engine: Engine) {
    this.engine = engine
    engine.onRemove.push((c) => this.waiting.delete(c))
  }

  /** Starts a pause, or changes the one there is: the later end and the stricter mode count. */
  start(mode: PauseMode, ms: number): void {
    const { clock, space } = this.engine
    this.endMs = Math.max(this.mode === null ? 0 : this.endMs, clock.nowMs() + ms)
    this.mode = this.mode === 'all' ? 'all' : mode
    space.frozen = true
    if (this.timer !== null) clock.clearTimer(this.timer)
    this.timer = clock.setTimer(this.endMs - clock.nowMs(), () => this.end())
  }

  end(): void {
    const { clock, space } = this.engine
    if (this.timer !== null) clock.clearTimer(this.timer)
    this.timer = null
    this.mode = null
    space.frozen = false
    if (this.waiting.size > 0) setImmediate(() => this.resumeAll())
  }

  /** Later, since the command that ends a pause is itself part of a batch: the parser and the reply writer are in use. */
  private resumeAll(): void {
    const clients = [...this.waiting]
    this.waiting.clear()
    for (const c of clients) {
      c.paused = false
      c.transport?.resume()
    }
  }

  get size(): number {
    return this.waiting.size
  }

  /** Whether a command with these flags must wait; if so the client is paused. EXEC has the flags of what is queued. */
  holds(c: Client, flags: number): boolean {
    if (this.mode === null || c.transport === null || c.internal) return false
    if (this.mode === 'write' && (flags & (WRITE | MAY_REPLICATE)) === 0) return false
    c.paused = true
    this.waiting.add(c)
    return true
  }
}
