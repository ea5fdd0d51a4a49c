/**
 * Delta debugging: the shortest part of a list found that still fails. `fails` is asked with candidates; the list itself is known to fail.
 * Stops after `budgetMs`.
 */
export async function shrink<T>(list: readonly T[], fails: (candidate: T[]) => Promise<boolean>, budgetMs = 20_000): Promise<T[]> {
  let best = [...list]
  const deadline = Date.now() + budgetMs
  for (let pieces = 2; best.length > 1 && Date.now() < deadline; ) {
    const size = Math.max(1, Math.ceil(best.length / pieces))
    const smaller = await firstFailing(best, size, fails)
    if (smaller) [best, pieces] = [smaller, Math.max(2, pieces - 1)]
    else if (size === 1) break
    else pieces = Math.min(best.length, pieces * 2)
  }
  return best
}

/** The list without one of its pieces, if it still fails. */
async function firstFailing<T>(list: readonly T[], size: number, fails: (candidate: T[]) => Promise<boolean>): Promise<T[] | undefined> {
  for (let from = 0; from < list.length; from += size) {
    const candidate = [...list.slice(0, from), ...list.slice(from + size)]
    if (await fails(candidate)) return candidate
  }
  return undefined
}
