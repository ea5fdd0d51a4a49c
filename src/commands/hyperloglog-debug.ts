/** PFDEBUG and PFSELFTEST: looking inside HyperLogLogs, and checking the code on the spot. */
import type { Client } from '../engine/client.ts'
import { NULL_REF, type Ref } from '../memory/ref.ts'
import { cText } from '../resp/errors.ts'
import { valueLength, valueSegment, valueStart } from '../structs/entry.ts'
import * as hll from '../structs/hyperloglog.ts'
import { checkHll, DAMAGED, hllEntry, toDense } from './hyperloglog-value.ts'

export function pfdebug(c: Client): void {
  const { argv, mem } = c
  const entry = c.db.lookupWrite(argv, 2)
  if (entry === NULL_REF) return c.reply.error('ERR The specified key does not exist')
  if (!checkHll(c, entry)) return
  const u8 = mem.u8[valueSegment(mem, entry)]
  const off = valueStart(mem, entry)
  const sparse = hll.isSparse(u8, off)
  if (argv.is(1, 'getreg')) {
    if (densify(c, entry, sparse)) replyRegisters(c)
  } else if (argv.is(1, 'decode')) {
    if (!sparse) return c.reply.error('ERR HLL encoding is not sparse')
    c.reply.text(hll.describeSparse(u8, off, valueLength(mem, entry)))
  } else if (argv.is(1, 'encoding')) c.reply.simple(sparse ? 'sparse' : 'dense')
  else if (argv.is(1, 'todense')) {
    if (densify(c, entry, sparse)) c.reply.int(sparse ? 1 : 0)
  } else c.reply.error(`ERR Unknown PFDEBUG subcommand '${cText(argv.text(1))}'`)
}

/** Makes the value dense, which counts as a change; false: it has answered an error. */
function densify(c: Client, entry: Ref, sparse: boolean): boolean {
  if (!toDense(c, 2, entry)) {
    c.reply.error(DAMAGED)
    return false
  }
  if (sparse) c.dirty(1)
  return true
}

function replyRegisters(c: Client): void {
  const { mem } = c
  const u8 = mem.u8[valueSegment(mem, hllEntry)]
  const off = valueStart(mem, hllEntry)
  c.reply.array(hll.HLL_REGISTERS)
  for (let i = 0; i < hll.HLL_REGISTERS; i++) c.reply.int(hll.denseRegister(u8, off, i))
}

// ---- PFSELFTEST ----

const REGISTER_ROUNDS = 50
const ELEMENTS = 1_000_000
/** Standard error of one estimate. */
const ERROR = 1.04 / Math.sqrt(hll.HLL_REGISTERS)

export function pfselftest(c: Client): void {
  const fault = testRegisters(c) || testEstimates(c)
  if (fault === '') c.reply.ok()
  else c.reply.error(`TESTFAILED ${fault}`)
}

/** Registers keep what is written to them, whatever their neighbours hold. */
function testRegisters(c: Client): string {
  const dense = new Uint8Array(hll.HLL_DENSE_BYTES)
  const plain = new Uint8Array(hll.HLL_REGISTERS)
  for (let round = 0; round < REGISTER_ROUNDS; round++) {
    for (let i = 0; i < hll.HLL_REGISTERS; i++) {
      plain[i] = c.engine.random.nextUint32() & 63
      hll.setDenseRegister(dense, 0, i, plain[i])
    }
    for (let i = 0; i < hll.HLL_REGISTERS; i++) {
      const value = hll.denseRegister(dense, 0, i)
      if (value !== plain[i]) return `Register ${i} should be ${plain[i]} but is ${value}`
    }
  }
  return ''
}

/** Estimates stay near the truth, and the sparse form agrees with the dense one as long as it lasts. */
function testEstimates(c: Client): string {
  const maxBytes = c.engine.config.setting('hll-sparse-max-bytes').num
  const dense = new Uint8Array(hll.HLL_DENSE_BYTES)
  const sparse = new Uint8Array(Math.max(maxBytes, hll.HLL_EMPTY_BYTES) + hll.HLL_GROWTH)
  hll.writeEmpty(sparse, 0)
  let length = hll.HLL_EMPTY_BYTES
  let isSparse = true
  const element = new Uint8Array(8)
  const words = new Uint32Array(element.buffer)
  words[1] = c.engine.random.nextUint32()
  const seed = c.engine.random.nextUint32()
  for (let n = 1, checkpoint = 1; n <= ELEMENTS; n++) {
    words[0] = n ^ seed
    hll.hashElement(element, 0, element.length)
    hll.denseRaise(dense, 0, hll.elementRegister, hll.elementRank)
    if (isSparse) {
      const outcome = hll.sparseRaise(sparse, 0, length, sparse.length, hll.elementRegister, hll.elementRank, maxBytes)
      isSparse = outcome === hll.HLL_RAISED || outcome === hll.HLL_SAME
      length = hll.sparseLength
    }
    if (n !== checkpoint) continue
    const count = hll.countOf(dense, 0, dense.length)
    if (!isSparse && n < maxBytes / 2) return 'sparse encoding not used'
    if (isSparse && hll.countOf(sparse, 0, length) !== count) return 'dense/sparse disagree'
    const error = Math.abs(n - count)
    if (error > (n === 10 ? 1 : Math.ceil(ERROR * 6 * n))) return `Too big error. card:${n} abserr:${error}`
    checkpoint *= 10
  }
  return ''
}
