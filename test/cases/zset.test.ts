/** Sorted sets: single members, pops, random members, scans. Ranges are in zset-range, combinations in zset-combine. */
import { cases } from '../support/cases.ts'

cases('zset')`
  ## ZADD counts what it adds
  ZADD z 1 a 2 b 3 c                 => :3
  ZADD z 5 a 4 d                     => :1
  ZADD z CH 6 a 7 e 2 b              => :2
  ZRANGE z 0 -1 WITHSCORES           => [b 2 c 3 d 4 a 6 e 7] | [[b ,2] [c ,3] [d ,4] [a ,6] [e ,7]]
  ZADD z NX 9 a 9 f                  => :1
  ZADD z XX 9 a 9 g                  => :0
  ZADD z XX CH 10 a 9 g              => :1
  ZRANGE z 0 -1 WITHSCORES           => [b 2 c 3 d 4 e 7 f 9 a 10] | [[b ,2] [c ,3] [d ,4] [e ,7] [f ,9] [a ,10]]

  ## ZADD GT and LT
  ZADD z 5 a 5 b                     => :2
  ZADD z GT CH 4 a 6 b 1 c           => :2
  ZADD z LT CH 4 a 7 b 1 d           => :2
  ZADD z XX GT CH 9 a 9 zz           => :1
  ZRANGE z 0 -1 WITHSCORES           => [c 1 d 1 b 6 a 9] | [[c ,1] [d ,1] [b ,6] [a ,9]]
  ZADD z GT LT 1 a                   => -ERR GT, LT, and/or NX options at the same time are not compatible
  ZADD z NX GT 1 a                   => -ERR GT, LT, and/or NX options at the same time are not compatible
  ZADD z NX LT 1 a                   => -ERR GT, LT, and/or NX options at the same time are not compatible
  ZADD z NX XX 1 a                   => -ERR XX and NX options at the same time are not compatible
  ZADD z XX GT INCR -1 a             => nil
  ZADD z XX LT INCR -1 a             => ,8

  ## ZADD INCR
  ZADD z INCR 1.5 a                  => ,1.5
  ZADD z INCR 1.5 a                  => ,3
  ZADD z NX INCR 1 a                 => nil
  ZADD z XX INCR 1 nobody            => nil
  ZADD nokey XX INCR 1 a             => nil
  ZADD z INCR 1 a 2 b                => -ERR INCR option supports a single increment-element pair
  ZADD z incr ch 1 a                 => ,4
  EXISTS nokey                       => :0

  ## errors come before anything is stored
  ZADD z                             => -ERR wrong number of arguments for 'zadd' command
  ZADD z 1                           => -ERR wrong number of arguments for 'zadd' command
  ZADD z 1 a 2                       => -ERR syntax error
  ZADD z NX                          => -ERR wrong number of arguments for 'zadd' command
  ZADD z NX XX                       => -ERR syntax error
  ZADD z abc a                       => -ERR value is not a valid float
  ZADD z 1 a abc b                   => -ERR value is not a valid float
  ZADD z nan a                       => -ERR value is not a valid float
  ZADD z 1 a nan b                   => -ERR value is not a valid float
  ZADD z "" a                        => -ERR value is not a valid float
  ZADD z " 1" a                      => -ERR value is not a valid float
  ZADD z "1 " a                      => -ERR value is not a valid float
  ZADD z 1e999 a                     => -ERR value is not a valid float
  ZADD z 0x10 a                      => :1
  ZADD z NX XX abc a                 => -ERR XX and NX options at the same time are not compatible
  EXISTS z                           => :1
  SET s v                            => +OK
  ZADD s abc a                       => -ERR value is not a valid float
  ZADD s 1 a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZINCRBY s 1 a                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZCARD s                            => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZSCORE s a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZMSCORE s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZRANK s a                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZREM s a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZPOPMIN s                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZRANDMEMBER s                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZSCAN s 0                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZCOUNT s 0 1                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZLEXCOUNT s - +                    => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## infinities
  ZADD z inf a -inf b +inf c Infinity d => :4
  ZRANGE z 0 -1 WITHSCORES           => [b "-inf" a inf c inf d inf] | [[b ,-inf] [a ,inf] [c ,inf] [d ,inf]]
  ZINCRBY z -inf a                   => -ERR resulting score is not a number (NaN)
  ZINCRBY z inf b                    => -ERR resulting score is not a number (NaN)
  ZADD z INCR -inf c                 => -ERR resulting score is not a number (NaN)
  ZINCRBY z inf c                    => ,inf
  ZSCORE z c                         => ,inf

  ## scores as they print
  ZADD z 0.1 a 1e300 b 3.0000000001 c 1e17 d 1e-7 e 9007199254740993 f 17179869184 g 1.7976931348623157e308 h 5e-324 i => :9
  ZRANGE z 0 -1 WITHSCORES           => [i 5e-324 e 1e-7 a 0.1 c 3.0000000001 g 17179869184 f 9007199254740992 d 100000000000000000 b "1e+300" h "1.7976931348623157e+308"] | [[i ,5e-324] [e ,1e-7] [a ,0.1] [c ,3.0000000001] [g ,17179869184] [f ,9007199254740992] [d ,100000000000000000] [b ,1e+300] [h ,1.7976931348623157e+308]]  !7.2 7.0.15 gives [i 4.9406564584124654e-324 e 9.9999999999999995e-08 a and so on
  ZINCRBY z 0.2 a                    => ,0.30000000000000004
  ZADD z -0 j                        => :1
  ZSCORE z j                         => ,0
  CONFIG SET zset-max-listpack-entries 0 => +OK
  ZADD y -0 j                        => :1
  ZSCORE y j                         => ,-0
  ZADD y 0.1 a 1e300 b 1e17 d        => :3
  ZRANGE y 0 -1 WITHSCORES           => [j "-0" a 0.1 d 100000000000000000 b "1e+300"] | [[j ,-0] [a ,0.1] [d ,100000000000000000] [b ,1e+300]]  !7.2 7.0.15 gives [j "-0" a 0.10000000000000001 d "1e+17" b and so on
  CONFIG SET zset-max-listpack-entries 128 => +OK

  ## ZINCRBY
  ZINCRBY z 2.5 a                    => ,2.5
  ZINCRBY z -1 a                     => ,1.5
  ZINCRBY z abc a                    => -ERR value is not a valid float
  ZINCRBY z 1                        => -ERR wrong number of arguments for 'zincrby' command
  ZINCRBY z NX 1 a                   => -ERR wrong number of arguments for 'zincrby' command
  ZINCRBY z nx a                     => -ERR syntax error

  ## ZREM, ZCARD, ZSCORE, ZMSCORE
  ZADD z 1 a 2 b 3 c                 => :3
  ZREM z a nobody c                  => :2
  ZREM z a                           => :0
  ZREM nokey a                       => :0
  ZCARD z                            => :1
  ZSCORE z b                         => ,2
  ZSCORE z nobody                    => nil
  ZSCORE nokey b                     => nil
  ZMSCORE z b nobody b               => [,2 nil ,2]
  ZMSCORE nokey a b                  => [nil nil]
  ZREM z b                           => :1
  EXISTS z                           => :0

  ## ZRANK and ZREVRANK
  ZADD z 1 a 2 b 2 bb 3 c            => :4
  ZRANK z a                          => :0
  ZRANK z bb                         => :2
  ZRANK z nobody                     => nil
  ZRANK nokey a                      => nil
  ZREVRANK z a                       => :3
  ZREVRANK z b                       => :2
  ZREVRANK nokey a                   => nil
  ZRANK z bb WITHSCORE               => [:2 ,2]  !7.2 7.0.15 gives -ERR wrong number of arguments for 'zrank' command
  ZREVRANK z bb withscore            => [:1 ,2]  !7.2 7.0.15 gives -ERR wrong number of arguments for 'zrevrank' command
  ZRANK z nobody WITHSCORE           => nil*  !7.2 7.0.15 gives -ERR wrong number of arguments for 'zrank' command
  ZRANK nokey a WITHSCORE            => nil*  !7.2 7.0.15 gives -ERR wrong number of arguments for 'zrank' command
  ZRANK z a WITHSCORES               => -ERR syntax error  !7.2 7.0.15 gives -ERR wrong number of arguments for 'zrank' command
  ZRANK z a WITHSCORE x              => -ERR wrong number of arguments for 'zrank' command
  ZREVRANK z a b c                   => -ERR wrong number of arguments for 'zrevrank' command

  ## ties are ordered by bytes
  ZADD z 0 b 0 a 0 "" 0 ab 0 "\xff" 0 "\x00" 0 10 0 9 => :8
  ZRANGE z 0 -1                      => ["" "\x00" 10 9 a ab b "\xff"]
  ZREVRANGE z 0 -1                   => ["\xff" b ab a 9 10 "\x00" ""]

  ## encodings
  ZADD z 1 a                         => :1
  OBJECT ENCODING z                  => listpack
  ZADD z 2 0123456789012345678901234567890123456789012345678901234567890123 => :1
  OBJECT ENCODING z                  => listpack
  ZADD z 2 01234567890123456789012345678901234567890123456789012345678901234 => :1
  OBJECT ENCODING z                  => skiplist
  ZREM z 01234567890123456789012345678901234567890123456789012345678901234 => :1
  OBJECT ENCODING z                  => skiplist
  CONFIG SET zset-max-listpack-entries 3 => +OK
  ZADD y 1 a 2 b 3 c                 => :3
  OBJECT ENCODING y                  => listpack
  ZADD y 4 d                         => :1
  OBJECT ENCODING y                  => skiplist
  ZADD x 1 a 1 b 1 c 1 d             => :4
  OBJECT ENCODING x                  => skiplist
  CONFIG SET zset-max-ziplist-entries 128 => +OK
  ZUNIONSTORE w 1 y                  => :4
  OBJECT ENCODING w                  => listpack
  CONFIG GET zset-max-listpack-entries => {zset-max-listpack-entries 128}

  ## ZPOPMIN and ZPOPMAX
  ZADD z 1 a 2 b 3 c 4 d             => :4
  ZPOPMIN z                          => [a ,1]
  ZPOPMAX z                          => [d ,4]
  ZPOPMIN z 0                        => []
  ZPOPMAX z 5                        => [c 3 b 2] | [[c ,3] [b ,2]]
  EXISTS z                           => :0
  ZPOPMIN z                          => []
  ZPOPMIN z 3                        => []
  ZPOPMIN z -1                       => -ERR value is out of range, must be positive
  ZPOPMIN z abc                      => -ERR value is out of range, must be positive
  ZPOPMIN z 1 2                      => -ERR syntax error
  ZADD z 1 a 2 b 3 c 4 d             => :4
  ZPOPMIN z 2                        => [a 1 b 2] | [[a ,1] [b ,2]]
  ZPOPMAX z 1                        => [d 4] | [[d ,4]]

  ## ZMPOP
  ZADD a 1 x 2 y 3 z                 => :3
  ZMPOP 2 nokey a MIN                => [a [[x ,1]]]
  ZMPOP 1 a MAX COUNT 10             => [a [[z ,3] [y ,2]]]
  ZMPOP 1 a MIN                      => nil*
  ZMPOP 0 a MIN                      => -ERR numkeys should be greater than 0
  ZMPOP -1 a MIN                     => -ERR numkeys should be greater than 0
  ZMPOP abc a MIN                    => -ERR numkeys should be greater than 0
  ZMPOP 2 a MIN                      => -ERR syntax error
  ZMPOP 1 a                          => -ERR wrong number of arguments for 'zmpop' command
  ZMPOP 1 a MID                      => -ERR syntax error
  ZMPOP 1 a MIN COUNT                => -ERR syntax error
  ZMPOP 1 a MIN COUNT 0              => -ERR count should be greater than 0
  ZMPOP 1 a MIN COUNT abc            => -ERR count should be greater than 0
  ZMPOP 1 a MIN COUNT 1 COUNT 2      => -ERR syntax error
  ZMPOP 1 a MIN COUNT 1 x            => -ERR syntax error
  SET s v                            => +OK
  ZADD b 1 m                         => :1
  ZMPOP 2 s b MIN                    => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZMPOP 2 b s MIN                    => [b [[m ,1]]]

  ## ZRANDMEMBER
  ZADD z 1 a                         => :1
  ZRANDMEMBER z                      => a
  ZRANDMEMBER z 5                    => [a]
  ZRANDMEMBER z -3                   => [a a a]
  ZRANDMEMBER z 2 WITHSCORES         => [a 1] | [[a ,1]]
  ZRANDMEMBER z -2 WITHSCORES        => [a 1 a 1] | [[a ,1] [a ,1]]
  ZRANDMEMBER z 0                    => []
  ZRANDMEMBER nokey                  => nil
  ZRANDMEMBER nokey 3                => []
  ZRANDMEMBER z abc                  => -ERR value is not an integer or out of range
  ZRANDMEMBER z 1 WITHSCORE          => -ERR syntax error
  ZRANDMEMBER z 1 WITHSCORES x       => -ERR syntax error
  ZRANDMEMBER z -9223372036854775808 => -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
  ZRANDMEMBER z -9223372036854775807 WITHSCORES => -ERR value is out of range
  ZRANDMEMBER nokey 9223372036854775808 => -ERR value is not an integer or out of range
  ZADD z 2 b 3 c                     => :2
  ZRANDMEMBER z 3                    => @[a b c]
  ZRANDMEMBER z 10                   => @[a b c]
  ZRANDMEMBER z                      => oneof(a b c)

  ## ZSCAN
  ZADD z 1 a 2.5 b 3 10              => :3
  ZSCAN z 0                          => [0 [a 1 b 2.5 10 3]]
  ZSCAN z 0 MATCH a*                 => [0 [a 1]]
  ZSCAN z 0 COUNT 1                  => [0 [a 1 b 2.5 10 3]]
  ZSCAN nokey 0                      => [0 []]
  ZSCAN nokey 0 COUNT x              => [0 []]
  ZSCAN z abc                        => -ERR invalid cursor
  ZSCAN z 0 COUNT 0                  => -ERR syntax error
  ZSCAN z 0 COUNT abc                => -ERR value is not an integer or out of range
  ZSCAN z 0 NOVALUES                 => -ERR syntax error
  ZSCAN z                            => -ERR wrong number of arguments for 'zscan' command
  CONFIG SET zset-max-listpack-entries 0 => +OK
  ZADD y 0.1 a                       => :1
  ZSCAN y 0                          => [0 [a 0.10000000000000001]]
  CONFIG SET zset-max-listpack-entries 128 => +OK

  ## blocking pops
  ZADD z 1 a 2 b                     => :2
  BZPOPMIN nokey z 0                 => [z a ,1]
  BZPOPMAX z 0                       => [z b ,2]
  b> BZPOPMIN q z 0                  => ...
  ZADD z 5 m 1 n                     => :2
  b>                                 => [z n ,1]
  ZRANGE z 0 -1 WITHSCORES           => [m 5] | [[m ,5]]
  b> BZMPOP 0 2 q r MAX COUNT 2      => ...
  ZADD r 1 a 2 b 3 c                 => :3
  b>                                 => [r [[c ,3] [b ,2]]]
  ZRANGE r 0 -1                      => [a]
  BZMPOP 0.01 1 nokey MIN            => nil*
  BZPOPMIN nokey 0.01                => nil*
  BZPOPMIN nokey abc                 => -ERR timeout is not a float or out of range
  BZPOPMIN nokey -1                  => -ERR timeout is negative
  BZMPOP abc 1 nokey MIN             => -ERR timeout is not a float or out of range
  BZMPOP abc 0 nokey MIN             => -ERR numkeys should be greater than 0
  BZMPOP 0 1 nokey MID               => -ERR syntax error
  SET s v                            => +OK
  BZPOPMIN s 1                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  MULTI                              => +OK
  BZPOPMIN nokey 0                   => +QUEUED
  BZMPOP 0 1 nokey MIN               => +QUEUED
  EXEC                               => [nil* nil*]

  ## a blocked client takes the member that a transaction leaves
  b> BZPOPMIN z 0                    => ...
  MULTI                              => +OK
  ZADD z 1 a                         => +QUEUED
  DEL z                              => +QUEUED
  ZADD z 2 b                         => +QUEUED
  EXEC                               => [:1 :1 :1]
  b>                                 => [z b ,2]

  ## two clients are served in the order they came
  b> BZPOPMIN z 0                    => ...
  c> BZPOPMAX z 0                    => ...
  ZADD z 1 a 2 b 3 c                 => :3
  b>                                 => [z a ,1]
  c>                                 => [z c ,3]
  ZRANGE z 0 -1                      => [b]
`
