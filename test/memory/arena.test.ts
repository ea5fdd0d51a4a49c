import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Arena } from '../../src/memory/arena.ts'
import { auditArena } from '../../src/memory/audit.ts'
import { byteOf, NULL_REF, type Ref, SEGMENT_BYTES, segmentOf, wordOf } from '../../src/memory/ref.ts'
import { MAX_CLASS_BYTES, PAGE_BYTES, usableBytes } from '../../src/memory/sizeclass.ts'

interface Block {
  ref: Ref
  bytes: number
  mark: number
}

/** Blocks in an arena, each marked at both ends, so that two that overlap are found out. */
class Twin {
  readonly mem = new Arena()
  readonly blocks: Block[] = []
  private marks = 0

  take(bytes: number, zeroed: boolean): void {
    const ref = zeroed ? this.mem.allocZeroed(bytes) : this.mem.alloc(bytes)
    const shown = Math.min(bytes, 4096)
    if (zeroed) expect(this.mem.u8[segmentOf(ref)].subarray(byteOf(ref), byteOf(ref) + shown).every((byte) => byte === 0)).toBe(true)
    this.add(ref, bytes)
  }

  add(ref: Ref, bytes: number): void {
    expect(ref).not.toBe(NULL_REF)
    const block = { ref, bytes, mark: ++this.marks }
    this.write(block)
    this.blocks.push(block)
  }

  private write({ ref, bytes, mark }: Block): void {
    this.mem.u32[segmentOf(ref)][wordOf(ref)] = mark
    this.mem.u8[segmentOf(ref)][byteOf(ref) + bytes - 1] = mark & 255
  }

  give(index: number): void {
    const [block] = this.blocks.splice(index % this.blocks.length, 1)
    this.read(block)
    this.mem.free(block.ref, block.bytes)
  }

  resize(index: number, bytes: number): void {
    const block = this.blocks[index % this.blocks.length]
    this.read(block)
    block.ref = this.mem.realloc(block.ref, block.bytes, bytes)
    expect(this.mem.u32[segmentOf(block.ref)][wordOf(block.ref)]).toBe(block.mark)
    block.bytes = bytes
    this.write(block)
  }

  private read({ ref, bytes, mark }: Block): void {
    expect(this.mem.u8[segmentOf(ref)][byteOf(ref) + bytes - 1]).toBe(mark & 255)
    if (bytes > 4) expect(this.mem.u32[segmentOf(ref)][wordOf(ref)]).toBe(mark)
  }

  check(): void {
    for (const block of this.blocks) this.read(block)
    expect(auditArena(this.mem, (report) => this.blocks.forEach(({ ref, bytes }) => report(ref, bytes)))).toEqual([])
  }

  /** Moves everything out of a segment, as evacuation does. */
  evacuate(segment: number): void {
    if (segment === 0 || this.mem.liveBytes(segment) < 0) return
    this.mem.closeSegment(segment)
    for (const block of this.blocks) {
      if (!this.mem.isClosed(block.ref)) continue
      const moved = this.mem.alloc(block.bytes)
      expect(segmentOf(moved)).not.toBe(segment)
      this.mem.free(block.ref, block.bytes)
      block.ref = moved
      this.write(block)
    }
    expect(this.mem.liveBytes(segment)).toBe(0)
    while (this.mem.trim());
    this.mem.reopenSegment(segment)
  }
}

const size = fc.oneof(
  { arbitrary: fc.integer({ min: 5, max: 200 }), weight: 5 },
  { arbitrary: fc.integer({ min: 200, max: MAX_CLASS_BYTES }), weight: 3 },
  { arbitrary: fc.integer({ min: MAX_CLASS_BYTES - 8, max: 40 * PAGE_BYTES }), weight: 2 },
  { arbitrary: fc.integer({ min: SEGMENT_BYTES / 4, max: SEGMENT_BYTES / 2 + PAGE_BYTES }), weight: 1 },
)
const op = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('take' as const), size, zeroed: fc.boolean() }), weight: 2 },
  fc.record({ kind: fc.constant('give' as const), index: fc.nat(1000) }),
  fc.record({ kind: fc.constant('resize' as const), index: fc.nat(1000), size }),
  fc.record({ kind: fc.constant('evacuate' as const), segment: fc.nat(4) }),
)

