import { cases } from '../support/cases.ts'

cases('connection')`
  ## PING and ECHO
  PING                               => +PONG
  PING hello                         => hello
  PING ""                            => ""
  PING a b                           => -ERR wrong number of arguments for 'ping' command
  ECHO hello                         => hello
  ECHO                               => -ERR wrong number of arguments for 'echo' command
  ECHO a b                           => -ERR wrong number of arguments for 'echo' command
  ping                               => +PONG
  PiNg "\x00"                        => "\x00"

  ## unknown commands
  FOO                                => -"ERR unknown command 'FOO', with args beginning with: "
  FOO a b                            => -"ERR unknown command 'FOO', with args beginning with: 'a' 'b' "
  foo "a\r\nb" ${'x'.repeat(200)}
  "" a                               => -"ERR unknown command '', with args beginning with: 'a' "
  ${'y'.repeat(200)} a
  GET\x00                            => -"ERR unknown command 'GET\\x00', with args beginning with: "
  "FOO\r\nBAR" x                     => -"ERR unknown command 'FOO  BAR', with args beginning with: 'x' "

  ## wrong numbers of arguments
  GET                                => -ERR wrong number of arguments for 'get' command
  get a b c                          => -ERR wrong number of arguments for 'get' command
  SET a                              => -ERR wrong number of arguments for 'set' command
  CONFIG                             => -ERR wrong number of arguments for 'config' command
  OBJECT                             => -ERR wrong number of arguments for 'object' command
  COMMAND COUNT x                    => -ERR wrong number of arguments for 'command|count' command
  CLIENT                             => -ERR wrong number of arguments for 'client' command

  ## HELLO in RESP2 [resp2]
  HELLO 2 => {server redis version any proto :2 id any:integer mode standalone role master modules []}
  HELLO 2 SETNAME me => any:array
  CLIENT GETNAME                     => me
  HELLO 3                            => any:map
  HELLO => any:map

  ## HELLO switches [resp3]
  GET nokey                          => nil
  HELLO 2 => any:array
  HELLO 3 => any:map
  HELLO 3 SETNAME me => any:map
  CLIENT GETNAME                     => me

  ## HELLO errors
  HELLO 4                            => -NOPROTO unsupported protocol version
  HELLO 1                            => -NOPROTO unsupported protocol version
  HELLO abc                          => -ERR Protocol version is not an integer or out of range
  HELLO 2 FOO                        => -ERR Syntax error in HELLO option 'FOO'
  HELLO 2 AUTH                       => -ERR Syntax error in HELLO option 'AUTH'
  HELLO 2 AUTH default               => -ERR Syntax error in HELLO option 'AUTH'
  HELLO 2 SETNAME                    => -ERR Syntax error in HELLO option 'SETNAME'
  HELLO 2 SETNAME "a b"              => -ERR Client names cannot contain spaces, newlines or special characters.
  HELLO 2 AUTH default x => any
  HELLO 2 AUTH nouser x              => -WRONGPASS invalid username-password pair or user is disabled.
  HELLO 9223372036854775808          => -ERR Protocol version is not an integer or out of range

  ## CLIENT names and ids
  CLIENT GETNAME                     => nil
  CLIENT SETNAME me                  => +OK
  CLIENT GETNAME                     => me
  CLIENT SETNAME "a b"               => -ERR Client names cannot contain spaces, newlines or special characters.
  CLIENT SETNAME ""                  => +OK
  CLIENT GETNAME                     => nil
  CLIENT ID => any:integer

  ## AUTH without a password
  AUTH x                             => -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
  AUTH default x => +OK
  AUTH nouser x                      => -WRONGPASS invalid username-password pair or user is disabled.
  AUTH                               => -ERR wrong number of arguments for 'auth' command
  AUTH a b c                         => -ERR syntax error

  ## QUIT
  SET k v                            => +OK
  QUIT                               => +OK
  => closed

  ## QUIT takes arguments
  QUIT a b                           => +OK
  => closed

  ## commands after QUIT are not run
  .raw "QUIT\r\nSET k v\r\n" => +OK
  => closed
  b> GET k                           => nil

  ## RESET
  SELECT 3                           => +OK
  CLIENT SETNAME me                  => +OK
  MULTI                              => +OK
  RESET                              => +RESET
  # RESP2 from here on
  CLIENT GETNAME                     => nil2
  SET k v                            => +OK
  SELECT 0                           => +OK
  EXEC                               => -ERR EXEC without MULTI
  RESET x                            => -ERR wrong number of arguments for 'reset' command

  ## TIME
  TIME => [/^\d{10}$/ /^\d{1,6}$/]
  TIME x                             => -ERR wrong number of arguments for 'time' command

  ## COMMAND
  COMMAND COUNT => any:integer
  COMMAND INFO nosuch                => [nil]
  COMMAND DOCS nosuch                => {}
  COMMAND FOO                        => -ERR unknown subcommand 'FOO'. Try COMMAND HELP.

  ## COMMAND INFO
  COMMAND INFO get                   => [[get :2 ~[+readonly +fast] :1 :1 :1 ~[+@read +@string +@fast] ~[] ~[{flags ~[+RO +access] begin_search {type index spec {index :1}} find_keys {type range spec {lastkey :0 keystep :1 limit :0}}}] ~[]]]
  COMMAND INFO GET nosuch ping => [[get :2 ...] nil [ping ...]]

  ## requirepass [resp2]
  .config requirepass secret
  b> PING                            => -NOAUTH Authentication required.
  b> GET k                           => -NOAUTH Authentication required.
  b> FOO                             => -"ERR unknown command 'FOO', with args beginning with: "
  b> AUTH wrong                      => -WRONGPASS invalid username-password pair or user is disabled.
  b> AUTH default wrong              => -WRONGPASS invalid username-password pair or user is disabled.
  b> AUTH other secret               => -WRONGPASS invalid username-password pair or user is disabled.
  b> HELLO 3                         => -NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time  !7.2 reworded
  b> HELLO 3 AUTH default wrong      => -WRONGPASS invalid username-password pair or user is disabled.
  b> AUTH secret                     => +OK
  b> PING                            => +PONG
  c> AUTH default secret             => +OK
  c> PING                            => +PONG
  d> HELLO 2 AUTH default secret SETNAME me => any
  d> CLIENT GETNAME                  => me
  e> QUIT                            => +OK
  e>                                 => closed
  f> RESET                           => +RESET
  f> AUTH                            => -ERR wrong number of arguments for 'auth' command
  f> GET                             => -ERR wrong number of arguments for 'get' command
`

