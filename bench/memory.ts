/**
 * Bytes per element: how much a new server grows by a million of them, by its resident memory and by what it says it has allocated. The
 * first includes what it needs for the first time: code that is compiled, buffers.
 */

import type { Options } from './options.ts'
import { rssBytes, sleep, startServer } from './servers.ts'
import { fixed, ratio, type Table } from './table.ts'
import { HitCounter } from './hit-counter.ts'
import { SHAPES, type Shape } from './workloads.ts'

type Growth = { resident: number; allocated: number; emptyMb: number }

const SETTLE_MS = 1500

export async function measureMemory(options: Options): Promise<Table> {
  const rows: string[][] = []
  for (const shape of SHAPES) {
    if (options.only.length > 0 && !options.only.includes(shape.name)) continue
    const respd = await growth(options.commands.respd, shape, options.size)
    const redis = await growth(options.commands.redis, shape, options.size)
    const empty = `${fixed(respd.emptyMb, 0)} / ${fixed(redis.emptyMb, 0)}`
    const compared = (figure: 'resident' | 'allocated') => [
      fixed(respd[figure], 1),
      fixed(redis[figure], 1),
      ratio(respd[figure], redis[figure]),
    ]
    rows.push([shape.name, ...compared('resident'), ...compared('allocated'), empty])
  }
  const head = ['element', 'respd bytes', 'redis bytes', 'ratio', 'respd allocated', 'redis allocated', 'ratio', 'empty server MB']
  return { title: `Memory per element, ${options.size} elements`, head, rows }
}

async function growth(command: string, shape: Shape, elements: number): Promise<Growth> {
  const server = await startServer(command)
  try {
    const connection = await server.connect()
    await connection.load([['PING']])
    await sleep(SETTLE_MS / 3)
    const asker = await HitCounter.open(server.port, 0)
    const allocatedBefore = await asker.used()
    const before = rssBytes(server.pid)
    await connection.load(shape.add(elements))
    await sleep(SETTLE_MS)
    const allocated = ((await asker.used()) - allocatedBefore) / elements
    connection.close()
    asker.close()
    return { resident: (rssBytes(server.pid) - before) / elements, allocated, emptyMb: before / 2 ** 20 }
  } finally {
    await server.stop()
  }
}
