/**
 * Bloom filters in RDB form: a value of a module, as RedisBloom writes it.
 *
 *   module id u64: the name's nine characters, 6 bits each, and the encoding version, 10 bits
 *   then values, each behind a length that says its kind: 2 unsigned (a length), 4 double, 5 string; 0 ends them
 *     items, filters, options, expansion; per filter: capacity, error, hashes, bits an item, bits, log2, the bits, items
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, segmentOf } from '../memory/ref.ts'
import {
  type BloomLink,
  bloomBits,
  bloomExpansion,
  bloomFilters,
  bloomItems,
  bloomLink,
  bloomOptions,
  isSoundChain,
  loadBloom,
} from '../structs/bloom.ts'
import { valueRef } from '../structs/entry.ts'
import { BLOOM, BLOOM_CHAIN } from './object.ts'
import { type Codec, RDB_MODULE_2, setLoaded } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const NAME = 'MBbloom--'
/** The version written, and the only one read: the first that has the expansion. */
const VERSION = 4
const MODULE_ID = [...NAME].reduce((id, c) => (id << 6n) | BigInt(CHARACTERS.indexOf(c)), 0n) * 1024n + BigInt(VERSION)
/** A length of 64 bits. */
const U64 = 0x81

const END = 0
const UNSIGNED = 2
const DOUBLE = 4
const STRING = 5

export const bloomCodec: Codec = {
  save(mem, entry, out) {
    const root = valueRef(mem, entry)
    const filters = bloomFilters(mem, root)
    out.byte(RDB_MODULE_2)
    out.byte(U64)
    for (let shift = 56n; shift >= 0n; shift -= 8n) out.byte(Number((MODULE_ID >> shift) & 0xffn))
    for (const value of [bloomItems(mem, root), filters, bloomOptions(mem, root), bloomExpansion(mem, root)]) unsigned(out, value)
    for (let i = 0; i < filters; i++) {
      const bits = bloomBits(mem, root, i)
      saveLink(out, bloomLink(mem, root, i), mem.u8[segmentOf(bits)], byteOf(bits))
    }
    out.len(END)
  },
  loads: [[RDB_MODULE_2, load]],
}

function unsigned(out: RdbWriter, value: number): void {
  out.len(UNSIGNED)
  out.len(value)
}

function double(out: RdbWriter, value: number): void {
  out.len(DOUBLE)
  out.double(value)
}

function saveLink(out: RdbWriter, link: BloomLink, u8: Uint8Array, off: number): void {
  unsigned(out, link.capacity)
  double(out, link.error)
  unsigned(out, link.hashes)
  double(out, link.perItem)
  unsigned(out, link.bits)
  unsigned(out, link.log2)
  out.len(STRING)
  out.string(u8, off, link.bytes)
  unsigned(out, link.items)
}

// ---- loading ----

function load(mem: Arena, input: RdbReader): boolean {
  if (!isOurs(input)) return false
  const items = readUnsigned(input)
  const filters = readUnsigned(input)
  const options = readUnsigned(input)
  const expansion = readUnsigned(input)
  const links: BloomLink[] = []
  const contents: Uint8Array[] = []
  for (let i = 0; i < filters && !input.failed; i++) links.push(readLink(input, contents))
  if (input.len() !== END || input.failed || !isSoundChain(options, links)) return false
  const root = loadBloom(mem, options, expansion, items, links)
  contents.forEach((bytes, i) => {
    const bits = bloomBits(mem, root, i)
    mem.u8[segmentOf(bits)].set(bytes, byteOf(bits))
  })
  return setLoaded(BLOOM, BLOOM_CHAIN, root)
}

/** Whether the value that begins here is one of RedisBloom's, in the version we know. */
function isOurs(input: RdbReader): boolean {
  if (input.byte() !== U64) return false
  let id = 0n
  for (let i = 0; i < 8; i++) id = (id << 8n) | BigInt(input.byte())
  return id === MODULE_ID
}

function readUnsigned(input: RdbReader): number {
  if (input.len() === UNSIGNED) return input.len()
  input.fail()
  return 0
}

function readDouble(input: RdbReader): number {
  if (input.len() === DOUBLE) return input.double()
  input.fail()
  return 0
}

/** Reads a filter; its bits go to the end of `contents`. */
function readLink(input: RdbReader, contents: Uint8Array[]): BloomLink {
  const capacity = readUnsigned(input)
  const error = readDouble(input)
  const hashes = readUnsigned(input)
  const perItem = readDouble(input)
  const bits = readUnsigned(input)
  const log2 = readUnsigned(input)
  if (input.len() !== STRING) input.fail()
  input.string()
  contents.push(input.data.subarray(input.off, input.off + input.length))
  return { hashes, log2, bytes: input.length, bits, items: readUnsigned(input), capacity, error, perItem }
}
