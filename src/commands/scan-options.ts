/** The arguments that SCAN, HSCAN, SSCAN and ZSCAN share. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { globMatch } from '../util/glob.ts'

const CURSOR_MAX = 2n ** 64n

export interface ScanOptions {
  count: number
  /** Argument that is the pattern; 0 for none. */
  pattern: number
  /** Name of the type, in lower case; '' for any. */
  type: string
  noValues: boolean
}

/** The cursor in argument i ('' is 0); NaN when it has answered an error. Cursors of ours have 32 bits; others are cut to that. */
export function cursorArg(c: Client, i: number): number {
  const text = c.argv.text(i)
  if (text === '') return 0
  if (/^[+-]?\d{1,20}$/.test(text)) {
    const cursor = BigInt(text.replace('+', ''))
    if (cursor < CURSOR_MAX && -cursor < CURSOR_MAX) return Number(cursor & 0xffffffffn)
  }
  c.reply.error('ERR invalid cursor')
  return Number.NaN
}

/** The options from argument `from` on; null when it has answered an error. `extra`: TYPE for SCAN, NOVALUES for HSCAN. */
export function scanOptions(c: Client, from: number, extra: '' | 'type' | 'novalues'): ScanOptions | null {
  const { argv } = c
  const options: ScanOptions = { count: 10, pattern: 0, type: '', noValues: false }
  for (let i = from; i < argv.count; i++) {
    const more = i + 1 < argv.count
    if (argv.is(i, 'count') && more) {
      options.count = intArg(c, ++i)
      if (Number.isNaN(options.count)) return null
      if (options.count < 1) break
    } else if (argv.is(i, 'match') && more) options.pattern = ++i
    else if (extra === 'type' && argv.is(i, 'type') && more) options.type = argv.text(++i).toLowerCase()
    else if (extra === 'novalues' && argv.is(i, 'novalues')) options.noValues = true
    else {
      options.count = 0
      break
    }
  }
  if (options.count >= 1) return options
  c.reply.error(SYNTAX_ERROR)
  return null
}

/** Whether bytes match the pattern of the options; a lone `*` matches everything. */
export function matches(c: Client, options: ScanOptions, bytes: Uint8Array, off: number, len: number): boolean {
  if (options.pattern === 0) return true
  const { argv } = c
  const at = argv.off(options.pattern)
  const length = argv.len(options.pattern)
  if (length === 1 && argv.bytes[at] === 42) return true
  return globMatch(argv.bytes, at, length, bytes, off, len, false)
}
