import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exampleConf } from '../../src/engine/conf-example.ts'
import { loadConf } from '../../src/engine/conf-file.ts'
import { Config } from '../../src/engine/config.ts'
import { withCommandList } from './command-list.ts'

const example = readFileSync(new URL('../../redis.conf.example', import.meta.url), 'utf8')

test('redis.conf.example is what the option table says (npm run conf)', () => {
  expect(example).toBe(exampleConf())
})

test('redis.conf.example loads and changes nothing', () => {
  const config = new Config()
  loadConf(config, [{ name: 'redis.conf.example', text: example }])
  expect(config.matching(['*'])).toEqual(new Config().matching(['*']))
})

test("the README's list of commands is what the rows say (npm run readme)", () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(withCommandList(readme)).toBe(readme)
})
