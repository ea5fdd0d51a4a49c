/** Hashes with field expiry and sets against plain models, in every encoding, and what RDB form makes of all of them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import type { Ref } from '../../src/memory/ref.ts'
import { encodingOf, entrySize, freeEntry, hasFlag, MARK, newRootEntry, setFlag } from '../../src/structs/entry.ts'
import { lpValue } from '../../src/structs/listpack.ts'
import { type HashLimits, hashDelete, hashFind, hashLength, hashOps, hashSet, newHash } from '../../src/types/hash.ts'
import { nextExpiry, purgeExpired, setFoundExpiry, volatileCount } from '../../src/types/hash-expiry.ts'
import { walkExpiry, walkField, walkFirst, walkNext, walkValue } from '../../src/types/hash-walk.ts'
import { listOps } from '../../src/types/list.ts'
import { HASH, INTSET, LISTPACK, SET, type TypeOps, word0 } from '../../src/types/object.ts'
import { loaded } from '../../src/types/rdb.ts'
import { RdbReader, RdbWriter } from '../../src/types/rdb-io.ts'
import { loadValue, saveValue } from '../../src/types/rdb-registry.ts'
import { type SetLimits, newSetRoot, setAdd, setHas, setOps, setRandom, setRemove, setRemoveDrawn, setSize } from '../../src/types/set.ts'
import { memberFirst, memberGet, memberNext } from '../../src/types/set-walk.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'
import { Random } from '../../src/util/random.ts'

const KEY = bytesOf('key')
const limits = {
  hash: { entries: 6, value: 20 } as HashLimits,
  set: { intset: 5, entries: 6, value: 20 } as SetLimits,
  list: { size: -2, depth: 0 },
  zset: { entries: 128, value: 64 },
}

function current(): string {
  return latin1(lpValue.bytes, lpValue.off, lpValue.len)
}

function audit(mem: Arena, ops: TypeOps, ...entries: Ref[]): string[] {
  return auditArena(mem, (report) => {
    for (const entry of entries) {
      report(entry, entrySize(mem, entry))
      ops.audit(mem, entry, report)
    }
  })
}

/** The value written and read back, as an entry of its own. */
function throughRdb(mem: Arena, entry: Ref): Ref {
  const out = new RdbWriter()
  expect(saveValue(mem, entry, out)).toBe(true)
  expect(loadValue(mem, new RdbReader(out.bytes, 0, out.length), limits)).toBe(true)
  return newRootEntry(mem, word0(loaded.type, loaded.encoding), loaded.hasExpiries ? MARK : 0, KEY, 0, 3, loaded.root)
}

function copyOf(mem: Arena, ops: TypeOps, entry: Ref, type: number): Ref {
  const copy = newRootEntry(mem, word0(type, encodingOf(mem, entry)), 0, KEY, 0, 3, ops.copyRoot(mem, entry))
  setFlag(mem, copy, MARK, hasFlag(mem, entry, MARK))
  return copy
}

function release(mem: Arena, ops: TypeOps, entry: Ref): void {
  while (!ops.freeStep(mem, entry, 3));
  freeEntry(mem, entry)
}

type Fields = Map<string, { value: string; expiry: number }>

function fieldsOf(mem: Arena, hash: Ref): Fields {
  const out: Fields = new Map()
  for (let more = walkFirst(mem, hash); more; more = walkNext(mem)) {
    walkField(mem)
    const name = current()
    walkValue(mem)
    out.set(name, { value: current(), expiry: walkExpiry(mem) })
  }
  return out
}

