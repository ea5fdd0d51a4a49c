/**
 * dispatch: the way of a command, from an argv frame to its reply.
 *
 * runBatch takes what the parser found in one read: pass one (ahead.ts) looks the commands up, hashes first keys and touches
 * memory, so that the processor overlaps the cache misses of a pipeline; pass two runs them. `dispatch` is the list of
 * gates in Redis' order; `call` runs the handler and keeps the books.
 *
 * Runs: a reading of the clock costs as much as a short command. Where a pipeline repeats a brief command (one that is
 * FAST, or SET and its like), up to RUN_MAX of them are timed together and the time is shared out evenly in the statistics;
 * if it is long enough to be noticed, it is laid to the last. A low slowlog-log-slower-than or a HOTKEYS session ends that.
 */
import { OutOfMemory } from '../memory/arena.ts'
import { NOAUTH, OOM, unknownCommand, unknownSubcommand, wrongArity } from '../resp/errors.ts'
import { bytesOf } from '../util/bytes.ts'
import { dropEmpty } from '../keyspace/empty.ts'
import { commandsAhead, hashesAhead, lookAhead } from './ahead.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { DENYOOM, MAY_REPLICATE, NO_AUTH, NO_MULTI, NOSCRIPT, PROTECTED, PUBSUB, WRITE } from './flags.ts'
import type { Command } from './table.ts'

/** The bytes of reply from which a command is timed by itself. */
const LONG_REPLY = 2048

/**
 * Runs the parser's batch for a client. Returns how many commands are done: fewer than the batch has when the client blocks,
 * closes or is paused meanwhile, or when its replies are large; the rest is the caller's to keep or to run.
 */
export function runBatch(c: Client): number {
  const engine = c.engine
  const parser = engine.parser
  const frame = parser.frame
  const size = parser.size
  if (size > 1) lookAhead(c, size)
  engine.space.readClock()
  engine.tickUs = engine.clock.monotonicUs()
  engine.clockUs = engine.tickUs
  engine.untimed = 0
  c.argv = frame
  engine.batchOf = c
  let previous: Command | null = null
  for (let i = 0; i < size; i++) {
    frame.base = parser.starts[i]
    frame.count = parser.counts[i]
    let command: Command | null
    if (size > 1) {
      command = commandsAhead[i]
      frame.hash = hashesAhead[i]
      frame.hashedArg = command === null ? 0 : command.firstKey
      if (frame.hashedArg >= frame.count) frame.hashedArg = 0
      if (engine.untimed > 0 && command !== previous) endRun(engine, previous)
      engine.inRun = command !== null && command.isBrief && i + 1 < size && commandsAhead[i + 1] === command && engine.mayRun
      previous = command
    } else {
      command = engine.table.lookup(frame.bytes, frame.off(0), frame.len(0))
      frame.hashedArg = 0
    }
    serve(c, command)
    if (c.stopped || c.reply.full) {
      endRun(engine, previous)
      endBatch(c)
      return c.paused ? i : i + 1
    }
  }
  if (engine.untimed > 0) endRun(engine, previous)
  endBatch(c)
  return size
}

/** The parser's frame will hold something else: an open transaction keeps its commands. */
function endBatch(c: Client): void {
  c.engine.batchOf = null
  if (c.multi !== null && !c.multi.keep()) c.multiBroken = true
}

/** Ends a run that is not followed by a command of its kind after all. */
function endRun(engine: Engine, command: Command | null): void {
  engine.inRun = false
  const { untimed } = engine
  if (untimed === 0 || command === null) return
  const now = engine.clock.monotonicUs()
  const took = now - engine.tickUs
  engine.tickUs = now
  engine.untimed = 0
  command.calls += untimed
  command.usec += took
  if (engine.latencyTracking) command.recordLatency(Math.floor(took / untimed), untimed)
}

/** The wall clock is read for a batch, and again for a command that begins later than this after the last reading. */
const CLOCK_STEP_US = 200

function readClock(engine: Engine): void {
  engine.space.readClock()
  engine.clockUs = engine.tickUs
}

