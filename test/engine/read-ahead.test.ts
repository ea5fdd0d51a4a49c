/** What is read ahead changes no answer: many keys and members at once, in databases and collections large enough for it. */
import { beforeEach, expect, test } from 'vitest'
import type { Connection } from '../support/connection.ts'
import { useClients } from '../support/server.ts'

const clients = useClients()
const COUNT = 5000
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)
let c: Connection

beforeEach(async () => {
  ;[c] = await clients(1)
  await c.pipeline(range(0, COUNT).map((i) => ['SET', `key:${i}`, `value ${i}`]))
})

const integers = (replies: Buffer[]): number[] => replies.map((reply) => Number(reply.toString().slice(1)))

test('of commands with many keys, some of which are not there, are no strings, or come twice', async () => {
  await c.get('RPUSH', 'list', 'x')
  const asked = range(0, 300).map((i) => (i % 7 === 0 ? `none:${i}` : i % 11 === 0 ? 'list' : `key:${i % 150}`))
  const expected = asked.map((key) => (key.startsWith('key:') ? `value ${key.slice(4)}` : null))
  expect(await c.get('MGET', ...asked)).toEqual(expected)
  expect(await c.get('EXISTS', ...asked)).toBe(asked.filter((key) => !key.startsWith('none:')).length)
  expect(await c.get('MSET', ...range(100, 250).flatMap((i) => [`key:${i}`, `new ${i}`]))).toBe('OK')
  expect(await c.get('MGET', ...range(0, 300).map((i) => `key:${i}`))).toEqual(
    range(0, 300).map((i) => (i >= 100 && i < 250 ? `new ${i}` : `value ${i}`)),
  )
  expect(await c.get('DEL', ...asked)).toBe(new Set(asked.filter((key) => !key.startsWith('none:'))).size)
  expect(await c.get('MGET', ...asked)).toEqual(asked.map(() => null))
})

test('of members of large sets, hashes and sorted sets, and of what is none of these', async () => {
  await c.pipeline(range(0, COUNT).map((i) => ['SADD', 'set', `m${i}`]))
  await c.pipeline(range(0, COUNT).map((i) => ['HSET', 'hash', `f${i}`, String(i)]))
  await c.pipeline(range(0, COUNT).map((i) => ['ZADD', 'zset', String(i), `m${i}`]))
  expect(integers(await c.pipeline(range(4900, 5100).map((i) => ['SISMEMBER', 'set', `m${i}`])))).toEqual(
    range(4900, 5100).map((i) => +(i < COUNT)),
  )
  expect(integers(await c.pipeline(range(4990, 5010).map((i) => ['HSET', 'hash', `f${i}`, 'x'])))).toEqual(
    range(4990, 5010).map((i) => +(i >= COUNT)),
  )
  const kinds = ['set', 'key:1', 'none', 'zset', 'hash', 'key:2'].map((key) => ['SREM', key, 'm7'])
  const answers = (await c.pipeline(kinds)).map((reply) => reply.toString().slice(0, 6))
  expect(answers).toEqual([':1\r\n', '-WRONG', ':0\r\n', '-WRONG', '-WRONG', '-WRONG'])
  expect(integers(await c.pipeline(range(0, 100).map((i) => ['ZRANK', 'zset', `m${i * 49}`])))).toEqual(range(0, 100).map((i) => i * 49))
})

test('of pops off both ends of a sorted set, down to nothing', async () => {
  await c.pipeline(range(0, 1000).map((i) => ['ZADD', 'zset', String((i * 7919) % 1000), `m${(i * 7919) % 1000}`]))
  const popped = await c.pipeline(range(0, 1000).map((i) => [i % 3 === 0 ? 'ZPOPMAX' : 'ZPOPMIN', 'zset']))
  let [low, high] = [0, 999]
  popped.forEach((reply, i) => {
    const score = i % 3 === 0 ? high-- : low++
    expect(reply.toString()).toContain(`\r\nm${score}\r\n`)
  })
  expect(await c.get('EXISTS', 'zset')).toBe(0)
})
