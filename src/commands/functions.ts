import type { Client } from '../engine/client.ts'
import {
  ACL_SCRIPTING,
  ALLOW_BUSY,
  DENYOOM,
  LOADING,
  MAY_REPLICATE,
  NO_MANDATORY_KEYS,
  NOSCRIPT,
  READONLY,
  SKIP_MONITOR,
  STALE,
  WRITE,
} from '../engine/flags.ts'
import { ACCESS, keynum, RO, RW, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { ENGINE_NAME, type LibraryFunction } from '../script/libraries.ts'
import { scriptingOf } from '../script/scripting.ts'
import { FLAG_NAMES } from '../script/shebang.ts'
import { BUSY_SCRIPT } from '../script/slow.ts'
import { bytesOf } from '../util/bytes.ts'
import { globMatch } from '../util/glob.ts'
import { replyHelp } from './help.ts'
import { keyCount } from './scripting.ts'

// biome-ignore format: a table, one command after the other
export const functionsRows: readonly CommandRow[] = [
  { name: 'FCALL', arity: -3, flags: NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS | MAY_REPLICATE, acl: ACL_SCRIPTING, since: '7.0.0',
    keys: [keynum(2, RW | ACCESS | UPDATE)], args: 'function:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Calls a function.', complexity: 'That of the function', run: fcall },
  { name: 'FCALL_RO', arity: -3, flags: READONLY | NOSCRIPT | STALE | SKIP_MONITOR | NO_MANDATORY_KEYS, acl: ACL_SCRIPTING, since: '7.0.0',
    keys: [keynum(2, RO | ACCESS)], args: 'function:string numkeys:integer [key:key...] [arg:string...]',
    summary: 'Calls a function that only reads.', complexity: 'That of the function', run: fcallRo },
  { name: 'FUNCTION', arity: -2, flags: 0, since: '7.0.0', summary: 'Libraries of functions.',
    subcommands: [
      { name: 'DELETE', arity: 3, flags: WRITE | NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0', args: 'library-name:string',
        summary: 'Removes a library with its functions.', complexity: 'O(1)',
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: functionDelete },
      { name: 'DUMP', arity: 2, flags: NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0', summary: 'All libraries in serialised form.',
        complexity: 'O(N) by functions', run: functionDump },
      { name: 'FLUSH', arity: -2, flags: WRITE | NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0', args: '[flush-type(ASYNC|SYNC)]',
        summary: 'Deletes all libraries.', complexity: 'O(N) by functions',
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: functionFlush },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, acl: ACL_SCRIPTING, since: '7.0.0', summary: 'What FUNCTION can do.',
        complexity: 'O(1)', run: functionHelp },
      { name: 'KILL', arity: 2, flags: NOSCRIPT | ALLOW_BUSY, acl: ACL_SCRIPTING, since: '7.0.0', summary: 'Ends the function that is running.',
        complexity: 'O(1)', tips: ['request_policy:all_shards', 'response_policy:one_succeeded'], run: functionKill },
      { name: 'LIST', arity: -2, flags: NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0',
        args: '[LIBRARYNAME library-name-pattern:string] [WITHCODE]', summary: 'The libraries and their functions.',
        complexity: 'O(N) by functions', tips: ['nondeterministic_output_order'], run: functionList },
      { name: 'LOAD', arity: -3, flags: WRITE | DENYOOM | NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0',
        args: '[replace=REPLACE] function-code:string', summary: 'Loads a library.', complexity: 'O(1), plus compilation',
        tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: functionLoad },
      { name: 'RESTORE', arity: -3, flags: WRITE | DENYOOM | NOSCRIPT, acl: ACL_SCRIPTING, since: '7.0.0',
        args: 'serialized-value:string [policy(FLUSH|APPEND|REPLACE)]', summary: 'Loads libraries from a FUNCTION DUMP payload.',
        complexity: 'O(N) by functions', tips: ['request_policy:all_shards', 'response_policy:all_succeeded'], run: functionRestore },
      { name: 'STATS', arity: 2, flags: NOSCRIPT | ALLOW_BUSY, acl: ACL_SCRIPTING, since: '7.0.0',
        summary: 'The function that is running, and the engines.', complexity: 'O(1)',
        tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'], run: functionStats },
    ] },
]

function fcall(c: Client): void {
  callFunction(c, false)
}

function fcallRo(c: Client): void {
  callFunction(c, true)
}

function callFunction(c: Client, readOnly: boolean): void {
  c.engine.monitors.feed(c)
  const scripting = scriptingOf(c.engine)
  const fn = scripting.libraries.find(c.argv.text(1))
  if (fn === undefined) return c.reply.error('ERR Function not found')
  const keys = keyCount(c, 'ERR Bad number of keys provided')
  if (keys >= 0) scripting.callFunction(c, fn, keys, readOnly)
}

function functionLoad(c: Client): void {
  const { argv, reply } = c
  const last = argv.count - 1
  let replace = false
  for (let i = 2; i < last; i++) {
    if (!argv.is(i, 'replace')) return reply.error(`ERR Unknown option given: ${argv.text(i)}`)
    replace = true
  }
  const library = scriptingOf(c.engine).libraries.load(argv.slice(last), replace)
  if (typeof library === 'string') return reply.error(`ERR ${library}`)
  c.dirty(1)
  reply.text(library.name)
}

function functionDelete(c: Client): void {
  if (!scriptingOf(c.engine).libraries.delete(c.argv.text(2))) return c.reply.error('ERR Library not found')
  c.dirty(1)
  c.reply.ok()
}

function functionFlush(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 3) return reply.error(wrongSubcommand(c))
  if (argv.count === 3 && !argv.is(2, 'sync') && !argv.is(2, 'async')) {
    return reply.error('ERR FUNCTION FLUSH only supports SYNC|ASYNC option')
  }
  const { libraries } = scriptingOf(c.engine)
  if (argv.count === 3 ? argv.is(2, 'async') : c.engine.lazyUserFlush) c.engine.space.lazy.countDropped(libraries.functions.size)
  libraries.flush()
  c.dirty(1)
  reply.ok()
}

