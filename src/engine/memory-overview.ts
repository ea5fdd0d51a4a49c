/** memory-overview: where the memory is, for INFO and MEMORY. Every figure is counted or measured. */
import { dictBytes } from '../structs/dict.ts'
import type { Engine } from './engine.ts'

export interface MemoryOverview {
  /** Arena blocks in use and buffers of clients. */
  readonly used: number
  readonly peak: number
  /** What was in use when the server had started. */
  readonly startup: number
  /** What is not keys and values: tables, buffers. */
  readonly overhead: number
  readonly dataset: number
  readonly datasetPercent: number
  readonly peakPercent: number
  readonly clients: number
  readonly keys: number
  /** Memory of the arena's segments. */
  readonly mapped: number
  /** Of the whole process. */
  readonly rss: number
  readonly heap: number
}

export function memoryOverview(engine: Engine): MemoryOverview {
  const { mem, space, stats } = engine
  const clients = engine.memory.clientBytes
  const { used } = engine.memory
  const peak = Math.max(stats.peakMemory, used)
  let tables = 0
  let keys = 0
  for (const db of space.dbs) {
    tables += dictBytes(mem, db.keys) + dictBytes(mem, db.expires)
    keys += db.size
  }
  const overhead = tables + clients
  const dataset = used - overhead
  const { rss, heapUsed } = process.memoryUsage()
  const net = used - stats.startMemory
  return {
    used,
    peak,
    startup: stats.startMemory,
    overhead,
    dataset,
    datasetPercent: net > 0 ? Math.min(100, (dataset * 100) / net) : 0,
    peakPercent: (used * 100) / Math.max(1, peak),
    clients,
    keys,
    mapped: mem.mapped,
    rss,
    heap: heapUsed,
  }
}
