import { ALLOW_BUSY, ACL_CONNECTION, FAST, LOADING, NO_AUTH, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { dbArg, intArg } from '../engine/args.ts'
import { discardTransaction } from '../engine/dispatch.ts'
import { BAD_DB_INDEX, WRONGPASS, wrongArity } from '../resp/errors.ts'
import { REDIS_VERSION } from '../engine/version.ts'

// biome-ignore format: a table, one command after the other
export const connectionRows: readonly CommandRow[] = [
  { name: 'PING', arity: -1, flags: FAST, acl: ACL_CONNECTION, since: '1.0.0', args: '[message:string]',
    summary: 'Answers PONG, or the given message.', complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: ping },
  { name: 'ECHO', arity: 2, flags: LOADING | STALE | FAST, acl: ACL_CONNECTION, since: '1.0.0', args: 'message:string',
    summary: 'Returns its argument.', complexity: 'O(1)', run: echo },
  { name: 'SELECT', arity: 2, flags: LOADING | STALE | FAST, acl: ACL_CONNECTION, since: '1.0.0', args: 'index:integer',
    summary: "Chooses the connection's database.", complexity: 'O(1)', run: select },
  { name: 'AUTH', arity: -2, flags: NOSCRIPT | LOADING | STALE | FAST | NO_AUTH | ALLOW_BUSY, acl: ACL_CONNECTION, since: '1.0.0',
    args: '[username:string@6.0.0] password:string', summary: 'Logs a connection in.', complexity: "O(N) by the user's passwords",
    history: [['6.0.0', 'Added ACL style (username and password).']], run: auth },
  { name: 'HELLO', arity: -1, flags: NOSCRIPT | LOADING | STALE | FAST | NO_AUTH | ALLOW_BUSY, acl: ACL_CONNECTION, since: '6.0.0',
    args: '[arguments(protover:integer [AUTH auth(username:string password:string)] [SETNAME clientname:string])]',
    summary: 'Chooses the protocol version; can log in and set a name.', complexity: 'O(1)',
    history: [['6.2.0', "`protover` made optional; when called without arguments the command reports the current connection's context."]],
    run: hello },
  { name: 'RESET', arity: 1, flags: NOSCRIPT | LOADING | STALE | FAST | NO_AUTH | ALLOW_BUSY, acl: ACL_CONNECTION, since: '6.2.0',
    summary: 'Puts the connection back into its first state.', complexity: 'O(1)', run: reset },
  { name: 'QUIT', arity: -1, flags: NOSCRIPT | LOADING | STALE | FAST | NO_AUTH | ALLOW_BUSY, acl: ACL_CONNECTION, since: '1.0.0',
    summary: 'Ends the connection.', complexity: 'O(1)', deprecated: { since: '7.2.0', replacedBy: 'just closing the connection' },
    run: quit },
]

function ping(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 2) return reply.error(wrongArity('ping'))
  if (c.subscriptions > 0 && c.resp === 2) {
    reply.array(2)
    reply.text('pong')
    if (argv.count === 1) reply.text('')
    else reply.bulk(argv.bytes, argv.off(1), argv.len(1))
  } else if (argv.count === 1) reply.simple('PONG')
  else reply.bulk(argv.bytes, argv.off(1), argv.len(1))
}

function echo(c: Client): void {
  c.reply.bulk(c.argv.bytes, c.argv.off(1), c.argv.len(1))
}

function select(c: Client): void {
  const id = dbArg(c, 1)
  if (Number.isNaN(id)) return
  const db = c.engine.space.dbs[id]
  if (db === undefined) return c.reply.error(BAD_DB_INDEX)
  c.db = db
  c.reply.ok()
}

function auth(c: Client): void {
  const { argv, reply, engine } = c
  if (argv.count > 3) return reply.error('ERR syntax error')
  if (argv.count === 2 && !engine.users.passwordRequired) {
    return reply.error(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    )
  }
  for (let i = 1; i < argv.count; i++) c.redact(i)
  const user = argv.count === 2 ? 'default' : argv.text(1)
  if (!engine.users.logIn(c, user, argv.slice(argv.count - 1))) return reply.error(WRONGPASS)
  reply.ok()
}

function hello(c: Client): void {
  const { argv, reply, engine } = c
  let version = c.resp
  let next = 1
  if (argv.count > 1) {
    const asked = intArg(c, 1, 'ERR Protocol version is not an integer or out of range')
    if (Number.isNaN(asked)) return
    if (asked !== 2 && asked !== 3) return reply.error('NOPROTO unsupported protocol version')
    version = asked
    next = 2
  }
  let name: string | null = null
  let credentials: { user: string; password: Uint8Array } | null = null
  for (; next < argv.count; next++) {
    if (argv.is(next, 'auth') && next + 2 < argv.count) {
      credentials = { user: argv.text(next + 1), password: argv.slice(next + 2) }
      c.redact(next + 1)
      c.redact(next + 2)
      next += 2
    } else if (argv.is(next, 'setname') && next + 1 < argv.count) {
      name = argv.text(++next)
      if (!isClientName(name)) return reply.error(BAD_CLIENT_NAME)
    } else return reply.error(`ERR Syntax error in HELLO option '${argv.text(next)}'`)
  }
  if (credentials !== null && !engine.users.logIn(c, credentials.user, credentials.password)) return reply.error(WRONGPASS)
  if (!c.authenticated) {
    return reply.error(
      'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
    )
  }
  if (name !== null) c.name = name
  c.resp = version
  reply.resp3 = version === 3
  introduce(c)
}

function introduce(c: Client): void {
  const { reply } = c
  reply.map(7)
  reply.text('server')
  reply.text('redis')
  reply.text('version')
  reply.text(REDIS_VERSION)
  reply.text('proto')
  reply.int(c.resp)
  reply.text('id')
  reply.int(c.id)
  reply.text('mode')
  reply.text('standalone')
  reply.text('role')
  reply.text('master')
  reply.text('modules')
  reply.array(0)
}

export const BAD_CLIENT_NAME = 'ERR Client names cannot contain spaces, newlines or special characters.'

/** Whether a client may have this name: printable ASCII without spaces. */
export function isClientName(name: string): boolean {
  return /^[!-~]*$/.test(name)
}

function reset(c: Client): void {
  if (c.multi !== null) discardTransaction(c)
  c.engine.watch.unwatchAll(c)
  for (const forget of c.engine.onReset) forget(c)
  c.db = c.engine.space.dbs[0]
  c.resp = 2
  c.reply.resp3 = false
  c.name = ''
  c.monitor = false
  c.noTouch = false
  c.noEvict = false
  c.replyOff = false
  // its own reply is still the one that SKIP means
  if (c.skipReply > 1) c.skipReply = 0
  c.authenticated = !c.engine.authRequired
  c.user = 'default'
  c.reply.simple('RESET')
}

function quit(c: Client): void {
  c.reply.ok()
  c.closing = true
}
