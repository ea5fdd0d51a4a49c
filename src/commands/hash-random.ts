/** HRANDFIELD. */
import { signedCountArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { OUT_OF_RANGE, SYNTAX_ERROR } from '../resp/errors.ts'
import { encodingOf } from '../structs/entry.ts'
import { hashLength } from '../types/hash.ts'
import { walkField, walkFirst, walkKey, walkNext, walkRandom, walkTo, walkValue } from '../types/hash-walk.ts'
import { HASHTABLE } from '../types/object.ts'
import { readHash, replyFound, WRONG } from './hash-lookup.ts'

/** A sample of less than this part of a table is drawn field by field; of more, the table is walked. */
const SPARSE = 3

export function hrandfield(c: Client): void {
  const { argv, mem, reply, engine } = c
  if (argv.count > 2) return hrandfieldCount(c)
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF) return reply.nil()
  walkRandom(mem, hash, engine.random)
  walkField(mem)
  replyFound(c)
}

function hrandfieldCount(c: Client): void {
  const { argv, reply } = c
  const count = signedCountArg(c, 2)
  if (Number.isNaN(count)) return
  const withValues = argv.count === 4
  if (argv.count > 4 || (withValues && !argv.is(3, 'withvalues'))) return reply.error(SYNTAX_ERROR)
  if (withValues && Math.abs(count) >= 2 ** 62) return reply.error(OUT_OF_RANGE)
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF || count === 0) return reply.array(0)
  if (count < 0) return withRepetition(c, hash, -count, withValues)
  const length = hashLength(c.mem, hash)
  header(c, Math.min(count, length), withValues)
  if (count * SPARSE < length && encodingOf(c.mem, hash) === HASHTABLE) distinctByDrawing(c, hash, count, withValues)
  else distinctByWalking(c, hash, Math.min(count, length), length, withValues)
}

function header(c: Client, count: number, withValues: boolean): void {
  c.reply.array(withValues && c.resp === 2 ? count * 2 : count)
}

function replyField(c: Client, withValues: boolean): void {
  if (withValues && c.resp === 3) c.reply.array(2)
  walkField(c.mem)
  replyFound(c)
  if (!withValues) return
  walkValue(c.mem)
  replyFound(c)
}

function withRepetition(c: Client, hash: Ref, count: number, withValues: boolean): void {
  header(c, count, withValues)
  for (let i = 0; i < count && !c.reply.overflowed; i++) {
    walkRandom(c.mem, hash, c.engine.random)
    replyField(c, withValues)
  }
}

/** Every field is taken with the chance that keeps the rest fair: what is still wanted over what is still to come. */
function distinctByWalking(c: Client, hash: Ref, count: number, length: number, withValues: boolean): void {
  let wanted = count
  let coming = length
  for (let more = walkFirst(c.mem, hash); more && wanted > 0; more = walkNext(c.mem), coming--) {
    if (wanted < coming && c.engine.random.below(coming) >= wanted) continue
    replyField(c, withValues)
    wanted--
  }
}

function distinctByDrawing(c: Client, hash: Ref, count: number, withValues: boolean): void {
  const drawn = new Set<number>()
  while (drawn.size < count) {
    walkRandom(c.mem, hash, c.engine.random)
    drawn.add(walkKey())
  }
  for (const field of drawn) {
    walkTo(field as Ref)
    replyField(c, withValues)
  }
}
