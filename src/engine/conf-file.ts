/**
 * conf-file: redis.conf, standard input and the command line, read line by line into a Config.
 *
 *   # comment                           option value ["quoted value"] ...          include path/*.conf
 *
 * Later lines win over earlier ones: first the file, then standard input, then the command line. Lines that name no option but do
 * something (`include` here; `rename-command`, `user` and `loadmodule` in the server) are directives. The first mistake ends the start.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { globMatch } from '../util/glob.ts'
import type { Config } from './config.ts'
import { decode, encode, systemReason } from './config-types.ts'
import { quoteWord, splitWords } from './words.ts'

/** Lines of one origin. */
export interface ConfSource {
  /** For messages: the file's path, `standard input`, `the command line`. */
  readonly name: string
  /** One character per byte. */
  readonly text: string
}

/** Carries out a line that is not an option; a text is the reason why it cannot, undefined says that there is no such directive. */
export type Directive = (words: readonly string[]) => string | null | undefined

/** A mistake in the configuration. `report` is what the user reads. */
export class ConfError extends Error {
  readonly report: string
  constructor(reason: string, report: string) {
    super(reason)
    this.name = 'ConfError'
    this.report = report
  }
}

const NO_DIRECTIVES: Directive = () => undefined
const DEEPEST_INCLUDE = 32
/** Options of older releases that a file may still have; they do nothing. */
const FORGOTTEN = new Set(['list-max-ziplist-entries', 'list-max-ziplist-value', 'lua-replicate-commands'])
const UNKNOWN = 'Bad directive or wrong number of arguments'

/** Reads all sources in turn. Throws ConfError at the first mistake. `version` goes into the report. */
export function loadConf(config: Config, sources: readonly ConfSource[], directive: Directive = NO_DIRECTIVES, version = ''): void {
  for (const source of sources) loadSource({ config, directive, version, depth: 0 }, source)
  const problem = settle(config)
  if (problem !== null) throw mistake(version, problem)
}

export function readConfFile(file: string): ConfSource {
  try {
    return { name: file, text: readFileSync(file, 'latin1') }
  } catch (error) {
    const reason = `Fatal error, can't open config file '${file}': ${systemReason(error)}`
    throw new ConfError(reason, reason)
  }
}

type Loading = { config: Config; directive: Directive; version: string; depth: number }

function loadSource(loading: Loading, source: ConfSource): void {
  const lines = source.text.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].replace(/^[ \t\r]+|[ \t\r]+$/g, '')
    if (line === '' || line.startsWith('#')) continue
    const reason = loadLine(loading, line)
    if (reason !== null) throw mistake(loading.version, reason, `Reading ${source.name}, at line ${i + 1}\n>>> '${line}'\n`)
  }
}

function mistake(version: string, reason: string, where = ''): ConfError {
  return new ConfError(reason, `\n*** FATAL CONFIG FILE ERROR (Redis ${version}) ***\n${where}${reason}`)
}

/** The reason why a line is wrong, or null. */
function loadLine(loading: Loading, line: string): string | null {
  const words = splitWords(line)
  if (words === null) return 'Unbalanced quotes in configuration line'
  if (words.length === 0) return null
  const name = words[0].toLowerCase()
  const known = loading.config.loadOption(name, words.slice(1))
  if (known !== undefined) return known
  if (FORGOTTEN.has(name) && words.length === 2) return null
  if (name === 'include' && words.length === 2) return include(loading, words[1])
  if (name === 'sentinel') return 'sentinel directive while not in sentinel mode'
  const done = loading.directive([name, ...words.slice(1)])
  return done === undefined ? UNKNOWN : done
}

function include(loading: Loading, pattern: string): string | null {
  if (loading.depth >= DEEPEST_INCLUDE) return 'include goes in circles'
  const base = loading.config.path('dir')
  const files = /[*?[]/.test(pattern) ? expandGlob(base, pattern) : [path.resolve(base, decode(pattern))]
  for (const file of files) loadSource({ ...loading, depth: loading.depth + 1 }, readConfFile(file))
  return null
}

/** The files that match a path with wildcards, in order; names with a leading dot only where the pattern has one. */
function expandGlob(base: string, pattern: string): string[] {
  let found = [path.isAbsolute(pattern) ? path.parse(pattern).root : base]
  const segments = pattern.split('/').filter(Boolean)
  for (const segment of segments) {
    if (!/[*?[]/.test(segment)) found = found.map((dir) => path.join(dir, decode(segment)))
    else found = found.flatMap((dir) => entriesLike(dir, segment))
  }
  return found.filter((file) => isThere(file))
}

function entriesLike(dir: string, pattern: string): string[] {
  const glob = Buffer.from(pattern, 'latin1')
  const fits = (name: string) => {
    const bytes = Buffer.from(name)
    return name.startsWith('.') === pattern.startsWith('.') && globMatch(glob, 0, glob.length, bytes, 0, bytes.length, false)
  }
  return listed(dir)
    .filter(fits)
    .toSorted()
    .map((name) => path.join(dir, name))
}

function isThere(file: string): boolean {
  return listed(path.dirname(file)).includes(path.basename(file))
}

function listed(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** What has to hold between options once all are read; the reason when it does not. */
function settle(config: Config): string | null {
  if (!config.flag('cluster-enabled')) return null
  if (config.str('replicaof') !== '') return 'replicaof directive not allowed in cluster mode'
  config.setting('databases').assign('1')
  return null
}

/**
 * What stands on the command line after the program's name: an optional file, options (`--name value ...`), and `-` first or last for
 * standard input. A word that begins with `--` begins an option unless the option before it still lacks its value.
 */
export interface CommandLine {
  readonly file: string | null
  readonly stdin: boolean
  readonly options: string
}

export function parseCommandLine(given: readonly string[]): CommandLine {
  const hasFile = given.length > 0 && !given[0].startsWith('-')
  const words = hasFile ? given.slice(1) : given
  const lines: string[] = []
  let stdin = false
  let complete = true
  words.forEach((word, i) => {
    const last = i === words.length - 1
    if (word === '-' && ((i === 0 && !hasFile) || last)) {
      stdin = true
    } else if (complete && word.startsWith('--')) {
      const next = words[i + 1]?.startsWith('--') ?? false
      const lone = splitWords(word)?.length === 1
      const empty = lone && (next || last) && word.toLowerCase() === '--save'
      const bare = lone && word.toLowerCase() === '--sentinel'
      lines.push(`${encode(word.slice(2))} ${empty ? '""' : ''}`)
      complete = !lone || (next && (empty || bare))
    } else {
      lines.push(`${lines.pop() ?? ''}${quoteWord(encode(word))} `)
      complete = true
    }
  })
  return { file: hasFile ? given[0] : null, stdin, options: lines.join('\n') }
}
