import { ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { wrongArity } from '../resp/errors.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const configRows: readonly CommandRow[] = [
  { name: 'CONFIG', arity: -2, flags: 0, since: '2.0.0', summary: 'Options of the running server.',
    subcommands: [
      { name: 'GET', arity: -3, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: 'parameter:string...',
        summary: 'The values of options.', complexity: 'O(N) by patterns',
        history: [['7.0.0', 'Added the ability to pass multiple pattern parameters in one call']], run: configGet },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '5.0.0', summary: 'What CONFIG can do.', complexity: 'O(1)',
        run: configHelp },
      { name: 'RESETSTAT', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.0.0',
        summary: 'Sets the counters of INFO back to zero.', complexity: 'O(1)',
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: configResetstat },
      { name: 'SET', arity: -4, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: 'data(parameter:string value:string)...',
        summary: 'Changes options of the running server.', complexity: 'O(N) by options',
        history: [['7.0.0', 'Added the ability to set multiple parameters in one call.']],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: configSet },
    ] },
]

function configGet(c: Client): void {
  const { argv, reply, engine } = c
  const patterns: string[] = []
  for (let i = 2; i < argv.count; i++) patterns.push(argv.text(i))
  const found = engine.config.matching(patterns)
  reply.map(found.length)
  for (const [name, value] of found) {
    reply.text(name)
    reply.text(value)
  }
}

function configSet(c: Client): void {
  const { argv, reply, engine } = c
  if (argv.count % 2 !== 0) return reply.error(wrongArity('config|set'))
  const pairs: [string, string][] = []
  for (let i = 2; i < argv.count; i += 2) pairs.push([argv.text(i), argv.text(i + 1)])
  const error = engine.config.set(pairs)
  if (error === null) reply.ok()
  else reply.error(error.reply)
}

function configResetstat(c: Client): void {
  c.engine.stats.reset()
  for (const command of c.engine.table.commands) command.resetStat()
  c.reply.ok()
}

function configHelp(c: Client): void {
  replyHelp(c, [
    'GET <pattern>',
    '    Return parameters matching the glob-like <pattern> and their values.',
    'SET <directive> <value>',
    '    Set the configuration <directive> to <value>.',
    'RESETSTAT',
    '    Reset statistics reported by the INFO command.',
  ])
}
