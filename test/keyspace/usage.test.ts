/** MEMORY USAGE: exact when all is counted, near that from a few samples, which are all it then looks at. */
import { describe, expect, test } from 'vitest'
import { InProcess } from '../support/in-process.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

class World {
  private readonly server = new InProcess()
  private readonly client = this.server.client()

  run(...words: string[]): string {
    const reply = this.server.run(this.client, words)
    return reply !== null && 'text' in reply ? reply.text : ''
  }

  usage(key: string, ...samples: string[]): number {
    return Number(this.run('MEMORY', 'USAGE', key, ...samples))
  }

  get used(): number {
    return this.server.engine.mem.used
  }
}

const FILLS: Record<string, (run: World['run']) => void> = {
  list: (run) => numbers(20_000).forEach((i) => run('RPUSH', 'k', `item number ${i}`)),
  'short quicklist': (run) => numbers(1200).forEach((i) => run('RPUSH', 'k', `item number ${i} ${'x'.repeat(20)}`)),
  set: (run) => numbers(5000).forEach((i) => run('SADD', 'k', `member ${i}`)),
  hash: (run) => numbers(5000).forEach((i) => run('HSET', 'k', `field ${i}`, `${i}`.padEnd(60))),
  'hash with expiries': (run) => {
    numbers(3000).forEach((i) => run('HSET', 'k', `field ${i}`, `${i}`.padEnd(60)))
    numbers(3000).forEach((i) => run('HEXPIRE', 'k', '1000', 'FIELDS', '1', `field ${i}`))
  },
  zset: (run) => numbers(8000).forEach((i) => run('ZADD', 'k', String((i * 7919) % 1000), `member ${i}`)),
  stream: (run) => {
    numbers(8000).forEach((i) => run('XADD', 'k', '*', 'field', `value ${i}`))
    for (const group of ['g1', 'g2']) {
      run('XGROUP', 'CREATE', 'k', group, '0')
      for (const consumer of ['c1', 'c2']) run('XREADGROUP', 'GROUP', group, consumer, 'COUNT', '1500', 'STREAMS', 'k', '>')
    }
  },
}

describe('MEMORY USAGE', () => {
  test.each(Object.entries(FILLS))('of a %s', (kind, fill) => {
    const world = new World()
    // the table of keys and the client's buffers have their size
    world.run('SET', 'other', 'x')
    const before = world.used
    fill((...words) => world.run(...words))
    const exact = world.usage('k', 'SAMPLES', '0')
    // the database keeps the names of hashes with expiries elsewhere
    if (kind === 'hash with expiries') expect(exact).toBeLessThan(world.used - before)
    else expect(exact).toBe(world.used - before)
    // which elements are looked at depends on the server's hash seed, and a few are not of the usual size
    for (const [tolerance, ...samples] of [[0.1], [0.2, 'SAMPLES', '1'], [0.05, 'SAMPLES', '50']] as [number, ...string[]][]) {
      expect(world.usage('k', ...samples)).toBeGreaterThan(exact * (1 - tolerance))
      expect(world.usage('k', ...samples)).toBeLessThan(exact * (1 + tolerance))
    }
  })

  test('five samples are the default, and nodes behind them are not looked at', () => {
    const world = new World()
    for (let i = 0; i < 10; i++) world.run('RPUSH', 'list', 'x'.repeat(9000))
    for (let i = 0; i < 10; i++) world.run('RPUSH', 'list', 'x'.repeat(90_000))
    expect(world.usage('list')).toBeLessThan(350_000)
    expect(world.usage('list')).toBe(world.usage('list', 'SAMPLES', '5'))
    expect(world.usage('list', 'SAMPLES', '15')).toBeGreaterThan(500_000)
    expect(world.usage('list', 'SAMPLES', '0')).toBeGreaterThan(990_000)
    expect(world.usage('list', 'SAMPLES', '19')).toBeGreaterThan(950_000)
    expect(world.usage('list', 'SAMPLES', '20')).toBe(world.usage('list', 'SAMPLES', '0'))
  })

  test('what has few blocks is exact, however few samples are asked for', () => {
    const world = new World()
    world.run('RPUSH', 'list', ...numbers(50).map(String))
    world.run('HSET', 'hash', ...numbers(50).map(String))
    world.run('SADD', 'set', ...numbers(50).map(String))
    world.run('SET', 'string', 'x'.repeat(100_000))
    world.run('BF.RESERVE', 'bloom', '0.01', '10000')
    for (const key of ['list', 'hash', 'set', 'string', 'bloom'])
      expect(world.usage(key, 'SAMPLES', '1')).toBe(world.usage(key, 'SAMPLES', '0'))
  })
})
