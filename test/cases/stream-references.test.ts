/** What came to streams after 7.2: deletions that look at groups, and the last entry by "+". */
import { cases } from '../support/cases.ts'

cases('stream references')`
  ## XREAD of the last entry  !ours since 7.4
  XREAD STREAMS s +                            => nil*
  XADD s 1-1 f 1                               => 1-1
  XADD s 1-2 f 2                               => 1-2
  XREAD STREAMS s +                            => [[s [[1-2 [f 2]]]]] | {s [[1-2 [f 2]]]}
  XDEL s 1-2                                   => :1
  XREAD STREAMS s t + 0                        => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  b> XREAD BLOCK 0 STREAMS t +                 => ...
  XADD t 5-5 f v                               => 5-5
  b>                                           => [[t [[5-5 [f v]]]]] | {t [[5-5 [f v]]]}

  ## XDELEX  !ours since 8.2
  XADD s 1-1 f v                               => 1-1
  .times 5 XADD s 1-* f v                      => any
  XGROUP CREATE s g 0                          => +OK
  XGROUP CREATE s h 0                          => +OK
  XREADGROUP GROUP g c COUNT 4 STREAMS s >     => any
  XREADGROUP GROUP h c COUNT 2 STREAMS s >     => any
  XDELEX s IDS 2 1-1 9-9                       => [:1 :-1]
  XPENDING s g - + 10                          => [[1-1 c any :1] [1-2 c any :1] [1-3 c any :1] [1-4 c any :1]]
  XDELEX s DELREF IDS 2 1-1 1-2                => [:-1 :1]
  XPENDING s g - + 10                          => [[1-3 c any :1] [1-4 c any :1]]
  XPENDING s h                                 => [:0 nil nil nil*]
  XDELEX s ACKED IDS 3 1-3 1-6 9-9             => [:2 :2 :-1]
  XACK s g 1-3                                 => :1
  XDELEX s ACKED IDS 1 1-3                     => [:2]
  XREADGROUP GROUP h c COUNT 1 STREAMS s >     => any
  XACK s h 1-3                                 => :1
  XDELEX s IDS 1 1-3 ACKED                     => [:1]
  XLEN s                                       => :3
  XDELEX nokey KEEPREF IDS 2 1-1 1-2           => [:-1 :-1]
  XADD t 1-1 f v                               => 1-1
  XDELEX t ACKED IDS 1 1-1                     => [:2]

  ## arguments of XDELEX  !ours since 8.2
  XADD s 1-1 f v                               => 1-1
  XDELEX s IDS 0 1-1                           => -ERR Number of IDs must be a positive integer
  XDELEX s IDS x 1-1                           => -ERR Number of IDs must be a positive integer
  XDELEX s IDS 2 1-1                           => -ERR The ${'`'}numids${'`'} parameter must match the number of arguments
  XDELEX s IDS 1 1-1 1-2                       => -ERR syntax error
  XDELEX s KEEPREF DELREF IDS 1 1-1            => -ERR syntax error
  XDELEX s IDS 1 x                             => -ERR Invalid stream ID specified as stream command argument
  XDELEX s KEEPREF IDS 1                       => -ERR The ${'`'}numids${'`'} parameter must match the number of arguments
  XDELEX s KEEPREF x 1                         => -ERR syntax error
  XDELEX s IDS 1                               => -ERR wrong number of arguments for 'xdelex' command
  SET k v                                      => +OK
  XDELEX k IDS 1 1-1                           => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## XACKDEL  !ours since 8.2
  XADD s 1-1 f v                               => 1-1
  .times 4 XADD s 1-* f v                      => any
  XGROUP CREATE s g 0                          => +OK
  XGROUP CREATE s h 0                          => +OK
  XREADGROUP GROUP g c STREAMS s >             => any
  XREADGROUP GROUP h c COUNT 2 STREAMS s >     => any
  XACKDEL s g IDS 2 1-1 9-9                    => [:1 :-1]
  XPENDING s h                                 => [:2 1-1 1-2 [[c 2]]]
  XACKDEL s g DELREF IDS 1 1-2                 => [:1]
  XPENDING s h                                 => [:1 1-1 1-1 [[c 1]]]
  XACKDEL s g ACKED IDS 2 1-3 1-4              => [:2 :2]
  XPENDING s g                                 => [:1 1-5 1-5 [[c 1]]]
  XREADGROUP GROUP h c STREAMS s >             => any
  XACKDEL s h ACKED IDS 2 1-3 1-4              => [:1 :1]
  XLEN s                                       => :1
  XACKDEL s nogroup IDS 1 1-5                  => [:-1]
  XACKDEL nokey g IDS 1 1-5                    => [:-1]

  ## trimming with references  !ours since 8.2
  XADD s 1-1 f v                               => 1-1
  .times 5 XADD s 1-* f v                      => any
  XGROUP CREATE s g 0                          => +OK
  XREADGROUP GROUP g c COUNT 4 STREAMS s >     => any
  XACK s g 1-2 1-4                             => :2
  XTRIM s MAXLEN 0 ACKED                       => :2
  XRANGE s - +                                 => [[1-1 [f v]] [1-3 [f v]] [1-5 [f v]] [1-6 [f v]]]
  XADD s DELREF MAXLEN 3 1-7 f v               => 1-7
  XPENDING s g                                 => [:0 nil nil nil*]
  XRANGE s - +                                 => [[1-5 [f v]] [1-6 [f v]] [1-7 [f v]]]
  XTRIM s MINID 1-7 KEEPREF                    => :2
  XTRIM s MAXLEN 0 KEEPREF ACKED               => -ERR syntax error
  XTRIM s DELREF MAXLEN 0                      => :1
  XADD t 1-1 f v                               => 1-1
  XTRIM t MAXLEN 0 ACKED                       => :1

  ## approximate trimming with references takes whole nodes  !ours since 8.2
  .config stream-node-max-entries 3
  XADD s 1-1 f v                               => 1-1
  .times 8 XADD s 1-* f v                      => any
  XGROUP CREATE s g 0                          => +OK
  XREADGROUP GROUP g c COUNT 7 STREAMS s >     => any
  XACK s g 1-1 1-2 1-3 1-5                     => :4
  XTRIM s MAXLEN ~ 1 ACKED                     => :4
  XTRIM s MINID ~ 1-8 DELREF                   => :2
  XRANGE s - +                                 => [[1-7 [f v]] [1-8 [f v]] [1-9 [f v]]]
`
