import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newState } from './state.ts'

// Scripts without commands and what Redis 7.2.6 replies, in the order in which it was asked: settings of cjson and random numbers last.
const cases = readFileSync(new URL('replies-7.2.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as [script: string, reply: string, protocol?: number])

test.each([
  ['', 10_000],
  [', also when suspended every few instructions', 5],
])('scripts reply as in Redis, to the byte%s', (_, hookCount) => {
  const state = newState(undefined, hookCount)
  const different: unknown[] = []
  for (const [script, expected, protocol = 2] of cases) {
    state.resp3 = protocol === 3
    let left = 1000
    state.tick = (mayYield) => mayYield && left-- > 0
    const reply = state.evaluate(script)
    if (reply !== expected) different.push({ script, expected, reply })
  }
  expect(cases.length).toBeGreaterThan(500)
  expect(different).toEqual([])
  expect(state.runner.broken).toBe(false)
})
