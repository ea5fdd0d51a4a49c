/** What waits for a socket comes out in the order it went in, and holds no more memory than it needs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Backlog, isSmallPart } from '../../src/net/backlog.ts'

const KIB = 1024
const LARGE = 2 * KIB * KIB

function takeAll(backlog: Backlog): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let chunk = backlog.take(); chunk !== null; chunk = backlog.take()) chunks.push(chunk)
  return chunks
}

test('an empty backlog has nothing to give', () => {
  const backlog = new Backlog()
  expect([backlog.take(), backlog.bytes, backlog.count]).toEqual([null, 0, 0])
})

test('bytes of any lengths come out as they went in, however takes lie between, and are counted', () => {
  const step = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 70 * KIB }), fc.constant(0))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const backlog = new Backlog()
      const [into, out]: [Buffer[], Uint8Array[]] = [[], []]
      let seed = 0
      for (const length of steps) {
        // 0: the kernel takes a chunk
        const chunk = length === 0 ? backlog.take() : null
        if (chunk !== null) out.push(chunk)
        if (length > 0) {
          const bytes = Uint8Array.from({ length: length + 5 }, () => seed++)
          into.push(Buffer.from(bytes.subarray(3, 3 + length)))
          // what was copied may be overwritten
          if (backlog.add(bytes, 3, 3 + length)) bytes.fill(0)
        }
        expect(backlog.bytes).toBe(Buffer.concat(into).length - Buffer.concat(out).length)
        expect(backlog.count > 0).toBe(backlog.bytes > 0)
      }
      out.push(...takeAll(backlog))
      expect(Buffer.concat(out).equals(Buffer.concat(into))).toBe(true)
      expect([backlog.bytes, backlog.count]).toEqual([0, 0])
    }),
    { numRuns: 100 },
  )
})

test('short replies share chunks of 16 KiB', () => {
  const backlog = new Backlog()
  for (let i = 0; i < 40; i++) expect(backlog.add(new Uint8Array(KIB).fill(i), 0, KIB)).toBe(true)
  expect(backlog.count).toBe(3)
  expect(takeAll(backlog).map(({ length }) => length)).toEqual([16 * KIB, 16 * KIB, 8 * KIB])
})

test('a reply of up to 32 KiB is copied, a longer one keeps its buffer', () => {
  const backlog = new Backlog()
  const bytes = new Uint8Array(100 * KIB)
  expect(backlog.add(bytes, 0, 32 * KIB)).toBe(true)
  expect(backlog.add(bytes, 5, 32 * KIB + 6)).toBe(false)
  const [copied, kept] = takeAll(backlog)
  expect(copied.buffer).not.toBe(bytes.buffer)
  expect([kept.buffer, kept.byteOffset, kept.length]).toEqual([bytes.buffer, 5, 32 * KIB + 1])
})

test('a small part of a large buffer is copied, lest a slow reader hold all of it', () => {
  const backlog = new Backlog()
  const large = new Uint8Array(LARGE).fill(7)
  expect(backlog.add(large, 5, 5 + 64 * KIB)).toBe(true)
  expect(backlog.add(large, 0, LARGE / 8)).toBe(false)
  const [copied, kept] = takeAll(backlog)
  expect([copied.buffer === large.buffer, copied.buffer.byteLength]).toEqual([false, 64 * KIB])
  expect(kept.buffer).toBe(large.buffer)
})

test('a part is small below an eighth of more than 1 MiB', () => {
  const large = new Uint8Array(LARGE)
  expect([isSmallPart(large, 0, LARGE / 8 - 1), isSmallPart(large, 1, LARGE / 8 + 1)]).toEqual([true, false])
  expect(isSmallPart(new Uint8Array(KIB * KIB), 0, 1)).toBe(false)
})

test('what is let go of is gone, and the backlog serves on', () => {
  const backlog = new Backlog()
  backlog.add(new Uint8Array(50 * KIB), 0, 50 * KIB)
  backlog.add(new Uint8Array(10), 0, 10)
  backlog.clear()
  expect([backlog.bytes, backlog.count, backlog.take()]).toEqual([0, 0, null])
  backlog.add(Uint8Array.of(1, 2, 3), 1, 3)
  expect(takeAll(backlog).map((chunk) => [...chunk])).toEqual([[2, 3]])
})
