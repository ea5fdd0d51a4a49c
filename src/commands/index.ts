/** All command groups: the name COMMAND DOCS gives the group, and its rows. A new group adds its line here. */
import type { Client } from '../engine/client.ts'
import type { CommandRow } from '../engine/row.ts'
import { bitmapRows } from './bitmap.ts'
import { bloomRows } from './bloom.ts'
import { configRows } from './config.ts'
import { connectionRows } from './connection.ts'
import { dumpRows } from './dump.ts'
import { functionsRows } from './functions.ts'
import { genericRows } from './generic.ts'
import { pubsubRows } from './pubsub.ts'
import { scriptingRows } from './scripting.ts'
import { hyperloglogRows } from './hyperloglog.ts'
import { geoRows } from './geo.ts'
import { hashRows } from './hash.ts'
import { listRows } from './list.ts'
import { serverRows } from './server.ts'
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
]
