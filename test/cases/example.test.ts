/** What case files look like; also the test of the harness itself. The format is described in test/support/cases.ts. */
import { cases } from '../support/cases.ts'

cases('example')`
  ## one client, replies as redis-server gives them
  SET k v NX                         => +OK
  SET k w NX                         => nil
  GET k                              => v
  GET nokey                          => nil
  MGET k nokey                       => [v nil]
  INCR n                             => :1
  INCR k                             => -ERR value is not an integer or out of range
  SET b "\x00\xff\r\n"               => +OK
  GET b                              => "\x00\xff\r\n"

  ## a command without a reply is only compared with redis-server
  SET k 10
  INCRBYFLOAT k 0.1
  OBJECT ENCODING k

  ## patterns
  SET k v EX 100                     => +OK
  TTL k                              => :99..100
  PTTL k                             => any:integer
  RANDOMKEY                          => oneof(k other)
  MSET k1 a k2 b                     => +OK
  KEYS k*                            => @[k2 k k1]
  INFO server                        => /redis_version:7\.\d/
  GET k                              => any

  ## several clients, one after the other
  a> MULTI                           => +OK
  a> INCR k                          => +QUEUED
  b> GET k                           => nil
  a> EXEC                            => [:1]
  b> GET k                           => 1
  b> QUIT                            => +OK
  b>                                 => closed
  a>                                 => quiet
  a> .close
  a> GET k                           => 1

  ## bytes as they are, and what a protocol error does
  .raw "*1\r\n$4\r\nPING\r\n"        => +PONG
  .raw "PING inline\r\n"             => inline
  .raw "*1\r\n$4x\r\n"               => -ERR Protocol error: invalid bulk length
  => closed

  ## values of the program, repetition, settings
  SET k ${'x'.repeat(1000)}          => +OK
  STRLEN k                           => :1000
  .times 5 INCR n                    => :5
  .config timeout 100
  CONFIG GET timeout                 => {timeout 100}

  ## one protocol only [resp3]
  HELLO 3                            => any:map
  HELLO                              => {server redis ...}

  ## what the oracle is not asked
  INFO server                        => /server_name:respd/  !ours it says who it is
`
