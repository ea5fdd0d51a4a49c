/** Ranges of sorted sets by rank, score and name, and their removal. */
import { cases } from '../support/cases.ts'

cases('zset range')`
  ## by rank
  ZADD z 1 a 2 b 3 c 4 d             => :4
  ZRANGE z 0 -1                      => [a b c d]
  ZRANGE z 1 2 WITHSCORES            => [b 2 c 3] | [[b ,2] [c ,3]]
  ZRANGE z -2 -1                     => [c d]
  ZRANGE z 5 10                      => []
  ZRANGE z 3 1                       => []
  ZRANGE z -100 100                  => [a b c d]
  ZRANGE z 0 1 REV                   => [d c]
  ZRANGE z 0 1 REV WITHSCORES        => [d 4 c 3] | [[d ,4] [c ,3]]
  ZREVRANGE z 0 1                    => [d c]
  ZREVRANGE z -1 -1 WITHSCORES       => [a 1] | [[a ,1]]
  ZRANGE nokey 0 -1                  => []
  ZRANGE z a b                       => -ERR value is not an integer or out of range
  ZRANGE z 0 1.5                     => -ERR value is not an integer or out of range
  ZREVRANGE z 0 -1 REV               => -ERR syntax error
  ZREVRANGE z 0 -1 BYSCORE           => -ERR syntax error
  ZRANGE z 0 -1 LIMIT 0 1            => -ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX
  ZRANGE z 0 -1 LIMIT 0 -1           => [a b c d]
  ZRANGE z 0 -1 LIMIT 0              => -ERR syntax error
  ZRANGE z 0 -1 WITHSCORES BYLEX     => -ERR syntax error, WITHSCORES not supported in combination with BYLEX
  ZRANGE z 0 -1 BYSCORE BYLEX        => -ERR syntax error
  ZRANGE z 0 -1 REV REV              => -ERR syntax error
  ZRANGE z 0 -1 NOSUCH               => -ERR syntax error
  ZRANGE z                           => -ERR wrong number of arguments for 'zrange' command

  ## by score
  ZADD z 1 a 2 b 3 c 4 d inf e -inf f => :6
  ZRANGEBYSCORE z 2 3                => [b c]
  ZRANGEBYSCORE z (2 3 WITHSCORES    => [c 3] | [[c ,3]]
  ZRANGEBYSCORE z 2 (3               => [b]
  ZRANGEBYSCORE z (2 (3              => []
  ZRANGEBYSCORE z -inf +inf          => [f a b c d e]
  ZRANGEBYSCORE z (-inf (inf         => [a b c d]
  ZRANGEBYSCORE z 3 2                => []
  ZRANGEBYSCORE z -inf +inf LIMIT 1 2 => [a b]
  ZRANGEBYSCORE z -inf +inf LIMIT 1 -1 => [a b c d e]
  ZRANGEBYSCORE z -inf +inf LIMIT -1 2 => []
  ZRANGEBYSCORE z -inf +inf LIMIT 2 0 => []
  ZRANGEBYSCORE z -inf +inf LIMIT 10 1 => []
  ZRANGEBYSCORE z -inf +inf LIMIT a 1 => -ERR value is not an integer or out of range
  ZRANGEBYSCORE z -inf +inf LIMIT 1  => -ERR syntax error
  ZREVRANGEBYSCORE z 3 2 WITHSCORES  => [c 3 b 2] | [[c ,3] [b ,2]]
  ZREVRANGEBYSCORE z +inf -inf LIMIT 1 2 => [d c]
  ZRANGE z 2 3 BYSCORE               => [b c]
  ZRANGE z 3 2 BYSCORE REV WITHSCORES => [c 3 b 2] | [[c ,3] [b ,2]]
  ZRANGE z (1 +inf BYSCORE LIMIT 1 2 => [c d]
  ZRANGE z +inf (1 BYSCORE REV LIMIT 1 2 => [d c]
  ZRANGEBYSCORE z a 3                => -ERR min or max is not a float
  ZRANGEBYSCORE z 1 (b               => -ERR min or max is not a float
  ZRANGEBYSCORE z nan 3              => -ERR min or max is not a float
  ZRANGEBYSCORE z "" ""              => []
  ZRANGEBYSCORE z ( 1                => [a]
  ZRANGEBYSCORE z " 1" 3             => [a b c]
  ZRANGEBYSCORE z "1 " 3             => -ERR min or max is not a float
  ZRANGEBYSCORE z "1\x00x" 3         => [a b c]
  ZRANGEBYSCORE z 0x1 1e999          => [a b c d e]
  ZCOUNT z 2 3                       => :2
  ZCOUNT z (2 (3                     => :0
  ZCOUNT z -inf inf                  => :6
  ZCOUNT z 3 2                       => :0
  ZCOUNT z a b                       => -ERR min or max is not a float
  ZCOUNT nokey 0 1                   => :0
  ZCOUNT nokey a b                   => -ERR min or max is not a float

  ## by name
  ZADD z 0 a 0 b 0 c 0 d 0 e         => :5
  ZRANGEBYLEX z - +                  => [a b c d e]
  ZRANGEBYLEX z [b [d                => [b c d]
  ZRANGEBYLEX z (b (d                => [c]
  ZRANGEBYLEX z [b (d                => [b c]
  ZRANGEBYLEX z - (c                 => [a b]
  ZRANGEBYLEX z + -                  => []
  ZRANGEBYLEX z [d [b                => []
  ZRANGEBYLEX z - + LIMIT 1 2        => [b c]
  ZRANGEBYLEX z - + LIMIT 1 -1       => [b c d e]
  ZRANGEBYLEX z - + LIMIT -1 2       => []
  ZREVRANGEBYLEX z + -               => [e d c b a]
  ZREVRANGEBYLEX z [d [b LIMIT 0 2   => [d c]
  ZRANGE z [b + BYLEX                => [b c d e]
  ZRANGE z + [b BYLEX REV LIMIT 1 1  => [d]
  ZRANGE z - + BYLEX WITHSCORES      => -ERR syntax error, WITHSCORES not supported in combination with BYLEX
  ZRANGEBYLEX z - + WITHSCORES       => -ERR syntax error, WITHSCORES not supported in combination with BYLEX
  ZRANGEBYLEX z b d                  => -ERR min or max not valid string range item
  ZRANGEBYLEX z -x +                 => -ERR min or max not valid string range item
  ZRANGEBYLEX z - +x                 => -ERR min or max not valid string range item
  ZRANGEBYLEX z "" +                 => -ERR min or max not valid string range item
  ZRANGEBYLEX z ( [                  => []
  ZRANGEBYLEX z [ [zz                => [a b c d e]
  ZLEXCOUNT z - +                    => :5
  ZLEXCOUNT z [b (d                  => :2
  ZLEXCOUNT z b d                    => -ERR min or max not valid string range item
  ZLEXCOUNT nokey - +                => :0

  ## ZRANGESTORE
  ZADD z 1 a 2 b 3 c 4 d             => :4
  ZRANGESTORE d z 1 2                => :2
  ZRANGE d 0 -1 WITHSCORES           => [b 2 c 3] | [[b ,2] [c ,3]]
  ZRANGESTORE d z 0 0 REV            => :1
  ZRANGE d 0 -1 WITHSCORES           => [d 4] | [[d ,4]]
  ZRANGESTORE d z (1 +inf BYSCORE LIMIT 1 1 => :1
  ZRANGE d 0 -1 WITHSCORES           => [c 3] | [[c ,3]]
  ZRANGESTORE d z 9 10               => :0
  EXISTS d                           => :0
  ZRANGESTORE d nokey 0 -1           => :0
  ZRANGESTORE d z 0 -1 WITHSCORES    => -ERR syntax error
  ZRANGESTORE d z 0 -1 LIMIT 1 1     => -ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX
  SET s v                            => +OK
  ZRANGESTORE s z 0 -1               => :4
  TYPE s                             => +zset
  ZRANGESTORE d str 0 -1             => :0
  SET str v                          => +OK
  ZRANGESTORE d str 0 -1             => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZRANGESTORE z z 0 1                => :2
  ZRANGE z 0 -1                      => [a b]
  ZADD l 0 a 0 b 0 c                 => :3
  ZRANGESTORE d l [b + BYLEX         => :2
  ZRANGE d 0 -1 WITHSCORES           => [b 0 c 0] | [[b ,0] [c ,0]]

  ## removing ranges
  ZADD z 1 a 2 b 3 c 4 d 5 e         => :5
  ZREMRANGEBYRANK z 0 1              => :2
  ZREMRANGEBYRANK z 10 11            => :0
  ZREMRANGEBYRANK z -1 -1            => :1
  ZREMRANGEBYRANK z a 1              => -ERR value is not an integer or out of range
  ZRANGE z 0 -1                      => [c d]
  ZREMRANGEBYSCORE z (3 4            => :1
  ZREMRANGEBYSCORE z a 4             => -ERR min or max is not a float
  ZREMRANGEBYSCORE nokey 1 4         => :0
  ZREMRANGEBYSCORE z -inf +inf       => :1
  EXISTS z                           => :0
  ZADD z 0 a 0 b 0 c                 => :3
  ZREMRANGEBYLEX z [b +              => :2
  ZREMRANGEBYLEX z b c               => -ERR min or max not valid string range item
  ZRANGE z 0 -1                      => [a]
  ZREMRANGEBYLEX z - +               => :1
  EXISTS z                           => :0
  SET s v                            => +OK
  ZREMRANGEBYRANK s 0 1              => -WRONGTYPE Operation against a key holding the wrong kind of value
  ZREMRANGEBYSCORE s a b             => -ERR min or max is not a float
  ZREMRANGEBYSCORE s 0 1             => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## ranges of names where scores differ: nothing when the last member is below the range, or the first above
  ZADD z 1 m 2 a 3 c                 => :3
  ZRANGEBYLEX z [d +                 => []
  ZRANGEBYLEX z [c +                 => [m a c]
  ZRANGEBYLEX z - [l                 => []
  ZRANGEBYLEX z - [m                 => [m a c]
  ZLEXCOUNT z (c +                   => :0
  ZLEXCOUNT z - (m                   => :0
  ZREMRANGEBYLEX z (c +              => :0
  ZADD z 4 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 5 b => :2
  ZRANGEBYLEX z [c +                 => []
  ZLEXCOUNT z - [l                   => :0
`
