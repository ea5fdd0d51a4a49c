/** The same elements give the same bytes and counts on both servers, and either reads what the other wrote. */
import { expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { describeWithOracle, useOracle } from '../support/oracle.ts'
import { useServer } from '../support/server.ts'

const BATCH = 1000

async function addAll(connection: Connection, count: number): Promise<void> {
  const commands: string[][] = []
  for (let from = 0; from < count; from += BATCH) {
    const elements = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => `visitor:${from + i}`)
    commands.push(['PFADD', 'visitors', ...elements])
  }
  for (let i = 0; i < commands.length; i += 100) await connection.pipeline(commands.slice(i, i + 100))
}

const bytesOf = async (connection: Connection): Promise<Buffer> => {
  const reply = await connection.call('GET', 'visitors')
  return Buffer.from('text' in reply ? reply.text : '', 'latin1')
}

const countOf = async (connection: Connection, ...keys: string[]): Promise<string> => {
  const reply = await connection.call('PFCOUNT', ...keys)
  return 'text' in reply ? reply.text : reply.type
}

describeWithOracle('HyperLogLog bytes', () => {
  const oracle = useOracle()
  const server = useServer()

  test.each([10, 1000, 100_000, 1_000_000])('%i elements', { timeout: 60_000 }, async (count) => {
    if (!oracle.current) return
    const ours = await Connection.open(server.address)
    const theirs = await Connection.open(oracle.current.address)
    try {
      await Promise.all([ours.call('FLUSHALL'), theirs.call('FLUSHALL')])
      await Promise.all([addAll(ours, count), addAll(theirs, count)])
      const [a, b] = [await bytesOf(ours), await bytesOf(theirs)]
      expect(a.equals(b)).toBe(true)
      expect(await countOf(ours, 'visitors')).toBe(await countOf(theirs, 'visitors'))
      await Promise.all([ours.call('SET', 'copy', b), theirs.call('SET', 'copy', a)])
      expect(await countOf(ours, 'copy', 'visitors')).toBe(await countOf(theirs, 'visitors', 'copy'))
      expect(await countOf(theirs, 'copy')).toBe(await countOf(ours, 'copy'))
    } finally {
      ours.close()
      theirs.close()
    }
  })
})
