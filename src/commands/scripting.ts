import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import {
  ACL_SCRIPTING,
  ALLOW_BUSY,
  LOADING,
  MAY_REPLICATE,
  NO_MANDATORY_KEYS,
  NOSCRIPT,
  READONLY,
  SKIP_MONITOR,
  STALE,
} from '../engine/flags.ts'
import { ACCESS, keynum, RO, RW, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { SHA_LENGTH } from '../script/cache.ts'
import { scriptingOf } from '../script/scripting.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const scriptingRows: readonly CommandRow[] = [
  { name: 'EVAL', arity: -3, flags: NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS | MAY_REPLICATE, acl: ACL_SCRIPTING, since: '2.6.0',
    keys: [keynum(2, RW | ACCESS | UPDATE)], args: 'script:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Runs a Lua script.', complexity: 'That of the script', run: evalScript },
  { name: 'EVALSHA', arity: -3, flags: NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS | MAY_REPLICATE, acl: ACL_SCRIPTING, since: '2.6.0',
    keys: [keynum(2, RW | ACCESS | UPDATE)], args: 'sha1:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Runs a cached Lua script by its SHA1 digest.', complexity: 'That of the script', run: evalSha },
  { name: 'EVAL_RO', arity: -3, flags: READONLY | NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS, acl: ACL_SCRIPTING, since: '7.0.0',
    keys: [keynum(2, RO | ACCESS)], args: 'script:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Runs a Lua script that only reads.', complexity: 'That of the script', run: evalScriptRo },
  { name: 'EVALSHA_RO', arity: -3, flags: READONLY | NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS, acl: ACL_SCRIPTING, since: '7.0.0',
    keys: [keynum(2, RO | ACCESS)], args: 'sha1:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Runs a cached Lua script that only reads.', complexity: 'That of the script', run: evalShaRo },
  { name: 'SCRIPT', arity: -2, flags: 0, since: '2.6.0', summary: 'The cache of Lua scripts.',
    subcommands: [
      { name: 'DEBUG', arity: 3, flags: NOSCRIPT, acl: ACL_SCRIPTING, since: '3.2.0', args: 'mode(YES|SYNC|NO)',
        summary: 'The debugging mode for the scripts of this connection.', complexity: 'O(1)', run: scriptDebug },
      { name: 'EXISTS', arity: -3, flags: NOSCRIPT, acl: ACL_SCRIPTING, since: '2.6.0', args: 'sha1:string...',
        summary: 'Which digests belong to cached scripts.', complexity: 'O(N) by digests',
        tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'], run: scriptExists },
      { name: 'FLUSH', arity: -2, flags: NOSCRIPT, acl: ACL_SCRIPTING, since: '2.6.0', args: '[flush-type(ASYNC|SYNC)@6.2.0]',
        summary: 'Empties the script cache.', complexity: 'O(N) by scripts',
        history: [['6.2.0', 'Added the `ASYNC` and `SYNC` flushing mode modifiers.']],
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: scriptFlush },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, acl: ACL_SCRIPTING, since: '5.0.0', summary: 'What SCRIPT can do.', complexity: 'O(1)',
        run: scriptHelp },
      { name: 'KILL', arity: 2, flags: NOSCRIPT | ALLOW_BUSY, acl: ACL_SCRIPTING, since: '2.6.0', summary: 'Ends the script that is running.',
        complexity: 'O(1)', tips: ['request_policy:all_shards', 'response_policy:one_succeeded'], run: scriptKill },
      { name: 'LOAD', arity: 3, flags: NOSCRIPT | STALE, acl: ACL_SCRIPTING, since: '2.6.0', args: 'script:string',
        summary: 'Puts a script into the cache without running it.', complexity: 'O(N) by script bytes',
        tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'], run: scriptLoad },
    ] },
]

const NOSCRIPT_ERROR = 'NOSCRIPT No matching script. Please use EVAL.'
const BODY = 1
const KEY_COUNT = 2
const FIRST_KEY = 3

function evalScript(c: Client): void {
  evaluate(c, false)
}

function evalScriptRo(c: Client): void {
  evaluate(c, true)
}

function evaluate(c: Client, readOnly: boolean): void {
  c.engine.monitors.feed(c)
  const keys = keyCount(c)
  if (keys < 0) return
  const { argv } = c
  const scripting = scriptingOf(c.engine)
  const script = scripting.cache.findByText(argv.bytes, argv.off(BODY), argv.len(BODY)) ?? scripting.load(argv.slice(BODY))
  if (typeof script === 'string') return c.reply.error(script)
  scripting.evaluate(c, script, keys, readOnly)
}

function evalSha(c: Client): void {
  evaluateSha(c, false)
}

function evalShaRo(c: Client): void {
  evaluateSha(c, true)
}

function evaluateSha(c: Client, readOnly: boolean): void {
  const { argv } = c
  c.engine.monitors.feed(c)
  if (argv.len(BODY) !== SHA_LENGTH) return c.reply.error(NOSCRIPT_ERROR)
  const keys = keyCount(c)
  if (keys < 0) return
  const scripting = scriptingOf(c.engine)
  const script = scripting.cache.findByDigest(argv.bytes, argv.off(BODY), SHA_LENGTH)
  if (script === null) return c.reply.error(NOSCRIPT_ERROR)
  scripting.evaluate(c, script, keys, readOnly)
}

/** The number of keys among the arguments; -1 after an error. */
export function keyCount(c: Client, error?: string): number {
  const keys = intArg(c, KEY_COUNT, error)
  if (keys >= 0 && keys <= c.argv.count - FIRST_KEY) return keys
  if (keys < 0) c.reply.error("ERR Number of keys can't be negative")
  else if (keys > 0) c.reply.error("ERR Number of keys can't be greater than number of args")
  return -1
}

function scriptLoad(c: Client): void {
  const script = scriptingOf(c.engine).load(c.argv.slice(2))
  if (typeof script === 'string') c.reply.error(script)
  else c.reply.text(script.sha)
}

function scriptExists(c: Client): void {
  const { argv, reply } = c
  const { cache } = scriptingOf(c.engine)
  reply.array(argv.count - 2)
  for (let i = 2; i < argv.count; i++) reply.int(cache.findByDigest(argv.bytes, argv.off(i), argv.len(i)) === null ? 0 : 1)
}

/** ASYNC and SYNC are one: the old state goes to the garbage collector. */
function scriptFlush(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 3 || (argv.count === 3 && !argv.is(2, 'sync') && !argv.is(2, 'async'))) {
    return reply.error('ERR SCRIPT FLUSH only support SYNC|ASYNC option')
  }
  const scripting = scriptingOf(c.engine)
  if (argv.count === 3 ? argv.is(2, 'async') : c.engine.lazyUserFlush) c.engine.space.lazy.countDropped(scripting.cache.count)
  scripting.flushScripts()
  reply.ok()
}

