/** Intersections, unions and differences of sets, answered, counted or stored. */
import { rangeArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { EVENT_SET } from '../keyspace/hooks.ts'
import { freeWithValue } from '../keyspace/lazyfree.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { newEntryAround } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { INTSET, SET, word0 } from '../types/object.ts'
import { newSetRoot, setAdd, setHas, setSize } from '../types/set.ts'
import { memberFirst, memberGet, memberNext } from '../types/set-walk.ts'
import { readSet, replyMember, WRONG } from './set-lookup.ts'
import { replyAll } from './set-members.ts'

/** The sets of arguments [first, end), null where there is none; null in place of all after a WRONGTYPE. */
function readSets(c: Client, first: number, end: number): Ref[] | null {
  const sets: Ref[] = []
  for (let i = first; i < end; i++) {
    const set = readSet(c, i)
    if (set === WRONG) return null
    sets.push(set)
  }
  return sets
}

/** A set that is no key yet, under the name of argument i. */
function temporary(c: Client, i: number): Ref {
  const { argv, mem } = c
  return newEntryAround(mem, word0(SET, INTSET), argv.bytes, argv.off(i), argv.len(i), () => newSetRoot(mem, INTSET))
}

function addCurrent(c: Client, set: Ref): void {
  setAdd(c.mem, set, lpValue.bytes, lpValue.off, lpValue.len, c.engine.encodings.set)
}

/** Fills a temporary set under the name of argument i; frees it when there is no memory. */
function filled(c: Client, i: number, fill: (set: Ref) => void): Ref {
  const set = temporary(c, i)
  try {
    fill(set)
  } catch (error) {
    freeWithValue(c.mem, set)
    throw error
  }
  return set
}

/** Makes the temporary set the value of argument 1, or deletes that key when it is empty; answers its size. */
function store(c: Client, set: Ref, event: string): void {
  const { argv, db, mem } = c
  const size = setSize(mem, set)
  c.reply.int(size)
  if (size > 0) {
    const old = db.lookupWrite(argv, 1)
    if (old === NULL_REF) db.add(set)
    else db.replace(old, set)
    return db.changed(argv, 1, EVENT_SET, event)
  }
  freeWithValue(mem, set)
  db.storeNothing(argv, 1, c.engine.lazyServerDel)
}

// ---- intersection ----

/** Calls `take` while a member of all sets is the current one, until it returns false. */
function intersect(c: Client, sets: Ref[], take: () => boolean): void {
  const { mem } = c
  sets.sort((a, b) => setSize(mem, a) - setSize(mem, b))
  const [smallest, ...others] = sets
  for (let more = memberFirst(mem, smallest); more; more = memberNext(mem)) {
    memberGet(mem)
    if (inAll(c, others, smallest) && !take()) return
  }
}

/** Whether the current member is in all of these sets. */
function inAll(c: Client, sets: readonly Ref[], skip: Ref): boolean {
  for (const set of sets) if (set !== skip && !setHas(c.mem, set, lpValue.bytes, lpValue.off, lpValue.len)) return false
  return true
}

export function sinter(c: Client): void {
  const sets = readSets(c, 1, c.argv.count)
  if (sets === null) return
  if (sets.includes(NULL_REF)) return c.reply.set(0)
  const start = c.reply.defer()
  let count = 0
  intersect(c, sets, () => {
    replyMember(c)
    count++
    return true
  })
  c.reply.endSet(start, count)
}

export function sinterstore(c: Client): void {
  const sets = readSets(c, 2, c.argv.count)
  if (sets === null) return
  const result = filled(c, 1, (set) => {
    if (sets.includes(NULL_REF)) return
    intersect(c, sets, () => {
      addCurrent(c, set)
      return true
    })
  })
  store(c, result, 'sinterstore')
}

export function sintercard(c: Client): void {
  const { argv, reply } = c
  const keys = rangeArg(c, 1, 1, Infinity, 'ERR numkeys should be greater than 0')
  if (Number.isNaN(keys)) return
  if (keys > argv.count - 2) return reply.error("ERR Number of keys can't be greater than number of args")
  let limit = 0
  for (let i = 2 + keys; i < argv.count; i += 2) {
    if (!argv.is(i, 'limit') || i + 1 >= argv.count) return reply.error(SYNTAX_ERROR)
    limit = rangeArg(c, i + 1, 0, Infinity, "ERR LIMIT can't be negative")
    if (Number.isNaN(limit)) return
  }
  const sets = readSets(c, 2, 2 + keys)
  if (sets === null) return
  let count = 0
  if (!sets.includes(NULL_REF)) intersect(c, sets, () => ++count !== limit)
  reply.int(count)
}

// ---- union ----

function unite(c: Client, sets: readonly Ref[], result: Ref): void {
  for (const set of sets) {
    if (set === NULL_REF) continue
    for (let more = memberFirst(c.mem, set); more; more = memberNext(c.mem)) {
      memberGet(c.mem)
      addCurrent(c, result)
    }
  }
}

export function sunion(c: Client): void {
  const sets = readSets(c, 1, c.argv.count)
  if (sets === null) return
  const present = sets.filter((set) => set !== NULL_REF)
  if (present.length === 1) return replyAll(c, present[0])
  const result = filled(c, 1, (set) => unite(c, sets, set))
  replyAll(c, result)
  freeWithValue(c.mem, result)
}

export function sunionstore(c: Client): void {
  const sets = readSets(c, 2, c.argv.count)
  if (sets === null) return
  store(
    c,
    filled(c, 1, (set) => unite(c, sets, set)),
    'sunionstore',
  )
}

// ---- difference ----

/** Calls `take` for each member of the first set that no other set has. */
function subtract(c: Client, sets: readonly Ref[], take: () => void): void {
  const { mem } = c
  const [first, ...rest] = sets
  if (first === NULL_REF || rest.includes(first)) return
  const others = rest.filter((set) => set !== NULL_REF).toSorted((a, b) => setSize(mem, b) - setSize(mem, a))
  for (let more = memberFirst(mem, first); more; more = memberNext(mem)) {
    memberGet(mem)
    if (!others.some((set) => setHas(mem, set, lpValue.bytes, lpValue.off, lpValue.len))) take()
  }
}

export function sdiff(c: Client): void {
  const sets = readSets(c, 1, c.argv.count)
  if (sets === null) return
  const start = c.reply.defer()
  let count = 0
  subtract(c, sets, () => {
    replyMember(c)
    count++
  })
  c.reply.endSet(start, count)
}

export function sdiffstore(c: Client): void {
  const sets = readSets(c, 2, c.argv.count)
  if (sets === null) return
  const result = filled(c, 1, (set) => subtract(c, sets, () => addCurrent(c, set)))
  store(c, result, 'sdiffstore')
}
