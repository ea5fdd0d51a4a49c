import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, type Ref, segmentOf } from '../../src/memory/ref.ts'
import {
  copyListpack,
  freeListpack,
  listpackFrom,
  lpAppend,
  lpAppendInt,
  lpBytes,
  lpCut,
  lpDelete,
  lpEnd,
  lpFind,
  lpFirst,
  lpGet,
  lpGetInt,
  lpInsert,
  lpInsertAll,
  lpInsertInt,
  lpIsInt,
  lpLast,
  lpLength,
  lpNext,
  lpPrepend,
  lpPrev,
  lpReplace,
  lpReplaceInt,
  lpSeek,
  lpTail,
  lpValidate,
  lpValue,
  newListpack,
} from '../../src/structs/listpack.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

/** An arena whose n-th allocation from now on fails. */
class FailingArena extends Arena {
  left = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.left < 0) throw new OutOfMemory()
    return super.alloc(sizeBytes)
  }
}

function textAt(mem: Arena, lp: Ref, position: number): string {
  lpGet(mem, lp, position)
  return latin1(lpValue.bytes, lpValue.off, lpValue.len)
}

function contents(mem: Arena, lp: Ref): string[] {
  const out: string[] = []
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at)) out.push(textAt(mem, lp, at))
  return out
}

function rawBytes(mem: Arena, lp: Ref): Uint8Array {
  return mem.u8[segmentOf(lp)].slice(byteOf(lp), byteOf(lp) + lpBytes(mem, lp))
}

function from(mem: Arena, items: readonly string[]): Ref {
  let lp = newListpack(mem)
  for (const item of items) lp = lpAppend(mem, lp, bytesOf(item), 0, item.length)
  return lp
}

/** For listpacks that need no audit. */
const scratch = new Arena()

/** The elements' bytes between header and end byte. */
function body(item: string): number[] {
  const mem = scratch
  return [...rawBytes(mem, from(mem, [item]))].slice(6, -1)
}

describe('listpack bytes', () => {
  test('an empty listpack', () => {
    const mem = new Arena()
    expect([...rawBytes(mem, newListpack(mem))]).toEqual([7, 0, 0, 0, 0, 0, 0xff])
  })

  test('integers', () => {
    expect(body('0')).toEqual([0, 1])
    expect(body('127')).toEqual([127, 1])
    expect(body('128')).toEqual([0xc0, 128, 2])
    expect(body('-1')).toEqual([0xdf, 0xff, 2])
    expect(body('-4096')).toEqual([0xd0, 0, 2])
    expect(body('4095')).toEqual([0xcf, 0xff, 2])
    expect(body('4096')).toEqual([0xf1, 0, 0x10, 3])
    expect(body('-32769')).toEqual([0xf2, 0xff, 0x7f, 0xff, 4])
    expect(body('8388608')).toEqual([0xf3, 0, 0, 0x80, 0, 5])
    expect(body('2147483648')).toEqual([0xf4, 0, 0, 0, 0x80, 0, 0, 0, 0, 9])
    expect(body('-9223372036854775808')).toEqual([0xf4, 0, 0, 0, 0, 0, 0, 0, 0x80, 9])
    expect(body('9223372036854775807')).toEqual([0xf4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 9])
  })

  test('strings', () => {
    expect(body('')).toEqual([0x80, 1])
    expect(body('ab')).toEqual([0x82, 97, 98, 3])
    for (const text of ['+1', '-0', '01', '1 ', '9223372036854775808', '1.0']) expect(body(text)[0]).toBe(0x80 + text.length)
    expect(body('x'.repeat(64)).slice(0, 2)).toEqual([0xe0, 64])
    expect(body('x'.repeat(126)).slice(-2)).toEqual([1, 128])
    expect(body('x'.repeat(4095)).slice(0, 2)).toEqual([0xef, 0xff])
    expect(body('x'.repeat(4096)).slice(0, 5)).toEqual([0xf0, 0, 0x10, 0, 0])
  })

  test('back lengths, with the bounds that Redis has', () => {
    const backLength = (encoded: number) => body('x'.repeat(encoded - 5)).length - encoded
    expect(backLength(16382)).toBe(2)
    expect(backLength(16383)).toBe(3)
    expect(backLength(2097150)).toBe(3)
    expect(backLength(2097151)).toBe(4)
  })
})

