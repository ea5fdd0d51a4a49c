/** The script that runs: who called it, what it may do, and how far it is. */
import type { Client } from '../engine/client.ts'
import type { Frame } from '../util/argv.ts'
import type { Runner } from './runner.ts'

export interface Run {
  readonly caller: Client
  readonly name: string
  readonly isEval: boolean
  readonly readOnly: boolean
  readonly allowOom: boolean
  /** Whether memory was short when it began. */
  readonly outOfMemory: boolean
  readonly runner: Runner
  readonly startUs: number
  /** It has written: it cannot be killed, and nothing of it is refused any more. */
  dirty: boolean
  slow: boolean
  killed: boolean
  /** Top level: it can be suspended. */
  readonly suspendable: boolean
  /** When it was last where it can be suspended. */
  yieldedUs: number
  /** Its commands made work for the end of the command, which is its own end. */
  attention: boolean
  /** CLIENT REPLY took its reply away. */
  silent: boolean
  /** A copy of its command, for FUNCTION STATS. */
  argv: Frame | null
}
