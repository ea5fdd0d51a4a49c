/**
 * digest: a fingerprint of a value or of the whole data set, the same on every server with the same data: DEBUG DIGEST.
 *
 *   xor(d, x)  is  d ^ SHA1(x)                    for what has no order
 *   mix(d, x)  is  SHA1(d ^ SHA1(x))              for what has one
 *
 * A key's digest mixes its name, its type number and its value; fields, members and scores are mixed for themselves and then xored in.
 */
import { createHash } from 'node:crypto'
import type { Arena } from '../memory/arena.ts'
import { type Ref, segmentOf } from '../memory/ref.ts'
import { dictBucket, dictBuckets, visited } from '../structs/dict.ts'
import { encodingOf, keyLength, keyStart, typeOf, valueRef } from '../structs/entry.ts'
import { lpValue } from '../structs/listpack.ts'
import { cursorGet, cursorNext } from '../structs/quicklist-cursor.ts'
import { StreamCursor } from '../structs/stream-cursor.ts'
import { idText } from '../structs/stream-id.ts'
import { walkField, walkFirst, walkNext, walkValue } from '../types/hash-walk.ts'
import { listSeek } from '../types/list.ts'
import { HASH, LIST, SET, STREAM, STRING, ZSET } from '../types/object.ts'
import { indexOf } from '../types/stream.ts'
import { memberFirst, memberGet, memberNext } from '../types/set-walk.ts'
import { stringBytes } from '../types/string.ts'
import { ZsetWalk } from '../types/zset-walk.ts'
import { bytesOf } from '../util/bytes.ts'
import { formatDouble } from '../util/float.ts'
import { type Db, NO_EXPIRY } from './db.ts'
import type { Keyspace } from './keyspace.ts'

const SIZE = 20

function sha1(bytes: Uint8Array): Uint8Array {
  return createHash('sha1').update(bytes).digest()
}

function xor(digest: Uint8Array, bytes: Uint8Array): void {
  const hash = sha1(bytes)
  for (let i = 0; i < SIZE; i++) digest[i] ^= hash[i]
}

function mix(digest: Uint8Array, bytes: Uint8Array): void {
  xor(digest, bytes)
  digest.set(sha1(digest))
}

function number32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function hex(digest: Uint8Array): string {
  let text = ''
  for (const byte of digest) text += byte.toString(16).padStart(2, '0')
  return text
}

/** What the walks have just read. */
function current(): Uint8Array {
  return lpValue.bytes.subarray(lpValue.off, lpValue.off + lpValue.len)
}

/** The digest of all databases, in hexadecimal digits. */
export function dataDigest(space: Keyspace): string {
  const digest = new Uint8Array(SIZE)
  for (const db of space.dbs) {
    if (db.size === 0) continue
    mix(digest, number32(db.id))
    for (let position = 0; position < dictBuckets(db.mem, db.keys); position++) {
      dictBucket(db.mem, db.keys, position)
      for (const entry of [...visited]) xor(digest, keyDigest(db, entry))
    }
  }
  return hex(digest)
}

function keyDigest(db: Db, entry: Ref): Uint8Array {
  const { mem } = db
  const digest = new Uint8Array(SIZE)
  const start = keyStart(mem, entry)
  mix(digest, mem.u8[segmentOf(entry)].subarray(start, start + keyLength(mem, entry)))
  addValue(db, entry, digest)
  return digest
}

/** The digest of a key's value, in hexadecimal digits. */
export function valueDigest(db: Db, entry: Ref): string {
  const digest = new Uint8Array(SIZE)
  addValue(db, entry, digest)
  return hex(digest)
}

function addValue(db: Db, entry: Ref, digest: Uint8Array): void {
  const { mem } = db
  const type = typeOf(mem, entry)
  mix(digest, number32(type))
  VALUES[type]?.(mem, entry, digest)
  if (db.expiryOf(entry) !== NO_EXPIRY) xor(digest, bytesOf('!!expire!!'))
}

type AddValue = (mem: Arena, entry: Ref, digest: Uint8Array) => void

/** By type number. */
const VALUES: AddValue[] = []
VALUES[STRING] = (mem, entry, digest) => mix(digest, stringBytes(mem, entry))
VALUES[LIST] = (mem, entry, digest) => {
  for (let there = listSeek(mem, entry, 0); there; there = cursorNext(mem)) {
    cursorGet(mem)
    mix(digest, current())
  }
}
VALUES[SET] = (mem, entry, digest) => {
  for (let there = memberFirst(mem, entry); there; there = memberNext(mem)) {
    memberGet(mem)
    xor(digest, current())
  }
}
VALUES[HASH] = (mem, entry, digest) => {
  for (let there = walkFirst(mem, entry); there; there = walkNext(mem)) {
    const pair = new Uint8Array(SIZE)
    walkField(mem)
    mix(pair, current())
    walkValue(mem)
    mix(pair, current())
    xor(digest, pair)
  }
}
VALUES[ZSET] = (mem, entry, digest) => {
  const walk = new ZsetWalk()
  walk.start(mem, encodingOf(mem, entry), valueRef(mem, entry), 0, false)
  while (walk.next()) {
    const pair = new Uint8Array(SIZE)
    mix(pair, walk.bytes.subarray(walk.off, walk.off + walk.len))
    mix(pair, bytesOf(formatDouble(walk.score)))
    xor(digest, pair)
  }
}
VALUES[STREAM] = (mem, entry, digest) => {
  const walk = new StreamCursor()
  walk.startAll(mem, indexOf(mem, valueRef(mem, entry)), false)
  while (walk.next()) {
    mix(digest, bytesOf(idText(walk.id, 0).replace('-', '.')))
    for (let i = 0; i < walk.pairs; i++) {
      walk.readField()
      mix(digest, current())
      walk.readValue()
      mix(digest, current())
    }
  }
}
