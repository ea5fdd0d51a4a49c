/** DEBUG: tools for tests and for looking inside. Allowed by enable-debug-command only. */
import type { Client } from '../engine/client.ts'
import { ADMIN, LOADING, NOSCRIPT, PROTECTED, STALE, SYSCMD } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { intArg, rangeArg } from '../engine/args.ts'
import { dataDigest, valueDigest } from '../keyspace/digest.ts'
import { setString } from '../keyspace/strings.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { MUST_BE_POSITIVE, NO_SUCH_KEY } from '../resp/errors.ts'
import { scriptingOf } from '../script/scripting.ts'
import { encodingOf, keyLength, lruOf, typeOf, valueLength } from '../structs/entry.ts'
import { ENCODING_NAMES, STRING } from '../types/object.ts'
import { stringSlack } from '../types/string.ts'
import { bytesOf } from '../util/bytes.ts'
import { strtod } from '../util/float.ts'
import { packedThreshold } from './debug-list.ts'
import { debugAudit } from './debug-audit.ts'
import { debugProtocol } from './debug-protocol.ts'
import { debugListpack, debugQuicklist, quicklistFields, serializedLength, structSizes } from './debug-structs.ts'
import { debugTable, debugTableOfKey } from './debug-table.ts'
import { clientEviction, replicate, rewriteAll, stringMatchTest } from './debug-tests.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const debugRows: readonly CommandRow<Client>[] = [
  { name: 'DEBUG', arity: -2, flags: ADMIN | NOSCRIPT | LOADING | STALE | PROTECTED, since: '1.0.0',
    summary: 'Tools for tests and for debugging the server.', docFlags: SYSCMD, run: debug },
]

interface Tool {
  readonly min: number
  readonly max: number
  readonly run: (c: Client) => void
}

/** The subcommands, with the number of arguments that each takes. */
const TOOLS: Readonly<Record<string, Tool>> = {
  help: { min: 2, max: 2, run: (c) => replyHelp(c, HELP) },
  sleep: { min: 3, max: 3, run: sleep },
  object: { min: 3, max: 3, run: object },
  sdslen: { min: 3, max: 3, run: sdslen },
  digest: { min: 2, max: 2, run: (c) => c.reply.simple(dataDigest(c.engine.space)) },
  'digest-value': { min: 3, max: Number.POSITIVE_INFINITY, run: digestValue },
  populate: { min: 3, max: 5, run: populate },
  protocol: { min: 3, max: 3, run: debugProtocol },
  error: { min: 3, max: 3, run: (c) => c.reply.error(c.argv.text(2)) },
  log: { min: 3, max: 3, run: log },
  audit: { min: 2, max: 2, run: debugAudit },
  htstats: { min: 3, max: 4, run: debugTable },
  'htstats-key': { min: 3, max: 4, run: debugTableOfKey },
  'set-active-expire': { min: 3, max: 3, run: setActiveExpire },
  'change-repl-id': { min: 2, max: 2, run: changeReplId },
  'set-disable-deny-scripts': { min: 3, max: 3, run: setDisableDenyScripts },
  'quicklist-packed-threshold': { min: 3, max: 3, run: packedThreshold },
  'pause-cron': { min: 3, max: 3, run: pauseCron },
  replybuffer: { min: 4, max: 4, run: replyBuffer },
  listpack: { min: 3, max: 3, run: debugListpack },
  quicklist: { min: 3, max: 4, run: debugQuicklist },
  structsize: { min: 2, max: 2, run: structSizes },
  'stringmatch-test': { min: 2, max: 2, run: stringMatchTest },
  'client-eviction': { min: 2, max: 2, run: clientEviction },
  'config-rewrite-force-all': { min: 2, max: 2, run: rewriteAll },
  'set-skip-checksum-validation': { min: 3, max: 3, run: skipChecksums },
  replicate: { min: 3, max: Number.POSITIVE_INFINITY, run: replicate },
  clusterlink: { min: 5, max: 5, run: (c) => c.reply.error('ERR Debug option only available for cluster mode enabled setup!') },
  oom: { min: 2, max: 2, run: (c) => crash(c, 'Out of memory as DEBUG OOM asked for') },
  segfault: { min: 2, max: 2, run: () => process.kill(process.pid, 'SIGSEGV') },
  panic: { min: 2, max: 2, run: (c) => crash(c, 'Panic as DEBUG PANIC asked for') },
  assert: { min: 2, max: 2, run: (c) => crash(c, 'Assertion failed as DEBUG ASSERT asked for') },
}

