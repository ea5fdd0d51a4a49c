import type { Client } from '../engine/client.ts'
import { ACL_HYPERLOGLOG, ADMIN, BRIEF, DENYOOM, FAST, MAY_REPLICATE, READONLY, SYSCMD, WRITE } from '../engine/flags.ts'
import { ACCESS, INSERT, key, keys, RO, RW } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { valueAt, valueBytes, valueData, valueLength, valueSegment, valueSize, valueStart } from '../structs/entry.ts'
import {
  cachedHi,
  cachedLo,
  countOf,
  countRegisters,
  denseRegister,
  HLL_DAMAGED,
  HLL_RAISED,
  HLL_REGISTERS,
  hashElement,
  elementRank,
  elementRegister,
  invalidateCache,
  isCacheValid,
  isSparse,
  mergeInto,
  storeCache,
} from '../structs/hyperloglog.ts'
import { pfdebug, pfselftest } from './hyperloglog-debug.ts'
import { checkHll, DAMAGED, hllEntry, newHll, raiseRegister, toDense } from './hyperloglog-value.ts'

// biome-ignore format: a table, one command after the other
export const hyperloglogRows: readonly CommandRow[] = [
  { name: 'PFADD', arity: -2, flags: WRITE | DENYOOM | FAST, acl: ACL_HYPERLOGLOG, since: '2.8.9', keys: [key(1, RW | INSERT)],
    args: 'key:key [element:string...]', summary: 'Counts elements into a HyperLogLog.', complexity: 'O(N) by elements', run: pfadd },
  { name: 'PFCOUNT', arity: -2, flags: READONLY | MAY_REPLICATE | BRIEF, acl: ACL_HYPERLOGLOG, since: '2.8.9', keys: [keys(1, -1, 1, RW | ACCESS)],
    args: 'key:key...', summary: 'About how many distinct elements were counted.',
    complexity: 'O(1) for one key, O(N) by keys with a large constant', run: pfcount },
  { name: 'PFDEBUG', arity: 3, flags: WRITE | DENYOOM | ADMIN, acl: ACL_HYPERLOGLOG, since: '2.8.9', keys: [key(2, RW | ACCESS)],
    args: 'subcommand:string key:key', summary: 'Looks inside a HyperLogLog; for tests.', complexity: 'O(N) by registers', docFlags: SYSCMD,
    run: pfdebug },
  { name: 'PFMERGE', arity: -2, flags: WRITE | DENYOOM, acl: ACL_HYPERLOGLOG, since: '2.8.9',
    keys: [key(1, RW | ACCESS | INSERT), keys(2, -1, 1, RO | ACCESS)], args: 'destkey:key [sourcekey:key...]',
    summary: 'Merges HyperLogLogs into one.', complexity: 'O(N) by keys, with a large constant', run: pfmerge },
  { name: 'PFSELFTEST', arity: 1, flags: ADMIN, acl: ACL_HYPERLOGLOG, since: '2.8.9', summary: 'Checks the HyperLogLog code; for tests.',
    complexity: 'O(N) by registers and test rounds', docFlags: SYSCMD, run: pfselftest },
]

/** Registers of a union, one a byte. */
const registers = new Uint8Array(HLL_REGISTERS)

function pfadd(c: Client): void {
  const { argv, db } = c
  let entry = db.lookupWrite(argv, 1)
  let changes = 0
  if (entry === NULL_REF) {
    entry = newHll(c, 1)
    changes++
  } else if (!checkHll(c, entry)) return
  try {
    for (let i = 2; i < argv.count; i++) {
      hashElement(argv.bytes, argv.off(i), argv.len(i))
      // The usual element of the usual value: dense, still open, and the register is high enough.
      if (i === 2 && changes === 0 && !isSparse(valueBytes, valueAt) && denseRegister(valueBytes, valueAt, elementRegister) >= elementRank)
        continue
      const outcome = raiseRegister(c, 1, entry, elementRegister, elementRank)
      entry = hllEntry
      if (outcome === HLL_RAISED) changes++
      else if (outcome === HLL_DAMAGED) return c.reply.error(DAMAGED)
    }
  } finally {
    // Whatever ends the loop, even lack of memory: what has been added must be known.
    if (changes > 0) announce(c, entry, changes)
  }
  c.reply.int(changes > 0 ? 1 : 0)
}

