/** Buffers that are kept to be used again count as memory, so they must go before keys do, and by themselves. */
import { expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { startServer } from '../support/server.ts'

const info = async (client: Connection, field: string): Promise<number> =>
  Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(String(await client.get('INFO', 'everything')))?.[1])

test('no key is evicted for the buffer of a large argument that is gone, and the buffer goes too', async () => {
  const server = await startServer({ clock: 'manual' })
  const client = await Connection.open({ port: server.port })
  try {
    await client.get('SET', 'k', 'v')
    const before = await info(client, 'used_memory')
    await client.get('SET', 'large', 'x'.repeat(3_000_000))
    await client.get('DEL', 'large')
    server.clock.advance(200)
    expect(await info(client, 'used_memory')).toBeGreaterThan(before + 2_000_000)
    await client.get('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru', 'maxmemory', before + 500_000)
    expect(await client.get('GET', 'k')).toBe('v')
    expect(await info(client, 'evicted_keys')).toBe(0)

    await client.get('CONFIG', 'SET', 'maxmemory', 0)
    await client.get('SET', 'large', 'x'.repeat(3_000_000))
    await client.get('DEL', 'large')
    server.clock.advance(200)
    expect(await info(client, 'used_memory')).toBeGreaterThan(before + 2_000_000)
    server.clock.advance(2000)
    expect(await info(client, 'used_memory')).toBeLessThan(before + 100_000)
  } finally {
    client.close()
    await server.close()
  }
})
