/**
 * bytes-map: a map on the JavaScript heap whose keys are runs of bytes: channels, watched keys.
 *
 * A lookup hashes and compares the bytes where they are; it makes no string and no view. Entries that share a hash form a chain.
 *
 * (1) The hash is seeded per map, so nobody outside can aim at one chain.
 * (2) `get` of an absent key costs a hash and one Map lookup of a small integer; `add` and `remove` are O(1) on average.
 * (3) Iteration is in order of arrival.
 */
import { equalBytes } from './bytes.ts'
import { hashBytes } from './hash.ts'
import type { Random } from './random.ts'

export class BytesEntry<V> {
  readonly key: Uint8Array
  readonly hash: number
  value: V
  /** The next entry with the same hash. */
  next: BytesEntry<V> | null = null

  constructor(key: Uint8Array, hash: number, value: V) {
    this.key = key
    this.hash = hash
    this.value = value
  }
}

export class BytesMap<V> {
  private readonly seed0: number
  private readonly seed1: number
  private readonly chains = new Map<number, BytesEntry<V>>()
  private readonly all = new Set<BytesEntry<V>>()

  constructor(random: Pick<Random, 'nextUint32'>) {
    this.seed0 = random.nextUint32()
    this.seed1 = random.nextUint32()
  }

  get size(): number {
    return this.all.size
  }

  /** The entry with this key, or undefined. */
  find(bytes: Uint8Array, off: number, len: number): BytesEntry<V> | undefined {
    const hash = hashBytes(this.seed0, this.seed1, bytes, off, len)
    let entry: BytesEntry<V> | null | undefined = this.chains.get(hash)
    while (entry !== undefined && entry !== null) {
      if (entry.key.length === len && equalBytes(entry.key, 0, bytes, off, len)) return entry
      entry = entry.next
    }
    return undefined
  }

  get(bytes: Uint8Array, off: number, len: number): V | undefined {
    return this.find(bytes, off, len)?.value
  }

  /** Adds a key that is not present; its bytes are copied. */
  add(bytes: Uint8Array, off: number, len: number, value: V): BytesEntry<V> {
    const hash = hashBytes(this.seed0, this.seed1, bytes, off, len)
    const entry = new BytesEntry(bytes.slice(off, off + len), hash, value)
    entry.next = this.chains.get(hash) ?? null
    this.chains.set(hash, entry)
    this.all.add(entry)
    return entry
  }

  remove(entry: BytesEntry<V>): void {
    if (!this.all.delete(entry)) return
    const first = this.chains.get(entry.hash)
    if (first === entry) {
      if (entry.next === null) this.chains.delete(entry.hash)
      else this.chains.set(entry.hash, entry.next)
      return
    }
    let before = first
    while (before !== undefined && before !== null && before.next !== entry) before = before.next ?? undefined
    if (before) before.next = entry.next
  }

  clear(): void {
    this.chains.clear()
    this.all.clear()
  }

  [Symbol.iterator](): IterableIterator<BytesEntry<V>> {
    return this.all.values()
  }
}
