/**
 * geoarea: circles and boxes on the globe: the cells of scores that cover one, and which scores lie inside.
 *
 * (1) Every formula keeps the order of operations of Redis: the same positions lie inside and outside, in the same order of cells.
 * (2) The sieve only ever rejects what lies outside. It compares the highest bits of longitude and latitude where they stand in the score,
 *     interleaved with zeros in between, which keeps their order; a score that passes is decoded and measured.
 * (3) The ranges and the sieve are scratch of one search.
 */
import {
  cell,
  decode,
  distance,
  EARTH_RADIUS_METERS,
  interleave,
  LAT_MAX,
  LAT_MIN,
  LAT_SCALE,
  LONG_MAX,
  LONG_MIN,
  LONG_SCALE,
  latitudeDistance,
  MAX_STEP,
  point,
  RADIANS_PER_DEGREE,
  spread,
  TWO_32,
} from './geohash.ts'

const MERCATOR_MAX_METERS = 20037726.37

/** What a search looks for: positions within a radius, or within a box, around a centre. */
export interface Shape {
  longitude: number
  latitude: number
  /** In units of `unitMeters`. A box has width and height instead of a radius. */
  radius: number
  width: number
  height: number
  isBox: boolean
  unitMeters: number
}

/**
 * Metres from the shape's centre to a score's position, or -1 when it lies outside, or farther away than the sieve's reach; the position is
 * left in `point`.
 */
export function distanceWithin(shape: Shape, score: number): number {
  decode(score)
  if (shape.isBox) return distanceWithinBox(shape)
  const meters = distance(shape.longitude, shape.latitude, point.longitude, point.latitude)
  return meters > reachMeters ? -1 : meters
}

function distanceWithinBox(shape: Shape): number {
  if (latitudeDistance(point.latitude, shape.latitude) > (shape.height * shape.unitMeters) / 2) return -1
  const across = distance(point.longitude, point.latitude, shape.longitude, point.latitude)
  if (across > (shape.width * shape.unitMeters) / 2) return -1
  return distance(shape.longitude, shape.latitude, point.longitude, point.latitude)
}

/** Bits of latitude and longitude in the high word of a score. */
const LAT_BITS = 0x55555555
const LONG_BITS = 0x2aaaaaaa
const ALL_BITS = 0x7fffffff
/** Latitudes near which a degree of longitude is so short that the sieve looks at the latitude only. */
const POLAR_DEGREES = 88
/** The part by which the sieve is wider than computed, for rounding. */
const MARGIN = 1 + 1e-9

const WORTH_NARROWING = 0.9

let reachMeters = 0
let latLow = 0
let latHigh = 0
let longLow = 0
let longHigh = 0

/** Whether a score may lie inside: false for most that do not. */
export function passesSieve(score: number): boolean {
  const high = (score / TWO_32) | 0
  const lat = high & LAT_BITS
  const long = high & LONG_BITS
  return lat >= latLow && lat <= latHigh && long >= longLow && long <= longHigh
}

/** Makes the sieve for the whole shape. */
export function setSieve(shape: Shape): void {
  const { unitMeters } = shape
  reachMeters = shape.radius * unitMeters
  if (shape.isBox) setSieveTo(shape, (shape.height / 2) * unitMeters, (shape.width / 2) * unitMeters)
  else setSieveTo(shape, reachMeters, reachMeters)
}

/** Narrows the sieve of a circle to a smaller radius, when that is worth the effort. */
export function narrowSieve(shape: Shape, meters: number): void {
  if (shape.isBox || meters > reachMeters * WORTH_NARROWING) return
  reachMeters = meters
  setSieveTo(shape, meters, meters)
}

function setSieveTo(shape: Shape, heightMeters: number, widthMeters: number): void {
  const latDelta = (heightMeters / EARTH_RADIUS_METERS / RADIANS_PER_DEGREE) * MARGIN
  latLow = highBits(cell(Math.max(shape.latitude - latDelta, LAT_MIN), LAT_MIN, LAT_SCALE, MAX_STEP) - 1)
  latHigh = highBits(cell(Math.min(shape.latitude + latDelta, LAT_MAX), LAT_MIN, LAT_SCALE, MAX_STEP) + 1)
  const nearPole = Math.abs(shape.latitude) + latDelta
  const halfAngle = Math.min(widthMeters / EARTH_RADIUS_METERS, Math.PI) / 2
  // From the haversine formula: a longitude costs least where the shape comes nearest to a pole. NaN when all longitudes are in reach.
  const longDelta = ((2 * Math.asin(Math.sin(halfAngle) / Math.cos(nearPole * RADIANS_PER_DEGREE))) / RADIANS_PER_DEGREE) * MARGIN
  const west = shape.longitude - longDelta
  const east = shape.longitude + longDelta
  longLow = 0
  longHigh = ALL_BITS
  // Across the meridian of 180 degrees, the longitudes inside are no single range.
  if (nearPole > POLAR_DEGREES || !(west >= LONG_MIN && east <= LONG_MAX)) return
  longLow = highBits(cell(west, LONG_MIN, LONG_SCALE, MAX_STEP) - 1) << 1
  longHigh = highBits(cell(east, LONG_MIN, LONG_SCALE, MAX_STEP) + 1) << 1
}

