/** redis-cli against respd. */
import { spawn, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const installed = spawnSync('redis-cli', ['--version']).status === 0
const server = useServer()

function cli(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('redis-cli', ['-p', String(server.port), ...args])
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', () => resolve(text))
    child.stdin.end(input)
  })
}

const withCli = test.skipIf(!installed && !process.env.CI)

withCli('one command', async () => {
  expect(await cli(['SET', 'k', 'v'])).toBe('OK\n')
  expect(await cli(['GET', 'k'])).toBe('v\n')
  expect(await cli(['--no-raw', 'GET', 'nokey'])).toBe('(nil)\n')
  expect(await cli(['-3', '--no-raw', 'GET', 'nokey'])).toBe('(nil)\n')
  expect(await cli(['INCR', 'k'])).toBe('ERR value is not an integer or out of range\n\n')
})

withCli('commands from a file', async () => {
  expect(await cli([], 'SET a 1\nINCR a\nMGET a nokey\n')).toBe('OK\n2\n2\n\n')
})

withCli('a mass insertion with --pipe', async () => {
  const commands = Array.from({ length: 5000 }, (_, i) => `SET key:${i} ${i}\r\n`).join('')
  expect(await cli(['--pipe'], commands)).toContain('errors: 0, replies: 5000')
})

withCli('--scan sees every key', async () => {
  await cli(['FLUSHALL'])
  await cli([], Array.from({ length: 200 }, (_, i) => `SET scan:${i} v\n`).join(''))
  const keys = (await cli(['--scan', '--pattern', 'scan:*'])).trim().split('\n')
  expect(new Set(keys).size).toBe(200)
})

withCli('--bigkeys and --memkeys find the largest', async () => {
  await cli([], `FLUSHALL\nSET small v\nSET large ${'x'.repeat(5000)}\nRPUSH list a b c\n`)
  expect(await cli(['--bigkeys'])).toMatch(/Biggest string found '"large"' has 5000 bytes/)
  expect(await cli(['--memkeys'])).toMatch(/Biggest string found '"large"' has \d+ bytes/)
})

/** What redis-cli has printed when it is told to stop after `ms`. */
function cliFor(ms: number, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('redis-cli', ['-p', String(server.port), ...args])
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk
      if (text.split('\n').length > 3) child.kill('SIGINT')
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), ms)
    child.once('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

withCli('--latency measures', async () => {
  expect(await cliFor(5000, ['--latency', '--raw', '-i', '0.2'])).toMatch(/^\d+ \d+ [\d.]+ \d+/)
})

withCli('--hotkeys finds keys when the policy counts uses', async () => {
  await cli(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu'])
  expect(await cli(['--hotkeys'])).toContain('Sampled')
  await cli(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'])
})
