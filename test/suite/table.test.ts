import { expect, test } from 'vitest'
import { parseResults, suiteTable, withTable } from './table.ts'

const results = parseResults('unit/scan\t10\t0\t1\t0\t0\t3\nunit/dump\t7\t1\t0\t1\t0\t9\n')

test('results are read line by line', () => {
  expect(results.get('unit/dump')).toEqual({ passed: 7, tried: 9 })
  expect(results.size).toBe(2)
})

test('each file has a line, in order, with the reason for what it misses', () => {
  const table = suiteTable(results, parseResults('unit/dump\t8\t0\t0\t0\t0\t1\n'), { 'unit/dump': 'It cannot.' })
  expect(table.split('\n').slice(2)).toEqual([
    '| unit/dump | 7 | 8 | It cannot. |',
    '| unit/scan | 10 | 10 |  |',
    '| **all 2 files** | **17** | **18** | |',
    '',
  ])
})

test('nothing is missed without a reason', () => {
  expect(() => suiteTable(results, new Map(), {})).toThrow('no reason is given for unit/dump: 7 of 9')
})

test('the table takes the place between the marks', () => {
  expect(withTable('a\n<!-- suite -->\nold\n<!-- /suite -->\nb', 'new\n')).toBe('a\n<!-- suite -->\nnew\n<!-- /suite -->\nb')
  expect(() => withTable('a', 'new')).toThrow('there is no place')
})
