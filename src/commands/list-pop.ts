/** Popping and moving list elements, at once or as soon as there are some. */
import { rangeArg, timeoutArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import type { Propagation } from '../engine/propagate.ts'
import { EVENT_LIST } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { MUST_BE_POSITIVE, SYNTAX_ERROR, wrongArity } from '../resp/errors.ts'
import { lpValue } from '../structs/listpack.ts'
import { cursorGet, cursorNext, cursorPrev } from '../structs/quicklist-cursor.ts'
import { listDeleteRange, listDropEnd, listLength, listMakeRoom, listPop, listPush, listSeek, listSeekEnd } from '../types/list.ts'
import { LIST } from '../types/object.ts'
import { addList, elementsGone, replyElement, sideArg, WRONG, writeList } from './list-lookup.ts'

export function lpop(c: Client): void {
  pop(c, true)
}

export function rpop(c: Client): void {
  pop(c, false)
}

function pop(c: Client, head: boolean): void {
  const { argv, reply } = c
  if (argv.count > 3) return reply.error(wrongArity(head ? 'lpop' : 'rpop'))
  const counted = argv.count === 3
  const count = counted ? rangeArg(c, 2, 0, Infinity, MUST_BE_POSITIVE) : 1
  if (Number.isNaN(count)) return
  const list = writeList(c, 1)
  if (list === WRONG) return
  if (list === NULL_REF) return counted ? reply.nilArray() : reply.nil()
  if (!counted) return popOne(c, 1, list, head)
  if (count === 0) return reply.array(0)
  popSome(c, 1, list, head, count)
}

/** Answers and removes one element of argument i's list. */
function popOne(c: Client, i: number, list: Ref, head: boolean): void {
  const { argv, db } = c
  const left = listPop(c.mem, list, head, c.reply, c.engine.encodings.list)
  db.changed(argv, i, EVENT_LIST, head ? 'lpop' : 'rpop')
  if (left === 0) db.removeEmptied(argv, i)
}

/** Answers an array of up to `count` elements, and removes them; returns how many there were. */
function popSome(c: Client, i: number, list: Ref, head: boolean, count: number): number {
  const { mem, reply } = c
  const length = listLength(mem, list)
  const popped = Math.min(count, length)
  reply.array(popped)
  listSeek(mem, list, head ? 0 : -1)
  for (let left = popped; ; ) {
    replyElement(c)
    if (--left === 0) break
    if (head) cursorNext(mem)
    else cursorPrev(mem)
  }
  listDeleteRange(mem, list, head ? 0 : length - popped, popped)
  elementsGone(c, i, list, head ? 'lpop' : 'rpop', popped)
  return popped
}

// ---- LMPOP ----

/** What LMPOP and BLMPOP ask for. */
interface MultiPop {
  readonly keys: number
  readonly head: boolean
  readonly count: number
}

/** Reads `numkeys key ... LEFT|RIGHT [COUNT count]` from argument `at` on; null when it has answered an error. */
function multiPopArgs(c: Client, at: number): MultiPop | null {
  const { argv, reply } = c
  const keys = rangeArg(c, at, 1, Infinity, 'ERR numkeys should be greater than 0')
  if (Number.isNaN(keys)) return null
  const sideAt = at + keys + 1
  if (sideAt >= argv.count) {
    reply.error(SYNTAX_ERROR)
    return null
  }
  const head = sideArg(c, sideAt)
  if (head === null) return null
  let count = -1
  for (let i = sideAt + 1; i < argv.count; i += 2) {
    if (count !== -1 || i + 1 >= argv.count || !argv.is(i, 'count')) {
      reply.error(SYNTAX_ERROR)
      return null
    }
    count = rangeArg(c, i + 1, 1, Infinity, 'ERR count should be greater than 0')
    if (Number.isNaN(count)) return null
  }
  return { keys, head, count: count === -1 ? 1 : count }
}

/** Pops from the first list among arguments [first, first + args.keys); false when there is none (and nothing was answered). */
function popFromFirst(c: Client, first: number, { keys, head, count }: MultiPop): boolean {
  const { argv, reply } = c
  for (let i = first; i < first + keys; i++) {
    const list = writeList(c, i)
    if (list === WRONG) return true
    if (list === NULL_REF) continue
    reply.array(2)
    reply.bulk(argv.bytes, argv.off(i), argv.len(i))
    const popped = popSome(c, i, list, head, count)
    if (c.engine.propagate.sinks !== 0) passOn(c, i, head).int(popped)
    return true
  }
  return false
}

/** Passes the pop of argument i's list on as one that names it and does not wait; a count may follow. */
function passOn(c: Client, i: number, head: boolean): Propagation {
  return c.engine.propagate
    .instead(c)
    .word(head ? 'LPOP' : 'RPOP')
    .arg(c.argv, i)
}

export function lmpop(c: Client): void {
  const args = multiPopArgs(c, 1)
  if (args !== null && !popFromFirst(c, 2, args)) c.reply.nilArray()
}

export function blmpop(c: Client): void {
  const timeoutMs = timeoutArg(c, 1)
  if (Number.isNaN(timeoutMs)) return
  const args = multiPopArgs(c, 2)
  if (args === null || popFromFirst(c, 3, args)) return
  waitOrNil(c, 3, args.keys, timeoutMs)
}

/** Waits for a list at arguments [first, first + count), or answers nil where nothing may wait. */
function waitOrNil(c: Client, first: number, count: number, timeoutMs: number): void {
  const { blocked } = c.engine
  if (blocked.mayBlock(c)) blocked.blockOnKeys(c, first, count, timeoutMs, LIST)
  else c.reply.nilArray()
}

// ---- BLPOP, BRPOP ----

export function blpop(c: Client): void {
  blockingPop(c, true)
}

export function brpop(c: Client): void {
  blockingPop(c, false)
}

function blockingPop(c: Client, head: boolean): void {
  const { argv, reply } = c
  const last = argv.count - 2
  const timeoutMs = timeoutArg(c, last + 1)
  if (Number.isNaN(timeoutMs)) return
  for (let i = 1; i <= last; i++) {
    const list = writeList(c, i)
    if (list === WRONG) return
    if (list === NULL_REF) continue
    reply.array(2)
    reply.bulk(argv.bytes, argv.off(i), argv.len(i))
    popOne(c, i, list, head)
    if (c.engine.propagate.sinks !== 0) passOn(c, i, head)
    return
  }
  waitOrNil(c, 1, last, timeoutMs)
}

// ---- LMOVE, RPOPLPUSH ----

export function lmove(c: Client): void {
  const from = sideArg(c, 3)
  if (from === null) return
  const to = sideArg(c, 4)
  if (to === null) return
  const source = writeList(c, 1)
  if (source === NULL_REF) c.reply.nil()
  else if (source !== WRONG) move(c, source, from, to)
}

export function rpoplpush(c: Client): void {
  const source = writeList(c, 1)
  if (source === NULL_REF) c.reply.nil()
  else if (source !== WRONG) move(c, source, false, true)
}

export function blmove(c: Client): void {
  const from = sideArg(c, 3)
  if (from === null) return
  const to = sideArg(c, 4)
  if (to === null) return
  blockingMove(c, from, to, timeoutArg(c, 5))
}

export function brpoplpush(c: Client): void {
  blockingMove(c, false, true, timeoutArg(c, 3))
}

function blockingMove(c: Client, from: boolean, to: boolean, timeoutMs: number): void {
  if (Number.isNaN(timeoutMs)) return
  const source = writeList(c, 1)
  if (source === WRONG) return
  if (source !== NULL_REF) {
    if (move(c, source, from, to)) propagateMove(c)
    return
  }
  const { blocked } = c.engine
  if (blocked.mayBlock(c)) blocked.blockOnKeys(c, 1, 1, timeoutMs, LIST)
  else c.reply.nil()
}

/** Says the change as the command that does not wait: the timeout is the last argument. */
function propagateMove(c: Client): void {
  const { argv } = c
  const { propagate } = c.engine
  if (propagate.sinks !== 0)
    propagate
      .instead(c)
      .word(argv.count === 4 ? 'RPOPLPUSH' : 'LMOVE')
      .argsOf(argv, 1, argv.count - 1)
}

/** Moves one element from argument 1's list to argument 2's, and answers it; false when argument 2 is no list. */
function move(c: Client, source: Ref, fromHead: boolean, toHead: boolean): boolean {
  const { argv, mem, db } = c
  let target = writeList(c, 2)
  if (target === WRONG) return false
  listSeekEnd(mem, source, fromHead)
  cursorGet(mem)
  const element = lpValue.bytes.slice(lpValue.off, lpValue.off + lpValue.len)
  c.reply.bulk(element, 0, element.length)
  if (target === NULL_REF) target = addList(c, 2)
  if (target !== source) listMakeRoom(mem, target, 1, element.length, c.engine.encodings.list)
  // Pushed before it goes, in one list as well: without memory for it nothing is lost.
  listPush(mem, target, toHead, element, 0, element.length)
  listSeekEnd(mem, source, fromHead)
  listDropEnd(mem, source, fromHead)
  db.touched(argv.bytes, argv.off(2), argv.len(2))
  db.event(EVENT_LIST, toHead ? 'lpush' : 'rpush', argv.bytes, argv.off(2), argv.len(2))
  elementsGone(c, 1, source, fromHead ? 'lpop' : 'rpop', 1)
  return true
}
