/** redis-cli looks for big and hot keys: what it finds in respd is what it finds in redis-server with the same data. */
import { spawn, spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { describeWithOracle, useOracle } from '../support/oracle.ts'
import type { Argument } from '../support/resp.ts'
import { useServer } from '../support/server.ts'

const installed = spawnSync('redis-cli', ['--version']).status === 0
const server = useServer({ 'maxmemory-policy': 'allkeys-lfu' })
const oracle = useOracle('--maxmemory-policy', 'allkeys-lfu')
const withCli = describe.skipIf(!installed && !process.env.CI)

function cli(port: number, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('redis-cli', ['-p', String(port), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
    child.once('error', reject)
    child.once('close', () => resolve(text))
  })
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Fifty keys of each type, the last of which is by far the largest. */
const COMMANDS: Argument[][] = numbers(50).flatMap((i) => {
  const size = i === 49 ? 200 : i + 1
  return [
    ['SET', `string:${i}`, 'x'.repeat(size * size)],
    ['RPUSH', `list:${i}`, ...numbers(size * 5)],
    ['SADD', `set:${i}`, ...numbers(size * 6).map((n) => `member ${n}`)],
    ['HSET', `hash:${i}`, ...numbers(size * 7).flatMap((n) => [`field ${n}`, n])],
    ['ZADD', `zset:${i}`, ...numbers(size * 8).flatMap((n) => [n, `member ${n}`])],
    ...numbers(size).map((n) => ['XADD', `stream:${i}`, `1-${n + 1}`, 'f', 'v'.repeat(100)]),
  ]
})
/** A logarithmic counter: with factor 0 each read counts. */
const READS: Argument[][] = [
  ['CONFIG', 'SET', 'lfu-log-factor', 0],
  ...numbers(120).map(() => ['GET', 'string:7']),
  ...numbers(60).map(() => ['LLEN', 'list:9']),
]

async function fill(port: number): Promise<void> {
  const client = await Connection.open({ port })
  for (const commands of [COMMANDS, READS])
    for (const reply of await client.pipeline(commands)) expect(String(reply.subarray(0, 50))).not.toMatch(/^-/)
  client.close()
}

/** The lines of the summary; where keys of the same size were met on the way, the order of the scan decides. */
function summary(text: string): string[] {
  return text
    .slice(text.indexOf('-------- summary -------'))
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()
}

withCli('redis-cli', () => {
  beforeAll(() => fill(server.port))

  test('--bigkeys names the largest of each type', async () => {
    const text = await cli(server.port, '--bigkeys')
    expect(text).toContain('Sampled 300 keys in the keyspace!')
    expect(text).toContain('Biggest string found \'"string:49"\' has 40000 bytes')
    expect(text).toContain('Biggest   list found \'"list:49"\' has 1000 items')
    expect(text).toContain('Biggest    set found \'"set:49"\' has 1200 members')
    expect(text).toContain('Biggest   hash found \'"hash:49"\' has 1400 fields')
    expect(text).toContain('Biggest   zset found \'"zset:49"\' has 1600 members')
    expect(text).toContain('Biggest stream found \'"stream:49"\' has 200 entries')
  })

  test('--memkeys names what takes most memory, as MEMORY USAGE tells it', async () => {
    const client = await Connection.open(server.address)
    for (const samples of ['20', '5']) {
      const text = await cli(server.port, '--memkeys', ...(samples === '5' ? [] : ['--memkeys-samples', samples]))
      for (const type of ['string', 'list', 'set', 'hash', 'zset', 'stream']) {
        const bytes = await client.get('MEMORY', 'USAGE', `${type}:49`, 'SAMPLES', samples)
        expect(text).toContain(`Biggest ${type.padStart(6)} found '"${type}:49"' has ${String(bytes)} bytes`)
      }
    }
    client.close()
  })

  test('--hotkeys names what is used most, and refuses without an LFU policy', async () => {
    const text = await cli(server.port, '--hotkeys')
    expect(text).toContain('Sampled 300 keys in the keyspace!')
    const found = [...text.matchAll(/hot key found with counter: (\d+)\tkeyname: (.*)/g)].map(([, count, name]) => [name, Number(count)])
    expect(found.slice(0, 2).map(([name]) => name)).toEqual(['"string:7"', '"list:9"'])
    expect(found[0][1]).toBeGreaterThan(100)

    const client = await Connection.open(server.address)
    await client.get('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    expect(await cli(server.port, '--hotkeys')).toContain('ERR An LFU maxmemory policy is not selected')
    await client.get('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu')
    client.close()
  })

  describeWithOracle('beside redis-server', () => {
    const both = async (...args: string[]): Promise<string[]> => [
      await cli(server.port, ...args),
      await cli(oracle.current?.port as number, ...args),
    ]
    beforeAll(() => fill(oracle.current?.port as number))

    test('--bigkeys gives the same summary', async () => {
      const [ours, theirs] = await both('--bigkeys')
      expect(summary(ours)).toEqual(summary(theirs))
      expect(summary(ours).length).toBeGreaterThan(12)
    })

    test('--memkeys finds the same keys', async () => {
      const names = (text: string): string[] =>
        summary(text)
          .map((line) => /^Biggest .* found '(.*)'/.exec(line)?.[1] ?? '')
          .filter((name) => name !== '')
      const [ours, theirs] = await both('--memkeys')
      expect(names(ours)).toEqual(names(theirs))
    })

    test('--hotkeys finds the same keys first', async () => {
      const first = (text: string): string[] => [...text.matchAll(/counter: \d+\tkeyname: (.*)/g)].slice(0, 2).map((match) => match[1])
      const [ours, theirs] = await both('--hotkeys')
      expect(first(ours)).toEqual(first(theirs))
    })
  })
})
