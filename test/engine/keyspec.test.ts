import { describe, expect, test } from 'vitest'
import { bitfieldKeys, keysThatFit, migrateKeys, setKeys, sortKeys } from '../../src/engine/keyfinders.ts'
import * as k from '../../src/engine/keyspec.ts'
import { namesOf } from '../../src/engine/flags.ts'
import { recorded, specsOf } from './recorded.ts'

const FINDERS: Record<string, k.KeyFinder> = {
  bitfield: bitfieldKeys,
  georadius: keysThatFit,
  georadiusbymember: keysThatFit,
  migrate: migrateKeys,
  set: setKeys,
  sort: sortKeys,
  sort_ro: keysThatFit,
}

function argvOf(words: string[]): k.KeyArgv {
  const offsets = words.map((_, index) => words.slice(0, index).join('').length)
  return {
    bytes: new TextEncoder().encode(words.join('')),
    count: words.length,
    off: (index) => offsets[index],
    len: (index) => words[index].length,
  }
}

/** The keys of a request (words split at spaces, `-` for an empty one) as `position:key flags`. */
function found(request: string, withNotKeys = false): string[] {
  const words = request.split(' ').map((word) => (word === '-' ? '' : word))
  const out = new k.KeyPositions()
  const sub = `${words[0]}|${words[1]}`
  const name = sub in recorded ? sub : words[0]
  k.findKeys(argvOf(words), specsOf(name), FINDERS[name], out, withNotKeys)
  const list = []
  for (let i = 0; i < out.count; i++) {
    list.push([`${out.positions[i]}:${words[out.positions[i]]}`, ...namesOf(out.flags[i], k.KEY_FLAG_NAMES)].join(' '))
  }
  return list
}

test.each(Object.entries(recorded))('first, last, step and movablekeys of %s', (name, command) => {
  const derived = k.keyRange(specsOf(name))
  const { first, last, step } = command
  expect(derived).toEqual({ first, last, step, movable: command.flags.includes('movablekeys') })
})

test('the constructors build the recorded specs', () => {
  expect(specsOf('get')).toEqual([k.key(1, k.RO | k.ACCESS)])
  expect(specsOf('mset')).toEqual([k.keys(1, -1, 2, k.OW | k.UPDATE)])
  expect(specsOf('zunion')).toEqual([k.keynum(1, k.RO | k.ACCESS)])
  expect(specsOf('xread')).toEqual([k.keyword('STREAMS', 1, k.range(-1, 1, 2), k.RO | k.ACCESS)])
  expect(specsOf('sort')).toEqual([k.key(1, k.RO | k.ACCESS), k.unknown(k.RO | k.ACCESS), k.unknown(k.OW | k.UPDATE)])
})

// Answers of COMMAND GETKEYSANDFLAGS, redis-server 7.2.6.
describe('keys found in', () => {
  test.each([
    ['mset a 1 b 2', ['1:a OW update', '3:b OW update']],
    ['lcs a b', ['1:a RO access', '2:b RO access']],
    ['blpop a b 0', ['1:a RW access delete', '2:b RW access delete']],
    ['object freq a', ['2:a RO']],
    ['zunionstore d 2 a b', ['1:d OW update', '3:a RO access', '4:b RO access']],
    ['zunionstore d 3 a b', []],
    ['zunionstore d x a b', []],
    ['eval x 0', []],
    ['eval x 3 a b', []],
    ['eval x 2 a b', ['3:a RW access update', '4:b RW access update']],
    ['eval x', []],
    ['xread count 2 STREAMS a b 0 0', ['4:a RO access', '5:b RO access']],
    ['xread streams a b c 0 0', ['2:a RO access', '3:b RO access']],
    ['xread count 2', []],
    ['xreadgroup group g c streams a b c 0 0', ['5:a RO access', '6:b RO access']],
    ['georadius k 1 1 1 m store a storedist b', ['1:k RO access', '7:a OW update', '9:b OW update']],
    ['georadius k 1 1 1 m store', ['1:k RO access']],
    ['sort_ro k by a', ['1:k RO access']],
    ['sort k', ['1:k RO access']],
    ['sort k by a store d Store e get store', ['1:k RO access', '7:e OW update']],
    ['migrate h 1 - 0 0 auth keys keys a b', ['9:a RW access delete', '10:b RW access delete']],
    ['migrate h 1 x 0 0 copy', ['3:x RW access delete']],
    ['migrate h 1 x 0 0 keys a', []],
    ['bitfield k get u8 0', ['1:k RO access']],
    ['bitfield k get u8 0 overflow sat', ['1:k RO access']],
    ['bitfield k get u8 0 set u8 0 1', ['1:k RW access update']],
    ['bitfield k what', ['1:k RW access update']],
    ['set k v ex 1 get', ['1:k RW access update']],
    ['set k v ex 1', ['1:k OW update']],
    ['spublish a b', []],
    ['ping', []],
  ])('%s', (request, expected) => expect(found(request)).toEqual(expected))

  test('a request that is routed by what is no key', () => {
    expect(found('spublish a b', true)).toEqual(['1:a not_key'])
  })

  test('a request with many keys', () => {
    const words = Array.from({ length: 100 }, (_, index) => `key${index}`)
    expect(found(`del ${words.join(' ')}`)).toEqual(words.map((word, index) => `${index + 1}:${word} RM delete`))
  })
})
