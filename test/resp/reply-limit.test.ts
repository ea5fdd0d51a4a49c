import { expect, test } from 'vitest'
import { Reply } from '../../src/resp/reply.ts'

test('what is written beyond the limit is dropped, and the buffer does not grow by it', () => {
  const reply = new Reply(1024)
  reply.limit = 100_000
  const kilobyte = new Uint8Array(1024)
  for (let i = 0; i < 2000; i++) reply.raw(kilobyte)
  expect(reply.overflowed).toBe(true)
  expect(reply.buf.length).toBeLessThan(300_000)
})