/** Runs one top-level command and what waits for its end. */
export function serve(c: Client, command: Command | null): void {
  const { engine } = c
  const before = c.reply.pos
  if (engine.tickUs - engine.clockUs > CLOCK_STEP_US) readClock(engine)
  engine.current = c
  dispatch(c, command)
  if (c.replyOff || c.skipReply > 0) dropReply(c, before)
  if (engine.attention) finish(engine)
  if (c.tracking !== null) engine.tracking.ended(c)
  engine.current = null
}

/** Publishing may be done by scripts, subscribing not: these flags tell them apart. */
const ANSWERS_BY_MESSAGE = PUBSUB | NOSCRIPT

/** Serves ready keys, then appends the messages to the client's own replies. */
function finish(engine: Engine): void {
  engine.attention = false
  // what runs now are others' commands
  if (engine.inRun) endRun(engine, engine.current?.command ?? null)
  for (const after of engine.afterCommand) after()
  engine.current?.settleMessages()
}

/**
 * CLIENT REPLY silences replies, but not what is a message: the answers of SUBSCRIBE and its like. The reply that a blocked or
 * paused client waits for is the one that SKIP means.
 */
export function dropReply(c: Client, before: number): void {
  const isMessage = c.command !== null && (c.command.flags & ANSWERS_BY_MESSAGE) === ANSWERS_BY_MESSAGE
  if (c.silent && !isMessage && !c.repliesSettled) c.reply.pos = before
  c.repliesSettled = false
  if (c.skipReply > 0 && !c.blocked && !c.paused) c.skipReply--
}

/** EXEC is refused for what its queued commands would be refused for. */
const QUEUED_FLAGS = WRITE | DENYOOM | MAY_REPLICATE

/** The gates, in Redis' order; then the command is queued or called. */
export function dispatch(c: Client, found: Command | null): void {
  const { engine, argv } = c
  const command = found !== null && found.subcommands !== null ? resolve(c, found) : found
  c.command = command
  if (command === null) return found === null ? refuseUnknown(c) : refuseSubcommand(c, found)
  const { arity } = command
  let { flags } = command
  if (arity > 0 ? argv.count !== arity : argv.count < -arity) return reject(c, command, wrongArity(command.name))
  if ((flags & PROTECTED) !== 0 && !engine.allowProtected(command.name)) return reject(c, command, engine.protectedError(command.name))
  if (!c.authenticated && (flags & NO_AUTH) === 0) return reject(c, command, NOAUTH)
  if (c.multi !== null && (flags & NO_MULTI) !== 0) return reject(c, command, 'ERR Command not allowed inside a transaction')
  if (command.runsScript && engine.scriptFlags !== null) flags = engine.scriptFlags(c, command)
  if (c.multi !== null && command.ownName === 'exec') flags |= c.multi.anyFlags & QUEUED_FLAGS
  const queues = c.multi !== null && !command.runsInMulti
  // a queue takes memory too, so without any nothing can be queued
  if (engine.makeRoom !== null && !engine.makeRoom() && (queues || (flags & DENYOOM) !== 0)) return reject(c, command, OOM)
  if (engine.tracking.clients > 0) engine.tracking.limit()
  if (engine.writesRefused !== null && (flags & WRITE) !== 0) return reject(c, command, engine.writesRefused)
  if (engine.guarded || c.subscriptions > 0) {
    for (const gate of engine.gates) {
      const refusal = gate(c, command, flags)
      if (refusal !== null) return refusal === '' ? undefined : reject(c, command, refusal)
    }
  }
  if (engine.pause.mode !== null && engine.pause.holds(c, flags)) return
  if (queues) return queue(c, command, flags)
  call(c, command)
}

/** The subcommand, the container itself when it may run alone, or null. */
function resolve(c: Client, container: Command): Command | null {
  const { argv } = c
  if (argv.count < 2) return container
  const sub = container.subcommand(argv.bytes, argv.off(1), argv.len(1))
  return sub
}

/** Errors show no more of an argument. */
const SHOWN_BYTES = 128

function refuseUnknown(c: Client): void {
  const { argv } = c
  if (argv.is(0, 'post') || argv.is(0, 'host:')) {
    c.engine.log.warning(
      `Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands to Redis. This is likely due to an attacker attempting to use Cross Protocol Scripting to compromise your Redis instance. Connection from ${c.transport?.address ?? '?'} aborted.`,
    )
    c.closing = true
    c.transport?.destroy()
    return
  }
  const args: string[] = []
  for (let i = 1, size = 0; i < argv.count && size < 128; i++) {
    const text = argv.text(i, SHOWN_BYTES)
    size += text.length + 3
    args.push(text)
  }
  rejectUncounted(c, unknownCommand(argv.text(0, SHOWN_BYTES), args))
}