describe('arena', () => {
  test('any sequence of taking, giving back, resizing and evacuating leaves the books right', () => {
    fc.assert(
      fc.property(fc.array(op, { minLength: 20, maxLength: 80 }), (ops) => {
        const twin = new Twin()
        for (const step of ops) {
          if (step.kind === 'take') twin.take(step.size, step.zeroed)
          else if (step.kind === 'evacuate') twin.evacuate(step.segment)
          else if (twin.blocks.length === 0) continue
          else if (step.kind === 'give') twin.give(step.index)
          else twin.resize(step.index, step.size)
        }
        twin.check()
        while (twin.blocks.length > 0) twin.give(0)
        expect(twin.mem.used).toBe(0)
      }),
      { numRuns: 12 },
    )
  })

  test('blocks fill segments, and empty segments go back one at a time', () => {
    const twin = new Twin()
    const bytes = 1 << 20
    while (twin.mem.u8.length < 4) twin.add(twin.mem.alloc(bytes), bytes)
    expect(twin.mem.mapped).toBe(4 * SEGMENT_BYTES)
    while (twin.blocks.length > 0) twin.give(twin.blocks.length - 1)
    expect(twin.mem.mapped).toBe(4 * SEGMENT_BYTES)
    let given = 0
    while (twin.mem.trim()) given++
    expect(given).toBeGreaterThanOrEqual(2)
    expect(twin.mem.mapped).toBeLessThanOrEqual(2 * SEGMENT_BYTES)
    while (twin.mem.u8.filter((view) => view.length > 0).length < 4) twin.add(twin.mem.alloc(bytes), bytes)
    twin.check()
  })

  test('the number of a dropped segment is used again, and the first block is never null', () => {
    const mem = new Arena()
    const huge = mem.alloc(SEGMENT_BYTES)
    expect(segmentOf(huge)).toBe(1)
    mem.u8[1][SEGMENT_BYTES - 1] = 7
    mem.free(huge, SEGMENT_BYTES)
    expect(mem.u8[1].length).toBe(0)
    const again = mem.allocZeroed(SEGMENT_BYTES * 2)
    expect(segmentOf(again)).toBe(1)
    expect(mem.u8[1][SEGMENT_BYTES - 1]).toBe(0)
    expect(mem.used).toBe(SEGMENT_BYTES * 2)
    expect(mem.resident).toBe(SEGMENT_BYTES * 2 + PAGE_BYTES)
  })

  test('memory that cannot be had changes nothing', () => {
    const mem = new Arena()
    const ref = mem.alloc(100)
    expect(() => mem.alloc(2 ** 50)).toThrow('the system gave no')
    expect(() => mem.realloc(ref, 100, 2 ** 50)).toThrow('the system gave no')
    expect(auditArena(mem, (report) => report(ref, 100))).toEqual([])
  })

  test('a size rounds to its class, at most a quarter above it', () => {
    for (let bytes = 128; bytes <= MAX_CLASS_BYTES * 2; bytes += 131) {
      expect(usableBytes(bytes)).toBeGreaterThanOrEqual(bytes)
      expect(usableBytes(bytes)).toBeLessThanOrEqual(bytes * 1.25 + 8)
      expect(usableBytes(usableBytes(bytes))).toBe(usableBytes(bytes))
    }
  })

  test('the audit finds a leak, a double owner, a wrong size and an address that is none', () => {
    const mem = new Arena()
    const a = mem.alloc(24)
    const b = mem.alloc(24)
    const faults = (owned: [Ref, number][]): string => auditArena(mem, (report) => owned.forEach(([ref, n]) => report(ref, n))).join('\n')
    expect(faults([[a, 24], [b, 24]])).toBe('') // biome-ignore format: pairs
    expect(faults([[a, 24]])).toContain('live blocks')
    expect(faults([[a, 24], [a, 24]])).toContain('held twice') // biome-ignore format: pairs
    expect(faults([[a, 32], [b, 24]])).toContain('its class has') // biome-ignore format: pairs
    expect(faults([[a, 24], [b, 24], [(a + 1) as Ref, 24]])).toContain('not a block') // biome-ignore format: pairs
  })
})
