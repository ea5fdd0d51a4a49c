import { ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { systemReason } from '../engine/config-types.ts'
import { rewriteConf } from '../engine/conf-rewrite.ts'
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
      { name: 'REWRITE', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '2.8.0',
        summary: 'Writes the present options to the configuration file.', complexity: 'O(1)',
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: configRewrite },
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
  if (argv.count % 2 !== 0) return reply.error(SYNTAX_ERROR)
  const pairs: [string, string][] = []
  for (let i = 2; i < argv.count; i += 2) {
    pairs.push([argv.text(i), argv.text(i + 1)])
    if (engine.config.isSensitive(argv.text(i))) c.redact(i + 1)
  }
  const error = engine.config.set(pairs, { protectedOptions: engine.allows('enable-protected-configs'), loading: false })
  if (error === null) reply.ok()
  else reply.error(error.reply)
}

function configResetstat(c: Client): void {
  c.engine.stats.reset()
  for (const command of c.engine.table.commands) command.resetStat()
  c.engine.space.resetStats()
  c.engine.memory.resetStats()
  c.reply.ok()
}

function configRewrite(c: Client): void {
  const { reply, engine } = c
  if (engine.configFile === '') return reply.error('ERR The server is running without a config file')
  try {
    rewriteConf(engine.config, engine.configFile)
  } catch (error) {
    engine.log.warning(`CONFIG REWRITE failed: ${systemReason(error)}`)
    return reply.error(`ERR Rewriting config file: ${systemReason(error)}`)
  }
  engine.log.notice('CONFIG REWRITE executed with success.')
  reply.ok()
}

function configHelp(c: Client): void {
  replyHelp(c, [
    'GET <pattern>',
    '    Return parameters matching the glob-like <pattern> and their values.',
    'SET <directive> <value>',
    '    Set the configuration <directive> to <value>.',
    'RESETSTAT',
    '    Reset statistics reported by the INFO command.',
    'REWRITE',
    '    Rewrite the configuration file.',
  ])
}
