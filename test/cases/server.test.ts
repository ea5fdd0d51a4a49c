import { cases } from '../support/cases.ts'

cases('server')`
  ## CLIENT: who I am
  CLIENT ID                          => any:integer
  CLIENT GETNAME                     => nil
  CLIENT SETNAME me                  => +OK
  CLIENT GETNAME                     => me
  CLIENT SETNAME "a b"               => -ERR Client names cannot contain spaces, newlines or special characters.
  CLIENT SETNAME ""                  => +OK
  CLIENT GETNAME                     => nil
  CLIENT SETINFO lib-name lib        => +OK  !7.2 7.0.15 gives -ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.
  CLIENT SETINFO LIB-VER 1.0         => +OK  !7.2 7.0.15 gives -ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.
  CLIENT SETINFO lib-name "a b"      => -ERR lib-name cannot contain spaces, newlines or special characters.  !7.2 7.0.15 gives -ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.
  CLIENT SETINFO foo bar             => -ERR Unrecognized option 'foo'  !7.2 7.0.15 gives -ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.
  CLIENT SETINFO lib-name            => -ERR wrong number of arguments for 'client|setinfo' command  !7.2 7.0.15 gives -ERR unknown subcommand 'SETINFO'. Try CLIENT HELP.
  CLIENT NO-EVICT on                 => +OK
  CLIENT NO-EVICT x                  => -ERR syntax error
  CLIENT NO-TOUCH on                 => +OK  !7.2 7.0.15 gives -ERR unknown subcommand 'NO-TOUCH'. Try CLIENT HELP.
  CLIENT NO-TOUCH x                  => -ERR syntax error  !7.2 7.0.15 gives -ERR unknown subcommand 'NO-TOUCH'. Try CLIENT HELP.
  CLIENT FOO                         => -ERR unknown subcommand 'FOO'. Try CLIENT HELP.
  CLIENT HELP                        => [+"CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"CACHING (YES|NO)" +"    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes." +GETREDIR +"    Return the client ID we are redirecting to when tracking is enabled." +GETNAME +"    Return the name of the current connection." +ID +"    Return the ID of the current connection." +INFO +"    Return information about the current client connection." +"KILL <ip:port>" +"    Kill connection made from <ip:port>." +"KILL <option> <value> [<option> <value> [...]]" +"    Kill connections. Options are:" +"    * ADDR (<ip:port>|<unixsocket>:0)" +"      Kill connections made from the specified address" +"    * LADDR (<ip:port>|<unixsocket>:0)" +"      Kill connections made to specified local address" +"    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)" +"      Kill connections by type." +"    * USER <username>" +"      Kill connections authenticated by <username>." +"    * SKIPME (YES|NO)" +"      Skip killing current connection (default: yes)." +"LIST [options ...]" +"    Return information about client connections. Options:" +"    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)" +"      Return clients of specified type." +UNPAUSE +"    Stop the current client pause, resuming traffic." +"PAUSE <timeout> [WRITE|ALL]" +"    Suspend all, or just write, clients for <timeout> milliseconds." +"REPLY (ON|OFF|SKIP)" +"    Control the replies sent to the current connection." +"SETNAME <name>" +"    Assign the name <name> to the current connection." +"SETINFO <option> <value>" +"    Set client meta attr. Options are:" +"    * LIB-NAME: the client lib name." +"    * LIB-VER: the client lib version." +"UNBLOCK <clientid> [TIMEOUT|ERROR]" +"    Unblock the specified blocked client." +"TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]" +"         [OPTIN] [OPTOUT] [NOLOOP]" +"    Control server assisted client side caching." +TRACKINGINFO +"    Report tracking status for the current connection." +"NO-EVICT (ON|OFF)" +"    Protect current client connection from eviction." +"NO-TOUCH (ON|OFF)" +"    Will not touch LRU/LFU stats when this mode is on." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"CLIENT <subcommand> [<arg> [value] [opt] ...]. and so on

  ## CLIENT LIST
  CLIENT LIST TYPE x                 => -ERR Unknown client type 'x'
  CLIENT LIST TYPE                   => -ERR syntax error
  CLIENT LIST ID                     => -ERR syntax error
  CLIENT LIST ID x                   => -ERR Invalid client ID
  CLIENT LIST ID 99999999            => any
  CLIENT LIST FOO                    => -ERR syntax error
  CLIENT LIST TYPE master            => any
  CLIENT LIST TYPE slave             => any

  ## CLIENT KILL
  CLIENT KILL 1.2.3.4:5              => -ERR No such client
  CLIENT KILL ID x                   => -ERR client-id should be greater than 0
  CLIENT KILL ID 0                   => -ERR client-id should be greater than 0
  CLIENT KILL ID 99999999            => :0
  CLIENT KILL ID 1 FOO               => -ERR syntax error
  CLIENT KILL TYPE x                 => -ERR Unknown client type 'x'
  CLIENT KILL TYPE master            => :0
  CLIENT KILL USER nobody            => -ERR No such user 'nobody'
  CLIENT KILL SKIPME x               => -ERR syntax error
  CLIENT KILL ADDR 1.2.3.4:5 LADDR 1.2.3.4:5 TYPE normal SKIPME yes USER default => :0
  b> CLIENT ID                       => ?id
  CLIENT KILL ID $id                 => :1
  b>                                 => closed

  ## CLIENT KILL of oneself answers first
  CLIENT ID                          => ?id
  CLIENT KILL ID $id SKIPME no       => :1
                                     => closed

  ## CLIENT REPLY
  CLIENT REPLY x                     => -ERR syntax error
  CLIENT REPLY SKIP                  => quiet
  PING                               => quiet
  PING                               => +PONG
  CLIENT REPLY OFF                   => quiet
  PING                               => quiet
  CLIENT REPLY ON                    => +OK

  ## CLIENT PAUSE
  CLIENT PAUSE x                     => -ERR timeout is not an integer or out of range
  CLIENT PAUSE -1                    => -ERR timeout is negative
  CLIENT PAUSE 1 FOO                 => -ERR CLIENT PAUSE mode must be WRITE or ALL
  CLIENT PAUSE 60000 WRITE           => +OK
  GET k                              => nil
  b> SET k v                         => quiet
  CLIENT UNPAUSE                     => +OK
  b>                                 => +OK
  GET k                              => v

  ## CLIENT UNBLOCK
  CLIENT UNBLOCK 99999999            => :0
  CLIENT UNBLOCK x                   => -ERR value is not an integer or out of range
  CLIENT UNBLOCK 1 FOO               => -ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR
  b> CLIENT ID                       => ?id
  b> BLPOP l 0                       => quiet
  CLIENT UNBLOCK $id                 => :1
  b>                                 => nil*
  b> BLPOP l 0                       => quiet
  CLIENT UNBLOCK $id ERROR           => :1
  b>                                 => -UNBLOCKED client unblocked via CLIENT UNBLOCK

  ## COMMAND LIST
  COMMAND LIST FILTERBY FOO x        => -ERR syntax error
  COMMAND LIST FILTERBY MODULE x     => []
  COMMAND LIST FILTERBY ACLCAT nosuch => []
  COMMAND LIST FILTERBY PATTERN getr* => [getrange]
  COMMAND LIST FOO                   => -ERR syntax error
  COMMAND LIST FILTERBY PATTERN      => -ERR syntax error
  COMMAND HELP                       => [+"COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"(no subcommand)" +"    Return details about all Redis commands." +COUNT +"    Return the total number of commands in this Redis server." +LIST +"    Return a list of all commands in this Redis server." +"INFO [<command-name> ...]" +"    Return details about multiple Redis commands." +"    If no command names are given, documentation details for all" +"    commands are returned." +"DOCS [<command-name> ...]" +"    Return documentation details about multiple Redis commands." +"    If no command names are given, documentation details for all" +"    commands are returned." +"GETKEYS <full-command>" +"    Return the keys from a full Redis command." +"GETKEYSANDFLAGS <full-command>" +"    Return the keys and the access flags from a full Redis command." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"COMMAND <subcommand> [<arg> [value] [opt] ...]. and so on
  COMMAND INFO nosuch                => [nil]
  COMMAND DOCS nosuch                => {}
  COMMAND FOO                        => -ERR unknown subcommand 'FOO'. Try COMMAND HELP.

  ## COMMAND GETKEYSANDFLAGS
  COMMAND GETKEYSANDFLAGS SET a b    => [[a ~[+OW +update]]]
  COMMAND GETKEYSANDFLAGS SET a b GET => [[a ~[+RW +access +update]]]
  COMMAND GETKEYSANDFLAGS LMOVE a b LEFT RIGHT => [[a ~[+RW +access +delete]] [b ~[+RW +insert]]]
  COMMAND GETKEYSANDFLAGS PING       => -ERR The command has no key arguments  !7.2 7.0.15 gives -ERR wrong number of arguments for and so on
  COMMAND GETKEYSANDFLAGS NOSUCH     => -ERR Invalid command specified  !7.2 7.0.15 gives -ERR wrong number of arguments for and so on
  COMMAND GETKEYS EVAL x 0           => []
  COMMAND GETKEYS EVAL x 2 a b c     => [a b]
  COMMAND GETKEYS ZUNIONSTORE d 2 a b => [d a b]
  COMMAND GETKEYS XREAD COUNT 1 STREAMS a b 0 0 => [a b]
  COMMAND GETKEYS OBJECT ENCODING k  => [k]
  COMMAND GETKEYS SORT a STORE b     => [a b]

  ## SLOWLOG
  .config slowlog-log-slower-than -1
  SLOWLOG RESET                      => +OK
  SLOWLOG LEN                        => :0
  SLOWLOG GET                        => []
  SLOWLOG GET x                      => -ERR count should be greater than or equal to -1
  SLOWLOG GET -2                     => -ERR count should be greater than or equal to -1
  SLOWLOG GET 1 2                    => -ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.
  SLOWLOG FOO                        => -ERR unknown subcommand 'FOO'. Try SLOWLOG HELP.
  SLOWLOG HELP                       => [+"SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"GET [<count>]" +"    Return top <count> entries from the slowlog (default: 10, -1 mean all)." +"    Entries are made of:" +"    id, timestamp, time in microseconds, arguments array, client IP and port," +"    client name" +LEN +"    Return the length of the slowlog." +RESET +"    Reset the slowlog." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"SLOWLOG <subcommand> [<arg> [value] [opt] ...]. and so on

  ## LATENCY
  LATENCY RESET                      => any:integer
  LATENCY LATEST                     => []
  LATENCY HISTORY x                  => []
  LATENCY GRAPH x                    => -ERR No samples available for event 'x'
  LATENCY RESET x                    => :0
  LATENCY HISTOGRAM nosuch           => {}
  LATENCY FOO                        => -ERR unknown subcommand 'FOO'. Try LATENCY HELP.
  LATENCY HELP                       => [+"LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +DOCTOR +"    Return a human readable latency analysis report." +"GRAPH <event>" +"    Return an ASCII latency graph for the <event> class." +"HISTORY <event>" +"    Return time-latency samples for the <event> class." +LATEST +"    Return the latest latency samples for all events." +"RESET [<event> ...]" +"    Reset latency data of one or more <event> classes." +"    (default: reset all data for all event classes)" +"HISTOGRAM [COMMAND ...]" +"    Return a cumulative distribution of latencies in the format of a histogram for the specified command names." +"    If no commands are specified then all histograms are replied." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"LATENCY <subcommand> [<arg> [value] [opt] ...]. and so on

  ## MEMORY
  MEMORY USAGE nosuch                => nil
  SET k v                            => +OK
  MEMORY USAGE k                     => any:integer
  MEMORY USAGE k SAMPLES 0           => any:integer
  MEMORY USAGE k SAMPLES -1          => -ERR syntax error
  MEMORY USAGE k SAMPLES             => -ERR syntax error
  MEMORY USAGE k FOO 1               => -ERR syntax error
  MEMORY PURGE                       => +OK
  MEMORY FOO                         => -ERR unknown subcommand 'FOO'. Try MEMORY HELP.
  MEMORY HELP                        => [+"MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +DOCTOR +"    Return memory problems reports." +MALLOC-STATS +"    Return internal statistics report from the memory allocator." +PURGE +"    Attempt to purge dirty pages for reclamation by the allocator." +STATS +"    Return information about the memory usage of the server." +"USAGE <key> [SAMPLES <count>]" +"    Return memory in bytes used by <key> and its value. Nested values are" +"    sampled up to <count> times (default: 5, 0 means sample all)." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"MEMORY <subcommand> [<arg> [value] [opt] ...]. and so on

  ## ACL of the default user
  ACL WHOAMI                         => default
  ACL USERS                          => [default]
  ACL LIST                           => ["user default on nopass sanitize-payload ~* &* +@all"]  !7.2 7.0.15 gives ["user default on nopass ~* &* +@all"]
  ACL GETUSER default                => {flags ~[on nopass sanitize-payload] passwords [] commands "+@all" keys "~*" channels "&*" selectors []}  !7.2 7.0.15 gives {flags ~[on nopass] passwords [] commands "+@all" keys "~*" and so on
  ACL GETUSER nobody                 => nil
  ACL CAT nosuch                     => -ERR Unknown category 'nosuch'
  ACL GENPASS x                      => -ERR value is not an integer or out of range
  ACL GENPASS 0                      => -ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096
  ACL GENPASS 5000                   => -ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096
  ACL HELP                           => [+"ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"CAT [<category>]" +"    List all commands that belong to <category>, or all command categories" +"    when no category is specified." +"DELUSER <username> [<username> ...]" +"    Delete a list of users." +"DRYRUN <username> <command> [<arg> ...]" +"    Returns whether the user can execute the given command without executing the command." +"GETUSER <username>" +"    Get the user's details." +"GENPASS [<bits>]" +"    Generate a secure 256-bit user password. The optional \x60bits\x60 argument can" +"    be used to specify a different size." +LIST +"    Show users details in config file format." +LOAD +"    Reload users from the ACL file." +"LOG [<count> | RESET]" +"    Show the ACL log entries." +SAVE +"    Save the current config to the ACL file." +"SETUSER <username> <attribute> [<attribute> ...]" +"    Create or modify a user with the specified attributes." +USERS +"    List all the registered usernames." +WHOAMI +"    Return the current connection username." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands and so on

  ## DEBUG
  SET k v                            => +OK
  DEBUG DIGEST                       => +264ccf65edec66bccfa7cc659414ccca432057d2
  DEBUG DIGEST-VALUE k nosuch        => [+d79ee9fe5d5ad902d7f6620efc3b07b75ddd742f +0000000000000000000000000000000000000000]
  RPUSH l a b c                      => :3
  SADD s a b 3                       => :3
  HSET h a 1 b 2                     => :2
  ZADD z 1.5 a 2 b                   => :2
  EXPIRE h 1000                      => :1
  DEBUG DIGEST                       => +5835e31c64190b97391fea882dd69e88896aca61
  DEBUG DIGEST-VALUE l s h z         => [+8bf72d812571eea9b927f3c11beb0c4165a6ff89 +aa475a4a8f122ca5936aa41d911aacf8c93b827d +8a0adc4c6368e5883c77c9254afa451bf22c023c +445b877af3c3ec83af30529ddbbdda3185172254]
  DEBUG POPULATE 3                   => +OK
  DEBUG POPULATE 3 pre 20            => +OK
  GET key:1                          => value:1
  GET pre:2                          => "value:2\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
  DEBUG DIGEST                       => +1d1d677670b9049803ec9bf590cc869f05566efb
  DEBUG POPULATE x                   => -ERR value is out of range, must be positive
  DEBUG OBJECT nosuch                => -ERR no such key
  DEBUG HTSTATS 99                   => -ERR Out of range database
  DEBUG SLEEP 0                      => +OK
  DEBUG SLEEP x                      => +OK
  DEBUG ERROR "FOO bar"              => -FOO bar
  DEBUG SET-ACTIVE-EXPIRE 1          => +OK
  DEBUG CHANGE-REPL-ID               => +OK
  DEBUG FOO                          => -ERR unknown subcommand or wrong number of arguments for 'FOO'. Try DEBUG HELP.
  DEBUG SLEEP                        => -ERR unknown subcommand or wrong number of arguments for 'SLEEP'. Try DEBUG HELP.
  DEBUG HELP                         => [+"DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"AOF-FLUSH-SLEEP <microsec>" +"    Server will sleep before flushing the AOF, this is used for testing." +ASSERT +"    Crash by assertion failed." +CHANGE-REPL-ID +"    Change the replication IDs of the instance." +"    Dangerous: should be used only for testing the replication subsystem." +CONFIG-REWRITE-FORCE-ALL +"    Like CONFIG REWRITE but writes all configuration options, including" +"    keywords not listed in original configuration file or default values." +"CRASH-AND-RECOVER [<milliseconds>]" +"    Hard crash and restart after a <milliseconds> delay (default 0)." +DIGEST +"    Output a hex signature representing the current DB content." +"DIGEST-VALUE <key> [<key> ...]" +"    Output a hex signature of the values of all the specified keys." +"ERROR <string>" +"    Return a Redis protocol error with <string> as message. Useful for clients" +"    unit tests to simulate Redis errors." +"LEAK <string>" +"    Create a memory leak of the input string." +"LOG <message>" +"    Write <message> to the server log." +"HTSTATS <dbid> [full]" +"    Return hash table statistics of the specified Redis database." +"HTSTATS-KEY <key> [full]" +"    Like HTSTATS but for the hash table stored at <key>'s value." +LOADAOF +"    Flush the AOF buffers on disk and reload the AOF in memory." +"REPLICATE <string>" +"    Replicates the provided string to replicas, allowing data divergence." +"MALLCTL <key> [<val>]" +"    Get or set a malloc tuning integer." +"MALLCTL-STR <key> [<val>]" +"    Get or set a malloc tuning string." +"OBJECT <key>" +"    Show low level info about \x60key\x60 and associated value." +"DROP-CLUSTER-PACKET-FILTER <packet-type>" +"    Drop all packets that match the filtered type. Set to -1 allow all packets." +OOM +"    Crash the server simulating an out-of-memory error." +PANIC +"    Crash the server simulating a panic." +"POPULATE <count> [<prefix>] [<size>]" +"    Create <count> string keys named key:<num>. If <prefix> is specified then" +"    it is used instead of the 'key' prefix. These are not propagated to" +"    replicas. Cluster slots are not respected so keys not belonging to the" +"    current node can be created in cluster mode." +"PROTOCOL <type>" +"    Reply with a test value of the specified type. <type> can be: string," +"    integer, double, bignum, null, array, set, map, attrib, push, verbatim," +"    true, false." +"RELOAD [option ...]" +"    Save the RDB on disk and reload it back to memory. Valid <option> values:" +"    * MERGE: conflicting keys will be loaded from RDB." +"    * NOFLUSH: the existing database will not be removed before load, but" +"      conflicting keys will generate an exception and kill the server." +"    * NOSAVE: the database will be loaded from an existing RDB file." +"    Examples:" +"    * DEBUG RELOAD: verify that the server is able to persist, flush and reload" +"      the database." +"    * DEBUG RELOAD NOSAVE: replace the current database with the contents of an" +"      existing RDB file." +"    * DEBUG RELOAD NOSAVE NOFLUSH MERGE: add the contents of an existing RDB" +"      file to the database." +"RESTART [<milliseconds>]" +"    Graceful restart: save config, db, restart after a <milliseconds> delay (default 0)." +"SDSLEN <key>" +"    Show low level SDS string info representing \x60key\x60 and value." +SEGFAULT +"    Crash the server with sigsegv." +"SET-ACTIVE-EXPIRE <0|1>" +"    Setting it to 0 disables expiring keys in background when they are not" +"    accessed (otherwise the Redis behavior). Setting it to 1 reenables back the" +"    default." +"QUICKLIST-PACKED-THRESHOLD <size>" +"    Sets the threshold for elements to be inserted as plain vs packed nodes" +"    Default value is 1GB, allows values up to 4GB. Setting to 0 restores to default." +"SET-SKIP-CHECKSUM-VALIDATION <0|1>" +"    Enables or disables checksum checks for RDB files and RESTORE's payload." +"SLEEP <seconds>" +"    Stop the server for <seconds>. Decimals allowed." +STRINGMATCH-TEST +"    Run a fuzz tester against the stringmatchlen() function." +STRUCTSIZE +"    Return the size of different Redis core C structures." +"LISTPACK <key>" +"    Show low level info about the listpack encoding of <key>." +"QUICKLIST <key> [<0|1>]" +"    Show low level info about the quicklist encoding of <key>." +"    The optional argument (0 by default) sets the level of detail" +CLIENT-EVICTION +"    Show low level client eviction pools info (maxmemory-clients)." +"PAUSE-CRON <0|1>" +"    Stop periodic cron job processing." +"REPLYBUFFER PEAK-RESET-TIME <NEVER||RESET|time>" +"    Sets the time (in milliseconds) to wait between client reply buffer peak resets." +"    In case NEVER is provided the last observed peak will never be reset" +"    In case RESET is provided the peak reset time will be restored to the default value" +"REPLYBUFFER RESIZING <0|1>" +"    Enable or disable the reply buffer resize cron job" +"CLUSTERLINK KILL <to|from|all> <node-id>" +"    Kills the link based on the direction to/from (both) with the provided node." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"DEBUG <subcommand> [<arg> [value] [opt] ...]. and so on

  ## DEBUG PROTOCOL
  DEBUG PROTOCOL string              => "Hello World"
  DEBUG PROTOCOL integer             => :12345
  DEBUG PROTOCOL double              => ,3.141
  DEBUG PROTOCOL bignum              => (1234567999999999999999999999999999999
  DEBUG PROTOCOL null                => nil
  DEBUG PROTOCOL array               => [:0 :1 :2]
  DEBUG PROTOCOL set                 => ~[:0 :1 :2]
  DEBUG PROTOCOL map                 => {:0 #f :1 #t :2 #f}
  DEBUG PROTOCOL verbatim            => ="txt:This is a verbatim\nstring"
  DEBUG PROTOCOL true                => #t
  DEBUG PROTOCOL false               => #f
  DEBUG PROTOCOL foo                 => -ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false

  ## as a primary without replicas
  ROLE                               => [master any:integer []]
  REPLICAOF NO ONE                   => +OK
  SLAVEOF no one                     => +OK
  REPLICAOF a 1x                     => -ERR Invalid master port
  REPLICAOF a 99999                  => -ERR Invalid master port
  WAIT 0 0                           => :0
  WAIT x 0                           => -ERR value is not an integer or out of range
  WAIT 0 x                           => -ERR timeout is not an integer or out of range
  WAIT 0 -1                          => -ERR timeout is negative
  WAIT 1 10                          => :0
  WAITAOF 0 0 0                      => [:0 :0]  !7.2 7.0.15 gives -"ERR unknown command 'WAITAOF', with args beginning with: and so on
  WAITAOF 1 0 0                      => -ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.  !7.2 7.0.15 gives -"ERR unknown command 'WAITAOF', with args beginning with: and so on
  WAITAOF 2 0 0                      => -ERR value is out of range, value must between 0 and 1  !7.2 7.0.15 gives -"ERR unknown command 'WAITAOF', with args beginning with: and so on
  WAITAOF x 0 0                      => -ERR value is not an integer or out of range  !7.2 7.0.15 gives -"ERR unknown command 'WAITAOF', with args beginning with: and so on
  WAITAOF 0 -1 0                     => -ERR value is out of range, must be positive  !7.2 7.0.15 gives -"ERR unknown command 'WAITAOF', with args beginning with: and so on
  FAILOVER                           => -ERR FAILOVER requires connected replicas.
  FAILOVER ABORT                     => -ERR No failover in progress.
  FAILOVER TIMEOUT 0                 => -ERR FAILOVER timeout must be greater than 0
  FAILOVER TO a 1 FORCE              => -ERR FAILOVER requires connected replicas.
  FAILOVER FOO                       => -ERR syntax error

  ## without a cluster
  CLUSTER INFO                       => -ERR This instance has cluster support disabled
  CLUSTER NODES                      => -ERR This instance has cluster support disabled
  CLUSTER KEYSLOT a                  => -ERR This instance has cluster support disabled
  CLUSTER FOO                        => -ERR unknown subcommand 'FOO'. Try CLUSTER HELP.
  CLUSTER                            => -ERR wrong number of arguments for 'cluster' command
  READONLY                           => -ERR This instance has cluster support disabled
  READWRITE                          => -ERR This instance has cluster support disabled
  ASKING                             => -ERR This instance has cluster support disabled

  ## the rest
  MODULE LIST                        => []
  MODULE UNLOAD x                    => -ERR MODULE command not allowed. If the enable-module-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.
  MODULE HELP                        => [+"MODULE <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +LIST +"    Return a list of loaded modules." +"LOAD <path> [<arg> ...]" +"    Load a module library from <path>, passing to it any optional arguments." +"LOADEX <path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]" +"    Load a module library from <path>, while passing it module configurations and optional arguments." +"UNLOAD <name>" +"    Unload a module." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"MODULE <subcommand> [<arg> [value] [opt] ...]. and so on
  LOLWUT VERSION x                   => -ERR value is not an integer or out of range
  SHUTDOWN FOO                       => -ERR syntax error
  SHUTDOWN ABORT                     => -ERR No shutdown in progress.
  SHUTDOWN SAVE NOSAVE               => -ERR syntax error
  SHUTDOWN NOW ABORT                 => -ERR syntax error
  INFO nosuch                        => any
  TIME x                             => -ERR wrong number of arguments for 'time' command

  ## DEBUG: structures and tools for tests
  RPUSH l a 12                       => :2
  SADD s 1 2                         => :2
  SET k v                            => +OK
  DEBUG LISTPACK l                   => +"Listpack structure printed on stdout"  !7.2 7.0.15 gives -ERR Not a listpack encoded object.
  DEBUG LISTPACK s                   => -ERR Not a listpack encoded object.
  DEBUG LISTPACK k                   => -ERR Not a listpack encoded object.
  DEBUG LISTPACK nosuch              => -ERR no such key
  DEBUG QUICKLIST l                  => -ERR Not a quicklist encoded object.  !7.2 7.0.15 gives +"Quicklist structure printed on stdout"
  DEBUG QUICKLIST nosuch             => -ERR no such key
  DEBUG QUICKLIST l 1 2              => -ERR unknown subcommand or wrong number of arguments for 'QUICKLIST'. Try DEBUG HELP.
  .config list-max-listpack-size 2
  RPUSH l2 a b c d                   => :4
  DEBUG QUICKLIST l2                 => +"Quicklist structure printed on stdout"
  DEBUG QUICKLIST l2 1               => +"Quicklist structure printed on stdout"
  DEBUG CLIENT-EVICTION              => -ERR maxmemory-clients is disabled.
  DEBUG SET-SKIP-CHECKSUM-VALIDATION 0 => +OK
  DEBUG REPLYBUFFER RESIZING 1       => +OK
  DEBUG REPLYBUFFER PEAK-RESET-TIME RESET => +OK
  DEBUG REPLYBUFFER PEAK-RESET-TIME x => -ERR value is not an integer or out of range
  DEBUG REPLYBUFFER X 1              => -ERR unknown subcommand or wrong number of arguments for 'REPLYBUFFER'. Try DEBUG HELP.
  DEBUG CLUSTERLINK KILL all x       => -ERR Debug option only available for cluster mode enabled setup!
  DEBUG CLUSTERLINK KILL             => -ERR unknown subcommand or wrong number of arguments for 'CLUSTERLINK'. Try DEBUG HELP.
  DEBUG QUICKLIST-PACKED-THRESHOLD 5gb => -ERR argument must be a memory value bigger than 1 and smaller than 4gb
  DEBUG QUICKLIST-PACKED-THRESHOLD 0 => +OK

  ## DEBUG SET-SKIP-CHECKSUM-VALIDATION
  RESTORE k 0 "\x00\xc0\n\x0b\x00xxxxxxxx" => -ERR DUMP payload version or checksum are wrong
  DEBUG SET-SKIP-CHECKSUM-VALIDATION 1 => +OK
  RESTORE k 0 "\x00\xc0\n\x0b\x00xxxxxxxx" => +OK  !7.2 7.0.15 gives -ERR DUMP payload version or checksum are wrong
  DEBUG SET-SKIP-CHECKSUM-VALIDATION 0 => +OK
  GET k                              => 10  !7.2 7.0.15 gives nil
`
