/** The messages of one turn are shared only as long as they are not too many. */
import { expect, test } from 'vitest'
import { InProcess } from '../support/in-process.ts'

const MB = 1 << 20

test('a turn that publishes much does not pile it up, and no message is lost or out of order', () => {
  const server = new InProcess({ 'client-output-buffer-limit': 'pubsub 0 0 0' })
  const [sub, resp3, publisher] = [server.client(), server.client(), server.client(), server.client()]
  server.run(resp3, ['HELLO', '3'])
  for (const c of [sub, resp3]) server.run(c, ['SUBSCRIBE', 'ch'])
  const publish = (i: number) => server.run(publisher, ['PUBLISH', 'ch', String.fromCharCode(65 + i).repeat(MB)])
  publish(0)
  const logs = [sub.shared, resp3.shared]
  for (let i = 1; i < 20; i++) publish(i)
  for (const log of logs) expect(log?.pos).toBeLessThan(17 * MB)
  publish(20)
  expect([sub.shared, resp3.shared]).toEqual([null, null])
  for (const c of [sub, resp3]) {
    const text = Buffer.from(c.own.take()).toString('latin1')
    expect([...text.matchAll(/\$1048576\r\n(.)/g)].map(([, letter]) => letter).join('')).toBe('ABCDEFGHIJKLMNOPQRSTU')
    expect(text.length).toBe(21 * (c.resp === 3 ? text.indexOf('>', 1) : text.indexOf('*', 1)))
  }
  expect(server.defects).toEqual([])
})

test('one large message is shared all the same', () => {
  const server = new InProcess()
  const [a, b, publisher] = [server.client(), server.client(), server.client()]
  for (const c of [a, b]) server.run(c, ['SUBSCRIBE', 'ch'])
  server.run(publisher, ['PUBLISH', 'ch', 'x'.repeat(17 * MB)])
  expect(a.shared).not.toBeNull()
  expect(b.shared).toBe(a.shared)
})
