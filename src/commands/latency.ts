/** LATENCY: slow events and how long commands take. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import type { LatencyEvent } from '../engine/latency.ts'
import type { Command } from '../engine/table.ts'
import { utf8 } from '../util/bytes.ts'
import { named } from './command.ts'
import { replyHelp } from './help.ts'
import { latencyAdvice, latencyGraphText } from './latency-text.ts'

// biome-ignore format: a table, one command after the other
export const latencyRows: readonly CommandRow<Client>[] = [
  { name: 'LATENCY', arity: -2, flags: 0, since: '2.8.13', summary: 'Slow events and how long commands take.',
    subcommands: [
      { name: 'DOCTOR', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.13', summary: 'Advice about latency, in words.',
        complexity: 'O(1)', tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'], run: latencyDoctor },
      { name: 'GRAPH', arity: 3, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.13', args: 'event:string',
        summary: "A text graph of one event's latency.", complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'], run: latencyGraph },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '2.8.13', summary: 'What LATENCY can do.', complexity: 'O(1)',
        run: latencyHelp },
      { name: 'HISTOGRAM', arity: -2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '7.0.0', args: '[command:string...]',
        summary: 'How the run times of commands are distributed.', complexity: 'O(N) by commands',
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'], run: latencyHistogram },
      { name: 'HISTORY', arity: 3, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.13', args: 'event:string',
        summary: 'The recorded latencies of one event.', complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'], run: latencyHistory },
      { name: 'LATEST', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.13',
        summary: 'The last and the highest latency of each event.', complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'], run: latencyLatest },
      { name: 'RESET', arity: -2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.13', args: '[event:string...]',
        summary: 'Forgets the recorded latencies.', complexity: 'O(1)', tips: ['request_policy:all_nodes', 'response_policy:agg_sum'],
        run: latencyReset },
    ] },
]

function latencyHistory(c: Client): void {
  const { argv, reply, engine } = c
  const samples = engine.latency.events.get(argv.text(2))?.samples ?? []
  reply.array(samples.length)
  for (const { timeSeconds, ms } of samples) {
    reply.array(2)
    reply.int(timeSeconds)
    reply.int(ms)
  }
}

function latencyLatest(c: Client): void {
  const { reply, engine } = c
  const { events } = engine.latency
  reply.array(events.size)
  for (const [name, event] of events) {
    const last = event.samples[event.samples.length - 1]
    reply.array(4)
    reply.text(name)
    reply.int(last.timeSeconds)
    reply.int(last.ms)
    reply.int(event.maxMs)
  }
}

function latencyReset(c: Client): void {
  const { argv, reply, engine } = c
  const { events } = engine.latency
  let gone = 0
  if (argv.count === 2) {
    gone = events.size
    events.clear()
  }
  for (let i = 2; i < argv.count; i++) if (events.delete(argv.text(i))) gone++
  reply.int(gone)
}

/** The event of argument 2 in any letter case; undefined when it has answered an error. */
function sampled(c: Client): [string, LatencyEvent] | undefined {
  const name = c.argv.text(2)
  for (const entry of c.engine.latency.events) if (entry[0] === name.toLowerCase()) return entry
  c.reply.error(`ERR No samples available for event '${name}'`)
  return undefined
}

function latencyGraph(c: Client): void {
  const found = sampled(c)
  if (found !== undefined) verbatim(c, latencyGraphText(found[0], found[1], Math.floor(c.engine.space.nowMs / 1000)))
}

function latencyDoctor(c: Client): void {
  verbatim(c, latencyAdvice(c.engine))
}

function verbatim(c: Client, text: string): void {
  const bytes = utf8(text)
  c.reply.verbatim('txt', bytes, 0, bytes.length)
}

function latencyHistogram(c: Client): void {
  const { argv, reply, engine } = c
  const start = reply.defer()
  let shown = 0
  const show = (command: Command): void => {
    if (command.latency !== null) {
      describeHistogram(c, command)
      shown++
    }
    for (const sub of command.subcommands ?? []) show(sub)
  }
  if (argv.count === 2) engine.table.commands.forEach(show)
  for (let i = 2; i < argv.count; i++) {
    const command = named(c, argv.text(i))
    if (command !== null) show(command)
  }
  reply.endMap(start, shown)
}

function describeHistogram(c: Client, { name, latency }: Command): void {
  const { reply } = c
  if (latency === null) return
  reply.text(name)
  reply.map(2)
  reply.text('calls')
  reply.int(latency.total)
  reply.text('histogram_usec')
  const bounds = latency.doublings()
  reply.map(bounds.length)
  for (const [usec, count] of bounds) {
    reply.int(usec)
    reply.int(count)
  }
}

function latencyHelp(c: Client): void {
  replyHelp(c, [
    'DOCTOR',
    '    Return a human readable latency analysis report.',
    'GRAPH <event>',
    '    Return an ASCII latency graph for the <event> class.',
    'HISTORY <event>',
    '    Return time-latency samples for the <event> class.',
    'LATEST',
    '    Return the latest latency samples for all events.',
    'RESET [<event> ...]',
    '    Reset latency data of one or more <event> classes.',
    '    (default: reset all data for all event classes)',
    'HISTOGRAM [COMMAND ...]',
    '    Return a cumulative distribution of latencies in the format of a histogram for the specified command names.',
    '    If no commands are specified then all histograms are replied.',
  ])
}
