/** CLIENT: connections, who they are and how they behave. */
import type { Client } from '../engine/client.ts'
import { ACL_CONNECTION, ADMIN, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { clientLine } from '../engine/client-line.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { utf8 } from '../util/bytes.ts'
import { clientKill, clientList, clientPause, clientUnblock, clientUnpause } from './client-admin.ts'
import { BAD_CLIENT_NAME, isClientName } from './connection.ts'
import { clientTrackingRows } from './client-tracking.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const clientRows: readonly CommandRow<Client>[] = [
  { name: 'CLIENT', arity: -2, flags: 0, since: '2.4.0', summary: 'Connections: who is there and how they behave.',
    subcommands: [
      ...clientTrackingRows,
      { name: 'GETNAME', arity: 2, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '2.6.9',
        summary: 'What CLIENT SETNAME called this connection.', complexity: 'O(1)', run: clientGetname },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, acl: ACL_CONNECTION, since: '5.0.0', summary: 'What CLIENT can do.', complexity: 'O(1)',
        run: clientHelp },
      { name: 'ID', arity: 2, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '5.0.0', summary: 'The number of this connection.',
        complexity: 'O(1)', run: clientId },
      { name: 'INFO', arity: 2, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.2.0',
        summary: 'One line about this connection.', complexity: 'O(1)', tips: ['nondeterministic_output'], run: clientInfo },
      { name: 'KILL', arity: -3, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '2.4.0',
        args: `filter(old-format:string<ip:port>@-2.8.12|new-format([ID client-id:integer@2.8.12]|[TYPE client-type(NORMAL|MASTER@3.2.0|
          SLAVE|REPLICA@5.0.0|PUBSUB)@2.8.12]|[USER username:string]|[ADDR addr:string<ip:port>]|[LADDR laddr:string<ip:port>@6.2.0]|
          [SKIPME skipme(YES|NO)])...)`, summary: 'Closes connections.', complexity: 'O(N) by connections',
        history: [
          ['2.8.12', 'Added new filter format.'],
          ['2.8.12', '`ID` option.'],
          ['3.2.0', 'Added `master` type in for `TYPE` option.'],
          ['5.0.0', 'Replaced `slave` `TYPE` with `replica`. `slave` still supported for backward compatibility.'],
          ['6.2.0', '`LADDR` option.'],
        ], run: clientKill },
      { name: 'LIST', arity: -2, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '2.4.0',
        args: '[TYPE client-type(NORMAL|MASTER|REPLICA|PUBSUB)@5.0.0] [ID client-id:integer@6.2.0...]',
        summary: 'One line about each connection.', complexity: 'O(N) by connections',
        history: [
          ['2.8.12', 'Added unique client `id` field.'],
          ['5.0.0', 'Added optional `TYPE` filter.'],
          ['6.0.0', 'Added `user` field.'],
          ['6.2.0', 'Added `argv-mem`, `tot-mem`, `laddr` and `redir` fields and the optional `ID` filter.'],
          ['7.0.0', 'Added `resp`, `multi-mem`, `rbs` and `rbp` fields.'],
          ['7.0.3', 'Added `ssub` field.'],
        ], tips: ['nondeterministic_output'], run: clientList },
      { name: 'NO-EVICT', arity: 3, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '7.0.0', args: 'enabled(ON|OFF)',
        summary: 'Whether this connection may be evicted to save memory.', complexity: 'O(1)', run: clientNoEvict },
      { name: 'NO-TOUCH', arity: 3, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '7.2.0', args: 'enabled(ON|OFF)',
        summary: "Whether this connection's reads mark keys as used.", complexity: 'O(1)', run: clientNoTouch },
      { name: 'PAUSE', arity: -3, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '3.0.0',
        args: 'timeout:integer [mode(WRITE|ALL)@6.2.0]', summary: 'Holds back the commands of clients for a while.', complexity: 'O(1)',
        history: [['6.2.0', '`CLIENT PAUSE WRITE` mode added along with the `mode` option.']], run: clientPause },
      { name: 'REPLY', arity: 3, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '3.2.0', args: 'action(ON|OFF|SKIP)',
        summary: 'Whether this connection gets replies.', complexity: 'O(1)', run: clientReply },
      { name: 'SETINFO', arity: 4, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '7.2.0',
        args: 'attr(LIB-NAME libname:string|LIB-VER libver:string)', summary: "Sets what the client's library says about itself.",
        complexity: 'O(1)', tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: clientSetinfo },
      { name: 'SETNAME', arity: 3, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '2.6.9', args: 'connection-name:string',
        summary: 'Names this connection.', complexity: 'O(1)', tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
        run: clientSetname },
      { name: 'UNBLOCK', arity: -3, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '5.0.0',
        args: 'client-id:integer [unblock-type(TIMEOUT|ERROR)]', summary: "Ends another connection's wait in a blocking command.",
        complexity: 'O(1)', run: clientUnblock },
      { name: 'UNPAUSE', arity: 2, flags: ADMIN | NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.2.0',
        summary: 'Lets paused clients go on.', complexity: 'O(N) by paused clients', run: clientUnpause },
    ] },
]

