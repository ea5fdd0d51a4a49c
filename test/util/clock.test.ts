import { describe, expect, test } from 'vitest'
import { ManualClock, SystemClock } from '../../src/util/clock.ts'

describe('ManualClock', () => {
  test('moves only when told', () => {
    const clock = new ManualClock(1_000)
    expect([clock.nowMs(), clock.nowUs(), clock.monotonicUs()]).toEqual([1_000, 1_000_000, 0])
    clock.advance(1.5)
    expect([clock.nowMs(), clock.nowUs(), clock.monotonicUs()]).toEqual([1_001, 1_001_500, 1_500])
    clock.setWallMs(500)
    expect([clock.nowMs(), clock.monotonicUs()]).toEqual([500, 1_500])
  })

  test('fires due timers in order, each at its own time', () => {
    const clock = new ManualClock(0)
    const fired: string[] = []
    const note = (name: string) => (): void => {
      fired.push(`${name}@${clock.nowMs()}`)
    }
    clock.setTimer(30, note('c'))
    clock.setTimer(10, note('a'))
    clock.setTimer(10, note('b'))
    clock.setTimer(-5, note('now'))
    const stopped = clock.setTimer(20, note('stopped'))
    clock.setTimer(100, note('late'))
    clock.clearTimer(stopped)
    clock.advance(50)
    expect(fired).toEqual(['now@0', 'a@10', 'b@10', 'c@30'])
    expect(clock.pending).toBe(1)
    expect(clock.nowMs()).toBe(50)
  })

  test('fires timers that timers set', () => {
    const clock = new ManualClock(0)
    let ticks = 0
    const tick = (): void => {
      ticks++
      clock.setTimer(10, tick)
    }
    clock.setTimer(10, tick)
    clock.advance(105)
    expect(ticks).toBe(10)
    expect(clock.nowMs()).toBe(105)
  })

  test('advanceAsync lets promises settle between timers', async () => {
    const clock = new ManualClock(0)
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => void clock.setTimer(ms, resolve))
    const woke: number[] = []
    async function sleeper(): Promise<void> {
      for (let i = 0; i < 3; i++) {
        await sleep(10)
        woke.push(clock.nowMs())
      }
    }
    const done = sleeper()
    await clock.advanceAsync(100)
    await done
    expect(woke).toEqual([10, 20, 30])
    expect(clock.nowMs()).toBe(100)
  })
})

describe('SystemClock', () => {
  test('agrees with itself', () => {
    const clock = new SystemClock()
    let monotonic = clock.monotonicUs()
    for (let i = 0; i < 1000; i++) {
      const before = clock.nowMs()
      const us = clock.nowUs()
      const after = clock.nowMs()
      expect(Number.isInteger(us)).toBe(true)
      expect(Math.floor(us / 1000)).toBeGreaterThanOrEqual(before)
      expect(Math.floor(us / 1000)).toBeLessThanOrEqual(after)
      const next = clock.monotonicUs()
      expect(next).toBeGreaterThanOrEqual(monotonic)
      monotonic = next
    }
  })

  test('fires a timer once, not before its time and not when cleared', async () => {
    const clock = new SystemClock()
    const start = clock.monotonicUs()
    let cleared = 0
    clock.clearTimer(clock.setTimer(1, () => cleared++))
    await new Promise<void>((resolve) => void clock.setTimer(5, resolve))
    // Node rounds delays to milliseconds of its own loop time.
    expect(clock.monotonicUs() - start).toBeGreaterThanOrEqual(4_000)
    expect(cleared).toBe(0)
  })

  test('waits for delays that Node cannot', async () => {
    const clock = new SystemClock()
    let fired = false
    const timer = clock.setTimer(1e13, () => {
      fired = true
    })
    timer.unref()
    await new Promise<void>((resolve) => void clock.setTimer(3, resolve))
    expect(fired).toBe(false)
    clock.clearTimer(timer)
  })
})
