/** The sections of INFO that the engine knows: their order, Memory, Stats and the statistics. Every figure is counted or measured; what is not known is absent. */
import { totalmem } from 'node:os'
import type { Engine } from './engine.ts'
import type { InfoFields } from './info.ts'
import { clientFields, clusterFields, cpuFields, persistenceFields, replicationFields, serverFields } from './info-server.ts'
import { memoryOverview } from './memory-overview.ts'
import type { Command } from './table.ts'

export function registerInfo(engine: Engine): void {
  const { info } = engine
  info.add('Server', () => serverFields(engine))
  info.add('Clients', () => clientFields(engine))
  info.add('Memory', () => memoryFields(engine))
  info.add('Persistence', () => persistenceFields(engine))
  info.add('Stats', () => statFields(engine))
  info.add('Replication', () => replicationFields(engine))
  info.add('CPU', cpuFields)
  info.add('Modules', () => [])
  info.add('Commandstats', () => commandFields(engine), false)
  info.add('Errorstats', () => errorFields(engine))
  info.add('Latencystats', () => latencyFields(engine), false)
  info.add('Cluster', clusterFields)
  info.add('Keyspace', () => keyspaceFields(engine))
}

function memoryFields(engine: Engine): InfoFields {
  const { mem, config, space } = engine
  const view = memoryOverview(engine)
  const inBytes = (name: string, bytes: number): InfoFields => [
    [name, bytes],
    [`${name}_human`, human(bytes)],
  ]
  return [
    ...inBytes('used_memory', view.used),
    ...inBytes('used_memory_rss', view.rss),
    ...inBytes('used_memory_peak', view.peak),
    ['used_memory_peak_perc', `${view.peakPercent.toFixed(2)}%`],
    ['used_memory_overhead', view.overhead],
    ['used_memory_startup', view.startup],
    ['used_memory_dataset', view.dataset],
    ['used_memory_dataset_perc', `${view.datasetPercent.toFixed(2)}%`],
    ['allocator_allocated', mem.used],
    ['allocator_active', mem.mapped - mem.freeBytes],
    ['allocator_resident', mem.mapped],
    ...inBytes('total_system_memory', totalmem()),
    ...inBytes('maxmemory', engine.memory.limit),
    ['maxmemory_policy', config.str('maxmemory-policy')],
    ['mem_fragmentation_ratio', (view.rss / Math.max(1, view.used)).toFixed(2)],
    ['mem_fragmentation_bytes', view.rss - view.used],
    ['mem_not_counted_for_evict', 0],
    ['mem_replication_backlog', 0],
    ['mem_total_replication_buffers', 0],
    ['mem_clients_slaves', 0],
    ['mem_clients_normal', view.clients],
    ['mem_cluster_links', 0],
    ['mem_aof_buffer', 0],
    ['mem_allocator', 'respd-arena'],
    ['arena_mapped', mem.mapped],
    ['arena_free', mem.freeBytes],
    ['js_heap', view.heap],
    ['active_defrag_running', engine.memory.defrag.figures.percent],
    ['lazyfree_pending_objects', space.lazy.pending],
    ['lazyfreed_objects', space.lazy.freed],
  ]
}

/** Bytes with a unit, two digits after the point. */
export function human(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T', 'P']
  let value = bytes
  let unit = 0
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return unit === 0 ? `${value}B` : `${value.toFixed(2)}${units[unit]}`
}

function statFields(engine: Engine): InfoFields {
  const { stats, space, pubsub, tracking, memory } = engine
  const { evacuation, figures: defragTime } = memory.defrag
  const exceeded = memory.exceededMs
  return [
    ['total_connections_received', stats.connections],
    ['total_commands_processed', stats.commands],
    ['instantaneous_ops_per_sec', Math.round(stats.commandRate.perSecond)],
    ['total_net_input_bytes', stats.inputBytes],
    ['total_net_output_bytes', stats.outputBytes],
    ['instantaneous_input_kbps', (stats.inputRate.perSecond / 1024).toFixed(2)],
    ['instantaneous_output_kbps', (stats.outputRate.perSecond / 1024).toFixed(2)],
    ['total_net_repl_input_bytes', 0],
    ['total_net_repl_output_bytes', 0],
    ['rejected_connections', stats.rejectedConnections],
    ['sync_full', 0],
    ['sync_partial_ok', 0],
    ['sync_partial_err', 0],
    ['expired_keys', space.expiredKeys],
    ['evicted_keys', space.evictedKeys],
    ['evicted_clients', stats.evictedClients],
    ['total_eviction_exceeded_time', exceeded.total],
    ['current_eviction_exceeded_time', exceeded.current],
    ['keyspace_hits', space.hits],
    ['keyspace_misses', space.misses],
    ['active_defrag_hits', evacuation.hits],
    ['active_defrag_misses', evacuation.misses],
    ['active_defrag_key_hits', evacuation.keyHits],
    ['active_defrag_key_misses', evacuation.keyMisses],
    ['total_active_defrag_time', defragTime.totalMs],
    ['current_active_defrag_time', defragTime.currentMs],
    ['tracking_total_keys', tracking.table.size],
    ['tracking_total_items', tracking.table.items],
    ['tracking_total_prefixes', tracking.prefixes.length],
    ['pubsub_channels', pubsub.channels.byName.size],
    ['pubsub_patterns', pubsub.patterns.byName.size],
    ['pubsubshard_channels', pubsub.shardChannels.byName.size],
    ['latest_fork_usec', 0],
    ['total_forks', 0],
    ['unexpected_error_replies', 0],
    ['total_error_replies', stats.errorReplies],
    ['total_reads_processed', stats.readsProcessed],
    ['total_writes_processed', stats.writesProcessed],
    ['client_query_buffer_limit_disconnections', stats.queryBufferDisconnections],
    ['client_output_buffer_limit_disconnections', stats.outputBufferDisconnections],
    ['longest_background_slice_usec', stats.longestSliceUs],
  ]
}

function commandFields(engine: Engine): InfoFields {
  const fields: InfoFields = []
  for (const command of everyCommand(engine)) {
    const { name, calls, usec, rejected, failed } = command
    if (calls === 0 && rejected === 0) continue
    const perCall = calls === 0 ? '0.00' : (usec / calls).toFixed(2)
    fields.push([
      `cmdstat_${name}`,
      `calls=${calls},usec=${usec},usec_per_call=${perCall},rejected_calls=${rejected},failed_calls=${failed}`,
    ])
  }
  return fields
}

function keyspaceFields(engine: Engine): InfoFields {
  return engine.space.dbs
    .filter((db) => db.size > 0)
    .map((db) => [`db${db.id}`, `keys=${db.size},expires=${db.volatileSize},avg_ttl=${Math.round(db.avgTtl)}`])
}

function errorFields(engine: Engine): InfoFields {
  return [...engine.stats.errors].map(([word, count]) => [`errorstat_${word}`, `count=${count}`])
}

/** The command and its subcommands, those that were called. */
function everyCommand(engine: Engine): Command[] {
  return engine.table.commands.flatMap((command) => [command, ...(command.subcommands ?? [])])
}

function latencyFields(engine: Engine): InfoFields {
  const percentiles = engine.config.list('latency-tracking-info-percentiles')
  const fields: InfoFields = []
  for (const { name, latency } of everyCommand(engine)) {
    if (latency === null) continue
    const shown = percentiles.map((percentile) => `p${percentile}=${latency.percentile(Number(percentile)).toFixed(3)}`)
    fields.push([`latency_percentiles_usec_${name}`, shown.join(',')])
  }
  return fields
}
