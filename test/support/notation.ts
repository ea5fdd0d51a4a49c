/**
 * The notation for replies in case files, and its matching. One notation stands for both protocols where RESP2 only flattens RESP3:
 *
 *   +OK            simple string                      [a b [c :1]]   array
 *   -ERR text      error, up to the end of the line   {k v k2 v2}    map; in RESP2 a flat array
 *   -"ERR text"    error inside of something          ~[a b]         set; in RESP2 an array
 *   :5             integer                            >[a b]         push; in RESP2 an array
 *   abc  "a b\n"   bulk string                        nil            null; in RESP2 the null bulk
 *   nil2  nil2*    the nulls of RESP2, where a RESP3 client has gone back to it
 *   ,1.5           double; in RESP2 a bulk            nil*           null; in RESP2 the null array
 *   #t #f          boolean; in RESP2 :1 :0            =txt:abc       verbatim; in RESP2 a bulk
 *   (123           big number; in RESP2 a bulk        A | B          A in RESP2, B in RESP3
 *
 * Patterns, for replies that are not the same each time (the oracle is then held against the pattern, not against the bytes):
 *
 *   any            any reply                          :5..9          integer in a range (also :..9 and :5..)
 *   any:integer    any reply of that type             oneof(a b c)   one of these
 *   /^redis/       text that matches                  @[a b]         the same items in any order; also @~[ @{ @>[
 *   ?name          any scalar; its text is $name      [a any ...]    more items may follow
 */
import type { Protocol } from './connection.ts'
import type { Aggregate, Reply, Scalar } from './resp.ts'
import { binary, quote, quotedAt } from './words.ts'

export type Pattern =
  | { kind: 'scalar'; type: Scalar['type']; text: string }
  | { kind: 'null'; array: boolean; resp2: boolean }
  | { kind: 'list'; type: Aggregate['type']; items: Pattern[]; anyOrder: boolean; open: boolean }
  | { kind: 'either'; resp2: Pattern; resp3: Pattern }
  | { kind: 'one of'; choices: Pattern[] }
  | { kind: 'any'; type: string; name?: string }
  | { kind: 'range'; low: number; high: number }
  | { kind: 'regexp'; source: RegExp }

/** Names given with ?name, and the texts seen for them. */
export type Names = Map<string, string>

const CLOSING: Record<string, string> = { '[': ']', '{': '}', '(': ')' }
const PREFIXED: Record<string, Scalar['type']> = {
  '+': 'simple',
  ':': 'integer',
  ',': 'double',
  '#': 'boolean',
  '(': 'bignum',
  '=': 'verbatim',
}

