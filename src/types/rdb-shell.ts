/** A stand-in for the key's entry while a collection is loaded: the types work on entries, and the loader does not know the key. */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import { freeShell, newRootEntry } from '../structs/entry.ts'
import { type TypeOps, word0 } from './object.ts'

const NO_KEY = new Uint8Array(0)

/** A stand-in that holds this root. */
export function shellFor(mem: Arena, type: number, encoding: number, root: Ref): Ref {
  return newRootEntry(mem, word0(type, encoding), 0, NO_KEY, 0, 0, root)
}

/** Frees the stand-in only: its root has found another owner. */
export function dropShell(mem: Arena, shell: Ref): void {
  freeShell(mem, shell)
}

/** Frees the stand-in with what it holds. */
export function freeWith(mem: Arena, shell: Ref, ops: TypeOps): void {
  ops.free(mem, shell)
  freeShell(mem, shell)
}
