/** Replies that wait for the end of the turn: order, isolation between clients, big replies, clients that go. */
import { expect, test } from 'vitest'
import { useClients } from '../support/server.ts'

const clients = useClients()

test('clients that are served in one turn each get their own replies, in order', async () => {
  const all = await clients(20)
  for (let round = 0; round < 30; round++) {
    const answers = await Promise.all(
      all.map((c, i) => c.pipeline(Array.from({ length: 1 + (i % 5) }, (_, n) => ['ECHO', `${round}:${i}:${n}`]))),
    )
    answers.forEach((replies, i) => replies.forEach((reply, n) => expect(reply.toString()).toContain(`${round}:${i}:${n}\r\n`)))
  }
})

test('a message for a client whose reply still waits comes after that reply', async () => {
  const [subscriber, publisher] = await clients(2)
  for (let round = 0; round < 20; round++) {
    subscriber.send('SUBSCRIBE', 'news')
    publisher.send('PUBLISH', 'news', String(round))
    const first = await subscriber.readRaw()
    expect(first.toString()).toMatch(/subscribe/)
    const count = Number((await publisher.readRaw()).toString().slice(1))
    if (count > 0) expect((await subscriber.readRaw()).toString()).toContain(`\r\n${round}\r\n`)
    subscriber.send('UNSUBSCRIBE', 'news')
    expect((await subscriber.readRaw()).toString()).toMatch(/unsubscribe/)
  }
})

test('replies beyond what the outbox gathers are whole, beside small ones', async () => {
  const [big, ...small] = await clients(8)
  const value = 'x'.repeat(700_000)
  expect(await big.get('SET', 'big', value)).toBe('OK')
  const asked = big.pipeline(Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? ['GET', 'big'] : ['PING'])))
  const pings = small.map((c, i) => c.get('ECHO', String(i)))
  const replies = await asked
  for (let i = 0; i < replies.length; i += 2) {
    expect(replies[i].length).toBe(value.length + '$700000\r\n\r\n'.length)
    expect(replies[i + 1].toString()).toBe('+PONG\r\n')
  }
  expect(await Promise.all(pings)).toEqual(small.map((_, i) => String(i)))
})

test('a client that says QUIT gets the replies before it, and its neighbours theirs', async () => {
  const all = await clients(6)
  const quitters = all.slice(0, 3).map((c) => c.pipeline([['SET', 'a', '1'], ['GET', 'a'], ['QUIT']]))
  const others = all.slice(3).map((c) => c.pipeline([['PING'], ['PING']]))
  for (const replies of await Promise.all(quitters)) expect(replies.map(String)).toEqual(['+OK\r\n', '$1\r\n1\r\n', '+OK\r\n'])
  for (const replies of await Promise.all(others)) expect(replies.map(String)).toEqual(['+PONG\r\n', '+PONG\r\n'])
})

test('a reply above the output limit ends its client alone', async () => {
  const [one, two, three] = await clients(3)
  await one.get('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 1000000 0 0')
  await one.get('SET', 'big', 'x'.repeat(600_000))
  two.send('MGET', 'big', 'big')
  const replies = await Promise.all([one.pipeline([['PING'], ['STRLEN', 'big']]), three.pipeline([['PING']])])
  expect(replies[0].map(String)).toEqual(['+PONG\r\n', ':600000\r\n'])
  expect(replies[1].map(String)).toEqual(['+PONG\r\n'])
  await expect(two.readRaw()).rejects.toThrow()
})
