import type { Client } from '../engine/client.ts'
import { FAST, LOADING, MAY_REPLICATE, NOSCRIPT, PUBSUB, STALE } from '../engine/flags.ts'
import { key, keys, NOT_KEY } from '../engine/keyspec.ts'
import { TO_REPLICAS } from '../engine/propagate.ts'
import type { Topics } from '../engine/pubsub.ts'
import type { CommandRow } from '../engine/row.ts'
import { wrongSubcommand } from '../resp/errors.ts'
import { globMatch } from '../util/glob.ts'
import { replyHelp } from './help.ts'

// biome-ignore format: a table, one command after the other
export const pubsubRows: readonly CommandRow[] = [
  { name: 'SUBSCRIBE', arity: -2, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: 'channel:string...',
    summary: 'Listens to channels.', complexity: 'O(N) by channels', run: subscribe },
  { name: 'UNSUBSCRIBE', arity: -1, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: '[channel:string...]',
    summary: 'Ends subscriptions to channels.', complexity: 'O(N) by channels', run: unsubscribe },
  { name: 'PSUBSCRIBE', arity: -2, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: 'pattern:pattern...',
    summary: 'Listens to the channels that match patterns.', complexity: 'O(N) by patterns', run: psubscribe },
  { name: 'PUNSUBSCRIBE', arity: -1, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '2.0.0', args: '[pattern:pattern...]',
    summary: 'Ends subscriptions to patterns.', complexity: 'O(N) by patterns', run: punsubscribe },
  { name: 'SSUBSCRIBE', arity: -2, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '7.0.0', keys: [keys(1, -1, 1, NOT_KEY)],
    args: 'shardchannel:string...', summary: 'Listens to shard channels.', complexity: 'O(N) by shard channels', run: ssubscribe },
  { name: 'SUNSUBSCRIBE', arity: -1, flags: PUBSUB | NOSCRIPT | LOADING | STALE, since: '7.0.0', keys: [keys(1, -1, 1, NOT_KEY)],
    args: '[shardchannel:string...]', summary: 'Ends subscriptions to shard channels.', complexity: 'O(N) by shard channels',
    run: sunsubscribe },
  { name: 'PUBLISH', arity: 3, flags: PUBSUB | LOADING | STALE | FAST | MAY_REPLICATE, since: '2.0.0',
    args: 'channel:string message:string', summary: 'Sends a message to all who listen to a channel.',
    complexity: 'O(N+M) by subscribers and by patterns of all clients', run: publish },
  { name: 'SPUBLISH', arity: 3, flags: PUBSUB | LOADING | STALE | FAST | MAY_REPLICATE, since: '7.0.0', keys: [key(1, NOT_KEY)],
    args: 'shardchannel:string message:string', summary: 'Sends a message to all who listen to a shard channel.',
    complexity: 'O(N) by subscribers', run: spublish },
  { name: 'PUBSUB', arity: -2, flags: 0, since: '2.8.0', summary: 'Channels and subscriptions.',
    subcommands: [
      { name: 'CHANNELS', arity: -2, flags: PUBSUB | LOADING | STALE, since: '2.8.0', args: '[pattern:pattern]',
        summary: 'The channels that have subscribers.', complexity: 'O(N) by channels', run: pubsubChannels },
      { name: 'HELP', arity: 2, flags: LOADING | STALE, since: '6.2.0', summary: 'What PUBSUB can do.', complexity: 'O(1)',
        run: pubsubHelp },
      { name: 'NUMPAT', arity: 2, flags: PUBSUB | LOADING | STALE, since: '2.8.0',
        summary: 'The number of patterns that clients listen to.', complexity: 'O(1)', run: pubsubNumpat },
      { name: 'NUMSUB', arity: -2, flags: PUBSUB | LOADING | STALE, since: '2.8.0', args: '[channel:string...]',
        summary: 'How many clients listen to each of these channels.', complexity: 'O(N) by channels asked for', run: pubsubNumsub },
      { name: 'SHARDCHANNELS', arity: -2, flags: PUBSUB | LOADING | STALE, since: '7.0.0', args: '[pattern:pattern]',
        summary: 'The shard channels that have subscribers.', complexity: 'O(N) by shard channels', run: pubsubShardchannels },
      { name: 'SHARDNUMSUB', arity: -2, flags: PUBSUB | LOADING | STALE, since: '7.0.0', args: '[shardchannel:string...]',
        summary: 'How many clients listen to each of these shard channels.', complexity: 'O(N) by shard channels asked for',
        run: pubsubShardnumsub },
    ] },
]

function subscribe(c: Client): void {
  listen(c, c.engine.pubsub.channels)
}

function psubscribe(c: Client): void {
  listen(c, c.engine.pubsub.patterns)
}

function ssubscribe(c: Client): void {
  if (c.inExec) return c.reply.error("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")
  listen(c, c.engine.pubsub.shardChannels)
}

