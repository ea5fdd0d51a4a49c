/**
 * Scripts of one server: EVAL and FCALL from a command's handler to its reply, and what their redis.call is allowed to do.
 *
 * One script runs at a time. It runs to its end inside its handler, as any command; only when it takes longer than
 * busy-reply-threshold is it suspended now and then (its client then waits as a blocked one does), so that other clients hear BUSY and
 * can kill it. While it is suspended nothing else may happen: no other command, no expiry, no eviction, and time stands still for it.
 */
import type { Client } from '../engine/client.ts'
import { Client as ScriptClient } from '../engine/client.ts'
import { call } from '../engine/dispatch.ts'
import type { Engine } from '../engine/engine.ts'
import { ALLOW_BUSY, DENYOOM, MAY_REPLICATE, NOSCRIPT, WRITE } from '../engine/flags.ts'
import type { Command } from '../engine/table.ts'
import { REDIS_VERSION } from '../engine/version.ts'
import { OOM } from '../resp/errors.ts'
import { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import { type Script, ScriptCache } from './cache.ts'
import type { ScriptHost } from './host.ts'
import { Libraries, type LibraryFunction } from './libraries.ts'
import { Runner, SUSPENDED } from './runner.ts'
import { Sandbox } from './sandbox.ts'
import * as shebang from './shebang.ts'

export const BUSY_SCRIPT = 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'
const BUSY_FUNCTION = 'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.'
const UNKILLABLE =
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.'
const KILLED = 'Script killed by user with SCRIPT KILL...'
const STUCK = 'Script took too long inside a function that cannot be interrupted'

const MEMORY_LIMIT_BYTES = 2 ** 29
/** A Lua memory beyond this is replaced by a fresh one once its script is over. */
const SPIKE_BYTES = 64 * 2 ** 20
const HOOK_INSTRUCTIONS = 10_000
/** How long a suspended script runs between two turns of the event loop. */
const SLICE_US = 5000
/** How long a script may be where it cannot be suspended, once it is slow. */
const STUCK_US = 30_000_000

/** The script that runs. */
interface Run {
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
  suspended: boolean
  /** When it was last where it can be suspended. */
  yieldedUs: number
  /** Its commands made work for the end of the command, which is its own end. */
  attention: boolean
  /** CLIENT REPLY took its reply away. */
  silent: boolean
  /** A copy of its command, for FUNCTION STATS. */
  argv: Frame | null
}

export class Scripting implements ScriptHost {
  readonly cache = new ScriptCache()
  readonly libraries: Libraries
  /** busy-reply-threshold; 0: scripts are never interrupted. */
  thresholdMs = 5000
  private readonly engine: Engine
  /** Whom the commands of a script see as their client. */
  readonly client: Client
  private readonly reply = new Reply()
  private evalRunner: Runner | null = null
  /** Counts the sandboxes of EVAL: a script compiled for an older one is compiled again. */
  private generation = 0
  private current: Run | null = null
  private frozen = { nowMs: 0, lruClock: 0, makeRoom: null as (() => boolean) | null }
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: commands that scripts may not run are let through. */
  allowAll = false
  /** Where redis.set_repl sends effects: 1 AOF, 2 replicas. */
  replicationTargets = 3

  constructor(engine: Engine) {
    this.engine = engine
    this.client = new ScriptClient(engine, 0)
    this.client.script = true
    this.client.authenticated = true
    this.client.reply = this.reply
    this.libraries = new Libraries(
      (register) => this.newSandbox('functions', register),
      () => engine.clock.monotonicUs(),
    )
  }

  // -- sandboxes ----------------------------------------------------------------------------------------------------

  private newSandbox(kind: 'eval' | 'functions', registerFunction?: (L: number, sandbox: Sandbox) => number): Sandbox {
    const sandbox: Sandbox = new Sandbox({
      host: this,
      version: { text: REDIS_VERSION, number: versionNumber(REDIS_VERSION) },
      limitBytes: MEMORY_LIMIT_BYTES,
      hookCount: HOOK_INSTRUCTIONS,
      kind,
      registerFunction: registerFunction === undefined ? undefined : (_, L) => registerFunction(L, sandbox),
    })
    return sandbox
  }

  private evalSandboxRunner(): Runner {
    if (this.evalRunner === null) {
      this.evalRunner = new Runner(this.newSandbox('eval'))
      this.generation++
    }
    return this.evalRunner
  }

  /** The figures of INFO memory. */
  infoFields(): [string, string | number][] {
    const { cache, libraries } = this
    const evalBytes = this.evalRunner?.sandbox.usedBytes ?? 0
    return [
      ['used_memory_lua', evalBytes],
      ['used_memory_vm_eval', evalBytes],
      ['used_memory_scripts_eval', cache.bytes],
      ['number_of_cached_scripts', cache.count],
      ['number_of_functions', libraries.functions.size],
      ['number_of_libraries', libraries.libraries.size],
      ['used_memory_vm_functions', libraries.usedBytes],
      ['used_memory_vm_total', evalBytes + libraries.usedBytes],
      ['used_memory_functions', libraries.codeBytes],
      ['used_memory_scripts', cache.bytes + libraries.codeBytes],
    ]
  }

  /** SCRIPT FLUSH: forgets all scripts and the state they ran in. */
  flushScripts(): void {
    this.cache.clear()
    this.evalRunner = null
  }

  // -- scripts ------------------------------------------------------------------------------------------------------

  /** The script with this text, compiled and cached; the text of an error otherwise. */
  load(body: Uint8Array): Script | string {
    const known = this.cache.findByText(body, 0, body.length)
    if (known !== null) return known
    const header = shebang.readScriptHeader(body)
    if (typeof header === 'string') return `ERR ${header}`
    const ref = this.evalSandboxRunner().compile(body, header.codeStart, '@user_script')
    if (typeof ref === 'string') return `ERR Error compiling script (new function): ${ref}`
    return this.cache.add(body, header.flags, header.codeStart, ref, this.generation)
  }

  /** Runs a script of EVAL or EVALSHA with `keys` keys. */
  evaluate(c: Client, script: Script, keys: number, readOnly: boolean): void {
    if (this.refused(c, script.flags, readOnly)) return
    const runner = this.evalSandboxRunner()
    if (script.generation !== this.generation) {
      const ref = runner.compile(script.body, script.codeStart, '@user_script')
      if (typeof ref === 'string') return c.reply.error(`ERR Error compiling script (new function): ${ref}`)
      script.ref = ref
      script.generation = this.generation
    }
    this.start(c, runner, script.sha, script.ref, script.flags, keys, true, readOnly)
  }

  /** Runs a function of a library with `keys` keys. */
  callFunction(c: Client, fn: LibraryFunction, keys: number, readOnly: boolean): void {
    if (this.refused(c, fn.flags, readOnly)) return
    this.start(c, this.libraries.runner, fn.name, fn.ref, fn.flags, keys, false, readOnly)
  }

  /** Refuses a script for what its flags say before it begins; answers whether it did. */
  private refused(c: Client, flags: number, readOnly: boolean): boolean {
    if ((flags & shebang.COMPATIBLE) !== 0) return false
    const refusal = this.refusalOf(c, flags, readOnly)
    if (refusal !== null) c.reply.error(refusal)
    return refusal !== null
  }

  private refusalOf(c: Client, flags: number, readOnly: boolean): string | null {
    const { engine } = this
    if ((flags & shebang.NO_CLUSTER) !== 0 && engine.config.flag('cluster-enabled')) {
      return "ERR Can not run script on cluster, 'no-cluster' flag is set."
    }
    if ((flags & shebang.NO_WRITES) !== 0) return null
    const refusal = this.writeGate !== null && c.command !== null ? this.writeGate(c, c.command) : null
    if (refusal !== null) return refusal
    if (readOnly) return 'ERR Can not execute a script with write flag using *_ro command.'
    if ((flags & shebang.ALLOW_OOM) !== 0 || !this.memoryIsShort()) return null
    if (engine.depth === 1) return OOM
    return "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"
  }

  private memoryIsShort(): boolean {
    const { makeRoom } = this.engine
    return makeRoom !== null && !makeRoom()
  }

  private start(c: Client, runner: Runner, name: string, ref: number, flags: number, keys: number, isEval: boolean, ro: boolean): void {
    const { engine, client } = this
    const compatible = (flags & shebang.COMPATIBLE) !== 0
    const startUs = engine.tickUs
    const run: Run = {
      caller: c,
      name,
      isEval,
      readOnly: ro || (!compatible && (flags & shebang.NO_WRITES) !== 0),
      allowOom: !compatible && (flags & shebang.ALLOW_OOM) !== 0,
      outOfMemory: this.memoryIsShort(),
      runner,
      startUs,
      dirty: false,
      slow: false,
      killed: false,
      suspendable: engine.depth === 1 && c.transport !== null,
      suspended: false,
      yieldedUs: startUs,
      attention: false,
      silent: c.replyOff || c.skipReply === 1,
      argv: null,
    }
    client.db = c.db
    client.user = c.user
    client.resp = 2
    this.reply.resp3 = false
    this.replicationTargets = 3
    this.current = run
    if (runner.begin(ref, c.argv, 3, keys, isEval) === SUSPENDED) this.suspend(run)
    else this.finish(run, c.reply)
  }

  private finish(run: Run, reply: Reply): void {
    const { runner } = run
    this.current = null
    const counted = runner.finish(run.name, reply, this.client.resp)
    // An error of one of its commands is in the statistics already, but the script failed all the same.
    if (counted > 0 && run.caller.command !== null) run.caller.command.failed += counted
    this.reply.clear()
    if (!runner.broken && runner.sandbox.vm.memoryBytes < SPIKE_BYTES) return
    if (runner === this.evalRunner) this.evalRunner = null
    else if (runner.broken) this.libraries.rebuild()
  }

  // -- slow scripts -------------------------------------------------------------------------------------------------

  tick(mayYield: boolean): boolean | string {
    const run = this.current
    const now = this.engine.clock.monotonicUs()
    if (run === null) return this.libraries.loadTimedOut(now) ? 'FUNCTION LOAD timeout' : false
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

  private suspend(run: Run): void {
    const { engine } = this
    const { space } = engine
    run.suspended = true
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
    if (this.current !== run) return
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
    this.finish(run, own)
    this.count(run, own.errors !== errors)
    if (run.silent) own.pos = before
    if (engine.attention || run.attention) {
      engine.attention = false
      for (const after of engine.afterCommand) after()
    }
    caller.settleMessages()
    engine.current = null
    caller.blocked = false
    engine.wake(caller)
    engine.flushWoken()
    caller.transport?.resume()
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
    for (const observe of engine.observers) observe(caller, took)
  }

  /** The gate for other clients while a script is suspended. */
  gate(command: Command, c: Client): string | null {
    const run = this.current
    if (run === null || !run.suspended || c === this.client) return null
    if ((command.flags & ALLOW_BUSY) !== 0 && (command.name !== 'shutdown' || isNoSave(c.argv))) return null
    return run.isEval ? BUSY_SCRIPT : BUSY_FUNCTION
  }

  /** SCRIPT KILL and FUNCTION KILL: the error, or null when the script will end. */
  kill(isEval: boolean): string | null {
    const run = this.current
    if (run === null) return 'NOTBUSY No scripts in execution right now.'
    if (run.dirty) return UNKILLABLE
    if (run.isEval !== isEval) return run.isEval ? BUSY_SCRIPT : BUSY_FUNCTION
    run.killed = true
    return null
  }

  /** The script that is suspended, for FUNCTION STATS. */
  running(): { name: string; isEval: boolean; argv: Frame; durationMs: number } | null {
    const run = this.current
    if (run === null || run.argv === null) return null
    const durationMs = Math.floor((this.engine.clock.monotonicUs() - run.startUs) / 1000)
    return { name: run.name, isEval: run.isEval, argv: run.argv, durationMs }
  }

  // -- what scripts ask for -----------------------------------------------------------------------------------------

  run(argv: Frame): Reply {
    const { client, reply, engine } = this
    const run = this.current
    reply.clear()
    client.argv = argv
    if (run === null) {
      reply.error('ERR redis.call is not available here')
      return reply
    }
    const command = this.findCommand(argv)
    const refusal = this.refusal(run, command, argv)
    if (refusal !== null) {
      if (command !== null) command.rejected++
      reply.error(refusal)
      engine.stats.countErrors(1, reply.lastError)
      return reply
    }
    const { flags } = command as Command
    if ((flags & WRITE) !== 0) run.dirty = true
    call(client, command as Command)
    return reply
  }

  private findCommand(argv: Frame): Command | null {
    const found = this.engine.table.lookup(argv.bytes, argv.off(0), argv.len(0))
    if (found === null || found.subcommands === null || argv.count < 2) return found
    return found.subcommand(argv.bytes, argv.off(1), argv.len(1))
  }

  /** What Redis checks of a command inside a script, in its order. */
  private refusal(run: Run, command: Command | null, argv: Frame): string | null {
    if (command === null) return 'ERR Unknown Redis command called from script'
    const { arity, flags } = command
    if (arity > 0 ? argv.count !== arity : argv.count < -arity) return 'ERR Wrong number of args calling Redis command from script'
    if ((flags & NOSCRIPT) !== 0 && !this.allowAll) return 'ERR This Redis command is not allowed from script'
    const { client } = this
    if (this.permission !== null) {
      const refused = this.permission(client, command)
      if (refused !== null) return `ERR ACL failure in script: ${refused}`
    }
    if (run.readOnly && (flags & (WRITE | MAY_REPLICATE)) !== 0) return 'ERR Write commands are not allowed from read-only scripts.'
    if (run.dirty) return null
    if ((flags & WRITE) !== 0 && this.writeGate !== null) {
      const refused = this.writeGate(client, command)
      if (refused !== null) return refused
    }
    if (run.outOfMemory && !run.allowOom && (flags & DENYOOM) !== 0) return OOM
    return null
  }

  /** ACL: what the user may not do, in words; null when nothing stands against it. Set by the composition root. */
  permission: ((c: Client, command: Command) => string | null) | null = null
  /** Why writes are refused now (a read-only replica, a failing disk), as the whole error. Set by the composition root. */
  writeGate: ((c: Client, command: Command) => string | null) | null = null

  setProtocol(version: number): void {
    this.client.resp = version === 3 ? 3 : 2
    this.reply.resp3 = version === 3
  }

  setReplication(targets: number): void {
    this.replicationTargets = targets
  }

  mayRun(argv: Frame): boolean | undefined {
    const command = this.findCommand(argv)
    if (command === null) return undefined
    if (this.permission === null) return true
    this.client.argv = argv
    return this.permission(this.client, command) === null
  }

  logs(level: number): boolean {
    return level >= LEVELS.indexOf(this.engine.log.level)
  }

  log(level: number, message: string): void {
    const { log } = this.engine
    if (level === 0) log.debug(message)
    else if (level === 1) log.verbose(message)
    else if (level === 2) log.notice(message)
    else log.warning(message)
  }
}

/** 7.2.4 is 0x070204. */
function versionNumber(text: string): number {
  return text.split('.').reduce((n, part) => n * 256 + Number(part), 0)
}

const LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing']

function isNoSave(argv: Frame): boolean {
  for (let i = 1; i < argv.count; i++) if (argv.is(i, 'nosave')) return true
  return false
}

const services = new WeakMap<Engine, Scripting>()
let lastEngine: Engine | null = null
let lastService: Scripting | null = null

/** Gives a server its scripts. Called once, by the composition root. */
export function addScripting(engine: Engine): Scripting {
  const scripting = new Scripting(engine)
  services.set(engine, scripting)
  engine.gates.push((c, command) => scripting.gate(command, c))
  engine.info.add('Memory', () => scripting.infoFields())
  return scripting
}

/** The scripts of a client's server. */
export function scriptingOf(engine: Engine): Scripting {
  if (engine === lastEngine) return lastService as Scripting
  const service = services.get(engine)
  if (service === undefined) throw new Error('this server has no scripts: addScripting was not called')
  lastEngine = engine
  lastService = service
  return service
}
