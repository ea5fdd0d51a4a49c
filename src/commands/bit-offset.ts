/** bit-offset: the offset argument of SETBIT, GETBIT and BITFIELD. */
import type { Client } from '../engine/client.ts'
import { parseInt53, parseInt64 } from '../util/int64.ts'

const BAD_OFFSET = 'ERR bit offset is not an integer or out of range'
const HASH = 0x23

/**
 * A bit offset inside a string of the allowed size; NaN: it has answered an error. With `bits` above 0, `#n` means n fields
 * of that width, a product that wraps in 64 bits.
 */
export function bitOffsetArg(c: Client, i: number, bits = 0): number {
  const { argv } = c
  let off = argv.off(i)
  let len = argv.len(i)
  const inFields = bits > 0 && len > 0 && argv.bytes[off] === HASH
  if (inFields) {
    off++
    len--
  }
  let offset = parseInt53(argv.bytes, off, len)
  if (inFields) {
    offset *= bits
    if (!Number.isSafeInteger(offset)) offset = wrappedProduct(argv.bytes, off, len, bits)
  }
  if (offset >= 0 && (c.internal || offset < c.engine.parser.maxBulk * 8)) return offset
  c.reply.error(BAD_OFFSET)
  return Number.NaN
}

function wrappedProduct(bytes: Uint8Array, off: number, len: number, bits: number): number {
  const factor = parseInt64(bytes, off, len)
  return factor === null ? Number.NaN : Number(BigInt.asIntN(64, factor * BigInt(bits)))
}
