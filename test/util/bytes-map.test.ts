import { expect, test } from 'vitest'
import { BytesMap } from '../../src/util/bytes-map.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { runSeed, seeded } from '../support/random.ts'

const find = (map: BytesMap<number>, key: string): ReturnType<BytesMap<number>['find']> => map.find(bytesOf(`<${key}>`), 1, key.length)

/** Runs random changes against a Map; `seeds` that are all alike put every key of a length class into few chains. */
function compare(nextUint32: () => number): void {
  const random = seeded(runSeed())
  const map = new BytesMap<number>({ nextUint32 })
  const model = new Map<string, number>()
  for (let i = 0; i < 5000; i++) {
    const key = String.fromCharCode(...Array.from({ length: random.below(4) }, () => random.below(256)))
    const entry = find(map, key)
    expect(entry?.value).toBe(model.get(key))
    if (entry !== undefined && random.chance(0.5)) {
      map.remove(entry)
      map.remove(entry)
      model.delete(key)
    } else if (entry === undefined) {
      map.add(bytesOf(`<${key}>`), 1, key.length, i)
      model.set(key, i)
    }
    expect(map.size).toBe(model.size)
  }
  expect([...map].map(({ key, value }) => [latin1(key, 0, key.length), value])).toEqual([...model])
}

test('agrees with a Map, in order of arrival', () => {
  const random = seeded(runSeed())
  compare(() => random.below(2 ** 32))
})

test('keeps its chains when hashes collide', () => {
  // Two keys of one hash, found by trying.
  const map = new BytesMap<number>({ nextUint32: () => 1 })
  const byHash = new Map<number, string>()
  let pair: [string, string] | undefined
  for (let i = 0; pair === undefined; i++) {
    const key = i.toString(36)
    const entry = map.add(bytesOf(key), 0, key.length, i)
    const other = byHash.get(entry.hash)
    if (other !== undefined) pair = [other, key]
    byHash.set(entry.hash, key)
  }
  for (const key of pair) expect(find(map, key)).toBeDefined()
  map.remove(find(map, pair[0]) as NonNullable<ReturnType<typeof find>>)
  expect(find(map, pair[0])).toBeUndefined()
  expect(find(map, pair[1])?.value).toBe(Number.parseInt(pair[1], 36))
})