function unsubscribe(c: Client): void {
  leave(c, c.engine.pubsub.channels)
}

function punsubscribe(c: Client): void {
  leave(c, c.engine.pubsub.patterns)
}

function sunsubscribe(c: Client): void {
  leave(c, c.engine.pubsub.shardChannels)
}

/** Subscribes to every topic among the arguments; each has an answer of its own. */
function listen(c: Client, topics: Topics): void {
  const { argv } = c
  for (let i = 1; i < argv.count; i++) {
    topics.subscribe(c, argv.bytes, argv.off(i), argv.len(i))
    begin(c, topics.verb)
    c.reply.bulk(argv.bytes, argv.off(i), argv.len(i))
    c.reply.int(countFor(c, topics))
  }
}

/** Leaves the topics among the arguments, or all of this kind; there is an answer even when there is none to leave. */
function leave(c: Client, topics: Topics): void {
  const { argv } = c
  const mine = topics.of(c)
  for (let i = 1; i < argv.count; i++) {
    const topic = topics.byName.find(argv.bytes, argv.off(i), argv.len(i))
    if (topic !== undefined) topics.leave(c, topic)
    answerLeft(c, topics, argv.slice(i))
  }
  if (argv.count > 1) return
  if (mine.size === 0) return answerLeft(c, topics, null)
  for (const topic of mine) {
    topics.leave(c, topic)
    answerLeft(c, topics, topic.key)
  }
}

function answerLeft(c: Client, topics: Topics, name: Uint8Array | null): void {
  begin(c, topics.verb.replace('sub', 'unsub'))
  if (name === null) c.reply.nil()
  else c.reply.bulk(name, 0, name.length)
  c.reply.int(countFor(c, topics))
}

function begin(c: Client, verb: string): void {
  c.reply.push(3)
  c.reply.text(verb)
}

/** What the client listens to after the change: shard channels count on their own. */
function countFor(c: Client, topics: Topics): number {
  const shards = c.engine.pubsub.shardChannels.of(c).size
  return topics === c.engine.pubsub.shardChannels ? shards : c.subscriptions - shards
}

function publish(c: Client): void {
  const { argv } = c
  c.reply.int(c.engine.pubsub.publish(argv.bytes, argv.off(1), argv.len(1), argv.bytes, argv.off(2), argv.len(2)))
  c.engine.propagate.force(TO_REPLICAS)
}

function spublish(c: Client): void {
  const { argv } = c
  c.reply.int(c.engine.pubsub.publishShard(argv.bytes, argv.off(1), argv.len(1), argv.bytes, argv.off(2), argv.len(2)))
  c.engine.propagate.force(TO_REPLICAS)
}

function pubsubChannels(c: Client): void {
  listTopics(c, c.engine.pubsub.channels)
}

function pubsubShardchannels(c: Client): void {
  listTopics(c, c.engine.pubsub.shardChannels)
}

function listTopics(c: Client, topics: Topics): void {
  const { argv, reply } = c
  if (argv.count > 3) return reply.error(wrongSubcommand(argv.text(1), 'pubsub'))
  const start = reply.defer()
  let count = 0
  for (const { key: name } of topics.byName) {
    if (argv.count === 3 && !globMatch(argv.bytes, argv.off(2), argv.len(2), name, 0, name.length, false)) continue
    reply.bulk(name, 0, name.length)
    count++
  }
  reply.endArray(start, count)
}

function pubsubNumsub(c: Client): void {
  countListeners(c, c.engine.pubsub.channels)
}

function pubsubShardnumsub(c: Client): void {
  countListeners(c, c.engine.pubsub.shardChannels)
}

function countListeners(c: Client, topics: Topics): void {
  const { argv, reply } = c
  reply.array((argv.count - 2) * 2)
  for (let i = 2; i < argv.count; i++) {
    reply.bulk(argv.bytes, argv.off(i), argv.len(i))
    reply.int(topics.count(argv.bytes, argv.off(i), argv.len(i)))
  }
}

function pubsubNumpat(c: Client): void {
  c.reply.int(c.engine.pubsub.patterns.byName.size)
}

function pubsubHelp(c: Client): void {
  replyHelp(c, [
    'CHANNELS [<pattern>]',
    "    Return the currently active channels matching a <pattern> (default: '*').",
    'NUMPAT',
    '    Return number of subscriptions to patterns.',
    'NUMSUB [<channel> ...]',
    '    Return the number of subscribers for the specified channels, excluding',
    '    pattern subscriptions(default: no channels).',
    'SHARDCHANNELS [<pattern>]',
    "    Return the currently active shard level channels matching a <pattern> (default: '*').",
    'SHARDNUMSUB [<shardchannel> ...]',
    '    Return the number of subscribers for the specified shard level channel(s)',
  ])
}
