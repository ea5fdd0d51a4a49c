/** BITOP: combines strings bit by bit into another. */
import type { Client } from '../engine/client.ts'
import { EVENT_STRING } from '../keyspace/hooks.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { adoptString, setString } from '../keyspace/strings.ts'
import { byteOf, NULL_REF, segmentOf } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { type BitSource, BITOP_DIFF, BITOP_NOT, BITOP_ONE, combineBits } from '../structs/bits.ts'
import {
  EMBEDDED_MAX,
  isOutside,
  outsideCapacity,
  setEncoding,
  setLru,
  setOutside,
  typeOf,
  valueLength,
  valueRef,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'
import { RAW, STRING } from '../types/object.ts'

/** By number, see structs/bits. */
const OPERATIONS = ['and', 'or', 'xor', 'not', 'diff', 'diff1', 'andor', 'one']

const EMPTY = new Uint8Array(0)
const EMPTY_WORDS = new Uint32Array(0)
const scratchWords = new Uint32Array(EMBEDDED_MAX / 4)
const scratch = new Uint8Array(scratchWords.buffer)

export function bitop(c: Client): void {
  const { argv, reply } = c
  const op = OPERATIONS.findIndex((name) => argv.is(1, name))
  if (op < 0) return reply.error(SYNTAX_ERROR)
  if (op === BITOP_NOT && argv.count !== 4) return reply.error('ERR BITOP NOT must be called with a single source key.')
  if (op >= BITOP_DIFF && op !== BITOP_ONE && argv.count < 5) {
    return reply.error(`ERR BITOP ${OPERATIONS[op].toUpperCase()} must be called with at least two source keys.`)
  }
  const sources = readSources(c)
  if (sources === null) return reply.error(WRONGTYPE)
  const length = sources.reduce((max, source) => Math.max(max, source.len), 0)
  if (length > 0) store(c, op, sources, length)
  else removeTarget(c)
  reply.int(length)
}

/** The strings of the source keys, missing ones empty; null when one is not a string. */
function readSources(c: Client): BitSource[] | null {
  const { argv, mem } = c
  const sources: BitSource[] = []
  for (let i = 3; i < argv.count; i++) {
    const entry = c.db.lookupRead(argv, i)
    if (entry === NULL_REF) {
      sources.push({ u8: EMPTY, u32: EMPTY_WORDS, off: 0, len: 0 })
      continue
    }
    if (typeOf(mem, entry) !== STRING) return null
    const segment = valueSegment(mem, entry)
    sources.push({ u8: mem.u8[segment], u32: mem.u32[segment], off: valueStart(mem, entry), len: valueLength(mem, entry) })
  }
  return sources
}

/** Computes into memory of its own: the target may be one of the sources. */
function store(c: Client, op: number, sources: readonly BitSource[], length: number): void {
  const { argv, db, mem } = c
  const off = argv.off(2)
  const len = argv.len(2)
  if (length <= EMBEDDED_MAX) {
    combineBits(op, scratch, scratchWords, 0, length, sources, sources.length)
    const entry = setString(db, db.lookupWrite(argv, 2), argv.bytes, off, len, scratch, 0, length, NO_EXPIRY)
    setEncoding(mem, entry, RAW)
  } else if (!overwrite(c, op, sources, length)) {
    const block = mem.alloc(length)
    combineBits(op, mem.u8[segmentOf(block)], mem.u32[segmentOf(block)], byteOf(block), length, sources, sources.length)
    adoptString(db, db.lookupWrite(argv, 2), argv.bytes, off, len, block, length)
  }
  db.changed(argv, 2, EVENT_STRING, 'set')
}

/**
 * Computes into the block of the target's old value when that is large enough, not wastefully so, and no source: fresh
 * memory costs more than the computation. False: nothing was done.
 */
function overwrite(c: Client, op: number, sources: readonly BitSource[], length: number): boolean {
  const { db, mem } = c
  const entry = db.lookupWrite(c.argv, 2)
  if (entry === NULL_REF || typeOf(mem, entry) !== STRING || !isOutside(mem, entry)) return false
  const block = valueRef(mem, entry)
  const capacity = outsideCapacity(mem, entry)
  const u8 = mem.u8[segmentOf(block)]
  const at = byteOf(block)
  if (capacity < length || capacity > 2 * length || sources.some((source) => source.u8 === u8 && source.off === at)) return false
  combineBits(op, u8, mem.u32[segmentOf(block)], at, length, sources, sources.length)
  setOutside(mem, entry, block, length, capacity)
  setEncoding(mem, entry, RAW)
  setLru(mem, db.setExpiry(entry, NO_EXPIRY), db.space.freshLru())
  return true
}

function removeTarget(c: Client): void {
  const { argv, db } = c
  db.storeNothing(argv, 2, false)
}
