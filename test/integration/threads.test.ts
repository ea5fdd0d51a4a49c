/** The priorities of the threads of a process that serves. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const SCRIPT = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { putServingFirst } from './src/process.ts'
  putServingFirst()
  // behind the name in parentheses: the state is field 3, the niceness field 19
  const nice = (thread) => Number(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ')[1].split(' ')[16])
  const threads = readdirSync('/proc/self/task').map(Number)
  console.log(JSON.stringify({ main: nice(process.pid), others: threads.filter((thread) => thread !== process.pid).map(nice) }))
`

test.runIf(process.platform === 'linux')('all threads but the one that serves are nice', () => {
  const out = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', SCRIPT], { encoding: 'utf8' })
  const { main, others } = JSON.parse(out) as { main: number; others: number[] }
  expect(others.length).toBeGreaterThan(0)
  expect(new Set(others)).toEqual(new Set([Math.min(19, main + 10)]))
})
