/** lazyfreed_objects: what counts as freed later. The numbers are what redis-server 7.2.6 adds for the same commands. */
import { describe, expect, test } from 'vitest'
import { InProcess } from '../support/in-process.ts'

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))
const set = (key: string, count = 300): string[] => ['SADD', key, ...numbers(count).map((i) => `m${i}`)]
const zset = (key: string, count = 300): string[] => ['ZADD', key, ...numbers(count).flatMap((i) => [i, `m${i}`])]
const option = (name: string, value = 'yes'): string[] => ['CONFIG', 'SET', `lazyfree-lazy-${name}`, value]
const scripts = numbers(65).map((i) => ['SCRIPT', 'LOAD', `return ${i}`])
const LIBRARY = "#!lua name=l\nfor i = 1, 65 do redis.register_function('f' .. i, function() return 1 end) end"

/** Commands, and after PASS (a while later) others; the number that is added. */
const PASS: string[] = []
const CASES: [title: string, commands: string[][], added: number][] = [
  ['UNLINK of small values', [['SET', 'k', 'v'], set('s', 10), ['UNLINK', 'k', 's']], 0],
  [
    'UNLINK of a long string',
    [
      ['SETRANGE', 'k', '3000000', 'v'],
      ['UNLINK', 'k'],
    ],
    0,
  ],
  ['UNLINK at the threshold', [['CONFIG', 'SET', 'set-max-listpack-entries', '10'], set('a', 64), set('b', 65), ['UNLINK', 'a', 'b']], 1],
  ['UNLINK of sets and sorted sets', [set('a'), zset('b'), ['UNLINK', 'a', 'b']], 2],
  ['DEL', [set('a'), ['DEL', 'a']], 0],
  ['DEL that does what UNLINK does', [option('user-del'), set('a'), ['DEL', 'a']], 1],
  ['values that are replaced', [set('a'), ['SET', 'a', 'v']], 0],
  ['values that are replaced lazily', [option('server-del'), set('a'), ['SET', 'a', 'v'], set('b'), ['SINTERSTORE', 'b', 'b', 'b']], 2],
  ['results without elements', [option('server-del'), zset('a'), ['ZUNIONSTORE', 'a', '1', 'none']], 1],
  ['COPY over a key', [option('server-del'), set('a'), ['SET', 'v', '1'], ['COPY', 'v', 'a', 'REPLACE']], 1],
  ['an expiry in the past', [set('a'), ['PEXPIREAT', 'a', '1']], 0],
  ['an expiry in the past, lazily', [option('expire'), set('a'), ['PEXPIREAT', 'a', '1']], 1],
  ['expired keys', [set('a'), set('b', 5000), ['PEXPIRE', 'a', '10'], ['PEXPIRE', 'b', '10'], PASS, ['GET', 'a'], ['GET', 'b']], 0],
  ['expired keys, lazily', [option('expire'), set('a'), ['PEXPIRE', 'a', '10'], PASS, ['GET', 'a']], 1],
  ['FLUSHALL', [set('a'), ['SET', 'k', 'v'], ['FLUSHALL']], 0],
  [
    'FLUSHALL ASYNC',
    [set('a'), ['SET', 'k', 'v', 'EX', '100'], ['SELECT', '3'], ['SET', 'x', '1'], ['FLUSHALL', 'ASYNC'], ['SELECT', '0']],
    3,
  ],
  ['FLUSHDB by option', [option('user-flush'), set('a'), ['SET', 'k', 'v'], ['FLUSHDB']], 2],
  [
    'evicted keys',
    [set('a', 5000), ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random'], ['CONFIG', 'SET', 'maxmemory', '1'], ['PING']],
    0,
  ],
  [
    'evicted keys, lazily',
    [option('eviction'), set('a'), ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random'], ['CONFIG', 'SET', 'maxmemory', '1'], ['PING']],
    1,
  ],
  ['scripts', [...scripts, ['SCRIPT', 'FLUSH', 'SYNC']], 0],
  ['scripts, ASYNC', [...scripts, ['SCRIPT', 'FLUSH', 'ASYNC']], 65],
  ['few scripts, ASYNC', [...scripts.slice(1), ['SCRIPT', 'FLUSH', 'ASYNC']], 0],
  ['functions, by option', [option('user-flush'), ['FUNCTION', 'LOAD', LIBRARY], ['FUNCTION', 'FLUSH']], 65],
]

describe('lazyfreed_objects', () => {
  test.each(CASES)('%s', (_, commands, added) => {
    const server = new InProcess()
    const client = server.client()
    for (const words of commands) {
      if (words === PASS) server.clock.advance(1000)
      else expect(server.run(client, words)?.type, words.slice(0, 3).join(' ')).not.toBe('error')
    }
    const { lazy } = server.engine.space
    while (lazy.step(1000));
    expect(lazy.pending).toBe(0)
    expect(lazy.freed).toBe(added)
  })
})
