import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/util/bytes.ts'
import { crc16, keySlot, SLOT_COUNT } from '../../src/util/crc16.ts'
import { Crc64, crc64 } from '../../src/util/crc64.ts'

const slot = (key: string): number => keySlot(bytesOf(`{x}${key}}`), 3, key.length)

describe('crc16', () => {
  test('is XMODEM', () => {
    expect(crc16(bytesOf('123456789'), 0, 9)).toBe(0x31c3)
    expect(crc16(bytesOf('x123456789x'), 1, 9)).toBe(0x31c3)
    expect(crc16(new Uint8Array(0), 0, 0)).toBe(0)
  })

  test('places keys by their hash tag, as CLUSTER KEYSLOT does', () => {
    const slots: [string, number][] = [
      ['', 0],
      ['foo', 12182],
      ['bar', 5061],
      ['{user1000}.following', 3443],
      ['foo{}{bar}', 8363],
      ['foo{{bar}}zap', 4015],
      ['foo{bar}{zap}', 5061],
      ['{', 4092],
      ['{}', 15257],
      ['a{b', 13340],
      ['a}b{c}', 7365],
      ['key:123', 710],
    ]
    for (const [key, expected] of slots) expect(slot(key), key).toBe(expected)
    expect(slot('{user1000}.followers')).toBe(slot('user1000'))
    fc.assert(fc.property(fc.string(), (key) => slot(key) >= 0 && slot(key) < SLOT_COUNT))
  })
})

describe('crc64', () => {
  test('is Jones, starting from zero', () => {
    expect(crc64(bytesOf('123456789'), 0, 9)).toBe(0xe9c6d914c4b8d9can)
    // A DUMP payload, whose last eight bytes are the checksum of the others, little endian.
    const dump = Uint8Array.from(Buffer.from('00c3094064016161e057000161610b00817c08744df21bf8', 'hex'))
    expect(crc64(dump, 0, dump.length - 8)).toBe(0xf81bf24d74087c81n)
    expect(crc64(new Uint8Array(0), 0, 0)).toBe(0n)
  })

  test('does not depend on how the bytes are cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), fc.nat(100), (bytes, x, y) => {
        const first = Math.min(x, y, bytes.length)
        const second = Math.min(Math.max(x, y), bytes.length)
        const crc = new Crc64()
        crc.update(bytes, 0, first)
        crc.update(bytes, first, second - first)
        crc.update(bytes, second, bytes.length - second)
        expect(crc.value()).toBe(crc64(bytes, 0, bytes.length))
      }),
    )
  })

  test('writes and recognises its eight bytes', () => {
    const crc = new Crc64()
    crc.update(bytesOf('123456789'), 0, 9)
    const dst = new Uint8Array(10)
    expect(crc.write(dst, 1)).toBe(9)
    expect(dst).toEqual(Uint8Array.of(0, 0xca, 0xd9, 0xb8, 0xc4, 0x14, 0xd9, 0xc6, 0xe9, 0))
    expect(crc.matches(dst, 1)).toBe(true)
    for (let i = 1; i < 9; i++) {
      const broken = dst.slice()
      broken[i] ^= 1
      expect(crc.matches(broken, 1)).toBe(false)
    }
    crc.reset()
    expect(crc.value()).toBe(0n)
  })
})
