/**
 * The shape of an option row, and short builders for the tables under options/.
 *
 * A row is the only place that knows an option: its name and older name, type, bounds, default, flags, and the comment that stands above
 * it in redis.conf.example.
 */
import { bool, choice, number, type NumberKind, type OptionType, text, type Check } from './config-types.ts'

export const IMMUTABLE = 1 << 0 // only in the file and on the command line
export const SENSITIVE = 1 << 1 // its value is left out of logs, SLOWLOG and MONITOR
export const HIDDEN = 1 << 2 // for tests: shown only when asked for by its whole name
export const PROTECTED = 1 << 3 // CONFIG SET needs enable-protected-configs
export const DENY_LOADING = 1 << 4
export const MULTI_ARG = 1 << 5 // several words on a line
export const SPECIAL = 1 << 6 // applied at every CONFIG SET, even when the value is the old one
export const NO_EFFECT = 1 << 7 // kept and shown, but there is nothing here that it could change
export const VOLATILE = 1 << 8 // applied at every CONFIG SET, since the file behind the name may be a new one

export interface Option {
  readonly name: string
  readonly alias?: string
  readonly type: OptionType
  readonly flags: number
  /** As CONFIG GET shows it. */
  readonly default: string
  /** What redis.conf.example says above it. */
  readonly comment: string
  /** The words to choose from, for the comment. */
  readonly words?: readonly string[]
}

export interface OptionGroup {
  readonly title: string
  /** What these options are about is not built yet: the start says so when they are set. */
  readonly waiting?: boolean
  readonly options: readonly Option[]
}

type Extra = { alias?: string; flags?: number }

const INT_MAX = 2147483647n
export const INT64_MAX = 9223372036854775807n
export const UINT64_MAX = 18446744073709551615n
export const UINT_MAX = 4294967295n

export function special(name: string, type: OptionType, initial: string, comment: string, extra: Extra = {}): Option {
  return { name, type, default: initial, comment, flags: 0, ...extra }
}

export function yesNo(name: string, initial: 'yes' | 'no', comment: string, extra: Extra = {}): Option {
  return special(name, bool, initial, comment, extra)
}

export function string(name: string, initial: string, comment: string, extra: Extra & { check?: Check } = {}): Option {
  const { check, ...rest } = extra
  return special(name, text(check), initial, comment, rest)
}

export function oneOf(
  name: string,
  words: readonly string[],
  initial: string,
  comment: string,
  extra: Extra & { synonyms?: Record<string, string> } = {},
): Option {
  const { synonyms, ...rest } = extra
  return { ...special(name, choice(words, synonyms), initial, comment, rest), words }
}

type Bounds = Extra & { kind?: NumberKind; min?: number | bigint; max?: number | bigint; clamp?: readonly [bigint, bigint] }

export function integer(name: string, initial: number, comment: string, extra: Bounds = {}): Option {
  const { kind = 'integer', min = 0, max = INT_MAX, clamp, ...rest } = extra
  return special(name, number(kind, BigInt(min), BigInt(max), clamp), initial.toString(kind === 'octal' ? 8 : 10), comment, rest)
}

/** A size in bytes, with units. */
export function memory(name: string, initial: number, comment: string, extra: Bounds = {}): Option {
  return integer(name, initial, comment, { kind: 'memory', max: INT64_MAX, ...extra })
}
