/** Places inside a circle or a box: GEOSEARCH, GEOSEARCHSTORE, and the GEORADIUS family before them. */
import { floatArg, intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { SYNTAX_ERROR, WRONGTYPE } from '../resp/errors.ts'
import { encodingOf, typeOf, valueRef } from '../structs/entry.ts'
import type { Shape } from '../structs/geoarea.ts'
import { decode, exactDistance, point } from '../structs/geohash.ts'
import { FARTHEST, found, GeoHits, NEAREST, searchGeo, UNSORTED } from '../types/geo.ts'
import { ZSET } from '../types/object.ts'
import { zsetScore } from '../types/zset.ts'
import { freeLarge, largeAdd, largeFind, newLarge } from '../types/zset-large.ts'
import { INT64_MIN } from '../util/int64.ts'
import { coordinates, positionArgs, radiusArg, unitArg } from './geo-args.ts'
import { replyDistance, replyPosition } from './geo-reply.ts'
import { storeLarge, storeNothing } from './zset-store.ts'

/** Forms of the command: what it takes as its centre, and whether it may store. */
const POINT = 1
const MEMBER = 2
const SEARCH = 4
const SEARCH_STORE = 8
const READ_ONLY = 16

const shape: Shape = { longitude: 0, latitude: 0, radius: 0, width: 0, height: 0, isBox: false, unitMeters: 1 }
const hits = new GeoHits()

/** What the options of the running command ask for. */
const asked = {
  withDistance: false,
  withHash: false,
  withPosition: false,
  order: UNSORTED,
  /** 0: all of them. */
  count: 0,
  any: false,
  /** Argument that names the destination; 0 for none. */
  store: 0,
  storeDistance: false,
  hasCentre: false,
  hasMember: false,
  hasRadius: false,
  hasBox: false,
}

export function georadius(c: Client): void {
  search(c, POINT)
}

export function georadiusRo(c: Client): void {
  search(c, POINT | READ_ONLY)
}

export function georadiusbymember(c: Client): void {
  search(c, MEMBER)
}

export function georadiusbymemberRo(c: Client): void {
  search(c, MEMBER | READ_ONLY)
}

export function geosearch(c: Client): void {
  search(c, SEARCH)
}

export function geosearchstore(c: Client): void {
  search(c, SEARCH | SEARCH_STORE)
}

function search(c: Client, form: number): void {
  const { db, mem, reply } = c
  const source = (form & SEARCH_STORE) !== 0 ? 2 : 1
  const entry = db.lookupRead(c.argv, source)
  if (entry !== NULL_REF && typeOf(mem, entry) !== ZSET) return reply.error(WRONGTYPE)
  resetAsked((form & SEARCH_STORE) !== 0 ? 1 : 0)
  const options = readCentre(c, form, entry, source + 1)
  if (options < 0 || !readOptions(c, form, entry, options) || !optionsAgree(c, form)) return
  if (entry === NULL_REF) return asked.store === 0 ? reply.array(0) : storeNothing(c, asked.store)
  const order = asked.count > 0 && asked.order === UNSORTED && !asked.any ? NEAREST : asked.order
  const most = asked.count > 0 ? asked.count : Number.POSITIVE_INFINITY
  hits.reset(asked.any ? UNSORTED : order, most)
  searchGeo(mem, encodingOf(mem, entry), valueRef(mem, entry), shape, hits)
  hits.arrange(order)
  if (asked.store === 0) replyHits(c, entry)
  else storeHits(c, entry, (form & SEARCH) !== 0 ? 'geosearchstore' : 'georadiusstore')
}

function resetAsked(store: number): void {
  asked.withDistance = false
  asked.withHash = false
  asked.withPosition = false
  asked.order = UNSORTED
  asked.count = 0
  asked.any = false
  asked.store = store
  asked.storeDistance = false
  asked.hasCentre = false
  asked.hasMember = false
  asked.hasRadius = false
  asked.hasBox = false
}

/** Reads the centre and radius that GEORADIUS and its like begin with; returns where the options begin, -1 when it has answered an error. */
function readCentre(c: Client, form: number, entry: Ref, first: number): number {
  if ((form & SEARCH) !== 0) return first
  if ((form & POINT) !== 0) return centreAt(c, first) && readRadius(c, first + 2) ? first + 4 : -1
  // Without a key there is no centre, and Redis does not look at the radius either.
  if (entry === NULL_REF) return first + 3
  return centreOfMember(c, entry, first) && readRadius(c, first + 1) ? first + 3 : -1
}

function centreAt(c: Client, i: number): boolean {
  if (!positionArgs(c, i)) return false
  shape.longitude = coordinates.longitude
  shape.latitude = coordinates.latitude
  return true
}

function centreOfMember(c: Client, entry: Ref, i: number): boolean {
  const { argv, mem, reply } = c
  const score = zsetScore(mem, entry, argv.bytes, argv.off(i), argv.len(i))
  if (score !== score) {
    reply.error('ERR could not decode requested zset member')
    return false
  }
  decode(score)
  shape.longitude = point.longitude
  shape.latitude = point.latitude
  return true
}

function readRadius(c: Client, i: number): boolean {
  shape.isBox = false
  shape.radius = radiusArg(c, i)
  if (shape.radius !== shape.radius) return false
  shape.unitMeters = unitArg(c, i + 1)
  return shape.unitMeters === shape.unitMeters
}

function readBox(c: Client, i: number): boolean {
  shape.isBox = true
  shape.width = floatArg(c, i, 'ERR need numeric width')
  if (shape.width !== shape.width) return false
  shape.height = floatArg(c, i + 1, 'ERR need numeric height')
  if (shape.height !== shape.height) return false
  if (shape.width < 0 || shape.height < 0) {
    c.reply.error('ERR height or width cannot be negative')
    return false
  }
  shape.unitMeters = unitArg(c, i + 2)
  return shape.unitMeters === shape.unitMeters
}

function readOptions(c: Client, form: number, entry: Ref, first: number): boolean {
  const { argv, reply } = c
  for (let i = first; i < argv.count; ) {
    let used = simpleOption(c, form, i)
    if (used === 0) used = (form & SEARCH) !== 0 ? searchOption(c, entry, i) : storeOption(c, form, i)
    if (used === 0) reply.error(SYNTAX_ERROR)
    if (used <= 0) return false
    i += used
  }
  return true
}

/** Reads an option that all forms have; returns the arguments it took, 0 when it is another one, -1 after an error. */
function simpleOption(c: Client, form: number, i: number): number {
  const { argv, reply } = c
  if (argv.is(i, 'withdist')) asked.withDistance = true
  else if (argv.is(i, 'withhash')) asked.withHash = true
  else if (argv.is(i, 'withcoord')) asked.withPosition = true
  else if (argv.is(i, 'any')) asked.any = true
  else if (argv.is(i, 'asc')) asked.order = NEAREST
  else if (argv.is(i, 'desc')) asked.order = FARTHEST
  else if ((form & SEARCH_STORE) !== 0 && argv.is(i, 'storedist')) asked.storeDistance = true
  else {
    if (!argv.is(i, 'count') || i + 1 >= argv.count) return 0
    asked.count = intArg(c, i + 1)
    if (asked.count <= 0) reply.error('ERR COUNT must be > 0')
    return asked.count > 0 ? 2 : -1
  }
  return 1
}

/** STORE and STOREDIST of the GEORADIUS family. */
function storeOption(c: Client, form: number, i: number): number {
  const { argv } = c
  if ((form & READ_ONLY) !== 0 || i + 1 >= argv.count) return 0
  const isDistance = argv.is(i, 'storedist')
  if (!isDistance && !argv.is(i, 'store')) return 0
  asked.store = i + 1
  asked.storeDistance = isDistance
  return 2
}

/** The centre and shape of GEOSEARCH. */
function searchOption(c: Client, entry: Ref, i: number): number {
  const { argv } = c
  const more = argv.count - i - 1
  if (more >= 1 && !asked.hasCentre && argv.is(i, 'frommember')) {
    asked.hasMember = true
    return entry === NULL_REF || centreOfMember(c, entry, i + 1) ? 2 : -1
  }
  if (more >= 2 && !asked.hasMember && argv.is(i, 'fromlonlat')) {
    asked.hasCentre = true
    return centreAt(c, i + 1) ? 3 : -1
  }
  if (more >= 2 && !asked.hasBox && argv.is(i, 'byradius')) {
    asked.hasRadius = true
    return readRadius(c, i + 1) ? 3 : -1
  }
  if (more >= 3 && !asked.hasRadius && argv.is(i, 'bybox')) {
    asked.hasBox = true
    return readBox(c, i + 1) ? 4 : -1
  }
  return 0
}

function optionsAgree(c: Client, form: number): boolean {
  const isSearch = (form & SEARCH) !== 0
  let error = ''
  if (asked.store > 0 && (asked.withDistance || asked.withHash || asked.withPosition)) {
    const who = isSearch ? 'GEOSEARCHSTORE' : 'STORE option in GEORADIUS'
    error = `ERR ${who} is not compatible with WITHDIST, WITHHASH and WITHCOORD options`
  } else if (isSearch && !asked.hasMember && !asked.hasCentre) {
    error = `ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${c.argv.text(0)}`
  } else if (isSearch && !asked.hasRadius && !asked.hasBox) {
    error = `ERR exactly one of BYRADIUS and BYBOX can be specified for ${c.argv.text(0)}`
  } else if (asked.any && asked.count === 0) error = 'ERR the ANY argument requires COUNT argument'
  if (error !== '') c.reply.error(error)
  return error === ''
}

function replyHits(c: Client, entry: Ref): void {
  const { mem, reply } = c
  const fields = 1 + Number(asked.withDistance) + Number(asked.withHash) + Number(asked.withPosition)
  const encoding = encodingOf(mem, entry)
  const root = valueRef(mem, entry)
  reply.array(hits.count)
  for (let i = 0; i < hits.count; i++) {
    const row = hits.order[i]
    hits.member(mem, encoding, root, row)
    if (fields > 1) reply.array(fields)
    reply.bulk(found.bytes, found.off, found.len)
    if (asked.withDistance) {
      decode(hits.scores[row])
      replyDistance(c, hits.meters[row], shape.unitMeters, shape.longitude, shape.latitude)
    }
    if (asked.withHash) replyHash(c, hits.scores[row])
    if (asked.withPosition) replyPosition(c, hits.scores[row])
  }
}

/** A score as an integer, which has more than 53 bits at 180 degrees east. What ZADD put into the set may not be one. */
function replyHash(c: Client, score: number): void {
  const whole = Math.trunc(score)
  if (Number.isSafeInteger(whole)) c.reply.int(whole)
  else c.reply.bigInt(Math.abs(whole) < 2 ** 63 ? BigInt(whole) : INT64_MIN)
}

function storeHits(c: Client, entry: Ref, event: string): void {
  const { mem } = c
  if (hits.count === 0) return storeNothing(c, asked.store)
  const encoding = encodingOf(mem, entry)
  const source = valueRef(mem, entry)
  const root = newLarge(mem)
  try {
    for (let i = 0; i < hits.count; i++) {
      const row = hits.order[i]
      hits.member(mem, encoding, source, row)
      const score = asked.storeDistance ? storedDistance(hits.scores[row]) : hits.scores[row]
      // Around a whole globe of few cells, a place is found more than once.
      if (largeFind(mem, root, found.bytes, found.off, found.len) === NULL_REF)
        largeAdd(mem, root, score, found.bytes, found.off, found.len)
    }
  } catch (error) {
    freeLarge(mem, root)
    throw error
  }
  storeLarge(c, asked.store, root, event, hits.count)
}

/** The distance of a score's position from the centre, in the unit of the search. */
function storedDistance(score: number): number {
  decode(score)
  return exactDistance(shape.longitude, shape.latitude, point.longitude, point.latitude) / shape.unitMeters
}
