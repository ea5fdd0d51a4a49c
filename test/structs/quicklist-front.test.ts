import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, type Ref, segmentOf } from '../../src/memory/ref.ts'
import {
  EMPTY_BYTES,
  LP_HEADER,
  lpAppend,
  lpBytes,
  lpElementBytes,
  lpLength,
  lpValidate,
  lpValue,
  newListpack,
} from '../../src/structs/listpack.ts'
import {
  auditQuicklist,
  copyQuicklist,
  eachNode,
  freeQuicklist,
  newQuicklist,
  quicklistCount,
  quicklistDropEnd,
  quicklistNodes,
  quicklistPop,
  quicklistPush,
  quicklistUnwrap,
} from '../../src/structs/quicklist.ts'
import { cursorGet, cursorNext, quicklistSeek, quicklistSeekEnd } from '../../src/structs/quicklist-cursor.ts'
import { quicklistDelete, quicklistDeleteRange, quicklistInsert, quicklistReplace } from '../../src/structs/quicklist-edit.ts'
import { frontListpack, joinedListpack } from '../../src/structs/quicklist-front.ts'
import { bytesAt, countAt, hasFront, kindAt, leafCount, leafUsed, nodeAt, nodeCount } from '../../src/structs/quicklist-index.ts'
import { quicklistMoveRoot, quicklistMoveStep } from '../../src/structs/quicklist-move.ts'
import { FRONT, FRONT_BYTES, PACKED, PLAIN, plainThreshold, roomFor } from '../../src/structs/quicklist-node.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

const FILL = -2

/** Refuses memory after so many blocks. */
class FailingArena extends Arena {
  left = Infinity

  override alloc(sizeBytes: number): Ref {
    if (--this.left < 0) throw new OutOfMemory('test')
    return super.alloc(sizeBytes)
  }
}

afterEach(() => {
  plainThreshold.bytes = 2 ** 30
})

function push(mem: Arena, root: Ref, head: boolean, item: string): void {
  quicklistPush(mem, root, head, bytesOf(item), 0, item.length)
}

function pop(mem: Arena, root: Ref, head: boolean): string {
  quicklistSeekEnd(mem, root, head)
  cursorGet(mem)
  const item = latin1(lpValue.bytes, lpValue.off, lpValue.len)
  quicklistDropEnd(mem, root, head)
  return item
}

function contents(mem: Arena, root: Ref): string[] {
  const out: string[] = []
  for (let more = quicklistSeekEnd(mem, root, true); more; more = cursorNext(mem)) {
    cursorGet(mem)
    out.push(latin1(lpValue.bytes, lpValue.off, lpValue.len))
  }
  return out
}

/** The audit, and what the index says of its nodes. */
function check(mem: Arena, ...roots: Ref[]): void {
  expect(
    auditArena(mem, (report) => {
      for (const root of roots) auditQuicklist(mem, root, report)
    }),
  ).toEqual([])
  for (const root of roots) {
    for (let leaf = 0; leaf < leafCount(mem, root); leaf++) {
      for (let slot = 0; slot < leafUsed(mem, root, leaf); slot++) checkNode(mem, root, leaf, slot)
    }
  }
}

function checkNode(mem: Arena, root: Ref, leaf: number, slot: number): void {
  const node = nodeAt(mem, root, leaf, slot)
  const bytes = bytesAt(mem, root, leaf, slot)
  const count = countAt(mem, root, leaf, slot)
  expect(count).toBeGreaterThan(0)
  if (kindAt(mem, root, leaf, slot) === FRONT) {
    expect(bytes).toBeLessThanOrEqual(FRONT_BYTES)
    const lp = frontListpack(mem, node, bytes, count)
    return expect(lpValidate(lp, 0, bytes, true)).toBe(true)
  }
  if (kindAt(mem, root, leaf, slot) === PLAIN) return expect(count).toBe(1)
  expect([kindAt(mem, root, leaf, slot), bytes]).toEqual([PACKED, lpBytes(mem, node)])
  expect(lpLength(mem, node)).toBe(count)
  expect(lpValidate(mem.u8[segmentOf(node)], byteOf(node), bytes, true)).toBe(true)
}

