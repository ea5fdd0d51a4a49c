import { floatArg, intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_BLOOM, DENYOOM, FAST, READONLY, WRITE } from '../engine/flags.ts'
import { ACCESS, INSERT, key, RO, RW } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { EVENT_MODULE } from '../keyspace/hooks.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE, wrongArity } from '../resp/errors.ts'
import {
  BLOOM_FIXED,
  BLOOM_FULL,
  bloomAdd,
  bloomCapacity,
  bloomExpansion,
  bloomFilters,
  bloomHas,
  bloomItems,
  bloomOptions,
  bloomRoot,
  bloomSize,
  newBloom,
} from '../structs/bloom.ts'
import { CHUNK_MAX, chunkLength, chunkOffset, chunkRef, dumpHeader, findChunk, loadChunk, loadHeader } from '../structs/bloom-dump.ts'
import { setValueRef, typeOf, valueRef } from '../structs/entry.ts'
import { BLOOM, BLOOM_CHAIN } from '../types/object.ts'

// biome-ignore format: a table, one command after the other
export const bloomRows: readonly CommandRow[] = [
  { name: 'BF.RESERVE', arity: -4, flags: WRITE | DENYOOM, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RW | INSERT)],
    args: 'key:key error_rate:double capacity:integer [EXPANSION expansion:integer] [NONSCALING]',
    summary: 'Creates a Bloom filter of a given size and error rate.', complexity: 'O(1)', run: bfReserve },
  { name: 'BF.ADD', arity: 3, flags: WRITE | DENYOOM | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RW | INSERT)],
    args: 'key:key item:string', summary: 'Adds an item to a Bloom filter.', complexity: 'O(K) by hash functions', run: bfAdd },
  { name: 'BF.MADD', arity: -3, flags: WRITE | DENYOOM | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RW | INSERT)],
    args: 'key:key item:string...', summary: 'Adds several items to a Bloom filter.', complexity: 'O(K*N) by hash functions and items',
    run: bfMadd },
  { name: 'BF.INSERT', arity: -4, flags: WRITE | DENYOOM | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RW | INSERT)],
    args: `key:key [CAPACITY capacity:integer] [ERROR error:double] [EXPANSION expansion:integer] [NOCREATE] [NONSCALING] ITEMS
      item:string...`, summary: 'Adds items to a Bloom filter, with the options to create it.',
    complexity: 'O(K*N) by hash functions and items', run: bfInsert },
  { name: 'BF.EXISTS', arity: 3, flags: READONLY | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key item:string', summary: 'Whether an item was probably added.', complexity: 'O(K) by hash functions', run: bfExists },
  { name: 'BF.MEXISTS', arity: -3, flags: READONLY | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key item:string...', summary: 'Which of several items were probably added.',
    complexity: 'O(K*N) by hash functions and items', run: bfMexists },
  { name: 'BF.CARD', arity: 2, flags: READONLY | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RO | ACCESS)], args: 'key:key',
    summary: 'How many items were added.', complexity: 'O(1)', run: bfCard },
  { name: 'BF.INFO', arity: -2, flags: READONLY | FAST, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RO)],
    args: 'key:key [single_value(CAPACITY|SIZE|FILTERS|ITEMS|EXPANSION)]', summary: 'Size and settings of a Bloom filter.',
    complexity: 'O(1)', run: bfInfo },
  { name: 'BF.SCANDUMP', arity: 3, flags: READONLY, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key iterator:integer', summary: 'A Bloom filter in chunks, one per call.', complexity: 'O(N) by bytes of the chunk',
    run: bfScandump },
  { name: 'BF.LOADCHUNK', arity: 4, flags: WRITE | DENYOOM, acl: ACL_BLOOM, since: '8.0.0', keys: [key(1, RW | INSERT)],
    args: 'key:key iterator:integer data:string', summary: 'Restores a chunk from BF.SCANDUMP.', complexity: 'O(N) by bytes of the chunk',
    run: bfLoadchunk },
]

