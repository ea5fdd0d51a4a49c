/**
 * The bits of a command row: command flags, ACL categories, documentation flags, and what follows from them.
 *
 * A row writes down only what cannot be derived: `flags` as a command declares them and, in `acl`, the categories that say what the
 * command is about (@string, @keyspace, @dangerous ...). `aclCategories()` adds those that follow from the flags.
 *
 * Names are in the order in which COMMAND INFO, COMMAND DOCS and ACL CAT list them.
 */

// Command flags.
export const WRITE = 1 << 0
export const READONLY = 1 << 1
export const DENYOOM = 1 << 2 // refused when over maxmemory
export const ADMIN = 1 << 3
export const PUBSUB = 1 << 4
export const NOSCRIPT = 1 << 5
export const BLOCKING = 1 << 6
export const LOADING = 1 << 7 // allowed while a snapshot loads
export const STALE = 1 << 8 // allowed on a replica that lost its primary
export const SKIP_MONITOR = 1 << 9
export const SKIP_SLOWLOG = 1 << 10
export const ASKING = 1 << 11
export const FAST = 1 << 12
export const NO_AUTH = 1 << 13
export const NO_MANDATORY_KEYS = 1 << 14
export const NO_ASYNC_LOADING = 1 << 15 // refused while a replica loads beside its old data
export const NO_MULTI = 1 << 16
export const MOVABLEKEYS = 1 << 17 // derived from the key specs, never written in a row
export const ALLOW_BUSY = 1 << 18 // allowed while a script runs too long
// Flags that no client sees.
export const MAY_REPLICATE = 1 << 19 // not a write, but may propagate something: refused as a write would be while clients are paused
export const PROTECTED = 1 << 20 // needs enable-debug-command or enable-module-command
export const BRIEF = 1 << 22 // not FAST by Redis' book, but as short: timed as those are
export const TOUCHES_ARBITRARY_KEYS = 1 << 21 // meets keys that its arguments do not name

// ACL categories: what a command is about. These stand in rows.
export const ACL_KEYSPACE = 1 << 0
export const ACL_SET = 1 << 3
export const ACL_SORTEDSET = 1 << 4
export const ACL_LIST = 1 << 5
export const ACL_HASH = 1 << 6
export const ACL_STRING = 1 << 7
export const ACL_BITMAP = 1 << 8
export const ACL_HYPERLOGLOG = 1 << 9
export const ACL_GEO = 1 << 10
export const ACL_STREAM = 1 << 11
export const ACL_DANGEROUS = 1 << 17
export const ACL_CONNECTION = 1 << 18
export const ACL_TRANSACTION = 1 << 19
export const ACL_SCRIPTING = 1 << 20
export const ACL_BLOOM = 1 << 21
// ACL categories that follow from flags.
export const ACL_READ = 1 << 1
export const ACL_WRITE = 1 << 2
export const ACL_PUBSUB = 1 << 12
export const ACL_ADMIN = 1 << 13
export const ACL_FAST = 1 << 14
export const ACL_SLOW = 1 << 15
export const ACL_BLOCKING = 1 << 16

// Documentation flags.
export const DEPRECATED = 1 << 0
export const SYSCMD = 1 << 1

/** What COMMAND INFO calls the flags, by bit. The hidden ones have no name. */
export const COMMAND_FLAG_NAMES: readonly string[] = [
  'write',
  'readonly',
  'denyoom',
  'admin',
  'pubsub',
  'noscript',
  'blocking',
  'loading',
  'stale',
  'skip_monitor',
  'skip_slowlog',
  'asking',
  'fast',
  'no_auth',
  'no_mandatory_keys',
  'no_async_loading',
  'no_multi',
  'movablekeys',
  'allow_busy',
]

/** What ACL calls its categories (after the `@`), by bit. */
export const ACL_CATEGORY_NAMES: readonly string[] = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
  'bloom',
]

/** What COMMAND DOCS calls its flags, by bit. */
export const DOC_FLAG_NAMES: readonly string[] = ['deprecated', 'syscmd']

/** All ACL categories of a command: the ones its row names and those that its flags imply. */
export function aclCategories(flags: number, named: number): number {
  let all = named
  if (flags & WRITE) all |= ACL_WRITE
  // A read-only script may read anything, so it is no ordinary reader.
  if (flags & READONLY && !(named & ACL_SCRIPTING)) all |= ACL_READ
  if (flags & ADMIN) all |= ACL_ADMIN | ACL_DANGEROUS
  if (flags & PUBSUB) all |= ACL_PUBSUB
  if (flags & BLOCKING) all |= ACL_BLOCKING
  all |= flags & FAST ? ACL_FAST : ACL_SLOW
  return all
}

/** The names of the bits that are set, in the order of `names`. */
export function namesOf(bits: number, names: readonly string[]): string[] {
  return names.filter((_, bit) => bits & (1 << bit))
}

/** The bit that a name stands for, 0 when there is none. */
export function bitOf(name: string, names: readonly string[]): number {
  const bit = names.indexOf(name)
  return bit < 0 ? 0 : 1 << bit
}
