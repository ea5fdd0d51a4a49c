import { cases } from '../support/cases.ts'

cases('bitmap')`
  ## SETBIT and GETBIT
  SETBIT k 7 1                       => :0
  GETBIT k 7                         => :1
  GETBIT k 6                         => :0
  GETBIT k 100                       => :0
  GET k                              => "\x01"
  SETBIT k 7 0                       => :1
  STRLEN k                           => :1
  SETBIT k 100 0                     => :0
  STRLEN k                           => :13
  OBJECT ENCODING k                  => raw
  SET n 1                            => +OK
  SETBIT n 6 1                       => :0
  GET n                              => 3
  OBJECT ENCODING n                  => raw
  GETBIT nokey 0                     => :0

  ## SETBIT keeps the time to live, and creates a key for a zero too
  SET k v EX 100                     => +OK
  SETBIT k 3000 1                    => :0
  TTL k                              => :100
  SETBIT z 0 0                       => :0
  EXISTS z                           => :1
  STRLEN z                           => :1

  ## the farthest offset  !ours filling 512 MB takes the reference a second
  SETBIT k 4294967295 1              => :0
  STRLEN k                           => :536870912
  GETBIT k 4294967295                => :1
  GETBIT k 4294967294                => :0
  BITCOUNT k -1000 -1                => :1
  BITPOS k 1 -100000                 => :4294967295
  BITFIELD k GET u8 4294967288       => [:1]

  ## far offsets
  SETBIT k 33554431 1                => :0
  STRLEN k                           => :4194304
  GETBIT k 33554431                  => :1
  GETBIT k 4294967295                => :0
  BITCOUNT k                         => :1
  BITPOS k 1                         => :33554431
  SETBIT k 4294967296 1              => -ERR bit offset is not an integer or out of range
  GETBIT k 4294967296                => -ERR bit offset is not an integer or out of range
  GETBIT k 9223372036854775807       => -ERR bit offset is not an integer or out of range

  ## errors and their order
  SETBIT k                           => -ERR wrong number of arguments for 'setbit' command
  SETBIT k a 1                       => -ERR bit offset is not an integer or out of range
  SETBIT k -1 1                      => -ERR bit offset is not an integer or out of range
  SETBIT k 0 2                       => -ERR bit is not an integer or out of range
  SETBIT k 0 a                       => -ERR bit is not an integer or out of range
  SETBIT k a 2                       => -ERR bit offset is not an integer or out of range
  RPUSH l a                          => :1
  SETBIT l a 1                       => -ERR bit offset is not an integer or out of range
  SETBIT l 0 2                       => -ERR bit is not an integer or out of range
  SETBIT l 0 1                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  GETBIT l 0                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  GETBIT l a                         => -ERR bit offset is not an integer or out of range
  GETBIT k 1.5                       => -ERR bit offset is not an integer or out of range
  GETBIT k 01                        => -ERR bit offset is not an integer or out of range
  BITCOUNT l a b                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITPOS l a                         => -ERR value is not an integer or out of range
  BITPOS l 2                         => -ERR The bit argument must be 1 or 0.
  BITPOS l 1                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITOP and d l                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITOP not d l k                    => -ERR BITOP NOT must be called with a single source key.
  BITOP nix d l                      => -ERR syntax error

  ## BITCOUNT
  SET k foobar                       => +OK
  BITCOUNT k                         => :26
  BITCOUNT k 0 0                     => :4
  BITCOUNT k 1 1                     => :6
  BITCOUNT k 0 -5                    => :10
  BITCOUNT k -2 -1                   => :7
  BITCOUNT k -100 100                => :26
  BITCOUNT k 3 1                     => :0
  BITCOUNT k -1 -3                   => :0
  BITCOUNT k 5 30 BIT                => :17
  BITCOUNT k 5 30 byte               => :4
  BITCOUNT k -8 -1 BIT               => :4
  BITCOUNT k 0 -1 BIT                => :26
  BITCOUNT k 8 8 BIT                 => :0
  BITCOUNT k 100 200 BIT             => :0
  BITCOUNT k 0                       => -ERR syntax error
  BITCOUNT nokey 0                   => :0
  BITCOUNT nokey 0 a                 => :0
  BITCOUNT k 0 a                     => -ERR value is not an integer or out of range
  BITCOUNT k a 0                     => -ERR value is not an integer or out of range
  BITCOUNT k 0 1 HELLO               => -ERR syntax error
  BITCOUNT k 0 1 BIT x               => -ERR syntax error
  BITCOUNT k -9223372036854775808 9223372036854775807 => :26
  SET e ""                           => +OK
  BITCOUNT e                         => :0
  BITCOUNT e 0 -1                    => :0
  SET i 12345                        => +OK
  BITCOUNT i                         => :17

  ## BITPOS
  SET k "\xff\xf0\x00"               => +OK
  BITPOS k 0                         => :12
  BITPOS k 1                         => :0
  BITPOS k 0 0 0                     => :-1
  BITPOS k 0 0 1                     => :12
  BITPOS k 1 2                       => :-1
  BITPOS k 1 2 -1                    => :-1
  BITPOS k 0 7 15 BIT                => :12
  BITPOS k 1 7 15 BIT                => :7
  BITPOS k 1 12 15 BIT               => :-1
  BITPOS k 0 0 11 BIT                => :-1
  BITPOS k 0 0 12 BIT                => :12
  BITPOS k 1 -9 -1 BIT               => :-1
  BITPOS k 1 -13 -1 BIT              => :11
  BITPOS k 1 5 2                     => :-1
  BITPOS k 0 a                       => -ERR value is not an integer or out of range
  BITPOS k 0 0 a                     => -ERR value is not an integer or out of range
  BITPOS k 0 0 0 NIX                 => -ERR syntax error
  BITPOS k 0 0 a NIX                 => -ERR syntax error
  BITPOS k 0 0 0 BIT x               => -ERR syntax error
  BITPOS k 0 1 0 byte                => :-1
  BITPOS nokey 0                     => :0
  BITPOS nokey 1                     => :-1
  BITPOS nokey 0 a                   => :0
  SET f "\xff\xff\xff"               => +OK
  BITPOS f 0                         => :24
  BITPOS f 0 0                       => :24
  BITPOS f 0 0 -1                    => :-1
  BITPOS f 0 3                       => :-1
  BITPOS f 0 0 23 BIT                => :-1
  BITPOS f 0 0 -1 BIT                => :-1
  SET e ""                           => +OK
  BITPOS e 0                         => :-1
  BITPOS e 0 0 -1                    => :-1
  BITPOS e 1                         => :-1

  ## BITOP
  SET a "\xff\x0f\x33\x01"           => +OK
  SET b "\x0f\xff"                   => +OK
  BITOP AND d a b                    => :4
  GET d                              => "\x0f\x0f\x00\x00"
  BITOP OR d a b nokey               => :4
  GET d                              => "\xff\xff3\x01"
  BITOP xor d a b                    => :4
  GET d                              => "\xf0\xf03\x01"
  BITOP NOT d b                      => :2
  GET d                              => "\xf0\x00"
  BITOP AND d a nokey                => :4
  GET d                              => "\x00\x00\x00\x00"
  OBJECT ENCODING d                  => raw
  BITOP AND a a b                    => :4
  GET a                              => "\x0f\x0f\x00\x00"
  BITOP OR d nokey none              => :0
  EXISTS d                           => :0
  BITOP NOT d nokey                  => :0
  SET d x EX 100                     => +OK
  BITOP OR d b                       => :2
  TTL d                              => :-1
  RPUSH l x                          => :1
  BITOP OR l b                       => :2
  TYPE l                             => +string
  SET i 12                           => +OK
  BITOP NOT i2 i                     => :2
  GET i2                             => "\xce\xcd"
  BITOP NOT d b b                    => -ERR BITOP NOT must be called with a single source key.
  BITOP OR d                         => -ERR wrong number of arguments for 'bitop' command
  BITOP                              => -ERR wrong number of arguments for 'bitop' command

  ## BITOP of long and short strings
  SETBIT long 100000 1               => :0
  SETRANGE long 0 abcdefgh           => :12501
  SET short "\xff\xff\xff"           => +OK
  BITOP AND d long short             => :12501
  STRLEN d                           => :12501
  BITCOUNT d                         => :10
  BITOP OR d long short              => :12501
  BITCOUNT d                         => :44
  BITOP XOR d short long short       => :12501
  BITCOUNT d                         => :30
  BITOP NOT d long                   => :12501
  BITCOUNT d                         => :99978
  BITOP OR long short long           => :12501
  BITCOUNT long                      => :44

  ## BITOP DIFF, DIFF1, ANDOR and ONE  !8.2 came with 8.2
  SET a "\xf0\xff"                   => +OK
  SET b "\x3c"                       => +OK
  SET c "\x0f\x81"                   => +OK
  BITOP DIFF d a b c                 => :2
  GET d                              => "\xc0~"
  BITOP DIFF1 d a b c                => :2
  GET d                              => "\x0f\x00"
  BITOP ANDOR d a b c                => :2
  GET d                              => "0\x81"
  BITOP ONE d a b c                  => :2
  GET d                              => "\xc3~"
  BITOP DIFF d a nokey               => :2
  GET d                              => "\xf0\xff"
  BITOP DIFF d nokey a               => :2
  GET d                              => "\x00\x00"
  BITOP ONE d a                      => :2
  BITOP DIFF d a                     => -ERR BITOP DIFF must be called with at least two source keys.
  BITOP diff1 d a                    => -ERR BITOP DIFF1 must be called with at least two source keys.
  BITOP andor d a                    => -ERR BITOP ANDOR must be called with at least two source keys.

  ## BITFIELD
  BITFIELD k SET u8 0 200 GET u8 0 GET i8 0 => [:0 :200 :-56]
  BITFIELD k INCRBY u8 0 100         => [:44]
  BITFIELD k OVERFLOW SAT INCRBY u8 0 300 OVERFLOW FAIL INCRBY u8 0 1 OVERFLOW WRAP INCRBY u8 0 1 => [:255 nil :0]
  BITFIELD k SET i8 #3 -100 INCRBY i8 #3 -100 => [:0 :56]
  BITFIELD k OVERFLOW SAT INCRBY i8 #3 -1000 INCRBY i8 24 1000 => [:-128 :127]
  BITFIELD k GET u1 5 GET i1 5 GET u63 3 GET i64 0 => [:0 :0 :2181843386368 :545460846592]
  BITFIELD k SET i64 #1 9223372036854775807 INCRBY i64 #1 1 => [:0 :-9223372036854775808]
  BITFIELD k OVERFLOW SAT INCRBY i64 #1 -1 INCRBY i64 #1 -9223372036854775808 => [:-9223372036854775808 :-9223372036854775808]
  BITFIELD k OVERFLOW FAIL INCRBY i64 #1 -9223372036854775808 => [nil]
  BITFIELD k SET u63 200 9223372036854775807 INCRBY u63 200 10 => [:0 :9]
  BITFIELD k SET u63 200 -1 GET u63 200 => [:9 :9223372036854775807]
  BITFIELD k OVERFLOW SAT SET u8 0 -5 GET u8 0 SET i8 0 300 GET i8 0 SET i8 0 -300 GET i8 0 => [:0 :255 :-1 :127 :127 :-128]
  BITFIELD k OVERFLOW FAIL SET u8 0 256 GET u8 0 => [nil :128]
  BITFIELD k SET i63 0 -9223372036854775808 GET i63 0 => [:-4611685745696964608 :0]
  BITFIELD k OVERFLOW SAT SET i63 0 -9223372036854775808 GET i63 0 => [:0 :4611686018427387903]
  BITFIELD k SET u16 3 54321 GET u16 3 SET i53 11 -4503599627370496 INCRBY i53 11 -1 => [:65535 :54321 :1759218604441598 :4503599627370495]
  GET k                              => "z\x8f\xff\xff\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xfe"
  BITFIELD k                         => []
  BITFIELD nokey GET u8 0 GET i64 #1000 => [:0 :0]
  EXISTS nokey                       => :0
  BITFIELD nokey OVERFLOW FAIL SET u8 10 1000 => [nil]
  STRLEN nokey                       => :3
  SET n 12                           => +OK
  BITFIELD n GET u8 0 GET u8 8 GET u8 16 => [:49 :50 :0]

  ## BITFIELD arguments
  BITFIELD k GET u64 0               => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET i65 0               => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET x8 0                => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET u0 0                => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET u 0                 => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET "" 0                => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET i08 0               => -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
  BITFIELD k GET u8 -1               => -ERR bit offset is not an integer or out of range
  BITFIELD k GET u8 #-1              => -ERR bit offset is not an integer or out of range
  BITFIELD k GET u8 ##1              => -ERR bit offset is not an integer or out of range
  BITFIELD k GET u8 #                => -ERR bit offset is not an integer or out of range
  BITFIELD k GET u8 4294967296       => -ERR bit offset is not an integer or out of range
  BITFIELD k GET u8 4294967295       => [:0]
  BITFIELD k GET u8 #536870911       => [:0]
  BITFIELD k GET u8 #536870912       => -ERR bit offset is not an integer or out of range
  BITFIELD k GET i64 #4611686018427387904 => [:0]
  BITFIELD k GET u4 #9223372036854775807 => -ERR bit offset is not an integer or out of range
  BITFIELD k SET u8 0                => -ERR syntax error
  BITFIELD k SET u8 0 a              => -ERR value is not an integer or out of range
  BITFIELD k SET u8 0 9223372036854775808 => -ERR value is not an integer or out of range
  BITFIELD k SET u8 0 1 GET          => -ERR syntax error
  BITFIELD k OVERFLOW                => -ERR syntax error
  BITFIELD k OVERFLOW NIX            => -ERR Invalid OVERFLOW type specified
  BITFIELD k OVERFLOW SAT            => []
  BITFIELD k NIX u8 0                => -ERR syntax error
  BITFIELD k SET u9 4294967295 1 GET u8 NIX => -ERR bit offset is not an integer or out of range
  EXISTS k                           => :0
  RPUSH l a                          => :1
  BITFIELD l GET u8 0                => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITFIELD l SET u8 0 1              => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITFIELD l                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  BITFIELD l SET u8 a 1              => -ERR bit offset is not an integer or out of range
  BITFIELD_RO l SET u8 0 1           => -ERR BITFIELD_RO only supports the GET subcommand
  BITFIELD_RO nokey SET u8 0 1       => -ERR BITFIELD_RO only supports the GET subcommand
  BITFIELD_RO nokey INCRBY u8 0 1 GET u8 0 => -ERR BITFIELD_RO only supports the GET subcommand
  BITFIELD_RO nokey OVERFLOW SAT GET u8 0 => [:0]
  BITFIELD_RO nokey GET u8 0         => [:0]
  BITFIELD_RO nokey                  => []

  ## what is a change, and its event [resp3]
  .config notify-keyspace-events KEA
  b> SUBSCRIBE __keyevent@0__:setbit __keyevent@0__:set __keyevent@0__:del => >[subscribe "__keyevent@0__:setbit" :1]
  b>                                 => >[subscribe "__keyevent@0__:set" :2]
  b>                                 => >[subscribe "__keyevent@0__:del" :3]
  SETBIT k 3 1                       => :0
  b>                                 => >[message "__keyevent@0__:setbit" k]
  SETBIT k 3 1                       => :1
  SETBIT k 3 0                       => :1
  b>                                 => >[message "__keyevent@0__:setbit" k]
  SETBIT k 30 0                      => :0
  b>                                 => >[message "__keyevent@0__:setbit" k]
  BITFIELD k SET u8 0 0              => [:0]
  BITFIELD k SET u8 0 1 SET u8 8 1   => [:0 :0]
  b>                                 => >[message "__keyevent@0__:setbit" k]
  BITFIELD k GET u8 0                => [:1]
  BITFIELD k SET u8 64 0             => [:0]
  b>                                 => >[message "__keyevent@0__:setbit" k]
  BITOP OR d k                       => :9
  b>                                 => >[message "__keyevent@0__:set" d]
  BITOP OR d nokey                   => :0
  b>                                 => >[message "__keyevent@0__:del" d]
  BITOP OR d nokey                   => :0
  b>                                 => quiet
`
