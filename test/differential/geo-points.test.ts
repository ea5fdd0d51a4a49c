/** 10,000 random positions and as many questions: against redis-server byte for byte, and against the haversine formula over all positions. */
import { expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { describeWithOracle, useOracle } from '../support/oracle.ts'
import { runSeed, seeded } from '../support/random.ts'
import { useServer } from '../support/server.ts'

const POINTS = 10_000
const BATCH = 500
const EARTH_RADIUS = 6372797.560856

function haversine(long1: number, lat1: number, long2: number, lat2: number): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180
  const u = Math.sin(radians(lat2 - lat1) / 2)
  const v = Math.sin(radians(long2 - long1) / 2)
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(u * u + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * v * v))
}

describeWithOracle('geo points', () => {
  const oracle = useOracle()
  const server = useServer()

  test('positions, hashes, distances and searches', { timeout: 120_000 }, async () => {
    const random = seeded(runSeed())
    const ours = await Connection.open(server.address)
    const theirs = await Connection.open((oracle.current as NonNullable<typeof oracle.current>).address)
    const both = async (...command: string[]): Promise<unknown> => {
      const [a, b] = await Promise.all([ours.get(...command), theirs.get(...command)])
      expect(a, command.slice(0, 12).join(' ')).toEqual(b)
      return a
    }
    const long = (): number => Number((random.next() * 360 - 180).toFixed(random.below(8)))
    const lat = (): number => Number(((random.next() - 0.5) * 2 * (random.below(3) === 0 ? 85.05 : 40)).toFixed(random.below(8)))

    const positions: [string, number, number][] = []
    for (let i = 0; i < POINTS; i += BATCH) {
      const names = Array.from({ length: BATCH }, (_, k) => `p${i + k}`)
      await both('GEOADD', 'g', ...names.flatMap((name) => [String(long()), String(lat()), name]))
      await both('GEOHASH', 'g', ...names)
      await both('ZMSCORE', 'g', ...names)
      const found = (await both('GEOPOS', 'g', ...names)) as [string, string][]
      found.forEach(([x, y], k) => positions.push([names[k], Number(x), Number(y)]))
    }
    for (let i = 0; i < 500; i++)
      await both('GEODIST', 'g', `p${random.below(POINTS)}`, `p${random.below(POINTS)}`, random.pick(['m', 'km', 'ft', 'mi']))
    for (let i = 0; i < 120; i++) {
      const [x, y] = [long(), lat()]
      const radius = 10 ** (3.5 + random.next() * 2.5)
      const found = (await both('GEOSEARCH', 'g', 'FROMLONLAT', String(x), String(y), 'BYRADIUS', String(radius), 'm')) as string[]
      const inside = positions.filter(([, px, py]) => haversine(x, y, px, py) <= radius).map(([name]) => name)
      if (radius < 300_000 && Math.abs(y) < 60) expect(found.toSorted()).toEqual(inside.toSorted())
      else expect(inside).toEqual(expect.arrayContaining(found)) // the cells of Redis leave out a few at the rim of a large circle
      await both(
        'GEOSEARCH',
        'g',
        'FROMLONLAT',
        String(x),
        String(y),
        'BYBOX',
        String(radius),
        String(radius / 2),
        'm',
        'WITHDIST',
        'WITHHASH',
      )
    }
    for (let i = 0; i < 20; i++) await storedDistances(`p${random.below(POINTS)}`)
    ours.close()
    theirs.close()

    /** A sine or cosine differs in its last place once in about a thousand, which moves a distance by some places. */
    async function storedDistances(centre: string): Promise<void> {
      await both('GEOSEARCHSTORE', 'd', 'g', 'FROMMEMBER', centre, 'BYRADIUS', '2000', 'km', 'STOREDIST')
      const stored = async (from: Connection): Promise<string[]> => (await from.get('ZRANGE', 'd', '0', '-1', 'WITHSCORES')) as string[]
      const [a, b] = await Promise.all([stored(ours), stored(theirs)])
      expect(a.length).toBe(b.length)
      for (let i = 1; i < a.length; i += 2) expect(Math.abs(Number(a[i]) - Number(b[i]))).toBeLessThanOrEqual(Number(b[i]) * 2e-15)
    }
  })
})
