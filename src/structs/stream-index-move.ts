/**
 * stream-index-move: giving the nodes of an index other addresses, when segments are evacuated, a leaf or a part of one a step.
 *
 *   place   the way down, a digit of base 64 a level: the slot taken in each inner node, then the first item of the leaf
 *
 * Places only grow, so the walk ends whatever changes between two steps.
 */
import { type Arena, MOVE_STEP_BYTES } from '../memory/arena.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { ID_WORDS } from './stream-id.ts'
import {
  BYTES,
  CHILD,
  COUNT,
  FIRST,
  HEADER_WORDS,
  HEIGHT,
  type IndexCursor,
  INNER_WORDS,
  LAST,
  NEXT,
  PREV,
  ROOT_BYTES,
  TOP,
  VALUES,
} from './stream-index.ts'

/** More than a node has items. */
const BASE = 64

/** Moves what the first value word of an item refers to; returns the bytes that it moved. */
export type MoveValue = (mem: Arena, view: Uint32Array, word: number) => number

/** Moves the root; returns where it is now. */
export function indexMoveRoot(mem: Arena, index: Ref): Ref {
  return mem.moveOut(index, ROOT_BYTES)
}

/** Moves the nodes on the way to a place, and items of the leaf as far as a step goes; returns the next place, 0 at the end. */
export function indexMoveStep(mem: Arena, index: Ref, place: number, moveValue: MoveValue | null): number {
  const root = mem.u32[segmentOf(index)]
  const rootAt = wordOf(index)
  const height = root[rootAt + HEIGHT]
  if (height === 0) return 0
  let unit = BASE ** (height - 1)
  let slot = Math.floor(place / unit)
  let view = root
  let word = rootAt + TOP
  for (let level = 1; level < height; level++) {
    const node = moveNode(mem, view, word)
    view = mem.u32[segmentOf(node)]
    if (slot >= view[wordOf(node) + COUNT]) return after(place, unit * BASE, level === 1)
    word = wordOf(node) + HEADER_WORDS + slot * INNER_WORDS + CHILD
    unit /= BASE
    slot = Math.floor(place / unit) % BASE
  }
  const old = view[word]
  const leaf = moveNode(mem, view, word)
  if (leaf !== old) relink(mem, root, rootAt, leaf)
  const end = moveValue === null ? Infinity : moveItems(mem, leaf, slot, ID_WORDS + root[rootAt + VALUES], moveValue)
  return end < BASE ? place - slot + end : after(place, BASE, height === 1)
}

/** The first place behind all those that agree with this one down to a digit; 0 when that was the top's. */
function after(place: number, unit: number, top: boolean): number {
  return top ? 0 : (Math.floor(place / unit) + 1) * unit
}

/** Moves the node that a word refers to; returns where it is now. */
function moveNode(mem: Arena, view: Uint32Array, word: number): Ref {
  const old = view[word] as Ref
  const node = mem.moveOut(old, mem.u32[segmentOf(old)][wordOf(old) + BYTES])
  view[word] = node
  return node
}

/** Lets the neighbours of a leaf refer to it. */
function relink(mem: Arena, root: Uint32Array, rootAt: number, leaf: Ref): void {
  const view = mem.u32[segmentOf(leaf)]
  const prev = view[wordOf(leaf) + PREV]
  const next = view[wordOf(leaf) + NEXT]
  if (prev === NULL_REF) root[rootAt + FIRST] = leaf
  else mem.u32[segmentOf(prev)][wordOf(prev) + NEXT] = leaf
  if (next === NULL_REF) root[rootAt + LAST] = leaf
  else mem.u32[segmentOf(next)][wordOf(next) + PREV] = leaf
}

/** Moves the values of a leaf's items from a slot on; returns the slot to go on with, Infinity when the leaf is done. */
function moveItems(mem: Arena, leaf: Ref, slot: number, itemWords: number, moveValue: MoveValue): number {
  const view = mem.u32[segmentOf(leaf)]
  const at = wordOf(leaf)
  let bytes = 0
  for (let i = slot; i < view[at + COUNT]; i++) {
    if (bytes >= MOVE_STEP_BYTES) return i
    bytes += moveValue(mem, view, at + HEADER_WORDS + i * itemWords + ID_WORDS)
  }
  return Infinity
}

/** Moves the cursor to the first item of the next leaf; false, and unmoved, when it is in the last one. */
export function indexNextLeaf(mem: Arena, cursor: IndexCursor): boolean {
  const next = cursor.view[wordOf(cursor.leaf) + NEXT] as Ref
  if (next === NULL_REF) return false
  cursor.leaf = next
  cursor.slot = 0
  cursor.view = mem.u32[segmentOf(next)]
  cursor.at = wordOf(next) + HEADER_WORDS
  return true
}
