/**
 * Moving large collections out of a segment: whatever happens between two steps, and wherever memory ends, the collection answers as one
 * that was never moved; a walk in peace leaves nothing behind.
 */
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import type { Ref } from '../../src/memory/ref.ts'
import { typeOf } from '../../src/structs/entry.ts'
import type { MovePlace } from '../../src/types/object.ts'
import { TYPES } from '../../src/types/registry.ts'
import { bytesOf } from '../../src/util/bytes.ts'
import { InProcess } from '../support/in-process.ts'
import { type Random, runSeed, seeded } from '../support/random.ts'

/** Where the places in a table's second dict begin. */
const SECOND_PAGES = 2 ** 34

type Kind = { options?: Record<string, string>; fill: string[][]; change: (random: Random) => string[]; read: string[][] }

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
/** Long now and then, so that there are nodes of all sizes. */
const text = (random: Random): string => String(random.below(1000)).repeat(random.chance(0.02) ? 700 : 1 + random.below(8))

const list = (depth: string): Kind => ({
  options: { 'list-max-listpack-size': '-1', 'list-compress-depth': depth },
  fill: numbers(1500).map((i) => [i % 3 === 0 ? 'LPUSH' : 'RPUSH', 'k', `item ${i} `.repeat(1 + (i % 40))]),
  change: (random) =>
    random.pick([
      ['LPUSH', 'k', text(random)],
      ['RPUSH', 'k', text(random), text(random)],
      ['LPOP', 'k'],
      ['RPOP', 'k', '3'],
      ['LSET', 'k', String(random.below(900)), text(random)],
      ['LINSERT', 'k', 'BEFORE', `item ${random.below(50)} `, text(random)],
      ['LREM', 'k', '1', `item ${random.below(50)} `],
      ['LINDEX', 'k', String(random.below(900))],
    ]),
  read: [
    ['LLEN', 'k'],
    ['LRANGE', 'k', '0', '-1'],
  ],
})

const member = (random: Random): string => `m${random.below(3000)}`

const KINDS: Record<string, Kind> = {
  list: list('0'),
  'compressed list': list('2'),
  zset: {
    fill: numbers(3000).map((i) => ['ZADD', 'k', String((i * 7919) % 500), `m${i}`]),
    change: (random) =>
      random.pick([
        ['ZADD', 'k', String(random.below(500)), member(random)],
        ['ZINCRBY', 'k', '0.5', member(random)],
        ['ZREM', 'k', member(random)],
        ['ZPOPMIN', 'k'],
        ['ZRANK', 'k', member(random), 'WITHSCORE'],
        ['ZREMRANGEBYRANK', 'k', '100', '102'],
        ['ZRANGEBYSCORE', 'k', '250', '251'],
      ]),
    read: [
      ['ZCARD', 'k'],
      ['ZRANGE', 'k', '0', '-1', 'WITHSCORES'],
      ['ZREVRANGE', 'k', '0', '-1'],
      ['ZMSCORE', 'k', ...numbers(3000).map((i) => `m${i}`)],
      ...numbers(50).map((i) => ['ZRANK', 'k', `m${i * 60}`]),
    ],
  },
  stream: {
    options: { 'stream-node-max-entries': '5' },
    fill: [
      ...numbers(3000).map((i) => ['XADD', 'k', `${i + 1}-1`, 'field', `value ${i}`]),
      ...['g1', 'g2', 'idle'].map((group) => ['XGROUP', 'CREATE', 'k', group, '0']),
      ...numbers(40).map((i) => ['XREADGROUP', 'GROUP', `g${(i % 2) + 1}`, `c${i % 5}`, 'COUNT', '60', 'STREAMS', 'k', '>']),
      ['XGROUP', 'CREATECONSUMER', 'k', 'g2', 'nobody'],
    ],
    change: (random) => {
      const id = `${random.below(3000) + 1}-1`
      const group = `g${random.below(2) + 1}`
      const consumer = `c${random.below(6)}`
      return random.pick([
        ['XADD', 'k', '*', 'other', text(random)],
        ['XDEL', 'k', id],
        ['XTRIM', 'k', 'MINID', String(random.below(100))],
        ['XACK', 'k', group, id],
        ['XCLAIM', 'k', group, consumer, '0', id],
        ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', '3', 'STREAMS', 'k', '>'],
        ['XRANGE', 'k', id, '+', 'COUNT', '2'],
        ['XGROUP', 'DELCONSUMER', 'k', group, 'c5'],
      ])
    },
    read: [
      ['XLEN', 'k'],
      ['XRANGE', 'k', '-', '+'],
      ['XREVRANGE', 'k', '+', '-'],
      ['XINFO', 'STREAM', 'k', 'FULL', 'COUNT', '0'],
      ['XPENDING', 'k', 'g1', '-', '+', '5000'],
      ['XPENDING', 'k', 'g2', '-', '+', '5000', 'c1'],
    ],
  },
  hash: {
    fill: numbers(2000).map((i) => ['HSET', 'k', `f${i}`, 'v'.repeat(i % 10 === 0 ? 1500 : i % 50)]),
    change: (random) =>
      random.pick([
        ['HSET', 'k', `f${random.below(2500)}`, text(random)],
        ['HDEL', 'k', `f${random.below(2500)}`],
        ['HPEXPIREAT', 'k', '1800000000000', 'FIELDS', '1', `f${random.below(2500)}`],
        ['HGET', 'k', `f${random.below(2500)}`],
      ]),
    read: [
      ['HLEN', 'k'],
      ['HMGET', 'k', ...numbers(2500).map((i) => `f${i}`)],
      ['HPTTL', 'k', 'FIELDS', '500', ...numbers(500).map((i) => `f${i}`)],
    ],
  },
}

