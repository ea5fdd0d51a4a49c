/** Members of one set: SADD, SREM, SCARD, SISMEMBER, SMISMEMBER, SMEMBERS, SMOVE, SSCAN. */
import type { Client } from '../engine/client.ts'
import { EVENT_SET } from '../keyspace/hooks.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { replyElements } from '../resp/reply-elements.ts'
import { visited } from '../structs/dict.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { LP_HEADER, lpValue } from '../structs/listpack.ts'
import { pointAtKey } from '../types/hash.ts'
import { HASHTABLE, LISTPACK } from '../types/object.ts'
import { setAdd, setHas, setMakeRoom, setRemove, setSize } from '../types/set.ts'
import { memberFirst, memberGet, memberNext, setScan } from '../types/set-walk.ts'
import { cursorArg, matches, type ScanOptions, scanOptions } from './scan-options.ts'
import { addSet, readSet, removeIfEmpty, replyMember, WRONG, writeSet } from './set-lookup.ts'

export function sadd(c: Client): void {
  const { argv, mem } = c
  const limits = c.engine.encodings.set
  let set = writeSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF) set = addSet(c, 1, 2, argv.count - 2)
  else setMakeRoom(mem, set, argv.count - 2, limits)
  let added = 0
  try {
    for (let i = 2; i < argv.count; i++) if (setAdd(mem, set, argv.bytes, argv.off(i), argv.len(i), limits)) added++
  } catch (error) {
    // No memory for the first member of a new set: no key without members stays behind.
    if (setSize(mem, set) === 0) c.db.remove(argv.bytes, argv.off(1), argv.len(1))
    throw error
  }
  c.reply.int(added)
  if (added === 0) return
  c.db.changed(argv, 1, EVENT_SET, 'sadd')
  c.dirty(added - 1)
}

export function srem(c: Client): void {
  const { argv, mem } = c
  const set = writeSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF) return c.reply.int(0)
  let removed = 0
  for (let i = 2; i < argv.count; i++) if (setRemove(mem, set, argv.bytes, argv.off(i), argv.len(i))) removed++
  c.reply.int(removed)
  if (removed === 0) return
  c.db.changed(argv, 1, EVENT_SET, 'srem')
  c.dirty(removed - 1)
  removeIfEmpty(c, 1, set)
}

export function scard(c: Client): void {
  const set = readSet(c, 1)
  if (set !== WRONG) c.reply.int(set === NULL_REF ? 0 : setSize(c.mem, set))
}

function has(c: Client, set: Ref, i: number): boolean {
  const { argv } = c
  return set !== NULL_REF && setHas(c.mem, set, argv.bytes, argv.off(i), argv.len(i))
}

export function sismember(c: Client): void {
  const set = readSet(c, 1)
  if (set !== WRONG) c.reply.int(has(c, set, 2) ? 1 : 0)
}

export function smismember(c: Client): void {
  const set = readSet(c, 1)
  if (set === WRONG) return
  c.reply.array(c.argv.count - 2)
  for (let i = 2; i < c.argv.count; i++) c.reply.int(has(c, set, i) ? 1 : 0)
}

export function smembers(c: Client): void {
  const set = readSet(c, 1)
  if (set !== WRONG) replyAll(c, set)
}

/** Answers every member as a set. */
export function replyAll(c: Client, set: Ref): void {
  const { mem, reply } = c
  if (set === NULL_REF) return reply.set(0)
  const size = setSize(mem, set)
  reply.set(size)
  if (encodingOf(mem, set) === LISTPACK) {
    const lp = valueRef(mem, set)
    const segment = segmentOf(lp)
    replyElements(reply, mem.u8[segment], mem.data[segment], byteOf(lp) + LP_HEADER, size)
    return
  }
  for (let more = memberFirst(mem, set); more; more = memberNext(mem)) {
    memberGet(mem)
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

export function smove(c: Client): void {
  const { argv, db, mem, reply } = c
  const source = writeSet(c, 1)
  if (source === NULL_REF || source === WRONG) {
    // the other key is met all the same, and goes if its time has come
    db.peek(argv, 2)
    return source === WRONG ? undefined : reply.int(0)
  }
  let target = writeSet(c, 2)
  if (target === WRONG) return
  if (source === target) return reply.int(has(c, source, 3) ? 1 : 0)
  if (!has(c, source, 3)) return reply.int(0)
  if (target === NULL_REF) target = addSet(c, 2, 3, 1)
  const added = setAdd(mem, target, argv.bytes, argv.off(3), argv.len(3), c.engine.encodings.set)
  setRemove(mem, source, argv.bytes, argv.off(3), argv.len(3))
  reply.int(1)
  db.changed(argv, 1, EVENT_SET, 'srem')
  removeIfEmpty(c, 1, source)
  if (added) db.changed(argv, 2, EVENT_SET, 'sadd')
}

export function sscan(c: Client): void {
  const { mem, reply } = c
  const cursor = cursorArg(c, 2)
  if (Number.isNaN(cursor)) return
  const set = readSet(c, 1)
  if (set === WRONG) return
  const options = set === NULL_REF ? null : scanOptions(c, 3, '')
  if (set !== NULL_REF && options === null) return
  reply.array(2)
  if (set === NULL_REF || options === null) {
    reply.text('0')
    reply.array(0)
  } else if (encodingOf(mem, set) === HASHTABLE) scanTable(c, set, cursor, options)
  else scanSmall(c, set, options)
}

/** Answers the member that was read last if it matches; returns how many strings that took. */
function replyScanned(c: Client, options: ScanOptions): number {
  if (!matches(c, options, lpValue.bytes, lpValue.off, lpValue.len)) return 0
  replyMember(c)
  return 1
}

function scanSmall(c: Client, set: Ref, options: ScanOptions): void {
  c.reply.text('0')
  const start = c.reply.defer()
  let shown = 0
  for (let more = memberFirst(c.mem, set); more; more = memberNext(c.mem)) {
    memberGet(c.mem)
    shown += replyScanned(c, options)
  }
  c.reply.endArray(start, shown)
}

function scanTable(c: Client, set: Ref, from: number, options: ScanOptions): void {
  const { mem, reply } = c
  const found: Ref[] = []
  let cursor = from
  let steps = options.count * 10
  do {
    cursor = setScan(mem, set, cursor)
    for (const member of visited) found.push(member)
  } while (cursor !== 0 && steps-- > 0 && found.length < options.count)
  reply.text(String(cursor))
  const start = reply.defer()
  let shown = 0
  for (const member of found) {
    pointAtKey(mem, member)
    shown += replyScanned(c, options)
  }
  reply.endArray(start, shown)
}
