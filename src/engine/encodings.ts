/**
 * encodings: how large collections may get in their compact forms, as the options say at the moment. The types take these
 * as parameters; server-options.ts writes them, a line per option.
 */
import type { HashLimits } from '../types/hash.ts'
import type { ListLimits } from '../types/list.ts'
import type { SetLimits } from '../types/set.ts'
import type { ZsetLimits } from '../types/zset.ts'

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

export class Encodings {
  readonly hash: Writable<HashLimits> = { entries: 0, value: 0 }
  readonly list: Writable<ListLimits> = { size: 0, depth: 0 }
  readonly set: Writable<SetLimits> = { intset: 0, entries: 0, value: 0 }
  readonly zset: Writable<ZsetLimits> = { entries: 0, value: 0 }
}
