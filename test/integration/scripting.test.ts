/** Scripts through a real client: slow ones, how they are ended, and what others see meanwhile. */
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, useServer } from '../support/server.ts'

const BUSY = /^BUSY Redis is busy running a script\. You can only call SCRIPT KILL or SHUTDOWN NOSAVE\.$/

const server = useServer({ 'busy-reply-threshold': 50 })
let a: Redis
let b: Redis

const connect = (): Redis => new Redis({ port: server.port, host: '127.0.0.1', maxRetriesPerRequest: null })

beforeAll(() => {
  a = connect()
  b = connect()
})
afterAll(() => {
  a.disconnect()
  b.disconnect()
})
beforeEach(async () => {
  await b.flushall()
  await b.function('FLUSH')
})

/** Asks until the answer is what is waited for. */
async function until(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await new Promise((done) => setTimeout(done, 5))
}

const fails = async (reply: Promise<unknown>): Promise<string> => {
  try {
    await reply
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const busy = (): Promise<void> => until(async () => BUSY.test(await fails(b.get('k'))))

describe('a script that does not end', () => {
  test('lets others know, and can be killed', async () => {
    const running = fails(a.eval('while true do end', 0))
    const after = a.ping()
    await busy()
    expect(await fails(b.set('k', 'v'))).toMatch(BUSY)
    expect(await fails(b.eval('return 1', 0))).toMatch(BUSY)
    expect(await b.script('KILL')).toBe('OK')
    expect(await running).toMatch(/^ERR Script killed by user with SCRIPT KILL\.\.\. script: [0-9a-f]{40}, on @user_script:1\.$/)
    expect(await after).toBe('PONG')
    expect(await b.set('k', 'v')).toBe('OK')
    expect(await fails(b.script('KILL'))).toBe('NOTBUSY No scripts in execution right now.')
  })

  test.each([
    ['inside pcall', 'while 1 do pcall(function() while 1 do redis.call("ping") end end) end'],
    ['inside a comparator of table.sort', 'table.sort({1, 2, 3}, function() while 1 do end end)'],
    ['inside a callback of string.gsub', 'string.gsub("abc", "b", function() while 1 do end end)'],
    ['inside a metamethod', 'return setmetatable({}, { __index = function() while 1 do end end }).x'],
    ['inside an iterator', 'for _ in function() while 1 do redis.call("ping") end end do end'],
    ['inside a coroutine', 'local co = coroutine.wrap(function() while 1 do coroutine.yield() end end) while 1 do co() end'],
  ])('can be killed %s', async (_, script) => {
    const running = fails(a.eval(script, 0))
    await busy()
    await b.script('KILL')
    expect(await running).toMatch(/^ERR Script killed by user/)
  })

  test('in a transaction, which then goes on', async () => {
    const transaction = a
      .multi()
      .set('k', 'v')
      .eval('while true do end', 0)
      .incr('n')
      .eval('while true do end', 0)
      .eval("return redis.call('INCR', KEYS[1])", 1, 'n')
      .exec()
    const after = a.get('n')
    for (let script = 0; script < 2; script++) {
      await busy()
      expect(await fails(b.get('n'))).toMatch(BUSY)
      expect(await b.script('KILL')).toBe('OK')
    }
    const results = (await transaction) ?? []
    expect(results.map(([error, reply]) => error?.message.slice(0, 28) ?? reply)).toEqual([
      'OK',
      'ERR Script killed by user wi',
      1,
      'ERR Script killed by user wi',
      2,
    ])
    expect(await after).toBe('2')
    const stats = await b.info('commandstats')
    expect(stats).toMatch(/cmdstat_exec:calls=1,/)
    expect(stats).toMatch(/cmdstat_eval:calls=\d+,usec=\d+,usec_per_call=[\d.]+,rejected_calls=\d+,failed_calls=[2-9]/)
    expect(await b.multi().set('k', 'w').exec()).toEqual([[null, 'OK']])
  })

  test('in a transaction whose client is gone', async () => {
    const c = connect()
    const transaction = c
      .multi()
      .eval('while true do end', 0)
      .eval('while true do end', 0)
      .set('k', 'v')
      .exec()
      .catch(() => null)
    await busy()
    c.disconnect()
    expect(await b.script('KILL')).toBe('OK')
    await busy()
    expect(await b.script('KILL')).toBe('OK')
    await until(async () => (await fails(b.ping())) === '')
    await transaction
    expect(await b.get('k')).toBe('v')
  })

  test('cannot be killed once it has written', async () => {
    const running = a.eval('redis.call("set", "k", "v") for i = 1, 4e7 do end return redis.call("get", "k")', 0)
    await busy()
    expect(await fails(b.script('KILL'))).toMatch(/^UNKILLABLE Sorry the script already executed write commands/)
    expect(await running).toBe('v')
    expect(await b.get('k')).toBe('v')
  })

  test('stops when its client is gone, if it is killed', async () => {
    const gone = connect()
    await gone.ping()
    const running = fails(gone.eval('while true do end', 0))
    await busy()
    gone.disconnect()
    await running
    expect(await fails(b.get('k'))).toMatch(BUSY)
    await b.script('KILL')
    await until(async () => (await fails(b.get('k'))) === '')
    expect(await b.ping()).toBe('PONG')
  })

  test('is a function: FUNCTION KILL and FUNCTION STATS', async () => {
    await b.function('LOAD', '#!lua name=l\nredis.register_function{function_name="loop", callback=function() while true do end end}')
    const running = fails(a.call('FCALL', 'loop', '1', 'k', 'arg') as Promise<unknown>)
    await until(async () => /FUNCTION KILL/.test(await fails(b.get('k'))))
    const stats = (await b.call('FUNCTION', 'STATS')) as [string, unknown[], ...unknown[]]
    const script = stats[1]
    expect(script.slice(0, 4)).toEqual(['name', 'loop', 'command', ['FCALL', 'loop', '1', 'k', 'arg']])
    expect(script[5]).toBeGreaterThanOrEqual(50)
    expect(await fails(b.script('KILL'))).toMatch(/^BUSY .* FUNCTION KILL or SHUTDOWN NOSAVE\.$/)
    expect(await b.call('FUNCTION', 'KILL')).toBe('OK')
    expect(await running).toMatch(/^ERR Script killed by user.* script: loop, on @user_function:2\.$/)
  })

  test('and what waits for its keys is served after its end', async () => {
    const waiter = connect()
    await waiter.ping()
    const popped = waiter.blpop('list', 0)
    await until(async () => /blocked_clients:1/.test(await b.info('clients')))
    const running = a.eval('redis.call("rpush", "list", "x") for i = 1, 4e7 do end return redis.call("llen", "list")', 0)
    await busy()
    expect(await running).toBe(1)
    expect(await popped).toEqual(['list', 'x'])
    waiter.disconnect()
  })

  test('keeps the order of its own replies', async () => {
    const replies = a.pipeline().set('x', '1').eval('for i = 1, 4e7 do end return redis.call("incr", "x")', 0).incr('x').get('x').exec()
    await busy()
    expect((await replies)?.map(([, reply]) => reply)).toEqual(['OK', 2, 3, '3'])
  })
})

describe('a script that wants too much', () => {
  afterEach(async () => {
    expect(await b.eval('return 1', 0)).toBe(1)
  })

  test.each([
    ['recursion', 'local function f() return 1 + f() end return f()', /stack overflow/],
    ['code', `return ${'('.repeat(500)}`, /Error compiling script/],
  ])('%s', async (_, script, error) => {
    expect(await fails(a.eval(script, 0))).toMatch(error)
  })
})

describe('through ioredis', () => {
  test('defineCommand falls back from EVALSHA to EVAL', async () => {
    a.defineCommand('addTwice', {
      numberOfKeys: 1,
      lua: 'redis.call("incrby", KEYS[1], ARGV[1]) return redis.call("incrby", KEYS[1], ARGV[1])',
    })
    const withCommand = a as Redis & { addTwice(key: string, n: number): Promise<number> }
    expect(await withCommand.addTwice('n', 5)).toBe(10)
    await b.script('FLUSH')
    expect(await withCommand.addTwice('n', 5)).toBe(20)
  })

  test('large arguments and replies', async () => {
    const big = 'x'.repeat(5_000_000)
    expect(await a.eval('return #ARGV[1]', 0, big)).toBe(5_000_000)
    expect(((await a.eval('return ARGV[1]', 0, big)) as string).length).toBe(5_000_000)
    const many = Array.from({ length: 5000 }, (_, i) => String(i))
    await a.eval('redis.call("rpush", KEYS[1], unpack(ARGV))', 1, 'many', ...many)
    expect(await a.eval('return redis.call("lrange", KEYS[1], 0, -1)', 1, 'many')).toEqual(many)
    expect(await a.eval('local t = {} for i = 1, 100000 do t[i] = i end return t', 0)).toHaveLength(100_000)
  })

  test('a stock counter never oversells to 200 buyers at once', async () => {
    const buy = `local left = tonumber(redis.call('get', KEYS[1]) or '0')
      if left < tonumber(ARGV[1]) then return -1 end
      return redis.call('decrby', KEYS[1], ARGV[1])`
    await b.set('stock', 100)
    const buyers = Array.from({ length: 10 }, connect)
    const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => buyers[i % 10].eval(buy, 1, 'stock', 1) as Promise<number>))
    for (const buyer of buyers) buyer.disconnect()
    const sold = replies.filter((left) => left >= 0)
    expect(sold.sort((x, y) => y - x)).toEqual(Array.from({ length: 100 }, (_, i) => 99 - i))
    expect(await b.get('stock')).toBe('0')
  })
})

test('a server can be closed while a script runs', async () => {
  const other = await startServer({ 'busy-reply-threshold': 10 })
  const client = new Redis({ port: other.port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null })
  await client.connect()
  const running = fails(client.eval('while true do end', 0))
  await new Promise((done) => setTimeout(done, 50))
  await other.close()
  expect(await running).toMatch(/closed/)
  client.disconnect()
})
