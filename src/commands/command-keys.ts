/** COMMAND GETKEYS and GETKEYSANDFLAGS: the keys among the arguments of some other command. COMMAND LIST: names by filter. */
import type { Client } from '../engine/client.ts'
import { ACL_CATEGORY_NAMES, namesOf, NO_MANDATORY_KEYS } from '../engine/flags.ts'
import { findKeys, KEY_FLAG_NAMES, KeyPositions, NOT_KEY } from '../engine/keyspec.ts'
import type { Command } from '../engine/table.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { bytesOf } from '../util/bytes.ts'
import { globMatch } from '../util/glob.ts'
import { replyHelp } from './help.ts'

export function commandGetkeys(c: Client): void {
  answerKeys(c, false)
}

export function commandGetkeysandflags(c: Client): void {
  answerKeys(c, true)
}

/** The command that argument 2 (and, in a container, 3) names. */
function commandOf(c: Client): Command | null {
  const { argv, engine } = c
  const command = engine.table.lookup(argv.bytes, argv.off(2), argv.len(2))
  if (command === null || command.subcommands === null || argv.count === 3) return command
  return command.subcommand(argv.bytes, argv.off(3), argv.len(3))
}

function hasKeys({ row }: Command): boolean {
  return row.findKeys !== undefined || (row.keys ?? []).some((spec) => (spec.flags & NOT_KEY) === 0)
}

function answerKeys(c: Client, withFlags: boolean): void {
  const { argv, reply } = c
  const command = commandOf(c)
  if (command === null) return reply.error('ERR Invalid command specified')
  if (!hasKeys(command)) return reply.error('ERR The command has no key arguments')
  const given = argv.count - 2
  if (command.arity > 0 ? given !== command.arity : given < -command.arity) {
    return reply.error('ERR Invalid number of arguments specified for command')
  }
  const request = argv.copy(2)
  const found = new KeyPositions()
  findKeys(request, command.row.keys ?? [], command.row.findKeys, found)
  if (found.count === 0 && (command.flags & NO_MANDATORY_KEYS) === 0) return reply.error('ERR Invalid arguments specified for command')
  reply.array(found.count)
  for (let i = 0; i < found.count; i++) {
    const position = found.positions[i]
    if (withFlags) reply.array(2)
    reply.bulk(request.bytes, request.off(position), request.len(position))
    if (!withFlags) continue
    const flags = namesOf(found.flags[i], KEY_FLAG_NAMES)
    reply.set(flags.length)
    for (const flag of flags) reply.simple(flag)
  }
}

export function commandList(c: Client): void {
  const { argv, reply, engine } = c
  let wanted: (command: Command) => boolean = () => true
  if (argv.count > 2) {
    if (argv.count !== 5 || !argv.is(2, 'filterby')) return reply.error(SYNTAX_ERROR)
    const filter = filterOf(c)
    if (filter === null) return reply.error(SYNTAX_ERROR)
    wanted = filter
  }
  const names: string[] = []
  for (const command of engine.table.commands) {
    for (const one of [command, ...(command.subcommands ?? [])]) if (wanted(one)) names.push(one.name)
  }
  reply.array(names.length)
  for (const name of names) reply.text(name)
}

/** FILTERBY kind value; null when there is no such kind. */
function filterOf(c: Client): ((command: Command) => boolean) | null {
  const { argv } = c
  if (argv.is(3, 'module')) return () => false
  if (argv.is(3, 'aclcat')) {
    const bit = ACL_CATEGORY_NAMES.indexOf(argv.text(4).toLowerCase())
    return (command) => bit >= 0 && (command.acl & (1 << bit)) !== 0
  }
  if (!argv.is(3, 'pattern')) return null
  const pattern = argv.slice(4)
  return ({ name }) => globMatch(pattern, 0, pattern.length, bytesOf(name), 0, name.length, true)
}

export function commandHelp(c: Client): void {
  replyHelp(c, [
    '(no subcommand)',
    '    Return details about all Redis commands.',
    'COUNT',
    '    Return the total number of commands in this Redis server.',
    'LIST',
    '    Return a list of all commands in this Redis server.',
    'INFO [<command-name> ...]',
    '    Return details about multiple Redis commands.',
    '    If no command names are given, documentation details for all',
    '    commands are returned.',
    'DOCS [<command-name> ...]',
    '    Return documentation details about multiple Redis commands.',
    '    If no command names are given, documentation details for all',
    '    commands are returned.',
    'GETKEYS <full-command>',
    '    Return the keys from a full Redis command.',
    'GETKEYSANDFLAGS <full-command>',
    '    Return the keys and the access flags from a full Redis command.',
  ])
}
