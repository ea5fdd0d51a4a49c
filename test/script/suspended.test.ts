/** What a slow script in a transaction leaves behind: it is suspended there, and yet all of it is one unit. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/engine/client.ts'
import { TO_AOF } from '../../src/engine/propagate.ts'
import { InProcess, Recorder } from '../support/in-process.ts'

const SLOW = "redis.call('SET', KEYS[1], 1) for i = 1, 400000 do end redis.call('SET', KEYS[2], 1)"

/** A server on whose clock every look takes a millisecond, so that loops of scripts are slow. */
function slowServer() {
  const server = new InProcess({ 'busy-reply-threshold': '3' })
  let us = 0
  server.clock.monotonicUs = () => (us += 1000)
  const recorder = new Recorder(TO_AOF)
  server.engine.propagate.add(recorder)
  const run = (c: Client, ...lines: string[]): string[] =>
    lines.map((line) =>
      JSON.stringify(server.run(c, line.startsWith('EVAL') ? ['EVAL', SLOW, '2', ...line.split(' ').slice(1)] : line.split(' '))),
    )
  return { server, run, effects: () => recorder.commands().map((command) => command.join(' ')) }
}

async function ended(c: Client): Promise<number> {
  let turns = 0
  for (; c.blocked && turns < 10_000; turns++) await new Promise((resolve) => setImmediate(resolve))
  return turns
}

test('a transaction that two slow scripts suspend is propagated as one', async () => {
  const { server, run, effects } = slowServer()
  const [c, other] = [server.client(), server.client()]
  run(c, 'MULTI', 'INCR before', 'EVAL a b', 'INCR between', 'EVAL c d', 'RPUSH l x', 'EXEC')
  expect(c.blocked).toBe(true)
  expect(effects()).toEqual([])
  expect(run(other, 'SET k v')[0]).toContain('BUSY')
  expect(await ended(c)).toBeGreaterThan(2)
  const inside = ['INCR before', 'SET a 1', 'SET b 1', 'INCR between', 'SET c 1', 'SET d 1', 'RPUSH l x']
  expect(effects()).toEqual(['MULTI', 'SELECT 0', ...inside, 'EXEC'])
  expect(c.multi).toBeNull()
  expect(c.inExec).toBe(false)
  run(other, 'SET k v')
  expect(effects()).toEqual(['SET k v'])
  expect(server.defects).toEqual([])
})

test('who waits for its keys is served when the whole transaction is over', async () => {
  const { server, run } = slowServer()
  const [c, waiting] = [server.client(), server.client()]
  run(waiting, 'BLPOP l 0')
  run(c, 'MULTI', 'RPUSH l first', 'EVAL a b', 'LPUSH l later', 'EXEC')
  expect(waiting.blocked).toBe(true)
  await ended(c)
  await ended(waiting)
  expect(Buffer.from(waiting.own.take()).toString()).toBe('*2\r\n$1\r\nl\r\n$5\r\nlater\r\n')
  expect(server.defects).toEqual([])
})

const IN_METAMETHOD = 'setmetatable({}, { __index = function() for i = 1, 400000 do end return 1 end }).x'

test('a script that is slow in a metamethod or an iterator lets others know and can be killed', async () => {
  const { server } = slowServer()
  const other = server.client()
  const endless = [
    'return setmetatable({}, { __index = function() while true do end end }).x',
    'setmetatable({}, { __newindex = function() while true do end end }).x = 1',
    'return setmetatable({}, { __add = function() while true do end end }) + 1',
    'local mt = { __lt = function() while true do end end } return setmetatable({}, mt) < setmetatable({}, mt)',
    'for _ in function() while true do end end do end',
    'for _ in coroutine.wrap(function() while true do end end) do end',
    'return tostring(setmetatable({}, { __tostring = function() while true do end end }))',
    'return pcall(setmetatable({}, { __call = function() while true do end end }))',
    'local t = setmetatable({}, { __concat = function(a) a = nil while true do end end }) return t .. t .. t',
    'local t = setmetatable({}, { __tostring = function() while true do end end }) table.sort({ t, t }, tostring)',
    'local f = function() while true do end end table.sort({ f, f }, xpcall)',
    'local t = setmetatable({}, { __lt = function() while true do end end }) pcall(table.sort, { t, t })',
    'local mt = { __lt = function() while true do end end, __call = table.sort } local t = setmetatable({}, mt) t[1] = t t[2] = t pcall(t)',
    'table.foreach({ [function() while true do end end] = 1 }, pcall)',
    'load(function() while true do end end)',
    'load(function() return 1 end)',
  ]
  for (const script of endless) {
    const c = server.client()
    server.run(c, ['EVAL', script, '0'])
    expect(c.blocked).toBe(true)
    expect(JSON.stringify(server.run(other, ['GET', 'k']))).toContain('BUSY')
    expect(server.run(other, ['SCRIPT', 'KILL'])).toEqual({ type: 'simple', text: 'OK' })
    await ended(c)
    expect(Buffer.from(c.own.take()).toString()).toMatch(
      /^-ERR Script killed by user with SCRIPT KILL\.\.\. script: [0-9a-f]{40}, on @user_script:1\.\r\n$/,
    )
  }
  expect(server.defects).toEqual([])
})

test('a script that is slow in a metamethod goes on after it, and cannot be killed once it has written', async () => {
  const { server, effects } = slowServer()
  const [c, other] = [server.client(), server.client()]
  server.run(c, ['EVAL', `redis.call('SET', 'k', 'v') return redis.call('INCRBY', 'n', ${IN_METAMETHOD})`, '0'])
  expect(c.blocked).toBe(true)
  expect(JSON.stringify(server.run(other, ['SCRIPT', 'KILL']))).toContain('UNKILLABLE')
  expect(await ended(c)).toBeGreaterThan(2)
  expect(Buffer.from(c.own.take()).toString()).toBe(':1\r\n')
  expect(effects()).toEqual(['MULTI', 'SELECT 0', 'SET k v', 'INCRBY n 1', 'EXEC'])
  expect(server.defects).toEqual([])
})
