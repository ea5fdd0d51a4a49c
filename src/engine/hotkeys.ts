/**
 * hotkeys: which keys cost the most processor time and network bytes while a session of HOTKEYS runs.
 *
 * Each metric has a table of a fixed number of keys. A key that is not there replaces the smallest one and inherits its count, so a key
 * that makes up more than 1/size of all is certainly among them (Metwally, Agrawal, El Abbadi: "Space-Saving", 2005).
 *
 * (1) Without a session a command pays nothing: the observer is registered by the first START and leaves with STOP.
 * (2) A command's cost is split evenly over its keys. Commands inside scripts and transactions count by themselves.
 */
import { bytesOf } from '../util/bytes.ts'
import { keySlot } from '../util/crc16.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { findKeys, KeyPositions } from './keyspec.ts'

/** Keys counted for each key that is asked for. */
const OVERSIZE = 10
const LEAST = 100

export interface HotKeysOptions {
  cpu: boolean
  net: boolean
  count: number
  durationMs: number
  /** One command in so many is looked at. */
  ratio: number
  /** Slots whose keys count; null: all. */
  slots: ReadonlySet<number> | null
}

/** The heaviest keys of a stream, counted in bounded memory. */
class Heavy {
  private readonly counts = new Map<string, number>()
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  add(key: string, weight: number): void {
    const known = this.counts.get(key)
    if (known !== undefined || this.counts.size < this.size) {
      this.counts.set(key, (known ?? 0) + weight)
      return
    }
    let smallest = ''
    let least = Infinity
    for (const [other, count] of this.counts) {
      if (count >= least) continue
      least = count
      smallest = other
    }
    this.counts.delete(smallest)
    this.counts.set(key, least + weight)
  }

  top(count: number): [key: string, weight: number][] {
    const all = [...this.counts].filter(([, weight]) => Math.round(weight) > 0)
    return all.sort((a, b) => b[1] - a[1]).slice(0, count)
  }
}

export class HotKeySession {
  readonly options: HotKeysOptions
  readonly startMs: number
  readonly byCpu: Heavy
  readonly byNet: Heavy
  /** Microseconds and bytes: of all commands, of those on the chosen slots, and of the sampled ones among them. */
  readonly all = { us: 0, bytes: 0 }
  readonly chosen = { us: 0, bytes: 0 }
  readonly sampled = { us: 0, bytes: 0 }
  /** When it ended; 0 while it runs. */
  endMs = 0
  /** Processor time of the process in milliseconds, user and system: at the start, then as the difference at the end. */
  cpu = { user: 0, system: 0 }

  constructor(options: HotKeysOptions, nowMs: number) {
    this.options = options
    this.startMs = nowMs
    const size = Math.max(LEAST, options.count * OVERSIZE)
    this.byCpu = new Heavy(size)
    this.byNet = new Heavy(size)
    this.cpu = cpuMs()
  }

  /** Processor time since the start. */
  cpuSince(): { user: number; system: number } {
    if (this.endMs !== 0) return this.cpu
    const now = cpuMs()
    return { user: now.user - this.cpu.user, system: now.system - this.cpu.system }
  }
}

function cpuMs(): { user: number; system: number } {
  const { user, system } = process.cpuUsage()
  return { user: Math.round(user / 1000), system: Math.round(system / 1000) }
}

export class HotKeys {
  session: HotKeySession | null = null
  private readonly engine: Engine
  private readonly found = new KeyPositions()

  constructor(engine: Engine) {
    this.engine = engine
    engine.cron.jobs.push(() => this.endInTime())
  }

  get active(): boolean {
    return this.session !== null && this.session.endMs === 0
  }

  start(options: HotKeysOptions): void {
    this.session = new HotKeySession(options, this.engine.clock.nowMs())
    this.engine.observers.push(this.observe)
  }

  stop(): void {
    const { session, engine } = this
    if (session === null || !this.active) return
    session.cpu = session.cpuSince()
    session.endMs = engine.clock.nowMs()
    engine.observers.splice(engine.observers.indexOf(this.observe), 1)
  }

  reset(): void {
    this.stop()
    this.session = null
  }

  private endInTime(): void {
    const { session } = this
    if (session === null || !this.active || session.options.durationMs === 0) return
    if (this.engine.clock.nowMs() >= session.startMs + session.options.durationMs) this.stop()
  }

  private readonly observe = (c: Client, us: number, replyBytes: number): void => {
    const { session, found } = this
    const { command, argv } = c
    if (session === null || command === null) return
    const bytes = argv.argBytes() + replyBytes
    session.all.us += us
    session.all.bytes += bytes
    findKeys(argv, command.row.keys ?? [], command.row.findKeys, found)
    const { slots, ratio } = session.options
    const keys: string[] = []
    for (let i = 0; i < found.count; i++) {
      const key = argv.text(found.positions[i])
      if (slots === null || slots.has(keySlot(bytesOf(key), 0, key.length))) keys.push(key)
    }
    if (keys.length === 0) return
    session.chosen.us += us
    session.chosen.bytes += bytes
    if (ratio > 1 && this.engine.random.below(ratio) !== 0) return
    session.sampled.us += us
    session.sampled.bytes += bytes
    for (const key of keys) {
      session.byCpu.add(key, us / keys.length)
      session.byNet.add(key, bytes / keys.length)
    }
  }
}
