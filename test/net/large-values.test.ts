/** Large arguments come in buffers that are used again: nothing of one may show up in another, whoever sends what and when. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { runSeed, seeded } from '../support/random.ts'
import { useClients } from '../support/server.ts'
import { encodeCommand } from '../support/resp.ts'

const clients = useClients()

const digest = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

function valueOf(seed: number, length: number): Buffer {
  const value = Buffer.alloc(length, `${seed}|`)
  value.writeUInt32LE(seed, length - 4)
  return value
}

test('values of all sizes from several clients at once come back as they were sent', { timeout: 30_000 }, async () => {
  const random = seeded(runSeed())
  const all = await clients(5)
  await Promise.all(
    all.map(async (c, who) => {
      for (let round = 0; round < 12; round++) {
        const value = valueOf(who * 100 + round, random.pick([10, 5000, 33_000, 40_000, 70_000, 300_000, 1_000_000]) + random.below(4000))
        const key = `k${who}`
        const replies = await c.pipeline([['MULTI'], ['SET', key, value], ['APPEND', key, value], ['EXEC'], ['GET', key]])
        expect(String(replies[3])).toBe(`*2\r\n+OK\r\n:${value.length * 2}\r\n`)
        const got = replies[4].subarray(replies[4].indexOf(10) + 1, replies[4].length - 2)
        expect(digest(got)).toBe(digest(Buffer.concat([value, value])))
      }
    }),
  )
})

test('a client that leaves in the middle of a large argument disturbs nobody', async () => {
  const [leaver, stayer] = await clients(2)
  const half = encodeCommand(['SET', 'half', valueOf(7, 200_000)])
  leaver.write(half.subarray(0, 150_000))
  const value = valueOf(9, 190_000)
  expect(await stayer.get('SET', 'whole', value)).toBe('OK')
  leaver.close()
  expect(await stayer.get('SET', 'next', valueOf(11, 195_000))).toBe('OK')
  const [whole, half2] = await stayer.pipeline([
    ['GET', 'whole'],
    ['EXISTS', 'half'],
  ])
  expect(digest(whole.subarray(whole.indexOf(10) + 1, whole.length - 2))).toBe(digest(value))
  expect(String(half2)).toBe(':0\r\n')
})
