/** Options: replication, cluster, and access control. */
import { hostName, nodeName, primaryAddress } from '../config-types.ts'
import {
  HIDDEN,
  IMMUTABLE,
  INT64_MAX,
  integer,
  memory,
  MULTI_ARG,
  NO_EFFECT,
  oneOf,
  type OptionGroup,
  SENSITIVE,
  SPECIAL,
  special,
  string,
  UINT64_MAX,
  yesNo,
} from '../option.ts'

const port = { max: 65535 }
const atLeastOne = { min: 1 }

export const replication: OptionGroup = {
  title: 'Replication',
  waiting: true,
  options: [
    special('replicaof', primaryAddress, '', 'Host and port of the primary to copy.', {
      alias: 'slaveof',
      flags: IMMUTABLE | MULTI_ARG | SPECIAL,
    }),
    string('masterauth', '', "The primary's password.", { flags: SENSITIVE }),
    string('masteruser', '', 'User to log in with there.', { flags: SENSITIVE }),
    yesNo('replica-serve-stale-data', 'yes', 'Answer while the link to the primary is down.', { alias: 'slave-serve-stale-data' }),
    yesNo('replica-read-only', 'yes', 'Refuse writes of clients to a replica.', { alias: 'slave-read-only' }),
    yesNo('replica-ignore-maxmemory', 'yes', 'Leave eviction to the primary.', { alias: 'slave-ignore-maxmemory' }),
    yesNo('replica-lazy-flush', 'no', 'Free the old data in the background before a full copy.', { alias: 'slave-lazy-flush' }),
    yesNo('replica-ignore-disk-write-errors', 'no', 'Go on applying writes when the disk fails.'),
    integer('replica-priority', 100, 'Lower is promoted first; 0 never.', { alias: 'slave-priority' }),
    yesNo('replica-announced', 'yes', 'Let Sentinel report this replica.'),
    string('replica-announce-ip', '', 'Address to name to the primary, where it differs.', { alias: 'slave-announce-ip' }),
    integer('replica-announce-port', 0, 'Port to name to the primary.', { alias: 'slave-announce-port', ...port }),
    yesNo('repl-diskless-sync', 'yes', 'Send a full copy without a file in between.'),
    integer('repl-diskless-sync-delay', 5, 'Seconds to wait for more replicas before it is sent.'),
    integer('repl-diskless-sync-max-replicas', 0, 'Do not wait once so many are there. 0: wait.'),
    oneOf(
      'repl-diskless-load',
      ['disabled', 'on-empty-db', 'swapdb'],
      'disabled',
      'Load a full copy as it arrives: never, when there is no data, or beside the old data.',
    ),
    integer('repl-ping-replica-period', 10, 'Seconds between pings to replicas.', { alias: 'repl-ping-slave-period', ...atLeastOne }),
    integer('repl-timeout', 60, 'Seconds of silence that break a link.', atLeastOne),
    yesNo('repl-disable-tcp-nodelay', 'no', 'Save packets at the price of delay.'),
    memory('repl-backlog-size', 1024 ** 2, 'Writes kept for replicas that come back.', atLeastOne),
    integer('repl-backlog-ttl', 3600, 'Seconds without a replica until they are dropped. 0: never.', { max: INT64_MAX }),
    oneOf(
      'propagation-error-behavior',
      ['ignore', 'panic', 'panic-on-replicas'],
      'ignore',
      'What to do when a command of the primary fails here.',
    ),
  ],
}

export const safety: OptionGroup = {
  title: 'Replicas wanted',
  options: [
    integer('min-replicas-to-write', 0, 'Refuse writes with fewer replicas than this. 0: never.', { alias: 'min-slaves-to-write' }),
    integer('min-replicas-max-lag', 10, 'Seconds a replica may lag to count.', { alias: 'min-slaves-max-lag' }),
  ],
}

export const cluster: OptionGroup = {
  title: 'Cluster',
  waiting: true,
  options: [
    yesNo('cluster-enabled', 'no', 'Be a node of a cluster.', { flags: IMMUTABLE }),
    string('cluster-config-file', 'nodes.conf', "File in `dir` for the node's view of the cluster. Not to be edited.", {
      flags: IMMUTABLE,
    }),
    integer('cluster-node-timeout', 15000, 'Milliseconds of silence after which a node is thought to have failed.', { max: INT64_MAX }),
    integer('cluster-port', 0, 'Port of the bus. 0: the port plus 10000.', { ...port, flags: IMMUTABLE }),
    integer('cluster-replica-validity-factor', 10, 'How many timeouts old the data of a replica may be for a failover. 0: however old.', {
      alias: 'cluster-slave-validity-factor',
    }),
    integer('cluster-migration-barrier', 1, 'Replicas a primary keeps before one moves to an orphan.'),
    yesNo('cluster-allow-replica-migration', 'yes', 'Let replicas move to primaries that have none.'),
    yesNo('cluster-require-full-coverage', 'yes', 'Refuse queries while a slot has no node.'),
    yesNo('cluster-replica-no-failover', 'no', 'Never promote this replica by itself.', { alias: 'cluster-slave-no-failover' }),
    yesNo('cluster-allow-reads-when-down', 'no', 'Answer reads while the cluster is down.'),
    yesNo('cluster-allow-pubsubshard-when-down', 'yes', 'Deliver sharded messages while it is down.'),
    memory('cluster-link-sendbuf-limit', 0, 'Drop a link of the bus whose buffer is larger. 0: never.', { max: UINT64_MAX }),
    string('cluster-announce-ip', '', 'Address to name to the others, where it differs.'),
    integer('cluster-announce-port', 0, 'Port to name to the others.', port),
    integer('cluster-announce-tls-port', 0, 'TLS port to name to the others.', port),
    integer('cluster-announce-bus-port', 0, 'Bus port to name to the others.', port),
    string('cluster-announce-hostname', '', 'Host name to name to clients.', { check: hostName }),
    string('cluster-announce-human-nodename', '', 'A name for people, for the log.', { check: nodeName }),
    oneOf('cluster-preferred-endpoint-type', ['ip', 'hostname', 'unknown-endpoint'], 'ip', 'How redirections name a node.'),
    integer('cluster-ping-interval', 0, 'Milliseconds between pings; 0 takes the default.', { max: INT64_MAX, flags: HIDDEN | NO_EFFECT }),
  ],
}

export const access: OptionGroup = {
  title: 'Access control',
  options: [
    string('aclfile', '', 'File of users; they can be in this file instead, in lines that begin with `user`.', { flags: IMMUTABLE }),
    oneOf('acl-pubsub-default', ['allchannels', 'resetchannels'], 'resetchannels', 'Channels of a new user: all or none.'),
    integer('acllog-max-len', 128, 'Refusals that ACL LOG remembers.', { max: INT64_MAX }),
  ],
}
