/**
 * reply-elements: runs of listpack elements as byte strings, the answers of LRANGE, HGETALL and their like.
 *
 * A call of the writer for each element costs more than its bytes. Here a short string, the usual element, is written by words: its header
 * is one of 64 known ones, and its bytes go from the listpack's data view to the writer's.
 */
import { LP_END, lpDecode, lpSkip, lpValue } from '../structs/listpack-element.ts'
import { copyShort } from '../util/bytes.ts'
import type { Reply } from './reply.ts'

/** Elements for which room is made at once, and the most that a short one takes: 63 bytes, `$63` and two line ends. */
const RUN = 64
const SHORT_BYTES = 70
const CRLF = 0x0d0a
const TWO_DIGITS = 10

/** `$n\r\n` for n below 10, `$nn\r` from there on, as the word to write. */
const headers = Uint32Array.from({ length: 64 }, (_, n) =>
  n < TWO_DIGITS ? 0x24300d0a + n * 0x10000 : 0x2430300d + ((n / 10) | 0) * 0x10000 + (n % 10) * 0x100,
)

/** Index behind the last element that `replyElements` wrote. */
export let elementsEnd = 0

/**
 * Answers up to `count` elements of a listpack from the one at `at` on, fewer when it ends before; returns how many. `data` shows the same
 * bytes as `u8`.
 */
export function replyElements(reply: Reply, u8: Uint8Array, data: DataView, at: number, count: number): number {
  let from = at
  let left = count
  while (left > 0 && u8[from] !== LP_END) {
    const run = left < RUN ? left : RUN
    reply.reserve(run * SHORT_BYTES)
    left -= shortElements(reply, u8, data, from, run)
    from = elementsEnd
    if (left === 0 || u8[from] === LP_END) break
    if (isShort(u8[from])) continue
    lpDecode(u8, from)
    reply.bulk(lpValue.bytes, lpValue.off, lpValue.len)
    from = lpSkip(u8, from)
    left--
  }
  elementsEnd = from
  return count - left
}

function isShort(tag: number): boolean {
  return tag >= 0x80 && tag < 0xc0
}

/** Writes short strings until another element, the end or `count` is reached, into room that has been made; returns how many. */
function shortElements(reply: Reply, u8: Uint8Array, data: DataView, at: number, count: number): number {
  const out = reply.data
  let pos = reply.pos
  let from = at
  let done = 0
  for (let tag = u8[from]; done < count && isShort(tag); tag = u8[from], done++) {
    const len = tag & 0x3f
    out.setUint32(pos, headers[len])
    pos += 4
    if (len >= TWO_DIGITS) out.setUint8(pos++, CRLF & 0xff)
    copyShort(out, pos, data, from + 1, len)
    pos += len
    out.setUint16(pos, CRLF)
    pos += 2
    from += len + 2
  }
  reply.pos = pos
  elementsEnd = from
  return done
}
