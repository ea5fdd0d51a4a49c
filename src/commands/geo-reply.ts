/** How positions and distances are answered. */
import type { Client } from '../engine/client.ts'
import { decode, point } from '../structs/geohash.ts'
import { formatFixed, formatHuman } from '../util/float.ts'

const DISTANCE_PLACES = 4

/** Answers the longitude and latitude of a score. */
export function replyPosition(c: Client, score: number): void {
  decode(score)
  c.reply.array(2)
  c.reply.doubleText(formatHuman(point.longitude))
  c.reply.doubleText(formatHuman(point.latitude))
}

/** Answers a distance, which has a text of four decimals in both protocols. */
export function replyDistance(c: Client, distance: number): void {
  c.reply.text(formatFixed(distance, DISTANCE_PLACES))
}
