/** Unions, intersections and differences of sorted sets, and of sets, whose members count as scored 1. */
import { floatArg, intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { setSlotValue, slotValue, typeOf } from '../structs/entry.ts'
import { SET, SKIPLIST, ZSET } from '../types/object.ts'
import { freeLarge, gather, largeSize, newLarge, settle } from '../types/zset-large.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { type MemberWalk, scoreIn, Source } from './zset-source.ts'
import { storeLarge } from './zset-store.ts'
import { keepsViews } from '../util/views.ts'

const UNION = 0
const INTERSECTION = 1
const DIFFERENCE = 2

const SUM = 0
const MIN = 1
const MAX = 2

/** What a combination asks for. */
interface Combination {
  operation: number
  sources: Source[]
  aggregate: number
  withScores: boolean
  /** Where ZINTERCARD stops counting. */
  limit: number
}

export function zunion(c: Client): void {
  replyCombined(c, UNION, 'zunion')
}

export function zinter(c: Client): void {
  replyCombined(c, INTERSECTION, 'zinter')
}

export function zdiff(c: Client): void {
  replyCombined(c, DIFFERENCE, 'zdiff')
}

export function zunionstore(c: Client): void {
  storeCombined(c, UNION, 'zunionstore')
}

export function zinterstore(c: Client): void {
  storeCombined(c, INTERSECTION, 'zinterstore')
}

export function zdiffstore(c: Client): void {
  storeCombined(c, DIFFERENCE, 'zdiffstore')
}

export function zintercard(c: Client): void {
  const asked = readArguments(c, 1, INTERSECTION, 'zintercard', CARD_OPTIONS)
  if (asked === null) return
  const { sources } = asked
  const most = asked.limit === 0 ? Number.POSITIVE_INFINITY : asked.limit
  let count = 0
  const walk = sources[0].walk(c.mem)
  while (count < most && walk.next()) if (isInAll(c, sources, walk)) count++
  c.reply.int(count)
}

const walk = keepsViews(new ZsetWalk())

function replyCombined(c: Client, operation: number, name: string): void {
  const { mem, reply } = c
  const asked = readArguments(c, 1, operation, name, operation === DIFFERENCE ? WITHSCORES : WEIGHTS | AGGREGATE | WITHSCORES)
  if (asked === null) return
  const root = combine(c, asked)
  const size = largeSize(mem, root)
  const nested = asked.withScores && c.resp === 3
  reply.array(asked.withScores && !nested ? size * 2 : size)
  walk.start(mem, SKIPLIST, root, 0, false)
  while (walk.next()) {
    if (nested) reply.array(2)
    reply.bulk(walk.bytes, walk.off, walk.len)
    if (asked.withScores) reply.double(walk.score)
  }
  freeLarge(mem, root)
}

function storeCombined(c: Client, operation: number, name: string): void {
  const asked = readArguments(c, 2, operation, name, operation === DIFFERENCE ? 0 : WEIGHTS | AGGREGATE)
  if (asked !== null) storeLarge(c, 1, combine(c, asked), name, 1)
}

/** The result as the root of a large set, which is the caller's. */
function combine(c: Client, asked: Combination): Ref {
  const { mem } = c
  const root = newLarge(mem)
  try {
    if (asked.operation === UNION) unite(c, root, asked)
    else if (asked.operation === INTERSECTION) intersect(c, root, asked)
    else subtract(c, root, asked)
    settle(mem, root)
  } catch (error) {
    freeLarge(mem, root)
    throw error
  }
  return root
}

/** What a score weighs; infinity times zero counts as 0. */
function weighed(score: number, weight: number): number {
  const product = score * weight
  return product === product ? product : 0
}

/** Two scores of a member as one; opposite infinities add up to 0. */
function aggregated(a: number, b: number, how: number): number {
  if (how === MIN) return b < a ? b : a
  if (how === MAX) return b > a ? b : a
  const sum = a + b
  return sum === sum ? sum : 0
}

function unite(c: Client, root: Ref, { sources, aggregate }: Combination): void {
  const { mem } = c
  for (const source of sources) {
    const members = source.walk(mem)
    while (members.next()) {
      const score = weighed(members.score, source.weight)
      const entry = gather(mem, root, score, members.bytes, members.off, members.len)
      if (entry !== NULL_REF) setSlotValue(mem, entry, aggregated(slotValue(mem, entry), score, aggregate))
    }
  }
}

function intersect(c: Client, root: Ref, { sources, aggregate }: Combination): void {
  const { mem } = c
  const members = sources[0].walk(mem)
  while (members.next()) {
    let score = weighed(members.score, sources[0].weight)
    let i = 1
    for (; i < sources.length; i++) {
      const other = scoreIn(mem, sources[i], members)
      if (other !== other) break
      score = aggregated(score, other * sources[i].weight, aggregate)
    }
    if (i === sources.length) gather(mem, root, score, members.bytes, members.off, members.len)
  }
}

function isInAll(c: Client, sources: Source[], members: MemberWalk): boolean {
  for (let i = 1; i < sources.length; i++) {
    const score = scoreIn(c.mem, sources[i], members)
    if (score !== score) return false
  }
  return true
}

function subtract(c: Client, root: Ref, { sources }: Combination): void {
  const { mem } = c
  const members = sources[0].walk(mem)
  while (members.next()) {
    let i = 1
    for (; i < sources.length; i++) {
      const score = scoreIn(mem, sources[i], members)
      if (score === score) break
    }
    if (i === sources.length) gather(mem, root, members.score, members.bytes, members.off, members.len)
  }
}

/** The options a command takes. */
const WEIGHTS = 1
const AGGREGATE = 2
const WITHSCORES = 4
const CARD_OPTIONS = 8

/** Reads the arguments from numkeys on; null when it has answered an error. */
function readArguments(c: Client, numkeys: number, operation: number, name: string, options: number): Combination | null {
  const { argv, reply } = c
  const count = intArg(c, numkeys)
  if (count !== count) return null
  if (count < 1) {
    reply.error(`ERR at least 1 input key is needed for '${name}' command`)
    return null
  }
  if (count > argv.count - numkeys - 1) {
    reply.error(SYNTAX_ERROR)
    return null
  }
  const sources = readSources(c, numkeys + 1, count)
  if (sources === null) return null
  const asked: Combination = { operation, sources, aggregate: SUM, withScores: false, limit: 0 }
  if (!readOptions(c, numkeys + 1 + count, asked, options)) return null
  // From the smallest to the largest, which is also the order in which scores add up.
  if (operation !== DIFFERENCE) sources.sort((a, b) => a.size - b.size)
  return asked
}

function readSources(c: Client, first: number, count: number): Source[] | null {
  const sources: Source[] = []
  for (let i = first; i < first + count; i++) {
    const entry = c.db.lookupRead(c.argv, i)
    if (entry !== NULL_REF && typeOf(c.mem, entry) !== ZSET && typeOf(c.mem, entry) !== SET) {
      c.reply.error(WRONGTYPE)
      return null
    }
    sources.push(new Source(c.mem, entry))
  }
  return sources
}

function readOptions(c: Client, first: number, asked: Combination, options: number): boolean {
  const { argv, reply } = c
  const { sources } = asked
  for (let i = first; i < argv.count; i++) {
    const more = argv.count - i - 1
    if ((options & WEIGHTS) !== 0 && more >= sources.length && argv.is(i, 'weights')) {
      for (const source of sources) {
        source.weight = floatArg(c, ++i, 'ERR weight value is not a float')
        if (source.weight !== source.weight) return false
      }
    } else if ((options & AGGREGATE) !== 0 && more >= 1 && argv.is(i, 'aggregate')) {
      i++
      asked.aggregate = argv.is(i, 'sum') ? SUM : argv.is(i, 'min') ? MIN : argv.is(i, 'max') ? MAX : -1
      if (asked.aggregate < 0) {
        reply.error(SYNTAX_ERROR)
        return false
      }
    } else if ((options & WITHSCORES) !== 0 && argv.is(i, 'withscores')) asked.withScores = true
    else if ((options & CARD_OPTIONS) !== 0 && more >= 1 && argv.is(i, 'limit')) {
      asked.limit = intArg(c, ++i, LIMIT_ERROR)
      if (asked.limit < 0) reply.error(LIMIT_ERROR)
      if (!(asked.limit >= 0)) return false
    } else {
      reply.error(SYNTAX_ERROR)
      return false
    }
  }
  return true
}

const LIMIT_ERROR = "ERR LIMIT can't be negative"
