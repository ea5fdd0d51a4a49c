/**
 * Key specs: where the keys of a command are among its arguments, as data.
 *
 * A spec first finds a beginning (a fixed index, the argument after a keyword, or unknown) and from there the keys (a range with a step,
 * or as many as a number in front of them says). Rows write specs with the constructors below:
 *
 *   key(1, RO | ACCESS)                                  GET key
 *   keys(1, -1, 2, OW | UPDATE)                          MSET key value [key value ...]
 *   keynum(1, RO | ACCESS)                               ZUNION numkeys key [key ...]
 *   keyword('STREAMS', 1, range(-1, 1, 2), RO | ACCESS)  XREAD ... STREAMS key [key ...] id [id ...]
 *   unknown(OW | UPDATE)                                 SORT ... STORE key: anywhere; such a row has a `findKeys`
 *
 * `keyRange()` derives COMMAND's first/last/step and movablekeys; `findKeys()` gives the key positions of one request.
 */
import { asciiLowerEquals } from '../util/bytes.ts'
import { parseInt53 } from '../util/int64.ts'

// How a command uses a key: one of the first four says what it does to the key's value as an object ...
export const RO = 1 << 0
export const RW = 1 << 1
export const OW = 1 << 2 // overwrites without looking
export const RM = 1 << 3
// ... and these what it does to the data inside.
export const ACCESS = 1 << 4 // returns it, copies it or decides by it
export const UPDATE = 1 << 5
export const INSERT = 1 << 6
export const DELETE = 1 << 7
// What the spec itself is like.
export const NOT_KEY = 1 << 8 // routed like a key, but none (a shard channel, a slot)
export const INCOMPLETE = 1 << 9 // there may be keys that the spec does not find
export const VARIABLE_FLAGS = 1 << 10 // other arguments decide about the flags

/** What COMMAND INFO and COMMAND GETKEYSANDFLAGS call the key flags, by bit. */
export const KEY_FLAG_NAMES: readonly string[] = [
  'RO',
  'RW',
  'OW',
  'RM',
  'access',
  'update',
  'insert',
  'delete',
  'not_key',
  'incomplete',
  'variable_flags',
]

export type KeyBegin =
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'keyword'; readonly keyword: string; readonly lowerKeyword: string; readonly startFrom: number }
  | { readonly type: 'unknown' }

export type KeyFind =
  /** `last` counts from the first key, or when negative from the end of the arguments; `limit` 2 stops halfway there. */
  | { readonly type: 'range'; readonly last: number; readonly step: number; readonly limit: number }
  /** `numIndex` and `first` count from the beginning. */
  | { readonly type: 'keynum'; readonly numIndex: number; readonly first: number; readonly step: number }
  | { readonly type: 'unknown' }

export interface KeySpec {
  readonly begin: KeyBegin
  readonly find: KeyFind
  readonly flags: number
}

/** One key at a fixed place. */
export function key(index: number, flags: number): KeySpec {
  return { begin: { type: 'index', index }, find: range(0, 1), flags }
}

/** Keys from a fixed place on; `last` as in KeyFind. */
export function keys(first: number, last: number, step: number, flags: number): KeySpec {
  return { begin: { type: 'index', index: first }, find: range(last, step), flags }
}

/** `numkeys key [key ...]`, with the number at a fixed place. */
export function keynum(index: number, flags: number): KeySpec {
  return { begin: { type: 'index', index }, find: { type: 'keynum', numIndex: 0, first: 1, step: 1 }, flags }
}

/** Keys after a keyword that is looked for from `startFrom` on; negative: from that far before the end, backwards. */
export function keyword(word: string, startFrom: number, find: KeyFind, flags: number): KeySpec {
  return { begin: { type: 'keyword', keyword: word, lowerKeyword: word.toLowerCase(), startFrom }, find, flags }
}

/** Keys that only the command itself can find. */
export function unknown(flags: number): KeySpec {
  return { begin: { type: 'unknown' }, find: { type: 'unknown' }, flags }
}

export function range(last: number, step: number, limit = 0): KeyFind {
  return { type: 'range', last, step, limit }
}

/** The legacy description: key positions `first` to `last` (negative: from the end) in steps, all 0 without keys. */
export interface KeyRange {
  readonly first: number
  readonly last: number
  readonly step: number
  /** There are keys that the range does not cover. */
  readonly movable: boolean
}

