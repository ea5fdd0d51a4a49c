/** How positions and distances are answered. */
import type { Client } from '../engine/client.ts'
import { decode, exactDistance, point } from '../structs/geohash.ts'
import { formatFixed, formatHuman } from '../util/float.ts'

const DISTANCE_PLACES = 4

/** Answers the longitude and latitude of a score. */
export function replyPosition(c: Client, score: number): void {
  decode(score)
  c.reply.array(2)
  c.reply.doubleText(formatHuman(point.longitude))
  c.reply.doubleText(formatHuman(point.latitude))
}

/**
 * Answers the distance between a position and `point`, which has a text of four decimals in both protocols. `meters` is that distance; only
 * when its last place hangs on the rounding of the trigonometry is it computed again, exactly.
 */
export function replyDistance(c: Client, meters: number, unitMeters: number, longitude: number, latitude: number): void {
  const tenThousandths = (meters / unitMeters) * 10 ** DISTANCE_PLACES
  const fromTie = Math.abs(tenThousandths - Math.floor(tenThousandths) - 0.5)
  const shown = fromTie < tenThousandths * ROUNDING ? exactDistance(longitude, latitude, point.longitude, point.latitude) : meters
  c.reply.text(formatFixed(shown / unitMeters, DISTANCE_PLACES))
}

/** More than the relative error of a distance. */
const ROUNDING = 1e-14
