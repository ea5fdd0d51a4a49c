/** The command line of the benchmark. */
import { parseArgs } from 'node:util'

export const PARTS = ['throughput', 'exchanges', 'eviction', 'hits', 'memory', 'pauses'] as const
export type Part = (typeof PARTS)[number]

export type Options = {
  parts: readonly Part[]
  /** Names of rows; empty for all. */
  only: readonly string[]
  rounds: number
  /** Only to see that everything runs. */
  smoke: boolean
  /** Keys of the string workloads and elements of the memory and pause parts. */
  size: number
  /** Factor on the number of requests. */
  scale: number
  /** Commands that start the two servers; {port} is replaced. */
  commands: { respd: string; redis: string }
  json: string | undefined
}

const HELP = `npm run bench -- [options]
  --smoke              a few seconds, to see that everything runs; the figures mean nothing
  --part NAME          throughput, exchanges, eviction, hits, memory or pauses; may be given several times (all by default)
  --only ROW,ROW       these rows only (see bench/workloads.ts), policies or traces
  --rounds N           rounds per row, of which the median counts (3)
  --size N             keys and elements (1000000)
  --scale X            factor on the number of requests (1)
  --respd COMMAND      how to start the first server ("node dist/main.js --port {port}")
  --redis COMMAND      how to start the second ("redis-server --port {port} --save '' --appendonly no")
  --json FILE          the figures as JSON too`

export function parseOptions(args: readonly string[]): Options {
  const string = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      smoke: { type: 'boolean' },
      part: { type: 'string', multiple: true },
      only: string,
      rounds: string,
      size: string,
      scale: string,
      respd: string,
      redis: string,
      json: string,
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  const smoke = values.smoke ?? false
  return {
    smoke,
    parts: (values.part as Part[] | undefined) ?? PARTS,
    only: values.only?.split(',') ?? [],
    rounds: Number(values.rounds ?? (smoke ? 1 : 3)),
    size: Number(values.size ?? (smoke ? 20_000 : 1_000_000)),
    scale: Number(values.scale ?? (smoke ? 0.05 : 1)),
    commands: {
      respd: values.respd ?? `${process.execPath} ${new URL('../dist/main.js', import.meta.url).pathname} --port {port}`,
      redis: values.redis ?? "redis-server --port {port} --save '' --appendonly no --loglevel warning",
    },
    json: values.json,
  }
}
