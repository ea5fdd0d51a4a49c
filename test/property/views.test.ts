/**
 * After any commands, nobody may hold a view of a segment that was dropped: its memory would not go back to the system. So each round
 * fills a segment of its own by commands of every group, empties it, and asks the garbage collector whether it is gone.
 */
import { setTimeout as macrotask } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { SEGMENT_BYTES } from '../../src/memory/ref.ts'
import { letGoOfViews } from '../../src/util/views.ts'
import { anyCommands } from '../support/any-command.ts'
import { InProcess } from '../support/in-process.ts'
import { runSeed, seeded } from '../support/random.ts'

const ROUNDS = 10
const COMMANDS = 1000

setFlagsFromString('--expose-gc')
const collectAll = runInNewContext('gc') as () => void

test('no view of a dropped segment is kept by any command', { timeout: 60_000 }, async () => {
  const seed = runSeed()
  const random = seeded(seed)
  const server = new InProcess()
  const { engine } = server
  const client = engine.addClient()
  client.resp = 3
  const next = anyCommands(random, /^(FLUSHALL|FLUSHDB|SWAPDB|SELECT)$/)
  const held: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const segments = fillOne(server, client, next)
    expect(segments.length, `seed ${seed}: segments filled`).toBeGreaterThan(0)
    await macrotask() // a WeakRef holds what it was asked for until the end of the task
    letGoOfViews()
    collectAll()
    if (segments.some((segment) => segment.deref() !== undefined)) held.push(`round ${round}`)
  }
  expect(held, `seed ${seed}`).toEqual([])
})

/** Fills the first segment without touching it, so that what the commands store comes into others; drops these. */
function fillOne(server: InProcess, client: ReturnType<InProcess['client']>, next: () => readonly string[]): WeakRef<ArrayBufferLike>[] {
  const { engine } = server
  for (const key of ['ballast:1', 'ballast:2']) server.run(client, ['SETRANGE', key, String(SEGMENT_BYTES / 2 - 100_000), 'x'])
  for (let i = 0; i < COMMANDS; i++) server.run(client, next())
  const segments = engine.mem.u8.slice(1).map((view) => new WeakRef(view.buffer))
  server.run(client, ['DISCARD'])
  server.run(client, ['FLUSHALL', 'SYNC'])
  while (engine.space.lazy.step(1000));
  while (engine.mem.trim());
  return segments.filter((_, i) => engine.mem.u8[i + 1].length === 0)
}
