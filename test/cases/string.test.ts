import { cases } from '../support/cases.ts'

cases('string')`
  ## GET and SET
  SET k v                            => +OK
  GET k                              => v
  GET nokey                          => nil
  SET k ""                           => +OK
  GET k                              => ""
  SET k "\x00\xff\r\n"               => +OK
  GET k                              => "\x00\xff\r\n"
  set K lower                        => +OK
  GET K                              => lower
  GET                                => -ERR wrong number of arguments for 'get' command
  GET a b                            => -ERR wrong number of arguments for 'get' command
  SET k                              => -ERR wrong number of arguments for 'set' command
  SET                                => -ERR wrong number of arguments for 'set' command

  ## SET NX, XX and GET
  SET k v XX                         => nil
  SET k v NX                         => +OK
  SET k w NX                         => nil
  SET k x XX                         => +OK
  GET k                              => x
  SET k y GET                        => x
  SET n z GET                        => nil
  SET n 1 NX GET                     => z
  SET m 1 NX GET                     => nil
  SET m 2 XX GET                     => 1
  SET o 2 XX GET                     => nil
  GET o                              => nil
  SET k v NX XX                      => -ERR syntax error
  SET k v xx nx                      => -ERR syntax error
  SET k v GET GET                    => y

  ## SET with a time to live
  SET k v EX 100                     => +OK
  TTL k => :99..100
  SET k v                            => +OK
  TTL k                              => :-1
  SET k v PX 100000                  => +OK
  PTTL k => :90000..100000
  SET k w KEEPTTL                    => +OK
  PTTL k => :90000..100000
  SET k v EXAT 9999999999            => +OK
  EXPIRETIME k                       => :9999999999
  SET k v PXAT 9999999999999         => +OK
  PEXPIRETIME k                      => :9999999999999
  SET k v GET                        => v
  TTL k                              => :-1
  SET k v PXAT 1                     => +OK
  GET k                              => nil
  SET k v EXAT 1                     => +OK
  EXISTS k                           => :0

  ## SET errors
  SET k v EX                         => -ERR syntax error
  SET k v EX 0                       => -ERR invalid expire time in 'set' command
  SET k v EX -1                      => -ERR invalid expire time in 'set' command
  SET k v EX abc                     => -ERR value is not an integer or out of range
  SET k v EX 1.5                     => -ERR value is not an integer or out of range
  SET k v PX 0                       => -ERR invalid expire time in 'set' command
  SET k v EXAT 0                     => -ERR invalid expire time in 'set' command
  SET k v PXAT -5                    => -ERR invalid expire time in 'set' command
  SET k v EX 9223372036854775807     => -ERR invalid expire time in 'set' command
  SET k v EX 9223372036854776        => -ERR invalid expire time in 'set' command
  SET k v PX 9223372036854775807     => -ERR invalid expire time in 'set' command
  SET k v EX 9223372036854775808     => -ERR value is not an integer or out of range
  SET k v EX 10 PX 10                => -ERR syntax error
  SET k v EX 10 KEEPTTL              => -ERR syntax error
  SET k v KEEPTTL EX 10              => -ERR syntax error
  SET k v KEEPTTL KEEPTTL            => +OK
  SET k v EX 10 EX 10                => +OK
  SET k v FOO                        => -ERR syntax error
  SET k v NX FOO                     => -ERR syntax error
  SET k v PERSIST                    => -ERR syntax error
  EXISTS k                           => :1

  ## SET errors do not replace
  SET k old                          => +OK
  SET k v EX 0                       => -ERR invalid expire time in 'set' command
  SET k v NX EX abc                  => -ERR value is not an integer or out of range
  GET k                              => old

  ## SET GET on another type leaves it alone
  SETRANGE nokey 0 ""                => :0
  SET k v NX GET EX 100              => nil
  TTL k => :99..100
  SET k w NX GET EX 500              => v
  TTL k => :99..100

  ## GETSET, GETDEL, SETNX
  GETSET k a                         => nil
  GETSET k b                         => a
  GETSET k                           => -ERR wrong number of arguments for 'getset' command
  GETDEL k                           => b
  GETDEL k                           => nil
  GETDEL                             => -ERR wrong number of arguments for 'getdel' command
  SETNX k 1                          => :1
  SETNX k 2                          => :0
  GET k                              => 1
  EXPIRE k 100                       => :1
  GETSET k 3                         => 1
  TTL k                              => :-1

  ## SETEX and PSETEX
  SETEX k 100 v                      => +OK
  TTL k => :99..100
  PSETEX k 100000 v                  => +OK
  PTTL k => :90000..100000
  SETEX k 0 v                        => -ERR invalid expire time in 'setex' command
  SETEX k -1 v                       => -ERR invalid expire time in 'setex' command
  SETEX k abc v                      => -ERR value is not an integer or out of range
  SETEX k 9223372036854775807 v      => -ERR invalid expire time in 'setex' command
  PSETEX k 0 v                       => -ERR invalid expire time in 'psetex' command
  PSETEX k 9223372036854775807 v     => -ERR invalid expire time in 'psetex' command
  SETEX k 10                         => -ERR wrong number of arguments for 'setex' command
  GET k                              => v

  ## GETEX
  SET k v                            => +OK
  GETEX k                            => v
  TTL k                              => :-1
  GETEX k EX 100                     => v
  TTL k => :99..100
  GETEX k PX 100000                  => v
  GETEX k PERSIST                    => v
  TTL k                              => :-1
  GETEX k EXAT 9999999999            => v
  EXPIRETIME k                       => :9999999999
  GETEX k PXAT 9999999999999         => v
  PEXPIRETIME k                      => :9999999999999
  GETEX nokey EX 100                 => nil
  GETEX k EX                         => -ERR syntax error
  GETEX k EX 0                       => -ERR invalid expire time in 'getex' command
  GETEX k EX abc                     => -ERR value is not an integer or out of range
  GETEX k FOO                        => -ERR syntax error
  GETEX k EX 10 PERSIST              => -ERR syntax error
  GETEX k PERSIST PERSIST            => v
  GETEX k KEEPTTL                    => -ERR syntax error
  GETEX k NX                         => -ERR syntax error
  GETEX k EXAT 1                     => v
  EXISTS k                           => :0
  GETEX                              => -ERR wrong number of arguments for 'getex' command

  ## MSET, MGET, MSETNX
  MSET a 1 b 2 a 3                   => +OK
  MGET a b nokey a                   => [3 2 nil 3]
  MSET a                             => -ERR wrong number of arguments for 'mset' command
  MSET a 1 b                         => -ERR wrong number of arguments for 'mset' command
  MSET                               => -ERR wrong number of arguments for 'mset' command
  MGET                               => -ERR wrong number of arguments for 'mget' command
  MSETNX c 1 d 2                     => :1
  MSETNX d 3 e 4                     => :0
  EXISTS e                           => :0
  MSETNX x 1 x 2                     => :1
  GET x                              => 2
  MSETNX x                           => -ERR wrong number of arguments for 'msetnx' command
  MSETNX e 1 f                       => -ERR wrong number of arguments for 'msetnx' command
  EXPIRE a 100                       => :1
  MSET a 4                           => +OK
  TTL a                              => :-1

  ## APPEND and STRLEN
  APPEND k abc                       => :3
  APPEND k ""                        => :3
  APPEND k def                       => :6
  GET k                              => abcdef
  STRLEN k                           => :6
  STRLEN nokey                       => :0
  SET n 10                           => +OK
  APPEND n 5                         => :3
  INCR n                             => :106
  APPEND k                           => -ERR wrong number of arguments for 'append' command
  STRLEN                             => -ERR wrong number of arguments for 'strlen' command
  SET t v EX 100                     => +OK
  APPEND t w                         => :2
  TTL t => :99..100

  ## SETRANGE
  SET k "Hello World"                => +OK
  SETRANGE k 6 Redis                 => :11
  GET k                              => "Hello Redis"
  SETRANGE nokey 3 abc               => :6
  GET nokey                          => "\x00\x00\x00abc"
  SETRANGE other 3 ""                => :0
  EXISTS other                       => :0
  SETRANGE k 20 x                    => :21
  GET k                              => "Hello Redis\x00\x00\x00\x00\x00\x00\x00\x00\x00x"
  SETRANGE k -1 x                    => -ERR offset is out of range
  SETRANGE k abc x                   => -ERR value is not an integer or out of range
  SETRANGE k 536870912 x             => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  SETRANGE k 536870911 xx            => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  SETRANGE k 9223372036854775807 x   => -ERR string exceeds maximum allowed size (proto-max-bulk-len)
  SETRANGE nokey2 536870912 ""       => :0
  SETRANGE k 0 ""                    => :21
  SETRANGE k 1                       => -ERR wrong number of arguments for 'setrange' command
  SET n 12345                        => +OK
  SETRANGE n 1 9                     => :5
  GET n                              => 19345

  ## GETRANGE and SUBSTR
  SET k "This is a string"           => +OK
  GETRANGE k 0 3                     => This
  GETRANGE k -3 -1                   => ing
  GETRANGE k 0 -1                    => "This is a string"
  GETRANGE k 10 100                  => string
  GETRANGE k 5 3                     => ""
  GETRANGE k -100 3                  => This
  GETRANGE k -100 -200               => ""
  GETRANGE k 100 200                 => ""
  GETRANGE nokey 0 -1                => ""
  GETRANGE k a 1                     => -ERR value is not an integer or out of range
  GETRANGE k 0                       => -ERR wrong number of arguments for 'getrange' command
  SUBSTR k 0 3                       => This
  SUBSTR nokey 0 3                   => ""
  SET n 12345                        => +OK
  GETRANGE n 1 -2                    => 234
  GETRANGE n -9223372036854775808 9223372036854775807 => 12345
  GETRANGE n 9223372036854775808 1   => -ERR value is not an integer or out of range
  SET e ""                           => +OK
  GETRANGE e 0 -1                    => ""

  ## INCR and friends
  INCR k                             => :1
  INCRBY k 5                         => :6
  DECR k                             => :5
  DECRBY k 10                        => :-5
  GET k                              => "-5"
  INCRBY k -5                        => :-10
  DECRBY k -5                        => :-5
  INCR                               => -ERR wrong number of arguments for 'incr' command
  INCRBY k                           => -ERR wrong number of arguments for 'incrby' command
  INCRBY k 1.5                       => -ERR value is not an integer or out of range
  INCRBY k abc                       => -ERR value is not an integer or out of range
  INCRBY k ""                        => -ERR value is not an integer or out of range
  INCRBY k " 1"                      => -ERR value is not an integer or out of range
  INCRBY k +1                        => -ERR value is not an integer or out of range
  INCRBY k 01                        => -ERR value is not an integer or out of range
  INCRBY k -0                        => -ERR value is not an integer or out of range
  INCRBY k 9223372036854775808       => -ERR value is not an integer or out of range
  DECRBY k -9223372036854775808      => -ERR decrement would overflow
  SET s abc                          => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s " 1"                         => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s "1 "                         => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s 01                           => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s ""                           => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s -0                           => +OK
  INCR s                             => -ERR value is not an integer or out of range
  SET s 1.0                          => +OK
  INCR s                             => -ERR value is not an integer or out of range

  ## 64-bit limits
  SET k 9223372036854775806          => +OK
  INCR k                             => :9223372036854775807
  INCR k                             => -ERR increment or decrement would overflow
  GET k                              => 9223372036854775807
  SET k -9223372036854775807         => +OK
  DECR k                             => :-9223372036854775808
  DECR k                             => -ERR increment or decrement would overflow
  GET k                              => "-9223372036854775808"
  SET k 9007199254740991             => +OK
  INCR k                             => :9007199254740992
  INCR k                             => :9007199254740993
  INCRBY k 1000000000000000001       => :1009007199254740994
  SET k 9223372036854775808          => +OK
  INCR k                             => -ERR value is not an integer or out of range
  SET k -9223372036854775808         => +OK
  INCRBY k 9223372036854775807       => :-1
  INCRBY k -9223372036854775808      => -ERR increment or decrement would overflow
  SET k 1                            => +OK
  DECRBY k 9223372036854775807       => :-9223372036854775806
  INCRBY k -3                        => -ERR increment or decrement would overflow

  ## INCRBYFLOAT
  INCRBYFLOAT k 0.1                  => 0.1
  INCRBYFLOAT k 0.2                  => 0.3
  INCRBYFLOAT k -0.3                 => 0
  INCRBYFLOAT k 1e3                  => 1000
  INCRBYFLOAT k 5.0e-3               => 1000.005
  SET k 10.50                        => +OK
  INCRBYFLOAT k 0.1                  => 10.6
  SET k 3                            => +OK
  INCRBYFLOAT k 1.0                  => 4
  OBJECT ENCODING k                  => embstr
  SET k 5.0e3                        => +OK
  INCRBYFLOAT k 2.0e2                => 5200
  SET k 0.1                          => +OK
  INCRBYFLOAT k 0.2                  => 0.3
  SET k 17179869184                  => +OK
  INCRBYFLOAT k 1.5                  => 17179869185.5
  SET k 1                            => +OK
  INCRBYFLOAT k 1e-17                => 1.00000000000000001
  INCRBYFLOAT k 3.14159265358979     => 4.14159265358979001
  INCRBYFLOAT k -100000000000000000000 => "-99999999999999999992"
  INCRBYFLOAT k abc                  => -ERR value is not a valid float
  INCRBYFLOAT k inf                  => -ERR increment would produce NaN or Infinity
  INCRBYFLOAT k -inf                 => -ERR increment would produce NaN or Infinity
  INCRBYFLOAT k nan                  => -ERR value is not a valid float
  INCRBYFLOAT k ""                   => -ERR value is not a valid float
  INCRBYFLOAT k " 1"                 => -ERR value is not a valid float
  INCRBYFLOAT k 0x10                 => "-99999999999999999976"
  INCRBYFLOAT k                      => -ERR wrong number of arguments for 'incrbyfloat' command
  SET k abc                          => +OK
  INCRBYFLOAT k 1                    => -ERR value is not a valid float
  SET k " 1"                         => +OK
  INCRBYFLOAT k 1                    => -ERR value is not a valid float
  SET k 1e400                        => +OK
  INCRBYFLOAT k 1                    => 10000000000000000000281880683947586514586453433629052038625910693539685534008629862039363994848324160522094053927317616200295822777259255734023828976593340661017797447434546173917862448116674971723778943824391593338047470675026246684401359237513603830343735485505244955964979021825038280091068414947402456898653040951017512658092615827588920183472511643316591362664138176309734806343732497430221946880
  SET t 1 EX 100                     => +OK
  INCRBYFLOAT t 1                    => 2
  TTL t => :99..100

  ## LCS
  MSET a ohmytext b mynewtext        => +OK
  LCS a b                            => mytext
  LCS a b LEN                        => :6
  LCS a b IDX                        => {matches [[[:4 :7] [:5 :8]] [[:2 :3] [:0 :1]]] len :6}
  LCS a b IDX MINMATCHLEN 4          => {matches [[[:4 :7] [:5 :8]]] len :6}
  LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN => {matches [[[:4 :7] [:5 :8] :4]] len :6}
  LCS a b IDX WITHMATCHLEN           => {matches [[[:4 :7] [:5 :8] :4] [[:2 :3] [:0 :1] :2]] len :6}
  LCS a b LEN IDX                    => -ERR If you want both the length and indexes, please just use IDX.
  LCS a b MINMATCHLEN abc            => -ERR value is not an integer or out of range
  LCS a b MINMATCHLEN -1 IDX         => {matches [[[:4 :7] [:5 :8]] [[:2 :3] [:0 :1]]] len :6}
  LCS a b MINMATCHLEN                => -ERR syntax error
  LCS a b FOO                        => -ERR syntax error
  LCS a                              => -ERR wrong number of arguments for 'lcs' command
  LCS a nokey                        => ""
  LCS nokey a LEN                    => :0
  LCS nokey other IDX                => {matches [] len :0}
  SET n 12345                        => +OK
  LCS n n                            => 12345
  lcs a b len                        => :6

  ## encodings
  SET k 1                            => +OK
  OBJECT ENCODING k                  => int
  SET k 9223372036854775807          => +OK
  OBJECT ENCODING k                  => int
  SET k 9223372036854775808          => +OK
  OBJECT ENCODING k                  => embstr
  SET k -1                           => +OK
  OBJECT ENCODING k                  => int
  SET k 01                           => +OK
  OBJECT ENCODING k                  => embstr
  SET k ""                           => +OK
  OBJECT ENCODING k                  => embstr
  SET k ${'x'.repeat(44)}
  OBJECT ENCODING k                  => embstr
  SET k ${'x'.repeat(45)}
  OBJECT ENCODING k                  => raw
  SET k 12345                        => +OK
  APPEND k 6                         => :6
  OBJECT ENCODING k                  => raw
  SET k abc                          => +OK
  SETRANGE k 0 x                     => :3
  OBJECT ENCODING k                  => raw
  SET k 10                           => +OK
  INCR k                             => :11
  OBJECT ENCODING k                  => int
  INCRBYFLOAT k 1.5                  => 12.5
  OBJECT ENCODING k                  => embstr
  SET k abc                          => +OK
  APPEND k d                         => :4
  OBJECT ENCODING k                  => raw
  APPEND new 123                     => :3
  OBJECT ENCODING new                => int
  GETSET k 55                        => abcd
  OBJECT ENCODING k                  => int
  SETEX k 100 77                     => +OK
  OBJECT ENCODING k                  => int
  MSET k 5 l 6                       => +OK
  OBJECT ENCODING l                  => int
  OBJECT ENCODING nokey              => nil

  ## large values
  SET k ${'x'.repeat(100_000)} => +OK
  STRLEN k                           => :100000
  APPEND k ${'y'.repeat(1000)} => :101000
  GETRANGE k 99998 100002            => xxyyy
  SETRANGE k 2000000 end             => :2000003
  STRLEN k                           => :2000003
  GETRANGE k 101000 101003           => "\x00\x00\x00\x00"
  GETRANGE k -4 -1                   => "\x00end"
`
