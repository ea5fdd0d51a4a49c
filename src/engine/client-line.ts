/** client-line: what CLIENT LIST and CLIENT INFO say about a client, and the class it belongs to. */
import type { Client } from './client.ts'

/** The classes of CLIENT KILL TYPE and client-output-buffer-limit. */
export const CLIENT_TYPES = ['normal', 'replica', 'pubsub', 'master'] as const
export type ClientType = (typeof CLIENT_TYPES)[number]

export function clientType(c: Client): ClientType {
  return c.subscriptions > 0 ? 'pubsub' : 'normal'
}

/** The class with this name, in any letter case; null when there is none. */
export function clientTypeNamed(name: string): ClientType | null {
  const wanted = name.toLowerCase() === 'slave' ? 'replica' : name.toLowerCase()
  return CLIENT_TYPES.find((type) => type === wanted) ?? null
}

/** About what the object of a client itself takes, buffers left out. */
const CLIENT_BYTES = 1024

/** About what one subscription, watched key or tracked prefix of a client takes. */
const NAME_BYTES = 64

/** Bytes that the client takes, with all it has queued. */
export function clientBytes(c: Client): number {
  const names = c.subscriptions + c.watched.length + (c.tracking === null ? 0 : c.tracking.prefixes.size)
  return CLIENT_BYTES + bufferBytes(c) + names * NAME_BYTES
}

/** Bytes that the client's buffers and queued commands take. */
function bufferBytes(c: Client): number {
  const { transport } = c
  if (transport === null) return 0
  return transport.queryCapacity + transport.queuedBytes + c.ownCapacity + multiBytes(c)
}

function multiBytes(c: Client): number {
  return c.multi === null ? 0 : c.multi.argBytes
}

export function clientLine(c: Client): string {
  const { transport, engine } = c
  const nowMs = engine.clock.nowMs()
  const seconds = (ms: number): number => Math.max(0, Math.floor((nowMs - ms) / 1000))
  const running = c === engine.current
  const queryBytes = running ? transport?.readBytes : transport?.queryBytes
  const queued = transport?.queuedBytes ?? 0
  const fields: [string, string | number | undefined][] = [
    ['id', c.id],
    ['addr', transport?.address],
    ['laddr', transport?.localAddress],
    ['fd', transport?.fd],
    ['name', c.name],
    ['age', seconds(c.createdMs)],
    ['idle', running ? 0 : seconds(c.lastInteractionMs)],
    ['flags', flagsOf(c)],
    ['db', c.db.id],
    ['sub', c.pubsub?.channels.size ?? 0],
    ['psub', c.pubsub?.patterns.size ?? 0],
    ['ssub', c.pubsub?.shardChannels.size ?? 0],
    ['multi', c.multi === null ? -1 : c.multi.length],
    ['qbuf', queryBytes],
    ['qbuf-free', Math.max(0, (transport?.queryCapacity ?? 0) - (transport?.queryBytes ?? 0))],
    ['argv-mem', running ? c.argv.argBytes() : 0],
    ['multi-mem', multiBytes(c)],
    ['rbs', c.ownCapacity],
    ['rbp', c.ownCapacity],
    ['obl', c.ownLength],
    ['oll', transport?.queuedWrites],
    ['omem', queued],
    ['tot-mem', clientBytes(c)],
    ['events', queued > 0 ? 'rw' : 'r'],
    ['cmd', c.command?.name ?? 'NULL'],
    ['user', c.user],
    ['redir', c.tracking === null ? -1 : c.tracking.mode.redirect],
    ['resp', c.resp],
    ['lib-name', c.libName],
    ['lib-ver', c.libVersion],
  ]
  return fields.map(([name, value]) => `${name}=${value ?? ''}`).join(' ')
}

function flagsOf(c: Client): string {
  let flags = ''
  if (c.monitor) flags += 'O'
  if (c.subscriptions > 0) flags += 'P'
  if (c.multi !== null) flags += 'x'
  if (c.blocked) flags += 'b'
  if (c.watchBroken) flags += 'd'
  if (c.closing) flags += 'c'
  if (c.tracking !== null) flags += c.tracking.redirectBroken ? 'tR' : 't'
  if (c.tracking?.mode.broadcast === true) flags += 'B'
  if (c.transport?.isUnix === true) flags += 'U'
  if (c.noEvict) flags += 'e'
  if (c.noTouch) flags += 'T'
  return flags === '' ? 'N' : flags
}
