/** The project's files, as the tidy tests read them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
export const exists = (name: string): boolean => existsSync(path.join(root, name))

/** Files that are or would be committed, below the given folders, with this ending. */
export function files(ending: string, ...folders: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return listed.filter((name) => name.endsWith(ending) && exists(name) && statSync(path.join(root, name)).isFile())
}

/** A line without its comments and the contents of its strings. */
export function codeOf(line: string): string {
  if (/^\s*(\*|\/\*)/.test(line)) return ''
  return line.replaceAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''").replace(/\/\/.*|\/\*.*/, '')
}

/** The lines of the files that match, or whose part that `of` gives does. */
export function grep(pattern: RegExp, names: readonly string[], of = (line: string): string => line): string[] {
  const found: string[] = []
  for (const name of names) {
    for (const [i, text] of read(name).split('\n').entries()) if (pattern.test(of(text))) found.push(`${name}:${i + 1}: ${text.trim()}`)
  }
  return found
}
