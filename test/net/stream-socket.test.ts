/** Connections as Node's own streams, where handles cannot be had: alone, and under a whole server. */
import net from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type RespdServer, type ServerOptions, createServer } from '../../src/index.ts'
import type { SocketOwner } from '../../src/net/client-socket.ts'
import { HandleSocket } from '../../src/net/handle-socket.ts'
import { StreamSocket } from '../../src/net/stream-socket.ts'
import { Connection } from '../support/connection.ts'
import { freePort } from '../support/oracle.ts'

const usable = vi.hoisted(() => ({ handles: false }))
vi.mock('../../src/net/stream-wrap.ts', async (load) => {
  const real = await load<typeof import('../../src/net/stream-wrap.ts')>()
  return { ...real, isUsable: (handle?: import('../../src/net/stream-wrap.ts').SocketHandle) => usable.handles && real.isUsable(handle) }
})

const open: { close(): unknown }[] = []
beforeEach(() => {
  usable.handles = false
})
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

/** Resolves when the stream emits it. */
const once = (socket: net.Socket | net.Server, event: string): Promise<void> =>
  new Promise((resolve) => socket.once(event, () => resolve()))

/** Asks until the answer is right; for so long, because the machine may be busy. */
const eventually = (ask: () => unknown) => expect.poll(ask, { timeout: 25_000 })

class Owner implements SocketOwner {
  text = ''
  readonly events: string[] = []
  receive(bytes: Uint8Array, length: number): void {
    this.text += Buffer.from(bytes.subarray(0, length)).toString()
  }
  filled(): void {}
  peerEnded(): void {
    this.events.push('ended')
  }
  destroy(): void {
    this.events.push('destroyed')
  }
}

interface Pair {
  readonly socket: StreamSocket
  readonly peer: net.Socket
  readonly owner: Owner
  readonly closings: () => number
}

