/** Streams that redis-server has built are dumped, restored here and dumped again, and the other way round: always the same bytes. */
import { expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { Generator, parseTemplates } from '../support/grammar.ts'
import { describeWithOracle, useOracle } from '../support/oracle.ts'
import { runSeed, seeded } from '../support/random.ts'
import { render } from '../support/notation.ts'
import { useServer } from '../support/server.ts'

const COMMANDS = `
  20 XADD {key} {id} sensor {value} temp {value}
  6 XADD {key} {id} ({field} {value})+
  2 XADD {key} MAXLEN {count} {id} f {value}
  XADD {key} MINID ~ 5-{count} {id} f {value}
  4 XDEL {key} 5-{count} 5-{count}
  2 XTRIM {key} MINID 5-{count}
  XSETID {key} 5-{count} ENTRIESADDED {big} MAXDELETEDID 5-{count}
  3 XGROUP CREATE {key} {group} 0
  XGROUP SETID {key} {group} 5-{count} [ENTRIESREAD {big}]
  XGROUP CREATECONSUMER {key} {group} {consumer}
  8 XREADGROUP GROUP {group} {consumer} COUNT {count} STREAMS {key} >
  3 XACK {key} {group} 5-{count} 5-{count}
  3 XCLAIM {key} {group} {consumer} 0 5-{count} [RETRYCOUNT {big}|TIME 5000] [FORCE] [JUSTID]
  XAUTOCLAIM {key} {group} {consumer} 0 0
`
const POOLS = {
  key: 's1 s2 s3 s4',
  id: ['5-*', '5-*', '5-*', '4-*', '18446744073709551615-3'],
  group: 'g1 g2 12 -7',
  consumer: ['alice', 'bob', '77', 'a consumer with a name that is long enough to be compressed compressed compressed'],
  field: 'f sensor temp',
  value: ['a', '10', '-7', '', 'hello hello hello hello hello hello', '9223372036854775807', 'x'.repeat(300)],
  count: '1 2 3 5 8 13 40 100',
  big: '0 5 9223372036854775807 9007199254740993',
}
const KEYS = POOLS.key.split(' ')

describeWithOracle('stream dumps', () => {
  const oracle = useOracle('--stream-node-max-entries', '20', '--rdbcompression', 'no')
  const server = useServer({ 'stream-node-max-entries': 20, rdbcompression: 'no' })

  /** Builds streams on one server; every dump must survive a visit to the other. */
  async function visit(builder: Connection, other: Connection, seed: number): Promise<void> {
    const generator = new Generator(parseTemplates(COMMANDS), POOLS, seeded(seed))
    await Promise.all([builder.call('FLUSHALL'), other.call('FLUSHALL')])
    for (let i = 0; i < 6; i++) {
      const commands = Array.from({ length: 150 }, () => generator.command().map((word) => Buffer.from(word, 'latin1')))
      await builder.pipeline(commands)
      for (const key of KEYS) {
        const dump = await builder.call('DUMP', key)
        if (!('text' in dump)) continue
        const payload = Buffer.from(dump.text, 'latin1')
        expect(await other.call('RESTORE', key, 0, payload, 'REPLACE')).toMatchObject({ text: 'OK' })
        expect(render(await other.call('DUMP', key))).toBe(render(dump))
      }
    }
  }

  test('visit each other', async () => {
    if (!oracle.current?.atLeast('7.2.0')) return
    const [ours, theirs] = [await Connection.open(server.address, 2), await Connection.open(oracle.current.address, 2)]
    const seed = runSeed()
    try {
      await visit(theirs, ours, seed)
      await visit(ours, theirs, seed + 1)
    } catch (error) {
      throw new Error(`RESPD_SEED=${seed}: ${(error as Error).message}`, { cause: error })
    } finally {
      ours.close()
      theirs.close()
    }
  })
})