/** Derives the legacy range: the longest run of adjoining ranges that the specs begin with; anything else makes keys movable. */
export function keyRange(specs: readonly KeySpec[]): KeyRange {
  const only = specs[0]
  if (specs.length === 1 && only.begin.type === 'index' && only.find.type === 'range') {
    const movable = (only.flags & INCOMPLETE) !== 0
    return { first: only.begin.index, last: lastOf(only.begin.index, only.find.last), step: only.find.step, movable }
  }
  let first = 0
  let last = 0
  let movable = false
  for (const { begin, find, flags } of specs) {
    if (begin.type !== 'index' || find.type !== 'range' || find.step !== 1 || (last !== 0 && last !== begin.index - 1)) {
      movable = true
      continue
    }
    if (flags & INCOMPLETE) movable = true
    if (first === 0) first = begin.index
    last = lastOf(begin.index, find.last)
  }
  return { first, last, step: first === 0 ? 0 : 1, movable }
}

function lastOf(first: number, last: number): number {
  return last >= 0 ? first + last : last
}

/** One request's arguments: bytes, and for each argument its offset and length. */
export interface KeyArgv {
  readonly bytes: Uint8Array
  readonly count: number
  off(index: number): number
  len(index: number): number
}

/** The keys found in a request: argument numbers and key flags. Reused from request to request. */
export class KeyPositions {
  count = 0
  positions = new Int32Array(16)
  flags = new Int32Array(16)

  add(position: number, flags: number): void {
    if (this.count === this.positions.length) this.grow()
    this.positions[this.count] = position
    this.flags[this.count++] = flags
  }

  private grow(): void {
    const { positions, flags } = this
    this.positions = new Int32Array(positions.length * 2)
    this.flags = new Int32Array(flags.length * 2)
    this.positions.set(positions)
    this.flags.set(flags)
  }
}

/** A row's own way to find keys, for what specs cannot say. */
export type KeyFinder = (argv: KeyArgv, specs: readonly KeySpec[], found: KeyPositions) => void

/**
 * Finds the keys of a request into `found`. Arguments that fit no syntax give no keys: the command itself will complain.
 * `withNotKeys` also counts what is only routed like a key.
 */
export function findKeys(
  argv: KeyArgv,
  specs: readonly KeySpec[],
  finder: KeyFinder | undefined,
  found: KeyPositions,
  withNotKeys = false,
): void {
  found.count = 0
  if (finder !== undefined && specs.some(hasVariableFlags)) return finder(argv, specs, found)
  for (const spec of specs) {
    if (spec.flags & NOT_KEY && !withNotKeys) continue
    if (findOne(argv, spec, found) && !(spec.flags & INCOMPLETE)) continue
    found.count = 0
    return finder?.(argv, specs, found)
  }
}

/** Finds the keys of one spec; false when the arguments do not fit it. */
export function findOne(argv: KeyArgv, spec: KeySpec, found: KeyPositions): boolean {
  const { begin, find } = spec
  if (begin.type === 'unknown' || find.type === 'unknown') return false
  let first = begin.type === 'index' ? begin.index : afterKeyword(argv, begin.lowerKeyword, begin.startFrom)
  if (first === 0) return true // an optional keyword that is not there
  let last: number
  if (find.type === 'range') {
    last = lastInRange(first, argv.count, find.last, find.limit)
  } else {
    const keyCount = argv.count > first + find.numIndex ? numberAt(argv, first + find.numIndex) : -1
    if (!(keyCount >= 0)) return false
    first += find.first
    last = first + keyCount - 1
  }
  if (first >= argv.count || last >= argv.count || last < first) return false
  for (let position = first; position <= last; position += find.step) found.add(position, spec.flags)
  return true
}

function hasVariableFlags(spec: KeySpec): boolean {
  return (spec.flags & VARIABLE_FLAGS) !== 0
}

function lastInRange(first: number, count: number, last: number, limit: number): number {
  if (last >= 0) return first + last
  return limit === 0 ? count + last : first + Math.trunc((count - first) / limit) + last
}

function afterKeyword(argv: KeyArgv, lowerKeyword: string, startFrom: number): number {
  const step = startFrom > 0 ? 1 : -1
  for (let index = startFrom > 0 ? startFrom : argv.count + startFrom; index > 0 && index < argv.count; index += step) {
    // Going forward the last argument counts too, since the check of the range then refuses; going backward argument 1 does not.
    if (step < 0 && index === 1) return 0
    if (argumentIs(argv, index, lowerKeyword)) return index + 1
  }
  return 0
}

/** Whether an argument is this word, given in lower case, in any case. */
export function argumentIs(argv: KeyArgv, index: number, lowerWord: string): boolean {
  return asciiLowerEquals(argv.bytes, argv.off(index), argv.len(index), lowerWord)
}

function numberAt(argv: KeyArgv, index: number): number {
  return parseInt53(argv.bytes, argv.off(index), argv.len(index))
}
