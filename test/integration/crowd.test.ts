/** Ten thousand connections at once: subscribers of one channel, then clients that wait for one list. */
import { execFileSync } from 'node:child_process'
import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { type Child, startChild } from '../support/server.ts'

const WANTED = 10_000
/** Files that the server and this process need besides the connections between them. */
const OTHER_FILES = 400
const limit = Number(execFileSync('sh', ['-c', 'ulimit -Hn']).toString())
/** As many as the limit on open files leaves; both ends have that limit, in processes of their own. */
const COUNT = Math.min(WANTED, (Number.isNaN(limit) ? WANTED * 2 : limit) - OTHER_FILES)
const CONNECT_AT_ONCE = 250
const MAKE_ROOM_MS = 30_000

/** One of the crowd: it keeps the text it got. */
type Member = { readonly socket: net.Socket; text: string }

let child: Child
let asker: Connection
const crowd: Member[] = []
let arrived: (() => void) | null = null

function join(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port: child.port, host: '127.0.0.1' })
    const member: Member = { socket, text: '' }
    socket.setEncoding('latin1')
    socket.once('error', reject)
    socket.on('data', (text) => {
      member.text += String(text)
      arrived?.()
    })
    socket.once('connect', () => {
      crowd.push(member)
      resolve()
    })
  })
}

/** Waits until every member has got a text that fits, and forgets the texts. */
async function allGot(fits: (text: string) => boolean): Promise<string[]> {
  let done = 0
  for (;;) {
    while (done < crowd.length && fits(crowd[done].text)) done++
    if (done === crowd.length) break
    await new Promise<void>((resolve) => {
      arrived = resolve
    })
  }
  arrived = null
  return crowd.map((member) => {
    const { text } = member
    member.text = ''
    return text
  })
}

beforeAll(async () => {
  expect(COUNT).toBeGreaterThan(WANTED / 20)
  child = await startChild(['--maxclients', String(WANTED + 100)])
  asker = await Connection.open(child.address)
  for (let n = 0; n < COUNT; n += CONNECT_AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(CONNECT_AT_ONCE, COUNT - n) }, join))
  }
}, MAKE_ROOM_MS)

afterAll(async () => {
  for (const { socket } of crowd) socket.destroy()
  asker.close()
  await child.stop()
})

test('all hear what is said on one channel', async () => {
  for (const { socket } of crowd) socket.write('SUBSCRIBE news\r\n')
  await allGot((text) => text === '*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n')
  expect(await asker.get('PUBSUB', 'NUMSUB', 'news')).toEqual(['news', COUNT])
  const replies = await asker.pipeline([
    ['PUBLISH', 'news', 'one'],
    ['PUBLISH', 'news', 'two'],
  ])
  expect(replies.map(String)).toEqual([`:${COUNT}\r\n`, `:${COUNT}\r\n`])
  const message = (word: string): string => `*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$3\r\n${word}\r\n`
  await allGot((text) => text === message('one') + message('two'))
  for (const { socket } of crowd) socket.write('UNSUBSCRIBE\r\n')
  await allGot((text) => text.endsWith(':0\r\n'))
  expect(await asker.get('PUBSUB', 'CHANNELS')).toEqual([])
})

test('all wait for one list and are served in the order in which they came', async () => {
  const monitor = await Connection.open(child.address)
  await monitor.call('MONITOR')
  const ports = new Map(crowd.map(({ socket }, i) => [socket.localPort, i]))
  for (const { socket } of crowd) socket.write('BLPOP queue 0\r\n')
  const order: number[] = []
  while (order.length < COUNT) {
    const line = (await monitor.readRaw()).toString()
    const port = /127\.0\.0\.1:(\d+)\] "BLPOP"/.exec(line)?.[1]
    if (port !== undefined) order.push(ports.get(Number(port)) as number)
  }
  monitor.close()
  expect(await asker.get('INFO', 'clients')).toMatch(new RegExp(`blocked_clients:${COUNT}\r`))
  const half = COUNT >> 1
  const items = Array.from({ length: COUNT }, (_, i) => String(i))
  expect(await asker.get('RPUSH', 'queue', ...items.slice(0, half))).toBe(half)
  expect(await asker.get('RPUSH', 'queue', ...items.slice(half))).toBe(COUNT - half)
  const replies = await allGot((text) => text.endsWith('\r\n') && text.startsWith('*2'))
  expect(order.map((member) => /\r\n(\d+)\r\n$/.exec(replies[member])?.[1])).toEqual(items)
  expect(await asker.get('INFO', 'clients')).toMatch(/blocked_clients:0\r/)
  expect(await asker.get('EXISTS', 'queue')).toBe(0)
})
