/**
 * The types an option can have: how its words are read, checked and shown again.
 *
 * An option's value is kept as the text that CONFIG GET shows, and beside it as a number where it has one (a bool is 0 or 1, an enum the
 * place of its word in the list, a percentage a negative number, as `maxmemory-clients 5%` is -5). Texts hold one byte per character, as
 * they came from the file or the client; whoever opens a file by them decodes them (`Config.path`).
 */
import { realpathSync, statSync, accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Why a value was refused, in the words a client reads after "CONFIG SET failed ... - ". */
export class Refused {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** A value that may not be: the text CONFIG GET would show, or the refusal. */
export type Parsed = string | Refused

export interface OptionType {
  /** `before` is the value so far; `more` says that an earlier line of the same file already set this option. */
  parse(words: readonly string[], before: string, more: boolean): Parsed
  number?(text: string): number
  /** How a configuration file spells the value, where that is not the word itself. */
  readonly spelling?: 'text' | 'size'
}

export type Check = (value: string) => string | null

export const WRONG_COUNT = 'wrong number of arguments'

export const bool: OptionType = {
  parse(words) {
    const word = words[0].toLowerCase()
    return word === 'yes' || word === 'no' ? word : new Refused("argument must be 'yes' or 'no'")
  },
  number: (text) => (text === 'yes' ? 1 : 0),
}

export function text(check?: Check): OptionType {
  return {
    spelling: 'text',
    parse(words) {
      const reason = check?.(words[0]) ?? null
      return reason === null ? words[0] : new Refused(reason)
    },
  }
}

/** One of several words. `synonyms` are read but shown as the word they stand for. */
export function choice(words: readonly string[], synonyms: Readonly<Record<string, string>> = {}): OptionType {
  const all = [...words, ...Object.keys(synonyms)]
  return {
    parse([word]) {
      const wanted = word.toLowerCase()
      const found = synonyms[wanted] ?? wanted
      return words.includes(found) ? found : new Refused(notOneOf(all))
    },
    number: (value) => words.indexOf(value),
  }
}

/** Several words of a list at once, shown in the list's order; the first word stands for none of the others. */
export function choices(words: readonly string[], check: (chosen: ReadonlySet<string>) => string | null): OptionType {
  return {
    parse(given) {
      const chosen = new Set(given.map((word) => word.toLowerCase()))
      for (const word of chosen) if (!words.includes(word)) return new Refused(notOneOf(words))
      const reason = check(chosen)
      if (reason !== null) return new Refused(reason)
      return words.filter((word, i) => i > 0 && chosen.has(word)).join(' ') || words[0]
    },
  }
}

function notOneOf(words: readonly string[]): string {
  return `argument(s) must be one of the following: ${words.join(', ')}`
}

// Numbers. The bounds go beyond 2^53, so they are compared as BigInt; nothing here is hot.

/** `share` is a memory value or a percentage, in the words of a memory value. */
export type NumberKind = 'integer' | 'memory' | 'percent' | 'share' | 'octal'

const NOT_A_NUMBER: Readonly<Record<NumberKind, string>> = {
  integer: "argument couldn't be parsed into an integer",
  memory: 'argument must be a memory value',
  percent: 'argument must be a memory or percent value',
  share: 'argument must be a memory value',
  octal: "argument couldn't be parsed as an octal number",
}

/** `clamp` are bounds that a value is silently brought into. */
export function number(kind: NumberKind, min: bigint, max: bigint, clamp?: readonly [bigint, bigint]): OptionType {
  const base = kind === 'octal' ? 8 : 10
  const percent = kind === 'percent' || kind === 'share'
  return {
    spelling: kind === 'memory' || percent ? 'size' : undefined,
    parse([word]) {
      if (percent && /^(0|[1-9]\d*)%$/.test(word)) return percentage(word, -min)
      const value = kind === 'integer' ? parseInteger(word) : kind === 'octal' ? parseOctal(word) : parseMemory(word)
      if (value === null) return new Refused(NOT_A_NUMBER[kind])
      const least = percent ? 0n : min
      if (value >= least && value <= max) return clamped(value, clamp).toString(base)
      return new Refused(`argument must be between ${min.toString(base)} and ${max.toString(base)} inclusive`)
    },
    number: (value) => (value.endsWith('%') ? -Number(value.slice(0, -1)) : Number.parseInt(value, base)),
  }
}

function clamped(value: bigint, bounds?: readonly [bigint, bigint]): bigint {
  if (!bounds) return value
  return value < bounds[0] ? bounds[0] : value > bounds[1] ? bounds[1] : value
}

function percentage(word: string, most: bigint): Parsed {
  const value = BigInt(word.slice(0, -1))
  if (value > most) return new Refused(`percentage argument must be less or equal to ${most}`)
  return value === 0n ? '0' : word
}

/** A decimal number in the one spelling that Redis takes: no sign but '-', no leading zero, within 64 bits. */
function parseInteger(word: string): bigint | null {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(word)) return null
  const value = BigInt(word)
  return BigInt.asIntN(64, value) === value ? value : null
}

function parseOctal(word: string): bigint | null {
  const match = /^\s*([+-]?)([0-7]*)$/.exec(word)
  if (!match || (match[1] && !match[2])) return null
  const value = BigInt(`0o${match[2] || '0'}`)
  return match[1] === '-' ? -value : value
}

const UNITS: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  k: 1000n,
  kb: 1024n,
  m: 1000n ** 2n,
  mb: 1024n ** 2n,
  g: 1000n ** 3n,
  gb: 1024n ** 3n,
}

