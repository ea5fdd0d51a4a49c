/** What clients get, and what runs, when requests have to wait, replies are not wanted or too large, or a connection fails. */
import { afterEach, describe, expect, test } from 'vitest'
import { dispatch } from '../../src/engine/dispatch.ts'
import type { Connection as ServerConnection } from '../../src/net/connection.ts'
import type { Server } from '../../src/server.ts'
import type { RespdServer } from '../../src/index.ts'
import { Connection } from '../support/connection.ts'
import { encodeCommand, encodePipeline } from '../support/resp.ts'
import { startServer } from '../support/server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(): Promise<RespdServer> {
  const server = await startServer()
  open.push(server)
  return server
}

async function clients(count: number, server?: RespdServer): Promise<Connection[]> {
  const { port } = server ?? (await start())
  const all = await Promise.all(Array.from({ length: count }, () => Connection.open({ port })))
  open.push(...all)
  return all
}

async function texts(c: Connection, count: number): Promise<string[]> {
  const replies: string[] = []
  for (let i = 0; i < count; i++) replies.push(String(await c.readRaw()))
  return replies
}

/** Resolves when the server has this many clients that wait for a key. */
async function blocked(c: Connection, count: number): Promise<void> {
  await expect.poll(async () => String(await c.get('INFO', 'clients'))).toContain(`blocked_clients:${count}\r\n`)
}

describe('inline requests with quotes that wait', () => {
  test('behind a blocked command are run as they were typed', async () => {
    const [typist, other] = await clients(2)
    typist.write(`BLPOP list 0\r\nSET k "hello \\x41 world"\r\nGET k\r\nECHO 'it\\'s'\r\n`)
    await blocked(other, 1)
    await other.get('RPUSH', 'list', 'x')
    expect(await texts(typist, 4)).toEqual(['*2\r\n$4\r\nlist\r\n$1\r\nx\r\n', '+OK\r\n', '$13\r\nhello A world\r\n', "$4\r\nit's\r\n"])
  })

  test('for the end of a pause, too', async () => {
    const [typist, other] = await clients(2)
    await other.get('CLIENT', 'PAUSE', '100000', 'WRITE')
    typist.write('SET k "hello world"\r\nGET k\r\nECHO "a\\nb"\r\n')
    await expect.poll(async () => String(await other.get('CLIENT', 'LIST'))).toContain('cmd=set')
    await other.get('CLIENT', 'UNPAUSE')
    expect(await texts(typist, 3)).toEqual(['+OK\r\n', '$11\r\nhello world\r\n', '$3\r\na\nb\r\n'])
  })
})

