/**
 * The promise that snapshots without fork rest on: every part of a large collection is announced before it changes. What the announced
 * parts held when they were first announced, and what the others hold at the end, is together what the collection was at the beginning.
 */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { Config } from '../../src/engine/config.ts'
import { runBatch } from '../../src/engine/dispatch.ts'
import type { Arena } from '../../src/memory/arena.ts'
import { type Ref, segmentOf } from '../../src/memory/ref.ts'
import { ParseState } from '../../src/resp/parser.ts'
import { Server } from '../../src/server.ts'
import { dictBucket, dictBuckets, dictPause, visited } from '../../src/structs/dict.ts'
import { hasFlag, keyLength, keyStart, SLOT, slotValue, valueLength, valueRef, valueSegment, valueStart } from '../../src/structs/entry.ts'
import { fieldsOf } from '../../src/types/hash.ts'
import { largeDict } from '../../src/types/zset-large.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { type Random, runSeed, seeded } from '../support/random.ts'
import { encodeCommand } from '../support/resp.ts'

const MEMBERS = 3000
const CHANGES = 4000

/** An element as a snapshot would write it. */
function shown(mem: Arena, entry: Ref): string {
  const key = latin1(mem.u8[segmentOf(entry)], keyStart(mem, entry), keyLength(mem, entry))
  const value = latin1(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry))
  return `${key}=${value}@${hasFlag(mem, entry, SLOT) ? slotValue(mem, entry) : ''}`
}

function bucket(mem: Arena, dict: Ref, position: number): string[] {
  dictBucket(mem, dict, position)
  return visited.map((entry) => shown(mem, entry))
}

type Kind = { dictOf: (mem: Arena, entry: Ref) => Ref; fill: (i: number) => string[]; change: (random: Random, member: string) => string[] }

const kinds: Record<string, Kind> = {
  hash: {
    dictOf: fieldsOf,
    fill: (i) => ['HSET', 'k', `m${i}`, `value ${i}`],
    change: (random, m) =>
      random.pick([
        ['HSET', 'k', m, 'x'.repeat(random.below(40))],
        ['HSET', 'k', m, 'x'.repeat(random.below(3000))],
        ['HDEL', 'k', m],
        ['HEXPIRE', 'k', '1000', 'FIELDS', '1', m],
        ['HPERSIST', 'k', 'FIELDS', '1', m],
        ['HGETDEL', 'k', 'FIELDS', '1', m],
        ['HSETEX', 'k', 'EX', '500', 'FIELDS', '1', m, 'y'],
        ['HINCRBYFLOAT', 'k', `n${m}`, '1.5'],
      ]),
  },
  set: {
    dictOf: (mem, entry) => valueRef(mem, entry),
    fill: (i) => ['SADD', 'k', `m${i}`],
    change: (random, m) =>
      random.pick([
        ['SADD', 'k', m],
        ['SREM', 'k', m],
        ['SPOP', 'k'],
        ['SMOVE', 'k', 'other', m],
        ['SADD', 'k', `${m}!`],
      ]),
  },
  zset: {
    dictOf: (mem, entry) => largeDict(mem, valueRef(mem, entry)),
    fill: (i) => ['ZADD', 'k', String(i % 100), `m${i}`],
    change: (random, m) =>
      random.pick([
        ['ZADD', 'k', String(random.below(1000)), m],
        ['ZINCRBY', 'k', '2.5', m],
        ['ZREM', 'k', m],
        ['ZPOPMIN', 'k'],
        ['ZPOPMAX', 'k', '2'],
        ['ZREMRANGEBYRANK', 'k', '5', '7'],
        ['ZADD', 'k', '5', `${m}!`],
      ]),
  },
}

test.each(Object.entries(kinds))('every bucket of a large %s is announced before it changes', (_, { dictOf, fill, change }) => {
  const seed = runSeed()
  const random = seeded(seed)
  const { engine } = new Server(new Config(), new ManualClock(1_700_000_000_000))
  const { mem } = engine
  const client: Client = engine.addClient()
  const run = (words: readonly string[]): void => {
    const bytes = new Uint8Array(encodeCommand(words.map((word) => Buffer.from(word, 'latin1'))))
    client.argv = engine.parser.frame
    engine.parser.parse(new ParseState(), bytes, 0, bytes.length, 1, true)
    runBatch(client)
    expect(engine.reply.errors, words.join(' ')).toBe(0)
    engine.reply.clear()
  }
  for (let i = 0; i < MEMBERS; i++) run(fill(i))
  const entry = engine.space.dbs[0].peekKey(bytesOf('k'), 0, 1)
  const dict = dictOf(mem, entry)
  dictPause(mem, dict, 1)
  const positions = Array.from({ length: dictBuckets(mem, dict) }, (__, i) => i)
  const before = positions.map((position) => bucket(mem, dict, position))
  const taken = new Map<number, string[]>()
  mem.onChange = (root, part) => {
    if (root === dict && !taken.has(part)) taken.set(part, bucket(mem, dict, part))
  }
  for (let i = 0; i < CHANGES; i++) run(change(random, `m${random.below(MEMBERS)}`))
  mem.onChange = null
  expect(taken.size, `seed ${seed}`).toBeGreaterThan(positions.length / 4)
  const restored = positions.map((position) => taken.get(position) ?? bucket(mem, dict, position))
  expect(
    restored.map((part) => part.toSorted()),
    `seed ${seed}`,
  ).toEqual(before.map((part) => part.toSorted()))
})
