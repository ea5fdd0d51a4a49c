/** The CLIENT subcommands that look at other connections or change them: LIST, KILL, PAUSE, UNPAUSE, UNBLOCK. */
import { intArg, rangeArg } from '../engine/args.ts'
import type { Client } from '../engine/client.ts'
import { clientLine, type ClientType, clientType, clientTypeNamed } from '../engine/client-line.ts'
import { SYNTAX_ERROR } from '../resp/errors.ts'
import { bytesOf } from '../util/bytes.ts'

export function clientList(c: Client): void {
  const { argv, reply, engine } = c
  let shown = [...engine.clients.values()]
  if (argv.count === 4 && argv.is(2, 'type')) {
    const type = clientTypeNamed(argv.text(3))
    if (type === null) return reply.error(`ERR Unknown client type '${argv.text(3)}'`)
    shown = shown.filter((client) => clientType(client) === type)
  } else if (argv.count > 3 && argv.is(2, 'id')) {
    const found = withIds(c)
    if (found === null) return
    shown = found
  } else if (argv.count !== 2) return reply.error(SYNTAX_ERROR)
  const text = bytesOf(shown.map((client) => `${clientLine(client)}\n`).join(''))
  reply.verbatim('txt', text, 0, text.length)
}

function withIds(c: Client): Client[] | null {
  const found: Client[] = []
  for (let i = 3; i < c.argv.count; i++) {
    const id = intArg(c, i, 'ERR Invalid client ID')
    if (Number.isNaN(id)) return null
    const client = c.engine.clients.get(id)
    if (client !== undefined) found.push(client)
  }
  return found
}

interface KillFilter {
  id: number
  type: ClientType | null
  address: string | null
  localAddress: string | null
  user: string | null
  skipMe: boolean
}

/** The filters of CLIENT KILL; null when it has answered an error. */
function killFilter(c: Client): KillFilter | null {
  const { argv } = c
  const filter: KillFilter = { id: 0, type: null, address: null, localAddress: null, user: null, skipMe: true }
  for (let i = 2; i < argv.count; i += 2) {
    if (i + 1 >= argv.count) return refuse(c, SYNTAX_ERROR)
    const value = argv.text(i + 1)
    if (argv.is(i, 'id')) {
      filter.id = rangeArg(
        c,
        i + 1,
        1,
        Number.POSITIVE_INFINITY,
        'ERR client-id should be greater than 0',
        'ERR client-id should be greater than 0',
      )
      if (Number.isNaN(filter.id)) return null
    } else if (argv.is(i, 'type')) {
      filter.type = clientTypeNamed(value)
      if (filter.type === null) return refuse(c, `ERR Unknown client type '${value}'`)
    } else if (argv.is(i, 'addr')) filter.address = value
    else if (argv.is(i, 'laddr')) filter.localAddress = value
    else if (argv.is(i, 'user')) {
      if (!c.engine.users.exists(value)) return refuse(c, `ERR No such user '${value}'`)
      filter.user = value
    } else if (argv.is(i, 'skipme') && (argv.is(i + 1, 'yes') || argv.is(i + 1, 'no'))) filter.skipMe = argv.is(i + 1, 'yes')
    else return refuse(c, SYNTAX_ERROR)
  }
  return filter
}

function refuse(c: Client, error: string): null {
  c.reply.error(error)
  return null
}

export function clientKill(c: Client): void {
  const { argv, reply } = c
  const oldForm = argv.count === 3
  const filter: KillFilter | null = oldForm
    ? { id: 0, type: null, address: argv.text(2), localAddress: null, user: null, skipMe: false }
    : killFilter(c)
  if (filter === null) return
  let killed = 0
  for (const client of [...c.engine.clients.values()]) {
    if (!matches(client, filter) || (client === c && filter.skipMe)) continue
    killed++
    if (client === c) c.closing = true
    else client.transport?.destroy()
  }
  if (!oldForm) reply.int(killed)
  else if (killed > 0) reply.ok()
  else reply.error('ERR No such client')
}

function matches(client: Client, filter: KillFilter): boolean {
  const { transport } = client
  if (transport === null) return false
  if (filter.address !== null && filter.address !== transport.address) return false
  if (filter.localAddress !== null && filter.localAddress !== transport.localAddress) return false
  if (filter.type !== null && filter.type !== clientType(client)) return false
  if (filter.id !== 0 && filter.id !== client.id) return false
  return filter.user === null || filter.user === client.user
}

export function clientPause(c: Client): void {
  const { argv, reply, engine } = c
  if (argv.count > 4) return reply.error("ERR wrong number of arguments for 'client|pause' command")
  let mode: 'all' | 'write' = 'all'
  if (argv.count === 4) {
    if (argv.is(3, 'write')) mode = 'write'
    else if (!argv.is(3, 'all')) return reply.error('ERR CLIENT PAUSE mode must be WRITE or ALL')
  }
  const ms = intArg(c, 2, 'ERR timeout is not an integer or out of range')
  if (Number.isNaN(ms)) return
  if (ms < 0) return reply.error('ERR timeout is negative')
  engine.pause.start(mode, ms)
  reply.ok()
}

export function clientUnpause(c: Client): void {
  c.engine.pause.end()
  c.reply.ok()
}

export function clientUnblock(c: Client): void {
  const { argv, reply, engine } = c
  let withError = false
  if (argv.count > 4) return reply.error("ERR wrong number of arguments for 'client|unblock' command")
  if (argv.count === 4) {
    if (argv.is(3, 'error')) withError = true
    else if (!argv.is(3, 'timeout')) return reply.error('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
  }
  const id = intArg(c, 2)
  if (Number.isNaN(id)) return
  const client = engine.clients.get(id)
  reply.int(client !== undefined && engine.blocked.unblock(client, withError) ? 1 : 0)
}
