/** Options: where the server listens, and who may connect. */
import { addresses } from '../config-types.ts'
import {
  IMMUTABLE,
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
  UINT_MAX,
  VOLATILE,
  yesNo,
} from '../option.ts'
import { outputLimits } from '../config-types.ts'
import { INT64_MAX } from '../option.ts'

export const network: OptionGroup = {
  title: 'Network',
  options: [
    special(
      'bind',
      addresses,
      '* -::*',
      'Addresses to listen on, IPv4 or IPv6, in the order given. "*" and "::*" stand for all interfaces of their kind. An address with a\n"-" in front may be missing on this machine without stopping the start.',
      { flags: MULTI_ARG | SPECIAL },
    ),
    integer('port', 6379, 'TCP port. 0 turns TCP off (a Unix socket or TLS must be given then).', { max: 65535 }),
    string('bind-source-addr', '', 'Address that connections to other servers leave from.', { flags: NO_EFFECT }),
    yesNo(
      'protected-mode',
      'yes',
      'As long as the default user has no password, accept connections from this machine only. Turn it off only where the network\nitself keeps strangers out.',
    ),
    integer(
      'tcp-backlog',
      511,
      'How many connections may wait to be accepted. The kernel has a limit of its own (net.core.somaxconn on Linux).',
      { flags: IMMUTABLE },
    ),
    string('unixsocket', '', 'Path of a Unix socket to listen on as well. Empty: none.', { flags: IMMUTABLE }),
    integer('unixsocketperm', 0, 'File mode of the Unix socket, in octal, for example 770. 0 leaves what umask gives.', {
      kind: 'octal',
      max: 0o777,
      flags: IMMUTABLE,
    }),
    integer('timeout', 0, 'Close a connection that was idle for so many seconds. 0: never.'),
    integer(
      'tcp-keepalive',
      300,
      'Seconds between the probes that find dead peers and keep routers from forgetting the connection. 0: no probes.',
    ),
    integer('maxclients', 10000, 'Connections at a time; one more is told so and closed.', { min: 1, max: UINT_MAX }),
    integer('socket-mark-id', 0, 'Mark of listening sockets for packet filters (not settable from Node.js).', {
      max: UINT_MAX,
      flags: IMMUTABLE | NO_EFFECT,
    }),
    string('requirepass', '', 'Password of the default user. Empty: none is asked for.', { flags: SENSITIVE }),
    memory('client-query-buffer-limit', 1024 ** 3, 'A client whose unfinished commands need more than this is disconnected.', {
      min: 1024 ** 2,
    }),
    memory('proto-max-bulk-len', 512 * 1024 ** 2, 'Longest single argument of a command.', { min: 1024 ** 2 }),
    special(
      'client-output-buffer-limit',
      outputLimits,
      'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60',
      'Disconnect clients that do not read their replies. Per class (normal, replica, pubsub): a hard limit, and a soft limit that may\nbe exceeded for so many seconds. 0 turns a limit off.',
      { flags: MULTI_ARG | SPECIAL },
    ),
    memory(
      'maxmemory-clients',
      0,
      'Memory of all client buffers together, in bytes or as a percentage of maxmemory. Beyond it the largest client goes. 0: no limit.',
      {
        kind: 'percent',
        min: -100,
        max: INT64_MAX,
      },
    ),
    integer(
      'tracking-table-max-keys',
      1000000,
      'Keys remembered for client-side caching; beyond it some are invalidated early. 0: no limit.',
      { max: INT64_MAX },
    ),
    integer('io-threads', 1, 'Redis can read and write sockets in threads; respd has one event loop.', {
      min: 1,
      max: 128,
      flags: IMMUTABLE | NO_EFFECT,
    }),
    yesNo('io-threads-do-reads', 'no', 'See io-threads.', { flags: IMMUTABLE | NO_EFFECT }),
  ],
}

const file = { flags: VOLATILE }

export const tls: OptionGroup = {
  title: 'TLS',
  waiting: true,
  options: [
    integer('tls-port', 0, 'TCP port for TLS. 0: none.', { max: 65535 }),
    string('tls-cert-file', '', "The server's certificate chain, PEM.", file),
    string('tls-key-file', '', "The certificate's private key, PEM.", file),
    string('tls-key-file-pass', '', 'Passphrase of the key, if it has one.'),
    string('tls-client-cert-file', '', 'Certificate for connections this server opens. Empty: the same one.', file),
    string('tls-client-key-file', '', 'Key of that certificate.', file),
    string('tls-client-key-file-pass', '', 'Passphrase of that key.'),
    string('tls-dh-params-file', '', 'Diffie-Hellman parameters for old clients.', file),
    string('tls-ca-cert-file', '', 'Authorities that vouch for clients: a bundle, PEM.', file),
    string('tls-ca-cert-dir', '', 'The same as a directory of single certificates.', file),
    oneOf('tls-auth-clients', ['no', 'yes', 'optional'], 'yes', 'Whether clients must show a certificate.'),
    yesNo('tls-replication', 'no', 'Use TLS towards the primary.'),
    yesNo('tls-cluster', 'no', 'Use TLS on the cluster bus.'),
    string('tls-protocols', '', 'Versions to allow, for example "TLSv1.2 TLSv1.3". Empty: both.'),
    string('tls-ciphers', '', 'Ciphers up to TLS 1.2, in the notation of OpenSSL.'),
    string('tls-ciphersuites', '', 'Cipher suites of TLS 1.3.'),
    yesNo('tls-prefer-server-ciphers', 'no', "Choose by the server's order of ciphers."),
    yesNo('tls-session-caching', 'yes', 'Let clients resume a session.'),
    integer('tls-session-cache-size', 20480, 'Sessions kept. 0: no limit.'),
    integer('tls-session-cache-timeout', 300, 'Seconds that a session can be resumed.'),
  ],
}
