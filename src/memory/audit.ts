/**
 * audit: the proof that the arena's owners and the arena agree. Owners report every block they hold; the audit checks
 * that each is a live block of its class, that no two overlap, that none leaked, and that the sum equals `used`.
 */
import type { Arena } from './arena.ts'
import type { Ref } from './ref.ts'
import { usableBytes } from './sizeclass.ts'

/** Called by owners for each block they hold, with the size they would free it with. */
export type Report = (ref: Ref, sizeBytes: number) => void

/** Runs the owners' walk and returns what is wrong; an empty list is a clean arena. */
export function auditArena(arena: Arena, walk: (report: Report) => void): string[] {
  const faults: string[] = []
  const seen = new Set<number>()
  const livePerSlab = new Map<number, number>()
  let sum = 0
  walk((ref, sizeBytes) => {
    const bytes = usableBytes(sizeBytes)
    sum += bytes
    if (seen.has(ref)) faults.push(`block ${ref} is held twice`)
    seen.add(ref)
    const block = arena.blockAt(ref)
    if (block === null) return void faults.push(`block ${ref} (${sizeBytes} bytes) is not a block of the arena`)
    if (block.slab === 0) return
    if (block.bytes !== bytes) faults.push(`block ${ref} is held as ${bytes} bytes, its class has ${block.bytes}`)
    livePerSlab.set(block.slab, (livePerSlab.get(block.slab) ?? 0) + 1)
  })
  for (const { slab, live, free } of arena.slabs()) {
    if (live !== (livePerSlab.get(slab) ?? 0))
      faults.push(`slab ${slab} counts ${live} live blocks, ${livePerSlab.get(slab) ?? 0} are held`)
    for (const ref of free) if (seen.has(ref)) faults.push(`block ${ref} is held and on the free list`)
  }
  if (sum !== arena.used) faults.push(`used is ${arena.used}, the blocks held sum to ${sum}`)
  return faults
}