describe('CLIENT REPLY', () => {
  const waits = ['served', 'timed out', 'unblocked with an error'] as const
  test.each(waits)('SKIP and OFF take the reply of a command that waited and was %s', async (how) => {
    const [client, other] = await clients(2)
    const id = String(await client.get('CLIENT', 'ID'))
    for (const [before, after] of [
      ['SKIP', []],
      ['OFF', [['CLIENT', 'REPLY', 'ON']]],
    ] as const) {
      client.send('CLIENT', 'REPLY', before)
      client.send('BLPOP', 'list', how === 'timed out' ? '0.02' : '0')
      for (const command of after) client.send(...command)
      client.send('ECHO', 'next')
      if (how !== 'timed out') await blocked(other, 1)
      if (how === 'served') await other.get('RPUSH', 'list', 'x')
      if (how === 'unblocked with an error') await other.get('CLIENT', 'UNBLOCK', id, 'ERROR')
      if (after.length > 0) expect(await texts(client, 1)).toEqual(['+OK\r\n'])
      expect(await texts(client, 1)).toEqual(['$4\r\nnext\r\n'])
    }
  })

  test('SKIP takes the reply of RESET, and in a transaction that of the command behind it, whatever ON says', async () => {
    const [client] = await clients(1)
    const send = (...lines: string[]): void => {
      for (const line of lines) client.send(...line.split(' '))
    }
    send('CLIENT REPLY SKIP', 'RESET', 'ECHO a')
    expect(await texts(client, 1)).toEqual(['$1\r\na\r\n'])
    send('MULTI', 'CLIENT REPLY SKIP', 'CLIENT REPLY ON', 'EXEC', 'ECHO b', 'ECHO c')
    // SKIP itself leaves nothing where EXEC has announced two replies
    expect((await texts(client, 4))[3]).toBe('*2\r\n+OK\r\n$1\r\nc\r\n')
  })

  test('SKIP takes the reply of a command that was paused', async () => {
    const [client, other] = await clients(2)
    client.send('CLIENT', 'REPLY', 'SKIP')
    await expect.poll(async () => String(await other.get('CLIENT', 'LIST'))).toContain('cmd=client|reply')
    await other.get('CLIENT', 'PAUSE', '100000', 'WRITE')
    client.send('INCR', 'n')
    client.send('GET', 'n')
    await expect.poll(async () => String(await other.get('CLIENT', 'LIST'))).toContain('cmd=incr')
    await other.get('CLIENT', 'UNPAUSE')
    expect(await texts(client, 1)).toEqual(['$1\r\n1\r\n'])
  })

  test('OFF takes the error of bytes that are no request', async () => {
    const [client] = await clients(1)
    client.write(`${String(Buffer.from(encodeCommand(['CLIENT', 'REPLY', 'OFF'])))}*x\r\n`)
    expect(await client.closes()).toBe(true)
    await expect(client.readRaw()).rejects.toThrow(/closed/)
  })
})

describe('limits on output', () => {
  test('what a client pipelines behind a reply above its limit is not run, and its neighbours lose nothing', async () => {
    const [one, greedy, neighbour] = await clients(3)
    await one.get('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 1500000 0 0')
    await one.get('SET', 'big', 'x'.repeat(900_000))
    const hungry = Array.from({ length: 200 }, () => encodeCommand(['MGET', 'big', 'big', 'big']))
    greedy.write(Buffer.concat([hungry[0], encodeCommand(['SET', 'after', '1']), ...hungry]))
    for (let i = 0; i < 5; i++) expect(await neighbour.get('ECHO', 'mine')).toBe('mine')
    expect(await greedy.closes()).toBe(true)
    expect(await one.get('EXISTS', 'after')).toBe(0)
  })

  test('a client that wants no replies cannot have too large ones', async () => {
    const [one, mute, neighbour] = await clients(3)
    await one.get('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 1000000 0 0')
    await one.get('SET', 'big', 'x'.repeat(900_000))
    mute.send('CLIENT', 'REPLY', 'OFF')
    await expect.poll(async () => String(await one.get('CLIENT', 'LIST'))).toContain('cmd=client|reply')
    mute.send('MGET', 'big', 'big')
    mute.send('SET', 'done', '1')
    await expect.poll(() => one.get('EXISTS', 'done')).toBe(1)
    expect(await neighbour.get('PING')).toBe('PONG')
    mute.send('CLIENT', 'REPLY', 'ON')
    expect(await texts(mute, 1)).toEqual(['+OK\r\n'])
  })

  test.each([2, 3])('messages of one script above the limit end the subscriber (RESP%i)', async (protocol) => {
    const [one] = await clients(1)
    const port = one.socket.remotePort as number
    const subscriber = await Connection.open({ port }, protocol as 2 | 3)
    open.push(subscriber)
    await one.get('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 1000000 0 0')
    subscriber.send('SUBSCRIBE', 'news')
    expect(String(await subscriber.readRaw())).toContain('subscribe')
    const publish = "for i = 1, 4 do redis.call('PUBLISH', 'news', string.rep('x', 400000)) end return 'done'"
    expect(await one.get('EVAL', publish, '0')).toBe('done')
    expect(await subscriber.closes()).toBe(true)
    expect(String(await one.get('INFO', 'stats'))).toContain('client_output_buffer_limit_disconnections:1\r\n')
  })

  test('many large replies to one read arrive whole and in order', async () => {
    const [client] = await clients(1)
    for (let i = 0; i < 5; i++) await client.get('SET', `big:${i}`, String(i).repeat(400_000 + i))
    const asked = Array.from({ length: 60 }, (_, n) => (n % 3 === 2 ? ['ECHO', String(n)] : ['GET', `big:${n % 5}`]))
    const replies = await client.pipeline(asked)
    replies.forEach((reply, n) => {
      if (n % 3 === 2) expect(String(reply)).toBe(`$${String(n).length}\r\n${n}\r\n`)
      else expect(reply.subarray(0, 12).toString()).toBe(`$${400_000 + (n % 5)}\r\n${String(n % 5).repeat(3)}`)
    })
  })
})

