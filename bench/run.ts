/**
 * The benchmark: respd and redis-server side by side in one run, on the same machine, with redis-benchmark as the client of both.
 * `npm run bench -- --help` lists the options.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { measureEviction } from './eviction.ts'
import { measureHits } from './hits.ts'
import { measureExchanges } from './exchanges.ts'
import { measureMemory } from './memory.ts'
import { type Options, parseOptions, type Part } from './options.ts'
import { measurePauses } from './pauses.ts'
import { pinClient } from './servers.ts'
import { markdown, type Table } from './table.ts'
import { measureThroughput } from './throughput.ts'

const PARTS: Record<Part, (options: Options) => Promise<Table>> = {
  throughput: measureThroughput,
  eviction: measureEviction,
  hits: measureHits,
  exchanges: measureExchanges,
  memory: measureMemory,
  pauses: measurePauses,
}

function machine(): string {
  const version = spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout ?? ''
  const redis = /v=([\d.]+)/.exec(version)?.[1] ?? 'none'
  return `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.version}, redis-server ${redis}`
}

const options = parseOptions(process.argv.slice(2))
pinClient()
console.log(`${machine()}\n`)
const tables: Table[] = []
for (const part of options.parts) {
  const table = await PARTS[part](options)
  tables.push(table)
  console.log(markdown(table))
}
if (options.json) writeFileSync(options.json, JSON.stringify({ machine: machine(), tables }, null, 2))
