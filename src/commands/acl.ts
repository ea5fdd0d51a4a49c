/** ACL: users and what they may do. So far there is the default user alone, who may do everything. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { ACL_CATEGORY_NAMES } from '../engine/flags.ts'
import { intArg } from '../engine/args.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const aclRows: readonly CommandRow<Client>[] = [
  { name: 'ACL', arity: -2, flags: 0, since: '6.0.0', summary: 'Users and what they may do.',
    subcommands: [
      { name: 'CAT', arity: -2, flags: NOSCRIPT | LOADING | STALE, since: '6.0.0', args: '[category:string]',
        summary: 'The command categories, or the commands of one.', complexity: 'O(N) by commands', run: aclCat },
      { name: 'GENPASS', arity: -2, flags: NOSCRIPT | LOADING | STALE, since: '6.0.0', args: '[bits:integer]',
        summary: 'A random password.', complexity: 'O(1)', run: aclGenpass },
      { name: 'GETUSER', arity: 3, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '6.0.0', args: 'username:string',
        summary: "A user's flags, passwords, commands, keys and channels.", complexity: "O(N) by the user's rules",
        history: [
          ['6.2.0', 'Added Pub/Sub channel patterns.'],
          ['7.0.0', 'Added selectors and changed the format of key and channel patterns from a list to their rule representation.'],
        ], run: aclGetuser },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '6.0.0', summary: 'What ACL can do.', complexity: 'O(1)', run: aclHelp },
      { name: 'LIST', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '6.0.0', summary: 'The users as lines of an ACL file.',
        complexity: 'O(N) by users', run: aclList },
      { name: 'USERS', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, since: '6.0.0', summary: 'The names of the users.',
        complexity: 'O(N) by users', run: aclUsers },
      { name: 'WHOAMI', arity: 2, flags: NOSCRIPT | LOADING | STALE, since: '6.0.0', summary: 'The user of this connection.',
        complexity: 'O(1)', run: aclWhoami },
    ] },
]

function aclWhoami(c: Client): void {
  c.reply.text(c.user)
}

function aclUsers(c: Client): void {
  c.reply.array(1)
  c.reply.text('default')
}

function aclList(c: Client): void {
  const password = c.engine.users.passwordHash
  c.reply.array(1)
  c.reply.text(`user default on ${password === '' ? 'nopass' : `#${password}`} sanitize-payload ~* &* +@all`)
}

function aclGetuser(c: Client): void {
  const { argv, reply, engine } = c
  if (argv.text(2) !== 'default') return reply.nil()
  const password = engine.users.passwordHash
  reply.map(6)
  reply.text('flags')
  const flags = password === '' ? ['on', 'nopass', 'sanitize-payload'] : ['on', 'sanitize-payload']
  reply.set(flags.length)
  for (const flag of flags) reply.text(flag)
  reply.text('passwords')
  reply.array(password === '' ? 0 : 1)
  if (password !== '') reply.text(password)
  for (const [name, rule] of [
    ['commands', '+@all'],
    ['keys', '~*'],
    ['channels', '&*'],
  ]) {
    reply.text(name)
    reply.text(rule)
  }
  reply.text('selectors')
  reply.array(0)
}

function aclCat(c: Client): void {
  const { argv, reply, engine } = c
  if (argv.count > 3) return reply.error(`ERR unknown subcommand or wrong number of arguments for '${argv.text(1)}'. Try ACL HELP.`)
  if (argv.count === 2) {
    const names = ACL_CATEGORY_NAMES.filter((name) => name !== 'bloom')
    reply.array(names.length)
    for (const name of names) reply.text(name)
    return
  }
  const bit = ACL_CATEGORY_NAMES.indexOf(argv.text(2).toLowerCase())
  if (bit < 0) return reply.error(`ERR Unknown category '${argv.text(2)}'`)
  const all = engine.table.commands.flatMap((command) => [command, ...(command.subcommands ?? [])])
  const found = all.filter((command) => (command.acl & (1 << bit)) !== 0)
  reply.array(found.length)
  for (const command of found) reply.text(command.name)
}

const MAX_BITS = 4096

function aclGenpass(c: Client): void {
  const { argv, reply } = c
  let bits = 256
  if (argv.count > 3) return reply.error(`ERR unknown subcommand or wrong number of arguments for '${argv.text(1)}'. Try ACL HELP.`)
  if (argv.count === 3) {
    bits = intArg(c, 2)
    if (Number.isNaN(bits)) return
    if (bits <= 0 || bits > MAX_BITS) {
      return reply.error('ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096')
    }
  }
  reply.text(c.engine.secret(Math.ceil(bits / 4)))
}

function aclHelp(c: Client): void {
  replyHelp(c, HELP)
}

const HELP = [
  'CAT [<category>]',
  '    List all commands that belong to <category>, or all command categories',
  '    when no category is specified.',
  'DELUSER <username> [<username> ...]',
  '    Delete a list of users.',
  'DRYRUN <username> <command> [<arg> ...]',
  '    Returns whether the user can execute the given command without executing the command.',
  'GETUSER <username>',
  "    Get the user's details.",
  'GENPASS [<bits>]',
  '    Generate a secure 256-bit user password. The optional `bits` argument can',
  '    be used to specify a different size.',
  'LIST',
  '    Show users details in config file format.',
  'LOAD',
  '    Reload users from the ACL file.',
  'LOG [<count> | RESET]',
  '    Show the ACL log entries.',
  'SAVE',
  '    Save the current config to the ACL file.',
  'SETUSER <username> <attribute> [<attribute> ...]',
  '    Create or modify a user with the specified attributes.',
  'USERS',
  '    List all the registered usernames.',
  'WHOAMI',
  '    Return the current connection username.',
]
