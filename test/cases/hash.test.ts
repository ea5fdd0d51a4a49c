import { cases } from '../support/cases.ts'

cases('hash')`
  ## set and get
  HSET h a 1 b 2                     => :2
  HSET h a 3 c 4                     => :1
  HSET h a                           => -ERR wrong number of arguments for 'hset' command
  HSET h a 1 b                       => -ERR wrong number of arguments for 'hset' command
  HMSET h d 5 e 6                    => +OK
  HMSET h d                          => -ERR wrong number of arguments for 'hmset' command
  HSETNX h a 9                       => :0
  HSETNX h f 7                       => :1
  HGET h a                           => 3
  HGET h nope                        => nil
  HGET nokey a                       => nil
  HMGET h a nope c                   => [3 nil 4]
  HMGET nokey a b                    => [nil nil]
  HGETALL h                          => {a 3 b 2 c 4 d 5 e 6 f 7}
  HGETALL nokey                      => {}
  HKEYS h                            => [a b c d e f]
  HVALS h                            => [3 2 4 5 6 7]
  HKEYS nokey                        => []
  HLEN h                             => :6
  HLEN nokey                         => :0
  HSTRLEN h a                        => :1
  HSTRLEN h nope                     => :0
  HEXISTS h a                        => :1
  HEXISTS h nope                     => :0
  HDEL h a nope b                    => :2
  HDEL nokey a                       => :0
  HDEL h c d e f                     => :4
  EXISTS h                           => :0

  ## wrong type everywhere
  SET s v                            => +OK
  HSET s a 1                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  HSETNX s a 1                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  HGET s a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  HMGET s a                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  HGETALL s                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  HKEYS s                            => -WRONGTYPE Operation against a key holding the wrong kind of value
  HLEN s                             => -WRONGTYPE Operation against a key holding the wrong kind of value
  HSTRLEN s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  HEXISTS s a                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  HDEL s a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  HINCRBY s a 1                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  HINCRBYFLOAT s a 1                 => -WRONGTYPE Operation against a key holding the wrong kind of value
  HRANDFIELD s                       => -WRONGTYPE Operation against a key holding the wrong kind of value
  HRANDFIELD s 1                     => -WRONGTYPE Operation against a key holding the wrong kind of value
  HSCAN s 0                          => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## counters
  HINCRBY h n 5                      => :5
  HINCRBY h n -7                     => :-2
  HINCRBY h n abc                    => -ERR value is not an integer or out of range
  HINCRBY h n 9223372036854775807    => :9223372036854775805
  HINCRBY h n 9223372036854775807    => -ERR increment or decrement would overflow
  HSET h s abc f 1.5 sp " 1"         => :3
  HINCRBY h s 1                      => -ERR hash value is not an integer
  HINCRBY h f 1                      => -ERR hash value is not an integer
  HINCRBY h sp 1                     => -ERR hash value is not an integer
  HINCRBYFLOAT h f 0.1               => 1.6
  HINCRBYFLOAT h x 0.1               => 0.1
  HINCRBYFLOAT h x 0.2               => 0.3
  HINCRBYFLOAT h x abc               => -ERR value is not a valid float
  HINCRBYFLOAT h s 1                 => -ERR hash value is not a float
  HINCRBYFLOAT h x inf               => -ERR value is NaN or Infinity
  HINCRBYFLOAT h x nan               => -ERR value is not a valid float
  HINCRBYFLOAT h x 1e3               => 1000.29999999999999999
  HGET h x => 1000.29999999999999999

  ## HRANDFIELD
  HSET h a 1 b 2 c 3                 => :3
  HRANDFIELD h                       => oneof(a b c)
  HRANDFIELD nokey                   => nil
  HRANDFIELD nokey 2                 => []
  HRANDFIELD h 0                     => []
  HRANDFIELD h 10                    => @[a b c]
  HRANDFIELD h abc                   => -ERR value is not an integer or out of range
  HRANDFIELD h 1 VALUES              => -ERR syntax error
  HRANDFIELD h 1 WITHVALUES x        => -ERR syntax error
  HRANDFIELD h -9223372036854775808  => -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
  HRANDFIELD h -9223372036854775807 WITHVALUES => -ERR value is out of range
  HRANDFIELD h 10 WITHVALUES         => [a 1 b 2 c 3] | [[a 1] [b 2] [c 3]]
  DEL h                              => :1
  HSET h a 1                         => :1
  HRANDFIELD h -3 WITHVALUES         => [a 1 a 1 a 1] | [[a 1] [a 1] [a 1]]
  HRANDFIELD h 3 WITHVALUES          => [a 1] | [[a 1]]

  ## HSCAN of a small hash gives everything
  HSET h a 1 b 2 c 3                 => :3
  HSCAN h 0                          => [0 [a 1 b 2 c 3]]
  HSCAN h 0 MATCH a* COUNT 1         => [0 [a 1]]
  HSCAN h abc                        => -ERR invalid cursor
  HSCAN h 0 COUNT 0                  => -ERR syntax error
  HSCAN h 0 COUNT abc                => -ERR value is not an integer or out of range
  HSCAN h 0 FOO                      => -ERR syntax error
  HSCAN nokey 0 FOO                  => [0 []]
  HSCAN h 0 NOVALUES                 => [0 [a b c]]  !ours an option of 7.4

  ## encodings [resp2]
  .config hash-max-listpack-entries 3
  .config hash-max-listpack-value 10
  HSET h a 1 b 2 c 3                 => :3
  OBJECT ENCODING h                  => listpack
  HSET h d 4                         => :1
  OBJECT ENCODING h                  => hashtable
  HDEL h a b c                       => :3
  OBJECT ENCODING h                  => hashtable
  DEL h                              => :1
  HSET h a 12345678901               => :1
  OBJECT ENCODING h                  => hashtable
  DEL h                              => :1
  HSET h 12345678901 a               => :1
  OBJECT ENCODING h                  => hashtable
  DEL h                              => :1
  HSET h a 1 b 2 c 3 d 4             => :4
  OBJECT ENCODING h                  => hashtable
  DEL h                              => :1
  HSETNX h a 12345678901             => :1
  OBJECT ENCODING h                  => hashtable
  HGETALL h                          => [a 12345678901]
  DEL h                              => :1
  HINCRBYFLOAT h a 1234567890.5      => 1234567890.5
  OBJECT ENCODING h                  => hashtable
  .config hash-max-ziplist-entries 1
  CONFIG GET hash-max-listpack-entries => [hash-max-listpack-entries 1]
`
