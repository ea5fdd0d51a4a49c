import { expect, test } from 'vitest'
import * as f from '../../src/engine/flags.ts'
import { recorded } from './recorded.ts'

const IMPLIED = f.ACL_READ | f.ACL_WRITE | f.ACL_PUBSUB | f.ACL_FAST | f.ACL_SLOW | f.ACL_BLOCKING

test('a bit has its name, and a name its bit', () => {
  expect(f.namesOf(f.READONLY | f.ALLOW_BUSY | f.MAY_REPLICATE, f.COMMAND_FLAG_NAMES)).toEqual(['readonly', 'allow_busy'])
  expect(f.namesOf(f.ACL_KEYSPACE | f.ACL_DANGEROUS | f.ACL_SCRIPTING, f.ACL_CATEGORY_NAMES)).toEqual([
    'keyspace',
    'dangerous',
    'scripting',
  ])
  expect(f.bitOf('stream', f.ACL_CATEGORY_NAMES)).toBe(f.ACL_STREAM)
  expect(f.bitOf('fast', f.COMMAND_FLAG_NAMES)).toBe(f.FAST)
  expect(f.bitOf('syscmd', f.DOC_FLAG_NAMES)).toBe(f.SYSCMD)
  expect(f.bitOf('none', f.ACL_CATEGORY_NAMES)).toBe(0)
})

test.each(Object.entries(recorded))('categories implied by the flags of %s', (_, command) => {
  const flags = command.flags.reduce((bits, flag) => bits | f.bitOf(flag, f.COMMAND_FLAG_NAMES), 0)
  const categories = command.acl.reduce((bits, name) => bits | f.bitOf(name.slice(1), f.ACL_CATEGORY_NAMES), 0)
  const named = categories & ~IMPLIED & ~(flags & f.ADMIN ? f.ACL_DANGEROUS | f.ACL_ADMIN : 0)
  const derived = f.aclCategories(flags, named)
  expect(derived).toBe(categories)
  expect(f.namesOf(derived, f.ACL_CATEGORY_NAMES).map((name) => `@${name}`)).toEqual(command.acl)
  expect(f.namesOf(flags, f.COMMAND_FLAG_NAMES)).toEqual(command.flags)
})
