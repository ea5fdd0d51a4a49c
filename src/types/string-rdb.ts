/** Strings in RDB form. A loaded string stays in the reader's `data`: who knows the key makes the entry. */
import { NULL_REF } from '../memory/ref.ts'
import { valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import { STRING } from './object.ts'
import { type Codec, RDB_STRING, setLoaded } from './rdb.ts'
import { stringEncoding } from './string.ts'

export const stringCodec: Codec = {
  save(mem, entry, out) {
    out.byte(RDB_STRING)
    out.string(mem.u8[valueSegment(mem, entry)], valueStart(mem, entry), valueLength(mem, entry))
  },
  loads: [
    [
      RDB_STRING,
      (_mem, input) => {
        input.string()
        return !input.failed && setLoaded(STRING, stringEncoding(input.data, input.off, input.length), NULL_REF)
      },
    ],
  ],
}
