/**
 * What a script needs of the server: commands are run, their replies come back as RESP bytes. No object is made per call: the
 * arguments are a frame over the Lua memory, the reply is read from the buffer it was written to.
 */
import type { Reply } from '../resp/reply.ts'
import type { Frame } from '../util/argv.ts'

export interface ScriptHost {
  /** Runs a command as the script's client, with every check that Redis makes inside scripts. The reply is in RESP, from the start of the writer. The frame
   * is over the Lua memory and valid during the call only. */
  run(argv: Frame): Reply
  /** redis.setresp: the protocol of the replies of `run`. */
  setProtocol(version: number): void
  /** redis.set_repl: 1 AOF, 2 replicas. */
  setReplication(targets: number): void
  /** redis.acl_check_cmd: whether the caller may; undefined when there is no such command. */
  mayRun(argv: Frame): boolean | undefined
  /** Whether messages of this level (0-3) are wanted, and one of them, one character a byte. */
  logs(level: number): boolean
  log(level: number, message: string): void
  /** The count hook of a running script; true asks it to yield, a text ends it with that error. */
  tick(mayYield: boolean): boolean | string
}
