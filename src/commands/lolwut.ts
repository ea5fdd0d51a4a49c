/** LOLWUT: a picture, and the version. */
import type { Client } from '../engine/client.ts'
import { FAST, READONLY } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import { intArg } from '../engine/args.ts'
import { REDIS_VERSION } from '../engine/version.ts'
import { utf8 } from '../util/bytes.ts'

// biome-ignore format: a table, one command after the other
export const lolwutRows: readonly CommandRow<Client>[] = [
  { name: 'LOLWUT', arity: -1, flags: READONLY | FAST, since: '5.0.0', args: '[VERSION version:integer]',
    summary: 'Draws a picture and names the version.', complexity: 'O(N) by drawn cells', run: lolwut },
]

const DEFAULT_COLUMNS = 66
const DEFAULT_ROWS = 12
const MOST = 1000

/** LOLWUT [VERSION version] [columns [rows]]: from version 5 on there is a picture. */
function lolwut(c: Client): void {
  const { argv, reply } = c
  let version = 7
  let next = 1
  if (argv.count >= 3 && argv.is(1, 'version')) {
    version = intArg(c, 2)
    if (Number.isNaN(version)) return
    next = 3
  }
  const sizes: number[] = []
  for (; next < argv.count; next++) {
    const size = intArg(c, next)
    if (Number.isNaN(size)) return
    sizes.push(Math.min(MOST, Math.max(1, size)))
  }
  const drawn = version === 5 || version === 6
  const picture = drawn ? hills(c, sizes[0] ?? DEFAULT_COLUMNS, sizes[1] ?? DEFAULT_ROWS) : ''
  const text = utf8(`${picture}Redis ver. ${REDIS_VERSION}\n`)
  reply.verbatim('txt', text, 0, text.length)
}

const SHADES = [...' .:-=+*#']

/** Ranges of hills, one behind the other: each a random walk, nearer ones darker. */
function hills(c: Client, columns: number, rows: number): string {
  const { random } = c.engine
  const sky: number[][] = Array.from({ length: rows }, () => new Array(columns).fill(0))
  for (let range = 1; range < SHADES.length; range++) {
    let height = (rows * (SHADES.length - range)) / SHADES.length
    for (let x = 0; x < columns; x++) {
      height = Math.min(rows, Math.max(0, height + random.nextDouble() * 2 - 1))
      for (let y = Math.ceil(rows - height); y < rows; y++) sky[y][x] = range
    }
  }
  return `${sky
    .map((row) =>
      row
        .map((shade) => SHADES[shade])
        .join('')
        .trimEnd(),
    )
    .join('\n')}\n\n`
}
