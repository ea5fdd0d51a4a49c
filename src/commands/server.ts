import {
  ADMIN,
  ALLOW_BUSY,
  ACL_CONNECTION,
  ACL_DANGEROUS,
  FAST,
  ACL_KEYSPACE,
  LOADING,
  NO_MULTI,
  NOSCRIPT,
  READONLY,
  STALE,
  WRITE,
} from '../engine/flags.ts'
import { TO_ALL } from '../engine/propagate.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { rangeArg } from '../engine/args.ts'
import type { Db } from '../keyspace/db.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { commandAll, commandCount, commandDocs, commandInfo } from './command.ts'
import { commandGetkeys, commandGetkeysandflags, commandHelp, commandList } from './command-keys.ts'

// biome-ignore format: a table, one command after the other
export const serverRows: readonly CommandRow[] = [
  { name: 'INFO', arity: -1, flags: LOADING | STALE, acl: ACL_DANGEROUS, since: '1.0.0', args: '[section:string...]',
    summary: 'State and counters of the server.', complexity: 'O(1)',
    history: [['7.0.0', 'Added support for taking multiple section arguments.']],
    tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'], run: info },
  { name: 'TIME', arity: 1, flags: LOADING | STALE | FAST, since: '2.6.0', summary: "The server's clock: seconds and microseconds.",
    complexity: 'O(1)', tips: ['nondeterministic_output'], run: time },
  { name: 'DBSIZE', arity: 1, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '1.0.0', summary: 'How many keys the database holds.',
    complexity: 'O(1)', tips: ['request_policy:all_shards', 'response_policy:agg_sum'], run: dbsize },
  { name: 'FLUSHDB', arity: -1, flags: WRITE, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '1.0.0', args: '[flush-type(ASYNC@4.0.0|SYNC@6.2.0)]',
    summary: 'Deletes all keys of the database.', complexity: 'O(N) by keys',
    history: [['4.0.0', 'Added the `ASYNC` flushing mode modifier.'], ['6.2.0', 'Added the `SYNC` flushing mode modifier.']],
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: flushdb },
  { name: 'FLUSHALL', arity: -1, flags: WRITE, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '1.0.0', args: '[flush-type(ASYNC@4.0.0|SYNC@6.2.0)]',
    summary: 'Deletes all keys of all databases.', complexity: 'O(N) by keys',
    history: [['4.0.0', 'Added the `ASYNC` flushing mode modifier.'], ['6.2.0', 'Added the `SYNC` flushing mode modifier.']],
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: flushall },
  { name: 'SWAPDB', arity: 3, flags: WRITE | FAST, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '4.0.0', args: 'index1:integer index2:integer',
    summary: 'Exchanges two databases, for all connections.', complexity: 'O(N) by clients that watch or wait for keys of the two',
    run: swapdb },
  { name: 'SHUTDOWN', arity: -1, flags: ADMIN | NOSCRIPT | LOADING | STALE | NO_MULTI | ALLOW_BUSY, since: '1.0.0',
    args: '[save-selector(NOSAVE|SAVE)] [NOW@7.0.0] [FORCE@7.0.0] [ABORT@7.0.0]', summary: 'Saves if so configured, and ends the server.',
    complexity: 'O(N) by keys when it saves, else O(1)', history: [['7.0.0', 'Added the `NOW`, `FORCE` and `ABORT` modifiers.']],
    run: shutdown },
  { name: 'COMMAND', arity: -1, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '2.8.13', summary: 'Every command and its properties.',
    complexity: 'O(N) by commands', tips: ['nondeterministic_output_order'], run: commandAll,
    subcommands: [
      { name: 'COUNT', arity: 2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '2.8.13', summary: 'The number of commands.',
        complexity: 'O(1)', run: commandCount },
      { name: 'DOCS', arity: -2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '7.0.0', args: '[command-name:string...]',
        summary: 'Documentation of commands.', complexity: 'O(N) by commands asked for', tips: ['nondeterministic_output_order'],
        run: commandDocs },
      { name: 'GETKEYS', arity: -3, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '2.8.13', args: 'command:string [arg:string...]',
        summary: 'The keys among the arguments of a command.', complexity: 'O(N) by arguments', run: commandGetkeys },
      { name: 'GETKEYSANDFLAGS', arity: -3, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '7.0.0', args: 'command:string [arg:string...]',
        summary: "The keys among a command's arguments and their use.", complexity: 'O(N) by arguments', run: commandGetkeysandflags },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '5.0.0', summary: 'What COMMAND can do.',
        complexity: 'O(1)', run: commandHelp },
      { name: 'INFO', arity: -2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '2.8.13', args: '[command-name:string...]',
        summary: 'The properties of commands.', complexity: 'O(N) by commands asked for',
        history: [['7.0.0', 'Allowed to be called with no argument to get info on all commands.']], tips: ['nondeterministic_output_order'],
        run: commandInfo },
      { name: 'LIST', arity: -2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '7.0.0',
        args: '[FILTERBY filterby(MODULE module-name:string|ACLCAT category:string|PATTERN pattern:pattern)]',
        summary: 'The names of all commands, or of some.', complexity: 'O(N) by commands', tips: ['nondeterministic_output_order'],
        run: commandList },
    ] },
]

