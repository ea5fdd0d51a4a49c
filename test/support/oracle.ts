/**
 * The oracle: a real redis-server to compare with. RESPD_ORACLE names one, otherwise `redis-server` of the PATH is taken. Each test file
 * starts its own, in a directory of its own, and stops it at the end. In CI its absence is a failure; elsewhere the comparison is skipped visibly.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Address } from './connection.ts'

export type Oracle = {
  address: Address
  port: number
  dir: string
  version: string
  atLeast(version: string): boolean
  stop(): Promise<void>
}

const binary = process.env.RESPD_ORACLE || 'redis-server'
/** The oracle's version, or '' when there is none on this machine. */
export const oracleVersion = versionOf(binary)
export const haveOracle = oracleVersion !== ''
const missing = `${binary} is not installed`

function versionOf(executable: string): string {
  const { stdout } = spawnSync(executable, ['--version'], { encoding: 'utf8' })
  return /v=(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? ''
}

export function versionAtLeast(version: string, wanted: string): boolean {
  const number = (v: string) => v.split('.').reduce((sum, part, i) => sum + Number(part) * 1000 ** (2 - i), 0)
  return number(version) >= number(wanted)
}

/** `describe` for what needs the oracle: fails in CI and skips elsewhere when there is none. */
export function describeWithOracle(name: string, body: () => void): void {
  if (haveOracle || process.env.CI) describe(name, body)
  else describe.skip(`${name} (skipped: ${missing})`, body)
}

/** Starts an oracle before the tests of this file and stops it after them. The property is undefined where the comparison is skipped. */
export function useOracle(...options: string[]): { current: Oracle | undefined } {
  const holder: { current: Oracle | undefined } = { current: undefined }
  beforeAll(async () => {
    if (haveOracle || process.env.CI) holder.current = await startOracle(...options)
  })
  afterAll(() => holder.current?.stop())
  if (!haveOracle && !process.env.CI) test.skip(`comparison with redis-server (${missing})`, () => {})
  return holder
}

/** Starts the oracle on a free port. `options` are added to its command line. */
export async function startOracle(...options: string[]): Promise<Oracle> {
  if (!haveOracle) throw new Error(missing)
  return start(binary, oracleVersion, options)
}

/** The `redis-server` of the PATH, when it is older than `version`. */
export async function startOlderOracle(version: string, ...options: string[]): Promise<Oracle | undefined> {
  const installed = versionOf('redis-server')
  return installed && !versionAtLeast(installed, version) ? start('redis-server', installed, options) : undefined
}

async function start(executable: string, version: string, options: string[]): Promise<Oracle> {
  const dir = mkdtempSync(path.join(tmpdir(), 'respd-oracle-'))
  for (let attempt = 0; ; attempt++) {
    const port = await freePort()
    const fixed = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--enable-debug-command', 'yes', '--dir', dir]
    const child = spawn(executable, [...fixed, ...options].map(String), { stdio: ['ignore', 'pipe', 'pipe'], cwd: dir })
    if (!(await accepting(child))) {
      if (attempt < 3) continue // somebody else took the port
      rmSync(dir, { recursive: true, force: true })
      throw new Error(`${executable} did not start`)
    }
    const stop = async () => {
      await ended(child)
      rmSync(dir, { recursive: true, force: true })
    }
    return { address: { port }, port, dir, version, atLeast: (wanted) => versionAtLeast(version, wanted), stop }
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}

/** Resolves when the child's log says that it accepts connections; false when it ends instead. */
export async function accepting(child: ChildProcess, ready = /ready to accept connections/i): Promise<boolean> {
  return new Promise((resolve) => {
    let log = ''
    const read = (chunk: Buffer) => {
      log += chunk
      if (ready.test(log)) resolve(true)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', () => resolve(false))
    child.once('exit', () => resolve(false))
  })
}

/** Ends a child process and waits for its end. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  await exit
}
