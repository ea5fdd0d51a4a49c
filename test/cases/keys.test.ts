import { cases } from '../support/cases.ts'

cases('keys')`
  ## DEL, UNLINK, EXISTS, TOUCH
  MSET a 1 b 2 c 3                   => +OK
  DEL a b nokey                      => :2
  EXISTS a b c c nokey               => :2
  UNLINK c c                         => :1
  TOUCH a                            => :0
  SET a 1                            => +OK
  TOUCH a a b                        => :2
  DEL                                => -ERR wrong number of arguments for 'del' command
  UNLINK                             => -ERR wrong number of arguments for 'unlink' command
  EXISTS                             => -ERR wrong number of arguments for 'exists' command
  TOUCH                              => -ERR wrong number of arguments for 'touch' command
  DBSIZE                             => :1

  ## TYPE
  SET s v                            => +OK
  TYPE s                             => +string
  TYPE nokey                         => +none
  TYPE                               => -ERR wrong number of arguments for 'type' command
  TYPE a b                           => -ERR wrong number of arguments for 'type' command

  ## KEYS
  MSET one 1 two 2 three 3 four 4 "a*b" 5 "[x]" 6 => +OK
  KEYS * => @[one two three four "a*b" "[x]"]
  KEYS t* => @[two three]
  KEYS t?o                           => [two]
  KEYS "a\\*b"                       => [a*b]
  KEYS "\\[x]"                       => ["[x]"]
  KEYS [a-o]ne                       => [one]
  KEYS [^o]ne                        => []
  KEYS "o[^a]e"                      => [one]
  KEYS ""                            => []
  KEYS nomatch                       => []
  KEYS                               => -ERR wrong number of arguments for 'keys' command
  KEYS a b                           => -ERR wrong number of arguments for 'keys' command

  ## SCAN
  MSET k1 1 k2 2 l1 3                => +OK
  SCAN 0 COUNT 100 => [0 @[k1 k2 l1]]
  SCAN 0 MATCH k* COUNT 100 => [0 @[k1 k2]]
  SCAN 0 TYPE string COUNT 100 => [0 @[k1 k2 l1]]
  SCAN 0 TYPE list COUNT 100         => [0 []]
  SCAN 0 TYPE STRING COUNT 100 => [0 @[k1 k2 l1]]
  SCAN 0 MATCH nomatch COUNT 100     => [0 []]
  SCAN abc                           => -ERR invalid cursor
  SCAN -1 COUNT 100 => any:array
  SCAN 0 COUNT 0                     => -ERR syntax error
  SCAN 0 COUNT -1                    => -ERR syntax error
  SCAN 0 COUNT abc                   => -ERR value is not an integer or out of range
  SCAN 0 COUNT                       => -ERR syntax error
  SCAN 0 MATCH                       => -ERR syntax error
  SCAN 0 FOO bar                     => -ERR syntax error
  SCAN 0 TYPE                        => -ERR syntax error
  SCAN                               => -ERR wrong number of arguments for 'scan' command
  SCAN 18446744073709551616          => -ERR invalid cursor
  SCAN "0 "                          => -ERR invalid cursor
  SCAN 0 COUNT 10 COUNT 100 => any:array

  ## SCAN with TYPE leaves out other types  !7.2 an unknown type gives nothing or an error by version
  SET k v                            => +OK
  SCAN 0 TYPE nosuchtype COUNT 100   => [0 []]

  ## RANDOMKEY
  RANDOMKEY                          => nil
  SET only 1                         => +OK
  RANDOMKEY                          => only
  RANDOMKEY x                        => -ERR wrong number of arguments for 'randomkey' command

  ## RENAME
  SET a 1 EX 100                     => +OK
  SET b 2                            => +OK
  RENAME a b                         => +OK
  GET b                              => 1
  TTL b => :99..100
  EXISTS a                           => :0
  RENAME nokey b                     => -ERR no such key
  RENAME b b                         => +OK
  GET b                              => 1
  RENAME nokey nokey                 => -ERR no such key
  RENAME a                           => -ERR wrong number of arguments for 'rename' command
  SET c 3                            => +OK
  RENAMENX b c                       => :0
  RENAMENX b d                       => :1
  GET d                              => 1
  RENAMENX nokey x                   => -ERR no such key
  RENAMENX c c                       => :0
  RENAMENX c                         => -ERR wrong number of arguments for 'renamenx' command

  ## RENAME takes the time to live away with the old value
  SET a 1                            => +OK
  SET b 2 EX 100                     => +OK
  RENAME a b                         => +OK
  TTL b                              => :-1

  ## COPY
  SET a 1 EX 100                     => +OK
  COPY a b                           => :1
  GET b                              => 1
  TTL b => :99..100
  COPY a b                           => :0
  SET a 2                            => +OK
  COPY a b REPLACE                   => :1
  GET b                              => 2
  TTL b                              => :-1
  COPY nokey c                       => :0
  COPY a a                           => -ERR source and destination objects are the same
  COPY a b DB 1                      => :1
  COPY a b DB 1                      => :0
  COPY a b DB 1 REPLACE              => :1
  COPY a a DB 0                      => -ERR source and destination objects are the same
  COPY a b DB 16                     => -ERR DB index is out of range
  COPY a b DB -1                     => -ERR DB index is out of range
  COPY a b DB abc                    => -ERR value is not an integer or out of range
  COPY a b DB                        => -ERR syntax error
  COPY a b FOO                       => -ERR syntax error
  COPY a                             => -ERR wrong number of arguments for 'copy' command
  SELECT 1                           => +OK
  GET b                              => 2
  TTL b                              => :-1

  ## MOVE
  SET a 1 EX 100                     => +OK
  MOVE a 1                           => :1
  EXISTS a                           => :0
  SELECT 1                           => +OK
  GET a                              => 1
  TTL a => :99..100
  MOVE a 1                           => -ERR source and destination objects are the same
  MOVE nokey 0                       => :0
  MOVE a 16                          => -ERR DB index is out of range
  MOVE a -1                          => -ERR DB index is out of range
  MOVE a abc                         => -ERR value is not an integer or out of range
  MOVE a                             => -ERR wrong number of arguments for 'move' command
  SELECT 0                           => +OK
  SET a 2                            => +OK
  MOVE a 1                           => :0
  GET a                              => 2

  ## SWAPDB
  SET a zero                         => +OK
  SWAPDB 0 1                         => +OK
  GET a                              => nil
  SELECT 1                           => +OK
  GET a                              => zero
  SWAPDB 0 0                         => +OK
  SWAPDB 0 16                        => -ERR DB index is out of range
  SWAPDB a 0                         => -ERR invalid first DB index
  SWAPDB 0 b                         => -ERR invalid second DB index
  SWAPDB 0 -1                        => -ERR DB index is out of range
  SWAPDB 2147483648 0                => -ERR invalid first DB index
  SWAPDB 0 -2147483649               => -ERR invalid second DB index
  SWAPDB 0 2147483647                => -ERR DB index is out of range
  SWAPDB 0                           => -ERR wrong number of arguments for 'swapdb' command

  ## SELECT and DBSIZE
  SET a 1                            => +OK
  DBSIZE                             => :1
  SELECT 15                          => +OK
  DBSIZE                             => :0
  SELECT 16                          => -ERR DB index is out of range
  SELECT -1                          => -ERR DB index is out of range
  SELECT abc                         => -ERR value is not an integer or out of range
  SELECT                             => -ERR wrong number of arguments for 'select' command
  SELECT 1.5                         => -ERR value is not an integer or out of range
  SELECT 99999999999                 => -ERR value is out of range, value must between -2147483648 and 2147483647
  DBSIZE x                           => -ERR wrong number of arguments for 'dbsize' command

  ## FLUSHDB and FLUSHALL
  SET a 1                            => +OK
  SELECT 1                           => +OK
  SET b 2                            => +OK
  FLUSHDB                            => +OK
  DBSIZE                             => :0
  SELECT 0                           => +OK
  DBSIZE                             => :1
  FLUSHDB SYNC                       => +OK
  SET a 1                            => +OK
  FLUSHDB ASYNC                      => +OK
  SET a 1                            => +OK
  FLUSHALL                           => +OK
  FLUSHALL SYNC                      => +OK
  FLUSHALL async                     => +OK
  FLUSHALL FOO                       => -ERR syntax error
  FLUSHDB FOO                        => -ERR syntax error
  FLUSHALL SYNC ASYNC                => -ERR syntax error
  DBSIZE                             => :0

  ## OBJECT
  SET k v                            => +OK
  OBJECT ENCODING k                  => embstr
  OBJECT REFCOUNT k                  => :1
  OBJECT IDLETIME k => :0..1
  OBJECT FREQ k                      => -ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
  OBJECT ENCODING nokey              => nil
  OBJECT REFCOUNT nokey              => nil
  OBJECT IDLETIME nokey              => nil
  OBJECT FREQ nokey                  => nil
  OBJECT HELP                        => [+"OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"ENCODING <key>" +"    Return the kind of internal representation used in order to store the value" +"    associated with a <key>." +"FREQ <key>" +"    Return the access frequency index of the <key>. The returned integer is" +"    proportional to the logarithm of the recent access frequency of the key." +"IDLETIME <key>" +"    Return the idle time of the <key>, that is the approximated number of" +"    seconds elapsed since the last access to the key." +"REFCOUNT <key>" +"    Return the number of references of the value associated with the specified" +"    <key>." +HELP +"    Print this help."]  !7.2 reworded
  OBJECT                             => -ERR wrong number of arguments for 'object' command
  OBJECT FOO                         => -ERR unknown subcommand 'FOO'. Try OBJECT HELP.
  OBJECT ENCODING                    => -ERR wrong number of arguments for 'object|encoding' command
  OBJECT ENCODING a b                => -ERR wrong number of arguments for 'object|encoding' command
  OBJECT HELP x                      => -ERR wrong number of arguments for 'object|help' command
  object encoding k                  => embstr

  ## OBJECT FREQ with an LFU policy
  .config maxmemory-policy allkeys-lfu
  SET k v                            => +OK
  OBJECT FREQ k                      => any:integer
  OBJECT IDLETIME k                  => -ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
`

