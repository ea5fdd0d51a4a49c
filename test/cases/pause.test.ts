/** CLIENT PAUSE: who waits, and that everybody gets the replies that are theirs. */
import { cases } from '../support/cases.ts'

cases('pause')`
  ## a pause that ends in the middle of a pipeline leaves its other commands alone
  CLIENT PAUSE 60000 WRITE                                             => +OK
  b> SET longer-key value                                              => ...
  c> SET other 1                                                       => ...
  c> GET other                                                         => ...
  b>                                                                   => quiet
  .raw "ECHO one\r\nCLIENT UNPAUSE\r\nECHO two\r\nGET other\r\nECHO three\r\n"    => one
  =>                                                                   +OK
  =>                                                                   two
  =>                                                                   nil
  =>                                                                   three
  b>                                                                   => +OK
  c>                                                                   => +OK
  c>                                                                   => 1

  ## reading goes on while writing waits
  CLIENT PAUSE 60000 WRITE                                             => +OK
  GET k                                                                => nil
  b> MULTI                                                             => +OK
  b> SET k v                                                           => ...
  b> EXEC                                                              => ...
  b>                                                                   => quiet
  GET k                                                                => nil
  CLIENT UNPAUSE                                                       => +OK
  b>                                                                   => +QUEUED
  b>                                                                   => [+OK]
  GET k                                                                => v
`
