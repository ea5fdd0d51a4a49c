/** All command groups: the name COMMAND DOCS gives the group, and its rows. A new group adds its line here. */
import type { Client } from '../engine/client.ts'
import type { CommandRow } from '../engine/row.ts'
import { aclRows } from './acl.ts'
import { bitmapRows } from './bitmap.ts'
import { bloomRows } from './bloom.ts'
import { clientRows } from './client.ts'
import { clusterRows } from './cluster.ts'
import { configRows } from './config.ts'
import { connectionRows } from './connection.ts'
import { dumpRows } from './dump.ts'
import { debugRows } from './debug.ts'
import { functionsRows } from './functions.ts'
import { genericRows } from './generic.ts'
import { pubsubRows } from './pubsub.ts'
import { scriptingRows } from './scripting.ts'
import { hyperloglogRows } from './hyperloglog.ts'
import { geoRows } from './geo.ts'
import { hashRows } from './hash.ts'
import { hotkeysRows } from './hotkeys.ts'
import { latencyRows } from './latency.ts'
import { listRows } from './list.ts'
import { lolwutRows } from './lolwut.ts'
import { memoryRows } from './memory.ts'
import { moduleRows } from './module.ts'
import { monitorRows } from './monitor.ts'
import { replicationRows } from './replication.ts'
import { serverRows } from './server.ts'
import { slowlogRows } from './slowlog.ts'
import { streamRows } from './stream.ts'
import { setRows } from './set.ts'
import { sortRows } from './sort.ts'
import { stringRows } from './string.ts'
import { transactionsRows } from './transactions.ts'
import { zsetRows } from './zset.ts'

export const COMMAND_GROUPS: readonly (readonly [group: string, rows: readonly CommandRow<Client>[]])[] = [
  ['string', stringRows],
  ['bitmap', bitmapRows],
  ['hyperloglog', hyperloglogRows],
  ['bloom', bloomRows],
  ['sorted-set', zsetRows],
  ['geo', geoRows],
  ['list', listRows],
  ['stream', streamRows],
  ['hash', hashRows],
  ['set', setRows],
  ['generic', genericRows],
  ['generic', sortRows],
  ['generic', dumpRows],
  ['pubsub', pubsubRows],
  ['transactions', transactionsRows],
  ['connection', connectionRows],
  ['scripting', scriptingRows],
  ['scripting', functionsRows],
  ['server', serverRows],
  ['server', configRows],
  ['server', slowlogRows],
  ['server', latencyRows],
  ['server', memoryRows],
  ['server', hotkeysRows],
  ['server', monitorRows],
  ['server', moduleRows],
  ['server', lolwutRows],
  ['server', aclRows],
  ['server', debugRows],
  ['server', replicationRows],
  ['connection', clientRows],
  ['cluster', clusterRows],
]
