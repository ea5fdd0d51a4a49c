import { differential } from '../support/differential.ts'

differential('transactions', {
  pools: { word: ['a', 'b', ''], other: 'k1 nokey' },
  commands: `
    4 MULTI
    5 EXEC
    2 DISCARD
    2 WATCH ({key})+
    UNWATCH
    6 SET {key} {value}
    4 GET {key}
    4 INCR {key}
    2 INCRBY {key} {int}
    2 DEL {key}
    APPEND {key} {word}
    EXPIRE {key} {seconds}
    MGET ({key})+
    NOSUCH {key}
    SELECT {small}
    PING
  `,
})
