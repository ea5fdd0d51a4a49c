/** Where the server listens, whom it lets in, and what connections that behave badly do to it and to the others: nothing. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { freePort } from '../support/oracle.ts'
import { type ServerOptions, startChild, startServer } from '../support/server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(options: ServerOptions = {}): Promise<{ port: number; connect: () => Promise<Connection> }> {
  const server = await startServer(options)
  open.push(server)
  const connect = async (): Promise<Connection> => {
    const connection = await Connection.open({ port: server.port })
    open.push(connection)
    return connection
  }
  return { port: server.port, connect }
}

const infoNumber = async (c: Connection, name: string): Promise<number> =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(String(await c.get('INFO', 'everything')))?.[1])

describe('listening', () => {
  let dir = ''
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'respd-sockets-'))
  })
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  test.skipIf(process.platform === 'win32')('on a Unix socket too, with its mode', async () => {
    const socket = path.join(dir, 's.sock')
    const { connect } = await start({ unixsocket: socket, unixsocketperm: '700' })
    const client = await Connection.open({ path: socket })
    open.push(client)
    expect(await client.get('PING')).toBe('PONG')
    expect(statSync(socket).mode & 0o777).toBe(0o700)
    expect(await client.get('CLIENT', 'INFO')).toMatch(new RegExp(` addr=${socket}:0 .* flags=U `))
    expect(await (await connect()).get('PING')).toBe('PONG')
  })

  test('on several addresses; one that is not there may be optional', async () => {
    const { port } = await start({ bind: '127.0.0.1 -192.0.2.1 -::1' })
    expect(await Connection.open({ port }).then((c) => c.get('PING').finally(() => c.close()))).toBe('PONG')
    await expect(startServer({ bind: '127.0.0.1 192.0.2.1' })).rejects.toThrow(/192\.0\.2\.1/)
  })

  test('on another port after CONFIG SET port; a port in use changes nothing', async () => {
    const { port, connect } = await start()
    const client = await connect()
    const other = await freePort()
    expect(await client.get('CONFIG', 'SET', 'port', String(other))).toBe('OK')
    const moved = await Connection.open({ port: other })
    open.push(moved)
    expect(await moved.get('PING')).toBe('PONG')
    await expect(Connection.open({ port })).rejects.toThrow(/ECONNREFUSED/)
    const taken = net.createServer().listen(0, '127.0.0.1')
    open.push(taken)
    await new Promise((resolve) => taken.once('listening', resolve))
    client.send('CONFIG', 'SET', 'port', String((taken.address() as net.AddressInfo).port))
    expect(await client.read()).toMatchObject({ type: 'error', text: expect.stringContaining('Unable to listen on this port') })
    expect(await (await Connection.open({ port: other })).get('CONFIG', 'GET', 'port')).toEqual(['port', String(other)])
    expect(await client.get('PING')).toBe('PONG')
  })
})

describe('a configuration file', () => {
  test('rename-command, pidfile, CONFIG REWRITE, and the log', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'respd-conf-'))
    const file = path.join(dir, 'redis.conf')
    writeFileSync(
      file,
      `# mine\nrename-command GET fetch\nrename-command KEYS ""\npidfile ${dir}/pid\ntimeout 5\ndaemonize yes\nio-threads 4\n`,
    )
    const child = await startChild([file, '--maxmemory', '100mb'], { fileFirst: true })
    try {
      const client = await Connection.open(child.address)
      expect(await client.get('FETCH', 'k')).toBe(null)
      client.send('GET', 'k')
      expect(await client.read()).toMatchObject({ type: 'error', text: expect.stringContaining("unknown command 'GET'") })
      client.send('KEYS', '*')
      expect(await client.read()).toMatchObject({ type: 'error' })
      expect(readFileSync(path.join(dir, 'pid'), 'utf8').trim()).toBe(String(child.process.pid))
      await client.get('CONFIG', 'SET', 'timeout', '6')
      expect(await client.get('CONFIG', 'REWRITE')).toBe('OK')
      const text = readFileSync(file, 'utf8')
      expect(text).toMatch(/^# mine\nrename-command GET fetch\n/)
      expect(text).toContain('\ntimeout 6\n')
      expect(text).toContain('\nmaxmemory 100mb\n')
      client.close()
      await child.stop('SIGTERM')
      expect(existsSync(path.join(dir, 'pid'))).toBe(false)
      expect(child.log()).toMatch(
        /stays in the foreground[\s\S]*have no effect: io-threads[\s\S]*Server initialized[\s\S]*Ready to accept connections tcp/,
      )
    } finally {
      await child.stop()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

/** What Debian's redis-server package ships; only its owner may read it. */
const DEBIAN_CONF = '/etc/redis/redis.conf'

function isReadable(file: string): boolean {
  try {
    return readFileSync(file).length > 0
  } catch {
    return false
  }
}

test.runIf(isReadable(DEBIAN_CONF))('the configuration file that Debian ships starts the server', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'respd-debian-'))
  const own = ['--dir', dir, '--logfile', path.join(dir, 'log'), '--pidfile', path.join(dir, 'pid')]
  const child = await startChild([DEBIAN_CONF, ...own], { fileFirst: true })
  try {
    const client = await Connection.open(child.address)
    expect(await client.get('PING')).toBe('PONG')
    expect(await client.get('CONFIG', 'GET', 'daemonize')).toEqual(['daemonize', 'yes'])
    client.close()
    expect(readFileSync(path.join(dir, 'log'), 'utf8')).toContain('Ready to accept connections tcp')
  } finally {
    await child.stop()
    rmSync(dir, { recursive: true, force: true })
  }
})

