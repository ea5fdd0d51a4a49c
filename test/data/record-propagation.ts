/**
 * Records test/data/propagation-7.2.6.txt anew: runs its commands on a redis-server and writes what each appends to the server's file.
 *
 *   RESPD_ORACLE=.../redis-7.2.6/src/redis-server npx tsx test/data/record-propagation.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Connection } from '../support/connection.ts'
import { commandsIn } from '../support/in-process.ts'
import { startOracle } from '../support/oracle.ts'
import { AOF_OPTIONS, AofReader, effectLine, recordedParts, type Step } from '../support/propagation.ts'
import { quote } from '../support/words.ts'

/** How long the answer of a client that may have to wait is waited for. */
const PATIENCE_MS = 30

const file = new URL('propagation-7.2.6.txt', import.meta.url)
const [head] = readFileSync(file, 'utf8').split('\n')
const parts: string[] = [head]
for (const { title, steps } of recordedParts()) parts.push('', `== ${title}`, ...(await record(steps)))
writeFileSync(file, `${parts.join('\n')}\n`)

async function record(steps: readonly Step[]): Promise<string[]> {
  const oracle = await startOracle(...AOF_OPTIONS)
  const aof = new AofReader(oracle.dir)
  const clients = new Map<number, Connection>()
  const lines: string[] = []
  let dump = ''
  for (const { client: number, command } of steps) {
    const client = clients.get(number) ?? (await Connection.open(oracle.address))
    clients.set(number, client)
    // what it has waited for is not the answer to what follows
    while (!(await client.quiet(1))) await client.read()
    const nowMs = Date.now()
    client.send(...command.map((word) => Buffer.from(word === '$DUMP' ? dump : word, 'latin1')))
    const reply = await client.read(number === 1 ? undefined : PATIENCE_MS).catch(() => null)
    if (reply?.type === 'bulk' && /dump/i.test(command.join(' '))) dump = reply.text
    lines.push(`${number === 1 ? '' : `${number}> `}${command.map((word) => quote(word)).join(' ')}`)
    for (const effect of commandsIn(aof.take())) lines.push(`  -> ${effectLine(effect, nowMs, dump)}`)
  }
  for (const client of clients.values()) client.close()
  await oracle.stop()
  return lines
}