describe('listpack operations', () => {
  const texts = [
    '',
    'a',
    '5',
    '-17',
    '300',
    '70000',
    '1234567890123',
    '9007199254740993',
    'x'.repeat(63),
    'y'.repeat(200),
    'z'.repeat(5000),
  ]
  const text = fc.constantFrom(...texts)
  const step = fc.tuple(fc.nat(9), fc.nat(1000), text, fc.nat(5))

  test('do what an array does', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const mem = new Arena()
        let lp = newListpack(mem)
        const model: string[] = []
        for (const [op, where, item, count] of steps) {
          const bytes = bytesOf(item)
          const index = model.length === 0 ? -1 : where % model.length
          const position = index < 0 ? 0 : lpSeek(mem, lp, index)
          if (op === 0 || index < 0) {
            lp = lpAppend(mem, lp, bytes, 0, bytes.length)
            model.push(item)
          } else if (op === 1) {
            lp = lpPrepend(mem, lp, bytes, 0, bytes.length)
            model.unshift(item)
          } else if (op === 2) {
            lp = lpInsert(mem, lp, position, bytes, 0, bytes.length)
            model.splice(index, 0, item)
          } else if (op === 3) {
            lp = lpReplace(mem, lp, position, bytes, 0, bytes.length)
            model[index] = item
          } else if (op === 4) {
            lp = lpDelete(mem, lp, position, count)
            model.splice(index, count)
          } else if (op === 5) {
            lp = lpReplaceInt(mem, lp, position, where * 1e9)
            model[index] = String(where * 1e9)
          } else if (op === 6) {
            lp = lpInsertInt(mem, lp, lpEnd(mem, lp), -where)
            model.push(String(-where))
          } else if (op === 7) {
            const tail = lpTail(mem, lp, position, model.length - index)
            expect(contents(mem, tail)).toEqual(model.slice(index))
            lp = lpCut(mem, lp, position, index)
            lp = lpInsertAll(mem, lp, lpEnd(mem, lp), tail)
            freeListpack(mem, tail)
          } else if (op === 8) {
            const copy = copyListpack(mem, lp)
            freeListpack(mem, lp)
            lp = copy
          } else {
            const found = lpFind(mem, lp, position, bytes, 0, bytes.length, count)
            let expected = index
            while (expected < model.length && model[expected] !== item) expected += count + 1
            expect(found).toBe(expected < model.length ? lpSeek(mem, lp, expected) : 0)
          }
          check(mem, lp, model)
        }
      }),
      { numRuns: 40 },
    )
  })

  function check(mem: Arena, lp: Ref, model: readonly string[]): void {
    expect(contents(mem, lp)).toEqual(model)
    expect(lpLength(mem, lp)).toBe(model.length)
    const back: string[] = []
    for (let at = lpLast(mem, lp); at !== 0; at = lpPrev(mem, lp, at)) back.unshift(textAt(mem, lp, at))
    expect(back).toEqual(model)
    const bytes = rawBytes(mem, lp)
    expect(lpValidate(bytes, 0, bytes.length, true)).toBe(true)
    expect(auditArena(mem, (report) => report(lp, lpBytes(mem, lp)))).toEqual([])
  }

  test('seek from both ends', () => {
    const mem = new Arena()
    const lp = from(mem, ['a', 'b', 'c'])
    expect([0, 1, 2].map((i) => textAt(mem, lp, lpSeek(mem, lp, i)))).toEqual(['a', 'b', 'c'])
    expect([-1, -2, -3].map((i) => textAt(mem, lp, lpSeek(mem, lp, i)))).toEqual(['c', 'b', 'a'])
    expect([3, -4, 100].map((i) => lpSeek(mem, lp, i))).toEqual([0, 0, 0])
  })

  test('integers are read as integers', () => {
    const mem = new Arena()
    const lp = from(mem, ['12', '-70000', 'x', '9007199254740993'])
    expect([0, 1, 2, 3].map((i) => lpGetInt(mem, lp, lpSeek(mem, lp, i)))).toEqual([12, -70000, NaN, NaN])
    expect([0, 1, 2, 3].map((i) => lpIsInt(mem, lp, lpSeek(mem, lp, i)))).toEqual([true, true, false, true])
    expect(textAt(mem, lp, lpLast(mem, lp))).toBe('9007199254740993')
  })

  test('more elements than the header can count', () => {
    const mem = new Arena()
    let lp = newListpack(mem)
    for (let i = 0; i < 70000; i++) lp = lpAppendInt(mem, lp, i & 63)
    expect(lpLength(mem, lp)).toBe(70000)
    expect(lpGetInt(mem, lp, lpSeek(mem, lp, 66666))).toBe(66666 & 63)
    expect(lpGetInt(mem, lp, lpSeek(mem, lp, -2))).toBe(69998 & 63)
    lp = lpDelete(mem, lp, lpFirst(mem, lp), 10000)
    expect(lpLength(mem, lp)).toBe(60000)
    expect(rawBytes(mem, lp).slice(4, 6)).toEqual(Uint8Array.of(60000 & 255, 60000 >> 8))
  })

  test('a failed allocation changes nothing', () => {
    const mem = new FailingArena()
    let lp = from(mem, ['a', 'bb', '300', 'x'.repeat(100)])
    const before = contents(mem, lp)
    const big = bytesOf('y'.repeat(500))
    const tries = [
      () => lpAppend(mem, lp, big, 0, 500),
      () => lpInsert(mem, lp, lpSeek(mem, lp, 1), big, 0, 500),
      () => lpReplace(mem, lp, lpSeek(mem, lp, 3), big, 0, 500),
      () => lpDelete(mem, lp, lpSeek(mem, lp, 1), 3),
    ]
    for (const attempt of tries) {
      mem.left = 0
      expect(() => (lp = attempt())).toThrow(OutOfMemory)
      mem.left = Infinity
      expect(contents(mem, lp)).toEqual(before)
      expect(auditArena(mem, (report) => report(lp, lpBytes(mem, lp)))).toEqual([])
    }
  })
})