/** The answer to more arguments than a subcommand takes. */
function wrongSubcommand(c: Client): string {
  return `ERR unknown subcommand or wrong number of arguments for '${c.argv.text(1).slice(0, 128)}'. Try FUNCTION HELP.`
}

function functionDump(c: Client): void {
  const payload = scriptingOf(c.engine).libraries.dump()
  c.reply.bulk(payload, 0, payload.length)
}

function functionRestore(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 4) return reply.error(wrongSubcommand(c))
  const policy =
    argv.count < 4 || argv.is(3, 'append') ? 'append' : argv.is(3, 'replace') ? 'replace' : argv.is(3, 'flush') ? 'flush' : null
  if (policy === null) return reply.error('ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.')
  const problem = scriptingOf(c.engine).libraries.restore(argv.slice(2), policy)
  if (problem !== null) return reply.error(`ERR ${problem}`)
  c.dirty(1)
  reply.ok()
}

function functionList(c: Client): void {
  const { argv, reply } = c
  let withCode = false
  let pattern: Uint8Array | null = null
  for (let i = 2; i < argv.count; i++) {
    if (!withCode && argv.is(i, 'withcode')) withCode = true
    else if (pattern === null && argv.is(i, 'libraryname')) {
      if (++i === argv.count) return reply.error('ERR library name argument was not given')
      pattern = argv.slice(i)
    } else return reply.error(`ERR Unknown argument ${argv.text(i)}`)
  }
  const all = [...scriptingOf(c.engine).libraries.libraries.values()]
  const chosen = pattern === null ? all : all.filter(({ name }) => matches(pattern, name))
  reply.array(chosen.length)
  for (const { name, code, functions } of chosen) {
    reply.map(withCode ? 4 : 3)
    reply.text('library_name')
    reply.text(name)
    reply.text('engine')
    reply.text(ENGINE_NAME)
    reply.text('functions')
    reply.array(functions.size)
    for (const fn of functions.values()) describe(c, fn)
    if (!withCode) continue
    reply.text('library_code')
    reply.bulk(code, 0, code.length)
  }
}

