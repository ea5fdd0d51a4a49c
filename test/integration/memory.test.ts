/** Memory: limits, eviction, what INFO says of it, and hot keys, through connections. */
import { describe, expect, test } from 'vitest'
import type { Connection } from '../support/connection.ts'
import { useServers } from '../support/server.ts'

const start = useServers()

async function info(client: Connection, field: string): Promise<number> {
  const text = String(await client.get('INFO', 'everything'))
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1])
}

async function limitTo(client: Connection, policy: string, bytes: number): Promise<number> {
  const limit = (await info(client, 'used_memory')) + bytes
  await client.get('CONFIG', 'SET', 'maxmemory-policy', policy, 'maxmemory', String(limit))
  return limit
}

const WRITES: Record<string, (i: number) => string[]> = {
  string: (i) => ['SET', `k${i}`, 'v'.repeat(200)],
  list: (i) => ['RPUSH', `k${i}`, 'a'.repeat(100), 'b'.repeat(100)],
  hash: (i) => ['HSET', `k${i}`, 'f', 'a'.repeat(100), 'g', 'b'.repeat(100)],
  set: (i) => ['SADD', `k${i}`, 'a'.repeat(100), 'b'.repeat(100)],
  zset: (i) => ['ZADD', `k${i}`, '1', 'a'.repeat(100), '2', 'b'.repeat(100)],
  stream: (i) => ['XADD', `k${i}`, '*', 'f', 'a'.repeat(200)],
}

describe('maxmemory', () => {
  test.each(Object.keys(WRITES))('allkeys-lru holds the limit with values of type %s', async (type) => {
    const client = await (await start())()
    const limit = await limitTo(client, 'allkeys-lru', 300_000)
    for (let i = 0; i < 3000; i++) client.send(...WRITES[type](i))
    for (let i = 0; i < 3000; i++) expect((await client.read()).type).not.toBe('error')
    expect(await info(client, 'used_memory')).toBeLessThan(limit + 20_000)
    expect(await info(client, 'evicted_keys')).toBeGreaterThan(1000)
  })

  test('noeviction refuses what takes memory, and nothing else; a transaction too', async () => {
    const client = await (await start())()
    await limitTo(client, 'noeviction', 50_000)
    const oom = "OOM command not allowed when used memory > 'maxmemory'."
    let i = 0
    for (; i < 1000; i++) {
      client.send('SET', `k${i}`, 'v'.repeat(500))
      const reply = await client.read()
      if (reply.type === 'error') {
        expect(reply.text).toBe(oom)
        break
      }
    }
    expect(i).toBeLessThan(200)
    expect(await client.get('DBSIZE')).toBe(i)
    expect(await client.get('GET', 'k0')).toBe('v'.repeat(500))
    client.send('LPUSH', 'l', 'x')
    expect(await client.read()).toEqual({ type: 'error', text: oom })
    expect(await client.get('EXISTS', 'l')).toBe(0)
    for (let k = 0; k < i; k++) expect(await client.get('DEL', `k${k}`)).toBe(1)
    expect(await client.get('SET', 'k', 'v')).toBe('OK')
  })

  test('evictions are told to subscribers', async () => {
    const connect = await start({ 'notify-keyspace-events': 'Ee' })
    const [client, listener] = [await connect(), await connect()]
    await listener.get('SUBSCRIBE', '__keyevent@0__:evicted')
    await limitTo(client, 'allkeys-random', 50_000)
    for (let i = 0; i < 300; i++) await client.get('SET', `k${i}`, 'v'.repeat(500))
    expect(JSON.stringify(await listener.read())).toMatch(/evicted.*k\d+/)
  })

  test('a percentage is of the memory that the machine or the container has', async () => {
    const client = await (await start({ maxmemory: '50%' }))()
    expect(await client.get('CONFIG', 'GET', 'maxmemory')).toEqual(['maxmemory', '50%'])
    expect(await info(client, 'maxmemory')).toBeGreaterThan(1e8)
  })

  test('maxmemory-clients closes the largest client, not the one that may not be evicted', async () => {
    const connect = await start({ 'maxmemory-clients': '1mb' })
    const [control, large, protectedOne] = [await connect(), await connect(), await connect()]
    await protectedOne.get('CLIENT', 'NO-EVICT', 'on')
    protectedOne.write(Buffer.from(`*2\r\n$4\r\nECHO\r\n$900000\r\n${'x'.repeat(600_000)}`))
    large.write(Buffer.from(`*2\r\n$4\r\nECHO\r\n$800000\r\n${'x'.repeat(500_000)}`))
    expect(await large.closes()).toBe(true)
    expect(await info(control, 'evicted_clients')).toBe(1)
    expect(await info(control, 'connected_clients')).toBe(2)
  })
})

describe('HOTKEYS', () => {
  test('counts the keys that cost most, while a session runs', async () => {
    const client = await (await start())()
    expect(await client.get('HOTKEYS', 'GET')).toBe(null)
    expect(await client.get('HOTKEYS', 'START', 'METRICS', '2', 'CPU', 'NET', 'COUNT', '2')).toBe('OK')
    for (let i = 0; i < 200; i++) await client.get('SET', 'hot', 'v'.repeat(300))
    for (let i = 0; i < 300; i++) await client.get('SET', `cold:${i}`, 'v')
    const flat = (await client.get('HOTKEYS', 'GET')) as unknown[]
    const fields = new Map(Array.from({ length: flat.length / 2 }, (_, i) => [flat[i * 2] as string, flat[i * 2 + 1]]))
    expect([...fields.keys()]).toEqual([
      'tracking-active',
      'sample-ratio',
      'selected-slots',
      'all-commands-all-slots-us',
      'net-bytes-all-commands-all-slots',
      'collection-start-time-unix-ms',
      'collection-duration-ms',
      'total-cpu-time-user-ms',
      'total-cpu-time-sys-ms',
      'total-net-bytes',
      'by-cpu-time-us',
      'by-net-bytes',
    ])
    expect(fields.get('tracking-active')).toBe(1)
    expect((fields.get('by-net-bytes') as unknown[])[0]).toBe('hot')
    expect((fields.get('by-net-bytes') as number[])[1]).toBeGreaterThan(200 * 300)
    expect((fields.get('by-net-bytes') as unknown[]).length).toBe(4)
    expect(await client.get('HOTKEYS', 'STOP')).toBe('OK')
    expect(((await client.get('HOTKEYS', 'GET')) as unknown[])[1]).toBe(0)
    expect(await client.get('HOTKEYS', 'RESET')).toBe('OK')
    expect(await client.get('HOTKEYS', 'GET')).toBe(null)
  })

  test('options are checked', async () => {
    const client = await (await start())()
    const wrong = async (...args: string[]): Promise<string> => {
      client.send('HOTKEYS', 'START', ...args)
      const reply = await client.read()
      return reply.type === 'error' ? reply.text : 'accepted'
    }
    expect(await wrong('COUNT', '5')).toBe('ERR METRICS parameter is required')
    expect(await wrong('METRICS', '1', 'DISK')).toBe('ERR syntax error')
    expect(await wrong('METRICS', '2', 'CPU')).toBe('ERR syntax error')
    expect(await wrong('METRICS', '1', 'CPU', 'SLOTS', '1', '16384')).toBe('ERR slot must be between 0 and 16383')
    expect(await wrong('METRICS', '1', 'CPU', 'SLOTS', '2', '0', '1', 'DURATION', '10', 'SAMPLE', '2')).toBe('accepted')
    expect(await wrong('METRICS', '1', 'CPU')).toBe('ERR hotkey tracking session already in progress')
  })
})
