/** A transaction's arguments lie one behind the other, at offsets of 32 bits. */
import { expect, test } from 'vitest'
import { Transaction } from '../../src/engine/multi.ts'
import { bytesOf } from '../../src/util/bytes.ts'
import { frameOf } from '../../src/util/argv.ts'
import { InProcess } from '../support/in-process.ts'

test('what does not fit is refused, and what is there stays', () => {
  const command = new InProcess().engine.table.lookup(bytesOf('SET'), 0, 3)
  if (command === null) throw new Error('no SET')
  const queue = Transaction.begin()
  expect(queue.add(command, 0, frameOf([bytesOf('SET'), bytesOf('k'), bytesOf('v')]), false)).toBe(true)
  // as if they were that long: nothing is read of them
  const endless = frameOf([bytesOf('SET'), bytesOf('k'), bytesOf('v')])
  endless.lengths.set([3, 2 ** 30, 2 ** 30])
  expect(queue.add(command, 0, endless, true)).toBe(true)
  expect(queue.keep()).toBe(false)
  expect(queue.length).toBe(1)
  expect(queue.argv(0).text(2)).toBe('v')
  expect(queue.keep()).toBe(true)
})
