/** Consumer groups: delivery, acknowledging, claiming, lag, and what goes wrong. */
import { cases } from '../support/cases.ts'

cases('stream groups')`
  ## XGROUP CREATE
  XGROUP CREATE s g 0                => -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
  XGROUP CREATE s g $ MKSTREAM       => +OK
  XGROUP CREATE s g $                => -BUSYGROUP Consumer Group name already exists
  XGROUP CREATE s h x                => -ERR Invalid stream ID specified as stream command argument
  XGROUP CREATE s h -                => -ERR Invalid stream ID specified as stream command argument
  XGROUP CREATE s h 5-5 ENTRIESREAD 3 => +OK
  XGROUP CREATE s i 0 ENTRIESREAD -1 => +OK
  XGROUP CREATE s j 0 ENTRIESREAD -2 => -ERR value for ENTRIESREAD must be positive or -1
  XGROUP CREATE s j 0 ENTRIESREAD x  => -ERR value is not an integer or out of range
  XGROUP CREATE s j 0 ENTRIESREAD    => -ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.
  XGROUP CREATE s j 0 x              => -ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.
  XGROUP CREATE s j                  => -ERR wrong number of arguments for 'xgroup|create' command
  XGROUP CREATE s j 0 MKSTREAM MKSTREAM MKSTREAM MKSTREAM => -ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.
  XGROUP CREATE s "" 0 mkstream entriesread 0 => +OK
  XINFO GROUPS s                     => [{name "" consumers :0 pending :0 last-delivered-id 0-0 entries-read :0 lag :0} {name g consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :0} {name h consumers :0 pending :0 last-delivered-id 5-5 entries-read :3 lag :0} {name i consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :0}]
  XINFO STREAM s                     => {length :0 radix-tree-keys :0 radix-tree-nodes :1 last-generated-id 0-0 max-deleted-entry-id 0-0 entries-added :0 recorded-first-entry-id 0-0 groups :4 first-entry nil last-entry nil}

  ## XGROUP on a missing key or group
  XGROUP SETID s g 0                 => -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
  XGROUP DESTROY s g                 => -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
  XGROUP CREATECONSUMER s g c        => -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
  XGROUP DELCONSUMER s g c           => -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
  XADD s 1-1 f v                     => 1-1
  XGROUP SETID s g 0                 => -NOGROUP No such consumer group 'g' for key name 's'
  XGROUP DESTROY s g                 => :0
  XGROUP CREATECONSUMER s g c        => -NOGROUP No such consumer group 'g' for key name 's'
  XGROUP DELCONSUMER s g c           => -NOGROUP No such consumer group 'g' for key name 's'
  XGROUP nosuch s g                  => -ERR unknown subcommand 'nosuch'. Try XGROUP HELP.
  XGROUP                             => -ERR wrong number of arguments for 'xgroup' command
  XGROUP HELP                        => [+"XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"CREATE <key> <groupname> <id|$> [option]" +"    Create a new consumer group. Options are:" +"    * MKSTREAM" +"      Create the empty stream if it does not exist." +"    * ENTRIESREAD entries_read" +"      Set the group's entries_read counter (internal use)." +"CREATECONSUMER <key> <groupname> <consumer>" +"    Create a new consumer in the specified group." +"DELCONSUMER <key> <groupname> <consumer>" +"    Remove the specified consumer." +"DESTROY <key> <groupname>" +"    Remove the specified group." +"SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]" +"    Set the current group ID and entries_read counter." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"XGROUP <subcommand> [<arg> [value] [opt] ...]. and so on

  ## XGROUP SETID and lag
  XADD s 1-1 f v                     => 1-1
  XADD s 1-2 f v                     => 1-2
  XADD s 1-3 f v                     => 1-3
  XGROUP CREATE s g 0                => +OK
  XGROUP SETID s g 1-2               => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 1-2 entries-read nil lag nil}]
  XGROUP SETID s g 1-2 ENTRIESREAD 2 => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 1-2 entries-read :2 lag :1}]
  XGROUP SETID s g $                 => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 1-3 entries-read nil lag :0}]
  XGROUP SETID s g +                 => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 18446744073709551615-18446744073709551615 entries-read nil lag nil}]
  XGROUP SETID s g -                 => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :3}]
  XGROUP SETID s g 1-1               => +OK
  XINFO GROUPS s                     => [{name g consumers :0 pending :0 last-delivered-id 1-1 entries-read nil lag :2}]
  XGROUP SETID s g x                 => -ERR Invalid stream ID specified as stream command argument
  XGROUP SETID s g 0 MKSTREAM        => -ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.
  XGROUP SETID s g 0 ENTRIESREAD 1 ENTRIESREAD 2 => -ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.

  ## consumers
  XGROUP CREATE s g 0 MKSTREAM       => +OK
  XGROUP CREATECONSUMER s g c10      => :1
  XGROUP CREATECONSUMER s g c2       => :1
  XGROUP CREATECONSUMER s g c        => :1
  XGROUP CREATECONSUMER s g c        => :0
  XGROUP CREATECONSUMER s g ""       => :1
  XINFO CONSUMERS s g                => [{name "" pending :0 idle any inactive :-1} {name c pending :0 idle any inactive :-1} {name c10 pending :0 idle any inactive :-1} {name c2 pending :0 idle any inactive :-1}]  !7.2 older ones have no inactive
  XGROUP DELCONSUMER s g c2          => :0
  XGROUP DELCONSUMER s g c2          => :0
  XINFO GROUPS s                     => [{name g consumers :3 pending :0 last-delivered-id 0-0 entries-read nil lag :0}]
  XINFO CONSUMERS s nogroup          => -NOGROUP No such consumer group 'nogroup' for key name 's'
  XINFO CONSUMERS nokey g            => -ERR no such key
  XINFO CONSUMERS s                  => -ERR wrong number of arguments for 'xinfo|consumers' command

  ## XREADGROUP delivers each entry once
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 1-3 f 3                     => 1-3
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice COUNT 1 STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XREADGROUP GROUP g bob STREAMS s > => [[s [[1-2 [f 2]] [1-3 [f 3]]]]] | {s [[1-2 [f 2]] [1-3 [f 3]]]}
  XREADGROUP GROUP g bob STREAMS s > => nil*
  XREADGROUP GROUP g alice STREAMS s 0 => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XREADGROUP GROUP g bob STREAMS s 1-2 => [[s [[1-3 [f 3]]]]] | {s [[1-3 [f 3]]]}
  XREADGROUP GROUP g bob COUNT 1 STREAMS s 0 => [[s [[1-2 [f 2]]]]] | {s [[1-2 [f 2]]]}
  XREADGROUP GROUP g carol STREAMS s 0 => [[s []]] | {s []}
  XPENDING s g                       => [:3 1-1 1-3 [[alice 1] [bob 2]]]
  XPENDING s g - + 10                => [[1-1 alice any :2] [1-2 bob any :2] [1-3 bob any :2]]
  XACK s g 1-1 1-1 5-5               => :1
  XACK s g 1-1                       => :0
  XACK s nogroup 1-2                 => :0
  XACK nokey g 1-2                   => :0
  XACK s g x                         => -ERR Invalid stream ID specified as stream command argument
  XACK s g 1-2 x                     => -ERR Invalid stream ID specified as stream command argument
  XPENDING s g                       => [:2 1-2 1-3 [[bob 2]]]
  XREADGROUP GROUP g alice STREAMS s 0 => [[s []]] | {s []}
  XINFO GROUPS s                     => [{name g consumers :3 pending :2 last-delivered-id 1-3 entries-read :3 lag :0}]

  ## XREADGROUP arguments
  XADD s 1-1 f 1                     => 1-1
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP nogroup c STREAMS s > => -NOGROUP No such key 's' or consumer group 'nogroup' in XREADGROUP with GROUP option
  XREADGROUP GROUP g c STREAMS nokey > => -NOGROUP No such key 'nokey' or consumer group 'g' in XREADGROUP with GROUP option
  XREADGROUP GROUP g c STREAMS s nokey > > => -NOGROUP No such key 'nokey' or consumer group 'g' in XREADGROUP with GROUP option
  XREADGROUP GROUP g c STREAMS s $   => -ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.
  XREADGROUP GROUP g c STREAMS s +   => -ERR Invalid stream ID specified as stream command argument
  XREADGROUP GROUP g c STREAMS s x   => -ERR Invalid stream ID specified as stream command argument
  XREADGROUP GROUP g c STREAMS s s > => -ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.  !7.2 7.0.15 gives -ERR Unbalanced XREAD list of streams: for each stream key and so on
  XREADGROUP COUNT 1 STREAMS s >     => -ERR wrong number of arguments for 'xreadgroup' command
  XREADGROUP GROUP g STREAMS s > >   => -ERR syntax error
  XREADGROUP GROUP g c COUNT x STREAMS s > => -ERR value is not an integer or out of range
  XREADGROUP GROUP g c NOACK NOACK COUNT 0 STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XPENDING s g                       => [:0 nil nil nil*]

  ## XREADGROUP of several streams
  XADD s 1-1 f 1                     => 1-1
  XADD t 1-1 f 2                     => 1-1
  XADD t 1-2 f 3                     => 1-2
  XGROUP CREATE s g 0                => +OK
  XGROUP CREATE t g 0                => +OK
  XREADGROUP GROUP g c COUNT 1 STREAMS s t > > => [[s [[1-1 [f 1]]]] [t [[1-1 [f 2]]]]] | {s [[1-1 [f 1]]] t [[1-1 [f 2]]]}
  XREADGROUP GROUP g c STREAMS s t > > => [[t [[1-2 [f 3]]]]] | {t [[1-2 [f 3]]]}
  XREADGROUP GROUP g c STREAMS s t 0 > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XREADGROUP GROUP g c STREAMS s t 0 0 => [[s [[1-1 [f 1]]]] [t [[1-1 [f 2]] [1-2 [f 3]]]]] | {s [[1-1 [f 1]]] t [[1-1 [f 2]] [1-2 [f 3]]]}
  XREADGROUP GROUP g c STREAMS s s > 0 => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}

  ## deleted entries in the history
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g c STREAMS s >   => [[s [[1-1 [f 1]] [1-2 [f 2]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]]]}
  XDEL s 1-1                         => :1
  XREADGROUP GROUP g c STREAMS s 0   => [[s [[1-1 nil*] [1-2 [f 2]]]]] | {s [[1-1 nil] [1-2 [f 2]]]}
  XPENDING s g - + 10                => [[1-1 c any :1] [1-2 c any :2]]
  XTRIM s MAXLEN 0                   => :1
  XREADGROUP GROUP g c STREAMS s 0   => [[s [[1-1 nil*] [1-2 nil*]]]] | {s [[1-1 nil] [1-2 nil]]}
  XPENDING s g                       => [:2 1-1 1-2 [[c 2]]]
  XINFO GROUPS s                     => [{name g consumers :1 pending :2 last-delivered-id 1-2 entries-read :2 lag :0}]

  ## a group that was set back delivers again
  XADD s 1-1 f 1                     => 1-1
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XGROUP SETID s g 0                 => +OK
  XREADGROUP GROUP g bob STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XPENDING s g                       => [:1 1-1 1-1 [[bob 1]]]
  XPENDING s g - + 10                => [[1-1 bob any :1]]

  ## XPENDING arguments
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 1-3 f 3                     => 1-3
  XGROUP CREATE s g 0                => +OK
  XPENDING s g                       => [:0 nil nil nil*]
  XPENDING s g - + 10                => []
  XREADGROUP GROUP g c STREAMS s >   => [[s [[1-1 [f 1]] [1-2 [f 2]] [1-3 [f 3]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]] [1-3 [f 3]]]}
  XPENDING s g - + 2                 => [[1-1 c any :1] [1-2 c any :1]]
  XPENDING s g (1-1 (1-3 9           => [[1-2 c any :1]]
  XPENDING s g 1-3 + 9 c             => [[1-3 c any :1]]
  XPENDING s g - + 0                 => []
  XPENDING s g - + -5                => []
  XPENDING s g - + x                 => -ERR value is not an integer or out of range
  XPENDING s g x + 1                 => -ERR Invalid stream ID specified as stream command argument
  XPENDING s g - x 1                 => -ERR Invalid stream ID specified as stream command argument
  XPENDING s g - +                   => -ERR syntax error
  XPENDING s g - + 1 c d             => [[1-1 c any :1]]
  XPENDING s g IDLE 0 - + 1          => [[1-1 c any :1]]
  XPENDING s g IDLE 100000 - + 1     => []
  XPENDING s g IDLE x - + 1          => -ERR value is not an integer or out of range
  XPENDING s g IDLE 0 - +            => -ERR syntax error
  XPENDING s g IDLE 0 - + 1 c d      => -ERR syntax error
  XPENDING s g - + 1 nobody          => []
  XPENDING s nogroup                 => -NOGROUP No such key 's' or consumer group 'nogroup'
  XPENDING nokey g                   => -NOGROUP No such key 'nokey' or consumer group 'g'
  XPENDING s g (+ + 1                => -ERR Invalid stream ID specified as stream command argument
  XPENDING s                         => -ERR wrong number of arguments for 'xpending' command

  ## XCLAIM
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 1-3 f 3                     => 1-3
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice COUNT 2 STREAMS s > => [[s [[1-1 [f 1]] [1-2 [f 2]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]]]}
  XCLAIM s g bob 0 1-1               => [[1-1 [f 1]]]
  XCLAIM s g bob 100000 1-2          => []
  XCLAIM s g bob -5 1-2 JUSTID       => [1-2]
  XPENDING s g - + 10                => [[1-1 bob any :2] [1-2 bob any :1]]
  XCLAIM s g bob 0 1-3               => []
  XCLAIM s g bob 0 1-3 FORCE         => [[1-3 [f 3]]]
  XCLAIM s g bob 0 9-9 FORCE         => []
  XPENDING s g - + 10                => [[1-1 bob any :2] [1-2 bob any :1] [1-3 bob any :2]]
  XCLAIM s g carol 0 1-1 1-2 RETRYCOUNT 9223372036854775807 => [[1-1 [f 1]] [1-2 [f 2]]]
  XCLAIM s g carol 0 1-1 RETRYCOUNT 0 JUSTID => [1-1]
  XCLAIM s g carol 0 1-1 RETRYCOUNT -3 JUSTID => [1-1]
  XPENDING s g - + 10                => [[1-1 carol any :0] [1-2 carol any :9223372036854775807] [1-3 bob any :2]]
  XCLAIM s g carol 0 1-1 IDLE 60000 JUSTID => [1-1]
  XPENDING s g IDLE 50000 - + 10     => [[1-1 carol any :0]]
  XCLAIM s g carol 0 1-1 TIME 0 JUSTID => [1-1]
  XPENDING s g IDLE 1000000000 - + 10 => [[1-1 carol any :0]]
  XCLAIM s g carol 0 1-1 TIME -5 JUSTID => [1-1]
  XCLAIM s g carol 0 1-1 IDLE -5 JUSTID => [1-1]
  XPENDING s g IDLE 50000 - + 10     => []
  XCLAIM s g carol 0 1-1 LASTID 7-7 JUSTID => [1-1]
  XINFO GROUPS s                     => [{name g consumers :3 pending :3 last-delivered-id 7-7 entries-read :2 lag :1}]
  XCLAIM s g carol 0 1-1 LASTID 1-1 JUSTID => [1-1]
  XINFO GROUPS s                     => [{name g consumers :3 pending :3 last-delivered-id 7-7 entries-read :2 lag :1}]
  XDEL s 1-2                         => :1
  XCLAIM s g dave 0 1-1 1-2 1-3      => [[1-1 [f 1]] [1-3 [f 3]]]
  XPENDING s g                       => [:2 1-1 1-3 [[dave 2]]]

  ## XCLAIM arguments
  XADD s 1-1 f 1                     => 1-1
  XCLAIM s g c 0 1-1                 => -NOGROUP No such key 's' or consumer group 'g'
  XCLAIM nokey g c 0 1-1             => -NOGROUP No such key 'nokey' or consumer group 'g'
  XGROUP CREATE s g 0                => +OK
  XCLAIM s g c x 1-1                 => -ERR Invalid min-idle-time argument for XCLAIM
  XCLAIM s g c 0 x                   => -ERR Unrecognized XCLAIM option 'x'
  XCLAIM s g c 0 1-1 x               => -ERR Unrecognized XCLAIM option 'x'
  XCLAIM s g c 0 1-1 IDLE            => -ERR Unrecognized XCLAIM option 'IDLE'
  XCLAIM s g c 0 1-1 IDLE x          => -ERR Invalid IDLE option argument for XCLAIM
  XCLAIM s g c 0 1-1 TIME x          => -ERR Invalid TIME option argument for XCLAIM
  XCLAIM s g c 0 1-1 RETRYCOUNT x    => -ERR Invalid RETRYCOUNT option argument for XCLAIM
  XCLAIM s g c 0 1-1 LASTID x        => -ERR Invalid stream ID specified as stream command argument
  XCLAIM s g c 0 1-1 FORCE 1-2       => -ERR Unrecognized XCLAIM option '1-2'
  XCLAIM s g c 0                     => -ERR wrong number of arguments for 'xclaim' command

  ## XAUTOCLAIM
  .times 5 XADD s 1-* f v            => any
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice STREAMS s > => any
  XAUTOCLAIM s g bob 0 - COUNT 2     => [1-2 [[1-0 [f v]] [1-1 [f v]]] []]
  XAUTOCLAIM s g bob 0 1-3 COUNT 2 JUSTID => [0-0 [1-3 1-4] []]
  XAUTOCLAIM s g bob 0 (1-5          => [0-0 [] []]
  XAUTOCLAIM s g bob 100000 0        => [0-0 [] []]
  XAUTOCLAIM s g bob 100000 0 COUNT 1 => [0-0 [] []]
  XDEL s 1-2 1-4                     => :2
  XAUTOCLAIM s g carol 0 0 COUNT 3   => [1-3 [[1-0 [f v]] [1-1 [f v]]] [1-2]]
  XAUTOCLAIM s g carol 0 1-4 COUNT 3 => [0-0 [] [1-4]]
  XPENDING s g - + 10                => [[1-0 carol any :3] [1-1 carol any :3] [1-3 bob any :1]]
  XAUTOCLAIM s g carol 0 + JUSTID    => [0-0 [] []]
  XAUTOCLAIM s g carol 0 x           => -ERR Invalid stream ID specified as stream command argument
  XAUTOCLAIM s g carol x 0           => -ERR Invalid min-idle-time argument for XAUTOCLAIM
  XAUTOCLAIM s g carol 0 0 COUNT 0   => -ERR COUNT must be > 0
  XAUTOCLAIM s g carol 0 0 COUNT x   => -ERR COUNT must be > 0
  XAUTOCLAIM s g carol 0 0 COUNT     => -ERR syntax error
  XAUTOCLAIM s g carol 0 0 COUNT 9223372036854775807 => -ERR COUNT must be > 0
  XAUTOCLAIM s g carol 0 0 x         => -ERR syntax error
  XAUTOCLAIM s g carol 0 (+          => -ERR Invalid stream ID specified as stream command argument
  XAUTOCLAIM s nogroup carol 0 0     => -NOGROUP No such key 's' or consumer group 'nogroup'
  XAUTOCLAIM nokey g carol 0 0       => -NOGROUP No such key 'nokey' or consumer group 'g'

  ## XAUTOCLAIM gives up after ten times COUNT entries that are too young
  .times 30 XADD s 1-* f v           => any
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice STREAMS s > => any
  XAUTOCLAIM s g bob 100000 0 COUNT 1 => [1-10 [] []]
  XAUTOCLAIM s g bob 100000 0 COUNT 2 => [1-20 [] []]
  XAUTOCLAIM s g bob 100000 0 COUNT 3 => [0-0 [] []]

  ## deleting a consumer forgets its entries
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice COUNT 1 STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XREADGROUP GROUP g bob STREAMS s > => [[s [[1-2 [f 2]]]]] | {s [[1-2 [f 2]]]}
  XGROUP DELCONSUMER s g alice       => :1
  XPENDING s g                       => [:1 1-2 1-2 [[bob 1]]]
  XCLAIM s g bob 0 1-1               => []
  XGROUP DESTROY s g                 => :1
  XGROUP DESTROY s g                 => :0
  XINFO GROUPS s                     => []

  ## lag with deletions
  .times 5 XADD s 1-* f v            => any
  XGROUP CREATE s g1 0               => +OK
  XGROUP CREATE s g2 0               => +OK
  XINFO GROUPS s                     => [{name g1 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :5} {name g2 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :5}]
  XREADGROUP GROUP g1 c COUNT 1 STREAMS s > => [[s [[1-0 [f v]]]]] | {s [[1-0 [f v]]]}
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :1 last-delivered-id 1-0 entries-read :1 lag :4} {name g2 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag :5}]
  XREADGROUP GROUP g1 c COUNT 1 STREAMS s > => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}
  XDEL s 1-3                         => :1
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :2 last-delivered-id 1-1 entries-read :2 lag nil} {name g2 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag nil}]
  XREADGROUP GROUP g1 c COUNT 1 STREAMS s > => [[s [[1-2 [f v]]]]] | {s [[1-2 [f v]]]}
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag nil}]
  XTRIM s MAXLEN 2                   => :2
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :0 pending :0 last-delivered-id 0-0 entries-read nil lag nil}]
  XREADGROUP GROUP g2 c COUNT 1 STREAMS s > => [[s [[1-2 [f v]]]]] | {s [[1-2 [f v]]]}
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :1 pending :1 last-delivered-id 1-2 entries-read nil lag nil}]
  XREADGROUP GROUP g2 c STREAMS s >  => [[s [[1-4 [f v]]]]] | {s [[1-4 [f v]]]}
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :1 pending :2 last-delivered-id 1-4 entries-read :5 lag :0}]
  XDEL s 1-4 1-5                     => :1
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :1 pending :2 last-delivered-id 1-4 entries-read :5 lag :0}]
  XADD s 1-6 f v                     => 1-6
  XINFO GROUPS s                     => [{name g1 consumers :1 pending :3 last-delivered-id 1-2 entries-read nil lag nil} {name g2 consumers :1 pending :2 last-delivered-id 1-4 entries-read :5 lag nil}]

  ## groups of a copy are its own
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice COUNT 1 STREAMS s > => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  COPY s t                           => :1
  XACK s g 1-1                       => :1
  XPENDING t g                       => [:1 1-1 1-1 [[alice 1]]]
  XREADGROUP GROUP g alice STREAMS t > => [[t [[1-2 [f 2]]]]] | {t [[1-2 [f 2]]]}
  XPENDING s g                       => [:0 nil nil nil*]
  XINFO STREAM t FULL                => any

  ## XINFO STREAM FULL
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 1-3 f 3                     => 1-3
  XGROUP CREATE s g 0                => +OK
  XREADGROUP GROUP g alice COUNT 2 STREAMS s > => any
  XGROUP CREATECONSUMER s g bob      => :1
  XINFO STREAM s FULL COUNT 1        => {length :3 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 1-3 max-deleted-entry-id 0-0 entries-added :3 recorded-first-entry-id 1-1 entries [[1-1 [f 1]]] groups [{name g last-delivered-id 1-2 entries-read :2 lag :1 pel-count :2 pending [[1-1 alice any :1]] consumers [{name alice seen-time any active-time any pel-count :2 pending [[1-1 any :1]]} {name bob seen-time any active-time :-1 pel-count :0 pending []}]}]}  !7.2 older ones have no active-time
  XINFO STREAM s FULL COUNT 0        => any
`