/** quicklistPop's element. */
function taken(mem: Arena, root: Ref, head: boolean): string {
  let item = ''
  const bulk = (bytes: Uint8Array, off: number, len: number): void => void (item = latin1(bytes, off, len))
  quicklistPop(mem, root, head, { bulk, bulkData: (bytes, _data, off, len) => bulk(bytes, off, len) })
  return item
}

/** A node and its listpack's bytes. */
type ModelNode = { items: string[]; bytes: number }

const elementBytes = (item: string): number => lpElementBytes(bytesOf(item), 0, item.length)

/** A list as its nodes: an element goes into the node at that end, unless it would become too large. */
function pushModel(nodes: ModelNode[], fill: number, head: boolean, item: string): void {
  let node = nodes.at(head ? 0 : -1)
  if (node === undefined || !roomFor(node.bytes, node.items.length, item.length, fill)) {
    node = { items: [], bytes: EMPTY_BYTES }
    if (head) nodes.unshift(node)
    else nodes.push(node)
  }
  if (head) node.items.unshift(item)
  else node.items.push(item)
  node.bytes += elementBytes(item)
}

function popModel(nodes: ModelNode[], head: boolean): string {
  const node = nodes.at(head ? 0 : -1) as ModelNode
  const item = (head ? node.items.shift() : node.items.pop()) as string
  node.bytes -= elementBytes(item)
  if (node.items.length === 0) nodes.splice(head ? 0 : -1, 1)
  return item
}

/** The bytes of a listpack with these elements. */
function spelled(items: readonly string[]): string {
  const body = items.map(spelledElement).join('')
  const header = Buffer.alloc(LP_HEADER)
  header.writeUInt32LE(body.length + EMPTY_BYTES)
  header.writeUInt16LE(items.length, 4)
  return `${header.toString('latin1')}${body}\xff`
}

const elements = new Map<string, string>()
const elementArena = new Arena()

function spelledElement(item: string): string {
  let text = elements.get(item)
  if (text !== undefined) return text
  const lp = lpAppend(elementArena, newListpack(elementArena), bytesOf(item), 0, item.length)
  text = latin1(elementArena.u8[segmentOf(lp)], byteOf(lp) + LP_HEADER, lpBytes(elementArena, lp) - EMPTY_BYTES)
  elements.set(item, text)
  return text
}

/** The listpacks that a payload of the list has. */
function payload(mem: Arena, root: Ref): string[] {
  const first = hasFront(mem, root) ? [joinedListpack(mem, root)] : []
  const others: Uint8Array[] = []
  eachNode(mem, root, (node, kind, count, bytes) => {
    if (kind === FRONT) others.push(frontListpack(mem, node, bytes, count))
    else others.push(mem.u8[segmentOf(node)].subarray(byteOf(node), byteOf(node) + bytes))
  })
  return [...first, ...others.slice(2 * first.length)].map((bytes) => latin1(bytes, 0, bytes.length))
}

/** Moves all blocks of a list out of their segment. */
function move(mem: Arena, list: { root: Ref }): void {
  const segment = segmentOf(list.root)
  mem.closeSegment(segment)
  try {
    list.root = quicklistMoveRoot(mem, list.root)
    let place = 0
    do place = quicklistMoveStep(mem, list.root, place)
    while (place !== 0)
  } finally {
    mem.reopenSegment(segment)
  }
}

type Step = { op: string; item: string; where: number; times: number }

/** Does one step to the list and the array. */
function apply(mem: Arena, list: { root: Ref }, model: string[], { op, item, where, times }: Step): void {
  const { root } = list
  const index = where % Math.max(1, model.length)
  const bytes = bytesOf(item)
  if (op.endsWith('push')) {
    push(mem, root, op === 'lpush', item)
    if (op === 'lpush') model.unshift(item)
    else model.push(item)
  } else if (op === 'move') move(mem, list)
  else if (model.length === 0) return
  else if (op === 'lpop') expect(pop(mem, root, true)).toBe(model.shift())
  else if (op.endsWith('pop')) expect(taken(mem, root, op === 'pop')).toBe(op === 'pop' ? model.shift() : model.pop())
  else if (op === 'copy') {
    list.root = copyQuicklist(mem, root)
    freeQuicklist(mem, root)
  } else if (op === 'trim') {
    const gone = Math.min(times, model.length - 1)
    const from = where % 2 === 0 ? 0 : model.length - gone
    quicklistDeleteRange(mem, root, from, gone)
    model.splice(from, gone)
  } else {
    quicklistSeek(mem, root, index)
    if (op === 'set') quicklistReplace(mem, root, bytes, 0, bytes.length)
    else if (op === 'delete') quicklistDelete(mem, root)
    else quicklistInsert(mem, root, op === 'after', bytes, 0, bytes.length)
    if (op === 'set') model[index] = item
    else if (op === 'delete') model.splice(index, 1)
    else model.splice(op === 'after' ? index + 1 : index, 0, item)
  }
}

