/**
 * Hashes in RDB form: a listpack's bytes, or a number of fields, then field and value of each.
 *
 * With expiries both begin with the earliest of them (u64, ms); the listpack is the one of LISTPACK_EX, and otherwise every field has in
 * front a length: 0 when it stays, else its expiry minus the earliest, plus 1.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { encodingOf, hasFlag, MARK, setFlag, valueRef } from '../structs/entry.ts'
import {
  freeListpack,
  listpackFrom,
  lpBytes,
  lpFirst,
  lpGet,
  lpGetInt,
  lpLength,
  lpNext,
  lpValidate,
  lpValue,
} from '../structs/listpack.ts'
import { latin1 } from '../util/bytes.ts'
import { hashFind, hashLength, hashOps, hashSet, hashToTable, newHash, stepOf } from './hash.ts'
import { nextExpiry, setFoundExpiry } from './hash-expiry.ts'
import { walkExpiry, walkField, walkFirst, walkNext, walkValue } from './hash-walk.ts'
import { HASH, LISTPACK, LISTPACK_EX } from './object.ts'
import {
  type Codec,
  type LoadLimits,
  RDB_HASH,
  RDB_HASH_LISTPACK,
  RDB_HASH_LISTPACK_EX,
  RDB_HASH_METADATA,
  RDB_HASH_ZIPLIST,
  RDB_HASH_ZIPMAP,
  setLoaded,
} from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import { dropShell, freeWith, shellFor } from './rdb-shell.ts'
import { listpackOfZiplist } from './ziplist.ts'

export const hashCodec: Codec = {
  save(mem, entry, out) {
    const encoding = encodingOf(mem, entry)
    const earliest = nextExpiry(mem, entry)
    const volatile = hasFlag(mem, entry, MARK) && earliest !== Infinity
    if (encoding === LISTPACK || (encoding === LISTPACK_EX && volatile)) {
      const root = valueRef(mem, entry)
      out.byte(volatile ? RDB_HASH_LISTPACK_EX : RDB_HASH_LISTPACK)
      if (volatile) out.u64(earliest)
      out.string(mem.u8[segmentOf(root)], byteOf(root), lpBytes(mem, root))
    } else saveFields(mem, entry, volatile ? earliest : 0, out)
  },
  loads: [
    [RDB_HASH, (mem, input, _type, limits) => loadFields(mem, input, limits, false)],
    [RDB_HASH_METADATA, (mem, input, _type, limits) => loadFields(mem, input, limits, true)],
    [RDB_HASH_LISTPACK, (mem, input, _type, limits) => loadListpack(mem, input, limits, LISTPACK)],
    [RDB_HASH_LISTPACK_EX, (mem, input, _type, limits) => loadListpack(mem, input, limits, LISTPACK_EX)],
    [RDB_HASH_ZIPLIST, (mem, input, _type, limits) => loadZiplist(mem, input, limits)],
    [RDB_HASH_ZIPMAP, (mem, input, _type, limits) => loadZipmap(mem, input, limits)],
  ],
}

/** `earliest` 0: no field expires. */
function saveFields(mem: Arena, entry: Ref, earliest: number, out: RdbWriter): void {
  out.byte(earliest === 0 ? RDB_HASH : RDB_HASH_METADATA)
  if (earliest !== 0) out.u64(earliest)
  out.len(hashLength(mem, entry))
  for (let more = walkFirst(mem, entry); more; more = walkNext(mem)) {
    if (earliest !== 0) {
      const expiry = walkExpiry(mem)
      out.len(expiry === 0 ? 0 : expiry - earliest + 1)
    }
    walkField(mem)
    out.string(lpValue.bytes, lpValue.off, lpValue.len)
    walkValue(mem)
    out.string(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

function loadFields(mem: Arena, input: RdbReader, limits: LoadLimits, volatile: boolean): boolean {
  const earliest = volatile ? input.u64() : 0
  const count = input.count()
  if (input.failed || count === 0) return false
  const hash = shellFor(mem, HASH, LISTPACK, newHash(mem))
  for (let i = 0; i < count; i++) {
    const ttl = volatile ? input.len() : 0
    input.string()
    const { data, off, length } = input
    input.string()
    if (input.failed || !addField(mem, hash, data, off, length, input, limits)) {
      freeWith(mem, hash, hashOps)
      return false
    }
    if (ttl > 0 && hashFind(mem, hash, data, off, length)) setFoundExpiry(mem, hash, data, off, length, ttl + earliest - 1)
  }
  return finish(mem, hash)
}

/** Sets a field to the string that was read last; false when it is there already. */
function addField(mem: Arena, hash: Ref, field: Uint8Array, off: number, len: number, value: RdbReader, limits: LoadLimits): boolean {
  return hashSet(mem, hash, field, off, len, value.data, value.off, value.length, false, limits.hash)
}

/** Takes the root out of the stand-in. */
function finish(mem: Arena, hash: Ref): boolean {
  const root = valueRef(mem, hash)
  const encoding = encodingOf(mem, hash)
  const volatile = hasFlag(mem, hash, MARK)
  dropShell(mem, hash)
  return setLoaded(HASH, encoding, root, volatile)
}

function loadListpack(mem: Arena, input: RdbReader, limits: LoadLimits, encoding: number): boolean {
  if (encoding === LISTPACK_EX) input.u64()
  input.string()
  const { data, off, length } = input
  if (input.failed || !lpValidate(data, off, length, true)) return false
  return adopt(mem, listpackFrom(mem, data, off, length), limits, encoding)
}

function loadZiplist(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const lp = input.failed ? NULL_REF : listpackOfZiplist(mem, input.data, input.off, input.length)
  return lp !== NULL_REF && adopt(mem, lp, limits, LISTPACK)
}

/** Takes over a listpack of fields, if it is one: whole fields, none twice, expiries in order. */
function adopt(mem: Arena, lp: Ref, limits: LoadLimits, encoding: number): boolean {
  const count = lpLength(mem, lp)
  if (count === 0 || count % stepOf(encoding) !== 0 || !isSound(mem, lp, encoding)) {
    freeListpack(mem, lp)
    return false
  }
  const hash = shellFor(mem, HASH, encoding, lp)
  setFlag(mem, hash, MARK, encoding === LISTPACK_EX)
  if (exceeds(mem, lp, count, limits, encoding)) hashToTable(mem, hash)
  return finish(mem, hash)
}

function isSound(mem: Arena, lp: Ref, encoding: number): boolean {
  const names = new Set<string>()
  let latest = 0
  let fields = 0
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at), fields++) {
    lpGet(mem, lp, at)
    names.add(latin1(lpValue.bytes, lpValue.off, lpValue.len))
    at = lpNext(mem, lp, at)
    if (encoding !== LISTPACK_EX) continue
    at = lpNext(mem, lp, at)
    const expiry = lpGetInt(mem, lp, at)
    if (!(expiry >= 0) || (expiry || Infinity) < latest) return false
    latest = expiry || Infinity
  }
  return names.size === fields
}

function exceeds(mem: Arena, lp: Ref, count: number, limits: LoadLimits, encoding: number): boolean {
  return count / stepOf(encoding) > limits.hash.entries || lpBytes(mem, lp) > 2 ** 30
}

/**
 * zipmap: | fields u8 | length field length free value ... | 0xff |, a length being a byte below 254 or 254 and a u32 (little endian). Files
 * of Redis 2.4 have it.
 */
function loadZipmap(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const { data, off, length } = input
  const end = off + length - 1
  if (input.failed || length < 2 || data[end] !== 0xff) return false
  const hash = shellFor(mem, HASH, LISTPACK, newHash(mem))
  let at = off + 1
  const text = { at: 0, len: 0 }
  const next = (): boolean => {
    const small = data[at] < 254
    text.len = small ? data[at] : (data[at + 1] | (data[at + 2] << 8) | (data[at + 3] << 16) | (data[at + 4] << 24)) >>> 0
    text.at = at + (small ? 1 : 5)
    return data[at] !== 0xff && text.at + text.len <= end
  }
  while (at < end) {
    if (!next()) break
    const { at: nameAt, len: nameLen } = text
    at = nameAt + nameLen
    if (!next()) break
    const free = data[text.at]
    if (text.at + 1 + text.len + free > end) break
    if (!hashSet(mem, hash, data, nameAt, nameLen, data, text.at + 1, text.len, false, limits.hash)) break
    at = text.at + 1 + text.len + free
  }
  if (at === end && hashLength(mem, hash) > 0) return finish(mem, hash)
  freeWith(mem, hash, hashOps)
  return false
}
