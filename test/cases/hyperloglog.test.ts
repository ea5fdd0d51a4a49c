import { cases } from '../support/cases.ts'

const saturated = `"${'\\xff'.repeat(12288)}"`
const many = Array.from({ length: 500 }, (_, i) => `element:${i}`).join(' ')

cases('hyperloglog')`
  ## PFADD and PFCOUNT
  PFADD h a b c                      => :1
  PFADD h a                          => :0
  PFADD h                            => :0
  PFCOUNT h                          => :3
  PFADD empty                        => :1
  PFADD empty                        => :0
  PFCOUNT empty                      => :0
  GET empty                          => "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff"
  PFADD empty a                      => :1
  GET empty                          => "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80q\xa6\x84NW"
  PFCOUNT empty                      => :1
  GET empty                          => "HYLL\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00q\xa6\x84NW"
  PFCOUNT nokey                      => :0
  TYPE h                             => +string
  OBJECT ENCODING h                  => raw
  GETRANGE h 0 3                     => HYLL
  STRLEN h                           => :27
  GET h                              => "HYLL\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x60\xf3\x80P\xb1\x84K\xfb\x80BZ"
  PFADD h d                          => :1
  GET h                              => "HYLL\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x80\\{\x80Dv\x80P\xb1\x84K\xfb\x80BZ"

  ## unions
  PFADD a 1 2 3                      => :1
  PFADD b 3 4 5                      => :1
  PFCOUNT a b nokey                  => :5
  PFCOUNT a a                        => :3
  PFMERGE d a b                      => +OK
  PFCOUNT d                          => :5
  PFMERGE d                          => +OK
  PFMERGE new                        => +OK
  GET new                            => "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f\xff"
  PFMERGE new nokey                  => +OK
  PFMERGE a b                        => +OK
  GET a                              => "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80A\xee\x84H#\x80SQ\x80Mt\x80Q,\x8cC\xf3"
  EXPIRE b 100                       => :1
  PFADD b ${many}
  TTL b                              => :100

  ## many elements
  PFADD h ${many}
  PFCOUNT h                          => :502
  STRLEN h                           => :1050
  PFDEBUG ENCODING h                 => +sparse
  PFDEBUG DECODE h
  PFDEBUG TODENSE h                  => :1
  PFDEBUG TODENSE h                  => :0
  PFDEBUG ENCODING h                 => +dense
  STRLEN h                           => :12304
  PFCOUNT h                          => :502
  PFADD h ${many}
  PFADD h new                        => :1
  GET h
  PFADD s x                          => :1
  PFMERGE s h                        => +OK
  PFDEBUG ENCODING s                 => +dense
  PFCOUNT s h                        => :504

  ## a smaller limit for the sparse form
  .config hll-sparse-max-bytes 30
  PFADD h 1 2 3 4                    => :1
  PFDEBUG ENCODING h                 => +sparse
  PFADD h 5 6 7 8                    => :1
  PFDEBUG ENCODING h                 => +dense
  PFCOUNT h                          => :8

  ## PFDEBUG
  PFADD h a b c                      => :1
  PFDEBUG DECODE h                   => "Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603"
  PFDEBUG encoding h                 => +sparse
  PFDEBUG NIX h                      => -ERR Unknown PFDEBUG subcommand 'NIX'
  PFDEBUG ENCODING nokey             => -ERR The specified key does not exist
  PFDEBUG ENCODING                   => -ERR wrong number of arguments for 'pfdebug' command
  PFDEBUG ENCODING h x               => -ERR wrong number of arguments for 'pfdebug' command
  PFDEBUG GETREG h
  PFDEBUG ENCODING h                 => +dense
  PFDEBUG DECODE h                   => -ERR HLL encoding is not sparse
  RPUSH l a                          => :1
  PFDEBUG ENCODING l                 => -WRONGTYPE Operation against a key holding the wrong kind of value
  SET s x                            => +OK
  PFDEBUG ENCODING s                 => -WRONGTYPE Key is not a valid HyperLogLog string value.

  ## no HyperLogLogs
  SET s x                            => +OK
  PFADD s a                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  PFCOUNT s                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  PFCOUNT nokey s                    => -WRONGTYPE Key is not a valid HyperLogLog string value.
  PFMERGE s                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  PFMERGE d s                        => -WRONGTYPE Key is not a valid HyperLogLog string value.
  SET n 12                           => +OK
  PFCOUNT n                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  RPUSH l a                          => :1
  PFADD l a                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  PFCOUNT l                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  PFCOUNT nokey l                    => -WRONGTYPE Operation against a key holding the wrong kind of value
  PFMERGE d l                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  SET m "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" => +OK
  PFCOUNT m                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  SET m "HYLL\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" => +OK
  PFCOUNT m                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  SET m "HYLL\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" => +OK
  PFCOUNT m                          => -WRONGTYPE Key is not a valid HyperLogLog string value.
  PFADD                              => -ERR wrong number of arguments for 'pfadd' command
  PFCOUNT                            => -ERR wrong number of arguments for 'pfcount' command
  PFMERGE                            => -ERR wrong number of arguments for 'pfmerge' command

  ## damaged ones
  SET m "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80" => +OK
  PFCOUNT m                          => -INVALIDOBJ Corrupted HLL object detected
  PFADD m a                          => -INVALIDOBJ Corrupted HLL object detected
  PFCOUNT m m                        => -INVALIDOBJ Corrupted HLL object detected
  PFMERGE d m                        => -INVALIDOBJ Corrupted HLL object detected
  PFDEBUG GETREG m                   => -INVALIDOBJ Corrupted HLL object detected
  PFDEBUG TODENSE m                  => -INVALIDOBJ Corrupted HLL object detected
  SET m "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff" => +OK
  PFCOUNT m                          => :0
  APPEND m hello                     => :23
  PFCOUNT m                          => :0
  PFADD m x                          => :1
  PFCOUNT m                          => -INVALIDOBJ Corrupted HLL object detected
  PFCOUNT m m                        => -INVALIDOBJ Corrupted HLL object detected
  SET m "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f\xff\x84" => +OK
  PFCOUNT m m                        => :0  !7.2 7.0.15 gives -INVALIDOBJ Corrupted HLL object detected
  PFCOUNT m                          => -INVALIDOBJ Corrupted HLL object detected
  SET m "HYLL\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f\x7f\xff" => +OK
  PFCOUNT m                          => :9223372036854775807
  SET m "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x7f\xff" => +OK
  PFCOUNT m                          => :1099511627776
  PFADD sat a                        => :1
  PFDEBUG TODENSE sat                => :1
  SETRANGE sat 16 ${saturated}
  PFCOUNT sat sat                    => :-9223372036854775808
  PFCOUNT sat                        => :-9223372036854775808
  GETRANGE sat 0 15                  => "HYLL\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80"

  ## events [resp3]
  .config notify-keyspace-events KEA
  b> PSUBSCRIBE __keyevent@0__:pfadd => >[psubscribe "__keyevent@0__:pfadd" :1]
  PFADD h a                          => :1
  b>                                 => >[pmessage "__keyevent@0__:pfadd" "__keyevent@0__:pfadd" h]
  PFADD h a                          => :0
  PFCOUNT h                          => :1
  PFMERGE d h                        => +OK
  b>                                 => >[pmessage "__keyevent@0__:pfadd" "__keyevent@0__:pfadd" d]
  PFDEBUG TODENSE h                  => :1
  b>                                 => quiet

  ## the self-test
  PFSELFTEST                         => +OK  !ours the reference takes seconds
`
