/** monitors: the clients that see every command, as MONITOR prints it. While there are none nothing is done. */
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { ADMIN, SKIP_MONITOR } from './flags.ts'
import { quoteWord } from './words.ts'

export class Monitors {
  private readonly engine: Engine
  private readonly clients = new Set<Client>()
  private readonly observe = (c: Client): void => this.show(c)

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
    if (this.clients.size === 0) this.engine.observers.push(this.observe)
    this.clients.add(c)
  }

  remove(c: Client): void {
    c.monitor = false
    if (!this.clients.delete(c) || this.clients.size > 0) return
    this.engine.observers.splice(this.engine.observers.indexOf(this.observe), 1)
  }

  private show(c: Client): void {
    if (c.command !== null && (c.command.flags & (ADMIN | SKIP_MONITOR)) === 0) this.feed(c)
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
  for (let i = 0; i < argv.count; i++) words.push(c.isRedacted(i) ? '"(redacted)"' : quoteWord(argv.text(i)))
  return `${time} [${c.db.id} ${address}] ${words.join(' ')}`
}
