import { differential, type Same } from '../support/differential.ts'
import { render } from '../support/notation.ts'
import type { Reply } from '../support/resp.ts'

/** Integers this large are times of the wall clock. */
const TIMES_FROM = 1_000_000_000
/** How many milliseconds the two servers may be apart. */
const TOLERANCE = 3000

type Items = Extract<Reply, { items: Reply[] }>

/** The reply with the integers that `isTime` picks, by what comes before them, replaced: small ones by 0, wall clock times by 1. */
function withoutTimes(reply: Reply, isTime: (items: readonly Reply[], i: number) => boolean): Reply {
  if (!('items' in reply)) return reply
  const items = reply.items.map((item, i) => {
    if (item.type !== 'integer' || !isTime(reply.items, i)) return withoutTimes(item, isTime)
    const value = Number(item.text)
    return { ...item, text: value < 0 ? item.text : value < TOLERANCE ? '0' : value > TIMES_FROM ? '1' : item.text }
  })
  return { ...(reply as Items), items }
}

const ignoring =
  (isTime: (items: readonly Reply[], i: number) => boolean): Same =>
  (a, b) =>
    render(withoutTimes(a, isTime)) === render(withoutTimes(b, isTime))

const TIME_FIELDS = new Set(['idle', 'inactive', 'seen-time', 'active-time'])

/** XINFO: the value of a field of that name, or the time in a line of pending entries, which begins with an id. */
const inInfo = ignoring((items, i) => {
  const before = items[i - 1]
  if (before && 'text' in before && TIME_FIELDS.has(before.text)) return true
  const first = items[0]
  const pending = first !== undefined && 'text' in first && /^\d+-\d+$/.test(first.text)
  return pending && i === items.length - 2
})

/** XPENDING: the third of four. */
const inPending = ignoring((items, i) => items.length === 4 && i === 2)

const MAX = '18446744073709551615'
const rareIds = [
  '0-0',
  '3-7',
  '5-1',
  '5-9',
  '6-0',
  'abc',
  '-',
  '5-x',
  '2',
  '5',
  `5-${MAX}`,
  `${MAX}-${MAX}`,
  ...Array.from({ length: 12 }, (_, i) => `4-${i}`),
]

differential('stream', {
  pools: {
    key: 's1 s2 s3',
    setid: '7-0 8-1 9-9 abc',
    group: 'g1 g2 g10',
    consumer: 'alice bob carol',
    id: '0-1 1-1 1-2 2 2-5 3-0 3-7 4-3 5-0 5-1 5-2 5-3 5-4 5-5 5-6 5-7 5-8 5-9 5-12 9-9 18446744073709551615-3 0-0 abc',
    newid: (random) => (random.chance(0.7) ? '5-*' : random.chance(0.6) ? `${random.below(6)}-*` : rareIds[random.below(rareIds.length)]),
    bound:
      '- + - + 1 1-1 2 3 (1-1 (3 (2-5 5 (5-3 5-4 5-7 (5-9 9 ( 18446744073709551615 (- (0-0 (18446744073709551615-18446744073709551615 abc',
    after: '0 0-0 1-1 2 3-0 5 5-3 5-5 5-8 $ > 9-9 abc',
    field: 'f sensor temp',
    value: ['a', '10', '-7', '', 'hello world', '9223372036854775807', '3.25', 'x'.repeat(70), '\xff\x00\r\n'],
    count: '0 1 2 3 10 -1 abc',
    length: '0 1 2 3 5 -1 abc',
    idle: '0 100000 -1 abc',
    big: '0 1 5 -1 9223372036854775807 9007199254740993 abc',
  },
  server: { 'stream-node-max-entries': 5 },
  oracle: ['--stream-node-max-entries', '5'],
  streamLength: 250,
  spoil: 0.03,
  commands: `
    20 XADD {key} {newid} ({field} {value})+
    12 XADD {key} {newid} sensor {value} temp {value}
    3 XADD {key} [NOMKSTREAM] [MAXLEN|MINID] {length} {newid} f {value}
    3 XADD {key} [NOMKSTREAM] MAXLEN [~|=] {length} [LIMIT {count}] {newid} f {value}
    2 XADD {key} MINID [~|=] {id} {newid} f {value}
    2 XTRIM {key} MAXLEN [~|=] {length} [LIMIT {count}]
    2 XTRIM {key} MINID [~|=] {id} [LIMIT {count}]
    5 XDEL {key} ({id})+
    XLEN {key}
    4 XRANGE {key} {bound} {bound} [COUNT {count}]
    4 XREVRANGE {key} {bound} {bound} [COUNT {count}]
    3 XREAD [COUNT {count}] STREAMS {key} {after}
    2 XREAD [COUNT {count}] STREAMS {key} {key} {after} {after}
    XSETID {key} {setid} [ENTRIESADDED {big}] [MAXDELETEDID {id}]
    6 XGROUP CREATE {key} {group} ({id}|$) [MKSTREAM] [ENTRIESREAD {big}]
    XGROUP CREATE {key} {group} ({id}|$) ENTRIESREAD {count} MKSTREAM
    2 XGROUP SETID {key} {group} ({id}|$|-|+) [ENTRIESREAD {big}]
    XGROUP DESTROY {key} {group}
    XGROUP CREATECONSUMER {key} {group} {consumer}
    XGROUP DELCONSUMER {key} {group} {consumer}
    15 XREADGROUP GROUP {group} {consumer} [COUNT {count}] [NOACK] STREAMS {key} >
    6 XREADGROUP GROUP {group} {consumer} [COUNT {count}] [NOACK] STREAMS {key} {after}
    XREADGROUP GROUP {group} {consumer} STREAMS {key} {key} > {after}
    4 XACK {key} {group} ({id})+
    5 XPENDING {key} {group}
    4 XPENDING {key} {group} [IDLE {idle}] {bound} {bound} {count} [{consumer}]
    5 XCLAIM {key} {group} {consumer} {idle} ({id})+ [IDLE {idle}|TIME {idle}] [RETRYCOUNT {big}] [FORCE] [JUSTID] [LASTID {id}]
    5 XAUTOCLAIM {key} {group} {consumer} {idle} {bound} [COUNT {count}] [JUSTID]
    3 XINFO STREAM {key} [FULL [COUNT {count}]]
    4 XINFO GROUPS {key}
    2 XINFO CONSUMERS {key} {group}
    COPY {key} {key} [REPLACE]
    DEL {key}
    OBJECT ENCODING {key}
    TYPE {key}
    SET {key} {value}
    XGROUP HELP
    XINFO HELP
  `,
  compare: [
    [/^XINFO (STREAM|CONSUMERS)/, inInfo, 'time passes between the two servers'],
    [/^XPENDING/, inPending, 'time passes between the two servers'],
  ],
  since72: [
    [/^XINFO/, 'inactive and active-time, and consumers that a read without entries makes, are of 7.2'],
    [/^XADD|^XREAD|^XPENDING|^XGROUP|^XCLAIM|^XAUTOCLAIM|^XSETID/, 'and so are the limits of XSETID'],
  ],
})
