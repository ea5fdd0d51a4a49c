/** SET on servers that are full, so that each new key costs an old one. */
import { type Command, padded } from './load.ts'
import type { Options } from './options.ts'
import { type MeasuredServer, SERVERS, startServer } from './servers.ts'
import type { Table } from './table.ts'
import { HEAD, measure, row } from './throughput.ts'
import type { Workload } from './workloads.ts'

const POLICIES = ['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-ttl']
const PIPELINE = 16
/** maxmemory for each key of the benchmark's size, and the number of keys drawn, as a multiple of it: few are there already. */
const BYTES_PER_KEY = 100
const SPREAD = 10
const VALUE = 'x'.repeat(64)

export async function measureEviction(options: Options): Promise<Table> {
  const rows: string[][] = []
  const limit = Math.max(4e6, options.size * BYTES_PER_KEY)
  for (const policy of POLICIES) {
    if (options.only.length > 0 && !options.only.includes(policy)) continue
    const expiry = policy.startsWith('volatile') ? ['EX', '100000'] : []
    const workload: Workload = { name: policy, pipelines: [PIPELINE], command: ['SET', 'key:__rand_int__', VALUE, ...expiry] }
    const servers = { respd: await startServer(options.commands.respd), redis: await startServer(options.commands.redis) }
    try {
      for (const which of SERVERS) await fillUp(servers[which], policy, limit, expiry)
      const figures = await measure(servers, workload, PIPELINE, { ...options, size: options.size * SPREAD })
      rows.push(row(workload, PIPELINE, figures))
    } finally {
      for (const which of SERVERS) await servers[which].stop()
    }
  }
  return { title: `SET of new keys on a server that is full with ${limit} bytes`, head: HEAD, rows }
}

/** More keys than fit, of other names than those that are measured. */
async function fillUp(server: MeasuredServer, policy: string, limit: number, expiry: readonly string[]): Promise<void> {
  const connection = await server.connect()
  await connection.load([['CONFIG', 'SET', 'maxmemory', limit, 'maxmemory-policy', policy]])
  await connection.load(keys(Math.ceil(limit / VALUE.length), expiry))
  connection.close()
}

function* keys(count: number, expiry: readonly string[]): Iterable<Command> {
  for (let i = 0; i < count; i++) yield ['SET', `old:${padded(i)}`, VALUE, ...expiry]
}
