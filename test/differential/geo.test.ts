import { differential, type Same } from '../support/differential.ts'
import { render } from '../support/notation.ts'
import type { Random } from '../support/random.ts'

const EDGES = ['180', '-180', '0', '179.9999999', '-179.9999999', '200', 'abc']
const LATITUDES = ['85.05112878', '-85.05112878', '0', '85.0511', '-70.5', '86', 'abc']

/** Mostly a position in a small region, so that searches find several, sometimes an edge or an error. */
const coordinate =
  (edges: readonly string[], centre: number) =>
  (random: Random): string =>
    random.below(12) === 0
      ? edges[random.below(edges.length)]
      : (centre + (random.next() - 0.5) * (random.below(4) === 0 ? 160 : 2)).toFixed(6)

/** Places at the same distance come in any order; which of them, where COUNT cuts, is open as well. */
const sameSet: Same = (a, b) => {
  const items = (reply: typeof a): string =>
    'items' in reply
      ? reply.items
          .map((item) => render(item))
          .toSorted()
          .join(' ')
      : render(reply)
  return items(a) === items(b)
}

differential('geo', {
  pools: {
    key: 'g1 g2 g3',
    long: coordinate(EDGES, 15),
    lat: coordinate(LATITUDES, 38),
    radius: '0 1 10 100 1000 5000 30000 0.5 1e7 -1 abc',
    unit: 'm km ft mi KM yards',
    limit: '1 2 3 100 0 -1 abc',
  },
  commands: `
    12 GEOADD {key} [NX|XX] [CH] ({long} {lat} {member})+
    2 GEOPOS {key} ({member})*
    2 GEOHASH {key} ({member})*
    3 GEODIST {key} {member} {member} [{unit}]
    6 GEOSEARCH {key} (FROMLONLAT {long} {lat}|FROMMEMBER {member}) (BYRADIUS {radius} {unit}|BYBOX {radius} {radius} {unit}) [ASC|DESC] [WITHCOORD] [WITHDIST] [WITHHASH]
    2 GEOSEARCH {key} (FROMLONLAT {long} {lat}|FROMMEMBER {member}) [ASC|DESC] [COUNT {limit} [ANY]] (BYRADIUS {radius} km|BYBOX {radius} {radius} km)
    2 GEOSEARCHSTORE {key} {key} (FROMLONLAT {long} {lat}|FROMMEMBER {member}) (BYRADIUS {radius} {unit}|BYBOX {radius} {radius} {unit}) [ASC|DESC] [COUNT {limit} [ANY]]
    2 GEORADIUS {key} {long} {lat} {radius} {unit} [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT {limit} [ANY]] [ASC|DESC] [STORE {key}]
    2 GEORADIUSBYMEMBER {key} {member} {radius} {unit} [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT {limit} [ANY]] [ASC|DESC] [STORE {key}]
    GEORADIUS_RO {key} {long} {lat} {radius} {unit} [WITHDIST] [ASC|DESC] [STORE {key}]
    GEORADIUSBYMEMBER_RO {key} {member} {radius} {unit} [WITHDIST] [ASC|DESC]
    ZRANGE {key} 0 -1
    ZREM {key} {member}
    SET g3 x
    DEL {key}
    OBJECT ENCODING {key}
  `,
  compare: [[/^(GEOSEARCH|GEORADIUS\w*) /i, sameSet, 'places at the same distance have no order']],
})
