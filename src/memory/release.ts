/**
 * release: giving the memory of an ArrayBuffer back to the system.
 *
 * Dropping the last reference to a buffer frees nothing until a major collection, which may never come. So the memory is moved to a
 * buffer object that is new, and that one is dropped: the next minor collection finds it and has it freed by a thread of its own
 * (the system takes some 30 ms for 64 MiB, measured). A minor collection of a server whose data is elsewhere takes less than one
 * millisecond, but a second one waits for the freeing of the first: call `collect` seldom, once in a round of background work.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let released = false
let minor: (() => void) | null = null

/** Takes the buffer's memory away from it. It is given back after the next `collect`. */
export function release(buffer: ArrayBuffer): void {
  if (buffer.byteLength === 0) return
  structuredClone(buffer, { transfer: [buffer] })
  released = true
}

/** Has what was released freed. Costs nothing when there was nothing. */
export function collect(): void {
  if (!released) return
  released = false
  if (minor === null) minor = minorCollection()
  minor()
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
