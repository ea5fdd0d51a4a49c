/**
 * slowlog: the last commands that took longer than slowlog-log-slower-than, newest first.
 *
 * Entries are bounded: at most 32 arguments of at most 128 bytes each; what is cut says how much is missing.
 */
import type { Frame } from '../util/argv.ts'
import type { Client } from './client.ts'
import type { Config, Setting } from './config.ts'

const MAX_ARGS = 32
const MAX_ARG_BYTES = 128

export interface SlowEntry {
  readonly id: number
  readonly timeSeconds: number
  readonly usec: number
  /** One character per byte. */
  readonly args: readonly string[]
  readonly address: string
  readonly clientName: string
}

export class SlowLog {
  readonly entries: SlowEntry[] = []
  private readonly maxLength: Setting
  private nextId = 0

  constructor(config: Config) {
    this.maxLength = config.setting('slowlog-max-len')
  }

  /** Notes the command that the client just ran. */
  add(c: Client, usec: number): void {
    this.entries.unshift({
      id: this.nextId++,
      timeSeconds: Math.floor(c.engine.space.nowMs / 1000),
      usec,
      args: shownArgs(c),
      address: c.transport?.address ?? '',
      clientName: c.name,
    })
    this.trim()
  }

  trim(): void {
    if (this.entries.length > this.maxLength.num) this.entries.length = this.maxLength.num
  }

  clear(): void {
    this.entries.length = 0
  }
}

function shownArgs(c: Client): string[] {
  const { argv } = c
  const count = Math.min(argv.count, MAX_ARGS)
  const args: string[] = []
  for (let i = 0; i < count; i++) {
    if (count !== argv.count && i === count - 1) args.push(`... (${argv.count - count + 1} more arguments)`)
    else if (c.isRedacted(i)) args.push('(redacted)')
    else args.push(cut(argv, i))
  }
  return args
}

function cut(argv: Frame, i: number): string {
  const more = argv.len(i) - MAX_ARG_BYTES
  const text = argv.text(i, MAX_ARG_BYTES)
  return more <= 0 ? text : `${text}... (${more} more bytes)`
}
