/** redis-cli as people use it at a terminal: hints while typing, and the modes that show something until they are stopped. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { useServer } from '../support/server.ts'

const installed = ['redis-cli', 'script'].every((program) => spawnSync(program, ['--version']).status === 0)
const server = useServer()
const PATIENCE_MS = 10_000
/** How hints are coloured. */
const GREY = '\u001b[0;90;49m'
const COLOUR = new RegExp(String.fromCharCode(27) + '\\[\\d*m', 'g')

let redis: Redis
beforeAll(() => {
  redis = new Redis({ port: server.port, host: '127.0.0.1' })
})
afterAll(() => redis.disconnect())

/** redis-cli at a terminal of its own. */
class Terminal {
  private readonly child: ChildProcess
  private text = ''
  private changed: (() => void) | null = null
  private ended = false

  constructor(args: string) {
    const command = `stty cols 200 rows 50; exec redis-cli -p ${server.port} ${args}`
    const env = { ...process.env, TERM: 'xterm', REDISCLI_HISTFILE: '/dev/null' }
    this.child = spawn('script', ['-qec', command, '/dev/null'], { env })
    this.child.stdout?.on('data', (chunk: Buffer) => this.add(chunk.toString('latin1')))
    this.child.once('close', () => {
      this.ended = true
      this.changed?.()
    })
  }

  private add(text: string): void {
    this.text += text.replaceAll(GREY, '<grey>').replace(COLOUR, '')
    this.changed?.()
  }

  type(keys: string): void {
    this.child.stdin?.write(keys)
  }

  /** Types when redis-cli waits for it: what comes earlier may get lost. */
  async answer(keys: string): Promise<void> {
    await this.shows(/> $/)
    this.type(keys)
  }

