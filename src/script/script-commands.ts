/**
 * What a script asks of the server: commands, run by a client of their own with the checks that Redis makes inside scripts, and the rest
 * of the table `redis`.
 */
import { Client } from '../engine/client.ts'
import { call } from '../engine/dispatch.ts'
import type { Engine } from '../engine/engine.ts'
import { DENYOOM, MAY_REPLICATE, NOSCRIPT, WRITE } from '../engine/flags.ts'
import { TO_ALL } from '../engine/propagate.ts'
import type { Command } from '../engine/table.ts'
import { OOM } from '../resp/errors.ts'
import { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'
import type { ScriptHost } from './host.ts'
import type { Run } from './run.ts'

const LEVELS = ['debug', 'verbose', 'notice', 'warning', 'nothing']

export class ScriptCommands implements ScriptHost {
  private readonly engine: Engine
  /** Whom the commands of a script see as their client. */
  readonly client: Client
  readonly reply = new Reply()
  /** The script that runs; null between scripts. */
  current: Run | null = null
  /** Answers the count hook. */
  readonly tick: (mayYield: boolean) => boolean | string
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: commands that scripts may not run are let through. */
  allowAll = false
  /** ACL: what the user may not do, in words; null when nothing stands against it. Set by the composition root. */
  permission: ((c: Client, command: Command) => string | null) | null = null

  constructor(engine: Engine, tick: (mayYield: boolean) => boolean | string) {
    this.engine = engine
    this.tick = tick
    this.client = new Client(engine, 0)
    this.client.script = true
    this.client.authenticated = true
    this.client.reply = this.reply
  }

  /** A script begins: its commands are the caller's, in RESP2. */
  begin(run: Run): void {
    const { client } = this
    client.db = run.caller.db
    client.user = run.caller.user
    this.setProtocol(2)
    client.propagates = TO_ALL
    this.current = run
  }

  end(): void {
    this.current = null
    this.reply.clear()
  }

  run(argv: Frame): Reply {
    const { client, reply, engine } = this
    const { current: run } = this
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
    if ((flags & WRITE) !== 0 && this.engine.writesRefused !== null) return this.engine.writesRefused
    if (run.outOfMemory && !run.allowOom && (flags & DENYOOM) !== 0) return OOM
    return null
  }

  setProtocol(version: number): void {
    this.client.resp = version === 3 ? 3 : 2
    this.reply.resp3 = version === 3
  }

  setReplication(targets: number): void {
    this.client.propagates = targets
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
