/** The arguments of geo commands: positions, units, distances. */
import { floatArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { NOT_A_FLOAT } from '../resp/errors.ts'
import { LAT_MAX, LAT_MIN, LONG_MAX, LONG_MIN } from '../structs/geohash.ts'

/** What positionArgs read last. */
export const coordinates = { longitude: 0, latitude: 0 }

/** Reads longitude and latitude in arguments i and i + 1; false when it has answered an error. */
export function positionArgs(c: Client, i: number): boolean {
  const longitude = floatArg(c, i, NOT_A_FLOAT)
  if (longitude !== longitude) return false
  const latitude = floatArg(c, i + 1, NOT_A_FLOAT)
  if (latitude !== latitude) return false
  if (longitude < LONG_MIN || longitude > LONG_MAX || latitude < LAT_MIN || latitude > LAT_MAX) {
    c.reply.error(`ERR invalid longitude,latitude pair ${sixPlaces(longitude)},${sixPlaces(latitude)}`)
    return false
  }
  coordinates.longitude = longitude
  coordinates.latitude = latitude
  return true
}

/** As C's `%f`. */
function sixPlaces(d: number): string {
  if (!Number.isFinite(d)) return d > 0 ? 'inf' : '-inf'
  return Math.abs(d) < 1e21 ? d.toFixed(6) : `${BigInt(d)}.000000`
}

/** Metres per unit of the unit in argument i; NaN when it has answered an error. */
export function unitArg(c: Client, i: number): number {
  const { argv } = c
  if (argv.is(i, 'm')) return 1
  if (argv.is(i, 'km')) return 1000
  if (argv.is(i, 'ft')) return 0.3048
  if (argv.is(i, 'mi')) return 1609.34
  c.reply.error('ERR unsupported unit provided. please use M, KM, FT, MI')
  return Number.NaN
}

/** A distance that is not negative; NaN when it has answered an error. */
export function radiusArg(c: Client, i: number): number {
  const radius = floatArg(c, i, 'ERR need numeric radius')
  if (!(radius < 0)) return radius
  c.reply.error('ERR radius cannot be negative')
  return Number.NaN
}
