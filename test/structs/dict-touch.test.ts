/** What pass one reads ahead is what lookups read: the same buckets, entries and values, in every state of a dict. */
import { describe, expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { byteOf, NULL_REF, type Ref, SEGMENT_BYTES, segmentOf, wordOf } from '../../src/memory/ref.ts'
import { bucketAt, bucketOf, bucketView, hashOf, locateHash, MASK0, PAGE_BUCKETS, SLOTS, TABLE0 } from '../../src/structs/dict-table.ts'
import {
  dictAdd,
  dictFind,
  dictHash,
  dictIsRehashing,
  dictRehash,
  dictRemove,
  dictTouch,
  newDict,
  TOUCH_MAX,
} from '../../src/structs/dict.ts'
import { EMBEDDED_MAX, freeEntry, newEntry, valuePlace } from '../../src/structs/entry.ts'
import { bytesOf } from '../../src/util/bytes.ts'
import { Random } from '../../src/util/random.ts'

const mem = new Arena(1, 2)
const value = new Uint8Array(EMBEDDED_MAX + 1).fill(0xa5)
const hash = (key: string): number => dictHash(mem, bytesOf(key), 0, key.length)
const find = (dict: Ref, key: string): Ref => dictFind(mem, dict, bytesOf(key), 0, key.length, hash(key))

function add(dict: Ref, key: string, size: number): void {
  const bytes = bytesOf(key)
  dictAdd(mem, dict, newEntry(mem, 0, 0, bytes, 0, bytes.length, value, 0, size), hash(key))
}

function remove(dict: Ref, key: string): void {
  const entry = dictRemove(mem, dict, bytesOf(key), 0, key.length, hash(key))
  if (entry !== NULL_REF) freeEntry(mem, entry)
}

const wordAt = (ref: number): number => mem.u32[segmentOf(ref)][wordOf(ref)]
const tag = (of: number): number => of >>> 24 || 1

/** What dictTouch has to read for a hash, found the way lookups find it. */
function expected(dict: Ref, of: number): number {
  if (!locateHash(mem, dict, of)) return wordAt(0)
  const sink = bucketView[bucketAt]
  const entries = [...bucketView.subarray(bucketAt, bucketAt + SLOTS)] as Ref[]
  const entry = entries.find((one) => one !== NULL_REF && tag(hashOf(mem, one)) === tag(of))
  return entry === undefined ? sink : sink ^ wordAt(entry) ^ wordAt(valuePlace(mem, entry))
}

function check(dict: Ref, hashes: readonly number[]): void {
  let sink = 0
  for (const of of hashes) {
    const bucket = bucketOf(mem, dict, of)
    const located = locateHash(mem, dict, of)
    expect(bucket !== 0).toBe(located)
    if (located && (mem.u32[segmentOf(bucket)] !== bucketView || wordOf(bucket) !== bucketAt)) expect(bucket).toBe('another bucket')
    sink ^= expected(dict, of)
  }
  expect(dictTouch(mem, new Uint32Array(hashes.length).fill(dict), Int32Array.from(hashes), hashes.length)).toBe(sink)
}

/** Keys that are there, and hashes of any kind, as many at a time as dictTouch takes. */
function checkAll(dict: Ref, keys: readonly string[]): void {
  const random = new Random(7)
  const hashes = [...keys.map(hash), ...Array.from({ length: 2000 }, () => random.nextUint32() | 0)]
  for (let i = 0; i < hashes.length; i += TOUCH_MAX) check(dict, hashes.slice(i, i + TOUCH_MAX))
}

/** Takes from a dict at rest the pages that hold nothing, as if they had never been used; returns how many. */
function unusePages(dict: Ref): number {
  const root = mem.u32[segmentOf(dict)].subarray(wordOf(dict))
  const directory = mem.u32[segmentOf(root[TABLE0])].subarray(wordOf(root[TABLE0]))
  const used = new Set(half.map((key) => ((hash(key) & root[MASK0]) >>> 0) >>> 10))
  const pages = Array.from({ length: (root[MASK0] + 1) / PAGE_BUCKETS }, (_, page) => page).filter((page) => !used.has(page))
  for (const page of pages) directory[page] = 0
  return pages.length
}

/** One key in two, by its hash: every other page of a large table holds nothing. */
const half = Array.from({ length: 60_000 }, (_, i) => `key:${i}`).filter((key) => (hash(key) & 1024) === 0)

describe('what is read ahead is what lookups read', () => {
  test('in dicts of all small sizes, through every step of their growth and of their shrinking', () => {
    const dict = newDict(mem)
    const keys: string[] = []
    for (let i = 0; i < 700; i++) {
      add(dict, `k${i}`, i % 40)
      keys.push(`k${i}`)
      if (i % 10 === 0) check(dict, keys.slice(-TOUCH_MAX).map(hash))
    }
    checkAll(dict, keys)
    for (const key of keys.splice(0, 690)) {
      remove(dict, key)
      dictRehash(mem, dict, 1)
    }
    checkAll(dict, keys)
  })

  test('in large ones with pages that were never used, in the middle of a rehash and after it', () => {
    const dict = newDict(mem)
    let middles = 0
    for (const [i, key] of half.entries()) {
      add(dict, key, i % 50 === 0 ? value.length : i % 20)
      if (i % 1500 !== 0 || !dictIsRehashing(mem, dict)) continue
      middles++
      checkAll(dict, half.slice(Math.max(0, i - 500), i + 1))
    }
    expect(middles).toBeGreaterThan(0)
    while (dictRehash(mem, dict, 1000));
    expect(unusePages(dict)).toBeGreaterThan(0)
    checkAll(dict, half)
    for (const key of half) expect(bucketOf(mem, dict, hashOf(mem, find(dict, key)))).not.toBe(0)
  })

  test('with a key so long that its value is beyond what a ref reaches', () => {
    const fresh = new Arena(1, 2)
    const dict = newDict(fresh)
    const key = new Uint8Array(SEGMENT_BYTES + 8).fill(107)
    const entry = newEntry(fresh, 0, 0, key, 0, key.length, value, 0, 1)
    const of = dictHash(fresh, key, 0, key.length)
    dictAdd(fresh, dict, entry, of)
    expect(byteOf(entry)).toBe(0)
    expect(Number.isInteger(dictTouch(fresh, Uint32Array.of(dict), Int32Array.of(of), 1))).toBe(true)
  })
})
