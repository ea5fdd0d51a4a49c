/** OBJECT: how a key's value is stored and when it was used. */
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { encodingOf, lruOf, typeOf, valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import { ENCODING_NAMES, INT, STRING } from '../types/object.ts'
import { replyHelp } from './help.ts'

const NEEDS_LFU =
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.'
const NEEDS_LRU =
  'ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.'

/** The entry of argument 2; null when it has answered nil. */
function found(c: Client): Ref {
  const entry = c.db.peek(c.argv, 2)
  if (entry === NULL_REF) c.reply.nil()
  return entry
}

export function objectEncoding(c: Client): void {
  const entry = found(c)
  if (entry !== NULL_REF) c.reply.text(ENCODING_NAMES[encodingOf(c.mem, entry)])
}

export function objectRefcount(c: Client): void {
  const entry = found(c)
  if (entry !== NULL_REF) c.reply.int(isSharedInteger(c, entry) ? SHARED : 1)
}

/** What a value says that Redis has once for all keys: small integers, unless each key needs an access clock of its own. */
const SHARED = 2 ** 31 - 1

function isSharedInteger({ mem, engine }: Client, entry: Ref): boolean {
  const { memory, space } = engine
  if (encodingOf(mem, entry) !== INT || typeOf(mem, entry) !== STRING) return false
  if (memory.limit > 0 && (space.lfu || memory.eviction.kind === 'lru')) return false
  const start = valueStart(mem, entry)
  return valueLength(mem, entry) <= 4 && mem.u8[valueSegment(mem, entry)][start] !== 45
}

export function objectIdletime(c: Client): void {
  const entry = found(c)
  if (entry === NULL_REF) return
  const { space } = c.engine
  if (space.lfu) c.reply.error(NEEDS_LRU)
  else c.reply.int(space.idleMs(lruOf(c.mem, entry)) / 1000)
}

export function objectFreq(c: Client): void {
  const entry = found(c)
  if (entry === NULL_REF) return
  const { space } = c.engine
  if (space.lfu) c.reply.int(space.lfuDecayed(lruOf(c.mem, entry)))
  else c.reply.error(NEEDS_LFU)
}

export function objectHelp(c: Client): void {
  replyHelp(c, [
    'ENCODING <key>',
    '    Return the kind of internal representation used in order to store the value',
    '    associated with a <key>.',
    'FREQ <key>',
    '    Return the access frequency index of the <key>. The returned integer is',
    '    proportional to the logarithm of the recent access frequency of the key.',
    'IDLETIME <key>',
    '    Return the idle time of the <key>, that is the approximated number of',
    '    seconds elapsed since the last access to the key.',
    'REFCOUNT <key>',
    '    Return the number of references of the value associated with the specified',
    '    <key>.',
  ])
}
