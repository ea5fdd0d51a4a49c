/**
 * Differential tests: random command streams, run against respd and redis-server in RESP2 and in RESP3, in pipelined chunks; the replies must
 * be the same bytes. A failure is shrunk to a minimal list of commands and printed with its seed.
 *
 *     import { differential } from '../support/differential.ts'
 *
 *     differential('string', {
 *       pools: { value: 'a bb 10 -7', ... },                       // on top of the pools below
 *       commands: `
 *         5 SET {key} {value} [NX|XX] [GET]                        // see grammar.ts
 *         APPEND {key} {value}
 *       `,
 *       compare: [[/^(KEYS|SMEMBERS) /, anyOrder, 'hash order is not defined']],
 *       since72: [[/^OBJECT ENCODING/, 'small lists are listpacks since 7.2']],
 *     })
 *
 * A few commands are spoiled on purpose (an argument dropped, added or replaced), so that errors and their order are compared too. At the end
 * of each stream the whole data set is compared. RESPD_DIFF_N=100000 runs longer, RESPD_SEED=n repeats a run.
 */
import { expect, test } from 'vitest'
import { type Address, Connection, type Protocol } from './connection.ts'
import { describeWithOracle, useOracle, versionAtLeast } from './oracle.ts'
import { Generator, type Pool, parseTemplates } from './grammar.ts'
import { render } from './notation.ts'
import { type Random, runSeed, seeded } from './random.ts'
import { parseReply, type Reply } from './resp.ts'
import { type ServerOptions, useServer } from './server.ts'
import { shrink } from './shrink.ts'
import { quote } from './words.ts'

/** Whether two replies that are not the same bytes are still the same answer. */
export type Same = (ours: Reply, theirs: Reply, command: readonly string[]) => boolean

export type DifferentialSpec = {
  commands: string
  pools?: Record<string, Pool>
  /** Commands (their words joined by spaces) whose replies need not be the same bytes, what makes them the same, and why. */
  compare?: readonly [RegExp, Same, string][]
  /** Commands whose replies are not compared with an oracle older than 7.2, and why. */
  since72?: readonly [RegExp, string][]
  /** Run before each stream, after FLUSHALL, on both servers. */
  setup?: readonly string[][]
  /** Commands in a stream between two FLUSHALLs. */
  streamLength?: number
  /** How many of the commands are spoiled. */
  spoil?: number
  /** Whether Redis specifies what a spoiled command does; those it does not are run unspoiled. */
  specified?: (command: readonly string[]) => boolean
  /** Options of `createServer`, and arguments for redis-server's command line. */
  server?: ServerOptions
  oracle?: string[]
}

const DEFAULT_COMMANDS = 3000
const CHUNK = 50

export const standardPools: Record<string, Pool> = {
  key: 'k1 k2 k3 k4 k5',
  value: ['a', 'bb', '', 'hello world', '10', '-7', '3.25', '\xff\x00\r\n', 'x'.repeat(100), '9223372036854775807'],
  member: 'a b c d e f g 1 2 3 -5 1000000 x1 x2 x3',
  field: 'f1 f2 f3 f4 f5',
  int: '0 1 2 3 5 -1 -2 -3 10 100 -100 9223372036854775807 -9223372036854775808 9223372036854775808 abc 1.5',
  small: '0 1 2 3 4 5',
  index: '0 1 2 3 -1 -2 -3 10 -10 100 -100',
  float: '0 1 -1 0.1 2.5 -3.75 1e3 1e-5 inf -inf nan 3.0 abc 17179869184 0.30000000000000004',
  score: '0 1 2 3 -1 2.5 -3.75 1e10 inf -inf',
  seconds: '100 200 1000 100000 -1 0 abc',
  pattern: '* k* k? k[1-3] k[^1] *1 \\k1 none',
}

/** The same items in any order; in `pairsInAnyOrder` two and two (field and value) stay together. */
export const anyOrder: Same = (a, b) => rendered(a, a.type === 'map' ? 2 : 1) === rendered(b, b.type === 'map' ? 2 : 1)
export const pairsInAnyOrder: Same = (a, b) => rendered(a, 2) === rendered(b, 2)
/** The reply with its decimal numbers in their shortest form: before 7.2 doubles were printed with 17 digits. */
function shortDoubles(reply: Reply): Reply {
  if ('items' in reply) return { ...reply, items: reply.items.map(shortDoubles) }
  if (!('text' in reply) || (reply.type !== 'bulk' && reply.type !== 'double')) return reply
  return /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(reply.text) ? { ...reply, text: String(Number(reply.text)) } : reply
}