/** The bits of a cell's index that are in the high word of a score, where latitudes have theirs. */
function highBits(index: number): number {
  return spread(Math.max(index, 0) >>> 16)
}

/** The step whose cells are at least as large as the range, and larger towards the poles. */
function stepFor(rangeMeters: number, latitude: number): number {
  if (rangeMeters === 0) return MAX_STEP
  let step = 1
  for (let range = rangeMeters; range < MERCATOR_MAX_METERS; range *= 2) step++
  step -= 2
  if (latitude > 66 || latitude < -66) step--
  if (latitude > 80 || latitude < -80) step--
  return Math.min(Math.max(step, 1), MAX_STEP)
}

/** The shape's bounding box: west, south, east, north, in degrees. */
const bounds = new Float64Array(4)

function setBounds(shape: Shape): void {
  const height = shape.unitMeters * (shape.isBox ? shape.height / 2 : shape.radius)
  const width = shape.unitMeters * (shape.isBox ? shape.width / 2 : shape.radius)
  const latDelta = height / EARTH_RADIUS_METERS / RADIANS_PER_DEGREE
  // The parallel that is nearer to the pole is the shorter one.
  const nearPole = shape.latitude < 0 ? shape.latitude - latDelta : shape.latitude + latDelta
  const longDelta = width / EARTH_RADIUS_METERS / Math.cos(nearPole * RADIANS_PER_DEGREE) / RADIANS_PER_DEGREE
  bounds[0] = shape.longitude - longDelta
  bounds[1] = shape.latitude - latDelta
  bounds[2] = shape.longitude + longDelta
  bounds[3] = shape.latitude + latDelta
}

/** The cells around a centre as (east, north) steps, in the order in which they are searched. */
const AROUND = [0, 0, 0, 1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 1, -1, -1, -1]

/** The lower edge, in degrees, of a cell. */
function longEdge(index: number, step: number): number {
  return LONG_MIN + (index / (1 << step)) * LONG_SCALE
}

function latEdge(index: number, step: number): number {
  return LAT_MIN + (index / (1 << step)) * LAT_SCALE
}

/** A neighbouring cell on the ring of 2^step cells. */
function neighbour(index: number, by: number, step: number): number {
  return by === 0 ? index : (index + by) & ((1 << step) - 1)
}

/** Whether the cells around (long, lat) leave a part of the bounding box uncovered. */
function fallsShort(long: number, lat: number, step: number): boolean {
  return (
    latEdge(neighbour(lat, 1, step) + 1, step) < bounds[3] ||
    latEdge(neighbour(lat, -1, step), step) > bounds[1] ||
    longEdge(neighbour(long, 1, step) + 1, step) < bounds[2] ||
    longEdge(neighbour(long, -1, step), step) > bounds[0]
  )
}

/** Ranges of scores: pairs of a lowest score and the first one behind the range. */
export const ranges = new Float64Array(18)

/**
 * Fills `ranges` with the up to nine cells that cover the shape, and returns their number. A cell that repeats the one before (the globe
 * has few cells at low steps) is left out; others may still repeat, and then Redis finds their members twice, as the caller will.
 */
export function searchRanges(shape: Shape): number {
  setBounds(shape)
  const reach = shape.isBox ? Math.sqrt((shape.width / 2) * (shape.width / 2) + (shape.height / 2) * (shape.height / 2)) : shape.radius
  let step = stepFor(reach * shape.unitMeters, shape.latitude)
  let long = cell(shape.longitude, LONG_MIN, LONG_SCALE, step)
  let lat = cell(shape.latitude, LAT_MIN, LAT_SCALE, step)
  if (step > 1 && fallsShort(long, lat, step)) {
    step--
    long = cell(shape.longitude, LONG_MIN, LONG_SCALE, step)
    lat = cell(shape.latitude, LAT_MIN, LAT_SCALE, step)
  }
  // A side of the box inside the centre's own cell needs no neighbours on that side.
  const prune = step >= 2
  const noWest = prune && longEdge(long, step) < bounds[0]
  const noSouth = prune && latEdge(lat, step) < bounds[1]
  const noEast = prune && longEdge(long + 1, step) > bounds[2]
  const noNorth = prune && latEdge(lat + 1, step) > bounds[3]
  const scale = 2 ** (2 * (MAX_STEP - step))
  let count = 0
  let last = -1
  for (let i = 0; i < AROUND.length; i += 2) {
    const east = AROUND[i]
    const north = AROUND[i + 1]
    if ((east < 0 && noWest) || (east > 0 && noEast) || (north < 0 && noSouth) || (north > 0 && noNorth)) continue
    const longCell = neighbour(long, east, step)
    const latCell = neighbour(lat, north, step)
    const low = interleave(longCell, latCell, 0)
    if (low === last) continue
    ranges[2 * count] = low * scale
    ranges[2 * count + 1] = interleave(longCell, latCell, 1) * scale
    count++
    // The centre is never compared with: only neighbours are, with the one before.
    if (i > 0) last = low
  }
  return count
}
