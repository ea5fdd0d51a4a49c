import { describe, expect, test } from 'vitest'
import { Evacuation } from '../../src/keyspace/evacuate.ts'
import { NO_EXPIRY } from '../../src/keyspace/db.ts'
import { Keyspace } from '../../src/keyspace/keyspace.ts'
import { setString } from '../../src/keyspace/strings.ts'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref, SEGMENT_BYTES } from '../../src/memory/ref.ts'
import { newDict } from '../../src/structs/dict.ts'
import { foundExpiry, hashDelete, hashFind, hashSet } from '../../src/types/hash.ts'
import { setFoundExpiry } from '../../src/types/hash-expiry.ts'
import { HASH, HASHTABLE, INTSET, SET } from '../../src/types/object.ts'
import { newSetRoot, setAdd, setHas, setRemove, setSize } from '../../src/types/set.ts'
import { encodingOf } from '../../src/structs/entry.ts'
import { stringBytes } from '../../src/types/string.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { Random } from '../../src/util/random.ts'
import { InProcess } from '../support/in-process.ts'

const START_MS = 1_700_000_000_000
const KEYS = 6000
const DIGEST = ['DEBUG', 'DIGEST-VALUE', 'list', 'zset', 'stream']
const LARGE = 40_000

/** A keyspace over several segments: strings inside and outside of entries, with and without expiry, and sets. */
function world(): { space: Keyspace; evacuation: Evacuation } {
  const space = new Keyspace(new Arena(), new ManualClock(START_MS), new Random(5), 2)
  for (let i = 0; i < KEYS; i++) {
    const name = bytesOf(`key:${i}`)
    const value = bytesOf(String(i).repeat(i % 2 === 0 ? 4 : LARGE / 5))
    setString(space.dbs[i % 2], NULL_REF, name, 0, name.length, value, 0, value.length, i % 3 === 0 ? START_MS + 1e9 : NO_EXPIRY)
  }
  for (let i = 0; i < 50; i++) addSet(space, i)
  return { space, evacuation: new Evacuation(space) }
}

const LIMITS = { intset: 8, entries: 16, value: 64 }

function addSet(space: Keyspace, i: number): void {
  const name = bytesOf(`set:${i}`)
  const entry = space.dbs[0].addRoot(name, 0, name.length, SET, INTSET, newSetRoot(space.mem, INTSET))
  for (let member = 0; member < (i % 5) * 10; member++)
    setAdd(space.mem, entry, bytesOf(`m${member}`), 0, bytesOf(`m${member}`).length, LIMITS)
}

function removeMost(space: Keyspace): void {
  for (let i = 0; i < KEYS; i++) {
    if (i % 8 < 2) continue
    const name = bytesOf(`key:${i}`)
    expect(space.dbs[i % 2].remove(name, 0, name.length)).toBe(true)
  }
}

function check(space: Keyspace): void {
  for (let i = 0; i < KEYS; i++) {
    const name = bytesOf(`key:${i}`)
    const entry = space.dbs[i % 2].peekKey(name, 0, name.length)
    if (i % 8 >= 2) expect(entry).toBe(NULL_REF)
    else {
      const bytes = stringBytes(space.mem, entry)
      expect(latin1(bytes, 0, Math.min(10, bytes.length))).toBe(String(i).repeat(20).slice(0, Math.min(10, bytes.length)))
      expect(space.dbs[i % 2].expiryOf(entry)).toBe(i % 3 === 0 ? START_MS + 1e9 : NO_EXPIRY)
    }
  }
  for (let i = 0; i < 50; i++) {
    const name = bytesOf(`set:${i}`)
    const entry = space.dbs[0].peekKey(name, 0, name.length)
    expect(setSize(space.mem, entry)).toBe((i % 5) * 10)
    if (i % 5 > 1) expect(encodingOf(space.mem, entry)).toBe(HASHTABLE)
    if (i % 5 > 0) expect(setHas(space.mem, entry, bytesOf('m7'), 0, 2)).toBe(true)
  }
  expect(auditArena(space.mem, (report) => space.audit(report))).toEqual([])
}

