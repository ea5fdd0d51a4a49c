import { cases } from '../support/cases.ts'

cases('functions')`
  ## Load, call, list, delete
  FUNCTION FLUSH                     => +OK
  FUNCTION LOAD "#!lua name=mylib\nredis.register_function('f', function(keys, args) return {keys, args} end)" => mylib
  FCALL f 1 k a b                    => [[k] [a b]]
  FCALL F 0                          => [[] []]
  FCALL_RO f 0                       => -ERR Can not execute a script with write flag using *_ro command.
  FCALL nosuch 0                     => -ERR Function not found
  FCALL nosuch x                     => -ERR Function not found
  FCALL f x                          => -ERR Bad number of keys provided
  FCALL f 3 a                        => -ERR Number of keys can't be greater than number of args
  FCALL f -1                         => -ERR Number of keys can't be negative
  FCALL f                            => -ERR wrong number of arguments for 'fcall' command
  FUNCTION LIST                      => [{library_name mylib engine LUA functions [{name f description nil flags ~[]}]}]
  FUNCTION LIST WITHCODE             => [{library_name mylib engine LUA functions [{name f description nil flags ~[]}] library_code "#!lua name=mylib\nredis.register_function('f', function(keys, args) return {keys, args} end)"}]
  FUNCTION LIST LIBRARYNAME my*      => [{library_name mylib engine LUA functions [{name f description nil flags ~[]}]}]
  FUNCTION LIST LIBRARYNAME MYLIB    => [{library_name mylib engine LUA functions [{name f description nil flags ~[]}]}]
  FUNCTION LIST LIBRARYNAME other    => []
  FUNCTION LIST LIBRARYNAME          => -ERR library name argument was not given
  FUNCTION LIST nope                 => -ERR Unknown argument nope
  FUNCTION LIST WITHCODE WITHCODE    => -ERR Unknown argument WITHCODE
  FUNCTION STATS                     => {running_script nil engines {LUA {libraries_count :1 functions_count :1}}}
  FUNCTION DELETE nosuch             => -ERR Library not found
  FUNCTION DELETE mylib              => +OK
  FUNCTION LIST                      => []
  FCALL f 0                          => -ERR Function not found
  FUNCTION KILL                      => -NOTBUSY No scripts in execution right now.
  FUNCTION NOPE                      => -ERR unknown subcommand 'NOPE'. Try FUNCTION HELP.
  FUNCTION HELP                      => [+"FUNCTION <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"LOAD [REPLACE] <FUNCTION CODE>" +"    Create a new library with the given library name and code." +"DELETE <LIBRARY NAME>" +"    Delete the given library." +"LIST [LIBRARYNAME PATTERN] [WITHCODE]" +"    Return general information on all the libraries:" +"    * Library name" +"    * The engine used to run the Library" +"    * Library description" +"    * Functions list" +"    * Library code (if WITHCODE is given)" +"    It also possible to get only function that matches a pattern using LIBRARYNAME argument." +STATS +"    Return information about the current function running:" +"    * Function name" +"    * Command used to run the function" +"    * Duration in MS that the function is running" +"    If no function is running, return nil" +"    In addition, returns a list of available engines." +KILL +"    Kill the current running function." +"FLUSH [ASYNC|SYNC]" +"    Delete all the libraries." +"    When called without the optional mode argument, the behavior is determined by the" +"    lazyfree-lazy-user-flush configuration directive. Valid modes are:" +"    * ASYNC: Asynchronously flush the libraries." +"    * SYNC: Synchronously flush the libraries." +DUMP +"    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command" +"RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]" +"    Restore the libraries represented by the given payload, it is possible to give a restore policy to" +"    control how to handle existing libraries (default APPEND):" +"    * FLUSH: delete all existing libraries." +"    * APPEND: appends the restored libraries to the existing libraries. On collision, abort." +"    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old" +"      libraries with the new libraries (notice that even on this option there is a chance of failure" +"      in case of functions name collision with another library)." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"FUNCTION <subcommand> [<arg> [value] [opt] ...]. and so on
  FUNCTION FLUSH NOW                 => -ERR FUNCTION FLUSH only supports SYNC|ASYNC option
  FUNCTION FLUSH SYNC X              => -ERR unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP.
  FUNCTION STATS X                   => -ERR wrong number of arguments for 'function|stats' command
  FUNCTION                           => -ERR wrong number of arguments for 'function' command

  ## What LOAD refuses
  FUNCTION FLUSH                     => +OK
  FUNCTION LOAD "return 1"           => -ERR Missing library metadata
  FUNCTION LOAD "#!lua name=x"       => -ERR Invalid library metadata
  FUNCTION LOAD "#!lua\nreturn 1"    => -ERR Library name was not given
  FUNCTION LOAD "#!lua name=\nreturn 1" => -ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
  FUNCTION LOAD "#!lua name=a-b\nreturn 1" => -ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
  FUNCTION LOAD "#!lua name=a name=b\nreturn 1" => -ERR Invalid metadata value, name argument was given multiple times
  FUNCTION LOAD "#!lua foo=a\nreturn 1" => -ERR Invalid metadata value given: foo=a
  FUNCTION LOAD "#!python name=a\nreturn 1" => -ERR Engine 'python' not found
  FUNCTION LOAD "#!LUA name=a\nreturn 1" => -ERR No functions registered
  FUNCTION LOAD "#!lua name=a\nreturn (" => -ERR Error compiling function: user_function:2: unexpected symbol near '<eof>'
  FUNCTION LOAD "#!lua name=a\nreturn redis.call('get', 'k')" => -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'call'
  FUNCTION LOAD "#!lua name=a\nreturn string.rep('x', 3)" => -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'string'
  FUNCTION LOAD "#!lua name=a\nx = 1" => -ERR Error registering functions: ERR user_function:2: Attempt to modify a readonly table
  FUNCTION LOAD "#!lua name=a\nerror('boom')" => -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'error'
  FUNCTION LOAD "#!lua name=a\nerror({err='MY boom'})" => -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'error'
  FUNCTION LOAD "#!lua name=a\nredis.register_function()" => -ERR Error registering functions: ERR wrong number of arguments to redis.register_function
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', 1)" => -ERR Error registering functions: ERR second argument to redis.register_function must be a function
  FUNCTION LOAD "#!lua name=a\nredis.register_function(1, function() end)" => a
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() end, 'x')" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function('bad name', function() end)" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() end) redis.register_function('f', function() end)" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f')" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f'}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{callback=function() end}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f', callback=1}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name={}, callback=function() end}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f', callback=function() end, flags=1}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f', callback=function() end, flags={'nope'}}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f', callback=function() end, nope=1}" => -ERR Library 'a' already exists
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='f', callback=function() end, description={}}" => -ERR Library 'a' already exists
  FUNCTION LOAD REPLACE              => -ERR Missing library metadata
  FUNCTION LOAD NOPE "#!lua name=a\nreturn 1" => -ERR Unknown option given: NOPE
  FUNCTION LOAD                      => -ERR wrong number of arguments for 'function|load' command
  FUNCTION LIST                      => [{library_name a engine LUA functions [{name 1 description nil flags ~[]}]}]

  ## Names collide
  FUNCTION FLUSH                     => +OK
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)" => a
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 2 end)" => -ERR Library 'a' already exists
  FCALL f 0                          => :1
  FUNCTION LOAD REPLACE "#!lua name=a\nredis.register_function('f', function() return 3 end)" => a
  FCALL f 0                          => :3
  FUNCTION LOAD "#!lua name=b\nredis.register_function('f', function() return 4 end)" => -ERR Function f already exists
  FUNCTION LOAD "#!lua name=b\nredis.register_function('F', function() return 4 end)" => -ERR Function F already exists
  FUNCTION LOAD REPLACE "#!lua name=a\nreturn (" => -ERR Error compiling function: user_function:2: unexpected symbol near '<eof>'
  FCALL f 0                          => :3
  FUNCTION FLUSH                     => +OK

  ## Flags
  FUNCTION FLUSH                     => +OK
  FUNCTION LOAD "#!lua name=a\nredis.register_function{function_name='r', callback=function() return redis.call('get', 'k') end, flags={'no-writes'}, description='reads'}\nredis.register_function('w', function() return redis.call('set', 'k', 'v') end)" => a
  FCALL_RO r 0                       => nil
  FCALL_RO w 0                       => -ERR Can not execute a script with write flag using *_ro command.
  FCALL w 0                          => +OK
  FCALL r 0                          => v
  FUNCTION LOAD REPLACE "#!lua name=a\nredis.register_function{function_name='r', callback=function() return redis.call('set', 'k', 'x') end, flags={'no-writes', 'allow-oom', 'allow-stale', 'no-cluster', 'allow-cross-slot-keys'}}" => a
  FCALL r 0                          => -ERR Write commands are not allowed from read-only scripts. script: r, on @user_function:2.
  FUNCTION LIST                      => [{library_name a engine LUA functions [{name r description nil flags ~[+no-writes +allow-oom +allow-stale +no-cluster +allow-cross-slot-keys]}]}]
  FUNCTION FLUSH                     => +OK

  ## State and errors of functions
  FUNCTION FLUSH                     => +OK
  FUNCTION LOAD "#!lua name=a\nlocal n = 0\nredis.register_function('count', function() n = n + 1 return n end)\nredis.register_function('fail', function()\nerror('boom') end)\nredis.register_function('global', function() x = 1 end)\nredis.register_function('read', function() return nope end)\nredis.register_function('libs', function() return {string.rep('x', 3), cjson.encode({1}), type(redis.call), type(redis.register_function), redis.sha1hex('')} end)\nlocal reg = redis.register_function\nredis.register_function('late', function() reg('z', function() end) end)" => a
  FCALL count 0                      => :1
  FCALL count 0                      => :2
  FCALL fail 0                       => -ERR user_function:5: boom script: fail, on @user_function:5.
  FCALL global 0                     => -ERR user_function:6: Attempt to modify a readonly table script: global, on @user_function:6.
  FCALL read 0                       => -ERR user_function:7: Script attempted to access nonexistent global variable 'nope' script: read, on @user_function:7.
  FCALL libs 0                       => [xxx "[1]" function "nil" da39a3ee5e6b4b0d3255bfef95601890afd80709]
  FCALL late 0                       => -ERR redis.register_function can only be called on FUNCTION LOAD command script: late, on @user_function:10.
  EVAL "return n" 0                  => -ERR user_script:1: Script attempted to access nonexistent global variable 'n' script: c0a1d5d480726a71e5c1db132453eff7de59fa71, on @user_script:1.
  FUNCTION FLUSH                     => +OK

  ## Dump and restore
  FUNCTION FLUSH                     => +OK
  FUNCTION DUMP                      => "\x0b\x004D\xe13\xf2\xe0KS"  !7.2 7.0.15 gives "\n\x00]\x9b\\@\x0f\x7f\xa2\xda"
  FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)" => a
  FUNCTION DUMP                      => "\xf5@B#!lua name=a\nredis.register_function('f', function() return 1 end)\x0b\x00\x8a\x0e\x04\xf0\xe4k\n\r"  !7.2 7.0.15 gives "\xf5@B#!lua name=a\nredis.register_function('f', and so on
  FUNCTION RESTORE x                 => -ERR DUMP payload version or checksum are wrong
  FUNCTION RESTORE "\x0b\x00\xc0A\xb9(j0\xb8\xb2" => -ERR DUMP payload version or checksum are wrong
  FUNCTION RESTORE x NOPE            => -ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.
  FUNCTION RESTORE x FLUSH REPLACE   => -ERR unknown subcommand or wrong number of arguments for 'RESTORE'. Try FUNCTION HELP.
  FUNCTION FLUSH                     => +OK
`
