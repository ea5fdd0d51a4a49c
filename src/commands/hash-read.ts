/** Reading hashes: HGET, HMGET, HGETALL and its parts, HLEN, HSTRLEN, HEXISTS, HSCAN. */
import type { Client } from '../engine/client.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { replyElements } from '../resp/reply-elements.ts'
import { visited } from '../structs/dict.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { LP_HEADER, lpValue } from '../structs/listpack.ts'
import { hashFind, hashLength } from '../types/hash.ts'
import { hashScan, walkField, walkFirst, walkNext, walkTo, walkValue } from '../types/hash-walk.ts'
import { HASHTABLE, LISTPACK } from '../types/object.ts'
import { readHash, replyFound, WRONG } from './hash-lookup.ts'
import { cursorArg, matches, type ScanOptions, scanOptions } from './scan-options.ts'

function find(c: Client, hash: Ref, i: number): boolean {
  const { argv } = c
  return hash !== NULL_REF && hashFind(c.mem, hash, argv.bytes, argv.off(i), argv.len(i))
}

export function hget(c: Client): void {
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  if (find(c, hash, 2)) replyFound(c)
  else c.reply.nil()
}

export function hmget(c: Client): void {
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  c.reply.array(c.argv.count - 2)
  for (let i = 2; i < c.argv.count; i++) {
    if (find(c, hash, i)) replyFound(c)
    else c.reply.nil()
  }
}

export function hexists(c: Client): void {
  const hash = readHash(c, 1)
  if (hash !== WRONG) c.reply.int(find(c, hash, 2) ? 1 : 0)
}

export function hstrlen(c: Client): void {
  const hash = readHash(c, 1)
  if (hash !== WRONG) c.reply.int(find(c, hash, 2) ? lpValue.len : 0)
}

export function hlen(c: Client): void {
  const hash = readHash(c, 1)
  if (hash !== WRONG) c.reply.int(hash === NULL_REF ? 0 : hashLength(c.mem, hash))
}

export function hgetall(c: Client): void {
  const { mem, reply } = c
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF) return reply.map(0)
  const fields = hashLength(mem, hash)
  reply.map(fields)
  if (encodingOf(mem, hash) === LISTPACK) return replyListpack(c, valueRef(mem, hash), fields * 2)
  for (let more = walkFirst(mem, hash); more; more = walkNext(mem)) {
    walkField(mem)
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
    walkValue(mem)
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

function replyListpack(c: Client, lp: Ref, count: number): void {
  const segment = segmentOf(lp)
  replyElements(c.reply, c.mem.u8[segment], c.mem.data[segment], byteOf(lp) + LP_HEADER, count)
}

export function hkeys(c: Client): void {
  replyParts(c, walkField)
}

export function hvals(c: Client): void {
  replyParts(c, walkValue)
}

function replyParts(c: Client, part: (mem: Client['mem']) => void): void {
  const { mem, reply } = c
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  if (hash === NULL_REF) return reply.array(0)
  reply.array(hashLength(mem, hash))
  for (let more = walkFirst(mem, hash); more; more = walkNext(mem)) {
    part(mem)
    replyFound(c)
  }
}

export function hscan(c: Client): void {
  const { mem, reply } = c
  const cursor = cursorArg(c, 2)
  if (Number.isNaN(cursor)) return
  const hash = readHash(c, 1)
  if (hash === WRONG) return
  const options = hash === NULL_REF ? null : scanOptions(c, 3, 'novalues')
  if (hash !== NULL_REF && options === null) return
  reply.array(2)
  if (hash === NULL_REF || options === null) {
    reply.text('0')
    reply.array(0)
  } else if (encodingOf(mem, hash) === HASHTABLE) scanTable(c, hash, cursor, options)
  else scanSmall(c, hash, options)
}

/** Answers the current field of the walk if it matches; returns how many strings that took. */
function replyScanned(c: Client, options: ScanOptions): number {
  walkField(c.mem)
  if (!matches(c, options, lpValue.bytes, lpValue.off, lpValue.len)) return 0
  replyFound(c)
  if (options.noValues) return 1
  walkValue(c.mem)
  replyFound(c)
  return 2
}

function scanSmall(c: Client, hash: Ref, options: ScanOptions): void {
  c.reply.text('0')
  const start = c.reply.defer()
  let shown = 0
  for (let more = walkFirst(c.mem, hash); more; more = walkNext(c.mem)) shown += replyScanned(c, options)
  c.reply.endArray(start, shown)
}

function scanTable(c: Client, hash: Ref, from: number, options: ScanOptions): void {
  const { mem, reply } = c
  const found: Ref[] = []
  let cursor = from
  let steps = options.count * 10
  do {
    cursor = hashScan(mem, hash, cursor)
    for (const field of visited) found.push(field)
  } while (cursor !== 0 && steps-- > 0 && found.length < options.count)
  reply.text(String(cursor))
  const start = reply.defer()
  let shown = 0
  for (const field of found) {
    walkTo(field)
    shown += replyScanned(c, options)
  }
  reply.endArray(start, shown)
}
