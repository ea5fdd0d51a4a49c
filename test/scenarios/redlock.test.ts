/** Redlock over five servers: a majority decides, so one of them may die while the lock is held. */
import { Redis } from 'ioredis'
import Redlock from 'redlock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RespdServer } from '../../src/index.ts'
import { startServer } from '../support/server.ts'

const INSTANCES = 5
const LEASE_MS = 10_000
let servers: RespdServer[]
let clients: Redis[]

beforeAll(async () => {
  servers = await Promise.all(Array.from({ length: INSTANCES }, () => startServer()))
  clients = servers.map(({ port }) => {
    const client = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => null })
    client.on('error', () => {})
    return client
  })
  await Promise.all(clients.map((client) => new Promise((resolve) => client.once('ready', resolve))))
})
afterAll(async () => {
  for (const client of clients) client.disconnect()
  await Promise.all(servers.map((server) => server.close()))
})

test('a lock outlives the death of one of five servers, and excludes others before and after', async () => {
  const mine = new Redlock(clients, { retryCount: 0 })
  const other = new Redlock(clients, { retryCount: 0 })
  const lock = await mine.lock('resource', LEASE_MS)
  await expect(other.lock('resource', LEASE_MS)).rejects.toThrow()

  await servers[2].close()
  await expect(other.lock('resource', LEASE_MS)).rejects.toThrow()
  const extended = await lock.extend(LEASE_MS)
  await extended.unlock()
  const taken = await other.lock('resource', LEASE_MS)
  await expect(mine.lock('resource', LEASE_MS)).rejects.toThrow()
  await taken.unlock()
})
