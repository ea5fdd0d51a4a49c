/**
 * What a script needs of the server: commands are run, their replies come back as RESP bytes. No object is made per call: the
 * arguments are a frame over the Lua memory, the reply is read from the buffer it was written to.
 */

/** The arguments of one command. They are views into the Lua memory, valid during `run` only. */
export interface ScriptArgv {
  bytes: Uint8Array
  /** Offset and length of argument i. */
  offsets: Uint32Array
  lengths: Uint32Array
  count: number
}

export interface ScriptReply {
  bytes: Uint8Array
  length: number
}

export interface ScriptHost {
  /** Runs a command as the script's client, with every check that Redis makes inside scripts. The reply is in RESP. */
  run(argv: ScriptArgv): ScriptReply
  /** redis.setresp: the protocol of the replies of `run`. */
  setProtocol(version: number): void
  /** redis.set_repl: 1 AOF, 2 replicas. */
  setReplication(targets: number): void
  /** redis.acl_check_cmd: whether the caller may; undefined when there is no such command. */
  mayRun(argv: ScriptArgv): boolean | undefined
  /** Whether messages of this level (0-3) are wanted, and one of them, one character a byte. */
  logs(level: number): boolean
  log(level: number, message: string): void
  /** The count hook of a running script; true asks it to yield, a text ends it with that error. */
  tick(mayYield: boolean): boolean | string
}

/** What the value a script returns is written to; `Reply` of the server satisfies it. */
export interface ReplySink {
  nil(): void
  integer(n: number): void
  bigInteger(n: bigint): void
  boolean(b: boolean): void
  double(n: number): void
  bulk(bytes: Uint8Array, offset: number, length: number): void
  status(bytes: Uint8Array, offset: number, length: number): void
  /** A whole error line, without the leading minus; `counted`: the statistics know about it. */
  error(text: string, counted: boolean): void
  bigNumber(text: string): void
  verbatim(format: string, bytes: Uint8Array, offset: number, length: number): void
  /** A header whose count comes later, and the count. */
  deferArray(): number
  deferMap(): number
  deferSet(): number
  settle(mark: number, count: number): void
}
