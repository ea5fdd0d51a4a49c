/** Commands that a pipeline repeats are timed together: the statistics lose none, and nothing slow escapes notice. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { startServer } from '../support/server.ts'

const open: { close(): unknown }[] = []
let c: Connection
beforeEach(async () => {
  const server = await startServer()
  c = await Connection.open({ port: server.port })
  open.push(server, c)
})
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

const repeat = (count: number, ...command: string[]): string[][] => Array.from({ length: count }, () => command)

async function stats(name: string): Promise<Record<string, number>> {
  const line = new RegExp(`^cmdstat_${name}:(.*)\r$`, 'm').exec(String(await c.get('INFO', 'commandstats')))?.[1] ?? ''
  return Object.fromEntries(line.split(',').map((field) => [field.split('=')[0], Number(field.split('=')[1])]))
}

test('calls are counted exactly, whatever the runs are broken by', async () => {
  await c.pipeline([...repeat(50, 'SET', 'k', 'v'), ...repeat(9, 'GET', 'k'), ['PING'], ...repeat(3, 'GET', 'k')])
  await c.pipeline([...repeat(5, 'GET', 'k'), ['GET'], ...repeat(2, 'GET', 'k'), ['LLEN', 'k'], ['LLEN', 'k'], ['LLEN', 'none']])
  expect(await stats('set')).toMatchObject({ calls: 50, rejected_calls: 0, failed_calls: 0 })
  expect(await stats('get')).toMatchObject({ calls: 19, rejected_calls: 1, failed_calls: 0 })
  expect(await stats('llen')).toMatchObject({ calls: 3, failed_calls: 2 })
  expect(await c.get('INFO', 'stats')).toMatch(/total_commands_processed:7[4-9]\r/)
})

test('every call is in the histogram', async () => {
  await c.pipeline([...repeat(64, 'INCR', 'n'), ...repeat(64, 'INCR', 'n'), ['PING'], ['INCR', 'n']])
  const histogram = String(JSON.stringify(await c.get('LATENCY', 'HISTOGRAM', 'incr'), (_, v) => (v instanceof Map ? [...v] : v)))
  expect(histogram).toContain('"calls",129')
})

test('clients served in between count for themselves', async () => {
  const port = c.socket.remotePort ?? 0
  const waiting = await Connection.open({ port })
  open.push(waiting)
  waiting.send('BLPOP', 'list', '0')
  while (!String(await c.get('CLIENT', 'LIST')).includes('flags=b')) await c.get('PING')
  await c.pipeline(repeat(20, 'LPUSH', 'list', 'x'))
  expect((await waiting.readRaw()).toString()).toContain('list')
  expect(await stats('lpush')).toMatchObject({ calls: 20 })
  expect(await stats('blpop')).toMatchObject({ calls: 1 })
})

test('a batch that stops in the middle leaves no run behind', async () => {
  await c.get('SET', 'big', 'x'.repeat(1_300_000))
  await c.get('SET', 'small', 'x')
  await c.pipeline(repeat(2, 'GET', 'big'))
  for (let i = 0; i < 5; i++) await c.get('GET', 'small')
  expect(await stats('get')).toMatchObject({ calls: 7 })
})

test('with slowlog-log-slower-than 0 each command is logged by itself', async () => {
  await c.pipeline([['CONFIG', 'SET', 'slowlog-log-slower-than', '0'], ['SLOWLOG', 'RESET'], ...repeat(10, 'SET', 'k', 'v')])
  expect(await c.get('SLOWLOG', 'LEN')).toBeGreaterThanOrEqual(10)
})
