/** COMMAND: what the server says about its commands. Everything comes from the rows. */
import type { Client } from '../engine/client.ts'
import { ACL_CATEGORY_NAMES, COMMAND_FLAG_NAMES, DEPRECATED, DOC_FLAG_NAMES, namesOf } from '../engine/flags.ts'
import { type Argument, parseGrammar } from '../engine/grammar.ts'
import { KEY_FLAG_NAMES, type KeySpec } from '../engine/keyspec.ts'
import type { Command } from '../engine/table.ts'
import type { Reply } from '../resp/reply.ts'

export function commandCount(c: Client): void {
  c.reply.int(c.engine.table.commands.length)
}

export function commandAll(c: Client): void {
  const { commands } = c.engine.table
  c.reply.array(commands.length)
  for (const command of commands) describe(c.reply, command)
}

export function commandInfo(c: Client): void {
  const { argv, reply } = c
  if (argv.count === 2) return commandAll(c)
  reply.array(argv.count - 2)
  for (let i = 2; i < argv.count; i++) {
    const command = named(c, argv.text(i))
    if (command === null) reply.nil()
    else describe(reply, command)
  }
}

/** `get`, or `config|get`. */
export function named(c: Client, name: string): Command | null {
  const [first, second, ...more] = name.split('|')
  const command = c.engine.table.byName(first)
  if (command === null || second === undefined) return command
  if (more.length > 0) return null
  return command.subcommands?.find((sub) => sub.ownName === second.toLowerCase()) ?? null
}

function statuses(reply: Reply, words: readonly string[]): void {
  reply.set(words.length)
  for (const word of words) reply.simple(word)
}

function describe(reply: Reply, command: Command): void {
  reply.array(10)
  reply.text(command.name)
  reply.int(command.arity)
  statuses(reply, namesOf(command.flags, COMMAND_FLAG_NAMES))
  reply.int(command.firstKey)
  reply.int(command.lastKey)
  reply.int(command.keyStep)
  statuses(
    reply,
    namesOf(command.acl, ACL_CATEGORY_NAMES).map((name) => `@${name}`),
  )
  const tips = command.row.tips ?? []
  reply.set(tips.length)
  for (const tip of tips) reply.text(tip)
  const specs = command.row.keys ?? []
  reply.set(specs.length)
  for (const spec of specs) describeKeys(reply, spec)
  const subcommands = command.subcommands ?? []
  reply.set(subcommands.length)
  for (const sub of subcommands) describe(reply, sub)
}

function describeKeys(reply: Reply, spec: KeySpec): void {
  reply.map(3)
  reply.text('flags')
  statuses(reply, namesOf(spec.flags, KEY_FLAG_NAMES))
  reply.text('begin_search')
  describeBegin(reply, spec)
  reply.text('find_keys')
  describeFind(reply, spec)
}

function typed(reply: Reply, type: string, fields: readonly (readonly [string, number | string])[]): void {
  reply.map(2)
  reply.text('type')
  reply.text(type)
  reply.text('spec')
  reply.map(fields.length)
  for (const [name, value] of fields) {
    reply.text(name)
    if (typeof value === 'number') reply.int(value)
    else reply.text(value)
  }
}

function describeBegin(reply: Reply, { begin }: KeySpec): void {
  if (begin.type === 'index') typed(reply, 'index', [['index', begin.index]])
  else if (begin.type === 'unknown') typed(reply, 'unknown', [])
  else {
    typed(reply, 'keyword', [
      ['keyword', begin.keyword],
      ['startfrom', begin.startFrom],
    ])
  }
}

function describeFind(reply: Reply, { find }: KeySpec): void {
  if (find.type === 'unknown') typed(reply, 'unknown', [])
  else if (find.type === 'range') {
    typed(reply, 'range', [
      ['lastkey', find.last],
      ['keystep', find.step],
      ['limit', find.limit],
    ])
  } else {
    typed(reply, 'keynum', [
      ['keynumidx', find.numIndex],
      ['firstkey', find.first],
      ['keystep', find.step],
    ])
  }
}

export function commandDocs(c: Client): void {
  const { argv, reply, engine } = c
  const wanted: Command[] = []
  if (argv.count === 2) wanted.push(...engine.table.commands)
  for (let i = 2; i < argv.count; i++) {
    const command = named(c, argv.text(i))
    if (command !== null) wanted.push(command)
  }
  reply.map(wanted.length)
  for (const command of wanted) {
    reply.text(command.name)
    documentCommand(reply, command)
  }
}

function documentCommand(reply: Reply, command: Command): void {
  const { row } = command
  const start = reply.defer()
  let fields = 0
  const field = (name: string): void => {
    reply.text(name)
    fields++
  }
  const textField = (name: string, value: string): void => {
    field(name)
    reply.text(value)
  }
  textField('summary', row.summary)
  textField('since', row.since)
  textField('group', command.group)
  textField('complexity', row.complexity ?? 'Depends on subcommand.')
  const docFlags = (row.docFlags ?? 0) | (row.deprecated === undefined ? 0 : DEPRECATED)
  if (docFlags !== 0) {
    field('doc_flags')
    statuses(reply, namesOf(docFlags, DOC_FLAG_NAMES))
  }
  if (row.deprecated !== undefined) {
    textField('deprecated_since', row.deprecated.since)
    textField('replaced_by', row.deprecated.replacedBy)
  }
  if (row.history !== undefined) {
    field('history')
    documentHistory(reply, row.history)
  }
  if (row.args !== undefined) {
    field('arguments')
    documentArguments(reply, parseGrammar(row.args))
  }
  if (command.subcommands !== null) {
    field('subcommands')
    reply.map(command.subcommands.length)
    for (const sub of command.subcommands) {
      reply.text(sub.name)
      documentCommand(reply, sub)
    }
  }
  reply.endMap(start, fields)
}

function documentHistory(reply: Reply, history: readonly (readonly [string, string])[]): void {
  reply.set(history.length)
  for (const [since, change] of history) {
    reply.array(2)
    reply.text(since)
    reply.text(change)
  }
}

function documentArguments(reply: Reply, args: readonly Argument[]): void {
  reply.array(args.length)
  for (const argument of args) documentArgument(reply, argument)
}

function documentArgument(reply: Reply, argument: Argument): void {
  const start = reply.defer()
  let fields = 0
  const textField = (name: string, value: string | undefined): void => {
    if (value === undefined) return
    reply.text(name)
    reply.text(value)
    fields++
  }
  textField('name', argument.name)
  textField('type', argument.type)
  textField('display_text', argument.displayText)
  if (argument.keySpecIndex !== undefined) {
    reply.text('key_spec_index')
    reply.int(argument.keySpecIndex)
    fields++
  }
  textField('token', argument.token)
  textField('since', argument.since)
  textField('deprecated_since', argument.deprecatedSince)
  const flags = argumentFlags(argument)
  if (flags.length > 0) {
    reply.text('flags')
    statuses(reply, flags)
    fields++
  }
  if (argument.arguments.length > 0) {
    reply.text('arguments')
    documentArguments(reply, argument.arguments)
    fields++
  }
  reply.endMap(start, fields)
}

function argumentFlags(argument: Argument): string[] {
  const flags: string[] = []
  if (argument.optional) flags.push('optional')
  if (argument.multiple) flags.push('multiple')
  if (argument.multipleToken) flags.push('multiple_token')
  return flags
}
