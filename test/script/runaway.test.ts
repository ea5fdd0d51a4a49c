import { describe, expect, test } from 'vitest'
import { newState } from './state.ts'

const KILL = 'ended'

/** A tick that suspends a few times and then ends the script. */
function killAfter(suspensions: number) {
  let left = suspensions
  return (mayYield: boolean): boolean | string => (left-- > 0 ? mayYield : KILL)
}

describe('a runaway script', () => {
  test.each([
    'while true do end',
    'while true do pcall(function() while true do end end) end',
    'local f = function() while 1 do redis.call("ping") end end while 1 do pcall(f) end',
    'local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end',
    'while true do xpcall(function() error("x") end, function() end) end',
    'xpcall(function() error("x") end, function() while true do end end)',
    'while true do xpcall(function() error("x") end, function() for i = 1, 1e5 do end end) end',
    'local function f() return pcall(function() while true do end end) end while true do pcall(f) end',
    'while true do coroutine.resume(coroutine.create(function() while true do end end)) end',
    'table.sort({1, 2, 3, 4, 5}, function() while true do end end)',
    'string.gsub("aaa", "a", function() while true do end end)',
    'setmetatable({}, { __index = function() while true do end end }).x = setmetatable({}, { __index = function() while true do end end }).y',
    'for i = 1, 1e9 do pcall(table.sort, {3, 2, 1}, function() while true do end end) end',
  ])('can be ended: %s', (script) => {
    const state = newState()
    state.tick = killAfter(5)
    expect(state.evaluate(script)).toMatch(/^-ERR ended( script: .*)?\r\n$/)
    expect(state.runner.broken).toBe(false)
    state.tick = (mayYield) => mayYield
    expect(state.evaluate('return {pcall(error, "fine")}')).toBe('*2\r\n$-1\r\n$4\r\nfine\r\n')
  })

  test('is suspended inside pcall and coroutines and goes on where it was', () => {
    const state = newState()
    const script = `
      local n = 0
      local co = coroutine.wrap(function() for i = 1, 10 do for j = 1, 20000 do n = n + 1 end coroutine.yield(i) end end)
      local sum = 0
      for i = 1, 10 do
        local ok, v = pcall(function() return co() end)
        sum = sum + v
      end
      local ok, e = pcall(function() for i = 1, 100000 do n = n + 1 end error({err = 'MY error'}) end)
      return {n, sum, e}`
    expect(state.evaluate(script)).toBe('*3\r\n:300000\r\n:55\r\n$8\r\nMY error\r\n')
    expect(state.suspensions).toBeGreaterThan(10)
  })
})

describe('functions that call the script', () => {
  const LOOP = 'for i = 1, 30000 do n = n + 1 end'

  test.each([
    ['table.sort', `table.sort({3, 1, 2}, function(a, b) ${LOOP} return a < b end)`],
    ['string.gsub', `string.gsub('abc', '%w', function() ${LOOP} end)`],
    ['table.foreach', `table.foreach({1, 2, 3}, function() ${LOOP} end)`],
    ['table.foreachi', `table.foreachi({1, 2, 3}, function() ${LOOP} end)`],
    ['a handler of xpcall', `xpcall(error, function() ${LOOP} end) xpcall(function() error() end, function() ${LOOP} end)`],
    ['load', `load(function() ${LOOP} end)`],
    ['a comparator in a pcall in a callback', `string.gsub('a', 'a', function() pcall(table.sort, {2, 1}, function() ${LOOP} end) end)`],
  ])('are suspended in it: %s', (_, script) => {
    const state = newState()
    expect(state.evaluate(`local n = 0 ${script} return n % 30000`)).toBe(':0\r\n')
    expect(state.suspensions).toBeGreaterThan(2)
  })

  test('sort by any comparator, also one that contradicts itself', () => {
    const script = `
      local failed, sorted = 0, 0
      for round = 1, 300 do
        math.randomseed(round)
        local t = {}
        for i = 1, round % 40 do t[i] = math.random(10) end
        local ok, message = pcall(table.sort, t, function(a, b)
          if round % 3 == 0 then return math.random(2) == 1 end
          return a < b
        end)
        if not ok then
          if message ~= 'invalid order function for sorting' and not message:find('compare') then error(message) end
          failed = failed + 1
        elseif round % 3 ~= 0 then
          for i = 2, #t do if t[i - 1] > t[i] then error('not sorted') end end
          sorted = sorted + 1
        end
      end
      return {failed > 0, sorted}`
    expect(newState().evaluate(script)).toBe('*2\r\n:1\r\n:200\r\n')
  })
})

