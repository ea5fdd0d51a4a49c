import { ACL_DANGEROUS, DENYOOM, FAST, ACL_KEYSPACE, LOADING, READONLY, STALE, TOUCHES_ARBITRARY_KEYS, WRITE } from '../engine/flags.ts'
import { ACCESS, DELETE, INSERT, key, keys, OW, RM, RO, RW, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import type { Client } from '../engine/client.ts'
import { dbArg } from '../engine/args.ts'
import { touchKeys } from '../keyspace/ahead.ts'
import { type Db } from '../keyspace/db.ts'
import { EVENT_GENERIC } from '../keyspace/hooks.ts'
import { NULL_REF, segmentOf, type Ref } from '../memory/ref.ts'
import { BAD_DB_INDEX, NO_SUCH_KEY, SAME_OBJECT, SYNTAX_ERROR } from '../resp/errors.ts'
import {
  encodingOf,
  hasFlag,
  keyLength,
  keyStart,
  MARK,
  newEntry,
  newRootEntry,
  reshapeEntry,
  freeShell,
  ROOT,
  SLOT,
  setSlotValue,
  setValueRef,
  slotValue,
  typeOf,
  valueLength,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'
import { word0 } from '../types/object.ts'
import { TYPES } from '../types/registry.ts'
import { equalBytes } from '../util/bytes.ts'
import { expire, expireat, expiretime, persist, pexpire, pexpireat, pexpiretime, pttl, ttl } from './generic-expire.ts'
import { keysMatching, scan } from './generic-scan.ts'
import { objectEncoding, objectFreq, objectHelp, objectIdletime, objectRefcount } from './object.ts'

// biome-ignore format: a table, one command after the other
export const genericRows: readonly CommandRow[] = [
  { name: 'DEL', arity: -2, flags: WRITE, acl: ACL_KEYSPACE, since: '1.0.0', keys: [keys(1, -1, 1, RM | DELETE)], args: 'key:key...',
    summary: 'Deletes keys.', complexity: 'O(N) by keys, plus the elements of large values',
    tips: ['request_policy:multi_shard', 'response_policy:agg_sum'], run: del },
  { name: 'UNLINK', arity: -2, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '4.0.0', keys: [keys(1, -1, 1, RM | DELETE)], args: 'key:key...',
    summary: 'Deletes keys; large values are freed later.', complexity: 'O(1) per key; the memory is freed later in O(N)',
    tips: ['request_policy:multi_shard', 'response_policy:agg_sum'], run: unlink },
  { name: 'EXISTS', arity: -2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '1.0.0', keys: [keys(1, -1, 1, RO)], args: 'key:key...',
    summary: 'How many of the named keys are there.', complexity: 'O(N) by keys', history: [['3.0.3', 'Accepts multiple `key` arguments.']],
    tips: ['request_policy:multi_shard', 'response_policy:agg_sum'], run: exists },
  { name: 'TOUCH', arity: -2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '3.2.1', keys: [keys(1, -1, 1, RO)], args: 'key:key...',
    summary: 'Counts the named keys that exist and marks them as used.', complexity: 'O(N) by keys',
    tips: ['request_policy:multi_shard', 'response_policy:agg_sum'], run: touch },
  { name: 'TYPE', arity: 2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '1.0.0', keys: [key(1, RO)], args: 'key:key',
    summary: "The type of a key's value.", complexity: 'O(1)', run: type },
  { name: 'EXPIRE', arity: -3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '1.0.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key seconds:integer [condition(NX|XX|GT|LT)@7.0.0]', summary: 'Lets a key expire after some seconds.', complexity: 'O(1)',
    history: [['7.0.0', 'Added options: `NX`, `XX`, `GT` and `LT`.']], run: expire },
  { name: 'PEXPIRE', arity: -3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '2.6.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key milliseconds:integer [condition(NX|XX|GT|LT)@7.0.0]', summary: 'Lets a key expire after some milliseconds.',
    complexity: 'O(1)', history: [['7.0.0', 'Added options: `NX`, `XX`, `GT` and `LT`.']], run: pexpire },
  { name: 'EXPIREAT', arity: -3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '1.2.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key unix-time-seconds:unix-time [condition(NX|XX|GT|LT)@7.0.0]', summary: 'Lets a key expire at a Unix time in seconds.',
    complexity: 'O(1)', history: [['7.0.0', 'Added options: `NX`, `XX`, `GT` and `LT`.']], run: expireat },
  { name: 'PEXPIREAT', arity: -3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '2.6.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key unix-time-milliseconds:unix-time [condition(NX|XX|GT|LT)@7.0.0]',
    summary: 'Lets a key expire at a Unix time in milliseconds.', complexity: 'O(1)',
    history: [['7.0.0', 'Added options: `NX`, `XX`, `GT` and `LT`.']], run: pexpireat },
  { name: 'TTL', arity: 2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '1.0.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'Seconds until a key expires.', complexity: 'O(1)', history: [['2.8.0', 'Added the -2 reply.']],
    tips: ['nondeterministic_output'], run: ttl },
  { name: 'PTTL', arity: 2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '2.6.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'Milliseconds until a key expires.', complexity: 'O(1)', history: [['2.8.0', 'Added the -2 reply.']],
    tips: ['nondeterministic_output'], run: pttl },
  { name: 'EXPIRETIME', arity: 2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '7.0.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'When a key expires, as Unix time in seconds.', complexity: 'O(1)', run: expiretime },
  { name: 'PEXPIRETIME', arity: 2, flags: READONLY | FAST, acl: ACL_KEYSPACE, since: '7.0.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'When a key expires, as Unix time in milliseconds.', complexity: 'O(1)', run: pexpiretime },
  { name: 'PERSIST', arity: 2, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '2.2.0', keys: [key(1, RW | UPDATE)], args: 'key:key',
    summary: "Takes a key's expiry away.", complexity: 'O(1)', run: persist },
  { name: 'KEYS', arity: 2, flags: READONLY, acl: ACL_KEYSPACE | ACL_DANGEROUS, since: '1.0.0', args: 'pattern:pattern',
    summary: 'The names of all keys that a pattern fits.', complexity: 'O(N) by keys in the database',
    tips: ['request_policy:all_shards', 'nondeterministic_output_order'], run: keysMatching },
  { name: 'SCAN', arity: -2, flags: READONLY | TOUCHES_ARBITRARY_KEYS, acl: ACL_KEYSPACE, since: '2.8.0',
    args: 'cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type:string@6.0.0]',
    summary: 'Walks over the key names, some per call.', complexity: 'O(1) per call, O(N) for a full walk',
    history: [['6.0.0', 'Added the `TYPE` subcommand.']],
    tips: ['nondeterministic_output', 'request_policy:special', 'response_policy:special'], run: scan },
  { name: 'RANDOMKEY', arity: 1, flags: READONLY | TOUCHES_ARBITRARY_KEYS, acl: ACL_KEYSPACE, since: '1.0.0', summary: 'The name of some key.',
    complexity: 'O(1)', tips: ['request_policy:all_shards', 'response_policy:special', 'nondeterministic_output'], run: randomkey },
  { name: 'RENAME', arity: 3, flags: WRITE, acl: ACL_KEYSPACE, since: '1.0.0', keys: [key(1, RW | ACCESS | DELETE), key(2, OW | UPDATE)],
    args: 'key:key newkey:key', summary: 'Gives a key a new name, replacing what has that name.', complexity: 'O(1)', run: rename },
  { name: 'RENAMENX', arity: 3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '1.0.0',
    keys: [key(1, RW | ACCESS | DELETE), key(2, OW | INSERT)], args: 'key:key newkey:key',
    summary: 'Gives a key a new name if nothing has that name.', complexity: 'O(1)',
    history: [['3.2.0', 'The command no longer returns an error when source and destination names are the same.']], run: renamenx },
  { name: 'MOVE', arity: 3, flags: WRITE | FAST, acl: ACL_KEYSPACE, since: '1.0.0', keys: [key(1, RW | ACCESS | UPDATE)],
    args: 'key:key db:integer', summary: 'Takes a key over into another database.', complexity: 'O(1)', run: move },
  { name: 'COPY', arity: -3, flags: WRITE | DENYOOM, acl: ACL_KEYSPACE, since: '6.2.0', keys: [key(1, RO | ACCESS), key(2, OW | UPDATE)],
    args: 'source:key destination:key [DB destination-db:integer] [REPLACE]', summary: 'Copies a value to another key.',
    complexity: 'O(N) by nested elements', run: copy },
  { name: 'OBJECT', arity: -2, flags: 0, since: '2.2.3', summary: "How a key's value is stored.",
    subcommands: [
      { name: 'ENCODING', arity: 3, flags: READONLY, acl: ACL_KEYSPACE, since: '2.2.3', keys: [key(2, RO)], args: 'key:key',
        summary: 'The internal encoding of a value.', complexity: 'O(1)', tips: ['nondeterministic_output'], run: objectEncoding },
      { name: 'FREQ', arity: 3, flags: READONLY, acl: ACL_KEYSPACE, since: '4.0.0', keys: [key(2, RO)], args: 'key:key',
        summary: 'How often a key is used, as LFU eviction counts it.', complexity: 'O(1)', tips: ['nondeterministic_output'],
        run: objectFreq },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, acl: ACL_KEYSPACE, since: '6.2.0', summary: 'What OBJECT can do.', complexity: 'O(1)',
        run: objectHelp },
      { name: 'IDLETIME', arity: 3, flags: READONLY, acl: ACL_KEYSPACE, since: '2.2.3', keys: [key(2, RO)], args: 'key:key',
        summary: 'Seconds since a key was last used.', complexity: 'O(1)', tips: ['nondeterministic_output'], run: objectIdletime },
      { name: 'REFCOUNT', arity: 3, flags: READONLY, acl: ACL_KEYSPACE, since: '2.2.3', keys: [key(2, RO)], args: 'key:key',
        summary: 'The number of references to a value.', complexity: 'O(1)', tips: ['nondeterministic_output'], run: objectRefcount },
    ] },
]

function del(c: Client): void {
  deleteKeys(c, c.engine.lazyUserDel)
}

function unlink(c: Client): void {
  deleteKeys(c, true)
}

function deleteKeys(c: Client, lazy: boolean): void {
  const { argv, db } = c
  let deleted = 0
  for (let i = 1; i < argv.count; i++) {
    touchKeys(db, argv, i, 1)
    if (!db.remove(argv.bytes, argv.off(i), argv.len(i), lazy)) continue
    db.changed(argv, i, EVENT_GENERIC, 'del')
    deleted++
  }
  c.reply.int(deleted)
}

function exists(c: Client): void {
  const { argv, db } = c
  let found = 0
  for (let i = 1; i < argv.count; i++) {
    touchKeys(db, argv, i, 1)
    if (db.lookupRead(argv, i) !== NULL_REF) found++
  }
  c.reply.int(found)
}

function touch(c: Client): void {
  exists(c)
}

function type(c: Client): void {
  const entry = c.db.peek(c.argv, 1)
  c.reply.simple(entry === NULL_REF ? 'none' : TYPES[typeOf(c.mem, entry)].name)
}

function randomkey(c: Client): void {
  const entry = c.db.random()
  if (entry === NULL_REF) return c.reply.nil()
  c.reply.bulk(c.mem.u8[segmentOf(entry)], keyStart(c.mem, entry), keyLength(c.mem, entry))
}

/** Whether arguments i and j are the same bytes. */
function sameArgs(c: Client, i: number, j: number): boolean {
  const { argv } = c
  return argv.len(i) === argv.len(j) && equalBytes(argv.bytes, argv.off(i), argv.bytes, argv.off(j), argv.len(i))
}

/**
 * Moves a key's value under the name of argument `to` in another (or the same) database, where it must not exist. The entry is
 * made anew for the new name; the value itself does not move.
 */
function moveKey(c: Client, entry: Ref, target: Db, to: number): void {
  const { argv, db, mem } = c
  const moved = reshapeEntry(mem, entry, hasFlag(mem, entry, SLOT), argv.bytes, argv.off(to), argv.len(to))
  db.unlink(entry)
  freeShell(mem, entry)
  target.add(moved)
}

function rename(c: Client): void {
  if (renameKey(c, false)) c.reply.ok()
}

function renamenx(c: Client): void {
  if (renameKey(c, true)) c.reply.int(1)
}

/** False: it has answered something other than success. */
function renameKey(c: Client, onlyNew: boolean): boolean {
  const { argv, db, reply } = c
  const entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF) reply.error(NO_SUCH_KEY)
  else if (sameArgs(c, 1, 2)) {
    if (!onlyNew) return true
    reply.int(0)
  } else if (db.lookupWrite(argv, 2) !== NULL_REF && onlyNew) reply.int(0)
  else {
    db.remove(argv.bytes, argv.off(2), argv.len(2), c.engine.lazyServerDel)
    moveKey(c, entry, db, 2)
    db.changed(argv, 1, EVENT_GENERIC, 'rename_from')
    db.touched(argv.bytes, argv.off(2), argv.len(2))
    db.event(EVENT_GENERIC, 'rename_to', argv.bytes, argv.off(2), argv.len(2))
    return true
  }
  return false
}

function move(c: Client): void {
  const { argv, db, reply } = c
  const id = dbArg(c, 2)
  if (Number.isNaN(id)) return
  const target = c.engine.space.dbs[id]
  if (target === undefined) return reply.error(BAD_DB_INDEX)
  if (target === db) return reply.error(SAME_OBJECT)
  const entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF || target.lookupWrite(argv, 1) !== NULL_REF) return reply.int(0)
  moveKey(c, entry, target, 1)
  db.changed(argv, 1, EVENT_GENERIC, 'move_from')
  target.touched(argv.bytes, argv.off(1), argv.len(1))
  target.event(EVENT_GENERIC, 'move_to', argv.bytes, argv.off(1), argv.len(1))
  reply.int(1)
}

function copy(c: Client): void {
  const { argv, db, reply, engine } = c
  let target = db
  let replace = false
  for (let i = 3; i < argv.count; i++) {
    if (argv.is(i, 'replace')) replace = true
    else if (argv.is(i, 'db') && i + 1 < argv.count) {
      const id = dbArg(c, ++i)
      if (Number.isNaN(id)) return
      if (engine.space.dbs[id] === undefined) return reply.error(BAD_DB_INDEX)
      target = engine.space.dbs[id]
    } else return reply.error(SYNTAX_ERROR)
  }
  if (target === db && sameArgs(c, 1, 2)) return reply.error(SAME_OBJECT)
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.int(0)
  const old = target.lookupWrite(argv, 2)
  if (old !== NULL_REF && !replace) return reply.int(0)
  const twin = copyEntry(c, entry, 2)
  if (old !== NULL_REF) target.removeEntry(old, engine.lazyServerDel)
  target.add(twin)
  target.changed(argv, 2, EVENT_GENERIC, 'copy_to')
  reply.int(1)
}

/** Hangs a deep copy of a collection on the entry; without memory for it the entry goes too. */
function copyRootInto(c: Client, entry: Ref, twin: Ref): void {
  const { mem } = c
  let copied = false
  try {
    setValueRef(mem, twin, TYPES[typeOf(mem, entry)].copyRoot(mem, entry))
    copied = true
  } finally {
    if (!copied) freeShell(mem, twin)
  }
}

/** A deep copy of a key's value under the name of argument `to`, with its expiry; not yet in a database. */
function copyEntry(c: Client, entry: Ref, to: number): Ref {
  const { argv, mem } = c
  const flags = (hasFlag(mem, entry, SLOT) ? SLOT : 0) | (hasFlag(mem, entry, MARK) ? MARK : 0)
  const word = word0(typeOf(mem, entry), encodingOf(mem, entry))
  let twin: Ref
  if (hasFlag(mem, entry, ROOT)) {
    twin = newRootEntry(mem, word, flags, argv.bytes, argv.off(to), argv.len(to), NULL_REF)
    copyRootInto(c, entry, twin)
  } else {
    const value = mem.u8[valueSegment(mem, entry)]
    twin = newEntry(mem, word, flags, argv.bytes, argv.off(to), argv.len(to), value, valueStart(mem, entry), valueLength(mem, entry))
  }
  if (hasFlag(mem, entry, SLOT)) setSlotValue(mem, twin, slotValue(mem, entry))
  return twin
}