cases('expire')`
  ## EXPIRE and TTL
  SET k v                            => +OK
  TTL k                              => :-1
  PTTL k                             => :-1
  EXPIRE k 100                       => :1
  TTL k => :99..100
  PTTL k => :90000..100000
  EXPIRE nokey 100                   => :0
  TTL nokey                          => :-2
  PTTL nokey                         => :-2
  EXPIRETIME nokey                   => :-2
  PEXPIRETIME nokey                  => :-2
  SET l v                            => +OK
  EXPIRETIME l                       => :-1
  PEXPIRETIME l                      => :-1
  PERSIST k                          => :1
  PERSIST k                          => :0
  PERSIST nokey                      => :0
  TTL k                              => :-1
  PEXPIRE k 100000                   => :1
  TTL k => :99..100
  EXPIREAT k 9999999999              => :1
  EXPIRETIME k                       => :9999999999
  PEXPIRETIME k                      => :9999999999000
  PEXPIREAT k 9999999999123          => :1
  PEXPIRETIME k                      => :9999999999123
  EXPIRETIME k                       => :9999999999

  ## a time in the past deletes
  MSET a 1 b 2 c 3 d 4               => +OK
  EXPIRE a 0                         => :1
  EXISTS a                           => :0
  EXPIRE b -1                        => :1
  EXISTS b                           => :0
  EXPIREAT c 1                       => :1
  EXISTS c                           => :0
  PEXPIREAT d 1                      => :1
  EXISTS d                           => :0
  DBSIZE                             => :0

  ## NX, XX, GT, LT
  SET k v                            => +OK
  EXPIRE k 100 XX                    => :0
  EXPIRE k 100 GT                    => :0
  EXPIRE k 100 NX                    => :1
  EXPIRE k 200 NX                    => :0
  TTL k => :99..100
  EXPIRE k 50 GT                     => :0
  EXPIRE k 200 GT                    => :1
  TTL k => :199..200
  EXPIRE k 300 LT                    => :0
  EXPIRE k 100 LT                    => :1
  TTL k => :99..100
  EXPIRE k 400 XX                    => :1
  PERSIST k                          => :1
  EXPIRE k 100 LT                    => :1
  EXPIRE k 500 XX GT                 => :1
  EXPIRE k 400 XX LT                 => :1
  TTL k => :399..400
  expire k 100 xx lt                 => :1

  ## option errors
  SET k v                            => +OK
  EXPIRE k 100 NX XX                 => -ERR NX and XX, GT or LT options at the same time are not compatible
  EXPIRE k 100 NX GT                 => -ERR NX and XX, GT or LT options at the same time are not compatible
  EXPIRE k 100 NX LT                 => -ERR NX and XX, GT or LT options at the same time are not compatible
  EXPIRE k 100 GT LT                 => -ERR GT and LT options at the same time are not compatible
  EXPIRE k 100 FOO                   => -ERR Unsupported option FOO
  EXPIRE k 100 NX NX                 => :1
  EXPIRE nokey 100 FOO               => -ERR Unsupported option FOO
  EXPIRE nokey 100 GT LT             => -ERR GT and LT options at the same time are not compatible
  EXPIRE k abc                       => -ERR value is not an integer or out of range
  EXPIRE k 1.5                       => -ERR value is not an integer or out of range
  EXPIRE k abc FOO                   => -ERR Unsupported option FOO
  EXPIRE k                           => -ERR wrong number of arguments for 'expire' command
  EXPIRE k 9223372036854775807       => -ERR invalid expire time in 'expire' command
  EXPIRE k -9223372036854775808      => -ERR invalid expire time in 'expire' command
  EXPIRE k 9223372036854776          => -ERR invalid expire time in 'expire' command
  PEXPIRE k 9223372036854775807      => -ERR invalid expire time in 'pexpire' command
  EXPIREAT k 9223372036854775807     => -ERR invalid expire time in 'expireat' command
  PEXPIREAT k 9223372036854775807    => :1
  PEXPIRETIME k                      => :9223372036854775807
  PEXPIRE k                          => -ERR wrong number of arguments for 'pexpire' command
  EXPIREAT k                         => -ERR wrong number of arguments for 'expireat' command
  PEXPIREAT k                        => -ERR wrong number of arguments for 'pexpireat' command
  TTL                                => -ERR wrong number of arguments for 'ttl' command
  PTTL                               => -ERR wrong number of arguments for 'pttl' command
  PERSIST                            => -ERR wrong number of arguments for 'persist' command
  EXPIRETIME                         => -ERR wrong number of arguments for 'expiretime' command
  TTL a b                            => -ERR wrong number of arguments for 'ttl' command

  ## a key goes when its time comes
  SET k v PX 30                      => +OK
  GET k                              => v
  .wait 60
  GET k                              => nil
  EXISTS k                           => :0
  TTL k                              => :-2
  TYPE k                             => +none
  DBSIZE                             => :0
  SET k w NX                         => +OK

  ## writes that keep and writes that clear the time to live
  SET k 1 EX 100                     => +OK
  INCR k                             => :2
  TTL k => :99..100
  APPEND k 5                         => :2
  TTL k => :99..100
  SETRANGE k 0 7                     => :2
  TTL k => :99..100
  GETSET k 5                         => 75
  TTL k                              => :-1
  EXPIRE k 100                       => :1
  SETNX k 5                          => :0
  TTL k => :99..100
  SET k 5                            => +OK
  TTL k                              => :-1
  EXPIRE k 100                       => :1
  GETDEL k                           => 5
  SET k 1                            => +OK
  TTL k                              => :-1
`
