/**
 * The command rows that the tests of engine/ hold against the recorded answers of Redis 7.2.6: every array of rows that a file of
 * src/commands exports. A command without a row is taken from the fixture, so that the notation is tested before all rows are there.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { CommandRow } from '../../src/engine/row.ts'

const commandsFolder = new URL('../../src/commands/', import.meta.url)

/** Rows by name as the recorded answers have it (`config|get`), from all files that exist. */
export async function liveRows(): Promise<Map<string, CommandRow>> {
  const rows = new Map<string, CommandRow>()
  const files = existsSync(commandsFolder) ? readdirSync(commandsFolder).filter((file) => file.endsWith('.ts')) : []
  for (const file of files) {
    const exported = Object.values(await import(new URL(file, commandsFolder).href))
    for (const value of exported.filter(isRowArray)) addRows(value, '', rows)
  }
  return rows
}

/** Grammar lines by command name: of live rows first, else from the fixture. */
export async function grammarLines(): Promise<Map<string, string>> {
  const fixture = JSON.parse(readFileSync(new URL('../data/grammar-7.2.6.json', import.meta.url), 'utf8'))
  const lines = new Map<string, string>(Object.entries(fixture))
  for (const [name, row] of await liveRows()) lines.set(name, row.args ?? '')
  return lines
}

function isRowArray(value: unknown): value is CommandRow[] {
  return Array.isArray(value) && value.length > 0 && typeof value[0]?.name === 'string' && typeof value[0]?.arity === 'number'
}

function addRows(list: readonly CommandRow[], prefix: string, into: Map<string, CommandRow>): void {
  for (const row of list) {
    const name = prefix + row.name.toLowerCase()
    into.set(name, row)
    addRows(row.subcommands ?? [], `${name}|`, into)
  }
}
