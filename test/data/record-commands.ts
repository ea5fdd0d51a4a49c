/**
 * Prints what a running redis-server says about its commands (COMMAND and COMMAND DOCS), one command or subcommand per line:
 *
 *   redis-server --port 7777 & npx tsx test/data/record-commands.ts 7777 > test/data/commands-7.2.6.json
 *
 * Left out are the prose texts: summaries and the notes in key specs.
 */
import { execFileSync } from 'node:child_process'

const port = process.argv[2]
const options = { maxBuffer: 1 << 26, encoding: 'utf8' } as const
const ask = (...command: string[]): any => JSON.parse(execFileSync('redis-cli', ['-3', '--json', '-p', port, ...command], options))

const docs: Record<string, any> = {}
const recorded: Record<string, object> = {}
collectDocs(ask('COMMAND', 'DOCS'))
collectInfo(ask('COMMAND'))
const lines = Object.keys(recorded)
  .toSorted()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(recorded[name])}`)
process.stdout.write(`{\n${lines.join(',\n')}\n}\n`)

function collectDocs(entries: Record<string, any>): void {
  for (const [name, entry] of Object.entries(entries)) {
    const { summary: _summary, subcommands, ...rest } = entry
    docs[name] = rest
    if (subcommands) collectDocs(subcommands)
  }
}

function collectInfo(entries: any[]): void {
  for (const [name, arity, flags, first, last, step, acl, tips, keySpecs, subcommands] of entries) {
    const specs = keySpecs.map(({ notes: _notes, ...spec }: any) => spec)
    recorded[name] = { arity, flags, first, last, step, acl, tips, keySpecs: specs, docs: docs[name] }
    collectInfo(subcommands)
  }
}
