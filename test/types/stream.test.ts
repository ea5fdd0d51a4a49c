import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { type Ref, segmentOf, wordOf } from '../../src/memory/ref.ts'
import { lpValue } from '../../src/structs/listpack.ts'
import { MAX_ID, MIN_ID, StreamCursor } from '../../src/structs/stream-cursor.ts'
import { idText, parseId } from '../../src/structs/stream-id.ts'
import {
  FIRST_ID,
  hasEntry,
  indexOf,
  isAboveLast,
  LAST_ID,
  lastLiveId,
  MAX_DELETED_ID,
  newStream,
  nextId,
  nextSequence,
  streamAppend,
  streamDelete,
  streamLength,
  streamNodes,
  streamTrim,
} from '../../src/types/stream.ts'
import { acknowledge, createConsumer, createGroup, deliver, findConsumer, findGroup } from '../../src/types/stream-group.ts'
import { auditStream, copyStream, freeStream } from '../../src/types/stream-ops.ts'
import { frameOf } from '../../src/util/argv.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

const LIMITS = { maxBytes: 4096, maxEntries: 10 }

class BrittleArena extends Arena {
  left = Infinity
  override alloc(sizeBytes: number): Ref {
    if (this.left-- <= 0) throw new OutOfMemory('chosen')
    return super.alloc(sizeBytes)
  }
}

interface Entry {
  id: string
  pairs: string[]
}

const cursor = new StreamCursor()

function idOf(text: string): Uint32Array {
  const id = new Uint32Array(4)
  parseId(bytesOf(text), 0, text.length, id, 0, false)
  return id
}

function valueOf(text: string): bigint {
  const [ms, seq] = text.split('-')
  return (BigInt(ms) << 64n) | BigInt(seq)
}

function add(mem: Arena, stream: Ref, id: string, pairs: string[], limits = LIMITS): void {
  streamAppend(mem, stream, idOf(id), frameOf(pairs.map(bytesOf)), 0, pairs.length / 2, limits)
}

function read(mem: Arena, stream: Ref, low: Uint32Array, high: Uint32Array, reverse: boolean, readPairs = Infinity): Entry[] {
  const entries: Entry[] = []
  cursor.start(mem, indexOf(mem, stream), low, 0, high, 0, reverse)
  while (cursor.next()) {
    const pairs: string[] = []
    for (let i = 0; i < Math.min(cursor.pairs, readPairs); i++) {
      cursor.readField()
      pairs.push(latin1(lpValue.bytes, lpValue.off, lpValue.len))
      cursor.readValue()
      pairs.push(latin1(lpValue.bytes, lpValue.off, lpValue.len))
    }
    entries.push({ id: idText(cursor.id, 0), pairs })
  }
  return entries
}

const rootId = (mem: Arena, stream: Ref, word: number): string => idText(mem.u32[segmentOf(stream)], wordOf(stream) + word)
const audit = (mem: Arena, stream: Ref): string[] => auditArena(mem, (report) => auditStream(mem, stream, report))

const word = fc.oneof(
  fc.constantFrom('sensor', 'temp', 'a', ''),
  fc.integer({ min: -70_000, max: 70_000 }).map(String),
  fc.constantFrom('9223372036854775807', '-9223372036854775808', '9007199254740993', '007', '-0'),
  fc.string({ maxLength: 80 }).map((s) => latin1(bytesOf(s), 0, s.length)),
)
const pairsOf = fc.oneof(
  { weight: 3, arbitrary: fc.array(word, { minLength: 2, maxLength: 2 }).map(([a, b]) => ['sensor', a, 'temp', b]) },
  { weight: 1, arbitrary: fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 5 }).map((pairs) => pairs.flat()) },
)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constant('add' as const), ms: fc.nat(3), seq: fc.nat(5), pairs: pairsOf }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('jump' as const), ms: fc.constantFrom(2n ** 33n, 2n ** 53n, 2n ** 62n), pairs: pairsOf }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), which: fc.nat(60) }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('maxlen' as const), keep: fc.nat(60), approximate: fc.boolean(), limit: fc.nat(30) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('minid' as const), which: fc.nat(30), approximate: fc.boolean() }) },
)

