/**
 * ahead: pass one of a batch: looks the commands up, hashes their first keys, and reads memory that they are about to need.
 *
 * A cache miss costs more than most commands, and the processor overlaps a dozen of them when nothing depends on each: so all buckets
 * of a pipeline's keys are read together, then all entries, then what these refer to; and where commands name a member of a large
 * set, hash or sorted set, the same once more in that one's dict.
 *
 * It is only a hint, taken before anything has run: hashes are kept, refs never.
 */
import { SMALL_DICT } from '../keyspace/ahead.ts'
import { BATCH_MAX } from '../resp/parser.ts'
import { dictGuess, dictSize, dictTouch } from '../structs/dict.ts'
import { dictOf } from '../types/members.ts'
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { dataOf, equalData } from '../util/bytes.ts'
import { hashData } from '../util/hash.ts'
import type { Client } from './client.ts'
import type { Command } from './table.ts'

/** The batch's commands and the hashes of their first keys; dead between two batches. */
export const commandsAhead: (Command | null)[] = new Array(BATCH_MAX).fill(null)
export const hashesAhead = new Int32Array(BATCH_MAX)
/** What is touched: hashes, and the dicts they belong to. */
const hashes = new Int32Array(BATCH_MAX)
const dicts = new Uint32Array(BATCH_MAX)
/** Takes what is read, so that no compiler drops the reads. */
export let touchSink = 0

/** Fills commandsAhead and hashesAhead for the parser's batch. */
export function lookAhead(c: Client, size: number): void {
  const { engine, db, mem } = c
  const { parser, table } = engine
  const { frame, starts, counts } = parser
  const touches = db.size > SMALL_DICT
  let keys = 0
  let members = false
  const { offsets, lengths } = frame
  const data = dataOf(frame.bytes)
  let previous = 0
  for (let i = 0; i < size; i++) {
    const at = starts[i]
    const length = lengths[at]
    // Pipelines repeat their command.
    const isRepeated = i > 0 && lengths[previous] === length && equalData(data, offsets[at], data, offsets[previous], length)
    const command = isRepeated ? commandsAhead[i - 1] : table.lookup(frame.bytes, offsets[at], length)
    previous = at
    commandsAhead[i] = command
    if (command === null || command.firstKey === 0 || command.firstKey >= counts[i]) continue
    const arg = at + command.firstKey
    const hash = hashData(mem.seed0, mem.seed1, data, offsets[arg], lengths[arg])
    hashesAhead[i] = hash
    if (command.memberArg !== 0) members = true
    // Pipelines repeat their key as well.
    if (!touches || (keys > 0 && hashes[keys - 1] === hash)) continue
    dicts[keys] = db.keys
    hashes[keys++] = hash
  }
  if (keys > 0) touchSink = dictTouch(mem, dicts, hashes, keys)
  if (members) touchMembers(c, size)
}

function touchMembers(c: Client, size: number): void {
  const { mem, db } = c
  const { frame, starts, counts } = c.engine.parser
  const { offsets, lengths } = frame
  const data = dataOf(frame.bytes)
  let count = 0
  let dict: Ref = NULL_REF
  for (let i = 0, known = -1; i < size; i++) {
    const command = commandsAhead[i]
    if (command === null || command.memberArg === 0 || command.memberArg >= counts[i]) continue
    if (known < 0 || hashesAhead[i] !== hashesAhead[known]) dict = largeDict(mem, db.keys, hashesAhead[i])
    known = i
    if (dict === NULL_REF) continue
    const arg = starts[i] + command.memberArg
    dicts[count] = dict
    hashes[count++] = hashData(mem.seed0, mem.seed1, data, offsets[arg], lengths[arg])
  }
  if (count > 0) touchSink = dictTouch(mem, dicts, hashes, count)
}

/** The dict of the collection that is probably under this hash, if it is large. */
function largeDict(mem: Arena, keys: Ref, hash: number): Ref {
  const entry = dictGuess(mem, keys, hash)
  if (entry === NULL_REF) return NULL_REF
  const dict = dictOf(mem, entry)
  return dict !== NULL_REF && dictSize(mem, dict) > SMALL_DICT ? dict : NULL_REF
}
