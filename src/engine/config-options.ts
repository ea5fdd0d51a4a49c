/** Every option of Redis 7.2, in the order of redis.conf.example. */
import type { OptionGroup } from './option.ts'
import { behaviour, encodings, memoryManagement } from './options/data.ts'
import { appendOnly, snapshots } from './options/durability.ts'
import { general, monitoring } from './options/general.ts'
import { network, tls } from './options/network.ts'
import { access, cluster, replication, safety } from './options/nodes.ts'

export const OPTION_GROUPS: readonly OptionGroup[] = [
  network,
  tls,
  general,
  snapshots,
  appendOnly,
  access,
  memoryManagement,
  encodings,
  behaviour,
  monitoring,
  replication,
  safety,
  cluster,
]
