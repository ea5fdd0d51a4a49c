/** The operations of every type, by type number. A new type adds its line here. */
import { bloomOps } from './bloom.ts'
import { hashOps } from './hash.ts'
import { listOps } from './list.ts'
import { BLOOM, HASH, LIST, SET, STREAM, STRING, type TypeOps, ZSET } from './object.ts'
import { setOps } from './set.ts'
import { streamOps } from './stream-ops.ts'
import { stringOps } from './string.ts'
import { zsetOps } from './zset.ts'

export const TYPES: TypeOps[] = []
TYPES[STRING] = stringOps
TYPES[LIST] = listOps
TYPES[SET] = setOps
TYPES[HASH] = hashOps
TYPES[ZSET] = zsetOps
TYPES[BLOOM] = bloomOps
TYPES[STREAM] = streamOps
