import { cases } from '../support/cases.ts'

cases('sort')`
  ## numbers, texts, limits
  RPUSH l 3 1 2 10                   => :4
  SORT l                             => [1 2 3 10]
  SORT l DESC                        => [10 3 2 1]
  SORT l ALPHA                       => [1 10 2 3]
  SORT l LIMIT 1 2                   => [2 3]
  SORT l LIMIT -1 2                  => [1 2]
  SORT l LIMIT 9 2                   => []
  SORT l LIMIT 1 -1                  => [2 3 10]
  SORT l LIMIT 0 0                   => []
  SORT nokey                         => []
  SORT l LIMIT 0                     => -ERR syntax error
  SORT l FOO                         => -ERR syntax error
  SORT l LIMIT a 1                   => -ERR value is not an integer or out of range
  RPUSH m a 1                        => :2
  SORT m                             => -ERR One or more scores can't be converted into double
  SORT m ALPHA DESC                  => [a 1]
  SORT_RO l                          => [1 2 3 10]
  SORT_RO l STORE d                  => -ERR syntax error
  SET s v                            => +OK
  SORT s                             => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## BY and GET
  RPUSH l 1 2 3                      => :3
  MSET w_1 30 w_2 10 w_3 20 o_1 one o_3 three => +OK
  HSET h_1 w 2 n uno                 => :2
  HSET h_2 w 3 n due                 => :2
  HSET h_3 w 1 n tre                 => :2
  SORT l BY w_*                      => [2 3 1]
  SORT l BY w_* DESC                 => [1 3 2]
  SORT l BY h_*->w                   => [3 1 2]
  SORT l BY h_*->w GET # GET h_*->n GET o_* => [3 tre three 1 uno one 2 due nil]
  SORT l BY nokey_*                  => [1 2 3]
  SORT l BY nosort                   => [1 2 3]
  SORT l BY nosort DESC              => [3 2 1]
  SORT l BY nosort LIMIT 1 1         => [2]
  SORT l GET o_*                     => [one nil three]
  SORT l GET nope                    => [nil nil nil]
  SORT l GET h_*                     => [nil nil nil]
  SORT l GET o_*->                   => [nil nil nil]
  SORT l BY h_*->n ALPHA GET #       => [2 3 1]
  SORT l BY h_*->n                   => -ERR One or more scores can't be converted into double
  SORT_RO l BY w_* GET #             => [2 3 1]

  ## STORE
  RPUSH l 3 1 2                      => :3
  SORT l STORE d                     => :3
  LRANGE d 0 -1                      => [1 2 3]
  TYPE d                             => +list
  SORT l GET nope_* STORE d          => :3
  LRANGE d 0 -1                      => ["" "" ""]
  SORT nokey STORE d                 => :0
  EXISTS d                           => :0
  SADD s c b a                       => :3
  SORT s BY nosort STORE d           => :3
  LRANGE d 0 -1                      => [a b c]
  SORT l DESC STORE l                => :3
  LRANGE l 0 -1                      => [3 2 1]

  ## sorted sets keep their order without sorting
  ZADD z 3 a 1 b 2 c                 => :3
  SORT z BY nosort                   => [b c a]
  SORT z BY nosort DESC LIMIT 0 2    => [a c]
  SORT z BY nosort LIMIT 1 5         => [c a]
  SORT z ALPHA                       => [a b c]
  ZADD n 1 10 2 9                    => :2
  SORT n                             => [9 10]

  ## what counts as a number
  RPUSH l 1.5 -2 1e2 0x10 inf        => :5
  SORT l                             => ["-2" 1.5 0x10 1e2 inf]
  RPUSH m " 1" 2                     => :2
  SORT m                             => [" 1" 2]
  RPUSH k 1 nan                      => :2
  SORT k                             => -ERR One or more scores can't be converted into double
`
