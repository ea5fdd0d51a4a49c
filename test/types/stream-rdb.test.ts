import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import type { Ref } from '../../src/memory/ref.ts'
import { freeShell, newRootEntry } from '../../src/structs/entry.ts'
import { StreamCursor } from '../../src/structs/stream-cursor.ts'
import { parseId } from '../../src/structs/stream-id.ts'
import { STREAM, STREAM_NODES, word0 } from '../../src/types/object.ts'
import { loaded, type LoadLimits } from '../../src/types/rdb.ts'
import { RdbReader, RdbWriter } from '../../src/types/rdb-io.ts'
import { streamCodec } from '../../src/types/stream-rdb.ts'
import { indexOf, newStream, streamAppend, streamDelete, streamLength, streamTrim } from '../../src/types/stream.ts'
import { createConsumer, createGroup, deliver } from '../../src/types/stream-group.ts'
import { auditStream, copyStream, freeStream } from '../../src/types/stream-ops.ts'
import { frameOf } from '../../src/util/argv.ts'
import { bytesOf } from '../../src/util/bytes.ts'

const NO_LIMITS = {} as LoadLimits
const cursor = new StreamCursor()

function idOf(text: string): Uint32Array {
  const id = new Uint32Array(4)
  parseId(bytesOf(text), 0, text.length, id, 0, false)
  return id
}

/** A stream of 60 entries in several nodes, some deleted, and two groups. */
function sample(mem: Arena): Ref {
  const stream = newStream(mem)
  for (let i = 1; i <= 60; i++) {
    const pairs = i % 7 === 0 ? ['x', 'y'.repeat(i), 'z', String(i * 1000)] : ['f', String(i)]
    streamAppend(mem, stream, idOf(`${i}-${i}`), frameOf(pairs.map(bytesOf)), 0, pairs.length / 2, { maxBytes: 4096, maxEntries: 25 })
  }
  for (const gone of ['3-3', '30-30', '60-60']) streamDelete(mem, stream, idOf(gone), 0)
  streamTrim(mem, stream, { maxLength: 50, minId: idOf('0'), approximate: false, limit: 0 })
  for (const name of ['g', 'other']) {
    const group = createGroup(mem, stream, bytesOf(name), 0, name.length, idOf('20'), 0, 20)
    const consumers = ['a', 'b'].map((consumer) => createConsumer(mem, group, bytesOf(consumer), 0, 1, 1e12))
    for (let i = 10; i < 20; i++) deliver(mem, group, consumers[i % 2], idOf(`${i}-${i}`), 1e12 + i)
  }
  return stream
}

function save(mem: Arena, stream: Ref, compress = false): Uint8Array {
  const out = new RdbWriter(compress)
  const entry = newRootEntry(mem, word0(STREAM, STREAM_NODES), 0, bytesOf('k'), 0, 1, stream)
  streamCodec.save(mem, entry, out)
  freeShell(mem, entry)
  return out.written().slice()
}

function load(mem: Arena, bytes: Uint8Array): boolean {
  const input = new RdbReader(bytes, 1, bytes.length)
  const loader = streamCodec.loads.find(([type]) => type === bytes[0])?.[1]
  return loader !== undefined && loader(mem, input, bytes[0], NO_LIMITS)
}

describe('streams in RDB form', () => {
  test('come back as they were', () => {
    const mem = new Arena()
    const stream = sample(mem)
    for (const compress of [false, true]) {
      const bytes = save(mem, stream, compress)
      expect(load(mem, bytes)).toBe(true)
      expect(save(mem, loaded.root)).toEqual(save(mem, stream))
      expect(streamLength(mem, loaded.root)).toBe(streamLength(mem, stream))
      freeStream(mem, loaded.root)
    }
    freeStream(mem, stream)
    expect(mem.used).toBe(0)
  })

  test('cut anywhere, they are refused and leave nothing behind', () => {
    const mem = new Arena()
    const stream = sample(mem)
    const bytes = save(mem, stream)
    freeStream(mem, stream)
    for (let length = 1; length < bytes.length; length += 3) expect(load(mem, bytes.subarray(0, length)), String(length)).toBe(false)
    expect(mem.used).toBe(0)
  })

  test('damaged, they are refused or are streams that can be used', () => {
    const mem = new Arena()
    const stream = sample(mem)
    const bytes = save(mem, stream)
    freeStream(mem, stream)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (damages) => {
        const damaged = bytes.slice()
        for (const [at, byte] of damages) damaged[at] = byte
        if (!load(mem, damaged)) {
          expect(mem.used).toBe(0)
          return
        }
        const root = loaded.root
        for (const reverse of [false, true]) {
          cursor.startAll(mem, indexOf(mem, root), reverse)
          while (cursor.next())
            for (let i = 0; i < cursor.pairs; i++) {
              cursor.readField()
              cursor.readValue()
            }
        }
        streamTrim(mem, root, { maxLength: 10, minId: idOf('0'), approximate: false, limit: 0 })
        freeStream(mem, copyStream(mem, root))
        expect(auditArena(mem, (report) => auditStream(mem, root, report))).toEqual([])
        freeStream(mem, root)
        expect(mem.used).toBe(0)
      }),
      { numRuns: 1500 },
    )
  })
})
