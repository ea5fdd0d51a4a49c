/**
 * table: the commands by name, built from the rows of the command files.
 *
 * A lookup folds the case of the name's bytes into a hash and compares once; it makes no string.
 */
import { asciiLowerEquals } from '../util/bytes.ts'
import type { Client } from './client.ts'
import { aclCategories, BRIEF, FAST, MOVABLEKEYS } from './flags.ts'
import { Histogram } from './histogram.ts'
import { keyRange } from './keyspec.ts'
import type { CommandRow } from './row.ts'

export type Run = (c: Client) => void

const RUN_IN_MULTI = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset'])

export class Command {
  readonly row: CommandRow<Client>
  readonly group: string
  /** Lower case, its own part only: `get` of `config|get`. */
  readonly ownName: string
  /** Lower case, as statistics and errors say it: `get`, `config|get`. */
  readonly name: string
  readonly arity: number
  readonly flags: number
  readonly acl: number
  /** Legacy key range; firstKey 0 means none. */
  readonly firstKey: number
  readonly lastKey: number
  readonly keyStep: number
  readonly run: Run
  /** Its flags are those of a script. */
  readonly runsScript: boolean
  /** It runs other commands, which are passed on in its place. */
  readonly runsCommands: boolean
  /** Is not queued after MULTI. */
  readonly runsInMulti: boolean
  /** Looks at keys without using them: their access times stay. */
  readonly leavesAccess: boolean
  /** Takes a short time, so that several in a row may be timed together. */
  readonly isBrief: boolean
  /** The argument that is the first member, or field, of the collection under the first key; 0: none that is worth looking for ahead. */
  readonly memberArg: number
  readonly parent: Command | null
  readonly subcommands: Command[] | null
  /** What COMMAND and INFO commandstats report; durations in microseconds. */
  calls = 0
  usec = 0
  rejected = 0
  failed = 0

  constructor(row: CommandRow<Client>, group: string, parent: Command | null) {
    this.row = row
    this.group = row.group ?? group
    this.parent = parent
    this.ownName = row.name.toLowerCase()
    this.name = parent === null ? this.ownName : `${parent.name}|${this.ownName}`
    this.arity = row.arity
    const range = keyRange(row.keys ?? [])
    this.flags = row.flags | (range.movable || (row.findKeys !== undefined && range.movable) ? MOVABLEKEYS : 0)
    this.acl = aclCategories(row.flags, row.acl ?? 0)
    this.firstKey = range.first
    this.lastKey = range.last
    this.keyStep = range.step
    this.run = row.run ?? needsSubcommand
    this.runsScript = RUN_SCRIPTS.has(this.name)
    this.runsCommands = this.runsScript || this.name === 'exec'
    this.runsInMulti = RUN_IN_MULTI.has(this.name)
    this.leavesAccess = LEAVE_ACCESS.has(this.name)
    this.isBrief = (row.flags & (FAST | BRIEF)) !== 0
    this.memberArg = MEMBER_SECOND.has(this.name) ? 2 : MEMBER_THIRD.has(this.name) ? 3 : 0
    this.subcommands = row.subcommands === undefined ? null : row.subcommands.map((sub) => new Command(sub, group, this))
  }

  /** The subcommand that argument 1 names, null when there is none. */
  subcommand(bytes: Uint8Array, off: number, len: number): Command | null {
    for (const sub of this.subcommands as Command[]) if (asciiLowerEquals(bytes, off, len, sub.ownName)) return sub
    return null
  }

  /** How long its calls took; null until there was one while latency-tracking was on. */
  latency: Histogram | null = null

  /** Counts `count` calls that took `usec` each. */
  recordLatency(usec: number, count: number): void {
    if (this.latency === null) this.latency = new Histogram()
    this.latency.record(usec, count)
  }

  resetStat(): void {
    this.latency = null
    this.calls = 0
    this.usec = 0
    this.rejected = 0
    this.failed = 0
    for (const sub of this.subcommands ?? []) sub.resetStat()
  }
}

const RUN_SCRIPTS = new Set(['eval', 'evalsha', 'eval_ro', 'evalsha_ro', 'fcall', 'fcall_ro'])
const MEMBER_SECOND = new Set([
  ...['sadd', 'srem', 'sismember', 'smismember', 'zscore', 'zmscore', 'zrank', 'zrevrank', 'zrem'],
  ...['hset', 'hsetnx', 'hmset', 'hget', 'hmget', 'hexists', 'hstrlen', 'hincrby', 'hincrbyfloat', 'hdel'],
])
const MEMBER_THIRD = new Set(['zadd', 'zincrby'])
const LEAVE_ACCESS = new Set(['exists', 'type', 'ttl', 'pttl', 'expiretime', 'pexpiretime'])

function needsSubcommand(): void {
  throw new Error('a container has no handler: dispatch resolves its subcommand first')
}

const START_SLOTS = 1024

function hashName(bytes: Uint8Array, off: number, len: number): number {
  let hash = len
  for (let i = 0; i < len; i++) hash = Math.imul(hash ^ (bytes[off + i] | 32), 0x01000193)
  return hash ^ (hash >>> 15)
}

export class CommandTable {
  readonly commands: Command[] = []
  private readonly slots: (Command | null)[] = new Array(START_SLOTS).fill(null)
  /** The name, in lower case, by which the command of a slot is called; '' when it is called so no more. */
  private readonly names: string[] = new Array(START_SLOTS).fill('')

  /** Adds the rows of one group. */
  add(group: string, rows: readonly CommandRow<Client>[]): void {
    for (const row of rows) this.insert(new Command(row, group, null), row.name.toLowerCase())
  }

  /** Makes a command answer to another name (rename-command), or to none when `to` is ''; false when a name is unknown or taken. */
  rename(from: string, to: string): boolean {
    const command = this.byName(from)
    if (command === null || (to !== '' && this.byName(to) !== null)) return false
    for (let slot = 0; slot < this.slots.length; slot++) if (this.names[slot] === from.toLowerCase()) this.names[slot] = ''
    if (to === '') this.commands.splice(this.commands.indexOf(command), 1)
    else this.place(command, to.toLowerCase())
    return true
  }

  byName(name: string): Command | null {
    const bytes = Uint8Array.from(name, (char) => char.charCodeAt(0))
    return this.lookup(bytes, 0, bytes.length)
  }

  /** The command with this name, in any letter case; null when there is none. */
  lookup(bytes: Uint8Array, off: number, len: number): Command | null {
    const mask = this.slots.length - 1
    for (let slot = hashName(bytes, off, len) & mask; ; slot = (slot + 1) & mask) {
      const command = this.slots[slot]
      if (command === null) return null
      if (len > 0 && asciiLowerEquals(bytes, off, len, this.names[slot])) return command
    }
  }

  private insert(command: Command, name: string): void {
    if (this.byName(name) !== null) throw new Error(`command ${name} has two rows`)
    this.commands.push(command)
    this.place(command, name)
  }

  private place(command: Command, name: string): void {
    const bytes = Uint8Array.from(name, (char) => char.charCodeAt(0))
    const mask = this.slots.length - 1
    let slot = hashName(bytes, 0, bytes.length) & mask
    while (this.slots[slot] !== null) slot = (slot + 1) & mask
    this.slots[slot] = command
    this.names[slot] = name
  }
}
