import { expect, test } from 'vitest'
import { InProcess } from '../support/in-process.ts'

const object = (server: InProcess, key: string): string => {
  const reply = server.run(server.client(), ['DEBUG', 'OBJECT', key])
  return (reply as { text: string }).text
}

test('DEBUG OBJECT has the serialised length, and the nodes of a large list', () => {
  const server = new InProcess({ 'list-max-listpack-size': '2' })
  const c = server.client()
  server.run(c, ['SET', 'k', 'v'])
  server.run(c, ['HSET', 'h', 'f', 'v', 'g', '12'])
  server.run(c, ['RPUSH', 'l', 'a', 'b', 'c', 'd', 'eeeeeeeeeeee', 'fffffffff'])
  // as redis-server 7.2.6 says it
  expect(object(server, 'k')).toMatch(/^Value at:0x[0-9a-f]+ refcount:1 encoding:embstr serializedlength:2 lru:\d+ lru_seconds_idle:0$/)
  expect(object(server, 'h')).toMatch(/ encoding:listpack serializedlength:19 lru:/)
  expect(object(server, 'l')).toMatch(
    / encoding:quicklist serializedlength:56 lru:\d+ lru_seconds_idle:0 ql_nodes:3 ql_avg_node:2\.00 ql_listpack_max:2 ql_compressed:0 ql_uncompressed_size:58$/,
  )
  expect(server.defects).toEqual([])
})

test('DEBUG STRINGMATCH-TEST ends well', () => {
  const server = new InProcess()
  const reply = server.run(server.client(), ['DEBUG', 'STRINGMATCH-TEST'])
  expect(reply).toMatchObject({ text: 'Apparently Redis did not crash: test passed' })
})
