import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, type Ref, segmentOf } from '../../src/memory/ref.ts'
import { lpBytes, lpLength, lpValidate, lpValue } from '../../src/structs/listpack.ts'
import {
  auditQuicklist,
  copyQuicklist,
  newQuicklist,
  quicklistCount,
  quicklistDropEnd,
  quicklistNodes,
  quicklistPush,
  quicklistUnwrap,
} from '../../src/structs/quicklist.ts'
import { cursorGet, cursorNext, quicklistSeekEnd } from '../../src/structs/quicklist-cursor.ts'
import { quicklistDeleteRange } from '../../src/structs/quicklist-edit.ts'
import { joinedListpack } from '../../src/structs/quicklist-front.ts'
import { bytesAt, countAt, hasFront, kindAt, leafCount, leafUsed, nodeAt, nodeCount } from '../../src/structs/quicklist-index.ts'
import { PACKED } from '../../src/structs/quicklist-node.ts'
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
  expect([kindAt(mem, root, leaf, slot), bytesAt(mem, root, leaf, slot)]).toEqual([PACKED, lpBytes(mem, node)])
  expect(lpLength(mem, node)).toBe(countAt(mem, root, leaf, slot))
  expect(lpValidate(mem.u8[segmentOf(node)], byteOf(node), lpBytes(mem, node), true)).toBe(true)
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