describe('evacuation', () => {
  test('empties sparse segments; every key, expiry and collection stays; the memory goes back; a snapshot makes it wait', () => {
    const { space, evacuation } = world()
    const full = space.mem.resident
    expect(full).toBeGreaterThan(SEGMENT_BYTES)
    removeMost(space)
    expect(space.mem.used).toBeLessThan(full / 2)
    expect(evacuation.begin(0)).toBe(true)
    space.hooks.aboutToChange = () => {}
    expect(evacuation.step()).toBe(false)
    expect(evacuation.running).toBe(true)
    space.hooks.aboutToChange = null
    for (let step = 0; evacuation.step(); step++) {
      if (step % 2000 === 0) expect(auditArena(space.mem, (report) => space.audit(report))).toEqual([])
      if (step % 50 === 0) churn(space, step)
    }
    expect(evacuation.running).toBe(false)
    expect(evacuation.hits).toBeGreaterThan(100)
    while (space.mem.trim());
    check(space)
    expect(space.mem.resident).toBeLessThan(space.mem.used * 1.15 + SEGMENT_BYTES)
  })

  /** Keys come and go while the walk is under way, so that the tables grow under it. */
  function churn(space: Keyspace, step: number): void {
    for (let i = 0; i < 20; i++) {
      const name = bytesOf(`churn:${step}:${i}`)
      setString(space.dbs[0], NULL_REF, name, 0, name.length, name, 0, name.length, NO_EXPIRY)
      if (i % 2 === 0) space.dbs[0].remove(name, 0, name.length)
    }
  }

  test('moves large hashes and sets in steps, however often it is interrupted and whatever changes in between', () => {
    const space = new Keyspace(new Arena(), new ManualClock(START_MS), new Random(5), 1)
    const { mem } = space
    const db = space.dbs[0]
    const evacuation = new Evacuation(space)
    const [hash, set] = ['hash', 'set'].map((name) => bytesOf(name))
    db.addRoot(hash, 0, 4, HASH, HASHTABLE, newDict(mem))
    db.addRoot(set, 0, 3, SET, HASHTABLE, newDict(mem))
    const entryOf = (name: Uint8Array): Ref => db.peekKey(name, 0, name.length)
    const limits = { entries: 1, value: 1 }
    const setField = (i: number): void => {
      const [field, value] = [bytesOf(`field ${i}`), bytesOf(String(i).padEnd(i % 3 === 0 ? 3000 : 900, '.'))]
      hashSet(mem, entryOf(hash), field, 0, field.length, value, 0, value.length, false, limits)
      if (i % 7 === 0 && hashFind(mem, entryOf(hash), field, 0, field.length))
        setFoundExpiry(mem, entryOf(hash), field, 0, field.length, START_MS + 1e9 + i)
      setAdd(mem, entryOf(set), field, 0, field.length, LIMITS)
    }
    const MEMBERS = 60_000
    for (let i = 0; i < MEMBERS; i++) setField(i)
    expect(mem.resident).toBeGreaterThan(SEGMENT_BYTES)
    for (let i = 0; i < MEMBERS; i++) {
      if (i % 10 === 0) continue
      const field = bytesOf(`field ${i}`)
      hashDelete(mem, entryOf(hash), field, 0, field.length)
      setRemove(mem, entryOf(set), field, 0, field.length)
    }
    expect(evacuation.begin(0)).toBe(true)
    for (let step = 0; evacuation.step(() => true); step++) {
      if (step % 100 === 0) setField(MEMBERS + step)
      if (step % 3000 === 0) expect(auditArena(mem, (report) => space.audit(report))).toEqual([])
    }
    expect(evacuation.emptied).toBeGreaterThan(0)
    while (mem.trim());
    expect(mem.resident).toBeLessThan(mem.used * 1.15 + SEGMENT_BYTES)
    expect(auditArena(mem, (report) => space.audit(report))).toEqual([])
    for (let i = 0; i < MEMBERS; i += 5) {
      const field = bytesOf(`field ${i}`)
      expect(setHas(mem, entryOf(set), field, 0, field.length)).toBe(i % 10 === 0)
      expect(hashFind(mem, entryOf(hash), field, 0, field.length)).toBe(i % 10 === 0)
      if (i % 10 === 0) expect(foundExpiry(mem, entryOf(hash))).toBe(i % 7 === 0 ? START_MS + 1e9 + i : 0)
    }
  })

  test('lists of few large nodes, sorted sets and streams go out of sparse segments as well, and the segments back', () => {
    const server = new InProcess({ 'list-max-listpack-size': '-5' })
    const client = server.client()
    const { space, mem } = server.engine
    const run = (...words: string[]): void => void server.run(client, words)
    const ROUNDS = 200
    for (let i = 0; i < ROUNDS; i++) {
      const items = Array.from({ length: 40 }, (_, item) => `${i}:${item}`)
      run('RPUSH', 'list', 'x'.repeat(60_000))
      run('ZADD', 'zset', ...items.flatMap((item, at) => [String((i * 7919 + at) % 1000), item]))
      for (const item of items) run('XADD', 'stream', '*', 'field', item.repeat(20))
      run('SETRANGE', `junk:${i}`, '600000', 'j')
    }
    run('XGROUP', 'CREATE', 'stream', 'group', '0')
    run('XREADGROUP', 'GROUP', 'group', 'consumer', 'COUNT', '3000', 'STREAMS', 'stream', '>')
    const digest = server.run(client, DIGEST)
    for (let i = 0; i < ROUNDS; i++) run('DEL', `junk:${i}`)
    const evacuation = new Evacuation(space)
    expect(evacuation.begin(0)).toBe(true)
    while (evacuation.step(() => true));
    expect(evacuation.emptied).toBeGreaterThan(0)
    while (mem.trim());
    expect(mem.resident).toBeLessThan(mem.used * 1.15 + SEGMENT_BYTES)
    expect(auditArena(mem, (report) => space.audit(report))).toEqual([])
    expect(server.run(client, DIGEST)).toEqual(digest)
  })

  test('does nothing where nothing is wasted', () => {
    const space = new Keyspace(new Arena(), new ManualClock(START_MS), new Random(5), 2)
    const evacuation = new Evacuation(space)
    expect(evacuation.begin(0)).toBe(false)
    expect(evacuation.running).toBe(false)
    expect(evacuation.step()).toBe(false)
  })
})
