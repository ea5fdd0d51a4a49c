/**
 * Streams of propagated commands, as tests write, read and compare them.
 *
 *   SET k v EX 100
 *     -> SET k v PXAT @100s            moments near the present are written from now on, rounded to seconds
 *   2> BLPOP l 0                       a command of a second client, which may wait
 *
 * `$DUMP` stands for the last bulk string that was answered, in commands and in what they propagate.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { quote, words } from './words.ts'

export type Step = { readonly client: number; readonly command: readonly string[]; readonly effects: readonly string[] }

/** The parts of test/data/propagation-7.2.6.txt. */
export function recordedParts(): { title: string; steps: Step[] }[] {
  const text = readFileSync(new URL('../data/propagation-7.2.6.txt', import.meta.url), 'utf8')
  return text
    .split(/^== /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n')
      return { title: part.slice(0, end), steps: parseSteps(part.slice(end)) }
    })
}

const NEAR_MS = 10_000_000

/** The steps of a transcript. */
function parseSteps(text: string): Step[] {
  const steps: { client: number; command: string[]; effects: string[] }[] = []
  for (const line of text.split('\n').map((l) => l.trim())) {
    if (line === '') continue
    if (line.startsWith('-> ')) steps[steps.length - 1].effects.push(line.slice(3))
    else {
      const other = /^(\d)> (.*)$/.exec(line)
      const command = words(other ? other[2] : line).map(({ text: word }) => word)
      steps.push({ client: other ? Number(other[1]) : 1, command, effects: [] })
    }
  }
  return steps
}

/** A propagated command as a line, in which moments near `nowMs` are relative. */
export function effectLine(command: readonly string[], nowMs: number, dump = '', stepSeconds = 1): string {
  return command.map((word) => (dump !== '' && word === dump ? '$DUMP' : quote(relative(word, nowMs, stepSeconds)))).join(' ')
}

function relative(word: string, nowMs: number, stepSeconds: number): string {
  const moment = /^(\d{13})(-\d+)?$/.exec(word)
  const left = moment === null ? Number.NaN : Number(moment[1]) - nowMs
  if (moment === null || !(Math.abs(left) < NEAR_MS)) return word
  const seconds = Math.round(left / 1000 / stepSeconds) * stepSeconds
  return `@${seconds === 0 ? 0 : seconds}s${moment[2] ?? ''}`
}

/** Lines as redis-server 7.0 would have them: SELECT before MULTI instead of behind it, no options beside PXAT. */
export function asBefore72(lines: readonly string[]): string[] {
  const changed = lines.map((line) => line.replace(/^(SET \S+ \S+) .*pxat (\S+).*$/i, '$1 PXAT $2'))
  for (let i = 1; i < changed.length; i++) {
    if (changed[i - 1] === 'MULTI' && changed[i].startsWith('SELECT ')) [changed[i - 1], changed[i]] = [changed[i], changed[i - 1]]
  }
  return changed
}

/** redis-server's options to keep an append-only file that can be read while it grows. */
export const AOF_OPTIONS = ['--appendonly', 'yes', '--aof-use-rdb-preamble', 'no', '--appendfsync', 'no']

/** Reads what redis-server appends to the file in its directory. */
export class AofReader {
  readonly #dir: string
  #position = 0

  constructor(serverDir: string) {
    this.#dir = path.join(serverDir, 'appendonlydir')
  }

  get #file(): string {
    const name = readdirSync(this.#dir).find((found) => found.endsWith('.incr.aof'))
    if (name === undefined) throw new Error(`no append-only file in ${this.#dir}`)
    return path.join(this.#dir, name)
  }

  /** The bytes since the last call. They are there once the command that caused them has been answered. */
  take(): Buffer {
    const bytes = readFileSync(this.#file).subarray(this.#position)
    this.#position += bytes.length
    return bytes
  }

  /** Replaces the whole file; DEBUG LOADAOF then makes it the server's data set. */
  replace(bytes: Uint8Array): void {
    writeFileSync(this.#file, bytes)
    this.#position = bytes.length
  }
}