function debug(c: Client): void {
  const { argv } = c
  const tool = TOOLS[argv.text(1).toLowerCase()]
  if (tool === undefined || argv.count < tool.min || argv.count > tool.max) return unknown(c)
  tool.run(c)
}

function unknown(c: Client): void {
  c.reply.error(`ERR unknown subcommand or wrong number of arguments for '${c.argv.text(1)}'. Try DEBUG HELP.`)
}

/** Replies are written to a buffer that all clients share: there is none of a client's own that could be resized. */
function replyBuffer(c: Client): void {
  const { argv } = c
  if (argv.is(2, 'resizing')) return c.reply.ok()
  if (!argv.is(2, 'peak-reset-time')) return unknown(c)
  if (argv.is(3, 'never') || argv.is(3, 'reset') || !Number.isNaN(intArg(c, 3))) c.reply.ok()
}

/** RESTORE takes payloads whose checksum is wrong. */
function skipChecksums(c: Client): void {
  c.engine.skipChecksums = c.argv.text(2) !== '0'
  c.reply.ok()
}

/** Holds the whole server, as it says: that is what it is for. */
function sleep(c: Client): void {
  const seconds = strtod(c.argv.bytes, c.argv.off(2), c.argv.len(2))
  if (seconds > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000)
  c.reply.ok()
}

/** The entry of argument 2, be it expired or not; null when it has answered an error. */
function found(c: Client): Ref {
  const entry = c.db.stored(c.argv, 2)
  if (entry === NULL_REF) c.reply.error(NO_SUCH_KEY)
  return entry
}

function object(c: Client): void {
  const entry = found(c)
  if (entry === NULL_REF) return
  const { mem } = c
  const lru = lruOf(mem, entry)
  const idle = c.engine.space.lfu ? 0 : Math.floor(c.engine.space.idleMs(lru) / 1000)
  c.reply.simple(
    `Value at:0x${entry.toString(16)} refcount:1 encoding:${ENCODING_NAMES[encodingOf(mem, entry)]} serializedlength:${serializedLength(c, entry)} lru:${lru} lru_seconds_idle:${idle}${quicklistFields(mem, entry)}`,
  )
}

function sdslen(c: Client): void {
  const entry = found(c)
  if (entry === NULL_REF) return
  const { mem } = c
  if (typeOf(mem, entry) !== STRING) return c.reply.error('ERR Not an sds encoded string.')
  c.reply.simple(
    `key_sds_len:${keyLength(mem, entry)}, key_sds_avail:0, key_zmalloc: ${keyLength(mem, entry)}, val_sds_len:${valueLength(mem, entry)}, val_sds_avail:${stringSlack(mem, entry)}, val_zmalloc: ${valueLength(mem, entry) + stringSlack(mem, entry)}`,
  )
}

function digestValue(c: Client): void {
  const { argv, reply } = c
  reply.array(argv.count - 2)
  for (let i = 2; i < argv.count; i++) {
    const entry = c.db.peek(argv, i)
    reply.simple(entry === NULL_REF ? '0'.repeat(40) : valueDigest(c.db, entry))
  }
}

