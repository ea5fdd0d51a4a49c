import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { byteOf, segmentOf } from '../../src/memory/ref.ts'
import { elementsEnd, replyElements } from '../../src/resp/reply-elements.ts'
import { Reply } from '../../src/resp/reply.ts'
import { LP_HEADER, lpAppend, lpEnd, newListpack } from '../../src/structs/listpack.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

const short = fc.nat(63).map((length) => 'abcdefgh'.repeat(8).slice(0, length))
const element = fc.oneof(
  { weight: 8, arbitrary: short },
  fc.constantFrom('0', '127', '128', '-4096', '99999', '9223372036854775807', 'x'.repeat(64), 'y'.repeat(5000)),
)

describe('replyElements', () => {
  test('writes what a bulk for each element writes, as far as the count and the listpack go', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 150 }), fc.nat(160), (items, count) => {
        const mem = new Arena()
        let lp = newListpack(mem)
        for (const item of items) lp = lpAppend(mem, lp, bytesOf(item), 0, item.length)
        const reply = new Reply(64)
        const segment = segmentOf(lp)
        const written = replyElements(reply, mem.u8[segment], mem.data[segment], byteOf(lp) + LP_HEADER, count)
        const shown = items.slice(0, count)
        expect(written).toBe(shown.length)
        expect(latin1(reply.take(), 0, reply.pos)).toBe(shown.map((item) => `$${item.length}\r\n${item}\r\n`).join(''))
        if (count >= items.length) expect(elementsEnd).toBe(byteOf(lp) + lpEnd(mem, lp))
      }),
      { numRuns: 60 },
    )
  })

  test('goes on from where it stopped', () => {
    const mem = new Arena()
    let lp = newListpack(mem)
    for (const item of ['a', '5', 'bcd']) lp = lpAppend(mem, lp, bytesOf(item), 0, item.length)
    const reply = new Reply()
    const segment = segmentOf(lp)
    replyElements(reply, mem.u8[segment], mem.data[segment], byteOf(lp) + LP_HEADER, 2)
    replyElements(reply, mem.u8[segment], mem.data[segment], elementsEnd, 2)
    expect(latin1(reply.take(), 0, reply.pos)).toBe('$1\r\na\r\n$1\r\n5\r\n$3\r\nbcd\r\n')
  })
})
