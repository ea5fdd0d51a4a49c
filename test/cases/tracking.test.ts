import { cases } from '../support/cases.ts'

cases('tracking')`
  ## options
  CLIENT TRACKINGINFO                => {flags ~[off] redirect :-1 prefixes []}
  CLIENT GETREDIR                    => :-1
  CLIENT TRACKING maybe              => -ERR syntax error
  CLIENT TRACKING on FOO             => -ERR syntax error
  CLIENT TRACKING on PREFIX          => -ERR syntax error
  CLIENT TRACKING on REDIRECT        => -ERR syntax error
  CLIENT TRACKING on PREFIX a        => -ERR PREFIX option requires BCAST mode to be enabled
  CLIENT TRACKING on REDIRECT 99999999 => -ERR The client ID you want redirect to does not exist
  CLIENT TRACKING on REDIRECT abc    => -ERR value is not an integer or out of range
  CLIENT TRACKING on OPTIN OPTOUT    => -ERR You can't specify both OPTIN mode and OPTOUT mode
  CLIENT TRACKING on BCAST OPTIN     => -ERR OPTIN and OPTOUT are not compatible with BCAST
  CLIENT TRACKING on BCAST OPTOUT    => -ERR OPTIN and OPTOUT are not compatible with BCAST
  CLIENT TRACKING on BCAST PREFIX ab PREFIX abc => -ERR Prefix 'ab' overlaps with another provided prefix 'abc'. Prefixes for a single client must not overlap.
  CLIENT CACHING yes                 => -ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled
  CLIENT TRACKING on                 => +OK
  CLIENT TRACKINGINFO                => {flags ~[on] redirect :0 prefixes []}
  CLIENT GETREDIR                    => :0
  CLIENT CACHING yes                 => -ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.
  CLIENT CACHING no                  => -ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.
  CLIENT CACHING maybe               => -ERR syntax error
  CLIENT TRACKING on BCAST           => -ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.
  CLIENT TRACKING on OPTIN           => +OK
  CLIENT CACHING yes                 => +OK
  CLIENT TRACKINGINFO                => {flags ~[on optin caching-yes] redirect :0 prefixes []}
  CLIENT TRACKINGINFO                => {flags ~[on optin caching-yes] redirect :0 prefixes []}
  CLIENT CACHING no                  => -ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.
  CLIENT TRACKING on OPTOUT          => -ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.
  CLIENT TRACKING off                => +OK
  CLIENT TRACKING off                => +OK
  CLIENT TRACKINGINFO                => {flags ~[off] redirect :-1 prefixes []}
  CLIENT TRACKING on OPTOUT NOLOOP   => +OK
  CLIENT CACHING no                  => +OK
  CLIENT TRACKINGINFO                => {flags ~[on optout caching-no noloop] redirect :0 prefixes []}
  CLIENT TRACKING off                => +OK

  ## prefixes of one client
  CLIENT TRACKING on BCAST PREFIX b PREFIX a => +OK
  CLIENT TRACKINGINFO                => {flags ~[on bcast] redirect :0 prefixes [a b]}
  CLIENT TRACKING on BCAST PREFIX ab => -ERR Prefix 'ab' overlaps with an existing prefix 'a'. Prefixes for a single client must not overlap.
  CLIENT TRACKING on BCAST PREFIX c  => +OK
  CLIENT TRACKINGINFO                => {flags ~[on bcast] redirect :0 prefixes [a b c]}
  CLIENT TRACKING on                 => -ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.
  CLIENT TRACKING on BCAST           => +OK
  CLIENT TRACKING off                => +OK
  CLIENT TRACKING on BCAST           => +OK
  CLIENT TRACKINGINFO                => {flags ~[on bcast] redirect :0 prefixes [""]}
  CLIENT TRACKING on BCAST PREFIX x  => -ERR Prefix 'x' overlaps with an existing prefix ''. Prefixes for a single client must not overlap.

  ## a key that was read [resp3]
  SET k 1                            => +OK
  CLIENT TRACKING on                 => +OK
  GET k                              => 1
  b> SET k 2                         => +OK
                                     => >[invalidate [k]]
  b> SET k 3                         => +OK
                                     => quiet
  GET k                              => 3
  b> GET k                           => 3
  b> DEL k                           => :1
                                     => >[invalidate [k]]
  GET k                              => nil
  b> SET k 4                         => +OK
                                     => >[invalidate [k]]
  MGET k l m                         => [4 nil nil]
  b> MSET l 1 m 2                    => +OK
                                     => >[invalidate [l]]
                                     => >[invalidate [m]]
  b> SET k 5                         => +OK
                                     => >[invalidate [k]]

  ## what counts as reading [resp3]
  CLIENT TRACKING on                 => +OK
  SET a 1                            => +OK
  b> SET a 2                         => +OK
                                     => quiet
  EXISTS a                           => :1
  b> SET a 3                         => +OK
                                     => >[invalidate [a]]
  TTL a                              => :-1
  b> EXPIRE a 100                    => :1
                                     => >[invalidate [a]]
  STRLEN a                           => :1
  b> RENAME a b                      => +OK
                                     => >[invalidate [a]]
  KEYS *                             => [b]
  DBSIZE                             => :1
  SCAN 0                             => any
  b> SET b 1                         => +OK
                                     => quiet

  ## its own writes follow the reply [resp3]
  CLIENT TRACKING on                 => +OK
  GET k                              => nil
  SET k 1                            => +OK
                                     => >[invalidate [k]]
  GET k                              => 1
  GET l                              => nil
  MSET k 1 l 2                       => +OK
                                     => >[invalidate [k]]
                                     => >[invalidate [l]]
  GET k                              => 1
  GET l                              => 2
  MULTI                              => +OK
  SET k 1                            => +QUEUED
  GET k                              => +QUEUED
  SET l 1                            => +QUEUED
  EXEC                               => [+OK 1 +OK]
                                     => >[invalidate [k]]
                                     => >[invalidate [l]]
  CLIENT TRACKING off                => +OK

  ## NOLOOP [resp3]
  CLIENT TRACKING on NOLOOP          => +OK
  GET k                              => nil
  SET k 1                            => +OK
                                     => quiet
  GET k                              => 1
  b> SET k 2                         => +OK
                                     => >[invalidate [k]]

  ## OPTIN [resp3]
  CLIENT TRACKING on OPTIN           => +OK
  GET k                              => nil
  b> SET k 1                         => +OK
                                     => quiet
  CLIENT CACHING yes                 => +OK
  GET k                              => 1
  GET l                              => nil
  b> MSET l 1 k 2                    => +OK
                                     => >[invalidate [k]]
  CLIENT CACHING yes                 => +OK
  MULTI                              => +OK
  GET k                              => +QUEUED
  GET l                              => +QUEUED
  EXEC                               => [2 1]
  b> MSET l 3 k 4                    => +OK
                                     => >[invalidate [l]]
                                     => >[invalidate [k]]
  CLIENT CACHING yes                 => +OK
  PING                               => +PONG
  GET k                              => 4
  b> SET k 5                         => +OK
                                     => quiet

  ## OPTOUT [resp3]
  CLIENT TRACKING on OPTOUT          => +OK
  GET k                              => nil
  b> SET k 1                         => +OK
                                     => >[invalidate [k]]
  CLIENT CACHING no                  => +OK
  GET k                              => 1
  b> SET k 2                         => +OK
                                     => quiet
  GET k                              => 2
  b> SET k 3                         => +OK
                                     => >[invalidate [k]]

  ## off: nothing comes any more [resp3]
  CLIENT TRACKING on                 => +OK
  GET k                              => nil
  CLIENT TRACKING off                => +OK
  b> SET k 1                         => +OK
                                     => quiet
  CLIENT TRACKING on                 => +OK
  b> SET k 2                         => +OK
  GET k                              => 2

  ## FLUSHALL and FLUSHDB [resp3]
  CLIENT TRACKING on                 => +OK
  GET k                              => nil
  b> FLUSHALL                        => +OK
                                     => >[invalidate nil]
  b> FLUSHDB                         => +OK
                                     => >[invalidate nil]
  FLUSHALL                           => +OK
                                     => >[invalidate nil]
  b> SET k 1                         => +OK
                                     => quiet

  ## another database, another key of the same name [resp3]
  CLIENT TRACKING on                 => +OK
  SET k 1                            => +OK
  GET k                              => 1
  b> SELECT 3                        => +OK
  b> SET k 1                         => +OK
                                     => >[invalidate [k]]

  ## expiry [resp3]
  SET k 1 PX 30                      => +OK
  CLIENT TRACKING on                 => +OK
  GET k                              => 1
  .wait 60
  b> GET k                           => nil
                                     => >[invalidate [k]]

  ## broadcasting [resp3]
  CLIENT TRACKING on BCAST           => +OK
  b> SET k 1                         => +OK
                                     => >[invalidate [k]]
  b> MSET z 1 a 1 m 1 a 2            => +OK
                                     => >[invalidate [a m z]]
  b> GET nosuch                      => nil
                                     => quiet
  SET k 2                            => +OK
                                     => >[invalidate [k]]
  MULTI                              => +OK
  SET b 1                            => +QUEUED
  SET a 1                            => +QUEUED
  EXEC                               => [+OK +OK]
                                     => >[invalidate [a b]]
  b> FLUSHALL                        => +OK
                                     => >[invalidate nil]

  ## broadcasting with prefixes and NOLOOP [resp3]
  CLIENT TRACKING on BCAST PREFIX user: PREFIX item: NOLOOP => +OK
  b> SET user:1 x                    => +OK
                                     => >[invalidate [user:1]]
  b> MSET user:2 x item:1 y other:1 z => +OK
                                     => >[invalidate [item:1]]
                                     => >[invalidate [user:2]]
  SET user:3 x                       => +OK
                                     => quiet
  b> SET users x                     => +OK
                                     => quiet

  ## redirection to RESP2 subscribers
  b> CLIENT ID                       => ?id
  b> SUBSCRIBE __redis__:invalidate  => any
  CLIENT TRACKING on REDIRECT $id    => +OK
  GET k                              => nil
  c> SET k 1                         => +OK
  b>                                 => >[message __redis__:invalidate [k]] | >[invalidate [k]]
  CLIENT TRACKINGINFO                => any
  SET k 2                            => +OK
  GET k                              => 2
  SET k 3                            => +OK
  b>                                 => >[message __redis__:invalidate [k]] | >[invalidate [k]]
  c> FLUSHALL                        => +OK
  b>                                 => any

  ## a redirection that is broken [resp3]
  b> CLIENT ID                       => ?id
  CLIENT TRACKING on REDIRECT $id    => +OK
  GET k                              => nil
  b> .close
  c> SET k 1                         => +OK
                                     => any:push
  CLIENT TRACKINGINFO                => any

  ## RESP2 without redirection: nothing can be said [resp2]
  CLIENT TRACKING on                 => +OK
  GET k                              => nil
  b> SET k 1                         => +OK
                                     => quiet
  GET k                              => 1

  ## RESET ends it [resp3]
  CLIENT TRACKING on BCAST PREFIX a  => +OK
  RESET                              => +RESET
  CLIENT TRACKINGINFO                => [flags [off] redirect :-1 prefixes []]
  b> SET a 1                         => +OK
                                     => quiet

  ## the table is bounded [resp3]
  .config tracking-table-max-keys 2
  CLIENT TRACKING on                 => +OK
  MGET a b                           => [nil nil]
  GET c                              => nil
  PING                               => any
                                     => any
`
