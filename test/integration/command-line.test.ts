/** The respd command: its options, its configuration file, its start and its end. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { type Child, manifest, root, startChild } from '../support/server.ts'

/** Runs the command to its end. */
function respd(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), path.join(root, 'src/main.ts'), ...args],
    {
      encoding: 'utf8',
      timeout: 15_000,
    },
  )
  return { status, output: stdout + stderr }
}

async function ask(child: Child, ...args: string[]): Promise<unknown> {
  const connection = await Connection.open(child.address)
  try {
    return await connection.get(...args)
  } finally {
    connection.close()
  }
}

describe('options', () => {
  let dir = ''
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'respd-options-'))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  test('--version and --help answer and end', () => {
    expect(respd('--version')).toMatchObject({ status: 0, output: expect.stringContaining(manifest.version) })
    expect(respd('--help')).toMatchObject({ status: 0, output: expect.stringContaining('--port') })
  })

  test('an option that does not exist is refused', () => {
    const { status, output } = respd('--no-such-option', '1')
    expect(status).toBe(1)
    expect(output).toMatch(/no-such-option/)
  })

  test('a value that does not fit is refused', () => {
    expect(respd('--port', 'abc').status).toBe(1)
    expect(respd('--databases', '0').status).toBe(1)
  })

  test('a configuration file that does not exist is refused', () => {
    expect(respd(path.join(dir, 'nowhere.conf')).status).toBe(1)
  })

  test('the command line goes over the file', async () => {
    const file = path.join(dir, 'redis.conf')
    writeFileSync(file, '# a comment\n\nport 1\nrequirepass "s e c"\ndatabases 4\nTIMEOUT 77\n')
    const child = await startChild([file, '--databases', '5'], { fileFirst: true })
    try {
      const connection = await Connection.open(child.address)
      await expect(connection.get('PING')).rejects.toThrow('NOAUTH')
      expect(await connection.get('AUTH', 's e c')).toBe('OK')
      expect(await connection.get('CONFIG', 'GET', 'timeout')).toEqual(['timeout', '77'])
      expect(await connection.get('SELECT', 4)).toBe('OK')
      await expect(connection.get('SELECT', 5)).rejects.toThrow('out of range')
      connection.close()
    } finally {
      await child.stop()
    }
  })

  test('logfile and dir', async () => {
    const child = await startChild(['--dir', dir, '--logfile', 'respd.log'])
    try {
      expect(await ask(child, 'PING')).toBe('PONG')
      expect(existsSync(path.join(dir, 'respd.log'))).toBe(true)
      expect(readFileSync(path.join(dir, 'respd.log'), 'utf8')).toMatch(/ready to accept connections/i)
    } finally {
      await child.stop()
    }
  })

  test('a port in use is an error, not a hang', async () => {
    const child = await startChild()
    try {
      expect(respd('--port', String(child.port))).toMatchObject({ status: 1, output: expect.stringMatching(/in use/i) })
    } finally {
      await child.stop()
    }
  })
})

describe('the end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s shuts down cleanly', async (signal) => {
    const child = await startChild()
    const connection = await Connection.open(child.address)
    expect(await connection.get('PING')).toBe('PONG')
    await child.stop(signal)
    expect(child.process.exitCode).toBe(0)
    expect(await connection.closes()).toBe(true)
  })

  test('SHUTDOWN ends the process', async () => {
    const child = await startChild()
    const connection = await Connection.open(child.address)
    const exit = new Promise((resolve) => child.process.once('exit', resolve))
    connection.send('SHUTDOWN', 'NOSAVE')
    expect(await exit).toBe(0)
    expect(await connection.closes()).toBe(true)
    await child.stop()
  })
})