/** A server whose collection is moved, beside one whose is not. Commands go to both and must be answered alike. */
class Pair {
  readonly moved: InProcess
  private readonly stays: InProcess
  private readonly clients: [Client, Client]
  private readonly place: MovePlace = { at: 0, group: 0, consumer: 0 }

  constructor(options: Record<string, string>) {
    this.moved = new InProcess(options)
    this.stays = new InProcess(options)
    this.clients = [this.moved.client(), this.stays.client()]
  }

  run(words: string[]): void {
    expect(this.moved.run(this.clients[0], words), words.slice(0, 4).join(' ')).toEqual(this.stays.run(this.clients[1], words))
  }

  get at(): number {
    return this.place.at
  }

  get entry(): Ref {
    return this.moved.engine.space.dbs[0].peekKey(bytesOf('k'), 0, 1)
  }

  /** Closes the segments that the collection lies in, and opens the others. */
  close(): void {
    const { mem } = this.moved.engine
    const segments = this.segments()
    for (let segment = 0; segment < mem.u8.length; segment++) if (!segments.has(segment)) mem.reopenSegment(segment)
    for (const segment of segments) mem.closeSegment(segment)
  }

  segments(): Set<number> {
    const segments = new Set<number>()
    const { mem } = this.moved.engine
    TYPES[typeOf(mem, this.entry)].audit(mem, this.entry, (ref) => segments.add(Math.floor(ref / 2 ** 23)))
    return segments
  }

  /** Blocks of the collection that lie in closed segments. */
  left(): number {
    const { mem } = this.moved.engine
    let left = 0
    TYPES[typeOf(mem, this.entry)].audit(mem, this.entry, (ref) => (left += Number(mem.isClosed(ref))))
    return left
  }

  step(): boolean {
    const { mem } = this.moved.engine
    return TYPES[typeOf(mem, this.entry)].moveStep?.(mem, this.entry, this.place) ?? false
  }

  restart(): void {
    this.place.at = this.place.group = this.place.consumer = 0
  }

  audit(): void {
    const { engine } = this.moved
    expect(auditArena(engine.mem, (report) => engine.space.audit(report))).toEqual([])
  }
}

