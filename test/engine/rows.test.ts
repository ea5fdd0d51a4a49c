import { describe, expect, test } from 'vitest'
import * as f from '../../src/engine/flags.ts'
import { parseGrammar } from '../../src/engine/grammar.ts'
import { type KeySpec, keyRange } from '../../src/engine/keyspec.ts'
import { recorded, specsOf } from './recorded.ts'
import { liveRows } from './rows.ts'

const rows = await liveRows()

/** Subcommands that come with users: nothing else may be missing. */
const LATER = new Set(['deluser', 'dryrun', 'load', 'log', 'save', 'setuser'].map((name) => `acl|${name}`))

/** Finders and the like are ours; begin, find and flags are what COMMAND INFO shows. */
function shown(specs: readonly KeySpec[]): object[] {
  return specs.map(({ begin, find, flags }) => ({ begin, find, flags }))
}

test.each([...rows])('the row of %s is well formed', (name, row) => {
  expect(row.name).toBe(row.name.toUpperCase())
  expect(row.flags & f.MOVABLEKEYS).toBe(0)
  expect((row.flags & f.WRITE) !== 0 && (row.flags & f.READONLY) !== 0).toBe(false)
  expect(row.run !== undefined || row.subcommands !== undefined).toBe(true)
  expect(row.summary).toMatch(/^[A-Z].*\.$/)
  expect(() => parseGrammar(row.args ?? '')).not.toThrow()
  const keyIndexes = [...JSON.stringify(parseGrammar(row.args ?? '')).matchAll(/"keySpecIndex":(\d+)/g)].map((found) => Number(found[1]))
  expect(Math.max(-1, ...keyIndexes), `key specs of ${name}`).toBeLessThan(row.keys?.length ?? 0)
})

describe('as Redis 7.2.6 has it', () => {
  test.each([...rows].filter(([name]) => name in recorded))('%s', (name, row) => {
    const { arity, flags, first, last, step, acl, tips, docs } = recorded[name]
    const range = keyRange(row.keys ?? [])
    expect({
      arity: row.arity,
      flags: f.namesOf(row.flags | (range.movable ? f.MOVABLEKEYS : 0), f.COMMAND_FLAG_NAMES),
      first: range.first,
      last: range.last,
      step: range.step,
      acl: f.namesOf(f.aclCategories(row.flags, row.acl ?? 0), f.ACL_CATEGORY_NAMES).map((category) => `@${category}`),
      tips: row.tips ?? [],
      keys: shown(row.keys ?? []),
      since: row.since,
      history: row.history,
      deprecated: row.deprecated,
      docFlags: f.namesOf((row.docFlags ?? 0) | (row.deprecated ? f.DEPRECATED : 0), f.DOC_FLAG_NAMES),
    }).toEqual({
      arity,
      flags,
      first,
      last,
      step,
      acl,
      tips,
      keys: shown(specsOf(name)),
      since: docs.since,
      history: docs.history,
      deprecated: docs.deprecated_since && { since: docs.deprecated_since, replacedBy: docs.replaced_by },
      docFlags: docs.doc_flags ?? [],
    })
  })

  test('with the same subcommands', () => {
    for (const name of rows.keys()) {
      const of = (names: Iterable<string>): string[] => [...names].filter((other) => other.startsWith(`${name}|`)).toSorted()
      if (name in recorded)
        expect(of(rows.keys())).toEqual(of(Object.keys(recorded).filter((other) => !LATER.has(other) || rows.has(other))))
    }
  })
})
