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
`
