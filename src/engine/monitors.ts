/** monitors: the clients that see every command, as MONITOR prints it. While there are none nothing is done. */
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { ADMIN, SKIP_MONITOR } from './flags.ts'
import type { Command } from './table.ts'
import { quoteWord } from './words.ts'

/** What is shown of a command's arguments: more, four characters a byte, would not fit into a string. */
const SHOWN_BYTES = 64 << 20

export class Monitors {
  private readonly engine: Engine
  private readonly clients = new Set<Client>()

  constructor(engine: Engine) {
    this.engine = engine
    const leave = (c: Client): void => this.remove(c)
    engine.onRemove.push(leave)
    engine.onReset.push(leave)
  }

  get size(): number {
    return this.clients.size
  }

  add(c: Client): void {
    c.monitor = true
    this.clients.add(c)
  }

  remove(c: Client): void {
    c.monitor = false
    this.clients.delete(c)
  }

  /** Administrative commands are not shown: they may hold secrets. */
  after(c: Client, command: Command): void {
    if ((command.flags & (ADMIN | SKIP_MONITOR)) === 0) this.feed(c)
  }

  /** Shows the client's command now: scripts come before the commands that they run. */
  feed(c: Client): void {
    if (this.clients.size === 0) return
    const line = lineOf(c)
    for (const monitor of this.clients) {
      monitor.messages.simple(line)
      this.engine.wake(monitor)
    }
  }
}

/** `seconds.micros [db address] "arg" "arg"` */
function lineOf(c: Client): string {
  const { argv, engine } = c
  const us = engine.clock.nowUs()
  const time = `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`
  const address =
    c.transport === null
      ? 'lua'
      : c.transport.address.startsWith('/')
        ? `unix:${c.transport.address.replace(/:0$/, '')}`
        : c.transport.address
  const words: string[] = []
  let left = SHOWN_BYTES
  for (let i = 0; i < argv.count && left > 0; i++) {
    words.push(c.isRedacted(i) ? '"(redacted)"' : quoteWord(argv.text(i, left)))
    left -= argv.len(i)
  }
  return `${time} [${c.db.id} ${address}] ${words.join(' ')}`
}
