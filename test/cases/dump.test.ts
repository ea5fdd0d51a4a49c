import { cases } from '../support/cases.ts'

cases('dump and restore')`
  ## payloads of small values  !7.2 they have version 11 of the format
  CONFIG SET rdbcompression no       => +OK
  SET s hello                        => +OK
  DUMP s                             => "\x00\x05hello\x0b\x00\n\xadb\x05\x98\xab\xc9\x83"
  SET n 12345                        => +OK
  DUMP n                             => "\x00\xc190\x0b\x00\xf4KWTnc\xe10"
  DUMP nokey                         => nil
  CONFIG SET rdbcompression yes      => +OK

  ## a payload of redis-server  !7.2 it has version 11 of the format
  RESTORE s 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => +OK
  GET s                              => hello
  RESTORE s 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => -BUSYKEY Target key name already exists.
  RESTORE s 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => +OK
  RESTORE s abc "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => -ERR value is not an integer or out of range
  RESTORE s -1 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => -ERR Invalid TTL value, must be >= 0
  RESTORE s 0 "\x00\x05\x68\x65\x6c\x6c\x78\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => -ERR DUMP payload version or checksum are wrong
  RESTORE s 0 abc REPLACE            => -ERR DUMP payload version or checksum are wrong
  RESTORE s 0 "" FOO                 => -ERR syntax error
  RESTORE s 0 "" IDLETIME -1         => -ERR Invalid IDLETIME value, must be >= 0
  RESTORE s 0 "" IDLETIME abc        => -ERR value is not an integer or out of range
  RESTORE s 0 "" FREQ 256            => -ERR Invalid FREQ value, must be >= 0 and <= 255
  RESTORE s 0 "" FREQ 1 IDLETIME 1   => -ERR syntax error
  RESTORE s 100000 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => +OK
  PTTL s                             => :99000..100000
  RESTORE s 1000 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE ABSTTL => +OK
  EXISTS s                           => :0
  RESTORE s 0 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" IDLETIME 1000 => +OK
  OBJECT IDLETIME s                  => :1000..1001

  ## Times near the last moment  !7.2 the payload has the version of 7.2
  RESTORE s 9223372036854775807 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => +OK
  EXISTS s                           => :0
  RESTORE s 9223371000000000000 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => +OK
  EXISTS s                           => :0
  RESTORE s 9223370000000000000 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => +OK
  EXISTS s                           => :1
  RESTORE s 9223372036854775807 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE ABSTTL => +OK
  PEXPIRETIME s                      => :9223372036854775807
  RESTORE s 9223372036854775807 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" REPLACE => +OK
  EXISTS s                           => :0
  RESTORE s 9223372036854775808 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => -ERR value is not an integer or out of range
  RESTORE s -9223372036854775808 "\x00\x05\x68\x65\x6c\x6c\x6f\x0b\x00\x0a\xad\x62\x05\x98\xab\xc9\x83" => -ERR Invalid TTL value, must be >= 0
`
