/**
 * Makes the README's table of Redis' own test suite from the results of runs, one line per file of the suite:
 *
 *   tsx test/suite/table.ts --baseline BASE.tsv RESULTS.tsv...     prints the table
 *   ... --write                                                    puts it between the marks in README.md
 *
 * A line of the .tsv files is: unit, passed, failed, skipped, hung, broken off, seconds. "of" is what redis-server passes in the same run,
 * from BASE.tsv, or what was tried where it has no line. Of several results of one unit the last counts. Why tests do not pass is in
 * reasons.ts; a file that misses some without a reason is an error.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { reasons } from './reasons.ts'

interface Result {
  readonly passed: number
  readonly tried: number
}

const BEGIN = '<!-- suite -->'
const END = '<!-- /suite -->'

export function parseResults(text: string): Map<string, Result> {
  const results = new Map<string, Result>()
  for (const line of text.split('\n')) {
    const [unit, passed, failed, , hung, broken] = line.split('\t')
    if (unit === '' || passed === undefined || !/^\d+$/.test(passed)) continue
    results.set(unit, { passed: Number(passed), tried: Number(passed) + Number(failed) + Number(hung) + Number(broken) })
  }
  return results
}

export function suiteTable(
  results: ReadonlyMap<string, Result>,
  baseline: ReadonlyMap<string, Result>,
  why: Readonly<Record<string, string>>,
): string {
  const lines = ['| file | passed | of | why not |', '| --- | ---: | ---: | --- |']
  const missing: string[] = []
  let passedAll = 0
  let ofAll = 0
  for (const unit of [...results.keys()].toSorted()) {
    const { passed, tried } = results.get(unit) as Result
    const of = Math.max(baseline.get(unit)?.passed ?? tried, passed)
    passedAll += passed
    ofAll += of
    const reason = passed < of ? why[unit] : ''
    if (reason === undefined) missing.push(`${unit}: ${passed} of ${of}`)
    lines.push(`| ${unit} | ${passed} | ${of} | ${reason ?? ''} |`)
  }
  lines.push(`| **all ${results.size} files** | **${passedAll}** | **${ofAll}** | |`)
  if (missing.length > 0) throw new Error(`no reason is given for ${missing.join(', ')}`)
  return `${lines.join('\n')}\n`
}

/** The text with the table in the place that the marks show. */
export function withTable(readme: string, table: string): string {
  const from = readme.indexOf(BEGIN)
  const to = readme.indexOf(END)
  if (from < 0 || to < from) throw new Error(`there is no place for the table: ${BEGIN} ... ${END}`)
  return `${readme.slice(0, from + BEGIN.length)}\n${table}${readme.slice(to)}`
}

function main(args: readonly string[]): void {
  const files = args.filter((arg, i) => !arg.startsWith('--') && args[i - 1] !== '--baseline')
  const at = args.indexOf('--baseline')
  const read = (file: string): Map<string, Result> => parseResults(readFileSync(file, 'utf8'))
  const results = new Map(files.flatMap((file) => [...read(file)]))
  const table = suiteTable(results, at < 0 ? new Map() : read(args[at + 1]), reasons)
  if (!args.includes('--write')) process.stdout.write(table)
  else writeFileSync('README.md', withTable(readFileSync('README.md', 'utf8'), table))
}

if (process.argv[1]?.endsWith('table.ts')) main(process.argv.slice(2))
