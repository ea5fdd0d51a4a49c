/** Eviction through connections: the limit under every policy with every type, what clients hold counts too, and what is told of it. */
import { afterEach, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { type Argument, plain } from '../support/resp.ts'
import { startServer } from '../support/server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options)
  open.push(server)
  const connect = async (): Promise<Connection> => {
    const connection = await Connection.open({ port: server.port })
    open.push(connection)
    return connection
  }
  return { server, connect, client: await connect() }
}

async function info(client: Connection, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(String(await client.get('INFO', 'everything')))?.[1])
}

/** Allows so many bytes more than are in use now. */
async function allow(client: Connection, bytes: number, policy: string): Promise<number> {
  const limit = (await info(client, 'used_memory')) + bytes
  await client.get('CONFIG', 'SET', 'maxmemory-policy', policy, 'maxmemory', limit)
  return limit
}

/** In portions that a slow server reads whole: what is left of a larger one stays behind in a spare buffer, which goes before any key. */
async function all(client: Connection, commands: readonly (readonly Argument[])[]): Promise<void> {
  for (let i = 0; i < commands.length; i += PORTION) {
    for (const reply of await client.pipeline(commands.slice(i, i + PORTION))) {
      if (reply[0] === 45) throw new Error(reply.toString('latin1'))
    }
  }
}
const PORTION = 40

const many = (count: number, command: (i: number) => Argument[]): Argument[][] => Array.from({ length: count }, (_, i) => command(i))
const long = (i: number): string => `${i}`.padEnd(300, 'v')

const WRITES: Record<string, (key: string, i: number) => Argument[]> = {
  string: (key, i) => ['SET', key, long(i).repeat(3)],
  'large string': (key, i) => ['SET', key, long(i).repeat(10)],
  list: (key, i) => ['RPUSH', key, long(i), long(i + 1), long(i + 2)],
  hash: (key, i) => ['HSET', key, 'f', long(i), 'g', long(i + 1), 'h', long(i + 2)],
  set: (key, i) => ['SADD', key, long(i), long(i + 1), long(i + 2)],
  zset: (key, i) => ['ZADD', key, 1, long(i), 2, long(i + 1), 3, long(i + 2)],
  stream: (key, i) => ['XADD', key, '*', 'f', long(i), 'g', long(i + 1)],
}
const ALL_KEYS = ['allkeys-lru', 'allkeys-lfu', 'allkeys-random']
const VOLATILE = ['volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl']
const ROOM = 100_000
const KEYS = 300

describe.each([...ALL_KEYS, ...VOLATILE])('%s', (policy) => {
  test.each(Object.keys(WRITES))('holds the limit with values of type %s', async (type) => {
    const { client } = await start()
    const write = WRITES[type]
    const isVolatile = policy.startsWith('volatile')
    if (isVolatile)
      await all(
        client,
        many(20, (i) => write(`keep:${i}`, i)),
      )
    const limit = await allow(client, ROOM, policy)
    const commands = many(KEYS, (i) => write(`k:${i}`, i)).flatMap((command, i) =>
      isVolatile ? [command, ['EXPIRE', `k:${i}`, 1000 + ((i * 7919) % 1000)]] : [command],
    )
    for (let i = 0; i < commands.length; i += PORTION) {
      await all(client, commands.slice(i, i + PORTION))
      // the last command may go over it, until the next one begins; and so do the buffers of this very client
      expect(await info(client, 'used_memory')).toBeLessThan(limit + 20_000)
    }
    const [keys, evicted] = [Number(await client.get('DBSIZE')), await info(client, 'evicted_keys')]
    expect(evicted).toBeGreaterThan(KEYS / 4)
    expect(keys).toBe(KEYS - evicted + (isVolatile ? 20 : 0))
    if (isVolatile) expect(await client.get('EXISTS', ...many(20, (i) => [`keep:${i}`]).flat())).toBe(20)
    expect(await client.get('DEBUG', 'AUDIT')).toBe('OK')
  })
})