cases('protocol')`
  ## inline commands
  .raw "PING\r\n"                    => +PONG
  .raw "PING\n"                      => +PONG
  .raw "  PING   hello \r\n"         => hello
  .raw "\r\n\r\nPING\r\n"            => +PONG
  .raw "SET k \"a b\\x41\\n\"\r\n"   => +OK
  GET k                              => "a bA\n"
  .raw "SET k 'a\\'b'\r\n"           => +OK
  GET k                              => "a'b"
  .raw "ECHO \"\"\r\n"               => ""
  .raw "ECHO a\tb\r\n"               => -ERR wrong number of arguments for 'echo' command

  ## unbalanced quotes
  .raw "GET \"k\r\n"                 => -ERR Protocol error: unbalanced quotes in request
  => closed

  ## text after a closing quote
  .raw "GET \"k\"x\r\n"              => -ERR Protocol error: unbalanced quotes in request
  => closed

  ## multibulk of nothing
  .raw "*0\r\nPING\r\n"              => +PONG
  .raw "*-1\r\nPING\r\n"             => +PONG
  .raw "*-5\r\n*1\r\n$4\r\nPING\r\n" => +PONG

  ## too many arguments
  .raw "*2147483648\r\n"             => -ERR Protocol error: invalid multibulk length
  => closed

  ## a count that is no number
  .raw "*abc\r\n"                    => -ERR Protocol error: invalid multibulk length
  => closed

  ## a missing dollar
  .raw "*1\r\nPING\r\n"              => -ERR Protocol error: expected '$', got 'P'
  => closed

  ## a missing dollar, other byte
  .raw "*2\r\n$4\r\nECHO\r\n:5\r\n"  => -ERR Protocol error: expected '$', got ':'
  => closed

  ## a negative bulk length
  .raw "*1\r\n$-1\r\n"               => -ERR Protocol error: invalid bulk length
  => closed

  ## a bulk length that is no number
  .raw "*1\r\n$x\r\n"                => -ERR Protocol error: invalid bulk length
  => closed

  ## a bulk length beyond the limit
  .raw "*1\r\n$536870913\r\n"        => -ERR Protocol error: invalid bulk length
  => closed

  ## a bulk length beyond a lower limit
  .config proto-max-bulk-len 1048576
  .raw "*2\r\n$4\r\nECHO\r\n$1048577\r\n" => -ERR Protocol error: invalid bulk length
                                     => closed

  ## earlier commands of the packet are answered first
  .raw "PING\r\n*1\r\n$4\r\nPING\r\n*1\r\n$x\r\n" => +PONG
  => +PONG
  => -ERR Protocol error: invalid bulk length
  => closed

  ## too big inline request
  .raw ${'x'.repeat(70_000)} => -ERR Protocol error: too big inline request
  => closed

  ## too big count line
  .raw *${'1'.repeat(70_000)} => -ERR Protocol error: too big mbulk count string
  => closed

  ## too big length line
  .raw "*1\r\n" ${`$${'1'.repeat(70_000)}`} => -ERR Protocol error: too big bulk count string
  => closed

  ## web requests
  .raw "POST / HTTP/1.1\r\n" => closed

  ## web headers
  .raw "Host: example.org\r\n" => closed

  ## a command in many packets
  .raw "*2\r\n" => ...
  .raw "$4\r\nEC" => ...
  .raw "HO\r\n$3\r\nab" => ...
  .raw "c" => ...
  .raw "\r" => ...
  .raw "\n" => abc

  ## long pipelines
  .raw "${'PING\\r\\n'.repeat(3)}PING" => +PONG
  => +PONG
  => +PONG
  .raw "\r\n" => +PONG
`

