/** package.json and README agree with each other and with the source. */
import { expect, test } from 'vitest'
import { exists, files, grep, read } from './files.ts'

type Package = { scripts: Record<string, string>; dependencies: Record<string, string>; devDependencies: Record<string, string> }
const manifest = JSON.parse(read('package.json')) as Package
const dependencies = { ...manifest.dependencies, ...manifest.devDependencies }
const readme = exists('README.md') ? read('README.md') : ''

test('versions of dependencies are exact', () => {
  expect(Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

test('every dependency has its reason in the README', () => {
  const reasons = new Map([...readme.matchAll(/^\| *`([^`]+)` *\|(.*)\|$/gm)].map((m) => [m[1], m[2].replaceAll(/[|\s]/g, '')]))
  expect(Object.keys(dependencies).filter((name) => !reasons.get(name))).toEqual([])
})

test('the source imports only dependencies', () => {
  const imported = grep(/\bfrom '(?!\.|node:)[^']+'/, files('.ts', 'src')).filter((line) => {
    const name = /from '((?:@[^/']+\/)?[^/']+)/.exec(line)?.[1] ?? ''
    return !(name in manifest.dependencies)
  })
  expect(imported).toEqual([])
})

test('the npm scripts that texts mention exist', () => {
  const texts = [...files('.md'), '.ci/run', 'package.json'].filter(exists).map(read).join('\n')
  const named = [...texts.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map((m) => m[1])
  expect([...new Set(named)].filter((name) => !(name in manifest.scripts))).toEqual([])
})

test('files that the README names exist', () => {
  const named = [...readme.matchAll(/`((?:src|test|bench)\/[\w./-]+)`/g)].map((m) => m[1])
  expect([...new Set(named)].filter((name) => !exists(name))).toEqual([])
})
