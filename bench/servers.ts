/** Servers under measurement: started in an empty directory, pinned to the first core, and what the kernel says about them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { Loader } from './load.ts'
import { ended, freePort } from '../test/support/oracle.ts'

export const SERVERS = ['respd', 'redis'] as const
export type Which = (typeof SERVERS)[number]

export type MeasuredServer = { process: ChildProcess; pid: number; port: number; connect(): Promise<Loader>; stop(): Promise<void> }

const TICK_US = 10_000 // the kernel counts CPU time in hundredths of a second
const pinning = cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0

/** A server's command line, pinned to the first core where the machine allows it. */
function pinned(command: readonly string[]): string[] {
  return pinning ? ['taskset', '-c', '0', ...command] : [...command]
}

/** Pins this process, with all its threads and the children to come, to the second core. */
export function pinClient(): void {
  if (pinning) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)])
}

export async function startServer(command: string): Promise<MeasuredServer> {
  const dir = mkdtempSync(path.join(tmpdir(), 'respd-bench-'))
  const port = await freePort()
  const [program, ...args] = pinned(['sh', '-c', `exec ${command.replaceAll('{port}', String(port))}`])
  const child = spawn(program, args, { cwd: dir, stdio: 'ignore' })
  const connect = () => Loader.open(port)
  const stop = async () => {
    await ended(child)
    rmSync(dir, { recursive: true, force: true })
  }
  for (let attempt = 0; ; attempt++) {
    try {
      ;(await connect()).close()
      return { process: child, pid: child.pid as number, port, connect, stop }
    } catch {
      if (attempt > 100 || child.exitCode !== null) {
        await stop()
        throw new Error(`did not start: ${command}`)
      }
      await sleep(100)
    }
  }
}

/** CPU time of the process, all threads, in microseconds; NaN where there is no /proc. */
export function cpuUs(pid: number): number {
  const stat = readProc(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US // utime and stime
}

/** Resident memory in bytes; NaN where there is no /proc. */
export function rssBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1]) * 1024
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
