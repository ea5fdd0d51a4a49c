/** MEMORY: where memory goes. */
import type { Client } from '../engine/client.ts'
import { LOADING, READONLY, STALE } from '../engine/flags.ts'
import { key, RO } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { intArg } from '../engine/args.ts'
import { human } from '../engine/info-sections.ts'
import { memoryOverview } from '../engine/memory-overview.ts'
import { keyBytes } from '../keyspace/usage.ts'
import { NULL_REF } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { scriptingOf } from '../script/scripting.ts'
import { dictBytes } from '../structs/dict.ts'
import { utf8 } from '../util/bytes.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const memoryRows: readonly CommandRow<Client>[] = [
  { name: 'MEMORY', arity: -2, flags: 0, since: '4.0.0', summary: 'Where memory goes.',
    subcommands: [
      { name: 'DOCTOR', arity: 2, flags: 0, since: '4.0.0', summary: 'Advice about memory, in words.', complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'], run: memoryDoctor },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '4.0.0', summary: 'What MEMORY can do.', complexity: 'O(1)',
        run: memoryHelp },
      { name: 'MALLOC-STATS', arity: 2, flags: 0, since: '4.0.0', summary: 'State of the memory allocator.',
        complexity: 'O(N) by memory segments', tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
        run: memoryMallocStats },
      { name: 'PURGE', arity: 2, flags: 0, since: '4.0.0', summary: 'Gives unused memory back to the system.',
        complexity: 'O(N) by memory segments', tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: memoryPurge },
      { name: 'STATS', arity: 2, flags: 0, since: '4.0.0', summary: 'Memory by kind of use.', complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'], run: memoryStats },
      { name: 'USAGE', arity: -3, flags: READONLY, since: '4.0.0', keys: [key(2, RO)], args: 'key:key [SAMPLES count:integer]',
        summary: 'Bytes taken by a key and its value.', complexity: 'O(N) by sampled elements', run: memoryUsage },
    ] },
]

/** Elements or nodes that MEMORY USAGE looks at. */
const DEFAULT_SAMPLES = 5

function memoryUsage(c: Client): void {
  const { argv, reply } = c
  let samples = DEFAULT_SAMPLES
  for (let i = 3; i < argv.count; i++) {
    if (!argv.is(i, 'samples') || i + 1 >= argv.count) return reply.error(SYNTAX_ERROR)
    samples = intArg(c, ++i)
    if (Number.isNaN(samples)) return
    if (samples < 0) return reply.error(SYNTAX_ERROR)
  }
  // a key whose time has come takes memory as long as nobody has met it
  const entry = c.db.stored(argv, 2)
  if (entry === NULL_REF) return reply.nil()
  reply.int(keyBytes(c.mem, entry, samples))
}

function memoryStats(c: Client): void {
  const { reply, engine } = c
  const view = memoryOverview(engine)
  const scripting = scriptingOf(engine)
  const dbs = engine.space.dbs.filter((db) => db.size > 0)
  const fields: [name: string, value: number, isRatio?: boolean][] = [
    ['peak.allocated', view.peak],
    ['total.allocated', view.used],
    ['startup.allocated', view.startup],
    ['replication.backlog', 0],
    ['clients.slaves', 0],
    ['clients.normal', view.clients],
    ['cluster.links', 0],
    ['aof.buffer', 0],
    ['lua.caches', scripting.cache.bytes],
    ['functions.caches', scripting.libraries.codeBytes],
  ]
  const after: typeof fields = [
    ['overhead.total', view.overhead],
    ['keys.count', view.keys],
    ['keys.bytes-per-key', view.keys === 0 ? 0 : Math.floor(view.dataset / view.keys)],
    ['dataset.bytes', view.dataset],
    ['dataset.percentage', view.datasetPercent, true],
    ['peak.percentage', view.peakPercent, true],
    ['allocator.allocated', view.used],
    ['allocator.active', view.mapped],
    ['allocator.resident', view.mapped],
    ['allocator-fragmentation.ratio', view.mapped / Math.max(1, view.used), true],
    ['allocator-fragmentation.bytes', view.mapped - view.used],
    ['fragmentation', view.rss / Math.max(1, view.used), true],
    ['fragmentation.bytes', view.rss - view.used],
  ]
  const show = ([name, value, isRatio]: (typeof fields)[number]): void => {
    reply.text(name)
    if (isRatio === true) reply.double(value)
    else reply.int(value)
  }
  reply.map(fields.length + dbs.length + after.length)
  fields.forEach(show)
  for (const db of dbs) {
    reply.text(`db.${db.id}`)
    reply.map(2)
    show(['overhead.hashtable.main', dictBytes(c.mem, db.keys)])
    show(['overhead.hashtable.expires', dictBytes(c.mem, db.expires)])
  }
  after.forEach(show)
}

function memoryDoctor(c: Client): void {
  const view = memoryOverview(c.engine)
  const used = `Memory: ${human(view.used)} in use of ${human(view.mapped)} reserved, ${human(view.rss)} resident, ${human(view.peak)} at the peak.`
  const advice: string[] = []
  if (view.used < 5 * 1024 * 1024) advice.push('There is too little data for advice.')
  else {
    if (view.peak > view.used * 1.5) advice.push('The peak was much higher: reserved memory may go back to the system with MEMORY PURGE.')
    if (view.rss > view.used * 1.4) advice.push('Much more is resident than in use: freed pages wait to be used again or given back.')
    if (view.clients > view.used / 4)
      advice.push('Buffers of clients are a large part of it: see CLIENT LIST and client-output-buffer-limit.')
    if (advice.length === 0) advice.push('Nothing is out of the ordinary.')
  }
  text(c, [used, ...advice, ''].join('\n'))
}

function memoryMallocStats(c: Client): void {
  const view = memoryOverview(c.engine)
  const rows = [
    ['reserved', view.mapped],
    ['in use', view.used],
    ['free in reserved memory', view.mapped - view.used],
    ['resident (whole process)', view.rss],
    ['JavaScript heap', view.heap],
  ] as const
  text(c, `arena\n${rows.map(([name, bytes]) => `  ${name}: ${bytes} (${human(bytes)})\n`).join('')}`)
}

function text(c: Client, words: string): void {
  const bytes = utf8(words)
  c.reply.verbatim('txt', bytes, 0, bytes.length)
}

function memoryPurge(c: Client): void {
  // Segments go back to the system when their last block is freed; what may still wait is freed and shrunk in the background.
  c.engine.cron.freeSoon()
  c.reply.ok()
}

function memoryHelp(c: Client): void {
  replyHelp(c, [
    'DOCTOR',
    '    Return memory problems reports.',
    'MALLOC-STATS',
    '    Return internal statistics report from the memory allocator.',
    'PURGE',
    '    Attempt to purge dirty pages for reclamation by the allocator.',
    'STATS',
    '    Return information about the memory usage of the server.',
    'USAGE <key> [SAMPLES <count>]',
    '    Return memory in bytes used by <key> and its value. Nested values are',
    '    sampled up to <count> times (default: 5, 0 means sample all).',
  ])
}
