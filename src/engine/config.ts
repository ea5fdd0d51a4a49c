/**
 * config: the values of all options, and how they change.
 *
 * The table is in config-options.ts, the syntax of redis.conf in conf-file.ts. Who needs a value often holds its `Setting` and reads
 * `num` or `text` there: it is the same object for the life of the server. Who must act on a change registers with `onApply`.
 */
import { globMatch } from '../util/glob.ts'
import { OPTION_GROUPS } from './config-options.ts'
import { decode, encode, Refused, WRONG_COUNT } from './config-types.ts'
import { DENY_LOADING, HIDDEN, IMMUTABLE, MULTI_ARG, NO_EFFECT, type Option, PROTECTED, SENSITIVE, SPECIAL, VOLATILE } from './option.ts'
import { splitWords } from './words.ts'

/** One option's current value. */
export class Setting {
  readonly option: Option
  /** What CONFIG GET shows, one character per byte. */
  text: string
  /** The value as a number; NaN where it has none. Exact up to 2^53. */
  num: number

  constructor(option: Option, initial: string) {
    this.option = option
    this.text = initial
    this.num = Number.NaN
    this.assign(initial)
  }

  get isDefault(): boolean {
    return this.text === this.option.default
  }

  assign(text: string): void {
    this.text = text
    this.num = this.option.type.number?.(text) ?? Number.NaN
  }
}

/** Makes a changed option true; a text refuses it and is what the client reads. */
export type Apply = () => string | null

/** What a client that sets options may do. */
export interface SetRights {
  readonly protectedOptions: boolean
  readonly loading: boolean
}

const ALL_RIGHTS: SetRights = { protectedOptions: true, loading: false }

/** `reply` is the whole error, its code included. */
export type SetError = { readonly reply: string }

type Change = { setting: Setting; name: string; before: string }

export class Config {
  /** By lower-case name and alias. */
  readonly #settings = new Map<string, Setting>()
  readonly #hooks = new Map<Setting, Apply>()
  /** Options that a configuration file has set, to add up repeated `save` lines. */
  readonly #loaded = new Set<Setting>()

  constructor() {
    for (const group of OPTION_GROUPS) {
      for (const option of group.options) {
        const setting = new Setting(option, option.name === 'dir' ? encode(process.cwd()) : option.default)
        this.#settings.set(option.name, setting)
        if (option.alias) this.#settings.set(option.alias, setting)
      }
    }
  }

  /** The value holder of an option that exists. */
  setting(name: string): Setting {
    const setting = this.#settings.get(name)
    if (!setting) throw new Error(`no such option: ${name}`)
    return setting
  }

  find(name: string): Setting | undefined {
    return this.#settings.get(name.toLowerCase())
  }

  num(name: string): number {
    return this.setting(name).num
  }

  flag(name: string): boolean {
    return this.setting(name).num !== 0
  }

  str(name: string): string {
    return this.setting(name).text
  }

  /** The words of an option that takes several. */
  list(name: string): string[] {
    return this.str(name).split(' ').filter(Boolean)
  }

  /** A text that names a file, decoded. */
  path(name: string): string {
    return decode(this.str(name))
  }

