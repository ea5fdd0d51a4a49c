/** Scripts that are slow inside metamethods and iterators: suspended there again and again, with the results of one that is not. */
import { expect, test } from 'vitest'
import { newState } from './state.ts'

/** A loop long enough to be suspended in several times; `n` counts what it has run. */
const SLOW = 'for i = 1, 15000 do n = n + 1 end'

const PRELUDE = `
  local n = 0
  local function slow(...) ${SLOW} return ... end
  local mt = {}
  local function new(v) return setmetatable({ v = v }, mt) end
  local function v(x) return type(x) == 'table' and rawget(x, 'v') or x end
`

const scripts: [what: string, script: string][] = [
  [
    '__index',
    'mt.__index = function(t, k) slow() return k .. v(t) end local t = new("x") local a, b = t.one, t.two return {a, b, t.three .. t.four}',
  ],
  [
    '__index into the variable that it is read from',
    'local t mt.__index = function(_, k) slow() return {k, t == nil, type(t)} end t = new(1) t = t.x return t',
  ],
  [
    '__index of an upvalue and a global',
    `local env = setmetatable({}, { __index = function(_, k) slow() return k end })
    local function f() return one, two end setfenv(f, env) return {f()}`,
  ],
  [
    '__index of a method',
    'mt.__index = function(_, k) slow() return function(self, a) slow() return self.v .. k .. a end end return new("s"):call("x")',
  ],
  [
    '__index of __index',
    'local base = setmetatable({}, { __index = function(_, k) slow() return k end }) mt.__index = base return new(1).name',
  ],
  ['__newindex', 'mt.__newindex = function(t, k, x) slow() rawset(t, k, x * 2) end local t = new(1) t.a = 4 t[1] = t.a return {t[1], t.a}'],
  [
    '__newindex of a global',
    `local log = {} local function f() x = 1 y = 2 end
    setfenv(f, setmetatable({}, { __newindex = function(_, k) slow() log[#log + 1] = k end })) f() return log`,
  ],
  ['__call', 'mt.__call = function(t, a, b) slow() return a + b, t.v end local t = new(9) return {t(1, 2)}'],
  [
    'arithmetic',
    `for _, name in ipairs({ 'add', 'sub', 'mul', 'div', 'mod', 'pow' }) do
      mt['__' .. name] = function(a, b) slow() return new(name .. v(a) .. v(b)) end
    end
    local a, b = new('a'), new('b')
    return {(a + b).v, (a - 1).v, (2 * b).v, (a / b).v, (a % b).v, (a ^ b).v, (a + b * a).v}`,
  ],
  ['arithmetic without results', 'mt.__add = function() slow() end return {tostring(new(1) + 1)}'],
  ['__unm', 'mt.__unm = function(a) slow() return -a.v end return {-new(3), -new(-4)}'],
  [
    '__concat of two',
    'mt.__concat = function(a, b) slow() return v(a) .. v(b) end return {new("a") .. "b", "a" .. new("b"), new("c") .. new("d")}',
  ],
  [
    '__concat of many',
    `mt.__concat = function(a, b) slow() return v(a) .. "," .. v(b) end
    local t, u = new("t"), new("u")
    return {"a" .. t .. "b", t .. "a" .. "b" .. 1, "a" .. "b" .. t, 1 .. 2 .. t .. 3 .. 4 .. u .. 5, "x" .. t .. u .. "y" .. "z"}`,
  ],
  [
    '__concat to tables',
    `mt.__concat = function(a, b) slow() return new(v(a) .. v(b)) end
    local t, u = new("t"), new("u")
    return {("a" .. t .. "b" .. u .. "c").v, (t .. u .. 1).v, ("a" .. "b" .. u).v}`,
  ],
  [
    '__concat that keeps none of its parameters',
    `local a, b, i = new("a"), new("b"), 0
    mt.__concat = function() slow() i = i + 1 return new(i) end
    local first = (a .. b .. a .. a .. b).v
    mt.__concat = function(x) slow() i = i + 1 return new(i .. v(x)) end
    local second = ("x" .. a .. "y" .. a .. "z" .. b .. b).v
    mt.__concat = function(x, y) x, y = v(x) .. v(y), nil slow() return new(x) end
    return {first, second, (a .. a .. a .. "s" .. "t" .. b .. a).v, i}`,
  ],
  [
    '__concat of the same operands',
    `local t, log = new("t"), {}
    mt.__concat = function(...) slow() log[#log + 1] = select('#', ...) return t end
    local u = t .. t .. t .. "s" .. t return {u == t, log}`,
  ],
  [
    '__concat by tail calls, tables and library functions',
    `local t = new("t")
    local function join(x, y) slow() return new(v(x) .. v(y)) end
    mt.__concat = function(...) return join(...) end local first = ("a" .. t .. "b" .. t .. 1).v
    mt.__concat = setmetatable({}, { __call = function(_, x, y) x, y = v(x), v(y) slow() return new(x .. y) end })
    local second = ("a" .. t .. "b" .. t .. 1).v
    mt.__concat = table.sort mt.__lt = function() slow() return false end
    local function compare(x, y) slow() return v(x) < v(y) end
    local third = pcall(function() return compare .. setmetatable({}, mt) .. compare end)
    mt.__concat = table.foreach
    local found = setmetatable({ new(1), new(2) }, mt) .. function(k, x) slow() return x .. function(key) slow() return key end end
    return {first, second, third, found}`,
  ],
  [
    '__concat inside __concat',
    `mt.__concat = function(x, y) slow() if v(y) == "b" then return "<" .. new("x") .. new("y") .. ">" end return v(x) .. v(y) end
    return {"a" .. new("c") .. new("b") .. "d", new("a") .. "b" .. "c" .. new("b")}`,
  ],
  [
    '__eq',
    'mt.__eq = function(a, b) slow() return a.v == b.v end return {new(1) == new(1), new(1) == new(2), new(1) ~= new(1), new(1) ~= new(2)}',
  ],
  [
    '__eq in conditions',
    `mt.__eq = function(a, b) slow() return a.v == b.v and 0 end local log = {}
    for i = 1, 3 do if new(i) == new(2) then log[i] = 'same' else log[i] = 'other' end end
    local i = 0 while new(i) ~= new(3) do i = i + 1 end log[4] = i return log`,
  ],
  [
    '__lt',
    'mt.__lt = function(a, b) slow() return a.v < b.v end local a, b = new(1), new(2) return {a < b, b < a, a > b, not (a < b), (a < b) and 7 or 8}',
  ],
  ['__le', 'mt.__le = function(a, b) slow() return a.v <= b.v end local a, b = new(1), new(2) return {a <= b, b <= a, a >= b, a <= a}'],
  [
    '<= by __lt',
    'mt.__lt = function(a, b) slow() return a.v < b.v end local a, b = new(1), new(2) return {a <= b, b <= a, a >= b, a <= a}',
  ],
  [
    '<= by one function for both',
    'mt.__lt = function(a, b) slow() return a.v < b.v end mt.__le = mt.__lt local a, b = new(1), new(2) return {a <= b, b <= a, a <= a}',
  ],
  [
    '<= by __lt that sets an __le',
    `mt.__lt = function(a, b) mt.__le = mt.__lt slow() return a.v < b.v end local a, b = new(1), new(2)
    local function le(x, y) mt.__le = nil return x <= y end return {le(a, b), le(b, a), le(a, a)}`,
  ],
  [
    'an iterator',
    'local log = {} local function it(s, i) slow() if i < s then return i + 1, i * i end end for i, sq in it, 4, 0 do log[i] = sq end return log',
  ],
  ['an iterator of no rounds', 'local r = {1} for k in function() slow() end do r = {k} end return r'],
  ['an iterator with break', 'for i in function(_, i) slow() return (i or 0) + 1 end do if i == 3 then return i end end'],
  [
    'a coroutine as iterator',
    'local log = {} for a, b in coroutine.wrap(function() for i = 1, 3 do slow() coroutine.yield(i, i * 2) end end) do log[a] = b end return log',
  ],
  [
    'a table as iterator',
    'mt.__call = function(t, s, i) slow() if i < t.v then return i + 1 end end local s = 0 for i in new(4), nil, 0 do s = s + i end return s',
  ],
  [
    'metamethods inside metamethods',
    `mt.__add = function(a, b) slow() return new(v(a) + v(b)) end
    mt.__index = function(t, k) slow() return (t + new(k)).v end
    mt.__lt = function(a, b) slow() return a[1] < b[2] end
    return {new(1)[5], new(1) < new(2), new(3) < new(0)}`,
  ],
  [
    'coroutines inside metamethods',
    `mt.__index = function(t, k)
      local co = coroutine.wrap(function() for i = 1, 3 do slow() coroutine.yield(i .. k) end end)
      return co() .. co() .. co()
    end return {new(1).x, new(2).y}`,
  ],
  [
    'metamethods inside coroutines',
    `mt.__index = function(_, k) slow() return k end
    local co = coroutine.wrap(function(a) for i = 1, 3 do a = coroutine.yield(new(1)[a]) end return 'end' end)
    return {co('a'), co('b'), co('c'), co('d')}`,
  ],
  [
    'pcall inside metamethods',
    `mt.__index = function(_, k) local ok, e = pcall(function() slow() error({err = k}) end) slow() return e end return {new(1).x, new(2).y}`,
  ],
  [
    'errors inside metamethods',
    `mt.__index = function(_, k) slow() error('no ' .. k) end
    local ok, e = pcall(function() return new(1).x end) local fine, f = pcall(function() local t = new(1) t = t.y end) slow() return {e, f}`,
  ],
  [
    'tail calls out of metamethods',
    'local function last(a, b) slow() return a, b end mt.__index = function(_, k) slow() return last(k, 2) end return {new(1).x, new(1).y}',
  ],
  ['varargs', 'mt.__index = function(...) slow() local _, k = ... return k .. select("#", ...) end return {new(1).x, (new(1).y)}'],
  [
    'upvalues that are closed',
    'local f mt.__index = function(_, k) local x = k f = function() return x end slow() return f end local g = new(1).a return {g(), f()}',
  ],
  [
    '__tostring',
    'mt.__tostring = function(t) slow() return "t" .. t.v, 2 end local t = new(1) return {tostring(t) .. tostring(t), (tostring(t)), select("#", pcall(tostring, t))}',
  ],
  [
    'sorting by __lt',
    'mt.__lt = function(a, b) slow() return a.v < b.v end local t = { new(3), new(1), new(2) } table.sort(t) return {t[1].v, t[2].v, t[3].v}',
  ],
  [
    'what cannot be sorted',
    `mt.__lt = function(a, b) slow() return a.v < b.v end
    local function message(...) slow() return select(2, pcall(table.sort, ...)) end
    return {message({ new(1), 2 }), message({ new(1), {} }), message({ {}, {} })}`,
  ],
  [
    'gsub by __index',
    'mt.__index = function(_, k) slow() if k ~= "c" then return k .. k end end return {string.gsub("abcd", "%w", new(1))}',
  ],
  [
    'callbacks inside metamethods',
    `mt.__index = function(_, k) return (string.gsub("ab", "%w", function(c) slow() return c .. k end)) end
    mt.__lt = function(a, b) local t = { b, a } table.sort(t, function(x, y) slow() return x.v < y.v end) return t[1] == a end
    return {new(1).x, new(1) < new(2), new(2) < new(1)}`,
  ],
  [
    'metamethods inside callbacks',
    `mt.__add = function(a, b) slow() return v(a) + v(b) end local log = {}
    table.foreach({ 1, 2 }, function(_, x) log[x] = new(x) + 1 end) table.foreachi({ 5 }, function(_, x) log[3] = new(x) + x end)
    log[4] = string.gsub("12", "%d", function(d) return new(d) + d end) return log`,
  ],
  [
    'pcall of a table',
    `mt.__call = function(t, a, b) slow() if b then error({err = 'E ' .. a}) end return t.v, a end
    local function all(...) return {...} end return {all(pcall(new(1), 2)), select(2, pcall(new(1), 2, 3)), all(xpcall(new(4), error))}`,
  ],
  [
    'xpcall without a handler',
    'local ok, e = xpcall(function() slow() error("x") end, nil) return {tostring(ok), e, select("#", xpcall(function() slow() return 1, 2 end, 1))}',
  ],
  [
    'functions in C as callbacks',
    `mt.__tostring = function(x) slow() return "t" .. x.v end mt.__lt = function(a, b) slow() return a.v < b.v end
    local function f() slow() return true end
    local t, u = { new(1), new(2) }, { f, f }
    table.sort(t, tostring) table.sort(u, xpcall) table.sort({ coroutine.create(f), coroutine.create(f) }, coroutine.resume)
    return {t[1].v, table.foreach({ [new(3)] = 1 }, tostring), pcall(table.foreach, { [f] = f }, xpcall),
      (string.gsub("ab", ".", coroutine.wrap(function(c) while true do slow() c = coroutine.yield(c .. c) end end)))}`,
  ],
  [
    'functions in C in a pcall',
    `mt.__lt = function(a, b) slow() return a.v < b.v end mt.__call = table.sort mt.__tostring = function() slow() return 's' end
    local t = setmetatable({ new(2), new(1) }, mt) local u = { new(4), new(3) }
    return {pcall(t), t[1].v, pcall(table.sort, u), u[1].v, pcall(pcall, tostring, t), select(2, xpcall(function() error(t) end, tostring)),
      pcall(string.gmatch("ab", "a"))}`,
  ],
  [
    'sorting by a table as __lt',
    `mt.__lt = setmetatable({}, { __call = function(_, a, b) slow() return a.v < b.v end })
    local t = { new(2), new(3), new(1) } table.sort(t) return {t[1].v, t[2].v, t[3].v}`,
  ],
  [
    'a yield that is refused',
    `mt.__index = function() slow() coroutine.yield(1) end
    return {coroutine.resume(coroutine.create(function() return new(1).x end))}`,
  ],
  [
    'deep recursion',
    `local function depth(k) if k == 0 then slow() return 0 end return 1 + depth(k - 1) end
    mt.__index = function(_, k) return depth(k) end return {new(1)[300], new(1)[2]}`,
  ],
  [
    'recursion through metamethods',
    'mt.__index = function(t, k) if k == 0 then slow() return 0 end return 1 + t[k - 1] end return {new(1)[30], new(1)[3]}',
  ],
]

test.each(scripts)('is suspended in it: %s', (_, script) => {
  const whole = newState()
  whole.tick = () => false
  const expected = whole.evaluate(PRELUDE + script)
  expect(expected).not.toMatch(/^-/)
  const state = newState()
  expect(state.evaluate(PRELUDE + script)).toBe(expected)
  expect(state.suspensions).toBeGreaterThan(2)
  expect(state.stuck).toBe(0)
  expect(state.runner.broken).toBe(false)
  expect(state.evaluate('return {pcall(error, "fine")}')).toBe('*2\r\n$-1\r\n$4\r\nfine\r\n')
})

test.each([3, 7])('is suspended every %i instructions, while the collector moves what it can', (hookCount) => {
  const prelude = PRELUDE.replace(SLOW, 'for i = 1, 5 do n = n + 1 end collectgarbage()')
  for (const [what, script] of scripts) {
    const whole = newState()
    const expected = whole.evaluate(prelude + script)
    const state = newState(undefined, hookCount)
    expect([what, state.evaluate(prelude + script)]).toEqual([what, expected])
    expect(state.runner.broken).toBe(false)
  }
})