/** Replies of the same type. */
export const sameType: Same = (a, b) => a.type === b.type
/** Integers that differ by at most `tolerance`. */
export const within =
  (tolerance: number): Same =>
  (a, b) =>
    a.type === 'integer' && b.type === 'integer' && Math.abs(Number(a.text) - Number(b.text)) <= tolerance

function rendered(reply: Reply, step: number): string {
  return render('items' in reply ? { ...reply, items: sorted(reply.items, step) } : reply)
}

function sorted(items: Reply[], step: number): Reply[] {
  const groups = Array.from({ length: items.length / step }, (_, i) => items.slice(i * step, i * step + step))
  return groups
    .map((group) => [group.map((r) => render(r)).join(' '), group] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([, group]) => group)
}

const ALWAYS: readonly [RegExp, Same, string][] = [
  [/^(KEYS|SMEMBERS|SINTER|SUNION|SDIFF|HKEYS|HVALS) ?/i, anyOrder, 'the order of a hash table is not defined'],
  [/^HGETALL /i, pairsInAnyOrder, 'the order of a hash table is not defined'],
  [/^TTL /i, within(1), 'time passes between the two servers'],
  [/^PTTL /i, within(2000), 'time passes between the two servers'],
  [/^EXPIRETIME /i, within(1), 'time passes between the two servers'],
  [/^PEXPIRETIME /i, within(2000), 'time passes between the two servers'],
]

type Pair = { ours: Connection; theirs: Connection }
type Difference = { at: number; command: readonly string[]; ours: string; theirs: string }

export function differential(group: string, spec: DifferentialSpec): void {
  describeWithOracle(`${group} differential`, () => {
    const oracle = useOracle(...(spec.oracle ?? []))
    const server = useServer(spec.server)
    const total = Number(process.env.RESPD_DIFF_N ?? DEFAULT_COMMANDS)
    for (const protocol of [2, 3] as const) {
      const name = `${total} random commands, RESP${protocol}`
      test(name, { timeout: 60_000 + total * 10 }, async () => {
        const theirs = oracle.current
        if (!theirs) return
        const run = new DifferentialRun(spec, theirs.version, protocol, [server.address, theirs.address])
        const failure = await run.all(total, runSeed())
        if (failure) expect.fail(`${group}: ${failure}`)
      })
    }
  })
}

class DifferentialRun {
  readonly #spec: DifferentialSpec
  readonly #old: boolean
  readonly #protocol: Protocol
  readonly #addresses: readonly [Address, Address]
  readonly #rules: readonly [RegExp, Same, string][]

  constructor(spec: DifferentialSpec, oracleVersion: string, protocol: Protocol, addresses: readonly [Address, Address]) {
    this.#spec = spec
    this.#old = !versionAtLeast(oracleVersion, '7.2.0')
    this.#protocol = protocol
    this.#addresses = addresses
    this.#rules = [...(spec.compare ?? []), ...ALWAYS]
  }

