/** Waiting for entries: order, wake-ups, and what ends the waiting. */
import { cases } from '../support/cases.ts'

cases('stream blocking')`
  ## XREAD waits for a stream that is not there yet
  b> XREAD BLOCK 0 STREAMS s $ => ...
  XADD s 1-1 f v
  b> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}
  b> XREAD BLOCK 0 STREAMS s 1-1 => ...
  XADD t 1-1 f v
  b> => quiet
  XADD s 1-2 f v
  b> => [[s [[1-2 [f v]]]]] | {s [[1-2 [f v]]]}

  ## $ is the last id of the moment the command came
  XADD s 5-5 f v
  b> XREAD BLOCK 0 STREAMS s t $ $ => ...
  XADD s 6-6 f 1
  b> => [[s [[6-6 [f 1]]]]] | {s [[6-6 [f 1]]]}

  ## every XREAD is served, group readers one by one
  XGROUP CREATE s g $ MKSTREAM
  b> XREAD BLOCK 0 STREAMS s $ => ...
  c> XREADGROUP GROUP g c1 BLOCK 0 STREAMS s > => ...
  d> XREADGROUP GROUP g c2 BLOCK 0 STREAMS s > => ...
  e> XREAD BLOCK 0 STREAMS s $ => ...
  XADD s 1-1 f 1
  b> => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  c> => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  e> => [[s [[1-1 [f 1]]]]] | {s [[1-1 [f 1]]]}
  d> => quiet
  XADD s 1-2 f 2
  d> => [[s [[1-2 [f 2]]]]] | {s [[1-2 [f 2]]]}
  XPENDING s g

  ## times out with a missing array
  b> XREAD BLOCK 10 STREAMS s $ => ...
  .wait 30
  b> => nil*
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 10 STREAMS s > => ...
  .wait 30
  b> => nil*

  ## a reader of history never waits
  XGROUP CREATE s g $ MKSTREAM
  XREADGROUP GROUP g c BLOCK 0 STREAMS s 0

  ## COUNT counts when it is woken
  XADD s 1-1 f 1
  b> XREAD COUNT 2 BLOCK 0 STREAMS s 1-1 => ...
  MULTI
  XADD s 1-2 f 2
  XADD s 1-3 f 3
  XADD s 1-4 f 4
  EXEC
  b> => [[s [[1-2 [f 2]] [1-3 [f 3]]]]] | {s [[1-2 [f 2]] [1-3 [f 3]]]}

  ## inside a transaction nothing waits
  MULTI
  XREAD BLOCK 0 STREAMS s $
  XADD s 1-1 f v
  EXEC

  ## a destroyed group  !7.2 older ones answer differently
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  XGROUP DESTROY s g
  b> => -NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option

  ## a deleted key  !7.2 older ones answer differently
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  c> XREAD BLOCK 0 STREAMS s $ => ...
  DEL s
  b> => -NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option
  c> => quiet
  XADD s 1-1 f v
  c> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}

  ## a key of another type  !7.2 older ones answer differently
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  c> XREAD BLOCK 0 STREAMS s $ => ...
  SET s v
  b> => -WRONGTYPE Operation against a key holding the wrong kind of value
  c> => quiet
  DEL s
  XADD s 1-1 f v
  c> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}

  ## all keys deleted  !7.2 older ones answer differently
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  FLUSHALL
  b> => -NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option

  ## a deletion that a transaction undoes
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  MULTI
  DEL s
  XGROUP CREATE s g $ MKSTREAM
  EXEC
  b> => quiet
  XADD s 1-1 f v
  b> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}

  ## RENAME and COPY bring what is waited for
  XADD t 1-1 f v
  b> XREAD BLOCK 0 STREAMS s 0 => ...
  RENAME t s
  b> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}
  b> XREAD BLOCK 0 STREAMS u 0 => ...
  COPY s u
  b> => [[u [[1-1 [f v]]]]] | {u [[1-1 [f v]]]}

  ## who hangs up is not served
  XGROUP CREATE s g $ MKSTREAM
  b> XREADGROUP GROUP g gone BLOCK 0 STREAMS s > => ...
  c> XREADGROUP GROUP g c BLOCK 0 STREAMS s > => ...
  b> .close
  .wait 20
  XADD s 1-1 f v
  c> => [[s [[1-1 [f v]]]]] | {s [[1-1 [f v]]]}
  XPENDING s g

  ## an entry added and trimmed away at once wakes nobody  !7.2 older ones answer differently
  b> XREAD BLOCK 0 STREAMS s $ => ...
  XADD s MAXLEN 0 1-1 f v
  b> => quiet
  XADD s 1-2 f v
  b> => [[s [[1-2 [f v]]]]] | {s [[1-2 [f v]]]}
`