describe('connections that behave badly', () => {
  test('10,000 that come and go leave nothing behind', async () => {
    const { port, connect } = await start({ maxclients: 600 })
    const other = await connect()
    const peer = { port, host: '127.0.0.1' }
    for (let round = 0; round < 20; round++) {
      const sockets = Array.from({ length: 500 }, () => net.connect(peer))
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('error', resolve))))
      if (round % 2 === 0) for (const socket of sockets) socket.write('*2\r\n$3\r\nGET\r\n$5\r\nab')
      for (const socket of sockets) socket.destroy()
      expect(await other.get('PING')).toBe('PONG')
      await expect.poll(() => infoNumber(other, 'connected_clients'), { timeout: 10_000 }).toBe(1)
    }
    expect(await infoNumber(other, 'total_connections_received')).toBeGreaterThan(9000)
    expect(await infoNumber(other, 'mem_clients_normal')).toBeLessThan(100_000)
  }, 60_000)

  test('one whose command never ends is cut off', async () => {
    const { connect } = await start({ 'client-query-buffer-limit': '1mb' })
    const [endless, other] = [await connect(), await connect()]
    endless.write(Buffer.from('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\n'))
    for (let i = 0; i < 40 && !endless.closed; i++) endless.write(Buffer.alloc(64 * 1024, 'x'))
    expect(await endless.closes()).toBe(true)
    expect(await infoNumber(other, 'client_query_buffer_limit_disconnections')).toBe(1)
  })

  test('one that does not read is cut off at its hard limit, and the others live on', async () => {
    const { connect } = await start({ 'client-output-buffer-limit': 'normal 1mb 0 0' })
    const [deaf, other] = [await connect(), await connect()]
    await other.get('SET', 'big', 'x'.repeat(100_000))
    deaf.socket.pause()
    for (let i = 0; i < 400 && !deaf.closed; i++) deaf.send('GET', 'big')
    await expect.poll(() => infoNumber(other, 'client_output_buffer_limit_disconnections')).toBe(1)
    expect(await infoNumber(other, 'connected_clients')).toBe(1)
  })

  test('a soft limit gives it some seconds', async () => {
    const { connect } = await start({ 'client-output-buffer-limit': 'normal 0 100kb 1' })
    const [deaf, other] = [await connect(), await connect()]
    await other.get('SET', 'big', 'x'.repeat(1_000_000))
    deaf.socket.pause()
    for (let i = 0; i < 20; i++) deaf.send('GET', 'big')
    await expect.poll(() => infoNumber(other, 'client_recent_max_output_buffer')).toBeGreaterThan(100_000)
    expect(await infoNumber(other, 'connected_clients')).toBe(2)
    await expect.poll(() => infoNumber(other, 'connected_clients'), { timeout: 8000, interval: 200 }).toBe(1)
  })

  test('an endless reply ends with the connection', async () => {
    const { connect } = await start({ 'client-output-buffer-limit': 'normal 1mb 0 0' })
    const [greedy, other] = [await connect(), await connect()]
    await other.get('HSET', 'h', 'a', '1')
    greedy.send('HRANDFIELD', 'h', '-999999999')
    expect(await greedy.closes()).toBe(true)
    expect(await other.get('PING')).toBe('PONG')
  })
})

describe('a transaction', () => {
  /** What the server sends for these lines until it answers nothing more, or ends. */
  async function talk(port: number, lines: readonly string[], last: string): Promise<string> {
    const socket = net.connect({ port, host: '127.0.0.1' })
    open.push({ close: () => socket.destroy() })
    let text = ''
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve())
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1')
        if (text.endsWith(last)) resolve()
      })
      socket.write(`${lines.join('\r\n')}\r\n`)
    })
    return text
  }

  test('that kills its own client goes on, but answers no more', async () => {
    const { port, connect } = await start()
    const other = await connect()
    const id = Number(await other.get('CLIENT', 'ID')) + 1
    const text = await talk(port, ['MULTI', 'SET k v', `CLIENT KILL ID ${id} SKIPME NO`, 'INCR n', 'EXEC', 'INCR n'], 'never')
    expect(text).toBe('+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n+OK\r\n:1\r\n')
    expect(await other.get('GET', 'n')).toBe('1')
  })

  test('heeds CLIENT REPLY from within', async () => {
    const { port } = await start()
    expect(await talk(port, ['CLIENT REPLY OFF', 'MULTI', 'INCR n', 'CLIENT REPLY ON', 'INCR n', 'EXEC', 'ECHO end'], 'end\r\n')).toBe(
      '+OK\r\n:2\r\n$3\r\nend\r\n',
    )
    const off = ['MULTI', 'INCR n', 'CLIENT REPLY OFF', 'INCR n', 'EXEC', 'INCR n', 'CLIENT REPLY ON', 'ECHO end']
    expect(await talk(port, off, 'end\r\n')).toBe('+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n:3\r\n+OK\r\n$3\r\nend\r\n')
  })
})
