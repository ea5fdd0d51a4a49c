/** Random values and programs: what they become in replies, in JSON and in MessagePack, and where they fail, as in redis-server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connection, type Protocol } from '../support/connection.ts'
import { describeWithOracle, useOracle } from '../support/oracle.ts'
import { type Random, runSeed, seeded } from '../support/random.ts'
import { show } from '../support/resp.ts'
import { useServer } from '../support/server.ts'

const RUNS = 250

const NUMBERS = [
  '0',
  '1',
  '-1',
  '0.1',
  '-2.5',
  '1e15',
  '2^53',
  '2^63',
  '-2^63',
  '1e300',
  '1e-7',
  '3.0',
  '255',
  '65536',
  '-129',
  '4294967296',
  '1/3',
  '123456789.123',
]
const STRINGS = [
  "''",
  "'a'",
  "'key'",
  "'\\0x'",
  "'\\255\\1'",
  "'\"/\\\\'",
  "'\\n\\t'",
  "string.rep('x', 40)",
  "string.rep('y', 300)",
  "'1'",
  "'é'",
]

function scalar(random: Random): string {
  return random.pick([...NUMBERS, ...STRINGS, 'true', 'false', 'nil', 'cjson.null'])
}

function value(random: Random, depth: number): string {
  if (depth === 0 || random.below(4) === 0) return scalar(random)
  const items = Array.from({ length: random.below(5) }, (_, i) => {
    const inner = value(random, depth - 1)
    return random.pick([
      inner,
      inner,
      inner,
      `[${i + 1}] = ${inner}`,
      `k${random.below(4)} = ${inner}`,
      `[${random.pick(NUMBERS)}] = ${inner}`,
    ])
  })
  return `{${items.join(', ')}}`
}

const USES = [
  (v: string) => `return ${v}`,
  (v: string) => `return cjson.encode(${v})`,
  (v: string) => `return cjson.encode(cjson.decode(cjson.encode(${v})))`,
  (v: string) => `return cmsgpack.pack(${v})`,
  (v: string) => `return {cmsgpack.unpack(cmsgpack.pack(${v}, ${v}))}`,
  (v: string) => `local v = ${v} local ok, e = pcall(cjson.encode, v) return {type(v), tostring(ok), ok and #e or e}`,
  (v: string) => `return {map = {a = ${v}}}`,
  (v: string) => `redis.setresp(3) return {${v}, {double = 1.5}, {set = {x = ${v}}}}`,
  (v: string) => `return redis.call('echo', ${v})`,
  (v: string) => `return redis.pcall('set', 'k', ${v})`,
  (v: string) => `local t = {${v}, ${v}} return {#t, select('#', unpack(t)), type(t[1])}`,
  (v: string) => `return tostring(${v}):sub(1, 5)`,
  (v: string) => `error(${v})`,
  (v: string) => `return {pcall(error, ${v})}`,
  (v: string) => `return {struct.pack('>I4', ${v}), struct.pack('s', ${v})}`,
  (v: string) => `return {bit.band(${v}, 255), bit.tohex(${v})}`,
  (v: string) => `return string.format('%s|%5.1f|%q', ${v}, ${v}, ${v})`,
  (v: string) => `return math.floor(${v}) .. ''`,
]

/** What the comparison leaves out: addresses, doubles as 7.0 printed them, error({}), which ends redis-server, and errors with a bare LF. */
const LEFT_OUT = /table: 0x|userdata|function: /
const ENDS_ORACLE = /^error\((\{|'\\n)/

describeWithOracle('random scripts', () => {
  const server = useServer()
  const oracle = useOracle()
  const pairs = new Map<Protocol, [ours: Connection, theirs: Connection]>()

  beforeAll(async () => {
    for (const protocol of [2, 3] as const) {
      const theirs = { port: (oracle.current as { port: number }).port }
      pairs.set(protocol, [await Connection.open(server.address, protocol), await Connection.open(theirs, protocol)])
    }
  })
  afterAll(() => {
    for (const both of pairs.values()) for (const one of both) one.close()
  })

  test.each([2, 3] as const)('reply as redis-server does, RESP%i', async (protocol) => {
    const [ours, theirs] = pairs.get(protocol) as [Connection, Connection]
    const seed = runSeed()
    const random = seeded(seed)
    const newer = oracle.current?.atLeast('7.2') === true
    for (let i = 0; i < RUNS; i++) {
      const script = random.pick(USES)(value(random, 3))
      if (ENDS_ORACLE.test(script)) continue
      if (!newer && /redis\.p?call|double/.test(script)) continue
      const [expected] = await theirs.pipeline([['EVAL', script, 0]])
      const [reply] = await ours.pipeline([['EVAL', script, 0]])
      if (LEFT_OUT.test(expected.toString('latin1'))) continue
      expect(show(reply), `seed ${seed}: ${script}`).toBe(show(expected))
    }
  })
})
