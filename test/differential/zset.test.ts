import { differential, sameType } from '../support/differential.ts'

const pools = {
  key: 'k1 k2 k3 k4',
  // Ranges of names are defined where all scores are the same.
  lexkey: 'l1 l2',
  score: '0 1 2 3 -1 2.5 -3.75 1e10 inf -inf 0.125 nan abc 17179869184 9007199254740993',
  bound: '0 (0 1 (1 2.5 -1 (-3 inf -inf +inf (inf (-inf 1e10 "" ( abc nan " 1" 0x10',
  lex: '- + [a (a [b (b [x1 (x3 [ ( a "" [1000000 (g',
  weight: '1 2 0 -1 0.5 inf -inf abc',
  limit: '0 1 2 -1 5 abc',
}

const commands = `
  12 ZADD {key} [NX|XX] [GT|LT] [CH] [INCR] ({score} {member})+
  8 ZADD {key} ({score} {member})+
  4 ZADD {lexkey} (0 {member})+
  2 ZINCRBY {key} {score} {member}
  ZCARD {key}
  2 ZSCORE {key} {member}
  ZMSCORE {key} ({member})+
  2 ZRANK {key} {member} [WITHSCORE]
  2 ZREVRANK {key} {member} [WITHSCORE]
  2 ZCOUNT {key} {bound} {bound}
  2 ZLEXCOUNT {lexkey} {lex} {lex}
  2 ZRANGE {key} {index} {index} [REV] [WITHSCORES] [LIMIT {limit} {limit}]
  3 ZRANGE {key} {bound} {bound} BYSCORE [REV] [LIMIT {limit} {limit}] [WITHSCORES]
  3 ZRANGE {lexkey} {lex} {lex} BYLEX [REV] [LIMIT {limit} {limit}] [WITHSCORES]
  ZREVRANGE {key} {index} {index} [WITHSCORES]
  ZRANGEBYSCORE {key} {bound} {bound} [WITHSCORES] [LIMIT {limit} {limit}]
  ZREVRANGEBYSCORE {key} {bound} {bound} [WITHSCORES] [LIMIT {limit} {limit}]
  ZRANGEBYLEX {lexkey} {lex} {lex} [LIMIT {limit} {limit}]
  ZREVRANGEBYLEX {lexkey} {lex} {lex} [LIMIT {limit} {limit}]
  ZRANGESTORE {key} {key} {index} {index} [REV]
  ZRANGESTORE {key} {key} {bound} {bound} BYSCORE [REV] [LIMIT {limit} {limit}]
  ZRANGESTORE {key} {lexkey} {lex} {lex} BYLEX [LIMIT {limit} {limit}]
  ZREM {key} ({member})+
  ZREMRANGEBYRANK {key} {index} {index}
  ZREMRANGEBYSCORE {key} {bound} {bound}
  ZREMRANGEBYLEX {lexkey} {lex} {lex}
  ZPOPMIN {key} [{limit}]
  ZPOPMAX {key} [{limit}]
  ZMPOP 2 {key} {key} (MIN|MAX) [COUNT {limit}]
  ZRANDMEMBER {key} [{limit}] [WITHSCORES]
  2 (ZUNION|ZINTER) 2 {key} {key} [WEIGHTS {weight} {weight}] [AGGREGATE (SUM|MIN|MAX)] [WITHSCORES]
  2 (ZUNIONSTORE|ZINTERSTORE) {key} 3 {key} {key} {key} [WEIGHTS {weight} {weight} {weight}] [AGGREGATE (SUM|MIN|MAX)]
  ZDIFF 2 {key} {key} [WITHSCORES]
  ZDIFFSTORE {key} 2 {key} {key}
  ZINTERCARD 2 {key} {key} [LIMIT {limit}]
  ZSCAN {key} 0 [MATCH {pattern}] [COUNT {limit}]
  OBJECT ENCODING {key}
  TYPE {key}
  DEL {key}
  COPY {key} {key} [REPLACE]
  RENAME {key} {key}
  SET k4 x
`

/**
 * Ranges of names are for sets in which all scores are the same; in others redis-server's answer depends on the random heights in its skip
 * list. So none may read a set of {key}, and nothing may give a set of {lexkey} another score than 0, spoiled or not.
 */
function specified(command: readonly string[]): boolean {
  const [name, ...args] = command
  const isLexKey = (word: string) => /^l\d$/.test(word)
  if (name.endsWith('LEX') || name === 'ZLEXCOUNT') return isLexKey(args[0])
  if (args.includes('BYLEX')) return isLexKey(args[name === 'ZRANGESTORE' ? 1 : 0])
  if (!args.some(isLexKey)) return true
  return name === 'ZADD' && args.length % 2 === 1 && args.slice(1).every((word, i) => i % 2 === 1 || word === '0')
}

differential('zset, small', {
  pools,
  commands,
  specified,
  compare: [[/^ZRANDMEMBER /i, sameType, 'it is random']],
  since72: [[/^(ZRANK|ZREVRANK)( \S*){3}/i, 'WITHSCORE came with 7.2']],
})

differential('zset, large', {
  pools,
  commands,
  specified,
  compare: [
    [/^ZRANDMEMBER /i, sameType, 'it is random'],
    [/^ZSCAN /i, sameType, 'the order of a hash table is not defined'],
  ],
  since72: [
    [/^(ZRANK|ZREVRANK)( \S*){3}/i, 'WITHSCORE came with 7.2'],
    [/^OBJECT ENCODING/i, 'converts ahead of many members since 7.2'],
  ],
  setup: [['CONFIG', 'SET', 'zset-max-listpack-entries', '2']],
})
