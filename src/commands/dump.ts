/**
 * DUMP and RESTORE: a value on its own, as a string.
 *
 *   | type byte and value (types/rdb.ts) | format version u16 | CRC-64 of all before u64 |      little endian
 */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_DANGEROUS, ACL_KEYSPACE, ASKING, DENYOOM, READONLY, SYSCMD, WRITE } from '../engine/flags.ts'
import { ACCESS, key, OW, RO, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { EVENT_GENERIC } from '../keyspace/hooks.ts'
import { freeWithValue } from '../keyspace/lazyfree.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { MARK, newEntry, newRootEntry, SLOT, setLru, setSlotValue } from '../structs/entry.ts'
import { STRING, word0 } from '../types/object.ts'
import { loaded, RDB_HASH_METADATA, RDB_VERSION, RDB_VERSION_MAX } from '../types/rdb.ts'
import { RdbReader, RdbWriter } from '../types/rdb-io.ts'
import { loadValue, saveValue } from '../types/rdb-registry.ts'
import { Crc64 } from '../util/crc64.ts'
import { propagateDeletion } from './expiry.ts'

// biome-ignore format: a table, one command after the other
export const dumpRows: readonly CommandRow[] = [
  { name: 'DUMP', arity: 2, flags: READONLY, acl: ACL_KEYSPACE, since: '2.6.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: "A key's value in serialised form.", complexity: 'O(N) by serialised bytes', tips: ['nondeterministic_output'], run: dump },
  { name: 'RESTORE', arity: -4, flags: WRITE | DENYOOM, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '2.6.0', keys: [key(1, OW | UPDATE)],
    args: `key:key ttl:integer serialized-value:string [REPLACE@3.0.0] [ABSTTL@5.0.0] [IDLETIME seconds:integer@5.0.0] [FREQ
      frequency:integer@5.0.0]`, summary: 'Makes a key from a DUMP payload.',
    complexity: 'O(N) by serialised bytes; O(N*log(N)) for sorted sets',
    history: [
      ['3.0.0', 'Added the `REPLACE` modifier.'],
      ['5.0.0', 'Added the `ABSTTL` modifier.'],
      ['5.0.0', 'Added the `IDLETIME` and `FREQ` options.'],
    ], run: restore },
  { name: 'RESTORE-ASKING', arity: -4, flags: WRITE | DENYOOM | ASKING, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '3.0.0', group: 'server',
    keys: [key(1, OW | UPDATE)],
    args: `key:key ttl:integer serialized-value:string [REPLACE@3.0.0] [ABSTTL@5.0.0] [IDLETIME seconds:integer@5.0.0] [FREQ
      frequency:integer@5.0.0]`, summary: 'RESTORE while a slot is being imported.',
    complexity: 'O(N) by serialised bytes; O(N*log(N)) for sorted sets',
    history: [
      ['3.0.0', 'Added the `REPLACE` modifier.'],
      ['5.0.0', 'Added the `ABSTTL` modifier.'],
      ['5.0.0', 'Added the `IDLETIME` and `FREQ` options.'],
    ], docFlags: SYSCMD, run: restore },
]

const FOOTER_BYTES = 10
const LRU_MASK = 0xffffff
const INT64_LIMIT = 2 ** 63

/** The DUMP payload of a key's value. */
export function dumpPayload(c: Client, entry: Ref): Uint8Array {
  const out = new RdbWriter(c.engine.config.flag('rdbcompression'))
  saveValue(c.mem, entry, out)
  const version = out.bytes[0] >= RDB_HASH_METADATA ? RDB_VERSION_MAX : RDB_VERSION
  out.byte(version)
  out.byte(0)
  const crc = new Crc64()
  crc.update(out.bytes, 0, out.length)
  out.reserve(8)
  out.length = crc.write(out.bytes, out.length)
  return out.written()
}

export function dump(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.nil()
  const payload = dumpPayload(c, entry)
  c.reply.bulk(payload, 0, payload.length)
}

interface RestoreOptions {
  replace: boolean
  absolute: boolean
  /** -1: not given. */
  idleSeconds: number
  frequency: number
}

function restoreOptions(c: Client): RestoreOptions | null {
  const { argv } = c
  const options: RestoreOptions = { replace: false, absolute: false, idleSeconds: -1, frequency: -1 }
  for (let i = 4; i < argv.count; i++) {
    const more = i + 1 < argv.count
    if (argv.is(i, 'replace')) options.replace = true
    else if (argv.is(i, 'absttl')) options.absolute = true
    else if (argv.is(i, 'idletime') && more && options.frequency === -1) {
      options.idleSeconds = intArg(c, ++i)
      if (Number.isNaN(options.idleSeconds)) return null
      if (options.idleSeconds < 0) return fail(c, 'ERR Invalid IDLETIME value, must be >= 0')
    } else if (argv.is(i, 'freq') && more && options.idleSeconds === -1) {
      options.frequency = intArg(c, ++i)
      if (Number.isNaN(options.frequency)) return null
      if (options.frequency < 0 || options.frequency > 255) return fail(c, 'ERR Invalid FREQ value, must be >= 0 and <= 255')
    } else return fail(c, SYNTAX_ERROR)
  }
  return options
}

function fail(c: Client, error: string): null {
  c.reply.error(error)
  return null
}

export function restore(c: Client): void {
  const { argv, db, reply } = c
  const options = restoreOptions(c)
  if (options === null) return
  const old = options.replace ? db.stored(argv, 1) : db.lookupWrite(argv, 1)
  if (old !== NULL_REF && !options.replace) return reply.error('BUSYKEY Target key name already exists.')
  const ttl = intArg(c, 2)
  if (Number.isNaN(ttl)) return
  if (ttl < 0) return reply.error('ERR Invalid TTL value, must be >= 0')
  const input = openPayload(argv.bytes, argv.off(3), argv.len(3), c.engine.skipChecksums)
  if (input === null) return reply.error('ERR DUMP payload version or checksum are wrong')
  if (!loadValue(c.mem, input, c.engine.encodings)) return reply.error('ERR Bad data format')
  const at = ttl === 0 ? NO_EXPIRY : options.absolute ? ttl : later(c.engine.space.nowMs, ttl)
  // The value is loaded before the old one goes, so that a broken payload costs nothing.
  const entry = entryOfLoaded(c, input, at)
  if (old !== NULL_REF) {
    if (db.space.hooks.aboutToChange !== null) db.space.hooks.aboutToChange(db, old)
    db.removeEntry(old, c.engine.lazyServerDel)
  }
  reply.ok()
  if (at !== NO_EXPIRY && c.engine.space.isOver(at)) {
    // Expired already: nothing is left, except that something may have been replaced.
    freeWithValue(c.mem, entry)
    if (old !== NULL_REF) {
      db.changed(argv, 1, EVENT_GENERIC, 'del')
      propagateDeletion(c, c.engine.lazyServerDel)
    }
    return
  }
  db.add(entry)
  noteAccess(c, entry, options)
  db.changed(argv, 1, EVENT_GENERIC, 'restore')
  const { propagate } = c.engine
  if (ttl === 0 || options.absolute || propagate.sinks === 0) return
  propagate.instead(c).argsOf(argv, 0, 2).int(at).argsOf(argv, 3, argv.count).word('ABSTTL')
}

/** The moment `ms` after `nowMs`; one that is no int64 has been, as in Redis. */
function later(nowMs: number, ms: number): number {
  return nowMs + ms < INT64_LIMIT ? nowMs + ms : 1
}

/** A reader of the value in a payload whose version and checksum are right, else null. */
export function openPayload(bytes: Uint8Array, off: number, len: number, skipChecksum = false): RdbReader | null {
  if (len < FOOTER_BYTES) return null
  const footer = off + len - FOOTER_BYTES
  if ((bytes[footer] | (bytes[footer + 1] << 8)) > RDB_VERSION_MAX) return null
  if (skipChecksum) return new RdbReader(bytes, off, footer)
  const crc = new Crc64()
  crc.update(bytes, off, len - 8)
  return crc.matches(bytes, footer + 2) ? new RdbReader(bytes, off, footer) : null
}

/** The entry for argument 1 and the value that `loadValue` made. */
function entryOfLoaded(c: Client, input: RdbReader, at: number): Ref {
  const { argv, mem } = c
  const word = word0(loaded.type, loaded.encoding)
  const flags = at === NO_EXPIRY ? 0 : SLOT
  const key = argv.bytes
  const entry =
    loaded.type === STRING
      ? newEntry(mem, word, flags, key, argv.off(1), argv.len(1), input.data, input.off, input.length)
      : newRootEntry(mem, word, loaded.hasExpiries ? flags | MARK : flags, key, argv.off(1), argv.len(1), loaded.root)
  if (flags !== 0) setSlotValue(mem, entry, at)
  return entry
}

/** IDLETIME and FREQ, each where the eviction policy keeps that kind of record. */
function noteAccess(c: Client, entry: Ref, { idleSeconds, frequency }: RestoreOptions): void {
  const { space } = c.engine
  if (space.lfu && frequency >= 0) setLru(c.mem, entry, (space.lfuMinutes() << 8) | frequency)
  else if (!space.lfu && idleSeconds >= 0) setLru(c.mem, entry, (space.lruClock - Math.min(idleSeconds, LRU_MASK)) & LRU_MASK)
}
