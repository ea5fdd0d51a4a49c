/** Sends a GET every millisecond over a connection of its own until told to stop; reports percentiles of the round trips in ms. */
import { spawnSync } from 'node:child_process'
import net from 'node:net'
import type { Percentiles } from './pauses.ts'

const REQUEST = '*2\r\n$3\r\nGET\r\n$5\r\nprobe\r\n'
const socket = net.connect(Number(process.argv[2]), '127.0.0.1')
const times: number[] = []
let sentAt = 0

// The work comes from the same core as the probes, and must not keep them waiting. Where this is not allowed, or known, it does.
spawnSync('chrt', ['--fifo', '--pid', '1', String(process.pid)], { stdio: 'ignore' })
socket.setNoDelay(true)
socket.on('error', () => {})
socket.on('connect', send)
socket.on('data', () => {
  times.push(performance.now() - sentAt)
  setTimeout(send, 1)
})

function send(): void {
  sentAt = performance.now()
  socket.write(REQUEST)
}

process.once('message', () => {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  const report: Percentiles = { count: times.length, p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) }
  process.send?.(report, () => process.exit(0))
})
