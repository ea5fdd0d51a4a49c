/**
 * Command templates for random streams. One line is one command:
 *
 *   5 SET {key} {value} [NX|XX] [GET] [EX {seconds}|KEEPTTL]
 *   MSET ({key} {value})+
 *
 *   5 at the start    this line is drawn five times as often
 *   {pool}            a value of that pool
 *   [A|B]             nothing, A or B              (A|B)      A or B
 *   (...)+            one to four times            (...)*     none to three times
 *   everything else   the word itself (quotes as in redis-cli)
 */
import type { Random } from './random.ts'
import { quotedAt } from './words.ts'

/** Values to draw from: words in one string, a list (for values with spaces or bytes), or a function. */
export type Pool = string | readonly string[] | ((random: Random) => string)

type Node =
  | { kind: 'word'; text: string }
  | { kind: 'pool'; name: string }
  | { kind: 'group'; choices: Node[][]; optional: boolean; repeat: '' | '+' | '*' }

export type Template = { weight: number; nodes: Node[]; source: string }

const TOKEN = /\s*(?:(["'])|\{(\w+)\}|([[\](){}|])|([^\s[\](){}|]+))/y

export function parseTemplates(text: string): Template[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseTemplate)
}

function parseTemplate(line: string): Template {
  const weight = /^(\d+) /.exec(line)
  const body = weight ? line.slice(weight[0].length) : line
  const parser = new Parser(body)
  const choices = parser.choices('')
  if (choices.length !== 1) throw new Error(`alternatives need brackets: ${line}`)
  return { weight: weight ? Number(weight[1]) : 1, nodes: choices[0], source: body }
}

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The alternatives up to the closing bracket. */
  choices(closing: string): Node[][] {
    const found: Node[][] = [[]]
    for (;;) {
      const nodes = found[found.length - 1]
      TOKEN.lastIndex = this.#at
      const match = TOKEN.exec(this.#text)
      if (!match) {
        if (closing) throw new Error(`no ${closing} in: ${this.#text}`)
        return found
      }
      this.#at = TOKEN.lastIndex
      const [, quoteMark, pool, bracket, word] = match
      if (quoteMark) {
        const quoted = quotedAt(this.#text, this.#at - 1)
        this.#at = quoted.end
        nodes.push({ kind: 'word', text: quoted.text })
      } else if (pool) nodes.push({ kind: 'pool', name: pool })
      else if (word) nodes.push({ kind: 'word', text: word })
      else if (bracket === '|') found.push([])
      else if (bracket === closing) return found
      else if (bracket === '[' || bracket === '(') nodes.push(this.#group(bracket === '['))
      else throw new Error(`unexpected ${bracket} in: ${this.#text}`)
    }
  }

  #group(optional: boolean): Node {
    const choices = this.choices(optional ? ']' : ')')
    const sign = this.#text[this.#at]
    const repeat = !optional && (sign === '+' || sign === '*') ? sign : ''
    if (repeat) this.#at++
    return { kind: 'group', choices, optional, repeat }
  }
}

/** Draws commands from templates and pools. */
export class Generator {
  readonly #templates: readonly Template[]
  readonly #pools: Record<string, Pool>
  readonly #random: Random
  readonly #lists = new Map<string, readonly string[]>()

  constructor(templates: readonly Template[], pools: Record<string, Pool>, random: Random) {
    this.#templates = templates.flatMap((t) => Array<Template>(t.weight).fill(t))
    this.#pools = pools
    this.#random = random
  }

  command(): string[] {
    const args: string[] = []
    this.#write(this.#random.pick(this.#templates).nodes, args)
    return args
  }

  /** A value of a pool. */
  draw(name: string): string {
    const pool = this.#pools[name]
    if (pool === undefined) throw new Error(`no pool named ${name}`)
    if (typeof pool === 'function') return pool(this.#random)
    let list = this.#lists.get(name)
    if (!list) {
      list = typeof pool === 'string' ? pool.split(' ') : pool
      this.#lists.set(name, list)
    }
    return this.#random.pick(list)
  }

  /** A value of any pool, to put where it does not belong. */
  drawAny(): string {
    return this.draw(this.#random.pick(Object.keys(this.#pools)))
  }

  #write(nodes: readonly Node[], args: string[]): void {
    for (const node of nodes) {
      if (node.kind === 'word') args.push(node.text)
      else if (node.kind === 'pool') args.push(this.draw(node.name))
      else for (let n = this.#count(node); n > 0; n--) this.#write(this.#random.pick(node.choices), args)
    }
  }

  #count(group: Node & { kind: 'group' }): number {
    if (group.optional) return this.#random.chance(0.35) ? 1 : 0
    if (group.repeat === '+') return 1 + this.#random.below(4)
    return group.repeat === '*' ? this.#random.below(4) : 1
  }
}
