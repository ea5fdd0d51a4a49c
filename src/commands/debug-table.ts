/** DEBUG HTSTATS: the shape of a hash table: how full its buckets are. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NO_SUCH_KEY } from '../resp/errors.ts'
import { dictBucket, dictBuckets, dictIsRehashing, dictSize, visited } from '../structs/dict.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import { fieldsOf } from '../types/hash.ts'
import { HASH, HASHTABLE, SKIPLIST } from '../types/object.ts'
import { largeDict } from '../types/zset-large.ts'
import { bytesOf } from '../util/bytes.ts'

export function debugTable(c: Client): void {
  const id = intArg(c, 2)
  if (Number.isNaN(id)) return
  const db = c.engine.space.dbs[id]
  if (db === undefined) return c.reply.error('ERR Out of range database')
  answer(c, `[Dictionary HT]\n${describe(c.mem, db.keys)}[Expires HT]\n${describe(c.mem, db.expires)}`)
}

export function debugTableOfKey(c: Client): void {
  const entry = c.db.peek(c.argv, 2)
  if (entry === NULL_REF) return c.reply.error(NO_SUCH_KEY)
  const table = tableOf(c.mem, entry)
  if (table === NULL_REF) return c.reply.error('ERR The value stored at the specified key is not represented using an hash table')
  answer(c, describe(c.mem, table))
}

function tableOf(mem: Arena, entry: Ref): Ref {
  const encoding = encodingOf(mem, entry)
  if (encoding === SKIPLIST) return largeDict(mem, valueRef(mem, entry))
  if (encoding !== HASHTABLE) return NULL_REF
  return typeOf(mem, entry) === HASH ? fieldsOf(mem, entry) : valueRef(mem, entry)
}

function describe(mem: Arena, dict: Ref): string {
  const size = dictSize(mem, dict)
  if (size === 0) return 'Hash table 0 stats (main hash table):\nNo stats available for empty dictionaries\n'
  const buckets = dictBuckets(mem, dict)
  const byFill = new Map<number, number>()
  for (let position = 0; position < buckets; position++) {
    dictBucket(mem, dict, position)
    byFill.set(visited.length, (byFill.get(visited.length) ?? 0) + 1)
  }
  const used = buckets - (byFill.get(0) ?? 0)
  const lines = [
    'Hash table 0 stats (main hash table):',
    ` table size: ${buckets}`,
    ` number of elements: ${size}`,
    ` different slots: ${used}`,
    ` max chain length: ${Math.max(...byFill.keys())}`,
    ` avg chain length (counted): ${(size / used).toFixed(2)}`,
    ...(dictIsRehashing(mem, dict) ? [' being resized'] : []),
    ' Chain length distribution:',
    ...[...byFill].toSorted(([a], [b]) => a - b).map(([fill, count]) => `   ${fill}: ${count} (${((count * 100) / buckets).toFixed(2)}%)`),
  ]
  return `${lines.join('\n')}\n`
}

function answer(c: Client, text: string): void {
  const bytes = bytesOf(text)
  c.reply.verbatim('txt', bytes, 0, bytes.length)
}