test('a connection that cannot be written to for a bug of ours ends alone', async () => {
  const server = await start()
  const [bad, good, subscriber] = await clients(3, server)
  const name = String(await bad.get('CLIENT', 'ID'))
  await subscriber.call('SUBSCRIBE', 'news')
  const { listener } = (server as unknown as { server: Server }).server
  const connection = [...listener.connections].find(({ client }) => String(client.id) === name) as ServerConnection
  const broken = connection as unknown as { socket: { write: () => boolean } }
  broken.socket.write = () => {
    throw new Error('a bug')
  }
  bad.send('PUBLISH', 'news', 'one')
  good.send('PUBLISH', 'news', 'two')
  expect(await bad.closes()).toBe(true)
  expect(String(await good.readRaw())).toBe(':1\r\n')
  expect((await texts(subscriber, 2)).sort()).toEqual([expect.stringContaining('one'), expect.stringContaining('two')])
  expect(listener.connections.size).toBe(2)
})

test('a request that meets a bug outside its command ends its connection alone', async () => {
  const server = await start()
  const [bad, good] = await clients(2, server)
  const { engine } = (server as unknown as { server: Server }).server
  engine.guarded = true
  engine.gates.push((c) => {
    if (c.name === 'bad') throw new Error('a bug')
    return null
  })
  await bad.get('CLIENT', 'SETNAME', 'bad')
  bad.write(encodePipeline([['PING'], ['PING']]))
  expect(await bad.closes()).toBe(true)
  const replies = await good.pipeline([['MULTI'], ['SET', 'k', 'v'], ['GET', 'k'], ['EXEC'], ['PING']])
  expect(String(Buffer.concat(replies))).toBe('+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n$1\r\nv\r\n+PONG\r\n')
})

test('an argument longer than any string can be noted by SLOWLOG and refused as an unknown command', async () => {
  const { engine } = ((await start()) as unknown as { server: Server }).server
  const c = engine.addClient()
  c.argv.bytes = new Uint8Array(1000).fill(120)
  c.argv.count = 1
  c.argv.offsets[0] = 0
  c.argv.lengths[0] = 0x20000000
  engine.slowlog.add(c, 1)
  expect(engine.slowlog.entries[0].args).toEqual([`${'x'.repeat(128)}... (${0x20000000 - 128} more bytes)`])
  dispatch(c, null)
  expect(String(Buffer.from(c.reply.take()))).toBe(`-ERR unknown command '${'x'.repeat(128)}', with args beginning with: \r\n`)
})

test('limits on requests that are larger than the parser can count are cut', async () => {
  const [client] = await clients(1)
  await client.get('CONFIG', 'SET', 'proto-max-bulk-len', '4gb', 'client-query-buffer-limit', '4gb')
  client.write('*2\r\n$4\r\nECHO\r\n$2147483648\r\n')
  expect(await texts(client, 1)).toEqual(['-ERR Protocol error: invalid bulk length\r\n'])
})
