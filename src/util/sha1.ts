/** sha1: names of scripts, and digests that clients see. */

import { createHash } from 'node:crypto'

/** The SHA-1 of bytes[off, off + len) in 40 lower-case hexadecimal digits. */
export function sha1Hex(bytes: Uint8Array, off = 0, len = bytes.length - off): string {
  return createHash('sha1')
    .update(bytes.subarray(off, off + len))
    .digest('hex')
}
