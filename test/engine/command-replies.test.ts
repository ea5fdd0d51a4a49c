/** COMMAND INFO and COMMAND DOCS as a client reads them, held against what Redis 7.2.6 answered. Summaries are ours. */
import { beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { useServer } from '../support/server.ts'
import { recorded } from './recorded.ts'

type Info = [
  name: string,
  arity: number,
  flags: string[],
  first: number,
  last: number,
  step: number,
  acl: string[],
  tips: string[],
  keys: unknown[],
  subcommands: Info[],
]
type Fields = Record<string, unknown>

const server = useServer()
const infos = new Map<string, Info>()
const docs = new Map<string, Fields>()

/** A flat array of names and values as an object. */
function fields(flat: readonly unknown[]): Fields {
  const found: Fields = {}
  for (let i = 0; i < flat.length; i += 2) found[String(flat[i])] = flat[i + 1]
  return found
}

function noteInfo(info: Info): void {
  infos.set(info[0], info)
  info[9].forEach(noteInfo)
}

function noteDocs(flat: readonly unknown[]): void {
  for (const [name, value] of Object.entries(fields(flat))) {
    const found = fields(value as unknown[])
    docs.set(name, found)
    if (found.subcommands !== undefined) noteDocs(found.subcommands as unknown[])
  }
}

function argument(flat: readonly unknown[]): Fields {
  const found = fields(flat)
  if (found.arguments !== undefined) found.arguments = (found.arguments as unknown[][]).map(argument)
  return found
}

beforeAll(async () => {
  const client = await Connection.open(server.address)
  for (const info of (await client.get('COMMAND')) as Info[]) noteInfo(info)
  noteDocs((await client.get('COMMAND', 'DOCS')) as unknown[])
  client.close()
})

describe('as Redis 7.2.6 answers', () => {
  test.each(Object.keys(recorded))('%s', (name) => {
    const info = infos.get(name)
    const found = docs.get(name)
    if (info === undefined || found === undefined) return
    const { arity, flags, first, last, step, acl, tips, docs: theirs } = recorded[name]
    expect(info.slice(1, 6)).toEqual([arity, expect.anything(), first, last, step])
    expect([new Set(info[2]), new Set(info[6]), info[7]]).toEqual([new Set(flags), new Set(acl), tips])
    expect([found.since, found.group, found.doc_flags ?? []]).toEqual([theirs.since, theirs.group, theirs.doc_flags ?? []])
    expect([found.deprecated_since, found.replaced_by]).toEqual([theirs.deprecated_since, theirs.replaced_by])
    expect(found.history).toEqual(theirs.history)
    expect((found.arguments as unknown[][] | undefined)?.map(argument)).toEqual(theirs.arguments)
  })
})

test('most commands of Redis 7.2.6 are here', () => {
  const missing = Object.keys(recorded).filter((name) => !infos.has(name))
  expect(missing.length).toBeLessThan(Object.keys(recorded).length / 10)
})
