/** Subscribers and client-side caches of ioredis and node-redis, in both protocols. */
import { Redis } from 'ioredis'
import { BasicClientSideCache, createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { seeded } from '../support/random.ts'
import { plain } from '../support/resp.ts'
import { startServer, useServer } from '../support/server.ts'

const server = useServer({ 'notify-keyspace-events': 'KEA' })
const cleanups: (() => unknown)[] = []
let redis: Redis

const connect = (): Redis => {
  const client = new Redis({ port: server.port, host: '127.0.0.1' })
  cleanups.push(() => client.disconnect())
  return client
}

beforeEach(async () => {
  redis = connect()
  await redis.flushall()
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** Collects until there are so many. */
function collector<T>(count: number): { push(item: T): void; all: Promise<T[]> } {
  const items: T[] = []
  let done: (items: T[]) => void
  const all = new Promise<T[]>((resolve) => {
    done = resolve
  })
  return { all, push: (item) => void (items.push(item) === count && done(items)) }
}

describe('ioredis', () => {
  test('gets messages of channels and patterns, text and bytes', async () => {
    const sub = connect()
    const got = collector<string>(3)
    sub.on('message', (channel, message) => got.push(`${channel}=${message}`))
    sub.on('pmessage', (pattern, channel, message) => got.push(`${pattern} ${channel}=${message}`))
    expect(await sub.subscribe('news', 'sport')).toBe(2)
    expect(await sub.psubscribe('n*')).toBe(3)
    expect(await redis.publish('news', 'höhö')).toBe(2)
    expect(await redis.publish('sport', '')).toBe(1)
    expect(await got.all).toEqual(['news=höhö', 'n* news=höhö', 'sport='])
    expect(await sub.unsubscribe('news')).toBe(2)
    expect(await redis.pubsub('CHANNELS')).toEqual(['sport'])
  })

  test('hears of expired keys', async () => {
    const sub = connect()
    const got = collector<string>(1)
    sub.on('message', (_channel, message) => got.push(message))
    await sub.subscribe('__keyevent@0__:expired')
    await redis.set('session', 'x', 'PX', 5)
    expect(await got.all).toEqual(['session'])
  })

  test('keeps the order of 5,000 messages', async () => {
    const sub = connect()
    const got = collector<string>(5_000)
    sub.on('message', (_channel, message) => got.push(message))
    await sub.subscribe('count')
    const batch = redis.pipeline()
    for (let i = 0; i < 5_000; i++) batch.publish('count', String(i))
    await batch.exec()
    expect(await got.all).toEqual(Array.from({ length: 5_000 }, (_, i) => String(i)))
  })
})

test('many channels and patterns in one turn: everybody gets their messages, in order', async () => {
  const random = seeded(20240607)
  const CHANNELS = ['a', 'b', 'c', 'ab']
  const PATTERNS = ['a*', '?', '*b']
  const matches: Record<string, (name: string) => boolean> = {
    'a*': (name) => name.startsWith('a'),
    '?': (name) => name.length === 1,
    '*b': (name) => name.endsWith('b'),
  }
  const some = (names: readonly string[]): string[] => names.filter(() => random.chance(0.5))
  const subscribers = await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      const connection = await Connection.open(server.address, i % 3 === 0 ? 3 : 2)
      cleanups.push(() => connection.close())
      const channels = some(CHANNELS)
      const patterns = i % 2 === 0 ? [] : some(PATTERNS)
      for (const channel of channels) connection.send('SUBSCRIBE', channel)
      for (const pattern of patterns) connection.send('PSUBSCRIBE', pattern)
      for (let left = channels.length + patterns.length; left > 0; left--) await connection.read()
      return { connection, channels, patterns }
    }),
  )
  const publisher = await Connection.open(server.address)
  cleanups.push(() => publisher.close())
  const sent: [string, string][] = Array.from({ length: 400 }, (_, i) => [random.pick(CHANNELS), `message ${i}`])
  await publisher.pipeline(sent.map(([channel, text]) => ['PUBLISH', channel, text]))
  for (const { connection, channels, patterns } of subscribers) {
    for (const [channel, text] of sent) {
      const expected = new Set(patterns.filter((pattern) => matches[pattern](channel)).map((p) => `pmessage ${p} ${channel} ${text}`))
      if (channels.includes(channel)) expect((plain(await connection.read()) as string[]).join(' ')).toBe(`message ${channel} ${text}`)
      while (expected.size > 0) expect(expected.delete((plain(await connection.read()) as string[]).join(' '))).toBe(true)
    }
    expect(await connection.call('PING').then((r) => JSON.stringify(plain(r)))).toMatch(/PONG|pong/)
  }
})

