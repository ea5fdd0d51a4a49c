import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { NULL_REF, type Ref } from '../../src/memory/ref.ts'
import { entrySize, freeShell, newRootEntry } from '../../src/structs/entry.ts'
import { nameAt, namesSize } from '../../src/structs/name-list.ts'
import { MIN_ID } from '../../src/structs/stream-cursor.ts'
import { idText, parseId } from '../../src/structs/stream-id.ts'
import { IndexCursor, indexFind, indexFirst, indexNext, indexSize } from '../../src/structs/stream-index.ts'
import { newStream } from '../../src/types/stream.ts'
import {
  acknowledge,
  consumerPending,
  consumersOf,
  createConsumer,
  createGroup,
  deleteConsumer,
  deliver,
  deliveries,
  deliveryMs,
  destroyGroup,
  findConsumer,
  findGroup,
  pendingConsumer,
  pendingOf,
  transfer,
} from '../../src/types/stream-group.ts'
import { auditStream, copyStream, freeStream, streamOps } from '../../src/types/stream-ops.ts'
import { bytesOf } from '../../src/util/bytes.ts'

const place = new IndexCursor()
const names = ['c', 'consumer-1', 'consumer-10', 'consumer-2', '', 'zz']

function idOf(n: number): Uint32Array {
  const text = `${n >> 4}-${n & 15}`
  const id = new Uint32Array(4)
  parseId(bytesOf(text), 0, text.length, id, 0, false)
  return id
}

function listOf(mem: Arena, index: Ref): string[] {
  const ids: string[] = []
  if (index !== NULL_REF)
    for (let more = indexFirst(mem, index, place); more; more = indexNext(mem, index, place)) ids.push(idText(place.view, place.at))
  return ids
}

type Model = Map<string, Map<number, { consumer: string; ms: number; count: number }>>

function check(mem: Arena, stream: Ref, model: Model, consumers: Map<string, Set<string>>): void {
  for (const [groupName, pending] of model) {
    const group = findGroup(mem, stream, bytesOf(groupName), 0, groupName.length)
    const keys = [...pending.keys()].sort((a, b) => a - b)
    const index = pendingOf(mem, group)
    expect(listOf(mem, index)).toEqual(keys.map((n) => idText(idOf(n), 0)))
    const list = consumersOf(mem, group)
    const expected = [...(consumers.get(groupName) ?? [])].sort()
    expect(namesSize(mem, list)).toBe(expected.length)
    expected.forEach((name, i) => {
      const consumer = findConsumer(mem, group, bytesOf(name), 0, name.length)
      expect(nameAt(mem, list, i)).toBe(consumer)
      const own = keys.filter((n) => pending.get(n)?.consumer === name)
      expect(listOf(mem, consumerPending(mem, consumer))).toEqual(own.map((n) => idText(idOf(n), 0)))
      for (const n of own) {
        expect(indexFind(mem, index, idOf(n), 0, place)).toBe(true)
        expect(pendingConsumer(place)).toBe(consumer)
        expect([deliveryMs(place), deliveries(place)]).toEqual([pending.get(n)?.ms, pending.get(n)?.count])
      }
    })
  }
  expect(auditArena(mem, (report) => auditStream(mem, stream, report))).toEqual([])
}

/** A stream that is being freed in slices still owns exactly the rest of its blocks. */
function checkBlocks(mem: Arena, stream: Ref, entry: Ref): void {
  const faults = auditArena(mem, (report) => {
    auditStream(mem, stream, report)
    report(entry, entrySize(mem, entry))
  })
  expect(faults).toEqual([])
}

const action = fc.record({
  op: fc.constantFrom('deliver', 'deliver', 'ack', 'transfer', 'drop', 'destroy'),
  group: fc.constantFrom('g', 'other', 'a group with a long name'),
  consumer: fc.constantFrom(...names),
  from: fc.nat(600),
  count: fc.nat(80),
  stride: fc.integer({ min: 1, max: 3 }),
})

test('groups and their pending entries agree with maps', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.boolean(), (actions, sliced) => {
      const mem = new Arena()
      const stream = newStream(mem)
      const model: Model = new Map()
      const consumers = new Map<string, Set<string>>()
      let now = 1e12
      for (const { op, group: groupName, consumer: name, from, count, stride } of actions) {
        now += 1
        const groupBytes = bytesOf(groupName)
        let group = findGroup(mem, stream, groupBytes, 0, groupBytes.length)
        if (group === NULL_REF) {
          group = createGroup(mem, stream, groupBytes, 0, groupBytes.length, MIN_ID, 0, 0)
          model.set(groupName, new Map())
          consumers.set(groupName, new Set())
        }
        const pending = model.get(groupName) ?? new Map()
        const nameBytes = bytesOf(name)
        if (op === 'destroy') {
          if (count > 20) continue
          expect(destroyGroup(mem, stream, groupBytes, 0, groupBytes.length)).toBe(true)
          model.delete(groupName)
          continue
        }
        if (op === 'drop') {
          const own = [...pending].filter(([, entry]) => entry.consumer === name).map(([n]) => n)
          const known = consumers.get(groupName)?.delete(name)
          expect(deleteConsumer(mem, group, nameBytes, 0, nameBytes.length)).toBe(known ? own.length : -1)
          for (const n of own) pending.delete(n)
          continue
        }
        createConsumer(mem, group, nameBytes, 0, nameBytes.length, now)
        consumers.get(groupName)?.add(name)
        const consumer = findConsumer(mem, group, nameBytes, 0, nameBytes.length)
        for (let i = 0, n = from; i < count; i++, n += stride) {
          if (op === 'deliver') {
            deliver(mem, group, consumer, idOf(n), now)
            pending.set(n, { consumer: name, ms: now, count: 1 })
          } else if (op === 'ack') expect(acknowledge(mem, group, idOf(n), 0)).toBe(pending.delete(n))
          else if (indexFind(mem, pendingOf(mem, group), idOf(n), 0, place)) {
            transfer(mem, place, consumer, idOf(n))
            const entry = pending.get(n)
            if (entry) entry.consumer = name
          }
        }
      }
      check(mem, stream, model, consumers)
      const copy = copyStream(mem, stream)
      for (const [name] of model)
        expect(indexSize(mem, pendingOf(mem, findGroup(mem, stream, bytesOf(name), 0, name.length)))).toBe(model.get(name)?.size)
      freeStream(mem, stream)
      check(mem, copy, model, consumers)
      if (sliced) {
        const entry = newRootEntry(mem, 0, 0, bytesOf('k'), 0, 1, copy)
        let steps = 0
        while (!streamOps.freeStep(mem, entry, 1)) if (steps++ % 7 === 0) checkBlocks(mem, copy, entry)
        freeShell(mem, entry)
      } else freeStream(mem, copy)
      expect(mem.used).toBe(0)
    }),
    { numRuns: 60 },
  )
})
