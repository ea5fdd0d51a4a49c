/** The CLIENT subcommands of client-side caching. */
import { intArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { ACL_CONNECTION, LOADING, NOSCRIPT, STALE } from '../engine/flags.ts'
import type { CommandRow } from '../engine/row.ts'
import type { TrackingMode } from '../engine/tracking.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { equalBytes, latin1 } from '../util/bytes.ts'

// biome-ignore format: a table, one command after the other
export const clientTrackingRows: readonly CommandRow<Client>[] = [
  { name: 'CACHING', arity: 3, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.0.0', args: 'mode(YES|NO)',
    summary: 'Whether tracking follows the keys of the next command.', complexity: 'O(1)', run: clientCaching },
  { name: 'GETREDIR', arity: 2, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.0.0',
    summary: "Which connection gets this one's invalidation messages.", complexity: 'O(1)', run: clientGetredir },
  { name: 'TRACKING', arity: -3, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.0.0',
    args: 'status(ON|OFF) [REDIRECT client-id:integer] [(PREFIX prefix:string)...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]',
    summary: 'Invalidation messages for client-side caching, on or off.', complexity: 'O(N) by prefixes', run: clientTracking },
  { name: 'TRACKINGINFO', arity: 2, flags: NOSCRIPT | LOADING | STALE, acl: ACL_CONNECTION, since: '6.2.0',
    summary: "How this connection's keys are tracked.", complexity: 'O(1)', run: clientTrackinginfo },
]

function clientTracking(c: Client): void {
  const { argv, reply, engine } = c
  const options = readOptions(c)
  if (options === null) return
  if (argv.is(2, 'on')) {
    const refusal = refusalOf(c, options)
    if (refusal !== null) return reply.error(`ERR ${refusal}`)
    engine.tracking.start(c, options.mode, options.prefixes)
  } else if (argv.is(2, 'off')) engine.tracking.stop(c)
  else return reply.error(SYNTAX_ERROR)
  reply.ok()
}

interface Options {
  readonly mode: TrackingMode
  readonly prefixes: readonly Uint8Array[]
}

/** The options from argument 3 on; null when it has answered an error. */
function readOptions(c: Client): Options | null {
  const { argv, reply, engine } = c
  const prefixes: Uint8Array[] = []
  const mode = { broadcast: false, optIn: false, optOut: false, noLoop: false, redirect: 0 }
  for (let i = 3; i < argv.count; i++) {
    const last = i + 1 === argv.count
    if (argv.is(i, 'redirect') && !last) {
      if (mode.redirect !== 0) return refuse(c, 'ERR A client can only redirect to a single other client')
      mode.redirect = intArg(c, ++i)
      if (Number.isNaN(mode.redirect)) return null
      if (!engine.clients.has(mode.redirect)) return refuse(c, 'ERR The client ID you want redirect to does not exist')
    } else if (argv.is(i, 'bcast')) mode.broadcast = true
    else if (argv.is(i, 'optin')) mode.optIn = true
    else if (argv.is(i, 'optout')) mode.optOut = true
    else if (argv.is(i, 'noloop')) mode.noLoop = true
    else if (argv.is(i, 'prefix') && !last) prefixes.push(argv.slice(++i))
    else {
      reply.error(SYNTAX_ERROR)
      return null
    }
  }
  return { mode, prefixes }
}

function refuse(c: Client, error: string): null {
  c.reply.error(error)
  return null
}

/** Why these options fit neither each other nor the way in which the client tracks already; null when they do. */
function refusalOf(c: Client, { mode, prefixes }: Options): string | null {
  const old = c.tracking?.mode ?? null
  if (!mode.broadcast && prefixes.length > 0) return 'PREFIX option requires BCAST mode to be enabled'
  if (old !== null && old.broadcast !== mode.broadcast) {
    return "You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode."
  }
  if (mode.broadcast && (mode.optIn || mode.optOut)) return 'OPTIN and OPTOUT are not compatible with BCAST'
  if (mode.optIn && mode.optOut) return "You can't specify both OPTIN mode and OPTOUT mode"
  if (old !== null && ((mode.optIn && old.optOut) || (mode.optOut && old.optIn))) {
    return "You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode."
  }
  return mode.broadcast ? overlap(c, prefixes) : null
}

/** Two prefixes of one client must not match the same key. */
function overlap(c: Client, prefixes: readonly Uint8Array[]): string | null {
  const old = [...(c.tracking?.prefixes ?? [])].map(({ bytes }) => bytes)
  for (const [i, prefix] of prefixes.entries()) {
    const existing = old.find((other) => overlaps(other, prefix))
    if (existing !== undefined) return overlapText(prefix, 'an existing', existing)
    const provided = prefixes.slice(i + 1).find((other) => overlaps(other, prefix))
    if (provided !== undefined) return overlapText(prefix, 'another provided', provided)
  }
  return null
}

function overlaps(a: Uint8Array, b: Uint8Array): boolean {
  return equalBytes(a, 0, b, 0, Math.min(a.length, b.length))
}

function overlapText(prefix: Uint8Array, which: string, other: Uint8Array): string {
  const [a, b] = [latin1(prefix, 0, prefix.length), latin1(other, 0, other.length)]
  return `Prefix '${a}' overlaps with ${which} prefix '${b}'. Prefixes for a single client must not overlap.`
}

function clientCaching(c: Client): void {
  const { argv, reply, tracking } = c
  if (tracking === null) {
    return reply.error('ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled')
  }
  if (argv.is(2, 'yes')) {
    if (!tracking.mode.optIn) return reply.error('ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.')
  } else if (argv.is(2, 'no')) {
    if (!tracking.mode.optOut) return reply.error('ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.')
  } else return reply.error(SYNTAX_ERROR)
  tracking.cachingGiven = true
  reply.ok()
}

function clientGetredir(c: Client): void {
  c.reply.int(c.tracking === null ? -1 : c.tracking.mode.redirect)
}

function clientTrackinginfo(c: Client): void {
  const { reply, tracking } = c
  const flags = trackingFlags(c)
  reply.map(3)
  reply.text('flags')
  reply.set(flags.length)
  for (const flag of flags) reply.text(flag)
  reply.text('redirect')
  clientGetredir(c)
  reply.text('prefixes')
  const prefixes = c.engine.tracking.prefixes.filter((prefix) => tracking?.prefixes.has(prefix))
  reply.array(prefixes.length)
  for (const { bytes } of prefixes) reply.bulk(bytes, 0, bytes.length)
}

function trackingFlags({ tracking }: Client): string[] {
  if (tracking === null) return ['off']
  const { mode, cachingGiven, redirectBroken } = tracking
  const flags = ['on']
  if (mode.broadcast) flags.push('bcast')
  if (mode.optIn) flags.push('optin')
  if (mode.optIn && cachingGiven) flags.push('caching-yes')
  if (mode.optOut) flags.push('optout')
  if (mode.optOut && cachingGiven) flags.push('caching-no')
  if (mode.noLoop) flags.push('noloop')
  if (redirectBroken) flags.push('broken_redirect')
  return flags
}
