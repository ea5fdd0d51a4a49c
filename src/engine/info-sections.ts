/** The sections of INFO that the engine knows. Every figure is counted or measured; what is not known is absent. */
import { arch, platform, release } from 'node:os'
import type { Engine } from './engine.ts'
import type { InfoFields } from './info.ts'
import { REDIS_VERSION, RESPD_VERSION } from './version.ts'

export function registerInfo(engine: Engine): void {
  const { info } = engine
  info.add('Server', () => serverFields(engine))
  info.add('Clients', () => clientFields(engine))
  info.add('Memory', () => memoryFields(engine))
  info.add('Stats', () => statFields(engine))
  info.add('CPU', cpuFields)
  info.add('Commandstats', () => commandFields(engine), false)
  info.add('Errorstats', () => [...engine.stats.errors].map(([word, count]) => [`errorstat_${word}`, `count=${count}`]))
  info.add('Keyspace', () => keyspaceFields(engine))
}

function serverFields(engine: Engine): InfoFields {
  const uptime = Math.floor((engine.clock.nowMs() - engine.stats.startMs) / 1000)
  return [
    ['redis_version', REDIS_VERSION],
    ['server_name', 'respd'],
    ['respd_version', RESPD_VERSION],
    ['redis_mode', 'standalone'],
    ['os', `${platform()} ${release()} ${arch()}`],
    ['arch_bits', 64],
    ['process_id', process.pid],
    ['run_id', engine.runId],
    ['tcp_port', engine.config.num('port')],
    ['server_time_usec', engine.clock.nowUs()],
    ['uptime_in_seconds', uptime],
    ['uptime_in_days', Math.floor(uptime / 86400)],
    ['hz', engine.cron.hz],
    ['configured_hz', engine.config.num('hz')],
    ['lru_clock', engine.space.lruClock],
    ['node_version', process.versions.node],
  ]
}

function clientFields(engine: Engine): InfoFields {
  let blocked = 0
  for (const c of engine.clients.values()) if (c.blocked) blocked++
  return [
    ['connected_clients', engine.clients.size],
    ['maxclients', engine.config.num('maxclients')],
    ['blocked_clients', blocked],
    ['tracking_clients', engine.tracking.clients],
  ]
}

function memoryFields(engine: Engine): InfoFields {
  const { mem, stats } = engine
  const used = mem.used
  const rss = process.memoryUsage.rss()
  const peak = Math.max(stats.peakMemory, used)
  return [
    ['used_memory', used],
    ['used_memory_human', human(used)],
    ['used_memory_rss', rss],
    ['used_memory_rss_human', human(rss)],
    ['used_memory_peak', peak],
    ['used_memory_peak_human', human(peak)],
    ['maxmemory', engine.config.num('maxmemory')],
    ['maxmemory_human', human(engine.config.num('maxmemory'))],
    ['maxmemory_policy', engine.config.str('maxmemory-policy')],
    ['mem_fragmentation_ratio', (rss / Math.max(1, used)).toFixed(2)],
    ['mem_allocator', 'respd-arena'],
    ['arena_mapped', mem.mapped],
    ['arena_free', mem.freeBytes],
    ['lazyfree_pending_objects', engine.space.lazy.pending],
    ['lazyfreed_objects', engine.space.lazy.freed],
  ]
}

/** Bytes with a unit, two digits after the point. */
export function human(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let value = bytes
  let unit = 0
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return unit === 0 ? `${value}B` : `${value.toFixed(2)}${units[unit]}`
}

function statFields(engine: Engine): InfoFields {
  const { stats, space, pubsub, tracking } = engine
  return [
    ['total_connections_received', stats.connections],
    ['total_commands_processed', stats.commands],
    ['instantaneous_ops_per_sec', Math.round(stats.commandRate.perSecond)],
    ['total_net_input_bytes', stats.inputBytes],
    ['total_net_output_bytes', stats.outputBytes],
    ['instantaneous_input_kbps', (stats.inputRate.perSecond / 1024).toFixed(2)],
    ['instantaneous_output_kbps', (stats.outputRate.perSecond / 1024).toFixed(2)],
    ['rejected_connections', stats.rejectedConnections],
    ['expired_keys', space.expiredKeys],
    ['evicted_keys', stats.evictedKeys],
    ['evicted_clients', stats.evictedClients],
    ['keyspace_hits', space.hits],
    ['keyspace_misses', space.misses],
    ['tracking_total_keys', tracking.table.size],
    ['tracking_total_items', tracking.table.items],
    ['tracking_total_prefixes', tracking.prefixes.length],
    ['pubsub_channels', pubsub.channels.byName.size],
    ['pubsub_patterns', pubsub.patterns.byName.size],
    ['pubsubshard_channels', pubsub.shardChannels.byName.size],
    ['total_error_replies', stats.errorReplies],
    ['total_reads_processed', stats.readsProcessed],
    ['total_writes_processed', stats.writesProcessed],
    ['client_query_buffer_limit_disconnections', stats.queryBufferDisconnections],
    ['client_output_buffer_limit_disconnections', stats.outputBufferDisconnections],
    ['longest_background_slice_usec', stats.longestSliceUs],
  ]
}

function cpuFields(): InfoFields {
  const { user, system } = process.cpuUsage()
  return [
    ['used_cpu_sys', (system / 1e6).toFixed(6)],
    ['used_cpu_user', (user / 1e6).toFixed(6)],
  ]
}

function commandFields(engine: Engine): InfoFields {
  const fields: InfoFields = []
  for (const command of engine.table.commands.flatMap((one) => [one, ...(one.subcommands ?? [])])) {
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
