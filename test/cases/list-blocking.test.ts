import { cases } from '../support/cases.ts'

cases('blocking lists')`
  ## an element that is there is popped at once
  RPUSH l a b c                      => :3
  BLPOP nokey l 0                    => [l a]
  BRPOP l 0.5                        => [l c]
  BLMOVE l m LEFT RIGHT 0            => b
  BRPOPLPUSH m n 0                   => b
  BLMPOP 0 2 nokey n LEFT COUNT 5    => [n [b]]

  ## timeouts and their errors
  BLPOP l 0.01                       => nil* | nil
  BRPOP l m 0.01                     => nil* | nil
  BLMOVE l m LEFT RIGHT 0.01         => nil* | nil
  BRPOPLPUSH l m 0.01                => nil* | nil
  BLMPOP 0.01 1 l LEFT               => nil* | nil
  BLPOP l -1                         => -ERR timeout is negative
  BLPOP l abc                        => -ERR timeout is not a float or out of range
  BLMOVE l m LEFT RIGHT -1           => -ERR timeout is negative
  BLMPOP abc 1 l LEFT                => -ERR timeout is not a float or out of range
  BLMPOP 1 0 l LEFT                  => -ERR numkeys should be greater than 0
  BLMOVE l m UP RIGHT abc            => -ERR syntax error

  ## a push wakes the first that came
  a> BLPOP l 0 => ...
  b> BLPOP l 0 => ...
  c> RPUSH l 1                       => :1
  a>                                 => [l 1]
  b>                                 => quiet
  c> LPUSH l 2 3                     => :2
  b>                                 => [l 3]
  c> LRANGE l 0 -1                   => [2]

  ## the pushing client sees its own length first
  b> BLPOP l 0 => ...
  .raw "*3\r\n$5\r\nLPUSH\r\n$1\r\nl\r\n$1\r\nx\r\n*2\r\n$4\r\nLLEN\r\n$1\r\nl\r\n" => :1
  => :0
  b>                                 => [l x]

  ## the order of keys counts, not the order of pushes
  a> BLPOP k1 k2 k3 0 => ...
  b> MULTI                           => +OK
  b> RPUSH k3 z                      => +QUEUED
  b> RPUSH k2 y                      => +QUEUED
  b> RPUSH k1 x                      => +QUEUED
  b> EXEC                            => [:1 :1 :1]
  a>                                 => [k1 x]  !7.2 the command runs again from its first key

  ## inside MULTI nothing waits
  MULTI                              => +OK
  BLPOP l 0                          => +QUEUED
  BLMOVE l m LEFT RIGHT 0            => +QUEUED
  BRPOPLPUSH l m 0                   => +QUEUED
  BLMPOP 0 1 l LEFT                  => +QUEUED
  EXEC

  ## a push and a deletion in one transaction wake nobody
  a> BLPOP l 0 => ...
  b> MULTI                           => +OK
  b> LPUSH l x                       => +QUEUED
  b> DEL l                           => +QUEUED
  b> EXEC                            => [:1 :1]
  a>                                 => quiet
  b> LPUSH l y                       => :1
  a>                                 => [l y]

  ## another type does not wake
  a> BLPOP l 0 => ...
  b> SET l v                         => +OK
  b> DEL l                           => :1
  b> SADD l m                        => :1
  a>                                 => quiet
  b> DEL l                           => :1
  b> RPUSH l x                       => :1
  a>                                 => [l x]

  ## woken by RENAME, COPY, SORT STORE and LMOVE
  a> BLPOP l 0 => ...
  b> RPUSH m 1                       => :1
  b> RENAME m l                      => +OK
  a>                                 => [l 1]
  a> BLPOP l 0 => ...
  b> RPUSH m 2                       => :1
  b> COPY m l                        => :1
  a>                                 => [l 2]
  a> BLPOP l 0 => ...
  b> SORT m STORE l                  => :1
  a>                                 => [l 2]
  a> BLPOP l 0 => ...
  b> LMOVE m l LEFT LEFT             => 2
  a>                                 => [l 2]

  ## a chain: one served client serves the next
  a> BLMOVE k1 k2 LEFT RIGHT 0 => ...
  b> BLMOVE k2 k3 LEFT RIGHT 0 => ...
  c> BLPOP k3 0 => ...
  d> RPUSH k1 x                      => :1
  a>                                 => x
  b>                                 => x
  c>                                 => [k3 x]
  d> EXISTS k1 k2 k3                 => :0

  ## a list moved onto itself
  a> BLMOVE l l LEFT RIGHT 0 => ...
  b> RPUSH l 1 2 3                   => :3
  a>                                 => 1
  b> LRANGE l 0 -1                   => [2 3 1]

  ## a wrong destination is an error when served
  b> SET s v                         => +OK
  a> BLMOVE l s LEFT RIGHT 0 => ...
  b> RPUSH l x                       => :1
  a>                                 => -WRONGTYPE Operation against a key holding the wrong kind of value
  b> LRANGE l 0 -1                   => [x]

  ## BLMPOP takes several
  a> BLMPOP 0 2 k1 k2 RIGHT COUNT 2 => ...
  b> RPUSH k2 a b c                  => :3
  a>                                 => [k2 [c b]]
  b> LRANGE k2 0 -1                  => [a]

  ## what a client sends while it waits is served afterwards
  a> BLPOP l 0 => ...
  a> ECHO later => ...
  b> RPUSH l x                       => :1
  a>                                 => [l x]
  a>                                 => later

  ## a client that hangs up is served nothing
  a> BLPOP l 0 => ...
  a> .close
  b> BLPOP l 0 => ...
  c> RPUSH l x                       => :1
  b>                                 => [l x]
  c> LLEN l                          => :0

  ## several elements, several clients
  a> BLPOP l 0 => ...
  b> BRPOP l 0 => ...
  c> RPUSH l 1 2 3                   => :3
  a>                                 => [l 1]
  b>                                 => [l 3]
  c> LRANGE l 0 -1                   => [2]

  ## the same key twice
  a> BLPOP l l 0 => ...
  b> RPUSH l x y                     => :2
  a>                                 => [l x]
  b> LRANGE l 0 -1                   => [y]
`
