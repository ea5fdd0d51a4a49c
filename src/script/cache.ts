/**
 * The cache of scripts, found by their SHA1 digest (EVALSHA) or by their text (EVAL), without a string in either case.
 *
 * Both ways lead from a number to a short list: the first 28 bits of the digest, or a hash of the text that is compared in full. The script
 * found last is compared first: clients run the same one over and over.
 */
import { bytesOf, equalBytes, lowerByte } from '../util/bytes.ts'
import { hashBytes } from '../util/hash.ts'
import { sha1Hex } from '../util/sha1.ts'

export const SHA_LENGTH = 40
const PREFIX_DIGITS = 7
/** Bookkeeping per script in the figure of INFO: digest, table share, object. */
const OVERHEAD_BYTES = 160

export class Script {
  readonly sha: string
  /** The same digits as bytes, in lower case. */
  readonly digest: Uint8Array
  readonly body: Uint8Array
  /** Flags of shebang.ts, and where the code begins. */
  readonly flags: number
  readonly codeStart: number
  /** The compiled function, of the sandbox with this number. */
  ref = 0
  generation = 0

  constructor(sha: string, body: Uint8Array, flags: number, codeStart: number) {
    this.sha = sha
    this.digest = bytesOf(sha)
    this.body = body
    this.flags = flags
    this.codeStart = codeStart
  }
}

export class ScriptCache {
  private byDigest = new Map<number, Script[]>()
  private byText = new Map<number, Script[]>()
  /** The script that was found by its digest last. */
  private last: Script | null = null
  count = 0
  bytes = 0

  findByDigest(bytes: Uint8Array, off: number, len: number): Script | null {
    if (len !== SHA_LENGTH) return null
    const { last } = this
    if (last !== null && equalBytes(last.digest, 0, bytes, off, SHA_LENGTH)) return last
    const list = this.byDigest.get(digestPrefix(bytes, off))
    if (list === undefined) return null
    for (const script of list) {
      if (!digestEquals(script.digest, bytes, off)) continue
      this.last = script
      return script
    }
    return null
  }

  findByText(bytes: Uint8Array, off: number, len: number): Script | null {
    const list = this.byText.get(textHash(bytes, off, len))
    if (list === undefined) return null
    for (const script of list) if (script.body.length === len && equalBytes(script.body, 0, bytes, off, len)) return script
    return null
  }

  add(body: Uint8Array, flags: number, codeStart: number, ref: number, generation: number): Script {
    const script = new Script(sha1Hex(body), body, flags, codeStart)
    script.ref = ref
    script.generation = generation
    append(this.byDigest, digestPrefixOfText(script.sha), script)
    append(this.byText, textHash(body, 0, body.length), script)
    this.count++
    this.bytes += body.length + OVERHEAD_BYTES
    return script
  }

  clear(): void {
    this.byDigest = new Map()
    this.byText = new Map()
    this.last = null
    this.count = 0
    this.bytes = 0
  }
}

function append(map: Map<number, Script[]>, key: number, script: Script): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [script])
  else list.push(script)
}

function textHash(bytes: Uint8Array, off: number, len: number): number {
  return hashBytes(0x5eed5, 0xc0de, bytes, off, len)
}

function digit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57
}

function digestPrefix(bytes: Uint8Array, off: number): number {
  let n = 0
  for (let i = 0; i < PREFIX_DIGITS; i++) n = (n << 4) | (digit(bytes[off + i]) & 15)
  return n
}

function digestPrefixOfText(sha: string): number {
  return Number.parseInt(sha.slice(0, PREFIX_DIGITS), 16)
}

function digestEquals(digest: Uint8Array, bytes: Uint8Array, off: number): boolean {
  for (let i = 0; i < SHA_LENGTH; i++) if (lowerByte(bytes[off + i]) !== digest[i]) return false
  return true
}
