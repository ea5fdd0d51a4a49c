/**
 * pubsub: who listens to which channel, pattern or shard channel, and the way of a message to them.
 *
 * A message is written once for each protocol: the first byte says whether it is a RESP2 array or a RESP3 push. It is sent at the end of
 * the turn of the event loop, one write per subscriber however many messages there were, from the one copy where that is possible.
 *
 * (1) A topic exists as long as somebody listens to it; its subscribers are in the order in which they came.
 * (2) Client.subscriptions is the sum of the sizes of the client's three sets.
 * (3) Shard channels know no patterns, and their names do not meet those of channels.
 *
 * publish is O(subscribers of the channel + all patterns); subscribing and leaving are O(1).
 */
import { type BytesEntry, BytesMap } from '../util/bytes-map.ts'
import { globMatch } from '../util/glob.ts'
import type { Random } from '../util/random.ts'
import type { Client } from './client.ts'
import type { Engine } from './engine.ts'
import { MessageLog } from './message-log.ts'
import type { Command } from './table.ts'

/** A name that somebody listens to, with those who do. */
export type Topic = BytesEntry<Set<Client>>

const PUSH = 0x3e

/** One kind of topic: channels, patterns or shard channels. */
export class Topics {
  /** How its messages about subscriptions begin: `subscribe`, `psubscribe`, `ssubscribe`. */
  readonly verb: string
  readonly byName: BytesMap<Set<Client>>
  private readonly kind: keyof Subscriptions

  constructor(kind: keyof Subscriptions, verb: string, random: Random) {
    this.kind = kind
    this.verb = verb
    this.byName = new BytesMap(random)
  }

  /** The topics of this kind that the client listens to. */
  of(c: Client): Set<Topic> {
    c.pubsub ??= new Subscriptions()
    return c.pubsub[this.kind]
  }

  /** False when the client listened already. */
  subscribe(c: Client, bytes: Uint8Array, off: number, len: number): boolean {
    const topic = this.byName.find(bytes, off, len) ?? this.byName.add(bytes, off, len, new Set())
    if (topic.value.has(c)) return false
    topic.value.add(c)
    this.of(c).add(topic)
    c.subscriptions++
    return true
  }

  leave(c: Client, topic: Topic): void {
    if (!this.of(c).delete(topic)) return
    c.subscriptions--
    topic.value.delete(c)
    if (topic.value.size === 0) this.byName.remove(topic)
  }

  leaveAll(c: Client): void {
    for (const topic of this.of(c)) this.leave(c, topic)
  }

  /** How many clients listen to this name. */
  count(bytes: Uint8Array, off: number, len: number): number {
    return this.byName.get(bytes, off, len)?.size ?? 0
  }
}

/** What one client listens to. */
export class Subscriptions {
  readonly channels = new Set<Topic>()
  readonly patterns = new Set<Topic>()
  readonly shardChannels = new Set<Topic>()
}

/** What a RESP2 client may still ask while it listens: everything else on its connection is messages. */
const ALLOWED = new Set(['subscribe', 'ssubscribe', 'psubscribe', 'unsubscribe', 'sunsubscribe', 'punsubscribe', 'ping', 'quit', 'reset'])

export class PubSub {
  readonly channels: Topics
  readonly patterns: Topics
  readonly shardChannels: Topics
  private readonly engine: Engine
  /** The messages of this turn, as arrays and as pushes. */
  private readonly arrays = new MessageLog()
  private readonly pushes = new MessageLog()
  /** Where the message that is being delivered begins in `arrays`. */
  private begin = 0

  constructor(engine: Engine) {
    this.engine = engine
    this.channels = new Topics('channels', 'subscribe', engine.random)
    this.patterns = new Topics('patterns', 'psubscribe', engine.random)
    this.shardChannels = new Topics('shardChannels', 'ssubscribe', engine.random)
    engine.gates.push((c, command) => (c.subscriptions > 0 && c.resp === 2 ? refusal(command) : null))
    engine.onRemove.push((c) => this.leaveAll(c))
    engine.onReset.push((c) => this.leaveAll(c))
  }

  /** Whether nobody listens to any channel or pattern. */
  get silent(): boolean {
    return this.channels.byName.size === 0 && this.patterns.byName.size === 0
  }

  leaveAll(c: Client): void {
    if (c.subscriptions === 0) return
    this.channels.leaveAll(c)
    this.patterns.leaveAll(c)
    this.shardChannels.leaveAll(c)
  }

  /** Sends a message to a channel's subscribers and to those whose pattern matches it; returns how often it was sent. */
  publish(name: Uint8Array, nameOff: number, nameLen: number, text: Uint8Array, off: number, len: number): number {
    let receivers = 0
    const subscribers = this.channels.byName.get(name, nameOff, nameLen)
    if (subscribers !== undefined) {
      this.write('message', null, name, nameOff, nameLen, text, off, len)
      receivers = this.deliver(subscribers)
    }
    if (this.patterns.byName.size === 0) return receivers
    for (const pattern of this.patterns.byName) {
      if (!globMatch(pattern.key, 0, pattern.key.length, name, nameOff, nameLen, false)) continue
      this.write('pmessage', pattern.key, name, nameOff, nameLen, text, off, len)
      receivers += this.deliver(pattern.value)
    }
    return receivers
  }

  /** Sends a message to a shard channel's subscribers; returns how many there are. */
  publishShard(name: Uint8Array, nameOff: number, nameLen: number, text: Uint8Array, off: number, len: number): number {
    const subscribers = this.shardChannels.byName.get(name, nameOff, nameLen)
    if (subscribers === undefined) return 0
    this.write('smessage', null, name, nameOff, nameLen, text, off, len)
    return this.deliver(subscribers)
  }

  private write(
    kind: string,
    pattern: Uint8Array | null,
    name: Uint8Array,
    nameOff: number,
    nameLen: number,
    text: Uint8Array,
    off: number,
    len: number,
  ): void {
    const message = this.arrays
    this.begin = message.pos
    message.array(pattern === null ? 3 : 4)
    message.text(kind)
    if (pattern !== null) message.bulk(pattern, 0, pattern.length)
    message.bulk(name, nameOff, nameLen)
    message.bulk(text, off, len)
  }

  private deliver(subscribers: Set<Client>): number {
    const { engine, arrays, pushes, begin } = this
    const { current } = engine
    let pushBegin = -1
    for (const c of subscribers) {
      if (c.resp === 3 && pushBegin < 0) pushBegin = this.writePush()
      const log = c.resp === 3 ? pushes : arrays
      const from = c.resp === 3 ? pushBegin : begin
      if (c === current || !log.share(c, from)) c.messages.raw(log.buf, from, log.pos - from)
      if (!c.woken || c === current) engine.wake(c)
    }
    arrays.delivered(begin)
    if (pushBegin >= 0) pushes.delivered(pushBegin)
    return subscribers.size
  }

  /** Writes the message that is being delivered as a push, too. */
  private writePush(): number {
    const { arrays, pushes, begin } = this
    const from = pushes.pos
    pushes.raw(arrays.buf, begin, arrays.pos - begin)
    pushes.buf[from] = PUSH
    return from
  }

  /** What was published in this turn has been sent. */
  endTurn(): void {
    this.arrays.reset()
    this.pushes.reset()
  }
}

function refusal(command: Command): string | null {
  if (ALLOWED.has(command.name)) return null
  return `ERR Can't execute '${command.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context`
}
