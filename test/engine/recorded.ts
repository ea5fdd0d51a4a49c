/** What Redis 7.2.6 answers about its commands (see ../data/record-commands.ts), and its key specs in our form. */
import { readFileSync } from 'node:fs'
import { bitOf } from '../../src/engine/flags.ts'
import { KEY_FLAG_NAMES, type KeyBegin, type KeyFind, type KeySpec } from '../../src/engine/keyspec.ts'
import type { DocsArgument } from './grammar-printer.ts'

export interface RecordedCommand {
  arity: number
  flags: string[]
  first: number
  last: number
  step: number
  acl: string[]
  tips: string[]
  keySpecs: RecordedKeySpec[]
  docs: {
    since: string
    group: string
    complexity?: string
    doc_flags?: string[]
    deprecated_since?: string
    replaced_by?: string
    history?: [string, string][]
    arguments?: DocsArgument[]
  }
}

export interface RecordedKeySpec {
  flags: string[]
  begin_search: { type: string; spec: Record<string, any> }
  find_keys: { type: string; spec: Record<string, any> }
}

export const recorded: Record<string, RecordedCommand> = JSON.parse(
  readFileSync(new URL('../data/commands-7.2.6.json', import.meta.url), 'utf8'),
)

export function specsOf(name: string): KeySpec[] {
  return recorded[name].keySpecs.map(({ flags, begin_search, find_keys }) => ({
    begin: beginOf(begin_search),
    find: findOf(find_keys),
    flags: flags.reduce((bits, flag) => bits | bitOf(flag, KEY_FLAG_NAMES), 0),
  }))
}

function beginOf({ type, spec }: RecordedKeySpec['begin_search']): KeyBegin {
  if (type === 'index') return { type, index: spec.index }
  if (type === 'unknown') return { type }
  return { type: 'keyword', keyword: spec.keyword, lowerKeyword: spec.keyword.toLowerCase(), startFrom: spec.startfrom }
}

function findOf({ type, spec }: RecordedKeySpec['find_keys']): KeyFind {
  if (type === 'range') return { type, last: spec.lastkey, step: spec.keystep, limit: spec.limit }
  if (type === 'keynum') return { type, numIndex: spec.keynumidx, first: spec.firstkey, step: spec.keystep }
  return { type: 'unknown' }
}
