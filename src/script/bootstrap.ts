/**
 * The part of the sandbox that is written in Lua: pcall, xpcall, coroutines, and what library functions that call one of the script's
 * (table.sort, string.gsub ...) do then: all of which the host can interrupt a script in.
 *
 * Lua 5.1 cannot yield across pcall, which is a C function. Here pcall runs its function in a coroutine and passes an interruption on:
 * the host's yield carries no values, one of the script's own carries HANDED (coroutine.yield, in callers.ts).
 * `state[1]` is true once the script is being killed, and then nothing catches errors any more; `state[2]` counts coroutines inside
 * one another, since each takes room on the native stack.
 *
 * The library functions give the results, the order of calls and the errors of the real ones. These stay in their places (callers.ts),
 * check their arguments, and call the ones here only when that may run code of the script's. What messages show of a function in Lua,
 * names and lines, is taken away from all of this (strip.ts): it looks like one in C.
 */
export const BOOTSTRAP_NAME = '=(respd)'

export const BOOTSTRAP = `
local state, suspend, rethrow, throw, raw = ...
local create, resume, status, current = raw.create, raw.resume, raw.status, raw.current
local type, select, setmetatable, rawpcall, rawequal = type, select, setmetatable, raw.pcall, rawequal
local users = setmetatable({}, { __mode = 'k' })
local HANDED, DEPTH_MAX, HANDLED_MAX = {}, 200, 221
local rawget, getmetatable, tostring = rawget, raw.getmetatable, tostring

local function method(t, name)
  local meta = getmetatable(t)
  return type(meta) == 'table' and rawget(meta, name) or nil
end

local function callable(f)
  return type(f) == 'function' or type(f) == 'table' and type(method(f, '__call')) == 'function'
end

-- What the coroutines of pcall begin with: functions in C as well can be called in one so.
local function apply(f, ...) return f(...) end

local function settle(co, ok, ...)
  if status(co) == 'suspended' then
    suspend()
    return settle(co, resume(co))
  end
  state[2] = state[2] - 1
  if not ok and state[1] then throw((...)) end
  return ok, ...
end

local function protected(...)
  if state[2] >= DEPTH_MAX then throw('C stack overflow') end
  local co = create(apply)
  state[2] = state[2] + 1
  return settle(co, resume(co, ...))
end

-- The message of a table takes its place.
local function caught(ok, ...)
  if ok then return true, ... end
  local e = ...
  if type(e) == 'table' then
    local message = e.err
    if type(message) == 'string' or type(message) == 'number' then return false, message end
  end
  return false, e
end

-- It gives one result, also when it is left out of the stack.
local function text(...) return (tostring(...)) end

local function pcall(f, ...)
  if f == tostring then f = text end
  if not callable(f) then return caught(rawpcall(f)) end
  return caught(protected(f, ...))
end

-- A handler that fails is called with its own error, until too many of them are inside one another.
local function answered(handler, ok, ...)
  if ok then return true, ... end
  local fine, e = type(handler) ~= 'function', ...
  if fine then return false, 'error in error handling' end
  for _ = 1, HANDLED_MAX do
    fine, e = protected(handler, e)
    if fine then return false, e end
  end
  return false, 'error in error handling'
end

local function xpcall(f, handler)
  if not callable(f) then return answered(handler, rawpcall(f)) end
  return answered(handler, protected(f))
end

local function given(co, ok, ...)
  if status(co) == 'suspended' then
    if (...) == HANDED then
      state[2] = state[2] - 1
      return true, select(2, ...)
    end
    suspend()
    return given(co, resume(co))
  end
  state[2] = state[2] - 1
  if not ok then
    if state[1] then throw((...)) end
    if (...) == 'cannot resume normal coroutine' and co == current() then return false, 'cannot resume running coroutine' end
  end
  return ok, ...
end

local function continue(co, ...)
  if state[2] >= DEPTH_MAX then throw('C stack overflow') end
  state[2] = state[2] + 1
  return given(co, resume(co, ...))
end

local function passed(ok, ...)
  if ok then return ... end
  rethrow((...))
end

local function newCoroutine(f)
  local co = create(f)
  users[co] = true
  return co
end

local function wrap(f)
  local co = newCoroutine(f)
  return raw.enclose(function(...) return passed(continue(co, ...)) end)
end

local rawgsub, rawsort, unpack = raw.gsub, raw.sort, unpack
local next, rawset, byte = next, rawset, string.byte
local rawload, loadstring, where = raw.load, loadstring, raw.where

-- The result of a real function, or its error, with a position or without.
local function outcome(raise, ok, ...)
  if ok then return ... end
  raise((...))
end

-- Matches do not depend on what the function answers, so the real gsub runs twice: to note what the function is to be called with, and to
-- put in what it has answered.
local function recorder(calls)
  local n = 0
  return function(first, ...)
    n = n + 1
    calls[n] = select('#', ...) == 0 and first or {first, ...}
  end
end

local function player(results)
  local n = 0
  return function()
    n = n + 1
    return results[n]
  end
end

local function gsub(s, pattern, f, most)
  if type(f) == 'table' then
    local t, index = f, type(method(f, '__index'))
    if index ~= 'function' and index ~= 'table' then return outcome(throw, rawpcall(rawgsub, s, pattern, t, most)) end
    f = function(k) return t[k] end
  end
  local calls, results = {}, {}
  outcome(rethrow, rawpcall(rawgsub, s, pattern, recorder(calls), most))
  for i = 1, #calls do
    local given, result = calls[i]
    if type(given) == 'table' then result = f(unpack(given)) else result = f(given) end
    if result and type(result) ~= 'string' and type(result) ~= 'number' then
      rethrow('invalid replacement value (a ' .. type(result) .. ')')
    end
    results[i] = result
  end
  return rawgsub(s, pattern, player(results), most)
end

-- Median of three, then the shorter side first by calling itself: equal elements end up as the real sort leaves them.
local function order(t, less, low, high)
  while low < high do
    if less(t[high], t[low]) then t[low], t[high] = t[high], t[low] end
    if high - low == 1 then return end
    local middle = (low + high - (low + high) % 2) / 2
    if less(t[middle], t[low]) then t[middle], t[low] = t[low], t[middle]
    elseif less(t[high], t[middle]) then t[middle], t[high] = t[high], t[middle] end
    if high - low == 2 then return end
    local pivot = t[middle]
    t[middle], t[high - 1] = t[high - 1], pivot
    local left, right = low, high - 1
    while true do
      left = left + 1
      while less(t[left], pivot) do
        if left > high then rethrow('invalid order function for sorting') end
        left = left + 1
      end
      right = right - 1
      while less(pivot, t[right]) do
        if right < low then rethrow('invalid order function for sorting') end
        right = right - 1
      end
      if right < left then break end
      t[left], t[right] = t[right], t[left]
    end
    t[high - 1], t[left] = t[left], t[high - 1]
    if left - low < high - left then
      order(t, less, low, left - 1)
      low = left + 1
    else
      order(t, less, left + 1, high)
      high = left - 1
    end
  end
end

-- What cannot be compared is left to the real sort, which says so; nil is none of its elements, but a wrong order leads there.
local function before(a, b)
  if a == nil then throw('attempt to compare ' .. (b == nil and 'two nil values' or 'nil with ' .. type(b))) end
  if type(a) ~= 'table' or type(b) ~= 'table' then return outcome(throw, rawpcall(rawsort, {b, a})) end
  local less = method(a, '__lt')
  if not callable(less) or not rawequal(less, method(b, '__lt')) then return outcome(throw, rawpcall(rawsort, {b, a})) end
  return a < b
end

local function sort(t, less)
  less = less or before
  local n = #t
  if getmetatable(t) == nil then return order(t, less, 1, n) end
  local plain = {}
  for i = 1, n do plain[i] = rawget(t, i) end
  order(plain, less, 1, n)
  for i = 1, n do rawset(t, i, plain[i]) end
end

local function foreach(t, f)
  for k, v in next, t do
    local result = f(k, v)
    if result ~= nil then return result end
  end
end

local function foreachi(t, f)
  for i = 1, #t do
    local result = f(i, rawget(t, i))
    if result ~= nil then return result end
  end
end

-- Compiles the pieces that are there, and as much of them as the real load would read: it asks for more only when it needs more.
local MORE = {}
local function compile(all, isWhole, name)
  local n = 0
  return rawload(function()
    n = n + 1
    if n > #all and not isWhole then throw(MORE) end
    return all[n]
  end, name)
end

-- Errors of the reader pass the handler that Redis has for those of a script, unless there is a pcall or a coroutine between.
local function unread(e, isOutermost)
  if isOutermost and type(e) ~= 'table' then e = { err = 'ERR ' .. tostring(e) } end
  return nil, e
end

local function load(f, name, isOutermost)
  local all, n, due = {}, 0, 1
  while true do
    local ok, piece = protected(f)
    if not ok then return unread(piece, isOutermost) end
    if piece ~= nil and type(piece) ~= 'string' and type(piece) ~= 'number' then
      return unread(where() .. 'reader function must return a string', isOutermost)
    end
    n = n + 1
    local isWhole = piece == nil or piece == ''
    if not isWhole then
      piece = piece .. ''
      if #all == 0 and byte(piece) == 27 then return loadstring(piece, name) end
      all[#all + 1] = piece
    end
    -- An end that comes first is ignored. Of many pieces not each is tried anew.
    isWhole = isWhole and n > 1
    if isWhole or n >= due and #all > 0 then
      local code, message = compile(all, isWhole, name)
      if code then return code end
      if message ~= MORE then return nil, message end
      if n >= 64 then due = 2 * n end
    end
  end
end

return pcall, caught, gsub, sort, foreach, foreachi, load, xpcall, newCoroutine, continue, wrap, users, HANDED
`
