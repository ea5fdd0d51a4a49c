/**
 * hooks: how the keyspace tells the world above what happens to keys. Nothing above is imported; listeners register.
 *
 * `touched` and `event` are called for every write, so each costs one test while nobody listens: a database has a mask
 * of the listeners that care for any of its keys, the keyspace a mask of the event classes that are switched on.
 */
import type { Ref } from '../memory/ref.ts'
import type { Db } from './db.ts'

/** Bits of Db.listeners. */
export const WATCHED = 1
export const TRACKED = 2
export const BLOCKED_ON = 4

/** Classes of keyspace events, as notify-keyspace-events names them. */
export const EVENT_GENERIC = 1 // g
export const EVENT_STRING = 2 // $
export const EVENT_LIST = 4 // l
export const EVENT_SET = 8 // s
export const EVENT_HASH = 16 // h
export const EVENT_ZSET = 32 // z
export const EVENT_EXPIRED = 64 // x
export const EVENT_EVICTED = 128 // e
export const EVENT_STREAM = 256 // t
export const EVENT_KEYMISS = 512 // m
export const EVENT_MODULE = 1024 // d
export const EVENT_NEW = 2048 // n

export type KeyListener = (db: Db, bytes: Uint8Array, off: number, len: number) => void
export type EventListener = (db: Db, cls: number, name: string, bytes: Uint8Array, off: number, len: number) => void
/** Why a key went away without a command that names it. */
export type Removal = 'expired' | 'evicted'

export class Hooks {
  /** Called when a key's value changed, appeared or vanished, for databases whose mask has the bit. */
  readonly touched: { bit: number; listen: KeyListener }[] = []
  /** Called for events of the classes in Keyspace.eventMask. */
  event: EventListener | null = null
  /** Called when a key was expired or evicted: propagation and counters. */
  readonly removed: ((db: Db, why: Removal, bytes: Uint8Array, off: number, len: number) => void)[] = []
  /** Called when fields of a hash have expired; the hash may be gone with them. */
  readonly fieldsExpired: ((db: Db, key: Uint8Array, fields: readonly Uint8Array[]) => void)[] = []
  /** Called before an entry changes or goes, while a snapshot runs. */
  aboutToChange: ((db: Db, entry: Ref) => void) | null = null
  /** Called after two databases have exchanged their keys. */
  readonly swapped: ((a: Db, b: Db) => void)[] = []
  /** Called before all keys of these databases go at once; once per command. */
  readonly flushed: ((dbs: readonly Db[]) => void)[] = []
}
