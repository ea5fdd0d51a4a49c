/**
 * Any bytes in any split: the server must answer or close as redis-server does, stay alive and responsive, and not write much more than it
 * was sent. RESPD_FUZZ_N runs longer, RESPD_SEED=n repeats a run.
 */
import net from 'node:net'
import { describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { useOracle } from '../support/oracle.ts'
import { type Random, runSeed, seeded } from '../support/random.ts'
import { encodeCommand, show } from '../support/resp.ts'
import { useServer } from '../support/server.ts'
import { shrink } from '../support/shrink.ts'

const SESSIONS = Number(process.env.RESPD_FUZZ_N ?? 400)
const END_MS = 3000
const PAUSE_MS = 3
const ATTEMPTS = 3
const MAX_REPLY_BYTES = 100_000

/** Commands whose replies depend on nothing but what was sent. */
const COMMANDS = [
  ['PING'],
  ['PING', 'x'],
  ['ECHO', 'some\r\ntext'],
  ['SET', 'k', 'v'],
  ['GET', 'k'],
  ['MGET', 'k', 'l', 'm'],
  ['INCR', 'n'],
  ['APPEND', 'k', '\x01\xff'],
  ['STRLEN', 'k'],
  ['DEL', 'k', 'l'],
  ['SET', 'long', 'x'.repeat(300)],
  ['MULTI'],
  ['EXEC'],
  ['DISCARD'],
  ['SELECT', '1'],
  ['QUIT'],
]
const INLINE = [
  'PING\r\n',
  'PING\n',
  'ECHO "a b\\x41\\n"\r\n',
  "GET 'k'\r\n",
  'GET "k\r\n',
  'SET k "v"x\r\n',
  '\r\n',
  '   \r\n',
  'GET k  \r\n',
  'x'.repeat(200),
]
const HEADERS = [
  '*',
  '$',
  '*-1\r\n',
  '*0\r\n',
  '*1\r\n',
  '*1048577\r\n',
  '*99999999999\r\n',
  '*x\r\n',
  '*+1\r\n',
  '* 1\r\n',
  '$-1\r\n',
  '$0\r\n\r\n',
]
const LENGTHS = [
  '$3\r\n',
  '$-3\r\n',
  '$536870913\r\n',
  '$9223372036854775808\r\n',
  '$x\r\n',
  '$03\r\n',
  '$3',
  ':3\r\n',
  '+OK\r\n',
  '\r',
  '\n',
  '\r\n',
  '\0',
]
const WEB = ['GET / HTTP/1.1\r\n', 'Host: example.org\r\n', 'POST / HTTP/1.1\r\n']

function session(random: Random): Buffer {
  const parts: Uint8Array[] = []
  for (let n = 1 + random.below(8); n > 0; n--) {
    const kind = random.below(12)
    if (kind < 7) parts.push(encodeCommand(random.pick(COMMANDS).map((w) => Buffer.from(w, 'latin1'))))
    else if (kind < 9) parts.push(Buffer.from(random.pick(INLINE)))
    else if (kind === 9) parts.push(Buffer.from(random.pick(HEADERS)))
    else if (kind === 10) parts.push(Buffer.from(random.pick(LENGTHS)))
    else
      parts.push(
        random.chance(0.3) ? Buffer.from(random.pick(WEB)) : Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256))),
      )
  }
  let bytes: Buffer = Buffer.concat(parts)
  for (let n = random.below(4); n > 0 && bytes.length > 0; n--) bytes = mutated(bytes, random)
  return bytes
}

function mutated(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random.below(5)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)])
    case 1:
      return Buffer.concat([before, after.subarray(1 + random.below(4))])
    case 2:
      return Buffer.concat([before, Buffer.from(random.pick([...LENGTHS, ...HEADERS])), after])
    case 3:
      return Buffer.concat([before, after, bytes.subarray(random.below(bytes.length))])
    default:
      return Buffer.from(before)
  }
}

/**
 * Sends the bytes in pieces, hangs up after the last, and returns all that came back. With a pause between the pieces nothing is sent to a
 * server that has closed: such a write fails, and the failure can overtake the last reply.
 */
async function exchange(port: number, bytes: Uint8Array, pieces: Random, pauseMs = 0): Promise<Buffer> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
  const got: Buffer[] = []
  socket.on('data', (chunk) => got.push(chunk))
  socket.on('error', () => {}) // the server may close while we still write
  const closed = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), END_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
  for (let at = 0; at < bytes.length && !socket.readableEnded; ) {
    const end = at + 1 + pieces.below(pieces.chance(0.5) ? 10 : bytes.length)
    socket.write(bytes.subarray(at, end))
    const yields = pieces.chance(0.3)
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    else if (yields) await new Promise(setImmediate)
    at = end
  }
  socket.end()
  const ended = await closed
  socket.destroy()
  if (!ended) throw new Error('the connection stays open after both sides are done')
  return Buffer.concat(got)
}

describe('protocol fuzz', () => {
  const server = useServer()
  const oracle = useOracle()

  async function flush(): Promise<void> {
    for (const address of [server.address, oracle.current?.address]) {
      if (!address) continue
      const control = await Connection.open(address)
      await control.get('FLUSHALL')
      expect(await control.get('PING')).toBe('PONG')
      control.close()
    }
  }

  /** What is wrong with the server's answer to these bytes, or ''. */
  async function problem(bytes: Uint8Array, seed: number, attempt = 0): Promise<string> {
    await flush()
    const pauseMs = attempt * PAUSE_MS
    const ours = await exchange(server.port, bytes, seeded(seed), pauseMs)
    if (ours.length > MAX_REPLY_BYTES) return `${ours.length} bytes of replies`
    // redis-server looks for line ends with strchr: behind a zero byte it finds none, and waits
    if (!oracle.current || bytes.includes(0)) return ''
    const theirs = await exchange(oracle.current.port, bytes, seeded(seed), pauseMs)
    if (!ours.equals(theirs) && attempt < ATTEMPTS) return problem(bytes, seed, attempt + 1)
    return ours.equals(theirs) ? '' : `\n  respd         ${show(ours)}\n  redis-server  ${show(theirs)}`
  }

  test(`${SESSIONS} sessions of broken bytes`, { timeout: 30_000 + SESSIONS * 50 }, async () => {
    const first = runSeed()
    for (let seed = first; seed < first + SESSIONS; seed++) {
      const bytes = session(seeded(seed))
      if ((await problem(bytes, seed)) === '') continue
      const shortest = Buffer.from(await shrink([...bytes], async (candidate) => (await problem(Buffer.from(candidate), seed)) !== ''))
      expect.fail(`RESPD_SEED=${seed}: ${show(shortest)} gives ${await problem(shortest, seed)}`)
    }
  })

  test('a valid pipeline gives the same replies in any split', async () => {
    const random = seeded(runSeed())
    const commands = Array.from({ length: 200 }, () => random.pick(COMMANDS.filter(([name]) => name !== 'QUIT')))
    const bytes = Buffer.concat(commands.map((words) => encodeCommand(words.map((w) => Buffer.from(w, 'latin1')))))
    await flush()
    const whole = await exchange(server.port, bytes, { ...random, chance: () => false, below: (n) => n - 1 })
    for (let i = 0; i < 5; i++) {
      await flush()
      expect((await exchange(server.port, bytes, random)).equals(whole)).toBe(true)
    }
  })
})
