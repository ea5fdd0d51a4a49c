/**
 * geohash: a position on the globe as a sorted-set score of 52 bits.
 *
 *   score = | long 25 | lat 25 | long 24 | lat 24 | ... | long 0 | lat 0 |
 *
 * long and lat are the position's cell on a grid of 2^26 by 2^26 over +-180 and +-85.05112878 degrees (the square of web maps). A cell of
 * step s is the s highest bits of both, so its positions are one range of scores.
 *
 * (1) Every formula keeps the order of operations of Redis: the same doubles come out, so the same positions lie inside and outside.
 * (2) A position on the upper edge (180 or 85.05112878 degrees) gets cell 2^step, one above the grid; its neighbours are inside it again.
 * (3) A score is read as an unsigned 64-bit integer, whatever it is: what ZADD put into the set decodes to something.
 * (4) `point` is scratch, valid until the next call here.
 */
import { exactAsin, exactCos, exactSin } from '../util/trig.ts'

export const LONG_MIN = -180
export const LONG_MAX = 180
export const LAT_MIN = -85.05112878
export const LAT_MAX = 85.05112878
export const LAT_SCALE = LAT_MAX - LAT_MIN
export const LONG_SCALE = LONG_MAX - LONG_MIN

export const MAX_STEP = 26
/** Cells along each axis of the finest grid. */
const CELLS = 1 << MAX_STEP
export const EARTH_RADIUS_METERS = 6372797.560856
export const RADIANS_PER_DEGREE = Math.PI / 180
export const TWO_32 = 2 ** 32

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz'
const HASH_LENGTH = 11
const BITS_PER_LETTER = 5

/** The position that `decode` found last. */
export const point = { longitude: 0, latitude: 0 }

/** Spreads the low 16 bits of v to the even bits of the result. */
export function spread(v: number): number {
  let x = v & 0xffff
  x = (x | (x << 8)) & 0x00ff00ff
  x = (x | (x << 4)) & 0x0f0f0f0f
  x = (x | (x << 2)) & 0x33333333
  return (x | (x << 1)) & 0x55555555
}

/** Gathers the even bits of v into the low 16. */
function gather(v: number): number {
  let x = v & 0x55555555
  x = (x | (x >>> 1)) & 0x33333333
  x = (x | (x >>> 2)) & 0x0f0f0f0f
  x = (x | (x >>> 4)) & 0x00ff00ff
  return (x | (x >>> 8)) & 0xffff
}

/** The interleaved bits of a cell plus `add` (0 or 1), rounded once when they need more than 53 bits. */
export function interleave(long: number, lat: number, add: number): number {
  const high = spread(lat >>> 16) | (spread(long >>> 16) << 1)
  const low = spread(lat) | (spread(long) << 1)
  return (high >>> 0) * TWO_32 + ((low >>> 0) + add)
}

/** The cell of a coordinate at a step. */
export function cell(value: number, min: number, scale: number, step: number): number {
  return Math.floor(((value - min) / scale) * (1 << step))
}

/** The score of a position within LONG_MIN..LONG_MAX and LAT_MIN..LAT_MAX. */
export function encode(longitude: number, latitude: number): number {
  return interleave(cell(longitude, LONG_MIN, LONG_SCALE, MAX_STEP), cell(latitude, LAT_MIN, LAT_SCALE, MAX_STEP), 0)
}

/** Sets `point` to the centre of the score's cell. */
export function decode(score: number): void {
  let low = score >>> 0
  let high = Math.floor(score / TWO_32) >>> 0
  if (!(score >= 0 && score <= Number.MAX_SAFE_INTEGER)) {
    // What the conversion instruction of the reference platform makes of numbers outside of the range.
    if (score >= 2 ** 64) low = high = 0
    else if (score < -(2 ** 63)) [low, high] = [0, 0x80000000]
    else if (score < 0) high = Math.floor(Math.ceil(score) / TWO_32) >>> 0
  }
  const lat = (gather(low) | (gather(high) << 16)) >>> 0
  const long = (gather(low >>> 1) | (gather(high >>> 1) << 16)) >>> 0
  point.latitude = centre(lat, LAT_MIN, LAT_MAX, LAT_SCALE)
  point.longitude = centre(long, LONG_MIN, LONG_MAX, LONG_SCALE)
}

function centre(index: number, min: number, max: number, scale: number): number {
  const low = min + (index / CELLS) * scale
  const high = min + (((index + 1) >>> 0) / CELLS) * scale
  const middle = (low + high) / 2
  return middle > max ? max : middle < min ? min : middle
}

/** The usual geohash text, over +-180 and +-90 degrees, of the position of a score: 52 bits give ten letters, the eleventh is always 0. */
export function geohashText(score: number): string {
  decode(score)
  const long = cell(point.longitude, LONG_MIN, LONG_SCALE, MAX_STEP)
  const lat = cell(point.latitude, -90, 180, MAX_STEP)
  let text = ''
  for (let letter = 0; letter < HASH_LENGTH - 1; letter++) {
    let index = 0
    for (let bit = letter * BITS_PER_LETTER; bit < (letter + 1) * BITS_PER_LETTER; bit++) {
      const source = (bit & 1) === 0 ? long : lat
      index = (index << 1) | ((source >>> (MAX_STEP - 1 - (bit >>> 1))) & 1)
    }
    text += ALPHABET[index]
  }
  return text + ALPHABET[0]
}

export function latitudeDistance(lat1: number, lat2: number): number {
  return EARTH_RADIUS_METERS * Math.abs(lat2 * RADIANS_PER_DEGREE - lat1 * RADIANS_PER_DEGREE)
}

/** Metres between two positions on a sphere, by the haversine formula. */
export function distance(long1: number, lat1: number, long2: number, lat2: number): number {
  const v = Math.sin((long2 * RADIANS_PER_DEGREE - long1 * RADIANS_PER_DEGREE) / 2)
  if (v === 0) return latitudeDistance(lat1, lat2)
  const lat1r = lat1 * RADIANS_PER_DEGREE
  const lat2r = lat2 * RADIANS_PER_DEGREE
  const u = Math.sin((lat2r - lat1r) / 2)
  const a = u * u + Math.cos(lat1r) * Math.cos(lat2r) * v * v
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.sqrt(a))
}

/** As distance, with each step rounded to the nearest, for results that keep all their digits. Slower by a factor of 100. */
export function exactDistance(long1: number, lat1: number, long2: number, lat2: number): number {
  const v = exactSin((long2 * RADIANS_PER_DEGREE - long1 * RADIANS_PER_DEGREE) / 2)
  if (v === 0) return latitudeDistance(lat1, lat2)
  const lat1r = lat1 * RADIANS_PER_DEGREE
  const lat2r = lat2 * RADIANS_PER_DEGREE
  const u = exactSin((lat2r - lat1r) / 2)
  const a = u * u + exactCos(lat1r) * exactCos(lat2r) * v * v
  return 2 * EARTH_RADIUS_METERS * exactAsin(Math.sqrt(a))
}