cases('transactions')`
  ## MULTI and EXEC
  MULTI                              => +OK
  SET k v                            => +QUEUED
  GET k                              => +QUEUED
  INCR n                             => +QUEUED
  EXEC                               => [+OK v :1]
  GET k                              => v
  EXEC                               => -ERR EXEC without MULTI
  DISCARD                            => -ERR DISCARD without MULTI

  ## an empty transaction
  MULTI                              => +OK
  EXEC                               => []

  ## DISCARD
  MULTI                              => +OK
  SET k v                            => +QUEUED
  DISCARD                            => +OK
  GET k                              => nil
  EXEC                               => -ERR EXEC without MULTI

  ## nested MULTI
  MULTI                              => +OK
  MULTI                              => -ERR MULTI calls can not be nested
  SET k v                            => +QUEUED
  EXEC                               => [+OK]
  GET k                              => v

  ## WATCH inside MULTI
  MULTI                              => +OK
  WATCH k                            => -ERR WATCH inside MULTI is not allowed
  EXEC                               => []

  ## errors while queueing
  MULTI                              => +OK
  SET k v                            => +QUEUED
  NOSUCH                             => -"ERR unknown command 'NOSUCH', with args beginning with: "
  SET k                              => -ERR wrong number of arguments for 'set' command
  EXEC                               => -EXECABORT Transaction discarded because of previous errors.
  EXISTS k                           => :0
  EXEC                               => -ERR EXEC without MULTI

  ## errors while running do not stop it
  SET s abc                          => +OK
  MULTI                              => +OK
  INCR s                             => +QUEUED
  SET k v                            => +QUEUED
  LPUSH => any:error
  DISCARD                            => +OK
  MULTI                              => +OK
  INCR s                             => +QUEUED
  SET k v                            => +QUEUED
  EXEC                               => [-"ERR value is not an integer or out of range" +OK]

  ## WATCH: the key changes
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> SET k 2                         => +OK
  MULTI                              => +OK
  SET k 3                            => +QUEUED
  EXEC                               => nil*
  GET k                              => 2
  MULTI                              => +OK
  SET k 4                            => +QUEUED
  EXEC                               => [+OK]

  ## WATCH: the key stays
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> SET other 2                     => +OK
  MULTI                              => +OK
  INCR k                             => +QUEUED
  EXEC                               => [:2]

  ## WATCH: the same connection changes it
  WATCH k                            => +OK
  SET k 1                            => +OK
  MULTI                              => +OK
  GET k                              => +QUEUED
  EXEC                               => nil*

  ## WATCH: touched without change
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> EXPIRE k 100                    => :1
  MULTI                              => +OK
  GET k                              => +QUEUED
  EXEC                               => nil*

  ## WATCH: deleted, flushed, renamed
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> DEL k                           => :1
  MULTI                              => +OK
  EXEC                               => nil*
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> FLUSHALL                        => +OK
  MULTI                              => +OK
  EXEC                               => nil*
  WATCH k                            => +OK
  b> FLUSHALL                        => +OK
  MULTI                              => +OK
  EXEC                               => []
  SET a 1                            => +OK
  WATCH b                            => +OK
  b> RENAME a b                      => +OK
  MULTI                              => +OK
  EXEC                               => nil*

  ## WATCH: a DEL of nothing changes nothing
  WATCH nokey                        => +OK
  b> DEL nokey                       => :0
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => [+PONG]

  ## WATCH: an expired key
  SET k 1 PX 20                      => +OK
  WATCH k                            => +OK
  .wait 50
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => nil*

  ## WATCH: swapped databases
  SET k 1                            => +OK
  WATCH k                            => +OK
  b> SWAPDB 0 1                      => +OK
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => nil*

  ## UNWATCH and DISCARD forget
  WATCH k                            => +OK
  b> SET k 1                         => +OK
  UNWATCH                            => +OK
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => [+PONG]
  WATCH k                            => +OK
  b> SET k 2                         => +OK
  MULTI                              => +OK
  DISCARD                            => +OK
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => [+PONG]

  ## WATCH is per database
  WATCH k                            => +OK
  b> SELECT 1                        => +OK
  b> SET k 1                         => +OK
  MULTI                              => +OK
  PING                               => +QUEUED
  EXEC                               => [+PONG]

  ## SELECT inside
  MULTI                              => +OK
  SELECT 1                           => +QUEUED
  SET k one                          => +QUEUED
  EXEC                               => [+OK +OK]
  GET k                              => one
  SELECT 0                           => +OK
  GET k                              => nil

  ## wrong numbers of arguments
  MULTI x                            => -ERR wrong number of arguments for 'multi' command
  EXEC x                             => -EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command
  DISCARD x                          => -ERR wrong number of arguments for 'discard' command
  WATCH                              => -ERR wrong number of arguments for 'watch' command
  UNWATCH x                          => -ERR wrong number of arguments for 'unwatch' command

  ## HELLO, RESET and QUIT inside
  MULTI                              => +OK
  PING                               => +QUEUED
  RESET                              => +RESET
  EXEC                               => -ERR EXEC without MULTI
  MULTI                              => +OK
  QUIT                               => +OK
  => closed
`
