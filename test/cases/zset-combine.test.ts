/** Unions, intersections and differences of sorted sets and sets. */
import { cases } from '../support/cases.ts'

cases('zset combine')`
  ## union
  ZADD a 1 x 2 y                     => :2
  ZADD b 10 y 20 z                   => :2
  SADD s x w                         => :2
  ZUNION 2 a b                       => [x y z]
  ZUNION 2 a b WITHSCORES            => [x 1 y 12 z 20] | [[x ,1] [y ,12] [z ,20]]
  ZUNION 2 a s WITHSCORES            => [w 1 x 2 y 2] | [[w ,1] [x ,2] [y ,2]]
  ZUNION 3 a b nokey WEIGHTS 2 3 4 WITHSCORES => [x 2 y 34 z 60] | [[x ,2] [y ,34] [z ,60]]
  ZUNION 2 a b AGGREGATE MAX WITHSCORES => [x 1 y 10 z 20] | [[x ,1] [y ,10] [z ,20]]
  ZUNION 2 a b AGGREGATE MIN WITHSCORES => [x 1 y 2 z 20] | [[x ,1] [y ,2] [z ,20]]
  ZUNION 2 a a WITHSCORES            => [x 2 y 4] | [[x ,2] [y ,4]]
  ZUNIONSTORE d 2 a b WEIGHTS 2 0.5  => :3
  ZRANGE d 0 -1 WITHSCORES           => [x 2 y 9 z 10] | [[x ,2] [y ,9] [z ,10]]
  ZUNIONSTORE d 1 nokey              => :0
  EXISTS d                           => :0
  ZUNIONSTORE a 2 a b                => :3
  ZRANGE a 0 -1 WITHSCORES           => [x 1 y 12 z 20] | [[x ,1] [y ,12] [z ,20]]

  ## intersection
  ZADD a 1 x 2 y 3 z                 => :3
  ZADD b 10 y 20 z                   => :2
  SADD s z w                         => :2
  ZINTER 2 a b                       => [y z]
  ZINTER 2 a b WITHSCORES            => [y 12 z 23] | [[y ,12] [z ,23]]
  ZINTER 3 a b s WITHSCORES          => [z 24] | [[z ,24]]
  ZINTER 2 a b WEIGHTS 2 3 AGGREGATE MAX WITHSCORES => [y 30 z 60] | [[y ,30] [z ,60]]
  ZINTER 2 a nokey                   => []
  ZINTERSTORE d 2 a b                => :2
  ZRANGE d 0 -1 WITHSCORES           => [y 12 z 23] | [[y ,12] [z ,23]]
  ZINTERSTORE d 2 a nokey            => :0
  EXISTS d                           => :0
  ZINTERCARD 2 a b                   => :2
  ZINTERCARD 2 a b LIMIT 1           => :1
  ZINTERCARD 2 a b LIMIT 0           => :2
  ZINTERCARD 2 a s                   => :1
  ZINTERCARD 2 a b LIMIT -1          => -ERR LIMIT can't be negative
  ZINTERCARD 2 a b LIMIT abc         => -ERR LIMIT can't be negative
  ZINTERCARD 2 a b WITHSCORES        => -ERR syntax error
  ZINTERCARD 0 a                     => -ERR at least 1 input key is needed for 'zintercard' command

  ## difference
  ZADD a 1 x 2 y 3 z                 => :3
  ZADD b 10 y                        => :1
  SADD s z                           => :1
  ZDIFF 2 a b                        => [x z]
  ZDIFF 3 a b s WITHSCORES           => [x 1] | [[x ,1]]
  ZDIFF 2 a nokey                    => [x y z]
  ZDIFF 2 nokey a                    => []
  ZDIFF 2 a a                        => []
  ZDIFFSTORE d 2 a b                 => :2
  ZRANGE d 0 -1 WITHSCORES           => [x 1 z 3] | [[x ,1] [z ,3]]
  ZDIFFSTORE d 2 a a                 => :0
  EXISTS d                           => :0
  ZDIFF 2 a b WEIGHTS 1 2            => -ERR syntax error

  ## infinities and zero weights
  ZADD a inf x -inf y                => :2
  ZADD b -inf x inf y                => :2
  ZUNION 2 a b WITHSCORES            => [x 0 y 0] | [[x ,0] [y ,0]]
  ZUNION 2 a b WEIGHTS 0 0 WITHSCORES => [x 0 y 0] | [[x ,0] [y ,0]]
  ZINTER 2 a b WEIGHTS 0 1 WITHSCORES => [x "-inf" y inf] | [[x ,-inf] [y ,inf]]
  ZUNION 1 a WEIGHTS -1 WITHSCORES   => [x "-inf" y inf] | [[x ,-inf] [y ,inf]]

  ## errors
  ZADD a 1 x                         => :1
  SET str v                          => +OK
  LPUSH list v                       => :1
  ZUNION 0 a                         => -ERR at least 1 input key is needed for 'zunion' command
  ZUNION -1 a                        => -ERR at least 1 input key is needed for 'zunion' command
  ZUNION abc a                       => -ERR value is not an integer or out of range
  ZUNION 2 a                         => -ERR syntax error
  ZUNIONSTORE d 0 a                  => -ERR at least 1 input key is needed for 'zunionstore' command
  ZINTERSTORE d 0 a                  => -ERR at least 1 input key is needed for 'zinterstore' command
  ZDIFFSTORE d 0 a                   => -ERR at least 1 input key is needed for 'zdiffstore' command
  ZUNION 1 str                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZUNION 1 list                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZUNION 2 a str NOSUCH              => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZUNION 1 a NOSUCH                  => -ERR syntax error
  ZUNION 1 a WEIGHTS                 => -ERR syntax error
  ZUNION 1 a WEIGHTS 1 2             => -ERR syntax error
  ZUNION 2 a a WEIGHTS 1             => -ERR syntax error
  ZUNION 1 a WEIGHTS abc             => -ERR weight value is not a float
  ZUNION 1 a WEIGHTS nan             => -ERR weight value is not a float
  ZUNION 1 a AGGREGATE               => -ERR syntax error
  ZUNION 1 a AGGREGATE AVG           => -ERR syntax error
  ZUNIONSTORE d 1 a WITHSCORES       => -ERR syntax error
  ZINTERSTORE str 1 a                => :1
  TYPE str                           => +zset
`
