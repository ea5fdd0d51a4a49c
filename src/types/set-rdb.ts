/** Sets in RDB form: an intset's bytes, a listpack's bytes, or a number of members and the members. */
import type { Arena } from '../memory/arena.ts'
import { byteOf, type Ref, segmentOf } from '../memory/ref.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { intsetBytes, intsetFrom, intsetLength, intsetValidate } from '../structs/intset.ts'
import { listpackFrom, lpBytes, lpLength, lpValidate, lpValue } from '../structs/listpack.ts'
import { latin1 } from '../util/bytes.ts'
import { HASHTABLE, INTSET, LISTPACK, SET } from './object.ts'
import { type Codec, type LoadLimits, RDB_SET, RDB_SET_INTSET, RDB_SET_LISTPACK, setLoaded } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import { dropShell, freeWith, shellFor } from './rdb-shell.ts'
import { newSetEncoding, newSetRoot, setAdd, setOps, setSize, setToTable } from './set.ts'
import { memberFirst, memberGet, memberNext } from './set-walk.ts'

export const setCodec: Codec = {
  save(mem, entry, out) {
    const root = valueRef(mem, entry)
    const encoding = encodingOf(mem, entry)
    if (encoding === HASHTABLE) return saveMembers(mem, entry, out)
    out.byte(encoding === INTSET ? RDB_SET_INTSET : RDB_SET_LISTPACK)
    out.string(mem.u8[segmentOf(root)], byteOf(root), encoding === INTSET ? intsetBytes(mem, root) : lpBytes(mem, root))
  },
  loads: [
    [RDB_SET, (mem, input, _type, limits) => loadMembers(mem, input, limits)],
    [RDB_SET_INTSET, (mem, input, _type, limits) => loadIntset(mem, input, limits)],
    [RDB_SET_LISTPACK, (mem, input, _type, limits) => loadListpack(mem, input, limits)],
  ],
}

function saveMembers(mem: Arena, entry: Ref, out: RdbWriter): void {
  out.byte(RDB_SET)
  out.len(setSize(mem, entry))
  for (let more = memberFirst(mem, entry); more; more = memberNext(mem)) {
    memberGet(mem)
    out.string(lpValue.bytes, lpValue.off, lpValue.len)
  }
}

function loadMembers(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  const count = input.count()
  if (input.failed || count === 0) return false
  let set: Ref | null = null
  for (let i = 0; i < count; i++) {
    input.string()
    if (set === null) {
      const encoding = newSetEncoding(input.data, input.off, input.length, count, limits.set)
      set = shellFor(mem, SET, encoding, newSetRoot(mem, encoding))
    }
    if (!input.failed && setAdd(mem, set, input.data, input.off, input.length, limits.set)) continue
    freeWith(mem, set, setOps)
    return false
  }
  return set !== null && finish(mem, set)
}

/** Takes the root out of the stand-in. */
function finish(mem: Arena, set: Ref): boolean {
  const root = valueRef(mem, set)
  const encoding = encodingOf(mem, set)
  dropShell(mem, set)
  return setLoaded(SET, encoding, root)
}

function loadIntset(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const { data, off, length } = input
  if (input.failed || !intsetValidate(data, off, length, true)) return false
  const root = intsetFrom(mem, data, off, length)
  if (intsetLength(mem, root) <= limits.set.intset) return setLoaded(SET, INTSET, root)
  return toTable(mem, INTSET, root)
}

function loadListpack(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  input.string()
  const { data, off, length } = input
  if (input.failed || !lpValidate(data, off, length, true)) return false
  const root = listpackFrom(mem, data, off, length)
  const set = shellFor(mem, SET, LISTPACK, root)
  const count = lpLength(mem, root)
  if (count === 0 || !distinct(mem, set)) {
    freeWith(mem, set, setOps)
    return false
  }
  if (count > limits.set.entries) setToTable(mem, set)
  return finish(mem, set)
}

function toTable(mem: Arena, encoding: number, root: Ref): boolean {
  const set = shellFor(mem, SET, encoding, root)
  setToTable(mem, set)
  return finish(mem, set)
}

/** Whether no member comes twice. */
function distinct(mem: Arena, set: Ref): boolean {
  const seen = new Set<string>()
  for (let more = memberFirst(mem, set); more; more = memberNext(mem)) {
    memberGet(mem)
    const before = seen.size
    seen.add(latin1(lpValue.bytes, lpValue.off, lpValue.len))
    if (seen.size === before) return false
  }
  return true
}
