import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { Arena, OutOfMemory } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import type { Ref } from '../../src/memory/ref.ts'
import { lpAppend, lpValue, newListpack } from '../../src/structs/listpack.ts'
import {
  auditQuicklist,
  copyQuicklist,
  freeQuicklist,
  freeQuicklistStep,
  newQuicklist,
  quicklistCount,
  quicklistDropEnd,
  quicklistFrom,
  quicklistNodes,
  quicklistPush,
} from '../../src/structs/quicklist.ts'
import {
  cursorGet,
  cursorIndex,
  cursorNext,
  cursorPrev,
  openListpack,
  quicklistSeek,
  quicklistSeekEnd,
} from '../../src/structs/quicklist-cursor.ts'
import {
  quicklistDelete,
  quicklistDeleteRange,
  quicklistFind,
  quicklistInsert,
  quicklistRemoveMatches,
  quicklistReplace,
  removedMatches,
} from '../../src/structs/quicklist-edit.ts'
import { countAt, kindAt, leafCount, leafUsed } from '../../src/structs/quicklist-index.ts'
import { COMPRESSED, plainThreshold } from '../../src/structs/quicklist-node.ts'
import { bytesOf, latin1 } from '../../src/util/bytes.ts'

/** An arena whose allocations fail from the n-th on. */
class FailingArena extends Arena {
  left = Infinity
  override alloc(sizeBytes: number): Ref {
    if (--this.left < 0) throw new OutOfMemory()
    return super.alloc(sizeBytes)
  }
}

afterEach(() => {
  plainThreshold.bytes = 2 ** 30
})

function current(mem: Arena): string {
  cursorGet(mem)
  return latin1(lpValue.bytes, lpValue.off, lpValue.len)
}

function contents(mem: Arena, root: Ref): string[] {
  const out: string[] = []
  if (!quicklistSeek(mem, root, 0)) return out
  do out.push(current(mem))
  while (cursorNext(mem))
  return out
}

function backwards(mem: Arena, root: Ref): string[] {
  const out: string[] = []
  if (!quicklistSeek(mem, root, -1)) return out
  do out.unshift(current(mem))
  while (cursorPrev(mem))
  return out
}

function push(mem: Arena, root: Ref, head: boolean, item: string): void {
  quicklistPush(mem, root, head, bytesOf(item), 0, item.length)
}

function build(mem: Arena, items: readonly string[], fill: number, depth = 0): Ref {
  const root = newQuicklist(mem, fill, depth)
  for (const item of items) push(mem, root, false, item)
  return root
}

function kinds(mem: Arena, root: Ref): number[] {
  const out: number[] = []
  for (let leaf = 0; leaf < leafCount(mem, root); leaf++) {
    for (let slot = 0; slot < leafUsed(mem, root, leaf); slot++) out.push(kindAt(mem, root, leaf, slot))
  }
  return out
}

function audit(mem: Arena, ...roots: Ref[]): string[] {
  return auditArena(mem, (report) => roots.forEach((root) => auditQuicklist(mem, root, report)))
}

const numbers = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i))

type Step = [op: number, where: number, item: string, count: number]

/** Does one step to the list and the array. */
function apply(mem: Arena, root: Ref, model: string[], [op, where, item, count]: Step): void {
  const bytes = bytesOf(item)
  const index = model.length === 0 ? -1 : where % model.length
  if (op < 2 || index < 0) {
    push(mem, root, op === 1, item)
    if (op === 1) model.unshift(item)
    else model.push(item)
    return
  }
  expect(quicklistSeek(mem, root, index)).toBe(true)
  if (op < 7) {
    quicklistInsert(mem, root, op % 2 === 0, bytes, 0, bytes.length)
    model.splice(op % 2 === 0 ? index + 1 : index, 0, item)
  } else if (op === 7) {
    quicklistReplace(mem, root, bytes, 0, bytes.length)
    model[index] = item
  } else if (op === 8) {
    quicklistDelete(mem, root)
    model.splice(index, 1)
  } else if (op === 9) {
    const gone = Math.min(count, model.length - index)
    quicklistDeleteRange(mem, root, index, gone)
    model.splice(index, gone)
  } else if (op > 12) {
    quicklistSeekEnd(mem, root, op === 13)
    quicklistDropEnd(mem, root, op === 13)
    if (op === 13) model.shift()
    else model.pop()
  } else if (op === 10) {
    expect(quicklistFind(mem, root, bytes, 0, bytes.length)).toBe(model.includes(item))
    if (model.includes(item)) expect(cursorIndex(mem, root)).toBe(model.indexOf(item))
  } else {
    const back = op === 11
    quicklistRemoveMatches(mem, root, bytes, 0, bytes.length, count, back)
    expect(removedMatches).toBe(Math.min(count, model.filter((m) => m === item).length))
    for (let i = 0; i < count && model.includes(item); i++) model.splice(back ? model.lastIndexOf(item) : model.indexOf(item), 1)
  }
}

