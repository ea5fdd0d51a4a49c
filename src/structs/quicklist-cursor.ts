/**
 * quicklist cursor: the one place in a list that is read, and that quicklist-edit.ts inserts, replaces and deletes at. It also walks a
 * plain listpack, so that callers read both encodings of a list alike.
 *
 * The cursor is valid until the next change of any list; a COMPRESSED node under it is read from a scratch, a FRONT as a PACKED node whose
 * header must not be read.
 */
import type { Arena } from '../memory/arena.ts'
import { byteOf, NULL_REF, type Ref, segmentOf } from '../memory/ref.ts'
import { LP_END, LP_HEADER, lpSeek, lpValue } from './listpack.ts'
import { lpBack, lpDecode, lpSkip } from './listpack-element.ts'
import {
  countAt,
  elementCount,
  endBytes,
  endKind,
  endNode,
  endSlot,
  found,
  leafCount,
  leafUsed,
  locatedBytes,
  locatedKind,
  nodeAt,
  openEnd,
  seekNode,
} from './quicklist-index.ts'
import { COMPRESSED, firstOffset, FRONT, inflate, PACKED, PLAIN, plainLength, plainStart, rawBytes } from './quicklist-node.ts'
import { keepsViews, NO_BYTES, NO_DATA } from '../util/views.ts'

/** The current place in a list. `root` is null while it walks a plain listpack. */
export const cursor = {
  root: NULL_REF as Ref,
  leaf: 0,
  slot: 0,
  kind: PACKED,
  /** Where the node's bytes are: the listpack begins at `base`, the element at `at`. */
  view: NO_BYTES,
  /** The same bytes of a PACKED node or a listpack. */
  data: NO_DATA,
  base: 0,
  at: 0,
  /** The end byte of a quicklist's node that is not PLAIN. */
  end: 0,
}
keepsViews({
  letGo() {
    cursor.view = NO_BYTES
    cursor.data = NO_DATA
  },
})

/** Puts the cursor on the element of a plain listpack with this index; false when there is none. */
export function openListpack(mem: Arena, lp: Ref, index: number): boolean {
  const position = lpSeek(mem, lp, index)
  if (position === 0) return false
  cursor.root = NULL_REF
  cursor.kind = PACKED
  cursor.view = mem.u8[segmentOf(lp)]
  cursor.data = mem.data[segmentOf(lp)]
  cursor.base = byteOf(lp)
  cursor.at = cursor.base + position
  return true
}

/** Puts the cursor on the element with this index (negative: from the end); false when there is none. */
export function quicklistSeek(mem: Arena, root: Ref, index: number): boolean {
  const count = elementCount(mem, root)
  const forward = index < 0 ? index + count : index
  if (forward < 0 || forward >= count) return false
  seekNode(mem, root, forward)
  const { leaf, slot, index: inside } = found
  openNode(mem, root, leaf, slot)
  seekInside(inside, countAt(mem, root, leaf, slot))
  return true
}

/** Puts the cursor on the first or the last element; false when there is none. */
export function quicklistSeekEnd(mem: Arena, root: Ref, head: boolean): boolean {
  if (!openEnd(mem, root, head)) return false
  cursor.root = root
  cursor.leaf = head ? 0 : leafCount(mem, root) - 1
  cursor.slot = endSlot
  pointAt(mem, endNode(), endKind(), endBytes())
  if (!head && cursor.kind !== PLAIN) cursor.at = lpBack(cursor.view, cursor.end)
  return true
}

/** Points the cursor's view at a node; `at` is its first element. */
export function openNode(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const node = nodeAt(mem, root, leaf, slot)
  cursor.root = root
  cursor.leaf = leaf
  cursor.slot = slot
  pointAt(mem, node, locatedKind(), locatedBytes())
}

