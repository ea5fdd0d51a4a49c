/** HOTKEYS: which keys cost the most, while a session runs. Modelled on the command of Redis 8.6. */
import type { Client } from '../engine/client.ts'
import { ADMIN, NOSCRIPT } from '../engine/flags.ts'
import type { HotKeysOptions } from '../engine/hotkeys.ts'
import type { CommandRow } from '../engine/row.ts'
import { rangeArg } from '../engine/args.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'

// biome-ignore format: a table, one command after the other
export const hotkeysRows: readonly CommandRow<Client>[] = [
  { name: 'HOTKEYS', arity: -2, flags: 0, since: '8.6.0', summary: 'Which keys cost the most.',
    subcommands: [
      { name: 'GET', arity: 2, flags: ADMIN | NOSCRIPT, since: '8.6.0', summary: 'What the session has counted.',
        complexity: 'O(K) by keys shown', tips: ['nondeterministic_output'], run: hotkeysGet },
      { name: 'RESET', arity: 2, flags: ADMIN | NOSCRIPT, since: '8.6.0', summary: 'Forgets the session.', complexity: 'O(1)',
        run: hotkeysReset },
      { name: 'START', arity: -4, flags: ADMIN | NOSCRIPT, since: '8.6.0',
        args: 'metrics(METRICS count:integer [cpu(CPU)] [net(NET)]) [COUNT k:integer] [DURATION seconds:integer] [SAMPLE ratio:integer] [slots(SLOTS count:integer slot:integer...)]',
        summary: 'Starts to count.', complexity: 'O(1)', run: hotkeysStart },
      { name: 'STOP', arity: 2, flags: ADMIN | NOSCRIPT, since: '8.6.0', summary: 'Stops to count, and keeps what was counted.',
        complexity: 'O(1)', run: hotkeysStop },
    ] },
]

const DEFAULT_COUNT = 10
const SLOTS = 16384

function hotkeysStart(c: Client): void {
  const { hotkeys } = c.engine
  const options = parse(c)
  if (options === null) return
  if (hotkeys.active) return c.reply.error('ERR hotkey tracking session already in progress')
  hotkeys.start(options)
  c.reply.ok()
}

/** The options; null when it has answered an error. */
function parse(c: Client): HotKeysOptions | null {
  const { argv } = c
  const options: HotKeysOptions = { cpu: false, net: false, count: DEFAULT_COUNT, durationMs: 0, ratio: 1, slots: null }
  let metrics = -1
  const number = (i: number, what: string, min: number, max: number): number =>
    i < argv.count ? rangeArg(c, i, min, max, `ERR ${what} must be between ${min} and ${max}`) : refuse(c, SYNTAX_ERROR)
  for (let i = 2; i < argv.count; i++) {
    let value = 0
    if (argv.is(i, 'metrics')) {
      value = metrics = number(++i, 'METRICS count', 1, 2)
      for (let left = value; left > 0; left--, i++) {
        if (argv.count > i + 1 && argv.is(i + 1, 'cpu')) options.cpu = true
        else if (argv.count > i + 1 && argv.is(i + 1, 'net')) options.net = true
        else value = refuse(c, SYNTAX_ERROR)
        if (Number.isNaN(value)) return null
      }
    } else if (argv.is(i, 'count')) value = options.count = number(++i, 'COUNT', 1, 64)
    else if (argv.is(i, 'duration')) value = options.durationMs = number(++i, 'DURATION', 0, 1e6) * 1000
    else if (argv.is(i, 'sample')) value = options.ratio = number(++i, 'SAMPLE ratio', 1, 2 ** 31)
    else if (argv.is(i, 'slots')) {
      const slots = new Set<number>()
      for (let left = (value = number(++i, 'SLOTS count', 1, SLOTS)); left > 0; left--) {
        const slot = number(++i, 'slot', 0, SLOTS - 1)
        if (Number.isNaN(slot)) return null
        slots.add(slot)
      }
      options.slots = slots
    } else value = refuse(c, SYNTAX_ERROR)
    if (Number.isNaN(value)) return null
  }
  if (metrics >= 0) return options
  c.reply.error('ERR METRICS parameter is required')
  return null
}

function refuse(c: Client, error: string): number {
  c.reply.error(error)
  return Number.NaN
}

function hotkeysStop(c: Client): void {
  const { hotkeys } = c.engine
  if (!hotkeys.active) return c.reply.nil()
  hotkeys.stop()
  c.reply.ok()
}

function hotkeysReset(c: Client): void {
  const { hotkeys } = c.engine
  if (hotkeys.active) return c.reply.error('ERR hotkey tracking session in progress, stop tracking first')
  hotkeys.reset()
  c.reply.ok()
}

function hotkeysGet(c: Client): void {
  const { reply, engine } = c
  const { session } = engine.hotkeys
  if (session === null) return reply.nil()
  const { options, all, chosen, sampled } = session
  const { user, system } = session.cpuSince()
  const field = (name: string, value: number): void => {
    reply.text(name)
    reply.int(Math.round(value))
  }
  const list = (name: string, keys: [string, number][]): void => {
    reply.text(name)
    reply.array(keys.length * 2)
    for (const [key, weight] of keys) {
      reply.text(key)
      reply.int(Math.round(weight))
    }
  }
  const narrowed = options.slots !== null
  const thinned = options.ratio > 1
  reply.map(7 + (options.cpu ? 3 : 0) + (options.net ? 2 : 0) + (narrowed ? 2 : 0) + (narrowed && thinned ? 2 : 0))
  field('tracking-active', engine.hotkeys.active ? 1 : 0)
  field('sample-ratio', options.ratio)
  reply.text('selected-slots')
  const ranges = rangesOf(options.slots ?? [])
  reply.array(ranges.length)
  for (const range of ranges) {
    reply.array(range.length)
    for (const slot of range) reply.int(slot)
  }
  if (narrowed && thinned) field('sampled-commands-selected-slots-us', sampled.us)
  if (narrowed) field('all-commands-selected-slots-us', chosen.us)
  field('all-commands-all-slots-us', all.us)
  if (narrowed && thinned) field('net-bytes-sampled-commands-selected-slots', sampled.bytes)
  if (narrowed) field('net-bytes-all-commands-selected-slots', chosen.bytes)
  field('net-bytes-all-commands-all-slots', all.bytes)
  field('collection-start-time-unix-ms', session.startMs)
  field('collection-duration-ms', (session.endMs === 0 ? engine.clock.nowMs() : session.endMs) - session.startMs)
  if (options.cpu) {
    field('total-cpu-time-user-ms', user)
    field('total-cpu-time-sys-ms', system)
  }
  if (options.net) field('total-net-bytes', all.bytes)
  if (options.cpu) list('by-cpu-time-us', session.byCpu.top(options.count))
  if (options.net) list('by-net-bytes', session.byNet.top(options.count))
}

/** Slots as single slots and first-last pairs. */
function rangesOf(slots: Iterable<number>): number[][] {
  const ranges: number[][] = []
  for (const slot of [...slots].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[last.length - 1] === slot - 1) last.splice(1, 1, slot)
    else ranges.push([slot])
  }
  return ranges
}
