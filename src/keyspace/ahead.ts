/** ahead: reads memory that a command of many keys is about to need, so that the processor overlaps its cache misses. See engine/ahead.ts. */
import { dictHash, dictSize, dictTouch, TOUCH_MAX } from '../structs/dict.ts'
import type { Frame } from '../util/argv.ts'
import type { Db } from './db.ts'

/** Dicts of so few entries lie in the processor's caches. */
export const SMALL_DICT = 4096
/** So few keys are not worth it. */
const FEW = 3

const hashes = new Int32Array(TOUCH_MAX)
const dicts = new Uint32Array(TOUCH_MAX)
/** Takes what is read, so that no compiler drops the reads. */
export let touchSink = 0

/** To be called before each key of a command, arguments i = 1, 1 + step, ...; reads ahead for the keys from this one on, now and then. */
export function touchKeys(db: Db, argv: Frame, i: number, step: number): void {
  if ((i - 1) % (TOUCH_MAX * step) !== 0 || argv.count - i <= FEW * step) return
  const { mem } = db
  if (dictSize(mem, db.keys) <= SMALL_DICT) return
  let count = 0
  for (let at = i; at < argv.count && count < TOUCH_MAX; at += step) {
    dicts[count] = db.keys
    hashes[count++] = dictHash(mem, argv.bytes, argv.off(at), argv.len(at))
  }
  touchSink = dictTouch(mem, dicts, hashes, count)
}
