/** The script that runs: who called it, what it may do, and how far it is. There is one at a time, so one object serves them all. */
import type { Client } from '../engine/client.ts'
import type { Frame } from '../util/argv.ts'
import type { Runner } from './runner.ts'
import { ALLOW_OOM, COMPATIBLE, NO_WRITES } from './shebang.ts'

export class Run {
  caller: Client
  runner: Runner
  /** Its digest, or the name of the function. */
  name = ''
  isEval = true
  readOnly = false
  allowOom = false
  /** Memory was short when it began. */
  outOfMemory = false
  startUs = 0
  /** It has written: it cannot be killed, and nothing of it is refused any more. */
  dirty = false
  slow = false
  killed = false
  /** It is a command of its own or in a transaction: it can be suspended. */
  suspendable = false
  /** When it was last where it can be suspended. */
  yieldedUs = 0
  /** Its commands made work for the end of the command, which is its own end. */
  attention = false
  /** A copy of its command, for FUNCTION STATS: once it is suspended. */
  argv: Frame | null = null

  constructor(caller: Client, runner: Runner) {
    this.caller = caller
    this.runner = runner
  }

  /** A script or function of these flags begins. */
  begin(caller: Client, runner: Runner, name: string, flags: number, isEval: boolean, readOnly: boolean): void {
    const compatible = (flags & COMPATIBLE) !== 0
    this.caller = caller
    this.runner = runner
    this.name = name
    this.isEval = isEval
    this.readOnly = readOnly || (!compatible && (flags & NO_WRITES) !== 0)
    this.allowOom = !compatible && (flags & ALLOW_OOM) !== 0
    this.startUs = caller.engine.tickUs
    this.yieldedUs = this.startUs
    this.dirty = false
    this.slow = false
    this.killed = false
    // A transaction waits with its script, also when its client has gone meanwhile.
    this.suspendable = caller.inExec ? caller.engine.depth === 2 : caller.engine.depth === 1 && caller.transport !== null
    this.attention = false
    this.argv = null
  }
}
