/** Throughput, CPU per request and latency: redis-benchmark drives both servers in turn, round by round; medians are compared. */
import { spawn } from 'node:child_process'

import type { Options } from './options.ts'
import { cpuUs, type MeasuredServer, SERVERS, startServer, type Which } from './servers.ts'
import { fixed, median, ratio, type Table } from './table.ts'
import { COLLECTION_WORKLOADS, WORKLOADS, type Workload } from './workloads.ts'

type Figures = { perSecond: number; cpuUs: number; p99Ms: number }

export const HEAD = ['command', 'P', 'respd req/s', 'redis req/s', 'ratio', 'CPU us/req', 'redis', 'ratio', 'p99 ms', 'redis']
const REQUESTS: Record<number, number> = { 1: 60_000, 16: 400_000, 100: 1_000_000 }
const CLIENTS = 50
const WARM_UP_SHARE = 0.5

export async function measureThroughput(options: Options): Promise<Table> {
  const servers = { respd: await startServer(options.commands.respd), redis: await startServer(options.commands.redis) }
  const rows: string[][] = []
  try {
    for (const workload of [...WORKLOADS, ...COLLECTION_WORKLOADS]) {
      // the data is needed by later rows too, whatever rows are wanted
      if (workload.prepare) for (const which of SERVERS) await fill(servers[which], workload, options)
      if (options.only.length > 0 && !options.only.includes(workload.name)) continue
      for (const pipeline of workload.pipelines) rows.push(row(workload, pipeline, await measure(servers, workload, pipeline, options)))
    }
  } finally {
    for (const which of SERVERS) await servers[which].stop()
  }
  return { title: `Throughput, ${options.size} keys, ${CLIENTS} clients, P commands per pipeline`, head: HEAD, rows }
}

async function fill(server: MeasuredServer, workload: Workload, options: Options): Promise<void> {
  const connection = await server.connect()
  await connection.load(workload.prepare?.(options.size) ?? [])
  connection.close()
}

/** Medians of the rounds of one workload. */
export async function measure(
  servers: Record<Which, MeasuredServer>,
  workload: Workload,
  pipeline: number,
  options: Options,
): Promise<Record<Which, Figures>> {
  const requests = Math.max(1000, Math.round((REQUESTS[pipeline] ?? 400_000) * (workload.share ?? 1) * options.scale))
  const range = Math.min(workload.range ?? options.size, options.size)
  const run = (which: Which, n: number) => benchmark(servers[which], workload.command, pipeline, n, range)
  const seen: Record<Which, Figures[]> = { respd: [], redis: [] }
  for (const which of SERVERS) await run(which, Math.ceil(requests * WARM_UP_SHARE))
  for (let round = 0; round < options.rounds; round++) {
    for (const which of round % 2 === 0 ? SERVERS : SERVERS.toReversed()) seen[which].push(await run(which, requests))
  }
  const middle = (which: Which, figure: keyof Figures) => median(seen[which].map((f) => f[figure]))
  const figures = (which: Which) => ({
    perSecond: middle(which, 'perSecond'),
    cpuUs: middle(which, 'cpuUs'),
    p99Ms: middle(which, 'p99Ms'),
  })
  return { respd: figures('respd'), redis: figures('redis') }
}

async function benchmark(
  server: MeasuredServer,
  command: readonly string[],
  pipeline: number,
  requests: number,
  range: number,
): Promise<Figures> {
  const settings = ['-p', server.port, '-c', CLIENTS, '-P', pipeline, '-n', requests, '-r', range, '--csv']
  const before = cpuUs(server.pid)
  const csv = await output(['redis-benchmark', ...settings.map(String), ...command])
  const cpu = (cpuUs(server.pid) - before) / requests
  // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
  const fields = /"([\d.]+)"(?:,"[\d.]+"){4},"([\d.]+)","[\d.]+"\s*$/.exec(csv)
  if (!fields) throw new Error(`redis-benchmark ${command[0]}: ${csv}`)
  return { perSecond: Number(fields[1]), cpuUs: cpu, p99Ms: Number(fields[2]) }
}

function output([program, ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}

export function row(workload: Workload, pipeline: number, { respd, redis }: Record<Which, Figures>): string[] {
  return [
    workload.name,
    String(pipeline),
    fixed(respd.perSecond, 0),
    fixed(redis.perSecond, 0),
    ratio(respd.perSecond, redis.perSecond),
    fixed(respd.cpuUs, 2),
    fixed(redis.cpuUs, 2),
    ratio(respd.cpuUs, redis.cpuUs),
    fixed(respd.p99Ms, 2),
    fixed(redis.p99Ms, 2),
  ]
}
