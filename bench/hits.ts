/**
 * Hit rates of a full cache: what a client that asks for a key, and sets it after a miss, finds. Both servers hold the same number of keys:
 * each is filled with so many, and what it then uses becomes its maxmemory, corrected by what it holds once keys come and go (tables may
 * be larger or smaller then). They are asked in turn, so that the same time passes for both.
 * Beside them the rate of a cache that drops exactly the least recently used key.
 */
import { HitCounter } from './hit-counter.ts'
import type { Options } from './options.ts'
import { SERVERS, startServer, type Which } from './servers.ts'
import { fixed, type Table } from './table.ts'
import { exactLru, type Sizes, type Trace, TRACES } from './traces.ts'

const POLICIES = ['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl']

/** Requests in a pipeline. */
const BATCH = 20
/** How often the limit is corrected. */
const CORRECTIONS = 2
/** More than a run takes. */
const SECONDS_TO_LIVE = 10_000

export async function measureHits(options: Options): Promise<Table> {
  // with fewer keys the buffers of the client would weigh too much
  const space = Math.max(20_000, Math.round(options.size / 10))
  const sizes = { space, fits: space / 5, requests: Math.max(2000, Math.round(options.size * 0.3 * options.scale)) }
  const rows: string[][] = []
  for (const trace of options.smoke ? TRACES.slice(0, 1) : TRACES) {
    const exact = exactLru(trace.keys(sizes), sizes.fits)
    for (const policy of POLICIES) {
      if (options.only.length > 0 && !options.only.includes(policy) && !options.only.includes(trace.name)) continue
      const { respd, redis } = await hitRates(options, trace, policy, sizes)
      const lead = (respd - redis) * 100
      const percent = [respd, redis, exact].map((share) => fixed(share * 100, 2))
      rows.push([trace.name, policy, percent[0], percent[1], `${lead < 0 ? '' : '+'}${fixed(lead, 2)}`, percent[2]])
    }
  }
  const title = `Hits in a full cache, percent: ${sizes.fits} of ${sizes.space} keys fit, ${sizes.requests} requests`
  return { title, head: ['trace', 'policy', 'respd', 'redis', 'lead', 'exact LRU'], rows }
}

async function hitRates(options: Options, trace: Trace, policy: string, sizes: Sizes): Promise<Record<Which, number>> {
  const servers = { respd: await startServer(options.commands.respd), redis: await startServer(options.commands.redis) }
  const open = (which: Which) => HitCounter.open(servers[which].port, policy.startsWith('volatile') ? SECONDS_TO_LIVE : 0)
  try {
    for (const which of SERVERS) await limit(await open(which), sizes.fits, policy)
    const counters = { respd: await open('respd'), redis: await open('redis') }
    for (const keys of batches(trace.keys(sizes))) for (const which of SERVERS) await counters[which].get(keys)
    for (const which of SERVERS) counters[which].close()
    return { respd: counters.respd.hits / sizes.requests, redis: counters.redis.hits / sizes.requests }
  } finally {
    for (const which of SERVERS) await servers[which].stop()
  }
}

/** Limits the memory of an empty server to what so many keys take. */
async function limit(counter: HitCounter, keys: number, policy: string): Promise<void> {
  await fill(counter, keys)
  let bytes = await counter.used()
  await counter.limit(bytes, policy)
  for (let round = 0; round < CORRECTIONS; round++) {
    await fill(counter, 2 * keys)
    bytes += Math.round((bytes / keys) * (keys - (await counter.size())))
    await counter.limit(bytes, policy)
  }
  counter.close()
}

async function fill(counter: HitCounter, keys: number): Promise<void> {
  for (let i = 0; i < keys; i += BATCH) await counter.set(Array.from({ length: BATCH }, (_, j) => i + j))
}

function* batches(keys: Iterable<number>): Iterable<number[]> {
  let batch: number[] = []
  for (const key of keys) {
    if (batch.push(key) < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}
