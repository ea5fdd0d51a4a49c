/**
 * The first line of a script or library, `#!lua flags=no-writes,allow-oom` or `#!lua name=mylib`, and the flags of both.
 *
 * A result is what the line says, or the text of the error (without code).
 */
import { splitInline } from '../resp/inline.ts'
import { Frame } from '../util/argv.ts'
import { latin1 } from '../util/bytes.ts'

export const NO_WRITES = 1
export const ALLOW_OOM = 2
export const ALLOW_STALE = 4
export const NO_CLUSTER = 8
const ALLOW_CROSS_SLOT = 16
/** A script without a shebang: what it may do is decided command by command. */
export const COMPATIBLE = 32

export const FLAG_NAMES: [name: string, flag: number][] = [
  ['no-writes', NO_WRITES],
  ['allow-oom', ALLOW_OOM],
  ['allow-stale', ALLOW_STALE],
  ['no-cluster', NO_CLUSTER],
  ['allow-cross-slot-keys', ALLOW_CROSS_SLOT],
]

const LF = 10

export interface ScriptHeader {
  flags: number
  /** Where the code begins: at the line break, so that lines keep their numbers. */
  codeStart: number
}

export function readScriptHeader(body: Uint8Array): ScriptHeader | string {
  if (!hasShebang(body)) return { flags: COMPATIBLE, codeStart: 0 }
  const end = body.indexOf(LF)
  if (end < 0) return 'Invalid script shebang'
  const words = splitWords(body, end)
  if (words === null || words.length === 0) return 'Invalid engine in script shebang'
  if (words[0] !== '#!lua') return `Unexpected engine in script shebang: ${words[0]}`
  let flags = 0
  for (const word of words.slice(1)) {
    if (!word.startsWith('flags=')) return `Unknown lua shebang option: ${word}`
    const list = word.slice(6)
    for (const name of list === '' ? [] : list.split(',')) {
      const flag = FLAG_NAMES.find((known) => known[0] === name)
      if (flag === undefined) return `Unexpected flag in script shebang: ${name}`
      flags |= flag[1]
    }
  }
  return { flags, codeStart: end }
}

export interface LibraryHeader {
  engine: string
  name: string
  codeStart: number
}

export function readLibraryHeader(code: Uint8Array): LibraryHeader | string {
  if (!hasShebang(code)) return 'Missing library metadata'
  const end = code.indexOf(LF)
  const words = end < 0 ? null : splitWords(code, end)
  if (words === null || words.length === 0) return 'Invalid library metadata'
  let name: string | undefined
  for (const word of words.slice(1)) {
    if (word.slice(0, 5).toLowerCase() !== 'name=') return `Invalid metadata value given: ${word}`
    if (name !== undefined) return 'Invalid metadata value, name argument was given multiple times'
    name = word.slice(5)
  }
  if (name === undefined) return 'Library name was not given'
  return { engine: words[0].slice(2), name, codeStart: end }
}

function hasShebang(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21
}

/** The words of bytes[0, end), quoted as in inline commands; null when the quotes do not balance. */
function splitWords(bytes: Uint8Array, end: number): string[] | null {
  const line = bytes.slice(0, end)
  const frame = new Frame()
  const count = splitInline(frame, 0, line, 0, end)
  if (count < 0) return null
  return Array.from({ length: count }, (_, i) => latin1(line, frame.offsets[i], frame.lengths[i]))
}