/** What trimming may leave behind, from the nodes the model does not know: only the number deleted is checked for it. */
function checkTrim(model: Entry[], deleted: number, exactly: number, approximate: boolean): void {
  if (approximate) expect(deleted).toBeLessThanOrEqual(exactly)
  else expect(deleted).toBe(exactly)
  model.splice(0, deleted)
}

describe('stream', () => {
  test('agrees with an array of entries', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const mem = new Arena()
        const stream = newStream(mem)
        const model: Entry[] = []
        let last = 0n
        let deletedMax = 0n
        for (const s of steps) {
          if (s.op === 'add' || s.op === 'jump') {
            let ms = last >> 64n
            let seq = last & (2n ** 64n - 1n)
            if (s.op === 'jump') {
              if (ms + s.ms >= 2n ** 64n) continue
              ms += s.ms
              seq = s.ms
            } else {
              ms += BigInt(s.ms)
              seq = s.ms === 0 ? seq + 1n + BigInt(s.seq) : BigInt(s.seq)
            }
            const id = `${ms}-${seq}`
            expect(isAboveLast(mem, stream, idOf(id))).toBe(true)
            add(mem, stream, id, s.pairs)
            model.push({ id, pairs: s.pairs })
            last = valueOf(id)
          } else if (s.op === 'delete') {
            const [gone] = model.splice(s.which, 1)
            expect(streamDelete(mem, stream, idOf(gone?.id ?? '9-9'), 0)).toBe(gone !== undefined)
            if (gone === undefined) continue
            expect(streamDelete(mem, stream, idOf(gone.id), 0)).toBe(false)
            if (valueOf(gone.id) > deletedMax) deletedMax = valueOf(gone.id)
          } else if (s.op === 'maxlen') {
            const limit = s.approximate ? s.limit : 0
            const trim = { maxLength: s.keep, minId: MIN_ID, approximate: s.approximate, limit }
            checkTrim(model, streamTrim(mem, stream, trim), Math.max(0, model.length - s.keep), s.approximate)
          } else {
            const minId = model[s.which]?.id ?? '5-5'
            const trim = { maxLength: -1, minId: idOf(minId), approximate: s.approximate, limit: 0 }
            const below = model.filter(({ id }) => valueOf(id) < valueOf(minId)).length
            checkTrim(model, streamTrim(mem, stream, trim), below, s.approximate)
          }
          expect(streamLength(mem, stream)).toBe(model.length)
          expect(rootId(mem, stream, FIRST_ID)).toBe(model[0]?.id ?? '0-0')
        }
        expect(read(mem, stream, MIN_ID, MAX_ID, false)).toEqual(model)
        expect(read(mem, stream, MIN_ID, MAX_ID, true)).toEqual(model.toReversed())
        expect(read(mem, stream, MIN_ID, MAX_ID, false, 1).map(({ id }) => id)).toEqual(model.map(({ id }) => id))
        const [from, to] = [model[2]?.id ?? '3-0', model[9]?.id ?? '20-3']
        const between = model.filter(({ id }) => valueOf(id) >= valueOf(from) && valueOf(id) <= valueOf(to))
        expect(read(mem, stream, idOf(from), idOf(to), false)).toEqual(between)
        expect(read(mem, stream, idOf(from), idOf(to), true)).toEqual(between.toReversed())
        expect(valueOf(rootId(mem, stream, LAST_ID))).toBe(last)
        expect(valueOf(rootId(mem, stream, MAX_DELETED_ID))).toBe(deletedMax)
        const id = new Uint32Array(4)
        expect(lastLiveId(mem, stream, id)).toBe(model.length > 0)
        expect(idText(id, 0)).toBe(model.at(-1)?.id ?? '0-0')
        for (const entry of model) expect(hasEntry(mem, stream, idOf(entry.id), 0)).toBe(true)
        expect(audit(mem, stream)).toEqual([])
        const copy = copyStream(mem, stream)
        freeStream(mem, stream)
        expect(read(mem, copy, MIN_ID, MAX_ID, false)).toEqual(model)
        expect(audit(mem, copy)).toEqual([])
        freeStream(mem, copy)
        expect(mem.used).toBe(0)
      }),
      { numRuns: 80 },
    )
  })

  test('nodes of more than 127 entries keep their counts', () => {
    const mem = new Arena()
    const stream = newStream(mem)
    const limits = { maxBytes: 0, maxEntries: 0 }
    const ids = Array.from({ length: 1000 }, (_, i) => `${i + 1}-0`)
    for (const id of ids) add(mem, stream, id, ['f', id], limits)
    expect(streamNodes(mem, stream)).toBe(1)
    for (let i = 0; i < 990; i++) expect(streamDelete(mem, stream, idOf(ids[(i * 7) % 1000]), 0)).toBe(true)
    expect(streamLength(mem, stream)).toBe(10)
    expect(read(mem, stream, MIN_ID, MAX_ID, false)).toHaveLength(10)
    add(mem, stream, '6000-0', ['f', 'x'], limits)
    expect(read(mem, stream, MIN_ID, MAX_ID, true)[0]).toEqual({ id: '6000-0', pairs: ['f', 'x'] })
    freeStream(mem, stream)
    expect(mem.used).toBe(0)
  })

  test('generated ids follow the clock and never go back', () => {
    const mem = new Arena()
    const stream = newStream(mem)
    const id = new Uint32Array(4)
    const next = (now: number): string => {
      expect(nextId(mem, stream, now, id)).toBe(true)
      add(mem, stream, idText(id, 0), ['f', 'v'])
      return idText(id, 0)
    }
    expect([next(5), next(5), next(4), next(7)]).toEqual(['5-0', '5-1', '5-2', '7-0'])
    add(mem, stream, '7-18446744073709551615', ['f', 'v'])
    expect(next(6)).toBe('8-0')
    id.set(idOf('8-0'))
    expect(nextSequence(mem, stream, id)).toBe(true)
    expect(idText(id, 0)).toBe('8-1')
    add(mem, stream, '8-18446744073709551615', ['f', 'v'])
    expect(nextSequence(mem, stream, idOf('8-0'))).toBe(false)
    freeStream(mem, stream)
  })

  test('running out of memory leaves the stream as it was', () => {
    const mem = new BrittleArena()
    const stream = newStream(mem)
    const group = createGroup(mem, stream, bytesOf('g'), 0, 1, MIN_ID, 0, 0)
    createConsumer(mem, group, bytesOf('c'), 0, 1, 1)
    const model: Entry[] = []
    for (let i = 1; i < 1200; i++) {
      const id = `${i}-0`
      const pairs = i % 5 === 0 ? ['g', 'x'.repeat(i % 300)] : ['f', String(i)]
      for (let attempt = 0; ; attempt++) {
        mem.left = attempt
        try {
          add(mem, stream, id, pairs, { maxBytes: 4096, maxEntries: 300 })
          break
        } catch (error) {
          expect(error).toBeInstanceOf(OutOfMemory)
        }
      }
      mem.left = Infinity
      model.push({ id, pairs })
      for (let attempt = 0; ; attempt++) {
        mem.left = attempt
        try {
          const current = findGroup(mem, stream, bytesOf('g'), 0, 1)
          deliver(mem, current, findConsumer(mem, current, bytesOf('c'), 0, 1), idOf(id), i)
          break
        } catch (error) {
          expect(error).toBeInstanceOf(OutOfMemory)
        }
      }
      mem.left = Infinity
      if (i % 100 === 0) expect(audit(mem, stream)).toEqual([])
    }
    expect(read(mem, stream, MIN_ID, MAX_ID, false)).toEqual(model)
    for (let attempt = 0; ; attempt += 5) {
      mem.left = attempt
      try {
        const copy = copyStream(mem, stream)
        mem.left = Infinity
        freeStream(mem, copy)
        break
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfMemory)
        mem.left = Infinity
        expect(audit(mem, stream)).toEqual([])
      }
    }
    for (let i = 1; i < 1200; i += 2) expect(acknowledge(mem, group, idOf(`${i}-0`), 0)).toBe(true)
    expect(audit(mem, stream)).toEqual([])
    freeStream(mem, stream)
    expect(mem.used).toBe(0)
  })
})
