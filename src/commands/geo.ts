/** Places: sorted sets whose scores are positions. The rows, and the commands about single places. */
import type { Client } from '../engine/client.ts'
import { ACL_GEO, DENYOOM, READONLY, WRITE } from '../engine/flags.ts'
import { keysThatFit } from '../engine/keyfinders.ts'
import { ACCESS, key, keyword, OW, RO, RW, range, UPDATE } from '../engine/keyspec.ts'
import type { CommandRow } from '../engine/row.ts'
import { NULL_REF } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { typeOf } from '../structs/entry.ts'
import { decode, distance, encode, geohashText, point } from '../structs/geohash.ts'
import { ZSET } from '../types/object.ts'
import { NX, XX, zsetScore } from '../types/zset.ts'
import { coordinates, positionArgs, unitArg } from './geo-args.ts'
import { replyDistance, replyPosition } from './geo-reply.ts'
import { georadius, georadiusbymember, georadiusbymemberRo, georadiusRo, geosearch, geosearchstore } from './geo-search.ts'
import { scoresFor, storeMembers } from './zset.ts'

// biome-ignore format: a table, one command after the other
export const geoRows: readonly CommandRow[] = [
  { name: 'GEOADD', arity: -5, flags: WRITE | DENYOOM, acl: ACL_GEO, since: '3.2.0', keys: [key(1, RW | UPDATE)],
    args: 'key:key [condition(NX|XX)@6.2.0] [change=CH@6.2.0] data(longitude:double latitude:double member:string)...',
    summary: 'Adds places by longitude and latitude.', complexity: 'O(log(N)) by members, for each one added',
    history: [['6.2.0', 'Added the `CH`, `NX` and `XX` options.']], run: geoadd },
  { name: 'GEOPOS', arity: -2, flags: READONLY, acl: ACL_GEO, since: '3.2.0', keys: [key(1, RO | ACCESS)], args: 'key:key [member:string...]',
    summary: 'The longitude and latitude of places.', complexity: 'O(N) by members asked for', run: geopos },
  { name: 'GEODIST', arity: -4, flags: READONLY, acl: ACL_GEO, since: '3.2.0', keys: [key(1, RO | ACCESS)],
    args: 'key:key member1:string member2:string [unit(M|KM|FT|MI)]', summary: 'The distance between two places.', complexity: 'O(1)',
    run: geodist },
  { name: 'GEOHASH', arity: -2, flags: READONLY, acl: ACL_GEO, since: '3.2.0', keys: [key(1, RO | ACCESS)], args: 'key:key [member:string...]',
    summary: 'Places as geohash strings.', complexity: 'O(N) by members asked for', run: geohash },
  { name: 'GEOSEARCH', arity: -7, flags: READONLY, acl: ACL_GEO, since: '6.2.0', keys: [key(1, RO | ACCESS)],
    args: `key:key from(FROMMEMBER member:string|FROMLONLAT fromlonlat(longitude:double latitude:double)) by(circle(BYRADIUS radius:double
      unit(M|KM|FT|MI))|box(BYBOX width:double height:double unit(M|KM|FT|MI))) [order(ASC|DESC)] [count-block(COUNT count:integer [ANY])]
      [WITHCOORD] [WITHDIST] [WITHHASH]`, summary: 'Places inside a circle or a box.',
    complexity: 'O(N+log(M)) by places in the bounding box and in the shape',
    history: [['7.0.0', 'Added support for uppercase unit names.']], run: geosearch },
  { name: 'GEOSEARCHSTORE', arity: -8, flags: WRITE | DENYOOM, acl: ACL_GEO, since: '6.2.0', keys: [key(1, OW | UPDATE), key(2, RO | ACCESS)],
    args: `destination:key source:key from(FROMMEMBER member:string|FROMLONLAT fromlonlat(longitude:double latitude:double))
      by(circle(BYRADIUS radius:double unit(M|KM|FT|MI))|box(BYBOX width:double height:double unit(M|KM|FT|MI))) [order(ASC|DESC)]
      [count-block(COUNT count:integer [ANY])] [STOREDIST]`, summary: 'GEOSEARCH whose result is stored.',
    complexity: 'O(N+log(M)) by places in the bounding box and in the shape',
    history: [['7.0.0', 'Added support for uppercase unit names.']], run: geosearchstore },
  { name: 'GEORADIUS', arity: -6, flags: WRITE | DENYOOM, acl: ACL_GEO, since: '3.2.0',
    keys: [key(1, RO | ACCESS), keyword('STORE', 6, range(0, 1), OW | UPDATE), keyword('STOREDIST', 6, range(0, 1), OW | UPDATE)],
    findKeys: keysThatFit,
    args: `key:key longitude:double latitude:double radius:double unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block(COUNT
      count:integer [ANY@6.2.0])] [order(ASC|DESC)] [store(STORE storekey:key<key>|STOREDIST storedistkey:key<key>)]`,
    summary: 'Places around a point; can store the result.', complexity: 'O(N+log(M)) by places in the bounding box and in the circle',
    history: [['6.2.0', 'Added the `ANY` option for `COUNT`.'], ['7.0.0', 'Added support for uppercase unit names.']],
    deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument' }, run: georadius },
  { name: 'GEORADIUS_RO', arity: -6, flags: READONLY, acl: ACL_GEO, since: '3.2.10', keys: [key(1, RO | ACCESS)],
    args: `key:key longitude:double latitude:double radius:double unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block(COUNT
      count:integer [ANY@6.2.0])] [order(ASC|DESC)]`, summary: 'Places around a point.',
    complexity: 'O(N+log(M)) by places in the bounding box and in the circle', history: [['6.2.0', 'Added the `ANY` option for `COUNT`.']],
    deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` with the `BYRADIUS` argument' }, run: georadiusRo },
  { name: 'GEORADIUSBYMEMBER', arity: -5, flags: WRITE | DENYOOM, acl: ACL_GEO, since: '3.2.0',
    keys: [key(1, RO | ACCESS), keyword('STORE', 5, range(0, 1), OW | UPDATE), keyword('STOREDIST', 5, range(0, 1), OW | UPDATE)],
    findKeys: keysThatFit,
    args: `key:key member:string radius:double unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block(COUNT count:integer [ANY])]
      [order(ASC|DESC)] [store(STORE storekey:key<key>|STOREDIST storedistkey:key<key>)]`,
    summary: 'Places around another place; can store the result.',
    complexity: 'O(N+log(M)) by places in the bounding box and in the circle',
    history: [['7.0.0', 'Added support for uppercase unit names.']],
    deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments' },
    run: georadiusbymember },
  { name: 'GEORADIUSBYMEMBER_RO', arity: -5, flags: READONLY, acl: ACL_GEO, since: '3.2.10', keys: [key(1, RO | ACCESS)],
    args: `key:key member:string radius:double unit(M|KM|FT|MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block(COUNT count:integer [ANY])]
      [order(ASC|DESC)]`, summary: 'Places around another place.',
    complexity: 'O(N+log(M)) by places in the bounding box and in the circle',
    deprecated: { since: '6.2.0', replacedBy: '`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments' }, run: georadiusbymemberRo },
]

function geoadd(c: Client): void {
  const { argv } = c
  let conditions = 0
  let countChanged = false
  let first = 2
  for (; first < argv.count; first++) {
    if (argv.is(first, 'nx')) conditions |= NX
    else if (argv.is(first, 'xx')) conditions |= XX
    else if (argv.is(first, 'ch')) countChanged = true
    else break
  }
  const places = (argv.count - first) / 3
  if (!Number.isInteger(places) || conditions === (NX | XX)) return c.reply.error(SYNTAX_ERROR)
  const scores = scoresFor(places)
  for (let i = 0; i < places; i++) {
    if (!positionArgs(c, first + 3 * i)) return
    scores[i] = encode(coordinates.longitude, coordinates.latitude)
  }
  // Without places this is the ZADD without members that Redis makes of it.
  if (places === 0) return c.reply.error(SYNTAX_ERROR)
  const { dirty } = c.db.space
  storeMembers(c, scores, places, first + 2, 3, conditions, countChanged)
  const { propagate } = c.engine
  if (propagate.sinks === 0 || c.db.space.dirty === dirty) return
  propagate.instead(c).word('zadd').argsOf(argv, 1, first)
  for (let i = 0; i < places; i++) propagate.int(scores[i]).arg(argv, first + 3 * i + 2)
}

/** The score of the member in argument i of the key in argument 1; NaN when there is none. */
function scoreOf(c: Client, i: number): number {
  const { argv, db, mem } = c
  const entry = db.peek(argv, 1)
  return entry === NULL_REF ? Number.NaN : zsetScore(mem, entry, argv.bytes, argv.off(i), argv.len(i))
}

/** Answers an array with something for each member argument; false when the key has another type, which is answered. */
function beginMembers(c: Client): boolean {
  const entry = c.db.lookupRead(c.argv, 1)
  if (entry !== NULL_REF && typeOf(c.mem, entry) !== ZSET) {
    c.reply.error(WRONGTYPE)
    return false
  }
  c.reply.array(c.argv.count - 2)
  return true
}

function geohash(c: Client): void {
  if (!beginMembers(c)) return
  for (let i = 2; i < c.argv.count; i++) {
    const score = scoreOf(c, i)
    if (score === score) c.reply.text(geohashText(score))
    else c.reply.nil()
  }
}

function geopos(c: Client): void {
  if (!beginMembers(c)) return
  for (let i = 2; i < c.argv.count; i++) {
    const score = scoreOf(c, i)
    if (score === score) replyPosition(c, score)
    else c.reply.nilArray()
  }
}

function geodist(c: Client): void {
  const { argv, db, mem, reply } = c
  let unitMeters = 1
  if (argv.count === 5) {
    unitMeters = unitArg(c, 4)
    if (unitMeters !== unitMeters) return
  } else if (argv.count > 5) return reply.error(SYNTAX_ERROR)
  const entry = db.lookupRead(argv, 1)
  if (entry === NULL_REF) return reply.nil()
  if (typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  const from = scoreOf(c, 2)
  const to = scoreOf(c, 3)
  if (from !== from || to !== to) return reply.nil()
  decode(from)
  const { longitude, latitude } = point
  decode(to)
  replyDistance(c, distance(longitude, latitude, point.longitude, point.latitude), unitMeters, longitude, latitude)
}