  /** Waits for a text on the terminal, and forgets everything up to its end. */
  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + PATIENCE_MS
    for (;;) {
      const found = wanted.exec(this.text)
      if (found !== null) {
        this.text = this.text.slice(found.index + found[0].length)
        return found
      }
      if (this.ended || Date.now() > deadline) throw new Error(`${wanted} does not come, only ${JSON.stringify(this.text.slice(-500))}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200)
        this.changed = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  async close(): Promise<void> {
    if (this.ended) return
    const gone = new Promise((resolve) => this.child.once('close', resolve))
    this.child.kill('SIGKILL')
    await gone
  }
}

const terminals: Terminal[] = []
afterEach(async () => {
  for (const terminal of terminals.splice(0)) await terminal.close()
})

function terminal(args = ''): Terminal {
  const opened = new Terminal(args)
  terminals.push(opened)
  return opened
}

describe.skipIf(!installed && !process.env.CI)('redis-cli at a terminal', () => {
  test('shows the arguments that may follow, in grey', async () => {
    const cli = terminal()
    await cli.answer('SET k')
    await cli.shows(/SET k<grey> value \[NX\|XX\] \[GET\] \[EX seconds\|PX milliseconds\|[^<]*KEEPTTL\]/)
    cli.type(' v\r')
    await cli.shows(/\nOK\r/)
    await cli.answer('config set ')
    await cli.shows(/config set <grey>parameter value \[parameter value \.\.\.\]/i)
    cli.type('\u0003')
  })

  test('knows what an older redis-cli does not: the server tells it', async () => {
    const cli = terminal()
    await cli.answer('HEXPIRE h ')
    await cli.shows(/HEXPIRE h <grey>seconds \[NX\|XX\|GT\|LT\] FIELDS numfields field \[field \.\.\.\]/)
    cli.type('\u0003')
  })

  test('prints replies by their type, in both protocols', async () => {
    await redis.del('z', 'l')
    await redis.zadd('z', 1.5, 'a')
    await redis.rpush('l', 'x', 'y')
    for (const [args, score] of [
      ['', '"1.5"'],
      ['-3', '\\(double\\) 1.5'],
    ]) {
      const cli = terminal(args)
      await cli.answer('ZSCORE z a\r')
      await cli.shows(new RegExp(`\\n${score}\\r`))
      await cli.answer('LRANGE l 0 -1\r')
      await cli.shows(/\n1\) "x"\r\n2\) "y"\r/)
      await cli.answer('GET nosuch\r')
      await cli.shows(/\n\(nil\)\r/)
    }
  })

  test('stays in transactions, databases and subscriptions as its prompt says', async () => {
    const cli = terminal()
    await cli.answer('SELECT 3\r')
    await cli.shows(/\d\[3\](?=> $)/)
    await cli.answer('MULTI\r')
    await cli.shows(/\d\[3\]\(TX\)(?=> $)/)
    await cli.answer('INCR n\r')
    await cli.shows(/QUEUED/)
    await cli.answer('EXEC\r')
    await cli.shows(/1\) \(integer\) \d+\r\n.*\d\[3\](?=> $)/)
    await cli.answer('SUBSCRIBE news\r')
    await cli.shows(/3\) \(integer\) 1/)
    await redis.publish('news', 'hello')
    await cli.shows(/"message"\r\n2\) "news"\r\n3\) "hello"/)
  })

  test('help has the groups of the commands', async () => {
    const cli = terminal()
    await cli.answer('help @string\r')
    await cli.shows(/GETDEL key\s+summary: /)
    await cli.answer('help set\r')
    await cli.shows(/SET key value .*\s+summary: .*\s+since: 1\.0\.0\s+group: string/)
  })

  test('--stat counts', async () => {
    await redis.flushall()
    await redis.mset('a', 1, 'b', 2, 'c', 3)
    const cli = terminal('--stat -i 0.1')
    await cli.shows(/keys\s+mem\s+clients\s+blocked\s+requests\s+connections/)
    const first = await cli.shows(/\n3\s+[\d.]+[KM]\s+2\s+0\s+(\d+) \(\+\d+\)\s+\d+/)
    const second = await cli.shows(/\n3\s+[\d.]+[KM]\s+2\s+0\s+(\d+) \(\+\d+\)\s+\d+/)
    expect(Number(second[1])).toBeGreaterThan(Number(first[1]))
  })

  test('--latency, --latency-history and --latency-dist measure', async () => {
    await terminal('--latency -i 0.1').shows(/min: \d+, max: \d+, avg: \d+\.\d+ \(\d+ samples\)/)
    const history = terminal('--latency-history -i 0.1')
    await history.shows(/\(\d+ samples\) -- 0\.\d+ seconds range/)
    await history.shows(/\(\d+ samples\) -- 0\.\d+ seconds range/)
    await terminal('--latency-dist -i 0.1').shows(/\.01 \.125 \.25 \.5 milliseconds/)
  })

  test('--bigkeys shows its progress and the largest of each type', async () => {
    await redis.flushall()
    await redis.set('text', 'x'.repeat(300))
    await redis.rpush('list', 'a', 'b', 'c')
    await redis.hset('hash', 'f', 'v')
    await redis.xadd('stream', '*', 'f', 'v')
    const cli = terminal('--bigkeys')
    await cli.shows(/\[00\.00%\] Biggest|\[\d+\.\d+%\] Biggest/)
    await cli.shows(/Sampled 4 keys in the keyspace!/)
    await cli.shows(/Biggest\s+list found\s+"list" has 3 items|Biggest\s+list found '"list"' has 3 items/)
  })

  test('--scan takes a pattern', async () => {
    await redis.flushall()
    await redis.mset(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key:${i}`, 'v'])))
    await terminal("--scan --pattern 'key:4[0-9]'").shows(/("?key:4\d"?\r\n){10}/)
  })
})

describe.skipIf(!installed && !process.env.CI)('redis-cli --pipe', () => {
  const pipe = (input: string | Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn('redis-cli', ['-p', String(server.port), '--pipe', '--pipe-timeout', '10'])
      let text = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk))
      child.once('error', reject)
      child.once('close', () => resolve(text))
      child.stdin.end(input)
    })

  test('counts replies and errors, whatever the protocol of the commands', async () => {
    await redis.flushall()
    const set = (key: string, value: string): string => `*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$${value.length}\r\n${value}\r\n`
    const input = Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? set(`k${i}`, 'x'.repeat(i)) : `RPUSH l ${i}\r\n`)).join('')
    expect(await pipe(`${input}INCR l\r\nNOSUCH\r\n`)).toMatch(/errors: 2, replies: 3002/)
    expect(await redis.llen('l')).toBe(1500)
    expect(await redis.strlen('k2998')).toBe(2998)
  })
})
