import { differential } from '../support/differential.ts'

differential('string', {
  pools: { offset: '0 1 2 3 10 50 -1 536870912 abc', ms: '100000 200000 5000000 -1 0 abc' },
  commands: `
    8 SET {key} {value} [NX|XX] [GET] [EX {seconds}|PX {ms}|KEEPTTL|EXAT 9999999999|PXAT 9999999999000]
    3 GET {key}
    GETSET {key} {value}
    GETDEL {key}
    GETEX {key} [EX {seconds}|PX {ms}|PERSIST|EXAT 9999999999]
    SETNX {key} {value}
    SETEX {key} {seconds} {value}
    PSETEX {key} {ms} {value}
    2 MSET ({key} {value})+
    MSETNX ({key} {value})+
    2 MGET ({key})+
    3 APPEND {key} {value}
    STRLEN {key}
    2 SETRANGE {key} {offset} {value}
    2 GETRANGE {key} {index} {index}
    SUBSTR {key} {index} {index}
    2 INCR {key}
    DECR {key}
    2 INCRBY {key} {int}
    DECRBY {key} {int}
    2 INCRBYFLOAT {key} {float}
    LCS {key} {key} [LEN] [IDX] [MINMATCHLEN {small}] [WITHMATCHLEN]
    TTL {key}
  `,
})
