/**
 * Commands of every group, made from the argument grammar of the command table over a few keys of every type: nothing may fail with a
 * defect, and at the end each block of the arena is held exactly once.
 */
import { expect, test } from 'vitest'
import { auditArena } from '../../src/memory/audit.ts'
import { anyCommands } from '../support/any-command.ts'
import { InProcess } from '../support/in-process.ts'
import { runSeed, seeded } from '../support/random.ts'

const COMMANDS = 12_000
const AUDIT_EVERY = 1000

test('commands of every group leave no defect and no stray block', { timeout: 60_000 }, () => {
  const seed = runSeed()
  const random = seeded(seed)
  const server = new InProcess()
  const { engine, clock } = server
  const client = engine.addClient()
  client.resp = 3 // subscribed clients of RESP2 may do little else
  let refused = 0
  const next = anyCommands(random)
  const run = (words: readonly string[]): void => {
    if (server.run(client, words)?.type === 'error') refused++
    if (server.defects.length > 0) expect.fail(`seed ${seed}: ${JSON.stringify(words)}\n${server.defects[0]}`)
  }
  const audit = (at: string): void => {
    const faults = auditArena(engine.mem, (report) => engine.space.audit(report))
    expect(faults, `seed ${seed}: ${at}`).toEqual([])
  }
  for (let i = 0; i < COMMANDS; i++) {
    const words = next()
    run(words)
    if (random.chance(0.02)) clock.advance(random.below(100_000))
    if (i % AUDIT_EVERY === 0) audit(words.join(' ').slice(0, 200))
  }
  expect(refused, 'commands that were errors').toBeLessThan(COMMANDS / 2)
  run(['DISCARD'])
  audit('at the end')
  run(['FLUSHALL'])
  audit('after FLUSHALL')
})