const DEFAULT_CAPACITY = 100
const DEFAULT_ERROR = 0.01
const DEFAULT_EXPANSION = 2
const MAX_EXPANSION = 32768
const NOT_FOUND = 'ERR not found'

/** How to create a filter, from the arguments of BF.RESERVE or BF.INSERT. */
interface Plan {
  capacity: number
  error: number
  expansion: number
  nonScaling: boolean
  /** Whether EXPANSION was given, and CAPACITY or ERROR. */
  hasExpansion: boolean
  hasSize: boolean
}

function defaultPlan(): Plan {
  return {
    capacity: DEFAULT_CAPACITY,
    error: DEFAULT_ERROR,
    expansion: DEFAULT_EXPANSION,
    nonScaling: false,
    hasExpansion: false,
    hasSize: false,
  }
}

// ---- arguments ----
// Each reads argument i into the plan; false: it has answered an error.

function readError(c: Client, i: number, plan: Plan): boolean {
  plan.error = floatArg(c, i, 'ERR bad error rate')
  plan.hasSize = true
  if (Number.isNaN(plan.error)) return false
  if (plan.error > 0 && plan.error < 1) return true
  c.reply.error('ERR (0 < error rate range < 1)')
  return false
}

function readCapacity(c: Client, i: number, plan: Plan): boolean {
  plan.capacity = intArg(c, i, 'ERR bad capacity')
  plan.hasSize = true
  if (Number.isNaN(plan.capacity)) return false
  if (plan.capacity > 0) return true
  c.reply.error('ERR (capacity should be larger than 0)')
  return false
}

function readExpansion(c: Client, i: number, plan: Plan): boolean {
  plan.expansion = intArg(c, i, 'ERR bad expansion')
  plan.hasExpansion = true
  if (Number.isNaN(plan.expansion)) return false
  if (plan.expansion >= 0 && plan.expansion <= MAX_EXPANSION) return true
  c.reply.error('ERR bad expansion')
  return false
}

/** The bloom filter of an entry; NULL_REF: it has another type, and an error has been answered. */
function filterOf(c: Client, entry: Ref): Ref {
  if (typeOf(c.mem, entry) === BLOOM) return valueRef(c.mem, entry)
  c.reply.error(WRONGTYPE)
  return NULL_REF
}

/** Creates the filter of the key in argument 1, which does not exist. */
function create(c: Client, plan: Plan): Ref {
  const { argv, db, mem } = c
  const fixed = plan.nonScaling || plan.expansion === 0
  const root = newBloom(mem, plan.capacity, plan.error, plan.expansion, fixed)
  return db.addRoot(argv.bytes, argv.off(1), argv.len(1), BLOOM, BLOOM_CHAIN, root)
}

// ---- BF.RESERVE, BF.ADD, BF.MADD, BF.INSERT ----

function bfReserve(c: Client): void {
  const { argv, db, mem } = c
  const plan = defaultPlan()
  if (!readError(c, 2, plan) || !readCapacity(c, 3, plan)) return
  for (let i = 4; i < argv.count; i++) {
    if (argv.is(i, 'nonscaling')) plan.nonScaling = true
    else if (argv.is(i, 'expansion') && i + 1 < argv.count) {
      if (!readExpansion(c, ++i, plan)) return
    } else return c.reply.error(SYNTAX_ERROR)
  }
  if (plan.nonScaling && plan.hasExpansion && plan.expansion > 0) return c.reply.error('ERR Nonscaling filters cannot expand')
  const entry = db.lookupWrite(argv, 1)
  if (entry !== NULL_REF) return c.reply.error(typeOf(mem, entry) === BLOOM ? 'ERR item exists' : WRONGTYPE)
  create(c, plan)
  db.changed(argv, 1, EVENT_MODULE, 'bf.reserve')
  c.reply.ok()
}

function bfAdd(c: Client): void {
  addItems(c, 2, true, defaultPlan(), false, 'bf.add')
}

