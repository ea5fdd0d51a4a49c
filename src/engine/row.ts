/**
 * The shape of a command row: everything the server knows about a command, written once.
 *
 * COMMAND, COMMAND DOCS, ACL, cluster routing, key extraction, tracking, commandstats and the README's command table come from rows.
 * What can be derived is not in the row: see flags.ts (implied ACL categories) and keyspec.ts (first/last/step, movablekeys).
 */
import type { KeyFinder, KeySpec } from './keyspec.ts'

export type Handler<C = any> = (c: C) => void

export interface CommandRow<C = any> {
  /** Upper case; a subcommand has its own name only (`GET` below `CONFIG`). */
  readonly name: string
  /** Number of arguments, name included (and the subcommand's); negative: at least that many. */
  readonly arity: number
  /** Bits of flags.ts. */
  readonly flags: number
  /** ACL categories that do not follow from `flags`. */
  readonly acl?: number
  /** Version of the command's first release. */
  readonly since: string
  /** Where the keys are. Default: none. */
  readonly keys?: readonly KeySpec[]
  /** For the few commands whose key specs do not tell everything. */
  readonly findKeys?: KeyFinder
  /** Arguments in the notation of grammar.ts. Default: none. */
  readonly args?: string
  readonly summary: string
  readonly complexity?: string
  /** Group in COMMAND DOCS and COMMAND LIST, where it is not the one of the file's other rows. */
  readonly group?: string
  /** [version, what changed]. */
  readonly history?: readonly (readonly [since: string, change: string])[]
  readonly deprecated?: { readonly since: string; readonly replacedBy: string }
  /** DEPRECATED follows from `deprecated`; what is left is SYSCMD. */
  readonly docFlags?: number
  readonly tips?: readonly string[]
  readonly subcommands?: readonly CommandRow<C>[]
  /** Absent in containers, which only have subcommands. */
  readonly run?: Handler<C>
}