test('hashes do what a map does', () => {
  const name = fc.constantFrom('a', 'b', 'c', '1', '2', '-70000', 'long name long name long name', '', 'z', 'y')
  const value = fc.constantFrom('', 'v', '12', '9007199254740993', 'long value long value', 'x'.repeat(2000))
  const step = fc.tuple(fc.nat(9), name, value, fc.integer({ min: 1, max: 30 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const mem = new Arena()
      const hash = newRootEntry(mem, word0(HASH, LISTPACK), 0, KEY, 0, 3, newHash(mem))
      const model: Fields = new Map()
      for (const [op, field, text, at] of steps) {
        const f = bytesOf(field)
        const v = bytesOf(text)
        const old = model.get(field)
        expect(hashFind(mem, hash, f, 0, f.length)).toBe(old !== undefined)
        if (op < 5) {
          const keep = op === 4
          expect(hashSet(mem, hash, f, 0, f.length, v, 0, v.length, keep, limits.hash)).toBe(old === undefined)
          model.set(field, { value: text, expiry: keep ? (old?.expiry ?? 0) : 0 })
        } else if (op < 7 && old !== undefined) {
          const expiry = op === 5 ? at : 0
          setFoundExpiry(mem, hash, f, 0, f.length, expiry)
          old.expiry = expiry
        } else if (op === 7) {
          expect(hashDelete(mem, hash, f, 0, f.length)).toBe(model.delete(field))
        } else if (op === 8) {
          const due = [...model].filter(([, { expiry }]) => expiry > 0 && expiry < at).map(([n]) => n)
          const gone: string[] = []
          purgeExpired(mem, hash, at, Infinity, (bytes, off, len) => gone.push(latin1(bytes, off, len)))
          expect(gone.toSorted()).toEqual(due.toSorted())
          for (const n of due) model.delete(n)
        }
        expect(fieldsOf(mem, hash)).toEqual(model)
        expect(hashLength(mem, hash)).toBe(model.size)
      }
      const expiries = [...model.values()].map(({ expiry }) => expiry).filter((expiry) => expiry > 0)
      expect(volatileCount(mem, hash)).toBe(expiries.length)
      expect(nextExpiry(mem, hash)).toBeLessThanOrEqual(Math.min(Infinity, ...expiries))
      const copy = copyOf(mem, hashOps, hash, HASH)
      expect(fieldsOf(mem, copy)).toEqual(model)
      const all = [hash, copy]
      if (model.size > 0) {
        const twin = throughRdb(mem, hash)
        expect(fieldsOf(mem, twin)).toEqual(model)
        all.push(twin)
      }
      expect(audit(mem, hashOps, ...all)).toEqual([])
      for (const entry of all) release(mem, hashOps, entry)
      expect(mem.used).toBe(0)
    }),
    { numRuns: 50 },
  )
}, 20_000)

function membersOf(mem: Arena, set: Ref): string[] {
  const out: string[] = []
  for (let more = memberFirst(mem, set); more; more = memberNext(mem)) {
    memberGet(mem)
    out.push(current())
  }
  return out.toSorted()
}

test('sets do what a set does', () => {
  const member = fc.constantFrom(
    '1',
    '2',
    '3',
    '-70000',
    '5000000000',
    '9223372036854775807',
    'a',
    'b',
    '',
    '01',
    'long member long member',
  )
  const step = fc.tuple(fc.nat(5), member)
  const random = new Random(1)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const mem = new Arena()
      const set = newRootEntry(mem, word0(SET, INTSET), 0, KEY, 0, 3, newSetRoot(mem, INTSET))
      const model = new Set<string>()
      for (const [op, text] of steps) {
        const m = bytesOf(text)
        expect(setHas(mem, set, m, 0, m.length)).toBe(model.has(text))
        if (op < 4) {
          expect(setAdd(mem, set, m, 0, m.length, limits.set)).toBe(!model.has(text))
          model.add(text)
        } else if (op === 4) expect(setRemove(mem, set, m, 0, m.length)).toBe(model.delete(text))
        else if (model.size > 0) {
          setRandom(mem, set, random)
          expect(model.delete(current())).toBe(true)
          setRemoveDrawn(mem, set)
        }
        expect(membersOf(mem, set)).toEqual([...model].toSorted())
        expect(setSize(mem, set)).toBe(model.size)
      }
      const all = [set, copyOf(mem, setOps, set, SET)]
      if (model.size > 0) all.push(throughRdb(mem, set))
      for (const entry of all) expect(membersOf(mem, entry)).toEqual([...model].toSorted())
      expect(audit(mem, setOps, ...all)).toEqual([])
      for (const entry of all) release(mem, setOps, entry)
      expect(mem.used).toBe(0)
    }),
    { numRuns: 50 },
  )
}, 20_000)

test('any bytes in place of a value are refused or read, and never break anything', () => {
  const mem = new Arena()
  const types = fc.constantFrom(0, 1, 2, 4, 9, 10, 11, 13, 14, 16, 18, 20, 24, 25)
  fc.assert(
    fc.property(types, fc.uint8Array({ maxLength: 40 }), (type, bytes) => {
      const input = new RdbReader(Uint8Array.from([type, ...bytes]), 0, bytes.length + 1)
      if (loadValue(mem, input, limits) && loaded.root !== 0) {
        const entry = newRootEntry(mem, word0(loaded.type, loaded.encoding), loaded.hasExpiries ? MARK : 0, KEY, 0, 3, loaded.root)
        if (loaded.type === HASH) {
          fieldsOf(mem, entry)
          release(mem, hashOps, entry)
        } else if (loaded.type === SET) {
          membersOf(mem, entry)
          release(mem, setOps, entry)
        } else release(mem, listOps, entry)
      }
    }),
    { numRuns: 3000 },
  )
  expect(mem.used).toBe(0)
}, 20_000)
