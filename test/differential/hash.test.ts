import { type Same, differential, pairsInAnyOrder } from '../support/differential.ts'
import type { Reply } from '../support/resp.ts'

differential('hash', {
  pools: {
    value: ['a', 'bb', '', '10', '-7', '3.25', '\xff\x00\r\n', 'x'.repeat(100), '9223372036854775807', 'nan', ' 1', '1e400'],
    count: '0 1 2 3 10 abc',
    withvalues: 'WITHVALUES WITHVALUE',
  },
  setup: [['CONFIG', 'SET', 'hash-max-listpack-entries', '4']],
  commands: `
    5 HSET {key} ({field} {value})+
    HSET {key} {field}
    HMSET {key} ({field} {value})+
    2 HSETNX {key} {field} {value}
    3 HGET {key} {field}
    2 HMGET {key} ({field})+
    2 HGETALL {key}
    HKEYS {key}
    HVALS {key}
    HLEN {key}
    HSTRLEN {key} {field}
    HEXISTS {key} {field}
    2 HDEL {key} ({field})+
    2 HINCRBY {key} {field} {int}
    2 HINCRBYFLOAT {key} {field} {float}
    HSCAN {key} 0 [MATCH {pattern}] COUNT 1000
    HRANDFIELD {key} 100
    HRANDFIELD {key} {count} {withvalues}
    2 OBJECT ENCODING {key}
    SET {key} {value}
    DEL {key}
    RENAME {key} {key}
    COPY {key} {key} REPLACE
  `,
  compare: [
    [/^HSCAN /i, scanned, 'the order of a hash table is not defined'],
    [/^HRANDFIELD \S+ 100/i, pairsOrFields, 'the order of a hash table is not defined'],
    [/^HRANDFIELD /i, sameShape, 'fields are drawn at random'],
  ],
})

function scanned(a: Reply, b: Reply, command: readonly string[]): boolean {
  if (command[2] !== '0' || command.at(-1) !== '1000') return a.type === b.type
  if (!('items' in a) || !('items' in b)) return JSON.stringify(a) === JSON.stringify(b)
  return a.items.length === b.items.length && pairsInAnyOrder(a.items[1], b.items[1], command)
}

function pairsOrFields(a: Reply, b: Reply, command: readonly string[]): boolean {
  const lists: Same = (x, y) => JSON.stringify(sorted(x)) === JSON.stringify(sorted(y))
  return lists(a, b, command)
}

function sorted(reply: Reply): unknown {
  return 'items' in reply ? reply.items.map((item) => JSON.stringify(item)).toSorted() : reply
}

function sameShape(a: Reply, b: Reply): boolean {
  return a.type === b.type && ('items' in a && 'items' in b ? a.items.length === b.items.length : true)
}
