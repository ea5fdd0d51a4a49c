import { cases } from '../support/cases.ts'

cases('scripting')`
  ## EVAL and its arguments
  EVAL "return 1" 0                  => :1
  EVAL "return {KEYS[1], ARGV[1], ARGV[2], KEYS[2]}" 1 k a b => [k a b]
  EVAL "return #KEYS .. ':' .. #ARGV" 2 a b c => 2:1
  EVAL "return 1"                    => -ERR wrong number of arguments for 'eval' command
  EVAL "return 1" x                  => -ERR value is not an integer or out of range
  EVAL "return 1" -1                 => -ERR Number of keys can't be negative
  EVAL "return 1" 1                  => -ERR Number of keys can't be greater than number of args
  EVAL "return 1" 3 a b              => -ERR Number of keys can't be greater than number of args
  EVAL "return 1" 99999999999999999999 => -ERR value is not an integer or out of range
  EVAL "return (" x                  => -ERR value is not an integer or out of range
  EVAL "return (" 0                  => -ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'
  EVAL "" 0                          => nil
  eval "return 'lower'" 0            => lower
  EVAL_RO "return 1" 0               => :1
  EVAL_RO "return redis.call('get', KEYS[1])" 1 k => nil
  EVAL_RO "return redis.call('set', KEYS[1], 1)" 1 k => -ERR Write commands are not allowed from read-only scripts. script: 2b58b113dac432e64a65f3ae35a5bac7217348a6, on @user_script:1.
  EVAL_RO "return redis.pcall('set', KEYS[1], 1).err" 1 k => "ERR Write commands are not allowed from read-only scripts."

  ## EVALSHA and SCRIPT
  SCRIPT LOAD "return ARGV[1]"       => 098e0f0d1448c0a81dafe820f66d460eb09263da
  EVALSHA 098e0f0d1448c0a81dafe820f66d460eb09263da 0 x => x
  SCRIPT LOAD "return 'loaded'"      => ?sha
  EVALSHA $sha 0                     => loaded
  EVALSHA_RO $sha 0                  => loaded
  EVALSHA 0000000000000000000000000000000000000000 0 => -NOSCRIPT No matching script. Please use EVAL.
  EVALSHA short 0                    => -NOSCRIPT No matching script. Please use EVAL.
  EVALSHA short x                    => -NOSCRIPT No matching script. Please use EVAL.
  EVALSHA $sha x                     => -ERR value is not an integer or out of range
  EVALSHA $sha 5                     => -ERR Number of keys can't be greater than number of args
  SCRIPT EXISTS $sha 0000000000000000000000000000000000000000 short => [:1 :0 :0]
  SCRIPT EXISTS                      => -ERR wrong number of arguments for 'script|exists' command
  SCRIPT LOAD                        => -ERR wrong number of arguments for 'script|load' command
  SCRIPT LOAD "return ("             => -ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'
  SCRIPT LOAD "#!lua flags=x\nreturn 1" => -ERR Unexpected flag in script shebang: x
  SCRIPT FLUSH                       => +OK
  SCRIPT EXISTS $sha                 => [:0]
  EVALSHA $sha 0                     => -NOSCRIPT No matching script. Please use EVAL.
  SCRIPT FLUSH SYNC                  => +OK
  SCRIPT FLUSH ASYNC                 => +OK
  SCRIPT FLUSH NOW                   => -ERR SCRIPT FLUSH only support SYNC|ASYNC option
  SCRIPT FLUSH SYNC ASYNC            => -ERR SCRIPT FLUSH only support SYNC|ASYNC option
  SCRIPT KILL                        => -NOTBUSY No scripts in execution right now.
  SCRIPT NOPE                        => -ERR unknown subcommand 'NOPE'. Try SCRIPT HELP.
  SCRIPT                             => -ERR wrong number of arguments for 'script' command
  SCRIPT HELP                        => [+"SCRIPT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"DEBUG (YES|SYNC|NO)" +"    Set the debug mode for subsequent scripts executed." +"EXISTS <sha1> [<sha1> ...]" +"    Return information about the existence of the scripts in the script cache." +"FLUSH [ASYNC|SYNC]" +"    Flush the Lua scripts cache. Very dangerous on replicas." +"    When called without the optional mode argument, the behavior is determined by the" +"    lazyfree-lazy-user-flush configuration directive. Valid modes are:" +"    * ASYNC: Asynchronously flush the scripts cache." +"    * SYNC: Synchronously flush the scripts cache." +KILL +"    Kill the currently executing Lua script." +"LOAD <script>" +"    Load a script into the scripts cache without executing it." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"SCRIPT <subcommand> [<arg> [value] [opt] ...]. and so on
  SCRIPT DEBUG NO                    => +OK
  SCRIPT DEBUG MAYBE                 => -ERR Use SCRIPT DEBUG YES/SYNC/NO

  ## Commands of scripts and their replies
  EVAL "return redis.call('set', KEYS[1], ARGV[1])" 1 k v => +OK
  GET k                              => v
  EVAL "return redis.call('get', KEYS[1])" 1 k => v
  EVAL "return redis.call('get', KEYS[1])" 1 nokey => nil
  EVAL "return redis.call('get', KEYS[1]) == false" 1 nokey => :1
  EVAL "return type(redis.call('set', 'k', 'v'))" 0 => table
  EVAL "return redis.call('set', 'k', 'v').ok" 0 => OK
  EVAL "return redis.call('set', 'k', 'v', 'nx') == false" 0 => :1
  EVAL "return redis.call('incr', 'n') + 1" 0 => :2
  EVAL "return redis.call('mget', 'k', 'none', 'n')" 0 => [v nil 1]
  EVAL "redis.call('set', 'd', 0.1) return redis.call('get', 'd')" 0 !7.2 doubles are printed in the shortest form
  EVAL "redis.call('mset', 'a', 1e21, 'b', -1.5, 'c', 2^53, 'd', 1e-7, 'e', 3.0, 'f', 1/3) return redis.call('mget', 'a', 'b', 'c', 'd', 'e', 'f')" 0 !7.2 shortest form
  EVAL "return redis.call('incr', 'k')" 0 => -ERR value is not an integer or out of range script: 6f2b230e8168d6623331d135dfd8a3a262da17ee, on @user_script:1.
  EVAL "return redis.pcall('incr', 'k')" 0 => -ERR value is not an integer or out of range
  EVAL "return redis.pcall('incr', 'k').err" 0 => "ERR value is not an integer or out of range"
  EVAL "local ok, e = pcall(redis.call, 'incr', 'k') return {tostring(ok), e}" 0 => [false "ERR value is not an integer or out of range"]
  EVAL "return redis.call('nosuch')" 0 => -ERR Unknown Redis command called from script script: 206396248e12c6e742fd7296250433c8d7343b74, on @user_script:1.
  EVAL "return redis.call('get')" 0  => -ERR Wrong number of args calling Redis command from script script: f187dee77f607f7cff00bbabc9df38507582c78d, on @user_script:1.
  EVAL "return redis.call('config')" 0 => -ERR Wrong number of args calling Redis command from script script: 7606e80c4491d47b7e4d27375c865fbb82912077, on @user_script:1.
  EVAL "return redis.call('config', 'nosuch')" 0 => -ERR Unknown Redis command called from script script: a0ea45a4efe6387b81c64461d8f551451a773e1a, on @user_script:1.
  EVAL "return redis.call('eval', 'return 1', 0)" 0 => -ERR This Redis command is not allowed from script script: 310efa61ec0f2edf6c2e5b4007966dd555e75546, on @user_script:1.
  EVAL "return redis.call('multi')" 0 => -ERR This Redis command is not allowed from script script: c329a1a294be6bf95b44144f7502610661ae925a, on @user_script:1.
  EVAL "return redis.call('script', 'load', 'return 1')" 0 => -ERR This Redis command is not allowed from script script: a490477d6bc12575fb844107684e6cd178d473fe, on @user_script:1.
  EVAL "return redis.call('ping')" 0 => +PONG
  EVAL "return redis.call('echo', 'x\0y')" 0 => x0y
  EVAL "return redis.call('echo', ARGV[1])" 0 "\x00\xff\r\n" => "\x00\xff\r\n"
  EVAL "redis.call('select', 1) redis.call('set', 'in1', 'x') return redis.call('get', 'in1')" 0 => x
  GET in1                            => nil
  SELECT 1                           => +OK
  GET in1                            => x
  SELECT 0                           => +OK

  ## Expiry stands still inside a script
  EVAL "redis.call('set', 'e', 1, 'px', 100000) return redis.call('pttl', 'e') - redis.call('pttl', 'e')" 0 => :0  !7.2 7.0.15 gives :1 | :0
  EVAL "redis.call('set', 'e', 1, 'px', 1) local x = 0 for i = 1, 1e6 do x = x + i end return redis.call('get', 'e')" 0 => 1

  ## setresp
  EVAL "redis.setresp(3) return redis.call('get', 'nokey') == nil" 0 => #t
  EVAL "return redis.call('get', 'nokey') == false" 0 => :1
  EVAL "redis.setresp(3) return redis.call('config', 'get', 'maxmemory')" 0 => -ERR This Redis command is not allowed from script script: 7b5d8f1197dd31931ecb2bd0144c59434991dd48, on @user_script:1.
  EVAL "return redis.call('config', 'get', 'maxmemory')" 0 => -ERR This Redis command is not allowed from script script: 0980669769efeb6079a5a3c93e7ca4e95eedfa17, on @user_script:1.
  EVAL "redis.setresp(3) local m = redis.call('config', 'get', 'maxmemory').map return m.maxmemory" 0 => -ERR This Redis command is not allowed from script script: 64af5cc3f9864b68d52c32c9a5a33c78b6280588, on @user_script:1.
  EVAL "redis.setresp(3) return {map = {x = true}}" 0 => {x #t}
  EVAL "redis.setresp(3) return true" 0 => #t
  EVAL "redis.setresp(3) return {true, false}" 0 => [#t #f]

  ## MULTI and EXEC
  MULTI                              => +OK
  EVAL "return redis.call('incr', KEYS[1])" 1 n => +QUEUED
  EVAL "return redis.call('nosuch')" 0 => +QUEUED
  EVALSHA 0000000000000000000000000000000000000000 0 => +QUEUED
  EXEC                               => [:1 -"ERR Unknown Redis command called from script script: 206396248e12c6e742fd7296250433c8d7343b74, on @user_script:1." -"NOSCRIPT No matching script. Please use EVAL."]
  GET n                              => 1

  ## Shebang and flags
  EVAL "#!lua\nreturn 1" 0           => :1
  EVAL "#!lua" 0                     => -ERR Invalid script shebang
  EVAL "#!lua\n" 0                   => nil
  EVAL "#!python\nreturn 1" 0        => -ERR Unexpected engine in script shebang: #!python
  EVAL "#!lua flags=no-writes\nreturn redis.call('set', 'k', 'v')" 1 k => -ERR Write commands are not allowed from read-only scripts. script: b257fa457662db6b514d4f207000d9d67c45e83f, on @user_script:2.
  EVAL "#!lua flags=no-writes\nreturn redis.call('get', 'k')" 1 k => nil
  EVAL "#!lua flags=no-writes,allow-stale\nreturn 1" 0 => :1
  EVAL "#!lua flags=\nreturn 1" 0    => :1
  EVAL "#!lua flags=bad\nreturn 1" 0 => -ERR Unexpected flag in script shebang: bad
  EVAL "#!lua name=x\nreturn 1" 0    => -ERR Unknown lua shebang option: name=x
  EVAL_RO "#!lua\nreturn 1" 0        => -ERR Can not execute a script with write flag using *_ro command.
  EVAL_RO "#!lua flags=no-writes\nreturn 1" 0 => :1
  EVAL "#!lua\n\nerror('third line')" 0 => -ERR user_script:3: third line script: 48e764f0ee7e8259f876b238550c6c78e854440e, on @user_script:3.

  ## Errors keep their shape
  EVAL "error('boom')" 0             => -ERR user_script:1: boom script: 82903a0434f1503e152f89c03c9acd881a0e8150, on @user_script:1.
  EVAL "error({err = 'MY error'})" 0 => -MY error script: c651a58ae76495fc291be13413f0f50017a68d3e, on @user_script:1.
  EVAL "return redis.error_reply('MY error')" 0 => -MY error
  EVAL "return redis.error_reply('oneword')" 0 => -ERR oneword
  EVAL "return {err = 'x y'}" 0      => -x y
  EVAL "return redis.status_reply('FINE')" 0 => +FINE
  EVAL "return nope" 0               => -ERR user_script:1: Script attempted to access nonexistent global variable 'nope' script: bd4779fe24c105ac19c4dffc34e280302a0fe06a, on @user_script:1.
  EVAL "nope = 1" 0                  => -ERR user_script:1: Attempt to modify a readonly table script: 8bda47810e11c242ed756173e95bae2adba0d9e7, on @user_script:1.
  EVAL "local t = nil\nreturn t.x" 0 => -ERR user_script:2: attempt to index local 't' (a nil value) script: 5e383a4a9d10a799a7bdaae726524fbbe9af80c0, on @user_script:2.
  EVAL "return redis.sha1hex('abc')" 0 => a9993e364706816aba3e25717850c26c9cd0d89d
  EVAL "return redis.REDIS_VERSION ~= nil and redis.REDIS_VERSION_NUM > 0x070000" 0 => :1
  EVAL "redis.log(redis.LOG_DEBUG, 'not shown')" 0 => nil
  EVAL "return redis.set_repl(redis.REPL_ALL)" 0 => nil
  EVAL "return redis.replicate_commands()" 0 => :1
  EVAL "return redis.acl_check_cmd('set', 'k', 'v')" 0 => :1
  EVAL "return redis.acl_check_cmd('nosuch')" 0 => -ERR Invalid command passed to redis.acl_check_cmd() script: d2491587bab5149c93be0dce4426f7a06ba9e1a1, on @user_script:1.

  ## Out of memory
  SET k v                            => +OK
  CONFIG SET maxmemory 1             => +OK
  EVAL "return redis.call('set', 'k', 'w')" 1 k => -OOM command not allowed when used memory > 'maxmemory'. script: 92d9bd2bb14ec0e5800f5bc76118e977c539ac71, on @user_script:1.
  EVAL "return redis.call('get', 'k')" 1 k => v
  EVAL "redis.call('del', 'k') redis.call('set', 'k', 'w') return redis.call('get', 'k')" 1 k => w
  EVAL "#!lua\nreturn 1" 0           => -OOM command not allowed when used memory > 'maxmemory'.
  EVAL "#!lua flags=allow-oom\nreturn redis.call('set', 'k', 'w')" 1 k => +OK
  EVAL "#!lua flags=no-writes\nreturn redis.call('get', 'k')" 1 k => w
  CONFIG SET maxmemory 0             => +OK

  ## Positions and counts beyond 32 bits
  EVAL "return ('hello'):sub(1, 2^31)" 0 => hello
  EVAL "return ('hello'):sub(1, 2^33 + 2)" 0 => hello
  EVAL "return ('hello'):sub(2^32 + 2, 2^32 + 3)" 0 => ""
  EVAL "return ('hello'):sub(-2^40, 2^40)" 0 => hello
  EVAL "return ('hello'):sub(-2^31, -2)" 0 => hell
  EVAL "return ('hello'):sub(1e300)" 0 => hello
  EVAL "return ('hello'):sub(-1e300, 3)" 0 => hel
  EVAL "return ('hello'):sub(0/0, 3)" 0 => hel
  EVAL "return ('hello'):sub(1, 0/0)" 0 => ""
  EVAL "return ('hello'):sub(1/0, 3)" 0 => hel
  EVAL "return ('hello'):sub(-1/0, 3)" 0 => hel
  EVAL "return ('hello'):sub('4294967298')" 0 => ""
  EVAL "return ('hello'):sub(2.9, 3.9)" 0 => el
  EVAL "return ('hello'):sub(-2.9)" 0 => lo
  EVAL "return {('hello'):byte(1, 2^31)}" 0 => [:104 :101 :108 :108 :111]
  EVAL "return {('hello'):byte(2^32 + 1)}" 0 => []
  EVAL "return {('hello'):byte(-2^32, 2)}" 0 => [:104 :101]
  EVAL "return {('hello'):byte(2^31, 2^33)}" 0 => []
  EVAL "return ('x'):rep(2^32 + 3)" 0 => xxx
  EVAL "return ('x'):rep(-1)" 0      => ""
  EVAL "return ('x'):rep(-2^32 + 2)" 0 => xx
  EVAL "return ('x'):rep(1e300)" 0   => ""
  EVAL "return ('x'):rep(0/0)" 0     => ""
  EVAL "return {unpack({1, 2, 3}, 2^32 + 1, 2^32 + 2)}" 0 => [:1 :2]
  EVAL "return {unpack({1, 2, 3}, 2, 2^32 + 3)}" 0 => [:2 :3]
  EVAL "return {unpack({1, 2, 3}, -2^32 + 2, 3)}" 0 => [:2 :3]
  EVAL "return {pcall(unpack, {1, 2, 3}, 1, 2^31)}" 0 => [:1]
  EVAL "return {select(2^32 + 2, 'a', 'b', 'c')}" 0 => [b c]
  EVAL "return {select(-2^32 - 1, 'a', 'b', 'c')}" 0 => [c]
  EVAL "return {pcall(select, 2^32, 'a', 'b', 'c')}" 0 => [nil "bad argument #1 to '?' (index out of range)"]
  EVAL "return {pcall(select, 2^31, 'a', 'b', 'c')}" 0 => [nil "bad argument #1 to '?' (index out of range)"]
  EVAL "return {pcall(select, -2^31, 'a', 'b', 'c')}" 0 => [nil "bad argument #1 to '?' (index out of range)"]
  EVAL "return {pcall(select, 1e300, 'a', 'b', 'c')}" 0 => [nil "bad argument #1 to '?' (index out of range)"]
  EVAL "return {('hello'):find('l', 2^31)}" 0 => []
  EVAL "return {('hello'):find('l', 2^32 + 1)}" 0 => []
  EVAL "return {('hello'):find('l', -2^32 - 1)}" 0 => [:3 :3]
  EVAL "return {('hello'):find('', 2^33)}" 0 => [:6 :5]
  EVAL "return {('hello'):match('l+', -2^40)}" 0 => [ll]
  EVAL "return {('hello'):gsub('l', 'x', 2^32 + 1)}" 0 => [hexlo :1]
  EVAL "return {('hello'):gsub('l', 'x', 2^31)}" 0 => [hello :0]
  EVAL "return {('hello'):gsub('l', 'x', 1e300)}" 0 => [hello :0]
  EVAL "return string.char(2^32 + 65)" 0 => A
  EVAL "return {pcall(string.char, 2^31)}" 0 => [nil "bad argument #1 to '?' (invalid value)"]
  EVAL "return {pcall(string.char, -2^32 + 66)}" 0 => [:1 B]
  EVAL "return table.concat({1, 2, 3}, ',', 2^32 + 1, 2^32 + 2)" 0 => "1,2"
  EVAL "return {pcall(table.concat, {1, 2, 3}, ',', 1, 2^31)}" 0 => [:1 ""]
  EVAL "return {pcall(table.concat, {1, 2, 3}, ',', 2^31, 1)}" 0 => [nil "invalid value (nil) at index -2147483648 in table for 'concat'"]
  EVAL "local t = {1, 2, 3} table.insert(t, 2^32 + 1, 9) return t" 0 => [:9 :1 :2 :3]
  EVAL "local t = {1, 2, 3} return table.remove(t, 2^32 + 1)" 0 => :1
  EVAL "local t = {1, 2, 3} return {table.remove(t, 2^31)}" 0 => []
  EVAL "local t = {[2^31] = 5} return t[2^31]" 0 => :5
  EVAL "local t = {} t[2^32 + 1] = 'x' return {t[1], t[2^32 + 1]}" 0 => []
  EVAL "local t = {} rawset(t, 2^32 + 1, 'x') return {rawget(t, 1), rawget(t, 2^32 + 1)}" 0 => []
  EVAL "return tostring(math.ldexp(1, 2^32 + 3))" 0 => 8
  EVAL "return tostring(math.ldexp(1, 2^31))" 0 => 0
  EVAL "return tostring(tonumber('10', 2^32 + 2))" 0 => 2
  EVAL "return {pcall(tonumber, '10', 2^31)}" 0 => [nil "bad argument #2 to '?' (base out of range)"]
  EVAL "return {pcall(error, 'x', 2^32 + 1)}" 0 => [nil x]
  EVAL "return {struct.unpack('>I4', '\\0\\0\\0\\1\\0\\0\\0\\2', 2^32 + 5)}" 0 => -ERR user_script:1: bad argument #2 to 'unpack' (data string too short) script: 515a4b6da534a49a0f467da77e5535019bda711e, on @user_script:1.
  EVAL "return {cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), 2^32 + 1, 0)}" 0 => [:-1 :1 :2 :3]
  EVAL "return {pcall(cmsgpack.unpack_limit, cmsgpack.pack(1, 2, 3), 1, 2^31)}" 0 => [nil "Start offset -2147483648 greater than input length 3."]
  EVAL "redis.setresp(2^32 + 3) return 1" 0 => -ERR RESP version must be 2 or 3. script: e3dee1e0a7deac59e4e1f3eb75dc7c701c4d8e62, on @user_script:1.
  EVAL "return {pcall(redis.setresp, 2^32 + 4)}" 0 => [nil "ERR RESP version must be 2 or 3."]
  EVAL "return {pcall(redis.log, 2^31, 'x')}" 0 => [nil "ERR Invalid debug level."]
  EVAL "return {pcall(redis.set_repl, 2^32 + 3)}" 0 => [nil "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE."]
  EVAL "return {('abc'):upper(), ('x'):rep(3, 2^33)}" 0 => [ABC xxx]

  ## Library functions that call the script
  EVAL "local x = string.gsub('abc', '%w', function(c) return {} end) return x" 0 => -ERR user_script:1: invalid replacement value (a table) script: 604b4ceadb684bfa88b02b74daaea2a242b35bdc, on @user_script:1.
  EVAL "local x = string.gsub() return x" 0 => -ERR user_script:1: bad argument #1 to 'gsub' (string expected, got no value) script: 2e004ff80d2e7ac6a0cab1243eec64002b20adc3, on @user_script:1.
  EVAL "local x = string.gsub('a') return x" 0 => -ERR user_script:1: bad argument #2 to 'gsub' (string expected, got no value) script: b37cce023549ab4350781ca6365dca8a587180b2, on @user_script:1.
  EVAL "local x = string.gsub('a', 'b') return x" 0 => -ERR user_script:1: bad argument #3 to 'gsub' (string/function/table expected) script: 180ef58c17ab8fb5774451377f1e92d3a6ad3a29, on @user_script:1.
  EVAL "local x = string.gsub('a', 'b', nil) return x" 0 => -ERR user_script:1: bad argument #3 to 'gsub' (string/function/table expected) script: ebb75b8b88b141e23096d70fe24d33e6ec1f346a, on @user_script:1.
  EVAL "local x = ('a'):gsub('b') return x" 0 => -ERR user_script:1: bad argument #2 to 'gsub' (string/function/table expected) script: 42ec90218f0e7271255f6775d116d1acc486dead, on @user_script:1.
  EVAL "local x = ('a'):gsub({}, function() end) return x" 0 => -ERR user_script:1: bad argument #1 to 'gsub' (string expected, got table) script: e4f874feb4d2e9f19428917d5880cca211648fac, on @user_script:1.
  EVAL "local x = ('a'):gsub('b', function() end, {}) return x" 0 => -ERR user_script:1: bad argument #3 to 'gsub' (number expected, got table) script: 8bb552a0231829f1c7e9bb3dd2b5073c1c0d04e2, on @user_script:1.
  EVAL "local x = ('a'):gsub('(b', function() end) return x" 0 => a
  EVAL "local x = ('abc'):gsub('(b', function() end) return x" 0 => -ERR user_script:1: unfinished capture script: a94f073d5c0ef0bc8c3fc0ee0cea4e28e21a16e1, on @user_script:1.
  EVAL "local x = ('abc'):gsub('%', function() end) return x" 0 => -ERR user_script:1: malformed pattern (ends with '%') script: 9ecd14c873bf3420e0fd86d59c9b76b963460452, on @user_script:1.
  EVAL "local x = ('abc'):gsub('[a', function() end) return x" 0 => -ERR user_script:1: malformed pattern (missing ']') script: b754cb0043804fdcc899fbe370991cc6b4f7d93e, on @user_script:1.
  EVAL "return {string.gsub('hello world', '%w*', function(w) return '<' .. w .. '>' end)}" 0 => ["<hello><> <world><>" :4]
  EVAL "return {string.gsub('hello world', '', function(w) return '-' end)}" 0 => ["-h-e-l-l-o- -w-o-r-l-d-" :12]
  EVAL "return {string.gsub('hello world', '()o()', function(a, b) return a .. ':' .. b end)}" 0 => ["hell5:6 w8:9rld" :2]
  EVAL "return {string.gsub('hello', '^h', function(w) return 'X' end)}" 0 => [Xello :1]
  EVAL "return {string.gsub('hello', 'l', function(w) return 'X' end, 1)}" 0 => [heXlo :1]
  EVAL "return {string.gsub('hello', 'l', function(w) return 'X' end, 0)}" 0 => [hello :0]
  EVAL "return {string.gsub('hello', 'l', function(w) return 'X' end, -1)}" 0 => [hello :0]
  EVAL "return {string.gsub('hello', '(h)(e)', function(a, b) return b .. a end)}" 0 => [ehllo :1]
  EVAL "return {string.gsub('hello', 'l', function(w) return nil end)}" 0 => [hello :2]
  EVAL "return {string.gsub('hello', 'l', function(w) return false end)}" 0 => [hello :2]
  EVAL "return {string.gsub('hello', 'l', function(w) return 12 end)}" 0 => [he1212o :2]
  EVAL "local x = string.gsub('hello', 'l', function(w) return true end) return x" 0 => -ERR user_script:1: invalid replacement value (a boolean) script: e8dabbdd9cd087739794e99d35d30d028eac784b, on @user_script:1.
  EVAL "return {string.gsub('THE (quick) fox', '%f[%a]%a+', function(w) return w:lower() end)}" 0 => ["the (quick) fox" :3]
  EVAL "return {string.gsub(123, '2', function(w) return 'x' end)}" 0 => [1x3 :1]
  EVAL "return {string.gsub('$x $y', '%$(%w+)', {x = '1'})}" 0 => ["1 $y" :2]
  EVAL "return {string.gsub('abc', 'b', function() error('boom') end)}" 0 => -ERR user_script:1: boom script: 1c5a9e40161ea5adf091e8beeebaaa727eb5ff4e, on @user_script:1.
  EVAL "return {string.gsub('abc', 'b', function() error({err = 'MY boom'}) end)}" 0 => -MY boom script: 25e3861dbdc1d34ee3789948266a851231b49ce6, on @user_script:1.
  EVAL "return {pcall(string.gsub, 'abc', 'b', function() error('boom') end)}" 0 => [nil "user_script:1: boom"]
  EVAL "return {pcall(string.gsub, 'abc', 'b', function() return {} end)}" 0 => [nil "invalid replacement value (a table)"]
  EVAL "return {pcall(string.gsub)}" 0 => [nil "bad argument #1 to '?' (string expected, got no value)"]
  EVAL "return {pcall(string.gsub, 'a', 'b')}" 0 => [nil "bad argument #3 to '?' (string/function/table expected)"]
  EVAL "table.sort() return 1" 0     => -ERR user_script:1: bad argument #1 to 'sort' (table expected, got no value) script: a5e44cdb23243ff1fc2d86132bf9f35a213255b1, on @user_script:1.
  EVAL "table.sort(1) return 1" 0    => -ERR user_script:1: bad argument #1 to 'sort' (table expected, got number) script: b9501a05ed005297361b4a4a278600eed4a0c543, on @user_script:1.
  EVAL "table.sort({1, 2}, 3) return 1" 0 => -ERR user_script:1: bad argument #2 to 'sort' (function expected, got number) script: 243b835c7302e9dfe4737594564774c43e0a2cc4, on @user_script:1.
  EVAL "table.sort({3, 1, 2}, nil) return 1" 0 => :1
  EVAL "local t = {1,2,3,4,5,6,7,8,9} table.sort(t, function(a, b) return true end) return t" 0 => -ERR user_script:1: invalid order function for sorting script: 6684888c6b7fa526489cb9ae53c49876b5eb52ae, on @user_script:1.
  EVAL "local t = {5,3,5,1,5,2,8,8,1} table.sort(t, function(a, b) return a <= b end) return t" 0 => [:1 :1 :2 :3 :5 :5 :5 :8 :8]
  EVAL "return {pcall(table.sort, {1,2,3,4,5}, function(a, b) error('cmp') end)}" 0 => [nil "user_script:1: cmp"]
  EVAL "local t = {} for i = 1, 50 do t[i] = {i % 7, i} end table.sort(t, function(a, b) return a[1] < b[1] end) local r = {} for i, v in ipairs(t) do r[i] = v[2] end return r" 0 => [:14 :28 :49 :21 :35 :7 :42 :15 :43 :29 :22 :36 :1 :50 :8 :37 :44 :2 :23 :9 :30 :16 :3 :24 :10 :31 :45 :17 :38 :25 :46 :39 :4 :32 :18 :11 :19 :5 :47 :40 :26 :12 :33 :48 :41 :13 :20 :6 :27 :34]
  EVAL "table.sort(redis, function() return true end) return 1" 0 => :1
  EVAL "return table.foreach({10, 20, 30}, function(k, v) if k == 2 then return v end end)" 0 => :20
  EVAL "return table.foreachi({10, 20, 30}, function(k, v) if k == 3 then return v end end)" 0 => :30
  EVAL "table.foreach(1, 2) return 1" 0 => -ERR user_script:1: bad argument #1 to 'foreach' (table expected, got number) script: 75269eb8a201ba5e8fb63a623682e3c62f2dbccf, on @user_script:1.
  EVAL "table.foreach({}, 2) return 1" 0 => -ERR user_script:1: bad argument #2 to 'foreach' (function expected, got number) script: 8548c4c13232ec6ab05b4611202df203e6d35bfd, on @user_script:1.
  EVAL "table.foreachi({}, nil) return 1" 0 => -ERR user_script:1: bad argument #2 to 'foreachi' (function expected, got nil) script: 48174be6977875ea99a7321a18aa9dd9ca72a3b7, on @user_script:1.
  EVAL "return {pcall(table.foreach, {1}, function() error('e') end)}" 0 => [nil "user_script:1: e"]
  EVAL "return {load(function() error('x') end)}" 0 => []
  EVAL "return {load(function() return {} end)}" 0 => []
  EVAL "return {load(function() return 'x x' end)}" 0 => []
  EVAL "local n = 0 return load(function() n = n + 1 return ({'return ', '42'})[n] end)()" 0 => :42
  EVAL "local n = 0 return {load(function() n = n + 1 return ({'return ', '('})[n] end, '@chunk')}" 0 => []
  EVAL "load() return 1" 0           => -ERR user_script:1: bad argument #1 to 'load' (function expected, got no value) script: 63b3014df6b84a54005910c98944b5e8378ce714, on @user_script:1.
  EVAL "load('return 1') return 1" 0 => -ERR user_script:1: bad argument #1 to 'load' (function expected, got string) script: 54e7a1df3f2ad4c5292b13e22c9c902e2951174f, on @user_script:1.
  EVAL "load(1) return 1" 0          => -ERR user_script:1: bad argument #1 to 'load' (function expected, got number) script: 84be8d77cc2a97e81c5bc6ec0944fedc72267b72, on @user_script:1.

  ## Errors of library functions in tail calls name the caller
  EVAL "return string.gsub(1)" 0     => -ERR user_script:1: bad argument #2 to 'gsub' (string expected, got no value) script: 211f233f5df78fa27751d9bdc5f5d0c34771d6c1, on @user_script:1.
  EVAL "return string.gsub('a', 'a', true)" 0 => -ERR user_script:1: bad argument #3 to 'gsub' (string/function/table expected) script: 1f31c9e133582b975d27db3a058d894c39e1d880, on @user_script:1.
  EVAL "return ('x'):gsub('x', true)" 0 => -ERR user_script:1: bad argument #2 to 'gsub' (string/function/table expected) script: 7fd0fafde576f94417171c80c7cb47157ca4e7a5, on @user_script:1.
  EVAL "return string.gsub('a', 'a', '%2')" 0 => -ERR user_script:1: invalid capture index script: 31c16e4e07a720e4f22a0d95b1417bd9d2fc260b, on @user_script:1.
  EVAL "return string.gsub('a', 'a', {a = {}})" 0 => -ERR user_script:1: invalid replacement value (a table) script: 7a1a241c28b72a1bd2bfc5dae2964627e4720436, on @user_script:1.
  EVAL "return string.gsub('a', 'a', function() return {} end)" 0 => -ERR user_script:1: invalid replacement value (a table) script: d54a80fe913b4ce723b12f5860bce8b214fc0d53, on @user_script:1.
  EVAL "return string.gsub('a', '(', function() end)" 0 => -ERR user_script:1: unfinished capture script: 4f6914b57c6b552e141df3ea5300a59e86ceddde, on @user_script:1.
  EVAL "return string.rep()" 0       => -ERR user_script:1: bad argument #1 to 'rep' (string expected, got no value) script: 312a592c4be4cbcb6748209b815c8eb090f3ca71, on @user_script:1.
  EVAL "return table.sort(1)" 0      => -ERR user_script:1: bad argument #1 to 'sort' (table expected, got number) script: 302e74d097907f02d202010895bd845baf8043f0, on @user_script:1.
  EVAL "return table.sort({1, 2}, 1)" 0 => -ERR user_script:1: bad argument #2 to 'sort' (function expected, got number) script: 00d733bb0ae1350628eeb9ef303b1efd813c11aa, on @user_script:1.
  EVAL "return table.sort({1, 'a'})" 0 => -ERR attempt to compare string with number script: d35568be09abf4de691549487f6876269c6fe25c, on @user_script:1.
  EVAL "return table.sort({{}, {}})" 0 => -ERR attempt to compare two table values script: cedae029b56fdd9f93f879f42ffb50b4e1229e68, on @user_script:1.
  EVAL "return table.sort({3, 1, 2}, function() return true end)" 0 => nil
  EVAL "return table.foreach({}, 1)" 0 => -ERR user_script:1: bad argument #2 to 'foreach' (function expected, got number) script: d2b08f42ea83eca8b2deec6129bcaa62991a7bd9, on @user_script:1.
  EVAL "return table.foreachi(1)" 0  => -ERR user_script:1: bad argument #1 to 'foreachi' (table expected, got number) script: 613d207aa209e70027ac8835b0b44e226ca5d8ae, on @user_script:1.
  EVAL "return load(1)" 0            => -ERR user_script:1: bad argument #1 to 'load' (function expected, got number) script: acbc4632c8b240b0343252a712953cf43016e355, on @user_script:1.
  EVAL "return xpcall(error)" 0      => -ERR user_script:1: bad argument #2 to 'xpcall' (value expected) script: 2cdf6110765b4a65f93d6296c134beed31f80038, on @user_script:1.
  EVAL "return coroutine.create(1)" 0 => -ERR user_script:1: bad argument #1 to 'create' (Lua function expected) script: 417ab572fd275a0d24e6b85cc5d8faf6546362bc, on @user_script:1.
  EVAL "return coroutine.wrap(string.rep)" 0 => -ERR user_script:1: bad argument #1 to 'wrap' (Lua function expected) script: 92eee5548c9faa1957b3d1586effaec16b62bd2f, on @user_script:1.
  EVAL "return coroutine.resume(1)" 0 => -ERR user_script:1: bad argument #1 to 'resume' (coroutine expected) script: d6c6dcadeb0d8466682e739564974b683764488f, on @user_script:1.
  EVAL "return coroutine.yield()" 0  => -ERR attempt to yield across metamethod/C-call boundary script: ef22949131976f30a482831232e2dedcd1da5729, on @user_script:1.
  EVAL "return table.sort({setmetatable({}, {__lt = 1}), 2})" 0 => -ERR attempt to compare number with table script: 77d5e1226a132ac7e5fa246af0c2f712c5080bc6, on @user_script:1.
  EVAL "local function f() return string.gsub(1) end return {pcall(f)}" 0 => [nil "user_script:1: bad argument #2 to 'gsub' (string expected, got no value)"]
  EVAL "local function f() return table.sort({1, 2}, 1) end local x = f() return x" 0 => -ERR user_script:1: bad argument #2 to 'sort' (function expected, got number) script: a849cfb7d3f8cdf009e253e892fd3a377d3684e5, on @user_script:1.
  EVAL "return {pcall(string.gsub), pcall(table.sort, 1), pcall(load)}" 0 => [nil nil nil "bad argument #1 to '?' (function expected, got no value)"]
  EVAL "return {pcall(string.gsub)}" 0 => [nil "bad argument #1 to '?' (string expected, got no value)"]
  EVAL "return {pcall(xpcall, error)}" 0 => [nil "bad argument #2 to '?' (value expected)"]
  EVAL "return {pcall(string.gsub, 'a', 'a', function() error('r') end)}" 0 => [nil "user_script:1: r"]
  EVAL "return {pcall(setmetatable({}, {__call = function(s, a) error('c' .. a) end}), 'z')}" 0 => [nil "user_script:1: cz"]
  EVAL "return {string.gsub('abc', '%w', setmetatable({}, {__index = function(t, k) return k .. k end}))}" 0 => [aabbcc :3]
  EVAL "return {xpcall(function() error('x') end, 1)}" 0 => [nil "error in error handling"]
`