function clientId(c: Client): void {
  c.reply.int(c.id)
}

function clientInfo(c: Client): void {
  const line = utf8(`${clientLine(c)}\n`)
  c.reply.verbatim('txt', line, 0, line.length)
}

function clientGetname(c: Client): void {
  if (c.name === '') c.reply.nil()
  else c.reply.text(c.name)
}

function clientSetname(c: Client): void {
  const name = c.argv.text(2)
  if (!isClientName(name)) return c.reply.error(BAD_CLIENT_NAME)
  c.name = name
  c.reply.ok()
}

function clientSetinfo(c: Client): void {
  const { argv, reply } = c
  const value = argv.text(3)
  const option = argv.is(2, 'lib-name') ? 'lib-name' : argv.is(2, 'lib-ver') ? 'lib-ver' : null
  if (option === null) return reply.error(`ERR Unrecognized option '${argv.text(2)}'`)
  if (!isClientName(value)) return reply.error(`ERR ${argv.text(2)} cannot contain spaces, newlines or special characters.`)
  if (option === 'lib-name') c.libName = value
  else c.libVersion = value
  reply.ok()
}

/** ON or OFF in argument 2; null when it has answered an error. */
function onOrOff(c: Client): boolean | null {
  if (c.argv.is(2, 'on')) return true
  if (c.argv.is(2, 'off')) return false
  c.reply.error(SYNTAX_ERROR)
  return null
}

function clientNoEvict(c: Client): void {
  const on = onOrOff(c)
  if (on === null) return
  c.noEvict = on
  c.reply.ok()
}

function clientNoTouch(c: Client): void {
  const on = onOrOff(c)
  if (on === null) return
  c.noTouch = on
  c.reply.ok()
}

/** SKIP drops the reply of the next command, and says nothing itself. */
function clientReply(c: Client): void {
  const { argv, reply } = c
  if (argv.is(2, 'on')) {
    c.replyOff = false
    // a SKIP in the same transaction is for the command behind EXEC
    if (c.skipReply === 1) c.skipReply = 0
    reply.ok()
  } else if (argv.is(2, 'off')) c.replyOff = true
  else if (argv.is(2, 'skip')) {
    if (!c.replyOff) c.skipReply = 2
  } else reply.error(SYNTAX_ERROR)
}

function clientHelp(c: Client): void {
  replyHelp(c, HELP)
}

const HELP = [
  'CACHING (YES|NO)',
  '    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes.',
  'GETREDIR',
  '    Return the client ID we are redirecting to when tracking is enabled.',
  'GETNAME',
  '    Return the name of the current connection.',
  'ID',
  '    Return the ID of the current connection.',
  'INFO',
  '    Return information about the current client connection.',
  'KILL <ip:port>',
  '    Kill connection made from <ip:port>.',
  'KILL <option> <value> [<option> <value> [...]]',
  '    Kill connections. Options are:',
  '    * ADDR (<ip:port>|<unixsocket>:0)',
  '      Kill connections made from the specified address',
  '    * LADDR (<ip:port>|<unixsocket>:0)',
  '      Kill connections made to specified local address',
  '    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)',
  '      Kill connections by type.',
  '    * USER <username>',
  '      Kill connections authenticated by <username>.',
  '    * SKIPME (YES|NO)',
  '      Skip killing current connection (default: yes).',
  'LIST [options ...]',
  '    Return information about client connections. Options:',
  '    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)',
  '      Return clients of specified type.',
  'UNPAUSE',
  '    Stop the current client pause, resuming traffic.',
  'PAUSE <timeout> [WRITE|ALL]',
  '    Suspend all, or just write, clients for <timeout> milliseconds.',
  'REPLY (ON|OFF|SKIP)',
  '    Control the replies sent to the current connection.',
  'SETNAME <name>',
  '    Assign the name <name> to the current connection.',
  'SETINFO <option> <value>',
  '    Set client meta attr. Options are:',
  '    * LIB-NAME: the client lib name.',
  '    * LIB-VER: the client lib version.',
  'UNBLOCK <clientid> [TIMEOUT|ERROR]',
  '    Unblock the specified blocked client.',
  'TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
  '         [OPTIN] [OPTOUT] [NOLOOP]',
  '    Control server assisted client side caching.',
  'TRACKINGINFO',
  '    Report tracking status for the current connection.',
  'NO-EVICT (ON|OFF)',
  '    Protect current client connection from eviction.',
  'NO-TOUCH (ON|OFF)',
  '    Will not touch LRU/LFU stats when this mode is on.',
]
