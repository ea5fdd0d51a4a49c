/** INFO: Server, Clients, Replication, Persistence, CPU, Cluster. */
import { arch, platform, release } from 'node:os'
import type { Engine } from './engine.ts'
import type { InfoFields } from './info.ts'
import { REDIS_VERSION, RESPD_VERSION } from './version.ts'

/** What libuv waits with. */
const MULTIPLEXING: Readonly<Record<string, string>> = { linux: 'epoll', darwin: 'kqueue', freebsd: 'kqueue', win32: 'iocp' }

export function serverFields(engine: Engine): InfoFields {
  const { clock, config, stats } = engine
  const uptime = Math.floor((clock.nowMs() - stats.startMs) / 1000)
  return [
    ['redis_version', REDIS_VERSION],
    ['server_name', 'respd'],
    ['respd_version', RESPD_VERSION],
    ['redis_mode', 'standalone'],
    ['os', `${platform()} ${release()} ${arch()}`],
    ['arch_bits', 64],
    ['multiplexing_api', MULTIPLEXING[platform()] ?? 'libuv'],
    ['node_version', process.versions.node],
    ['process_id', process.pid],
    ['process_supervised', 'no'],
    ['run_id', engine.runId],
    ['tcp_port', config.num('port')],
    ['server_time_usec', clock.nowUs()],
    ['uptime_in_seconds', uptime],
    ['uptime_in_days', Math.floor(uptime / 86400)],
    ['hz', engine.cron.hz],
    ['configured_hz', config.num('hz')],
    ['lru_clock', engine.space.lruClock],
    ['executable', process.argv[1] ?? process.execPath],
    ['config_file', engine.configFile],
    ['io_threads_active', 0],
    ...listeners(engine),
  ]
}

/** A line for each kind of socket that the options ask for. */
function listeners({ config }: Engine): InfoFields {
  const lines: string[] = []
  const binds = config.list('bind').map((address) => `bind=${address}`)
  if (config.num('port') !== 0) lines.push(['name=tcp', ...binds, `port=${config.num('port')}`].join(','))
  if (config.str('unixsocket') !== '') lines.push(`name=unix,bind=${config.str('unixsocket')}`)
  return lines.map((line, i) => [`listener${i}`, line])
}

export function clientFields(engine: Engine): InfoFields {
  let longestQuery = 0
  let longestOutput = 0
  for (const { transport } of engine.clients.values()) {
    longestQuery = Math.max(longestQuery, transport?.queryCapacity ?? 0)
    longestOutput = Math.max(longestOutput, transport?.queuedBytes ?? 0)
  }
  return [
    ['connected_clients', engine.clients.size],
    ['cluster_connections', 0],
    ['maxclients', engine.config.num('maxclients')],
    ['client_recent_max_input_buffer', longestQuery],
    ['client_recent_max_output_buffer', longestOutput],
    ['blocked_clients', engine.blocked.count + engine.pause.size],
    ['tracking_clients', engine.tracking.clients],
    ['clients_in_timeout_table', engine.blocked.timedCount],
    ['total_blocking_keys', engine.blocked.keyCount],
    ['total_blocking_keys_on_nokey', engine.blocked.goneKeyCount],
  ]
}

export function persistenceFields({ space, stats }: Engine): InfoFields {
  return [
    ['loading', 0],
    ['async_loading', 0],
    ['rdb_changes_since_last_save', space.dirty],
    ['rdb_bgsave_in_progress', 0],
    ['rdb_last_save_time', Math.floor(stats.startMs / 1000)],
    ['rdb_last_bgsave_status', 'ok'],
    ['rdb_last_bgsave_time_sec', -1],
    ['rdb_current_bgsave_time_sec', -1],
    ['rdb_saves', 0],
    ['aof_enabled', 0],
    ['aof_rewrite_in_progress', 0],
    ['aof_rewrite_scheduled', 0],
    ['aof_last_rewrite_time_sec', -1],
    ['aof_current_rewrite_time_sec', -1],
    ['aof_last_bgrewrite_status', 'ok'],
    ['aof_last_write_status', 'ok'],
  ]
}

export function replicationFields({ config, replId }: Engine): InfoFields {
  return [
    ['role', 'master'],
    ['connected_slaves', 0],
    ['master_failover_state', 'no-failover'],
    ['master_replid', replId],
    ['master_replid2', '0'.repeat(40)],
    ['master_repl_offset', 0],
    ['second_repl_offset', -1],
    ['repl_backlog_active', 0],
    ['repl_backlog_size', config.num('repl-backlog-size')],
    ['repl_backlog_first_byte_offset', 0],
    ['repl_backlog_histlen', 0],
  ]
}

export function cpuFields(): InfoFields {
  const { user, system } = process.cpuUsage()
  return [
    ['used_cpu_sys', (system / 1e6).toFixed(6)],
    ['used_cpu_user', (user / 1e6).toFixed(6)],
    // There are no child processes.
    ['used_cpu_sys_children', '0.000000'],
    ['used_cpu_user_children', '0.000000'],
  ]
}

export function clusterFields(): InfoFields {
  return [['cluster_enabled', 0]]
}
