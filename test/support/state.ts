/** The data set of a server in process, key by key, as texts to compare: contents, moments of expiry, groups of streams, functions. */
import { createHash } from 'node:crypto'
import type { Client } from '../../src/engine/client.ts'
import type { Db } from '../../src/keyspace/db.ts'
import { segmentOf } from '../../src/memory/ref.ts'
import { dictForEach } from '../../src/structs/dict.ts'
import { keyLength, keyStart } from '../../src/structs/entry.ts'
import { latin1 } from '../../src/util/bytes.ts'
import type { InProcess } from './in-process.ts'
import type { Reply } from './resp.ts'

/** Everything there is, expired or not. What no command can carry to another server is left out. */
export function dataSet(server: InProcess): string[] {
  const client = server.client()
  const { engine } = server
  const { space, makeRoom } = engine
  const { expireOnAccess } = space
  // looking changes nothing: no key expires or is evicted for it
  space.expireOnAccess = false
  engine.makeRoom = null
  const read = new Reader(server, client)
  const lines = [`functions ${read.text('FUNCTION', 'DUMP')}`, `digest ${read.text('DEBUG', 'DIGEST')}`]
  for (const db of space.dbs) {
    read.text('SELECT', String(db.id))
    for (const key of keysOf(db).toSorted()) lines.push(`${db.id} ${key.slice(0, 20)} ${read.key(key)}`)
  }
  space.expireOnAccess = expireOnAccess
  engine.makeRoom = makeRoom
  return lines
}

function keysOf(db: Db): string[] {
  const keys: string[] = []
  dictForEach(db.mem, db.keys, (entry) => keys.push(latin1(db.mem.u8[segmentOf(entry)], keyStart(db.mem, entry), keyLength(db.mem, entry))))
  return keys
}

class Reader {
  private readonly server: InProcess
  private readonly client: Client

  constructor(server: InProcess, client: Client) {
    this.server = server
    this.client = client
  }

  reply(...words: string[]): Reply {
    const reply = this.server.run(this.client, words)
    if (reply === null || reply.type === 'error') throw new Error(`${words.join(' ')}: ${JSON.stringify(reply)}`)
    return reply
  }

  text(...words: string[]): string {
    return texts(this.reply(...words)).join(' ')
  }

  list(...words: string[]): string[] {
    return texts(this.reply(...words))
  }

  key(key: string): string {
    const type = this.text('TYPE', key)
    const content = this.content(key, type)
    const digest = createHash('sha1').update(content, 'latin1').digest('hex').slice(0, 12)
    return `${type} ${this.text('PEXPIRETIME', key)} ${digest} ${content.slice(0, 400)}`
  }

  private content(key: string, type: string): string {
    switch (type) {
      case 'string':
        return this.text('GET', key)
      case 'list':
        return this.text('LRANGE', key, '0', '-1')
      case 'set':
        return this.list('SMEMBERS', key).toSorted().join(' ')
      case 'zset':
        return this.text('ZRANGE', key, '0', '-1', 'WITHSCORES')
      case 'hash':
        return this.fields(key)
      case 'stream':
        return this.stream(key)
      default:
        return this.text('DUMP', key)
    }
  }

  private fields(key: string): string {
    const names = this.list('HKEYS', key).toSorted()
    const values = this.list('HMGET', key, ...names)
    const moments = this.list('HPEXPIRETIME', key, 'FIELDS', String(names.length), ...names)
    return names.map((name, i) => `${name}=${values[i]}@${moments[i]}`).join(' ')
  }

  /** Entries, counters, and of each group where it stands and who has what. Deliveries that only repeat history are counted in one place. */
  private stream(key: string): string {
    const info = fieldsOf(this.reply('XINFO', 'STREAM', key, 'FULL', 'COUNT', '0'))
    const counters = ['length', 'last-generated-id', 'max-deleted-entry-id', 'entries-added', 'recorded-first-entry-id', 'entries']
    const groups = items(info.get('groups')).map((group) => {
      const fields = fieldsOf(group)
      const pending = items(fields.get('pending')).map((entry) => texts(entry).slice(0, 2).join('>'))
      return `${texts(fields.get('name'))} at ${texts(fields.get('last-delivered-id'))}: ${pending.join(' ')}`
    })
    return `${counters.map((name) => texts(info.get(name)).join(' ')).join(' | ')} | ${groups.join(' | ')}`
  }
}

function items(reply: Reply | undefined): Reply[] {
  return reply !== undefined && 'items' in reply ? reply.items : []
}

function texts(reply: Reply | undefined): string[] {
  if (reply === undefined) return []
  if ('items' in reply) return reply.items.flatMap(texts)
  return 'text' in reply ? [reply.text] : ['(nil)']
}

function fieldsOf(reply: Reply): Map<string, Reply> {
  const found = new Map<string, Reply>()
  const all = items(reply)
  for (let i = 0; i < all.length; i += 2) found.set(texts(all[i])[0], all[i + 1])
  return found
}
