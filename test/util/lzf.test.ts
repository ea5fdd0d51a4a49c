import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { lzfCompress, lzfDecompress, lzfDecompressInto } from '../../src/util/lzf.ts'
import { Random } from '../../src/util/random.ts'

const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Compressed, or null when that saves nothing. */
function compress(bytes: Uint8Array): Uint8Array | null {
  const dst = new Uint8Array(bytes.length)
  const length = lzfCompress(bytes, 0, bytes.length, dst, 0, Math.max(0, bytes.length - 1))
  return length === 0 ? null : dst.slice(0, length)
}

/** Found in DUMP payloads of a Redis server. */
const FOREIGN: [string, string][] = [
  ['a'.repeat(100), '016161e05700016161'],
  [`${'abcabcabd'.repeat(40)}tail`, '0361626361400200646005200be0ff08210a2002e1400d037461696c'],
  [
    Array.from({ length: 30 }, (_, i) => `user:${i}:name`).join(','),
    '0c757365723a303a6e616d652c75400b0031e0020b0032e0020b0033e0020b0034e0020b0035e0020b0036e0020b0037e0020b0038e0020b0039e0020b0031e00478e003790031e0037a0031e0037b0031e0037c0031e0037d0031e0037e0031e0037f0031e003800031e003810032e003810032e003810032e003810032e003810032e003810032e003810032e003810032e003810032e0038100324081016d65',
  ],
]

describe('lzf', () => {
  test('reads what liblzf wrote', () => {
    for (const [text, hex] of FOREIGN) {
      const stream = fromHex(hex)
      const bytes = lzfDecompress(stream, 0, stream.length, text.length)
      expect(bytes && latin1(bytes, 0, bytes.length)).toBe(text)
    }
  })

  test('comes back unchanged', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('key:', 'value', '{"id":1}').map(bytesOf),
        fc.nat(600).map((n) => new Uint8Array(n)),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
        const stream = compress(bytes)
        if (stream !== null) expect(lzfDecompress(stream, 0, stream.length, bytes.length)).toEqual(bytes)
      }),
    )
  })

  test('compresses matches near and far, short and long', () => {
    const random = new Random(1)
    const noise = Uint8Array.from({ length: 8192 }, () => random.below(256))
    const bytes = new Uint8Array(noise.length * 2)
    bytes.set(noise)
    bytes.set(noise, noise.length)
    const stream = compress(bytes)!
    expect(stream.length).toBeLessThan(8192 * 1.15)
    expect(lzfDecompress(stream, 0, stream.length, bytes.length)).toEqual(bytes)
    expect(compress(new Uint8Array(100_000))!.length).toBeLessThan(1200)
    expect(compress(bytesOf('abcdefgh'.repeat(20)))!.length).toBeLessThan(20)
  })

  test('gives up when it does not fit', () => {
    const random = new Random(2)
    for (const length of [0, 1, 4, 100, 10_000]) expect(compress(Uint8Array.from({ length }, () => random.below(256)))).toBeNull()
    const bytes = bytesOf('ab'.repeat(50))
    const needed = compress(bytes)!.length
    for (let room = 0; room < 100; room++) {
      const dst = new Uint8Array(100).fill(0xee)
      expect(lzfCompress(bytes, 0, 100, dst, 0, room)).toBe(room < needed ? 0 : needed)
      expect(dst.subarray(room).every((byte) => byte === 0xee)).toBe(true)
    }
  })

  test('works on runs inside larger arrays', () => {
    const src = bytesOf(`####${'hello '.repeat(20)}####`)
    const dst = new Uint8Array(200).fill(0xee)
    const length = lzfCompress(src, 4, 120, dst, 7, 119)
    const back = new Uint8Array(140).fill(0xee)
    expect(lzfDecompressInto(dst, 7, length, back, 10, 120)).toBe(true)
    expect(latin1(back, 10, 120)).toBe('hello '.repeat(20))
    expect([...back.subarray(0, 10), ...back.subarray(130)].every((byte) => byte === 0xee)).toBe(true)
  })

  test('refuses broken streams', () => {
    const refused: [number[], number][] = [
      [[], 1],
      [[0], 1],
      [[3, 1, 2], 4],
      [[0x20, 0], 3],
      [[0, 65, 0x20, 1], 4],
      [[0, 65, 0x20], 4],
      [[0, 65, 0xe0], 10],
      [[0, 65, 0xe0, 5], 15],
      [[0, 65, 0x20, 0], 3],
      [[0, 65, 0x20, 0], 5],
      [[0, 65], 2 ** 40],
    ]
    for (const [stream, size] of refused) expect(lzfDecompress(Uint8Array.from(stream), 0, stream.length, size), `${stream}`).toBeNull()
    expect(lzfDecompress(Uint8Array.of(0, 65, 0x20, 0), 0, 4, 4)).toEqual(bytesOf('AAAA'))
    expect(lzfDecompress(new Uint8Array(0), 0, 0, 0)).toEqual(new Uint8Array(0))
  })

  test('survives any bytes, and stays in its run', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(300), (stream, size) => {
        const dst = new Uint8Array(size + 20).fill(0xee)
        lzfDecompressInto(stream, 0, stream.length, dst, 10, size)
        expect([...dst.subarray(0, 10), ...dst.subarray(10 + size)].every((byte) => byte === 0xee)).toBe(true)
      }),
    )
  })
})
