import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareIds,
  decrementId,
  ID_AUTO_SEQ,
  ID_FULL,
  ID_INVALID,
  ID_NO_SEQ,
  idLength,
  idText,
  incrementId,
  isMaxId,
  isZeroId,
  parseId,
  setMaxId,
  setMinId,
  writeId,
} from '../../src/structs/stream-id.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

const MAX = 2n ** 64n - 1n
const half = fc.oneof(fc.bigInt(0n, MAX), fc.bigInt(0n, 20n), fc.bigInt(MAX - 5n, MAX), fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n))

function parse(text: string, missingMax = false): { kind: number; text: string } {
  const id = new Uint32Array(6)
  const bytes = bytesOf(`xx${text}`)
  const kind = parseId(bytes, 2, bytes.length - 2, id, 1, missingMax)
  return { kind, text: kind === ID_INVALID ? '' : idText(id, 1) }
}

describe('stream ids', () => {
  test('are read and written alike', () => {
    fc.assert(
      fc.property(half, half, (ms, seq) => {
        const text = `${ms}-${seq}`
        expect(parse(text)).toEqual({ kind: ID_FULL, text })
        const id = new Uint32Array(4)
        parseId(bytesOf(text), 0, text.length, id, 0, false)
        const out = new Uint8Array(64)
        expect(latin1(out, 0, writeId(out, 0, id, 0))).toBe(text)
        expect(idLength(id, 0)).toBe(text.length)
      }),
    )
  })

  test('compare and step as 128-bit numbers', () => {
    const valueOf = (id: Uint32Array): bigint => id.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n)
    fc.assert(
      fc.property(half, half, half, half, (ms1, seq1, ms2, seq2) => {
        const a = new Uint32Array(4)
        const b = new Uint32Array(4)
        parseId(bytesOf(`${ms1}-${seq1}`), 0, `${ms1}-${seq1}`.length, a, 0, false)
        parseId(bytesOf(`${ms2}-${seq2}`), 0, `${ms2}-${seq2}`.length, b, 0, false)
        const difference = valueOf(a) - valueOf(b)
        expect(Math.sign(compareIds(a, 0, b, 0))).toBe(difference === 0n ? 0 : difference < 0n ? -1 : 1)
        const before = valueOf(a)
        expect(incrementId(a, 0)).toBe(before !== 2n ** 128n - 1n)
        expect(valueOf(a)).toBe(BigInt.asUintN(128, before + 1n))
        expect(decrementId(a, 0)).toBe(before !== 2n ** 128n - 1n)
        expect(valueOf(a)).toBe(before)
      }),
    )
    const id = new Uint32Array(4)
    setMaxId(id, 0)
    expect(isMaxId(id, 0)).toBe(true)
    expect(incrementId(id, 0)).toBe(false)
    expect(isZeroId(id, 0)).toBe(true)
    setMinId(id, 0)
    expect(decrementId(id, 0)).toBe(false)
    expect(idText(id, 0)).toBe(`${MAX}-${MAX}`)
  })

  test('may lack a sequence', () => {
    expect(parse('5')).toEqual({ kind: ID_NO_SEQ, text: '5-0' })
    expect(parse('5', true)).toEqual({ kind: ID_NO_SEQ, text: `5-${MAX}` })
    expect(parse('5-*')).toEqual({ kind: ID_AUTO_SEQ, text: '5-0' })
  })

  test('take what strtoull takes', () => {
    expect(parse('007-+9').text).toBe('7-9')
    expect(parse(' 7').text).toBe('7-0')
    expect(parse('1-\t-05').text).toBe(`1-${MAX - 4n}`)
    expect(parse('1--0').text).toBe('1-0')
    expect(parse('5\0junk').text).toBe('5-0')
    for (const bad of ['', '-', '-5', '1-', '1--5', 'a', '1-a', '1-2-3', '*', '1-**', '18446744073709551616', '1 ', '1- ', '1'.repeat(128)])
      expect(parse(bad).kind, bad).toBe(ID_INVALID)
    expect(parse(`${'0'.repeat(126)}1`).text).toBe('1-0')
  })
})
