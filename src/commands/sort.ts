/**
 * SORT and SORT_RO: the elements of a list, set or sorted set in another order, perhaps by what other keys say, or replaced by what other
 * keys hold.
 */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_DANGEROUS, ACL_LIST, ACL_SET, ACL_SORTEDSET, DENYOOM, READONLY, WRITE } from '../engine/flags.ts'
import { keysThatFit, sortKeys } from '../engine/keyfinders.ts'
import { ACCESS, key, OW, RO, unknown, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { EVENT_LIST } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { encodingOf, newEntryAround, typeOf, valueRef } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { cursorGet, cursorNext, cursorPrev } from '../structs/quicklist-cursor.ts'
import { freeWithValue } from '../keyspace/lazyfree.ts'
import { listLength, listMakeRoom, listPush, listSeek, listShrink, newList } from '../types/list.ts'
import { LIST, LISTPACK, SET, word0, ZSET } from '../types/object.ts'
import { memberFirst, memberGet, memberNext } from '../types/set-walk.ts'
import { zsetLength } from '../types/zset.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { compareBytes } from '../util/bytes.ts'
import { parseDouble } from '../util/float.ts'
import { SELF, type SortPattern, sortPattern, valueByPattern } from './sort-pattern.ts'
import { keepsViews, NO_BYTES } from '../util/views.ts'

// biome-ignore format: a table, one command after the other
export const sortRows: readonly CommandRow[] = [
  { name: 'SORT', arity: -2, flags: WRITE | DENYOOM, acl: ACL_SET | ACL_SORTEDSET | ACL_LIST | ACL_DANGEROUS, since: '1.0.0',
    keys: [key(1, RO | ACCESS), unknown(RO | ACCESS), unknown(OW | UPDATE)], findKeys: sortKeys,
    args: `key:key [BY by-pattern:pattern<pattern>#1] [LIMIT limit(offset:integer count:integer)] [(GET
      get-pattern:pattern<pattern>#1)...] [order(ASC|DESC)] [sorting=ALPHA] [STORE destination:key]`,
    summary: 'Sorts a list, set or sorted set; can store the result.', complexity: 'O(N+M*log(M)) by elements and by returned elements',
    run: sort },
  { name: 'SORT_RO', arity: -2, flags: READONLY, acl: ACL_SET | ACL_SORTEDSET | ACL_LIST | ACL_DANGEROUS, since: '7.0.0',
    keys: [key(1, RO | ACCESS), unknown(RO | ACCESS)], findKeys: keysThatFit,
    args: `key:key [BY by-pattern:pattern<pattern>#1] [LIMIT limit(offset:integer count:integer)] [(GET
      get-pattern:pattern<pattern>#1)...] [order(ASC|DESC)] [sorting=ALPHA]`, summary: 'Sorts a list, set or sorted set.',
    complexity: 'O(N+M*log(M)) by elements and by returned elements', run: sortRo },
]

interface SortOptions {
  descending: boolean
  alpha: boolean
  offset: number
  /** Negative: all. */
  count: number
  /** Null: the elements themselves decide. */
  by: SortPattern | null
  /** BY without a place for the element: the order is left alone. */
  unsorted: boolean
  readonly get: SortPattern[]
  /** Argument that names the destination; 0: none. */
  store: number
}

interface Item {
  readonly element: Uint8Array
  score: number
  /** What an alphabetical order compares; null where BY found nothing. */
  text: Uint8Array | null
}

const NO_SCORES = "ERR One or more scores can't be converted into double"
const walk = keepsViews(new ZsetWalk())

export function sort(c: Client): void {
  sortCommand(c, true)
}

export function sortRo(c: Client): void {
  sortCommand(c, false)
}

function readOptions(c: Client, mayStore: boolean): SortOptions | null {
  const { argv } = c
  const options: SortOptions = { descending: false, alpha: false, offset: 0, count: -1, by: null, unsorted: false, get: [], store: 0 }
  for (let i = 2; i < argv.count; i++) {
    const left = argv.count - i - 1
    if (argv.is(i, 'asc')) options.descending = false
    else if (argv.is(i, 'desc')) options.descending = true
    else if (argv.is(i, 'alpha')) options.alpha = true
    else if (argv.is(i, 'limit') && left >= 2) {
      options.offset = intArg(c, ++i)
      if (Number.isNaN(options.offset)) return null
      options.count = intArg(c, ++i)
      if (Number.isNaN(options.count)) return null
    } else if (mayStore && argv.is(i, 'store') && left >= 1) options.store = ++i
    else if (argv.is(i, 'by') && left >= 1) {
      options.by = sortPattern(argv.slice(++i))
      options.unsorted = options.by.star < 0
    } else if (argv.is(i, 'get') && left >= 1) options.get.push(sortPattern(argv.slice(++i)))
    else {
      c.reply.error(SYNTAX_ERROR)
      return null
    }
  }
  return options
}

function sortCommand(c: Client, mayStore: boolean): void {
  const { argv, db, mem } = c
  const options = readOptions(c, mayStore)
  if (options === null) return
  const source = db.lookupRead(argv, 1)
  const type = source === NULL_REF ? LIST : typeOf(mem, source)
  if (type !== LIST && type !== SET && type !== ZSET) return c.reply.error(WRONGTYPE)
  if (options.unsorted && type === SET && (options.store > 0 || c.script)) {
    // Without an order of its own a set would be stored differently on every server.
    options.unsorted = false
    options.alpha = true
    options.by = null
  }
  const items = source === NULL_REF ? [] : elementsOf(c, source, type, options)
  if (!options.unsorted && !order(c, items, options)) return c.reply.error(NO_SCORES)
  const chosen = options.unsorted && type !== SET ? items : window(items, options)
  if (options.store === 0) replyItems(c, chosen, options)
  else storeItems(c, chosen, options)
}

/** First index and number of the items that LIMIT leaves of `length`. */
function limits(length: number, { offset, count }: SortOptions): readonly [first: number, count: number] {
  const first = Math.max(0, offset)
  if (first >= length) return [0, 0]
  return [first, count < 0 ? length - first : Math.min(count, length - first)]
}

function window(items: Item[], options: SortOptions): Item[] {
  const [first, count] = limits(items.length, options)
  return items.slice(first, first + count)
}

function item(bytes: Uint8Array, off: number, len: number): Item {
  return { element: bytes.slice(off, off + len), score: 0, text: null }
}

function currentItem(): Item {
  return item(lpValue.bytes, lpValue.off, lpValue.len)
}

/** The elements; of a list or sorted set that stays unsorted only those within LIMIT, the last first when descending. */
function elementsOf(c: Client, source: Ref, type: number, options: SortOptions): Item[] {
  const { mem } = c
  if (type === SET) return membersOf(c, source)
  const length = type === LIST ? listLength(mem, source) : zsetLength(mem, source)
  const [first, count] = options.unsorted ? limits(length, options) : [0, length]
  const reverse = options.unsorted && options.descending
  const items: Item[] = []
  if (count === 0) return items
  if (type === ZSET) {
    walk.start(mem, encodingOf(mem, source), valueRef(mem, source), first, reverse)
    while (items.length < count && walk.next()) items.push(item(walk.bytes, walk.off, walk.len))
    return items
  }
  listSeek(mem, source, reverse ? length - 1 - first : first)
  do {
    cursorGet(mem)
    items.push(currentItem())
  } while (items.length < count && (reverse ? cursorPrev(mem) : cursorNext(mem)))
  return items
}

function membersOf(c: Client, source: Ref): Item[] {
  const items: Item[] = []
  for (let more = memberFirst(c.mem, source); more; more = memberNext(c.mem)) {
    memberGet(c.mem)
    items.push(currentItem())
  }
  return items
}

/** Sorts; false when a weight is not a number. */
function order(c: Client, items: Item[], options: SortOptions): boolean {
  for (const it of items) {
    const weight = options.by === null ? it.element : valueByPattern(c, options.by, it.element)
    if (options.alpha) it.text = weight
    else if (weight !== null) {
      it.score = scoreOf(weight)
      if (Number.isNaN(it.score)) return false
    }
  }
  const sign = options.descending ? -1 : 1
  if (options.alpha) items.sort((a, b) => sign * compareTexts(a.text, b.text))
  else items.sort((a, b) => sign * (a.score - b.score || compareTexts(a.element, b.element)))
  return true
}

function compareTexts(a: Uint8Array | null, b: Uint8Array | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1)
  return compareBytes(a, 0, a.length, b, 0, b.length)
}