function scriptKill(c: Client): void {
  const refusal = scriptingOf(c.engine).slow.kill(true)
  if (refusal === null) c.reply.ok()
  else c.reply.error(refusal)
}

/** Scripts cannot be stepped through: the mode can only be the one that is. */
function scriptDebug(c: Client): void {
  const { argv, reply } = c
  if (argv.is(2, 'no')) reply.ok()
  else if (argv.is(2, 'yes') || argv.is(2, 'sync')) reply.error('ERR Debugging of scripts is not available')
  else reply.error('ERR Use SCRIPT DEBUG YES/SYNC/NO')
}

function scriptHelp(c: Client): void {
  replyHelp(c, [
    'DEBUG (YES|SYNC|NO)',
    '    Set the debug mode for subsequent scripts executed.',
    'EXISTS <sha1> [<sha1> ...]',
    '    Return information about the existence of the scripts in the script cache.',
    'FLUSH [ASYNC|SYNC]',
    '    Flush the Lua scripts cache. Very dangerous on replicas.',
    '    When called without the optional mode argument, the behavior is determined by the',
    '    lazyfree-lazy-user-flush configuration directive. Valid modes are:',
    '    * ASYNC: Asynchronously flush the scripts cache.',
    '    * SYNC: Synchronously flush the scripts cache.',
    'KILL',
    '    Kill the currently executing Lua script.',
    'LOAD <script>',
    '    Load a script into the scripts cache without executing it.',
  ])
}
