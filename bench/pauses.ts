/** The longest pauses during heavy work: a process of its own sends a GET every millisecond and notes the round trips. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Options } from './options.ts'
import { SERVERS, sleep, startServer, type Which } from './servers.ts'
import { fixed, median, type Table } from './table.ts'
import { PAUSES, type PauseScenario } from './workloads.ts'

export type Percentiles = { count: number; p50: number; p99: number; p999: number; max: number }

const PROBER = fileURLToPath(new URL('./prober.ts', import.meta.url))

export async function measurePauses(options: Options): Promise<Table> {
  const rows: string[][] = []
  for (const scenario of PAUSES) {
    if (options.only.length > 0 && !options.only.includes(scenario.name)) continue
    const seen: Record<Which, Percentiles[]> = { respd: [], redis: [] }
    for (let round = 0; round < options.rounds; round++) {
      for (const which of round % 2 === 0 ? SERVERS : SERVERS.toReversed()) {
        seen[which].push(await probe(options.commands[which], scenario, options.size))
      }
    }
    const middle = (which: Which, figure: keyof Percentiles) => fixed(median(seen[which].map((f) => f[figure])), 2)
    const both = (figure: keyof Percentiles) => `${middle('respd', figure)} / ${middle('redis', figure)}`
    rows.push([scenario.name, both('p50'), both('p99'), both('p999'), both('max')])
  }
  return {
    title: `Round trips of a GET during heavy work, ms, respd / redis, medians of ${options.rounds} rounds`,
    head: ['work', 'p50', 'p99', 'p99.9', 'max'],
    rows,
  }
}

async function probe(command: string, scenario: PauseScenario, size: number): Promise<Percentiles> {
  const server = await startServer(command)
  try {
    const connection = await server.connect()
    await connection.load([['SET', 'probe', 'x']])
    if (scenario.prepare) await connection.load(scenario.prepare(size))
    const prober = fork(PROBER, [String(server.port)])
    await sleep(500) // it starts
    await connection.load(scenario.work(size))
    await sleep(scenario.restMs(size))
    const result = new Promise<Percentiles>((resolve) => prober.once('message', (m) => resolve(m as Percentiles)))
    prober.send('stop')
    connection.close()
    return await result
  } finally {
    await server.stop()
  }
}