describe('what may go', () => {
  test('a volatile policy without volatile keys refuses as noeviction does', async () => {
    const { client } = await start()
    await all(
      client,
      many(100, (i) => ['SET', `k${i}`, long(i)]),
    )
    await allow(client, -10_000, 'volatile-lru')
    client.send('SET', 'k', 'v')
    expect(plain(await client.read())).toEqual(new Error("OOM command not allowed when used memory > 'maxmemory'."))
    expect(await client.get('DBSIZE')).toBe(100)
    expect(await client.get('EXPIRE', 'k5', 1000)).toBe(1)
    // before the next command there is one that may go
    expect(await client.get('DBSIZE')).toBe(99)
    expect(await client.get('GET', 'k5')).toBe(null)
    expect(await info(client, 'evicted_keys')).toBe(1)
  })

  test('very large collections are freed in slices, and the limit holds in the end', async () => {
    const { client } = await start()
    for (let i = 0; i < 40; i++) await client.get('SADD', 'huge', ...many(1000, (n) => [`${i} member ${n}`]).flat())
    await allow(client, -100_000, 'allkeys-lru')
    await client.get('SET', 'k', 'v')
    expect(await client.get('EXISTS', 'huge')).toBe(0)
    const limit = await info(client, 'maxmemory')
    for (let i = 0; i < 1000 && (await info(client, 'used_memory')) > limit; i++) await client.get('PING')
    expect(await info(client, 'used_memory')).toBeLessThan(limit)
    expect(await client.get('DEBUG', 'AUDIT')).toBe('OK')
  })
})

describe('memory of clients', () => {
  test('replies that a client does not read count, and keys give way to them', async () => {
    const { client, connect } = await start()
    const lazy = await connect()
    await client.get('SET', 'big', 'x'.repeat(100_000))
    await all(
      client,
      many(5000, (i) => ['SET', `k${i}`, long(i)]),
    )
    // the key that is read must stay for a while
    await client.get('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu')
    for (let i = 0; i < 20; i++) await client.get('GET', 'big')
    const limit = await allow(client, 300_000, 'allkeys-lfu')
    expect(await info(client, 'evicted_keys')).toBe(0)
    lazy.socket.pause()
    // more than the kernel takes
    for (let i = 0; i < 400; i++) lazy.send('GET', 'big')
    while ((await info(client, 'evicted_keys')) < 50) await client.get('PING')
    expect(await info(client, 'mem_clients_normal')).toBeGreaterThan(300_000)
    expect(Number(await client.get('DBSIZE'))).toBeLessThan(4952)
    lazy.close()
    while ((await info(client, 'mem_clients_normal')) > 200_000) await client.get('PING')
    expect(await info(client, 'used_memory')).toBeLessThan(limit)
  })

  test('queued commands of a transaction count', async () => {
    const { client, connect } = await start()
    await all(
      client,
      many(1000, (i) => ['SET', `k${i}`, long(i)]),
    )
    const before = await info(client, 'mem_clients_normal')
    const other = await connect()
    await other.get('MULTI')
    for (let i = 0; i < 100; i++) await other.get('SET', `k${i}`, 'x'.repeat(10_000))
    expect((await info(client, 'mem_clients_normal')) - before).toBeGreaterThan(1_000_000)
    // one command evicts for as long as it takes
    await client.get('CONFIG', 'SET', 'maxmemory-eviction-tenacity', 100)
    await allow(client, -100_000, 'allkeys-lru')
    expect(await info(client, 'evicted_keys')).toBeGreaterThan(100)
    await other.get('DISCARD')
    expect((await info(client, 'mem_clients_normal')) - before).toBeLessThan(100_000)
  })

  test.each(['output', 'query', 'transaction'])('maxmemory-clients closes who holds too much: %s', async (kind) => {
    const { client, connect } = await start({ 'maxmemory-clients': '4mb' })
    const greedy = await connect()
    const modest = await connect()
    await client.get('SET', 'big', 'x'.repeat(500_000))
    if (kind === 'output') {
      greedy.socket.pause()
      for (let i = 0; i < 60; i++) greedy.send('GET', 'big')
    } else if (kind === 'query') greedy.write(`*2\r\n$4\r\nECHO\r\n$9000000\r\n${'x'.repeat(5_000_000)}`)
    else {
      greedy.send('MULTI')
      for (let i = 0; i < 12; i++) greedy.send('SET', 'k', 'x'.repeat(500_000))
    }
    while ((await info(client, 'evicted_clients')) === 0) await client.get('PING')
    greedy.socket.resume()
    expect(await greedy.closes()).toBe(true)
    expect(await modest.get('PING')).toBe('PONG')
    expect(await info(client, 'evicted_clients')).toBe(1)
    expect(await info(client, 'mem_clients_normal')).toBeLessThan(4 * 2 ** 20)
  })
})

