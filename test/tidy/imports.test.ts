/** The rings of the source: a file imports only from lower-ranked folders and from its own, and no file imports itself in a circle. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { files, read } from './files.ts'

const RANKS: Record<string, number> = {
  'src/main.ts': 11,
  'src/cli.ts': 11,
  'src/index.ts': 11,
  'src/server.ts': 10,
  'src/process.ts': 10,
  'src/v8-flags.ts': 10,
  'src/server-options.ts': 10,
  'src/commands': 9,
  'src/cluster': 8,
  'src/replicate': 7,
  'src/net': 6,
  'src/script': 6,
  'src/persist': 6,
  'src/engine': 5,
  'src/keyspace': 4,
  'src/resp': 4,
  'src/types': 3,
  'src/structs': 2,
  'src/memory': 1,
  'src/util': 0,
}

/** The folder that a file's rank stands for: the file itself at the root of src. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/')
const IMPORT = /(?:^|\n)\s*(?:import|export)\s(type\s)?(?:[^'"`;]*?\sfrom\s*)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g

const sources = files('.ts', 'src')
const imports = new Map(sources.map((file) => [file, importsOf(file)]))
const valueImports = new Map(sources.map((file) => [file, importsOf(file, false)]))

/** The files that a file imports, those of `import type` included or not. */
function importsOf(file: string, types = true): string[] {
  const found = [...read(file).matchAll(IMPORT)].filter((m) => types || !m[1])
  return found.map((m) => path.posix.join(path.posix.dirname(file), m[2] ?? m[3]))
}

test('every folder of src has a rank', () => {
  expect([...new Set(sources.map(folderOf))].filter((folder) => !(folder in RANKS))).toEqual([])
})

test('imports go down the ranks or stay in their folder', () => {
  const wrong: string[] = []
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const [from, to] = [folderOf(file), folderOf(target)]
      const sameRing = from === to || (path.dirname(from) === path.dirname(to) && RANKS[from] === RANKS[to] && from.endsWith('.ts'))
      if (!sameRing && !(RANKS[to] < RANKS[from])) wrong.push(`${file} (${RANKS[from]}) imports ${target} (${RANKS[to]})`)
    }
  }
  expect(wrong).toEqual([])
})

test('no import cycles (types, which are erased, may refer to each other)', () => {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
    if (done.has(file) || trail.includes(file)) return
    for (const target of valueImports.get(file) ?? []) visit(target, [...trail, file])
    done.add(file)
  }
  for (const file of sources) visit(file, [])
  expect(cycles).toEqual([])
})

test('imports name existing files', () => {
  const missing = [...imports].flatMap(([file, targets]) => targets.filter((t) => !imports.has(t)).map((t) => `${file} imports ${t}`))
  expect(missing).toEqual([])
})
