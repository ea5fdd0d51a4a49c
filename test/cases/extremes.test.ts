/** Numbers at the ends of their range, and empty ones. */
import { cases } from '../support/cases.ts'

cases('extremes')`
  ## counts so negative that twice them is no int64 are refused at once
  HSET h f v                                             => :1
  HRANDFIELD h -4611686018427387904 WITHVALUES           => -ERR value is out of range
  ZADD z 1 m                                             => :1
  ZRANDMEMBER z -4611686018427387904 WITHSCORES          => -ERR value is out of range
  SRANDMEMBER none -4611686018427387904                  => []

  ## the last moment there is
  SET k v PXAT 9223372036854775807                       => +OK
  PEXPIRETIME k                                          => :9223372036854775807
  GETEX k PXAT 9223372036854775807                       => v
  SET k v EXAT 9223372036854775807                       => -ERR invalid expire time in 'set' command
  SET k v PX 9223372036854775807                         => -ERR invalid expire time in 'set' command
  GET k                                                  => v

  ## an empty cursor is zero
  SCAN ""                                                => ["0" []]
  HSCAN none ""                                          => ["0" []]
  SCAN " 0"                                              => -ERR invalid cursor
`
