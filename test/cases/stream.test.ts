/** Entries of streams: adding, reading ranges, deleting, trimming, counters. */
import { cases } from '../support/cases.ts'

cases('stream')`
  ## XADD takes ids that grow
  XADD s 1-1 f v                     => 1-1
  XADD s 1-1 f v                     => -ERR The ID specified in XADD is equal or smaller than the target stream top item
  XADD s 1-0 f v                     => -ERR The ID specified in XADD is equal or smaller than the target stream top item
  XADD s 1-* f v                     => 1-2
  XADD s 1 f v                       => -ERR The ID specified in XADD is equal or smaller than the target stream top item
  XADD s 2 f v                       => 2-0
  XADD s 0-0 f v                     => -ERR The ID specified in XADD must be greater than 0-0
  XADD s 0 f v                       => -ERR The ID specified in XADD must be greater than 0-0
  XADD s 18446744073709551615-18446744073709551615 f v => 18446744073709551615-18446744073709551615
  XADD s * f v                       => -ERR The stream has exhausted the last possible ID, unable to add more items
  XADD s 18446744073709551615-* f v  => -ERR The stream has exhausted the last possible ID, unable to add more items
  XLEN s                             => :4

  ## XADD of a millisecond whose ids are used up
  XADD s 5-18446744073709551615 f v  => 5-18446744073709551615
  XADD s 5-* f v                     => -ERR The ID specified in XADD is equal or smaller than the target stream top item  !7.2 7.0.15 gives -ERR Elements are too large to be stored
  XADD s 6-* f v                     => 6-0
  XADD t 0-* f v                     => 0-1
  XADD t 0-* f v                     => 0-2

  ## XADD wants pairs
  XADD s 1-1                         => -ERR wrong number of arguments for 'xadd' command
  XADD s 1-1 f                       => -ERR wrong number of arguments for 'xadd' command
  XADD s 1-1 f v g                   => -ERR wrong number of arguments for 'xadd' command
  XADD s f v                         => -ERR wrong number of arguments for 'xadd' command
  XADD s MAXLEN 5 1-1 f              => -ERR wrong number of arguments for 'xadd' command
  XADD s * f                         => -ERR wrong number of arguments for 'xadd' command
  EXISTS s                           => :0

  ## XADD refuses what is no id
  XADD s - f v                       => -ERR Invalid stream ID specified as stream command argument
  XADD s + f v                       => -ERR Invalid stream ID specified as stream command argument
  XADD s $ f v                       => -ERR Invalid stream ID specified as stream command argument
  XADD s 1-x f v                     => -ERR Invalid stream ID specified as stream command argument
  XADD s x-1 f v                     => -ERR Invalid stream ID specified as stream command argument
  XADD s 1- f v                      => -ERR Invalid stream ID specified as stream command argument
  XADD s -1 f v                      => -ERR Invalid stream ID specified as stream command argument
  XADD s 1--1 f v                    => -ERR Invalid stream ID specified as stream command argument
  XADD s "" f v                      => -ERR Invalid stream ID specified as stream command argument
  XADD s 18446744073709551616-1 f v  => -ERR Invalid stream ID specified as stream command argument
  XADD s 007-01 f v                  => 7-1

  ## XADD NOMKSTREAM
  XADD s NOMKSTREAM 1-1 f v          => nil
  EXISTS s                           => :0
  XADD s 1-1 f v                     => 1-1
  XADD s nomkstream 1-2 f v          => 1-2

  ## XADD on another type
  SET s v                            => +OK
  XADD s 1-1 f v                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  XADD s 0-0 f v                     => -ERR The ID specified in XADD must be greater than 0-0
  XLEN s                             => -WRONGTYPE Operation against a key holding the wrong kind of value
  XRANGE s - +                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  XREAD STREAMS s 0                  => -WRONGTYPE Operation against a key holding the wrong kind of value
  XDEL s 1-1                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  XTRIM s MAXLEN 0                   => -WRONGTYPE Operation against a key holding the wrong kind of value
  XINFO STREAM s                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  XGROUP CREATE s g 0                => -WRONGTYPE Operation against a key holding the wrong kind of value
  XGROUP CREATE s g 0 MKSTREAM       => -WRONGTYPE Operation against a key holding the wrong kind of value
  XREADGROUP GROUP g c STREAMS s >   => -WRONGTYPE Operation against a key holding the wrong kind of value
  XACK s g 1-1                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  XPENDING s g                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  XCLAIM s g c 0 1-1                 => -WRONGTYPE Operation against a key holding the wrong kind of value
  XAUTOCLAIM s g c 0 0               => -WRONGTYPE Operation against a key holding the wrong kind of value
  XSETID s 1-1                       => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## values of every kind come back as they went
  XADD s 1-1 "" ""                   => 1-1
  XADD s 1-2 f 0 f 127 f 128 f -1 f 4095 f 4096 f -4096 f -4097 => 1-2
  XADD s 1-3 f 32767 f 32768 f -32768 f -32769 f 8388607 f 8388608 f -8388608 f -8388609 => 1-3
  XADD s 1-4 f 2147483647 f 2147483648 f -2147483648 f -2147483649 f 9007199254740993 f 9223372036854775807 f -9223372036854775808 => 1-4
  XADD s 1-5 f 9223372036854775808 f 007 f -0 f +1 f 1.5 f " 1" f "\x00\xff\r\n" => 1-5
  XADD s 1-6 f ${'x'.repeat(63)} f ${'y'.repeat(64)} f ${'z'.repeat(5000)}
  XADD s 18446744073709551615-0 f v  => 18446744073709551615-0
  XRANGE s - +                       => any
  XRANGE s - 1-5                     => [[1-1 ["" ""]] [1-2 [f 0 f 127 f 128 f "-1" f 4095 f 4096 f "-4096" f "-4097"]] [1-3 [f 32767 f 32768 f "-32768" f "-32769" f 8388607 f 8388608 f "-8388608" f "-8388609"]] [1-4 [f 2147483647 f 2147483648 f "-2147483648" f "-2147483649" f 9007199254740993 f 9223372036854775807 f "-9223372036854775808"]] [1-5 [f 9223372036854775808 f 007 f "-0" f "+1" f 1.5 f " 1" f "\x00\xff\r\n"]]]
  XREVRANGE s + 18446744073709551615 => [[18446744073709551615-0 [f v]]]

  ## entries with and without the fields of the first
  XADD s 1-1 a 1 b 2                 => 1-1
  XADD s 1-2 a 3 b 4                 => 1-2
  XADD s 1-3 b 5 a 6                 => 1-3
  XADD s 1-4 a 7                     => 1-4
  XADD s 1-5 a 8 b 9 c 10            => 1-5
  XADD s 1-6 a 11 b 12               => 1-6
  XRANGE s - +                       => [[1-1 [a 1 b 2]] [1-2 [a 3 b 4]] [1-3 [b 5 a 6]] [1-4 [a 7]] [1-5 [a 8 b 9 c 10]] [1-6 [a 11 b 12]]]
  XREVRANGE s + -                    => [[1-6 [a 11 b 12]] [1-5 [a 8 b 9 c 10]] [1-4 [a 7]] [1-3 [b 5 a 6]] [1-2 [a 3 b 4]] [1-1 [a 1 b 2]]]

  ## XRANGE bounds
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 2-0 f 3                     => 2-0
  XADD s 3-5 f 4                     => 3-5
  XRANGE s 1 1                       => [[1-1 [f 1]] [1-2 [f 2]]]
  XRANGE s 1 2                       => [[1-1 [f 1]] [1-2 [f 2]] [2-0 [f 3]]]
  XRANGE s (1-1 +                    => [[1-2 [f 2]] [2-0 [f 3]] [3-5 [f 4]]]
  XRANGE s - (3-5                    => [[1-1 [f 1]] [1-2 [f 2]] [2-0 [f 3]]]
  XRANGE s (1 (3                     => [[1-1 [f 1]] [1-2 [f 2]] [2-0 [f 3]] [3-5 [f 4]]]
  XRANGE s 3-5 3-5                   => [[3-5 [f 4]]]
  XRANGE s 4 +                       => []
  XRANGE s + -                       => []
  XREVRANGE s 2 1                    => [[2-0 [f 3]] [1-2 [f 2]] [1-1 [f 1]]]
  XREVRANGE s (3-5 (1-1 COUNT 1      => [[2-0 [f 3]]]
  XRANGE s - + COUNT 2               => [[1-1 [f 1]] [1-2 [f 2]]]
  XRANGE s - + COUNT 0               => nil*
  XRANGE s - + COUNT -1              => nil*
  XRANGE s - + COUNT x               => -ERR value is not an integer or out of range
  XRANGE s - + COUNT                 => -ERR syntax error
  XRANGE s - + LIMIT 2               => -ERR syntax error
  XRANGE s - + COUNT 1 COUNT 3       => [[1-1 [f 1]] [1-2 [f 2]] [2-0 [f 3]]]
  XRANGE nokey - + COUNT 0           => []
  XRANGE s (- +                      => -ERR Invalid stream ID specified as stream command argument
  XRANGE s ( +                       => -ERR Invalid stream ID specified as stream command argument
  XRANGE s (+ +                      => -ERR Invalid stream ID specified as stream command argument
  XRANGE s (18446744073709551615-18446744073709551615 + => -ERR invalid start ID for the interval
  XRANGE s - (0-0                    => -ERR invalid end ID for the interval
  XRANGE s x +                       => -ERR Invalid stream ID specified as stream command argument
  XRANGE s - 1-*                     => -ERR Invalid stream ID specified as stream command argument

  ## XDEL
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD s 1-3 f 3                     => 1-3
  XDEL s 1-2 1-2 9-9                 => :1
  XDEL s x                           => -ERR Invalid stream ID specified as stream command argument
  XDEL s 1-1 x                       => -ERR Invalid stream ID specified as stream command argument
  XDEL nokey 1-1                     => :0
  XRANGE s - +                       => [[1-1 [f 1]] [1-3 [f 3]]]
  XINFO STREAM s                     => {length :2 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 1-3 max-deleted-entry-id 1-2 entries-added :3 recorded-first-entry-id 1-1 groups :0 first-entry [1-1 [f 1]] last-entry [1-3 [f 3]]}
  XDEL s 1-1 1-3                     => :2
  XINFO STREAM s                     => {length :0 radix-tree-keys :0 radix-tree-nodes :1 last-generated-id 1-3 max-deleted-entry-id 1-3 entries-added :3 recorded-first-entry-id 0-0 groups :0 first-entry nil last-entry nil}
  EXISTS s                           => :1
  XADD s 1-3 f v                     => -ERR The ID specified in XADD is equal or smaller than the target stream top item
  XADD s 1-4 f v                     => 1-4
  XINFO STREAM s                     => {length :1 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 1-4 max-deleted-entry-id 1-3 entries-added :4 recorded-first-entry-id 1-4 groups :0 first-entry [1-4 [f v]] last-entry [1-4 [f v]]}

  ## XTRIM
  .times 25 XADD s 7-* f v           => any
  XTRIM s MAXLEN 20                  => :5
  XTRIM s MAXLEN = 18                => :2
  XTRIM s MAXLEN ~ 1                 => :0
  XTRIM s MINID 7-10                 => :3
  XTRIM s MINID = 7-12               => :2
  XRANGE s - + COUNT 1               => [[7-12 [f v]]]
  XINFO STREAM s                     => {length :13 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 7-24 max-deleted-entry-id 0-0 entries-added :25 recorded-first-entry-id 7-12 groups :0 first-entry [7-12 [f v]] last-entry [7-24 [f v]]}
  XTRIM s MAXLEN 0                   => :13
  XLEN s                             => :0
  XTRIM nokey MAXLEN 5               => :0
  XTRIM s MAXLEN -1                  => -ERR The MAXLEN argument must be >= 0.
  XTRIM s MAXLEN x                   => -ERR value is not an integer or out of range
  XTRIM s MAXLEN                     => -ERR wrong number of arguments for 'xtrim' command
  XTRIM s MINID x                    => -ERR Invalid stream ID specified as stream command argument
  XTRIM s MINID -                    => -ERR Invalid stream ID specified as stream command argument
  XTRIM s MAXLEN 1 MINID 1           => -ERR syntax error, MAXLEN and MINID options at the same time are not compatible
  XTRIM s MAXLEN 1 LIMIT 5           => -ERR syntax error, LIMIT cannot be used without the special ~ option
  XTRIM s MAXLEN ~ 1 LIMIT -1        => -ERR The LIMIT argument must be >= 0.
  XTRIM s MAXLEN ~ 1 LIMIT x         => -ERR value is not an integer or out of range
  XTRIM s LIMIT 5                    => -ERR syntax error, LIMIT cannot be used without specifying a trimming strategy
  XTRIM s LIMIT 5 x                  => -ERR syntax error
  XTRIM s MAXLEN 1 x                 => -ERR syntax error
  XTRIM s NOMKSTREAM MAXLEN 1        => -ERR syntax error

  ## trimming whole nodes, with a limit
  .config stream-node-max-entries 10
  .times 100 XADD s 7-* f v          => any
  XTRIM s MAXLEN ~ 55                => :40
  XLEN s                             => :60
  XTRIM s MAXLEN ~ 0 LIMIT 25        => :20
  XLEN s                             => :40
  XTRIM s MINID ~ 7-75 LIMIT 0       => :10
  XLEN s                             => :30
  XINFO STREAM s                     => {length :30 radix-tree-keys :3 radix-tree-nodes :5 last-generated-id 7-99 max-deleted-entry-id 0-0 entries-added :100 recorded-first-entry-id 7-70 groups :0 first-entry [7-70 [f v]] last-entry [7-99 [f v]]}
  XADD s MAXLEN ~ 5 LIMIT 9 7-* f v  => 7-100
  XLEN s                             => :31
  XADD s MAXLEN = 5 7-* f v          => 7-101
  XLEN s                             => :5
  XADD s MINID 7-100 7-* f v         => 7-102
  XRANGE s - +                       => [[7-100 [f v]] [7-101 [f v]] [7-102 [f v]]]
  XINFO STREAM s                     => {length :3 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 7-102 max-deleted-entry-id 0-0 entries-added :103 recorded-first-entry-id 7-100 groups :0 first-entry [7-100 [f v]] last-entry [7-102 [f v]]}

  ## options of XADD that do not go together
  XADD s MAXLEN 5 MINID 5 1-1 f v    => -ERR syntax error, MAXLEN and MINID options at the same time are not compatible
  XADD s MAXLEN 5 LIMIT 5 1-1 f v    => -ERR syntax error, LIMIT cannot be used without the special ~ option
  XADD s LIMIT 5 1-1 f v             => -ERR syntax error, LIMIT cannot be used without specifying a trimming strategy
  XADD s LIMIT 0 1-1 f v             => -ERR syntax error, LIMIT cannot be used without the special ~ option
  XADD s MAXLEN -5 1-1 f v           => -ERR The MAXLEN argument must be >= 0.
  XADD s MAXLEN ~ 5 LIMIT -5 1-1 f v => -ERR The LIMIT argument must be >= 0.
  XADD s MAXLEN MAXLEN 5 1-1 f v     => -ERR value is not an integer or out of range
  XADD s MINID ~ 1-* 1-1 f v         => -ERR Invalid stream ID specified as stream command argument

  ## XSETID
  XSETID s 1-1                       => -ERR no such key
  XADD s 5-5 f v                     => 5-5
  XSETID s 4-4                       => -ERR The ID specified in XSETID is smaller than the target stream top item
  XSETID s 5-5                       => +OK
  XSETID s 9-9                       => +OK
  XADD s 9-9 f v                     => -ERR The ID specified in XADD is equal or smaller than the target stream top item
  XADD s 9-10 f v                    => 9-10
  XSETID s 10-0 ENTRIESADDED 7 MAXDELETEDID 3-3 => +OK
  XINFO STREAM s                     => {length :2 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 10-0 max-deleted-entry-id 3-3 entries-added :7 recorded-first-entry-id 5-5 groups :0 first-entry [5-5 [f v]] last-entry [9-10 [f v]]}
  XSETID s 10-0 ENTRIESADDED 1       => -ERR The entries_added specified in XSETID is smaller than the target stream length
  XSETID s 10-0 ENTRIESADDED -1      => -ERR entries_added must be positive
  XSETID s 10-0 ENTRIESADDED x       => -ERR value is not an integer or out of range
  XSETID s 10-0 MAXDELETEDID 11-0    => -ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id
  XSETID s 10-0 ENTRIESADDED         => -ERR syntax error
  XSETID s x                         => -ERR Invalid stream ID specified as stream command argument
  XSETID s 10-0 x y                  => -ERR syntax error
  XDEL s 9-10                        => :1
  XSETID s 9-9                       => -ERR The ID specified in XSETID is smaller than current max_deleted_entry_id  !7.2 7.0.15 gives +OK
  XSETID s 10-1 ENTRIESADDED 9223372036854775807 => +OK
  XADD s 10-2 f v                    => 10-2
  XINFO STREAM s                     => {length :2 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 10-2 max-deleted-entry-id 9-10 entries-added :-9223372036854775808 recorded-first-entry-id 5-5 groups :0 first-entry [5-5 [f v]] last-entry [10-2 [f v]]}

  ## XREAD
  XREAD STREAMS s 0                  => nil*
  XADD s 1-1 f 1                     => 1-1
  XADD s 1-2 f 2                     => 1-2
  XADD t 1-1 g 3                     => 1-1
  XREAD STREAMS s 0                  => [[s [[1-1 [f 1]] [1-2 [f 2]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]]]}
  XREAD COUNT 1 STREAMS s 0          => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  XREAD COUNT 0 STREAMS s 0          => [[s [[1-1 [f 1]] [1-2 [f 2]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]]]}
  XREAD COUNT -1 STREAMS s 0         => [[s [[1-1 [f 1]] [1-2 [f 2]]]]] | {s [[1-1 [f 1]] [1-2 [f 2]]]}
  XREAD STREAMS s t 1-1 0            => [[s [[1-2 [f 2]]]] [t [[1-1 [g 3]]]]] | {s [[1-2 [f 2]]] t [[1-1 [g 3]]]}
  XREAD STREAMS s t nokey 1-2 1 0    => [[t [[1-1 [g 3]]]]] | {t [[1-1 [g 3]]]}
  XREAD STREAMS s t $ $              => nil*
  XREAD STREAMS s 18446744073709551615-18446744073709551615 => nil*
  XREAD STREAMS s                    => -ERR wrong number of arguments for 'xread' command
  XREAD STREAMS s t 0                => -ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.  !7.2 7.0.15 gives -ERR Unbalanced XREAD list of streams: for each stream key and so on
  XREAD COUNT STREAMS s 0            => -ERR value is not an integer or out of range
  XREAD COUNT x STREAMS s 0          => -ERR value is not an integer or out of range
  XREAD BLOCK -1 STREAMS s 0         => -ERR timeout is negative
  XREAD BLOCK x STREAMS s 0          => -ERR timeout is not an integer or out of range
  XREAD STREAMS s >                  => -ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.
  XREAD STREAMS s -                  => -ERR Invalid stream ID specified as stream command argument
  XREAD NOACK STREAMS s 0            => -ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.
  XREAD GROUP g c STREAMS s 0        => -ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.
  XREAD s 0                          => -ERR wrong number of arguments for 'xread' command
  XREAD COUNT 1 s 0                  => -ERR syntax error
  XREAD streams s 0 count 1          => -ERR Invalid stream ID specified as stream command argument

  ## XINFO STREAM of a stream with one node and of one with many
  .config stream-node-max-entries 2
  XADD s 1-1 f v                     => 1-1
  XINFO STREAM s                     => {length :1 radix-tree-keys :1 radix-tree-nodes :2 last-generated-id 1-1 max-deleted-entry-id 0-0 entries-added :1 recorded-first-entry-id 1-1 groups :0 first-entry [1-1 [f v]] last-entry [1-1 [f v]]}
  .times 9 XADD s 1-* f v            => any
  XINFO STREAM s                     => {length :10 radix-tree-keys :5 radix-tree-nodes :7 last-generated-id 1-10 max-deleted-entry-id 0-0 entries-added :10 recorded-first-entry-id 1-1 groups :0 first-entry [1-1 [f v]] last-entry [1-10 [f v]]}
  XADD s 500-1 f v                   => 500-1
  XADD s 70000-1 f v                 => 70000-1
  XADD s 70000-2 f v                 => 70000-2
  XADD s 1700000000000-2 f v         => 1700000000000-2
  XADD s 1700000000001-2 f v         => 1700000000001-2
  XADD s 1700000000001-3 f v         => 1700000000001-3
  XINFO STREAM s                     => {length :16 radix-tree-keys :8 radix-tree-nodes :18 last-generated-id 1700000000001-3 max-deleted-entry-id 0-0 entries-added :16 recorded-first-entry-id 1-1 groups :0 first-entry [1-1 [f v]] last-entry [1700000000001-3 [f v]]}
  XINFO STREAM s FULL COUNT 2        => {length :16 radix-tree-keys :8 radix-tree-nodes :18 last-generated-id 1700000000001-3 max-deleted-entry-id 0-0 entries-added :16 recorded-first-entry-id 1-1 entries [[1-1 [f v]] [1-2 [f v]]] groups []}
  XINFO STREAM s full                => {length :16 radix-tree-keys :8 radix-tree-nodes :18 last-generated-id 1700000000001-3 max-deleted-entry-id 0-0 entries-added :16 recorded-first-entry-id 1-1 entries [[1-1 [f v]] [1-2 [f v]] [1-3 [f v]] [1-4 [f v]] [1-5 [f v]] [1-6 [f v]] [1-7 [f v]] [1-8 [f v]] [1-9 [f v]] [1-10 [f v]]] groups []}
  XINFO STREAM s FULL COUNT          => -ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.
  XINFO STREAM s FULL COUNT x        => -ERR value is not an integer or out of range
  XINFO STREAM s FULL LIMIT 1        => -ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.
  XINFO STREAM s COUNT 1             => -ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.
  XINFO STREAM nokey                 => -ERR no such key
  XINFO nosuch s                     => -ERR unknown subcommand 'nosuch'. Try XINFO HELP.
  XINFO STREAM                       => -ERR wrong number of arguments for 'xinfo|stream' command
  XINFO HELP                         => [+"XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"CONSUMERS <key> <groupname>" +"    Show consumers of <groupname>." +"GROUPS <key>" +"    Show the stream consumer groups." +"STREAM <key> [FULL [COUNT <count>]" +"    Show information about the stream." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"XINFO <subcommand> [<arg> [value] [opt] ...]. and so on

  ## what else may be done with a stream
  XADD s 1-1 f v                     => 1-1
  TYPE s                             => +stream
  OBJECT ENCODING s                  => stream
  COPY s t                           => :1
  XRANGE t - +                       => [[1-1 [f v]]]
  RENAME s u                         => +OK
  XADD u 1-2 f v                     => 1-2
  XLEN t                             => :1
  DEL u                              => :1
  XADD u 1-1 f v                     => 1-1
  EXPIRE u 100                       => :1
  PERSIST u                          => :1

  ## DEBUG DIGEST reads the entries
  XADD s 1-1 f v g w
  XADD s 18446744073709551615-2 f 10
  DEBUG DIGEST-VALUE s nokey
  XDEL s 1-1
  DEBUG DIGEST-VALUE s
  DEBUG DIGEST
`
