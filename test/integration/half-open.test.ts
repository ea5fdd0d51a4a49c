/** Connections of which one side has ended, or does not read: what they hold is bounded, and nobody else notices. */
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { RespdServer } from '../../src/index.ts'
import { Connection } from '../support/connection.ts'
import { type ServerOptions, startServer } from '../support/server.ts'

const BIG = 'x'.repeat(1 << 20)
/** More than the kernel takes for a peer that does not read. */
const COUNT = 30

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(options: ServerOptions = {}): Promise<RespdServer> {
  const server = await startServer({ clock: 'manual', ...options })
  open.push(server)
  return server
}

async function connect(server: RespdServer): Promise<Connection> {
  const connection = await Connection.open({ port: server.port })
  open.push(connection)
  return connection
}

/** A socket that does not close its side when the other has. */
async function peer(server: RespdServer): Promise<net.Socket> {
  const socket = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  open.push({ close: () => socket.destroy() })
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}

const clients = async (c: Connection): Promise<number> =>
  String(await c.get('CLIENT', 'LIST'))
    .trim()
    .split('\n').length
const info = async (c: Connection, name: string): Promise<number> =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(String(await c.get('INFO', 'everything')))?.[1])

/** Lets the clock run while the server does what it has to: a second of its time in each step. */
async function pass(server: RespdServer, other: Connection, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    server.clock.advance(1000)
    await other.get('PING')
  }
}

describe('a client that sends no more', () => {
  test('gets its replies, and the end', async () => {
    const server = await start()
    const [socket, other] = [await peer(server), await connect(server)]
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    const ended = new Promise((resolve) => socket.once('end', resolve))
    socket.end('PING\r\nSET k v\r\nGET k\r\n')
    await ended
    expect(text).toBe('+PONG\r\n+OK\r\n$1\r\nv\r\n')
    expect(await clients(other)).toBe(1)
  })

  test('is no subscriber and waits for no list any more', async () => {
    const server = await start()
    const [subscriber, waiting, other] = [await peer(server), await peer(server), await connect(server)]
    const replied = new Promise((resolve) => subscriber.once('data', resolve))
    subscriber.write('SUBSCRIBE news\r\n')
    waiting.write('BLPOP l 0\r\n')
    await replied
    await expect.poll(() => info(other, 'blocked_clients')).toBe(1)
    subscriber.end()
    waiting.end()
    await expect.poll(() => clients(other)).toBe(1)
    expect(await other.get('PUBLISH', 'news', 'x')).toBe(0)
    expect(await other.get('RPUSH', 'l', 'x')).toBe(1)
    expect(await other.get('LLEN', 'l')).toBe(1)
  })

  test('may read a long answer slowly', async () => {
    const server = await start()
    const [socket, other] = [await peer(server), await connect(server)]
    await other.get('SET', 'big', BIG)
    let received = 0
    let restAt = 6 << 20
    let resting: Promise<unknown> = Promise.resolve()
    socket.on('data', (bytes) => {
      received += bytes.length
      if (received < restAt) return
      restAt += 6 << 20
      socket.pause()
      resting = pass(server, other, 45).then(() => socket.resume())
    })
    const ended = new Promise((resolve) => socket.once('end', resolve))
    socket.end('GET big\r\n'.repeat(COUNT))
    await ended
    await resting
    expect(received).toBe(COUNT * (BIG.length + '$1048576\r\n\r\n'.length))
  })

  test('and does not read is cut off: what it was to get is let go', async () => {
    const server = await start()
    const [socket, other] = [await peer(server), await connect(server)]
    await other.get('SET', 'big', BIG)
    socket.pause()
    socket.end('GET big\r\n'.repeat(COUNT))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await expect.poll(() => clients(other)).toBe(1)
    await pass(server, other, 65)
    socket.resume()
    await closed
    expect(socket.bytesRead).toBeLessThan((COUNT * BIG.length) / 2)
    expect(await info(other, 'mem_clients_normal')).toBeLessThan(100_000)
  })
})

test('a client that the server ends and that does not read is cut off', async () => {
  const server = await start()
  const [socket, other] = [await peer(server), await connect(server)]
  await other.get('SET', 'big', BIG)
  socket.pause()
  socket.write(`${'GET big\r\n'.repeat(COUNT)}QUIT\r\n`)
  await expect.poll(async () => String(await other.get('INFO', 'commandstats'))).toContain('cmdstat_quit:')
  const ended = new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  await pass(server, other, 65)
  expect(await clients(other)).toBe(1)
  socket.resume()
  await ended
  expect(socket.bytesRead).toBeLessThan((COUNT * BIG.length) / 2)
})

describe('a subscriber that does not read', () => {
  const publish = async (c: Connection): Promise<void> => {
    for (let i = 0; i < COUNT; i++) await c.get('PUBLISH', 'news', BIG)
  }
  const subscribe = async (server: RespdServer): Promise<net.Socket> => {
    const socket = await peer(server)
    const replied = new Promise((resolve) => socket.once('data', resolve))
    socket.write('SUBSCRIBE news\r\n')
    await replied
    socket.pause()
    return socket
  }

  test('may stay above its soft limit for some seconds, and not longer', async () => {
    const server = await start({ 'client-output-buffer-limit': 'pubsub 0 1mb 10' })
    const [late, deaf, other] = [await subscribe(server), await subscribe(server), await connect(server)]
    await publish(other)
    await pass(server, other, 8)
    expect(await clients(other)).toBe(3)
    const all = COUNT * (BIG.length + 40)
    let received = 0
    const caughtUp = new Promise<void>((resolve) => {
      late.on('data', (bytes) => {
        received += bytes.length
        if (received > all - COUNT * 40) resolve()
      })
    })
    late.resume()
    await caughtUp
    await pass(server, other, 6)
    await expect.poll(() => clients(other)).toBe(2)
    expect(await info(other, 'client_output_buffer_limit_disconnections')).toBe(1)
    await pass(server, other, 20)
    expect(await other.get('PUBLISH', 'news', 'x')).toBe(1)
    expect(deaf.bytesRead).toBeLessThan(all / 2)
  })

  test('never has more than its hard limit waiting', async () => {
    const server = await start({ 'client-output-buffer-limit': 'pubsub 4mb 0 0' })
    const [socket, other] = [await subscribe(server), await connect(server)]
    await publish(other)
    expect(await clients(other)).toBe(1)
    expect(await other.get('PUBLISH', 'news', 'x')).toBe(0)
    expect(socket.bytesRead).toBeLessThan(COUNT * BIG.length)
  })
})

test.runIf(process.platform === 'linux')('the kernel looks after peers that have vanished', async () => {
  const server = await start({ 'tcp-keepalive': '100' })
  const socket = await peer(server)
  await connect(server)
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
  const local = `0100007F:${hex(server.port)}`
  const remote = `0100007F:${hex(socket.localPort ?? 0)}`
  // sl local remote state queues timer:jiffies ...; timer 2 is that of keepalive
  const timers = (): string[] =>
    readFileSync('/proc/net/tcp', 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1] === local && fields[2] === remote)
      .map((fields) => fields[5].slice(0, 2))
  await expect.poll(timers).toEqual(['02'])
})
