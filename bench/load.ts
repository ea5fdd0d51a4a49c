/** Fills a server: commands in large pipelines, two of them under way at a time. An error reply ends it. */
import type { Connection } from '../test/support/connection.ts'
import { type Argument, encodePipeline, show } from '../test/support/resp.ts'

export type Command = readonly Argument[]

const BATCH = 500
const MINUS = 45

export async function load(connection: Connection, commands: Iterable<Command>): Promise<void> {
  let waiting = 0
  let batch: Command[] = []
  const send = async () => {
    const before = waiting
    connection.write(encodePipeline(batch))
    waiting = batch.length
    batch = []
    await skip(connection, before)
  }
  for (const command of commands) if (batch.push(command) === BATCH) await send()
  await send()
  await skip(connection, waiting)
}

async function skip(connection: Connection, replies: number): Promise<void> {
  for (let i = 0; i < replies; i++) {
    const reply = await connection.readRaw(120_000)
    if (reply[0] === MINUS) throw new Error(show(reply))
  }
}

/** A number as redis-benchmark writes __rand_int__. */
export const padded = (n: number): string => String(n).padStart(12, '0')
