/**
 * server-options: what each option does, at the start and whenever CONFIG SET changes it. One line per option; `npm run conf` explains
 * them, option.ts says which have no effect.
 */
import type { Config } from './engine/config.ts'
import type { LogLevel } from './engine/log.ts'
import { NOREPLICAS } from './resp/errors.ts'
import type { Place } from './net/listener.ts'
import type { Server } from './server.ts'

/** Where the options say to listen. */
export function placeOf(config: Config, anyPort: boolean): Place {
  return {
    bind: config.list('bind'),
    port: config.num('port'),
    anyPort,
    backlog: config.num('tcp-backlog'),
    unixSocket: config.path('unixsocket'),
    unixMode: config.num('unixsocketperm'),
  }
}

/** Requests cannot be longer, whatever the options say: places in them are kept in signed words of 32 bits. */
const REQUEST_MAX = 0x7fffffff

/** Runs every option with its first value, and has it run again when it changes. */
export function applyOptions(server: Server): void {
  const { config, engine, listener, log, scripting } = server
  const { cron, memory, space } = engine
  const { hash, list, set, zset } = engine.encodings
  const defrag = memory.defrag.options
  const apply = (names: string | readonly string[], act: () => void): void => {
    act()
    config.onApply(names, () => {
      act()
      return null
    })
  }
  const num = (name: string, act: (value: number) => void): void => apply(name, () => act(config.num(name)))
  const flag = (name: string, act: (value: boolean) => void): void => apply(name, () => act(config.flag(name)))
  const text = (name: string, act: (value: string) => void): void => apply(name, () => act(config.str(name)))

  // General
  text('loglevel', (level) => (log.level = level as LogLevel))
  apply('logfile', () => (log.file = config.path('logfile')))
  num('hz', (hz) => (cron.hz = hz))
  // Connections
  text('requirepass', (password) => engine.users.setPassword(password))
  flag('protected-mode', (on) => (listener.protectedMode = on))
  num('maxclients', (count) => (listener.maxClients = count))
  num('tcp-keepalive', (seconds) => (listener.keepAliveSeconds = seconds))
  num('timeout', (seconds) => (cron.idleTimeoutMs = seconds * 1000))
  num('client-query-buffer-limit', (bytes) => (engine.limits.queryBuffer = Math.min(bytes, REQUEST_MAX)))
  num('proto-max-bulk-len', (bytes) => (engine.parser.maxBulk = Math.min(bytes, REQUEST_MAX)))
  apply('client-output-buffer-limit', () => engine.limits.output.read(config.list('client-output-buffer-limit')))
  config.onApply('port', () => (listener.moveTcp(placeOf(config, false)) ? null : 'Unable to listen on this port. Check server logs.'))
  config.onApply('bind', () => (listener.moveTcp(placeOf(config, false)) ? null : 'Failed to bind to specified addresses.'))
  // There are no replicas, so asking for any refuses every write, as on a primary that has lost them.
  apply(['min-replicas-to-write', 'min-replicas-max-lag'], () => {
    const wanted = config.num('min-replicas-to-write') > 0 && config.num('min-replicas-max-lag') > 0
    engine.writesRefused = wanted ? NOREPLICAS : null
  })
  // Memory
  text('maxmemory-policy', (policy) => {
    space.lfu = policy.includes('lfu')
    memory.eviction.choose(policy)
  })
  num('maxmemory-samples', (count) => (memory.eviction.samples = count))
  num('maxmemory-eviction-tenacity', (tenacity) => (memory.tenacity = tenacity))
  num('lfu-log-factor', (factor) => (space.lfuLogFactor = factor))
  num('lfu-decay-time', (minutes) => (space.lfuDecayTime = minutes))
  flag('activedefrag', (on) => (defrag.on = on))
  num('active-defrag-ignore-bytes', (bytes) => (defrag.ignoreBytes = bytes))
  num('active-defrag-threshold-lower', (percent) => (defrag.lowerPercent = percent))
  num('active-defrag-threshold-upper', (percent) => (defrag.upperPercent = percent))
  num('active-defrag-cycle-min', (percent) => (defrag.cycleMin = percent))
  num('active-defrag-cycle-max', (percent) => (defrag.cycleMax = percent))
  flag('lazyfree-lazy-eviction', (on) => (memory.lazy = on))
  apply(['maxmemory', 'maxmemory-clients'], () => {
    memory.setLimit(config.num('maxmemory'))
    memory.setClientLimit(config.num('maxmemory-clients'))
  })
  num('active-expire-effort', (effort) => (cron.expireEffort = effort))
  flag('lazyfree-lazy-user-del', (on) => (engine.lazyUserDel = on))
  flag('lazyfree-lazy-server-del', (on) => (engine.lazyServerDel = space.lazy.replaced = on))
  flag('lazyfree-lazy-expire', (on) => (engine.lazyExpire = space.lazy.expired = on))
  flag('lazyfree-lazy-user-flush', (on) => (engine.lazyUserFlush = on))
  num('hash-max-listpack-entries', (count) => (hash.entries = count))
  num('hash-max-listpack-value', (bytes) => (hash.value = bytes))
  num('list-max-listpack-size', (size) => (list.size = size))
  num('list-compress-depth', (depth) => (list.depth = depth))
  num('set-max-intset-entries', (count) => (set.intset = count))
  num('set-max-listpack-entries', (count) => (set.entries = count))
  num('set-max-listpack-value', (bytes) => (set.value = bytes))
  num('zset-max-listpack-entries', (count) => (zset.entries = count))
  num('zset-max-listpack-value', (bytes) => (zset.value = bytes))
  num('stream-node-max-bytes', (bytes) => (engine.streamLimits.maxBytes = bytes))
  num('stream-node-max-entries', (entries) => (engine.streamLimits.maxEntries = entries))
  num('tracking-table-max-keys', (count) => (engine.tracking.maxKeys = count))
  text('notify-keyspace-events', (classes) => engine.notifier.choose(classes))
  // Watching
  apply(['slowlog-log-slower-than', 'latency-monitor-threshold'], () =>
    engine.setNotice(config.num('slowlog-log-slower-than'), config.num('latency-monitor-threshold')),
  )
  num('slowlog-max-len', () => engine.slowlog.trim())
  flag('latency-tracking', (on) => (engine.latencyTracking = on))
  num('busy-reply-threshold', (ms) => (scripting.slow.thresholdMs = ms))
}