  /** Runs streams of commands; a description of the first difference, or undefined. */
  async all(total: number, seed: number): Promise<string | undefined> {
    const length = this.#spec.streamLength ?? 150
    const templates = parseTemplates(this.#spec.commands)
    const pools = { ...standardPools, ...this.#spec.pools }
    for (let done = 0, stream = seed; done < total; done += length, stream++) {
      const random = seeded(stream)
      const generator = new Generator(templates, pools, random)
      const commands = Array.from({ length }, () => this.#spoiled(generator.command(), generator, random))
      const difference = await this.#compare(commands)
      if (difference) return this.#report(stream, await this.#shrink(commands.slice(0, difference.at + 1)))
    }
    return undefined
  }

  /** Sometimes spoils a command, but none that may wait: a wrong timeout could wait for ever, on both servers. */
  #spoiled(command: string[], generator: Generator, random: Random): string[] {
    const waits = /^B[LRZ]/i.test(command[0]) || command.some((word) => /^block$/i.test(word))
    if (waits) return command
    const spoiled = spoil(command, generator, random, this.#spec.spoil ?? 0.05)
    return this.#spec.specified?.(spoiled) === false ? command : spoiled
  }

  /** Runs the commands from FLUSHALL on new connections; the first difference, or undefined. */
  async #compare(commands: readonly string[][]): Promise<Difference | undefined> {
    const [ours, theirs] = await Promise.all(this.#addresses.map((address) => Connection.open(address, this.#protocol)))
    try {
      const setup = [['FLUSHALL'], ...(this.#spec.setup ?? [])]
      await Promise.all([ours.pipeline(setup.map(bytesOf)), theirs.pipeline(setup.map(bytesOf))])
      const found = await this.#exchange({ ours, theirs }, commands)
      return found ?? (await this.#compareData({ ours, theirs }, commands.length))
    } finally {
      ours.close()
      theirs.close()
    }
  }

  async #exchange(pair: Pair, commands: readonly string[][]): Promise<Difference | undefined> {
    for (let from = 0; from < commands.length; from += CHUNK) {
      const chunk = commands.slice(from, from + CHUNK)
      const [ours, theirs] = await Promise.all([repliesTo(pair.ours, chunk), repliesTo(pair.theirs, chunk)])
      for (let i = 0; i < chunk.length; i++) {
        const [a, b] = this.#comparable(chunk[i], ours[i], theirs[i])
        if (a !== b) return { at: from + i, command: chunk[i], ours: a, theirs: b }
      }
    }
    return undefined
  }

  /** The two replies as texts that have to be equal. */
  #comparable(command: readonly string[], ours: Buffer | string, theirs: Buffer | string): [string, string] {
    if (typeof ours === 'string' || typeof theirs === 'string') return [String(ours), String(theirs)]
    // one line, whatever is in the words: a line break in a member must not end what a pattern sees
    const line = command.join(' ').replace(/[\r\n]/g, '.')
    if (this.#old && this.#spec.since72?.some(([pattern]) => pattern.test(line))) return ['', '']
    if (ours.equals(theirs)) return ['', '']
    const [a, b] = [parseReply(ours), parseReply(theirs)]
    const rule = this.#rules.find(([pattern]) => pattern.test(line))
    const same = rule?.[1](a, b, command) || (this.#old && render(shortDoubles(a)) === render(shortDoubles(b)))
    return same ? ['', ''] : [render(a), render(b)]
  }

  /** Compares every key's type, time to live and content. */
  async #compareData(pair: Pair, at: number): Promise<Difference | undefined> {
    const keys = [...new Set([...(await keysOf(pair.ours)), ...(await keysOf(pair.theirs))])].toSorted()
    for (const key of keys) {
      const type = ((await pair.theirs.call('TYPE', Buffer.from(key, 'latin1'))) as { text: string }).text
      const commands = [['TYPE', key], ['TTL', key], ...(CONTENT[type] ?? []).map((words) => words.map((w) => (w === 'KEY' ? key : w)))]
      const difference = await this.#exchange(pair, commands)
      if (difference) return { ...difference, at }
    }
    return undefined
  }

  /** A short list of commands that still differs. */
  async #shrink(commands: string[][]): Promise<{ commands: string[][]; difference: Difference }> {
    const shortest = await shrink(commands, async (candidate) => (await this.#compare(candidate)) !== undefined)
    const difference = await this.#compare(shortest)
    if (!difference) throw new Error('the difference did not show again: it depends on time or chance')
    return { commands: shortest, difference }
  }

  #report(seed: number, { commands, difference }: { commands: string[][]; difference: Difference }): string {
    const lines = commands.map((words) => `    ${words.map((w) => quote(w)).join(' ')}`)
    return [
      `RESP${this.#protocol}, RESPD_SEED=${seed}; the same from FLUSHALL with`,
      ...lines,
      `  ${difference.command.map((w) => quote(w)).join(' ')}`,
      `      respd         ${difference.ours}`,
      `      redis-server  ${difference.theirs}`,
    ].join('\n')
  }
}

const CONTENT: Record<string, string[][]> = {
  string: [['GET', 'KEY']],
  list: [['LRANGE', 'KEY', '0', '-1']],
  hash: [['HGETALL', 'KEY']],
  set: [['SMEMBERS', 'KEY']],
  zset: [['ZRANGE', 'KEY', '0', '-1', 'WITHSCORES']],
  stream: [
    ['XRANGE', 'KEY', '-', '+'],
    ['XINFO', 'GROUPS', 'KEY'],
  ],
}

function bytesOf(command: readonly string[]): Buffer[] {
  return command.map((word) => Buffer.from(word, 'latin1'))
}

/** The replies' bytes, with a word in place of those that did not come. */
async function repliesTo(connection: Connection, commands: readonly string[][]): Promise<(Buffer | string)[]> {
  try {
    return await connection.pipeline(commands.map(bytesOf))
  } catch (error) {
    return commands.map(() => (error as Error).message)
  }
}

async function keysOf(connection: Connection): Promise<string[]> {
  const reply = await connection.call('KEYS', '*')
  return 'items' in reply ? reply.items.flatMap((r) => ('text' in r ? [r.text] : [])) : []
}

/** Sometimes drops, adds or replaces an argument. */
function spoil(command: string[], generator: Generator, random: Random, probability: number): string[] {
  if (!random.chance(probability) || command.length < 2) return command
  const at = 1 + random.below(command.length - 1)
  const kind = random.below(3)
  const before = command.slice(0, at)
  if (kind === 0) return [...before, ...command.slice(at + 1)]
  return [...before, generator.drawAny(), ...command.slice(kind === 1 ? at : at + 1)]
}
