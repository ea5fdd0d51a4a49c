/** Numbers at the ends of their range, and empty ones. */
import { cases } from '../support/cases.ts'

cases('extremes')`
  ## counts so negative that twice them is no int64 are refused at once
  HSET h f v                                             => :1
  HRANDFIELD h -4611686018427387904 WITHVALUES           => -ERR value is out of range
  ZADD z 1 m                                             => :1
  ZRANDMEMBER z -4611686018427387904 WITHSCORES          => -ERR value is out of range
  SRANDMEMBER none -4611686018427387904                  => []

  ## seconds whose milliseconds are no int64
  SET k v                                                => +OK
  EXPIRE k -9223372036854776                             => -ERR invalid expire time in 'expire' command
  EXPIRE k 9223372036854776                              => -ERR invalid expire time in 'expire' command
  TTL k                                                  => :-1

  ## the last moment there is
  SET k v PXAT 9223372036854775807                       => +OK
  PEXPIRETIME k                                          => :9223372036854775807
  GETEX k PXAT 9223372036854775807                       => v
  SET k v EXAT 9223372036854775807                       => -ERR invalid expire time in 'set' command
  SET k v PX 9223372036854775807                         => -ERR invalid expire time in 'set' command
  GET k                                                  => v

  ## a timeout that ends after the last moment
  BLPOP l 9223372036854775                               => -ERR timeout is out of range   !7.2 it overflowed
  BLPOP l 1e300                                          => -ERR timeout is out of range
  b> BLPOP l 9223300000000000                            => ...
  b>                                                     => quiet

  ## an empty cursor is zero
  SCAN ""                                                => ["0" []]
  HSCAN none ""                                          => ["0" []]
  SCAN " 0"                                              => -ERR invalid cursor

  ## scripts write integers of 64 bits
  EVAL "return string.format('%d|%i|%5d|%-20d|%020d|%+d|% d', 2^31, 1700000000000, 3, 1700000000000, -1700000000000, 2^40, 2^40)" 0 => "2147483648|1700000000000|    3|1700000000000       |-0000001700000000000|+1099511627776| 1099511627776"
  EVAL "return string.format('%x|%X|%o|%u|%#x|%#X|%#o|%x', 2^40+10, 2^40+10, 2^33, -1, 2^40, 2^41, 2^42, -1)" 0 => "1000000000a|1000000000A|100000000000|18446744073709551615|0x10000000000|0X20000000000|0100000000000000|ffffffffffffffff"
  EVAL "return string.format('%d|%d|%x|%u|%d', 1e300, -1e300, 1e300, 2^63, 0/0)" 0 => "-9223372036854775808|-9223372036854775808|0|9223372036854775808|-9223372036854775808"
  EVAL "return string.format('%.15d|%20.15d|%-20.15d|%.3d|%5.0d|', 2^31, 2^33, 2^34, -2^31, -2^40)" 0 => "000002147483648|     000008589934592|000017179869184     |-2147483648|-1099511627776|"
  EVAL "return string.format('%s %d %% %q %s', 2^40, '1099511627776', 'a', -3.5)" 0 => "1099511627776 1099511627776 % \"a\" -3.5"
  EVAL "return ('%d%5.1f%c%d'):format(-1, 2^40, 65, -2^31 - 1)" 0 => "-11099511627776.0A-2147483649"
  EVAL "return string.format('%d %d', 2^40)" 0 => -ERR user_script:1: bad argument #3 to 'format' (no value) script: 85d411253bbf1934ead1a940703046e5372b7db5, on @user_script:1.
  EVAL "return string.format('%d %123d', 2^40, 1)" 0 => -ERR user_script:1: invalid format (width or precision too long) script: ed9c1017797aed3120fe0d121d536902db324c36, on @user_script:1.
  EVAL "return string.format('%d %y', 2^40, 1)" 0 => -ERR user_script:1: invalid option '%y' to 'format' script: 8d5cb6d41c19126226c41d7f6f6ab19f739464b4, on @user_script:1.
  EVAL "return string.format('%d %s', 2^40, {} ~= nil)" 0 => -ERR user_script:1: bad argument #3 to 'format' (string expected, got boolean) script: d9fa106d28dfaa519da3fb3c30970403b72685a8, on @user_script:1.
  EVAL "return string.format(2^40, 2^40)" 0 => 1099511627776
  EVAL "return {tonumber('ffffffffff', 16), tonumber('-1', 16), tonumber('0x1ffffffff', 16), tonumber('zzzzzzz', 36), tonumber('12g', 16)}" 0 => [:1099511627775 :-9223372036854775808 :8589934591 :78364164095]
  EVAL "return {tonumber('111111111111111111111111111111111', 2), tonumber('99999999999999999999', 9), tonumber(' 7fffffff ', 16), tonumber(77777777777, 8)}" 0 => [:8589934591]
  EVAL "return {tonumber('ffffffffffffffffff', 16), tonumber('-ffffffffffffffffff', 16), tonumber('', 16), tonumber('1e3', 10), tonumber('0x', 16)}" 0 => [:-9223372036854775808 :-9223372036854775808]
`
