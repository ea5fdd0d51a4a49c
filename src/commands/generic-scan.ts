/** Walking the keyspace: KEYS and SCAN. */
import type { Client } from '../engine/client.ts'
import { type Ref, segmentOf } from '../memory/ref.ts'
import { dictBucket, dictBuckets, dictScan, visited } from '../structs/dict.ts'
import { keyLength, keyStart, typeOf } from '../structs/entry.ts'
import { TYPES } from '../types/registry.ts'
import { cursorArg, matches, type ScanOptions, scanOptions } from './scan-options.ts'

const ALL_KEYS: ScanOptions = { count: 0, pattern: 1, type: '', noValues: false }

function isExpired(c: Client, entry: Ref): boolean {
  const at = c.db.expiryOf(entry)
  return at >= 0 && c.engine.space.nowMs >= at
}

function replyKey(c: Client, entry: Ref): void {
  c.reply.bulk(c.mem.u8[segmentOf(entry)], keyStart(c.mem, entry), keyLength(c.mem, entry))
}

function keyMatches(c: Client, options: ScanOptions, entry: Ref): boolean {
  return matches(c, options, c.mem.u8[segmentOf(entry)], keyStart(c.mem, entry), keyLength(c.mem, entry))
}

export function keysMatching(c: Client): void {
  const { mem, db, reply } = c
  const start = reply.defer()
  let found = 0
  const buckets = dictBuckets(mem, db.keys)
  for (let position = 0; position < buckets && !reply.overflowed; position++) {
    dictBucket(mem, db.keys, position)
    for (const entry of visited) {
      if (isExpired(c, entry) || !keyMatches(c, ALL_KEYS, entry)) continue
      replyKey(c, entry)
      found++
    }
  }
  reply.endArray(start, found)
}

export function scan(c: Client): void {
  const { mem, db, reply } = c
  let cursor = cursorArg(c, 1)
  if (Number.isNaN(cursor)) return
  const options = scanOptions(c, 2, 'type')
  if (options === null) return
  const found: Ref[] = []
  let steps = options.count * 10
  do {
    cursor = dictScan(mem, db.keys, cursor)
    for (const entry of visited) found.push(entry)
  } while (cursor !== 0 && steps-- > 0 && found.length < options.count)
  reply.array(2)
  reply.text(String(cursor))
  const start = reply.defer()
  const expired: Ref[] = []
  let shown = 0
  for (const entry of found) {
    if (!keyMatches(c, options, entry)) continue
    if (isExpired(c, entry)) expired.push(entry)
    else if (options.type === '' || TYPES[typeOf(mem, entry)].name.toLowerCase() === options.type) {
      replyKey(c, entry)
      shown++
    }
  }
  reply.endArray(start, shown)
  for (const entry of expired) db.expire(entry)
}