/** A size with an optional unit: `1k` is 1000, `1kb` 1024. No digits are a zero. */
export function parseMemory(word: string): bigint | null {
  const match = /^(\d{0,127})([a-z]*)$/i.exec(word)
  const unit = match && UNITS[match[2].toLowerCase()]
  return unit ? BigInt(match[1] || '0') * unit : null
}

// Options with a syntax of their own.

/** A decimal number as C's strtoll reads it when nothing may follow: leading blanks and a plus sign are fine, and so is nothing at all. */
function parseLoose(word: string): number {
  return /^\s*[+-]?\d+$/.test(word) ? Number(word) : word === '' ? 0 : Number.NaN
}

/** Seconds and changes in pairs; lines of one file add up, `""` clears. */
export const savePoints: OptionType = {
  parse(words, before, more) {
    const clear = words.length === 1 && words[0] === ''
    const numbers = clear ? [] : words.map(parseLoose)
    const wrong = (value: number, i: number) => Number.isNaN(value) || value < (i % 2 === 0 ? 1 : 0)
    if (numbers.length % 2 === 1 || numbers.some(wrong)) return new Refused('Invalid save parameters')
    const earlier = more && !clear && before !== '' ? `${before} ` : ''
    return (earlier + numbers.join(' ')).trimEnd()
  },
}

const CLIENT_CLASSES: Readonly<Record<string, number>> = { normal: 0, slave: 1, replica: 1, pubsub: 2 }

/** `class hard soft seconds`, for one or several classes; the other classes keep what they have. */
export const outputLimits: OptionType = {
  parse(words, before) {
    if (words.length % 4 !== 0) return new Refused('Wrong number of arguments in buffer limit configuration.')
    const limits = before.split(' ')
    for (let i = 0; i < words.length; i += 4) {
      const place = CLIENT_CLASSES[words[i].toLowerCase()]
      if (place === undefined) return new Refused('Invalid client class specified in buffer limit configuration.')
      const hard = parseMemory(words[i + 1])
      const soft = parseMemory(words[i + 2])
      const seconds = parseLoose(words[i + 3])
      if (hard === null || soft === null || !(seconds >= 0)) {
        return new Refused('Error in hard, soft or soft_seconds setting in buffer limit configuration.')
      }
      limits.splice(place * 4 + 1, 3, String(hard), String(soft), String(seconds))
    }
    return limits.join(' ')
  },
}

export const oomScores: OptionType = {
  parse(words) {
    if (words.length !== 3) return new Refused(WRONG_COUNT)
    const values = words.map(parseLoose)
    if (values.every((value) => value >= -2000 && value <= 2000)) return values.join(' ')
    return new Refused('Invalid oom-score-adj-values, elements must be between -2000 and 2000.')
  },
}

const EVENT_CLASSES = 'g$lshzxetdnKEm'
const ALL_EVENTS = 'g$lshzxetd'

