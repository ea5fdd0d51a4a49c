/** Counters in hash fields: HINCRBY in int64, HINCRBYFLOAT in long double. Both leave a field's expiry as it is. */
import type { Client } from '../engine/client.ts'
import { EVENT_HASH } from '../keyspace/hooks.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NAN_OR_INFINITY, NOT_A_FLOAT, NOT_AN_INTEGER, OVERFLOW } from '../resp/errors.ts'
import { lpValue } from '../structs/listpack.ts'
import { foundExpiry, hashFind, hashSet } from '../types/hash.ts'
import { bytesOf } from '../util/bytes.ts'
import { INT64_MAX, INT64_MIN, parseInt53, parseInt64, writeBigInt, writeInt } from '../util/int64.ts'
import {
  addLongDouble,
  formatLongDouble,
  isFiniteLongDouble,
  type LongDouble,
  longDoubleFrom,
  parseLongDouble,
} from '../util/long-double.ts'
import { addHash, WRONG, writeHash } from './hash-lookup.ts'

const text = new Uint8Array(32)

export function hincrby(c: Client): void {
  const { argv, mem } = c
  const by = parseInt53(argv.bytes, argv.off(3), argv.len(3))
  const big = Number.isNaN(by) ? parseInt64(argv.bytes, argv.off(3), argv.len(3)) : null
  if (Number.isNaN(by) && big === null) return c.reply.error(NOT_AN_INTEGER)
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  const exists = hash !== NULL_REF && hashFind(mem, hash, argv.bytes, argv.off(2), argv.len(2))
  const value = exists ? parseInt53(lpValue.bytes, lpValue.off, lpValue.len) : 0
  const sum = value + by
  if (!Number.isSafeInteger(sum)) return addBig(c, hash, exists, big ?? BigInt(by))
  store(c, hash, text, writeInt(text, 0, sum), 'hincrby')
  c.reply.int(sum)
}

function addBig(c: Client, hash: Ref, exists: boolean, by: bigint): void {
  const value = exists ? parseInt64(lpValue.bytes, lpValue.off, lpValue.len) : 0n
  if (value === null) return c.reply.error('ERR hash value is not an integer')
  const sum = value + by
  if (sum < INT64_MIN || sum > INT64_MAX) return c.reply.error(OVERFLOW)
  store(c, hash, text, writeBigInt(text, 0, sum), 'hincrby')
  c.reply.bigInt(sum)
}

/** Sets the field to `length` bytes of a value of ours. */
function store(c: Client, found: Ref, value: Uint8Array, length: number, event: string): void {
  const { argv, mem } = c
  const hash = found === NULL_REF ? addHash(c, 1) : found
  hashSet(mem, hash, argv.bytes, argv.off(2), argv.len(2), value, 0, length, true, c.engine.encodings.hash)
  c.db.changed(argv, 1, EVENT_HASH, event)
}

export function hincrbyfloat(c: Client): void {
  const { argv, mem } = c
  const by = parseLongDouble(argv.bytes, argv.off(3), argv.len(3))
  if (by === null) return c.reply.error(NOT_A_FLOAT)
  if (!isFiniteLongDouble(by)) return c.reply.error('ERR value is NaN or Infinity')
  const hash = writeHash(c, 1)
  if (hash === WRONG) return
  let value: LongDouble | null = longDoubleFrom(0)
  let expires = false
  if (hash !== NULL_REF && hashFind(mem, hash, argv.bytes, argv.off(2), argv.len(2))) {
    value = parseLongDouble(lpValue.bytes, lpValue.off, lpValue.len)
    if (value === null) return c.reply.error('ERR hash value is not a float')
    expires = foundExpiry(mem, hash) !== 0
  }
  const sum = addLongDouble(value, by)
  if (!isFiniteLongDouble(sum)) return c.reply.error(NAN_OR_INFINITY)
  const digits = formatLongDouble(sum)
  const bytes = bytesOf(digits)
  store(c, hash, bytes, bytes.length, 'hincrbyfloat')
  propagateSum(c, digits, expires)
  c.reply.text(digits)
}

/** Says the change as its result: another machine might round otherwise. HSET alone would take the field's expiry. */
function propagateSum(c: Client, digits: string, expires: boolean): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate
    .instead(c)
    .word(expires ? 'HSETEX' : 'HSET')
    .arg(c.argv, 1)
  if (expires) propagate.word('KEEPTTL').word('FIELDS').word('1')
  propagate.arg(c.argv, 2).word(digits)
}
