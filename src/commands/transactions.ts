import { ALLOW_BUSY, FAST, LOADING, NOSCRIPT, SKIP_SLOWLOG, STALE, ACL_TRANSACTION } from '../engine/flags.ts'
import { keys, RO } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { call, discardTransaction } from '../engine/dispatch.ts'
import { Transaction } from '../engine/multi.ts'
import type { Command } from '../engine/table.ts'
import { EXECABORT } from '../resp/errors.ts'

// biome-ignore format: a table, one command after the other
export const transactionsRows: readonly CommandRow[] = [
  { name: 'MULTI', arity: 1, flags: NOSCRIPT | LOADING | STALE | FAST | ALLOW_BUSY, acl: ACL_TRANSACTION, since: '1.2.0',
    summary: 'Starts a transaction: what follows is queued.', complexity: 'O(1)', run: multi },
  { name: 'EXEC', arity: 1, flags: NOSCRIPT | LOADING | STALE | SKIP_SLOWLOG, acl: ACL_TRANSACTION, since: '1.2.0',
    summary: 'Runs the queued commands as one.', complexity: 'The sum of the queued commands', run: exec },
  { name: 'DISCARD', arity: 1, flags: NOSCRIPT | LOADING | STALE | FAST | ALLOW_BUSY, acl: ACL_TRANSACTION, since: '2.0.0',
    summary: 'Drops the queued commands and ends the transaction.', complexity: 'O(N) by queued commands', run: discard },
  { name: 'WATCH', arity: -2, flags: NOSCRIPT | LOADING | STALE | FAST | ALLOW_BUSY, acl: ACL_TRANSACTION, since: '2.2.0',
    keys: [keys(1, -1, 1, RO)], args: 'key:key...', summary: 'Makes EXEC fail if one of these keys changes before it.',
    complexity: 'O(N) by keys', run: watch },
  { name: 'UNWATCH', arity: 1, flags: NOSCRIPT | LOADING | STALE | FAST | ALLOW_BUSY, acl: ACL_TRANSACTION, since: '2.2.0',
    summary: 'Forgets the watched keys.', complexity: 'O(N) by watched keys', run: unwatch },
]

function multi(c: Client): void {
  if (c.multi !== null) return c.reply.error('ERR MULTI calls can not be nested')
  c.multi = Transaction.begin()
  c.reply.ok()
}

function discard(c: Client): void {
  if (c.multi === null) return c.reply.error('ERR DISCARD without MULTI')
  discardTransaction(c)
  c.reply.ok()
}

function exec(c: Client): void {
  const queued = c.multi
  if (queued === null) return c.reply.error('ERR EXEC without MULTI')
  const changed = c.engine.watch.anyChanged(c)
  if (c.multiBroken || changed) {
    if (c.multiBroken) c.reply.error(EXECABORT)
    else c.reply.nilArray()
    return discardTransaction(c)
  }
  c.engine.watch.unwatchAll(c)
  const { argv, command } = c
  const { base, count } = argv
  const before = c.reply.pos
  c.reply.array(queued.length)
  if (c.silent) c.reply.pos = before
  c.inExec = true
  const waitsAt = runQueued(c, queued, 0)
  c.argv = argv
  argv.base = base
  argv.count = count
  argv.hashedArg = 0
  if (waitsAt >= 0) return suspend(c, command as Command, queued, waitsAt)
  c.inExec = false
  c.command = command
  c.repliesSettled = c.replyOff || c.skipReply > 0
  discardTransaction(c)
}

/**
 * Runs the queue from `first` on as one command: nothing blocks, the time stands still, and pushes wait for the end. Only a slow script
 * makes it wait: the answer is its place, or -1 when all is done.
 */
function runQueued(c: Client, queued: Transaction, first: number): number {
  const { engine } = c
  for (let i = first; i < queued.length; i++) {
    const command = queued.command(i)
    c.argv = queued.argv(i)
    engine.inRun = command.isBrief && i + 1 < queued.length && queued.command(i + 1) === command && engine.mayRun
    const before = c.reply.pos
    const { closing } = c
    call(c, command)
    // CLIENT REPLY and CLIENT KILL of itself count from within the transaction on.
    if (closing || c.silent) c.reply.pos = before
    if (c.blocked) return i
  }
  return -1
}

/** The script at `waitsAt` has been suspended: what follows it runs when it is over, and nobody else's command before that. */
function suspend(c: Client, exec: Command, queued: Transaction, waitsAt: number): void {
  const beganUs = c.engine.tickUs
  c.unfinished = () => {
    const again = runQueued(c, queued, waitsAt + 1)
    if (again >= 0) return suspend(c, exec, queued, again)
    c.unfinished = null
    c.inExec = false
    discardTransaction(c)
    c.command = exec
    exec.calls++
    exec.usec += c.engine.tickUs - beganUs
  }
}

function watch(c: Client): void {
  const { argv, engine } = c
  if (c.multi !== null) return c.reply.error('ERR WATCH inside MULTI is not allowed')
  if (!c.watchBroken) for (let i = 1; i < argv.count; i++) engine.watch.add(c, argv.bytes, argv.off(i), argv.len(i))
  c.reply.ok()
}

function unwatch(c: Client): void {
  c.engine.watch.unwatchAll(c)
  c.reply.ok()
}
