/** RedisBloom cannot be asked; replies are those its documentation gives. */
import { cases } from '../support/cases.ts'

cases('bloom')`
  ## BF.RESERVE  !ours a module of another server
  BF.RESERVE f 0.01 1000             => +OK
  TYPE f                             => +MBbloom--
  OBJECT ENCODING f                  => raw
  BF.RESERVE f 0.01 1000             => -ERR item exists
  BF.RESERVE g 0.001 10 EXPANSION 4  => +OK
  BF.INFO g EXPANSION                => [:4]
  BF.RESERVE h 0.001 10 NONSCALING   => +OK
  BF.INFO h EXPANSION                => [nil]
  BF.RESERVE i 0.001 10 EXPANSION 0  => +OK
  BF.INFO i EXPANSION                => [nil]
  BF.RESERVE x a 10                  => -ERR bad error rate
  BF.RESERVE x 0 10                  => -ERR (0 < error rate range < 1)
  BF.RESERVE x 1 10                  => -ERR (0 < error rate range < 1)
  BF.RESERVE x 0.1 a                 => -ERR bad capacity
  BF.RESERVE x 0.1 0                 => -ERR (capacity should be larger than 0)
  BF.RESERVE x 0.1 -1                => -ERR (capacity should be larger than 0)
  BF.RESERVE x 0.1 1 EXPANSION a     => -ERR bad expansion
  BF.RESERVE x 0.1 1 EXPANSION -1    => -ERR bad expansion
  BF.RESERVE x 0.1 1 NONSCALING EXPANSION 2 => -ERR Nonscaling filters cannot expand
  BF.RESERVE x 0.1                   => -ERR wrong number of arguments for 'bf.reserve' command
  SET s x                            => +OK
  BF.RESERVE s 0.1 1                 => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## adding and asking, RESP2 [resp2]  !ours a module of another server
  BF.ADD f a                         => :1
  BF.ADD f a                         => :0
  BF.MADD f a b c                    => [:0 :1 :1]
  BF.EXISTS f a                      => :1
  BF.EXISTS f z                      => :0
  BF.MEXISTS f a z b                 => [:1 :0 :1]
  BF.EXISTS nokey a                  => :0
  BF.MEXISTS nokey a b               => [:0 :0]
  BF.CARD f                          => :3
  BF.CARD nokey                      => :0
  BF.INFO f                          => [+Capacity :100 +Size :240 +"Number of filters" :1 +"Number of items inserted" :3 +"Expansion rate" :2]

  ## adding and asking, RESP3 [resp3]  !ours a module of another server
  BF.ADD f a                         => #t
  BF.ADD f a                         => #f
  BF.MADD f a b c                    => [#f #t #t]
  BF.EXISTS f a                      => #t
  BF.MEXISTS f a z                   => [#t #f]

  ## BF.INFO by field  !ours a module of another server
  BF.ADD f a                         => any
  BF.INFO f CAPACITY                 => [:100]
  BF.INFO f size                     => [:240]
  BF.INFO f FILTERS                  => [:1]
  BF.INFO f ITEMS                    => [:1]
  BF.INFO f EXPANSION                => [:2]
  BF.INFO f NIX                      => -ERR Invalid information value
  BF.INFO nokey                      => -ERR not found
  BF.INFO f SIZE x                   => -ERR wrong number of arguments for 'bf.info' command

  ## BF.INSERT [resp2]  !ours a module of another server
  BF.INSERT f CAPACITY 10 ERROR 0.001 EXPANSION 3 ITEMS a b a => [:1 :1 :0]
  BF.INFO f CAPACITY                 => [:10]
  BF.INFO f EXPANSION                => [:3]
  BF.INSERT f ITEMS c                => [:1]
  BF.INSERT f NOCREATE ITEMS d       => [:1]
  BF.INSERT g NOCREATE ITEMS d       => -ERR not found
  BF.INSERT g NIX ITEMS d            => -ERR Unknown argument received
  BF.INSERT g CAPACITY 10            => -ERR wrong number of arguments for 'bf.insert' command
  BF.INSERT g CAPACITY 10 ITEMS      => -ERR wrong number of arguments for 'bf.insert' command
  BF.INSERT g CAPACITY a ITEMS x     => -ERR bad capacity
  BF.INSERT g NONSCALING CAPACITY 2 ITEMS x y => [:1 :1]
  BF.INSERT g ITEMS x z y            => [:0 -"ERR non scaling filter is full"]
  BF.ADD g z                         => -ERR non scaling filter is full
  BF.ADD g x                         => :0

  ## growing [resp2]  !ours a module of another server
  BF.RESERVE f 0.01 2 EXPANSION 2    => +OK
  BF.MADD f a b c d e f g h          => [:1 :1 :1 :1 :1 :1 :1 :1]
  BF.INFO f FILTERS                  => [:3]
  BF.INFO f CAPACITY                 => [:14]
  BF.CARD f                          => :8
  BF.MEXISTS f a b c d e f g h       => [:1 :1 :1 :1 :1 :1 :1 :1]

  ## wrong types  !ours a module of another server
  SET s x                            => +OK
  BF.ADD s a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.MADD s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.EXISTS s a                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.MEXISTS s a b                   => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.CARD s                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.INFO s                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.SCANDUMP s 0                    => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.LOADCHUNK s 1 x                 => -WRONGTYPE Operation against a key holding the wrong kind of value
  BF.ADD f a                         => any
  GET f                              => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## copying, renaming, deleting [resp2]  !ours a module of another server
  BF.ADD f a                         => :1
  COPY f g                           => :1
  BF.ADD g b                         => :1
  BF.MEXISTS f a b                   => [:1 :0]
  RENAME f h                         => +OK
  BF.EXISTS h a                      => :1
  DEL h g                            => :2
  BF.EXISTS h a                      => :0

  ## dumping and loading [resp2]  !ours a module of another server
  BF.RESERVE f 0.1 10 NONSCALING     => +OK
  BF.MADD f a b                      => [:1 :1]
  BF.SCANDUMP nokey 0                => -ERR not found
  BF.SCANDUMP f a                    => -ERR Second argument must be numeric
  BF.SCANDUMP f 0                    => [:1 ?head]
  BF.SCANDUMP f 1                    => [:9 ?bits]
  BF.SCANDUMP f 9                    => [:0 ""]
  BF.LOADCHUNK g 1 $head             => +OK
  BF.CARD g                          => :2
  BF.MEXISTS g a b                   => [:0 :0]
  BF.LOADCHUNK g 9 $bits             => +OK
  BF.MEXISTS g a b c                 => [:1 :1 :0]
  BF.LOADCHUNK g 20 $bits            => -ERR invalid offset - no link found
  BF.LOADCHUNK g 10 $bits            => -ERR invalid chunk - Too big for current filter
  BF.LOADCHUNK g 1 nonsense          => -ERR received bad data
  BF.LOADCHUNK nokey 9 $bits         => -ERR not found

  ## DUMP and RESTORE [resp2]  !ours a module of another server
  BF.RESERVE f 0.01 4 EXPANSION 3    => +OK
  BF.MADD f a b c d e f g h          => [:1 :1 :1 :1 :1 :1 :1 :1]
  DUMP f                             => ?payload
  RESTORE g 0 $payload               => +OK
  TYPE g                             => +MBbloom--
  BF.MEXISTS g a b c d e f g h i     => [:1 :1 :1 :1 :1 :1 :1 :1 :0]
  BF.INFO g                          => [+Capacity :16 +Size :192 +"Number of filters" :2 +"Number of items inserted" :8 +"Expansion rate" :3]
  BF.ADD g i                         => :1
  BF.EXISTS f i                      => :0
`
