/**
 * views: who keeps a view of a segment from one command to the next.
 *
 * The memory of a segment goes back to the system only when nobody holds a view of it any more (memory/release.ts), and a module that
 * keeps the place it found last would hold one until it is used again, on a server at rest for ever. So whoever keeps a view says here
 * how to let go of it, and the cron has all of them do so in every round, before a segment goes. No view outlives a command anyway: see (6) of memory/arena.ts.
 */

/** Views of nothing, for places that show nothing. */
export const NO_BYTES: Uint8Array = new Uint8Array(0)
export const NO_WORDS: Uint32Array = new Uint32Array(0)
export const NO_DATA: DataView = new DataView(NO_BYTES.buffer)

export interface KeepsViews {
  /** Holds no view any more. */
  letGo(): void
}

const keepers: KeepsViews[] = []

/** Has `keeper`, which lives as long as the process, let go of its views between commands. Returns it. */
export function keepsViews<T extends KeepsViews>(keeper: T): T {
  keepers.push(keeper)
  return keeper
}

/** To be called between commands. */
export function letGoOfViews(): void {
  for (const keeper of keepers) keeper.letGo()
}
