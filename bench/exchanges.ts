/**
 * What redis-benchmark cannot send: transactions, and messages to subscribers. Our own client drives both servers in turn; since it is a
 * process of Node.js and may be slower than the servers, the CPU time per exchange says more than the throughput.
 */
import net from 'node:net'
import { type Argument, encodePipeline } from '../test/support/resp.ts'
import type { Options } from './options.ts'
import { cpuUs, type MeasuredServer, SERVERS, startServer, type Which } from './servers.ts'
import { fixed, median, ratio, type Table } from './table.ts'

type Exchange = {
  name: string
  /** Connections that send, each with one pipeline under way. */
  senders: number
  pipelines: readonly number[]
  /** One exchange, and how many bytes answer it. */
  commands: readonly Argument[][]
  replyBytes: number
  /** Connections that have sent `join` before, and the bytes that each of them gets for an exchange. */
  listeners?: { count: number; join: readonly Argument[]; bytes: number }
  count: number
}

const SET = ['SET', 'key:000000000042', 'x'.repeat(64)]
const MESSAGE = 'x'.repeat(64)

const EXCHANGES: readonly Exchange[] = [
  {
    name: 'transaction of 10 SETs',
    senders: 50,
    pipelines: [1, 16],
    commands: [['MULTI'], ...Array<string[]>(10).fill(SET), ['EXEC']],
    replyBytes: 5 + 10 * 9 + 5 + 10 * 5,
    count: 40_000,
  },
  {
    name: 'PUBLISH to 100 subscribers',
    senders: 10,
    pipelines: [1, 16],
    commands: [['PUBLISH', 'news', MESSAGE]],
    replyBytes: 6,
    listeners: { count: 100, join: ['SUBSCRIBE', 'news'], bytes: 4 + 13 + 10 + 5 + 66 },
    count: 8000,
  },
]

type Figures = { perSecond: number; cpuUs: number }

export async function measureExchanges(options: Options): Promise<Table> {
  const rows: string[][] = []
  for (const exchange of EXCHANGES) {
    if (options.only.length > 0 && !options.only.includes(exchange.name)) continue
    for (const pipeline of exchange.pipelines) rows.push(await row(exchange, pipeline, options))
  }
  const head = ['exchange', 'P', 'respd per s', 'redis per s', 'ratio', 'CPU us', 'redis', 'ratio']
  return { title: 'Exchanges, P of them in a pipeline', head, rows }
}

async function row(exchange: Exchange, pipeline: number, options: Options): Promise<string[]> {
  const servers = { respd: await startServer(options.commands.respd), redis: await startServer(options.commands.redis) }
  const seen: Record<Which, Figures[]> = { respd: [], redis: [] }
  try {
    for (let round = -1; round < options.rounds; round++) {
      for (const which of SERVERS) {
        const figures = await run(servers[which], exchange, pipeline, options.scale)
        if (round >= 0) seen[which].push(figures)
      }
    }
  } finally {
    for (const which of SERVERS) await servers[which].stop()
  }
  const middle = (which: Which, figure: keyof Figures) => median(seen[which].map((f) => f[figure]))
  const [a, b] = [middle('respd', 'perSecond'), middle('redis', 'perSecond')]
  const [ours, theirs] = [middle('respd', 'cpuUs'), middle('redis', 'cpuUs')]
  return [exchange.name, String(pipeline), fixed(a, 0), fixed(b, 0), ratio(a, b), fixed(ours, 2), fixed(theirs, 2), ratio(ours, theirs)]
}

async function run(server: MeasuredServer, exchange: Exchange, pipeline: number, scale: number): Promise<Figures> {
  const { senders, listeners, replyBytes } = exchange
  const rounds = Math.max(1, Math.round((exchange.count * scale) / senders / pipeline))
  const total = rounds * senders * pipeline
  const audience = await Promise.all(Array.from({ length: listeners?.count ?? 0 }, () => Peer.open(server.port)))
  await Promise.all(audience.map((peer) => peer.ask(encodePipeline([listeners?.join ?? []]), 1)))
  for (const peer of audience) peer.forget()
  const peers = await Promise.all(Array.from({ length: senders }, () => Peer.open(server.port)))
  const block = Buffer.from(encodePipeline(Array<readonly Argument[][]>(pipeline).fill(exchange.commands).flat()))
  const cpu = cpuUs(server.pid)
  const began = performance.now()
  const heard = audience.map((peer) => peer.hear(total * (listeners?.bytes ?? 0)))
  await Promise.all(peers.map((peer) => repeat(peer, block, replyBytes * pipeline, rounds)))
  await Promise.all(heard)
  const figures = { perSecond: (total / (performance.now() - began)) * 1000, cpuUs: (cpuUs(server.pid) - cpu) / total }
  for (const peer of [...audience, ...peers]) peer.close()
  return figures
}

async function repeat(peer: Peer, block: Buffer, replyBytes: number, rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i++) await peer.ask(block, replyBytes)
}

/** A connection that only counts the bytes it gets. */
class Peer {
  private readonly socket: net.Socket
  private received = 0
  private wanted = 0
  private arrived: (() => void) | null = null

  private constructor(socket: net.Socket) {
    this.socket = socket
  }

  static open(port: number): Promise<Peer> {
    return new Promise((resolve, reject) => {
      let peer: Peer | null = null
      const callback = (bytes: number): boolean => {
        peer?.receive(bytes)
        return true
      }
      const onread = { buffer: Buffer.allocUnsafe(1 << 16), callback }
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread })
      socket.once('error', reject)
      socket.once('connect', () => {
        peer = new Peer(socket)
        resolve(peer)
      })
    })
  }

  ask(bytes: Uint8Array | string, replyBytes: number): Promise<void> {
    this.socket.write(bytes)
    return this.hear(replyBytes)
  }

  /** Waits for so many bytes more. */
  hear(bytes: number): Promise<void> {
    this.wanted += bytes
    return new Promise((resolve) => {
      this.arrived = resolve
      this.check()
    })
  }

  /** Counts from here. */
  forget(): void {
    this.received = 0
    this.wanted = 0
  }

  close(): void {
    this.socket.destroy()
  }

  private receive(bytes: number): void {
    this.received += bytes
    this.check()
  }

  private check(): void {
    if (this.received < this.wanted || this.arrived === null) return
    const done = this.arrived
    this.arrived = null
    done()
  }
}
