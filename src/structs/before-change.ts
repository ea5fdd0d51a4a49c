/**
 * beforeChange: the choke point through which large collections announce that one of their parts (a dict bucket, a
 * quicklist or stream node) is about to change, so that a snapshot that has not reached the part can take it first.
 */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'

export type ChangeListener = (root: Ref, part: number) => void

/** `part` is a bucket position or a node's ref, as the structure's header says. Costs one test when nobody listens. */
export function beforeChange(mem: Arena, root: Ref, part: number): void {
  if (mem.onChange !== null) mem.onChange(root, part)
}
