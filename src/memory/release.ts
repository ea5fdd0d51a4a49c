/**
 * release: giving the memory of ArrayBuffers back to the system. There are two ways.
 *
 *   dropped   It is referred to by nobody any more, and freed in the next major collection. V8 begins one when enough external memory was
 *             taken, which on a server whose keys were deleted may never happen. So a buffer of V8's limit is taken and dropped: nobody
 *             writes to it, hence it costs no memory, and V8 collects in steps of 0.1 ms. (Its own function `gc` does it in one: 20 to
 *             30 ms, measured on Node 20.)
 *   detached  Its memory is moved to a buffer object that is new, which the next minor collection finds. That is at once, but from the
 *             first detached buffer on V8 asks before each access to a typed array whether it is another: 5 to 8 % of all work of the
 *             process (measured). So this is for values so large that two of them may not fit into memory.
 *
 * Freeing takes the system 5 to 30 ms for 64 MiB (measured). What was dropped is freed within the collection, and nothing else happens
 * meanwhile: one buffer is dropped at a time, and seldom on a busy server (engine/cron.ts). What was detached is freed by a thread of V8's,
 * for which only the next minor collection waits.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** More than the external memory that V8 lets pass between two collections. */
const PRESSURE_BYTES = 2 ** 26 + 1
/** Rounds of the cron that V8 gets for a collection, before it is asked again. */
const ROUNDS = 10
const LONGEST_ROUNDS = 640

/** The dropped buffer's number, 0 when it has been freed, and since how many rounds of how many it is waited for. */
let dropped = 0
let round = 0
let rounds = 0
let drops = 0
const freed = new FinalizationRegistry<number>((number) => {
  if (number === dropped) dropped = 0
})

let detached = false
let minor: (() => void) | null = null

/** Whether a dropped buffer has not been freed yet. */
export function isReleasing(): boolean {
  return dropped !== 0
}

/** Has a buffer freed that the caller holds no view of any more; after `collect`, and by and by. */
export function drop(buffer: ArrayBuffer): void {
  freed.register(buffer, ++drops)
  dropped = drops
  round = 0
  rounds = ROUNDS
}

/** Takes the buffer's memory away from it. It is given back after the next `collect`. */
export function detach(buffer: ArrayBuffer): void {
  if (buffer.byteLength === 0) return
  structuredClone(buffer, { transfer: [buffer] })
  detached = true
}

/** Has what was released freed; to be called once in a round of the cron. Costs nothing when there was nothing. */
export function collect(): void {
  if (detached) {
    detached = false
    if (minor === null) minor = minorCollection()
    minor()
  }
  if (dropped === 0) return
  if (round === 0) press()
  if (++round < rounds) return
  round = 0
  rounds = Math.min(LONGEST_ROUNDS, rounds * 2)
}

function press(): number {
  try {
    return new ArrayBuffer(PRESSURE_BYTES).byteLength
  } catch {
    return 0 // memory is so short that V8 has collected already
  }
}

/** V8's own function for it, which is hidden behind a flag; where it is missing, memory waits for a collection of V8's choice. */
function minorCollection(): () => void {
  try {
    setFlagsFromString('--expose-gc')
    const gc: unknown = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    if (typeof gc === 'function') return () => void gc({ type: 'minor' })
  } catch {
    // a runtime without the function
  }
  return () => {}
}
