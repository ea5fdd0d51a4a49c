/** SPOP and SRANDMEMBER. */
import { rangeArg, signedCountArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_GENERIC, EVENT_SET } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { MUST_BE_POSITIVE, SYNTAX_ERROR } from '../resp/errors.ts'
import { encodingOf } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { pointAtKey } from '../types/hash.ts'
import { HASHTABLE } from '../types/object.ts'
import { setRandom, setRemoveDrawn, setSize } from '../types/set.ts'
import { memberFirst, memberGet, memberNext } from '../types/set-walk.ts'
import { propagateDeletion } from './expiry.ts'
import { readSet, removeIfEmpty, replyMember, WRONG, writeSet } from './set-lookup.ts'
import { replyAll } from './set-members.ts'

/** A sample of less than this part of a table is drawn member by member; of more, the table is walked. */
const SPARSE = 3
/** Members that one SREM names when SPOP is propagated. */
const SREM_MEMBERS = 1024

export function spop(c: Client): void {
  const { argv, mem, reply } = c
  if (argv.count > 3) return reply.error(SYNTAX_ERROR)
  if (argv.count === 3) return spopCount(c)
  const set = writeSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF) return reply.nil()
  setRandom(mem, set, c.engine.random)
  replyMember(c)
  const { propagate } = c.engine
  if (propagate.sinks !== 0) propagate.instead(c).word('SREM').arg(argv, 1).bytes(lpValue.bytes, lpValue.off, lpValue.len)
  setRemoveDrawn(mem, set)
  c.db.changed(argv, 1, EVENT_SET, 'spop')
  removeIfEmpty(c, 1, set)
}

function spopCount(c: Client): void {
  const { argv, db, mem, reply } = c
  const count = rangeArg(c, 2, 0, Infinity, MUST_BE_POSITIVE)
  if (Number.isNaN(count)) return
  const set = writeSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF || count === 0) return reply.set(0)
  const size = setSize(mem, set)
  c.dirty(Math.min(count, size) - 1)
  if (count >= size) {
    replyAll(c, set)
    db.event(EVENT_SET, 'spop', argv.bytes, argv.off(1), argv.len(1))
    db.remove(argv.bytes, argv.off(1), argv.len(1), c.engine.lazyServerDel)
    propagateDeletion(c, c.engine.lazyServerDel)
    return db.changed(argv, 1, EVENT_GENERIC, 'del')
  }
  reply.set(count)
  const { propagate } = c.engine
  propagate.silence()
  for (let i = 0; i < count; i++) {
    setRandom(mem, set, c.engine.random)
    replyMember(c)
    if (propagate.sinks !== 0) {
      if (i % SREM_MEMBERS === 0) propagate.also(db).word('SREM').arg(argv, 1)
      propagate.bytes(lpValue.bytes, lpValue.off, lpValue.len)
    }
    setRemoveDrawn(mem, set)
  }
  db.changed(argv, 1, EVENT_SET, 'spop')
}

export function srandmember(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 3) return reply.error(SYNTAX_ERROR)
  if (argv.count === 3) return srandmemberCount(c)
  const set = readSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF) return reply.nil()
  setRandom(c.mem, set, c.engine.random)
  replyMember(c)
}

function srandmemberCount(c: Client): void {
  const { mem, reply, engine } = c
  const count = signedCountArg(c, 2)
  if (Number.isNaN(count)) return
  const set = readSet(c, 1)
  if (set === WRONG) return
  if (set === NULL_REF || count === 0) return reply.array(0)
  if (count < 0) {
    reply.array(-count)
    for (let i = 0; i < -count && !c.reply.overflowed; i++) {
      setRandom(mem, set, engine.random)
      replyMember(c)
    }
    return
  }
  const size = setSize(mem, set)
  reply.array(Math.min(count, size))
  if (count * SPARSE < size && encodingOf(mem, set) === HASHTABLE) distinctByDrawing(c, set, count)
  else distinctByWalking(c, set, Math.min(count, size), size)
}

/** Every member is taken with the chance that keeps the rest fair: what is still wanted over what is still to come. */
function distinctByWalking(c: Client, set: Ref, count: number, size: number): void {
  let wanted = count
  let coming = size
  for (let more = memberFirst(c.mem, set); more && wanted > 0; more = memberNext(c.mem), coming--) {
    if (wanted < coming && c.engine.random.below(coming) >= wanted) continue
    memberGet(c.mem)
    replyMember(c)
    wanted--
  }
}

function distinctByDrawing(c: Client, set: Ref, count: number): void {
  const drawn = new Set<number>()
  while (drawn.size < count) drawn.add(setRandom(c.mem, set, c.engine.random))
  for (const member of drawn) {
    pointAtKey(c.mem, member as Ref)
    replyMember(c)
  }
}
