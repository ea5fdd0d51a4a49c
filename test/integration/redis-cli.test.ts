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
