/**
 * The server under test: in this process (`useServer`, `startServer`), or as a child process that runs the sources or the build (`startChild`).
 * RESPD_TARGET=PORT points `useServer` at a server that already runs, to try the same tests on another build.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createServer, type RespdServer, type ServerOptions } from '../../src/index.ts'
import { type Address, Connection } from './connection.ts'
import { ended, freePort } from './oracle.ts'

export type { ServerOptions }
export const root = fileURLToPath(new URL('../../', import.meta.url))

export type Manifest = { version: string; dependencies: Record<string, string> }
export const readManifest = (dir: string): Manifest => JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as Manifest
/** This project's package.json. */
export const manifest = readManifest(root)

/** What tests want different from the defaults: DEBUG is allowed. */
const TEST_OPTIONS: ServerOptions = { 'enable-debug-command': 'yes' }

/** Starts respd in this process on a free port. Close it when done. */
export async function startServer(options: ServerOptions = {}): Promise<RespdServer> {
  return createServer({ ...TEST_OPTIONS, ...options })
}

/** For tests that want servers of their own: starts one and returns what connects to it. All is closed after the test. */
export function useServers(): (options?: ServerOptions) => Promise<() => Promise<Connection>> {
  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close()
  })
  return async (options) => {
    const server = await startServer(options)
    open.push(server)
    return async () => {
      const connection = await Connection.open({ port: server.port })
      open.push(connection)
      return connection
    }
  }
}

/** As useServers, for several clients of one new server. */
export function useClients(): (count: number) => Promise<Connection[]> {
  const start = useServers()
  return async (count) => {
    const connect = await start()
    return Promise.all(Array.from({ length: count }, connect))
  }
}

export type ServerHolder = { readonly server: RespdServer; readonly address: Address; readonly port: number }

/** Starts respd in this process before the tests of this file and closes it after them. */
export function useServer(options: ServerOptions = {}): ServerHolder {
  let server: RespdServer | undefined
  const target = Number(process.env.RESPD_TARGET ?? 0)
  beforeAll(async () => {
    server = target ? ({ port: target, close: async () => {} } as RespdServer) : await startServer(options)
  })
  afterAll(() => server?.close())
  const started = (): RespdServer => {
    if (!server) throw new Error('the server starts in beforeAll: use it inside tests')
    return server
  }
  return {
    get server() {
      return started()
    },
    get port() {
      return started().port
    },
    get address() {
      return { port: started().port }
    },
  }
}

export type Child = {
  process: ChildProcess
  port: number
  address: Address
  dir: string
  log(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts respd as a child in a temporary directory: the sources through tsx, or `entry`, such as dist/main.js. `args` follow `--port`, or
 * go before it where the first is a configuration file. `stop` ends it and removes the directory.
 */
export async function startChild(args: readonly string[] = [], { entry = 'src/main.ts', fileFirst = false } = {}): Promise<Child> {
  const dir = mkdtempSync(path.join(tmpdir(), 'respd-test-'))
  const port = await freePort()
  const file = path.resolve(root, entry)
  const loader = file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
  const portArgs = ['--port', String(port)]
  const child = spawn(process.execPath, [...loader, file, ...(fileFirst ? [...args, ...portArgs] : [...portArgs, ...args])], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk))
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    await ended(child, signal)
    rmSync(dir, { recursive: true, force: true })
  }
  if (!(await listening(port, () => child.exitCode !== null))) {
    await stop()
    throw new Error(`the server did not start:\n${log}`)
  }
  return { process: child, port, address: { port }, dir, log: () => log, stop }
}

/** Resolves true when the port accepts connections, false when `gaveUp` says so or after ten seconds. */
async function listening(port: number, gaveUp: () => boolean): Promise<boolean> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline && !gaveUp(); ) {
    const ok = await new Promise<boolean>((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (ok) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}
