/** SLOWLOG: commands that took long. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { rangeArg } from '../engine/args.ts'
import type { SlowEntry } from '../engine/slowlog.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const slowlogRows: readonly CommandRow<Client>[] = [
  { name: 'SLOWLOG', arity: -2, flags: 0, since: '2.2.12', summary: 'Commands that took long.',
    subcommands: [
      { name: 'GET', arity: -2, flags: ADMIN | LOADING | STALE, since: '2.2.12', args: '[count:integer]',
        summary: 'The newest entries of the slow log.', complexity: 'O(N) by returned entries',
        history: [['4.0.0', 'Added client IP address, port and name to the reply.']],
        tips: ['request_policy:all_nodes', 'nondeterministic_output'], run: slowlogGet },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '6.2.0', summary: 'What SLOWLOG can do.', complexity: 'O(1)',
        run: slowlogHelp },
      { name: 'LEN', arity: 2, flags: ADMIN | LOADING | STALE, since: '2.2.12', summary: 'How many entries the slow log holds.',
        complexity: 'O(1)', tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'], run: slowlogLen },
      { name: 'RESET', arity: 2, flags: ADMIN | LOADING | STALE, since: '2.2.12', summary: 'Empties the slow log.',
        complexity: 'O(N) by entries', tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: slowlogReset },
    ] },
]

const BAD_COUNT = 'ERR count should be greater than or equal to -1'
const DEFAULT_COUNT = 10

function slowlogGet(c: Client): void {
  const { argv, reply, engine } = c
  let count = DEFAULT_COUNT
  if (argv.count > 3) return reply.error(`ERR unknown subcommand or wrong number of arguments for '${argv.text(1)}'. Try SLOWLOG HELP.`)
  if (argv.count === 3) {
    count = rangeArg(c, 2, -1, Number.MAX_SAFE_INTEGER, BAD_COUNT, BAD_COUNT)
    if (Number.isNaN(count)) return
  }
  const entries = count === -1 ? engine.slowlog.entries : engine.slowlog.entries.slice(0, count)
  reply.array(entries.length)
  for (const entry of entries) describe(c, entry)
}

function describe(c: Client, entry: SlowEntry): void {
  const { reply } = c
  reply.array(6)
  reply.int(entry.id)
  reply.int(entry.timeSeconds)
  reply.int(entry.usec)
  reply.array(entry.args.length)
  for (const arg of entry.args) reply.text(arg)
  reply.text(entry.address)
  reply.text(entry.clientName)
}

function slowlogLen(c: Client): void {
  c.reply.int(c.engine.slowlog.entries.length)
}

function slowlogReset(c: Client): void {
  c.engine.slowlog.clear()
  c.reply.ok()
}

function slowlogHelp(c: Client): void {
  replyHelp(c, [
    'GET [<count>]',
    '    Return top <count> entries from the slowlog (default: 10, -1 mean all).',
    '    Entries are made of:',
    '    id, timestamp, time in microseconds, arguments array, client IP and port,',
    '    client name',
    'LEN',
    '    Return the length of the slowlog.',
    'RESET',
    '    Reset the slowlog.',
  ])
}
