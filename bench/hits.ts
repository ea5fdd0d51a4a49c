/**
 * Hit rates of a full cache: what a client that asks for a key, and sets it after a miss, finds. Both servers hold the same number of keys:
 * each is filled with so many, and what it then uses becomes its maxmemory. Beside them the rate of a cache that drops exactly the least
 * recently used key.
 */
import { HitCounter } from './hit-counter.ts'
import type { Options } from './options.ts'
import { startServer, type Which } from './servers.ts'
import { fixed, type Table } from './table.ts'
import { exactLru, type Sizes, type Trace, TRACES } from './traces.ts'

const POLICIES = ['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl']

export async function measureHits(options: Options): Promise<Table> {
  // with fewer keys the buffers of the client would weigh too much
  const space = Math.max(20_000, Math.round(options.size / 10))
  const sizes = { space, fits: space / 5, requests: Math.max(2000, Math.round(options.size * 0.3 * options.scale)) }
  const rows: string[][] = []
  for (const trace of options.smoke ? TRACES.slice(0, 1) : TRACES) {
    const exact = exactLru(trace.keys(sizes), sizes.fits)
    for (const policy of POLICIES) {
      if (options.only.length > 0 && !options.only.includes(policy) && !options.only.includes(trace.name)) continue
      const rate = (which: Which) => hitRate(options.commands[which], trace, policy, sizes)
      const [respd, redis] = [await rate('respd'), await rate('redis')]
      const lead = (respd - redis) * 100
      const percent = [respd, redis, exact].map((share) => fixed(share * 100, 2))
      rows.push([trace.name, policy, percent[0], percent[1], `${lead < 0 ? '' : '+'}${fixed(lead, 2)}`, percent[2]])
    }
  }
  const title = `Hits in a full cache, percent: ${sizes.fits} of ${sizes.space} keys fit, ${sizes.requests} requests`
  return { title, head: ['trace', 'policy', 'respd', 'redis', 'lead', 'exact LRU'], rows }
}

async function hitRate(command: string, trace: Trace, policy: string, sizes: Sizes): Promise<number> {
  const server = await startServer(command)
  try {
    const counter = await HitCounter.open(server.port, policy.startsWith('volatile') ? expiry : null)
    await counter.limit(sizes.fits, policy)
    const share = await counter.run(trace.keys(sizes))
    counter.close()
    return share
  } finally {
    await server.stop()
  }
}

/** Times to live that nothing reaches in a run, in an order that has nothing to do with use. */
function expiry(key: number): number {
  return 10_000 + ((Math.imul(key, 0x9e3779b1) >>> 0) % 10_000)
}