function announce(c: Client, entry: Ref, changes: number): void {
  const { mem } = c
  invalidateCache(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry))
  c.db.changed(c.argv, 1, EVENT_STRING, 'pfadd')
  c.dirty(changes - 1)
}

function pfcount(c: Client): void {
  const { argv } = c
  if (argv.count > 2) return countUnion(c)
  const entry = c.db.lookupRead(argv, 1)
  if (entry === NULL_REF) return c.reply.int(0)
  if (!checkHll(c, entry)) return
  if (isCacheValid(valueBytes, valueAt)) return replyCached(c)
  const cardinality = countOf(valueBytes, valueAt, valueSize)
  if (Number.isNaN(cardinality)) return c.reply.error(DAMAGED)
  keepCount(c, entry, cardinality)
  replyCount(c, cardinality)
}

/** Answers the cached cardinality of the open value. */
function replyCached(c: Client): void {
  const hi = cachedHi(valueData, valueAt)
  const lo = cachedLo(valueData, valueAt)
  if (hi === 0) c.reply.int(lo)
  else c.reply.bigInt((BigInt(hi) << 32n) | BigInt(lo))
}

/** Stores a count in the value. The command only reads, but the bytes change, so it counts and spreads as a write. */
function keepCount(c: Client, entry: Ref, cardinality: number): void {
  const { argv, db, mem } = c
  if (db.space.hooks.aboutToChange !== null) db.space.hooks.aboutToChange(db, entry)
  storeCache(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), cardinality)
  db.touched(argv.bytes, argv.off(1), argv.len(1))
  c.dirty(1)
}

function replyCount(c: Client, cardinality: number): void {
  if (Number.isSafeInteger(cardinality)) c.reply.int(cardinality)
  else c.reply.bigInt(BigInt(cardinality))
}

function countUnion(c: Client): void {
  registers.fill(0)
  for (let i = 1; i < c.argv.count; i++) if (mergeArgument(c, i) === FAILED) return
  replyCount(c, countRegisters(registers))
}

const FAILED = -1

/** Merges the HyperLogLog of argument i into `registers`: 1 when it is dense, 0 sparse or missing, FAILED after an error. */
function mergeArgument(c: Client, i: number): number {
  const { mem } = c
  const entry = c.db.lookupRead(c.argv, i)
  if (entry === NULL_REF) return 0
  if (!checkHll(c, entry)) return FAILED
  const u8 = mem.u8[valueSegment(mem, entry)]
  const off = valueStart(mem, entry)
  if (mergeInto(registers, u8, off, valueLength(mem, entry))) return isSparse(u8, off) ? 0 : 1
  c.reply.error(DAMAGED)
  return FAILED
}

function pfmerge(c: Client): void {
  const { argv, db, mem } = c
  registers.fill(0)
  let dense = false
  for (let i = 1; i < argv.count; i++) {
    const kind = mergeArgument(c, i)
    if (kind === FAILED) return
    if (kind === 1) dense = true
  }
  let entry = db.lookupWrite(argv, 1)
  if (entry === NULL_REF) entry = newHll(c, 1)
  if (dense) {
    if (!toDense(c, 1, entry)) return c.reply.error(DAMAGED)
    entry = hllEntry
  }
  for (let register = 0; register < HLL_REGISTERS; register++) {
    if (registers[register] === 0) continue
    raiseRegister(c, 1, entry, register, registers[register])
    entry = hllEntry
  }
  invalidateCache(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry))
  db.changed(argv, 1, EVENT_STRING, 'pfadd')
  c.reply.ok()
}
