/** createServer: respd inside another program, above all inside its tests. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { root, startServer } from '../support/server.ts'

type Server = Awaited<ReturnType<typeof startServer>>

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(options: Parameters<typeof startServer>[0] = {}): Promise<Server> {
  const server = await startServer(options)
  open.push(server)
  return server
}

async function connect(server: Server): Promise<Connection> {
  const connection = await Connection.open({ port: server.port })
  open.push(connection)
  return connection
}

describe('createServer', () => {
  test('listens when it resolves, and its url suits a client', async () => {
    const server = await start()
    expect(server.port).toBeGreaterThan(0)
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`)
    const redis = new Redis(server.url)
    expect(await redis.ping()).toBe('PONG')
    redis.disconnect()
  })

  test('several servers do not see each other', async () => {
    const [a, b] = [await start(), await start()]
    expect(a.port).not.toBe(b.port)
    const [clientA, clientB] = [await connect(a), await connect(b)]
    await clientA.get('SET', 'k', 'a')
    expect(await clientB.get('GET', 'k')).toBeNull()
    expect(await clientB.get('DBSIZE')).toBe(0)
  })

  test('flush() empties every database', async () => {
    const server = await start()
    const client = await connect(server)
    await client.get('SET', 'k', 'v')
    await client.get('SELECT', 3)
    await client.get('SET', 'k', 'v')
    await server.flush()
    expect(await client.get('DBSIZE')).toBe(0)
    await client.get('SELECT', 0)
    expect(await client.get('DBSIZE')).toBe(0)
  })

  test('a held clock moves only when the test moves it', async () => {
    const server = await start({ clock: 'manual' })
    const client = await connect(server)
    await client.get('SET', 'k', 'v', 'PX', 1000)
    expect(await client.get('PTTL', 'k')).toBe(1000)
    server.clock.advance(999)
    expect(await client.get('PTTL', 'k')).toBe(1)
    server.clock.advance(1)
    expect(await client.get('GET', 'k')).toBeNull()
  })

  test('times to live run by themselves', async () => {
    const server = await start()
    const client = await connect(server)
    await client.get('SET', 'k', 'v', 'PX', 30)
    await expect.poll(() => client.get('DBSIZE'), { timeout: 5000 }).toBe(0)
  })

  test('options are typed names of the configuration', async () => {
    const server = await start({ requirepass: 'secret', databases: 2 })
    const client = await connect(server)
    await expect(client.get('PING')).rejects.toThrow('NOAUTH')
    expect(await client.get('AUTH', 'secret')).toBe('OK')
    await expect(client.get('SELECT', 2)).rejects.toThrow('out of range')
  })

  test('a port in use rejects', async () => {
    const server = await start()
    await expect(start({ port: server.port })).rejects.toThrow(/EADDRINUSE|in use/)
  })

  test('close() ends the connections, may be called twice, and frees the port', async () => {
    const server = await startServer()
    const client = await Connection.open({ port: server.port })
    await client.get('PING')
    await server.close()
    await server.close()
    expect(await client.closes()).toBe(true)
    await expect(Connection.open({ port: server.port })).rejects.toThrow('ECONNREFUSED')
  })

  test('close() leaves nothing that keeps a program running', () => {
    const program = `
      import { createServer } from ${JSON.stringify(path.join(root, 'src/index.ts'))}
      const server = await createServer({ port: 0 })
      await server.close()
      console.log('closed')
    `
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', program]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'closed\n', stderr: '' })
  })
})
