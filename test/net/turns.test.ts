/** A client whose requests take long shares the server with the others, and its own requests stay whole and in order. */
import { expect, test } from 'vitest'
import { useClients } from '../support/server.ts'

const clients = useClients()

const MEMBERS = Array.from({ length: 1500 }, (_, i) => String(i))

test('others are served between the requests of one pipeline', { timeout: 30_000 }, async () => {
  const [slow, other] = await clients(2)
  await slow.get('SADD', 'set', ...MEMBERS)
  const work = Array.from({ length: 260 }, (_, i) => (i % 2 === 0 ? ['SUNIONSTORE', 'copy', 'set'] : ['INCR', 'n']))
  const replies = slow.pipeline([['SET', 'started', '1'], ...work, ['SET', 'done', '1']])
  let between = 0
  for (;;) {
    const [started, done] = (await other.get('MGET', 'started', 'done')) as (string | null)[]
    if (done === '1') break
    if (started === '1') between++
  }
  expect(between).toBeGreaterThan(0)
  const counts = (await replies).slice(1, -1).filter((_, i) => i % 2 === 1)
  expect(counts.map(String)).toEqual(counts.map((_, i) => `:${i + 1}\r\n`))
})

test('what follows a long pipeline in the same and the next packets is served too, once', { timeout: 30_000 }, async () => {
  const [slow] = await clients(1)
  await slow.get('SADD', 'set', ...MEMBERS)
  const work = Array.from({ length: 200 }, () => ['SUNIONSTORE', 'copy', 'set'])
  const first = slow.pipeline([...work, ['MULTI'], ['INCR', 'n'], ['EXEC'], ['SET', 'big', 'x'.repeat(100_000)]])
  const answered = (await first).map(String)
  expect(answered.slice(-4)).toEqual(['+OK\r\n', '+QUEUED\r\n', '*1\r\n:1\r\n', '+OK\r\n'])
  expect(await slow.get('STRLEN', 'big')).toBe(100_000)
  const [, , quit] = await slow.pipeline([...work.slice(0, 100), ['INCR', 'n'], ['QUIT']]).then((all) => all.slice(-3))
  expect(String(quit)).toBe('+OK\r\n')
})

test('what a client sent before it had to wait is served to the end, though it takes more than one turn', { timeout: 30_000 }, async () => {
  const [slow, other] = await clients(2)
  await slow.get('SADD', 'set', ...MEMBERS)
  const work = Array.from({ length: 200 }, () => ['SUNIONSTORE', 'copy', 'set'])
  const replies = slow.pipeline([['BLPOP', 'queue', '0'], ...work, ['INCR', 'n']])
  while (((await other.get('CLIENT', 'LIST')) as string).includes('cmd=blpop') === false);
  await other.get('RPUSH', 'queue', 'x')
  const [popped, ...rest] = (await replies).map(String)
  expect(popped).toBe('*2\r\n$5\r\nqueue\r\n$1\r\nx\r\n')
  expect(rest.pop()).toBe(':1\r\n')
  expect(new Set(rest)).toEqual(new Set([`:${MEMBERS.length}\r\n`]))
})

test('so is what follows a value of several reads', { timeout: 30_000 }, async () => {
  const [slow] = await clients(1)
  await slow.get('SADD', 'set', ...MEMBERS)
  const work = Array.from({ length: 200 }, () => ['SUNIONSTORE', 'copy', 'set'])
  const replies = await slow.pipeline([['SET', 'big', 'x'.repeat(1_000_000)], ...work, ['STRLEN', 'big']])
  expect(replies.map(String).at(-1)).toBe(':1000000\r\n')
})
