/** The codecs of every type. A new type adds its line here. */
import type { Arena } from '../memory/arena.ts'
import type { Ref } from '../memory/ref.ts'
import { typeOf } from '../structs/entry.ts'
import { bloomCodec } from './bloom-rdb.ts'
import { hashCodec } from './hash-rdb.ts'
import { listCodec } from './list-rdb.ts'
import { BLOOM, HASH, LIST, SET, STREAM, STRING, ZSET } from './object.ts'
import type { Codec, Loader, LoadLimits } from './rdb.ts'
import type { RdbReader, RdbWriter } from './rdb-io.ts'
import { setCodec } from './set-rdb.ts'
import { streamCodec } from './stream-rdb.ts'
import { stringCodec } from './string-rdb.ts'
import { zsetCodec } from './zset-rdb.ts'

const CODECS: Codec[] = []
CODECS[STRING] = stringCodec
CODECS[LIST] = listCodec
CODECS[SET] = setCodec
CODECS[ZSET] = zsetCodec
CODECS[HASH] = hashCodec
CODECS[BLOOM] = bloomCodec
CODECS[STREAM] = streamCodec

const LOADERS: Loader[] = []
for (const codec of CODECS) for (const [rdbType, load] of codec?.loads ?? []) LOADERS[rdbType] = load

/** Writes the type byte and the value of a key's entry; false when its type has no codec. */
export function saveValue(mem: Arena, entry: Ref, out: RdbWriter): boolean {
  const codec = CODECS[typeOf(mem, entry)]
  if (codec === undefined) return false
  codec.save(mem, entry, out)
  return true
}

/** Reads a value, its type byte first, into `loaded`. False when it is broken or of an unknown kind; nothing is allocated then. */
export function loadValue(mem: Arena, input: RdbReader, limits: LoadLimits): boolean {
  const rdbType = input.byte()
  const load = input.failed ? undefined : LOADERS[rdbType]
  return load !== undefined && load(mem, input, rdbType, limits)
}
