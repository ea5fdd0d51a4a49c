/** Those tools of DEBUG that tests use to reach what commands do not show. */
import type { Client } from '../engine/client.ts'
import { rewriteConf } from '../engine/conf-rewrite.ts'
import { systemReason } from '../engine/config-types.ts'
import { globMatch } from '../util/glob.ts'
import { clientBytes } from '../engine/client-line.ts'

const MATCH_ROUNDS = 100_000
const MATCH_BYTES = 32

/** Matches random texts against random patterns. */
export function stringMatchTest(c: Client): void {
  const { random } = c.engine
  const bytes = new Uint8Array(2 * MATCH_BYTES)
  for (let round = 0; round < MATCH_ROUNDS; round++) {
    for (let i = 0; i < bytes.length; i++) bytes[i] = random.nextUint32() & 127
    const pattern = random.nextUint32() % MATCH_BYTES
    const text = random.nextUint32() % MATCH_BYTES
    globMatch(bytes, 0, pattern, bytes, MATCH_BYTES, text, false)
  }
  c.reply.simple('Apparently Redis did not crash: test passed')
}

/** The sizes of clients in powers of two: how many there are of each, and what they take together. */
const SMALLEST_BITS = 15
const SIZE_CLASSES = 19

export function clientEviction(c: Client): void {
  const { engine, reply } = c
  if (engine.config.str('maxmemory-clients') === '0') return reply.error('ERR maxmemory-clients is disabled.')
  const counts = new Array<number>(SIZE_CLASSES).fill(0)
  const sums = new Array<number>(SIZE_CLASSES).fill(0)
  for (const client of engine.clients.values()) {
    const bytes = clientBytes(client)
    const at = Math.min(SIZE_CLASSES - 1, Math.max(0, Math.floor(Math.log2(bytes)) - SMALLEST_BITS + 1))
    counts[at]++
    sums[at] += bytes
  }
  const lines = counts.map((count, i) => {
    const from = i === 0 ? 0 : 2 ** (SMALLEST_BITS + i - 1)
    const last = i === SIZE_CLASSES - 1
    const range = last ? `${from}+`.padEnd(23) : `${String(from).padStart(10)} - ${String(2 ** (SMALLEST_BITS + i) - 1).padStart(10)}`
    return `bucket ${range}: tot-mem: ${String(sums[i]).padStart(10)}, clients: ${count}\n`
  })
  const text = new TextEncoder().encode(lines.join(''))
  reply.verbatim('txt', text, 0, text.length)
}

/** CONFIG REWRITE with every option, also those that have their default. */
export function rewriteAll(c: Client): void {
  const { engine, reply } = c
  if (engine.configFile === '') return reply.error('ERR CONFIG-REWRITE-FORCE-ALL failed: Bad address')
  try {
    rewriteConf(engine.config, engine.configFile, true)
  } catch (error) {
    return reply.error(`ERR CONFIG-REWRITE-FORCE-ALL failed: ${systemReason(error)}`)
  }
  reply.ok()
}

/** Sends a command to replicas and the append-only file that is not run here. */
export function replicate(c: Client): void {
  const { argv, engine } = c
  engine.propagate.silence()
  if (engine.propagate.sinks !== 0) engine.propagate.also(c.db).argsOf(argv, 2, argv.count)
  c.reply.ok()
}
