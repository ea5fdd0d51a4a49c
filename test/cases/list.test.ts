import { cases } from '../support/cases.ts'

cases('list')`
  ## push, length, index, range
  RPUSH l a b c                      => :3
  LPUSH l 1 2                        => :5
  LPUSHX l 0                         => :6
  RPUSHX nokey x                     => :0
  LPUSHX nokey x                     => :0
  LLEN l                             => :6
  LLEN nokey                         => :0
  LRANGE l 0 -1                      => [0 2 1 a b c]
  LRANGE l -2 100                    => [b c]
  LRANGE l 3 1                       => []
  LRANGE nokey 0 -1                  => []
  LRANGE nokey a 1                   => -ERR value is not an integer or out of range
  LINDEX l 0                         => 0
  LINDEX l -1                        => c
  LINDEX l 9                         => nil
  LINDEX nokey abc                   => nil
  LINDEX l abc                       => -ERR value is not an integer or out of range

  ## wrong type everywhere
  SET s v                            => +OK
  LPUSH s a                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  RPUSHX s a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  LPOP s                             => -WRONGTYPE Operation against a key holding the wrong kind of value
  LPOP s 2                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  LLEN s                             => -WRONGTYPE Operation against a key holding the wrong kind of value
  LINDEX s 0                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  LRANGE s 0 -1                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  LSET s 0 a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  LINSERT s BEFORE a b               => -WRONGTYPE Operation against a key holding the wrong kind of value
  LREM s 0 a                         => -WRONGTYPE Operation against a key holding the wrong kind of value
  LTRIM s 0 1                        => -WRONGTYPE Operation against a key holding the wrong kind of value
  LPOS s a                           => -WRONGTYPE Operation against a key holding the wrong kind of value
  LMOVE s l LEFT RIGHT               => -WRONGTYPE Operation against a key holding the wrong kind of value
  RPUSH l a                          => :1
  LMOVE l s LEFT RIGHT               => -WRONGTYPE Operation against a key holding the wrong kind of value
  LRANGE l 0 -1                      => [a]
  RPOPLPUSH l s                      => -WRONGTYPE Operation against a key holding the wrong kind of value
  LMPOP 2 nokey s LEFT               => -WRONGTYPE Operation against a key holding the wrong kind of value
  BLPOP s 0                          => -WRONGTYPE Operation against a key holding the wrong kind of value
  BLMOVE s l LEFT LEFT 0             => -WRONGTYPE Operation against a key holding the wrong kind of value
  BRPOPLPUSH l s 0                   => -WRONGTYPE Operation against a key holding the wrong kind of value
  BLMPOP 0 1 s LEFT                  => -WRONGTYPE Operation against a key holding the wrong kind of value

  ## pops and their counts
  RPUSH l a b c d e f                => :6
  LPOP l                             => a
  RPOP l 2                           => [f e]
  LPOP l 0                           => []
  LPOP nokey                         => nil
  LPOP nokey 1                       => nil*
  LPOP nokey 0                       => nil*
  LPOP l -1                          => -ERR value is out of range, must be positive
  LPOP l abc                         => -ERR value is out of range, must be positive
  LPOP l 1 2                         => -ERR wrong number of arguments for 'lpop' command
  RPOP l 1 2                         => -ERR wrong number of arguments for 'rpop' command
  LPOP l 100                         => [b c d]
  EXISTS l                           => :0

  ## LSET and LINSERT
  LSET nokey 0 a                     => -ERR no such key
  RPUSH l a b c                      => :3
  LSET l 0 x                         => +OK
  LSET l -1 z                        => +OK
  LSET l 3 y                         => -ERR index out of range
  LSET l -4 y                        => -ERR index out of range
  LSET l abc y                       => -ERR value is not an integer or out of range
  LINSERT l BEFORE b 1               => :4
  LINSERT l after b 2                => :5
  LINSERT l BEFORE nope 3            => :-1
  LINSERT nokey BEFORE a b           => :0
  LINSERT nokey NEAR a b             => -ERR syntax error
  LRANGE l 0 -1                      => [x 1 b 2 z]

  ## LREM and LTRIM
  RPUSH l a b a c a d a              => :7
  LREM l 1 a                         => :1
  LREM l -1 a                        => :1
  LRANGE l 0 -1                      => [b a c a d]
  LREM l 0 a                         => :2
  LREM l 0 zz                        => :0
  LREM nokey 0 a                     => :0
  LREM l abc a                       => -ERR value is not an integer or out of range
  LRANGE l 0 -1                      => [b c d]
  LTRIM l 1 -1                       => +OK
  LRANGE l 0 -1                      => [c d]
  LTRIM l 5 10                       => +OK
  EXISTS l                           => :0
  LTRIM nokey 0 1                    => +OK
  LTRIM nokey a 1                    => -ERR value is not an integer or out of range

  ## LPOS
  RPUSH l a b c 1 2 3 c c            => :8
  LPOS l c                           => :2
  LPOS l c RANK 2                    => :6
  LPOS l c RANK -1                   => :7
  LPOS l c RANK -2                   => :6
  LPOS l c COUNT 0                   => [:2 :6 :7]
  LPOS l c COUNT 2                   => [:2 :6]
  LPOS l c RANK -1 COUNT 2           => [:7 :6]
  LPOS l c COUNT 0 MAXLEN 3          => [:2]
  LPOS l c RANK -1 MAXLEN 1          => :7
  LPOS l zz                          => nil
  LPOS l zz COUNT 1                  => []
  LPOS nokey c                       => nil
  LPOS nokey c COUNT 1               => []
  LPOS l c RANK 0                    => -ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list
  LPOS l c COUNT -1                  => -ERR COUNT can't be negative
  LPOS l c MAXLEN -1                 => -ERR MAXLEN can't be negative
  LPOS l c RANK abc                  => -ERR value is not an integer or out of range
  LPOS l c COUNT abc                 => -ERR COUNT can't be negative
  LPOS l c NEAR 1                    => -ERR syntax error
  LPOS l c RANK                      => -ERR syntax error

  ## LMOVE and RPOPLPUSH
  RPUSH l a b c                      => :3
  LMOVE l m LEFT RIGHT               => a
  LMOVE l m RIGHT LEFT               => c
  LMOVE l l LEFT RIGHT               => b
  RPOPLPUSH m m                      => a
  LMOVE nokey m LEFT LEFT            => nil
  RPOPLPUSH nokey m                  => nil
  LMOVE l m UP DOWN                  => -ERR syntax error
  LMOVE l m LEFT DOWN                => -ERR syntax error
  LRANGE l 0 -1                      => [b]
  LRANGE m 0 -1                      => [a c]
  RPOPLPUSH l m                      => b
  EXISTS l                           => :0

  ## LMPOP
  RPUSH l a b c d                    => :4
  LMPOP 1 l LEFT                     => [l [a]]
  LMPOP 2 nokey l RIGHT COUNT 2      => [l [d c]]
  LMPOP 1 nokey LEFT                 => nil*
  LMPOP 1 l LEFT COUNT 10            => [l [b]]
  LMPOP 0 l LEFT                     => -ERR numkeys should be greater than 0
  LMPOP abc l LEFT                   => -ERR numkeys should be greater than 0
  LMPOP 1 l UP                       => -ERR syntax error
  LMPOP 1 l                          => -ERR wrong number of arguments for 'lmpop' command
  LMPOP 2 l LEFT                     => -ERR syntax error
  LMPOP 1 l LEFT COUNT 0             => -ERR count should be greater than 0
  LMPOP 1 l LEFT COUNT               => -ERR syntax error
  LMPOP 1 l LEFT COUNT 1 COUNT 2     => -ERR syntax error
  LMPOP 1 l LEFT FOO 1               => -ERR syntax error

  ## encodings [resp2]
  .config list-max-listpack-size 4
  RPUSH l a b c d                    => :4
  OBJECT ENCODING l                      !7.2 small lists are listpacks
  RPUSH l e                          => :5
  OBJECT ENCODING l                  => quicklist
  LPOP l 2                           => [a b]
  OBJECT ENCODING l                  => quicklist
  LPOP l                             => c
  OBJECT ENCODING l                      !7.2 and become listpacks again
  LSET l 0 ${'x'.repeat(9000)}
  OBJECT ENCODING l                  => quicklist
  LRANGE l 1 1                       => [e]
  COPY l m                           => :1
  OBJECT ENCODING m                  => quicklist
  LLEN m                             => :2

  ## encodings by size [resp2]
  .config list-max-listpack-size -1
  RPUSH l ${'x'.repeat(2000)} ${'y'.repeat(2000)}
  OBJECT ENCODING l                      !7.2 small lists are listpacks
  RPUSH l ${'z'.repeat(200)}
  OBJECT ENCODING l                  => quicklist
  LLEN l                             => :3
  RPOP l                             => zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz
  OBJECT ENCODING l                  => quicklist
  RPOP l                             => yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy
  OBJECT ENCODING l                      !7.2 and become listpacks again

  ## compressed nodes are read and changed alike [resp2]
  .config list-max-listpack-size 3
  .config list-compress-depth 1
  RPUSH l ${Array.from({ length: 30 }, (_, i) => `item-${i}-${'ab'.repeat(40)}`).join(' ')}
  LINDEX l 15                        => item-15-abababababababababababababababababababababababababababababababababababababababab
  LSET l 15 changed                  => +OK
  LINSERT l AFTER changed inserted   => :31
  LRANGE l 14 17                     => [item-14-abababababababababababababababababababababababababababababababababababababababab changed inserted item-16-abababababababababababababababababababababababababababababababababababababababab]
  LREM l 1 changed                   => :1
  LLEN l                             => :30
  LTRIM l 10 20                      => +OK
  LRANGE l 0 -1                      => [item-10-abababababababababababababababababababababababababababababababababababababababab item-11-abababababababababababababababababababababababababababababababababababababababab item-12-abababababababababababababababababababababababababababababababababababababababab item-13-abababababababababababababababababababababababababababababababababababababababab item-14-abababababababababababababababababababababababababababababababababababababababab inserted item-16-abababababababababababababababababababababababababababababababababababababababab item-17-abababababababababababababababababababababababababababababababababababababababab item-18-abababababababababababababababababababababababababababababababababababababababab item-19-abababababababababababababababababababababababababababababababababababababababab item-20-abababababababababababababababababababababababababababababababababababababababab]
`