function refuseSubcommand(c: Client, container: Command): void {
  rejectUncounted(c, unknownSubcommand(c.argv.text(1, SHOWN_BYTES), container.name))
}

/** Refuses a command before it runs: the error, the statistics, and an open transaction is broken. */
export function reject(c: Client, command: Command, error: string): void {
  command.rejected++
  rejectUncounted(c, error)
}

function rejectUncounted(c: Client, error: string): void {
  if (c.multi !== null) c.multiBroken = true
  if (c.command?.name === 'exec') {
    discardTransaction(c)
    c.reply.error(`EXECABORT Transaction discarded because of: ${error.startsWith('ERR ') ? error.slice(4) : error}`)
  } else c.reply.error(error)
  countErrors(c, 1)
}

/** Ends the client's transaction without running it. */
export function discardTransaction(c: Client): void {
  c.multi?.end()
  c.multi = null
  c.multiBroken = false
  c.engine.watch.unwatchAll(c)
}

const QUEUED = bytesOf('+QUEUED\r\n')

function queue(c: Client, command: Command, flags: number): void {
  if (c.multi === null) return
  if (!c.multiBroken && !c.watchBroken && !c.multi.add(command, flags, c.argv, c.engine.batchOf === c)) c.multiBroken = true
  c.reply.raw(QUEUED)
}

/** Runs a command's handler and keeps its statistics. */
export function call(c: Client, command: Command): void {
  const { engine, reply } = c
  const { dirty } = engine.space
  const start = reply.pos
  const errors = reply.errors
  const began = engine.tickUs
  c.command = command
  engine.space.noTouch = command.leavesAccess || (c.noTouch && command.name !== 'touch')
  engine.depth++
  try {
    command.run(c)
  } catch (error) {
    reply.pos = start
    reply.error(faultText(c, command, error))
    if (error instanceof OutOfMemory) dropEmpty(c.db, c.argv)
  }
  engine.depth--
  if (engine.propagate.sinks !== 0) engine.propagate.ran(c, command, dirty)
  const reader = engine.current
  if (reader !== null && reader.tracking !== null) engine.tracking.remember(reader, c, command)
  if (engine.inRun && reply.errors === errors && reply.pos - start < LONG_REPLY && !c.blocked && engine.depth === (c.inExec ? 1 : 0)) {
    engine.untimed++
    engine.stats.commands++
    c.commandsRun++
    if (engine.monitors.size !== 0) engine.monitors.after(c, command)
    return
  }
  const now = engine.clock.monotonicUs()
  const took = now - began
  engine.tickUs = now
  // A command that waits is counted when it is over.
  if (c.blocked) {
    if (!engine.blocked.retrying) engine.monitors.after(c, command)
    return
  }
  const count = engine.untimed + 1
  engine.untimed = 0
  command.calls += count
  command.usec += took
  engine.stats.commands++
  c.commandsRun++
  if (reply.errors !== errors) {
    command.failed++
    countErrors(c, reply.errors - errors)
  }
  if (engine.latencyTracking) command.recordLatency(count === 1 ? took : Math.floor(took / count), count)
  if (took >= engine.noticeUs) engine.notice(c, command, took)
  if (engine.monitors.size !== 0 && !engine.blocked.retrying) engine.monitors.after(c, command)
  if (engine.observers.length !== 0) for (const observe of engine.observers) observe(c, took, reply.pos - start)
}

function countErrors(c: Client, count: number): void {
  c.engine.stats.countErrors(count, c.reply.lastError)
}

/** Memory that could not be had is the client's news; anything else is a bug of ours, which the log gets in full. */
function faultText(c: Client, command: Command, error: unknown): string {
  if (error instanceof OutOfMemory) return OOM
  const stack = error instanceof Error ? error.stack : String(error)
  c.engine.log.warning(`A bug in command '${command.name}' of client ${c.id}: ${stack}`)
  return `ERR internal error in command '${command.name}'`
}
