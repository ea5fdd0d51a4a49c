/** node-redis against respd, in RESP2 and in RESP3. */
import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

describe.each([2, 3] as const)('node-redis, RESP%i', (RESP) => {
  const server = useServer()
  const connect = () => createClient({ socket: { port: server.port, host: '127.0.0.1' }, RESP }).connect()
  let client: Awaited<ReturnType<typeof connect>>

  beforeAll(async () => {
    client = await connect()
  })
  afterAll(() => client.close())
  beforeEach(async () => {
    await client.flushAll()
  })

  test('strings and numbers', async () => {
    expect(await client.set('k', 'v')).toBe('OK')
    expect(await client.get('k')).toBe('v')
    expect(await client.get('nokey')).toBeNull()
    expect(await client.set('k', 'w', { condition: 'NX' })).toBeNull()
    expect(await client.incrBy('n', 5)).toBe(5)
    expect(await client.mGet(['k', 'nokey', 'n'])).toEqual(['v', null, '5'])
    await expect(client.incr('k')).rejects.toThrow('ERR value is not an integer or out of range')
  })

  test('times to live', async () => {
    await client.set('k', 'v', { expiration: { type: 'EX', value: 100 } })
    expect(await client.ttl('k')).toBe(100)
    expect(await client.expire('k', 200, 'GT')).toBe(1)
    expect(await client.persist('k')).toBe(1)
    expect(await client.ttl('k')).toBe(-1)
  })

  test('commands sent at once are answered in order', async () => {
    const numbers = Array.from({ length: 1000 }, (_, i) => i)
    expect(await Promise.all(numbers.map(() => client.incr('n')))).toEqual(numbers.map((i) => i + 1))
  })

  test('a transaction, and one given up because a watched key changed', async () => {
    expect(await client.multi().set('a', '1').incr('a').exec()).toEqual(['OK', 2])
    const other = await connect()
    await client.watch('a')
    await other.set('a', 'changed')
    await expect(client.multi().set('a', 'mine').exec()).rejects.toThrow()
    expect(await client.get('a')).toBe('changed')
    await other.close()
  })

  test('scans every key', async () => {
    const keys = Array.from({ length: 300 }, (_, i) => `key:${i}`)
    await client.mSet(keys.map((key) => [key, 'v'] as [string, string]))
    const seen = new Set<string>()
    for await (const page of client.scanIterator({ MATCH: 'key:*', COUNT: 50 })) for (const key of page) seen.add(key)
    expect(seen.size).toBe(300)
  })

  test('says hello with a name and a database', async () => {
    const named = await createClient({ socket: { port: server.port, host: '127.0.0.1' }, RESP, name: 'worker', database: 2 }).connect()
    expect(await named.clientGetName()).toBe('worker')
    await named.set('k', 'two')
    expect(await client.get('k')).toBeNull()
    await named.close()
  })
})
