import { expect, test } from 'vitest'
import { dataOf } from '../../src/util/bytes.ts'
import { InProcess } from '../support/in-process.ts'

test('a round lets go of the arrays that were looked at last: a large one would stay until others came', () => {
  const server = new InProcess()
  const bytes = new Uint8Array(8)
  const data = dataOf(bytes)
  expect(dataOf(bytes)).toBe(data)
  server.engine.cron.round()
  expect(dataOf(bytes)).not.toBe(data)
})
