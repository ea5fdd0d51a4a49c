/** What the server notes about itself: histograms, the slow log, latency events, monitors, pauses. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { latencyGraphText } from '../../src/commands/latency-text.ts'
import { Config } from '../../src/engine/config.ts'
import { Histogram } from '../../src/engine/histogram.ts'
import { LatencyMonitor } from '../../src/engine/latency.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { Connection } from '../support/connection.ts'
import { startServer } from '../support/server.ts'

describe('a histogram', () => {
  test('counts each duration within 1.6 %', () => {
    for (const usec of [0, 1, 127, 128, 1000, 12_345, 999_999, 2 ** 30 + 1]) {
      const histogram = new Histogram()
      histogram.record(usec)
      const shown = histogram.percentile(50)
      expect(shown).toBeGreaterThanOrEqual(usec)
      expect(shown - usec).toBeLessThanOrEqual(usec * 0.016)
    }
  })

  test('percentiles and cumulative counts at doubling bounds', () => {
    const histogram = new Histogram()
    for (let usec = 1; usec <= 100; usec++) histogram.record(usec)
    expect([50, 99, 100].map((percent) => histogram.percentile(percent))).toEqual([50, 99, 100])
    expect(histogram.doublings()).toEqual([
      [1, 1],
      [2, 2],
      [4, 4],
      [8, 8],
      [16, 16],
      [33, 32],
      [66, 65],
      [132, 100],
    ])
    histogram.reset()
    expect([histogram.total, histogram.doublings(), histogram.percentile(50)]).toEqual([0, [], 0])
  })
})

describe('latency events', () => {
  test("keep a second's worst, 160 seconds, and the worst of all", () => {
    const clock = new ManualClock()
    const monitor = new LatencyMonitor(clock)
    monitor.add('command', 5000)
    expect(monitor.events.size).toBe(0)
    monitor.thresholdMs = 2
    for (const usec of [1999, 3000, 9000, 4000]) monitor.add('command', usec)
    expect(monitor.events.get('command')?.samples.map(({ ms }) => ms)).toEqual([9])
    for (let second = 0; second < 200; second++) {
      clock.advance(1000)
      monitor.add('command', 2000)
    }
    expect(monitor.events.get('command')).toMatchObject({ maxMs: 9, samples: { length: 160 } })
  })

  test('as a graph', () => {
    const monitor = new LatencyMonitor(new ManualClock())
    monitor.thresholdMs = 1
    monitor.add('command', 7000)
    const graph = latencyGraphText('command', monitor.events.get('command')!, monitor.events.get('command')!.samples[0].timeSeconds + 90)
    expect(graph).toMatch(/^command - high 7 ms, low 7 ms \(all time high 7 ms\)\n-{80}\n/)
    expect(graph).toContain('1\nm')
  })
})

test('options that change nothing are named when they are set', () => {
  const config = new Config()
  expect(config.withoutEffect()).toEqual([])
  config.set([
    ['oom-score-adj', 'yes'],
    ['timeout', '5'],
  ])
  expect(config.withoutEffect()).toEqual(['oom-score-adj'])
})

describe('a server', () => {
  let server: Awaited<ReturnType<typeof startServer>>
  let client: Connection
  let other: Connection
  beforeEach(async () => {
    server = await startServer({ 'slowlog-log-slower-than': '0' })
    client = await Connection.open(server)
    other = await Connection.open(server)
  })
  afterEach(async () => {
    client.close()
    other.close()
    await server.close()
  })

  test('logs slow commands: cut, without secrets, with their client', async () => {
    await client.get('CLIENT', 'SETNAME', 'me')
    await client.get('SADD', 's', 'x'.repeat(200), ...Array.from({ length: 40 }, (_, i) => String(i)))
    await client.get('CONFIG', 'SET', 'masterauth', 'secret', 'timeout', '0')
    await client.get('CONFIG', 'SET', 'slowlog-log-slower-than', '-1')
    const entries = (await client.get('SLOWLOG', 'GET')) as [number, number, number, string[], string, string][]
    const byName = (name: string) => entries.find((entry) => entry[3][0] === name)
    expect(byName('SADD')?.[3]).toHaveLength(32)
    expect(byName('SADD')?.[3][2]).toBe(`${'x'.repeat(128)}... (72 more bytes)`)
    expect(byName('SADD')?.[3][31]).toBe('... (12 more arguments)')
    expect(byName('SADD')?.[5]).toBe('me')
    expect(entries.find((entry) => entry[3].includes('masterauth'))?.[3]).toEqual([
      'CONFIG',
      'SET',
      'masterauth',
      '(redacted)',
      'timeout',
      '0',
    ])
    await client.get('CONFIG', 'SET', 'slowlog-max-len', '1')
    expect(await client.get('SLOWLOG', 'LEN')).toBe(1)
  })

  test('shows commands to monitors, administrative ones not', async () => {
    expect(await other.get('MONITOR')).toBe('OK')
    await client.get('CONFIG', 'GET', 'hz')
    await client.get('SET', 'k', 'a "b"\n')
    expect(await other.read()).toMatchObject({
      text: expect.stringMatching(/^\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "SET" "k" "a \\"b\\"\\n"$/),
    })
    expect(await client.get('CLIENT', 'LIST')).toMatch(/ flags=O /)
  })

  test('says in INFO how long commands took', async () => {
    await client.get('GET', 'k')
    const info = String(await client.get('INFO', 'commandstats', 'latencystats'))
    expect(info).toMatch(/^cmdstat_get:calls=1,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=0\r$/m)
    expect(info).toMatch(/^latency_percentiles_usec_get:p50=\d+\.000,p99=\d+\.000,p99\.9=\d+\.000\r$/m)
  })

  test('has the sections of INFO in their order', async () => {
    const titles = (text: unknown) => [...String(text).matchAll(/^# (\w+)/gm)].map(([, title]) => title)
    const usual = [
      'Server',
      'Clients',
      'Memory',
      'Persistence',
      'Stats',
      'Replication',
      'CPU',
      'Modules',
      'Errorstats',
      'Cluster',
      'Keyspace',
    ]
    expect(titles(await client.get('INFO'))).toEqual(usual)
    expect(titles(await client.get('INFO', 'everything'))).toEqual(usual.toSpliced(8, 0, 'Commandstats').toSpliced(10, 0, 'Latencystats'))
    expect(titles(await client.get('INFO', 'keyspace', 'cpu'))).toEqual(['CPU', 'Keyspace'])
    expect(String(await client.get('INFO', 'memory'))).toMatch(/^# Memory\r\nused_memory:\d+\r\n/)
  })
})
