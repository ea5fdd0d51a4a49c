import { anyOrder, differential } from '../support/differential.ts'
import type { Reply } from '../support/resp.ts'

differential('set', {
  pools: {
    member: ['a', 'b', 'c', '1', '2', '3', '-5', '70000', '5000000000', '9223372036854775807', '01', '', 'x'.repeat(70)],
    count: '0 1 2 3 10 -1 -2 abc',
    limit: '0 1 2 -1 abc',
  },
  setup: [
    ['CONFIG', 'SET', 'set-max-intset-entries', '5'],
    ['CONFIG', 'SET', 'set-max-listpack-entries', '7'],
  ],
  commands: `
    6 SADD {key} ({member})+
    2 SREM {key} ({member})+
    SCARD {key}
    2 SISMEMBER {key} {member}
    SMISMEMBER {key} ({member})+
    3 SMEMBERS {key}
    2 SMOVE {key} {key} {member}
    SSCAN {key} 0 [MATCH {pattern}] COUNT 1000
    2 SINTER ({key})+
    2 SUNION ({key})+
    2 SDIFF ({key})+
    2 SINTERSTORE {key} ({key})+
    2 SUNIONSTORE {key} ({key})+
    2 SDIFFSTORE {key} ({key})+
    2 SINTERCARD 2 {key} {key} [LIMIT {limit}]
    SINTERCARD {limit} {key}
    SRANDMEMBER {key} [{count}]
    SRANDMEMBER {key} 100
    SORT {key} ALPHA [LIMIT {count} {count}] [DESC]
    SORT {key} BY nosort STORE {key}
    2 OBJECT ENCODING {key}
    SET {key} {member}
    DEL {key}
    COPY {key} {key} REPLACE
  `,
  compare: [
    [/^SSCAN /i, scanned, 'the order of a hash table is not defined'],
    [/^SRANDMEMBER \S+ 100/i, anyOrder, 'the order of a hash table is not defined'],
    [/^SRANDMEMBER /i, sameShape, 'members are drawn at random'],
  ],
  since72: [[/^OBJECT ENCODING/i, 'small sets of other members than integers are listpacks since 7.2']],
})

function scanned(a: Reply, b: Reply, command: readonly string[]): boolean {
  if (command[2] !== '0' || command.at(-1) !== '1000') return a.type === b.type
  if (!('items' in a) || !('items' in b)) return JSON.stringify(a) === JSON.stringify(b)
  return a.items.length === b.items.length && anyOrder(a.items[1], b.items[1], command)
}

function sameShape(a: Reply, b: Reply): boolean {
  return a.type === b.type && ('items' in a && 'items' in b ? a.items.length === b.items.length : true)
}