describe('what is told', () => {
  test('one evicted event for each key that was evicted, in its database, and no other', async () => {
    const { client, connect } = await start({ 'notify-keyspace-events': 'EA' })
    const listener = await connect()
    await client.get('SELECT', 3)
    await allow(client, 50_000, 'allkeys-lru')
    await listener.get('PSUBSCRIBE', '__keyevent@*__:evicted', '__keyevent@*__:del')
    await listener.read()
    await all(
      client,
      many(300, (i) => ['SET', `k${i}`, long(i)]),
    )
    const evicted = await info(client, 'evicted_keys')
    const names = new Set<unknown>()
    for (let i = 0; i < evicted; i++) {
      const [, , channel, name] = plain(await listener.read()) as unknown[]
      expect(channel).toBe('__keyevent@3__:evicted')
      names.add(name)
    }
    expect(names.size).toBe(evicted)
    expect(Number(await client.get('DBSIZE'))).toBe(300 - evicted)
    for (const name of names) expect(await client.get('EXISTS', String(name))).toBe(0)
  })

  test('watchers, trackers and blocked clients hear of an evicted key', async () => {
    const { client, connect } = await start()
    const [watcher, tracker] = [await connect(), await connect()]
    await client.get('SET', 'k', long(1))
    await watcher.get('WATCH', 'k')
    await tracker.get('HELLO', 3)
    await tracker.get('CLIENT', 'TRACKING', 'ON')
    await tracker.get('GET', 'k')
    await client.get('CONFIG', 'SET', 'maxmemory-eviction-tenacity', 100)
    await client.get('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random', 'maxmemory', 1)
    expect(await client.get('EXISTS', 'k')).toBe(0)
    const push = await tracker.read()
    expect([push.type, plain(push)]).toEqual(['push', ['invalidate', ['k']]])
    await client.get('CONFIG', 'SET', 'maxmemory', 0)
    await watcher.get('MULTI')
    await watcher.get('SET', 'other', 'v')
    expect(await watcher.get('EXEC')).toBe(null)
  })

  test('INFO counts the time above the limit, in all and now', async () => {
    const { client, server } = await start({ clock: 'manual' })
    await all(
      client,
      many(100, (i) => ['SET', `k${i}`, long(i)]),
    )
    const times = async (): Promise<number[]> => [
      await info(client, 'total_eviction_exceeded_time'),
      await info(client, 'current_eviction_exceeded_time'),
    ]
    expect(await times()).toEqual([0, 0])
    await allow(client, -10_000, 'noeviction')
    await client.get('PING')
    server.clock.advance(1500)
    expect(await times()).toEqual([1500, 1500])
    await client.get('FLUSHALL')
    await client.get('PING')
    server.clock.advance(1000)
    expect(await times()).toEqual([1500, 0])
    await client.get('CONFIG', 'RESETSTAT')
    expect(await times()).toEqual([0, 0])
  })
})
