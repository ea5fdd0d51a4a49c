import { cases } from '../support/cases.ts'

cases('limits')`
  ## before authentication: few arguments [resp2]
  .config requirepass secret
  b> .raw "*10\r\n"                  => ...
  b>                                 => quiet
  c> .raw "*11\r\n"                  => -ERR Protocol error: unauthenticated multibulk length
  c>                                 => closed

  ## before authentication: short arguments [resp2]
  .config requirepass secret
  b> .raw "*1\r\n$16384\r\n"         => ...
  b>                                 => quiet
  c> .raw "*1\r\n$16385\r\n"         => -ERR Protocol error: unauthenticated bulk length
  c>                                 => closed

  ## after authentication the limits are gone [resp2]
  .config requirepass secret
  b> AUTH secret                     => +OK
  b> ECHO ${'x'.repeat(20_000)} => /^x{20000}$/
  b> EXISTS a b c d e f g h i j k l m n => :0

  ## more replicas wanted than there are
  SET k v                            => +OK
  MULTI                              => +OK
  INCR n                             => +QUEUED
  b> CONFIG SET min-replicas-to-write 1 => +OK
  EXEC                               => -EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.
  SET k w                            => -NOREPLICAS Not enough good replicas to write.
  DEL k                              => -NOREPLICAS Not enough good replicas to write.
  GET k                              => v
  PING                               => +PONG
  MULTI                              => +OK
  GET k                              => +QUEUED
  SET k w                            => -NOREPLICAS Not enough good replicas to write.
  EXEC                               => -EXECABORT Transaction discarded because of previous errors.
  EVAL "return redis.call('get', 'k')" 0 => v
  EVAL "return redis.call('set', 'k', 'x')" 0 => -NOREPLICAS Not enough good replicas to write. script: c879d0f610a7c3fd6d97d912e0c91f1e140ecfbb, on @user_script:1.
  EVAL "#!lua\nreturn 1" 0           => -NOREPLICAS Not enough good replicas to write.
  EVAL "#!lua flags=no-writes\nreturn 1" 0 => :1
  CONFIG SET min-replicas-max-lag 0  => +OK
  SET k w                            => +OK
  CONFIG SET min-replicas-max-lag 10 min-replicas-to-write 0 => +OK
  SET k w                            => +OK

  ## no memory left
  SET k v                            => +OK
  .config maxmemory 1
  SET k w                            => -OOM command not allowed when used memory > 'maxmemory'.
  APPEND k w                         => -OOM command not allowed when used memory > 'maxmemory'.
  INCR n                             => -OOM command not allowed when used memory > 'maxmemory'.
  SETRANGE k 1 w                     => -OOM command not allowed when used memory > 'maxmemory'.
  MSET a 1                           => -OOM command not allowed when used memory > 'maxmemory'.
  GET k                              => v
  STRLEN k                           => :1
  EXPIRE k 100                       => :1
  GETDEL k                           => v
  SET k v                            => -OOM command not allowed when used memory > 'maxmemory'.
  DEL k                              => :0
  PING                               => +PONG
  FLUSHALL                           => +OK

  ## no memory left inside a transaction
  .config maxmemory 1
  MULTI                              => +OK
  SET k v                            => -OOM command not allowed when used memory > 'maxmemory'.
  EXEC                               => -EXECABORT Transaction discarded because of previous errors.
  MULTI                              => +OK
  GET k                              => -OOM command not allowed when used memory > 'maxmemory'.
  EXEC                               => -EXECABORT Transaction discarded because of previous errors.

  ## a long string is refused
  SETRANGE k 536870912 x             => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  SET k v                            => +OK
  SETRANGE k 536870911 xx            => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  STRLEN k                           => :1

  ## a lower limit for one argument
  .config proto-max-bulk-len 1048576
  SETRANGE k 1048575 x               => :1048576
  SETRANGE k 1048576 x               => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  APPEND k x                         => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  STRLEN k                           => :1048576
`
