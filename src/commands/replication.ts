/** REPLICAOF and its relatives. This server is a primary without replicas. */
import type { Client } from '../engine/client.ts'
import { ACL_ADMIN, ACL_CONNECTION, ACL_DANGEROUS, ADMIN, FAST, LOADING, NOSCRIPT, NO_ASYNC_LOADING, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { intArg, rangeArg } from '../engine/args.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR } from '../resp/errors.ts'

// biome-ignore format: a table, one command after the other
export const replicationRows: readonly CommandRow<Client>[] = [
  { name: 'REPLICAOF', arity: 3, flags: ADMIN | NOSCRIPT | STALE | NO_ASYNC_LOADING, since: '5.0.0',
    args: 'args(host-port(host:string port:integer)|no-one(NO ONE))', summary: 'Makes this server a replica of another, or of none.',
    complexity: 'O(1)', run: replicaof },
  { name: 'SLAVEOF', arity: 3, flags: ADMIN | NOSCRIPT | STALE | NO_ASYNC_LOADING, since: '1.0.0',
    args: 'args(host-port(host:string port:integer)|no-one(NO ONE))', summary: 'Makes this server a replica of another, or of none.',
    complexity: 'O(1)', deprecated: { since: '5.0.0', replacedBy: '`REPLICAOF`' }, run: replicaof },
  { name: 'FAILOVER', arity: -1, flags: ADMIN | NOSCRIPT | STALE, since: '6.2.0',
    args: '[TO target(host:string port:integer [FORCE])] [ABORT] [TIMEOUT milliseconds:integer]',
    summary: 'Lets a replica take over from this primary.', complexity: 'O(1)', run: failover },
  { name: 'ROLE', arity: 1, flags: NOSCRIPT | LOADING | STALE | FAST, acl: ACL_ADMIN | ACL_DANGEROUS, since: '2.8.12',
    summary: 'Whether this is a primary or a replica, and of whom.', complexity: 'O(1)', run: role },
  { name: 'WAIT', arity: 3, flags: 0, acl: ACL_CONNECTION, since: '3.0.0', group: 'generic', args: 'numreplicas:integer timeout:integer',
    summary: 'Waits until replicas have the writes of this connection.', complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:agg_min'], run: wait },
  { name: 'WAITAOF', arity: 4, flags: NOSCRIPT, acl: ACL_CONNECTION, since: '7.2.0', group: 'generic',
    args: 'numlocal:integer numreplicas:integer timeout:integer', summary: "Waits until this connection's writes are in append-only files.",
    complexity: 'O(1)', tips: ['request_policy:all_shards', 'response_policy:agg_min'], run: waitaof },
]

function replicaof(c: Client): void {
  const { argv, reply } = c
  if (argv.is(1, 'no') && argv.is(2, 'one')) return reply.ok()
  const port = Number(argv.text(2))
  if (!/^[+-]?\d+$/.test(argv.text(2)) || port < 0 || port > 65535) return reply.error('ERR Invalid master port')
  reply.error('ERR This server cannot be a replica yet')
}

function role(c: Client): void {
  c.reply.array(3)
  c.reply.text('master')
  c.reply.int(0)
  c.reply.array(0)
}

function failover(c: Client): void {
  const { argv, reply } = c
  let abort = false
  for (let i = 1; i < argv.count; i++) {
    if (argv.is(i, 'timeout') && i + 1 < argv.count) {
      const timeout = intArg(c, ++i)
      if (Number.isNaN(timeout)) return
      if (timeout <= 0) return reply.error('ERR FAILOVER timeout must be greater than 0')
    } else if (argv.is(i, 'abort') && argv.count === 2) abort = true
    else if (argv.is(i, 'to') && i + 2 < argv.count) {
      if (Number.isNaN(rangeArg(c, i + 2, 0, 65535, 'ERR value is out of range, value must between 0 and 65535', NOT_AN_INTEGER))) return
      i += 2
    } else if (!argv.is(i, 'force')) return reply.error(SYNTAX_ERROR)
  }
  reply.error(abort ? 'ERR No failover in progress.' : 'ERR FAILOVER requires connected replicas.')
}

/** Milliseconds of argument i; NaN when it has answered an error. */
function timeoutMs(c: Client, i: number): number {
  const ms = intArg(c, i, 'ERR timeout is not an integer or out of range')
  if (ms < 0) {
    c.reply.error('ERR timeout is negative')
    return Number.NaN
  }
  return ms
}

/** Nobody acknowledges: with replicas asked for, the time runs out. */
function wait(c: Client): void {
  const wanted = intArg(c, 1)
  if (Number.isNaN(wanted)) return
  const ms = timeoutMs(c, 2)
  if (Number.isNaN(ms)) return
  if (wanted <= 0 || !c.engine.blocked.mayBlock(c)) return c.reply.int(0)
  c.engine.blocked.blockFor(c, ms, (reply) => reply.int(0))
}

function waitaof(c: Client): void {
  const { reply, engine } = c
  const local = rangeArg(c, 1, 0, 1, 'ERR value is out of range, value must between 0 and 1', NOT_AN_INTEGER)
  if (Number.isNaN(local)) return
  const wanted = rangeArg(c, 2, 0, Number.MAX_SAFE_INTEGER, 'ERR value is out of range, must be positive', NOT_AN_INTEGER)
  if (Number.isNaN(wanted)) return
  const ms = timeoutMs(c, 3)
  if (Number.isNaN(ms)) return
  if (local > 0) return reply.error('ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.')
  if (wanted === 0 || !engine.blocked.mayBlock(c)) return nobody(reply)
  engine.blocked.blockFor(c, ms, nobody)
}

function nobody(reply: Client['reply']): void {
  reply.array(2)
  reply.int(0)
  reply.int(0)
}
