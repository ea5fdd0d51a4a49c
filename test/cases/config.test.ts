import { cases } from '../support/cases.ts'

cases('config')`
  ## CONFIG GET: names as asked for, patterns, several of both
  CONFIG GET maxmemory               => {maxmemory 0}
  CONFIG GET MaxMemory               => {MaxMemory 0}
  CONFIG GET nosuch                  => {}
  CONFIG GET nosuch maxmemory maxmemory => {maxmemory 0}
  CONFIG GET hz nosuch*              => {hz 10}
  CONFIG GET watchdog-period         => {watchdog-period 0}
  CONFIG GET watchdog*               => {}
  CONFIG GET slave-priority
  CONFIG GET                         => -ERR wrong number of arguments for 'config|get' command

  ## CONFIG SET of a value that does not fit
  CONFIG SET maxmemory 1tb           => -ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value
  CONFIG SET maxmemory -1            => -ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value
  CONFIG SET timeout -1              => -ERR CONFIG SET failed (possibly related to argument 'timeout') - argument must be between 0 and 2147483647 inclusive
  CONFIG SET timeout abc             => -ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer
  CONFIG SET timeout 1mb             => -ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer
  CONFIG SET maxmemory-clients 101%  => -ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') - percentage argument must be less or equal to 100
  CONFIG SET maxmemory-clients x     => -ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') - argument must be a memory or percent value
  CONFIG SET appendonly maybe        => -ERR CONFIG SET failed (possibly related to argument 'appendonly') - argument must be 'yes' or 'no'
  CONFIG SET loglevel loud           => -ERR CONFIG SET failed (possibly related to argument 'loglevel') - argument(s) must be one of the following: debug, verbose, notice, warning, nothing  !7.2 7.0.15 gives -ERR CONFIG SET failed (possibly related to argument and so on
  CONFIG SET maxmemory-policy all    => -ERR CONFIG SET failed (possibly related to argument 'maxmemory-policy') - argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction
  CONFIG SET save 1                  => -ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters
  CONFIG SET save "1 x"              => -ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters
  CONFIG SET notify-keyspace-events KEQ => -ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - Invalid event class character. Use 'Ag$lshzxeKEtmdn'.
  CONFIG SET client-output-buffer-limit "normal 1 2" => -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Wrong number of arguments in buffer limit configuration.
  CONFIG SET client-output-buffer-limit "foo 1 2 3" => -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Invalid client class specified in buffer limit configuration.
  CONFIG SET client-output-buffer-limit "master 1 2 3" => -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Invalid client class specified in buffer limit configuration.
  CONFIG SET client-output-buffer-limit "normal 1 x 3" => -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Error in hard, soft or soft_seconds setting in buffer limit configuration.
  CONFIG SET oom-score-adj-values "1 2" => -ERR CONFIG SET failed (possibly related to argument 'oom-score-adj-values') - wrong number of arguments
  CONFIG SET oom-score-adj-values "1 2 3000" => -ERR CONFIG SET failed (possibly related to argument 'oom-score-adj-values') - Invalid oom-score-adj-values, elements must be between -2000 and 2000.
  CONFIG SET latency-tracking-info-percentiles 101 => -ERR CONFIG SET failed (possibly related to argument 'latency-tracking-info-percentiles') - latency-tracking-info-percentiles parameters should sit between [0.0,100.0]
  CONFIG SET latency-tracking-info-percentiles x => -ERR CONFIG SET failed (possibly related to argument 'latency-tracking-info-percentiles') - Invalid latency-tracking-info-percentiles parameters
  CONFIG SET proto-max-bulk-len 1    => -ERR CONFIG SET failed (possibly related to argument 'proto-max-bulk-len') - argument must be between 1048576 and 9223372036854775807 inclusive
  CONFIG SET slowlog-log-slower-than -2 => -ERR CONFIG SET failed (possibly related to argument 'slowlog-log-slower-than') - argument must be between -1 and 9223372036854775807 inclusive
  CONFIG SET proc-title-template "{foo}" => -ERR CONFIG SET failed (possibly related to argument 'proc-title-template') - template format is invalid or contains unknown variables
  CONFIG SET cluster-announce-hostname a_b => -ERR CONFIG SET failed (possibly related to argument 'cluster-announce-hostname') - Hostnames may only contain alphanumeric characters, hyphens or dots
  CONFIG SET list-max-listpack-size 99999999999 => -ERR CONFIG SET failed (possibly related to argument 'list-max-listpack-size') - argument must be between -2147483648 and 2147483647 inclusive
  CONFIG SET maxclients 0            => -ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument must be between 1 and 4294967295 inclusive
  CONFIG SET shutdown-on-sigterm "save nosave" => -ERR CONFIG SET failed (possibly related to argument 'shutdown-on-sigterm') - shutdown options SAVE and NOSAVE can't be used simultaneously

  ## CONFIG SET of what may not be set
  CONFIG SET nosuch 1                => -ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'
  CONFIG SET databases 3             => -ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config
  CONFIG SET dir /tmp                => -ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config
  CONFIG SET dbfilename x            => -ERR CONFIG SET failed (possibly related to argument 'dbfilename') - can't set protected config
  CONFIG SET hz 10 nosuch 1 databases 2 => -ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'
  CONFIG SET hz 10 databases 2 nosuch 1 => -ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config
  CONFIG SET hz 10 HZ 11             => -ERR CONFIG SET failed (possibly related to argument 'HZ') - duplicate parameter
  CONFIG SET hz                      => -ERR wrong number of arguments for 'config|set' command
  CONFIG SET hz 1 timeout            => -ERR syntax error
  CONFIG SET                         => -ERR wrong number of arguments for 'config|set' command
  CONFIG                             => -ERR wrong number of arguments for 'config' command

  ## CONFIG SET is all or nothing
  CONFIG SET timeout 77 slowlog-max-len 5 appendfsync never => -ERR CONFIG SET failed (possibly related to argument 'appendfsync') - argument(s) must be one of the following: everysec, always, no
  CONFIG GET timeout                 => {timeout 0}
  CONFIG SET timeout 78 slowlog-max-len 5 => +OK
  CONFIG GET slowlog-max-len
  CONFIG SET timeout 0 slowlog-max-len 128 => +OK

  ## CONFIG SET shows values in their fixed form
  CONFIG SET maxmemory 100MB         => +OK
  CONFIG GET maxmemory               => {maxmemory 104857600}
  CONFIG SET maxmemory 0             => +OK
  CONFIG SET maxmemory-clients 5%    => +OK
  CONFIG GET maxmemory-clients       => {maxmemory-clients 5%}
  CONFIG SET maxmemory-clients 0     => +OK
  CONFIG SET notify-keyspace-events KEA => +OK
  CONFIG GET notify-keyspace-events  => {notify-keyspace-events AKE}
  CONFIG SET notify-keyspace-events mEgn => +OK
  CONFIG GET notify-keyspace-events  => {notify-keyspace-events gnEm}
  CONFIG SET notify-keyspace-events "" => +OK
  CONFIG SET client-output-buffer-limit "replica 1mb 2k 3 pubsub 1 2 3" => +OK
  CONFIG GET client-output-buffer-limit => {client-output-buffer-limit "normal 0 0 0 slave 1048576 2000 3 pubsub 1 2 3"}
  CONFIG SET client-output-buffer-limit "slave 268435456 67108864 60 pubsub 33554432 8388608 60" => +OK
  CONFIG SET save "100 1 200 2"      => +OK
  CONFIG GET save                    => {save "100 1 200 2"}
  CONFIG SET save ""                 => +OK
  CONFIG GET save                    => {save ""}
  CONFIG SET latency-tracking-info-percentiles "50.0 99.95 100" => +OK
  CONFIG GET latency-tracking-info-percentiles => {latency-tracking-info-percentiles "50 99.95 100"}
  CONFIG SET latency-tracking-info-percentiles "50 99 99.9" => +OK
  CONFIG SET shutdown-on-sigint "force NOW" => +OK
  CONFIG GET shutdown-on-sigint      => {shutdown-on-sigint "now force"}
  CONFIG SET shutdown-on-sigint default => +OK
  CONFIG SET slave-priority 50       => +OK
  CONFIG GET replica-priority        => {replica-priority 50}
  CONFIG SET replica-priority 100    => +OK
  CONFIG SET hz 1000                 => +OK
  CONFIG GET hz                      => {hz 500}
  CONFIG SET hz 10                   => +OK

  ## the other subcommands
  CONFIG HELP                        => [+"CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"GET <pattern>" +"    Return parameters matching the glob-like <pattern> and their values." +"SET <directive> <value>" +"    Set the configuration <directive> to <value>." +RESETSTAT +"    Reset statistics reported by the INFO command." +REWRITE +"    Rewrite the configuration file." +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"CONFIG <subcommand> [<arg> [value] [opt] ...]. and so on
  CONFIG RESETSTAT                   => +OK
  CONFIG RESETSTAT x                 => -ERR wrong number of arguments for 'config|resetstat' command
  CONFIG REWRITE                     => -ERR The server is running without a config file
  CONFIG FOO                         => -ERR unknown subcommand 'FOO'. Try CONFIG HELP.
`
