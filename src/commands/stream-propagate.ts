/**
 * stream-propagate: what consumer groups do, as commands for a file or a replica. Deliveries and claims alike are XCLAIMs that state
 * everything: owner, time, count and the group's last id.
 */
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref, segmentOf, wordOf } from '../memory/ref.ts'
import { nameLength } from '../structs/name-list.ts'
import { consumerName, entriesReadOf, GROUP_LAST_ID } from '../types/stream-group.ts'
import type { Int64 } from '../util/words64.ts'

/** The group that the running command is about: the arguments with its key and name. */
export interface GroupArgs {
  keyAt: number
  groupAt: number
}

/**
 * An entry is pending for `consumer` now, delivered `count` times, last at `atMs`. Its id is argument `idArg`, or with 0 that of `id`.
 * Call it only when there are sinks.
 */
export function propagateClaim(
  c: Client,
  { keyAt, groupAt }: GroupArgs,
  group: Ref,
  consumer: Ref,
  idArg: number,
  id: Uint32Array,
  idAt: number,
  atMs: number,
  count: Int64,
): void {
  const { argv, mem } = c
  const { propagate } = c.engine
  // Only a payload from elsewhere has entries that are nobody's; all that can happen to them is to be forgotten.
  const owned = consumer !== NULL_REF
  propagate
    .also(c.db)
    .word(owned ? 'XCLAIM' : 'XACK')
    .arg(argv, keyAt)
    .arg(argv, groupAt)
  if (owned) propagate.bytes(mem.u8[segmentOf(consumer)], consumerName(consumer), nameLength(mem, consumer)).word('0')
  if (idArg > 0) propagate.arg(argv, idArg)
  else propagate.id(id, idAt)
  if (!owned) return
  propagate.word('TIME').int(atMs).word('RETRYCOUNT').int(count).word('FORCE').word('JUSTID').word('LASTID')
  propagate.id(mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID)
}

/** The group has moved on without anything becoming pending. */
export function propagateLastId(c: Client, { keyAt, groupAt }: GroupArgs, group: Ref): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate.also(c.db).word('XGROUP').word('SETID').arg(c.argv, keyAt).arg(c.argv, groupAt)
  propagate.id(c.mem.u32[segmentOf(group)], wordOf(group) + GROUP_LAST_ID)
  propagate.word('ENTRIESREAD').int(entriesReadOf(c.mem, group))
}

/** A consumer appeared that has nothing pending to be seen by. */
export function propagateConsumer(c: Client, { keyAt, groupAt }: GroupArgs): void {
  const { propagate } = c.engine
  if (propagate.sinks === 0) return
  propagate.also(c.db).word('XGROUP').word('CREATECONSUMER').arg(c.argv, keyAt)
  propagate.argsOf(c.argv, groupAt, groupAt + 2)
}