function info(c: Client): void {
  const { argv, engine, reply } = c
  const wanted: string[] = []
  for (let i = 1; i < argv.count; i++) wanted.push(argv.text(i).toLowerCase())
  const text = Uint8Array.from(engine.info.text(wanted), (char) => char.charCodeAt(0))
  reply.verbatim('txt', text, 0, text.length)
}

function time(c: Client): void {
  const us = c.engine.depth > 1 ? c.engine.space.frozenUs() : c.engine.clock.nowUs()
  c.reply.array(2)
  c.reply.text(String(Math.floor(us / 1e6)))
  c.reply.text(String(us % 1e6))
}

function dbsize(c: Client): void {
  c.reply.int(c.db.size)
}

/** ASYNC or SYNC in argument 1; null when it has answered an error. */
function flushesLater(c: Client): boolean | null {
  const { argv, engine } = c
  if (argv.count === 1) return engine.lazyUserFlush
  if (argv.count === 2 && argv.is(1, 'async')) return true
  if (argv.count === 2 && argv.is(1, 'sync')) return false
  c.reply.error(SYNTAX_ERROR)
  return null
}

function flushdb(c: Client): void {
  const later = flushesLater(c)
  if (later === null) return
  flush(c, [c.db], later)
}

function flushall(c: Client): void {
  const later = flushesLater(c)
  if (later === null) return
  flush(c, c.engine.space.dbs, later)
}

function flush(c: Client, dbs: readonly Db[], later: boolean): void {
  const { space, cron } = c.engine
  for (const flushed of space.hooks.flushed) flushed(dbs)
  for (const db of dbs) space.dirty += db.flush(later)
  if (later) cron.freeSoon()
  // also when it was empty here: elsewhere it may not be
  c.engine.propagate.force(TO_ALL)
  c.reply.ok()
}

function swapdb(c: Client): void {
  const { space, watch } = c.engine
  const first = rangeArg(c, 1, -(2 ** 31), 2 ** 31 - 1, 'ERR invalid first DB index')
  if (Number.isNaN(first)) return
  const second = rangeArg(c, 2, -(2 ** 31), 2 ** 31 - 1, 'ERR invalid second DB index')
  if (Number.isNaN(second)) return
  const a = space.dbs[first]
  const b = space.dbs[second]
  if (a === undefined || b === undefined) return c.reply.error('ERR DB index is out of range')
  if (a !== b) {
    watch.swapped(a, b)
    a.swapWith(b)
    for (const swapped of space.hooks.swapped) swapped(a, b)
  }
  space.dirty++
  c.reply.ok()
}

function shutdown(c: Client): void {
  const { argv, engine, reply } = c
  const asked = new Set<string>()
  for (let i = 1; i < argv.count; i++) asked.add(argv.text(i).toLowerCase())
  const known = ['nosave', 'save', 'now', 'force', 'abort']
  if (![...asked].every((word) => known.includes(word))) return reply.error(SYNTAX_ERROR)
  if ((asked.has('abort') && asked.size > 1) || (asked.has('save') && asked.has('nosave'))) return reply.error(SYNTAX_ERROR)
  if (asked.has('abort')) return reply.error('ERR No shutdown in progress.')
  if (engine.shutdown === null) return reply.error('ERR Errors trying to SHUTDOWN. Check logs.')
  engine.shutdown()
}