function populate(c: Client): void {
  const { argv, db, engine } = c
  const count = rangeArg(c, 2, 0, Number.MAX_SAFE_INTEGER, MUST_BE_POSITIVE, MUST_BE_POSITIVE)
  if (Number.isNaN(count)) return
  const size = argv.count === 5 ? rangeArg(c, 4, 0, 2 ** 29, MUST_BE_POSITIVE, MUST_BE_POSITIVE) : 0
  if (Number.isNaN(size)) return
  const prefix = argv.count === 3 ? 'key' : argv.text(3)
  for (let i = 0; i < count; i++) {
    const key = bytesOf(`${prefix}:${i}`)
    if (db.lookupWriteKey(key, 0, key.length) !== NULL_REF) continue
    let value = bytesOf(`value:${i}`)
    if (size > 0) {
      const sized = new Uint8Array(size)
      sized.set(value.subarray(0, size))
      value = sized
    }
    setString(db, NULL_REF, key, 0, key.length, value, 0, value.length, NO_EXPIRY)
    db.touched(key, 0, key.length)
  }
  engine.space.dirty += count
  engine.propagate.silence()
  c.reply.ok()
}

function log(c: Client): void {
  c.engine.log.warning(`DEBUG LOG: ${c.argv.text(2)}`)
  c.reply.ok()
}

function setActiveExpire(c: Client): void {
  c.engine.cron.activeExpire = c.argv.text(2) !== '0'
  c.reply.ok()
}

function changeReplId(c: Client): void {
  c.engine.log.notice('Changing replication IDs after receiving change-repl-id')
  c.engine.changeReplId()
  c.reply.ok()
}

/** Lets scripts run the commands that are denied to them. */
function setDisableDenyScripts(c: Client): void {
  scriptingOf(c.engine).commands.allowAll = c.argv.text(2) !== '0'
  c.reply.ok()
}

function pauseCron(c: Client): void {
  const paused = intArg(c, 2)
  if (Number.isNaN(paused)) return
  c.engine.cron.paused = paused !== 0
  c.reply.ok()
}

function crash(c: Client, why: string): void {
  const error = new Error(why)
  c.engine.log.warning(`${why}\n${error.stack}`)
  process.abort()
}

