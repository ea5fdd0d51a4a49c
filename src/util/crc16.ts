/**
 * crc16: the checksum that places keys in cluster slots.
 *
 * CRC-16/XMODEM: polynomial 0x1021, start 0, nothing reflected; "123456789" gives 0x31c3. A key with a hash tag, the bytes between its
 * first '{' and the next '}' when there are any, is placed by the tag alone, so that related keys share a slot.
 */

/** How many slots a cluster has. */
export const SLOT_COUNT = 16384

const POLYNOMIAL = 0x1021
const OPEN = 0x7b
const CLOSE = 0x7d

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1
  return crc
})

/** The CRC-16/XMODEM of bytes[off, off + len). */
export function crc16(bytes: Uint8Array, off: number, len: number): number {
  let crc = 0
  for (let i = off; i < off + len; i++) crc = ((crc << 8) & 0xffff) ^ TABLE[(crc >> 8) ^ bytes[i]]
  return crc
}

/** The slot, 0 to 16383, of the key bytes[off, off + len). */
export function keySlot(bytes: Uint8Array, off: number, len: number): number {
  const end = off + len
  let open = off
  while (open < end && bytes[open] !== OPEN) open++
  let close = open + 1
  while (close < end && bytes[close] !== CLOSE) close++
  if (close < end && close > open + 1) return crc16(bytes, open + 1, close - open - 1) & (SLOT_COUNT - 1)
  return crc16(bytes, off, len) & (SLOT_COUNT - 1)
}
