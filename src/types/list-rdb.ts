/**
 * Lists in RDB form: LIST_QUICKLIST_2 is a number of nodes, each 1 (one plain element) or 2 (a listpack) and a string. Older kinds hold
 * ziplists, or single elements.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { encodingOf, valueRef } from '../structs/entry.ts'
import { freeListpack, listpackFrom, lpBytes, lpLength, lpValidate } from '../structs/listpack.ts'
import {
  appendNode,
  eachNode,
  freeQuicklist,
  newQuicklist,
  quicklistCount,
  quicklistNodes,
  quicklistPush,
  quicklistUnwrap,
} from '../structs/quicklist.ts'
import { frontListpack, joinedListpack } from '../structs/quicklist-front.ts'
import { hasFront } from '../structs/quicklist-index.ts'
import { COMPRESSED, FRONT, inflate, newPlain, PACKED, PLAIN, plainLength, plainStart, rawBytes } from '../structs/quicklist-node.ts'
import { LIST, LISTPACK, QUICKLIST } from './object.ts'
import { type Codec, type LoadLimits, RDB_LIST, RDB_LIST_QUICKLIST, RDB_LIST_QUICKLIST_2, RDB_LIST_ZIPLIST, setLoaded } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import { listpackOfZiplist } from './ziplist.ts'

/** Containers of nodes. */
const ONE_ELEMENT = 1
const MANY_ELEMENTS = 2

export const listCodec: Codec = {
  save(mem, entry, out) {
    const root = valueRef(mem, entry)
    out.byte(RDB_LIST_QUICKLIST_2)
    if (encodingOf(mem, entry) === LISTPACK) {
      out.len(1)
      return saveNode(mem, root, PACKED, out)
    }
    out.len(quicklistNodes(mem, root))
    // the front and what follows it are one node
    let joined = hasFront(mem, root) ? 2 : 0
    if (joined > 0) saveListpack(joinedListpack(mem, root), out)
    eachNode(mem, root, (node, kind, count, bytes) => {
      if (joined-- > 0) return
      if (kind === FRONT) saveListpack(frontListpack(mem, node, bytes, count), out)
      else saveNode(mem, node, kind, out)
    })
  },
  loads: [
    [RDB_LIST, (mem, input, _type, limits) => load(mem, input, limits, loadElement)],
    [RDB_LIST_ZIPLIST, (mem, input, _type, limits) => load(mem, input, limits, loadZiplist, 1)],
    [RDB_LIST_QUICKLIST, (mem, input, _type, limits) => load(mem, input, limits, loadZiplist)],
    [RDB_LIST_QUICKLIST_2, (mem, input, _type, limits) => load(mem, input, limits, loadNode)],
  ],
}

function saveListpack(bytes: Uint8Array, out: RdbWriter): void {
  out.len(MANY_ELEMENTS)
  out.string(bytes, 0, bytes.length)
}

function saveNode(mem: Arena, node: Ref, kind: number, out: RdbWriter): void {
  out.len(kind === PLAIN ? ONE_ELEMENT : MANY_ELEMENTS)
  if (kind === PLAIN) out.string(mem.u8[segmentOf(node)], plainStart(node), plainLength(mem, node))
  else if (kind === COMPRESSED) out.string(inflate(mem, node), 0, rawBytes(mem, node))
  else out.string(mem.u8[segmentOf(node)], byteOf(node), lpBytes(mem, node))
}

/** Loads `count` parts (by default as many as the input says) with `part`, into a quicklist that becomes a listpack if it is short. */
function load(
  mem: Arena,
  input: RdbReader,
  limits: LoadLimits,
  part: (mem: Arena, root: Ref, input: RdbReader) => boolean,
  count = -1,
): boolean {
  const parts = count < 0 ? input.count() : count
  if (input.failed || parts === 0) return false
  const root = newQuicklist(mem, limits.list.size, limits.list.depth)
  for (let i = 0; i < parts; i++) {
    if (part(mem, root, input) && !input.failed) continue
    freeQuicklist(mem, root)
    return false
  }
  if (quicklistCount(mem, root) === 0) {
    freeQuicklist(mem, root)
    return false
  }
  const lp = quicklistUnwrap(mem, root, limits.list.size, false)
  return lp === NULL_REF ? setLoaded(LIST, QUICKLIST, root) : setLoaded(LIST, LISTPACK, lp)
}

function loadElement(mem: Arena, root: Ref, input: RdbReader): boolean {
  input.string()
  if (!input.failed) quicklistPush(mem, root, false, input.data, input.off, input.length)
  return true
}

function loadZiplist(mem: Arena, root: Ref, input: RdbReader): boolean {
  input.string()
  const lp = input.failed ? NULL_REF : listpackOfZiplist(mem, input.data, input.off, input.length)
  if (lp === NULL_REF) return false
  append(mem, root, lp)
  return true
}

function loadNode(mem: Arena, root: Ref, input: RdbReader): boolean {
  const container = input.len()
  input.string()
  const { data, off, length } = input
  if (input.failed || (container !== ONE_ELEMENT && container !== MANY_ELEMENTS)) return false
  if (container === ONE_ELEMENT) appendNode(mem, root, newPlain(mem, data, off, length), PLAIN, 1)
  else {
    if (!lpValidate(data, off, length, true)) return false
    append(mem, root, listpackFrom(mem, data, off, length))
  }
  return true
}

/** Appends a listpack as a node; an empty one is dropped. */
function append(mem: Arena, root: Ref, lp: Ref): void {
  const count = lpLength(mem, lp)
  if (count === 0) freeListpack(mem, lp)
  else appendNode(mem, root, lp, PACKED, count)
}
