import { differential } from '../support/differential.ts'

const elements = ['a', 'b', 'c', '1', '2', '-70000', '9223372036854775807', '', 'x'.repeat(70), 'y'.repeat(5000), '\xff\x00']
const setup = [
  ['CONFIG', 'SET', 'list-max-listpack-size', '4'],
  ['CONFIG', 'SET', 'list-compress-depth', '1'],
]

differential('list', {
  pools: {
    element: elements,
    count: '0 1 2 3 -1 -2 10 abc 9223372036854775807 -9223372036854775808',
    place: '0 1 -1 -2 5 abc',
    side: 'LEFT RIGHT left right up',
    rank: '1 2 -1 -2 0 abc -9223372036854775808',
    keys: ['1 k1', '2 k1 k2', '3 k3 k2 k1', '0 k1', '2 k1', 'abc k1'],
    timeout: '0.01 abc -1',
  },
  setup,
  commands: `
    4 RPUSH {key} ({element})+
    4 LPUSH {key} ({element})+
    LPUSHX {key} {element} [{element}]
    RPUSHX {key} {element}
    2 LPOP {key} [{count}]
    2 RPOP {key} [{count}]
    3 LRANGE {key} {index} {index}
    2 LINDEX {key} {index}
    LLEN {key}
    2 LSET {key} {place} {element}
    3 LINSERT {key} BEFORE {element} {element}
    3 LINSERT {key} AFTER {element} {element}
    2 LREM {key} {count} {element}
    LTRIM {key} {index} {index}
    3 LPOS {key} {element} [RANK {rank}] [COUNT {count}] [MAXLEN {count}]
    2 LMOVE {key} {key} {side} {side}
    RPOPLPUSH {key} {key}
    LMPOP 2 {key} {key} {side} [COUNT {count}]
    BLPOP {key} {key} {timeout}
    BRPOPLPUSH {key} {key} {timeout}
    BLMOVE {key} {key} {side} {side} {timeout}
    SORT {key} [LIMIT {index} {count}] [DESC] ALPHA
    SORT {key} ALPHA STORE {key}
    2 OBJECT ENCODING {key}
    SET {key} {element}
    DEL {key}
    TYPE {key}
    RENAME {key} {key}
    COPY {key} {key} REPLACE
  `,
  since72: [
    [/^OBJECT ENCODING/i, 'small lists are listpacks since 7.2'],
    [/^LPOS .*RANK -9223372036854775808/i, 'a rank without an opposite is refused since 7.2'],
  ],
})
