/** What LATENCY GRAPH and LATENCY DOCTOR say in words and pictures. */
import type { Engine } from '../engine/engine.ts'
import type { LatencyEvent } from '../engine/latency.ts'

const LEVELS = '_o#'
const ROWS = 4
const AGE_ROWS = 4

/** The samples as columns, lowest to highest in four rows of three levels each; below each how long ago it was. */
export function latencyGraphText(name: string, event: LatencyEvent, nowSeconds: number): string {
  const values = event.samples.map(({ ms }) => ms)
  const low = Math.min(...values)
  const high = Math.max(...values)
  const steps = ROWS * LEVELS.length
  const heights = values.map((ms) => 1 + Math.round(((ms - low) / Math.max(1, high - low)) * (steps - 1)))
  const lines: string[] = [`${name} - high ${high} ms, low ${low} ms (all time high ${event.maxMs} ms)`, '-'.repeat(80)]
  for (let row = ROWS - 1; row >= 0; row--) lines.push(heights.map((height) => glyph(height - row * LEVELS.length)).join(''))
  lines.push('')
  const ages = event.samples.map(({ timeSeconds }) => age(nowSeconds - timeSeconds).padEnd(AGE_ROWS))
  for (let row = 0; row < AGE_ROWS; row++)
    lines.push(
      ages
        .map((text) => text[row])
        .join('')
        .trimEnd(),
    )
  return `${lines.filter((line, i) => line !== '' || i < lines.length - AGE_ROWS).join('\n')}\n`
}

function glyph(height: number): string {
  if (height <= 0) return ' '
  return LEVELS[Math.min(height, LEVELS.length) - 1]
}

function age(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86400)}d`
}

export function latencyAdvice(engine: Engine): string {
  const { latency, stats } = engine
  if (latency.thresholdMs === 0) {
    return 'Latency monitoring is off. Turn it on with CONFIG SET latency-monitor-threshold <milliseconds>.\n'
  }
  if (latency.events.size === 0) return `Nothing took ${latency.thresholdMs} ms or longer.\n`
  const lines = [`Events of ${latency.thresholdMs} ms or longer:`]
  for (const [name, { samples, maxMs }] of latency.events) {
    const mean = samples.reduce((sum, { ms }) => sum + ms, 0) / samples.length
    lines.push(`  ${name}: ${samples.length} samples, mean ${mean.toFixed(1)} ms, worst ${maxMs} ms`)
  }
  if (latency.events.has('command'))
    lines.push('Look at SLOWLOG GET for the commands that were slow, and avoid KEYS, large ranges and big deletes (UNLINK is quick).')
  if (latency.events.has('fast-command'))
    lines.push('Commands that should be quick were slow: other work may hold the processor, or memory is swapped.')
  if (latency.events.has('eviction-cycle')) lines.push('Eviction takes long: the limit is small for what is written, or values are large.')
  lines.push(`The longest slice of background work took ${(stats.longestSliceUs / 1000).toFixed(1)} ms.`)
  return `${lines.join('\n')}\n`
}
