/**
 * The part of the sandbox that is written in Lua: pcall, xpcall and coroutines through which the host can interrupt a script.
 *
 * Lua 5.1 cannot yield across pcall, which is a C function. Here pcall runs its function in a coroutine and passes an interruption on:
 * the host's yield carries no values, one of the script's own carries HANDED. C functions cannot loop, so they keep the real pcall.
 * `state[1]` is true once the script is being killed, and then nothing catches errors any more; `state[2]` counts coroutines inside
 * one another, since each takes room on the native stack.
 */
export const BOOTSTRAP_NAME = '=(respd)'

export const BOOTSTRAP = `
local state, natives, yieldable, rethrow = ...
local create, status, resume, yield, running = coroutine.create, coroutine.status, coroutine.resume, coroutine.yield, coroutine.running
local type, error, select, setmetatable, rawpcall = type, error, select, setmetatable, pcall
local users = setmetatable({}, { __mode = 'k' })
local HANDED, DEPTH_MAX = {}, 160

local function plain(e)
  if type(e) == 'table' then
    local message = e.err
    if type(message) == 'string' or type(message) == 'number' then return message end
  end
  return e
end

local function caught(ok, ...)
  if ok then return true, ... end
  if state[1] then error((...), 0) end
  return false, plain((...))
end

local function settle(co, ok, ...)
  if status(co) == 'suspended' then
    if yieldable() then yield() end
    return settle(co, resume(co))
  end
  state[2] = state[2] - 1
  return caught(ok, ...)
end

local function start(f)
  if state[2] >= DEPTH_MAX then error('C stack overflow', 0) end
  local co = create(f)
  state[2] = state[2] + 1
  return co
end

function pcall(...)
  local f = ...
  if type(f) ~= 'function' or natives[f] then
    if select('#', ...) == 0 then return false, 'attempt to call a boolean value' end
    return caught(rawpcall(...))
  end
  local co = start(f)
  return settle(co, resume(co, select(2, ...)))
end

local function handled(co, handler, ok, ...)
  if status(co) == 'suspended' then
    if yieldable() then yield() end
    return handled(co, handler, resume(co))
  end
  state[2] = state[2] - 1
  if ok then return true, ... end
  if state[1] then error((...), 0) end
  local fine, result = rawpcall(handler, ...)
  if not fine then result = 'error in error handling' end
  return false, result
end

local rawxpcall = xpcall
function xpcall(...)
  local f, handler = ...
  if type(f) ~= 'function' or natives[f] or type(handler) ~= 'function' then return rawxpcall(...) end
  local co = start(f)
  return handled(co, handler, resume(co))
end

local function given(co, ok, ...)
  if status(co) == 'suspended' then
    if (...) == HANDED then
      state[2] = state[2] - 1
      return true, select(2, ...)
    end
    if yieldable() then yield() end
    return given(co, resume(co))
  end
  state[2] = state[2] - 1
  if not ok and state[1] then error((...), 0) end
  return ok, ...
end

local function continue(co, ...)
  if state[2] >= DEPTH_MAX then error('C stack overflow', 0) end
  state[2] = state[2] + 1
  return given(co, resume(co, ...))
end

local function passed(ok, ...)
  if ok then return ... end
  rethrow((...))
end

function coroutine.create(f)
  local co = create(f)
  users[co] = true
  return co
end

function coroutine.resume(co, ...)
  if type(co) ~= 'thread' then rethrow("bad argument #1 to 'resume' (coroutine expected)") end
  return continue(co, ...)
end

function coroutine.wrap(f)
  local co = create(f)
  users[co] = true
  return function(...) return passed(continue(co, ...)) end
end

function coroutine.yield(...)
  if not users[running()] then error('attempt to yield across metamethod/C-call boundary', 0) end
  return yield(HANDED, ...)
end

function coroutine.running()
  local co = running()
  return users[co] and co or nil
end
`
