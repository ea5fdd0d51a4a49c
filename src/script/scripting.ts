/**
 * Scripts of one server: EVAL and FCALL from a command's handler to its reply, and what their redis.call is allowed to do.
 *
 * One script runs at a time. It runs to its end inside its handler, as any command; only when it takes longer than
 * busy-reply-threshold is it suspended now and then (its client then waits as a blocked one does), so that other clients hear BUSY and
 * can kill it. While it is suspended nothing else may happen: no other command, no expiry, no eviction, and time stands still for it.
 */
import type { Client } from '../engine/client.ts'
import type { Engine } from '../engine/engine.ts'
import { DENYOOM, MAY_REPLICATE, STALE, WRITE } from '../engine/flags.ts'
import type { Command } from '../engine/table.ts'
import { REDIS_VERSION } from '../engine/version.ts'
import { OOM } from '../resp/errors.ts'
import type { Reply } from '../resp/reply.ts'
import { type Script, ScriptCache } from './cache.ts'
import { Libraries, type LibraryFunction } from './libraries.ts'
import { Run } from './run.ts'
import { Runner, SUSPENDED } from './runner.ts'
import { Sandbox } from './sandbox.ts'
import { ScriptCommands } from './script-commands.ts'
import * as shebang from './shebang.ts'
import { SlowScripts } from './slow.ts'

const MEMORY_LIMIT_BYTES = 2 ** 29
/** A Lua memory beyond this is replaced by a fresh one once its script is over. */
const SPIKE_BYTES = 64 * 2 ** 20
const HOOK_INSTRUCTIONS = 10_000
const LETTER_F = 0x66
const LETTER_S = 0x73

export class Scripting {
  readonly cache = new ScriptCache()
  readonly libraries: Libraries
  readonly commands: ScriptCommands
  readonly slow: SlowScripts
  private readonly engine: Engine
  private evalRunner: Runner | null = null
  private running: Run | null = null
  /** Counts the sandboxes of EVAL: a script compiled for an older one is compiled again. */
  private generation = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.commands = new ScriptCommands(engine, (mayYield) => this.tick(mayYield))
    this.slow = new SlowScripts(engine, (run, reply) => this.finish(run, reply))
    this.libraries = new Libraries(
      (register) => this.newSandbox('functions', register),
      () => engine.clock.monotonicUs(),
    )
  }

  // -- sandboxes ----------------------------------------------------------------------------------------------------

  private newSandbox(kind: 'eval' | 'functions', registerFunction?: (L: number, sandbox: Sandbox) => number): Sandbox {
    const sandbox: Sandbox = new Sandbox({
      host: this.commands,
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

  /** A command's flags, as the script or function that it is about to run changes them. */
  commandFlags(c: Client, command: Command): number {
    const declared = this.declaredFlags(c, command)
    if (declared === null || (declared & shebang.COMPATIBLE) !== 0) return command.flags
    let flags = command.flags & ~(STALE | DENYOOM | WRITE | MAY_REPLICATE)
    if ((declared & (shebang.ALLOW_OOM | shebang.NO_WRITES)) === 0) flags |= DENYOOM
    if ((declared & shebang.NO_WRITES) === 0) flags |= WRITE
    if ((declared & shebang.ALLOW_STALE) !== 0) flags |= STALE
    return flags
  }

  private declaredFlags(c: Client, command: Command): number | null {
    const { argv } = c
    // FCALL..., EVALSHA..., EVAL...
    if (command.name.charCodeAt(0) === LETTER_F) return this.libraries.find(argv.text(1))?.flags ?? null
    if (command.name.charCodeAt(4) === LETTER_S) return this.cache.findByDigest(argv.bytes, argv.off(1), argv.len(1))?.flags ?? null
    const known = this.cache.findByText(argv.bytes, argv.off(1), argv.len(1))
    if (known !== null) return known.flags
    const header = shebang.readScriptHeader(argv.slice(1))
    return typeof header === 'string' ? null : header.flags
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
    const refusal = this.refusalOf(flags, readOnly)
    if (refusal !== null) c.reply.error(refusal)
    return refusal !== null
  }

  private refusalOf(flags: number, readOnly: boolean): string | null {
    const { engine } = this
    if ((flags & shebang.NO_CLUSTER) !== 0 && engine.config.flag('cluster-enabled')) {
      return "ERR Can not run script on cluster, 'no-cluster' flag is set."
    }
    if ((flags & shebang.NO_WRITES) !== 0) return null
    if (engine.writesRefused !== null) return engine.writesRefused
    if (readOnly) return 'ERR Can not execute a script with write flag using *_ro command.'
    if ((flags & shebang.ALLOW_OOM) !== 0 || !this.memoryIsShort()) return null
    if (engine.depth === 1) return OOM
    return "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"
  }

  /** Inside a transaction no key is evicted: what went before its first command is all that may go. */
  private memoryIsShort(): boolean {
    const { makeRoom, memory, depth } = this.engine
    if (makeRoom === null) return false
    return depth > 1 ? memory.eviction.kind === null && memory.used > memory.limit : !makeRoom()
  }

  private start(c: Client, runner: Runner, name: string, ref: number, flags: number, keys: number, isEval: boolean, ro: boolean): void {
    const { commands } = this
    const run = (this.running ??= new Run(c, runner))
    run.begin(c, runner, name, flags, isEval, ro)
    run.outOfMemory = this.memoryIsShort()
    commands.begin(run)
    if (runner.begin(ref, c.argv, 3, keys, isEval) === SUSPENDED) this.slow.suspend(run)
    else this.finish(run, c.reply)
  }

  /** Answers the count hook, of scripts and of libraries that are being loaded. */
  private tick(mayYield: boolean): boolean | string {
    const now = this.engine.clock.monotonicUs()
    const run = this.commands.current
    if (run !== null) return this.slow.tick(run, now, mayYield)
    return this.libraries.loadTimedOut(now) ? 'FUNCTION LOAD timeout' : false
  }

  private finish(run: Run, reply: Reply): void {
    const { runner } = run
    const counted = runner.finish(run.name, reply, this.commands.client.resp)
    // An error of one of its commands is in the statistics already, but the script failed all the same.
    if (counted > 0 && run.caller.command !== null) run.caller.command.failed += counted
    this.commands.end()
    if (!runner.broken && runner.sandbox.vm.memoryBytes < SPIKE_BYTES) return
    if (runner === this.evalRunner) this.evalRunner = null
    else if (runner.broken) this.libraries.rebuild()
  }
}

/** 7.2.4 is 0x070204. */
function versionNumber(text: string): number {
  return text.split('.').reduce((n, part) => n * 256 + Number(part), 0)
}

const services = new WeakMap<Engine, Scripting>()
let lastEngine: Engine | null = null
let lastService: Scripting | null = null

/** Gives a server its scripts. Called once, by the composition root. */
export function addScripting(engine: Engine): Scripting {
  const scripting = new Scripting(engine)
  services.set(engine, scripting)
  engine.gates.push((c, command) => scripting.slow.gate(command, c))
  engine.scriptFlags = (c, command) => scripting.commandFlags(c, command)
  engine.info.add('Memory', () => scripting.infoFields())
  engine.memory.others.push(() => scripting.cache.bytes + scripting.libraries.codeBytes)
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
