/**
 * A server without sockets, timers or a clock of its own, for tests that look inside: clients run their commands at once, time stands
 * still until it is moved.
 */
import type { Client, Transport } from '../../src/engine/client.ts'
import { CommandFeed } from '../../src/engine/command-feed.ts'
import { Config } from '../../src/engine/config.ts'
import { runBatch } from '../../src/engine/dispatch.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { type PropagationSink, TO_ALL } from '../../src/engine/propagate.ts'
import { ParseState } from '../../src/resp/parser.ts'
import { Server } from '../../src/server.ts'
import type { Frame } from '../../src/util/argv.ts'
import { ManualClock } from '../../src/util/clock.ts'
import { encodeCommand, parseReply, type Reply, ReplySplitter } from './resp.ts'

const START_MS = 1_700_000_000_000

/** A connection that takes everything at once, so that its client may block. */
const CONNECTED: Transport = {
  queuedBytes: 0,
  queuedWrites: 0,
  queryBytes: 0,
  queryCapacity: 0,
  readBytes: 0,
  fd: -1,
  isUnix: false,
  address: '127.0.0.1:1',
  localAddress: '127.0.0.1:2',
  isLocal: true,
  flush() {},
  resume() {},
  destroy() {},
}

export class InProcess {
  readonly clock = new ManualClock(START_MS)
  readonly engine: Engine
  /** What went wrong inside: it must stay empty. */
  readonly defects: string[] = []

  constructor(options: Record<string, string> = {}) {
    const config = new Config()
    const all = { 'enable-debug-command': 'yes', ...options }
    for (const [name, value] of Object.entries(all)) {
      if (config.loadOption(name, [value]) !== null) throw new Error(`option ${name}`)
    }
    this.engine = new Server(config, this.clock).engine
    this.engine.log.warning = (text: string) => {
      if (text.startsWith('A bug')) this.defects.push(text)
    }
  }

  client(): Client {
    const client = this.engine.addClient()
    client.transport = CONNECTED
    return client
  }

  /** Runs one command, of words with a character per byte; its reply, or null while the client waits. */
  run(client: Client, words: readonly string[]): Reply | null {
    const { engine } = this
    const bytes = new Uint8Array(encodeCommand(words.map((word) => Buffer.from(word, 'latin1'))))
    client.argv = engine.parser.frame
    client.reply = engine.reply
    client.reply.resp3 = client.resp === 3
    engine.parser.parse(new ParseState(), bytes, 0, bytes.length, 1, true)
    runBatch(client)
    const splitter = new ReplySplitter()
    splitter.feed(engine.reply.take())
    engine.reply.clear()
    const reply = splitter.next()
    return reply === undefined ? null : parseReply(reply)
  }
}

/** Takes what a server propagates, as an append-only file would hold it. */
export class Recorder implements PropagationSink {
  readonly takes: number
  private readonly feed = new CommandFeed()
  private readonly splitter = new ReplySplitter()

  constructor(takes = TO_ALL) {
    this.takes = takes
  }

  propagate(dbId: number, argv: Frame): void {
    this.feed.write(dbId, argv)
  }

  /** The bytes since the last call. */
  take(): Buffer {
    const bytes = Buffer.from(this.feed.out.take())
    this.feed.out.clear()
    return bytes
  }

  /** The commands since the last call. */
  commands(): string[][] {
    return commandsIn(this.take(), this.splitter)
  }
}

/** The commands of a stream of bytes; what is left of the last one stays in the splitter. */
export function commandsIn(bytes: Uint8Array, splitter = new ReplySplitter()): string[][] {
  const found: string[][] = []
  splitter.feed(bytes)
  for (let next = splitter.next(); next; next = splitter.next()) {
    const command = parseReply(next)
    if (!('items' in command)) throw new Error(`no command: ${next.toString('latin1')}`)
    found.push(command.items.map((item) => ('text' in item ? item.text : '')))
  }
  return found
}
