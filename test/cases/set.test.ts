import { cases } from '../support/cases.ts'

cases('set')`
  ## members
  SADD s a b c a                     => :3
  SADD s a                           => :0
  SCARD s                            => :3
  SCARD nokey                        => :0
  SISMEMBER s a                      => :1
  SISMEMBER s z                      => :0
  SISMEMBER nokey a                  => :0
  SMISMEMBER s a z c                 => [:1 :0 :1]
  SMISMEMBER nokey a b               => [:0 :0]
  SMEMBERS s                         => @~[a b c]
  SMEMBERS nokey                     => ~[]
  SREM s a z b                       => :2
  SREM nokey a                       => :0
  SREM s c                           => :1
  EXISTS s                           => :0

  ## wrong type everywhere
  SET v x                            => +OK
  SADD v a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  SREM v a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  SCARD v                            => -WRONGTYPE Operation against a key holding the wrong kind of value
  SISMEMBER v a                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  SMISMEMBER v a                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  SMEMBERS v                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  SPOP v                             => -WRONGTYPE Operation against a key holding the wrong kind of value
  SPOP v 1                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  SRANDMEMBER v                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  SRANDMEMBER v 1                    => -WRONGTYPE Operation against a key holding the wrong kind of value
  SADD s a                           => :1
  SMOVE v s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  SMOVE s v a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  SMOVE s v nope                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  SSCAN v 0                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  SINTER s v                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  SINTER nokey v                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  SUNION v                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  SDIFF s v                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  SINTERSTORE d s v                  => -WRONGTYPE Operation against a key holding the wrong kind of value
  SUNIONSTORE d v                    => -WRONGTYPE Operation against a key holding the wrong kind of value
  SDIFFSTORE d s v                   => -WRONGTYPE Operation against a key holding the wrong kind of value
  SINTERCARD 2 s v                   => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## SMOVE
  SADD a 1 2                         => :2
  SADD b 2 3                         => :2
  SMOVE a b 1                        => :1
  SMOVE a b 2                        => :1
  SMOVE a b 9                        => :0
  SMOVE nokey b 1                    => :0
  SMOVE b b 1                        => :1
  SMOVE b b 9                        => :0
  SMEMBERS b                         => ~[1 2 3]
  EXISTS a                           => :0
  SMOVE b new 3                      => :1
  SMEMBERS new                       => ~[3]

  ## intersections, unions, differences
  SADD a 1 2 3 4                     => :4
  SADD b 3 4 5                       => :3
  SADD c 4                           => :1
  SINTER a b                         => ~[3 4]
  SINTER a b c                       => ~[4]
  SINTER a nokey                     => ~[]
  SINTER a                           => ~[1 2 3 4]
  SUNION a b nokey                   => ~[1 2 3 4 5]
  SUNION nokey                       => ~[]
  SDIFF a b                          => ~[1 2]
  SDIFF a a                          => ~[]
  SDIFF nokey a                      => ~[]
  SDIFF a nokey                      => ~[1 2 3 4]
  SDIFF a b c                        => ~[1 2]
  SINTERCARD 2 a b                   => :2
  SINTERCARD 2 a b LIMIT 1           => :1
  SINTERCARD 2 a b LIMIT 0           => :2
  SINTERCARD 2 a nokey               => :0
  SINTERCARD 0 a                     => -ERR numkeys should be greater than 0
  SINTERCARD abc a                   => -ERR numkeys should be greater than 0
  SINTERCARD 3 a b                   => -ERR Number of keys can't be greater than number of args
  SINTERCARD 1 a LIMIT -1            => -ERR LIMIT can't be negative
  SINTERCARD 1 a LIMIT               => -ERR syntax error
  SINTERCARD 1 a FOO 1               => -ERR syntax error
  SINTERCARD 1 a LIMIT abc           => -ERR LIMIT can't be negative

  ## stored results
  SADD a 1 2 3                       => :3
  SADD b 2 3 4                       => :3
  SINTERSTORE d a b                  => :2
  SMEMBERS d                         => ~[2 3]
  OBJECT ENCODING d                  => intset
  SUNIONSTORE d a b                  => :4
  SMEMBERS d                         => ~[1 2 3 4]
  SDIFFSTORE d a b                   => :1
  SMEMBERS d                         => ~[1]
  SDIFFSTORE d a a                   => :0
  EXISTS d                           => :0
  SET d x EX 100                     => +OK
  SUNIONSTORE d a                    => :3
  TTL d                              => :-1
  TYPE d                             => +set
  SINTERSTORE a a b                  => :2
  SMEMBERS a                         => ~[2 3]
  SINTERSTORE d a nokey              => :0
  EXISTS d                           => :0

  ## random members
  SADD s a                           => :1
  SRANDMEMBER s                      => a
  SRANDMEMBER s 5                    => [a]
  SRANDMEMBER s -3                   => [a a a]
  SRANDMEMBER s 0                    => []
  SRANDMEMBER nokey                  => nil
  SRANDMEMBER nokey 1                => []
  SRANDMEMBER s abc                  => -ERR value is not an integer or out of range
  SRANDMEMBER s 1 2                  => -ERR syntax error
  SRANDMEMBER s -9223372036854775808 => -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
  SPOP s 0                           => ~[]
  SPOP s -1                          => -ERR value is out of range, must be positive
  SPOP s abc                         => -ERR value is out of range, must be positive
  SPOP s 1 2                         => -ERR syntax error
  SPOP nokey                         => nil
  SPOP nokey 1                       => ~[]
  SPOP s                             => a
  EXISTS s                           => :0
  SADD s a b                         => :2
  SPOP s 9                                => @~[a b]
  EXISTS s                           => :0

  ## SSCAN of a small set gives everything
  SADD s 1 2 3                       => :3
  SSCAN s 0                          => [0 [1 2 3]]
  SSCAN s 0 MATCH 1*                 => [0 [1]]
  SSCAN s 0 COUNT 0                  => -ERR syntax error
  SSCAN s abc                        => -ERR invalid cursor
  SSCAN nokey 0                      => [0 []]

  ## encodings [resp2]  !7.2 small sets are listpacks
  .config set-max-intset-entries 4
  .config set-max-listpack-entries 3
  .config set-max-listpack-value 5
  SADD i 1 2 3 4                     => :4
  OBJECT ENCODING i                  => intset
  SADD i 5                           => :1
  OBJECT ENCODING i                  => hashtable
  SADD j 1 2                         => :2
  SADD j a                           => :1
  OBJECT ENCODING j
  SADD j b                           => :1
  OBJECT ENCODING j                  => hashtable
  SADD k 1 123456                    => :2
  SADD k a                           => :1
  OBJECT ENCODING k                  => hashtable
  SADD l a                           => :1
  OBJECT ENCODING l
  SADD l abcdef                      => :1
  OBJECT ENCODING l                  => hashtable
  SADD m a b c d                     => :4
  OBJECT ENCODING m                  => hashtable
  SADD n 1 2 3 4 5                   => :5
  OBJECT ENCODING n                  => hashtable
  SADD o 9223372036854775807 -9223372036854775808 => :2
  OBJECT ENCODING o                  => intset
  SMEMBERS o                         => ["-9223372036854775808" 9223372036854775807]
  SADD p 9223372036854775808         => :1
  OBJECT ENCODING p                  => hashtable
`
