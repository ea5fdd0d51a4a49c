/** Commands of every group over a few keys of every type, made from the argument grammar of the command table. */
import type { Client } from '../../src/engine/client.ts'
import { type Argument, parseGrammar } from '../../src/engine/grammar.ts'
import type { CommandRow } from '../../src/engine/row.ts'
import { COMMAND_GROUPS } from '../../src/commands/index.ts'
import type { Random } from './random.ts'

/** They end the server or its connections, take seconds, or let everything wait. */
const LEFT_OUT = /^(SHUTDOWN|DEBUG|MONITOR|PFSELFTEST|CONFIG|MODULE|FAILOVER|REPLICAOF|SLAVEOF|QUIT|CLIENT|LOLWUT|HELLO|RESET|AUTH)$/
const KEYS = ['s', 'l', 'h', 'e', 'z', 'x', 'b', 'hll']
const WORDS = ['', 'a', 'b', 'c', 's', '12', '-7', '3.5', 'x'.repeat(70), 'y'.repeat(3000), '\xff\x00\r\n', '*', '1-1', '$', '>', '0']
const INTEGERS = ['0', '1', '2', '3', '10', '200', '-1', '-5', '9223372036854775807', '-9223372036854775808', 'x']
const DOUBLES = ['0', '1', '2.5', '-3', '85', '1e300', 'inf', '-inf', 'nan', '(1']
/** Makes every type larger than its compact encoding, so that both kinds meet all commands. */
const GROW: readonly ((i: number) => readonly string[])[] = [
  (i) => ['RPUSH', 'l', ...members(i, 60)],
  (i) => ['SADD', 'e', ...members(i, 60)],
  (i) => ['HSET', 'h', ...members(i, 60)],
  (i) => ['ZADD', 'z', ...members(i, 30).flatMap((m, n) => [String(n), m])],
  (i) => ['XADD', 'x', '*', ...members(i, 2)],
  (i) => ['XGROUP', 'CREATE', 'x', 'abc'[i % 3], '0', 'MKSTREAM'],
  (i) => ['SETRANGE', 's', String(i % 5000), 'grown'],
  (i) => ['PFADD', 'hll', ...members(i, 100)],
  (i) => ['BF.ADD', 'b', String(i)],
]

function members(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `m${(from * 7 + i) % 700}`)
}

type Template = { readonly words: readonly string[]; readonly args: readonly Argument[] }

function templates(rows: readonly CommandRow<Client>[], except: RegExp, before: readonly string[] = []): Template[] {
  return rows.flatMap((row) => {
    const words = [...before, row.name]
    if ((before.length === 0 && LEFT_OUT.test(row.name)) || except.test(words.join(' '))) return []
    if (row.subcommands) return templates(row.subcommands, except, words)
    return [{ words, args: parseGrammar(row.args ?? '') }]
  })
}

/** Writes random words that fit the grammar; now and then one that does not. */
class Writer {
  readonly words: string[]
  private readonly random: Random

  constructor(random: Random, { words, args }: Template) {
    this.words = [...words]
    this.random = random
    this.all(args)
  }

  private all(args: readonly Argument[]): void {
    for (const argument of args) {
      if (argument.optional && this.random.chance(0.6)) continue
      const times = argument.multiple && this.random.chance(0.5) ? 1 + this.random.below(4) : 1
      for (let i = 0; i < times; i++) this.one(argument, i === 0 || argument.multipleToken)
    }
  }

  private one(argument: Argument, withToken: boolean): void {
    const { random, words } = this
    if (argument.token !== undefined && withToken) words.push(argument.token)
    if (argument.type === 'oneof') this.all([random.pick(argument.arguments)])
    else if (argument.type === 'block') this.all(argument.arguments)
    else if (argument.type === 'key') words.push(random.pick(KEYS))
    else if (argument.name === 'numkeys') words.push(String(random.below(4)))
    else if (argument.type === 'integer' || argument.type === 'unix-time') words.push(random.pick(INTEGERS))
    else if (argument.type === 'double') words.push(random.chance(0.5) ? String(random.below(100)) : random.pick(DOUBLES))
    else if (argument.type !== 'pure-token') words.push(random.pick(WORDS))
  }
}

/** A source of random commands; none whose name matches `except`. */
export function anyCommands(random: Random, except = /^$/): () => readonly string[] {
  const list = COMMAND_GROUPS.flatMap(([, rows]) => templates(rows as readonly CommandRow<Client>[], except))
  let i = 0
  return () => (random.chance(0.3) ? random.pick(GROW)(i++) : new Writer(random, random.pick(list)).words)
}
