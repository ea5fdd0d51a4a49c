/** Socket.IO on several processes, joined by respd: the adapter sends what one server emits to the sockets of the others. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdapter, createShardedAdapter } from '@socket.io/redis-adapter'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { Server } from 'socket.io'
import { io as connect, type Socket } from 'socket.io-client'
import { afterEach, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const respd = useServer()
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

type Adapter = Parameters<Server['adapter']>[0]

/** The adapter over two ioredis connections in RESP2. */
async function plainAdapter(): Promise<Adapter> {
  const pub = new Redis({ port: respd.port, host: '127.0.0.1' })
  const sub = pub.duplicate()
  cleanups.push(
    () => pub.disconnect(),
    () => sub.disconnect(),
  )
  return createAdapter(pub, sub) as Adapter
}

/** The adapter over shard channels and two node-redis connections in RESP3. */
async function shardedAdapter(): Promise<Adapter> {
  const pub = createClient({ url: respd.server.url, RESP: 3 })
  const sub = pub.duplicate()
  await Promise.all([pub.connect(), sub.connect()])
  cleanups.push(
    () => pub.close(),
    () => sub.close(),
  )
  return createShardedAdapter(pub, sub) as Adapter
}

async function startNode(adapter: Adapter): Promise<{ io: Server; port: number }> {
  const http: HttpServer = createServer()
  const io = new Server(http, { adapter })
  io.on('connection', (socket) => {
    socket.on('join', (room: string, done: () => void) => {
      void socket.join(room)
      done()
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => io.close())
  return { io, port: (http.address() as AddressInfo).port }
}

async function startSocket(port: number): Promise<Socket> {
  const socket = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'], reconnection: false })
  cleanups.push(() => socket.disconnect())
  await new Promise<void>((resolve) => socket.on('connect', resolve))
  return socket
}

const next = (socket: Socket, event: string): Promise<unknown> => new Promise((resolve) => socket.once(event, resolve))

/** Two servers, a socket on each. */
async function twoNodes(adapter: () => Promise<Adapter>): Promise<{ nodes: Server[]; sockets: Socket[] }> {
  const [a, b] = await Promise.all([startNode(await adapter()), startNode(await adapter())])
  // A server is one of the others' as soon as its subscriptions are made.
  for (const { io } of [a, b]) while ((await io.of('/').adapter.serverCount()) < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  return { nodes: [a.io, b.io], sockets: await Promise.all([startSocket(a.port), startSocket(b.port)]) }
}

describe.each([
  ['the adapter over ioredis', plainAdapter],
  ['the sharded adapter over node-redis in RESP3', shardedAdapter],
])('%s', (_name, adapter) => {
  test('sends to all sockets of all servers', async () => {
    const { nodes, sockets } = await twoNodes(adapter)
    const got = Promise.all(sockets.map((socket) => next(socket, 'news')))
    nodes[0].emit('news', { text: 'hello', bytes: [0, 255] })
    expect(await got).toEqual([
      { text: 'hello', bytes: [0, 255] },
      { text: 'hello', bytes: [0, 255] },
    ])
  })

  test('sends to a room on another server', async () => {
    const { nodes, sockets } = await twoNodes(adapter)
    await sockets[1].emitWithAck('join', 'room')
    const got = next(sockets[1], 'hello')
    nodes[0].to('room').emit('hello', 'room')
    expect(await got).toBe('room')
  })

  test('asks the sockets of other servers', async () => {
    const { nodes, sockets } = await twoNodes(adapter)
    for (const socket of sockets) socket.on('sum', (a: number, b: number, answer: (sum: number) => void) => answer(a + b))
    expect(await nodes[0].timeout(5000).emitWithAck('sum', 1, 2)).toEqual([3, 3])
  })

  test('asks the other servers', async () => {
    const { nodes } = await twoNodes(adapter)
    nodes[1].on('load', (answer: (load: number) => void) => answer(7))
    expect(await nodes[0].serverSideEmitWithAck('load')).toEqual([7])
    expect(await nodes[0].fetchSockets()).toHaveLength(2)
  })
})
