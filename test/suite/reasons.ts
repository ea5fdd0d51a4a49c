/** Why tests of Redis' own suite do not pass, by file. Complete sentences for the README, one each. */
const REPLICATION = 'Some tests attach a replica or read the replication stream: there is no replication yet.'
const PERSISTENCE = 'Some tests save, load or rewrite a file: there is no persistence yet.'
const BOTH = 'Some tests save or load a file or read the replication stream: there is neither yet.'

export const reasons: Readonly<Record<string, string>> = {
  'unit/dump': 'Some tests need MIGRATE or the replication stream.',
  'unit/protocol': PERSISTENCE,
  'unit/keyspace': BOTH,
  'unit/scan': BOTH,
  'unit/type/string': REPLICATION,
  'unit/type/incr': 'One test counts references to shared integers.',
  'unit/type/list': BOTH,
  'unit/type/set': BOTH,
  'unit/type/zset': REPLICATION,
  'unit/type/stream': PERSISTENCE,
  'unit/type/stream-cgroups': PERSISTENCE,
  'unit/expire': BOTH,
  'unit/other': 'Some tests save, load or rewrite a file, or need ACL SETUSER.',
  'unit/multi':
    'Some tests save a file, read the replication stream or attach a replica; one of them leaves a transaction open for six others.',
  'integration/redis-cli': 'Three tests need SYNC.',
  'unit/slowlog': 'Some tests need ACL SETUSER or MIGRATE.',
  'unit/latency-monitor': 'The expiry cycle stays below the 20 ms that the test waits for.',
  'unit/scripting': 'Some tests need ACL SETUSER, the replication stream, replicas or DEBUG RELOAD.',
  'unit/functions': 'Some tests need ACL SETUSER, replicas or DEBUG RELOAD.',
  'unit/introspection': 'Some tests need BGSAVE or MIGRATE.',
  'unit/introspection-2': 'One test needs MIGRATE.',
  'unit/bitops': 'One test counts changes since a saved file.',
  'unit/replybufsize': 'The reply buffer is shared, so none grows or shrinks.',
  'unit/maxmemory': 'Two tests attach a replica and two read the replication stream: there is no replication yet.',
  'unit/auth': 'One test attaches a replica.',
  'unit/networking': 'One test attaches a replica.',
  'unit/pubsubshard': 'One test attaches a replica.',
  'unit/querybuf': 'Connections read into one buffer that all share, so an idle one has none that could shrink.',
}