/** A weight as the C library reads it: nothing is zero, blanks in front are skipped. */
function scoreOf(text: Uint8Array): number {
  let at = 0
  while (at < text.length && (text[at] === 32 || (text[at] >= 9 && text[at] <= 13))) at++
  return text.length === 0 ? 0 : parseDouble(text, at, text.length - at)
}

/** What is answered or stored for an item: one value for each GET, by default the element. */
function* valuesOf(c: Client, { element }: Item, options: SortOptions): Generator<Uint8Array | null> {
  if (options.get.length === 0) yield element
  for (const pattern of options.get) yield pattern === SELF ? element : valueByPattern(c, pattern, element)
}

function replyItems(c: Client, items: readonly Item[], options: SortOptions): void {
  c.reply.array(items.length * Math.max(1, options.get.length))
  for (const it of items) {
    for (const value of valuesOf(c, it, options)) {
      if (value === null) c.reply.nil()
      else c.reply.bulk(value, 0, value.length)
    }
  }
}

function storeItems(c: Client, items: readonly Item[], options: SortOptions): void {
  const { argv, db, mem } = c
  const { store } = options
  const listLimits = c.engine.encodings.list
  const list = newEntryAround(mem, word0(LIST, LISTPACK), argv.bytes, argv.off(store), argv.len(store), newList)
  try {
    for (const it of items) {
      for (const value of valuesOf(c, it, options)) {
        const bytes = value ?? NO_BYTES
        listMakeRoom(mem, list, 1, bytes.length, listLimits)
        listPush(mem, list, false, bytes, 0, bytes.length)
      }
    }
  } catch (error) {
    freeWithValue(mem, list)
    throw error
  }
  listShrink(mem, list, listLimits, false)
  const stored = listLength(mem, list)
  c.reply.int(stored)
  if (stored > 0) {
    const old = db.lookupWrite(argv, store)
    if (old === NULL_REF) db.add(list)
    else db.replace(old, list)
    db.changed(argv, store, EVENT_LIST, 'sortstore')
    c.dirty(stored - 1)
  } else {
    freeWithValue(mem, list)
    db.storeNothing(argv, store, c.engine.lazyServerDel)
  }
}