function bfMadd(c: Client): void {
  addItems(c, 2, true, defaultPlan(), true, 'bf.add')
}

function bfInsert(c: Client): void {
  const { argv } = c
  const plan = defaultPlan()
  let creates = true
  let i = 2
  for (; i < argv.count && !argv.is(i, 'items'); i++) {
    const hasValue = i + 1 < argv.count
    if (argv.is(i, 'nocreate')) creates = false
    else if (argv.is(i, 'nonscaling')) plan.nonScaling = true
    else if (argv.is(i, 'capacity') && hasValue) {
      if (!readCapacity(c, ++i, plan)) return
    } else if (argv.is(i, 'error') && hasValue) {
      if (!readError(c, ++i, plan)) return
    } else if (argv.is(i, 'expansion') && hasValue) {
      if (!readExpansion(c, ++i, plan)) return
    } else return c.reply.error('ERR Unknown argument received')
  }
  if (i + 1 >= argv.count || (!creates && plan.hasSize)) return c.reply.error(wrongArity('bf.insert'))
  if (plan.nonScaling && plan.hasExpansion && plan.expansion > 0) return c.reply.error('ERR Nonscaling filters cannot expand')
  addItems(c, i + 1, creates, plan, true, 'bf.insert')
}

/** Changes made by the running command. */
let itemChanges = 0

/** The key's entry for a command that adds, created by `plan` when it is missing; NULL_REF: an error has been answered. */
function filterToFill(c: Client, creates: boolean, plan: Plan): Ref {
  itemChanges = 0
  const entry = c.db.lookupWrite(c.argv, 1)
  if (entry !== NULL_REF) return filterOf(c, entry) === NULL_REF ? NULL_REF : entry
  if (!creates) {
    c.reply.error(NOT_FOUND)
    return NULL_REF
  }
  itemChanges = 1
  return create(c, plan)
}

/** Adds the arguments from `first` on and answers each, up to the first that finds the filter full. */
function addItems(c: Client, first: number, creates: boolean, plan: Plan, many: boolean, event: string): void {
  const entry = filterToFill(c, creates, plan)
  if (entry === NULL_REF) return
  const replies = many ? c.reply.defer() : 0
  let answered = 0
  try {
    for (let i = first; i < c.argv.count; i++) {
      answered++
      if (!addItem(c, entry, i)) break
    }
    if (many) c.reply.endArray(replies, answered)
  } finally {
    // Even when memory ran out: what has been added must be known.
    if (itemChanges > 0) {
      c.db.changed(c.argv, 1, EVENT_MODULE, event)
      c.dirty(itemChanges - 1)
    }
  }
}

/** Adds argument i and answers; false when the filter is full. */
function addItem(c: Client, entry: Ref, i: number): boolean {
  const { argv, mem, reply } = c
  const added = bloomAdd(mem, valueRef(mem, entry), argv.bytes, argv.off(i), argv.len(i))
  if (added === BLOOM_FULL) {
    reply.error('ERR non scaling filter is full')
    return false
  }
  setValueRef(mem, entry, bloomRoot)
  itemChanges += added
  reply.bool(added === 1)
  return true
}

// ---- BF.EXISTS, BF.MEXISTS, BF.CARD, BF.INFO ----

function bfExists(c: Client): void {
  answerItems(c, false)
}

function bfMexists(c: Client): void {
  answerItems(c, true)
}

function answerItems(c: Client, many: boolean): void {
  const { argv, mem, reply } = c
  const entry = c.db.lookupRead(argv, 1)
  const root = entry === NULL_REF ? NULL_REF : filterOf(c, entry)
  if (entry !== NULL_REF && root === NULL_REF) return
  if (many) reply.array(argv.count - 2)
  for (let i = 2; i < argv.count; i++) reply.bool(root !== NULL_REF && bloomHas(mem, root, argv.bytes, argv.off(i), argv.len(i)))
}

function bfCard(c: Client): void {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  const root = filterOf(c, entry)
  if (root !== NULL_REF) c.reply.int(bloomItems(c.mem, root))
}

