/** The README's list of commands, made from the rows. `npm run readme` writes it between its two marks. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COMMAND_GROUPS } from '../../src/commands/index.ts'

const README = new URL('../../README.md', import.meta.url)
const BEGIN = '<!-- commands: npm run readme -->'
const END = '<!-- end of commands -->'

/** One line per group: its commands, containers with their subcommands in parentheses. */
export function commandList(): string {
  const groups = new Map<string, string[]>()
  for (const [group, rows] of COMMAND_GROUPS) {
    for (const row of rows) {
      const name = row.group ?? group
      const subcommands = (row.subcommands ?? []).map((sub) => sub.name).join(' ')
      groups.set(name, [...(groups.get(name) ?? []), subcommands === '' ? row.name : `${row.name} (${subcommands})`])
    }
  }
  const lines = [...groups].map(([group, names]) => `- **${group}**: ${names.toSorted().join(', ')}`)
  return [BEGIN, '', ...lines, '', END].join('\n')
}

/** The README with today's list in it. */
export function withCommandList(readme: string): string {
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the README has lost the marks of its command list')
  return readme.slice(0, begin) + commandList() + readme.slice(end + END.length)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, withCommandList(readFileSync(README, 'utf8')))