describe('lpValidate', () => {
  test('accepts what it made and refuses any damage that could lead a reader astray', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('1', 'abc', '-5000', 'x'.repeat(70), 'y'.repeat(4100)), { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        (items, damage) => {
          const mem = scratch
          const bytes = rawBytes(mem, from(mem, items))
          for (const [at, value] of damage) bytes[at % bytes.length] = value
          if (!lpValidate(bytes, 0, bytes.length, true)) return
          // What is accepted can be walked both ways, and never leaves its bounds.
          const lp = listpackFrom(mem, bytes, 0, bytes.length)
          const forth = contents(mem, lp)
          const back: string[] = []
          for (let at = lpLast(mem, lp); at !== 0; at = lpPrev(mem, lp, at)) back.unshift(textAt(mem, lp, at))
          expect(back).toEqual(forth)
          expect(lpLength(mem, lp)).toBe(forth.length)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('shallow looks at the total and the end only', () => {
    const bytes = Uint8Array.of(9, 0, 0, 0, 1, 0, 0xf0, 1, 0xff)
    expect(lpValidate(bytes, 0, 9, false)).toBe(true)
    expect(lpValidate(bytes, 0, 9, true)).toBe(false)
    expect(lpValidate(bytes, 0, 8, false)).toBe(false)
    expect(lpValidate(Uint8Array.of(6, 0, 0, 0, 0, 0xff), 0, 6, false)).toBe(false)
  })
})
