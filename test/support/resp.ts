/**
 * The client's side of the protocol, for tests: an encoder for commands and an incremental reader of RESP2 and RESP3 replies.
 *
 * The reader first cuts the stream into the exact bytes of each reply (`ReplySplitter`), so that two servers can be compared byte for byte;
 * `parseReply` turns such bytes into a model that keeps every type apart. All texts are "binary strings": one character per byte.
 */

export type Scalar = {
  type: 'simple' | 'error' | 'integer' | 'bulk' | 'double' | 'boolean' | 'bignum' | 'verbatim' | 'blob error'
  text: string
}
export type Null = { type: 'null' | 'null bulk' | 'null array' }
/** The items of a map (and of an attribute) alternate: key, value, key, value. */
export type Aggregate = { type: 'array' | 'set' | 'map' | 'push' | 'attribute'; items: Reply[] }
export type Reply = Scalar | Null | Aggregate

export type Argument = string | number | bigint | Uint8Array

/** One command as a multibulk request. Strings are sent as UTF-8. */
export function encodeCommand(args: readonly Argument[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from(`*${args.length}\r\n`)]
  for (const arg of args) {
    const bytes = arg instanceof Uint8Array ? arg : Buffer.from(String(arg))
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(parts)
}

export function encodePipeline(commands: readonly (readonly Argument[])[]): Buffer {
  return Buffer.concat(commands.map(encodeCommand))
}

const CR = 13
const LF = 10

/** Cuts a stream into replies. Linear in the bytes fed, however they are split. */
export class ReplySplitter {
  #buffer = Buffer.alloc(0)
  #chunks: Uint8Array[] = [] // what was fed after the buffer
  #size = 0 // of buffer and chunks
  #wanted = 0 // with fewer bytes than this there is nothing new to see
  #scanned = 0 // bytes of the current reply that are complete elements
  #pending = 1 // elements the current reply still needs

  feed(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The bytes of the next complete reply, or undefined while it is not all there. Throws on bytes that are not RESP. */
  next(): Buffer | undefined {
    if (this.#size < this.#wanted) return undefined
    this.#gather()
    while (this.#pending > 0) {
      const end = this.#element(this.#scanned)
      if (end < 0) return undefined
      this.#scanned = end
    }
    const reply = this.#buffer.subarray(0, this.#scanned)
    this.#buffer = this.#buffer.subarray(this.#scanned)
    this.#size = this.#buffer.length
    this.#wanted = 0
    this.#scanned = 0
    this.#pending = 1
    return reply
  }

  /** Bytes received that are not a complete reply yet. */
  get rest(): Buffer {
    this.#gather()
    return this.#buffer
  }

  #gather(): void {
    if (this.#chunks.length === 0) return
    this.#buffer = Buffer.concat([this.#buffer, ...this.#chunks])
    this.#chunks = []
  }

  /** Steps over one element (a scalar, or the header of an aggregate) at `at`; -1 when it is incomplete. */
  #element(at: number): number {
    const b = this.#buffer
    const lineEnd = b.indexOf(LF, at)
    this.#wanted = b.length + 1
    if (lineEnd < 0) return -1
    if (b[lineEnd - 1] !== CR) throw new Error(`a line without CR in a reply: ${show(b.subarray(at, lineEnd + 1))}`)
    const type = String.fromCharCode(b[at])
    const count = Number(b.toString('latin1', at + 1, lineEnd - 1))
    let end = lineEnd + 1
    this.#pending--
    if ('$=!'.includes(type)) {
      if (count >= 0) end += count + 2
      if (end > b.length) {
        this.#pending++
        this.#wanted = end
        return -1
      }
      if (count >= 0 && (b[end - 2] !== CR || b[end - 1] !== LF)) throw new Error(`a bulk of the wrong length: ${show(b.subarray(at))}`)
    } else if ('*~>'.includes(type)) this.#pending += Math.max(0, count)
    else if (type === '%') this.#pending += 2 * count
    else if (type === '|') this.#pending += 2 * count + 1
    else if (!'+-:_#,('.includes(type)) throw new Error(`not a reply: ${show(b.subarray(at))}`)
    return end
  }
}

const SCALARS: Record<string, Scalar['type']> = {
  '+': 'simple',
  '-': 'error',
  ':': 'integer',
  $: 'bulk',
  ',': 'double',
  '#': 'boolean',
  '(': 'bignum',
  '=': 'verbatim',
  '!': 'blob error',
}
const AGGREGATES: Record<string, Aggregate['type']> = { '*': 'array', '~': 'set', '%': 'map', '>': 'push', '|': 'attribute' }

/** The model of one complete reply. */
export function parseReply(bytes: Uint8Array): Reply {
  const b = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const element = (): Reply => {
    const type = String.fromCharCode(b[at])
    const lineEnd = b.indexOf('\r\n', at)
    const line = b.toString('latin1', at + 1, lineEnd)
    at = lineEnd + 2
    if (type === '_') return { type: 'null' }
    if (line === '-1' && type === '$') return { type: 'null bulk' }
    if (line === '-1' && type === '*') return { type: 'null array' }
    if ('$=!'.includes(type)) {
      const text = b.toString('latin1', at, at + Number(line))
      at += Number(line) + 2
      return { type: SCALARS[type], text }
    }
    if (type in SCALARS) return { type: SCALARS[type], text: line }
    const count = Number(line) * (type === '%' || type === '|' ? 2 : 1)
    return { type: AGGREGATES[type], items: Array.from({ length: count }, element) }
  }
  return element()
}

export type Plain = string | number | bigint | boolean | null | Error | Plain[] | Map<Plain, Plain>

/** A reply as plain JavaScript values, for tests that do not care about the types on the wire. Errors are Error objects. */
export function plain(reply: Reply): Plain {
  switch (reply.type) {
    case 'null':
    case 'null bulk':
    case 'null array':
      return null
    case 'integer':
    case 'bignum': {
      const n = Number(reply.text)
      return Number.isSafeInteger(n) ? n : BigInt(reply.text)
    }
    case 'double':
      return reply.text === 'inf' ? Infinity : reply.text === '-inf' ? -Infinity : Number(reply.text)
    case 'boolean':
      return reply.text === 't'
    case 'error':
    case 'blob error':
      return new Error(utf8(reply.text))
    case 'verbatim':
      return utf8(reply.text.slice(4))
    case 'map':
    case 'attribute':
      return new Map(reply.items.flatMap((key, i) => (i % 2 === 0 ? [[plain(key), plain(reply.items[i + 1])] as const] : [])))
    case 'array':
    case 'set':
    case 'push':
      return reply.items.map(plain)
    default:
      return utf8(reply.text)
  }
}

/** A binary string as the text it encodes. */
export function utf8(binary: string): string {
  return Buffer.from(binary, 'latin1').toString()
}

/** Bytes as a readable line for messages. */
export function show(bytes: Uint8Array, limit = 400): string {
  const text = JSON.stringify(Buffer.from(bytes.subarray(0, limit)).toString('latin1'))
  return bytes.length > limit ? `${text} and ${bytes.length - limit} bytes more` : text
}