/** A StreamSocket and the peer at its other end, which reads nothing yet. */
async function pair(): Promise<Pair> {
  const server = net.createServer().listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  const accepted = new Promise<net.Socket>((resolve) => server.once('connection', resolve))
  const peer = net.connect({ port: (server.address() as net.AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  peer.on('error', () => {})
  await once(peer, 'connect')
  let closings = 0
  const socket = new StreamSocket(await accepted, () => closings++)
  open.push({ close: () => (socket.destroy(), peer.destroy()) })
  const owner = new Owner()
  socket.start(owner)
  return { socket, peer, owner, closings: () => closings }
}

const BIG = new Uint8Array(1 << 20).fill(120)

/** Writes until the kernel takes no more; returns how many bytes it was. */
function fill(socket: StreamSocket): number {
  let bytes = 0
  do {
    socket.write(BIG, 0, BIG.length)
    bytes += BIG.length
  } while (socket.wentAtOnce)
  return bytes
}

/** How many bytes the peer reads to the end. */
async function readAll(peer: net.Socket): Promise<number> {
  let bytes = 0
  peer.on('data', (chunk) => (bytes += chunk.length))
  await once(peer, 'end')
  return bytes
}

describe('a socket on a stream', () => {
  test('receives, sends copies, and knows the names of both sides', async () => {
    const { socket, peer, owner } = await pair()
    peer.write('hello')
    await eventually(() => owner.text).toBe('hello')
    const bytes = Uint8Array.from(Buffer.from('--good day--'))
    expect([socket.write(bytes, 2, 10), socket.write(bytes, 3, 3)]).toEqual([true, true])
    bytes.fill(0)
    const [chunk] = await new Promise<Buffer[]>((resolve) => peer.once('data', (...args) => resolve(args as Buffer[])))
    expect(chunk.toString()).toBe('good day')
    expect([socket.peerName, socket.localName]).toEqual([`127.0.0.1:${peer.localPort}`, `127.0.0.1:${peer.remotePort}`])
    expect([socket.queuedBytes, socket.queuedWrites, socket.takenBytes, socket.wentAtOnce, socket.fd]).toEqual([0, 0, 8, true, -1])
  })

  test('queues for a slow reader, counts what the kernel takes even of one long write, and sends all before it ends', async () => {
    const { socket, peer, owner, closings } = await pair()
    const sent = fill(socket)
    const taken = socket.takenBytes
    expect([socket.queuedBytes > 0, socket.queuedWrites, taken < sent]).toEqual([true, 1, true])
    socket.end()
    socket.end()
    // nothing follows the end, and it does no harm
    socket.write(BIG, 0, BIG.length)
    socket.resume()
    expect([owner.events, closings()]).toEqual([[], 0])
    expect(await readAll(peer)).toBe(sent)
    await eventually(closings).toBe(1)
    expect(owner.events.at(-1)).toBe('destroyed')
  })

  test('the end of what the peer sends is told before the socket ends', async () => {
    const { socket, peer, owner } = await pair()
    const sent = fill(socket)
    peer.end()
    await eventually(() => owner.events).toEqual(['ended'])
    socket.end()
    expect(await readAll(peer)).toBe(sent)
  })

  test('a peer that resets the connection ends the owner', async () => {
    const { socket, peer, owner, closings } = await pair()
    fill(socket)
    peer.resetAndDestroy()
    await eventually(closings).toBe(1)
    expect(owner.events).toContain('destroyed')
    expect(socket.write(BIG, 0, 1)).toBe(true)
  })

  test('reads nothing while it pauses', async () => {
    const { socket, peer, owner } = await pair()
    socket.pause()
    peer.write('one')
    // what comes back shows that the event loop has been round
    socket.write(BIG, 0, 1)
    await once(peer, 'readable')
    expect(owner.text).toBe('')
    socket.resume()
    await eventually(() => owner.text).toBe('one')
  })
})

async function start(options: ServerOptions = {}): Promise<RespdServer> {
  const server = await createServer(options)
  open.push(server)
  return server
}

async function connect(server: RespdServer): Promise<Connection> {
  const connection = await Connection.open({ port: server.port })
  open.push(connection)
  return connection
}

interface Insides {
  readonly server: { readonly listener: { readonly connections: ReadonlySet<{ readonly socket: unknown }> } }
}

/** The kinds of sockets that the server's connections have. */
function kinds(server: RespdServer): unknown[] {
  return [...(server as unknown as Insides).server.listener.connections].map(({ socket }) => (socket as object).constructor)
}

describe.each([
  { name: 'streams', handles: false, kind: StreamSocket },
  { name: 'handles', handles: true, kind: HandleSocket },
])('a server on $name', ({ handles, kind }) => {
  beforeEach(() => {
    usable.handles = handles
  })

  test('answers pipelines and says who its clients are', async () => {
    const server = await start()
    const client = await connect(server)
    expect(kinds(server)).toEqual([kind])
    const replies = await client.pipeline(Array.from({ length: 1000 }, (_, i) => ['ECHO', String(i)]))
    expect(replies.map((reply) => reply.toString().split('\r\n')[1])).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)))
    const { localPort } = client.socket
    expect(await client.get('CLIENT', 'INFO')).toContain(`addr=127.0.0.1:${localPort} laddr=127.0.0.1:${server.port} `)
  })

  test('keeps big replies for a slow reader, whole and in order', async () => {
    const server = await start()
    const [slow, other] = [await connect(server), await connect(server)]
    await other.get('SET', 'big', 'x'.repeat(3_000_000))
    slow.socket.pause()
    const replies = slow.pipeline(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? ['GET', 'big'] : ['ECHO', String(i)])))
    await eventually(async () => await other.get('CLIENT', 'LIST')).toMatch(/omem=[1-9]/)
    slow.socket.resume()
    for (const [i, reply] of (await replies).entries()) {
      if (i % 2 === 0) expect(reply.length).toBe('$3000000\r\n\r\n'.length + 3_000_000)
      else expect(reply.toString()).toContain(`\r\n${i}\r\n`)
    }
    await eventually(async () => await other.get('CLIENT', 'LIST')).not.toMatch(/omem=[1-9]/)
  })

  test('ends a client that says QUIT after its replies, though messages for it come up', async () => {
    const server = await start()
    const [slow, other] = [await connect(server), await connect(server)]
    await other.get('SET', 'big', 'x'.repeat(30_000_000))
    await slow.get('HELLO', '3')
    slow.socket.pause()
    slow.write('GET big\r\nSUBSCRIBE news\r\nQUIT\r\n')
    await eventually(async () => await other.get('CLIENT', 'LIST')).toContain('cmd=quit')
    await other.get('PUBLISH', 'news', 'late')
    await other.get('PING')
    slow.socket.resume()
    expect((await slow.readRaw()).length).toBe('$30000000\r\n\r\n'.length + 30_000_000)
    expect(String(await slow.readRaw())).toContain('subscribe')
    expect(String(await slow.readRaw())).toBe('+OK\r\n')
    await eventually(() => slow.closed).toBe(true)
    await expect(slow.readRaw()).rejects.toThrow()
    await eventually(async () => await other.get('CLIENT', 'LIST')).not.toContain('cmd=quit')
  })

  test('forgets clients that leave, politely or not, whatever they were owed', async () => {
    const server = await start()
    const [other, ...leavers] = await Promise.all(Array.from({ length: 7 }, () => connect(server)))
    await other.get('SET', 'big', 'x'.repeat(10_000_000))
    for (const [i, { socket }] of leavers.entries()) {
      socket.pause()
      socket.write(i < 3 ? 'PING\r\n' : 'GET big\r\n')
    }
    await eventually(async () => String(await other.get('CLIENT', 'LIST')).match(/cmd=(ping|get)/g)?.length).toBe(6)
    for (const [i, { socket }] of leavers.entries()) {
      if (i % 3 === 0) socket.destroy()
      else if (i % 3 === 1) socket.resetAndDestroy()
      else socket.end().resume()
    }
    await eventually(() => kinds(server).length).toBe(1)
    expect(await other.get('PING')).toBe('PONG')
  })

  test('refuses clients above maxclients, and closes without waiting for those that do not read', async () => {
    const server = await start()
    const [admin, slow] = [await connect(server), await connect(server)]
    await admin.get('CONFIG', 'SET', 'maxclients', '2')
    const refused = await connect(server)
    expect(String(await refused.readRaw())).toBe('-ERR max number of clients reached\r\n')
    await eventually(() => refused.closed).toBe(true)
    await admin.get('SET', 'big', 'x'.repeat(20_000_000))
    slow.socket.pause()
    slow.write('GET big\r\n')
    await eventually(async () => await admin.get('CLIENT', 'LIST')).toMatch(/omem=[1-9]/)
    await Promise.all([server.close(), server.close()])
    expect(kinds(server)).toEqual([])
    await eventually(() => admin.closed).toBe(true)
  })

  test('serves those who are connected when it moves to another port', async () => {
    const server = await start()
    const [client, port] = [await connect(server), await freePort()]
    expect(await client.get('CONFIG', 'SET', 'port', String(port))).toBe('OK')
    const moved = await Connection.open({ port })
    open.push(moved)
    expect([await client.get('PING'), await moved.get('PING'), kinds(server)]).toEqual(['PONG', 'PONG', [kind, kind]])
  })
})