const HELP = [
  'AOF-FLUSH-SLEEP <microsec>',
  '    Server will sleep before flushing the AOF, this is used for testing.',
  'ASSERT',
  '    Crash by assertion failed.',
  'CHANGE-REPL-ID',
  '    Change the replication IDs of the instance.',
  '    Dangerous: should be used only for testing the replication subsystem.',
  'CONFIG-REWRITE-FORCE-ALL',
  '    Like CONFIG REWRITE but writes all configuration options, including',
  '    keywords not listed in original configuration file or default values.',
  'CRASH-AND-RECOVER [<milliseconds>]',
  '    Hard crash and restart after a <milliseconds> delay (default 0).',
  'DIGEST',
  '    Output a hex signature representing the current DB content.',
  'DIGEST-VALUE <key> [<key> ...]',
  '    Output a hex signature of the values of all the specified keys.',
  'ERROR <string>',
  '    Return a Redis protocol error with <string> as message. Useful for clients',
  '    unit tests to simulate Redis errors.',
  'LEAK <string>',
  '    Create a memory leak of the input string.',
  'LOG <message>',
  '    Write <message> to the server log.',
  'HTSTATS <dbid> [full]',
  '    Return hash table statistics of the specified Redis database.',
  'HTSTATS-KEY <key> [full]',
  "    Like HTSTATS but for the hash table stored at <key>'s value.",
  'LOADAOF',
  '    Flush the AOF buffers on disk and reload the AOF in memory.',
  'REPLICATE <string>',
  '    Replicates the provided string to replicas, allowing data divergence.',
  'MALLCTL <key> [<val>]',
  '    Get or set a malloc tuning integer.',
  'MALLCTL-STR <key> [<val>]',
  '    Get or set a malloc tuning string.',
  'OBJECT <key>',
  '    Show low level info about `key` and associated value.',
  'DROP-CLUSTER-PACKET-FILTER <packet-type>',
  '    Drop all packets that match the filtered type. Set to -1 allow all packets.',
  'OOM',
  '    Crash the server simulating an out-of-memory error.',
  'PANIC',
  '    Crash the server simulating a panic.',
  'POPULATE <count> [<prefix>] [<size>]',
  '    Create <count> string keys named key:<num>. If <prefix> is specified then',
  "    it is used instead of the 'key' prefix. These are not propagated to",
  '    replicas. Cluster slots are not respected so keys not belonging to the',
  '    current node can be created in cluster mode.',
  'PROTOCOL <type>',
  '    Reply with a test value of the specified type. <type> can be: string,',
  '    integer, double, bignum, null, array, set, map, attrib, push, verbatim,',
  '    true, false.',
  'RELOAD [option ...]',
  '    Save the RDB on disk and reload it back to memory. Valid <option> values:',
  '    * MERGE: conflicting keys will be loaded from RDB.',
  '    * NOFLUSH: the existing database will not be removed before load, but',
  '      conflicting keys will generate an exception and kill the server.',
  '    * NOSAVE: the database will be loaded from an existing RDB file.',
  '    Examples:',
  '    * DEBUG RELOAD: verify that the server is able to persist, flush and reload',
  '      the database.',
  '    * DEBUG RELOAD NOSAVE: replace the current database with the contents of an',
  '      existing RDB file.',
  '    * DEBUG RELOAD NOSAVE NOFLUSH MERGE: add the contents of an existing RDB',
  '      file to the database.',
  'RESTART [<milliseconds>]',
  '    Graceful restart: save config, db, restart after a <milliseconds> delay (default 0).',
  'SDSLEN <key>',
  '    Show low level SDS string info representing `key` and value.',
  'SEGFAULT',
  '    Crash the server with sigsegv.',
  'SET-ACTIVE-EXPIRE <0|1>',
  '    Setting it to 0 disables expiring keys in background when they are not',
  '    accessed (otherwise the Redis behavior). Setting it to 1 reenables back the',
  '    default.',
  'QUICKLIST-PACKED-THRESHOLD <size>',
  '    Sets the threshold for elements to be inserted as plain vs packed nodes',
  '    Default value is 1GB, allows values up to 4GB. Setting to 0 restores to default.',
  'SET-SKIP-CHECKSUM-VALIDATION <0|1>',
  "    Enables or disables checksum checks for RDB files and RESTORE's payload.",
  'SLEEP <seconds>',
  '    Stop the server for <seconds>. Decimals allowed.',
  'STRINGMATCH-TEST',
  '    Run a fuzz tester against the stringmatchlen() function.',
  'STRUCTSIZE',
  '    Return the size of different Redis core C structures.',
  'LISTPACK <key>',
  '    Show low level info about the listpack encoding of <key>.',
  'QUICKLIST <key> [<0|1>]',
  '    Show low level info about the quicklist encoding of <key>.',
  '    The optional argument (0 by default) sets the level of detail',
  'CLIENT-EVICTION',
  '    Show low level client eviction pools info (maxmemory-clients).',
  'PAUSE-CRON <0|1>',
  '    Stop periodic cron job processing.',
  'REPLYBUFFER PEAK-RESET-TIME <NEVER||RESET|time>',
  '    Sets the time (in milliseconds) to wait between client reply buffer peak resets.',
  '    In case NEVER is provided the last observed peak will never be reset',
  '    In case RESET is provided the peak reset time will be restored to the default value',
  'REPLYBUFFER RESIZING <0|1>',
  '    Enable or disable the reply buffer resize cron job',
  'CLUSTERLINK KILL <to|from|all> <node-id>',
  '    Kills the link based on the direction to/from (both) with the provided node.',
]