/** The word that asks for it, the label in the full answer, and the value; null: the filter does not grow. */
type Fact = readonly [word: string, label: string, of: (c: Client, root: Ref) => number | null]

const FACTS: readonly Fact[] = [
  ['capacity', 'Capacity', (c, root) => bloomCapacity(c.mem, root)],
  ['size', 'Size', (c, root) => bloomSize(c.mem, root)],
  ['filters', 'Number of filters', (c, root) => bloomFilters(c.mem, root)],
  ['items', 'Number of items inserted', (c, root) => bloomItems(c.mem, root)],
  ['expansion', 'Expansion rate', (c, root) => ((bloomOptions(c.mem, root) & BLOOM_FIXED) !== 0 ? null : bloomExpansion(c.mem, root))],
]

function bfInfo(c: Client): void {
  const { argv, reply } = c
  if (argv.count > 3) return reply.error(wrongArity('bf.info'))
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.error(NOT_FOUND)
  const root = filterOf(c, entry)
  if (root === NULL_REF) return
  if (argv.count === 3) {
    const fact = FACTS.find(([word]) => argv.is(2, word))
    if (fact === undefined) return reply.error('ERR Invalid information value')
    reply.array(1)
    return replyFact(c, fact[2](c, root))
  }
  reply.map(FACTS.length)
  for (const [, label, of] of FACTS) {
    reply.simple(label)
    replyFact(c, of(c, root))
  }
}

function replyFact(c: Client, value: number | null): void {
  if (value === null) c.reply.nil()
  else c.reply.int(value)
}

// ---- BF.SCANDUMP, BF.LOADCHUNK ----

const NOT_NUMERIC = 'ERR Second argument must be numeric'

function bfScandump(c: Client): void {
  const { argv, mem, reply } = c
  const iterator = intArg(c, 2, NOT_NUMERIC)
  if (Number.isNaN(iterator)) return
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.error(NOT_FOUND)
  const root = filterOf(c, entry)
  if (root === NULL_REF) return
  reply.array(2)
  if (iterator === 0) {
    const header = dumpHeader(mem, root)
    reply.int(1)
    reply.bulk(header, 0, header.length)
  } else if (iterator > 0 && findChunk(mem, root, iterator - 1)) {
    const length = Math.min(chunkLength, CHUNK_MAX)
    reply.int(iterator + length)
    reply.bulk(mem.u8[segmentOf(chunkRef)], byteOf(chunkRef) + chunkOffset, length)
  } else {
    reply.int(0)
    reply.text('')
  }
}

function bfLoadchunk(c: Client): void {
  const { argv, db, mem, reply } = c
  const iterator = intArg(c, 2, NOT_NUMERIC)
  if (Number.isNaN(iterator)) return
  const entry = db.lookupWrite(argv, 1)
  const root = entry === NULL_REF ? NULL_REF : filterOf(c, entry)
  if (entry !== NULL_REF && root === NULL_REF) return
  if (iterator === 1) {
    if (!replaceFilter(c, entry)) return reply.error('ERR received bad data')
  } else {
    if (root === NULL_REF) return reply.error(NOT_FOUND)
    const fault = loadChunk(mem, root, iterator, argv.bytes, argv.off(3), argv.len(3))
    if (fault !== '') return reply.error(`ERR ${fault}`)
  }
  db.changed(argv, 1, EVENT_MODULE, 'bf.loadchunk')
  reply.ok()
}

/** Puts a filter made from the header in argument 3 in the place of the key's; false when the header is damaged. */
function replaceFilter(c: Client, entry: Ref): boolean {
  const { argv, db, mem } = c
  const root = loadHeader(mem, argv.bytes, argv.off(3), argv.len(3))
  if (root === NULL_REF) return false
  if (entry !== NULL_REF) db.removeEntry(entry)
  db.addRoot(argv.bytes, argv.off(1), argv.len(1), BLOOM, BLOOM_CHAIN, root)
  return true
}
