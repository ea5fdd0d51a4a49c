/** quicklist-move: giving the blocks of a quicklist other addresses, when segments are evacuated, some nodes a step. */
import { type Arena, MOVE_STEP_BYTES } from '../memory/arena.ts'
import { type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import {
  CAPACITY,
  DIRECTORY,
  FIRST_DIRECTORY,
  FIRST_LEAF,
  inside,
  kindAt,
  LEAF_NODES,
  leafBytes,
  leafCount,
  LEAVES,
  leafUsed,
  nodeAt,
  ROOT_BYTES,
  setNode,
} from './quicklist-index.ts'
import { nodeBytes } from './quicklist-node.ts'

/** Moves the directory and the root; returns where the root is now. */
export function quicklistMoveRoot(mem: Arena, old: Ref): Ref {
  moveDirectory(mem, old)
  const root = mem.moveOut(old, ROOT_BYTES)
  if (root === old) return root
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  if (u32[at + CAPACITY] === 1) u32[at + DIRECTORY] = inside(root, FIRST_DIRECTORY)
  relinkFirstLeaf(mem, u32[at + DIRECTORY] as Ref, u32[at + LEAVES], old, root)
  return root
}

function moveDirectory(mem: Arena, root: Ref): void {
  const u32 = mem.u32[segmentOf(root)]
  const at = wordOf(root)
  if (u32[at + CAPACITY] > 1) u32[at + DIRECTORY] = mem.moveOut(u32[at + DIRECTORY] as Ref, 8 * u32[at + CAPACITY])
}

/** The leaf inside the root, if there still is one, has moved with it. */
function relinkFirstLeaf(mem: Arena, directory: Ref, leaves: number, old: Ref, root: Ref): void {
  const entries = mem.u32[segmentOf(directory)]
  const first = wordOf(directory)
  for (let leaf = 0; leaf < leaves; leaf++)
    if (entries[first + 2 * leaf] === inside(old, FIRST_LEAF)) entries[first + 2 * leaf] = inside(root, FIRST_LEAF)
}

/** Moves nodes of one leaf from a place (leaf number x LEAF_NODES + slot) on, and the leaf; returns the next place, 0 at the end. */
export function quicklistMoveStep(mem: Arena, root: Ref, place: number): number {
  const leaf = Math.floor(place / LEAF_NODES)
  if (leaf >= leafCount(mem, root)) return 0
  let slot = place % LEAF_NODES
  if (slot === 0) moveLeaf(mem, root, leaf)
  const used = leafUsed(mem, root, leaf)
  for (let bytes = 0; slot < used && bytes < MOVE_STEP_BYTES; slot++) bytes += moveNode(mem, root, leaf, slot)
  if (slot < used) return leaf * LEAF_NODES + slot
  return leaf + 1 < leafCount(mem, root) ? (leaf + 1) * LEAF_NODES : 0
}

function moveLeaf(mem: Arena, root: Ref, leaf: number): void {
  const directory = mem.u32[segmentOf(root)][wordOf(root) + DIRECTORY] as Ref
  const at = wordOf(directory) + 2 * leaf
  const old = mem.u32[segmentOf(directory)][at] as Ref
  if (old === inside(root, FIRST_LEAF)) return
  mem.u32[segmentOf(directory)][at] = mem.moveOut(old, leafBytes(mem.u32[segmentOf(old)][wordOf(old) + 1]))
}

/** Returns the bytes it moved. */
function moveNode(mem: Arena, root: Ref, leaf: number, slot: number): number {
  const node = nodeAt(mem, root, leaf, slot)
  if (!mem.isClosed(node)) return 0
  const kind = kindAt(mem, root, leaf, slot)
  const bytes = nodeBytes(mem, node, kind)
  setNode(mem, root, leaf, slot, mem.moveOut(node, bytes), kind, 0)
  return bytes
}
