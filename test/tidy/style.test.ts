/** Rules of style that the formatter and the linter do not know. */
import { expect, test } from 'vitest'
import { codeOf, files, grep, read } from './files.ts'

const MAX_LINES = 600
const LOG = /^src\/engine\/log\.ts$/

const src = files('.ts', 'src')
const all = files('.ts', 'src', 'test', 'bench')
const others = (list: readonly string[], ...except: RegExp[]): string[] => list.filter((name) => !except.some((e) => e.test(name)))
const below = (...folders: string[]): string[] => src.filter((name) => folders.some((folder) => name.startsWith(`src/${folder}/`)))

test('no leftovers', () => {
  const words = ['TODO', 'FIXME', 'not implemented', 'not yet implemented'].join('|')
  expect(grep(new RegExp(`\\b(${words})\\b`, 'i'), others(all, /^test\/tidy\//))).toEqual([])
  expect(grep(/^\s*debugger\b/, all)).toEqual([])
  expect(grep(/@ts-(ignore|nocheck)|oxlint-disable(?!-next-line)/, others(all, /^test\/tidy\//))).toEqual([])
  expect(grep(/\b(describe|test|it)\.only\b/, files('.ts', 'test'))).toEqual([])
})

test(`no file but case files is longer than ${MAX_LINES} lines`, () => {
  const long = others(all, /^test\/cases\//)
    .map((name) => [name, read(name).split('\n').length - 1] as const)
    .filter(([, lines]) => lines > MAX_LINES)
  expect(long).toEqual([])
})

test('no any', () => {
  expect(grep(/\bas any\b|: any\b|<any>/, src, codeOf)).toEqual([])
})

// the exceptions: where the clock and the seeds of a server come from
test('time and chance are injected', () => {
  expect(grep(/\bDate\.now\(|\bperformance\.now\(|\bnew Date\(\)/, others(src, /^src\/(util\/clock|index)\.ts$/, LOG))).toEqual([])
  expect(grep(/\bMath\.random\(|\brandomBytes\(/, others(src, /^src\/util\/(random|hash)\.ts$/, /^src\/engine\/engine\.ts$/))).toEqual([])
})

test('commands answer errors, they do not throw them', () => {
  expect(grep(/\bthrow new\b/, below('commands'), codeOf)).toEqual([])
})

test('data below the engine is Uint8Array, not Buffer', () => {
  expect(grep(/\bBuffer\b/, below('memory', 'structs', 'types', 'keyspace'), codeOf)).toEqual([])
})

test('structures begin by saying what they are', () => {
  const bare = below('memory', 'structs', 'types').filter((name) => !read(name).startsWith('/**'))
  expect(bare).toEqual([])
})

test('only the command line writes to the console', () => {
  expect(grep(/\bconsole\.\w+\(/, others(src, /^src\/main\.ts$/, LOG))).toEqual([])
})

test('no path of one machine', () => {
  const names = [...all, ...files('.md'), ...files('.json'), ...files('', '.ci')]
  expect(grep(/(?<![\w.])\/(work|home|Users|root)\//, others(names, /^test\/tidy\//, /package-lock/))).toEqual([])
})
