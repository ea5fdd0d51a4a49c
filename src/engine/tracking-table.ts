/**
 * tracking-table: which clients may hold a copy of which key, in the arena.
 *
 *   dict entry: key -> client ids, 6 bytes each (little endian), ascending
 *
 * (1) An id stays until its key changes or is evicted: clients that are gone are skipped by whoever reads the ids.
 * (2) A list longer than an entry embeds grows in a block of its own, which doubles.
 * (3) `items` is the number of ids in all lists.
 *
 * add is O(log ids) when the id is there, else O(ids) bytes moved; take is O(ids).
 */
import type { Arena } from '../memory/arena.ts'
import type { Report } from '../memory/audit.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { usableBytes } from '../memory/sizeclass.ts'
import {
  auditDict,
  dictAdd,
  dictFind,
  dictForEach,
  dictHash,
  dictRandom,
  dictRemoveFound,
  dictReplaceFound,
  dictSize,
  newDict,
} from '../structs/dict.ts'
import {
  adoptBlock,
  EMBEDDED_MAX,
  freeEntry,
  freeShell,
  isOutside,
  keyLength,
  keyStart,
  newEntry,
  outsideCapacity,
  setOutside,
  valueLength,
  valueRef,
  valueSegment,
  valueStart,
} from '../structs/entry.ts'
import { copyBytes } from '../util/bytes.ts'
import type { Random } from '../util/random.ts'
import { auditEntry } from '../keyspace/lazyfree.ts'

const ID_BYTES = 6
const TWO_32 = 2 ** 32

/** Scratch: a list that is being made. */
let list = new Uint8Array(EMBEDDED_MAX + ID_BYTES)

export class TrackingTable {
  private readonly mem: Arena
  /** Null while empty. */
  private dict: Ref = NULL_REF
  items = 0
  /** The ids of the key that was taken last. */
  readonly taken: number[] = []

  constructor(mem: Arena) {
    this.mem = mem
  }

  /** Keys in the table. */
  get size(): number {
    return this.dict === NULL_REF ? 0 : dictSize(this.mem, this.dict)
  }

  /** Notes that the client has read the key. Throws OutOfMemory, and then the table is as before. */
  add(bytes: Uint8Array, off: number, len: number, hash: number, id: number): void {
    const { mem } = this
    if (this.dict === NULL_REF) this.dict = newDict(mem)
    const entry = dictFind(mem, this.dict, bytes, off, len, hash)
    if (entry === NULL_REF) {
      writeId(list, 0, id)
      const fresh = newEntry(mem, 0, 0, bytes, off, len, list, 0, ID_BYTES)
      try {
        dictAdd(mem, this.dict, fresh, hash)
      } catch (error) {
        freeEntry(mem, fresh)
        throw error
      }
    } else if (!this.insert(entry, id)) return
    this.items++
  }

  /** Puts the id into the list of the entry just found; false when it is there already. */
  private insert(entry: Ref, id: number): boolean {
    const { mem } = this
    const view = mem.u8[valueSegment(mem, entry)]
    const start = valueStart(mem, entry)
    const length = valueLength(mem, entry)
    const at = place(view, start, length / ID_BYTES, id) * ID_BYTES
    if (at < length && readId(view, start + at) === id) return false
    if (isOutside(mem, entry) && length + ID_BYTES <= outsideCapacity(mem, entry)) {
      view.copyWithin(start + at + ID_BYTES, start + at, start + length)
      writeId(view, start + at, id)
      setOutside(mem, entry, valueRef(mem, entry), length + ID_BYTES, outsideCapacity(mem, entry))
      return true
    }
    if (length + ID_BYTES > list.length) list = new Uint8Array(length * 2)
    copyBytes(list, 0, view, start, at)
    writeId(list, at, id)
    copyBytes(list, at + ID_BYTES, view, start + at, length - at)
    this.replace(entry, length + ID_BYTES)
    return true
  }

  /** Replaces the entry just found by one with the first `length` bytes of `list`. */
  private replace(entry: Ref, length: number): void {
    const { mem } = this
    const keys = mem.u8[segmentOf(entry)]
    const key = keyStart(mem, entry)
    const keyLen = keyLength(mem, entry)
    let fresh: Ref
    if (length <= EMBEDDED_MAX) fresh = newEntry(mem, 0, 0, keys, key, keyLen, list, 0, length)
    else {
      const capacity = usableBytes(length * 2)
      const block = mem.alloc(capacity)
      copyBytes(mem.u8[segmentOf(block)], byteOf(block), list, 0, length)
      fresh = adoptBlock(mem, 0, 0, keys, key, keyLen, block, length, capacity)
    }
    dictReplaceFound(fresh)
    if (isOutside(mem, entry)) mem.free(valueRef(mem, entry), outsideCapacity(mem, entry))
    freeShell(mem, entry)
  }

  /** Forgets a key; its ids are in `taken` then, of which the number is returned. */
  take(bytes: Uint8Array, off: number, len: number): number {
    if (this.dict === NULL_REF) return 0
    const hash = dictHash(this.mem, bytes, off, len)
    const entry = dictFind(this.mem, this.dict, bytes, off, len, hash)
    if (entry === NULL_REF) return 0
    dictRemoveFound(this.mem, this.dict, hash)
    return this.empty(entry)
  }

  /** Reads the ids of an entry that is in no dict any more, and frees it. */
  private empty(entry: Ref): number {
    const { mem, taken } = this
    const view = mem.u8[valueSegment(mem, entry)]
    const start = valueStart(mem, entry)
    const end = start + valueLength(mem, entry)
    taken.length = 0
    for (let at = start; at < end; at += ID_BYTES) taken.push(readId(view, at))
    this.items -= taken.length
    freeEntry(mem, entry)
    return taken.length
  }

  /** A copy of a random key of the table, which is not empty. */
  randomKey(random: Random): Uint8Array {
    const entry = dictRandom(this.mem, this.dict, random)
    const start = keyStart(this.mem, entry)
    return this.mem.u8[segmentOf(entry)].slice(start, start + keyLength(this.mem, entry))
  }

  /** Empties the table and gives its dict away, to be freed with its entries; null when it was empty. */
  detach(): Ref {
    const { dict } = this
    this.dict = NULL_REF
    this.items = 0
    return dict
  }

  audit(report: Report): void {
    if (this.dict === NULL_REF) return
    auditDict(this.mem, this.dict, report)
    dictForEach(this.mem, this.dict, (entry) => auditEntry(this.mem, entry, report))
  }
}

function readId(view: Uint8Array, at: number): number {
  const low = (view[at] | (view[at + 1] << 8) | (view[at + 2] << 16) | (view[at + 3] << 24)) >>> 0
  return low + (view[at + 4] | (view[at + 5] << 8)) * TWO_32
}

function writeId(view: Uint8Array, at: number, id: number): void {
  const high = Math.floor(id / TWO_32)
  for (let i = 0; i < 4; i++) view[at + i] = id >>> (8 * i)
  view[at + 4] = high
  view[at + 5] = high >>> 8
}

/** Index of the first of `count` ids that is not smaller. The newest client, which has the largest id, is tried first. */
function place(view: Uint8Array, start: number, count: number, id: number): number {
  if (count === 0 || readId(view, start + (count - 1) * ID_BYTES) < id) return count
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (readId(view, start + middle * ID_BYTES) < id) low = middle + 1
    else high = middle
  }
  return low
}
