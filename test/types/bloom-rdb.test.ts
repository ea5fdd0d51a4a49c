import { expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { bloomAdd, bloomHas, bloomRoot, freeBloom, newBloom } from '../../src/structs/bloom.ts'
import { newRootEntry } from '../../src/structs/entry.ts'
import { bloomOps } from '../../src/types/bloom.ts'
import { bloomCodec } from '../../src/types/bloom-rdb.ts'
import { BLOOM, BLOOM_CHAIN, word0 } from '../../src/types/object.ts'
import { type LoadLimits, loaded, RDB_MODULE_2 } from '../../src/types/rdb.ts'
import { RdbReader, RdbWriter } from '../../src/types/rdb-io.ts'
import { bytesOf } from '../../src/util/bytes.ts'
import { runSeed, seeded } from '../support/random.ts'

const [[, load]] = bloomCodec.loads

function filledChain(mem: Arena, items: number) {
  let root = newBloom(mem, 5, 0.01, 2, false)
  for (let i = 0; i < items; i++) {
    const item = bytesOf(`item ${i}`)
    bloomAdd(mem, root, item, 0, item.length)
    root = bloomRoot
  }
  return newRootEntry(mem, word0(BLOOM, BLOOM_CHAIN), 0, bytesOf('k'), 0, 1, root)
}

test('damaged bytes never load into something that reads outside its bits, and leave nothing behind', () => {
  const seed = runSeed()
  const random = seeded(seed)
  const mem = new Arena()
  const out = new RdbWriter()
  bloomCodec.save(mem, filledChain(mem, 60), out)
  const clean = out.written().slice(1)
  const before = mem.used
  for (let round = 0; round < 3000; round++) {
    const bytes = clean.slice(0, random.chance(0.3) ? random.below(clean.length) : clean.length)
    for (let n = random.below(4); n > 0 && bytes.length > 0; n--) bytes[random.below(bytes.length)] = random.below(256)
    if (!load(mem, new RdbReader(bytes, 0, bytes.length), RDB_MODULE_2, {} as LoadLimits)) {
      expect(mem.used, `seed ${seed}`).toBe(before)
      continue
    }
    const item = bytesOf(`item ${round}`)
    bloomHas(mem, loaded.root, item, 0, item.length)
    freeBloom(mem, loaded.root)
  }
})

test('a chain is the same after saving and loading', () => {
  const mem = new Arena()
  const entry = filledChain(mem, 200)
  const out = new RdbWriter()
  bloomCodec.save(mem, entry, out)
  const bytes = out.written()
  expect(load(mem, new RdbReader(bytes, 1, bytes.length), RDB_MODULE_2, {} as LoadLimits)).toBe(true)
  const twin = newRootEntry(mem, word0(BLOOM, BLOOM_CHAIN), 0, bytesOf('l'), 0, 1, loaded.root)
  const again = new RdbWriter()
  bloomCodec.save(mem, twin, again)
  expect(again.written()).toEqual(bytes)
  for (const e of [entry, twin]) bloomOps.free(mem, e)
  expect(auditArena(mem, (report) => [entry, twin].forEach((e) => report(e, 17)))).toEqual([])
})
