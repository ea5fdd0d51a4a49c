/** Bytes per element: how much a new server's resident memory grows. */

import type { Options } from './options.ts'
import { rssBytes, sleep, startServer } from './servers.ts'
import { fixed, ratio, type Table } from './table.ts'
import { SHAPES, type Shape } from './workloads.ts'

type Growth = { perElement: number; emptyMb: number }

const SETTLE_MS = 1500

export async function measureMemory(options: Options): Promise<Table> {
  const rows: string[][] = []
  for (const shape of SHAPES) {
    if (options.only.length > 0 && !options.only.includes(shape.name)) continue
    const respd = await growth(options.commands.respd, shape, options.size)
    const redis = await growth(options.commands.redis, shape, options.size)
    const empty = `${fixed(respd.emptyMb, 0)} / ${fixed(redis.emptyMb, 0)}`
    rows.push([shape.name, fixed(respd.perElement, 1), fixed(redis.perElement, 1), ratio(respd.perElement, redis.perElement), empty])
  }
  return { title: `Memory, ${options.size} elements`, head: ['element', 'respd bytes', 'redis bytes', 'ratio', 'empty server MB'], rows }
}

async function growth(command: string, shape: Shape, elements: number): Promise<Growth> {
  const server = await startServer(command)
  try {
    const connection = await server.connect()
    await connection.load([['PING']])
    await sleep(SETTLE_MS / 3)
    const before = rssBytes(server.pid)
    await connection.load(shape.add(elements))
    await sleep(SETTLE_MS)
    connection.close()
    return { perElement: (rssBytes(server.pid) - before) / elements, emptyMb: before / 2 ** 20 }
  } finally {
    await server.stop()
  }
}