  /** All names, aliases included. */
  names(): string[] {
    return [...this.#settings.keys()]
  }

  settings(): Set<Setting> {
    return new Set(this.#settings.values())
  }

  isSensitive(name: string): boolean {
    return ((this.find(name)?.option.flags ?? 0) & SENSITIVE) !== 0
  }

  /** Options set to something else than their default that change nothing here. */
  withoutEffect(): string[] {
    const waiting = new Set(OPTION_GROUPS.filter((group) => group.waiting === true).flatMap((group) => group.options))
    const idle = ({ option, text }: Setting): boolean =>
      (option.flags & NO_EFFECT) !== 0 || (waiting.has(option) && text !== '' && text !== 'no')
    return [...this.settings()].filter((setting) => !setting.isDefault && idle(setting)).map(({ option }) => option.name)
  }

  /** CONFIG GET: names as they were asked for, or as they are where a pattern found them. */
  matching(patterns: readonly string[]): [name: string, value: string][] {
    const found = new Map<string, [string, string]>()
    for (const pattern of patterns) {
      if (!/[[*?]/.test(pattern)) {
        const setting = this.find(pattern)
        if (setting && !found.has(pattern.toLowerCase())) found.set(pattern.toLowerCase(), [pattern, setting.text])
        continue
      }
      const glob = Buffer.from(pattern, 'latin1')
      for (const [name, setting] of this.#settings) {
        if (setting.option.flags & HIDDEN || found.has(name)) continue
        if (globMatch(glob, 0, glob.length, Buffer.from(name), 0, name.length, true)) found.set(name, [name, setting.text])
      }
    }
    return [...found.values()]
  }

  /** Runs `fn` when CONFIG SET changed one of the options; a hook shared by several runs once. */
  onApply(names: string | readonly string[], fn: Apply): void {
    for (const name of typeof names === 'string' ? [names] : names) this.#hooks.set(this.setting(name), fn)
  }

  /** CONFIG SET: all pairs or none. */
  set(pairs: readonly (readonly [name: string, value: string])[], rights: SetRights = ALL_RIGHTS): SetError | null {
    const error = this.#refusal(pairs, rights)
    if (error) return error
    const changes: Change[] = []
    const hooks = new Map<Apply, string>()
    for (const [given, value] of pairs) {
      const name = given.toLowerCase()
      const setting = this.setting(name)
      const { type, flags } = setting.option
      const parsed = type.parse(flags & MULTI_ARG ? value.split(' ') : [value], setting.text, false)
      if (parsed instanceof Refused) {
        restore(changes)
        return failed(name, parsed.reason)
      }
      changes.push({ setting, name, before: setting.text })
      const changed = parsed !== setting.text || (flags & (SPECIAL | VOLATILE)) !== 0
      setting.assign(parsed)
      const hook = this.#hooks.get(setting)
      if (changed && hook && !hooks.has(hook)) hooks.set(hook, name)
    }
    return this.#apply(changes, hooks)
  }

  #refusal(pairs: readonly (readonly [string, string])[], rights: SetRights): SetError | null {
    const seen = new Set<string>()
    let error: SetError | null = null
    for (const [given] of pairs) {
      const name = given.toLowerCase()
      const flags = this.find(name)?.option.flags
      if (flags === undefined) {
        error ??= { reply: `ERR Unknown option or number of arguments for CONFIG SET - '${given}'` }
      } else if (flags & IMMUTABLE) error ??= failed(given, "can't set immutable config")
      else if (flags & PROTECTED && !rights.protectedOptions) error ??= failed(given, "can't set protected config")
      else if (flags & DENY_LOADING && rights.loading) error ??= { reply: 'LOADING Redis is loading the dataset in memory' }
      else if (seen.has(name)) error ??= failed(given, 'duplicate parameter')
      seen.add(name)
    }
    return error
  }

  #apply(changes: readonly Change[], hooks: ReadonlyMap<Apply, string>): SetError | null {
    for (const [hook, name] of hooks) {
      const reason = hook()
      if (reason === null) continue
      restore(changes)
      for (const again of hooks.keys()) again()
      return failed(name, reason)
    }
    return null
  }

  /** One option of a configuration file; the reason when it is refused, undefined when there is no such option. */
  loadOption(name: string, words: readonly string[]): string | null | undefined {
    const setting = this.find(name)
    if (!setting) return undefined
    const { type, flags } = setting.option
    if (!(flags & MULTI_ARG) && words.length !== 1) return WRONG_COUNT
    const split = flags & MULTI_ARG && words.length === 1 && words[0] !== '' ? splitWords(words[0]) : words
    if (split === null) return 'Unbalanced quotes in configuration line'
    const parsed = type.parse(split, setting.text, this.#loaded.has(setting))
    if (parsed instanceof Refused) return parsed.reason
    this.#loaded.add(setting)
    setting.assign(parsed)
    return null
  }
}

function restore(changes: readonly Change[]): void {
  for (const { setting, before } of changes.toReversed()) setting.assign(before)
}

function failed(name: string, reason: string): SetError {
  return { reply: `ERR CONFIG SET failed (possibly related to argument '${name}') - ${reason}` }
}