describe('moving large collections', () => {
  test.each(Object.entries(KINDS))('a %s that changes between the steps, then in peace', (_, { options, fill, change, read }) => {
    const seed = runSeed()
    const random = seeded(seed)
    const pair = new Pair(options ?? {})
    for (const words of fill) pair.run(words)
    for (let round = 0; round < 2; round++) {
      pair.close()
      expect(pair.left()).toBeGreaterThan(20)
      while (pair.step()) for (let i = random.below(4); i > 0; i--) pair.run(change(random))
      pair.restart()
      for (let steps = 0; pair.step(); steps++) expect(steps, `seed ${seed}`).toBeLessThan(10_000)
      expect(pair.left(), `seed ${seed}`).toBe(0)
      pair.audit()
      for (const words of read) pair.run(words)
    }
    expect(pair.moved.defects).toEqual([])
    pair.run(['DEL', 'k'])
    pair.audit()
  })

  test.each(Object.entries(KINDS))('a %s when memory ends at any step', (_, { options, fill, read }) => {
    const pair = new Pair(options ?? {})
    for (const words of fill) pair.run(words)
    pair.close()
    const { mem } = pair.moved.engine
    const alloc = mem.alloc.bind(mem)
    let allowed = 0
    mem.alloc = (bytes) => {
      if (--allowed < 0) throw new OutOfMemory('test')
      return alloc(bytes)
    }
    for (let tries = 0, more = true; more; tries++) {
      allowed = tries % 7
      try {
        more = pair.step()
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfMemory)
      }
      if (tries % 500 === 0) pair.audit()
    }
    mem.alloc = alloc
    expect(pair.left()).toBe(0)
    pair.audit()
    for (const words of read) pair.run(words)
  })

  test('a set in the place of a hash with expiries, whose second dict was being moved', () => {
    const pair = new Pair({})
    for (const i of numbers(1000)) pair.run(['HSET', 'k', `f${i}`, 'v'])
    for (const i of numbers(1000)) pair.run(['HPEXPIREAT', 'k', '1800000000000', 'FIELDS', '1', `f${i}`])
    pair.close()
    while (pair.at < SECOND_PAGES) pair.step()
    pair.run(['DEL', 'k'])
    for (const i of numbers(1000)) pair.run(['SADD', 'k', `m${i}`])
    const before = Array.from(pair.moved.engine.mem.u32[0].subarray(0, 16))
    while (pair.step());
    expect(Array.from(pair.moved.engine.mem.u32[0].subarray(0, 16))).toEqual(before)
    pair.audit()
    pair.run(['SMISMEMBER', 'k', ...numbers(1001).map((i) => `m${i}`)])
  })

  test('a consumer that very many entries refer to stays; everything else of its stream goes', () => {
    const pair = new Pair({})
    for (let i = 1; i <= 20_100; i++) pair.run(['XADD', 'k', `${i}-1`, 'f', 'v'])
    // 20,100 entries are pending in the group: those of a consumer with few are found, the other one stays
    pair.run(['XGROUP', 'CREATE', 'k', 'g', '0'])
    pair.run(['XREADGROUP', 'GROUP', 'g', 'few', 'COUNT', '900', 'STREAMS', 'k', '>'])
    for (let i = 0; i < 10; i++) pair.run(['XREADGROUP', 'GROUP', 'g', 'many', 'COUNT', '2000', 'STREAMS', 'k', '>'])
    pair.close()
    while (pair.step());
    expect(pair.left()).toBe(1)
    pair.audit()
    pair.run(['XPENDING', 'k', 'g', '-', '+', '2000'])
    pair.run(['XACK', 'k', 'g', ...numbers(2000).map((i) => `${i + 1}-1`)])
    pair.audit()
  })

  test('a chain of Bloom filters', () => {
    const pair = new Pair({})
    pair.run(['BF.RESERVE', 'k', '0.01', '100', 'EXPANSION', '2'])
    for (let i = 0; i < 3000; i++) pair.run(['BF.ADD', 'k', `m${i}`])
    pair.close()
    expect(pair.left()).toBeGreaterThan(4)
    while (pair.step()) pair.run(['BF.ADD', 'k', `more ${pair.left()}`])
    expect(pair.left()).toBe(0)
    pair.audit()
    pair.run(['BF.MEXISTS', 'k', ...numbers(6000).map((i) => `m${i}`)])
    pair.run(['BF.INFO', 'k'])
  })

  test('no step moves more than some hundred kilobytes, and blocks that would take long stay', () => {
    const pair = new Pair({ 'list-max-listpack-size': '-5' })
    for (let i = 0; i < 300; i++) pair.run(['RPUSH', 'k', 'x'.repeat(60_000)])
    for (let i = 0; i < 3; i++) pair.run(['RPUSH', 'k', 'y'.repeat(9_000_000)])
    pair.close()
    const { mem } = pair.moved.engine
    let bytes = 0
    const moveOut = mem.moveOut.bind(mem)
    mem.moveOut = (ref, size) => {
      const moved = moveOut(ref, size)
      if (moved !== ref) bytes += size
      return moved
    }
    const walk = (): void => {
      pair.restart()
      for (let more = true; more; bytes = 0) {
        more = pair.step()
        expect(bytes).toBeLessThan(400_000)
      }
    }
    walk()
    expect(pair.left()).toBe(3)
    pair.audit()
    pair.run(['LRANGE', 'k', '0', '-1'])
    pair.run(['DEL', 'k'])
    for (let i = 0; i < 60; i++) pair.run(['HSET', 'k', `f${i}`, `${i}`.repeat(70_000)])
    pair.run(['HSET', 'k', 'large', 'z'.repeat(9_000_000)])
    pair.close()
    walk()
    expect(pair.left()).toBe(1)
    pair.audit()
    pair.run(['HMGET', 'k', 'large', ...numbers(60).map((i) => `f${i}`)])
  })
})