function matches(pattern: Uint8Array, name: string): boolean {
  const bytes = bytesOf(name)
  return globMatch(pattern, 0, pattern.length, bytes, 0, bytes.length, true)
}

function describe(c: Client, fn: LibraryFunction): void {
  const { reply } = c
  reply.map(3)
  reply.text('name')
  reply.text(fn.name)
  reply.text('description')
  if (fn.description === null) reply.nil()
  else reply.text(fn.description)
  reply.text('flags')
  const flags = FLAG_NAMES.filter(([, flag]) => (fn.flags & flag) !== 0)
  reply.set(flags.length)
  for (const [name] of flags) reply.simple(name)
}

function functionStats(c: Client): void {
  const { reply } = c
  const scripting = scriptingOf(c.engine)
  const running = scripting.slow.running()
  if (running?.isEval === true) return reply.error(BUSY_SCRIPT)
  reply.map(2)
  reply.text('running_script')
  if (running === null) reply.nil()
  else {
    const { argv } = running
    reply.map(3)
    reply.text('name')
    reply.text(running.name)
    reply.text('command')
    reply.array(argv.count)
    for (let i = 0; i < argv.count; i++) reply.bulk(argv.bytes, argv.off(i), argv.len(i))
    reply.text('duration_ms')
    reply.int(running.durationMs)
  }
  const { libraries } = scripting
  reply.text('engines')
  reply.map(1)
  reply.text(ENGINE_NAME)
  reply.map(2)
  reply.text('libraries_count')
  reply.int(libraries.libraries.size)
  reply.text('functions_count')
  reply.int(libraries.functions.size)
}

function functionKill(c: Client): void {
  const refusal = scriptingOf(c.engine).slow.kill(false)
  if (refusal === null) c.reply.ok()
  else c.reply.error(refusal)
}

function functionHelp(c: Client): void {
  replyHelp(c, [
    'LOAD [REPLACE] <FUNCTION CODE>',
    '    Create a new library with the given library name and code.',
    'DELETE <LIBRARY NAME>',
    '    Delete the given library.',
    'LIST [LIBRARYNAME PATTERN] [WITHCODE]',
    '    Return general information on all the libraries:',
    '    * Library name',
    '    * The engine used to run the Library',
    '    * Library description',
    '    * Functions list',
    '    * Library code (if WITHCODE is given)',
    '    It also possible to get only function that matches a pattern using LIBRARYNAME argument.',
    'STATS',
    '    Return information about the current function running:',
    '    * Function name',
    '    * Command used to run the function',
    '    * Duration in MS that the function is running',
    '    If no function is running, return nil',
    '    In addition, returns a list of available engines.',
    'KILL',
    '    Kill the current running function.',
    'FLUSH [ASYNC|SYNC]',
    '    Delete all the libraries.',
    '    When called without the optional mode argument, the behavior is determined by the',
    '    lazyfree-lazy-user-flush configuration directive. Valid modes are:',
    '    * ASYNC: Asynchronously flush the libraries.',
    '    * SYNC: Synchronously flush the libraries.',
    'DUMP',
    '    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command',
    'RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]',
    '    Restore the libraries represented by the given payload, it is possible to give a restore policy to',
    '    control how to handle existing libraries (default APPEND):',
    '    * FLUSH: delete all existing libraries.',
    '    * APPEND: appends the restored libraries to the existing libraries. On collision, abort.',
    '    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old',
    '      libraries with the new libraries (notice that even on this option there is a chance of failure',
    '      in case of functions name collision with another library).',
  ])
}
