import { cases } from '../support/cases.ts'

cases('pubsub')`
  ## a channel
  b> SUBSCRIBE news                  => >[subscribe news :1]
  PUBLISH news hello                 => :1
  b>                                 => >[message news hello]
  PUBLISH other hello                => :0
  PUBLISH news ""                    => :1
  b>                                 => >[message news ""]
  PUBLISH news "\x00\r\n\xff"        => :1
  b>                                 => >[message news "\x00\r\n\xff"]
  b> UNSUBSCRIBE news                => >[unsubscribe news :0]
  PUBLISH news gone                  => :0
  b> PING                            => +PONG

  ## several channels in one command, each answered
  b> SUBSCRIBE a b a                 => >[subscribe a :1]
  b>                                 => >[subscribe b :2]
  b>                                 => >[subscribe a :2]
  PUBSUB NUMSUB a b c                => [a :1 b :1 c :0]
  b> UNSUBSCRIBE a c b               => >[unsubscribe a :1]
  b>                                 => >[unsubscribe c :1]
  b>                                 => >[unsubscribe b :0]
  PUBSUB NUMSUB a b c                => [a :0 b :0 c :0]

  ## leaving what one does not listen to
  UNSUBSCRIBE                        => >[unsubscribe nil :0]
  PUNSUBSCRIBE                       => >[punsubscribe nil :0]
  SUNSUBSCRIBE                       => >[sunsubscribe nil :0]
  UNSUBSCRIBE a                      => >[unsubscribe a :0]
  PUNSUBSCRIBE a*                    => >[punsubscribe a* :0]
  SUNSUBSCRIBE a                     => >[sunsubscribe a :0]
  GET k                              => nil

  ## leaving everything
  b> SUBSCRIBE a                     => >[subscribe a :1]
  b> PSUBSCRIBE p*                   => >[psubscribe p* :2]
  b> SSUBSCRIBE s                    => >[ssubscribe s :1]
  b> UNSUBSCRIBE                     => >[unsubscribe a :1]
  b> PUNSUBSCRIBE                    => >[punsubscribe p* :0]
  b> SUNSUBSCRIBE                    => >[sunsubscribe s :0]
  b> GET k                           => nil

  ## patterns
  b> PSUBSCRIBE h?llo                => >[psubscribe h?llo :1]
  b> PSUBSCRIBE h*o                  => >[psubscribe h*o :2]
  PUBLISH hello x                    => :2
  b>                                 => >[pmessage oneof(h?llo h*o) hello x]
  b>                                 => >[pmessage oneof(h?llo h*o) hello x]
  PUBLISH heo x                      => :1
  b>                                 => >[pmessage h*o heo x]
  PUBLISH h x                        => :0
  PUBSUB NUMPAT                      => :2
  PUBSUB CHANNELS                    => []
  b> PUNSUBSCRIBE h*o                => >[punsubscribe h*o :1]
  PUBLISH hello y                    => :1
  b>                                 => >[pmessage h?llo hello y]
  PUBLISH HELLO y                    => :0

  ## channel and pattern of one client: two messages
  b> SUBSCRIBE ch                    => >[subscribe ch :1]
  b> PSUBSCRIBE c*                   => >[psubscribe c* :2]
  b> PSUBSCRIBE c[a-h]               => >[psubscribe "c[a-h]" :3]
  PUBLISH ch x                       => :3
  b>                                 => >[message ch x]
  b>                                 => >[pmessage any ch x]
  b>                                 => >[pmessage any ch x]

  ## patterns with brackets and escapes
  b> PSUBSCRIBE "h[ae]llo" "h\\*llo" "[^x]y" => >[psubscribe "h[ae]llo" :1]
  b>                                 => >[psubscribe "h\\*llo" :2]
  b>                                 => >[psubscribe "[^x]y" :3]
  PUBLISH hallo 1                    => :1
  b>                                 => >[pmessage "h[ae]llo" hallo 1]
  PUBLISH hillo 2                    => :0
  PUBLISH h*llo 3                    => :1
  b>                                 => >[pmessage "h\\*llo" h*llo 3]
  PUBLISH ay 4                       => :1
  b>                                 => >[pmessage "[^x]y" ay 4]
  PUBLISH xy 5                       => :0

  ## shard channels
  b> SSUBSCRIBE s t                  => >[ssubscribe s :1]
  b>                                 => >[ssubscribe t :2]
  SPUBLISH s hello                   => :1
  b>                                 => >[smessage s hello]
  PUBLISH s hello                    => :0
  SPUBLISH u hello                   => :0
  PUBSUB SHARDCHANNELS t*            => [t]
  PUBSUB SHARDNUMSUB s t u           => [s :1 t :1 u :0]
  PUBSUB CHANNELS                    => []
  PUBSUB NUMSUB s                    => [s :0]
  b> PSUBSCRIBE *                    => >[psubscribe * :1]
  SPUBLISH s again                   => :1
  b>                                 => >[smessage s again]
  b> SUNSUBSCRIBE s                  => >[sunsubscribe s :1]
  SPUBLISH s gone                    => :0

  ## PUBSUB
  PUBSUB CHANNELS                    => []
  b> SUBSCRIBE foo bar               => any
  b>                                 => any
  PUBSUB CHANNELS                    => @[foo bar]
  PUBSUB CHANNELS f*                 => [foo]
  PUBSUB CHANNELS zzz                => []
  PUBSUB CHANNELS ""                 => []
  PUBSUB CHANNELS a b                => -ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP.
  PUBSUB SHARDCHANNELS a b           => -ERR unknown subcommand or wrong number of arguments for 'SHARDCHANNELS'. Try PUBSUB HELP.
  PUBSUB NUMSUB                      => []
  PUBSUB NUMSUB foo nosuch foo       => [foo :1 nosuch :0 foo :1]
  PUBSUB SHARDNUMSUB                 => []
  PUBSUB NUMPAT                      => :0
  PUBSUB NUMPAT x                    => -ERR wrong number of arguments for 'pubsub|numpat' command
  PUBSUB HELP                        => [+"PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"CHANNELS [<pattern>]" +"    Return the currently active channels matching a <pattern> (default: '*')." +NUMPAT +"    Return number of subscriptions to patterns." +"NUMSUB [<channel> ...]" +"    Return the number of subscribers for the specified channels, excluding" +"    pattern subscriptions(default: no channels)." +"SHARDCHANNELS [<pattern>]" +"    Return the currently active shard level channels matching a <pattern> (default: '*')." +"SHARDNUMSUB [<shardchannel> ...]" +"    Return the number of subscribers for the specified shard level channel(s)" +HELP +"    Print this help."]  !7.2 7.0.15 gives [+"PUBSUB <subcommand> [<arg> [value] [opt] ...]. and so on
  PUBSUB HELP x                      => -ERR wrong number of arguments for 'pubsub|help' command
  PUBSUB NOSUCH                      => -ERR unknown subcommand 'NOSUCH'. Try PUBSUB HELP.
  PUBSUB                             => -ERR wrong number of arguments for 'pubsub' command

  ## a client that hangs up is no subscriber
  b> SUBSCRIBE foo                   => any
  b> PSUBSCRIBE f*                   => any
  b> SSUBSCRIBE foo                  => any
  PUBSUB NUMSUB foo                  => [foo :1]
  b> .close
  PUBSUB NUMSUB foo                  => [foo :0]
  PUBSUB NUMPAT                      => :0
  PUBSUB SHARDNUMSUB foo             => [foo :0]
  PUBLISH foo x                      => :0

  ## what a RESP2 subscriber may do [resp2]
  SUBSCRIBE a                        => [subscribe a :1]
  PING                               => [pong ""]
  PING hello                         => [pong hello]
  PING a b                           => -ERR wrong number of arguments for 'ping' command
  GET k                              => -ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  PUBLISH a b                        => -ERR Can't execute 'publish': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  MULTI                              => -ERR Can't execute 'multi': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  CLIENT ID                          => -ERR Can't execute 'client|id': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  NOSUCH                             => -"ERR unknown command 'NOSUCH', with args beginning with: "
  GET                                => -ERR wrong number of arguments for 'get' command
  HELLO 3                            => -ERR Can't execute 'hello': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  RESET                              => +RESET
  GET k                              => nil
  SSUBSCRIBE s                       => any
  GET k                              => -ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  SUNSUBSCRIBE                       => any
  GET k                              => nil
  PSUBSCRIBE *                       => any
  set a b                            => -ERR Can't execute 'set': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
  QUIT                               => +OK
                                     => closed

  ## what a RESP3 subscriber may do: everything [resp3]  !7.2 messages wait for the end of the command
  SUBSCRIBE a                        => >[subscribe a :1]
  PING                               => +PONG
  PING hello                         => hello
  SET k v                            => +OK
  GET k                              => v
  PUBLISH a hello                    => :1  !7.2 7.0.15 gives >[message a hello]
                                     => >[message a hello]
  GET k                              => v

  ## its own message follows the reply [resp3]  !7.2 messages wait for the end of the command
  PSUBSCRIBE *                       => any
  SUBSCRIBE a                        => any
  PUBLISH a 1                        => :2  !7.2 7.0.15 gives >[message a 1]
                                     => >[message a "1"]
                                     => >[pmessage * a "1"]
  MULTI                              => +OK
  PUBLISH a 2                        => +QUEUED
  SET k v                            => +QUEUED
  EXEC                               => [:2 +OK]  !7.2 7.0.15 gives [>[message a 2] >[pmessage * a 2]]
                                     => >[message a "2"]
                                     => >[pmessage * a "2"]

  ## RESET leaves all
  b> SUBSCRIBE a                     => any
  b> PSUBSCRIBE p*                   => any
  b> SSUBSCRIBE s                    => any
  b> RESET                           => +RESET
  PUBSUB CHANNELS                    => []
  PUBSUB NUMPAT                      => :0
  PUBSUB SHARDCHANNELS               => []
  b> GET k                           => nil2

  ## subscribing in a transaction
  MULTI                              => +OK
  SUBSCRIBE a b                      => +QUEUED
  PSUBSCRIBE p*                      => +QUEUED
  UNSUBSCRIBE                        => +QUEUED
  PUNSUBSCRIBE p*                    => +QUEUED
  SSUBSCRIBE s                       => +QUEUED
  SUNSUBSCRIBE                       => +QUEUED
  EXEC                               => any
                                     => any
                                     => any

  ## a message to oneself in a transaction [resp2]  !7.2 messages wait for the end of the command
  MULTI                              => +OK
  SUBSCRIBE a                        => +QUEUED
  PUBLISH a hello                    => +QUEUED
  SET k v                            => +QUEUED
  EXEC                               => [[subscribe a :1] :1 +OK]
                                     => [message a hello]
  GET k                              => -ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context

  ## wrong numbers of arguments
  SUBSCRIBE                          => -ERR wrong number of arguments for 'subscribe' command
  PSUBSCRIBE                         => -ERR wrong number of arguments for 'psubscribe' command
  SSUBSCRIBE                         => -ERR wrong number of arguments for 'ssubscribe' command
  PUBLISH a                          => -ERR wrong number of arguments for 'publish' command
  PUBLISH a b c                      => -ERR wrong number of arguments for 'publish' command
  SPUBLISH a                         => -ERR wrong number of arguments for 'spublish' command
`