function pointAt(mem: Arena, node: Ref, kind: number, bytes: number): void {
  if (kind === COMPRESSED) return pointAtCompressed(mem, node)
  const segment = segmentOf(node)
  cursor.kind = kind === FRONT ? PACKED : kind
  cursor.view = mem.u8[segment]
  cursor.data = mem.data[segment]
  cursor.base = byteOf(node) + firstOffset(kind, bytes) - LP_HEADER
  cursor.at = kind === PLAIN ? plainStart(node) : cursor.base + LP_HEADER
  cursor.end = cursor.base + bytes - 1
}

function pointAtCompressed(mem: Arena, node: Ref): void {
  cursor.kind = COMPRESSED
  cursor.view = inflate(mem, node)
  cursor.base = 0
  cursor.at = LP_HEADER
  cursor.end = rawBytes(mem, node) - 1
}

/** Moves the cursor to the element with this index in its node of `count` elements. */
function seekInside(index: number, count: number): void {
  if (cursor.kind === PLAIN || index === 0) return
  const view = cursor.view
  if (index <= count >>> 1) {
    let at = cursor.at
    for (let i = 0; i < index; i++) at = lpSkip(view, at)
    cursor.at = at
  } else {
    let at = cursor.end
    for (let i = count; i > index; i--) at = lpBack(view, at)
    cursor.at = at
  }
}

/** Moves the cursor to the next element; false at the end, where it stays. */
export function cursorNext(mem: Arena): boolean {
  const { view, root } = cursor
  if (cursor.kind !== PLAIN) {
    const next = lpSkip(view, cursor.at)
    if (view[next] !== LP_END) {
      cursor.at = next
      return true
    }
    if (root === NULL_REF) return false
  }
  return cursorNextNode(mem)
}

/** Moves the cursor to the first element of the next node; false when there is none, and it stays. */
export function cursorNextNode(mem: Arena): boolean {
  const { root } = cursor
  if (root === NULL_REF) return false
  let { leaf, slot } = cursor
  if (++slot === leafUsed(mem, root, leaf)) {
    if (++leaf === leafCount(mem, root)) return false
    slot = 0
  }
  openNode(mem, root, leaf, slot)
  return true
}

/** Moves the cursor to the element before; false at the beginning, where it stays. */
export function cursorPrev(mem: Arena): boolean {
  const { view, root } = cursor
  if (cursor.kind !== PLAIN) {
    if (cursor.at > cursor.base + LP_HEADER) {
      cursor.at = lpBack(view, cursor.at)
      return true
    }
    if (root === NULL_REF) return false
  }
  let { leaf, slot } = cursor
  if (slot === 0) {
    if (leaf === 0) return false
    slot = leafUsed(mem, root, --leaf)
  }
  openNode(mem, root, leaf, slot - 1)
  if (cursor.kind !== PLAIN) cursor.at = lpBack(cursor.view, cursor.end)
  return true
}

/** Points `lpValue` at the bytes of the cursor's element. */
export function cursorGet(mem: Arena): void {
  if (cursor.kind !== PLAIN) return lpDecode(cursor.view, cursor.at)
  lpValue.bytes = cursor.view
  lpValue.off = cursor.at
  lpValue.len = plainLength(mem, nodeAt(mem, cursor.root, cursor.leaf, cursor.slot))
}

/** Index of the cursor's element in the whole list. Not for hot paths. */
export function cursorIndex(mem: Arena, root: Ref): number {
  let index = 0
  for (let leaf = 0; leaf <= cursor.leaf; leaf++) {
    const end = leaf === cursor.leaf ? cursor.slot : leafUsed(mem, root, leaf)
    for (let slot = 0; slot < end; slot++) index += countAt(mem, root, leaf, slot)
  }
  return index + indexInNode()
}

/** Index of the cursor's element in its node. */
export function indexInNode(): number {
  if (cursor.kind === PLAIN) return 0
  let index = 0
  for (let at = cursor.base + LP_HEADER; at < cursor.at; at = lpSkip(cursor.view, at)) index++
  return index
}
