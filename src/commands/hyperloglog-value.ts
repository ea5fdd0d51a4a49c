/**
 * hyperloglog-value: the string value that a HyperLogLog lives in, as it grows and becomes dense.
 *
 * A short sparse value is embedded in the key's entry. While its length stays in the same class of blocks it changes there;
 * otherwise it is put together in `scratch` and stored anew. A longer one has a block of its own with slack.
 */
import type { Client } from '../engine/client.ts'
import { NO_EXPIRY } from '../keyspace/db.ts'
import { growString, KEEP_EXPIRY, setString } from '../keyspace/strings.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { WRONGTYPE } from '../resp/errors.ts'
import {
  EMBEDDED_MAX,
  embeddedRoom,
  isOutside,
  openValue,
  outsideCapacity,
  setEncoding,
  setOutside,
  typeOf,
  valueAt,
  valueBytes,
  valueData,
  valueLength,
  valueRef,
  valueSegment,
  valueSize,
  valueStart,
} from '../structs/entry.ts'
import {
  denseRaise,
  HLL_DAMAGED,
  HLL_DENSE_BYTES,
  HLL_EMPTY_BYTES,
  HLL_GROW,
  HLL_GROWTH,
  HLL_PROMOTE,
  HLL_RAISED,
  HLL_SAME,
  invalidateCache,
  isHll,
  isSparse,
  setDenseRegister,
  sparseLength,
  sparseRaise,
  sparseToDense,
  writeEmpty,
} from '../structs/hyperloglog.ts'
import { RAW, STRING } from '../types/object.ts'

export const DAMAGED = 'INVALIDOBJ Corrupted HLL object detected'

/** The key's entry after the last call; it moves when the value does. */
export let hllEntry: Ref = NULL_REF

const scratch = new Uint8Array(HLL_DENSE_BYTES)

/** Whether an entry that exists is a HyperLogLog; false: it has answered an error. */
export function checkHll(c: Client, entry: Ref): boolean {
  const { mem } = c
  if (typeOf(mem, entry) !== STRING) {
    c.reply.error(WRONGTYPE)
    return false
  }
  openValue(mem, entry)
  if (isHll(valueData, valueAt, valueSize)) return true
  c.reply.error('WRONGTYPE Key is not a valid HyperLogLog string value.')
  return false
}

/** A HyperLogLog without elements under the key of argument i, which does not exist. */
export function newHll(c: Client, i: number): Ref {
  writeEmpty(scratch, 0)
  return store(c, i, NULL_REF, HLL_EMPTY_BYTES)
}

/** Stores the first `length` bytes of the scratch as the value. */
function store(c: Client, i: number, old: Ref, length: number): Ref {
  const { argv } = c
  const expiry = old === NULL_REF ? NO_EXPIRY : KEEP_EXPIRY
  hllEntry = setString(c.db, old, argv.bytes, argv.off(i), argv.len(i), scratch, 0, length, expiry)
  setEncoding(c.mem, hllEntry, RAW)
  return hllEntry
}

/** Raises a register of the value of argument i's key: HLL_SAME, HLL_RAISED or HLL_DAMAGED. Its entry is in hllEntry then. */
export function raiseRegister(c: Client, i: number, entry: Ref, register: number, rank: number): number {
  hllEntry = entry
  openValue(c.mem, entry)
  if (!isSparse(valueBytes, valueAt)) return denseRaise(valueBytes, valueAt, register, rank) ? HLL_RAISED : HLL_SAME
  return raiseSparse(c, i, entry, register, rank)
}

function raiseSparse(c: Client, i: number, entry: Ref, register: number, rank: number): number {
  const { mem } = c
  const maxBytes = c.engine.config.setting('hll-sparse-max-bytes').num
  const length = valueLength(mem, entry)
  const outside = isOutside(mem, entry)
  const room = outside ? outsideCapacity(mem, entry) : embeddedRoom(mem, entry)
  const outcome = sparseRaise(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), length, room, register, rank, maxBytes)
  if (outcome === HLL_RAISED) {
    if (sparseLength !== length) setLength(c, i, entry, sparseLength)
    return outcome
  }
  if (outcome === HLL_PROMOTE) return promote(c, i, entry, register, rank)
  return outcome === HLL_GROW ? raiseGrown(c, i, entry, register, rank, maxBytes) : outcome
}

/** A new length for a value whose bytes are in place already. */
function setLength(c: Client, i: number, entry: Ref, length: number): void {
  const { mem } = c
  if (isOutside(mem, entry)) return setOutside(mem, entry, valueRef(mem, entry), length, outsideCapacity(mem, entry))
  load(c, entry, length)
  store(c, i, entry, length)
}

/** Copies the first `length` bytes of the value's place to the scratch. */
function load(c: Client, entry: Ref, length: number): void {
  const { mem } = c
  const off = valueStart(mem, entry)
  scratch.set(mem.u8[valueSegment(mem, entry)].subarray(off, off + length))
}

/** sparseRaise with more room. */
function raiseGrown(c: Client, i: number, entry: Ref, register: number, rank: number, maxBytes: number): number {
  const { argv, db, mem } = c
  const length = valueLength(mem, entry)
  if (!isOutside(mem, entry) && length + HLL_GROWTH <= EMBEDDED_MAX) {
    load(c, entry, length)
    const outcome = sparseRaise(scratch, 0, length, scratch.length, register, rank, maxBytes)
    store(c, i, entry, sparseLength)
    return outcome
  }
  const grown = growString(db, entry, argv.bytes, argv.off(i), argv.len(i), Math.max(length + HLL_GROWTH, EMBEDDED_MAX + 1))
  hllEntry = grown
  const capacity = outsideCapacity(mem, grown)
  const outcome = sparseRaise(mem.u8[valueSegment(mem, grown)], valueStart(mem, grown), length, capacity, register, rank, maxBytes)
  setOutside(mem, grown, valueRef(mem, grown), sparseLength, capacity)
  return outcome
}

/** Makes the value dense and raises the register. */
function promote(c: Client, i: number, entry: Ref, register: number, rank: number): number {
  const { mem } = c
  if (!sparseToDense(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry), scratch, 0)) return HLL_DAMAGED
  setDenseRegister(scratch, 0, register, rank)
  invalidateCache(scratch, 0)
  store(c, i, entry, HLL_DENSE_BYTES)
  return HLL_RAISED
}

/** Makes the value of argument i's key dense; false when it is damaged. Its entry is in hllEntry then. */
export function toDense(c: Client, i: number, entry: Ref): boolean {
  const { mem } = c
  hllEntry = entry
  const u8 = mem.u8[valueSegment(mem, entry)]
  const off = valueStart(mem, entry)
  if (!isSparse(u8, off)) return true
  if (!sparseToDense(u8, off, valueLength(mem, entry), scratch, 0)) return false
  store(c, i, entry, HLL_DENSE_BYTES)
  return true
}
