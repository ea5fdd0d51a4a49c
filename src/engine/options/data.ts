/** Options: memory, expiry, eviction, encodings of values, scripts and notifications. */
import { eventClasses } from '../config-types.ts'
import { HIDDEN, INT64_MAX, integer, memory, NO_EFFECT, oneOf, type OptionGroup, SPECIAL, special, UINT64_MAX, yesNo } from '../option.ts'

const POLICIES = [
  'volatile-lru',
  'volatile-lfu',
  'volatile-random',
  'volatile-ttl',
  'allkeys-lru',
  'allkeys-lfu',
  'allkeys-random',
  'noeviction',
]

export const memoryManagement: OptionGroup = {
  title: 'Memory',
  options: [
    memory(
      'maxmemory',
      0,
      "Most memory for data and buffers, in bytes or with a unit, or as a percentage of the container's or the machine's. 0: no limit.",
      { kind: 'share', min: -100, max: UINT64_MAX },
    ),
    oneOf(
      'maxmemory-policy',
      POLICIES,
      'noeviction',
      'What gives way when the limit is reached: keys with a time to live (volatile-) or any (allkeys-), by last use (lru), frequency\n(lfu), time to live or chance; noeviction refuses writes instead.',
    ),
    integer('maxmemory-samples', 5, 'Keys compared to find one to evict. More is more exact and slower.', { min: 1 }),
    integer('maxmemory-eviction-tenacity', 10, 'How long a single command may go on evicting, 0 to 100.', { max: 100 }),
    integer('lfu-log-factor', 10, 'How many hits it takes to raise a use counter.'),
    integer('lfu-decay-time', 1, 'Minutes after which a use counter goes down by one. 0: it never does.'),
    integer('active-expire-effort', 1, 'Effort to find expired keys before somebody asks for them, 1 to 10.', { min: 1, max: 10 }),
    yesNo('lazyfree-lazy-eviction', 'no', 'Free evicted values in slices in the background.'),
    yesNo('lazyfree-lazy-expire', 'no', 'Likewise expired ones.'),
    yesNo('lazyfree-lazy-server-del', 'no', 'Likewise values that a command replaces.'),
    yesNo('lazyfree-lazy-user-del', 'no', 'Let DEL do what UNLINK does.'),
    yesNo('lazyfree-lazy-user-flush', 'no', 'Let FLUSHALL and FLUSHDB be ASYNC unless SYNC is asked for.'),
    yesNo('activerehashing', 'yes', 'Spend a millisecond of each 100 on moving hash tables to their new size.'),
    yesNo('activedefrag', 'no', 'Move values together sooner than usual to give memory back.'),
    memory('active-defrag-ignore-bytes', 100 * 1024 ** 2, 'Waste below which it does nothing.', { min: 1 }),
    integer('active-defrag-threshold-lower', 10, 'Percentage of waste at which it begins.', { max: 1000 }),
    integer('active-defrag-threshold-upper', 100, 'Percentage of waste at which it does its utmost.', { max: 1000 }),
    integer('active-defrag-cycle-min', 1, 'Percentage of a processor at the beginning.', { min: 1, max: 99 }),
    integer('active-defrag-cycle-max', 25, 'Percentage of a processor at the utmost.', { min: 1, max: 99 }),
    integer('active-defrag-max-scan-fields', 1000, 'Kept for tools; it has no effect.', { min: 1, max: INT64_MAX, flags: NO_EFFECT }),
    yesNo('jemalloc-bg-thread', 'yes', 'A switch of another allocator.', { flags: NO_EFFECT }),
  ],
}

const long = { max: INT64_MAX }

export const encodings: OptionGroup = {
  title: 'Encodings',
  options: [
    integer('hash-max-listpack-entries', 512, 'A hash with more fields is a table.', { alias: 'hash-max-ziplist-entries', ...long }),
    memory('hash-max-listpack-value', 64, 'So is one with a longer field or value.', { alias: 'hash-max-ziplist-value' }),
    integer(
      'list-max-listpack-size',
      -2,
      'Elements per node of a list, or, when negative, its size: -1 is 4 kB, -2 is 8 kB, up to -5, 64 kB.',
      {
        alias: 'list-max-ziplist-size',
        min: -2147483648,
      },
    ),
    integer('list-compress-depth', 0, 'Nodes at each end of a list that stay uncompressed. 0: compress none.'),
    integer('set-max-intset-entries', 512, 'A set of integers with more members is not an intset.', long),
    integer('set-max-listpack-entries', 128, 'A set of other members with more of them is a table.', long),
    integer('set-max-listpack-value', 64, 'So is one with a longer member.', long),
    integer('zset-max-listpack-entries', 128, 'A sorted set with more members is a skip list.', {
      alias: 'zset-max-ziplist-entries',
      ...long,
    }),
    memory('zset-max-listpack-value', 64, 'So is one with a longer member.', { alias: 'zset-max-ziplist-value' }),
    memory('hll-sparse-max-bytes', 3000, 'A HyperLogLog that would be longer than this becomes dense.'),
    memory('stream-node-max-bytes', 4096, 'Size of a node of a stream. 0: no limit.'),
    integer('stream-node-max-entries', 100, 'Entries of a node of a stream. 0: no limit.', long),
  ],
}

export const behaviour: OptionGroup = {
  title: 'Scripts and events',
  options: [
    integer('busy-reply-threshold', 5000, 'Milliseconds after which other clients of a running script are told BUSY.', {
      alias: 'lua-time-limit',
      ...long,
    }),
    special(
      'notify-keyspace-events',
      eventClasses,
      '',
      'Events to publish: K and E choose the channels, the other letters the kinds. Empty: none.',
      { flags: SPECIAL },
    ),
    oneOf('sanitize-dump-payload', ['no', 'yes', 'clients'], 'no', 'Check payloads of RESTORE and of snapshots in depth.'),
    integer('key-load-delay', 0, 'Microseconds to wait per key while loading.', { min: -2147483648, flags: HIDDEN | NO_EFFECT }),
  ],
}