describe('a script that wants too much', () => {
  test.each([
    ['memory for a table', 'local t = {} for i = 1, 1e9 do t[i] = i end'],
    ['memory for a string', 'local s = "x" while true do s = s .. s end'],
    ['memory in one go', 'return string.rep("x", 2 ^ 30)'],
    ['memory, again and again', 'for i = 1, 3 do pcall(function() local s = "x" while true do s = s .. s end end) end error("ended")'],
  ])('%s', (_, script) => {
    const state = newState()
    let ticks = 0
    state.tick = () => (ticks++ > 200 ? KILL : false)
    expect(state.evaluate(script)).toMatch(/not enough memory|ended/)
    expect(state.runner.broken).toBe(false)
    expect(state.evaluate('return #string.rep("x", 1000)')).toBe(':1000\r\n')
    expect(state.runner.sandbox.vm.memoryBytes).toBeLessThanOrEqual(64 * 2 ** 20)
  })

  test.each([
    ['recursion', 'local function f() return 1 + f() end return f()', /stack overflow/],
    ['recursion through pcall', 'local function f() local ok, e = pcall(f) error(e, 0) end f()', /stack overflow/],
    ['recursion through coroutines', 'local function f() coroutine.wrap(f)() end f()', /stack overflow/],
    ['results', 'return unpack({}, 1, 1e7)', /too many results/],
    ['nested code', `return ${'('.repeat(300)}1${')'.repeat(300)}`, /compiling script/],
    ['arguments', 'return redis.call(unpack({"echo", "x"}, 1, 7000))', /must be strings or integers/],
  ])('%s', (_, script, error) => {
    const state = newState()
    expect(state.evaluate(script)).toMatch(error)
    expect(state.evaluate('return 1')).toBe(':1\r\n')
  })

  test('a pattern that recurses without end breaks the state at most, never the process', () => {
    const state = newState()
    state.evaluate('return string.find(string.rep("a", 1e6), string.rep("a?", 3e5))')
    if (!state.runner.broken) expect(state.evaluate('return 1')).toBe(':1\r\n')
  })
})

describe('the sandbox', () => {
  test.each([
    'return getmetatable("").__index == string and getmetatable(string) == nil',
    'local ok = pcall(function() getmetatable("").__index = nil end) return ok == false and ("x"):rep(2) == "xx"',
    'for _, f in pairs({ rawset, table.insert, setmetatable }) do if pcall(f, string, {}) then return false end end return true',
    'local _, t = pairs(redis) local ok = pcall(function() t.x = 1 end) return ok == false',
    'return rawget(redis, "call") ~= nil and rawget(getfenv(string.rep), "redis") ~= nil',
    'return getfenv(pcall) == _G and getfenv(string.rep) == _G and getfenv(0) == _G and getfenv(1) == _G',
    'local ok = pcall(setfenv, 0, {}) return ok == false and type(redis) == "table"',
    'local ok = pcall(setfenv, string.rep, {}) return ok == false',
    'local n = pairs({}) return n(string) == nil',
    'return loadstring(string.dump(function() end)) == nil and load(function() return nil end) ~= nil',
    'local done local f = load(function() if done then return nil end done = true return "\\27Lua" end) return f == nil',
    'collectgarbage("stop") return collectgarbage("count") > 0',
    'local ok, e = pcall(function() return unknown end) return e == "user_script:1: Script attempted to access nonexistent global variable \'unknown\'"',
    'table.foreach(redis, function(k, v) if type(v) == "table" then error("table") end end) return true',
  ])('%s', (script) => {
    expect(newState().evaluate(script)).toBe(':1\r\n')
  })

  test('strings of the host and of scripts keep every byte', () => {
    const all = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i)).join('')
    const state = newState()
    expect(state.evaluate('return redis.call("echo", ARGV[1])', [all])).toBe(`$256\r\n${all}\r\n`)
    expect(state.evaluate('return #ARGV[1]', [''])).toBe(':0\r\n')
    const long = all.repeat(2000)
    expect(state.evaluate('return redis.sha1hex(ARGV[1] .. redis.call("echo", ARGV[1]))', [long])).toMatch(/^\$40\r\n[0-9a-f]{40}\r\n$/)
  })

  test('replies of commands in RESP3', () => {
    const state = newState()
    expect(state.evaluate('redis.setresp(3) return tostring(redis.call("map").map.k.double)')).toBe('$3\r\n1.5\r\n')
    expect(state.evaluate('return redis.call("map")')).toBe('*2\r\n$1\r\nk\r\n$3\r\n1.5\r\n')
  })
})
