/** DEBUG OBJECT, LISTPACK, QUICKLIST and STRUCTSIZE: what structures look like in memory. Two of them write it to the log, which is stdout by default. */
import type { Client } from '../engine/client.ts'
import type { Arena } from '../memory/arena.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { NO_SUCH_KEY } from '../resp/errors.ts'
import { BUCKET_BYTES } from '../structs/dict-table.ts'
import { ENTRY_HEADER, ENTRY_HEADER_SLOT, encodingOf, valueRef } from '../structs/entry.ts'
import { EMPTY_BYTES, freeListpack, lpBytes, lpFirst, lpGet, lpIsInt, lpLength, lpNext } from '../structs/listpack.ts'
import { lpValue } from '../structs/listpack-element.ts'
import { quicklistNodes } from '../structs/quicklist-front.ts'
import { depthOf, elementCount, fillOf, hasFront } from '../structs/quicklist-index.ts'
import { COMPRESSED, FRONT, nodeBytes, PACKED, PLAIN, plainLength, rawBytes, thawFront } from '../structs/quicklist-node.ts'
import { eachNode } from '../structs/quicklist.ts'
import { LISTPACK, LISTPACK_EX, QUICKLIST } from '../types/object.ts'
import { RdbWriter } from '../types/rdb-io.ts'
import { saveValue } from '../types/rdb-registry.ts'
import { latin1 } from '../util/bytes.ts'

/** An element is shown up to so many bytes. */
const SHOWN_BYTES = 40
/** Names of the kinds of nodes. */
const FORMS = ['packed', 'compressed', 'plain', 'front']

export function debugListpack(c: Client): void {
  const entry = c.db.stored(c.argv, 2)
  if (entry === NULL_REF) return c.reply.error(NO_SUCH_KEY)
  const encoding = encodingOf(c.mem, entry)
  if (encoding !== LISTPACK && encoding !== LISTPACK_EX) return c.reply.error('ERR Not a listpack encoded object.')
  c.engine.log.notice(listpackText(c.mem, valueRef(c.mem, entry)))
  c.reply.simple('Listpack structure printed on stdout')
}

export function debugQuicklist(c: Client): void {
  const { mem } = c
  const entry = c.db.stored(c.argv, 2)
  if (entry === NULL_REF) return c.reply.error(NO_SUCH_KEY)
  if (encodingOf(mem, entry) !== QUICKLIST) return c.reply.error('ERR Not a quicklist encoded object.')
  const full = c.argv.count === 4 && c.argv.text(3) !== '0'
  const lines: string[] = []
  eachNode(mem, valueRef(mem, entry), (node, kind, count, bytes) => {
    lines.push(`{node ${lines.length}: ${FORMS[kind]}, ${count} elements, ${nodeBytes(mem, node, kind)} bytes}`)
    if (full && kind === PACKED) lines[lines.length - 1] += ` ${listpackText(mem, node)}`
    if (full && kind === FRONT) lines[lines.length - 1] += ` ${frontText(mem, node, bytes, count)}`
  })
  c.engine.log.notice(`{quicklist of ${lines.length} nodes}\n${lines.join('\n')}`)
  c.reply.simple('Quicklist structure printed on stdout')
}

function frontText(mem: Arena, front: Ref, bytes: number, count: number): string {
  const lp = thawFront(mem, front, bytes, count)
  const text = listpackText(mem, lp)
  freeListpack(mem, lp)
  return text
}

function listpackText(mem: Arena, lp: Ref): string {
  const elements: string[] = []
  for (let at = lpFirst(mem, lp); at !== 0; at = lpNext(mem, lp, at)) {
    lpGet(mem, lp, at)
    const text = latin1(lpValue.bytes, lpValue.off, Math.min(lpValue.len, SHOWN_BYTES))
    const shown = lpIsInt(mem, lp, at) ? text : JSON.stringify(text)
    elements.push(lpValue.len > SHOWN_BYTES ? `${shown}... (${lpValue.len} bytes)` : shown)
  }
  return `{listpack of ${lpBytes(mem, lp)} bytes, ${lpLength(mem, lp)} elements} ${elements.join(' ')}`
}

/** Bytes of the value in a file, its type left out. */
export function serializedLength(c: Client, entry: Ref): number {
  const out = new RdbWriter(c.engine.config.flag('rdbcompression'))
  saveValue(c.mem, entry, out)
  return out.length - 1
}

/** What DEBUG OBJECT adds for a large list. */
export function quicklistFields(mem: Arena, entry: Ref): string {
  if (encodingOf(mem, entry) !== QUICKLIST) return ''
  const root = valueRef(mem, entry)
  let bytes = 0
  eachNode(mem, root, (node, kind, _count, size) => {
    bytes += kind === COMPRESSED ? rawBytes(mem, node) : kind === PLAIN ? plainLength(mem, node) : size
  })
  if (hasFront(mem, root)) bytes -= EMPTY_BYTES
  const nodes = quicklistNodes(mem, root)
  const average = (elementCount(mem, root) / nodes).toFixed(2)
  const compressed = depthOf(mem, root) === 0 ? 0 : 1
  return ` ql_nodes:${nodes} ql_avg_node:${average} ql_listpack_max:${fillOf(mem, root)} ql_compressed:${compressed} ql_uncompressed_size:${bytes}`
}

/** The parts that everything is made of, in bytes. */
export function structSizes(c: Client): void {
  c.reply.simple(`bits:64 ref:4 entry:${ENTRY_HEADER} entryslot:${ENTRY_HEADER_SLOT} dictbucket:${BUCKET_BYTES}`)
}