describe('the front of a quicklist', () => {
  test('a list filled from the head has the nodes of one filled from the tail', () => {
    const mem = new Arena()
    const left = newQuicklist(mem, FILL, 0)
    const right = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 3000; i++) {
      push(mem, left, true, `item-${i}`)
      push(mem, right, false, `item-${i}`)
      if (quicklistNodes(mem, left) !== quicklistNodes(mem, right)) expect.unreachable(`after ${i}`)
    }
    expect(contents(mem, left)).toEqual(contents(mem, right).reverse())
    check(mem, left, right)
  })

  test('pushes at the head move a small front, not the whole node', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    expect([hasFront(mem, root), nodeCount(mem, root), quicklistNodes(mem, root)]).toEqual([true, 2, 1])
    expect(bytesAt(mem, root, 0, 0)).toBeLessThan(2100)
  })

  test('pops at the head cut one off', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 2000; i++) push(mem, root, false, `item-${i}`)
    const nodes = quicklistNodes(mem, root)
    expect(pop(mem, root, true)).toBe('item-0')
    expect([hasFront(mem, root), nodeCount(mem, root), quicklistNodes(mem, root)]).toEqual([true, nodes + 1, nodes])
    for (let i = 1; i < 1999; i++) expect(pop(mem, root, true)).toBe(`item-${i}`)
    expect([quicklistCount(mem, root), hasFront(mem, root)]).toEqual([1, false])
    check(mem, root)
  })

  test('a payload shows the front and the rest as one listpack', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    const bytes = joinedListpack(mem, root)
    expect(lpValidate(bytes, 0, bytes.length, true)).toBe(true)
    expect(bytes[4] | (bytes[5] << 8)).toBe(300)
  })

  test('a short list with a front becomes a listpack again', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 600; i++) push(mem, root, true, `item-${i}`)
    expect(quicklistUnwrap(mem, root, FILL, true)).toBe(0)
    const lp = quicklistUnwrap(mem, root, FILL, false)
    expect(lpLength(mem, lp)).toBe(600)
    expect(mem.used).toBeLessThan(8192)
  })

  test('lists that compress have none', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 1)
    for (let i = 0; i < 3000; i++) push(mem, root, true, `item-${i}`)
    expect(hasFront(mem, root)).toBe(false)
  })

  test.each([4, 7, 14])('memory that ends while a front is cut from the first of %i nodes leaves the list whole', (nodes) => {
    for (let allowed = 0; allowed < 6; allowed++) {
      const mem = new FailingArena()
      const root = newQuicklist(mem, FILL, 0)
      for (let i = 0; nodeCount(mem, root) < nodes; i++) push(mem, root, false, `item-${i}`)
      const before = contents(mem, root)
      mem.left = allowed
      try {
        pop(mem, root, true)
        before.shift()
      } catch (error) {
        expect(error).toBeInstanceOf(OutOfMemory)
      }
      mem.left = Infinity
      expect([contents(mem, root), quicklistCount(mem, root)]).toEqual([before, before.length])
      check(mem, root)
    }
  })

  test('a range at an end of the list, over several nodes, is deleted as a whole or not at all', () => {
    let refused = 0
    for (let gone = 2000; gone < 2700; gone += 60) {
      for (const from of [0, 3000 - gone]) {
        const mem = new FailingArena()
        const root = newQuicklist(mem, FILL, 0)
        for (let i = 0; i < 3000; i++) push(mem, root, false, `item-${i}`)
        const before = contents(mem, root)
        mem.left = 0
        try {
          quicklistDeleteRange(mem, root, from, gone)
          before.splice(from, gone)
        } catch (error) {
          expect(error).toBeInstanceOf(OutOfMemory)
          refused++
        }
        expect(contents(mem, root)).toEqual(before)
        check(mem, root)
      }
    }
    expect(refused).toBeGreaterThan(3)
  })

  test('a short list stays a quicklist when there is no memory to join its front and its rest', () => {
    const mem = new FailingArena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    mem.left = 0
    expect(quicklistUnwrap(mem, root, FILL, false)).toBe(0)
    expect(quicklistCount(mem, root)).toBe(300)
    check(mem, root)
  })

  test('a push or pop at the head writes nothing but its element', () => {
    const mem = new FailingArena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    const front = nodeAt(mem, root, 0, 0)
    const block = (): Buffer => Buffer.from(mem.u8[segmentOf(front)].subarray(byteOf(front), byteOf(front) + FRONT_BYTES))
    const before = block()
    mem.left = 0
    push(mem, root, true, 'one more')
    expect([kindAt(mem, root, 0, 0), nodeAt(mem, root, 0, 0)]).toEqual([FRONT, front])
    const element = FRONT_BYTES - bytesAt(mem, root, 0, 0) + LP_HEADER
    before.set(Buffer.from('\x88one more\x09', 'latin1'), element)
    expect(block()).toEqual(before)
    expect(taken(mem, root, true)).toBe('one more')
    expect(pop(mem, root, true)).toBe('item-299')
    expect(block()).toEqual(before)
  })

  test('pushes and pops in turns at the border of a node keep their front', () => {
    for (const items of [1000, 1200]) {
      const mem = new Arena()
      const root = newQuicklist(mem, FILL, 0)
      for (let i = 0; i < items; i++) push(mem, root, false, `item-${i}`)
      taken(mem, root, true)
      const front = nodeAt(mem, root, 0, 0)
      for (let i = 0; i < 1000; i++) {
        push(mem, root, true, `again-${i}`)
        expect(taken(mem, root, true)).toBe(`again-${i}`)
        if (nodeAt(mem, root, 0, 0) !== front) expect.unreachable(`another front after ${i}`)
      }
      check(mem, root)
    }
  })

  test('an edit makes a front a listpack, and the next push makes another', () => {
    const mem = new Arena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    quicklistSeek(mem, root, 3)
    quicklistReplace(mem, root, bytesOf('other'), 0, 5)
    expect([kindAt(mem, root, 0, 0), hasFront(mem, root), quicklistNodes(mem, root)]).toEqual([PACKED, true, 1])
    check(mem, root)
    push(mem, root, true, 'new')
    expect([kindAt(mem, root, 0, 0), hasFront(mem, root), quicklistNodes(mem, root)]).toEqual([FRONT, true, 1])
    expect(contents(mem, root).slice(0, 6)).toEqual(['new', 'item-299', 'item-298', 'item-297', 'other', 'item-295'])
    check(mem, root)
  })

  test('a front that has become the only node becomes a listpack, unless there is no memory', () => {
    const mem = new FailingArena()
    const root = newQuicklist(mem, FILL, 0)
    for (let i = 0; i < 300; i++) push(mem, root, true, `item-${i}`)
    while (nodeCount(mem, root) > 1) pop(mem, root, false)
    expect([kindAt(mem, root, 0, 0), hasFront(mem, root)]).toEqual([FRONT, false])
    const before = contents(mem, root)
    mem.left = 0
    expect(quicklistUnwrap(mem, root, FILL, true)).toBe(0)
    expect(contents(mem, root)).toEqual(before)
    mem.left = 1
    expect(lpLength(mem, quicklistUnwrap(mem, root, FILL, true))).toBe(before.length)
  })

  test('payloads show the nodes of a list that has no front', () => {
    const text = fc.constantFrom(
      '7',
      '-70000',
      'x'.repeat(15),
      'ab'.repeat(40),
      'z'.repeat(700),
      ...[2032, 2033, 2034, 2035, 3000].map((n) => 'y'.repeat(n)),
    )
    const step = fc.tuple(fc.constantFrom('lpush', 'lpush', 'rpush', 'lpop', 'rpop'), text, fc.integer({ min: 1, max: 150 }))
    fc.assert(
      fc.property(fc.constantFrom(-1, -2, -3, 200, 4, 1), fc.array(step, { minLength: 8, maxLength: 25 }), (fill, steps) => {
        const mem = new Arena()
        const root = newQuicklist(mem, fill, 0)
        const nodes: ModelNode[] = []
        for (const [op, value, times] of steps) {
          for (let i = 0; i < times; i++) {
            const head = op[0] === 'l'
            if (op.endsWith('push')) {
              push(mem, root, head, value)
              pushModel(nodes, fill, head, value)
            } else if (nodes.length > 0) expect(taken(mem, root, head)).toBe(popModel(nodes, head))
          }
          expect(payload(mem, root)).toEqual(nodes.map((node) => spelled(node.items)))
        }
        check(mem, root)
      }),
      { numRuns: 12 },
    )
  }, 20_000)

  test('edits, pushes and pops do what they do to an array, or nothing when memory ends', () => {
    const item = fc.constantFrom('a', '12', 'x'.repeat(17), 'ab'.repeat(40), 'z'.repeat(300), 'y'.repeat(2033), 'y'.repeat(3000))
    const ops = ['lpush', 'lpush', 'rpush', 'lpop', 'rpop', 'pop', 'set', 'before', 'after', 'delete', 'trim', 'copy', 'move'] as const
    const step = fc.record({
      op: fc.constantFrom(...ops),
      item,
      times: fc.integer({ min: 1, max: 120 }),
      where: fc.nat(5000),
      nth: fc.nat(8),
    })
    const shape = fc.record({ fill: fc.constantFrom(-1, -2, 200, 4), plain: fc.constantFrom(2 ** 30, 500) })
    fc.assert(
      fc.property(shape, fc.array(step, { minLength: 10, maxLength: 40 }), ({ fill, plain }, steps) => {
        plainThreshold.bytes = plain
        const mem = new FailingArena()
        const list = { root: newQuicklist(mem, fill, 0) }
        const model: string[] = []
        for (const s of steps) {
          for (let i = 0; i < (s.op.endsWith('push') || s.op.endsWith('pop') ? s.times : 1); i++) {
            const before = [...model]
            mem.left = s.nth < 6 ? s.nth : Infinity
            try {
              apply(mem, list, model, s)
            } catch (error) {
              if (!(error instanceof OutOfMemory)) throw error
              model.splice(0, model.length, ...before)
            }
            mem.left = Infinity
          }
          // Replacing a PLAIN element is the one change of two steps.
          if (s.op === 'set' && quicklistCount(mem, list.root) > model.length) return
          expect([contents(mem, list.root), quicklistCount(mem, list.root)]).toEqual([model, model.length])
          check(mem, list.root)
        }
      }),
      { numRuns: 30 },
    )
  }, 30_000)

  test('pushes and pops at both ends do what an array does', () => {
    const item = fc.constantFrom('a', '12', 'x'.repeat(17), 'ab'.repeat(40), 'z'.repeat(300), 'y'.repeat(3000))
    const step = fc.tuple(fc.constantFrom('lpush', 'rpush', 'lpop', 'rpop'), item, fc.integer({ min: 1, max: 80 }))
    fc.assert(
      fc.property(fc.constantFrom(-1, -2, 200, 4), fc.array(step, { minLength: 10, maxLength: 60 }), (fill, steps) => {
        const mem = new Arena()
        const root = newQuicklist(mem, fill, 0)
        const model: string[] = []
        for (const [op, value, times] of steps) {
          for (let i = 0; i < times; i++) {
            const head = op[0] === 'l'
            if (op.endsWith('push')) {
              push(mem, root, head, value)
              if (head) model.unshift(value)
              else model.push(value)
            } else if (model.length > 0) expect(pop(mem, root, head)).toBe(head ? model.shift() : model.pop())
          }
        }
        expect(contents(mem, root)).toEqual(model)
        const copy = copyQuicklist(mem, root)
        expect([contents(mem, copy), quicklistNodes(mem, copy)]).toEqual([model, quicklistNodes(mem, root)])
        check(mem, root, copy)
      }),
      { numRuns: 40 },
    )
  })
})
