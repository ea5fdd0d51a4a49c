/** The clients people use, connecting in every way: RESP2 and RESP3, with a password, a name, a database. */
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { useServer } from '../support/server.ts'

const server = useServer({ requirepass: 'a secret' })
const where = () => ({ host: '127.0.0.1', port: server.port })

describe.each([2, 3] as const)('RESP%i', (protocol) => {
  test('ioredis', async () => {
    const redis = new Redis({ ...where(), protocol, password: 'a secret', connectionName: 'mine', db: 3 })
    try {
      expect(await redis.client('INFO')).toMatch(new RegExp(` name=mine .* db=3 .* resp=${protocol} lib-name=ioredis`))
    } finally {
      redis.disconnect()
    }
  })

  test('ioredis with a user name', async () => {
    const redis = new Redis({ ...where(), protocol, username: 'default', password: 'a secret' })
    expect(await redis.acl('WHOAMI')).toBe('default')
    redis.disconnect()
  })

  test('node-redis', async () => {
    const options = { socket: where(), RESP: protocol, password: 'a secret', name: 'mine', database: 3 }
    const client = await createClient(options).connect()
    const info = (await client.sendCommand(['CLIENT', 'INFO'])) as unknown as string
    expect(String(info)).toMatch(new RegExp(` name=mine .* db=3 .* resp=${protocol} lib-name=node-redis`))
    client.destroy()
  })
})

test('a wrong password is refused, and before the right one nothing goes', async () => {
  const client = await Connection.open(server.address)
  const error = async (...command: string[]) => {
    client.send(...command)
    return client.read()
  }
  expect(await error('GET', 'k')).toMatchObject({ type: 'error', text: 'NOAUTH Authentication required.' })
  expect(await error('AUTH', 'wrong')).toMatchObject({ type: 'error', text: expect.stringContaining('WRONGPASS') })
  expect(await error('HELLO', '3')).toMatchObject({ type: 'error', text: expect.stringContaining('NOAUTH HELLO must be called') })
  expect(await client.get('HELLO', '3', 'AUTH', 'default', 'a secret', 'SETNAME', 'x')).toEqual(expect.any(Map))
  client.close()
})
