/**
 * Key finders of the few commands whose key specs do not tell everything: keys behind options that may stand anywhere, and keys whose
 * flags depend on other arguments. They read no further than they must; what is no valid syntax is left for the command to refuse.
 */
import { ACCESS, argumentIs, DELETE, findOne, type KeyArgv, type KeyPositions, type KeySpec, OW, RO, RW, UPDATE } from './keyspec.ts'

/** SORT_RO, GEORADIUS: the keys of those specs that fit, whatever the others say. */
export function keysThatFit(argv: KeyArgv, specs: readonly KeySpec[], found: KeyPositions): void {
  for (const spec of specs) findOne(argv, spec, found)
}

/** SET: the old value is read only with GET. */
export function setKeys(argv: KeyArgv, _specs: readonly KeySpec[], found: KeyPositions): void {
  for (let i = 3; i < argv.count; i++) {
    if (argumentIs(argv, i, 'get')) return found.add(1, RW | ACCESS | UPDATE)
  }
  found.add(1, OW | UPDATE)
}

/** BITFIELD: a read as long as it only has GET and OVERFLOW. */
export function bitfieldKeys(argv: KeyArgv, _specs: readonly KeySpec[], found: KeyPositions): void {
  let i = 2
  while (i < argv.count) {
    const following = argv.count - i - 1
    if (argumentIs(argv, i, 'get') && following >= 2) i += 3
    else if (argumentIs(argv, i, 'overflow') && following >= 1) i += 2
    else return found.add(1, RW | ACCESS | UPDATE)
  }
  found.add(1, RO | ACCESS)
}

/** SORT: the last STORE counts. */
export function sortKeys(argv: KeyArgv, _specs: readonly KeySpec[], found: KeyPositions): void {
  let destination = 0
  for (let i = 2; i < argv.count; i++) {
    if (argumentIs(argv, i, 'limit')) i += 2
    else if (argumentIs(argv, i, 'get') || argumentIs(argv, i, 'by')) i++
    else if (argumentIs(argv, i, 'store') && i + 1 < argv.count) destination = i + 1
  }
  found.add(1, RO | ACCESS)
  if (destination !== 0) found.add(destination, OW | UPDATE)
}

/** MIGRATE: one key at its place, or when that is empty those after KEYS. */
export function migrateKeys(argv: KeyArgv, _specs: readonly KeySpec[], found: KeyPositions): void {
  const flags = RW | ACCESS | DELETE
  for (let i = 6; i < argv.count; i++) {
    if (argumentIs(argv, i, 'auth')) i++
    else if (argumentIs(argv, i, 'auth2')) i += 2
    else if (argumentIs(argv, i, 'keys')) {
      if (argv.len(3) > 0) return
      for (let position = i + 1; position < argv.count; position++) found.add(position, flags)
      return
    }
  }
  found.add(3, flags)
}
