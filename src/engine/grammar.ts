/**
 * The argument grammar: one line in a command row for the tree of arguments that COMMAND DOCS shows.
 *
 *   key:key value:string [condition(NX|XX)] [GET@6.2.0] [expiration(EX seconds:integer|PX milliseconds:integer|KEEPTTL@6.0.0)]
 *   key:key [LIMIT limit(offset:integer count:integer)] [(GET get-pattern:pattern<pattern>#1)...]
 *
 *   line      = item { " " item }
 *   item      = argument | "[" argument "]"                 in brackets: optional
 *   argument  = [ TOKEN " " ] body marks                    a token in front belongs to the argument
 *             | "(" TOKEN " " body marks ")..."             repeated together with its token (multiple_token)
 *   body      = name ":" type                               a value
 *             | TOKEN | name "=" TOKEN                      a pure token; by default its name is the token in lower case
 *             | name "(" item { "|" item } ")"              oneof: one of at least two alternatives
 *             | name "(" item { " " item } ")"              block: these in a row
 *   marks     = [ "<" display ">" ] [ "#" spec ] [ "@" [ since ] [ "-" deprecated ] ] [ "..." ]
 *   name      = lower-case letters, digits, "-", "_"
 *   TOKEN     = upper-case letters, digits, "-", ".", "_", or anything between double quotes
 *   type      = string integer double key pattern unix-time
 *
 * A space may be any white space, and there may be some around "|": long lines are broken in a template literal.
 * "<...>" is the display text where it differs from the name. "#" gives the number of the key spec; keys without it count up from the
 * key before. "..." stands for one or more. A pure token that is followed by a value of its own right must be written name=TOKEN, since
 * a bare TOKEN would take the value for itself.
 */

export type ArgumentType = 'string' | 'integer' | 'double' | 'key' | 'pattern' | 'unix-time' | 'pure-token' | 'oneof' | 'block'

export interface Argument {
  readonly name: string
  readonly type: ArgumentType
  /** Absent in oneof and block. */
  readonly displayText?: string
  /** Which of the command's key specs finds this argument. */
  readonly keySpecIndex?: number
  readonly token?: string
  readonly since?: string
  readonly deprecatedSince?: string
  readonly optional: boolean
  readonly multiple: boolean
  /** The token is repeated with each occurrence. */
  readonly multipleToken: boolean
  /** The alternatives of a oneof, the parts of a block, otherwise empty. */
  readonly arguments: readonly Argument[]
}

const VALUE_TYPES = 'string|integer|double|key|pattern|unix-time'
const SPACE = /\s+/y
const BAR = /\s*\|\s*/y
const TOKEN = /"([^"]*)"|([A-Z][A-Z0-9._-]*)(?![a-z])/y
const NAME = /[a-z][a-z0-9_-]*/y
const NAMED_TOKEN = /[a-z][a-z0-9_-]*=/y
const TYPE = new RegExp(`:(${VALUE_TYPES})(?![a-z-])`, 'y')
const DISPLAY = /<([^>]+)>/y
const KEY_SPEC = /#([0-9]+)/y
const VERSIONS = /@([0-9]+(?:\.[0-9]+)*)?(?:-([0-9]+(?:\.[0-9]+)*))?/y
const MULTIPLE = /\.\.\./y

/** Reads a line of grammar; throws an Error that points at the place where it is wrong. */
export function parseGrammar(line: string): Argument[] {
  return line === '' ? [] : new GrammarParser(line).parse()
}

type Draft = { -readonly [Field in keyof Argument]: Argument[Field] }

class GrammarParser {
  private readonly line: string
  private at = 0
  private nextKeySpec = 0

  constructor(line: string) {
    this.line = line
  }

  parse(): Argument[] {
    const items = this.items(SPACE)
    if (this.at < this.line.length) this.fail('a space or the end')
    return items
  }

  private items(separator: RegExp): Argument[] {
    const items = [this.item()]
    while (this.match(separator)) items.push(this.item())
    return items
  }

  private item(): Argument {
    if (!this.take('[')) return this.argument()
    const argument = this.argument()
    argument.optional = true
    this.expect(']')
    return argument
  }

  private argument(): Draft {
    const repeated = this.take('(')
    const argument = this.tokenAndBody(repeated)
    this.marks(argument)
    if (repeated) {
      this.expect(')...')
      if (argument.multiple) this.fail('no second "..."')
      argument.multiple = true
      argument.multipleToken = true
    }
    return argument
  }

  private tokenAndBody(tokenNeeded: boolean): Draft {
    const token = this.token()
    if (token === undefined) {
      if (tokenNeeded) this.fail('a token')
      return this.body(undefined)
    }
    const afterToken = this.at
    if (this.match(SPACE) && this.peek(NAME) && !this.peek(NAMED_TOKEN)) return this.body(token)
    if (tokenNeeded) this.fail('a space and a name')
    this.at = afterToken
    if (/^[A-Z]/.test(token)) return pureToken(token.toLowerCase(), token)
    return this.fail('a name for this token, as in name="token"')
  }

  private body(token: string | undefined): Draft {
    const name = this.match(NAME)?.[0] ?? this.fail('an argument')
    if (token === undefined && this.take('=')) return pureToken(name, this.token() ?? this.fail('a token'))
    if (this.take('(')) return this.group(name, token)
    const type = (this.match(TYPE)?.[1] ?? this.fail(`":" and one of ${VALUE_TYPES}, or "("`)) as ArgumentType
    return draft(name, type, token, name)
  }

  private group(name: string, token: string | undefined): Draft {
    const first = this.item()
    const type = this.peek(BAR) ? 'oneof' : 'block'
    const separator = type === 'oneof' ? BAR : SPACE
    const rest = this.match(separator) ? this.items(separator) : []
    this.expect(')')
    return { ...draft(name, type, token, undefined), arguments: [first, ...rest] }
  }

  private marks(argument: Draft): void {
    const display = this.match(DISPLAY)
    if (display) argument.displayText = display[1]
    const spec = this.match(KEY_SPEC)
    if (spec) argument.keySpecIndex = Number(spec[1])
    else if (argument.type === 'key') argument.keySpecIndex = this.nextKeySpec
    if (argument.keySpecIndex !== undefined) this.nextKeySpec = argument.keySpecIndex + 1
    const versions = this.match(VERSIONS)
    if (versions?.[1]) argument.since = versions[1]
    if (versions?.[2]) argument.deprecatedSince = versions[2]
    if (this.match(MULTIPLE)) argument.multiple = true
  }

  private token(): string | undefined {
    const found = this.match(TOKEN)
    return found?.[1] ?? found?.[2]
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.line)
    if (found) this.at = pattern.lastIndex
    return found
  }

  private peek(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    return pattern.test(this.line)
  }

  private take(text: string): boolean {
    const found = this.line.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  private expect(text: string): void {
    if (!this.take(text)) this.fail(`"${text}"`)
  }

  private fail(expected: string): never {
    throw new Error(`argument grammar: expected ${expected} at column ${this.at + 1} of "${this.line}"`)
  }
}

function draft(name: string, type: ArgumentType, token: string | undefined, displayText: string | undefined): Draft {
  return { name, type, displayText, token, optional: false, multiple: false, multipleToken: false, arguments: [] }
}

function pureToken(name: string, token: string): Draft {
  return draft(name, 'pure-token', token, name)
}