describe('quicklist', () => {
  const item = fc.constantFrom('', 'a', '12', '-70000', 'x'.repeat(30), 'ab'.repeat(40), 'z'.repeat(300), 'y'.repeat(5000))
  const step: fc.Arbitrary<Step> = fc.tuple(fc.nat(14), fc.nat(1000), item, fc.nat(6))
  const shape = fc.record({ fill: fc.constantFrom(1, 2, 3, 16, -1, -2), depth: fc.nat(2), plain: fc.constantFrom(80, 1000, 2 ** 30) })

  test('does what an array does', () => {
    fc.assert(
      fc.property(shape, fc.array(step, { minLength: 20, maxLength: 120 }), ({ fill, depth, plain }, steps) => {
        plainThreshold.bytes = plain
        const mem = new Arena()
        const root = newQuicklist(mem, fill, depth)
        const model: string[] = []
        for (const s of steps) {
          apply(mem, root, model, s)
          expect(contents(mem, root)).toEqual(model)
        }
        expect(backwards(mem, root)).toEqual(model)
        expect(quicklistSeekEnd(mem, root, true)).toBe(model.length > 0)
        if (model.length > 0) expect(current(mem)).toBe(model[0])
        expect(quicklistSeekEnd(mem, root, false)).toBe(model.length > 0)
        if (model.length > 0) expect(current(mem)).toBe(model.at(-1))
        expect(quicklistCount(mem, root)).toBe(model.length)
        for (let i = 0; i < model.length; i++) {
          quicklistSeek(mem, root, i)
          expect(current(mem)).toBe(model[i])
        }
        const copy = copyQuicklist(mem, root)
        expect(audit(mem, root, copy)).toEqual([])
        freeQuicklist(mem, root)
        expect(contents(mem, copy)).toEqual(model)
        while (!freeQuicklistStep(mem, copy, 2));
        expect(mem.used).toBe(0)
      }),
      { numRuns: 60 },
    )
  }, 20_000)

  test('a failed allocation leaves the old elements', () => {
    fc.assert(
      fc.property(shape, fc.array(step, { minLength: 10, maxLength: 40 }), fc.nat(3), ({ fill, depth, plain }, steps, nth) => {
        plainThreshold.bytes = plain
        const mem = new FailingArena()
        const root = newQuicklist(mem, fill, depth)
        const model: string[] = []
        for (const s of steps) {
          const before = [...model]
          mem.left = s[0] === 9 || s[0] === 11 || s[0] === 12 ? Infinity : nth
          try {
            apply(mem, root, model, s)
          } catch (error) {
            if (!(error instanceof OutOfMemory)) throw error
            mem.left = Infinity
            model.splice(0, model.length, ...before)
            // Replacing a PLAIN element is the one change of two steps.
            if (s[0] === 7 && contents(mem, root).length > before.length) return
          }
          mem.left = Infinity
          expect(contents(mem, root)).toEqual(model)
          expect(audit(mem, root)).toEqual([])
        }
      }),
      { numRuns: 40 },
    )
  }, 20_000)

  test('nodes obey the limit in elements and in bytes', () => {
    const mem = new Arena()
    expect(quicklistNodes(mem, build(mem, numbers(100), 10))).toBe(10)
    const big = build(mem, Array<string>(300).fill('x'.repeat(100)), -1)
    expect(quicklistNodes(mem, big)).toBe(Math.ceil(300 / 39))
  })

  test('inner nodes are compressed, outer ones are not', () => {
    const mem = new Arena()
    const root = build(mem, Array<string>(40).fill('abc'.repeat(30)), 4, 2)
    expect(kinds(mem, root)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 0, 0])
    quicklistSeek(mem, root, 20)
    quicklistReplace(mem, root, bytesOf('new'), 0, 3)
    expect(kinds(mem, root)[5]).toBe(COMPRESSED)
    for (let i = 0; i < 4; i++) {
      quicklistSeek(mem, root, 0)
      quicklistDelete(mem, root)
    }
    expect(kinds(mem, root)).toEqual([0, 0, 1, 1, 1, 1, 1, 0, 0])
    push(mem, root, true, 'first')
    expect(kinds(mem, root)).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 0, 0])
    expect(audit(mem, root)).toEqual([])
  })

  test('a middle insert into a full node splits it and joins the halves with their neighbours', () => {
    const mem = new Arena()
    const root = build(mem, numbers(30), 10)
    quicklistSeek(mem, root, 15)
    quicklistInsert(mem, root, false, bytesOf('new'), 0, 3)
    expect(contents(mem, root).slice(13, 18)).toEqual(['13', '14', 'new', '15', '16'])
    expect(quicklistNodes(mem, root)).toBe(4)
    expect(audit(mem, root)).toEqual([])
  })

  test('many nodes: leaves split, empty and vanish', () => {
    const mem = new Arena()
    const root = build(mem, numbers(1000), 1)
    const model = numbers(1000)
    expect(leafCount(mem, root)).toBe(16)
    for (let i = 0; i < 400; i++) {
      const at = (i * 7919) % model.length
      quicklistSeek(mem, root, at)
      quicklistInsert(mem, root, false, bytesOf('m'), 0, 1)
      model.splice(at, 0, 'm')
    }
    expect(contents(mem, root)).toEqual(model)
    quicklistDeleteRange(mem, root, 200, 900)
    model.splice(200, 900)
    expect(contents(mem, root)).toEqual(model)
    for (let leaf = 0; leaf < leafCount(mem, root); leaf++) expect(countAt(mem, root, leaf, 0)).toBe(1)
    expect(audit(mem, root)).toEqual([])
  })

  test('takes over a listpack, and the cursor walks a plain one', () => {
    const mem = new Arena()
    let lp = newListpack(mem)
    for (const text of ['a', '2', 'c']) lp = lpAppend(mem, lp, bytesOf(text), 0, 1)
    expect(openListpack(mem, lp, -1)).toBe(true)
    expect(current(mem)).toBe('c')
    expect([cursorPrev(mem), current(mem), cursorPrev(mem), cursorPrev(mem), cursorNext(mem)]).toEqual([true, '2', true, false, true])
    const root = quicklistFrom(mem, lp, -2, 0)
    expect(contents(mem, root)).toEqual(['a', '2', 'c'])
    expect(audit(mem, root)).toEqual([])
  })
})
