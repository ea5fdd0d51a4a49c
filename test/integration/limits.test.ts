/** What one client can do to the server: nothing that stops the others or grows without bound. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../support/resp.ts'
import { useServers } from '../support/server.ts'

const start = useServers()

describe('limits', () => {
  test('maxclients', async () => {
    const connect = await start({ maxclients: 2 })
    const [first, second] = [await connect(), await connect()]
    await first.get('PING')
    await second.get('PING')
    const third = await connect()
    expect(await third.read()).toEqual({ type: 'error', text: 'ERR max number of clients reached' })
    expect(await third.closes()).toBe(true)
    second.close()
    await expect
      .poll(async () => {
        const next = await connect()
        return next.get('PING').catch(() => 'refused')
      })
      .toBe('PONG')
  })

  test('values of many megabytes arrive whole', async () => {
    const client = await (await start())()
    const value = Buffer.alloc(24 * 2 ** 20, 'respd ')
    expect(await client.get('SET', 'big', value)).toBe('OK')
    expect(await client.get('STRLEN', 'big')).toBe(value.length)
    client.send('GET', 'big')
    const reply = await client.readRaw(20_000)
    expect(reply.subarray(-20, -2).equals(value.subarray(-18))).toBe(true)
    expect(await client.get('DEL', 'big')).toBe(1)
  })

  test('a client that sends without end does not stop the others', async () => {
    const connect = await start()
    const [busy, other] = [await connect(), await connect()]
    const chunk = Buffer.concat(Array<Buffer>(2000).fill(encodeCommand(['INCR', 'n'])))
    for (let i = 0; i < 50; i++) busy.write(chunk)
    const started = performance.now()
    expect(await other.get('PING')).toBe('PONG')
    expect(performance.now() - started).toBeLessThan(2000)
    for (let i = 0; i < 100_000; i++) await busy.readRaw()
    expect(await other.get('GET', 'n')).toBe('100000')
  })

  test('a client that does not read gets all of it later', async () => {
    const connect = await start()
    const [lazy, other] = [await connect(), await connect()]
    await other.get('SET', 'k', Buffer.alloc(100_000, 120))
    lazy.socket.pause()
    for (let i = 0; i < 300; i++) lazy.send('GET', 'k')
    expect(await other.get('PING')).toBe('PONG')
    lazy.socket.resume()
    for (let i = 0; i < 300; i++) expect((await lazy.readRaw()).length).toBe(100_011)
  })

  test('clients that vanish in the middle of a command leave the server well', async () => {
    const connect = await start()
    for (let i = 0; i < 50; i++) {
      const client = await connect()
      client.write(`*2\r\n$3\r\nGET\r\n$${i + 1}\r\n`)
      if (i % 2 === 0) client.socket.resetAndDestroy()
      else client.close()
    }
    expect(await (await connect()).get('PING')).toBe('PONG')
  })

  test('an idle client is closed after timeout seconds', async () => {
    const connect = await start({ timeout: 1 })
    const client = await connect()
    await client.get('PING')
    expect(await client.closes()).toBe(true)
  })
})