/** Classes of keyspace events, shown in a fixed order; `A` stands for all that it covers. */
export const eventClasses: OptionType = {
  spelling: 'text',
  parse(words) {
    if (words.length !== 1) return new Refused(WRONG_COUNT)
    const chosen = words[0].replaceAll('A', ALL_EVENTS)
    for (const letter of chosen) {
      if (!EVENT_CLASSES.includes(letter)) return new Refused("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
    }
    const shown = [...EVENT_CLASSES].filter((letter) => chosen.includes(letter)).join('')
    // With A, the class `n` is not shown, although it stays on: so the server this follows prints it, and so a rewrite loses it.
    return shown.startsWith(ALL_EVENTS) ? `A${shown.slice(ALL_EVENTS.length)}` : shown
  },
}

export const addresses: OptionType = {
  parse(words) {
    if (words.length > 16) return new Refused('Too many bind addresses specified.')
    return words.join(' ')
  },
}

export const primaryAddress: OptionType = {
  parse(words) {
    if (words.length !== 2) return new Refused(WRONG_COUNT)
    if (words[0].toLowerCase() === 'no' && words[1].toLowerCase() === 'one') return ''
    const port = parseLoose(words[1])
    return port >= 0 && port <= 65535 ? `${words[0]} ${port}` : new Refused('Invalid master port')
  },
}

export const percentiles: OptionType = {
  parse(words) {
    if (words.length === 1 && words[0] === '') return ''
    const values = words.map((word) => (/^\s|\s$|^$/.test(word) ? Number.NaN : Number(word)))
    if (values.some(Number.isNaN)) return new Refused('Invalid latency-tracking-info-percentiles parameters')
    if (values.some((value) => value < 0 || value > 100)) {
      return new Refused('latency-tracking-info-percentiles parameters should sit between [0.0,100.0]')
    }
    return values.map((value) => value.toFixed(6).replace(/\.?0+$/, '')).join(' ')
  },
}

/** A directory that exists and may be entered; relative to the one before. */
export const directory: OptionType = {
  spelling: 'text',
  parse(words, before) {
    if (words.length !== 1) return new Refused(WRONG_COUNT)
    if (words[0] === '') return new Refused('No such file or directory')
    const wanted = path.resolve(decode(before), decode(words[0]))
    try {
      if (!statSync(wanted).isDirectory()) return new Refused('Not a directory')
      accessSync(wanted, constants.X_OK)
      return encode(realpathSync(wanted))
    } catch (error) {
      return new Refused(systemReason(error))
    }
  },
}

/** What the operating system says about a failed call, in C's words. */
export function systemReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return SYSTEM_REASONS[code] ?? String((error as Error).message)
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Is a directory',
  EADDRINUSE: 'Address already in use',
  EADDRNOTAVAIL: 'Cannot assign requested address',
  ENAMETOOLONG: 'File name too long',
  ELOOP: 'Too many levels of symbolic links',
  EROFS: 'Read-only file system',
  ENOSPC: 'No space left on device',
  EMFILE: 'Too many open files',
}

/** One character per byte, from and to a text in UTF-8. */
export function encode(utf8: string): string {
  return Buffer.from(utf8).toString('latin1')
}

export function decode(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

// Checks of single texts.

export function fileName(what: string, kind: string, mayBeEmpty: boolean): Check {
  return (value) => {
    if (value === '' && !mayBeEmpty) return `${what} can't be empty`
    return value.includes('/') || value.includes('\\') ? `${what} can't be a path, just a ${kind}` : null
  }
}

export const hostName: Check = (value) => {
  if (value.length >= 256) return 'Hostnames must be less than 256 characters'
  return /^[A-Za-z0-9.-]*$/.test(value) ? null : 'Hostnames may only contain alphanumeric characters, hyphens or dots'
}

export const nodeName: Check = (value) =>
  /[!#$%&()*+:;<>?@[\]^{|}~]/.test(value) ? 'Announced human node name contained invalid character' : null

const TITLE_VARIABLES = new Set(['title', 'listen-addr', 'server-mode', 'port', 'tls-port', 'unixsocket', 'config-file'])

export const titleTemplate: Check = (value) => {
  const rest = value.replace(/\{\{|\{([^{}]*)\}/g, (whole, name) => (whole === '{{' || TITLE_VARIABLES.has(name) ? 'x' : '{'))
  return rest.includes('{') || value.trim() === '' ? 'template format is invalid or contains unknown variables' : null
}