describe.each([2, 3] as const)('node-redis, RESP%i', (RESP) => {
  const open = async (options = {}): Promise<ReturnType<typeof createClient>> => {
    const client = createClient({ url: server.server.url, RESP, ...options })
    client.on('error', () => {})
    await client.connect()
    cleanups.push(() => client.close())
    return client as unknown as ReturnType<typeof createClient>
  }

  test('gets messages of channels, patterns and shard channels', async () => {
    const [pub, sub] = [await open(), await open()]
    const got = collector<string>(3)
    await sub.subscribe('news', (message, channel) => got.push(`${channel}=${message}`))
    await sub.pSubscribe('n?ws', (message, channel) => got.push(`pattern ${channel}=${message}`))
    await sub.sSubscribe('shard', (message, channel) => got.push(`shard ${channel}=${message}`))
    expect(await pub.publish('news', 'hello')).toBe(2)
    expect(await pub.sPublish('shard', 'hello')).toBe(1)
    expect(await got.all).toEqual(['news=hello', 'pattern news=hello', 'shard shard=hello'])
    await sub.unsubscribe('news')
    await sub.pUnsubscribe()
    expect(await pub.publish('news', 'gone')).toBe(0)
  })

  test('subscribes while it asks', { skip: RESP === 2 }, async () => {
    const client = await open()
    const got = collector<string>(1)
    await client.subscribe('news', (message) => got.push(message))
    await client.set('k', 'v')
    expect(await client.publish('news', 'to myself')).toBe(1)
    expect(await client.get('k')).toBe('v')
    expect(await got.all).toEqual(['to myself'])
  })

  test('comes back after the server went', async () => {
    const first = await startServer()
    const sub = createClient({ url: first.url, RESP, socket: { reconnectStrategy: 10 } })
    sub.on('error', () => {})
    await sub.connect()
    cleanups.push(() => sub.close())
    const got = collector<string>(1)
    await sub.subscribe('news', (message) => got.push(message))
    const ready = new Promise((resolve) => sub.once('ready', resolve))
    await first.close()
    const second = await startServer({ port: first.port })
    cleanups.push(() => second.close())
    await ready
    const pub = new Redis({ port: second.port, host: '127.0.0.1' })
    cleanups.push(() => pub.disconnect())
    while ((await pub.publish('news', 'again')) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await got.all)[0]).toBe('again')
  })
})

test('node-redis keeps what it read until somebody changes it', async () => {
  const cache = new BasicClientSideCache({ ttl: 0, maxEntries: 0, evictPolicy: 'LRU' })
  const client = createClient({ url: server.server.url, RESP: 3, clientSideCache: cache })
  client.on('error', () => {})
  await client.connect()
  cleanups.push(() => client.close())
  await redis.set('k', '1')
  expect(await client.get('k')).toBe('1')
  expect(await client.get('k')).toBe('1')
  expect(cache.stats()).toMatchObject({ hitCount: 1, missCount: 1 })
  const gone = new Promise<void>((resolve) => cache.once('invalidate', () => resolve()))
  await redis.set('k', '2')
  await gone
  expect(await client.get('k')).toBe('2')
  expect(cache.stats()).toMatchObject({ hitCount: 1, missCount: 2 })
  const flushed = new Promise<void>((resolve) => cache.once('invalidate', () => resolve()))
  await redis.flushall()
  await flushed
  expect(await client.get('k')).toBeNull()
})
