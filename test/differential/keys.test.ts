import { differential } from '../support/differential.ts'
import type { Reply } from '../support/resp.ts'

differential('keys', {
  pools: {
    ms: '100000 200000 5000000 -1 0 abc',
    at: '9999999999 9999999998 1 -1 abc 9223372036854775807',
    atMs: '9999999999000 9999999998000 1 -1 abc',
    db: '0 1 2 15 16 -1 abc',
    word: ['a', 'b', 'hello', ''],
  },
  commands: `
    6 SET {key} {value} [EX {seconds}|PX {ms}]
    2 GET {key}
    2 DEL ({key})+
    UNLINK ({key})+
    2 EXISTS ({key})+
    TOUCH ({key})+
    2 TYPE {key}
    2 KEYS {pattern}
    DBSIZE
    2 RENAME {key} {key}
    RENAMENX {key} {key}
    2 COPY {key} {key} [DB {db}] [REPLACE]
    MOVE {key} {db}
    SWAPDB {db} {db}
    SELECT {db}
    3 EXPIRE {key} {seconds} [NX|XX|GT|LT] [NX|XX|GT|LT]
    PEXPIRE {key} {ms} [NX|XX|GT|LT]
    EXPIREAT {key} {at} [NX|XX|GT|LT]
    PEXPIREAT {key} {atMs} [NX|XX|GT|LT]
    TTL {key}
    PTTL {key}
    EXPIRETIME {key}
    PEXPIRETIME {key}
    PERSIST {key}
    OBJECT ENCODING {key}
    OBJECT REFCOUNT {key}
    APPEND {key} {word}
    SCAN 0 COUNT 1000 [MATCH {pattern}|TYPE string|TYPE list]
    FLUSHDB [ASYNC|SYNC]
    PING [{word}]
    ECHO {word}
  `,
  compare: [
    [/^SCAN /i, (a, b) => JSON.stringify(scanned(a)) === JSON.stringify(scanned(b)), 'the order of a hash table is not defined'],
    [/^OBJECT REFCOUNT /i, (a, b) => a.type === b.type, 'small integers are shared there'],
  ],
})

function scanned(reply: Reply): unknown {
  if (!('items' in reply)) return reply
  const [cursor, keys] = reply.items
  return [cursor, 'items' in keys ? keys.items.map((k) => ('text' in k ? k.text : '')).toSorted() : keys]
}