/** Reads one notation. Throws when there is more or less than that. */
export function parsePattern(source: string): Pattern {
  const text = binary(source.trim())
  if (/^-[^"]/.test(text)) return { kind: 'scalar', type: 'error', text: text.slice(1) }
  const reader = new Reader(text)
  const first = reader.pattern()
  const whole: Pattern = reader.take('|') ? { kind: 'either', resp2: first, resp3: reader.pattern() } : first
  if (!reader.done()) throw new Error(`more than one reply in: ${source}`)
  return whole
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  done(): boolean {
    this.#skipSpace()
    return this.#at >= this.#text.length
  }

  take(token: string): boolean {
    this.#skipSpace()
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }

  pattern(): Pattern {
    if (this.done()) throw new Error(`no reply in: ${this.#text}`)
    const list = this.#takeMatch(/(@?)([~>]?)([[{])/y)
    if (list) return this.#list(list)
    if (this.take('oneof(')) return { kind: 'one of', choices: this.#items(')') }
    const regexp = this.#takeMatch(/\/((?:[^/\\]|\\.)*)\//y)
    if (regexp) return { kind: 'regexp', source: new RegExp(regexp[1], 's') }
    const range = this.#takeMatch(/:(-?\d*)\.\.(-?\d*)(?=[\s\]})|]|$)/y)
    if (range) return { kind: 'range', low: range[1] ? Number(range[1]) : -Infinity, high: range[2] ? Number(range[2]) : Infinity }
    return this.#scalar()
  }

  #list(match: RegExpExecArray): Pattern {
    const [, any, prefix, bracket] = match
    const type = bracket === '{' ? 'map' : prefix === '~' ? 'set' : prefix === '>' ? 'push' : 'array'
    const items = this.#items(CLOSING[bracket])
    const last = items[items.length - 1]
    const open = last?.kind === 'scalar' && last.type === 'bulk' && last.text === '...'
    return { kind: 'list', type, items: open ? items.slice(0, -1) : items, anyOrder: any !== '', open }
  }

  #items(closing: string): Pattern[] {
    const items: Pattern[] = []
    while (!this.take(closing)) items.push(this.pattern())
    return items
  }

  #scalar(): Pattern {
    const prefix = /[-+:,#(=]/.test(this.#text[this.#at]) ? this.#text[this.#at++] : ''
    const quoted = /["']/.test(this.#text[this.#at] ?? '') ? quotedAt(this.#text, this.#at) : undefined
    const text = quoted?.text ?? this.#takeMatch(/[^\s\]})]*/y)?.[0] ?? ''
    if (quoted) this.#at = quoted.end
    if (prefix === '-') return { kind: 'scalar', type: 'error', text }
    if (prefix) return { kind: 'scalar', type: PREFIXED[prefix], text }
    if (quoted) return { kind: 'scalar', type: 'bulk', text }
    if (/^nil2?\*?$/.test(text)) return { kind: 'null', array: text.endsWith('*'), resp2: text.startsWith('nil2') }
    if (text === 'any') return { kind: 'any', type: '' }
    if (text.startsWith('any:')) return { kind: 'any', type: text.slice(4) }
    if (/^\?\w+$/.test(text)) return { kind: 'any', type: '', name: text.slice(1) }
    return { kind: 'scalar', type: 'bulk', text }
  }

  #skipSpace(): void {
    while (this.#text[this.#at] === ' ') this.#at++
  }

  #takeMatch(expression: RegExp): RegExpExecArray | null {
    this.#skipSpace()
    expression.lastIndex = this.#at
    const match = expression.exec(this.#text)
    if (match) this.#at = expression.lastIndex
    return match
  }
}

/** True when the pattern allows only one reply, so that the oracle's bytes must be the same. */
export function isExact(p: Pattern): boolean {
  if (p.kind === 'list') return !p.anyOrder && !p.open && p.items.every(isExact)
  if (p.kind === 'either') return isExact(p.resp2) && isExact(p.resp3)
  return p.kind === 'scalar' || p.kind === 'null'
}

const FLATTENED: Record<string, string> = {
  double: 'bulk',
  bignum: 'bulk',
  verbatim: 'bulk',
  boolean: 'integer',
  map: 'array',
  set: 'array',
  push: 'array',
}

export function matches(p: Pattern, reply: Reply, protocol: Protocol, names: Names): boolean {
  switch (p.kind) {
    case 'either':
      return matches(protocol === 2 ? p.resp2 : p.resp3, reply, protocol, names)
    case 'one of':
      return p.choices.some((choice) => matches(choice, reply, protocol, names))
    case 'null':
      return reply.type === (protocol === 3 && !p.resp2 ? 'null' : p.array ? 'null array' : 'null bulk')
    case 'any':
      if (p.type && reply.type !== p.type && !(protocol === 2 && FLATTENED[p.type] === reply.type)) return false
      if (p.name && 'text' in reply) names.set(p.name, reply.text)
      return true
    case 'range':
      return reply.type === 'integer' && Number(reply.text) >= p.low && Number(reply.text) <= p.high
    case 'regexp':
      return 'text' in reply && p.source.test(reply.text)
    case 'scalar':
      return matchesScalar(p.type, valueOf(p.text, names), reply, protocol)
    case 'list':
      return matchesList(p, reply, protocol, names)
  }
}

function matchesScalar(type: Scalar['type'], text: string, reply: Reply, protocol: Protocol): boolean {
  if (!('text' in reply)) return false
  if (protocol === 2 && type in FLATTENED) {
    const flat = type === 'boolean' ? (text === 't' ? '1' : '0') : type === 'verbatim' ? text.slice(4) : text
    return reply.type === FLATTENED[type] && reply.text === flat
  }
  return reply.type === type && reply.text === text
}

function matchesList(p: Pattern & { kind: 'list' }, reply: Reply, protocol: Protocol, names: Names): boolean {
  const type = protocol === 2 ? (FLATTENED[p.type] ?? p.type) : p.type
  if (!('items' in reply) || reply.type !== type) return false
  if (p.open ? reply.items.length < p.items.length : reply.items.length !== p.items.length) return false
  if (!p.anyOrder) return p.items.every((item, i) => matches(item, reply.items[i], protocol, names))
  const step = p.type === 'map' ? 2 : 1
  const left = Array.from({ length: Math.floor(reply.items.length / step) }, (_, i) => reply.items.slice(i * step, i * step + step))
  for (let i = 0; i < p.items.length; i += step) {
    const found = left.findIndex((part) => part.every((r, j) => matches(p.items[i + j], r, protocol, names)))
    if (found < 0) return false
    left.splice(found, 1)
  }
  return true
}

/** `$name` stands for what an earlier reply gave. */
export function valueOf(text: string, names: Names): string {
  return text.startsWith('$') ? (names.get(text.slice(1)) ?? text) : text
}

const MARKS: Record<string, string> = {
  simple: '+',
  error: '-',
  integer: ':',
  double: ',',
  boolean: '#',
  bignum: '(',
  verbatim: '=',
  'blob error': '!',
}
const OPENING: Record<string, string> = { array: '[', set: '~[', push: '>[', map: '{', attribute: '|{' }

/** A reply in the notation. */
export function render(reply: Reply, top = true): string {
  if (reply.type === 'error' && top && !/^["]|^\s|\s$|[^ -_a-~]|\$\{| ![\w.]+ /.test(reply.text)) return `-${reply.text}`
  if ('items' in reply) {
    const bracket = OPENING[reply.type]
    return bracket + reply.items.map((item) => render(item, false)).join(' ') + CLOSING[bracket[bracket.length - 1]]
  }
  if ('text' in reply) return (MARKS[reply.type] ?? '') + quote(reply.text, reply.type === 'bulk' ? isBareBulk : isBareText)
  return reply.type === 'null array' ? 'nil*' : 'nil'
}

const isBareText = (text: string): boolean => /^[!#%-Z\\^_a-z~]+$/.test(text)
const isBareBulk = (text: string): boolean => /^[0-9A-Za-z_.*!$][\w.:*!%&;^-]*$/.test(text) && !/^(nil2?\*?|any(:.*)?|\.\.\.)$/.test(text)

/** One notation for a pair of replies of the two protocols: the RESP3 one where RESP2 follows from it. */
export function renderBoth(resp2: Reply, resp3: Reply): string {
  for (const candidate of [render(resp3), render(resp2)]) {
    const pattern = parsePattern(candidate)
    if (matches(pattern, resp2, 2, new Map()) && matches(pattern, resp3, 3, new Map())) return candidate
  }
  if (resp3.type === 'null bulk' || resp3.type === 'null array') return render(resp3).replace('nil', 'nil2')
  return `${render(resp2, false)} | ${render(resp3, false)}`
}
