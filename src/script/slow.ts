/**
 * Slow scripts: those that run for longer than busy-reply-threshold.
 *
 * Such a script yields every few milliseconds; its caller waits as a blocked client does, and the event loop turns. Other clients hear
 * BUSY, may kill the script, and nothing else: no command, no expiry, no eviction, and time stands still, so that the script finds
 * everything as it left it. What its commands touched is served when it is over.
 */
import type { Client } from '../engine/client.ts'
import type { Engine } from '../engine/engine.ts'
import { dropReply } from '../engine/dispatch.ts'
import { ALLOW_BUSY } from '../engine/flags.ts'
import type { Command } from '../engine/table.ts'
import type { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import type { Run } from './run.ts'
import { SUSPENDED } from './runner.ts'

export const BUSY_SCRIPT = 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'
const BUSY_FUNCTION = 'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.'
const UNKILLABLE =
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.'
const KILLED = 'Script killed by user with SCRIPT KILL...'
const STUCK = 'Script took too long inside a function that cannot be interrupted'

/** How long a suspended script runs between two turns of the event loop. */
const SLICE_US = 5000
/** How long a script may be where it cannot be suspended, once it is slow. */
const STUCK_US = 30_000_000

export class SlowScripts {
  /** busy-reply-threshold; 0: scripts are never interrupted. */
  thresholdMs = 5000
  private readonly engine: Engine
  /** Writes the reply of a script that is over. */
  private readonly finish: (run: Run, reply: Reply) => void
  private suspended: Run | null = null
  private frozen = { nowMs: 0, lruClock: 0, makeRoom: null as (() => boolean) | null }

  constructor(engine: Engine, finish: (run: Run, reply: Reply) => void) {
    this.engine = engine
    this.finish = finish
  }

  /** Answers the count hook of a running script. */
  tick(run: Run, now: number, mayYield: boolean): boolean | string {
    if (run.killed) return KILLED
    if (!run.slow) {
      if (this.thresholdMs <= 0 || now - run.startUs < this.thresholdMs * 1000) return false
      run.slow = true
      const kill = run.isEval ? 'SCRIPT KILL' : 'FUNCTION KILL'
      this.engine.log.warning(
        `Slow script ${run.name}: still running after ${Math.round((now - run.startUs) / 1000)} ms. ${kill} can end it.`,
      )
      run.yieldedUs = now
      return mayYield && run.suspendable
    }
    if (mayYield && run.suspendable) return now - run.yieldedUs >= SLICE_US
    return !run.dirty && now - run.yieldedUs >= STUCK_US ? STUCK : false
  }

  /** The caller has to wait: its script goes on in the turns of the event loop to come. */
  suspend(run: Run): void {
    const { engine } = this
    const { space } = engine
    this.suspended = run
    this.engine.guarded = true
    run.argv = run.caller.argv.copy()
    run.caller.blocked = true
    engine.cron.stop()
    this.frozen = { nowMs: space.nowMs, lruClock: space.lruClock, makeRoom: engine.makeRoom }
    engine.makeRoom = null
    this.leaveLoop(run)
  }

  /** Lets the event loop turn once; nobody is to serve what the script's commands have touched so far. */
  private leaveLoop(run: Run): void {
    const { engine } = this
    engine.current = null
    run.attention ||= engine.attention
    engine.attention = false
    setImmediate(() => this.proceed(run))
  }

  /** Another slice of a suspended script. */
  private proceed(run: Run): void {
    const { engine } = this
    const { space, clock } = engine
    if (this.suspended !== run) return
    space.nowMs = this.frozen.nowMs
    space.lruClock = this.frozen.lruClock
    const began = clock.monotonicUs()
    engine.tickUs = began
    run.yieldedUs = began
    engine.current = run.caller
    engine.depth++
    const status = run.runner.resume()
    engine.depth--
    if (status === SUSPENDED) this.leaveLoop(run)
    else this.wakeUp(run)
  }

  /** The end of a script that was suspended: everything goes on. */
  private wakeUp(run: Run): void {
    const { engine } = this
    const { caller } = run
    engine.makeRoom = this.frozen.makeRoom
    engine.cron.start()
    const own = caller.own
    const before = own.pos
    const errors = own.errors
    caller.reply = own
    caller.argv = run.argv ?? caller.argv
    this.suspended = null
    this.engine.guarded = false
    this.finish(run, own)
    this.count(run, own.errors !== errors)
    engine.attention ||= run.attention
    caller.blocked = false
    this.goOn(caller)
    dropReply(caller, before)
    if (this.suspended !== null) return
    if (engine.attention) {
      engine.attention = false
      for (const after of engine.afterCommand) after()
    }
    caller.settleMessages()
    engine.current = null
    engine.wake(caller)
    engine.flushWoken()
    caller.transport?.resume()
  }

  /** The rest of the transaction that the script was in: another script in it may be slow, too. */
  private goOn(caller: Client): void {
    if (caller.unfinished === null) return
    const { engine } = this
    engine.depth++
    caller.unfinished()
    engine.depth--
  }

  /** The statistics of a command that was suspended: nobody else keeps them. */
  private count(run: Run, failed: boolean): void {
    const { engine } = this
    const { caller } = run
    const { command } = caller
    const now = engine.clock.monotonicUs()
    const took = now - run.startUs
    engine.tickUs = now
    engine.stats.commands++
    caller.commandsRun++
    if (command !== null) {
      command.calls++
      command.usec += took
      if (failed) command.failed++
    }
    if (failed) engine.stats.countErrors(1, caller.reply.lastError)
    for (const observe of engine.observers) observe(caller, took, 0)
  }

  /** Forgets the script that is suspended: the server stops. */
  abandon(): void {
    this.suspended = null
    this.engine.guarded = false
  }

  /** The gate for other clients while a script is suspended. */
  gate(command: Command, c: Client): string | null {
    const run = this.suspended
    if (run === null || c.script) return null
    if ((command.flags & ALLOW_BUSY) !== 0 && (command.name !== 'shutdown' || isNoSave(c.argv))) return null
    return run.isEval ? BUSY_SCRIPT : BUSY_FUNCTION
  }

  /** SCRIPT KILL and FUNCTION KILL: the error, or null when the script will end. */
  kill(isEval: boolean): string | null {
    const run = this.suspended
    if (run === null) return 'NOTBUSY No scripts in execution right now.'
    if (run.dirty) return UNKILLABLE
    if (run.isEval !== isEval) return run.isEval ? BUSY_SCRIPT : BUSY_FUNCTION
    run.killed = true
    return null
  }

  /** The script that is suspended, for FUNCTION STATS. */
  running(): { name: string; isEval: boolean; argv: Frame; durationMs: number } | null {
    const run = this.suspended
    if (run === null || run.argv === null) return null
    const durationMs = Math.floor((this.engine.clock.monotonicUs() - run.startUs) / 1000)
    return { name: run.name, isEval: run.isEval, argv: run.argv, durationMs }
  }
}

function isNoSave(argv: Frame): boolean {
  for (let i = 1; i < argv.count; i++) if (argv.is(i, 'nosave')) return true
  return false
}
